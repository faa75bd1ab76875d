"""Kernels for overlapping balls: the skeleton, nested and free balls, gradients and Adam steps.

*Nested phase.* A ball is given relative to the ball above it: its center is ``center + radius · offset`` of that ball,
its radius ``radius · exp(log_ratio)``. While |offset| + ratio ≤ 1 the pairs of the skeleton hold, and moving a ball
moves everything below it. An edge outside the skeleton costs weight · log(1 + v/r) with v = distance + r − R + margin,
where r is the child's radius and R the parent's. A wrong pair costs weight · log(1 + v/r) with
v = R − r − distance + margin, where R is the radius of the holder and r that of the contained ball.

*Free phase.* A true pair costs log(1 + v/s) with v = distance + r − R + margin · s, a wrong pair log(1 + v/s) with
v = R − r − distance + margin · s, where s is the *scale* of the contained ball.
"""
# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np

from hypercone._jit import LOOP, kernel, kernel_part, width
from hypercone._math_kernels import exp
from hypercone.hierarchy.graph_kernels import entries


@kernel_part
def _power(base, exponent):
    """The whole power of a number, by squaring."""
    product = 1.0
    while exponent > 0:
        if exponent % 2 == 1:
            product *= base
        base *= base
        exponent //= 2
    return product


# The usual decay of Adam's first moment; the second decays faster, as violations come and go.
NESTED_FIRST_DECAY, NESTED_SECOND_DECAY = 0.9, 0.99
NESTED_TINY = 1e-12
# A ball stays this far inside the one above, which exceeds the rounding error.
INSIDE = 1.0 - 1e-9


@kernel(calls=LOOP)
def place_balls(parents, offsets, log_ratios, centers, radii, dim):
    """Write the center and radius of every ball except the first, which is given."""
    for i in range(1, len(parents)):
        above = parents[i]
        radius = radii[above]
        for k in range(width(dim)):
            centers[i, k] = centers[above, k] + radius * offsets[i, k]
        radii[i] = radius * exp(log_ratios[i])


@kernel(calls=LOOP)
def backpropagate(parents, offsets, log_ratios, radii, grad_centers, grad_radii, grad_offsets, grad_ratios, dim):
    """Write the gradients of offsets and log ratios, from those of centers and radii, bottom-up."""
    for i in range(len(parents) - 1, 0, -1):
        above = parents[i]
        along = 0.0
        for k in range(width(dim)):
            slope = grad_centers[i, k]
            grad_offsets[i, k] = radii[above] * slope
            grad_centers[above, k] += slope
            along += slope * offsets[i, k]
        grad_ratios[i] = radii[i] * grad_radii[i]
        grad_radii[above] += along + grad_radii[i] * exp(log_ratios[i])


@kernel(calls=LOOP)
def step(offsets, log_ratios, grad_offsets, grad_ratios, moments, bounds, rate, time, dim):
    """One Adam step, with a single second moment for all coordinates of an offset.

    ``moments`` are the first and second moments of offsets and of log ratios. Log ratios stay within their bounds, and
    every ball inside the one above it.
    """
    first_offsets, second_offsets, first_ratios, second_ratios = moments
    warm = 1.0 - _power(NESTED_FIRST_DECAY, time)
    second_warm = 1.0 - _power(NESTED_SECOND_DECAY, time)
    for i in range(1, len(log_ratios)):
        squared = 0.0
        for k in range(width(dim)):
            squared += grad_offsets[i, k] * grad_offsets[i, k]
        second_offsets[i] = NESTED_SECOND_DECAY * second_offsets[i] + (1.0 - NESTED_SECOND_DECAY) * squared
        scale = rate / warm / (math.sqrt(second_offsets[i] / second_warm) + NESTED_TINY)
        for k in range(width(dim)):
            first_offsets[i, k] = (
                NESTED_FIRST_DECAY * first_offsets[i, k] + (1.0 - NESTED_FIRST_DECAY) * grad_offsets[i, k]
            )
            offsets[i, k] -= scale * first_offsets[i, k]
        slope = grad_ratios[i]
        first_ratios[i] = NESTED_FIRST_DECAY * first_ratios[i] + (1.0 - NESTED_FIRST_DECAY) * slope
        second_ratios[i] = NESTED_SECOND_DECAY * second_ratios[i] + (1.0 - NESTED_SECOND_DECAY) * slope * slope
        scale = rate / warm / (math.sqrt(second_ratios[i] / second_warm) + NESTED_TINY)
        log_ratios[i] = min(max(log_ratios[i] - scale * first_ratios[i], bounds.lowest[i]), bounds.highest[i])
        length = 0.0
        for k in range(width(dim)):
            length += offsets[i, k] * offsets[i, k]
        length = math.sqrt(length)
        longest = (1.0 - exp(log_ratios[i])) * INSIDE
        if length > longest:
            for k in range(width(dim)):
                offsets[i, k] *= longest / length


