"""Precision against recall for every threshold, with the one that a model uses marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hypercone.figures.arcs import Floats
from hypercone.figures.canvas import group_name
from hypercone.figures.charts import new_chart
from hypercone.figures.themes import LIGHT, Theme
from hypercone.methods.scoring import Counts, count_at

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
