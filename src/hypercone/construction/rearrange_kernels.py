"""Kernels that move subtrees of a forest to where more of its pairs are true.

A pair of the forest gains 1 if it is in the closure and costs ``penalty`` otherwise. The last place, n, is above all
roots. Moving a node moves its subtree, and the node may then adopt some of its new siblings, so that it comes between
two others. The gain of each move is computed exactly, from the ancestors and descendants in the closure.
"""
# mypy: ignore-errors

from typing import NamedTuple

import numpy as np

from hypercone._jit import MANY, kernel, kernel_part
from hypercone.hierarchy.graph_kernels import entries

FREE, MEMBER, ABOVE = 0, 1, 2
# A smaller gain is rounding error.
LEAST_GAIN = 1e-6


class Links(NamedTuple):
    """The forest: per place its parent, subtree size, first child, next and previous sibling."""

    parents: np.ndarray
    sizes: np.ndarray
    firsts: np.ndarray
    nexts: np.ndarray
    previous: np.ndarray


class Scratch(NamedTuple):
    """Work arrays, all zero between nodes, and the lists of their nonzero entries."""

    marks: np.ndarray
    shared: np.ndarray
    lost: np.ndarray
    adopted: np.ndarray
    members: np.ndarray
    sharing: np.ndarray
    losing: np.ndarray
    candidates: np.ndarray


@kernel_part
def _attach(links, node, parent):
    size = links.sizes[node]
    links.parents[node] = parent
    links.previous[node] = -1
    links.nexts[node] = links.firsts[parent]
    if links.firsts[parent] >= 0:
        links.previous[links.firsts[parent]] = node
    links.firsts[parent] = node
    while parent >= 0:
        links.sizes[parent] += size
        parent = links.parents[parent]


@kernel_part
def _detach(links, node):
    parent, before, after = links.parents[node], links.previous[node], links.nexts[node]
    if before >= 0:
        links.nexts[before] = after
    else:
        links.firsts[parent] = after
    if after >= 0:
        links.previous[after] = before
    while parent >= 0:
        links.sizes[parent] -= links.sizes[node]
        parent = links.parents[parent]


@kernel
def link_forest(forest_parents):
    """The links of a forest, given by the parent of each row or -1; siblings are in ascending order."""
    n = len(forest_parents)
    links = Links(
        np.full(n + 1, -1, np.int32),
        np.ones(n + 1, np.int64),
        np.full(n + 1, -1, np.int32),
        np.full(n + 1, -1, np.int32),
        np.full(n + 1, -1, np.int32),
    )
    for row in range(n - 1, -1, -1):
        parent = forest_parents[row] if forest_parents[row] >= 0 else n
        links.parents[row] = parent
        links.nexts[row] = links.firsts[parent]
        if links.firsts[parent] >= 0:
            links.previous[links.firsts[parent]] = row
        links.firsts[parent] = row
    listed = np.empty(n + 1, np.int32)
    count = _list_members(links, n, listed)
    for i in range(count - 1, 0, -1):
        links.sizes[links.parents[listed[i]]] += links.sizes[listed[i]]
    return links


@kernel_part
def _list_members(links, node, members):
    """Write the node and its descendants in the forest, parents first; returns their number."""
    members[0] = node
    count = 1
    done = 0
    while done < count:
        child = links.firsts[members[done]]
        while child >= 0:
            members[count] = child
            count += 1
            child = links.nexts[child]
        done += 1
    return count


@kernel_part
def _count_shared(above, scratch, count):
    """Count the members below each row outside, in the closure; returns the number of such rows."""
    sharing = 0
    for i in range(count):
        member = scratch.members[i]
        for j in entries(above, member):
            row = above.rows[j]
            if scratch.marks[row] != MEMBER:
                if scratch.shared[row] == 0:
                    scratch.sharing[sharing] = row
                    sharing += 1
                scratch.shared[row] += 1
    return sharing


@kernel_part
def _count_lost(node, links, below, scratch):
    """Count the node's descendants that are not members in the subtree of each row; returns the number of such rows."""
    losing = 0
    for j in entries(below, node):
        row = below.rows[j]
        while scratch.marks[row] == FREE:
            if scratch.lost[row] == 0:
                scratch.losing[losing] = row
                losing += 1
            scratch.lost[row] += 1
            row = links.parents[row]
    return losing


