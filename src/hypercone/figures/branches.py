"""The big branches of a hierarchy, each to have a colour of its own."""

from __future__ import annotations

import numpy as np

from hypercone.hierarchy import Hierarchy
from hypercone.methods.scoring import Rows

MOST = 12
# A branch is split into those below it while it has more than this many times its fair share of the nodes, and while
# the branches that then get no colour have no more than that share of all.
TOO_BIG, UNCOLOURED = 1.5, 0.15


def branches(hierarchy: Hierarchy, most: int = MOST) -> Rows:
    """For each row which of the big branches it belongs to, the biggest first, and −1 for what lies in none.

    A node with several parents is counted under one of them, so that the branches do not overlap.

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle"), ("dog", "beagle")])
    >>> branches(pets, most=2).tolist()
    [-1, 0, 1, 0, 0]
    """
    parents = one_parent_each(hierarchy)
    from_the_top = np.argsort(hierarchy.depths(), kind="stable").astype(np.int32)
    tops = _tops(hierarchy, parents, _sizes(parents, from_the_top), most)
    of_row = np.full(len(hierarchy), -1, np.int32)
    of_row[tops] = np.arange(len(tops), dtype=np.int32)
    found, above = of_row.tolist(), parents.tolist()
    for row in from_the_top.tolist():
        if found[row] < 0 and above[row] >= 0:
            found[row] = found[above[row]]
    return np.array(found, np.int32)


def one_parent_each(hierarchy: Hierarchy) -> Rows:
    """The deepest parent of each row, of several the first, so that the way up is long; −1 for a root."""
    depths, parents = hierarchy.depths(), np.full(len(hierarchy), -1, np.int32)
    edges = hierarchy.edges[np.lexsort((-hierarchy.edges[:, 0], depths[hierarchy.edges[:, 0]]))]
    # Of several written to one place the last stays.
    parents[edges[:, 1]] = edges[:, 0]
    return parents


def _sizes(parents: Rows, from_the_top: Rows) -> list[int]:
    """How many rows hang below each row, itself among them."""
    sizes, above = [1] * len(parents), parents.tolist()
    for row in from_the_top[::-1].tolist():
        if above[row] >= 0:
            sizes[above[row]] += sizes[row]
    return sizes


def _tops(hierarchy: Hierarchy, parents: Rows, sizes: list[int], most: int) -> list[int]:
    """The top nodes of the branches, the biggest first."""

    def in_order(rows: list[int]) -> list[int]:
        return sorted(rows, key=lambda row: (-sizes[row], row))

    tops, whole, left_out = in_order(hierarchy.roots.tolist()), set[int](), 0
    tops = tops[:most]
    while True:
        top = next((row for row in tops if row not in whole), None)
        if top is None or sizes[top] * most <= TOO_BIG * len(sizes):
            return tops
        below = hierarchy.children[top]
        split = in_order([row for row in tops if row != top] + below[parents[below] == top].tolist())
        without = left_out + sum(sizes[row] for row in split[most:])
        if len(split) >= len(tops) and without <= UNCOLOURED * len(sizes):
            tops, left_out = split[:most], without
        else:
            whole.add(top)
