"""One epoch of each loss, compiled: draws, gradients, updates; see ``draw_kernels`` and ``update_kernels``.

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
from hypercone.methods.generic_kernels import (
    add_gradient,
    attraction,
    is_outside,
    is_within_margin,
    point_term,
    region,
)
from hypercone.methods.sum_kernels import norm_and_apart, squared_norm
from hypercone.training.draw_kernels import BLOCK, anchor_is_parent, draw_block, stream
from hypercone.training.update_kernels import end_edge, move


@kernel_part
def _clear(gradient, dim):
    for k in range(width(dim)):
        gradient[k] = 0.0


@kernel_part
def _scale(of_parent, of_child, weight, dim):
    for k in range(width(dim)):
        of_parent[k] *= weight
        of_child[k] *= weight


@kernel_part
def prefetch_next(points, edges, rows, order, i):
    """Prefetch the ends of the next edge, and the rows that were drawn for it if it is in the same block."""
    following = order[min(i + 1, order.size - 1)]
    prefetch_row(points, uint64(edges[following, 0]))
    prefetch_row(points, uint64(edges[following, 1]))
    line = uint64((i + 1) % BLOCK)
    for j in range(rows.shape[1]):
        prefetch_row(points, uint64(rows[line, uint64(j)]))


@kernel(always_compiled=True)
def margin_epoch(points, memory, examples, order, method, optimizer, updates, seed, epoch, dim):
    """Visit the edges in order, moving points in place; returns (violated positives, active negatives)."""
    edges, negatives = examples.edges, examples.negatives
    children, parents, relatives = negatives.children, negatives.parents, negatives.relatives
    weight = negatives.positive_weight
    both = children + parents + relatives
    rows = np.zeros((BLOCK, both), np.uint32)
    doubtful = np.empty(BLOCK * both + 1, np.uint64)
    marked = np.empty(both, np.uint8)
    of_parent = np.zeros(width(dim))
    of_child = np.zeros(width(dim))
    of_other = np.zeros(width(dim))
    violated = 0
    pushed = 0
    for i in range(order.size):
        line = uint64(i % BLOCK)
        if line == uint64(0):
            draw_block(rows, doubtful, examples, order, i, min(i + BLOCK, order.size), seed, epoch, False)
        prefetch_next(points, edges, rows, order, i)
        parent = uint64(edges[order[i], 0])
        child = uint64(edges[order[i], 1])
        cone = region(method, points, parent, negatives.push_children, dim)
        found = 0
        for j in range(children):
            mark = is_within_margin(method, cone, points, parent, uint64(rows[line, uint64(j)]), dim)
            marked[uint64(j)] = mark
            found += mark
        for j in range(children, both):
            row = uint64(rows[line, uint64(j)])
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
                row = uint64(rows[line, uint64(j)])
                if marked[uint64(j)] == 0:
                    continue
                if j < children:
                    if row == parent:
                        continue
                    add_gradient(method, cone, points, parent, row, -1.0, of_parent, of_other, dim)
                else:
                    if row == child:
                        continue
                    # Computed again, because the row may have moved since the test.
                    apex = region(method, points, row, negatives.push_parents, dim)
                    add_gradient(method, apex, points, row, child, -1.0, of_other, of_child, dim)
                move(updates, optimizer, method, points, memory, row, of_other, dim)
                _clear(of_other, dim)
                pushed += 1
        if outside or found > 0:
            move(updates, optimizer, method, points, memory, parent, of_parent, dim)
            move(updates, optimizer, method, points, memory, child, of_child, dim)
            _clear(of_parent, dim)
            _clear(of_child, dim)
        end_edge(updates, optimizer, method, points, memory, i == order.size - 1, dim)
    return violated, pushed


@kernel(always_compiled=True)
def softmax_epoch(points, memory, examples, order, method, optimizer, updates, seed, epoch, dim):
    """Visit the edges in order, moving points in place; returns (edges not ranked first, negatives used)."""
    edges, negatives = examples.edges, examples.negatives
    size = negatives.children + negatives.parents
    rows = np.zeros((BLOCK, size), np.uint32)
    doubtful = np.empty(BLOCK * size + 1, np.uint64)
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
    for i in range(order.size):
        line = uint64(i % BLOCK)
        if line == uint64(0):
            draw_block(rows, doubtful, examples, order, i, min(i + BLOCK, order.size), seed, epoch, True)
        prefetch_next(points, edges, rows, order, i)
        parent_is_anchor = anchor_is_parent(stream(seed, epoch, order[i]), negatives.children, negatives.parents)
        anchor = uint64(edges[order[i], 0] if parent_is_anchor else edges[order[i], 1])
        candidates[0] = uint64(edges[order[i], 1] if parent_is_anchor else edges[order[i], 0])
        found = uint64(1)
        for j in range(size):
            row = uint64(rows[line, uint64(j)])
            candidates[found] = row
            found += uint64(row != anchor)
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
            move(updates, optimizer, method, points, memory, row, of_other, dim)
        move(updates, optimizer, method, points, memory, anchor, of_anchor, dim)
        _clear(of_anchor, dim)
        end_edge(updates, optimizer, method, points, memory, i == order.size - 1, dim)
    return violated, used
