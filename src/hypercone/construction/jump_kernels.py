"""The kernel of jumps: a ball tries random places and sizes, and takes the best by exact count, all others at rest.

A gradient moves a ball a little at a time and only out of what it violates; a jump passes over what is in between.
"""
# mypy: ignore-errors

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy import uint64

from hypercone._jit import LOOP, kernel, kernel_part, width
from hypercone._math_kernels import exp
from hypercone._random_kernels import mix, uniform_from
from hypercone.hierarchy.graph_kernels import entries, list_length

# How far the logarithm of a radius may change in one try, and how many times as large a ball may become in all.
LOG_CHANGE, LARGEST = 0.8, 2.0
NO_DISTANCE = 1e-300


class Near(NamedTuple):
    """The balls that matter to one that jumps, side by side: centers, radii, and gains if they hold it or are held."""

    centers: np.ndarray
    radii: np.ndarray
    gains: np.ndarray


@kernel_part
def _squared_distance_to(centers, row, place, dim):
    total = 0.0
    for k in range(width(dim)):
        apart = centers[row, k] - place[k]
        total += apart * apart
    return total


@kernel_part
def _one_of(lists, row, uniform):
    return lists.rows[lists.offsets[row] + int(uniform * list_length(lists, row))]


@kernel_part
def _add_random(place, length, counter, dim):
    """Move a place in a random direction, by at most the length."""
    squared = 0.0
    for k in range(width(dim)):
        apart = 2.0 * uniform_from(mix(counter + uint64(k))) - 1.0
        squared += apart * apart
    scale = length * uniform_from(mix(counter + uint64(width(dim)))) / (math.sqrt(squared) + NO_DISTANCE)
    for k in range(width(dim)):
        place[k] += scale * (2.0 * uniform_from(mix(counter + uint64(k))) - 1.0)


@kernel_part
def _propose(centers, radii, parents, children, row, at, radius, counter, place, dim):
    """Write a place for a ball that is at ``at``: in a parent, between two parents, towards a child, or nearby."""
    kind = int(4.0 * uniform_from(mix(counter)))
    first, second = uniform_from(mix(counter + uint64(1))), uniform_from(mix(counter + uint64(2)))
    between, counter = uniform_from(mix(counter + uint64(3))), counter + uint64(4)
    for k in range(width(dim)):
        place[k] = at[k]
    length = 0.5 * radius
    if list_length(parents, row) > 0:
        parent, other = _one_of(parents, row, first), _one_of(parents, row, second)
        if list_length(children, row) == 0:
            length = 0.5 * radii[parent]
        if kind == 0:
            length = radii[parent]
            for k in range(width(dim)):
                place[k] = centers[parent, k]
        elif kind == 1 and parent != other:
            apart = 0.0
            for k in range(width(dim)):
                apart += (centers[parent, k] - centers[other, k]) ** 2
            apart = math.sqrt(apart) + NO_DISTANCE
            # From where the other ball begins to where this one ends; if they are apart, the gap between them.
            begin, end = max(0.0, 1.0 - radii[other] / apart), min(1.0, radii[parent] / apart)
            share = begin + (end - begin) * between
            for k in range(width(dim)):
                place[k] = centers[parent, k] + share * (centers[other, k] - centers[parent, k])
            length = 0.5 * min(radii[parent], radii[other])
    if kind == 2 and list_length(children, row) > 0:
        child, length = _one_of(children, row, first), 0.0
        for k in range(width(dim)):
            place[k] += between * (centers[child, k] - place[k])
    _add_random(place, length, counter, dim)


@kernel_part
def _find_near(centers, radii, weights, below, relation, row, reach, largest, cost, near, dim):
    """Write the balls that could contain a ball, or be in it, if it moves by ``reach`` and is at most ``largest``.

    Of each, its center, its radius, and what is gained if it contains the ball and if it is in it. ``relation`` is
    2 · row for the true ancestors of the ball and 2 · row + 1 for its true descendants.
    """
    found = 0
    holds_any = list_length(below, row) > 0
    for other in range(len(radii)):
        squared = _squared_distance_to(centers, other, centers[row], dim)
        inside, outside = radii[other] + reach, largest - radii[other] + reach
        can_hold = list_length(below, other) > 0
        can_contain = can_hold and squared <= inside * inside
        if other == row or not (can_contain or (holds_any and outside >= 0.0 and squared <= outside * outside)):
            continue
        wrong = -cost * weights[other]
        near.radii[found] = radii[other]
        near.gains[found, 0] = (weights[other] if relation[other] == 2 * row else wrong) if can_hold else 0.0
        near.gains[found, 1] = (weights[other] if relation[other] == 2 * row + 1 else wrong) if holds_any else 0.0
        for k in range(width(dim)):
            near.centers[found, k] = centers[other, k]
        found += 1
    return found


@kernel_part
def _count(near, found, place, radius, dim):
    """The gain of a ball at a place: the true pairs that hold less the cost of the others, without its own weight."""
    gain = 0.0
    for i in range(found):
        clearance = near.radii[i] - radius
        if _squared_distance_to(near.centers, i, place, dim) <= clearance * clearance:
            gain += near.gains[i, 0 if clearance >= 0.0 else 1]
    return gain


@kernel(weight=64, calls=LOOP)
def jump(rows, centers, radii, weights, true, below, parents, children, cost, tries, smallest, counter, dim):
    """(balls that moved, balls compared): move each ball of ``rows`` in turn to the best place of those that it tries.

    ``true`` and ``below`` list the true ancestors and descendants, ``parents`` and ``children`` the direct ones. A
    wrong pair costs ``cost`` times what a true pair gains. Random numbers are a function of ``counter``, row and try.
    """
    n, size = len(radii), width(dim)
    relation, near = np.full(n, -1, np.int64), Near(np.empty((n, size)), np.empty(n), np.empty((n, 2)))
    place, best_place = np.empty(size), np.empty(size)
    moved, compared = 0, 0
    for row in rows:
        for j in entries(true, row):
            relation[true.rows[j]] = 2 * row
        for j in entries(below, row):
            relation[below.rows[j]] = 2 * row + 1
        reach = radii[row]
        for j in entries(parents, row):
            reach = max(reach, math.sqrt(_squared_distance_to(centers, parents.rows[j], centers[row], dim)))
        largest = LARGEST * radii[row]
        found = _find_near(centers, radii, weights, below, relation, row, reach, largest, cost, near, dim)
        first = _count(near, found, centers[row], radii[row], dim)
        best, best_radius = first, radii[row]
        for k in range(size):
            best_place[k] = centers[row, k]
        numbers = mix(counter + uint64(row))
        for t in range(tries):
            numbers = mix(numbers + uint64(t))
            _propose(centers, radii, parents, children, row, best_place, best_radius, numbers, place, dim)
            if _squared_distance_to(centers, row, place, dim) > reach * reach:
                continue
            radius, change = best_radius, uniform_from(mix(numbers + uint64(size + 8)))
            if list_length(below, row) > 0 and change < 0.5:
                radius = min(max(radius * exp(LOG_CHANGE * (4.0 * change - 1.0)), smallest), largest)
            gain = _count(near, found, place, radius, dim)
            compared += found
            if gain > best:
                best, best_radius = gain, radius
                for k in range(size):
                    best_place[k] = place[k]
        if best > first:
            moved += 1
            radii[row] = best_radius
            for k in range(size):
                centers[row, k] = best_place[k]
        compared += n + found
    return moved, compared
