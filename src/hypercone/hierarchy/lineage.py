"""Who is above and below whom in a graph: ancestors, descendants, parents, children and siblings of a row.

For a search, rows are numbered by depth, so that every edge leads to a larger number, and within a depth by their place
in a spanning forest, so that the descendants of a row are close together in memory. Going up, the numbers are reversed.
Nothing of the transitive closure is stored.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import CSR, Adjacency, Rows, freeze, pair_keys
from hypercone.hierarchy.graph import Order, flipped_lists, reduced_parents
from hypercone.hierarchy.graph_kernels import spanning_forest
from hypercone.hierarchy.lineage_kernels import reachable, reaches


class Marks(NamedTuple):
    """Memory for a search: a bit per row, a bit per 64 rows, and a list of rows, of which only a part is touched."""

    words: NDArray[np.uint64]
    blocks: NDArray[np.uint64]
    found: Rows


class GrowingMarks(NamedTuple):
    """Memory for a search that marks rows with numbers larger than all before, so that nothing has to be cleared."""

    marks: NDArray[np.int64]
    stack: Rows
    last: NDArray[np.int64]


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
        start = self._start(self._number_up, row)
        rows: Rows = reachable(start, self._up, *self._by_number_up, True, *self._marks())
        return rows

    def descendants(self, row: int) -> Rows:
        """The rows below a row."""
        start = self._start(self._number, row)
        rows: Rows = reachable(start, self._down, *self._by_number, False, *self._marks())
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
        answers: NDArray[np.bool_] = reaches(starts, goals, self._up, *self._marks()[:2])
        return answers

    def lowest_common(self, rows: Sequence[int]) -> Rows:
        """The lowest rows that each of the rows is, or is below."""
        common = reduce(np.intersect1d, [np.append(self.ancestors(row), np.int32(row)) for row in rows])
        # Every ancestor of a common ancestor is common too, so those that are not lowest are parents of others.
        above = [self.parent_lists[row] for row in common.tolist()]
        return self._by_depth(np.setdiff1d(common, np.concatenate(above)) if above else common)

    def _by_depth(self, rows: Rows) -> Rows:
        return rows[np.lexsort((rows, self._depths[rows]))]

    def _start(self, numbers: Rows, row: int) -> int:
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} is outside 0 … {len(self) - 1}")
        return int(numbers[row])

    def _marks(self) -> Marks:
        """The scratch memory of this thread."""
        marks: Marks | None = getattr(self._scratch, "marks", None)
        if marks is None:
            words = -(-len(self) // 64)
            bits, blocks = np.zeros(words, np.uint64), np.zeros(-(-words // 64), np.uint64)
            marks = self._scratch.marks = Marks(bits, blocks, np.empty(len(self), np.int32))
        return marks

    def marks_that_grow(self) -> GrowingMarks:
        """The memory of this thread for kernels that mark rows by number."""
        memory: GrowingMarks | None = getattr(self._scratch, "growing", None)
        if memory is None:
            marks, stack = np.zeros(len(self), np.int64), np.empty(len(self), np.int32)
            memory = self._scratch.growing = GrowingMarks(marks, stack, np.zeros(1, np.int64))
        return memory

    @cached_property
    def _by_number(self) -> tuple[Rows, Rows, Rows]:
        """The row and the depth of each number, and the end of the numbers of each depth."""
        order, parents, _ = self._given
        places, _ = spanning_forest(order.rows, order.depths, parents.csr)
        rows = np.argsort(pair_keys(self._depths, places, len(self))).astype(np.int32)
        ends = np.cumsum(np.bincount(self._depths)).astype(np.int32)
        return freeze(rows), freeze(self._depths[rows]), freeze(ends)

    @cached_property
    def _by_number_up(self) -> tuple[Rows, Rows, Rows]:
        """The same for the reversed numbers, with the first number of each depth."""
        rows, depths, ends = self._by_number
        return freeze(rows[::-1].copy()), freeze(depths[::-1].copy()), freeze(np.int32(len(self)) - ends)

    @cached_property
    def _number(self) -> Rows:
        numbers = np.empty(len(self), np.int32)
        numbers[self._by_number[0]] = np.arange(len(self), dtype=np.int32)
        return freeze(numbers)

    @cached_property
    def _number_up(self) -> Rows:
        return freeze(np.int32(len(self) - 1) - self._number)

    @cached_property
    def _down(self) -> CSR:
        return self._renumber(self._given[2], self._number)

    @cached_property
    def _up(self) -> CSR:
        return self._renumber(self._given[1], self._number_up)

    def _renumber(self, lists: Adjacency, numbers: Rows) -> CSR:
        renumbered = Adjacency.of_pairs(numbers[lists.groups()], numbers[lists.rows], len(self))
        # Half the memory of 64 bits, so that more of it is in the cache.
        is_small = len(renumbered.rows) < np.iinfo(np.int32).max
        offsets: Any = renumbered.offsets.astype(np.int32 if is_small else np.int64)
        return CSR(freeze(offsets), renumbered.rows)