# Faster decay than usual, as the set of violated pairs keeps changing.
FREE_FIRST_DECAY, FREE_SECOND_DECAY = 0.8, 0.95
# Radii move more slowly than centers.
RADIUS_SHARE = 0.3
NO_DISTANCE = 1e-300
LEAST_SLOPE = 1e-9


@kernel(calls=LOOP)
def find_violated_pairs(centers, radii, scales, ancestors, margin, reach, pairs, dim):
    """(pairs written, true pairs that hold): writes the true pairs that violate the margin, or may do so soon.

    ``reach`` is how far balls may move before the next search, in radii.
    """
    written, held = 0, 0
    for child in range(len(radii)):
        scale = scales[child]
        for j in entries(ancestors, child):
            parent = ancestors.rows[j]
            squared = 0.0
            for k in range(width(dim)):
                apart = centers[child, k] - centers[parent, k]
                squared += apart * apart
            clearance = radii[parent] - radii[child]
            if clearance >= 0.0 and squared <= clearance * clearance:
                held += 1
            clearance -= margin * scale + reach * (radii[parent] + scale)
            if clearance < 0.0 or squared > clearance * clearance:
                pairs[written, 0], pairs[written, 1] = parent, child
                written += 1
    return written, held


@kernel(weight=4, calls=LOOP)
def add_true_pair_gradients(centers, radii, scales, pairs, margin, grad_centers, grad_radii, dim):
    """Add the gradients of true pairs."""
    for e in range(len(pairs)):
        parent, child = pairs[e, 0], pairs[e, 1]
        squared = 0.0
        for k in range(width(dim)):
            apart = centers[child, k] - centers[parent, k]
            squared += apart * apart
        clearance = radii[parent] - radii[child] - margin * scales[child]
        if clearance >= 0.0 and squared <= clearance * clearance:
            continue
        distance = math.sqrt(squared)
        force = 1.0 / (distance - clearance + scales[child])
        part = force / (distance + NO_DISTANCE)
        for k in range(width(dim)):
            slope = part * (centers[child, k] - centers[parent, k])
            grad_centers[child, k] += slope
            grad_centers[parent, k] -= slope
        grad_radii[child] += force
        grad_radii[parent] -= force


@kernel(weight=4, calls=LOOP)
def add_wrong_pair_gradients(centers, radii, scales, wrong, weight, margin, grad_centers, grad_radii, dim):
    """Add the gradients of wrong pairs."""
    for e in range(len(wrong)):
        holder, held = wrong[e, 0], wrong[e, 1]
        squared = 0.0
        for k in range(width(dim)):
            apart = centers[held, k] - centers[holder, k]
            squared += apart * apart
        clearance = radii[holder] - radii[held] + margin * scales[held]
        if clearance <= 0.0 or squared >= clearance * clearance:
            continue
        distance = math.sqrt(squared)
        force = weight / (clearance - distance + scales[held])
        part = force / (distance + NO_DISTANCE)
        for k in range(width(dim)):
            slope = part * (centers[held, k] - centers[holder, k])
            grad_centers[held, k] -= slope
            grad_centers[holder, k] += slope
        grad_radii[holder] += force
        grad_radii[held] -= force


@kernel(calls=LOOP)
def move(centers, log_radii, radii, grad_centers, grad_radii, moments, limits, rate, time, dim):
    """One Adam step, in units of the stride of each ball; leaves keep their radius. ``radii`` follow ``log_radii``."""
    first_centers, second_centers, first_radii, second_radii = moments
    warm = 1.0 - _power(FREE_FIRST_DECAY, time)
    second_warm = 1.0 - _power(FREE_SECOND_DECAY, time)
    for i in range(len(log_radii)):
        stride = limits.strides[i]
        squared = 0.0
        for k in range(width(dim)):
            squared += grad_centers[i, k] * grad_centers[i, k]
        second_centers[i] = (
            FREE_SECOND_DECAY * second_centers[i] + (1.0 - FREE_SECOND_DECAY) * squared * stride * stride
        )
        scale = rate * stride / warm / (math.sqrt(second_centers[i] / second_warm) + LEAST_SLOPE)
        for k in range(width(dim)):
            slope = grad_centers[i, k] * stride
            first_centers[i, k] = FREE_FIRST_DECAY * first_centers[i, k] + (1.0 - FREE_FIRST_DECAY) * slope
            centers[i, k] -= scale * first_centers[i, k]
        if limits.is_leaf[i]:
            continue
        slope = grad_radii[i] * radii[i]
        first_radii[i] = FREE_FIRST_DECAY * first_radii[i] + (1.0 - FREE_FIRST_DECAY) * slope
        second_radii[i] = FREE_SECOND_DECAY * second_radii[i] + (1.0 - FREE_SECOND_DECAY) * slope * slope
        scale = RADIUS_SHARE * rate / warm / (math.sqrt(second_radii[i] / second_warm) + LEAST_SLOPE)
        log_radii[i] = max(log_radii[i] - scale * first_radii[i], limits.smallest)
        radii[i] = exp(log_radii[i])


