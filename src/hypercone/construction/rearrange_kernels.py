"""Moving the subtrees of a forest to where more of its pairs are true, compiled.

A pair of the forest that is in the closure earns 1, one that is not costs ``price``. The last place, n, is above all
roots. Moving a node moves all below it, and the node may then adopt some of its new siblings: so it can come between
two others. What each such move earns is counted exactly, from the ancestors and descendants in the closure.
"""
# mypy: ignore-errors

from typing import NamedTuple

import numpy as np

from hypercone._jit import exact_kernel, exact_kernel_part
from hypercone.hierarchy.graph_kernels import entries

FREE, MEMBER, OVER = 0, 1, 2
# Below this a gain is rounding.
LEAST_GAIN = 1e-6


class Links(NamedTuple):
    """The forest: of each place its parent, the size of its subtree, its first child and its neighbouring siblings."""

    parents: np.ndarray
    sizes: np.ndarray
    firsts: np.ndarray
    nexts: np.ndarray
    befores: np.ndarray


class Scratch(NamedTuple):
    """Zeros, and lists of which of them were filled."""

    marks: np.ndarray
    shared: np.ndarray
    lost: np.ndarray
    adopted: np.ndarray
    members: np.ndarray
    sharing: np.ndarray
    losing: np.ndarray
    candidates: np.ndarray


@exact_kernel_part
def _attach(links, node, parent):
    size = links.sizes[node]
    links.parents[node] = parent
    links.befores[node] = -1
    links.nexts[node] = links.firsts[parent]
    if links.firsts[parent] >= 0:
        links.befores[links.firsts[parent]] = node
    links.firsts[parent] = node
    while parent >= 0:
        links.sizes[parent] += size
        parent = links.parents[parent]


@exact_kernel_part
def _detach(links, node):
    parent, before, after = links.parents[node], links.befores[node], links.nexts[node]
    if before >= 0:
        links.nexts[before] = after
    else:
        links.firsts[parent] = after
    if after >= 0:
        links.befores[after] = before
    while parent >= 0:
        links.sizes[parent] -= links.sizes[node]
        parent = links.parents[parent]


@exact_kernel
def linked(kept):
    """The forest with a kept parent, or -1, for each row; the rows in ascending order among siblings."""
    n = len(kept)
    links = Links(
        np.full(n + 1, -1, np.int32),
        np.ones(n + 1, np.int64),
        np.full(n + 1, -1, np.int32),
        np.full(n + 1, -1, np.int32),
        np.full(n + 1, -1, np.int32),
    )
    for row in range(n - 1, -1, -1):
        parent = kept[row] if kept[row] >= 0 else n
        links.parents[row] = parent
        links.nexts[row] = links.firsts[parent]
        if links.firsts[parent] >= 0:
            links.befores[links.firsts[parent]] = row
        links.firsts[parent] = row
    listed = np.empty(n + 1, np.int32)
    count = _list_members(links, n, listed)
    for i in range(count - 1, 0, -1):
        links.sizes[links.parents[listed[i]]] += links.sizes[listed[i]]
    return links


@exact_kernel_part
def _list_members(links, node, members):
    """List the node and all below it, each after its parent, and return how many they are."""
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


@exact_kernel_part
def _count_shared(above, scratch, count):
    """Of how many members each row outside is an ancestor in the closure; returns how many such rows there are."""
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


@exact_kernel_part
def _count_lost(node, links, below, scratch):
    """How many of the node's descendants that are not members are in the subtree of each row; how many such rows."""
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


@exact_kernel_part
def _worth(hits, size, price):
    """What one row earns as an ancestor of so many, of which these are truly below it."""
    return hits - price * (size - hits)


@exact_kernel_part
def _list_candidates(node, links, scratch, sharing, losing, price):
    """List the parents the node might have, its present one first; sum up what adopting their children would earn.

    Above everything is one of them; of the others, those that are no ancestor of a member can only cost.
    """
    scratch.candidates[0] = links.parents[node]
    scratch.candidates[1] = len(links.parents) - 1
    count = 2
    for i in range(losing):
        row = scratch.losing[i]
        worth = _worth(scratch.lost[row], links.sizes[row], price)
        if worth > 0.0:
            if scratch.adopted[links.parents[row]] == 0.0:
                scratch.candidates[count] = links.parents[row]
                count += 1
            scratch.adopted[links.parents[row]] += worth
    for i in range(sharing):
        scratch.candidates[count] = scratch.sharing[i]
        count += 1
    return count


@exact_kernel_part
def _best_parent(node, links, scratch, count, price):
    """(The candidate under which the node and its members earn most, how much more than now)."""
    now = best = 0.0
    chosen = scratch.candidates[0]
    for i in range(count):
        earned = scratch.adopted[scratch.candidates[i]]
        row = scratch.candidates[i]
        while links.parents[row] >= 0:
            earned += _worth(scratch.shared[row], links.sizes[node], price)
            row = links.parents[row]
        if i == 0:
            now = earned - scratch.adopted[scratch.candidates[0]]
            best = earned
        elif earned > best + LEAST_GAIN:
            best, chosen = earned, scratch.candidates[i]
    return chosen, best - now


@exact_kernel_part
def _adopt(node, links, scratch, losing, price):
    for i in range(losing):
        row = scratch.losing[i]
        if links.parents[row] == links.parents[node] and _worth(scratch.lost[row], links.sizes[row], price) > 0.0:
            _detach(links, row)
            _attach(links, row, node)


@exact_kernel_part
def _mark_over(node, links, marks, mark):
    row = links.parents[node]
    while row >= 0:
        marks[row] = mark
        row = links.parents[row]


@exact_kernel
def rearrange(order, links, above, below, price, done):
    """Move each node in turn to where it earns most, adopting what it should; returns how many moved or adopted.

    ``above`` and ``below`` are the ancestors and the descendants of each row. The nodes of each subtree that is looked
    at are counted in ``done``.
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
        _mark_over(node, links, scratch.marks, OVER)
        sharing = _count_shared(above, scratch, members)
        losing = _count_lost(node, links, below, scratch)
        candidates = _list_candidates(node, links, scratch, sharing, losing, price)
        parent, gain = _best_parent(node, links, scratch, candidates, price)
        _mark_over(node, links, scratch.marks, FREE)
        if gain > LEAST_GAIN:
            moved += 1
            if parent != links.parents[node]:
                _detach(links, node)
                _attach(links, node, parent)
            _adopt(node, links, scratch, losing, price)
        for i in range(members):
            scratch.marks[scratch.members[i]] = FREE
        for i in range(sharing):
            scratch.shared[scratch.sharing[i]] = 0
        for i in range(losing):
            scratch.lost[scratch.losing[i]] = 0
        for i in range(candidates):
            scratch.adopted[scratch.candidates[i]] = 0.0
    return moved


@exact_kernel
def count_pairs_of(parents, above):
    """(How many pairs of a forest are in the closure, how many are not); ``above`` are the ancestors of each row."""
    n = len(above.offsets) - 1
    seen_by = np.full(n, -1, np.int32)
    right = 0
    wrong = 0
    for row in range(n):
        for i in entries(above, row):
            seen_by[above.rows[i]] = row
        higher = parents[row]
        while 0 <= higher < n:
            if seen_by[higher] == row:
                right += 1
            else:
                wrong += 1
            higher = parents[higher]
    return right, wrong