@kernel_part
def _gain_of(hits, size, penalty):
    """The gain of a row as an ancestor of ``size`` nodes, of which ``hits`` are its descendants in the closure."""
    return hits - penalty * (size - hits)


@kernel_part
def _list_candidates(node, links, scratch, sharing, losing, penalty):
    """List candidate parents, the present one first, and sum up the gain of adopting their children.

    The place above all roots is one. Of the others, only ancestors of members can gain.
    """
    scratch.candidates[0] = links.parents[node]
    scratch.candidates[1] = len(links.parents) - 1
    count = 2
    for i in range(losing):
        row = scratch.losing[i]
        gain = _gain_of(scratch.lost[row], links.sizes[row], penalty)
        if gain > 0.0:
            if scratch.adopted[links.parents[row]] == 0.0:
                scratch.candidates[count] = links.parents[row]
                count += 1
            scratch.adopted[links.parents[row]] += gain
    for i in range(sharing):
        scratch.candidates[count] = scratch.sharing[i]
        count += 1
    return count


@kernel_part
def _best_parent(node, links, scratch, count, penalty):
    """(The candidate under which the node and its members gain most, the gain over the present parent)."""
    now = best = 0.0
    chosen = scratch.candidates[0]
    for i in range(count):
        gained = scratch.adopted[scratch.candidates[i]]
        row = scratch.candidates[i]
        while links.parents[row] >= 0:
            gained += _gain_of(scratch.shared[row], links.sizes[node], penalty)
            row = links.parents[row]
        if i == 0:
            now = gained - scratch.adopted[scratch.candidates[0]]
            best = gained
        elif gained > best + LEAST_GAIN:
            best, chosen = gained, scratch.candidates[i]
    return chosen, best - now


@kernel_part
def _adopt(node, links, scratch, losing, penalty):
    for i in range(losing):
        row = scratch.losing[i]
        if links.parents[row] == links.parents[node] and _gain_of(scratch.lost[row], links.sizes[row], penalty) > 0.0:
            _detach(links, row)
            _attach(links, row, node)


@kernel_part
def _mark_above(node, links, marks, mark):
    row = links.parents[node]
    while row >= 0:
        marks[row] = mark
        row = links.parents[row]


@kernel(weight=8 * MANY)
def rearrange(order, links, above, below, penalty, done):
    """Move each node in turn to where it gains most, and let it adopt siblings; returns how many moved or adopted.

    ``above`` and ``below`` are the ancestors and descendants of each row. ``done`` counts the nodes of the subtrees
    visited.
    """
    n = len(links.parents)
    scratch = Scratch(
        np.zeros(n, np.int8),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(2 * n + 2, np.int32),
    )
    moved = 0
    for node in order:
        members = _list_members(links, node, scratch.members)
        done[0] += members
        for i in range(members):
            scratch.marks[scratch.members[i]] = MEMBER
        _mark_above(node, links, scratch.marks, ABOVE)
        sharing = _count_shared(above, scratch, members)
        losing = _count_lost(node, links, below, scratch)
        candidates = _list_candidates(node, links, scratch, sharing, losing, penalty)
        parent, gain = _best_parent(node, links, scratch, candidates, penalty)
        _mark_above(node, links, scratch.marks, FREE)
        if gain > LEAST_GAIN:
            moved += 1
            if parent != links.parents[node]:
                _detach(links, node)
                _attach(links, node, parent)
            _adopt(node, links, scratch, losing, penalty)
        for i in range(members):
            scratch.marks[scratch.members[i]] = FREE
        for i in range(sharing):
            scratch.shared[scratch.sharing[i]] = 0
        for i in range(losing):
            scratch.lost[scratch.losing[i]] = 0
        for i in range(candidates):
            scratch.adopted[scratch.candidates[i]] = 0.0
    return moved


@kernel
def count_pairs_of(parents, above):
    """For each row, (forest ancestors that are true ones, those that are not); ``above`` are the true ancestors."""
    n = len(above.offsets) - 1
    seen_by = np.full(n, -1, np.int32)
    right, wrong = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for row in range(n):
        for i in entries(above, row):
            seen_by[above.rows[i]] = row
        higher = parents[row]
        while 0 <= higher < n:
            if seen_by[higher] == row:
                right[row] += 1
            else:
                wrong[row] += 1
            higher = parents[higher]
    return right, wrong
