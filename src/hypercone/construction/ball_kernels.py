"""Kernels that move balls: pulls on pairs that should hold, pushes on pairs that should not, and steps of Adam.

A pair (u, v) that should hold costs weight · log(1 + x/s) with x = distance + r_v − r_u + margin · s; a pair that
should not hold costs weight · log(1 + x/s) with x = r_u − r_v − distance + margin · s. The *scale* s is that of v: its
radius, or for a leaf a share of the radius above it, so that costs do not depend on the size of what is moved.

In *hierarchical coordinates* a ball is given relative to the ball above it in a forest: its center is
``center + radius · offset`` of that ball, its radius ``radius · exp(log_ratio)``. While |offset| + ratio ≤ 1 every edge
of the forest holds, and moving a ball moves everything below it.
"""
# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np

from hypercone._jit import LOOP, kernel, kernel_part, width
from hypercone._math_kernels import exp

# A ball stays this far inside the one above, which exceeds the rounding error.
INSIDE = 1.0 - 1e-9
ROUNDED = 1.0 + 1e-12
NO_DISTANCE = 1e-300
# Siblings are pushed apart with full force once they overlap by a tenth of the smaller radius.
SOFT_OVERLAP = 0.1


@kernel_part
def squared_distance(centers, i, j, dim):
    """The squared distance of two centers."""
    total = 0.0
    for k in range(width(dim)):
        apart = centers[i, k] - centers[j, k]
        total += apart * apart
    return total


@kernel_part
def holds(centers, radii, holder, held, dim):
    """Whether one ball contains another."""
    clearance = radii[holder] - radii[held]
    return clearance >= 0.0 and squared_distance(centers, holder, held, dim) <= clearance * clearance


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


@kernel(calls=LOOP)
def place_balls(parents, offsets, log_ratios, centers, radii, dim):
    """Write the center and radius of every ball except the first, which is given.

    An offset that reaches beyond the ball above is shortened.
    """
    for i in range(1, len(parents)):
        above = parents[i]
        ratio = exp(log_ratios[i])
        length = 0.0
        for k in range(width(dim)):
            length += offsets[i, k] * offsets[i, k]
        length = math.sqrt(length)
        longest = (1.0 - ratio) * INSIDE
        # A shortened offset is not shortened again, so that placing the same balls twice changes nothing.
        if length > longest * ROUNDED:
            for k in range(width(dim)):
                offsets[i, k] *= longest / length
        radius = radii[above]
        for k in range(width(dim)):
            centers[i, k] = centers[above, k] + radius * offsets[i, k]
        radii[i] = radius * ratio


@kernel(calls=LOOP)
def backpropagate(parents, offsets, radii, grad_centers, grad_radii, grad_offsets, grad_ratios, dim):
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
        grad_radii[above] += along + grad_ratios[i] / radii[above]


@kernel(calls=LOOP)
def adam_step(positions, logs, grad_positions, grad_logs, moments, limits, decay, rate, time, dim):
    """One step of Adam, with a single second moment for all coordinates of a position.

    ``moments`` are the first and second moments of positions and of logarithms. Positions move in units of
    ``limits.strides``; logarithms stay within their limits.
    """
    first_positions, second_positions, first_logs, second_logs = moments
    warm = 1.0 - _power(decay.first, time)
    second_warm = 1.0 - _power(decay.second, time)
    for i in range(len(logs)):
        stride = limits.strides[i]
        squared = 0.0
        for k in range(width(dim)):
            squared += grad_positions[i, k] * grad_positions[i, k]
        second_positions[i] = decay.second * second_positions[i] + (1.0 - decay.second) * squared * stride * stride
        scale = rate * stride / warm / (math.sqrt(second_positions[i] / second_warm) + decay.least)
        for k in range(width(dim)):
            slope = grad_positions[i, k] * stride
            first_positions[i, k] = decay.first * first_positions[i, k] + (1.0 - decay.first) * slope
            positions[i, k] -= scale * first_positions[i, k]
        slope = grad_logs[i]
        first_logs[i] = decay.first * first_logs[i] + (1.0 - decay.first) * slope
        second_logs[i] = decay.second * second_logs[i] + (1.0 - decay.second) * slope * slope
        scale = decay.log_share * rate / warm / (math.sqrt(second_logs[i] / second_warm) + decay.least)
        logs[i] = min(max(logs[i] - scale * first_logs[i], limits.lowest[i]), limits.highest[i])


