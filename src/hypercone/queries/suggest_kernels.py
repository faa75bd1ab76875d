"""Links that a graph may lack or have wrong, and what speaks for each, compiled.

``offsets`` and ``ancestors`` are the closure by child: of each row all its ancestors, ascending. In the same way
``below_offsets`` and ``below`` are all descendants, ``parent_offsets`` and ``parents`` the direct parents.
"""
# mypy: ignore-errors

import numpy as np

from hypercone._jit import exact_kernel
from hypercone.methods.generic_kernels import may_reach, reach, signed_energy


@exact_kernel
def next_steps_down(
    points, children, offsets, ancestors, inner_offsets, inner, parent_offsets, parents, bound, method, dim
):
    """(parent, child) rows, by child, whose energy is within the bound, and the energies.

    The parent is not yet above or below the child, has children of its own (``inner`` are those children of each row
    that do), and everything above it is already above the child: one step further down than the graph goes.
    """
    limit = reach(method, bound)
    above = np.full(points.shape[0], -1, np.int32)
    tried = np.full(points.shape[0], -1, np.int32)
    pairs, energies = np.empty((64, 2), np.int32), np.empty(64)
    filled = 0
    for child in children:
        tried[child] = child
        for i in range(offsets[child], offsets[child + 1]):
            above[ancestors[i]] = child
        for i in range(offsets[child], offsets[child + 1]):
            for k in range(inner_offsets[ancestors[i]], inner_offsets[ancestors[i] + 1]):
                parent = inner[k]
                if tried[parent] == child or above[parent] == child:
                    continue
                tried[parent] = child
                if not all_marked(above, child, parents, parent_offsets[parent], parent_offsets[parent + 1]):
                    continue
                if not may_reach(method, limit, points, np.uint64(parent), np.uint64(child), dim):
                    continue
                energy = signed_energy(method, points, np.uint64(parent), np.uint64(child), dim)
                if energy <= bound:
                    if filled == energies.size:
                        pairs, energies = np.concatenate((pairs, pairs)), np.concatenate((energies, energies))
                    pairs[filled, 0], pairs[filled, 1] = parent, child
                    energies[filled] = energy
                    filled += 1
    return pairs[:filled], energies[:filled]


@exact_kernel
def all_marked(marks, mark, rows, start, stop):
    """Whether each of ``rows[start:stop]`` bears the mark."""
    for i in range(start, stop):
        if marks[rows[i]] != mark:
            return False
    return True


@exact_kernel
def follows_from_another(pairs, pair_offsets, pair_parents, offsets, ancestors):
    """For each pair whether its parent is also given for an ancestor of its child, which says more."""
    found = np.zeros(len(pairs), np.bool_)
    for k in range(len(pairs)):
        for i in range(offsets[pairs[k, 1]], offsets[pairs[k, 1] + 1]):
            if contains(pair_offsets, pair_parents, ancestors[i], pairs[k, 0]):
                found[k] = True
                break
    return found


@exact_kernel
def companies(pairs, offsets, ancestors, below_offsets, below, parent_offsets, parents):
    """For each pair the share of the child's company that is at or below the parent.

    The company of a child are the nodes below one of its parents, or below all of them, without the child's own
    descendants; of these groups the one with the largest share counts. One stranger more is put into each group, so
    that a group of one or two proves less than a large one.
    """
    shares = np.zeros(len(pairs))
    for k in range(len(pairs)):
        parent, child = pairs[k]
        own = below_offsets[child + 1] - below_offsets[child]
        own_under = count_shared(parents[:0], child, parent, offsets, ancestors, below_offsets, below)
        groups = parents[parent_offsets[child] : parent_offsets[child + 1]]
        smallest = groups[0]
        for group in groups:
            size = below_offsets[group + 1] - below_offsets[group]
            if size < below_offsets[smallest + 1] - below_offsets[smallest]:
                smallest = group
            under = count_shared(parents[:0], group, parent, offsets, ancestors, below_offsets, below)
            shares[k] = max(shares[k], (under - own_under) / (size - own))
        if groups.size > 1:
            size = 0
            for i in range(below_offsets[smallest], below_offsets[smallest + 1]):
                size += is_below_all(below[i], groups, offsets, ancestors)
            under = count_shared(groups, smallest, parent, offsets, ancestors, below_offsets, below)
            shares[k] = max(shares[k], (under - own_under) / (size - own))
    return shares


