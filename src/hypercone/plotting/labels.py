"""Names in a picture, placed without overlaps: beside their dots, or around the rim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone.errors import InputError, option
from hypercone.plotting.arcs import Floats, geodesics, rim_angles_from, unit_vectors
from hypercone.plotting.canvas import LIGHT, Theme, group_name, matplotlib_module
from hypercone.plotting.scene import Look, Scene, dots_to_draw
from hypercone.plotting.views import display_name

DIRECTIONS = np.radians([0, 180, 90, 270, 45, 135, 225, 315, 22.5, 157.5, 202.5, 337.5, 67.5, 112.5, 247.5, 292.5])
DISTANCES = np.array([3.0, 8.0, 16.0, 28.0, 44.0, 64.0, 90.0, 120.0])
# A covered dot costs as much as so many pixels of distance.
COVERED_DOT = 4.0
# A name further away than this from its dot is connected to it by a line.
NEAR = 9.0


def place_labels(
    anchors: Floats, sizes: Floats, dots: Floats, bounds: Floats, furthest: float = DISTANCES[-1]
) -> Floats:
    """The center of each label in pixels, placed in order of importance; NaN for a label that does not fit.

    Each label takes the position nearest to its anchor, with a penalty per covered dot, that lies inside the bounds
    (left, bottom, right, top), is at most ``furthest`` away, and overlaps neither an earlier label nor any anchor.

    >>> bounds = np.array([-50.0, -50.0, 50.0, 50.0])
    >>> place_labels(np.zeros((2, 2)), np.full((2, 2), 10.0), np.empty((0, 2)), bounds).round(6).tolist()
    [[8.0, 0.0], [-8.0, 0.0]]
    """
    placed = np.full((len(anchors), 2), np.nan)
    taken, taken_sizes = anchors, np.full((len(anchors), 2), 4.0)
    for row, (anchor, size) in enumerate(zip(anchors, sizes, strict=True)):
        spots, reaches = _spots(anchor, size)
        covered = _overlaps(spots, size, dots, np.zeros((len(dots), 2))).sum(axis=1)
        cost = reaches + COVERED_DOT * covered
        cost[_overlaps(spots, size, taken, taken_sizes).any(axis=1) | _outside(spots, size, bounds)] = np.inf
        cost[reaches > furthest] = np.inf
        best = int(np.argmin(cost))
        if np.isfinite(cost[best]):
            placed[row] = spots[best]
            taken, taken_sizes = np.vstack([taken, spots[best]]), np.vstack([taken_sizes, size])
    return placed


def _spots(anchor: Floats, size: Floats) -> tuple[Floats, Floats]:
    """Candidate centers around the anchor, and the distance of the label's edge from the anchor at each of them."""
    ways = unit_vectors(DIRECTIONS)
    # From the center of a box to its edge in each direction.
    with np.errstate(divide="ignore"):
        to_edge = np.min(size / 2 / np.abs(np.where(np.abs(ways) < 1e-12, 1e-300, ways)), axis=1)
    reaches = np.repeat(DISTANCES, len(ways))
    away = (DISTANCES[:, None] + to_edge).ravel()
    return anchor + away[:, None] * np.tile(ways, (len(DISTANCES), 1)), reaches


def _overlaps(spots: Floats, size: Floats, others: Floats, other_sizes: Floats) -> NDArray[np.bool_]:
    apart = np.abs(spots[:, None] - others[None])
    return np.asarray((apart < (size + other_sizes) / 2).all(axis=-1))


def _outside(spots: Floats, size: Floats, bounds: Floats) -> NDArray[np.bool_]:
    low, high = spots - size / 2 < bounds[:2], spots + size / 2 > bounds[2:]
    return np.asarray((low | high).any(axis=1))


