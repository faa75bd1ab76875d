"""A hierarchy in the disk: its edges as geodesics and its nodes as dots, coloured and sized by depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone.figures.arcs import Floats, geodesics
from hypercone.figures.canvas import group_name, matplotlib_part
from hypercone.figures.paths import lines_path
from hypercone.figures.themes import LIGHT

Rows = NDArray[np.int32]
PALETTE = LIGHT.depths


def depth_colours(deepest: int) -> list[str]:
    """A colour for each depth from 0 to the deepest, from dark to light.

    >>> depth_colours(1)
    ['#440154', '#a9c92b']
    """
    return shades(PALETTE, deepest)


def shades(palette: Sequence[str], deepest: int) -> list[str]:
    """A colour for each depth from 0 to the deepest, along a palette.

    >>> shades(["#000000", "#000080"], 2)
    ['#000000', '#000040', '#000080']
    """
    places = np.linspace(0, len(palette) - 1, deepest + 1) if deepest else np.zeros(1)
    return [_between(palette, float(place)) for place in places]


def _between(palette: Sequence[str], place: float) -> str:
    low = min(int(place), len(palette) - 2)
    ends = [[int(palette[row][digit : digit + 2], 16) for digit in (1, 3, 5)] for row in (low, low + 1)]
    mixed = [round(a + (b - a) * (place - low)) for a, b in zip(*ends, strict=True)]
    return "#" + "".join(f"{value:02x}" for value in mixed)


def draw_edges(
    axes: Any, points: Floats, edges: Rows, depths: Rows, *, linewidth: float = 0.6, alpha: float = 0.55
) -> None:
    """Each (parent, child) of rows as a geodesic, in the colour of the child; general edges lie above specific ones."""
    colours, below = depth_colours(int(depths.max(initial=0))), depths[edges[:, 1]]
    for depth in np.unique(below)[::-1]:
        chosen = edges[below == depth]
        path = lines_path(geodesics(points[chosen[:, 0]], points[chosen[:, 1]]))
        width = linewidth * (0.6 + 1.2 / depth if depth else 1.0)
        style = {"facecolor": "none", "edgecolor": colours[depth], "alpha": alpha, "linewidth": width}
        name = group_name(axes, "geodesics")
        axes.add_patch(matplotlib_part("patches").PathPatch(path, zorder=3 - 0.01 * depth, gid=name, **style))


def draw_nodes(axes: Any, points: Floats, depths: Rows, *, size: float = 26.0) -> None:
    """Each node as a dot, smaller and lighter the deeper it is; general nodes lie above specific ones."""
    colours = depth_colours(int(depths.max(initial=0)))
    for depth in np.unique(depths)[::-1]:
        chosen = points[depths == depth]
        area = size * 0.55 ** float(depth) + 0.06 * size
        style = {"markeredgecolor": "white", "markeredgewidth": 0.5 if depth < 2 else 0.0, "linestyle": "none"}
        axes.plot(*chosen.T, "o", color=colours[depth], markersize=area**0.5, zorder=4 - 0.01 * depth, **style)