# Siblings are pushed apart with full force once they overlap by a tenth of the smaller radius.
SOFT_OVERLAP = 0.1


@kernel_part
def _distance(centers, i, j, dim):
    total = 0.0
    for k in range(width(dim)):
        apart = centers[i, k] - centers[j, k]
        total += apart * apart
    return math.sqrt(total)


@kernel_part
def _add_distance_gradient(centers, first, second, distance, force, grad_centers, dim):
    """Add the gradient of a distance with slope ``force``; a negative force pushes the two apart."""
    scale = force / (distance + NO_DISTANCE)
    for k in range(width(dim)):
        part = scale * (centers[second, k] - centers[first, k])
        grad_centers[second, k] += part
        grad_centers[first, k] -= part


@kernel(calls=LOOP)
def add_edge_gradients(centers, radii, edges, weights, margin, grad_centers, grad_radii, dim):
    """Add the gradients of the edges outside the skeleton."""
    for e in range(len(edges)):
        parent, child = edges[e, 0], edges[e, 1]
        distance = _distance(centers, parent, child, dim)
        lack = distance + (1.0 + margin) * radii[child] - radii[parent]
        if lack > 0.0:
            force = weights[e] / (lack + radii[child] + NO_DISTANCE)
            _add_distance_gradient(centers, parent, child, distance, force, grad_centers, dim)
            grad_radii[child] += force * (1.0 + margin)
            grad_radii[parent] -= force


@kernel(calls=LOOP)
def add_wrong_subtree_gradients(centers, radii, wrong, count, margin, grad_centers, grad_radii, dim):
    """Add the gradients of the first ``count`` wrong pairs."""
    for e in range(count):
        holder, top = wrong.holders[e], wrong.tops[e]
        distance = _distance(centers, holder, top, dim)
        excess = radii[holder] - (1.0 - margin) * radii[top] - distance
        if excess > 0.0:
            force = wrong.weights[e] / (excess + radii[top] + NO_DISTANCE)
            _add_distance_gradient(centers, holder, top, distance, -force, grad_centers, dim)
            grad_radii[holder] += force
            grad_radii[top] -= force * (1.0 - margin)


@kernel(calls=LOOP)
def add_sibling_gradients(kids, centers, radii, weights, grad_centers, grad_radii, dim):
    """Add gradients that separate siblings of the skeleton, for the initial iterations."""
    for place in range(len(radii)):
        for a in entries(kids, place):
            for b in range(a + 1, kids.offsets[place + 1]):
                first, second = kids.rows[a], kids.rows[b]
                distance = _distance(centers, first, second, dim)
                overlap = radii[first] + radii[second] - distance
                if overlap > 0.0:
                    smaller = min(radii[first], radii[second])
                    force = min(weights[first], weights[second]) / smaller
                    force *= min(1.0, overlap / (SOFT_OVERLAP * smaller))
                    _add_distance_gradient(centers, first, second, distance, -force, grad_centers, dim)
                    grad_radii[first] += force
                    grad_radii[second] += force


@kernel
def preorder(order, parents):
    """(the place of each item, the number of places of its subtree); ``order`` has parents first."""
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


@kernel
def descendants_by_place(sources, includes_source, place_of, ancestors, counts):
    """(offsets, places) of the descendants of each place in the hierarchy, ascending; ``counts`` is their number.

    The ancestors of place i are those of row ``sources[i]``, and that row itself where ``includes_source`` is set.
    """
    n = len(sources)
    starts = np.zeros(n + 1, np.int64)
    free = np.empty(n, np.int64)
    for i in range(n):
        starts[i + 1] = starts[i] + counts[i]
        free[i] = starts[i]
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


@kernel
def count_descendants(sources, includes_source, place_of, ancestors):
    """The number of descendants of each place in the hierarchy."""
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


@kernel
def depths_in_forest(parents, is_real):
    """The number of nodes above each place in the skeleton."""
    depths = np.zeros(len(parents), np.int64)
    for i in range(1, len(parents)):
        depths[i] = depths[parents[i]] + (1 if is_real[parents[i]] else 0)
    return depths


@kernel
def ancestors_gained(edges, parents, rows, place_of, ancestors):
    """For each edge outside the skeleton, the number of ancestors that its child gains beyond the skeleton."""
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


@kernel
def sums_from_the_top(parents, values):
    """The sum of the values on the path from place 0 (excluded) to each place."""
    sums = np.zeros(len(parents))
    for i in range(1, len(parents)):
        sums[i] = sums[parents[i]] + values[i]
    return sums
