"""Kernels for the most general and most specific nodes of a set, and for the position of a new node.

*Extremes of a set.* With a positive threshold "is a" is not transitive, so a node may be covered by one that is covered
itself, and every pair has to be tested. Nodes that are not covered are tested first, as they cover nearly all others. A
node that covers another moves half way to the front, so that those that cover many are soon tested before the rest.

*Position of a new node.* The new node is an additional row at the end of ``points``. ``listed`` are the nodes that
matter near it: those it should be under, and those it is under, or above, by mistake. Testing only these makes a trial
cheap; a scan of all nodes then finds the ones that were missed, and adds them to the list.
"""
# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np

from hypercone._jit import MANY, kernel, kernel_part, width
from hypercone.methods.generic_kernels import GeodesicSgd, inverse_scale, may_reach, reach, signed_energy, step


@kernel_part
def _is_a(points, child, parent, threshold, bound, method, dim):
    child, parent = np.uint64(child), np.uint64(parent)
    if not may_reach(method, bound, points, parent, child, dim):
        return False
    return signed_energy(method, points, parent, child, dim) <= threshold


@kernel(weight=MANY)
def is_topmost(points, rows, threshold, method, dim):
    """For rows sorted from general to specific, whether each is not a kind of any row before it."""
    bound = reach(method, threshold)
    kept = np.zeros(len(rows), np.bool_)
    edge = np.empty(len(rows), np.int64)
    count = 0
    for i in range(len(rows)):
        is_hidden = False
        for place in range(count):
            if _is_a(points, rows[i], edge[place], threshold, bound, method, dim):
                edge[place], edge[place // 2] = edge[place // 2], edge[place]
                is_hidden = True
                break
        if is_hidden:
            continue
        for j in range(i):
            if not kept[j] and _is_a(points, rows[i], rows[j], threshold, bound, method, dim):
                is_hidden = True
                break
        if not is_hidden:
            kept[i] = True
            edge[count] = rows[i]
            count += 1
    return kept


@kernel(weight=MANY)
def is_lowest(points, rows, threshold, method, dim):
    """For rows sorted from general to specific, whether no row after each is a kind of it."""
    bound = reach(method, threshold)
    kept = np.zeros(len(rows), np.bool_)
    edge = np.empty(len(rows), np.int64)
    count = 0
    for i in range(len(rows) - 1, -1, -1):
        is_hidden = False
        for place in range(count):
            if _is_a(points, edge[place], rows[i], threshold, bound, method, dim):
                edge[place], edge[place // 2] = edge[place // 2], edge[place]
                is_hidden = True
                break
        if is_hidden:
            continue
        for j in range(len(rows) - 1, i, -1):
            if not kept[j] and _is_a(points, rows[j], rows[i], threshold, bound, method, dim):
                is_hidden = True
                break
        if not is_hidden:
            kept[i] = True
            edge[count] = rows[i]
            count += 1
    return kept


# The required relation of a listed node to the new one.
ABOVE, NOT_ABOVE, NOT_BELOW = 0, 1, 2
# A violated constraint costs its weight, plus up to half of it depending on the distance, which gives the search a
# gradient; one that holds by less than the margin costs up to a tenth.
FAR_SHARE, NEAR_SHARE = 0.5, 0.1
# The one-fifth success rule: the step length is stationary if one trial in five succeeds.
GROW, SHRINK = 1.5, 0.9036020036098449
TINY = 1e-300


@kernel_part
def _penalty(excess, weight, scale):
    """The cost of a listed node that violates its constraint by ``excess``."""
    if excess > 0.0:
        return weight * (1.0 + FAR_SHARE * excess / (excess + scale))
    return NEAR_SHARE * max(0.0, 1.0 + excess / (0.1 * scale))


@kernel_part
def _listed_cost(points, new, listed, method, threshold, scale, bound, dim):
    """The cost of all listed nodes, or the first partial sum above the bound."""
    total = 0.0
    for i in range(listed.rows.size):
        upper, lower = np.uint64(listed.rows[i]), new
        if listed.kinds[i] == NOT_BELOW:
            upper, lower = lower, upper
        excess = signed_energy(method, points, upper, lower, dim) - threshold
        if listed.kinds[i] != ABOVE:
            # At the threshold a pair counts as true, so an unwanted one is violated there.
            excess = -excess if excess != 0.0 else TINY
        total += _penalty(excess, listed.weights[i], scale)
        if total > bound:
            break
    return total


@kernel_part
def _copy(points, to, source, row, dim):
    for k in range(width(dim)):
        points[to, k] = source[row, k]


@kernel_part
def _move(points, new, direction, length, method, memory, gradient, dim):
    """Move the new node by ``length``, in the metric of the method, in a direction."""
    squared = 0.0
    for k in range(width(dim)):
        squared += points[new, k] * points[new, k]
    away = length / inverse_scale(method, squared)
    for k in range(width(dim)):
        gradient[k] = -away * direction[k]
    step(GeodesicSgd(1.0), method, points, memory, new, gradient, dim)


@kernel(weight=MANY)
def improve_position(points, new, listed, directions, stride, method, threshold, scale, dim):
    """Move the new node by trial steps that lower the cost of the listed nodes; returns the cost.

    Without directions, the cost of its present position.
    """
    row = np.uint64(new)
    memory = np.empty(0)
    gradient = np.empty(width(dim))
    best = np.empty((1, width(dim)))
    _copy(best, 0, points, row, dim)
    least = _listed_cost(points, row, listed, method, threshold, scale, np.inf, dim)
    length = stride
    for trial in range(directions.shape[0]):
        if least == 0.0:
            break
        _move(points, row, directions[trial], length, method, memory, gradient, dim)
        cost = _listed_cost(points, row, listed, method, threshold, scale, least, dim)
        if cost < least:
            least = cost
            _copy(best, 0, points, row, dim)
            length *= GROW
        else:
            _copy(points, row, best, 0, dim)
            length *= SHRINK
    return least


@kernel(weight=MANY)
def points_outwards(points, new, lengths, method, dim):
    """The positions at the given distances outwards from the new node, along its ray from the origin."""
    row = np.uint64(new)
    memory = np.empty(0)
    gradient = np.empty(width(dim))
    places = np.empty((lengths.size, width(dim)))
    here = np.empty((1, width(dim)))
    _copy(here, 0, points, row, dim)
    squared = 0.0
    for k in range(width(dim)):
        squared += here[0, k] * here[0, k]
    spoke = np.empty(width(dim))
    for k in range(width(dim)):
        spoke[k] = here[0, k] / max(1e-300, math.sqrt(squared))
    for i in range(lengths.size):
        _copy(points, row, here, 0, dim)
        _move(points, row, spoke, lengths[i], method, memory, gradient, dim)
        _copy(places, i, points, row, dim)
    return places


@kernel(weight=MANY)
def rows_within(points, new, found, bound, method, dim):
    """Fill ``found`` with the rows whose energy with the new one is within the bound: first above it, then below it.

    Returns how many are above and how many there are in total; rows that do not fit are left out.
    """
    row = np.uint64(new)
    within = reach(method, bound)
    above = 0
    for i in range(new):
        other = np.uint64(i)
        if above < found.size and may_reach(method, within, points, other, row, dim):
            found[above] = i
            above += signed_energy(method, points, other, row, dim) <= bound
    both = above
    for i in range(new):
        other = np.uint64(i)
        if both < found.size and may_reach(method, within, points, row, other, dim):
            found[both] = i
            both += signed_energy(method, points, row, other, dim) <= bound
    return above, both


@kernel
def mark_ancestors(edges, marks):
    """Mark all ancestors of marked nodes; edges are (parent, child), in any order."""
    changed = True
    while changed:
        changed = False
        for i in range(edges.shape[0] - 1, -1, -1):
            if marks[edges[i, 1]] and not marks[edges[i, 0]]:
                marks[edges[i, 0]] = True
                changed = True
