"""One epoch of each loss, compiled: randomness as a function of (seed, epoch, edge), draws, gradients, updates.

The margin loss makes two passes over the negative pairs of an edge. The first only tests, without branches, and marks
the pairs within the margin, which are few. The second computes gradients for the marked pairs. While one edge is
processed, the rows of the next are prefetched into the cache.

The softmax loss takes one end of each edge as the anchor; the other end must be nearer to it than the corrupted ones:
``−log(e^−d(anchor, true) / (e^−d(anchor, true) + Σ e^−d(anchor, corrupted)))``.
"""
# mypy: ignore-errors

from __future__ import annotations

import numpy as np
from numpy import uint64

from hypercone._jit import fma, kernel, kernel_part, prefetch_row, width
from hypercone._random_kernels import mix
from hypercone.hierarchy.graph_kernels import entries, list_length
from hypercone.methods.generic_kernels import (
    add_gradient,
    attraction,
    is_outside,
    is_within_margin,
    point_term,
    region,
    step,
)
from hypercone.methods.sum_kernels import norm_and_apart, squared_norm


@kernel_part
def _clear(gradient, dim):
    for k in range(width(dim)):
        gradient[k] = 0.0


@kernel_part
def _scale(of_parent, of_child, weight, dim):
    for k in range(width(dim)):
        of_parent[k] *= weight
        of_child[k] *= weight


@kernel(always_compiled=True)
def margin_epoch(points, memory, examples, order, method, optimizer, seed, epoch, dim):
    """Visit the edges in order, moving points in place; returns (violated positives, active negatives)."""
    edges, known, negatives = examples
    children, parents, relatives = negatives.children, negatives.parents, negatives.relatives
    weight = negatives.positive_weight
    both = children + parents + relatives
    rows = np.empty(2 * both, np.uint64)
    marked = np.empty(both, np.uint8)
    of_parent = np.zeros(width(dim))
    of_child = np.zeros(width(dim))
    of_other = np.zeros(width(dim))
    violated = 0
    pushed = 0
    here = uint64(0)
    there = uint64(both)
    # One iteration more than there are edges: each draws for the next edge, and the first does nothing else.
    for i in range(-1, order.size):
        here, there = there, here
        following = prefetch_edges(points, edges, order, i)
        draws = stream(seed, epoch, following)
        draw_rows(rows, there, 0, children, draws, negatives.child_pool, points)
        draw_rows(rows, there, children, parents, draws, negatives.parent_pool, points)
        if relatives > 0:
            parent = uint64(edges[following, 0])
            child = uint64(edges[following, 1])
            first = children + parents
            draw_relatives(rows, there, first, relatives, draws, negatives.relative_pools, parent, child, points)
        if i < 0:
            continue

        parent = uint64(edges[order[i], 0])
        child = uint64(edges[order[i], 1])
        cone = region(method, points, parent, negatives.push_children, dim)
        found = 0
        for j in range(children):
            mark = is_within_margin(method, cone, points, parent, rows[here + uint64(j)], dim)
            marked[uint64(j)] = mark
            found += mark
        for j in range(children, both):
            row = rows[here + uint64(j)]
            apex = region(method, points, row, negatives.push_parents, dim)
            mark = is_within_margin(method, apex, points, row, child, dim)
            marked[uint64(j)] = mark
            found += mark

        outside = is_outside(method, cone, points, parent, child, dim)
        if outside:
            add_gradient(method, cone, points, parent, child, 1.0, of_parent, of_child, dim)
            if weight != 1.0:
                _scale(of_parent, of_child, weight, dim)
            violated += 1
        if found > 0:
            for j in range(both):
                row = rows[here + uint64(j)]
                if marked[uint64(j)] == 0:
                    continue
                if j < children:
                    if row == parent or is_known(known, parent, row):
                        continue
                    add_gradient(method, cone, points, parent, row, -1.0, of_parent, of_other, dim)
                else:
                    if row == child or is_known(known, row, child):
                        continue
                    # Computed again, because the row may have moved since the test.
                    apex = region(method, points, row, negatives.push_parents, dim)
                    add_gradient(method, apex, points, row, child, -1.0, of_other, of_child, dim)
                step(optimizer, method, points, memory, row, of_other, dim)
                _clear(of_other, dim)
                pushed += 1
        if outside or found > 0:
            step(optimizer, method, points, memory, parent, of_parent, dim)
            step(optimizer, method, points, memory, child, of_child, dim)
            _clear(of_parent, dim)
            _clear(of_child, dim)
    return violated, pushed


@kernel_part
def _anchor_is_parent(draws, children, parents):
    """Whether the parent is the anchor; if both ends are corrupted, drawn in proportion to the two counts."""
    return below(mix(draws + uint64(0xFFFFFFFF)), children + parents) < uint64(children)


@kernel_part
def _draw(rows, at, points, draws, negatives):
    """The rows for one edge; returns whether its parent is the anchor."""
    count = negatives.children + negatives.parents
    if _anchor_is_parent(draws, negatives.children, negatives.parents):
        draw_rows(rows, at, 0, count, draws, negatives.child_pool, points)
        return True
    draw_rows(rows, at, 0, count, draws, negatives.parent_pool, points)
    return False


