"""Refusing edges that run in a circle, with the shortest circle as evidence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hypercone._arrays import Adjacency, Rows
from hypercone.errors import HierarchyError, visible
from hypercone.hierarchy.cycle_kernels import shortest_cycle
from hypercone.hierarchy.graph_kernels import topological_order

# Exact on anything but a dense tangle of millions of edges; there the shortest cycle found so far is shown.
SEARCH_STEPS = 1_000_000_000
SHOWN_IN_FULL = 8


class CycleError(HierarchyError):
    """The edges run in a circle; in ``cycle`` each row is the parent of the next, the last of the first."""

    def __init__(self, message: str, cycle: tuple[int, ...]) -> None:
        super().__init__(message)
        self.cycle = cycle


def order_from_the_top(names: Sequence[str], parents: Adjacency, children: Adjacency) -> Rows:
    """Rows such that each comes after its parents; CycleError if there is no such order."""
    if bool((parents.rows < parents.groups()).all()):
        # Already in order, as our own files are: then there is no cycle, and the compiler need not be loaded.
        return np.arange(len(parents), dtype=np.int32)

    order: Rows = topological_order(children.offsets, children.rows, parents.counts)
    if len(order) < len(parents):
        raise _cycle_error(names, parents, children)
    return order


def in_words(names: Sequence[str], cycle: Sequence[int]) -> str:
    """A cycle for a person, the middle left out if it is long.

    >>> in_words(["a", "b"], [0, 1])
    'a → b → a'
    """
    shown = [visible(names[row]) for row in cycle]
    if len(shown) <= SHOWN_IN_FULL:
        return " → ".join([*shown, shown[0]])
    return " → ".join([*shown[:3], "…", *shown[-2:], shown[0]]) + f" ({len(shown):,} edges)"


def _cycle_error(names: Sequence[str], parents: Adjacency, children: Adjacency) -> CycleError:

    found = shortest_cycle(parents.offsets, parents.rows, children.offsets, children.rows, SEARCH_STEPS)
    cycle = tuple(int(row) for row in found)
    message = f"the edges run in a circle, parent → child: {in_words(names, cycle)}; remove one of these edges"
    return CycleError(message, cycle)
