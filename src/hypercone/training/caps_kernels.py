"""One epoch of the start by caps, compiled: constraints between spherical caps, each met a part of the way.

A node is a cap: a direction and an angular radius R. The order of cones is inclusion of caps: v lies in u exactly if
θ + R_v ≤ R_u, with θ the angle between them. Whenever a pair breaks its constraint by a gap, both turn along the great
circle through them until the gap is a fraction of what it was. The smaller cap turns more, in the ratio of the radii:
a small one never drags a large one, with all that is in it, across the sphere. Radii follow slowly.
"""
# mypy: ignore-errors

import math
from typing import NamedTuple

import numpy as np
from numpy import uint64

from hypercone._jit import kernel, kernel_part, width
from hypercone.hierarchy.graph_kernels import entries, list_length
from hypercone.training.epoch_kernels import below, is_known, mix, stream

# The part of a parent's radius that its children leave free, and the part by which wrong pairs stay clear of a cap.
FREE_INSIDE = 0.15
CLEAR_OUTSIDE = 0.05
# What of a gap between two caps that must part is met by making them smaller.
SHRINKING = 0.2
# No visit changes a radius by more than this share of it.
LARGEST_CHANGE = 0.3
# Below this squared length two directions are the same, and which way leads apart is drawn.
SAME_PLACE = 1e-26
# Draws of one edge for different purposes; far more than there are negatives or dimensions.
ELSEWHERE = uint64(1 << 20)


class Pull(NamedTuple):
    """What a positive pair does: the part of its gap that is met, how much the parent grows, how it decays."""

    rate: float
    growth: float
    decay: float


class CapSteps(NamedTuple):
    """How far an epoch goes; the pulls of near and of far parents, the rates of pushes, the range of radii."""

    near: Pull
    far: Pull
    far_share: float
    apart: float
    siblings_apart: float
    smallest: float
    largest: float


@kernel_part
def _uniform(bits):
    """A number in [0, 1) from the upper 53 random bits."""
    return np.float64(bits >> uint64(11)) * (1.0 / 9007199254740992.0)


@kernel_part
def _squared_chord(directions, one, other, dim):
    """The squared distance of two unit vectors, which keeps the digits of a small angle."""
    total = 0.0
    for k in range(width(dim)):
        difference = directions[one, k] - directions[other, k]
        total += difference * difference
    return total


@kernel_part
def _angle(squared_chord):
    return 2.0 * math.asin(min(1.0, 0.5 * math.sqrt(squared_chord)))


@kernel_part
def _make_tangent(directions, row, tangent, dim):
    """Take away the part along the direction; returns the squared length of what is left."""
    along = 0.0
    for k in range(width(dim)):
        along += tangent[k] * directions[row, k]
    squared = 0.0
    for k in range(width(dim)):
        tangent[k] -= along * directions[row, k]
        squared += tangent[k] * tangent[k]
    return squared


@kernel_part
def _turn(directions, row, other, angle, bits, tangent, dim):
    """Turn one direction towards another, or away from it by a negative angle; from the same place, anywhere."""
    for k in range(width(dim)):
        tangent[k] = directions[other, k] - directions[row, k]
    squared = _make_tangent(directions, row, tangent, dim)
    if squared < SAME_PLACE:
        for k in range(width(dim)):
            tangent[k] = _uniform(mix(bits + ELSEWHERE + uint64(k))) - 0.5
        squared = _make_tangent(directions, row, tangent, dim)
    cosine = math.cos(angle)
    sine = math.sin(angle) / math.sqrt(squared)
    total = 0.0
    for k in range(width(dim)):
        x = cosine * directions[row, k] + sine * tangent[k]
        directions[row, k] = x
        total += x * x
    # Rounding would add up over thousands of turns.
    for k in range(width(dim)):
        directions[row, k] /= math.sqrt(total)


@kernel_part
def _turn_both(directions, radii, parent, child, angle, bits, tangent, dim):
    """Turn a pair towards each other by an angle in all, or apart; returns the parent's part of it."""
    share = radii[child] / (radii[parent] + radii[child])
    _turn(directions, child, parent, (1.0 - share) * angle, bits, tangent, dim)
    _turn(directions, parent, child, share * angle, bits + ELSEWHERE, tangent, dim)
    return share


@kernel_part
def _shrink(radii, row, change, smallest):
    radii[row] = max(smallest, radii[row] * (1.0 - min(change, LARGEST_CHANGE)))


