"""Axes for curves, in the colours of a theme: quiet frames, faint grids, a caption below."""

from __future__ import annotations

from typing import Any

from hypercone.figures.canvas import new_figure
from hypercone.figures.themes import Theme

WIDTH, HEIGHT, CAPTION = 6.6, 4.6, 0.5
TEXT = 9.5


def new_chart(theme: Theme, caption: str) -> tuple[Any, Any]:
    """A figure with one pair of axes, and a caption in one or two lines below it."""
    figure, (axes,) = new_figure(WIDTH, HEIGHT, ground=theme.ground)
    figure.subplots_adjust(left=0.12, right=0.89, top=0.95, bottom=(CAPTION + 0.55) / HEIGHT)
    figure.text(
        0.5, 0.22 / HEIGHT, caption, ha="center", va="center", fontsize=8.6, color=theme.faint, parse_math=False
    )
    dress(axes, theme)
    return figure, axes


def dress(axes: Any, theme: Theme) -> None:
    """Give axes the colours of the theme."""
    axes.set_facecolor(theme.disk)
    axes.grid(color=theme.rim, alpha=0.22, linewidth=0.6)
    axes.set_axisbelow(True)
    for name, side in axes.spines.items():
        side.set_visible(name in {"left", "bottom"})
        side.set_color(theme.rim)
    axes.tick_params(colors=theme.faint, labelsize=TEXT - 1, length=3)
    axes.xaxis.label.set(color=theme.ink, fontsize=TEXT)
    axes.yaxis.label.set(color=theme.ink, fontsize=TEXT)