@kernel_part
def _keep_corrupted(candidates, rows, at, count, anchor, anchor_is_parent, known):
    """Write the drawn rows that are not known to be true behind the true end; returns the number of candidates."""
    found = uint64(1)
    for j in range(count):
        row = rows[at + uint64(j)]
        candidates[found] = row
        parent = anchor if anchor_is_parent else row
        child = row if anchor_is_parent else anchor
        if row != anchor and not is_known(known, parent, child):
            found += uint64(1)
    return found


@kernel(always_compiled=True)
def softmax_epoch(points, memory, examples, order, method, optimizer, seed, epoch, dim):
    """Visit the edges in order, moving points in place; returns (edges not ranked first, negatives used)."""
    edges, known, negatives = examples
    size = negatives.children + negatives.parents
    rows = np.empty(2 * size, np.uint64)
    candidates = np.empty(size + 2, np.uint64)
    norms = np.empty(size + 1)
    distances = np.empty(size + 1)
    weights = np.empty(size + 1)
    slopes = np.empty(size + 1)
    to_anchor = np.empty(size + 1)
    to_other = np.empty(size + 1)
    of_anchor = np.zeros(width(dim))
    of_other = np.zeros(width(dim))
    violated = 0
    used = 0
    here = uint64(0)
    there = uint64(size)
    draws = stream(seed, epoch, order[0])
    next_anchor_is_parent = _draw(rows, here, points, draws, negatives)
    for i in range(order.size):
        anchor_is_parent = next_anchor_is_parent
        draws = stream(seed, epoch, prefetch_edges(points, edges, order, i))
        next_anchor_is_parent = _draw(rows, there, points, draws, negatives)

        anchor = uint64(edges[order[i], 0] if anchor_is_parent else edges[order[i], 1])
        candidates[0] = uint64(edges[order[i], 1] if anchor_is_parent else edges[order[i], 0])
        found = _keep_corrupted(candidates, rows, here, size, anchor, anchor_is_parent, known)
        anchor_term = point_term(method, squared_norm(points, anchor, dim))
        for j in range(found):
            norms[j], distances[j] = norm_and_apart(points, anchor, candidates[j], dim)
        total = 0.0
        # A separate loop over plain arrays, so that its divisions and roots are vectorized.
        for j in range(found):
            weights[j], slopes[j], to_anchor[j], to_other[j] = attraction(
                method, distances[j], anchor_term, point_term(method, norms[j])
            )
        # Another loop, because a sum cannot be vectorized in a fixed order.
        for j in range(found):
            total += weights[j]
        share = 1.0 / total
        nearer = False
        for j in range(found):
            nearer |= weights[j] > weights[0]
        violated += nearer
        used += np.int64(found) - 1
        for j in range(found):
            # ∂loss/∂d is 1 − p for the true end, exactly 0 if it is alone, and −p for a corrupted one.
            pull = ((total if j == 0 else 0.0) - weights[j]) * share * slopes[j]
            row = candidates[j]
            for k in range(width(dim)):
                delta = points[anchor, k] - points[row, k]
                of_anchor[k] = fma(pull, fma(to_anchor[j], points[anchor, k], delta), of_anchor[k])
                of_other[k] = pull * fma(to_other[j], points[row, k], -delta)
            step(optimizer, method, points, memory, row, of_other, dim)
        step(optimizer, method, points, memory, anchor, of_anchor, dim)
        for k in range(width(dim)):
            of_anchor[k] = 0.0
        here, there = there, here
    return violated, used


# Edges are visited in random order. Far enough ahead to hide the latency, near enough to be still in the cache.
LOOKAHEAD = 12


@kernel_part
def draw_rows(rows, at, first, count, draws, pool, points):
    """Write draws first … first+count−1 of a stream as random rows of the pool, and prefetch them.

    They are written to rows[at + first] and following. Callers keep two halves and draw for the next edge before they
    process the current one, so that the rows arrive in the cache in time.
    """
    for j in range(first, first + count):
        row = uint64(pool[below(mix(draws + uint64(j)), pool.size)])
        prefetch_row(points, row)
        rows[at + uint64(j)] = row


@kernel_part
def draw_relatives(rows, at, first, count, draws, pools, parent, child, points):
    """Like ``draw_rows``, from a parent's list of relatives; without any, the child itself, which is never used."""
    start = pools.offsets[parent]
    size = list_length(pools, parent)
    for j in range(first, first + count):
        row = child
        if size > 0:
            row = uint64(pools.rows[uint64(start) + below(mix(draws + uint64(j)), size)])
        prefetch_row(points, row)
        rows[at + uint64(j)] = row


@kernel_part
def prefetch_edges(points, edges, order, i):
    """Prefetch the ends of the next edge and, further ahead, the edges themselves; returns the next edge."""
    last = order.size - 1
    prefetch_row(edges, uint64(order[min(i + LOOKAHEAD, last)]))
    following = order[min(i + 1, last)]
    prefetch_row(points, uint64(edges[following, 0]))
    prefetch_row(points, uint64(edges[following, 1]))
    return following


@kernel_part
def is_known(known, parent, child):
    """Whether the pair is known to be true; the lists are short, so a scan is faster than bisection or a hash."""
    for i in entries(known, child):
        if known.rows[i] == parent:
            return True
    return False


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
