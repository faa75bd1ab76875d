"""The big branches of a hierarchy, each to have a colour of its own."""

from __future__ import annotations

import numpy as np

from hypercone.construction.forest import spanning_forest
from hypercone.figures.importance import nodes_below
from hypercone.hierarchy import Hierarchy
from hypercone.methods.scoring import Rows

MOST = 12
# A branch is split into those below it while it has more than this many times its fair share of the nodes, and while
# the branches that then get no colour have no more than that share of all.
TOO_BIG, UNCOLOURED = 1.5, 0.15
# Up to so many nodes people know the branches by the names of their tops, mostly the children of the root: there a
# branch is split only if it has nearly all nodes.
SMALL, NEARLY_ALL = 100, 0.75
# From so many roots on, none with most of the nodes, the roots are the tops.
FEW_ROOTS = 4


def branches(hierarchy: Hierarchy, most: int = MOST) -> Rows:
    """For each row which of the big branches it belongs to, the biggest first, and −1 for what lies in none.

    A node with several parents is counted under one of them, so that the branches do not overlap.

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle"), ("dog", "beagle")])
    >>> branches(pets, most=2).tolist()
    [-1, 0, 1, 0, 0]
    """
    parents = spanning_forest(hierarchy)
    tops = _tops(hierarchy, parents, (nodes_below(hierarchy) + 1).tolist(), most)
    of_row = np.full(len(hierarchy), -1, np.int32)
    of_row[tops] = np.arange(len(tops), dtype=np.int32)
    found, above = of_row.tolist(), parents.tolist()
    for row in np.argsort(hierarchy.depths(), kind="stable").tolist():
        if found[row] < 0 and above[row] >= 0:
            found[row] = found[above[row]]
    return np.array(found, np.int32)


def _tops(hierarchy: Hierarchy, parents: Rows, sizes: list[int], most: int) -> list[int]:
    """The top nodes of the branches, the biggest first."""

    def in_order(rows: list[int]) -> list[int]:
        return sorted(rows, key=lambda row: (-sizes[row], row))

    tops, whole, left_out = in_order(hierarchy.roots.tolist()), set[int](), 0
    if FEW_ROOTS <= len(tops) <= most and 2 * (sizes[tops[0]] - 1) <= len(sizes):
        return tops
    tops, share = tops[:most], TOO_BIG / most
    if len(sizes) <= SMALL:
        share = max(share, NEARLY_ALL)
    while True:
        top = next((row for row in tops if row not in whole), None)
        if top is None or sizes[top] <= share * len(sizes):
            return tops
        below = hierarchy.children[top]
        split = in_order([row for row in tops if row != top] + below[parents[below] == top].tolist())
        without = left_out + sum(sizes[row] for row in split[most:])
        if len(split) >= len(tops) and without <= UNCOLOURED * len(sizes):
            tops, left_out = split[:most], without
        else:
            whole.add(top)
