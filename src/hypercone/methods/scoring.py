"""Scores of pairs of rows: their energies, and the threshold (and α) up to which a pair is predicted true."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows, read_only
from hypercone._jit import dimension_type
from hypercone.hierarchy import LabeledPairs
from hypercone.methods import Method, Points, Settings, find_method, generic_kernels


@dataclass(frozen=True, eq=False)
class Scorer:
    """Points under a method: the energy of any pair of rows, and the threshold up to which a pair counts as true.

    Pairs are (parent, child) rows. Rows are not checked.

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
        """The named tuple of the method's constants, on whose type the kernels dispatch."""
        return self.method.constants(self.settings)

    @cached_property
    def distance_constants(self) -> tuple[float, ...]:
        """The constants of the plain distance: those of the distance methods with α = 0."""
        twin = find_method("poincare" if self.method.is_hyperbolic else "euclidean")
        return twin.constants(Settings(border=self.settings.border))

    @cached_property
    def dim(self) -> Any:
        """The dimension in the form that kernels take."""
        return dimension_type(self.points.shape[1], len(self.points))

    def energies(self, pairs: Rows) -> Points:
        """The score of each pair; lower is more likely true."""
        return self.clamp(self.signed_energies(pairs))

    def signed_energies(self, pairs: Rows) -> Points:
        """Like ``energies``, but negative for a child inside its parent's region: its distance from the border."""
        signed: Points = generic_kernels.energies_of_pairs(self.points, read_only(pairs), self.constants, self.dim)
        return signed

    def energies_below(self, parent: int) -> Points:
        """The score of (parent, x) for every row x."""
        return self.clamp(generic_kernels.energies_below(self.points, parent, self.constants, self.dim))

    def energies_above(self, child: int) -> Points:
        """The score of (x, child) for every row x."""
        return self.clamp(self.signed_energies_above(child))

    def signed_energies_above(self, child: int) -> Points:
        """Like ``energies_above``, but negative inside."""
        signed: Points = generic_kernels.energies_above(self.points, child, self.constants, self.dim)
        return signed

    def distances(self, row: int) -> Points:
        """The distance of every row from a row: hyperbolic for methods in the ball, else Euclidean."""
        distances: Points = generic_kernels.energies_below(self.points, row, self.distance_constants, self.dim)
        return distances

    def clamp(self, signed: Points) -> Points:
        """The paper's score: the energy of margin methods is zero inside the region; distance scores are unchanged."""
        return np.maximum(signed, 0.0) if self.method.loss == "margin" else signed

    def below(self, row: int) -> Rows:
        """The descendants of a row, ascending, by testing every row."""
        return self._true_ones(self.energies_below(row), row)

    def above(self, row: int) -> Rows:
        """The ancestors of a row, ascending, by testing every row."""
        return self._true_ones(self.energies_above(row), row)

    def _true_ones(self, energies: Points, row: int) -> Rows:
        rows = np.flatnonzero(energies <= self.threshold).astype(np.int32)
        others: Rows = rows[rows != row]
        return others


# The values that the paper's authors try, from the strongest preference for small norms to none.
ALPHAS = (1000.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.0)


@dataclass(frozen=True)
class Calibration:
    """The best F1 on labeled pairs, and the threshold and α that reach it."""

    f1: float
    threshold: float
    alpha: float


@dataclass(frozen=True)
class Counts:
    """The numbers of true positives, false positives and positives."""

    true_positives: int
    false_positives: int
    positives: int

    @property
    def precision(self) -> float:
        """The share of true pairs among those predicted true."""
        return self.true_positives / max(1, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float:
        """The share of the true pairs that are predicted true."""
        return self.true_positives / max(1, self.positives)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.true_positives / max(1, self.true_positives + self.false_positives + self.positives)


class ListErrors(NamedTuple):
    """For each row, how many of its true ancestors are not predicted, and how many others are."""

    missing: NDArray[np.int64]
    extra: NDArray[np.int64]


def counts_of(errors: ListErrors, positives: int) -> Counts:
    """The counts over all pairs that follow from the errors of each row, given the number of true pairs.

    >>> counts_of(ListErrors(np.array([0, 1]), np.array([2, 0])), positives=5)
    Counts(true_positives=4, false_positives=2, positives=5)
    """
    return Counts(positives - int(errors.missing.sum()), int(errors.extra.sum()), positives)


def best_threshold(positives: NDArray[np.float64], negatives: NDArray[np.float64]) -> tuple[float, float]:
    """The threshold with the highest F1 for "true when score ≤ threshold", and that F1.

    One pass over the sorted scores. Pairs with equal scores get the same prediction, so a positive that ties with
    negatives can only be predicted true together with them.

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
    """The negatives with the lowest scores: as many as the best threshold can include, and one more.

    With P positives, and n negatives predicted true, F1 is at most 2P/(2P + n); so once some threshold reaches F1 = f,
    none that includes more than 2P(1/f − 1) negatives can be better. Most negatives need not be sorted.
    """
    if not len(positives):
        return negatives
    likely = np.quantile(positives, (0.5, 0.75, 0.9, 1.0))
    reached = max(count_at(float(threshold), positives, negatives).f1 for threshold in likely)
    most = int(2 * len(positives) * (1 / reached - 1)) + 1
    return negatives if most >= len(negatives) else np.partition(negatives, most)[: most + 1]


def count_at(threshold: float, positives: NDArray[np.float64], negatives: NDArray[np.float64]) -> Counts:
    """The counts of the predictions at a threshold."""
    return Counts(int((positives <= threshold).sum()), int((negatives <= threshold).sum()), len(positives))


def calibrate(scorer: Scorer, pairs: LabeledPairs) -> Calibration:
    """The threshold, and for distance methods α, with the highest F1 on labeled pairs."""
    if not scorer.method.uses_alpha:
        threshold, f1 = best_threshold(scorer.energies(pairs.positives), scorer.energies(pairs.negatives))
        return Calibration(f1, threshold, scorer.settings.alpha)
    best: Calibration | None = None
    both = (energies_by_alpha(scorer, part) for part in (pairs.positives, pairs.negatives))
    for alpha, positives, negatives in zip(ALPHAS, *both, strict=True):
        threshold, f1 = best_threshold(positives, negatives)
        if best is None or f1 > best.f1:
            best = Calibration(f1, threshold, alpha)
    assert best is not None
    return best


def energies_by_alpha(scorer: Scorer, pairs: Rows) -> Iterator[Points]:
    """The energies (1 + α(|u| − |v|)) d of a distance method for each of ALPHAS, to the last bit.

    Distances are computed once, and norms are summed in the order in which the kernel does.
    """
    distances = replace(scorer, settings=replace(scorer.settings, alpha=0.0)).energies(pairs)
    squares = np.zeros(len(scorer.points))
    for column in scorer.points.T:
        squares += column * column
    norms = np.sqrt(squares)
    differences = norms[pairs[:, 0]] - norms[pairs[:, 1]]
    return ((1.0 + alpha * differences) * distances for alpha in ALPHAS)
