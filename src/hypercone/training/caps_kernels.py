"""One epoch of the start from caps, compiled: violated constraints between spherical caps are reduced step by step.

A node is a cap: a direction and an angular radius R. The order of cones is inclusion of caps: v lies in u exactly if
θ + R_v ≤ R_u, with θ the angle between them. If a pair violates its constraint by a gap, both caps are rotated along
the great circle through them until a fraction of the gap is left. The smaller cap is rotated more, in the ratio of the
radii, so that a small cap does not move a large one with all its descendants. Radii change slowly.
"""
# mypy: ignore-errors

import math
from typing import NamedTuple

import numpy as np
from numpy import uint64

from hypercone._jit import kernel, kernel_part, width
from hypercone._math_kernels import asin, sin_cos
from hypercone._random_kernels import mix, uniform_from
from hypercone.hierarchy.graph_kernels import entries, list_length
from hypercone.training.draw_kernels import below, is_known, stream

# The share of a parent's radius that its children leave free, and the share by which negative pairs stay clear of it.
FREE_INSIDE = 0.15
CLEAR_OUTSIDE = 0.05
# The share of a gap between two caps to be separated that is closed by shrinking them.
SHRINKING = 0.2
# A visit changes a radius by at most this share of it.
LARGEST_CHANGE = 0.3
# Below this squared length two directions count as equal, and the direction to separate them is random.
SAME_PLACE = 1e-26
# The offset between draws of one edge for different purposes; far more than there are negatives or dimensions.
ELSEWHERE = uint64(1 << 20)


class Pull(NamedTuple):
    """The effect of a positive pair: the share of its gap that is closed, the parent's growth, and its decay."""

    rate: float
    growth: float
    decay: float


class CapSteps(NamedTuple):
    """The step sizes of an epoch: the pulls of near and far parents, the rates of pushes, the range of radii."""

    near: Pull
    far: Pull
    far_share: float
    apart: float
    siblings_apart: float
    smallest: float
    largest: float


@kernel_part
def _squared_chord(caps, one, other, dim):
    """The squared distance of two unit vectors, which is precise for small angles."""
    total = 0.0
    for k in range(width(dim)):
        difference = caps.directions[one, k] - caps.directions[other, k]
        total += difference * difference
    return total


@kernel_part
def _angle(squared_chord):
    return 2.0 * asin(min(1.0, 0.5 * math.sqrt(squared_chord)))


@kernel_part
def _make_tangent(caps, row, tangent, dim):
    """Remove the component along the direction; returns the squared length of the rest."""
    along = 0.0
    for k in range(width(dim)):
        along += tangent[k] * caps.directions[row, k]
    squared = 0.0
    for k in range(width(dim)):
        tangent[k] -= along * caps.directions[row, k]
        squared += tangent[k] * tangent[k]
    return squared


@kernel_part
def _turn(caps, row, other, angle, bits, tangent, dim):
    """Rotate one direction towards another, or away by a negative angle; if they are equal, in a random direction."""
    for k in range(width(dim)):
        tangent[k] = caps.directions[other, k] - caps.directions[row, k]
    squared = _make_tangent(caps, row, tangent, dim)
    if squared < SAME_PLACE:
        for k in range(width(dim)):
            tangent[k] = uniform_from(mix(bits + ELSEWHERE + uint64(k))) - 0.5
        squared = _make_tangent(caps, row, tangent, dim)
    sine, cosine = sin_cos(angle)
    sine /= math.sqrt(squared)
    total = 0.0
    for k in range(width(dim)):
        x = cosine * caps.directions[row, k] + sine * tangent[k]
        caps.directions[row, k] = x
        total += x * x
    # Normalize: rounding errors would accumulate over thousands of rotations.
    for k in range(width(dim)):
        caps.directions[row, k] /= math.sqrt(total)


