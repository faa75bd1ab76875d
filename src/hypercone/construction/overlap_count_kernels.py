"""Kernels that count which balls contain which outside the skeleton, and list the wrong pairs to push apart.

The skeleton is traversed from the top: every ball is inside the one above it. On the way down, each ball has a list of
*neighbors*: tops of subtrees that are unrelated in the skeleton, overlap it and are smaller. A child's list is derived
from its parent's list and from its siblings, because whatever overlaps the child also overlaps the parent. A neighbor
that is not smaller cannot be inside the ball or inside anything below it, so its children are considered instead.

The cells of the tree are in heap order: the halves of cell k are 2k + 1 and 2k + 2, and all leaves are on the last
level.
"""
# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np

from hypercone._jit import LOOP, kernel, kernel_part, width
from hypercone.hierarchy.graph_kernels import copy_first, entries, first_at_least, list_length

# Indices of the counts: true nodes, false nodes, and wrong pairs.
TRUE, FALSE, WRONG = 0, 1, 2


@kernel_part
def _squared_distance(centers, i, j, dim):
    total = 0.0
    for k in range(width(dim)):
        apart = centers[i, k] - centers[j, k]
        total += apart * apart
    return total


@kernel_part
def weights_below(tree, holder, top):
    """(true, false): how many nodes of the subtree at ``top`` are descendants of ``holder``, and how many are not."""
    begin, end = tree.below.offsets[holder], tree.below.offsets[holder + 1]
    first = first_at_least(tree.below.rows, begin, end, top)
    last = first_at_least(tree.below.rows, first, end, tree.ends[top])
    true = tree.below_totals[last] - tree.below_totals[first]
    return true, tree.totals[tree.ends[top]] - tree.totals[top] - true


@kernel_part
def _double_length(values):
    longer = np.empty(2 * len(values), values.dtype)
    copy_first(values, len(values), longer)
    return longer


@kernel_part
def _record_pair(wrong, counts, holder, top, weight):
    """Count a wrong pair, and store it if the arrays have space."""
    place = counts[WRONG]
    if place < len(wrong.holders):
        wrong.holders[place] = holder
        wrong.tops[place] = top
        wrong.weights[place] = weight
    counts[WRONG] = place + 1


@kernel_part
def _record_false_parts(tree, wrong, counts, holder, top):
    """Store the subtree if most of it is false in the holder, else those of its children that are."""
    true, false = weights_below(tree, holder, top)
    if false > true:
        _record_pair(wrong, counts, holder, top, false - true)
    elif false > 0:
        for k in entries(tree.kids, top):
            kid = np.int64(tree.kids.rows[k])
            true, false = weights_below(tree, holder, kid)
            if false > true:
                _record_pair(wrong, counts, holder, kid, false - true)


@kernel_part
def _search(tree, balls, holder, top, margin, wrong, counts, stack, dim):
    """Count the true and false nodes of a subtree that the holder contains, and store the wrong pairs."""
    centers, radii = balls
    size = 1
    stack[0] = top
    while size > 0:
        size -= 1
        place = stack[size]
        squared = _squared_distance(centers, holder, place, dim)
        reach = radii[holder] + radii[place]
        if squared >= reach * reach:
            continue
        clearance = radii[holder] - radii[place]
        if clearance >= 0.0 and squared <= clearance * clearance:
            true, false = weights_below(tree, holder, place)
            counts[TRUE] += true
            counts[FALSE] += false
            if false > 0:
                _record_false_parts(tree, wrong, counts, holder, place)
            continue
        if math.sqrt(squared) <= clearance + margin * radii[place]:
            true, false = weights_below(tree, holder, place)
            if false > true:
                _record_pair(wrong, counts, holder, place, false - true)
        for k in entries(tree.kids, place):
            stack[size] = tree.kids.rows[k]
            size += 1


