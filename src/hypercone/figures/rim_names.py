"""Names around the disk, each turned outward on a thin line from its dot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hypercone.figures.arcs import Floats, on_circle
from hypercone.figures.canvas import group_name
from hypercone.figures.themes import LIGHT, Theme

# Where the lines end and the names begin, in radii of the disk.
BEND, LINE_END, NAME_START = 0.985, 1.03, 1.045
ROUNDS = 2000


def draw_rim_names(
    axes: Any,
    points: Floats,
    names: Sequence[str],
    colours: Sequence[str],
    *,
    gap: float,
    fontsize: float = 8.5,
    theme: Theme = LIGHT,
) -> list[Any]:
    """Write names around the rim, their angles moved so far apart that ``gap`` lies between; returns the texts."""
    placed = spread(np.arctan2(points[:, 1], points[:, 0]), gap)
    texts = []
    for name, colour, point, angle in zip(names, colours, points, placed, strict=True):
        path = np.stack([point, BEND * on_circle(angle), LINE_END * on_circle(angle)])
        axes.plot(*path.T, color=colour, linewidth=0.5, alpha=0.5, zorder=2.5, solid_joinstyle="round")
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


def spread(angles: Floats, gap: float) -> Floats:
    """The angles, moved as little as a few rounds of pushing need so that neighbours are a gap apart.

    >>> spread(np.array([0.0, 0.1, 3.0]), 0.5).round(6).tolist()
    [-0.2, 0.3, 3.0]
    """
    order = np.argsort(angles, kind="stable")
    placed = angles[order].copy()
    for _ in range(ROUNDS if len(angles) > 1 else 0):
        following = np.roll(placed, -1)
        following[-1] += 2 * np.pi
        push = np.maximum(0.0, gap - (following - placed)) / 2
        if push.max() < gap / 1000:
            break
        placed += np.roll(push, 1) - push
    result = np.empty_like(placed)
    result[order] = placed
    return result
