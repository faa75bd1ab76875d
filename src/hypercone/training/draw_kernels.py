"""The random draws of training, compiled: all are functions of (seed, epoch, edge), so no generator has a state.

Negative pairs are drawn for a block of edges at a time. One that is known to be true, or a node with itself, is drawn
again. Whether a pair is known is asked for every draw, so most are answered by a few bits, without another access to
memory. Each node has a *mark* as a parent, and a *signature*, the union of its own mark and those of its known parents:
unless the mark of a parent is in it, the pair is not known. If it is, the list of known parents decides.

Where children are drawn, the signature is beside each row of the pool, in one number. There the parents with the most
known children have a bit of their own as a mark, which decides alone. Where parents are drawn, a mark is two bits that
are computed from the row, and the signature is that of the child.
"""
# mypy: ignore-errors

from __future__ import annotations

import numpy as np
from numpy import uint64

from hypercone._jit import kernel, kernel_part, prefetch_row
from hypercone._random_kernels import mix
from hypercone.hierarchy.graph_kernels import entries

# So many edges are drawn for at a time: their rows fit into the innermost cache.
BLOCK = 128
# Edges are visited in random order. Far enough ahead to hide the latency, near enough to be still in the cache.
LOOKAHEAD = 12
# Draws for one negative pair. If half of all nodes are known to be below a node, one pair in 2³² is not found.
MOST_DRAWS = 32
# Draws of a relative, before any node is taken that may replace the parent.
MOST_DRAWS_OF_RELATIVES = 2
# Apart from each other in the stream of an edge: which end is the anchor, and further draws for one pair.
WHICH_END, NEXT_DRAW = uint64(0xFFFFFFFF), uint64(1 << 32)
# The number of a line is put above that of a column.
LINE, COLUMN = uint64(32), uint64(0xFFFFFFFF)


@kernel_part
def stream(seed, epoch, edge):
    """The start of the stream of draws for one edge in one epoch."""
    return mix(mix(mix(uint64(seed)) + uint64(epoch)) + uint64(edge))


@kernel_part
def below(bits, bound):
    """An integer in [0, bound) from the upper 32 random bits; the bias is below 2⁻³² · bound."""
    return ((bits >> uint64(32)) * uint64(bound)) >> uint64(32)


@kernel(always_compiled=True)
def shuffled_order(count, seed, epoch):
    """A permutation of 0 … count−1 that depends on (seed, epoch) only."""
    order = np.empty(count, np.uint32)
    for i in range(count):
        order[i] = i
    start = stream(seed, epoch, uint64(0xFFFFFFFFFFFFFFFF))
    for i in range(count - 1, 0, -1):
        j = below(mix(start + uint64(i)), i + 1)
        order[uint64(i)], order[j] = order[j], order[uint64(i)]
    return order


@kernel_part
def is_known(known, parent, child):
    """Whether the pair is known to be true."""
    return _is_listed(known.offsets, known.rows, child, parent)


@kernel_part
def _is_listed(offsets, listed, child, parent):
    """Whether a parent is in the list of a child; lists are short, so a scan is faster than bisection or a hash."""
    child = uint64(child)
    for i in range(offsets[child], offsets[child + uint64(1)]):
        if listed[i] == parent:
            return True
    return False


@kernel_part
def _two_bits(row):
    """Two bits of 64, by a multiplicative hash."""
    bits = row * uint64(0x9E3779B97F4A7C15)
    return (uint64(1) << (bits >> uint64(58))) | (uint64(1) << ((bits >> uint64(52)) & uint64(63)))


@kernel(always_compiled=True)
def signatures_of(known, marks):
    """For each node, the union of the marks of its known parents and its own; the same of their two bits."""
    by_mark = np.empty((marks.size, 1), np.uint64)
    by_two = np.empty((marks.size, 1), np.uint64)
    for child in range(marks.size):
        mark = marks[child, 0]
        two = _two_bits(uint64(child))
        for i in entries(known, child):
            mark |= marks[known.rows[i], 0]
            two |= _two_bits(uint64(known.rows[i]))
        by_mark[child, 0] = mark
        by_two[child, 0] = two
    return by_mark, by_two


@kernel_part
def anchor_is_parent(draws, children, parents):
    """Whether the parent is the anchor of an edge; if both ends are corrupted, drawn in proportion to the counts."""
    return below(mix(draws + WHICH_END), children + parents) < uint64(children)


@kernel(always_compiled=True)
def draw_block(rows, doubtful, examples, order, begin, end, seed, epoch, one_end):
    """Write the rows that make negative pairs of the edges ``order[begin:end]``, one line of ``rows`` per edge.

    First those that replace the child, then those that replace the parent, then relatives that do; with ``one_end``,
    all replace the end that is not the anchor. A row that could not be found, since its anchor is known to be related
    to (nearly) all, is the anchor itself. ``doubtful`` is scratch memory, one longer than there are rows.
    """
    edges, known, negatives = examples
    width = rows.shape[1]
    if negatives.children > 0:
        _draw_children(rows, doubtful, edges, known, negatives, order, begin, end, seed, epoch, one_end)
    if negatives.children < width:
        _draw_parents(rows, doubtful, edges, known, negatives, order, begin, end, seed, epoch, one_end)


