"""The disk itself: the border of hyperbolic space, and circles around the origin."""

from __future__ import annotations

from typing import Any

from hypercone.figures.canvas import group_name, matplotlib_part

PAPER, RIM = "#fbfbf9", "#8b97a3"


def draw_disk(axes: Any, room: float = 0.04, *, paper: str = PAPER, rim: str = RIM) -> None:
    """The unit disk, round on any page, with some room around it and no frame."""
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_xlim(-1 - room, 1 + room)
    axes.set_ylim(-1 - room, 1 + room)
    circle = matplotlib_part("patches").Circle
    axes.add_patch(circle((0, 0), 1, facecolor=paper, edgecolor="none", zorder=0))
    name = group_name(axes, "rim")
    axes.add_patch(circle((0, 0), 1, facecolor="none", edgecolor=rim, linewidth=1.1, zorder=8, gid=name))


def draw_ring(axes: Any, radius: float, **style: Any) -> None:
    """A circle around the origin, at a Euclidean radius."""
    chosen = {"facecolor": "none", "edgecolor": RIM, "linewidth": 0.6, "zorder": 1} | style
    axes.add_patch(matplotlib_part("patches").Circle((0, 0), radius, **chosen))
