"""Names around the disk, each turned outward on a thin line from its dot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hypercone.figures.arcs import Floats, geodesics, on_circle
from hypercone.figures.canvas import group_name
from hypercone.figures.themes import LIGHT, Theme

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
        _draw_leader(axes, point, angle, colour)
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


def _draw_leader(axes: Any, point: Floats, angle: float, colour: str) -> None:
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
