"""Compiled kernels: counts over all pairs, ranks of true ancestors, and random relatives.

Nodes with the same direct parents form a *group*: they have the same ancestors, so apart from themselves they have the
same relatives, which are collected once per group.
"""
# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from hypercone._jit import MANY, kernel, kernel_part
from hypercone.hierarchy.graph_kernels import entries, first_at_least, list_of
from hypercone.index.index_kernels import ancestors
from hypercone.methods.generic_kernels import may_reach, reach, signed_energy


@kernel(weight=MANY)
def count_by_tree(points, queries, tree, cones, stack, true, dim):
    """(number of predicted ancestors, number of correct ones) of each query, found with the tree of the index."""
    predicted, correct = np.empty(queries.size, np.int64), np.zeros(queries.size, np.int64)
    found, marks = np.empty(points.shape[0], np.int32), np.full(points.shape[0], -1, np.int64)
    for i in range(queries.size):
        row = queries[i]
        for k in entries(true, row):
            marks[true.rows[k]] = row
        predicted[i], _ = ancestors(points, row, tree, cones, found, stack, dim)
        for k in range(predicted[i]):
            correct[i] += marks[found[k]] == row
    return predicted, correct


@kernel(weight=MANY)
def count_by_scan(points, queries, method, threshold, true, dim):
    """The same by comparing with every node, for methods without an index."""
    predicted, correct = np.zeros(queries.size, np.int64), np.zeros(queries.size, np.int64)
    marks = np.full(points.shape[0], -1, np.int64)
    limit = reach(method, threshold)
    for i in range(queries.size):
        row = queries[i]
        for k in entries(true, row):
            marks[true.rows[k]] = row
        for other in range(points.shape[0]):
            if other == row or not may_reach(method, limit, points, np.uint64(other), np.uint64(row), dim):
                continue
            if signed_energy(method, points, np.uint64(other), np.uint64(row), dim) <= threshold:
                predicted[i] += 1
                correct[i] += marks[other] == row
    return predicted, correct


@kernel_part
def _sort(values):
    """Sort in place, ascending, by repeated insertion with shrinking gaps: a node has few ancestors."""
    gap = len(values) // 2
    while gap > 0:
        for i in range(gap, len(values)):
            moved = values[i]
            j = i
            while j >= gap and values[j - gap] > moved:
                values[j] = values[j - gap]
                j -= gap
            values[j] = moved
        gap = 1 if gap == 2 else gap * 5 // 11


@kernel(weight=MANY)
def ranks_of_ancestors(points, ancestors, children, method, dim):
    """(sum of ranks, sum of average precisions, number of pairs) over the given children.

    A non-ancestor is ranked before an ancestor if its energy is smaller or equal: ties count against the model.
    """
    rank_total = 0.0
    precision_total = 0.0
    pairs = 0
    for child in children:
        true = list_of(ancestors, child)
        energies = np.empty(true.size)
        for i in range(true.size):
            energies[i] = signed_energy(method, points, np.uint64(true[i]), np.uint64(child), dim)
        _sort(energies)
        before = np.zeros(true.size + 1, np.int64)
        worst = energies[-1]
        limit = reach(method, worst)
        k = 0
        for row in range(points.shape[0]):
            if k < true.size and true[k] == row:
                k += 1
                continue
            if row == child or not may_reach(method, limit, points, np.uint64(row), np.uint64(child), dim):
                continue
            energy = signed_energy(method, points, np.uint64(row), np.uint64(child), dim)
            if energy <= worst:
                before[first_at_least(energies, 0, true.size, energy)] += 1
        wrong = 0
        average = 0.0
        for i in range(true.size):
            wrong += before[i]
            rank_total += wrong + 1
            average += (i + 1) / (i + 1 + wrong)
        precision_total += average / true.size
        pairs += true.size
    return rank_total, precision_total, pairs


