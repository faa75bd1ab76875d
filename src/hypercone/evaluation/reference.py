"""Two baselines to compare an embedding with, neither of which uses geometry.

The *symbolic* baseline predicts a pair to be true if the training edges imply it. If they include every direct edge, it
is always correct. The *trivial* baseline only uses u: it predicts (u, v) to be true if u has many children among the
training edges. A model that does not beat it has learned nothing about v.
"""

from __future__ import annotations

import numpy as np

from hypercone._arrays import Adjacency, Rows, pair_keys
from hypercone.errors import InputError
from hypercone.evaluation.measures import (
    Groups,
    LinkPrediction,
    Numbers,
    Predictions,
    Score,
    metrics_from_predictions,
    metrics_on_pairs,
    node_groups,
)
from hypercone.evaluation.near_misses import hard_negatives, is_in_sorted, metrics_on_hard_pairs, true_pairs
from hypercone.hierarchy import Hierarchy, Split
from hypercone.methods.scoring import best_threshold

SYMBOLIC, TRIVIAL = "symbolic", "trivial"
ON = ("all-pairs", "hard-pairs", "test-pairs")


def baselines(
    hierarchy: Hierarchy,
    split: Split | None = None,
    *,
    on: str = "all-pairs",
    seed: int = 0,
    sample: int | None = None,
    group_by: str | None = None,
) -> dict[str, LinkPrediction]:
    """The metrics of the symbolic and the trivial baseline, on the pairs that an embedding is evaluated on.

    They use the training edges of the split, or all edges without one. ``on`` is *all-pairs*, *hard-pairs* (with the
    ``seed`` and ``sample`` of ``hard_pairs``) or *test-pairs*, those of the split. The trivial baseline has the
    threshold with the best F1 on these pairs, or for test pairs the best on the validation pairs.

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
    >>> found = baselines(pets)
    >>> found["symbolic"].f1, found["trivial"].precision, found["trivial"].recall
    (1.0, 1.0, 0.75)
    >>> round(baselines(pets, on="hard-pairs")["trivial"].f1, 3)
    0.857
    """
    if on not in ON:
        raise InputError(f"on is {on!r}, but must be one of {', '.join(ON)}")
    train = hierarchy.edges if split is None else split.train
    if on == "all-pairs":
        return _on_all_pairs(hierarchy, train, group_by)
    groups = None if group_by is None else node_groups(hierarchy, group_by)
    if on == "hard-pairs":
        return _on_hard_pairs(hierarchy, train, seed, sample, groups)
    if split is None:
        raise InputError("test pairs are those of a split; give one")
    return _on_test_pairs(hierarchy, split, groups)


def _on_test_pairs(hierarchy: Hierarchy, split: Split, groups: Groups | None) -> dict[str, LinkPrediction]:
    for name, pairs in (("test", split.test), ("validation", split.validation)):
        if len(pairs.positives) == 0:
            raise InputError(f"there are no positive {name} pairs; a larger hierarchy or another split is needed")
    symbolic, trivial = symbolic_score(hierarchy, split.train), children_score(hierarchy, split.train)
    chosen, _ = best_threshold(trivial(split.validation.positives), trivial(split.validation.negatives))
    return {
        SYMBOLIC: metrics_on_pairs(symbolic, split.test, 0.0, groups),
        TRIVIAL: metrics_on_pairs(trivial, split.test, chosen, groups),
    }


def _on_all_pairs(hierarchy: Hierarchy, train: Rows, group_by: str | None) -> dict[str, LinkPrediction]:
    true, size = hierarchy.ancestor_lists(), len(hierarchy)
    implied = Hierarchy(hierarchy.names, train).ancestor_lists()
    correct = is_in_sorted(implied.keys(), true.keys())
    symbolic = Predictions(implied.counts, np.bincount(implied.groups()[correct], minlength=size))
    children = _children(hierarchy, train)
    threshold = _best_by_children(children, true)
    predicted = children >= -threshold
    correct_of = np.bincount(true.groups()[predicted[true.rows]], minlength=size)
    trivial = Predictions(int(predicted.sum()) - predicted.astype(np.int64), correct_of)
    return {
        SYMBOLIC: metrics_from_predictions(symbolic, hierarchy, 0.0, group_by),
        TRIVIAL: metrics_from_predictions(trivial, hierarchy, threshold, group_by),
    }


def _on_hard_pairs(
    hierarchy: Hierarchy, train: Rows, seed: int, sample: int | None, groups: Groups | None
) -> dict[str, LinkPrediction]:
    positives = true_pairs(hierarchy, None, seed, sample)
    negatives = hard_negatives(hierarchy, positives, seed)
    symbolic, trivial = symbolic_score(hierarchy, train), children_score(hierarchy, train)
    every = np.concatenate([one.pairs for one in negatives.values()])
    chosen, _ = best_threshold(trivial(positives), trivial(every))
    return {
        SYMBOLIC: metrics_on_hard_pairs(symbolic, positives, negatives, 0.0, groups),
        TRIVIAL: metrics_on_hard_pairs(trivial, positives, negatives, chosen, groups),
    }


def symbolic_score(hierarchy: Hierarchy, train: Rows) -> Score:
    """A score that is 0 for pairs implied by the training edges and 1 for all others."""
    implied, size = _implied_keys(hierarchy, train), len(hierarchy)

    return lambda pairs: np.where(is_in_sorted(pair_keys(pairs[:, 1], pairs[:, 0], size), implied), 0.0, 1.0)


def children_score(hierarchy: Hierarchy, train: Rows) -> Score:
    """A score that is minus the number of children of u among the training edges."""
    fewer = -_children(hierarchy, train).astype(np.float64)
    return lambda pairs: fewer[pairs[:, 0]]


def _children(hierarchy: Hierarchy, train: Rows) -> Numbers:
    return np.bincount(train[:, 0], minlength=len(hierarchy))


def _implied_keys(hierarchy: Hierarchy, train: Rows) -> Numbers:
    return Hierarchy(hierarchy.names, train).ancestor_lists().keys()


def _best_by_children(children: Numbers, true: Adjacency) -> float:
    """The threshold for ``children_score`` with the best F1 over all pairs."""
    below = np.bincount(true.rows, minlength=len(true))
    order = np.argsort(-children, kind="stable")
    ranked, correct = children[order], np.cumsum(below[order])
    predicted, positives = np.arange(1, len(true) + 1) * (len(true) - 1), len(true.rows)
    f1 = 2 * correct / np.maximum(1, predicted + positives)
    last_of_its_count = np.append(ranked[1:] != ranked[:-1], True)
    best = int(np.argmax(np.where(last_of_its_count, f1, -1.0)))
    return -float(ranked[best])
