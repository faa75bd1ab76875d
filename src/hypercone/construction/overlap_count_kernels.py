"""Which balls hold which outside the skeleton, compiled: exact counts, and the wrong ones to be pushed apart.

The skeleton is the tree that is walked: every ball lies in the one above it. Each ball, on the way down, has a list of
*neighbours*: tops of subtrees that are no relatives of it in the skeleton, overlap it and are smaller. A child's list
is made from that of its parent and from its siblings, for whatever overlaps the child overlaps the parent too; and what
is not smaller than a ball cannot be in it or in anything below it, so the list goes on with its children instead.

Cells stand in heap order: the halves of cell k are cells 2k + 1 and 2k + 2, and all leaves are on the last floor.
"""
# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np

from hypercone._jit import exact_kernel, exact_kernel_part, width
from hypercone.hierarchy.graph_kernels import entries, first_at_least, list_length

# What is counted: nodes rightly and wrongly held, and wrong pairs.
TRUE, FALSE, WRONG = 0, 1, 2


@exact_kernel_part
def _squared_distance(centres, i, j, dim):
    total = 0.0
    for k in range(width(dim)):
        apart = centres[i, k] - centres[j, k]
        total += apart * apart
    return total


@exact_kernel
def weights_below(tree, holder, top):
    """(true, false): how many nodes of the subtree at a place are truly below another place, and how many are not."""
    begin, end = tree.below.offsets[holder], tree.below.offsets[holder + 1]
    first = first_at_least(tree.below.rows, begin, end, top)
    last = first_at_least(tree.below.rows, first, end, tree.ends[top])
    true = tree.below_totals[last] - tree.below_totals[first]
    return true, tree.totals[tree.ends[top]] - tree.totals[top] - true


@exact_kernel
def _grown(values):
    longer = np.empty(2 * len(values), values.dtype)
    longer[: len(values)] = values
    return longer


@exact_kernel
def _note(wrong, counts, holder, top, weight):
    """Count a wrong pair, and note it if there is room."""
    place = counts[WRONG]
    if place < len(wrong.holders):
        wrong.holders[place] = holder
        wrong.tops[place] = top
        wrong.weights[place] = weight
    counts[WRONG] = place + 1


@exact_kernel
def _note_false_parts(tree, wrong, counts, holder, top):
    """Note the subtree if most of it is wrong in the holder, else those of its children that are."""
    true, false = weights_below(tree, holder, top)
    if false > true:
        _note(wrong, counts, holder, top, false - true)
    elif false > 0:
        for k in entries(tree.kids, top):
            kid = np.int64(tree.kids.rows[k])
            true, false = weights_below(tree, holder, kid)
            if false > true:
                _note(wrong, counts, holder, kid, false - true)


@exact_kernel
def _search(tree, balls, holder, top, margin, wrong, counts, stack, dim):
    """Count what the holder rightly and wrongly holds of a subtree, and note the wrong pairs."""
    centres, radii = balls
    size = 1
    stack[0] = top
    while size > 0:
        size -= 1
        place = stack[size]
        squared = _squared_distance(centres, holder, place, dim)
        reach = radii[holder] + radii[place]
        if squared >= reach * reach:
            continue
        room = radii[holder] - radii[place]
        if room >= 0.0 and squared <= room * room:
            true, false = weights_below(tree, holder, place)
            counts[TRUE] += true
            counts[FALSE] += false
            if false > 0:
                _note_false_parts(tree, wrong, counts, holder, place)
            continue
        if math.sqrt(squared) <= room + margin * radii[place]:
            true, false = weights_below(tree, holder, place)
            if false > true:
                _note(wrong, counts, holder, place, false - true)
        for k in entries(tree.kids, place):
            stack[size] = tree.kids.rows[k]
            size += 1


@exact_kernel
def count_overlaps(tree, centres, radii, margin, wrong, dim):
    """(true pairs, false pairs, wrong pairs to note) outside the skeleton; a place of several nodes counts as many.

    A wrong pair is (holder, top of a subtree, false minus true nodes in it), noted where the subtree is in the holder
    or within the margin (in radii of the subtree's ball) of being so. Those beyond the room in ``wrong`` are counted,
    but not noted.
    """
    n = len(radii)
    counts = np.zeros(3, np.int64)
    stack = np.empty(n, np.int64)
    neighbours = np.empty(4 * n + 16, np.int64)
    begins, depths = np.zeros(n, np.int64), np.zeros(n, np.int64)
    # The list of a place begins where that of its parent ends; by depth, since siblings come one after another.
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
                stack[0] = neighbours[begins[above] + i - siblings]
            size = 1
            while size > 0:
                size -= 1
                other = stack[size]
                reach = radii[place] + radii[other]
                if _squared_distance(centres, place, other, dim) >= reach * reach:
                    continue
                if radii[other] > radii[place]:
                    for k in entries(tree.kids, other):
                        stack[size] = tree.kids.rows[k]
                        size += 1
                    continue
                if filled == len(neighbours):
                    neighbours = _grown(neighbours)
                neighbours[filled] = other
                filled += 1
        ends[depths[place]] = filled
        if tree.rows[place] >= 0:
            for i in range(begins[place], filled):
                _search(tree, (centres, radii), place, neighbours[i], margin, wrong, counts, stack, dim)
    return counts[TRUE], counts[FALSE], counts[WRONG]


@exact_kernel
def fit_boxes(centres, needs, rows, begin, end, dim):
    """(lowest corners, highest corners, smallest needs) of the cells, then the centres and needs in their order."""
    cells, size = len(begin), width(dim)
    low, high = np.full((cells, size), math.inf), np.full((cells, size), -math.inf)
    least = np.full(cells, math.inf)
    ordered, ordered_needs = np.empty((len(rows), size)), np.empty(len(rows))
    for i in range(len(rows)):
        ordered_needs[i] = needs[rows[i]]
        for k in range(size):
            ordered[i, k] = centres[rows[i], k]
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


@exact_kernel_part
def _squared_distance_to_box(centres, row, low, high, cell, dim):
    total = 0.0
    for k in range(width(dim)):
        apart = max(low[cell, k] - centres[row, k], centres[row, k] - high[cell, k], 0.0)
        total += apart * apart
    return total


@exact_kernel
def find_wrong(holders, centres, radii, reaches, tree, boxes, below, wrong, dim):
    """(pairs that are wrong or may become so, those that are) among the balls of ``holders`` and what is near them.

    A row may come to be in a ball when its distance is at most the ball's reach less the row's need. The first pairs
    found are written to ``wrong``; those beyond its room are counted, but not written.
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
            room = reach - least[cell]
            if room < 0.0 or _squared_distance_to_box(centres, holder, low, high, cell, dim) > room * room:
                continue
            if 2 * cell + 1 < len(begin):
                stack[top], stack[top + 1] = 2 * cell + 1, 2 * cell + 2
                top += 2
                continue
            for i in range(begin[cell], end[cell]):
                room = reach - needs[i]
                squared = 0.0
                for k in range(width(dim)):
                    apart = ordered[i, k] - centres[holder, k]
                    squared += apart * apart
                if room < 0.0 or squared > room * room or known_to[rows[i]] == holder:
                    continue
                if found < len(wrong):
                    wrong[found, 0], wrong[found, 1] = holder, rows[i]
                found += 1
                room = radius - radii[rows[i]]
                if room >= 0.0 and squared <= room * room:
                    inside += 1
    return found, inside
