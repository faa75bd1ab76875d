"""Kernels that search for containments: exact, and without a list of true pairs.

A containment (v lies in u) is *explained* if (u, v) is a given edge or a given parent of v lies in u. Where every edge
of a forest holds, an unexplained one is at the top of a subtree: if the parent of v in the forest lies in u, it
explains v. So the search goes down the forest and never below a ball that is contained, whatever the number of true
pairs.

The forest is traversed from the top. On the way down, each ball has a list of *neighbors*: tops of subtrees that are
unrelated in the forest, overlap it and are smaller. A child's list is derived from its parent's list and from its
siblings, because whatever overlaps the child also overlaps the parent. A neighbor that is not smaller cannot be inside
the ball or inside anything below it, so its children are considered instead.

Balls that are not nested are searched in a tree of boxes. Its cells are in heap order: the halves of cell k are 2k + 1
and 2k + 2, and all leaves are on the last level.
"""
# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np

from hypercone._jit import LOOP, kernel, kernel_part, width
from hypercone.construction.ball_kernels import holds, squared_distance
from hypercone.hierarchy.graph_kernels import copy_first, entries, list_length

# Indices of the counts: containments to push, unexplained containments, the nodes in these, and compared balls.
PUSHED, UNEXPLAINED, FALSE, COMPARED = 0, 1, 2, 3


@kernel_part
def _double_length(values):
    longer = np.empty(2 * len(values), values.dtype)
    copy_first(values, len(values), longer)
    return longer


@kernel_part
def _explains(parents, centers, radii, holder, held, dim):
    """Whether the holder is one of these parents of a ball, or contains one of them."""
    for j in entries(parents, held):
        parent = parents.rows[j]
        if parent == holder or holds(centers, radii, holder, parent, dim):
            return True
    return False


@kernel_part
def _is_above(tree, place, other):
    return place <= other < tree.ends[place]


@kernel_part
def _belongs_by_the_forest(tree, centers, radii, holder, top, counts, dim):
    """Whether the holder is, or contains, a given parent of something above ``top`` in the forest.

    Then the top belongs into the holder as that does, though the link above does not hold yet.
    """
    place = tree.nearest[tree.parents[top]]
    while place > 0 and not _is_above(tree, place, holder):
        counts[COMPARED] += 1 + list_length(tree.extra, place)
        if _explains(tree.extra, centers, radii, holder, place, dim):
            return True
        place = tree.nearest[tree.parents[place]]
    return False


@kernel_part
def _record(tree, centers, radii, holder, top, is_inside, pairs, weights, counts, dim):
    """Count and store a containment that nothing explains."""
    counts[COMPARED] += list_length(tree.extra, top)
    if _explains(tree.extra, centers, radii, holder, top, dim):
        return
    weight = tree.totals[tree.ends[top]] - tree.totals[top]
    counts[UNEXPLAINED] += is_inside
    if _belongs_by_the_forest(tree, centers, radii, holder, top, counts, dim):
        return
    if is_inside:
        counts[FALSE] += weight
    place = counts[PUSHED]
    if place < len(weights):
        pairs[place, 0] = holder
        pairs[place, 1] = top
        weights[place] = weight
        counts[PUSHED] = place + 1


@kernel_part
def _search(tree, centers, radii, reaches, scales, holder, top, margin, pairs, weights, counts, stack, dim):
    """Find what the holder contains of a subtree, or nearly contains."""
    size = 1
    stack[0] = top
    while size > 0:
        size -= 1
        place = stack[size]
        counts[COMPARED] += 1
        squared = squared_distance(centers, holder, place, dim)
        reach = radii[holder] + reaches[place]
        if squared >= reach * reach:
            continue
        is_group = tree.rows[place] < 0 and list_length(tree.kids, place) > 0
        clearance = radii[holder] - radii[place]
        is_inside = clearance >= 0.0 and squared <= clearance * clearance
        clearance += margin * scales[place]
        if not is_group and clearance >= 0.0 and squared <= clearance * clearance:
            _record(tree, centers, radii, holder, place, is_inside, pairs, weights, counts, dim)
            if is_inside:
                continue
        for k in entries(tree.kids, place):
            stack[size] = tree.kids.rows[k]
            size += 1


@kernel(weight=2, calls=LOOP)
def find_unexplained(tree, centers, radii, reaches, scales, margin, first, limit, most_false, pairs, weights, dim):
    """(pairs to push apart, unexplained containments, nodes in these, compared balls, place to go on at).

    The balls are nested in a forest.

    A pair is (holder, top of a subtree), also if the top is outside the holder by less than the margin (in scales of
    the top); its weight is the number of nodes of the subtree. Nothing of a subtree is farther from its center than its
    reach.

    Holders before the place ``first`` are left out. The search ends at the first holder with which there are more than
    ``limit`` pairs, so there are at most as many pairs more as balls, or with which more than ``most_false`` nodes are
    in unexplained containments, or at the end, which is 0. Pairs beyond the capacity of ``pairs`` are counted as
    containments, but not stored.
    """
    n = len(radii)
    counts = np.zeros(4, np.int64)
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
        if list_length(tree.kids, place) == 0 and not tree.can_hold[place]:
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
                counts[COMPARED] += 1
                reach = radii[place] + reaches[other]
                if squared_distance(centers, place, other, dim) >= reach * reach:
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
        if tree.can_hold[place] and place >= first:
            for i in range(begins[place], filled):
                near = neighbors[i]
                _search(tree, centers, radii, reaches, scales, place, near, margin, pairs, weights, counts, stack, dim)
            if counts[PUSHED] > limit or counts[FALSE] > most_false:
                return counts[PUSHED], counts[UNEXPLAINED], counts[FALSE], counts[COMPARED], place + 1
    return counts[PUSHED], counts[UNEXPLAINED], counts[FALSE], counts[COMPARED], 0


