"""Two answers to set an embedding beside, which know no geometry.

The *symbolic* answer calls a pair true when the training edges imply it, and where they hold every direct edge it is
never wrong: nothing can be better. The *trivial* answer looks at u alone and calls (u, v) true when u has many children
among the training edges. What is not above it has learned nothing about v.
"""

from __future__ import annotations

import numpy as np

from hypercone._arrays import Adjacency, Rows, pair_keys
from hypercone.errors import InputError
from hypercone.evaluation.measures import (
    Calls,
    Groups,
    LinkPrediction,
    Numbers,
    Score,
    groups_of,
    judged_calls,
    judged_pairs,
)
from hypercone.evaluation.near_misses import are_among, hard_negatives, judged_hard, true_pairs
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
    """The symbolic and the trivial answer on the pairs that an embedding is judged by.

    They know the training edges of the split, or else all edges. ``on`` is *all-pairs*, *hard-pairs* (``seed`` and
    ``sample`` are those of ``hard_pairs``) or *test-pairs*, those of the split. The trivial answer has the threshold
    that is best for it, on test pairs that which is best for the validation pairs.

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
    groups = None if group_by is None else groups_of(hierarchy, group_by)
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
        SYMBOLIC: judged_pairs(symbolic, split.test, 0.0, groups),
        TRIVIAL: judged_pairs(trivial, split.test, chosen, groups),
    }


def _on_all_pairs(hierarchy: Hierarchy, train: Rows, group_by: str | None) -> dict[str, LinkPrediction]:
    true, size = hierarchy.ancestor_lists(), len(hierarchy)
    implied = Hierarchy(hierarchy.names, train).ancestor_lists()
    right = are_among(implied.keys(), true.keys())
    symbolic = Calls(implied.counts, np.bincount(implied.groups()[right], minlength=size))
    children = _children(hierarchy, train)
    threshold = _best_by_children(children, true)
    called = children >= -threshold
    right_of = np.bincount(true.groups()[called[true.rows]], minlength=size)
    trivial = Calls(int(called.sum()) - called.astype(np.int64), right_of)
    return {
        SYMBOLIC: judged_calls(symbolic, hierarchy, 0.0, group_by),
        TRIVIAL: judged_calls(trivial, hierarchy, threshold, group_by),
    }


def _on_hard_pairs(
    hierarchy: Hierarchy, train: Rows, seed: int, sample: int | None, groups: Groups | None
) -> dict[str, LinkPrediction]:
    positives = true_pairs(hierarchy, None, seed, sample)
    wrong = hard_negatives(hierarchy, positives, seed)
    symbolic, trivial = symbolic_score(hierarchy, train), children_score(hierarchy, train)
    every = np.concatenate([one.pairs for one in wrong.values()])
    chosen, _ = best_threshold(trivial(positives), trivial(every))
    return {
        SYMBOLIC: judged_hard(symbolic, positives, wrong, 0.0, groups),
        TRIVIAL: judged_hard(trivial, positives, wrong, chosen, groups),
    }


def symbolic_score(hierarchy: Hierarchy, train: Rows) -> Score:
    """0 for pairs that the training edges imply and 1 for all others."""
    implied, size = _implied_keys(hierarchy, train), len(hierarchy)

    return lambda pairs: np.where(are_among(pair_keys(pairs[:, 1], pairs[:, 0], size), implied), 0.0, 1.0)


def children_score(hierarchy: Hierarchy, train: Rows) -> Score:
    """Minus the number of children of u among the training edges."""
    fewer = -_children(hierarchy, train).astype(np.float64)
    return lambda pairs: fewer[pairs[:, 0]]


def _children(hierarchy: Hierarchy, train: Rows) -> Numbers:
    return np.bincount(train[:, 0], minlength=len(hierarchy))


def _implied_keys(hierarchy: Hierarchy, train: Rows) -> Numbers:
    return Hierarchy(hierarchy.names, train).ancestor_lists().keys()


def _best_by_children(children: Numbers, true: Adjacency) -> float:
    """Minus the number of children from which on a node is best taken for an ancestor of all others."""
    below = np.bincount(true.rows, minlength=len(true))
    order = np.argsort(-children, kind="stable")
    ranked, right = children[order], np.cumsum(below[order])
    called, positives = np.arange(1, len(true) + 1) * (len(true) - 1), len(true.rows)
    f1 = 2 * right / np.maximum(1, called + positives)
    last_of_its_count = np.append(ranked[1:] != ranked[:-1], True)
    best = int(np.argmax(np.where(last_of_its_count, f1, -1.0)))
    return -float(ranked[best])
