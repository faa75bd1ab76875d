"""The skeleton of a hierarchy, compiled: its places in preorder, who is truly below whom, what an edge is worth."""
# mypy: ignore-errors

import numpy as np

from hypercone._jit import exact_kernel


@exact_kernel
def preorder(order, parents):
    """(the place of each item, how many places it takes with all below it); ``order`` has parents first."""
    n = len(order)
    sizes = np.ones(n, np.int64)
    for i in range(n - 1, 0, -1):
        sizes[parents[order[i]]] += sizes[order[i]]
    places = np.zeros(n, np.int64)
    free = np.zeros(n, np.int64)
    free[order[0]] = 1
    for i in range(1, n):
        item = order[i]
        above = parents[item]
        places[item] = free[above]
        free[above] += sizes[item]
        free[item] = places[item] + 1
    return places, sizes


@exact_kernel
def descendants_by_place(sources, includes_source, place_of, offsets, ancestors, counts):
    """(offsets, places) of all places truly below each place, ascending; ``counts`` says how many of them there are.

    What stands above place i are the ancestors of the row ``sources[i]``, and that row itself where included.
    """
    n = len(sources)
    starts = np.zeros(n + 1, np.int64)
    starts[1:] = np.cumsum(counts)
    free = starts[:-1].copy()
    below = np.empty(starts[n], np.int32)
    for i in range(n):
        row = sources[i]
        if row < 0:
            continue
        for j in range(offsets[row], offsets[row + 1]):
            above = place_of[ancestors[j]]
            below[free[above]] = i
            free[above] += 1
        if includes_source[i]:
            above = place_of[row]
            below[free[above]] = i
            free[above] += 1
    return starts, below


@exact_kernel
def count_descendants(sources, includes_source, place_of, offsets, ancestors):
    """How many places are truly below each place."""
    counts = np.zeros(len(sources), np.int64)
    for i in range(len(sources)):
        row = sources[i]
        if row < 0:
            continue
        for j in range(offsets[row], offsets[row + 1]):
            counts[place_of[ancestors[j]]] += 1
        if includes_source[i]:
            counts[place_of[row]] += 1
    return counts


@exact_kernel
def depths_in_forest(parents, is_real):
    """How many nodes stand above each place in the skeleton."""
    depths = np.zeros(len(parents), np.int64)
    for i in range(1, len(parents)):
        depths[i] = depths[parents[i]] + (1 if is_real[parents[i]] else 0)
    return depths


@exact_kernel
def ancestors_gained(edges, parents, rows, place_of, offsets, ancestors):
    """For each edge outside the skeleton, how many ancestors it gives its child that the skeleton does not."""
    gained = np.zeros(len(edges), np.int64)
    seen_by = np.full(len(parents), -1, np.int64)
    for e in range(len(edges)):
        above = parents[edges[e, 1]]
        while above > 0:
            seen_by[above] = e
            above = parents[above]
        if seen_by[edges[e, 0]] != e:
            gained[e] += 1
        row = rows[edges[e, 0]]
        for j in range(offsets[row], offsets[row + 1]):
            if seen_by[place_of[ancestors[j]]] != e:
                gained[e] += 1
    return gained


@exact_kernel
def sums_from_the_top(parents, values):
    """The sum of the values on the way from place 0, which does not count, down to each place."""
    sums = np.zeros(len(parents))
    for i in range(1, len(parents)):
        sums[i] = sums[parents[i]] + values[i]
    return sums