def draw_labels(
    axes: Any,
    points: Floats,
    names: Sequence[str],
    *,
    dots: Floats | None = None,
    fontsize: float = 8.0,
    furthest: float = DISTANCES[-1],
    theme: Theme = LIGHT,
    styles: Sequence[Mapping[str, Any]] | None = None,
) -> list[Any]:
    """Write names beside points, the most important first, and return the texts; names that do not fit are omitted.

    ``dots`` are points that names should preferably not cover, ``styles`` the text properties of each name. The size of
    the figure must not change afterwards.
    """
    plain = {"fontsize": fontsize, "color": theme.ink}
    each = [plain | dict(style) for style in styles or [{}] * len(names)]
    given = zip(names, points, each, strict=True)
    texts = [_draw_text(axes, name, point, style, theme) for name, point, style in given]
    renderer = axes.figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in texts]
    sizes = np.array([[box.width, box.height] for box in boxes]).reshape(-1, 2) + 2
    to_pixels = axes.transData
    bounds = np.array(axes.get_window_extent(renderer).extents)
    dots = to_pixels.transform(dots) if dots is not None else np.empty((0, 2))
    anchors = to_pixels.transform(np.asarray(points).reshape(-1, 2))
    spots = place_labels(anchors, sizes, dots, bounds, furthest)
    for text, anchor, size, spot in zip(texts, anchors, sizes, spots, strict=True):
        if np.isnan(spot[0]):
            text.remove()
            continue
        text.set_position(to_pixels.inverted().transform(spot))
        _draw_label_leader(axes, anchor, spot, size, theme)
    return [text for text in texts if text.axes is not None]


def _draw_text(axes: Any, name: str, point: Floats, style: Mapping[str, Any], theme: Theme) -> Any:
    halo = matplotlib_module("patheffects").withStroke(linewidth=2.2, foreground=theme.disk, alpha=0.9)
    given = {"zorder": 10, "path_effects": [halo], "gid": group_name(axes, "label"), "parse_math": False, **style}
    return axes.text(*point, name, ha="center", va="center_baseline", **given)


def _draw_label_leader(axes: Any, anchor: Floats, spot: Floats, size: Floats, theme: Theme) -> None:
    nearest = np.clip(anchor, spot - size / 2, spot + size / 2)
    if np.linalg.norm(nearest - anchor) > NEAR:
        line = axes.transData.inverted().transform(np.stack([anchor, nearest]))
        axes.plot(*line.T, color=theme.ink, linewidth=0.5, alpha=0.7, zorder=9)


# Up to so many leaves, and nodes in total, a picture names every node, with the leaves around the rim.
MOST_RIM_NAMES, SMALL = 110, 220
# More names would be unreadable, and placing them would take minutes.
MOST_NAMES = 500
# The default number of names beside dots.
INSIDE_NAMES = 32
RIM_FONT, RIM_LINE = 8.5, 10.5
# Longer names around the rim are shortened, since they would make the disk small.
LONGEST_AT_RIM = 28
# In pixels, at 100 pixels per inch.
FURTHEST = 44.0


@dataclass(frozen=True)
class NamedRows:
    """Rows named beside their dots (the most important first), rows named around the rim, and rows named in bold."""

    inside: list[int]
    rim: list[int]
    bold: frozenset[int]


def choose_names(scene: Scene, labels: Sequence[int] | int | None, first: Sequence[int]) -> NamedRows:
    """The rows to name: the given rows, the given number, or all of a small scene; ``first`` always, in bold."""
    count = INSIDE_NAMES if labels is None else labels if isinstance(labels, int) else len(labels)
    if not 0 <= count <= MOST_NAMES:
        raise InputError(f"{option('labels')} is {count}, but must be from 0 to {MOST_NAMES}")
    if isinstance(labels, Sequence):
        return NamedRows(list(dict.fromkeys([*first, *labels])), [], frozenset(first))
    leaves = (scene.weights == 0) | (len(scene.edges) == 0)
    in_order = list(dict.fromkeys([*first, *scene.order.tolist()]))
    if labels is None and leaves.sum() <= MOST_RIM_NAMES and len(leaves) <= SMALL:
        # Leaves are near the rim unless a node is in the middle of the picture.
        outside = leaves & (scene.middle is None)
        inside = [row for row in in_order if not outside[row]]
        return NamedRows(inside, np.flatnonzero(outside).tolist(), frozenset(first))
    most = max(count, len(set(first)))
    return NamedRows(in_order[:most], [], frozenset(first))


def rim_margin(figure: Any, names: Sequence[str], side: float) -> float:
    """The margin around the disk, in disk radii, for names around the rim of a picture ``side`` points wide."""
    if not names:
        return 0.03
    font = matplotlib_module("font_manager").FontProperties(size=RIM_FONT)
    renderer = figure.canvas.get_renderer()
    widths = [renderer.get_text_width_height_descent(name, font, False)[0] for name in names]
    longest = max(widths) * 72 / figure.dpi + 4
    return float(NAME_START / (1 - 2 * longest / side) - 1)


