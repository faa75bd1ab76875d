"""Which parent of each node a forest keeps, and how much of the hierarchy that is."""

from __future__ import annotations

import numpy as np

from hypercone._arrays import frozen
from hypercone.construction.forest_kernels import deepest_parents
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph_kernels import count_ancestors_by_bits
from hypercone.methods.scoring import Counts, Rows


def spanning_forest(hierarchy: Hierarchy) -> Rows:
    """The kept parent of each row, or -1 for a root: the parent with the longest way down to it, then the lowest row.

    No forest of the hierarchy's edges keeps more pairs of its closure. A row's ancestors in a forest are the rows on
    one way down to it, so they are at most as many as its depth; the deepest parent has one less than that itself, and
    so each row keeps exactly as many ancestors as its depth.

    >>> diamond = Hierarchy.from_rows(["thing", "animal", "pet", "dog"], [[0, 1], [1, 2], [0, 3], [2, 3]])
    >>> spanning_forest(diamond).tolist()
    [-1, 0, 1, 2]
    """
    kept: Rows = deepest_parents(hierarchy.depths(), hierarchy.parents.offsets, hierarchy.parents.rows)
    return kept


def count_forest(hierarchy: Hierarchy) -> Counts:
    """What the spanning forest gets right and wrong over all ordered pairs of different rows.

    >>> count_forest(Hierarchy.from_rows(["thing", "pet", "animal", "dog"], [[0, 1], [0, 2], [1, 3], [2, 3]]))
    Counts(true_positives=4, false_positives=0, positives=5)
    """
    positives = hierarchy.count_closure()
    kept = int(hierarchy.depths().sum(dtype=np.int64))
    return Counts(kept, 0, count_by_bits(hierarchy) if positives is None else positives)


def count_by_bits(hierarchy: Hierarchy) -> int:
    """The number of pairs of the closure, whatever it takes: minutes for a million nodes with many parents each."""
    order = np.argsort(hierarchy.depths(), kind="stable").astype(np.int32)
    return int(count_ancestors_by_bits(frozen(order), hierarchy.parents.offsets, hierarchy.parents.rows))
