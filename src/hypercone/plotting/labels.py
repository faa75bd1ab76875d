"""Names in a picture, placed so that none lies on another: beside their dots, or around the rim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone.errors import InputError, option
from hypercone.plotting.arcs import Floats, geodesics, on_circle, rim_seen_from
from hypercone.plotting.canvas import LIGHT, Theme, group_name, matplotlib_part
from hypercone.plotting.scene import Look, Scene, dots_to_draw
from hypercone.plotting.views import as_written

DIRECTIONS = np.radians([0, 180, 90, 270, 45, 135, 225, 315, 22.5, 157.5, 202.5, 337.5, 67.5, 112.5, 247.5, 292.5])
REACHES = np.array([3.0, 8.0, 16.0, 28.0, 44.0, 64.0, 90.0, 120.0])
# A covered dot counts as much as so many pixels of distance.
COVERED_DOT = 4.0
# A name further away than this from its dot gets a line to it.
NEAR = 9.0


def place_labels(anchors: Floats, sizes: Floats, dots: Floats, bounds: Floats, furthest: float = REACHES[-1]) -> Floats:
    """The centre of each label, in pixels, in the order of importance given; NaN for one that has no room.

    Each takes the place nearest to its anchor, dots it would cover counting as distance, where it lies inside the
    bounds (left, bottom, right, top), not further away than the furthest, and on no earlier label nor on the anchor of
    any.

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
    """Centres all around the anchor, so that the label's edge is at each reach from it, and those reaches."""
    ways = on_circle(DIRECTIONS)
    # From the centre of a box to its edge along each way.
    with np.errstate(divide="ignore"):
        to_edge = np.min(size / 2 / np.abs(np.where(np.abs(ways) < 1e-12, 1e-300, ways)), axis=1)
    reaches = np.repeat(REACHES, len(ways))
    away = (REACHES[:, None] + to_edge).ravel()
    return anchor + away[:, None] * np.tile(ways, (len(REACHES), 1)), reaches


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
    furthest: float = REACHES[-1],
    theme: Theme = LIGHT,
    styles: Sequence[Mapping[str, Any]] | None = None,
) -> list[Any]:
    """Write names beside points, the most important first; names without room are left out. Returns the texts.

    ``dots`` are points that the names should rather not cover, and ``styles`` what is special about each name. The size
    of the figure must not change afterwards.
    """
    plain = {"fontsize": fontsize, "color": theme.ink}
    each = [plain | dict(style) for style in styles or [{}] * len(names)]
    given = zip(names, points, each, strict=True)
    texts = [_written(axes, name, point, style, theme) for name, point, style in given]
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


def _written(axes: Any, name: str, point: Floats, style: Mapping[str, Any], theme: Theme) -> Any:
    halo = matplotlib_part("patheffects").withStroke(linewidth=2.2, foreground=theme.disk, alpha=0.9)
    given = {"zorder": 10, "path_effects": [halo], "gid": group_name(axes, "label"), "parse_math": False, **style}
    return axes.text(*point, name, ha="center", va="center_baseline", **given)


def _draw_label_leader(axes: Any, anchor: Floats, spot: Floats, size: Floats, theme: Theme) -> None:
    nearest = np.clip(anchor, spot - size / 2, spot + size / 2)
    if np.linalg.norm(nearest - anchor) > NEAR:
        line = axes.transData.inverted().transform(np.stack([anchor, nearest]))
        axes.plot(*line.T, color=theme.ink, linewidth=0.5, alpha=0.7, zorder=9)


# Up to so many leaves, and nodes in all, a picture names every node, the leaves around the rim.
MOST_RIM_NAMES, SMALL = 110, 220
# More names than this nobody could read, and finding room for them would take minutes.
MOST_NAMES = 500
# Names beside dots, if nobody says how many.
INSIDE_NAMES = 32
RIM_FONT, RIM_LINE = 8.5, 10.5
# Longer names around the rim would leave little room for the disk.
LONGEST_AT_RIM = 28
# In pixels of a hundredth of an inch.
FURTHEST = 44.0


@dataclass(frozen=True)
class Named:
    """Rows named beside their dots, the most important first, rows named around the rim, and those in bold."""

    inside: list[int]
    rim: list[int]
    bold: frozenset[int]


def choose_names(scene: Scene, labels: Sequence[int] | int | None, first: Sequence[int]) -> Named:
    """What is named: the rows asked for, or so many, or all of a small scene; ``first`` in any case, in bold."""
    count = INSIDE_NAMES if labels is None else labels if isinstance(labels, int) else len(labels)
    if not 0 <= count <= MOST_NAMES:
        raise InputError(f"{option('labels')} is {count}, but must be from 0 to {MOST_NAMES}")
    if isinstance(labels, Sequence):
        return Named(list(dict.fromkeys([*first, *labels])), [], frozenset(first))
    leaves = (scene.weights == 0) | (len(scene.edges) == 0)
    in_order = list(dict.fromkeys([*first, *scene.order.tolist()]))
    if labels is None and leaves.sum() <= MOST_RIM_NAMES and len(leaves) <= SMALL:
        # From a node in the middle, leaves are at all distances; from afar they lie around.
        outside = leaves & (scene.middle is None)
        inside = [row for row in in_order if not outside[row]]
        return Named(inside, np.flatnonzero(outside).tolist(), frozenset(first))
    most = max(count, len(set(first)))
    return Named(in_order[:most], [], frozenset(first))


