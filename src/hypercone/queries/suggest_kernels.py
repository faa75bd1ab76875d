"""Kernels that find links a graph may lack or have wrong, and the evidence for each.

``graph`` is a ``LinkGraph``: lists of direct parents and children, of both together, and of all ancestors and
descendants of each row. All lists are ascending.
"""
# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from hypercone._jit import MANY, kernel, kernel_part
from hypercone._math_kernels import log, log1p
from hypercone.hierarchy.graph_kernels import entries, is_listed, list_length, list_of
from hypercone.methods.generic_kernels import signed_energy

# The part of a walk that returns to its start in each step.
RESTART = 0.15
# Added to shares before their logarithm, so that none is infinite.
TINY = 1e-3
COLUMNS = 20


@kernel(weight=MANY)
def likely_parents(children, graph, most, precision):
    """(parent, child) rows, the part of the walk from the child that is at the parent, and the rank of the parent.

    The walk (personalized PageRank) is followed by pushing parts of it along the edges (Andersen, Chung and Lang 2006):
    a node passes on what has arrived once that is more than ``precision`` per edge. Each child gets the ``most`` nodes
    with the largest parts that are neither above nor below it.
    """
    n = len(graph.depths)
    arrived, stayed = np.zeros(n), np.zeros(n)
    is_waiting, is_seen = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    related, seen, queue = np.full(n, -1, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    pairs, visits = np.empty((len(children) * most, 2), np.int32), np.empty(len(children) * most)
    ranks = np.empty(len(children) * most, np.int32)
    filled = 0
    for child in children:
        count = _walk(child, graph.neighbors, precision, arrived, stayed, is_waiting, is_seen, seen, queue)
        related[child] = child
        for i in entries(graph.above, child):
            related[graph.above.rows[i]] = child
        for i in entries(graph.below, child):
            related[graph.below.rows[i]] = child
        start = filled
        for place in range(count):
            row = seen[place]
            part = stayed[row] + RESTART * arrived[row]
            stayed[row], arrived[row], is_seen[row] = 0.0, 0.0, False
            if related[row] == child or (filled == start + most and part <= visits[filled - 1]):
                continue
            filled = min(filled + 1, start + most)
            at = filled - 1
            while at > start and (visits[at - 1] < part or (visits[at - 1] == part and pairs[at - 1, 0] > row)):
                visits[at], pairs[at, 0] = visits[at - 1], pairs[at - 1, 0]
                at -= 1
            visits[at], pairs[at, 0] = part, row
        for place in range(start, filled):
            pairs[place, 1] = child
            ranks[place] = place - start + 1
    return pairs[:filled], visits[:filled], ranks[:filled]


@kernel_part
def _walk(start, neighbors, precision, arrived, stayed, is_waiting, is_seen, seen, queue):
    """Write the nodes that the walk meets to ``seen``, with what stayed and what arrived, and return how many."""
    size = len(queue)
    arrived[start], is_seen[start], is_waiting[start] = 1.0, True, True
    seen[0], queue[0] = start, start
    count, first, waiting = 1, 0, 1
    while waiting > 0:
        row = queue[first]
        first = first + 1 if first + 1 < size else 0
        waiting -= 1
        is_waiting[row] = False
        part = arrived[row]
        arrived[row] = 0.0
        stayed[row] += RESTART * part
        degree = list_length(neighbors, row)
        if degree == 0:
            continue
        passed = (1.0 - RESTART) * part / degree
        for i in entries(neighbors, row):
            other = neighbors.rows[i]
            if not is_seen[other]:
                is_seen[other] = True
                seen[count] = other
                count += 1
            arrived[other] += passed
            if not is_waiting[other] and arrived[other] > precision * list_length(neighbors, other):
                is_waiting[other] = True
                last = first + waiting
                queue[last if last < size else last - size] = other
                waiting += 1
    return count


@kernel(weight=MANY)
def evidence_of_pairs(pairs, visits, ranks, graph):
    """The columns of ``EVIDENCE`` for each pair, and whether the parent is below a known parent of the child."""
    found, is_below = np.zeros((len(pairs), COLUMNS)), np.zeros(len(pairs), np.bool_)
    marks = np.full(len(graph.depths), -1, np.int32)
    parents, children, above, below = graph.parents, graph.children, graph.above, graph.below
    for k in range(len(pairs)):
        parent, child = pairs[k]
        if k == 0 or child != pairs[k - 1, 1]:
            for i in entries(above, child):
                marks[above.rows[i]] = child
        degrees = list_length(graph.neighbors, child) / max(1, list_length(graph.neighbors, parent))
        common, gained, information, weight = _compare_ancestors(parent, child, graph, marks)
        is_sibling, co_children, share, inner, siblings = 0.0, 0.0, 0.0, 0.0, list_length(parents, child) * 1e9
        for i in entries(parents, child):
            known = parents.rows[i]
            is_below[k] |= is_listed(above, parent, known)
            others = list_length(children, known) - 1
            co_children += _common_children(known, parent, graph) / (others + 1.0)
            total, with_children = graph.grandchildren[known], graph.inner_children[known]
            if list_length(children, child) > 0:
                total, with_children = total - list_length(children, child), with_children - 1
            if is_listed(parents, parent, known):
                is_sibling = 1.0
                share = max(share, list_length(children, parent) / (total + 1.0))
            inner = max(inner, (with_children + 0.5) / (others + 1.0))
            siblings = min(siblings, others)
        shared = shared_descendants(parent, child, above, below, parents)
        line = found[k]
        line[0], line[1], line[2] = log(visits[k]), log(float(ranks[k])), log(visits[k] * degrees)
        line[3], line[4], line[6] = information, log1p(float(gained)), log1p(weight)
        line[5] = common / (list_length(above, child) + gained + 1.0)
        line[7], line[8], line[9] = is_sibling, co_children, log(co_children + TINY)
        line[10], line[11] = shared, log(shared + TINY)
        line[12], line[13] = log1p(float(list_length(children, parent))), log1p(float(list_length(below, parent)))
        line[14], line[15] = float(graph.depths[parent] - graph.depths[child]), float(list_length(parents, child))
        line[16], line[17] = log1p(float(list_length(children, child))), log(share + TINY)
        line[18], line[19] = log(inner + TINY), log1p(siblings)
    return found, is_below


@kernel_part
def _compare_ancestors(parent, child, graph, marks):
    """How many ancestors are common, how many only the parent has, the highest information of a common one, and a sum.

    In the sum (Adamic and Adar), a common ancestor counts the more the fewer descendants it has. ``marks`` has the
    child at each of its ancestors.
    """
    common, gained, information, weight = 0, 0, 0.0, 0.0
    for i in entries(graph.above, parent):
        row = graph.above.rows[i]
        if marks[row] == child:
            common += 1
            information = max(information, graph.information[row])
            weight += 1.0 / log(2.0 + list_length(graph.below, row))
        else:
            gained += 1
    return common, gained, information, weight


@kernel_part
def _common_children(one, other, graph):
    """The number of children that two rows have in common; the list of the smaller family is searched."""
    if list_length(graph.children, one) > list_length(graph.children, other):
        one, other = other, one
    shared = 0
    for i in entries(graph.children, one):
        shared += is_listed(graph.parents, graph.children.rows[i], other)
    return shared


@kernel_part
def shared_descendants(parent, child, ancestors, below, parents):
    """The largest share of a group around the child that is the parent or below it.

    The groups are the descendants of each parent of the child, and those of all its parents together, always without
    the child and its descendants. Each group is counted with one additional node that is not below the parent, so that
    small groups count as weaker evidence.
    """
    groups = list_of(parents, child)
    if groups.size == 0:
        return 0.0
    share, own = 0.0, list_length(below, child)
    own_under = count_shared(groups[:0], child, parent, ancestors, below)
    smallest = groups[0]
    for group in groups:
        size = list_length(below, group)
        if size < list_length(below, smallest):
            smallest = group
        under = count_shared(groups[:0], group, parent, ancestors, below)
        share = max(share, (under - own_under) / (size - own))
    if groups.size > 1:
        size = 0
        for i in entries(below, smallest):
            size += is_below_all(below.rows[i], groups, ancestors)
        under = count_shared(groups, smallest, parent, ancestors, below)
        share = max(share, (under - own_under) / (size - own))
    return share


@kernel(weight=MANY)
def independent_pairs(pairs, count, above):
    """The first ``count`` positions whose pairs neither follow from a chosen pair before, nor imply or reverse one."""
    chosen = np.empty(min(count, len(pairs)), np.int64)
    filled = 0
    for k in range(len(pairs)):
        if filled == len(chosen):
            break
        parent, child = pairs[k]
        is_free = True
        for place in range(filled):
            other_parent, other_child = pairs[chosen[place]]
            if other_parent == child and other_child == parent:
                is_free = False
                break
            if _implies(parent, child, other_parent, other_child, above) or _implies(
                other_parent, other_child, parent, child, above
            ):
                is_free = False
                break
        if is_free:
            chosen[filled] = k
            filled += 1
    return chosen[:filled]


@kernel_part
def _implies(parent, child, other_parent, other_child, above):
    """Whether the other pair follows from the pair: its parent is no lower, and its child no higher."""
    is_higher = parent == other_parent or is_listed(above, parent, other_parent)
    return is_higher and (child == other_child or is_listed(above, other_child, child))


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
