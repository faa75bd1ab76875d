"""One epoch of the softmax loss on distances (Nickel and Kiela, 2017), compiled.

Of each edge one end is the anchor; the other end must be nearer to it than the corrupted ones:
``−log(e^−d(anchor, true) / (e^−d(anchor, true) + Σ e^−d(anchor, corrupted)))``.
"""
# mypy: ignore-errors

import numpy as np
from numpy import uint64

from hypercone._jit import kernel, kernel_part, width
from hypercone.methods.generic_kernels import attraction, room, step
from hypercone.training.random_kernels import below, mix, stream
from hypercone.training.sampling_kernels import draw_rows, is_known, prefetch_edges


@kernel_part
def _separation(points, anchor, other, dim):
    """(|other|², |anchor − other|²)"""
    squared_norm = 0.0
    squared_distance = 0.0
    for k in range(width(dim)):
        x = points[other, k]
        delta = points[anchor, k] - x
        squared_norm += x * x
        squared_distance += delta * delta
    return squared_norm, squared_distance


@kernel_part
def _anchor_is_parent(draws, children, parents):
    """With corruption of both ends, which one stays is drawn in proportion to the two counts."""
    return below(mix(draws + uint64(0xFFFFFFFF)), children + parents) < uint64(children)


@kernel_part
def _draw(rows, at, points, draws, children, parents, child_pool, parent_pool):
    """The rows for one edge; returns whether its parent is the anchor."""
    if _anchor_is_parent(draws, children, parents):
        draw_rows(rows, at, 0, children + parents, draws, child_pool, points)
        return True
    draw_rows(rows, at, 0, children + parents, draws, parent_pool, points)
    return False


@kernel_part
def _keep_corrupted(candidates, rows, at, count, anchor, anchor_is_parent, known_offsets, known_parents):
    """The drawn rows that are not known to belong, behind the true end; returns how many candidates there are."""
    found = uint64(1)
    for j in range(count):
        row = rows[at + uint64(j)]
        candidates[found] = row
        parent = anchor if anchor_is_parent else row
        child = row if anchor_is_parent else anchor
        if row != anchor and not is_known(known_offsets, known_parents, parent, child):
            found += uint64(1)
    return found


@kernel
def softmax_epoch(points, memory, edges, order, known, negatives, method, optimizer, seed, epoch, dim):
    """Visit the edges in order, moving points in place; returns (edges not ranked first, negatives used)."""
    known_offsets, known_parents = known
    children, parents, _, child_pool, parent_pool, _, _, _, _, _ = negatives
    size = children + parents
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
    next_anchor_is_parent = _draw(rows, here, points, draws, children, parents, child_pool, parent_pool)
    for i in range(order.size):
        anchor_is_parent = next_anchor_is_parent
        draws = stream(seed, epoch, prefetch_edges(points, edges, order, i))
        next_anchor_is_parent = _draw(rows, there, points, draws, children, parents, child_pool, parent_pool)

        anchor = uint64(edges[order[i], 0] if anchor_is_parent else edges[order[i], 1])
        candidates[0] = uint64(edges[order[i], 1] if anchor_is_parent else edges[order[i], 0])
        found = _keep_corrupted(candidates, rows, here, size, anchor, anchor_is_parent, known_offsets, known_parents)
        anchor_room = room(method, _separation(points, anchor, anchor, dim)[0])
        for j in range(found):
            norms[j], distances[j] = _separation(points, anchor, candidates[j], dim)
        total = 0.0
        # A loop of its own over plain arrays: this is where the divisions and roots are, and it vectorises.
        for j in range(found):
            weights[j], slopes[j], to_anchor[j], to_other[j] = attraction(
                method, distances[j], anchor_room, room(method, norms[j])
            )
            total += weights[j]
        share = 1.0 / total
        nearer = False
        for j in range(found):
            nearer |= weights[j] > weights[0]
        violated += nearer
        used += np.int64(found) - 1
        for j in range(found):
            # ∂loss/∂d is 1 − p for the true end and −p for a corrupted one.
            pull = ((1.0 if j == 0 else 0.0) - weights[j] * share) * slopes[j]
            row = candidates[j]
            for k in range(width(dim)):
                delta = points[anchor, k] - points[row, k]
                of_anchor[k] += pull * (delta + to_anchor[j] * points[anchor, k])
                of_other[k] = pull * (to_other[j] * points[row, k] - delta)
            step(optimizer, method, points, memory, row, of_other, dim)
        step(optimizer, method, points, memory, anchor, of_anchor, dim)
        for k in range(width(dim)):
            of_anchor[k] = 0.0
        here, there = there, here
    return violated, used
