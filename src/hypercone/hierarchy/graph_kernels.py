"""Compiled graph algorithms for acyclic graphs: order, depths, closure, reduction, draws of unrelated rows.

Lists of rows per row (parents, children, ancestors, …) are one argument with the fields of ``_arrays.CSR``; the first
functions here are how kernels read them.
"""
# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from hypercone._jit import MANY, kernel, kernel_part


@kernel_part
def entries(lists, row):
    """The indices in ``lists.rows`` of the list of a row; a loop over them needs no reference counting."""
    row = np.uint64(row)
    return range(lists.offsets[row], lists.offsets[row + np.uint64(1)])


@kernel_part
def list_of(lists, row):
    """The list of a row, as an array."""
    row = np.uint64(row)
    return lists.rows[lists.offsets[row] : lists.offsets[row + np.uint64(1)]]


@kernel_part
def list_length(lists, row):
    """The length of the list of a row."""
    row = np.uint64(row)
    return lists.offsets[row + np.uint64(1)] - lists.offsets[row]


@kernel_part
def is_listed(lists, row, wanted):
    """Whether ``wanted`` is in the list of a row, which must ascend."""
    row = np.uint64(row)
    end = lists.offsets[row + np.uint64(1)]
    place = first_at_least(lists.rows, lists.offsets[row], end, wanted)
    return place < end and lists.rows[place] == wanted


@kernel_part
def first_at_least(values, begin, end, value):
    """The first index in [begin, end) of a value that is not smaller, else ``end``; the values must ascend."""
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] < value:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel_part
def copy_first(source, count, target):
    """Copy the first entries of an array. Assigning a slice would compile numba's message about unequal shapes."""
    for i in range(count):
        target[i] = source[i]


@kernel
def deepest_parents(depths, parents):
    """For each row the first of its deepest parents, or -1."""
    kept = np.full(len(depths), -1, np.int32)
    for row in range(len(depths)):
        for i in entries(parents, row):
            if kept[row] < 0 or depths[parents.rows[i]] > depths[kept[row]]:
                kept[row] = parents.rows[i]
    return kept


@kernel
def spanning_forest(order, depths, parents):
    """A preorder position for each row in a spanning forest, and the size of each subtree.

    The forest keeps one parent per row, the deepest, so that as many ancestors as possible are ancestors in the
    forest too: there a is an ancestor of b, or b itself, if ``places[a] <= places[b] < places[a] + sizes[a]``.
    """
    n = len(order)
    kept = deepest_parents(depths, parents)
    sizes = np.ones(n, np.int32)
    for i in range(n - 1, -1, -1):
        row = order[i]
        if kept[row] >= 0:
            sizes[kept[row]] += sizes[row]
    places = np.empty(n, np.int32)
    free = np.empty(n, np.int32)
    next_root = 0
    for row in order:
        if kept[row] < 0:
            places[row] = next_root
            next_root += sizes[row]
        else:
            places[row] = free[kept[row]]
            free[kept[row]] += sizes[row]
        free[row] = places[row] + 1
    return places, sizes


@kernel(weight=MANY)
def basic_edges(parents, places, sizes, depths):
    """For each entry of ``parents.rows``, whether it is not an ancestor of another parent of the same child.

    Each list of parents is ordered by place. The forest decides most entries; the rest are decided by a search
    upward from the child's parents, no higher than the shallowest parent in doubt.
    """
    n = len(parents.offsets) - 1
    basic = np.ones(len(parents.rows), np.bool_)
    seen_by = np.full(n, -1, np.int32)
    stack = np.empty(n, np.int32)
    for child in range(n):
        if list_length(parents, child) < 2:
            continue
        deepest = 0
        for i in entries(parents, child):
            deepest = max(deepest, depths[parents.rows[i]])
        floor = deepest
        last = parents.offsets[child + 1] - 1
        for i in entries(parents, child):
            parent = parents.rows[i]
            if i < last and places[parents.rows[i + 1]] < places[parent] + sizes[parent]:
                basic[i] = False
            else:
                floor = min(floor, depths[parent])
        if floor < deepest:
            _climb(child, floor, parents, depths, basic, seen_by, stack)
    return basic


