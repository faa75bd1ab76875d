"""Where an embedding is right and wrong: the same figures by the depth of the child, or by how many parents it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.evaluation.all_pairs import Numbers, count_calls, known_hierarchy
from hypercone.evaluation.hard_negatives import energy_of, judged_hard_by
from hypercone.evaluation.hard_pairs import hard_negatives, true_pairs
from hypercone.evaluation.link_prediction import LinkPrediction, checked_threshold, judged
from hypercone.evaluation.relatives import basic_parents
from hypercone.hierarchy import Hierarchy
from hypercone.methods.scoring import Counts, Rows

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
    wrong, group = hard_negatives(hierarchy, positives, seed), groups.of_row[positives[:, 1]]
    figures = judged_hard_by(energy_of(embedding), positives, wrong, threshold, group, len(groups.names))
    return Breakdown(by, dict(zip(groups.names, figures, strict=True)))


def _summed(of_node: Numbers, groups: Groups) -> list[int]:
    # Whole numbers stay whole: bincount with weights would count in floats.
    sums = np.zeros(len(groups.names), np.int64)
    np.add.at(sums, groups.of_row, of_node)
    return [int(value) for value in sums]
