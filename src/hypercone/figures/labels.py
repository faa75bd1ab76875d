"""Names beside points, placed so that none lies on another and few dots are covered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone.figures.arcs import Floats, on_circle
from hypercone.figures.canvas import group_name, matplotlib_part
from hypercone.figures.themes import LIGHT, Theme

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
        _draw_leader(axes, anchor, spot, size, theme)
    return [text for text in texts if text.axes is not None]


def _written(axes: Any, name: str, point: Floats, style: Mapping[str, Any], theme: Theme) -> Any:
    halo = matplotlib_part("patheffects").withStroke(linewidth=2.2, foreground=theme.disk, alpha=0.9)
    given = {"zorder": 10, "path_effects": [halo], "gid": group_name(axes, "label"), "parse_math": False, **style}
    return axes.text(*point, name, ha="center", va="center_baseline", **given)


def _draw_leader(axes: Any, anchor: Floats, spot: Floats, size: Floats, theme: Theme) -> None:
    nearest = np.clip(anchor, spot - size / 2, spot + size / 2)
    if np.linalg.norm(nearest - anchor) > NEAR:
        line = axes.transData.inverted().transform(np.stack([anchor, nearest]))
        axes.plot(*line.T, color=theme.ink, linewidth=0.5, alpha=0.7, zorder=9)
