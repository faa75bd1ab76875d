"""Counts over all pairs, ranks of true ancestors, and relatives drawn at random, compiled.

Nodes with the same basic parents are a *family*: they have the same ancestors, so their relatives are the same but for
themselves, and are gathered once for all of them.
"""
# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from hypercone._jit import exact_kernel
from hypercone.hierarchy.graph_kernels import list_of
from hypercone.index.index_kernels import ancestors
from hypercone.methods.generic_kernels import may_reach, reach, signed_energy


@exact_kernel
def count_by_tree(points, queries, tree, cones, stack, true, dim):
    """(ancestors called, of these the true ones) of each query, found through the tree of the index."""
    called, right = np.empty(queries.size, np.int64), np.zeros(queries.size, np.int64)
    found, marks = np.empty(points.shape[0], np.int32), np.full(points.shape[0], -1, np.int64)
    for i in range(queries.size):
        row = queries[i]
        marks[list_of(true, row)] = row
        called[i], _ = ancestors(points, row, tree, cones, found, stack, dim)
        for k in range(called[i]):
            right[i] += marks[found[k]] == row
    return called, right


@exact_kernel
def count_by_scan(points, queries, method, threshold, true, dim):
    """The same by asking every node, for methods that have no index."""
    called, right = np.zeros(queries.size, np.int64), np.zeros(queries.size, np.int64)
    marks = np.full(points.shape[0], -1, np.int64)
    limit = reach(method, threshold)
    for i in range(queries.size):
        row = queries[i]
        marks[list_of(true, row)] = row
        for other in range(points.shape[0]):
            if other == row or not may_reach(method, limit, points, np.uint64(other), np.uint64(row), dim):
                continue
            if signed_energy(method, points, np.uint64(other), np.uint64(row), dim) <= threshold:
                called[i] += 1
                right[i] += marks[other] == row
    return called, right


@exact_kernel
def ranks_of_ancestors(points, ancestors, children, method, dim):
    """(sum of ranks, sum of average precisions, number of pairs) over the children given.

    A wrong node counts before an ancestor when its energy is smaller or equal: ties are not in our favour.
    """
    rank_total = 0.0
    precision_total = 0.0
    pairs = 0
    for child in children:
        true = list_of(ancestors, child)
        energies = np.empty(true.size)
        for i in range(true.size):
            energies[i] = signed_energy(method, points, np.uint64(true[i]), np.uint64(child), dim)
        energies.sort()
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
                before[np.searchsorted(energies, energy)] += 1
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
NOBODY = -1
# No family has this number, so nothing is barred to it.
OPEN = -2
# How often rows are gathered for a family; each time has a stamp of its own.
STAMPS = 8


@exact_kernel
def draw_relatives(nodes, starts, parents, children, inner_ends, ancestors, draws):
    """For each node a sibling, a sibling of a parent and a child of such a one, at random; -1 where there is none.

    ``nodes`` stand by family, each of which begins at one of the ``starts``. Of children, those with children of their
    own come first, up to ``inner_ends``, and are the ones that are drawn where there are any. No ancestor is. ``draws``
    holds a 64-bit random number for each result.
    """
    size = inner_ends.size
    seen = np.full(size, -1, np.int64), np.empty(size, np.int64), np.full(size, -1, np.int64)
    room = np.empty((4, size), np.int32)
    drawn = np.full((3, nodes.size), NOBODY, np.int32)
    begin, end = parents.offsets[:-1], parents.offsets[1:]
    for family in range(starts.size - 1):
        first, last = starts[family], starts[family + 1]
        members, node, stamp = nodes[first:last], nodes[first], STAMPS * family
        seen[2][list_of(ancestors, node)] = family
        mothers = list_of(parents, node)
        given = children, inner_ends, family, seen, room[2:]
        _draw(members, mothers, given, stamp, draws[SIBLINGS, first:last], drawn[SIBLINGS, first:last])
        count = _gather(mothers, begin, end, parents.rows, OPEN, seen, stamp + 2, room[0])
        above = room[0, :count]
        which = PARENTS_SIBLINGS
        _draw(members, above, given, stamp + 3, draws[which, first:last], drawn[which, first:last])
        count = _gather(above, children.offsets[:-1], inner_ends, children.rows, family, seen, stamp + 5, room[1])
        _draw(members, room[1, :count], given, stamp + 6, draws[COUSINS, first:last], drawn[COUSINS, first:last])
    return drawn


@exact_kernel
def _draw(members, over, given, stamp, draws, drawn):
    """For each member a child of one of the rows ``over`` it, not itself, one with children if there is any."""
    children, inner_ends, family, seen, room = given
    inner = _gather(over, children.offsets[:-1], inner_ends, children.rows, family, seen, stamp, room[0])
    leaves = -1
    for i in range(members.size):
        drawn[i] = _one_of(room[0, :inner], _place(members[i], seen, stamp), draws[i])
        if drawn[i] != NOBODY:
            continue
        # Many are the families where this is never needed.
        if leaves < 0:
            leaves = _gather(over, inner_ends, children.offsets[1:], children.rows, family, seen, stamp + 1, room[1])
        drawn[i] = _one_of(room[1, :leaves], _place(members[i], seen, stamp + 1), draws[i])


@exact_kernel
def _gather(over, begin, end, rows, family, seen, stamp, found):
    """Write the different rows next to those ``over`` them, but for ancestors of the family; how many there are."""
    stamps, places, barred = seen
    count = 0
    for one in over:
        for i in range(begin[one], end[one]):
            row = rows[i]
            if stamps[row] != stamp and barred[row] != family:
                stamps[row], places[row], found[count] = stamp, count, row
                count += 1
    return count


@exact_kernel
def _place(row, seen, stamp):
    """Where a row stands among those gathered under a stamp, or -1."""
    stamps, places, _ = seen
    return places[row] if stamps[row] == stamp else -1


@exact_kernel
def _one_of(rows, own, draw):
    """One of the rows but for that at the place ``own``; a remainder of 64 bits is as good as uniform."""
    others = rows.size - (own >= 0)
    if others <= 0:
        return NOBODY
    place = np.int64(draw % np.uint64(others))
    return rows[place + 1] if 0 <= own <= place else rows[place]