@kernel_part
def _turn_both(caps, parent, child, angle, bits, tangent, dim):
    """Rotate a pair towards each other by a total angle, or apart if negative; returns the parent's share."""
    share = caps.radii[child] / (caps.radii[parent] + caps.radii[child])
    _turn(caps, child, parent, (1.0 - share) * angle, bits, tangent, dim)
    _turn(caps, parent, child, share * angle, bits + ELSEWHERE, tangent, dim)
    return share


@kernel_part
def _shrink(caps, row, change, smallest):
    caps.radii[row] = max(smallest, caps.radii[row] * (1.0 - min(change, LARGEST_CHANGE)))


@kernel(always_compiled=True)
def tightest_parents(parents, radii):
    """For each node, the parent with the smallest cap, the first among equals; −1 if there is none."""
    found = np.full(radii.size, -1, np.int32)
    for child in range(found.size):
        for i in entries(parents, child):
            if found[child] < 0 or radii[parents.rows[i]] < radii[found[child]]:
                found[child] = parents.rows[i]
    return found


@kernel_part
def _pull_in(caps, parent, child, pull, steps, bits, tangent, dim):
    """Move a child's cap towards the inside of its parent's, with some margin; returns the gap before the step."""
    angle = _angle(_squared_chord(caps, parent, child, dim))
    gap = angle + caps.radii[child] - (1.0 - FREE_INSIDE) * caps.radii[parent]
    if gap <= 0.0:
        return 0.0
    # The rotation is at most the angle between them; the radii have to close the rest of the gap.
    _turn_both(caps, parent, child, min(pull.rate * gap, angle), bits, tangent, dim)
    change = pull.rate * pull.growth * gap
    caps.radii[parent] = min(steps.largest, caps.radii[parent] + min(change, LARGEST_CHANGE * caps.radii[parent]))
    if not caps.is_leaf[child]:
        _shrink(caps, child, change / (caps.radii[parent] + caps.radii[child]), steps.smallest)
    return gap


@kernel_part
def _push_apart(caps, known, parent, child, are_siblings, steps, bits, tangent, dim):
    """Move a negative's center, or a sibling's whole cap, out of a cap; returns whether it was too close."""
    wanted = (1.0 + CLEAR_OUTSIDE) * (caps.radii[parent] + (caps.radii[child] if are_siblings else 0.0))
    squared = _squared_chord(caps, parent, child, dim)
    # A chord is shorter than its arc, so most pairs are decided without an arcsine.
    if parent == child or squared >= wanted * wanted:
        return False
    gap = wanted - _angle(squared)
    if gap <= 0.0 or is_known(known, parent, child):
        return False
    if are_siblings and is_known(known, child, parent):
        return False
    rate = steps.siblings_apart if are_siblings else steps.apart
    share = _turn_both(caps, parent, child, -rate * gap, bits, tangent, dim)
    change = rate * SHRINKING * gap / caps.radii[parent]
    _shrink(caps, parent, share * change, steps.smallest)
    if are_siblings and not caps.is_leaf[child]:
        _shrink(caps, child, (1.0 - share) * change, steps.smallest)
    return True


@kernel(always_compiled=True)
def cap_epoch(caps, examples, order, tightest, steps, seed, epoch, dim):
    """Visit the edges in order, moving caps in place; returns (violated positives, pushed negatives, sum of gaps).

    A node's tightest parent is its near parent, whose other nodes with children are the siblings, drawn as relatives.
    Far parents are visited less often and pull less: their constraints are mostly met once those of near parents are.
    """
    edges, known, negatives = examples
    child_pool, parent_pool, siblings = negatives.child_pool, negatives.parent_pool, negatives.relative_pools
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
        if not is_near and uniform_from(mix(bits)) >= steps.far_share:
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
                under = uint64(child_pool[below(draw, child_pool.size)])
            elif j < both:
                above = uint64(parent_pool[below(draw, parent_pool.size)])
            else:
                above = uint64(siblings.rows[first + below(draw, size)])
            pushed += _push_apart(caps, known, above, under, j >= both, steps, draw, tangent, dim)
        caps.radii[parent] = max(steps.smallest, caps.radii[parent] * (1.0 - pull.decay))
    return violated, pushed, gaps