@kernel_part
def _add_gradient(centers, first, second, distance, force, grad_centers, dim):
    """Add the gradient of a distance with slope ``force``; a negative force pushes the two apart."""
    scale = force / (distance + NO_DISTANCE)
    for k in range(width(dim)):
        part = scale * (centers[second, k] - centers[first, k])
        grad_centers[second, k] += part
        grad_centers[first, k] -= part


@kernel(weight=4, calls=LOOP)
def pull(centers, radii, scales, pairs, weights, margin, grad_centers, grad_radii, dim):
    """Add the gradients of pairs that should hold; ``weights`` has one entry per pair, or one for all."""
    for e in range(len(pairs)):
        parent, child = pairs[e, 0], pairs[e, 1]
        squared = squared_distance(centers, parent, child, dim)
        clearance = radii[parent] - radii[child] - margin * scales[child]
        if clearance >= 0.0 and squared <= clearance * clearance:
            continue
        distance = math.sqrt(squared)
        force = weights[e if len(weights) > 1 else 0] / (distance - clearance + scales[child])
        _add_gradient(centers, parent, child, distance, force, grad_centers, dim)
        grad_radii[child] += force
        grad_radii[parent] -= force


@kernel(weight=4, calls=LOOP)
def push(centers, radii, scales, pairs, weights, margin, grad_centers, grad_radii, dim):
    """Add the gradients of pairs that should not hold; ``weights`` has one entry per pair, or one for all."""
    for e in range(len(pairs)):
        holder, held = pairs[e, 0], pairs[e, 1]
        squared = squared_distance(centers, holder, held, dim)
        clearance = radii[holder] - radii[held] + margin * scales[held]
        if clearance <= 0.0 or squared >= clearance * clearance:
            continue
        distance = math.sqrt(squared)
        force = weights[e if len(weights) > 1 else 0] / (clearance - distance + scales[held])
        _add_gradient(centers, holder, held, distance, -force, grad_centers, dim)
        grad_radii[holder] += force
        grad_radii[held] -= force


@kernel(calls=LOOP)
def push_siblings(kids, centers, radii, weights, most, turn, grad_centers, grad_radii, dim):
    """Add gradients that separate siblings, for the initial iterations.

    In a family of more than ``most`` each is compared with ``most`` others, and with other ones at the next ``turn``.
    """
    for place in range(len(radii)):
        begin = kids.offsets[place]
        size = kids.offsets[place + 1] - begin
        for a in range(size):
            partners = size - 1 - a
            shift = 1
            if size > most:
                partners = most
                shift = 1 + turn * most % (size - 1)
            for b in range(partners):
                first = kids.rows[begin + a]
                second = kids.rows[begin + (a + shift + b) % size]
                if first == second:
                    continue
                distance = math.sqrt(squared_distance(centers, first, second, dim))
                overlap = radii[first] + radii[second] - distance
                if overlap > 0.0:
                    smaller = min(radii[first], radii[second])
                    force = min(weights[first], weights[second]) / smaller
                    force *= min(1.0, overlap / (SOFT_OVERLAP * smaller))
                    _add_gradient(centers, first, second, distance, -force, grad_centers, dim)
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
def sums_from_the_top(parents, values):
    """The sum of the values on the path from place 0 (excluded) to each place."""
    sums = np.zeros(len(parents))
    for i in range(1, len(parents)):
        sums[i] = sums[parents[i]] + values[i]
    return sums


@kernel
def ancestors_gained(edges, parents, ends, is_node):
    """For each edge outside the forest, the nodes on the way up from its parent that are not above its child."""
    gained = np.zeros(len(edges), np.int64)
    for e in range(len(edges)):
        above, child = edges[e, 0], edges[e, 1]
        while not (above <= child < ends[above]):
            if is_node[above]:
                gained[e] += 1
            above = parents[above]
    return gained


@kernel
def nearest_with_extra_parents(parents, extra):
    """For each place, itself or the nearest place above it that has a parent outside the forest; 0 if none has."""
    nearest = np.zeros(len(parents), np.int64)
    for i in range(1, len(parents)):
        nearest[i] = i if extra.offsets[i + 1] > extra.offsets[i] else nearest[parents[i]]
    return nearest
