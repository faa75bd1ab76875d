"""Drawing corrupted nodes ahead of their use, and telling pairs known to be true, compiled."""
# mypy: ignore-errors

from numpy import uint64

from hypercone._jit import kernel_part, prefetch_row
from hypercone.training.random_kernels import below, mix

# Edges are visited in random order: far enough ahead to hide the wait, near enough to be still in the cache.
LOOKAHEAD = 12


@kernel_part
def draw_rows(rows, at, first, count, draws, pool, points):
    """Draws first … first+count−1 of a stream as random rows of the pool, on their way into the cache.

    They go to rows[at + first] and on. Callers keep two halves and draw for the next edge before they work on this
    one: a row needs that long to arrive.
    """
    for j in range(first, first + count):
        row = uint64(pool[below(mix(draws + uint64(j)), pool.size)])
        prefetch_row(points, row)
        rows[at + uint64(j)] = row


@kernel_part
def draw_relatives(rows, at, first, count, draws, offsets, relatives, parent, child, points):
    """The same from one parent's list of relatives; where it has none the child itself, which is never used."""
    start = offsets[parent]
    size = offsets[parent + uint64(1)] - start
    for j in range(first, first + count):
        row = child
        if size > 0:
            row = uint64(relatives[uint64(start) + below(mix(draws + uint64(j)), size)])
        prefetch_row(points, row)
        rows[at + uint64(j)] = row


@kernel_part
def prefetch_edges(points, edges, order, i):
    """Fetch the ends of the next edge and, further ahead, the edges themselves; returns the next edge."""
    last = order.size - 1
    prefetch_row(edges, uint64(order[min(i + LOOKAHEAD, last)]))
    following = order[min(i + 1, last)]
    prefetch_row(points, uint64(edges[following, 0]))
    prefetch_row(points, uint64(edges[following, 1]))
    return following


@kernel_part
def is_known(known_offsets, known_parents, parent, child):
    """Whether the pair is known to be true: a scan of the child's short list, faster than any hash."""
    for i in range(known_offsets[child], known_offsets[child + uint64(1)]):
        if known_parents[i] == parent:
            return True
    return False