@kernel
def tightest_parents(parents, radii):
    """For each node the one of its parents with the smallest cap, the first of equals; −1 if there is none."""
    found = np.full(radii.size, -1, np.int32)
    for child in range(found.size):
        for i in entries(parents, child):
            if found[child] < 0 or radii[parents.rows[i]] < radii[found[child]]:
                found[child] = parents.rows[i]
    return found


@kernel_part
def _pull_in(caps, parent, child, pull, steps, bits, tangent, dim):
    """Bring a child's cap nearer to lying in its parent's, with room to spare; returns the gap there was."""
    directions, radii = caps.directions, caps.radii
    angle = _angle(_squared_chord(directions, parent, child, dim))
    gap = angle + radii[child] - (1.0 - FREE_INSIDE) * radii[parent]
    if gap <= 0.0:
        return 0.0
    # Not beyond each other: what the angle cannot give, the radii have to.
    _turn_both(directions, radii, parent, child, min(pull.rate * gap, angle), bits, tangent, dim)
    change = pull.rate * pull.growth * gap
    radii[parent] = min(steps.largest, radii[parent] + min(change, LARGEST_CHANGE * radii[parent]))
    if not caps.is_leaf[child]:
        _shrink(radii, child, change / (radii[parent] + radii[child]), steps.smallest)
    return gap


@kernel_part
def _push_apart(caps, known, parent, child, are_siblings, steps, bits, tangent, dim):
    """Bring a wrong child's centre, or a sibling's whole cap, further out of a cap; returns whether it had to."""
    directions, radii = caps.directions, caps.radii
    wanted = (1.0 + CLEAR_OUTSIDE) * (radii[parent] + (radii[child] if are_siblings else 0.0))
    squared = _squared_chord(directions, parent, child, dim)
    # A chord is shorter than its arc, so most pairs are settled without an arcsine.
    if parent == child or squared >= wanted * wanted:
        return False
    gap = wanted - _angle(squared)
    if gap <= 0.0 or is_known(known, parent, child):
        return False
    if are_siblings and is_known(known, child, parent):
        return False
    rate = steps.siblings_apart if are_siblings else steps.apart
    share = _turn_both(directions, radii, parent, child, -rate * gap, bits, tangent, dim)
    change = rate * SHRINKING * gap / radii[parent]
    _shrink(radii, parent, share * change, steps.smallest)
    if are_siblings and not caps.is_leaf[child]:
        _shrink(radii, child, (1.0 - share) * change, steps.smallest)
    return True


@kernel
def cap_epoch(caps, examples, order, tightest, steps, seed, epoch, dim):
    """Visit the edges in order, moving caps in place; returns (violated positives, pushed negatives, sum of gaps).

    A node's tightest parent is near, and its other nodes with children are the siblings, drawn as relatives; far
    parents are visited less often and pull less, for they are met where the near ones are.
    """
    edges, known, negatives = examples
    siblings, radii = negatives.relative_pools, caps.radii
    children, both = negatives.children, negatives.children + negatives.parents
    tangent = np.empty(width(dim))
    violated = 0
    pushed = 0
    gaps = 0.0
    for i in range(order.size):
        parent = uint64(edges[order[i], 0])
        child = uint64(edges[order[i], 1])
        bits = stream(seed, epoch, order[i])
        is_near = uint64(tightest[child]) == parent
        if not is_near and _uniform(mix(bits)) >= steps.far_share:
            continue
        pull = steps.near if is_near else steps.far
        gap = _pull_in(caps, parent, child, pull, steps, mix(bits), tangent, dim)
        violated += gap > 0.0
        gaps += gap

        first = uint64(siblings.offsets[parent])
        size = uint64(list_length(siblings, parent))
        for j in range(both + (negatives.relatives if is_near and size > uint64(0) else 0)):
            draw = mix(bits + uint64(1 + j))
            above = parent
            under = child
            if j < children:
                under = uint64(negatives.child_pool[below(draw, negatives.child_pool.size)])
            elif j < both:
                above = uint64(negatives.parent_pool[below(draw, negatives.parent_pool.size)])
            else:
                above = uint64(siblings.rows[first + below(draw, size)])
            pushed += _push_apart(caps, known, above, under, j >= both, steps, draw, tangent, dim)
        radii[parent] = max(steps.smallest, radii[parent] * (1.0 - pull.decay))
    return violated, pushed, gaps
