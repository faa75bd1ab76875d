"""How far out the nodes of each depth are: one distribution beside the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone.figures.arcs import Floats
from hypercone.figures.canvas import group_name
from hypercone.figures.charts import TEXT, new_chart
from hypercone.figures.graph import shades
from hypercone.figures.themes import LIGHT, Theme
from hypercone.hierarchy.split import random_bits
from hypercone.methods.scoring import Rows

# Of each depth so many nodes are shown as dots; more would be a smear.
MOST_DOTS = 400
# Deeper hierarchies have several depths in a column.
MOST_COLUMNS = 25
# A distribution of fewer is its dots; only dots of a crowd are let shine through one another.
FEW, CROWD = 5, 60
PARTS = (0.05, 0.25, 0.5, 0.75, 0.95)


def norms_picture(
    norms: Floats,
    depths: Rows,
    caption: str,
    *,
    is_hyperbolic: bool,
    theme: Theme = LIGHT,
    apart: NDArray[np.bool_] | None = None,
) -> Any:
    """The norms of the nodes by depth: dots, and of each depth the median, the middle half and the middle nine tenths.

    In the ball the height is the hyperbolic distance from the origin, with the norm itself on the right. Rows ``apart``
    are dots that the median and the rest leave out.
    """
    figure, axes = new_chart(theme, caption)
    heights = heights_of(norms) if is_hyperbolic else norms
    others = np.ones(len(norms), np.bool_) if apart is None else ~apart
    deepest = int(depths.max(initial=0))
    step = -(-(deepest + 1) // MOST_COLUMNS)
    columns = depths // step
    colours = shades(theme.depths, int(columns.max(initial=0)))
    for column, colour in enumerate(colours):
        here, depth = columns == column, column * step
        for group in (heights[here & others], heights[here & ~others]):
            _draw_dots(axes, depth, step, group, colour)
        _draw_middle(axes, depth, heights[here & others], colour, theme)
        _write_count(axes, depth, heights[here], theme)
    axes.set(xlim=(-0.7 * step, deepest + 0.7 * step), ylabel=_name(is_hyperbolic))
    axes.set_xlabel("depth" if step == 1 else f"depth, {step} in a column")
    axes.xaxis.get_major_locator().set_params(integer=True)
    top = float(heights.max(initial=0.0)) or 1.0
    axes.set_ylim(0, 1.12 * top)
    if is_hyperbolic:
        _add_norms(axes, 1.12 * top, theme)
    return figure


def heights_of(norms: Floats) -> Floats:
    """The hyperbolic distances from the origin.

    >>> heights_of(np.array([0.0, 0.5])).round(6).tolist()
    [0.0, 1.098612]
    """
    return np.asarray(2 * np.arctanh(np.minimum(norms, 1 - 1e-16)))


def stand_apart(heights: Floats, depths: Rows, is_leaf: NDArray[np.bool_]) -> bool:
    """Whether leaves, whatever their depth, stand together further out than all else, as constructions put them.

    >>> is_leaf = np.array([False, False, True, True])
    >>> stand_apart(np.array([0.5, 2.0, 9.9, 10.0]), np.array([0, 1, 1, 2], np.int32), is_leaf)
    True
    """
    # Leaves that are deeper than all else are further out for that reason.
    if not np.isin(depths[is_leaf], depths[~is_leaf]).any():
        return False
    nearest, furthest = float(heights[is_leaf].min()), float(heights[is_leaf].max())
    return furthest - nearest < nearest - float(heights[~is_leaf].max())


def _name(is_hyperbolic: bool) -> str:
    return "hyperbolic distance from the origin" if is_hyperbolic else "norm"


def _draw_dots(axes: Any, depth: int, step: int, heights: Floats, colour: str) -> None:
    if not len(heights):
        return
    shown = np.sort(heights)[np.unique(np.linspace(0, len(heights) - 1, min(len(heights), MOST_DOTS)).astype(np.int64))]
    # Spread to the side, the same way every time.
    aside = random_bits(depth, 0, len(shown)) / 2.0**64 - 0.5 if len(shown) > 1 else np.zeros(1)
    alpha = 0.4 if len(heights) > CROWD else 0.75 if len(heights) > FEW else 1.0
    dots = {"s": 5 if len(heights) > FEW else 16, "color": colour, "alpha": alpha, "linewidths": 0, "rasterized": True}
    axes.scatter(depth + 0.5 * step * aside, shown, zorder=2, **dots)


def _draw_middle(axes: Any, depth: int, heights: Floats, colour: str, theme: Theme) -> None:
    if len(heights) > FEW:
        low, first, median, third, high = np.quantile(heights, PARTS)
        axes.plot([depth, depth], [low, high], color=colour, linewidth=1.2, zorder=3, solid_capstyle="round")
        axes.plot([depth, depth], [first, third], color=colour, linewidth=4.5, zorder=3, solid_capstyle="round")
        dot = {"markeredgecolor": colour, "markeredgewidth": 1.4, "zorder": 4, "gid": group_name(axes, "median")}
        axes.plot(depth, median, "o", color=theme.disk, markersize=5, **dot)


def _write_count(axes: Any, depth: int, heights: Floats, theme: Theme) -> None:
    if not len(heights):
        return
    style = {"ha": "center", "fontsize": 6.5, "color": theme.faint, "textcoords": "offset points"}
    axes.annotate(in_short(len(heights)), (depth, float(heights.max())), (0, 5), **style)


def in_short(count: int) -> str:
    """A count that fits over a column.

    >>> in_short(8174), in_short(14831)
    ('8,174', '15k')
    """
    return f"{count:,}" if count < 10_000 else f"{count / 1000:.0f}k"


def _add_norms(axes: Any, top: float, theme: Theme) -> None:
    """The norms that belong to the heights, on the right."""
    right = axes.secondary_yaxis("right")
    nice = [norm for norm in (0.1, 0.5, 0.8, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999) if 2 * np.arctanh(norm) < top]
    right.set_yticks([2 * np.arctanh(norm) for norm in nice], [f"{norm:g}" for norm in nice])
    right.tick_params(colors=theme.faint, labelsize=TEXT - 1, length=3)
    right.spines["right"].set_visible(False)
    right.set_ylabel("norm", color=theme.ink, fontsize=TEXT)
