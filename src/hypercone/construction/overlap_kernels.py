"""Overlapping balls, compiled: the skeleton, balls in its coordinates and free ones, gradients and steps.

A ball is given by where it lies in the ball above it: its centre is ``centre + radius · offset`` of that one, its
radius ``radius · exp(log_ratio)``. As long as |offset| + ratio ≤ 1 the skeleton's pairs hold, and moving one ball moves
all below it along.

A true pair costs log(1 + v/s) with v = distance + r − R + margin · s, a wrong one log(1 + v/s) with
v = R − r − distance + margin · s; R is the radius of the holder, r that of what is held, and s the latter's *scale*.

An edge outside the skeleton costs weight · log(1 + v/r) with v = distance + r − R + margin, r the child's radius and R
the parent's; a wrong pair costs weight · log(1 + v/r) with v = R − r − distance + margin, r that of what is held.
"""
# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np

from hypercone._jit import exact_kernel, kernel, kernel_part, width
from hypercone.hierarchy.graph_kernels import entries

# The usual decay of Adam's first moment, and a second moment short enough to follow violations that come and go.
NESTED_FIRST_DECAY, NESTED_SECOND_DECAY = 0.9, 0.99
NESTED_TINY = 1e-12
# A ball stays inside the one above by so much of its radius, more than rounding can take away.
INSIDE = 1.0 - 1e-9


@exact_kernel
def place_balls(parents, offsets, log_ratios, centres, radii, dim):
    """Write the centre and the radius of every ball below the first, which is given."""
    for i in range(1, len(parents)):
        above = parents[i]
        radius = radii[above]
        for k in range(width(dim)):
            centres[i, k] = centres[above, k] + radius * offsets[i, k]
        radii[i] = radius * math.exp(log_ratios[i])


@kernel
def pull_back(parents, offsets, log_ratios, radii, of_centres, of_radii, of_offsets, of_ratios, dim):
    """Write the gradients in offsets and log ratios; those in centres and radii are summed up the skeleton."""
    for i in range(len(parents) - 1, 0, -1):
        above = parents[i]
        along = 0.0
        for k in range(width(dim)):
            slope = of_centres[i, k]
            of_offsets[i, k] = radii[above] * slope
            of_centres[above, k] += slope
            along += slope * offsets[i, k]
        of_ratios[i] = radii[i] * of_radii[i]
        of_radii[above] += along + of_radii[i] * math.exp(log_ratios[i])


@kernel
def step(offsets, log_ratios, of_offsets, of_ratios, moments, bounds, rate, time, dim):
    """Move every ball against its gradient, as Adam does but with one second moment for all of an offset.

    ``moments`` are the first and second ones of offsets and of log ratios. Log ratios stay within their bounds, and
    every ball within the one above it.
    """
    first_offsets, second_offsets, first_ratios, second_ratios = moments
    warm = 1.0 - NESTED_FIRST_DECAY**time
    second_warm = 1.0 - NESTED_SECOND_DECAY**time
    for i in range(1, len(log_ratios)):
        squared = 0.0
        for k in range(width(dim)):
            squared += of_offsets[i, k] * of_offsets[i, k]
        second_offsets[i] = NESTED_SECOND_DECAY * second_offsets[i] + (1.0 - NESTED_SECOND_DECAY) * squared
        scale = rate / warm / (math.sqrt(second_offsets[i] / second_warm) + NESTED_TINY)
        for k in range(width(dim)):
            first_offsets[i, k] = (
                NESTED_FIRST_DECAY * first_offsets[i, k] + (1.0 - NESTED_FIRST_DECAY) * of_offsets[i, k]
            )
            offsets[i, k] -= scale * first_offsets[i, k]
        slope = of_ratios[i]
        first_ratios[i] = NESTED_FIRST_DECAY * first_ratios[i] + (1.0 - NESTED_FIRST_DECAY) * slope
        second_ratios[i] = NESTED_SECOND_DECAY * second_ratios[i] + (1.0 - NESTED_SECOND_DECAY) * slope * slope
        scale = rate / warm / (math.sqrt(second_ratios[i] / second_warm) + NESTED_TINY)
        log_ratios[i] = min(max(log_ratios[i] - scale * first_ratios[i], bounds.lowest[i]), bounds.highest[i])
        length = 0.0
        for k in range(width(dim)):
            length += offsets[i, k] * offsets[i, k]
        length = math.sqrt(length)
        longest = (1.0 - math.exp(log_ratios[i])) * INSIDE
        if length > longest:
            for k in range(width(dim)):
                offsets[i, k] *= longest / length