@kernel_part
def _draw_children(rows, doubtful, edges, known, negatives, order, begin, end, seed, epoch, one_end):
    """The rows that replace the child: draw all, and note which may be known; draw those again that are."""
    # The arrays by themselves: numba counts references where it takes them out of a tuple, which is slow in a loop.
    pool, marks, offsets, listed = known.child_pool, known.marks, known.offsets, known.rows
    row_bits, own_marks = known.row_bits, known.own_marks
    count = rows.shape[1] if one_end else negatives.children
    last = order.size - 1
    found = uint64(0)
    for i in range(begin, end):
        prefetch_row(edges, uint64(order[min(i + LOOKAHEAD, last)]))
        prefetch_row(marks, uint64(edges[order[min(i + LOOKAHEAD // 2, last)], 0]))
        draws = stream(seed, epoch, order[i])
        if one_end and not anchor_is_parent(draws, negatives.children, negatives.parents):
            continue
        mark = marks[uint64(edges[order[i], 0]), 0]
        line = uint64(i - begin)
        for j in range(count):
            entry = pool[below(mix(draws + uint64(j)), pool.size)]
            rows[line, uint64(j)] = entry & row_bits
            doubtful[found] = (line << LINE) | uint64(j)
            found += uint64(entry & mark == mark)

    hopeless = rows.shape[0]
    for i in range(found):
        line = doubtful[uint64(i)] >> LINE
        j = doubtful[uint64(i)] & COLUMN
        edge = order[uint64(begin) + line]
        parent = uint64(edges[edge, 0])
        mark = marks[parent, 0]
        is_own = mark & own_marks != uint64(0)
        counter = stream(seed, epoch, edge) + j
        row = uint64(rows[line, j])
        # Once no row was found for an edge, its others are not drawn again.
        left = MOST_DRAWS if np.int64(line) != hopeless else 1
        while is_own or row == parent or _is_listed(offsets, listed, row, parent):
            left -= 1
            if left == 0:
                row = parent
                hopeless = np.int64(line)
                break
            counter += NEXT_DRAW
            entry = pool[below(mix(counter), pool.size)]
            row = entry & row_bits
            if entry & mark != mark:
                break
        rows[line, j] = row


@kernel_part
def _draw_parents(rows, doubtful, edges, known, negatives, order, begin, end, seed, epoch, one_end):
    """The rows that replace the parent, by any node of the pool or a relative: as for children."""
    pool, relatives, firsts = negatives.parent_pool, negatives.relative_pools.rows, negatives.relative_pools.offsets
    signatures, offsets, listed = known.signatures, known.offsets, known.rows
    first_relative = rows.shape[1] - negatives.relatives
    last = order.size - 1
    found = uint64(0)
    for i in range(begin, end):
        prefetch_row(edges, uint64(order[min(i + LOOKAHEAD, last)]))
        prefetch_row(signatures, uint64(edges[order[min(i + LOOKAHEAD // 2, last)], 1]))
        draws = stream(seed, epoch, order[i])
        if one_end and anchor_is_parent(draws, negatives.children, negatives.parents):
            continue
        child = uint64(edges[order[i], 1])
        absent = ~signatures[child, 0]
        line = uint64(i - begin)
        for j in range(0 if one_end else negatives.children, first_relative):
            row = uint64(pool[below(mix(draws + uint64(j)), pool.size)])
            rows[line, uint64(j)] = row
            doubtful[found] = (line << LINE) | uint64(j)
            found += uint64(_two_bits(row) & absent == uint64(0))
        if negatives.relatives > 0:
            parent = uint64(edges[order[i], 0])
            first = uint64(firsts[parent])
            size = uint64(firsts[parent + uint64(1)]) - first
            for j in range(first_relative, rows.shape[1]):
                bits = mix(draws + uint64(j))
                row = uint64(relatives[first + below(bits, size)] if size > uint64(0) else pool[below(bits, pool.size)])
                rows[line, uint64(j)] = row
                doubtful[found] = (line << LINE) | uint64(j)
                found += uint64(_two_bits(row) & absent == uint64(0))

    hopeless = rows.shape[0]
    for i in range(found):
        line = doubtful[uint64(i)] >> LINE
        j = doubtful[uint64(i)] & COLUMN
        edge = order[uint64(begin) + line]
        child = uint64(edges[edge, 1])
        counter = stream(seed, epoch, edge) + j
        row = uint64(rows[line, j])
        others = 0
        first = uint64(0)
        size = uint64(0)
        if np.int64(j) >= first_relative:
            first = uint64(firsts[uint64(edges[edge, 0])])
            size = uint64(firsts[uint64(edges[edge, 0]) + uint64(1)]) - first
            others = MOST_DRAWS_OF_RELATIVES - 1 if size > uint64(0) else 0
        left = MOST_DRAWS if np.int64(line) != hopeless else 1
        while row == child or _is_listed(offsets, listed, child, row):
            counter += NEXT_DRAW
            if others > 0:
                others -= 1
                row = uint64(relatives[first + below(mix(counter), size)])
                continue
            left -= 1
            if left == 0:
                row = child
                hopeless = np.int64(line)
                break
            row = uint64(pool[below(mix(counter), pool.size)])
        rows[line, j] = row
