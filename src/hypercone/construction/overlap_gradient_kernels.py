"""The loss of overlapping balls and its gradient, compiled; every term is scale free.

An edge outside the skeleton costs weight · log(1 + v/r) with v = distance + r − R + margin, r the child's radius and R
the parent's; a wrong pair costs weight · log(1 + v/r) with v = R − r − distance + margin, r that of what is held.
"""
# mypy: ignore-errors

import math

from hypercone._jit import kernel, kernel_part, width

TINY = 1e-300
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
def add_siblings(tree, centres, radii, weights, of_centres, of_radii, dim):
    """Add a gradient that parts siblings in the skeleton, for a start."""
    for place in range(len(radii)):
        begin, end = tree.kid_offsets[place], tree.kid_offsets[place + 1]
        for a in range(begin, end):
            for b in range(a + 1, end):
                first, second = tree.kids[a], tree.kids[b]
                distance = _distance(centres, first, second, dim)
                overlap = radii[first] + radii[second] - distance
                if overlap > 0.0:
                    smaller = min(radii[first], radii[second])
                    force = min(weights[first], weights[second]) / smaller
                    force *= min(1.0, overlap / (SOFT_OVERLAP * smaller))
                    _pull(centres, first, second, distance, -force, of_centres, dim)
                    of_radii[first] += force
                    of_radii[second] += force
