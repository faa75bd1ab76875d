"""One epoch of the max-margin loss, compiled: sampling, test, gradient and update in one loop.

Two passes over the corrupted pairs of an edge. The first only tests, without a branch, and marks the pairs still within
the margin; most are not and cost nothing more. The second computes gradients for the marked ones alone. While one edge
is worked on, the rows of the next are on their way into the cache.
"""
# mypy: ignore-errors

import numpy as np
from numpy import uint64

from hypercone._jit import kernel, kernel_part, width
from hypercone.methods.generic_kernels import add_gradient, is_outside, is_within_margin, region, step
from hypercone.training.random_kernels import stream
from hypercone.training.sampling_kernels import draw_relatives, draw_rows, is_known, prefetch_edges


@kernel_part
def _clear(gradient, dim):
    for k in range(width(dim)):
        gradient[k] = 0.0


@kernel_part
def _scale(of_parent, of_child, weight, dim):
    for k in range(width(dim)):
        of_parent[k] *= weight
        of_child[k] *= weight


@kernel
def margin_epoch(points, memory, edges, order, known, negatives, method, optimizer, seed, epoch, dim):
    """Visit the edges in order, moving points in place; returns (violated positives, active negatives)."""
    known_offsets, known_parents = known
    children, parents, relatives, child_pool, parent_pool, kin_offsets, kin = negatives[:7]
    push_children, push_parents, weight = negatives[7:]
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
    # One round more than there are edges: each draws for the next edge, and the first does nothing else.
    for i in range(-1, order.size):
        here, there = there, here
        following = prefetch_edges(points, edges, order, i)
        draws = stream(seed, epoch, following)
        draw_rows(rows, there, 0, children, draws, child_pool, points)
        draw_rows(rows, there, children, parents, draws, parent_pool, points)
        if relatives > 0:
            parent = uint64(edges[following, 0])
            child = uint64(edges[following, 1])
            first = children + parents
            draw_relatives(rows, there, first, relatives, draws, kin_offsets, kin, parent, child, points)
        if i < 0:
            continue

        parent = uint64(edges[order[i], 0])
        child = uint64(edges[order[i], 1])
        cone = region(method, points, parent, push_children, dim)
        found = 0
        for j in range(children):
            mark = is_within_margin(method, cone, points, parent, rows[here + uint64(j)], dim)
            marked[uint64(j)] = mark
            found += mark
        for j in range(children, both):
            row = rows[here + uint64(j)]
            apex = region(method, points, row, push_parents, dim)
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
                    if row == parent or is_known(known_offsets, known_parents, parent, row):
                        continue
                    add_gradient(method, cone, points, parent, row, -1.0, of_parent, of_other, dim)
                else:
                    if row == child or is_known(known_offsets, known_parents, row, child):
                        continue
                    # Computed again, for the row may have moved since the test.
                    apex = region(method, points, row, push_parents, dim)
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
