"""Kernels that find links a graph may lack or have wrong, and the evidence for each.

``ancestors`` and ``below`` are the transitive closure: all ancestors, or descendants, of each row. ``parents`` are the
direct parents. All lists are ascending.
"""
# mypy: ignore-errors

import numpy as np

from hypercone._jit import MANY, kernel, kernel_part
from hypercone.hierarchy.graph_kernels import copy_first, entries, is_listed, list_length, list_of
from hypercone.methods.generic_kernels import may_reach, reach, signed_energy


@kernel(weight=MANY)
def next_steps_down(points, children, ancestors, inner, parents, bound, method, dim, done):
    """(parent, child) rows, by child, whose energy is within the bound, and the energies.

    The parent is neither ancestor nor descendant of the child, has children itself (``inner`` are the children of each
    row that do), and all its ancestors are ancestors of the child: one step further down than the graph goes. ``done``
    counts children.
    """
    limit = reach(method, bound)
    above = np.full(points.shape[0], -1, np.int32)
    tried = np.full(points.shape[0], -1, np.int32)
    pairs, energies = np.empty((64, 2), np.int32), np.empty(64)
    filled = 0
    for child in children:
        done[0] += 1
        tried[child] = child
        for i in entries(ancestors, child):
            above[ancestors.rows[i]] = child
        for i in entries(ancestors, child):
            for k in entries(inner, ancestors.rows[i]):
                parent = inner.rows[k]
                if tried[parent] == child or above[parent] == child:
                    continue
                tried[parent] = child
                if not all_marked(above, child, parents, parent):
                    continue
                if not may_reach(method, limit, points, np.uint64(parent), np.uint64(child), dim):
                    continue
                energy = signed_energy(method, points, np.uint64(parent), np.uint64(child), dim)
                if energy <= bound:
                    if filled == energies.size:
                        more_pairs, more_energies = np.empty((2 * filled, 2), np.int32), np.empty(2 * filled)
                        copy_first(energies, filled, more_energies)
                        for j in range(filled):
                            more_pairs[j, 0], more_pairs[j, 1] = pairs[j, 0], pairs[j, 1]
                        pairs, energies = more_pairs, more_energies
                    pairs[filled, 0], pairs[filled, 1] = parent, child
                    energies[filled] = energy
                    filled += 1
    return pairs[:filled], energies[:filled]


@kernel_part
def all_marked(marks, mark, lists, row):
    """Whether every entry in the list of a row has the mark."""
    for i in entries(lists, row):
        if marks[lists.rows[i]] != mark:
            return False
    return True


@kernel(weight=MANY)
def follows_from_another(pairs, given, ancestors):
    """Whether each pair is implied by another one: its parent is also suggested for an ancestor of its child.

    ``given`` are the same pairs, as a list of parents per child.
    """
    found = np.zeros(len(pairs), np.bool_)
    for k in range(len(pairs)):
        for i in entries(ancestors, pairs[k, 1]):
            if is_listed(given, ancestors.rows[i], pairs[k, 0]):
                found[k] = True
                break
    return found


@kernel(weight=MANY)
def shared_descendants_of_pairs(pairs, ancestors, below, parents, done):
    """For each pair the largest share of a group around the child that is the parent or below it.

    The groups are the descendants of each parent of the child, and those of all its parents together, always without
    the child and its descendants. Each group is counted with one additional node that is not below the parent, so that
    small groups count as weaker evidence. ``done`` counts pairs.
    """
    shares = np.zeros(len(pairs))
    for k in range(len(pairs)):
        parent, child = pairs[k]
        done[0] += 1
        own = list_length(below, child)
        groups = list_of(parents, child)
        own_under = count_shared(groups[:0], child, parent, ancestors, below)
        smallest = groups[0]
        for group in groups:
            size = list_length(below, group)
            if size < list_length(below, smallest):
                smallest = group
            under = count_shared(groups[:0], group, parent, ancestors, below)
            shares[k] = max(shares[k], (under - own_under) / (size - own))
        if groups.size > 1:
            size = 0
            for i in entries(below, smallest):
                size += is_below_all(below.rows[i], groups, ancestors)
            under = count_shared(groups, smallest, parent, ancestors, below)
            shares[k] = max(shares[k], (under - own_under) / (size - own))
    return shares


@kernel_part
def count_shared(groups, one, other, ancestors, below):
    """The number of rows below ``one`` and below all groups that are ``other`` or below it."""
    shared = 0
    if list_length(below, one) < list_length(below, other):
        for i in entries(below, one):
            row = below.rows[i]
            if row == other or is_listed(ancestors, row, other):
                shared += is_below_all(row, groups, ancestors)
        return shared
    if is_listed(ancestors, other, one):
        shared += is_below_all(other, groups, ancestors)
    for i in entries(below, other):
        if is_listed(ancestors, below.rows[i], one):
            shared += is_below_all(below.rows[i], groups, ancestors)
    return shared


@kernel_part
def is_below_all(row, groups, ancestors):
    """1 if every group is an ancestor of the row, else 0."""
    for group in groups:
        if not is_listed(ancestors, row, group):
            return 0
    return 1


@kernel(weight=MANY)
def neighbor_shares(pairs, places, neighbors, ancestors):
    """For each pair the share of the child's neighbors, ``neighbors[places]``, that are the parent or below it."""
    shares = np.zeros(len(pairs))
    for k in range(len(pairs)):
        parent = pairs[k, 0]
        for row in neighbors[places[k]]:
            shares[k] += row == parent or is_listed(ancestors, row, parent)
        shares[k] /= neighbors.shape[1]
    return shares


@kernel(weight=MANY)
def violations(points, edges, ancestors, parents, threshold, method, dim):
    """For each edge the total excess over the threshold of the pairs that only this edge implies for its child.

    These are the parent and those of its ancestors that the child does not reach by another parent.
    """
    totals = np.zeros(len(edges))
    reached = np.full(points.shape[0], -1, np.int64)
    for k in range(len(edges)):
        parent, child = edges[k]
        for i in entries(parents, child):
            rival = parents.rows[i]
            if rival != parent:
                reached[rival] = k
                for j in entries(ancestors, rival):
                    reached[ancestors.rows[j]] = k
        totals[k] = max(0.0, signed_energy(method, points, np.uint64(parent), np.uint64(child), dim) - threshold)
        for i in entries(ancestors, parent):
            higher = ancestors.rows[i]
            if reached[higher] != k:
                energy = signed_energy(method, points, np.uint64(higher), np.uint64(child), dim)
                totals[k] += max(0.0, energy - threshold)
    return totals


@kernel(weight=MANY)
def shared_with_rivals(edges, ancestors, below, parents):
    """For each edge the largest share of the parent's other descendants that are below another parent of the child.

    Each share counts one additional node that is not below the other parent; 1 for a child with a single parent.
    """
    shares = np.zeros(len(edges))
    for k in range(len(edges)):
        parent, child = edges[k]
        if list_length(parents, child) == 1:
            shares[k] = 1.0
        own, size = list_length(below, child), list_length(below, parent)
        for i in entries(parents, child):
            rival = parents.rows[i]
            if rival != parent:
                shared = count_shared(parents.rows[:0], rival, parent, ancestors, below)
                shared -= is_listed(ancestors, parent, rival)
                shares[k] = max(shares[k], (shared - 1 - own) / (size - own))
    return shares
