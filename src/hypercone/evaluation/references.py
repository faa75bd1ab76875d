"""Two lines for every table: what the training edges imply, and what the number of children alone gives away.

The *symbolic* answer calls a pair true when the training edges imply it. It knows no geometry, and where they hold
every basic edge it is never wrong: nothing can be better. The *trivial* answer looks at u alone and calls (u, v) true
when u has many children among the training edges. What is not above it has learned nothing about v.
"""

from __future__ import annotations

import numpy as np

from hypercone.errors import InputError
from hypercone.evaluation.all_pairs import Numbers
from hypercone.evaluation.hard_negatives import HardNegatives, Score, judged_hard
from hypercone.evaluation.hard_pairs import are_among, hard_negatives, keys_of_lists, keys_of_pairs, true_pairs
from hypercone.evaluation.link_prediction import LinkPrediction, judged
from hypercone.hierarchy import Adjacency, Hierarchy, LabelledPairs
from hypercone.methods.scoring import Counts, Rows, best_threshold, count_at

SYMBOLIC, TRIVIAL = "symbolic", "trivial"


def reference_lines(
    hierarchy: Hierarchy, train: Rows, test: LabelledPairs, validation: LabelledPairs
) -> dict[str, LinkPrediction]:
    """The symbolic and the trivial answer on labelled pairs; the latter's threshold is chosen on validation pairs.

    Its score is the number of children of u, negative, since lower is more likely true.

    >>> from hypercone import load_dataset, paper_split
    >>> tree = load_dataset("tree-3-5")
    >>> split = paper_split(tree, 0)
    >>> found = reference_lines(tree, split.train, split.test, split.validation)
    >>> found["symbolic"].f1, found["trivial"].f1 < 0.5
    (1.0, True)
    """
    for name, pairs in (("test", test), ("validation", validation)):
        if len(pairs.positives) == 0:
            raise InputError(f"there are no positive {name} pairs; a larger hierarchy or another split is needed")
    symbolic, trivial = symbolic_score(hierarchy, train), children_score(hierarchy, train)
    chosen, _ = best_threshold(trivial(validation.positives), trivial(validation.negatives))
    return {SYMBOLIC: _at(0.0, symbolic, test), TRIVIAL: _at(chosen, trivial, test)}


def reference_all_pairs(hierarchy: Hierarchy, train: Rows | None = None) -> dict[str, LinkPrediction]:
    """The same over every ordered pair of different nodes; the trivial answer has the threshold that is best for it.

    ``train`` are the training edges, or else all of the hierarchy.

    >>> found = reference_all_pairs(Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")]))
    >>> found["symbolic"].f1, found["trivial"].precision, found["trivial"].recall
    (1.0, 1.0, 0.75)
    """
    train = hierarchy.edges if train is None else train
    true, size = hierarchy.ancestor_lists(), len(hierarchy)
    implied = _implied_keys(hierarchy, train)
    right = int(are_among(implied, keys_of_lists(true)).sum())
    symbolic = Counts(right, len(implied) - right, len(true.rows))
    trivial, threshold = _best_by_children(_children(hierarchy, train), true)
    wrong = size * (size - 1) - len(true.rows)
    return {SYMBOLIC: judged(symbolic, wrong, 0.0), TRIVIAL: judged(trivial, wrong, threshold)}


def reference_hard(
    hierarchy: Hierarchy,
    train: Rows | None = None,
    positives: Rows | None = None,
    seed: int = 0,
    sample: int | None = None,
) -> dict[str, HardNegatives]:
    """The same against hard wrong pairs; the trivial answer has the threshold that is best for it.

    >>> found = reference_hard(Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")]))
    >>> found["symbolic"].f1, round(found["trivial"].f1, 3)
    (1.0, 0.857)
    """
    train = hierarchy.edges if train is None else train
    positives = true_pairs(hierarchy, positives, seed, sample)
    wrong = hard_negatives(hierarchy, positives, seed)
    symbolic, trivial = symbolic_score(hierarchy, train), children_score(hierarchy, train)
    every = np.concatenate([one.pairs for one in wrong.values()])
    chosen, _ = best_threshold(trivial(positives), trivial(every))
    return {
        SYMBOLIC: judged_hard(symbolic, positives, wrong, 0.0),
        TRIVIAL: judged_hard(trivial, positives, wrong, chosen),
    }


def symbolic_score(hierarchy: Hierarchy, train: Rows) -> Score:
    """0 for pairs that the training edges imply and 1 for all others."""
    implied, size = _implied_keys(hierarchy, train), len(hierarchy)

    return lambda pairs: np.where(are_among(keys_of_pairs(pairs, size), implied), 0.0, 1.0)


def children_score(hierarchy: Hierarchy, train: Rows) -> Score:
    """Minus the number of children of u among the training edges."""
    fewer = -_children(hierarchy, train).astype(np.float64)
    return lambda pairs: fewer[pairs[:, 0]]


def _at(threshold: float, score: Score, pairs: LabelledPairs) -> LinkPrediction:
    counts = count_at(threshold, score(pairs.positives), score(pairs.negatives))
    return judged(counts, len(pairs.negatives), threshold)


def _children(hierarchy: Hierarchy, train: Rows) -> Numbers:
    return np.bincount(train[:, 0], minlength=len(hierarchy))


def _implied_keys(hierarchy: Hierarchy, train: Rows) -> Numbers:
    return keys_of_lists(Hierarchy.from_rows(hierarchy.names, train).ancestor_lists())


def _best_by_children(children: Numbers, true: Adjacency) -> tuple[Counts, float]:
    """The counts over all pairs when every node with at least so many children is above all others."""
    below = np.bincount(true.rows, minlength=len(true))
    order = np.argsort(-children, kind="stable")
    ranked, right = children[order], np.cumsum(below[order])
    called, positives = np.arange(1, len(true) + 1) * (len(true) - 1), len(true.rows)
    f1 = 2 * right / np.maximum(1, called + positives)
    last_of_its_count = np.append(ranked[1:] != ranked[:-1], True)
    best = int(np.argmax(np.where(last_of_its_count, f1, -1.0)))
    hits = int(right[best])
    return Counts(hits, int(called[best]) - hits, positives), -float(ranked[best])