@kernel_part
def _climb(child, floor, parents, depths, basic, seen_by, stack):
    """Mark as not basic each parent of the child that is reached upward from another parent."""
    for start in entries(parents, child):
        if not basic[start]:
            # It is an ancestor of another parent, from which its own ancestors are reached too.
            continue
        size = 1
        stack[0] = parents.rows[start]
        while size > 0:
            size -= 1
            row = stack[size]
            if depths[row] <= floor:
                continue
            for i in entries(parents, row):
                higher = parents.rows[i]
                if seen_by[higher] != child and depths[higher] >= floor:
                    seen_by[higher] = child
                    stack[size] = higher
                    size += 1
    for i in entries(parents, child):
        if seen_by[parents.rows[i]] == child:
            basic[i] = False


@kernel(weight=MANY)
def ancestor_lists(order, parents, capacity, limit, done):
    """starts, stops, found, total: the ancestors of ``row``, unsorted, are ``found[starts[row]:stops[row]]``.

    ``found`` is empty if there are more than ``limit``. ``done[0]`` counts the rows for the progress bar.
    """
    n = len(order)
    starts = np.zeros(n, np.int64)
    stops = np.zeros(n, np.int64)
    seen_by = np.full(n, -1, np.int32)
    found = np.empty(capacity, np.int32)
    filled = 0
    for row in order:
        needed = filled
        for i in entries(parents, row):
            needed += 1 + stops[parents.rows[i]] - starts[parents.rows[i]]
        # Parents may share ancestors, so ``needed`` is an upper bound; no row has more than n - 1 ancestors.
        needed = min(needed, filled + n)
        if needed > capacity:
            capacity = max(needed, min(2 * capacity, limit + n))
            larger = np.empty(capacity, np.int32)
            copy_first(found, filled, larger)
            found = larger
        starts[row] = filled
        for i in entries(parents, row):
            parent = parents.rows[i]
            if seen_by[parent] != row:
                seen_by[parent] = row
                found[filled] = parent
                filled += 1
            for j in range(starts[parent], stops[parent]):
                ancestor = found[j]
                if seen_by[ancestor] != row:
                    seen_by[ancestor] = row
                    found[filled] = ancestor
                    filled += 1
        stops[row] = filled
        done[0] += 1
        if filled > limit:
            return starts, stops, found[:0], filled
    return starts, stops, found[:filled], filled


@kernel(weight=MANY)
def count_ancestors(order, parents, budget):
    """The number of ancestors of each row; an empty array if counting takes more than ``budget`` steps.

    A row with one parent has one ancestor more than that parent; only rows with several parents need a search.
    """
    n = len(order)
    counts = np.zeros(n, np.int64)
    seen_by = np.full(n, -1, np.int32)
    stack = np.empty(n, np.int32)
    for row in order:
        count = list_length(parents, row)
        if count == 1:
            counts[row] = counts[parents.rows[parents.offsets[row]]] + 1
        elif count > 1:
            stack[0] = row
            size = 1
            while size > 0:
                size -= 1
                below = stack[size]
                for i in entries(parents, below):
                    higher = parents.rows[i]
                    budget -= 1
                    if seen_by[higher] != row:
                        seen_by[higher] = row
                        counts[row] += 1
                        stack[size] = higher
                        size += 1
                if budget < 0:
                    return counts[:0]
    return counts


@kernel(weight=MANY)
def count_ancestors_by_bits(order, parents, done):
    """The number of (ancestor, descendant) pairs, 64 ancestors at a time: about rows × edges / 128 steps.

    ``done[0]`` counts the rows for the progress bar.
    """
    n = len(order)
    position = np.empty(n, np.int32)
    for i in range(n):
        position[order[i]] = i
    starts = np.zeros(n + 1, np.int64)
    above = np.empty(len(parents.rows), np.int32)
    filled = 0
    for i in range(n):
        for j in entries(parents, order[i]):
            above[filled] = position[parents.rows[j]]
            filled += 1
        starts[i + 1] = filled
    reached = np.zeros(n, np.uint64)
    total = 0
    for first in range(0, n, 64):
        # Rows before the first of the 64 cannot be descendants of any of them.
        for i in range(first):
            reached[i] = 0
        done[0] += n - first
        for i in range(first, n):
            bits = np.uint64(0)
            for j in range(starts[i], starts[i + 1]):
                bits |= reached[above[j]]
            total += ones(bits)
            if i < first + 64:
                bits |= np.uint64(1) << np.uint64(i - first)
            reached[i] = bits
    return total


