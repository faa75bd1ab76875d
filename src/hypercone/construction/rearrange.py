"""A forest that keeps more of a hierarchy than its edges allow, at the price of a few pairs that are not true."""

from __future__ import annotations

import numpy as np

from hypercone._arrays import Adjacency, frozen
from hypercone.construction import rearrange_kernels as kernels
from hypercone.construction.rearrange_kernels import count_pairs_of
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph import flipped_lists
from hypercone.methods.scoring import Counts, Rows

# After three rounds hardly anything moves; the last ones are for tangled hierarchies.
ROUNDS = 10
# Pairs of the closure times levels, about a sixth of a second a million.
MOST_STEPS = 100_000_000


def can_be_rearranged(hierarchy: Hierarchy, counts: Counts) -> bool:
    """Whether a forest with these counts loses something, and the hierarchy is not too large to win some of it back."""
    height = int(hierarchy.depths().max(initial=0))
    return counts.recall < 1 and counts.positives * height <= MOST_STEPS


def rearranged_forest(hierarchy: Hierarchy, kept: Rows) -> tuple[Rows, Counts]:
    """The kept parent of each row, or -1, after moves that raise F1 over all pairs, and what the forest gets right.

    Where a node has two parents, a forest of true edges loses one with all above it. Often one can be put under the
    other: if "causal agent" is placed between "organism" and "person", a few agents are called organisms, and
    ten thousand persons stay agents. Each node is moved to the parent where the pairs of its subtree earn most, and
    adopts those new siblings that are mostly its own; a right pair earns as much as it adds to F1, a wrong one costs
    as much as it takes away. Small nodes come first, in rounds until nothing moves.

    >>> edges = [[0, 1], [0, 2], [1, 3], [2, 3], [3, 4], [3, 5], [3, 6]]
    >>> cross = Hierarchy("thing organism agent person king queen poet".split(), edges)
    >>> rearranged_forest(cross, np.array([-1, 0, 0, 1, 3, 3, 3], np.int32))[1]
    Counts(true_positives=17, false_positives=1, positives=17)
    """
    above = hierarchy.ancestor_lists()
    below = flipped_lists(above)
    closure = kernels.Closure(above.offsets, above.rows, below.offsets, below.rows)
    order = frozen(np.argsort(below.counts, kind="stable").astype(np.int32))
    links = kernels.linked(kept)
    counts = _counts(kept, above)
    for _ in range(ROUNDS):
        # F1 rises exactly when (2 − F1)·(right pairs more) > F1·(wrong pairs more).
        moved = kernels.rearrange(order, links, closure, counts.f1 / (2 - counts.f1))
        counts = _counts(links.parents, above)
        if not moved:
            break
    parents = links.parents[:-1]
    return np.where(parents < len(parents), parents, -1).astype(np.int32), counts


def _counts(parents: Rows, above: Adjacency) -> Counts:

    right, wrong = count_pairs_of(parents, above.offsets, above.rows)
    return Counts(int(right), int(wrong), len(above.rows))