def draw_names(axes: Any, scene: Scene, look: Look, named: NamedRows, name_of: Callable[[int], str]) -> list[Any]:
    """Write the names and return the texts; names that do not fit are omitted."""
    inside, rim = named.inside, named.rim
    texts = draw_labels(
        axes,
        scene.points[inside],
        [display_name(name_of(row)) for row in inside],
        # Dots in the same small cell count once, so that a name may cover a crowd of dots.
        dots=scene.points[dots_to_draw(scene.points, scene.weights, look.points_per_unit / 8)],
        furthest=FURTHEST,
        theme=look.theme,
        styles=[_style(scene, row, row in named.bold) for row in inside],
    )
    around = draw_rim_names(
        axes,
        scene.points[rim],
        rim_angles_from(scene.center, scene.view.points[rim]),
        [display_name(name_of(row), LONGEST_AT_RIM) for row in rim],
        [look.colors[row] for row in rim],
        gap=min(RIM_LINE / look.points_per_unit, 2 * np.pi / max(1, len(rim))),
        fontsize=RIM_FONT,
        theme=look.theme,
    )
    return texts + around


def _style(scene: Scene, row: int, is_bold: bool) -> dict[str, Any]:
    share = float(np.log1p(scene.weights[row]) / np.log1p(max(1, len(scene.points))))
    return {"fontsize": 7.2 + 3.4 * share, "fontweight": "bold" if is_bold else "normal"}


# Where the lines end and the names start, in disk radii.
LINE_END, NAME_START = 1.03, 1.045
# The number of points of a curved line.
STEPS = 40


def draw_rim_names(
    axes: Any,
    points: Floats,
    angles: Floats,
    names: Sequence[str],
    colors: Sequence[str],
    *,
    gap: float,
    fontsize: float = 8.5,
    theme: Theme = LIGHT,
) -> list[Any]:
    """Write names around the rim at their angles, at least ``gap`` apart, and return the texts.

    The lines to the names are geodesics, so that a line between two points of a cone stays in that cone.
    """
    placed = spread(angles, gap)
    texts = []
    for name, color, point, angle in zip(names, colors, points, placed, strict=True):
        _draw_rim_leader(axes, point, angle, color)
        is_turned = np.cos(angle) < 0
        texts.append(
            axes.text(
                *(NAME_START * unit_vectors(angle)),
                name,
                rotation=np.degrees(angle) + (180 if is_turned else 0),
                rotation_mode="anchor",
                ha="right" if is_turned else "left",
                va="center_baseline",
                fontsize=fontsize,
                color=theme.ink,
                parse_math=False,
                gid=group_name(axes, "name"),
            )
        )
    return texts


def _draw_rim_leader(axes: Any, point: Floats, angle: float, color: str) -> None:
    way = geodesics(point, unit_vectors(angle)).at(np.linspace(0, 1, STEPS))[0]
    path = np.vstack([way, LINE_END * unit_vectors(angle)])
    axes.plot(*path.T, color=color, linewidth=0.5, alpha=0.5, zorder=2.5, gid=group_name(axes, "leader"))


def spread(angles: Floats, gap: float) -> Floats:
    """The angles in the same circular order, moved so that neighbors are a gap apart, with the least squared change.

    >>> spread(np.array([0.0, 0.1, 3.0]), 0.5).round(6).tolist()
    [-0.2, 0.3, 3.0]
    """
    count = len(angles)
    if count < 2:
        return angles.copy()
    order = np.argsort(angles, kind="stable")
    apart = np.diff(angles[order], append=angles[order[0]] + 2 * np.pi)
    # Start after the widest gap, where names are least likely to meet.
    first = (int(np.argmax(apart)) + 1) % count
    order = np.roll(order, -first)
    rising = angles[order]
    rising[count - first :] += 2 * np.pi
    steps = gap * np.arange(count)
    # Angles minus the steps must be non-decreasing, within the slack that the circle leaves.
    rest = _isotonic(rising - steps)
    middle, slack = (rest[0] + rest[-1]) / 2, max(0.0, 2 * np.pi - gap * count) / 2
    result = np.empty(count)
    result[order] = np.clip(rest, middle - slack, middle + slack) + steps
    # Add the full turns that bring each result nearest to its given angle.
    return result - 2 * np.pi * np.round((result - angles) / (2 * np.pi))


def _isotonic(values: Floats) -> Floats:
    """Isotonic regression by pooling adjacent violators: the nearest non-decreasing sequence in least squares."""
    means, counts = list[float](), list[int]()
    for value in values.tolist():
        means.append(value)
        counts.append(1)
        while len(means) > 1 and means[-2] > means[-1]:
            mean, count = means.pop(), counts.pop()
            means[-1] = (means[-1] * counts[-1] + mean * count) / (counts[-1] + count)
            counts[-1] += count
    return np.repeat(means, counts)
