"""Where an embedding is right and wrong: by the depth of the child or its parents, with two lines for reference.

The *symbolic* answer calls a pair true when the training edges imply it. It knows no geometry, and where they hold
every basic edge it is never wrong: nothing can be better. The *trivial* answer looks at u alone and calls (u, v) true
when u has many children among the training edges. What is not above it has learned nothing about v.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hypercone._arrays import Rows, pair_keys
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.evaluation.hard_pairs import (
    HARD_SHARES,
    HardNegatives,
    Score,
    are_among,
    basic_parents,
    counting,
    energy_of,
    hard_negatives,
    judged_hard,
    judged_hard_by,
    true_pairs,
)
from hypercone.evaluation.link_prediction import (
    LinkPrediction,
    Numbers,
    checked_threshold,
    count_calls,
    judged,
    known_hierarchy,
)
from hypercone.hierarchy import Adjacency, Hierarchy, LabelledPairs
from hypercone.methods.scoring import Counts, best_threshold, count_at
from hypercone.progress import Step

BY = ("depth", "parents")
# A tree all the way up; a node in a tree below one that has several parents; several parents itself.
BY_PARENTS = ("one_parent", "several_above", "several_parents")


class Groups(NamedTuple):
    """The names of groups of nodes, and the number of the group of each row."""

    names: tuple[str, ...]
    of_row: Numbers


@dataclass(frozen=True)
class Breakdown:
    """Precision, recall and F1 for each group of children; together the groups make up the whole."""

    by: str
    groups: dict[str, LinkPrediction]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {name: found.as_dict() for name, found in self.groups.items()}


def groups_of(hierarchy: Hierarchy, by: str) -> Groups:
    """Nodes by ``depth``, the edges on the longest path from a root, or by how many basic ``parents`` they have.

    *several_parents*: more than one; *several_above*: at most one, but an ancestor has more; *one_parent*: neither.

    >>> pets = Hierarchy.from_pairs([("dog", "puppy"), ("young", "puppy"), ("puppy", "whelp")])
    >>> [BY_PARENTS[group] for group in groups_of(pets, "parents").of_row]
    ['one_parent', 'several_parents', 'one_parent', 'several_above']
    """
    if by == "depth":
        depths = hierarchy.depths().astype(np.int64)
        return Groups(tuple(map(str, range(int(depths.max(initial=0)) + 1))), depths)
    if by != "parents":
        raise InputError(f"there is no breakdown by {by!r}; choose {' or '.join(BY)}")
    has_several, above = basic_parents(hierarchy).counts > 1, hierarchy.ancestor_lists()
    is_below = np.bincount(above.groups()[has_several[above.rows]], minlength=len(hierarchy)) > 0
    return Groups(BY_PARENTS, np.where(has_several, 2, is_below.astype(np.int64)))


def all_pairs_by(
    embedding: Embedding, hierarchy: Hierarchy | None = None, threshold: float | None = None, *, by: str = "depth"
) -> Breakdown:
    """``evaluate_all_pairs`` for each group of children v: every pair (u, v) counts in the group of v.

    >>> import hypercone
    >>> tree = hypercone.load_dataset("tree-3-4")
    >>> found = all_pairs_by(hypercone.fit(tree, epochs=50, init_epochs=50), by="depth")
    >>> [figures.positives for figures in found.groups.values()]
    [0, 3, 18, 81, 324]
    """
    hierarchy, threshold = known_hierarchy(embedding, hierarchy), checked_threshold(embedding, threshold)
    groups, calls = groups_of(hierarchy, by), count_calls(embedding, hierarchy, threshold)
    true = hierarchy.ancestor_lists().counts
    right, called, positives, nodes = (
        _summed(of_node, groups) for of_node in (calls.right, calls.called, true, np.ones_like(true))
    )
    figures = [
        judged(Counts(tp, n - tp, p), size * (len(embedding) - 1) - p, threshold)
        for tp, n, p, size in zip(right, called, positives, nodes, strict=True)
    ]
    return Breakdown(by, dict(zip(groups.names, figures, strict=True)))


def hard_by(
    embedding: Embedding,
    hierarchy: Hierarchy | None = None,
    positives: Rows | None = None,
    threshold: float | None = None,
    seed: int = 0,
    sample: int | None = None,
    *,
    by: str = "depth",
) -> Breakdown:
    """``evaluate_hard`` for each group of children v: a true pair (u, v) and all wrong ones made from it count in it.

    >>> import hypercone
    >>> tree = hypercone.load_dataset("tree-3-4")
    >>> found = hard_by(hypercone.fit(tree, epochs=50, init_epochs=50), by="parents")
    >>> [(name, figures.positives) for name, figures in found.groups.items()]
    [('one_parent', 426), ('several_above', 0), ('several_parents', 0)]
    """
    hierarchy, threshold = known_hierarchy(embedding, hierarchy), checked_threshold(embedding, threshold)
    groups, positives = groups_of(hierarchy, by), true_pairs(hierarchy, positives, seed, sample)
    with Step("hard pairs", HARD_SHARES) as step:
        wrong, group = hard_negatives(hierarchy, positives, seed), groups.of_row[positives[:, 1]]
        step.advance(HARD_SHARES // 2)
        score = counting(energy_of(embedding), step)
        figures = judged_hard_by(score, positives, wrong, threshold, group, len(groups.names))
    return Breakdown(by, dict(zip(groups.names, figures, strict=True)))


def _summed(of_node: Numbers, groups: Groups) -> list[int]:
    # Whole numbers stay whole: bincount with weights would count in floats.
    sums = np.zeros(len(groups.names), np.int64)
    np.add.at(sums, groups.of_row, of_node)
    return [int(value) for value in sums]


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
    right = int(are_among(implied, true.keys()).sum())
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

    return lambda pairs: np.where(are_among(pair_keys(pairs[:, 1], pairs[:, 0], size), implied), 0.0, 1.0)


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
    return Hierarchy.from_rows(hierarchy.names, train).ancestor_lists().keys()


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
