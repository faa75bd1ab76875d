"""Scores of pairs of rows: their energies, and the threshold (and α) under which a pair is called true."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows, read_only
from hypercone._jit import dimension_type
from hypercone.hierarchy import LabelledPairs
from hypercone.methods import Method, Points, Settings, find_method, generic_kernels


@dataclass(frozen=True, eq=False)
class Scorer:
    """Points under a method: the energy of any pair of rows, and the threshold up to which a pair counts as true.

    Pairs are (parent, child) rows. What is asked by row trusts that there is such a row.

    >>> points = np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.5]])
    >>> scorer = Scorer(points, find_method("hyperbolic-cones"), Settings())
    >>> scorer.energies(np.array([[0, 1], [0, 2]], np.int32)).round(3).tolist()
    [0.0, 2.451]
    """

    points: Points
    method: Method
    settings: Settings
    threshold: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", read_only(self.points))

    def __len__(self) -> int:
        return len(self.points)

    @cached_property
    def constants(self) -> tuple[float, ...]:
        """The named tuple of the method's constants, by whose type the kernels choose its formulas."""
        return self.method.constants(self.settings)

    @cached_property
    def distance_constants(self) -> tuple[float, ...]:
        """The constants of plain distances: those of the distance methods without their α."""
        twin = find_method("poincare" if self.method.is_hyperbolic else "euclidean")
        return twin.constants(Settings(border=self.settings.border))

    @cached_property
    def dim(self) -> Any:
        """The dimension, as kernels take it."""
        return dimension_type(self.points.shape[1])

    def energies(self, pairs: Rows) -> Points:
        """The score of each pair; lower is more likely true."""
        return self.clamp(self.signed_energies(pairs))

    def signed_energies(self, pairs: Rows) -> Points:
        """The same, but below zero for a child inside its parent's region: how far it is from the border."""
        signed: Points = generic_kernels.energies_of_pairs(self.points, read_only(pairs), self.constants, self.dim)
        return signed

    def energies_below(self, parent: int) -> Points:
        """The score of (parent, x) for every row x."""
        return self.clamp(generic_kernels.energies_below(self.points, parent, self.constants, self.dim))

    def energies_above(self, child: int) -> Points:
        """The score of (x, child) for every row x."""
        return self.clamp(self.signed_energies_above(child))

    def signed_energies_above(self, child: int) -> Points:
        """The same, but below zero inside."""
        signed: Points = generic_kernels.energies_above(self.points, child, self.constants, self.dim)
        return signed

    def distances(self, row: int) -> Points:
        """How far every row is from a row, hyperbolic for methods in the ball and else straight."""
        distances: Points = generic_kernels.energies_below(self.points, row, self.distance_constants, self.dim)
        return distances

    def clamp(self, signed: Points) -> Points:
        """The paper's score: a margin energy counts only outside the region; a distance score counts as it is."""
        return np.maximum(signed, 0.0) if self.method.loss == "margin" else signed

    def below(self, row: int) -> Rows:
        """The rows under a row, ascending, by asking every one."""
        return self._true_ones(self.energies_below(row), row)

    def above(self, row: int) -> Rows:
        """The rows that a row is under, ascending, by asking every one."""
        return self._true_ones(self.energies_above(row), row)

    def _true_ones(self, energies: Points, row: int) -> Rows:
        rows = np.flatnonzero(energies <= self.threshold).astype(np.int32)
        others: Rows = rows[rows != row]
        return others


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


def calibrate(scorer: Scorer, pairs: LabelledPairs) -> Calibration:
    """The threshold, and for distance methods the α, with the highest F1 on labelled pairs."""
    best: Calibration | None = None
    for alpha in ALPHAS if scorer.method.uses_alpha else (scorer.settings.alpha,):
        trial = replace(scorer, settings=replace(scorer.settings, alpha=alpha))
        threshold, f1 = best_threshold(trial.energies(pairs.positives), trial.energies(pairs.negatives))
        if best is None or f1 > best.f1:
            best = Calibration(f1, threshold, alpha)
    assert best is not None
    return best