@kernel_part
def ones(bits):
    """The number of set bits: sums of adjacent pairs, fours, eights, then of all bytes by one product."""
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def topological_order(children, parent_counts):
    """Rows in topological order, each after its parents; fewer than all rows if there is a cycle."""
    n = len(parent_counts)
    waiting = np.empty(n, np.int64)
    copy_first(parent_counts, n, waiting)
    order = np.empty(n, np.int32)
    filled = 0
    for row in range(n):
        if waiting[row] == 0:
            order[filled] = row
            filled += 1
    done = 0
    while done < filled:
        row = order[done]
        done += 1
        for i in entries(children, row):
            child = children.rows[i]
            waiting[child] -= 1
            if waiting[child] == 0:
                order[filled] = child
                filled += 1
    return order[:filled]


@kernel
def longest_depths(order, parents):
    """For each row, the number of edges on the longest path from a root."""
    depths = np.zeros(len(order), np.int32)
    for row in order:
        deepest = 0
        for i in entries(parents, row):
            deepest = max(deepest, depths[parents.rows[i]] + 1)
        depths[row] = deepest
    return depths


@kernel
def flip_lists(starts, stops, rows, visit, done):
    """The lists of the reversed arrows; each new list is in the order in which ``visit`` names rows.

    Flipping twice with ascending ``visit`` sorts every list in linear time. ``done[0]`` counts the rows for the
    progress bar.
    """
    n = len(starts)
    offsets = np.zeros(n + 1, np.int64)
    for row in rows:
        offsets[row + 1] += 1
    for row in range(n):
        offsets[row + 1] += offsets[row]
    place = np.empty(n, np.int64)
    copy_first(offsets, n, place)
    flipped_rows = np.empty(len(rows), np.int32)
    for row in visit:
        done[0] += 1
        for i in range(starts[row], stops[row]):
            flipped_rows[place[rows[i]]] = row
            place[rows[i]] += 1
    return offsets, flipped_rows


@kernel
def draw_unrelated(anchors, related, draws):
    """For each row of ``anchors``, distinct rows that are neither itself nor related to it, drawn uniformly.

    ``draws`` holds one 64-bit random number per row to draw; an anchor with fewer unrelated rows gets them all.
    Unused entries are -1. The remainder of 64 bits favors small numbers by less than one in 10¹².
    """
    size = len(related.offsets) - 1
    count = draws.shape[1]
    unrelated = np.full((len(anchors), count), -1, np.int32)
    for k in range(len(anchors)):
        row = anchors[k]
        excluded = list_of(related, row)
        available = size - 1 - len(excluded)
        wanted = min(count, available)
        own_place = row - first_at_least(excluded, 0, len(excluded), row)
        for i in range(wanted):
            # Floyd's algorithm for random subsets: one random number per draw, without rejection.
            last = available - wanted + i
            place = np.int64(draws[k, i] % np.uint64(last + 1))
            if _is_among(place, unrelated[k, :i]):
                place = last
            unrelated[k, i] = place
        for i in range(wanted):
            place = unrelated[k, i]
            unrelated[k, i] = _unlisted_row(place + 1 if place >= own_place else place, excluded)
    return unrelated


@kernel_part
def _is_among(place, places):
    for other in places:
        if other == place:
            return True
    return False


@kernel_part
def _unlisted_row(place, rows):
    """The row at this index among all rows that are not in the ascending list ``rows``."""
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high) // 2
        if rows[middle] - middle <= place:
            low = middle + 1
        else:
            high = middle
    return place + low