@kernel(weight=2, calls=LOOP)
def count_overlaps(tree, centers, radii, margin, wrong, dim):
    """(true pairs, false pairs, wrong pairs) outside the skeleton; a place of several nodes counts that many times.

    A wrong pair is (holder, top of a subtree, its false minus true nodes), stored if the subtree is inside the holder
    or within the margin (in radii of the subtree's ball) of it. Pairs beyond the capacity of ``wrong`` are counted but
    not stored.
    """
    n = len(radii)
    counts = np.zeros(3, np.int64)
    stack = np.empty(n, np.int64)
    neighbors = np.empty(4 * n + 16, np.int64)
    begins, depths = np.zeros(n, np.int64), np.zeros(n, np.int64)
    # The list of a place begins where its parent's ends; one per depth suffices, as siblings are visited in turn.
    ends = np.zeros(n + 1, np.int64)
    for place in range(1, n):
        above = tree.parents[place]
        depths[place] = depths[above] + 1
        begins[place] = ends[depths[above]]
        filled = begins[place]
        if tree.rows[place] < 0 and list_length(tree.kids, place) == 0:
            ends[depths[place]] = filled
            continue
        siblings = list_length(tree.kids, above)
        for i in range(siblings + ends[depths[above]] - begins[above]):
            if i < siblings:
                stack[0] = tree.kids.rows[tree.kids.offsets[above] + i]
                if stack[0] == place:
                    continue
            else:
                stack[0] = neighbors[begins[above] + i - siblings]
            size = 1
            while size > 0:
                size -= 1
                other = stack[size]
                reach = radii[place] + radii[other]
                if _squared_distance(centers, place, other, dim) >= reach * reach:
                    continue
                if radii[other] > radii[place]:
                    for k in entries(tree.kids, other):
                        stack[size] = tree.kids.rows[k]
                        size += 1
                    continue
                if filled == len(neighbors):
                    neighbors = _double_length(neighbors)
                neighbors[filled] = other
                filled += 1
        ends[depths[place]] = filled
        if tree.rows[place] >= 0:
            for i in range(begins[place], filled):
                _search(tree, (centers, radii), place, neighbors[i], margin, wrong, counts, stack, dim)
    return counts[TRUE], counts[FALSE], counts[WRONG]


@kernel(weight=2, calls=LOOP)
def fit_boxes(centers, needs, rows, begin, end, dim):
    """(lowest corners, highest corners, smallest needs) per cell, then centers and needs in the order of the tree."""
    cells, size = len(begin), width(dim)
    low, high, least = np.empty((cells, size)), np.empty((cells, size)), np.empty(cells)
    for cell in range(cells):
        least[cell] = math.inf
        for k in range(size):
            low[cell, k] = math.inf
            high[cell, k] = -math.inf
    ordered, ordered_needs = np.empty((len(rows), size)), np.empty(len(rows))
    for i in range(len(rows)):
        ordered_needs[i] = needs[rows[i]]
        for k in range(size):
            ordered[i, k] = centers[rows[i], k]
    for cell in range(cells - 1, -1, -1):
        if 2 * cell + 1 < cells:
            for half in range(2 * cell + 1, 2 * cell + 3):
                least[cell] = min(least[cell], least[half])
                for k in range(size):
                    low[cell, k] = min(low[cell, k], low[half, k])
                    high[cell, k] = max(high[cell, k], high[half, k])
            continue
        for i in range(begin[cell], end[cell]):
            least[cell] = min(least[cell], ordered_needs[i])
            for k in range(size):
                low[cell, k] = min(low[cell, k], ordered[i, k])
                high[cell, k] = max(high[cell, k], ordered[i, k])
    return low, high, least, ordered, ordered_needs


@kernel_part
def _squared_distance_to_box(centers, row, low, high, cell, dim):
    total = 0.0
    for k in range(width(dim)):
        apart = max(low[cell, k] - centers[row, k], centers[row, k] - high[cell, k], 0.0)
        total += apart * apart
    return total


@kernel(weight=2, calls=LOOP)
def find_wrong_pairs(holders, centers, radii, reaches, tree, boxes, below, wrong, dim):
    """(number of pairs that are or may become wrong, number that are wrong) for the balls of ``holders``.

    A row may come to be inside a ball if its distance is at most the ball's reach minus the row's need. Pairs beyond
    the capacity of ``wrong`` are counted but not stored.
    """
    rows, begin, end = tree
    low, high, least, ordered, needs = boxes
    known_to = np.full(len(rows), -1, np.int64)
    stack = np.empty(64, np.int64)
    found, inside = 0, 0
    for holder in holders:
        radius, reach = radii[holder], reaches[holder]
        known_to[holder] = holder
        for j in entries(below, holder):
            known_to[below.rows[j]] = holder
        top = 1
        stack[0] = 0
        while top > 0:
            top -= 1
            cell = stack[top]
            clearance = reach - least[cell]
            if (
                clearance < 0.0
                or _squared_distance_to_box(centers, holder, low, high, cell, dim) > clearance * clearance
            ):
                continue
            if 2 * cell + 1 < len(begin):
                stack[top], stack[top + 1] = 2 * cell + 1, 2 * cell + 2
                top += 2
                continue
            for i in range(begin[cell], end[cell]):
                clearance = reach - needs[i]
                squared = 0.0
                for k in range(width(dim)):
                    apart = ordered[i, k] - centers[holder, k]
                    squared += apart * apart
                if clearance < 0.0 or squared > clearance * clearance or known_to[rows[i]] == holder:
                    continue
                if found < len(wrong):
                    wrong[found, 0], wrong[found, 1] = holder, rows[i]
                found += 1
                clearance = radius - radii[rows[i]]
                if clearance >= 0.0 and squared <= clearance * clearance:
                    inside += 1
    return found, inside
