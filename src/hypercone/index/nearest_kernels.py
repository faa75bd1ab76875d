"""The nearest nodes by the tree, compiled: identical to measuring the distance to every node.

The node of a cell that could be nearest lies on the side of its cap towards the point, where the line to that side's
ray meets it squarely; in Klein coordinates, as in flat space, that is at cos θ times the point's radius. Keys are
|x − y|² over the rooms 1 − |x|² and 1 − |y|² (1 in flat space), which grow with the distance and need no asinh.
"""
# mypy: ignore-errors

import math

import numpy as np

from hypercone._jit import exact_kernel, exact_kernel_part, width
from hypercone.index.tree_kernels import COS_CAP, LEAST, MOST, NORM, SIN_CAP, cosine_and_sine
from hypercone.methods.generic_kernels import signed_energy


@exact_kernel_part
def _room(norm, curvature):
    return (1.0 - curvature * norm) * (1.0 + curvature * norm)


@exact_kernel_part
def _foot(norm, cosine, sine, curvature):
    """The norm of the point of a ray at this angle that is nearest to a point of this norm."""
    if cosine <= 0.0:
        return 0.0
    if curvature == 0.0:
        return norm * cosine
    # The Klein radius times cos θ, taken back to the ball without subtracting nearly equal numbers.
    return 2.0 * norm * cosine / (1.0 + norm * norm + math.hypot(_room(norm, 1.0), 2.0 * norm * sine))


@exact_kernel_part
def _looseness(room):
    """The factor within which a key is certain: near the border a norm's last bit is much of its room."""
    return 1.0 + 1e-9 + 2e-15 / room


@exact_kernel_part
def _least_key(point, cell, curvature, dim):
    """A key that no node of the cell is below."""
    size = width(dim)
    norm = point[size + NORM]
    cosine, sine = cosine_and_sine(point, cell, dim)
    near = sine * cell[size + COS_CAP] - cosine * cell[size + SIN_CAP]
    corner = cosine * cell[size + COS_CAP] + sine * cell[size + SIN_CAP]
    if near <= 0.0:
        near, corner = 0.0, 1.0
    foot = min(max(_foot(norm, corner, near, curvature), cell[size + LEAST]), cell[size + MOST])
    aside = near * near / (1.0 + corner) if corner > 0.0 else 1.0 - corner
    apart = math.sqrt((norm - foot) * (norm - foot) + 2.0 * norm * foot * aside)
    # Directions and feet are good to 1e-16 of the norms.
    apart = max(0.0, apart * (1.0 - 1e-12) - 1e-14 * (norm + foot))
    own, other = _room(norm, curvature), _room(foot, curvature)
    return apart * apart / (own * _looseness(own) * other * _looseness(other))


@exact_kernel_part
def _key_of_distance(distance, curvature):
    """The key of a distance, a little too large rather than too small."""
    side = math.sinh(0.5 * distance) if curvature > 0.0 else distance
    return side * side * (1.0 + 1e-9)


@exact_kernel
def _insert(distances, nodes, count, distance, node):
    """Keep the nearest in order of (distance, row); returns how many there are now."""
    if count == distances.shape[0]:
        last = count - 1
        if distance > distances[last] or (distance == distances[last] and node > nodes[last]):
            return count
        count = last
    place = count
    while place > 0 and (
        distances[place - 1] > distance or (distances[place - 1] == distance and nodes[place - 1] > node)
    ):
        distances[place], nodes[place] = distances[place - 1], nodes[place - 1]
        place -= 1
    distances[place], nodes[place] = distance, node
    return count + 1


@exact_kernel
def nearest(points, row, tree, constants, curvature, distances, nodes, stack, keys, dim):
    """Write the nearest nodes and their distances, as many as there is room for; (how many, cells and nodes tested)."""
    size = width(dim)
    point = tree.leaves[tree.where[row]]
    limit = math.inf
    count, tested, top = 0, 0, 1
    stack[0], keys[0] = 0, 0.0
    while top > 0:
        top -= 1
        k = stack[top]
        if keys[top] > limit:
            continue
        if 2 * k + 1 < tree.cells.shape[0]:
            tested += 2
            left = _least_key(point, tree.cells[2 * k + 1], curvature, dim)
            right = _least_key(point, tree.cells[2 * k + 2], curvature, dim)
            # The nearer half goes on top, so that the limit falls early.
            nearer = 1 if left <= right else 0
            stack[top + nearer], keys[top + nearer] = 2 * k + 1, left
            stack[top + 1 - nearer], keys[top + 1 - nearer] = 2 * k + 2, right
            top += 2
            continue
        for i in range(tree.begin[k], tree.end[k]):
            if tree.rows[i] == row:
                continue
            tested += 1
            apart = 0.0
            for d in range(size):
                apart += (points[row, d] - points[tree.rows[i], d]) ** 2
            own, other = _room(point[size + NORM], curvature), _room(tree.leaves[i, size + NORM], curvature)
            if apart > limit * own * _looseness(own) * other * _looseness(other):
                continue
            distance = signed_energy(constants, points, np.uint64(row), np.uint64(tree.rows[i]), dim)
            count = _insert(distances, nodes, count, distance, tree.rows[i])
            if count == distances.shape[0]:
                limit = _key_of_distance(distances[count - 1], curvature)
    return count, tested