@kernel(weight=4, calls=LOOP)
def held_weight(centers, radii, edges, weights, dim):
    """(edges that hold, the sum of their weights)."""
    held, total = 0, 0.0
    for e in range(len(edges)):
        if holds(centers, radii, edges[e, 0], edges[e, 1], dim):
            held += 1
            total += weights[e]
    return held, total


@kernel(calls=LOOP)
def find_violated(centers, radii, scales, weights, parents, margin, reach, pairs, dim):
    """(pairs written, nodes in pairs that hold): writes the pairs that violate the margin, or may do so soon.

    ``parents`` lists the pairs; ``reach`` is how far balls may move before the next search, in radii. A pair counts as
    often as the weights of its two balls say.
    """
    written, held = 0, 0.0
    for child in range(len(radii)):
        scale = scales[child]
        for j in entries(parents, child):
            parent = parents.rows[j]
            squared = squared_distance(centers, parent, child, dim)
            clearance = radii[parent] - radii[child]
            if clearance >= 0.0 and squared <= clearance * clearance:
                held += weights[parent] * weights[child]
            clearance -= margin * scale + reach * (radii[parent] + scale)
            if clearance < 0.0 or squared > clearance * clearance:
                pairs[written, 0], pairs[written, 1] = parent, child
                written += 1
    return written, held


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


@kernel_part
def _is_explained_by_given(given, forest_parents, centers, radii, holder, held, dim):
    """(explained by a given parent, dropped because of something above it in the forest)."""
    if _explains(given, centers, radii, holder, held, dim):
        return True, True
    above = forest_parents[held]
    while above >= 0:
        if above == holder or _explains(given, centers, radii, holder, above, dim):
            return False, True
        above = forest_parents[above]
    return False, False


@kernel(weight=2, calls=LOOP)
def find_wrong(holders, centers, radii, reaches, weights, tree, boxes, below, given, forest_parents, wrong, most, dim):
    """(pairs that are or may become wrong, nodes in those that are, compared balls) for the balls of ``holders``.

    A row may come to be inside a ball if its distance is at most the ball's reach minus the row's need. It is wrong
    there unless it is listed in ``below``, or, if parents are ``given``, one of them explains it. Pairs beyond the
    capacity of ``wrong`` are counted but not stored. The search ends at the first holder with which there are more than
    ``most`` pairs.
    """
    rows, begin, end = tree
    low, high, least, ordered, needs = boxes
    known_to = np.full(len(rows), -1, np.int64)
    stack = np.empty(64, np.int64)
    found, inside, compared = 0, 0.0, 0
    by_given = len(given.offsets) > 1
    for holder in holders:
        if found > most:
            break
        radius, reach = radii[holder], reaches[holder]
        known_to[holder] = holder
        for j in entries(below, holder):
            known_to[below.rows[j]] = holder
        top = 1
        stack[0] = 0
        while top > 0:
            top -= 1
            cell = stack[top]
            compared += 1
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
            compared += end[cell] - begin[cell]
            for i in range(begin[cell], end[cell]):
                clearance = reach - needs[i]
                squared = 0.0
                for k in range(width(dim)):
                    apart = ordered[i, k] - centers[holder, k]
                    squared += apart * apart
                if clearance < 0.0 or squared > clearance * clearance or known_to[rows[i]] == holder:
                    continue
                explained, dropped = False, False
                if by_given:
                    explained, dropped = _is_explained_by_given(
                        given, forest_parents, centers, radii, holder, rows[i], dim
                    )
                clearance = radius - radii[rows[i]]
                if not explained and clearance >= 0.0 and squared <= clearance * clearance:
                    inside += weights[holder] * weights[rows[i]]
                if dropped:
                    continue
                if found < len(wrong):
                    wrong[found, 0], wrong[found, 1] = holder, rows[i]
                found += 1
    return found, inside, compared


@kernel(weight=8)
def count_list_errors(parents, start, ends, found, seen, missing, extra):
    """Write the errors of the ancestors found for rows from ``start`` on, which end at ``ends``.

    ``seen`` remembers, for both kinds of lists, the last row that each row was listed for.
    """
    stack = np.empty(len(missing), np.int32)
    begin = 0
    for i in range(len(ends)):
        row = start + i
        for j in range(begin, ends[i]):
            seen[0, found[j]] = row
        right, true = 0, 0
        size = 1
        stack[0] = row
        while size > 0:
            size -= 1
            for j in entries(parents, stack[size]):
                above = parents.rows[j]
                if seen[1, above] != row:
                    seen[1, above] = row
                    true += 1
                    right += seen[0, above] == row
                    stack[size] = above
                    size += 1
        missing[row] = true - right
        extra[row] = ends[i] - begin - right
        begin = ends[i]
