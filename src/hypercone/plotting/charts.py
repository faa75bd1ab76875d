"""Charts of a model: norms by depth, precision against recall, the course of training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows
from hypercone.hierarchy.split import random_bits
from hypercone.methods.scoring import Counts, count_at
from hypercone.plotting.arcs import Floats
from hypercone.plotting.canvas import LIGHT, Theme, group_name, new_figure
from hypercone.plotting.scene import shades

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


MOST_POINTS = 2_000
LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, eq=False)
class Curve:
    """Recall and precision at each threshold, from the strictest to the one that lets everything in."""

    thresholds: Floats
    recall: Floats
    precision: Floats


def precision_recall(positives: Floats, negatives: Floats) -> Curve:
    """The curve of the scores of true and wrong pairs, of which low ones are called true.

    >>> curve = precision_recall(np.array([0.1, 0.3]), np.array([0.2, 0.9]))
    >>> curve.recall.tolist(), curve.precision.round(2).tolist()
    ([0.5, 0.5, 1.0, 1.0], [1.0, 0.5, 0.67, 0.5])
    """
    scores = np.concatenate([positives, negatives])
    order = np.argsort(scores, kind="stable")
    hits = np.cumsum(order < len(positives))
    # Equal scores are called alike.
    is_last = np.append(np.diff(scores[order]) > 0, True) if len(scores) else np.empty(0, np.bool_)
    called = np.arange(1, len(scores) + 1)
    found = Curve(scores[order], hits / max(1, len(positives)), hits / called)
    kept = np.flatnonzero(is_last)
    return Curve(found.thresholds[kept], found.recall[kept], found.precision[kept])


def precision_recall_picture(
    positives: Floats, negatives: Floats, threshold: float, caption: str, theme: Theme = LIGHT
) -> Any:
    """The curve, lines of equal F1 behind it, and the model's threshold with its precision, recall and F1."""
    figure, axes = new_chart(theme, caption)
    _draw_levels(axes, theme)
    curve = precision_recall(positives, negatives)
    shown = _thinned(curve)
    line = {"color": theme.branches[0], "linewidth": 1.8, "gid": group_name(axes, "curve"), "zorder": 3}
    axes.plot(curve.recall[shown], curve.precision[shown], **line)
    axes.fill_between(curve.recall[shown], curve.precision[shown], color=theme.branches[0], alpha=0.08, linewidth=0)
    _mark(axes, count_at(threshold, positives, negatives), threshold, theme)
    axes.set(xlim=(0, 1.02), ylim=(0, 1.04), xlabel="recall", ylabel="precision")
    return figure


def _thinned(curve: Curve) -> Any:
    """Rows that are enough for the eye: spread over the whole length of the curve."""
    way = np.cumsum(np.abs(np.diff(curve.recall, prepend=0)) + np.abs(np.diff(curve.precision, prepend=1)))
    if len(way) <= MOST_POINTS:
        return np.arange(len(way))
    return np.unique(np.append(np.searchsorted(way, np.linspace(0, way[-1], MOST_POINTS - 1)), len(way) - 1))


def _draw_levels(axes: Any, theme: Theme) -> None:
    for f1 in LEVELS:
        recall = np.linspace(f1 / (2 - f1), 1, 60)
        axes.plot(recall, f1 * recall / (2 * recall - f1), color=theme.rim, linewidth=0.6, alpha=0.6, zorder=1)
        spot = (1.0, f1 / (2 - f1))
        axes.annotate(
            f"F1 {f1:g}", spot, (-3, 3), textcoords="offset points", ha="right", fontsize=7, color=theme.faint
        )


def _mark(axes: Any, counts: Counts, threshold: float, theme: Theme) -> None:
    """The dot of the threshold, and in the corner that good curves leave free what it stands for."""
    look = {"markersize": 9, "markeredgecolor": theme.disk, "markeredgewidth": 1.2, "zorder": 5}
    axes.plot(counts.recall, counts.precision, "o", color=theme.branches[1], gid=group_name(axes, "threshold"), **look)
    axes.plot(0.05, 0.292, "o", color=theme.branches[1], transform=axes.transAxes, **look)
    figures = {"precision": counts.precision, "recall": counts.recall, "F1": counts.f1}
    lines = [f"threshold {threshold:.4g}", *(f"{name} {100 * value:.1f} %" for name, value in figures.items())]
    style = {"fontsize": 9.5, "color": theme.ink, "linespacing": 1.45, "zorder": 6}
    axes.text(0.08, 0.32, "\n".join(lines), transform=axes.transAxes, va="top", **style)


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
