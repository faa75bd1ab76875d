"""Charts of a model: norms by depth, precision against recall, training curves."""

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
    """A figure with one set of axes, and a caption of one or two lines below it."""
    figure, (axes,) = new_figure(WIDTH, HEIGHT, background=theme.background)
    figure.subplots_adjust(left=0.12, right=0.89, top=0.95, bottom=(CAPTION + 0.55) / HEIGHT)
    figure.text(
        0.5, 0.22 / HEIGHT, caption, ha="center", va="center", fontsize=8.6, color=theme.faint, parse_math=False
    )
    apply_theme(axes, theme)
    return figure, axes


def apply_theme(axes: Any, theme: Theme) -> None:
    """Set the colors of the axes to those of the theme."""
    axes.set_facecolor(theme.disk)
    axes.grid(color=theme.rim, alpha=0.22, linewidth=0.6)
    axes.set_axisbelow(True)
    for name, side in axes.spines.items():
        side.set_visible(name in {"left", "bottom"})
        side.set_color(theme.rim)
    axes.tick_params(colors=theme.faint, labelsize=TEXT - 1, length=3)
    axes.xaxis.label.set(color=theme.ink, fontsize=TEXT)
    axes.yaxis.label.set(color=theme.ink, fontsize=TEXT)


# At most so many nodes per depth are shown as dots; more would blur into one spot.
MOST_DOTS = 400
# Deeper hierarchies show several depths per column.
MOST_COLUMNS = 25
# Up to FEW nodes are shown as dots without a distribution; dots are more transparent above CROWD nodes.
FEW, CROWD = 5, 60
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def norms_picture(
    norms: Floats,
    depths: Rows,
    caption: str,
    *,
    is_hyperbolic: bool,
    theme: Theme = LIGHT,
    apart: NDArray[np.bool_] | None = None,
) -> Any:
    """The norms of the nodes by depth: dots, and per depth the median, the middle 50 % and the middle 90 %.

    For hyperbolic methods the left axis is the distance from the origin and the right axis the norm. Rows in ``apart``
    are drawn as dots but not counted in the distributions.
    """
    figure, axes = new_chart(theme, caption)
    heights = hyperbolic_distances(norms) if is_hyperbolic else norms
    others = np.ones(len(norms), np.bool_) if apart is None else ~apart
    deepest = int(depths.max(initial=0))
    step = -(-(deepest + 1) // MOST_COLUMNS)
    columns = depths // step
    colors = shades(theme.depths, int(columns.max(initial=0)))
    for column, color in enumerate(colors):
        here, depth = columns == column, column * step
        for group in (heights[here & others], heights[here & ~others]):
            _draw_dots(axes, depth, step, group, color)
        _draw_middle(axes, depth, heights[here & others], color, theme)
        _write_count(axes, depth, heights[here], theme)
    axes.set(xlim=(-0.7 * step, deepest + 0.7 * step), ylabel=_height_label(is_hyperbolic))
    axes.set_xlabel("depth" if step == 1 else f"depth, {step} in a column")
    axes.xaxis.get_major_locator().set_params(integer=True)
    top = float(heights.max(initial=0.0)) or 1.0
    axes.set_ylim(0, 1.12 * top)
    if is_hyperbolic:
        _add_norms(axes, 1.12 * top, theme)
    return figure


def hyperbolic_distances(norms: Floats) -> Floats:
    """The hyperbolic distances from the origin of points with these norms.

    >>> hyperbolic_distances(np.array([0.0, 0.5])).round(6).tolist()
    [0.0, 1.098612]
    """
    return np.asarray(2 * np.arctanh(np.minimum(norms, 1 - 1e-16)))


def leaves_are_outermost(heights: Floats, depths: Rows, is_leaf: NDArray[np.bool_]) -> bool:
    """Whether all leaves, whatever their depth, form a group outside all other nodes, as constructions place them.

    >>> is_leaf = np.array([False, False, True, True])
    >>> leaves_are_outermost(np.array([0.5, 2.0, 9.9, 10.0]), np.array([0, 1, 1, 2], np.int32), is_leaf)
    True
    """
    # Leaves deeper than all other nodes are further out because of their depth.
    if not np.isin(depths[is_leaf], depths[~is_leaf]).any():
        return False
    nearest, furthest = float(heights[is_leaf].min()), float(heights[is_leaf].max())
    return furthest - nearest < nearest - float(heights[~is_leaf].max())


def _height_label(is_hyperbolic: bool) -> str:
    return "hyperbolic distance from the origin" if is_hyperbolic else "norm"


def _draw_dots(axes: Any, depth: int, step: int, heights: Floats, color: str) -> None:
    if not len(heights):
        return
    shown = np.sort(heights)[np.unique(np.linspace(0, len(heights) - 1, min(len(heights), MOST_DOTS)).astype(np.int64))]
    # Horizontal jitter, reproducible.
    aside = random_bits(depth, 0, len(shown)) / 2.0**64 - 0.5 if len(shown) > 1 else np.zeros(1)
    alpha = 0.4 if len(heights) > CROWD else 0.75 if len(heights) > FEW else 1.0
    dots = {"s": 5 if len(heights) > FEW else 16, "color": color, "alpha": alpha, "linewidths": 0, "rasterized": True}
    axes.scatter(depth + 0.5 * step * aside, shown, zorder=2, **dots)


def _draw_middle(axes: Any, depth: int, heights: Floats, color: str, theme: Theme) -> None:
    if len(heights) > FEW:
        low, first, median, third, high = np.quantile(heights, QUANTILES)
        axes.plot([depth, depth], [low, high], color=color, linewidth=1.2, zorder=3, solid_capstyle="round")
        axes.plot([depth, depth], [first, third], color=color, linewidth=4.5, zorder=3, solid_capstyle="round")
        dot = {"markeredgecolor": color, "markeredgewidth": 1.4, "zorder": 4, "gid": group_name(axes, "median")}
        axes.plot(depth, median, "o", color=theme.disk, markersize=5, **dot)


def _write_count(axes: Any, depth: int, heights: Floats, theme: Theme) -> None:
    if not len(heights):
        return
    style = {"ha": "center", "fontsize": 6.5, "color": theme.faint, "textcoords": "offset points"}
    axes.annotate(short_count(len(heights)), (depth, float(heights.max())), (0, 5), **style)


def short_count(count: int) -> str:
    """A count in at most five characters, to be written above a column.

    >>> short_count(8174), short_count(14831)
    ('8,174', '15k')
    """
    return f"{count:,}" if count < 10_000 else f"{count / 1000:.0f}k"


def _add_norms(axes: Any, top: float, theme: Theme) -> None:
    """Add a right axis with the norms that correspond to the distances."""
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
    """Recall and precision at each threshold, from the strictest to the one that accepts every pair."""

    thresholds: Floats
    recall: Floats
    precision: Floats


def precision_recall(positives: Floats, negatives: Floats) -> Curve:
    """The curve of the scores of positive and negative pairs; scores up to the threshold are predicted true.

    >>> curve = precision_recall(np.array([0.1, 0.3]), np.array([0.2, 0.9]))
    >>> curve.recall.tolist(), curve.precision.round(2).tolist()
    ([0.5, 0.5, 1.0, 1.0], [1.0, 0.5, 0.67, 0.5])
    """
    scores = np.concatenate([positives, negatives])
    order = np.argsort(scores, kind="stable")
    hits = np.cumsum(order < len(positives))
    # Equal scores get the same prediction.
    is_last = np.append(np.diff(scores[order]) > 0, True) if len(scores) else np.empty(0, np.bool_)
    predicted = np.arange(1, len(scores) + 1)
    recall, precision = hits / max(1, len(positives)), hits / predicted
    rows = np.flatnonzero(is_last)
    return Curve(scores[order][rows], recall[rows], precision[rows])


def precision_recall_picture(
    positives: Floats, negatives: Floats, threshold: float, caption: str, theme: Theme = LIGHT
) -> Any:
    """The curve over lines of equal F1, with the model's threshold and its precision, recall and F1."""
    figure, axes = new_chart(theme, caption)
    _draw_levels(axes, theme)
    curve = precision_recall(positives, negatives)
    shown = _rows_to_plot(curve)
    line = {"color": theme.branches[0], "linewidth": 1.8, "gid": group_name(axes, "curve"), "zorder": 3}
    axes.plot(curve.recall[shown], curve.precision[shown], **line)
    axes.fill_between(curve.recall[shown], curve.precision[shown], color=theme.branches[0], alpha=0.08, linewidth=0)
    _draw_threshold(axes, count_at(threshold, positives, negatives), threshold, theme)
    axes.set(xlim=(0, 1.02), ylim=(0, 1.04), xlabel="recall", ylabel="precision")
    return figure


def _rows_to_plot(curve: Curve) -> Any:
    """At most MOST_POINTS rows of the curve, evenly spaced along its length."""
    length = np.cumsum(np.abs(np.diff(curve.recall, prepend=0)) + np.abs(np.diff(curve.precision, prepend=1)))
    if len(length) <= MOST_POINTS:
        return np.arange(len(length))
    spaced = np.searchsorted(length, np.linspace(0, length[-1], MOST_POINTS - 1))
    return np.unique(np.append(spaced, len(length) - 1))


def _draw_levels(axes: Any, theme: Theme) -> None:
    for f1 in LEVELS:
        recall = np.linspace(f1 / (2 - f1), 1, 60)
        axes.plot(recall, f1 * recall / (2 * recall - f1), color=theme.rim, linewidth=0.6, alpha=0.6, zorder=1)
        spot = (1.0, f1 / (2 - f1))
        axes.annotate(
            f"F1 {f1:g}", spot, (-3, 3), textcoords="offset points", ha="right", fontsize=7, color=theme.faint
        )


def _draw_threshold(axes: Any, counts: Counts, threshold: float, theme: Theme) -> None:
    """Mark the threshold on the curve, and write its values in the lower left corner, which good curves leave empty."""
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
    """The loss on the left axis, validation F1 (if any) on the right, and the epoch whose points the model has.

    ``losses`` and ``validations`` are rows of (epoch, value).
    """
    figure, axes = new_chart(theme, caption)
    axes.set(xlabel="epoch", ylabel="loss")
    _draw_series(axes, losses, theme.branches[0], "loss", marker="")
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


def _draw_series(axes: Any, series: Floats, color: str, what: str, marker: str) -> None:
    style = {"color": color, "linewidth": 1.8, "marker": marker, "markersize": 4.5, "gid": group_name(axes, what)}
    axes.plot(*series.T, **style)


def _draw_validations(axes: Any, validations: Floats, theme: Theme) -> None:
    right, color = axes.twinx(), theme.branches[1]
    _draw_series(right, validations * (1, 100), color, "validation", marker="o")
    right.set_ylabel("F1 on validation pairs, %", color=color, fontsize=TEXT)
    right.tick_params(colors=theme.faint, labelsize=TEXT - 1, length=3)
    for side in right.spines.values():
        side.set_visible(False)