SIBLINGS, PARENTS_SIBLINGS, COUSINS = range(3)
NONE_FOUND = -1
# Used in place of a group number where ancestors are not excluded.
NO_GROUP = -2
# Rows are collected up to this many times per group; each time uses a different stamp.
STAMPS = 8


@kernel
def draw_relatives(nodes, starts, parents, children, inner_ends, ancestors, draws):
    """For each node a random sibling, a random sibling of a parent and a random child of one; -1 if there is none.

    ``nodes`` are sorted by group, and the groups begin at ``starts``. In the lists of ``children``, those with children
    of their own come first, up to ``inner_ends``, and are preferred. Ancestors are never drawn. ``draws`` has a 64-bit
    random number for each result.
    """
    size = inner_ends.size
    seen = np.full(size, -1, np.int64), np.empty(size, np.int64), np.full(size, -1, np.int64)
    buffers = np.empty((4, size), np.int32)
    drawn = np.full((3, nodes.size), NONE_FOUND, np.int32)
    begin, end = parents.offsets[:-1], parents.offsets[1:]
    for group in range(starts.size - 1):
        first, last = starts[group], starts[group + 1]
        members, node, stamp = nodes[first:last], nodes[first], STAMPS * group
        for i in entries(ancestors, node):
            seen[2][ancestors.rows[i]] = group
        direct = list_of(parents, node)
        given = children, inner_ends, group, seen, buffers[2:]
        _draw_child(members, direct, given, stamp, draws[SIBLINGS, first:last], drawn[SIBLINGS, first:last])
        count = _gather(direct, begin, end, parents.rows, NO_GROUP, seen, stamp + 2, buffers[0])
        above = buffers[0, :count]
        which = PARENTS_SIBLINGS
        _draw_child(members, above, given, stamp + 3, draws[which, first:last], drawn[which, first:last])
        count = _gather(above, children.offsets[:-1], inner_ends, children.rows, group, seen, stamp + 5, buffers[1])
        _draw_child(
            members, buffers[1, :count], given, stamp + 6, draws[COUSINS, first:last], drawn[COUSINS, first:last]
        )
    return drawn


@kernel_part
def _draw_child(members, over, given, stamp, draws, drawn):
    """For each member another child of one of the rows ``over``, preferably one with children."""
    children, inner_ends, group, seen, buffers = given
    inner = _gather(over, children.offsets[:-1], inner_ends, children.rows, group, seen, stamp, buffers[0])
    leaves = -1
    for i in range(members.size):
        drawn[i] = _choose_other(buffers[0, :inner], _position(members[i], seen, stamp), draws[i])
        if drawn[i] != NONE_FOUND:
            continue
        # Collected on first use, since most groups do not need the leaves.
        if leaves < 0:
            leaves = _gather(over, inner_ends, children.offsets[1:], children.rows, group, seen, stamp + 1, buffers[1])
        drawn[i] = _choose_other(buffers[1, :leaves], _position(members[i], seen, stamp + 1), draws[i])


@kernel_part
def _gather(over, begin, end, rows, group, seen, stamp, found):
    """Write the distinct list entries of the rows ``over``, except ancestors of the group; return their number."""
    stamps, places, excluded = seen
    count = 0
    for one in over:
        for i in range(begin[one], end[one]):
            row = rows[i]
            if stamps[row] != stamp and excluded[row] != group:
                stamps[row], places[row], found[count] = stamp, count, row
                count += 1
    return count


@kernel_part
def _position(row, seen, stamp):
    """The position of a row among those collected with a stamp, or -1."""
    stamps, places, _ = seen
    return places[row] if stamps[row] == stamp else -1


@kernel_part
def _choose_other(rows, own, draw):
    """One of the rows except the one at position ``own``; the modulo bias of a 64-bit number is negligible."""
    others = rows.size - (own >= 0)
    if others <= 0:
        return NONE_FOUND
    place = np.int64(draw % np.uint64(others))
    return rows[place + 1] if 0 <= own <= place else rows[place]
