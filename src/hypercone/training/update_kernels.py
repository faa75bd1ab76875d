"""When gradients are applied, compiled: each as soon as it is known, or the sum of a batch at its end.

A loss calls ``move`` for every gradient and ``end_edge`` after every edge. The type of ``updates`` says what they do.
``OneByOne`` moves the node at once, so that the next gradient is computed where it is then. ``Summed`` adds up the
gradients of each node over a batch of edges, all computed at the points before the batch, and then moves every node
once, in the order in which they were first met.
"""
# mypy: ignore-errors

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hypercone._jit import generic, kernel_part, width
from hypercone.methods.generic_kernels import step

# move(updates, optimizer, method, points, memory, row, gradient, dim): apply a gradient of one node, now or later.
move = generic("move")
# end_edge(updates, optimizer, method, points, memory, is_last, dim): apply what is due after an edge.
end_edge = generic("end_edge")


class OneByOne(NamedTuple):
    """Every gradient moves its node at once."""

    size: int = 1


class Summed(NamedTuple):
    """The sums of a batch of ``size`` edges; ``place`` is where the sum of each node is, or −1.

    ``counts`` are the edges and the nodes of the batch so far, whose rows are in ``rows``.
    """

    size: int
    place: Any
    rows: Any
    sums: Any
    gradient: Any
    counts: Any


def make_updates(size: int, nodes: int, dim: int, negatives: int) -> OneByOne | Summed:
    """The updates for batches of this size, if an edge has so many negative pairs.

    >>> make_updates(1, 1000, 5, 10), make_updates(10, 1000, 5, 10).sums.shape
    (OneByOne(size=1), (120, 5))
    """
    if size == 1:
        return OneByOne()
    most = min(nodes, size * (2 + negatives))
    place, rows, counts = np.full(nodes, -1, np.int64), np.empty(most, np.uint64), np.zeros(2, np.int64)
    return Summed(size, place, rows, np.zeros((most, dim)), np.empty(dim), counts)


@move.register(OneByOne)
def _move_now(updates, optimizer, method, points, memory, row, gradient, dim):
    step(optimizer, method, points, memory, row, gradient, dim)


@end_edge.register(OneByOne)
def _nothing_is_due(updates, optimizer, method, points, memory, is_last, dim):
    pass


@move.register(Summed)
def _add_to_sum(updates, optimizer, method, points, memory, row, gradient, dim):
    place = updates.place[row]
    if place < 0:
        place = updates.counts[1]
        updates.counts[1] += 1
        updates.place[row] = place
        updates.rows[place] = row
        for k in range(width(dim)):
            updates.sums[place, k] = 0.0
    for k in range(width(dim)):
        updates.sums[place, k] += gradient[k]


@end_edge.register(Summed)
def _end_edge(updates, optimizer, method, points, memory, is_last, dim):
    updates.counts[0] += 1
    if updates.counts[0] == updates.size or is_last:
        _apply_sums(updates, optimizer, method, points, memory, dim)


@kernel_part
def _apply_sums(updates, optimizer, method, points, memory, dim):
    for place in range(updates.counts[1]):
        row = updates.rows[place]
        for k in range(width(dim)):
            # A copy, because a step may change its gradient.
            updates.gradient[k] = updates.sums[place, k]
        step(optimizer, method, points, memory, row, updates.gradient, dim)
        updates.place[row] = -1
    updates.counts[0] = 0
    updates.counts[1] = 0