# Shorter memories than usual: which pairs are violated changes all the time.
FREE_FIRST_DECAY, FREE_SECOND_DECAY = 0.8, 0.95
# Radii move more slowly than centres.
RADIUS_SHARE = 0.3
TINY = 1e-300
LEAST_SLOPE = 1e-9


@exact_kernel
def find_open(centres, radii, scales, ancestors, margin, reach, pairs, dim):
    """(pairs written, true pairs that hold): the true pairs that do not hold by the margin, or may cease to.

    ``reach`` is how far balls may move, in radii, before the next search.
    """
    written, held = 0, 0
    for child in range(len(radii)):
        scale = scales[child]
        for j in entries(ancestors, child):
            parent = ancestors.rows[j]
            squared = 0.0
            for k in range(width(dim)):
                apart = centres[child, k] - centres[parent, k]
                squared += apart * apart
            room = radii[parent] - radii[child]
            if room >= 0.0 and squared <= room * room:
                held += 1
            room -= margin * scale + reach * (radii[parent] + scale)
            if room < 0.0 or squared > room * room:
                pairs[written, 0], pairs[written, 1] = parent, child
                written += 1
    return written, held


@kernel
def pull_true(centres, radii, scales, pairs, margin, of_centres, of_radii, dim):
    """Add the gradient of some true pairs."""
    for e in range(len(pairs)):
        parent, child = pairs[e, 0], pairs[e, 1]
        squared = 0.0
        for k in range(width(dim)):
            apart = centres[child, k] - centres[parent, k]
            squared += apart * apart
        room = radii[parent] - radii[child] - margin * scales[child]
        if room >= 0.0 and squared <= room * room:
            continue
        distance = math.sqrt(squared)
        force = 1.0 / (distance - room + scales[child])
        part = force / (distance + TINY)
        for k in range(width(dim)):
            slope = part * (centres[child, k] - centres[parent, k])
            of_centres[child, k] += slope
            of_centres[parent, k] -= slope
        of_radii[child] += force
        of_radii[parent] -= force


@kernel
def push_wrong(centres, radii, scales, wrong, weight, margin, of_centres, of_radii, dim):
    """Add the gradient of some wrong pairs."""
    for e in range(len(wrong)):
        holder, held = wrong[e, 0], wrong[e, 1]
        squared = 0.0
        for k in range(width(dim)):
            apart = centres[held, k] - centres[holder, k]
            squared += apart * apart
        room = radii[holder] - radii[held] + margin * scales[held]
        if room <= 0.0 or squared >= room * room:
            continue
        distance = math.sqrt(squared)
        force = weight / (room - distance + scales[held])
        part = force / (distance + TINY)
        for k in range(width(dim)):
            slope = part * (centres[held, k] - centres[holder, k])
            of_centres[held, k] -= slope
            of_centres[holder, k] += slope
        of_radii[holder] += force
        of_radii[held] -= force


@exact_kernel
def move(centres, log_radii, of_centres, of_radii, moments, limits, rate, time, dim):
    """Move every ball against its gradient, as Adam does, in units of its stride; leaves keep their radius."""
    first_centres, second_centres, first_radii, second_radii = moments
    warm = 1.0 - FREE_FIRST_DECAY**time
    second_warm = 1.0 - FREE_SECOND_DECAY**time
    for i in range(len(log_radii)):
        stride = limits.strides[i]
        squared = 0.0
        for k in range(width(dim)):
            squared += of_centres[i, k] * of_centres[i, k]
        second_centres[i] = (
            FREE_SECOND_DECAY * second_centres[i] + (1.0 - FREE_SECOND_DECAY) * squared * stride * stride
        )
        scale = rate * stride / warm / (math.sqrt(second_centres[i] / second_warm) + LEAST_SLOPE)
        for k in range(width(dim)):
            slope = of_centres[i, k] * stride
            first_centres[i, k] = FREE_FIRST_DECAY * first_centres[i, k] + (1.0 - FREE_FIRST_DECAY) * slope
            centres[i, k] -= scale * first_centres[i, k]
        if limits.is_leaf[i]:
            continue
        slope = of_radii[i] * math.exp(log_radii[i])
        first_radii[i] = FREE_FIRST_DECAY * first_radii[i] + (1.0 - FREE_FIRST_DECAY) * slope
        second_radii[i] = FREE_SECOND_DECAY * second_radii[i] + (1.0 - FREE_SECOND_DECAY) * slope * slope
        scale = RADIUS_SHARE * rate / warm / (math.sqrt(second_radii[i] / second_warm) + LEAST_SLOPE)
        log_radii[i] = max(log_radii[i] - scale * first_radii[i], limits.smallest)


