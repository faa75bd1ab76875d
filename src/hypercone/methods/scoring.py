"""Scorer(points, method, settings, threshold).

Energies of pairs of nodes by row, through the compiled kernels.

Where to draw the line: the threshold (and α) under which a pair is called true, chosen on labelled pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import read_only
from hypercone._jit import dimension_type
from hypercone.hierarchy import LabelledPairs
from hypercone.methods import generic_kernels
from hypercone.methods.base import Method, Points, Settings

Rows = NDArray[np.int32]


def energies_of_pairs(method: Method, settings: Settings, points: Points, pairs: Rows) -> Points:
    """The score of each (parent, child) of rows; lower is more likely true."""
    return clamped(method, signed_energies_of_pairs(method, settings, points, pairs))


def signed_energies_of_pairs(method: Method, settings: Settings, points: Points, pairs: Rows) -> Points:
    """The same, but below zero for a child inside its parent's region: how far it is from the border."""
    constants = method.constants(settings)
    signed: Points = generic_kernels.energies_of_pairs(
        read_only(points), read_only(pairs), constants, dimension_type(points.shape[1])
    )
    return signed


def energies_below(method: Method, settings: Settings, points: Points, parent: int) -> Points:
    """The score of (parent, x) for every node x."""
    constants = method.constants(settings)
    dimension = dimension_type(points.shape[1])
    return clamped(method, generic_kernels.energies_below(read_only(points), parent, constants, dimension))


def energies_above(method: Method, settings: Settings, points: Points, child: int) -> Points:
    """The score of (x, child) for every node x."""
    constants = method.constants(settings)
    dimension = dimension_type(points.shape[1])
    return clamped(method, generic_kernels.energies_above(read_only(points), child, constants, dimension))


def clamped(method: Method, signed: Points) -> Points:
    """The paper's score: a margin energy counts only outside the region; a distance score counts as it is."""
    return np.maximum(signed, 0.0) if method.loss == "margin" else signed


# The values the paper's authors try, from the strongest preference for small norms to none.
ALPHAS = (1000.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.0)


@dataclass(frozen=True)
class Calibration:
    """The best F1 on the labelled pairs and the threshold and α that reach it."""

    f1: float
    threshold: float
    alpha: float


@dataclass(frozen=True)
class Counts:
    """How many pairs were called true, rightly and wrongly, and how many are."""

    true_positives: int
    false_positives: int
    positives: int

    @property
    def precision(self) -> float:
        """The share of the pairs called true that are."""
        return self.true_positives / max(1, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float:
        """The share of the true pairs that were called so."""
        return self.true_positives / max(1, self.positives)

    @property
    def f1(self) -> float:
        """The harmonic mean of the two."""
        return 2 * self.true_positives / max(1, self.true_positives + self.false_positives + self.positives)


def best_threshold(positives: NDArray[np.float64], negatives: NDArray[np.float64]) -> tuple[float, float]:
    """The threshold with the highest F1 for "true when score ≤ threshold", and that F1.

    One pass over the sorted scores. Equal scores are called alike, so a positive that ties with negatives is only
    won together with them.

    >>> best_threshold(np.array([0.1, 0.2]), np.array([0.3, 0.9]))
    (0.2, 1.0)
    """
    negatives = _worth_sorting(positives, negatives)
    scores = np.concatenate([negatives, positives])
    is_positive = np.concatenate([np.zeros(len(negatives)), np.ones(len(positives))])
    order = np.argsort(scores, kind="stable")
    scores, is_positive = scores[order], is_positive[order]
    hits = np.cumsum(is_positive)
    called = np.arange(1, len(scores) + 1)
    f1 = 2 * hits / (called + len(positives))
    last_of_its_score = np.append(scores[1:] != scores[:-1], True)
    best = int(np.argmax(np.where(last_of_its_score, f1, -1.0)))
    return float(scores[best]), float(f1[best])


def _worth_sorting(positives: NDArray[np.float64], negatives: NDArray[np.float64]) -> NDArray[np.float64]:
    """The lowest negatives, as many as the best threshold can possibly let in, and one more.

    With P positives and n negatives called true F1 is at most 2P/(2P + n); so once some threshold has reached F1 = f,
    none that lets in more than 2P(1/f − 1) can be better. Most negatives are not worth sorting.
    """
    if not len(positives):
        return negatives
    likely = np.quantile(positives, (0.5, 0.75, 0.9, 1.0))
    reached = max(count_at(float(threshold), positives, negatives).f1 for threshold in likely)
    most = int(2 * len(positives) * (1 / reached - 1)) + 1
    return negatives if most >= len(negatives) else np.partition(negatives, most)[: most + 1]


def count_at(threshold: float, positives: NDArray[np.float64], negatives: NDArray[np.float64]) -> Counts:
    """What a threshold gets right and wrong."""
    return Counts(int((positives <= threshold).sum()), int((negatives <= threshold).sum()), len(positives))


def calibrate(method: Method, settings: Settings, points: Points, pairs: LabelledPairs) -> Calibration:
    """The threshold, and for distance methods the α, with the highest F1 on labelled pairs."""
    best: Calibration | None = None
    for alpha in ALPHAS if method.uses_alpha else (settings.alpha,):
        trial = replace(settings, alpha=alpha)
        positives = energies_of_pairs(method, trial, points, pairs.positives)
        negatives = energies_of_pairs(method, trial, points, pairs.negatives)
        threshold, f1 = best_threshold(positives, negatives)
        if best is None or f1 > best.f1:
            best = Calibration(f1, threshold, alpha)
    assert best is not None
    return best
