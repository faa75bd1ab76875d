"""How a training went: the loss, and F1 on validation pairs, by epoch."""

from __future__ import annotations

from typing import Any

from hypercone.figures.arcs import Floats
from hypercone.figures.canvas import group_name
from hypercone.figures.charts import TEXT, new_chart
from hypercone.figures.themes import LIGHT, Theme


def training_picture(
    losses: Floats,
    validations: Floats,
    chosen: int | None,
    caption: str,
    theme: Theme = LIGHT,
) -> Any:
    """The loss on the left, F1 on the right if there was validation, and the epoch whose points were kept.

    Both are rows of (epoch, value).
    """
    figure, axes = new_chart(theme, caption)
    axes.set(xlabel="epoch", ylabel="loss")
    _draw(axes, losses, theme.branches[0], "loss", marker="")
    axes.set_ylim(bottom=0)
    axes.yaxis.label.set_color(theme.branches[0])
    if len(validations):
        _draw_validations(axes, validations, theme)
    if chosen is not None:
        axes.axvline(chosen, color=theme.faint, linewidth=0.9, linestyle=(0, (4, 3)), gid=group_name(axes, "chosen"))
        look = {"ha": "right", "va": "center", "fontsize": 8.5, "color": theme.faint, "rotation": 90}
        where = {"xycoords": axes.get_xaxis_transform(), "textcoords": "offset points"}
        axes.annotate(f"points of epoch {chosen}", (chosen, 0.5), (-3, 0), **where, **look)
    return figure


def _draw(axes: Any, course: Floats, colour: str, what: str, marker: str) -> None:
    style = {"color": colour, "linewidth": 1.8, "marker": marker, "markersize": 4.5, "gid": group_name(axes, what)}
    axes.plot(*course.T, **style)


def _draw_validations(axes: Any, validations: Floats, theme: Theme) -> None:
    right, colour = axes.twinx(), theme.branches[1]
    _draw(right, validations * (1, 100), colour, "validation", marker="o")
    right.set_ylabel("F1 on validation pairs, %", color=colour, fontsize=TEXT)
    right.tick_params(colors=theme.faint, labelsize=TEXT - 1, length=3)
    for side in right.spines.values():
        side.set_visible(False)