def room_for(figure: Any, names: Sequence[str], side: float) -> float:
    """How much room, in radii of the disk, names around the rim need in a picture with sides of so many points."""
    if not names:
        return 0.03
    font = matplotlib_part("font_manager").FontProperties(size=RIM_FONT)
    renderer = figure.canvas.get_renderer()
    widths = [renderer.get_text_width_height_descent(name, font, False)[0] for name in names]
    longest = max(widths) * 72 / figure.dpi + 4
    return float(NAME_START / (1 - 2 * longest / side) - 1)


def draw_names(axes: Any, scene: Scene, look: Look, named: Named, called: Callable[[int], str]) -> list[Any]:
    """Write the names; those without room are left out. Returns the texts."""
    inside, rim = named.inside, named.rim
    texts = draw_labels(
        axes,
        scene.points[inside],
        [as_written(called(row)) for row in inside],
        # Dots that are dense count once, so that a name may lie on a crowd that nobody could read anyway.
        dots=scene.points[dots_to_draw(scene.points, scene.weights, look.points_a_unit / 8)],
        furthest=FURTHEST,
        theme=look.theme,
        styles=[_style(scene, row, row in named.bold) for row in inside],
    )
    around = draw_rim_names(
        axes,
        scene.points[rim],
        rim_seen_from(scene.centre, scene.view.points[rim]),
        [as_written(called(row), LONGEST_AT_RIM) for row in rim],
        [look.colours[row] for row in rim],
        gap=min(RIM_LINE / look.points_a_unit, 2 * np.pi / max(1, len(rim))),
        fontsize=RIM_FONT,
        theme=look.theme,
    )
    return texts + around


def _style(scene: Scene, row: int, is_bold: bool) -> dict[str, Any]:
    share = float(np.log1p(scene.weights[row]) / np.log1p(max(1, len(scene.points))))
    return {"fontsize": 7.2 + 3.4 * share, "fontweight": "bold" if is_bold else "normal"}


# Where the lines end and the names begin, in radii of the disk.
LINE_END, NAME_START = 1.03, 1.045
# Points of a line, which is curved.
STEPS = 40


def draw_rim_names(
    axes: Any,
    points: Floats,
    angles: Floats,
    names: Sequence[str],
    colours: Sequence[str],
    *,
    gap: float,
    fontsize: float = 8.5,
    theme: Theme = LIGHT,
) -> list[Any]:
    """Write names around the rim at their angles, moved so far apart that ``gap`` lies between; returns the texts.

    The lines are geodesics: one to a place inside a cone that holds the point stays in that cone.
    """
    placed = spread(angles, gap)
    texts = []
    for name, colour, point, angle in zip(names, colours, points, placed, strict=True):
        _draw_rim_leader(axes, point, angle, colour)
        is_turned = np.cos(angle) < 0
        texts.append(
            axes.text(
                *(NAME_START * on_circle(angle)),
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


def _draw_rim_leader(axes: Any, point: Floats, angle: float, colour: str) -> None:
    way = geodesics(point, on_circle(angle)).at(np.linspace(0, 1, STEPS))[0]
    path = np.vstack([way, LINE_END * on_circle(angle)])
    axes.plot(*path.T, color=colour, linewidth=0.5, alpha=0.5, zorder=2.5, gid=group_name(axes, "leader"))


def spread(angles: Floats, gap: float) -> Floats:
    """The angles in the same order around, moved as little as makes neighbours a gap apart, in squares.

    >>> spread(np.array([0.0, 0.1, 3.0]), 0.5).round(6).tolist()
    [-0.2, 0.3, 3.0]
    """
    count = len(angles)
    if count < 2:
        return angles.copy()
    order = np.argsort(angles, kind="stable")
    apart = np.diff(angles[order], append=angles[order[0]] + 2 * np.pi)
    # Around the circle from behind its widest gap, where names are the least likely to meet.
    first = (int(np.argmax(apart)) + 1) % count
    order = np.roll(order, -first)
    rising = angles[order]
    rising[count - first :] += 2 * np.pi
    steps = gap * np.arange(count)
    # Angles a gap apart rise by steps, and what is left must rise too, by no more than the circle has room for.
    rest = _rising(rising - steps)
    middle, room = (rest[0] + rest[-1]) / 2, max(0.0, 2 * np.pi - gap * count) / 2
    result = np.empty(count)
    result[order] = np.clip(rest, middle - room, middle + room) + steps
    # As near to the angles given as whole turns bring them.
    return result - 2 * np.pi * np.round((result - angles) / (2 * np.pi))


def _rising(values: Floats) -> Floats:
    """The sequence nearest to the values that never falls: neighbours that fall are replaced by their mean."""
    means, counts = list[float](), list[int]()
    for value in values.tolist():
        means.append(value)
        counts.append(1)
        while len(means) > 1 and means[-2] > means[-1]:
            mean, count = means.pop(), counts.pop()
            means[-1] = (means[-1] * counts[-1] + mean * count) / (counts[-1] + count)
            counts[-1] += count
    return np.repeat(means, counts)
