"""How well an embedding tells true pairs from wrong ones: precision, recall and F1, as the paper measures them."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.hierarchy import LabelledPairs
from hypercone.methods import find_method
from hypercone.methods.scoring import Counts, count_at, energies_of_pairs


@dataclass(frozen=True)
class LinkPrediction:
    """Precision, recall and F1 at a threshold, and the counts behind them."""

    precision: float
    recall: float
    f1: float
    positives: int
    negatives: int
    true_positives: int
    false_positives: int
    threshold: float

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def evaluate(embedding: Embedding, pairs: LabelledPairs, threshold: float | None = None) -> LinkPrediction:
    """Judge the embedding on labelled pairs, at its own threshold unless another is given.

    >>> import hypercone
    >>> tree = hypercone.load_dataset("tree-3-5")
    >>> split = hypercone.paper_split(tree, percent=50)
    >>> embedding = hypercone.fit(tree, split=split, epochs=50, init_epochs=50)
    >>> evaluate(embedding, split.test).f1 > 0.5
    True
    """
    if len(pairs.positives) == 0:
        raise InputError("there are no positive pairs to evaluate on; a larger hierarchy or another split is needed")
    for rows in (pairs.positives, pairs.negatives):
        # The kernels trust their input.
        if len(rows) and not 0 <= rows.min() <= rows.max() < len(embedding):
            raise InputError(f"a pair has a row outside 0 … {len(embedding) - 1}; the pairs are of another hierarchy")
    threshold = checked_threshold(embedding, threshold)
    method = find_method(embedding.method)
    positives = energies_of_pairs(method, embedding.settings, embedding.points, pairs.positives)
    negatives = energies_of_pairs(method, embedding.settings, embedding.points, pairs.negatives)
    counts = count_at(threshold, positives, negatives)
    return judged(counts, len(negatives), threshold)


def checked_threshold(embedding: Embedding, threshold: float | None) -> float:
    """The threshold given, or the embedding's own if none is."""
    threshold = embedding.threshold if threshold is None else threshold
    if not math.isfinite(threshold):
        raise InputError(f"the threshold is {threshold}, but must be a finite number")
    return threshold


def judged(counts: Counts, negatives: int, threshold: float) -> LinkPrediction:
    """Counts with what follows from them."""
    return LinkPrediction(
        precision=counts.precision,
        recall=counts.recall,
        f1=counts.f1,
        positives=counts.positives,
        negatives=negatives,
        true_positives=counts.true_positives,
        false_positives=counts.false_positives,
        threshold=threshold,
    )