# Siblings are pushed apart with full force once they overlap by a tenth of the smaller radius.
SOFT_OVERLAP = 0.1


@kernel_part
def _distance(centres, i, j, dim):
    total = 0.0
    for k in range(width(dim)):
        apart = centres[i, k] - centres[j, k]
        total += apart * apart
    return math.sqrt(total)


@kernel_part
def _pull(centres, first, second, distance, force, of_centres, dim):
    """Add the gradient of a distance that costs ``force`` a unit; with a force below 0 the two are pushed apart."""
    scale = force / (distance + TINY)
    for k in range(width(dim)):
        part = scale * (centres[second, k] - centres[first, k])
        of_centres[second, k] += part
        of_centres[first, k] -= part


@kernel
def add_edges(centres, radii, edges, weights, margin, of_centres, of_radii, dim):
    """Add the gradient of the edges outside the skeleton."""
    for e in range(len(edges)):
        parent, child = edges[e, 0], edges[e, 1]
        distance = _distance(centres, parent, child, dim)
        lack = distance + (1.0 + margin) * radii[child] - radii[parent]
        if lack > 0.0:
            force = weights[e] / (lack + radii[child] + TINY)
            _pull(centres, parent, child, distance, force, of_centres, dim)
            of_radii[child] += force * (1.0 + margin)
            of_radii[parent] -= force


@kernel
def add_wrong_pairs(centres, radii, wrong, count, margin, of_centres, of_radii, dim):
    """Add the gradient of the first ``count`` wrong pairs."""
    for e in range(count):
        holder, top = wrong.holders[e], wrong.tops[e]
        distance = _distance(centres, holder, top, dim)
        excess = radii[holder] - (1.0 - margin) * radii[top] - distance
        if excess > 0.0:
            force = wrong.weights[e] / (excess + radii[top] + TINY)
            _pull(centres, holder, top, distance, -force, of_centres, dim)
            of_radii[holder] += force
            of_radii[top] -= force * (1.0 - margin)


@kernel
def add_siblings(kids, centres, radii, weights, of_centres, of_radii, dim):
    """Add a gradient that parts siblings in the skeleton, for a start."""
    for place in range(len(radii)):
        for a in entries(kids, place):
            for b in range(a + 1, kids.offsets[place + 1]):
                first, second = kids.rows[a], kids.rows[b]
                distance = _distance(centres, first, second, dim)
                overlap = radii[first] + radii[second] - distance
                if overlap > 0.0:
                    smaller = min(radii[first], radii[second])
                    force = min(weights[first], weights[second]) / smaller
                    force *= min(1.0, overlap / (SOFT_OVERLAP * smaller))
                    _pull(centres, first, second, distance, -force, of_centres, dim)
                    of_radii[first] += force
                    of_radii[second] += force


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
def descendants_by_place(sources, includes_source, place_of, ancestors, counts):
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
        for j in entries(ancestors, row):
            above = place_of[ancestors.rows[j]]
            below[free[above]] = i
            free[above] += 1
        if includes_source[i]:
            above = place_of[row]
            below[free[above]] = i
            free[above] += 1
    return starts, below


@exact_kernel
def count_descendants(sources, includes_source, place_of, ancestors):
    """How many places are truly below each place."""
    counts = np.zeros(len(sources), np.int64)
    for i in range(len(sources)):
        row = sources[i]
        if row < 0:
            continue
        for j in entries(ancestors, row):
            counts[place_of[ancestors.rows[j]]] += 1
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
def ancestors_gained(edges, parents, rows, place_of, ancestors):
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
        for j in entries(ancestors, row):
            if seen_by[place_of[ancestors.rows[j]]] != e:
                gained[e] += 1
    return gained


@exact_kernel
def sums_from_the_top(parents, values):
    """The sum of the values on the way from place 0, which does not count, down to each place."""
    sums = np.zeros(len(parents))
    for i in range(1, len(parents)):
        sums[i] = sums[parents[i]] + values[i]
    return sums
