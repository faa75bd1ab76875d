"""Who is above and below whom in a graph: ancestors, descendants, parents, children and siblings of a row.

Rows are numbered by depth, so that every edge leads to a larger number; a search then meets rows in the order of the
answer and never sorts. Going up, the numbers are reversed. Nothing of the transitive closure is stored.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Adjacency, Rows, freeze
from hypercone.hierarchy.graph import Order, flipped_lists, reduced_parents
from hypercone.hierarchy.lineage_kernels import reachable, reaches


class Lineage:
    """The relatives of rows, each list by depth (the longest path from a root) and then by row.

    Parents and children are those of the transitive reduction: an edge that follows from others does not count.

    >>> from hypercone import Hierarchy
    >>> pets = Hierarchy(["animal", "dog", "cat", "poodle"], [[0, 1], [0, 2], [1, 3], [0, 3]])
    >>> lineage = pets.lineage
    >>> lineage.ancestors(3).tolist(), lineage.parents(3).tolist(), lineage.descendants(0).tolist()
    ([0, 1], [1], [1, 2, 3])
    >>> lineage.is_above([0, 2, 3], [3, 3, 3]).tolist()
    [True, False, True]
    """

    def __init__(self, order: Order, parents: Adjacency, children: Adjacency) -> None:
        """From the rows with their depths, and the given parents and children of each."""
        self._depths, self._given = order.depths, (order, parents, children)
        self._scratch = threading.local()

    def __len__(self) -> int:
        return len(self._depths)

    def __reduce__(self) -> tuple[type[Lineage], tuple[Order, Adjacency, Adjacency]]:
        # The scratch memory of threads cannot be copied, and a copy needs its own.
        return Lineage, self._given

    @cached_property
    def parent_lists(self) -> Adjacency:
        """The parents of each row in the transitive reduction, ascending."""
        return reduced_parents(*self._given)

    @cached_property
    def child_lists(self) -> Adjacency:
        """The children of each row in the transitive reduction, ascending."""
        _, parents, children = self._given
        return children if self.parent_lists is parents else flipped_lists(self.parent_lists)

    def ancestors(self, row: int) -> Rows:
        """The rows above a row."""
        found = reachable(self._start(self._number_up, row), self._up.csr, *self._marks())
        rows: Rows = self._order[len(self) - 1 - found[::-1]]
        return rows

    def descendants(self, row: int) -> Rows:
        """The rows below a row."""
        rows: Rows = self._order[reachable(self._start(self._number, row), self._down.csr, *self._marks())]
        return rows

    def parents(self, row: int) -> Rows:
        """The rows directly above a row."""
        return self._by_depth(self.parent_lists[row])

    def children(self, row: int) -> Rows:
        """The rows directly below a row."""
        return self._by_depth(self.child_lists[row])

    def siblings(self, row: int) -> dict[int, list[int]]:
        """The other children of the parents of a row, each with the shared parents."""
        shared: dict[int, list[int]] = {}
        for parent in self.parents(row).tolist():
            for child in self.child_lists[parent].tolist():
                shared.setdefault(child, []).append(parent)
        shared.pop(row, None)
        return {sibling: shared[sibling] for sibling in self._by_depth(np.array(list(shared), np.int32)).tolist()}

    def is_above(self, parents: Sequence[int] | Rows, children: Sequence[int] | Rows) -> NDArray[np.bool_]:
        """For each pair of rows, whether the parent is the child itself or above it."""
        starts, goals = (freeze(self._number_up[np.asarray(rows, np.int32)]) for rows in (children, parents))
        answers: NDArray[np.bool_] = reaches(starts, goals, self._up.csr, *self._marks())
        return answers

    def lowest_common(self, rows: Sequence[int]) -> Rows:
        """The lowest rows that each of the rows is, or is below."""
        common = reduce(np.intersect1d, [np.append(self.ancestors(row), np.int32(row)) for row in rows])
        # Every ancestor of a common ancestor is common too, so those that are not lowest are parents of others.
        above = [self.parent_lists[row] for row in common.tolist()]
        return self._by_depth(np.setdiff1d(common, np.concatenate(above)) if above else common)

    def _by_depth(self, rows: Rows) -> Rows:
        return self._order[np.sort(self._number[rows])]

    def _start(self, numbers: Rows, row: int) -> int:
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} is outside 0 … {len(self) - 1}")
        return int(numbers[row])

    def _marks(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The scratch memory of this thread for a search, an eighth of a byte per row."""
        marks: tuple[NDArray[np.uint64], NDArray[np.uint64]] | None = getattr(self._scratch, "marks", None)
        if marks is None:
            words = -(-len(self) // 64)
            marks = self._scratch.marks = np.zeros(words, np.uint64), np.zeros(-(-words // 64), np.uint64)
        return marks

    @cached_property
    def _order(self) -> Rows:
        return freeze(np.argsort(self._depths, kind="stable").astype(np.int32))

    @cached_property
    def _number(self) -> Rows:
        numbers = np.empty(len(self), np.int32)
        numbers[self._order] = np.arange(len(self), dtype=np.int32)
        return freeze(numbers)

    @cached_property
    def _number_up(self) -> Rows:
        return freeze(np.int32(len(self) - 1) - self._number)

    @cached_property
    def _down(self) -> Adjacency:
        return self._renumber(self._given[2], self._number)

    @cached_property
    def _up(self) -> Adjacency:
        return self._renumber(self._given[1], self._number_up)

    def _renumber(self, lists: Adjacency, numbers: Rows) -> Adjacency:
        return Adjacency.of_pairs(numbers[lists.groups()], numbers[lists.rows], len(self))
