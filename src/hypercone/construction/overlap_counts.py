"""The exact account of constructed points: every ordered pair, as the cones of the finished points see it."""

from __future__ import annotations

import numpy as np

from hypercone.hierarchy import Hierarchy
from hypercone.index import ConeIndex
from hypercone.methods import Settings, find_method
from hypercone.methods.base import Points
from hypercone.methods.scoring import Counts

# Rows asked for together: cones that hold nearly everything would not fit into memory at once.
PART = 2_000


def count_exactly(points: Points, hierarchy: Hierarchy, K: float) -> Counts:
    """True and false pairs among all ordered pairs of different nodes, at threshold 0.

    >>> points = np.array([[0.3, 0.0], [0.6, 0.0], [0.0, 0.3]])
    >>> count_exactly(points, Hierarchy.from_rows(["animal", "dog", "stone"], [[0, 1], [2, 1]]), K=0.1)
    Counts(true_positives=1, false_positives=0, positives=2)
    """
    index = ConeIndex(points, find_method("hyperbolic-cones"), Settings(K=K), threshold=0.0)
    true = hierarchy.ancestor_lists()
    called = right = 0
    for start in range(0, len(points), PART):
        part = np.arange(start, min(start + PART, len(points)))
        found = index.ancestors_of_many(part)
        keys = np.repeat(part, list(map(len, found))) * len(points) + np.concatenate(found)
        known = true.rows[true.offsets[start] : true.offsets[part[-1] + 1]]
        known = known + np.repeat(part, true.counts[part]) * len(points)
        called += len(keys)
        right += len(np.intersect1d(keys, known, assume_unique=True))
    return Counts(right, called - right, len(true.rows))