@exact_kernel
def count_shared(groups, one, other, offsets, ancestors, below_offsets, below):
    """How many rows are below ``one`` and all of the groups, and are ``other`` or below it."""
    shared = 0
    if below_offsets[one + 1] - below_offsets[one] < below_offsets[other + 1] - below_offsets[other]:
        for i in range(below_offsets[one], below_offsets[one + 1]):
            row = below[i]
            if row == other or contains(offsets, ancestors, row, other):
                shared += is_below_all(row, groups, offsets, ancestors)
        return shared
    if contains(offsets, ancestors, other, one):
        shared += is_below_all(other, groups, offsets, ancestors)
    for i in range(below_offsets[other], below_offsets[other + 1]):
        if contains(offsets, ancestors, below[i], one):
            shared += is_below_all(below[i], groups, offsets, ancestors)
    return shared


@exact_kernel
def is_below_all(row, groups, offsets, ancestors):
    """1 if each of the groups is an ancestor of the row, else 0."""
    for group in groups:
        if not contains(offsets, ancestors, row, group):
            return 0
    return 1


@exact_kernel
def neighbour_shares(pairs, places, neighbours, offsets, ancestors):
    """For each pair the share of its child's neighbours, ``neighbours[places]``, that are the parent or below it."""
    shares = np.zeros(len(pairs))
    for k in range(len(pairs)):
        parent = pairs[k, 0]
        for row in neighbours[places[k]]:
            shares[k] += row == parent or contains(offsets, ancestors, row, parent)
    return shares / neighbours.shape[1]


@exact_kernel
def strains(points, edges, offsets, ancestors, parent_offsets, parents, threshold, method, dim):
    """For each edge by how much all that it alone implies for its child is above the threshold.

    That is the parent and those of its ancestors that are not also above the child by another of its parents.
    """
    totals = np.zeros(len(edges))
    reached = np.full(points.shape[0], -1, np.int64)
    for k in range(len(edges)):
        parent, child = edges[k]
        for i in range(parent_offsets[child], parent_offsets[child + 1]):
            rival = parents[i]
            if rival != parent:
                reached[rival] = k
                for j in range(offsets[rival], offsets[rival + 1]):
                    reached[ancestors[j]] = k
        totals[k] = max(0.0, signed_energy(method, points, np.uint64(parent), np.uint64(child), dim) - threshold)
        for i in range(offsets[parent], offsets[parent + 1]):
            if reached[ancestors[i]] != k:
                energy = signed_energy(method, points, np.uint64(ancestors[i]), np.uint64(child), dim)
                totals[k] += max(0.0, energy - threshold)
    return totals


@exact_kernel
def rival_companies(edges, offsets, ancestors, below_offsets, below, parent_offsets, parents):
    """For each edge the share of what else is below its parent that is also below another parent of its child.

    The largest share over the other parents, each time with one stranger more; 1 for a child with one parent.
    """
    shares = np.zeros(len(edges))
    for k in range(len(edges)):
        parent, child = edges[k]
        if parent_offsets[child + 1] - parent_offsets[child] == 1:
            shares[k] = 1.0
        own = below_offsets[child + 1] - below_offsets[child]
        size = below_offsets[parent + 1] - below_offsets[parent]
        for i in range(parent_offsets[child], parent_offsets[child + 1]):
            if parents[i] != parent:
                shared = count_shared(parents[:0], parents[i], parent, offsets, ancestors, below_offsets, below)
                shared -= contains(offsets, ancestors, parent, parents[i])
                shares[k] = max(shares[k], (shared - 1 - own) / (size - own))
    return shares


@exact_kernel
def contains(offsets, rows, row, wanted):
    """Whether ``wanted`` is in the ascending list of a row."""
    low, high = offsets[row], offsets[row + 1]
    while low < high:
        middle = (low + high) // 2
        if rows[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low < offsets[row + 1] and rows[low] == wanted
