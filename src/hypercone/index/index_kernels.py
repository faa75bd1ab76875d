"""Kernels that build the tree over directions and norms, and search it exactly for cones and nearest nodes.

Cells are in heap order: the halves of cell k are cells 2k + 1 and 2k + 2, and all leaves are on the last level. A row
of ``cells`` is the central direction of its cap, then the columns named below. A row of ``leaves`` is a node: its
direction, its norm, and the cosine and sine of the widest angle at which it contains a child.

In the plane through the origin, a parent of norm u and a child of norm v at angle θ, the angle at the apex is
``Ξ = atan2(Y, X)`` with ``X = q a − c m u`` and ``Y = q b``, where a = v cos θ − u, b = v sin θ, m = a² + b²,
q = 1 − c u² and c is the curvature, 1 in the ball and 0 in flat space. The parent contains the child if Ξ is at most
its *reach* β, the half aperture plus the threshold. This is ``Y cos β − X sin β ≤ 0``, which needs no angle.

Ξ decreases as the child moves outward along its ray, increases as the parent does, and increases with θ if the child is
no nearer to the origin than the parent. So the corners of a cell bound it, at any threshold. A child nearer to the
origin than its parent has Ξ > π/2. Within the rounding error (the slack), the energy decides, as in a scan.

A lower bound for the distance to a cell is attained on the side of its cap that faces the point, at the foot of the
perpendicular to that ray; in Klein coordinates, as in flat space, its radius is cos θ times the point's. Keys are
|x − y|² / ((1 − |x|²)(1 − |y|²)), or |x − y|² in flat space; they increase with the distance and need no asinh.
"""
# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np

from hypercone._jit import MANY, kernel, kernel_part, width
from hypercone._math_kernels import asin, atan2, sin_cos, sinh
from hypercone.hierarchy.graph_kernels import copy_first
from hypercone.methods.generic_kernels import signed_energy

# Columns of a cell after the direction: the angle of its cap, the range of norms, and the widest reach of a member.
COS_CAP, SIN_CAP, MIN_NORM, MAX_NORM, COS_REACH, SIN_REACH = 0, 1, 2, 3, 4, 5
CELL_NUMBERS = 6
# Columns of a leaf after the direction.
NORM, LEAF_COS_REACH, LEAF_SIN_REACH = 0, 1, 2
LEAF_NUMBERS = 3


@kernel_part
def cosine_and_sine(first, second, dim):
    """Cosine and sine of the angle between two unit vectors, accurate to about 1e-16 even near 0 and π."""
    apart = 0.0
    for k in range(width(dim)):
        apart += (first[k] - second[k]) * (first[k] - second[k])
    if apart <= 2.0:
        return 1.0 - 0.5 * apart, math.sqrt(apart * (1.0 - 0.25 * apart))
    # Beyond a right angle the chord to the opposite point is the accurate one.
    across = 0.0
    for k in range(width(dim)):
        across += (first[k] + second[k]) * (first[k] + second[k])
    return 0.5 * across - 1.0, math.sqrt(max(0.0, across * (1.0 - 0.25 * across)))


@kernel
def directions_and_norms(points, dim):
    """The unit vector and norm of each node; the origin gets the first axis."""
    directions = np.empty(points.shape)
    norms = np.empty(points.shape[0])
    for row in range(points.shape[0]):
        squared = 0.0
        for k in range(width(dim)):
            squared += points[row, k] * points[row, k]
        norms[row] = math.sqrt(squared)
        for k in range(width(dim)):
            directions[row, k] = points[row, k] / norms[row] if norms[row] > 0.0 else (1.0 if k == 0 else 0.0)
    return directions, norms


@kernel(weight=2 * MANY)
def halve(points, halvings, dim, done):
    """(rows in the order of the tree, begin of each cell, end of each cell) after ``halvings`` levels.

    ``done`` counts the rows of each level.
    """
    size = points.shape[0]
    rows = np.empty(size, np.int64)
    for row in range(size):
        rows[row] = row
    keys = np.empty(size)
    count = (1 << (halvings + 1)) - 1
    begin = np.zeros(count, np.int64)
    end = np.zeros(count, np.int64)
    end[0] = size
    center = np.empty(points.shape[1])
    for cell in range(count // 2):
        middle = (begin[cell] + end[cell]) // 2
        _project(points, rows, begin[cell], end[cell], keys, center, dim)
        _select(keys, rows, begin[cell], end[cell], middle)
        begin[2 * cell + 1], end[2 * cell + 1] = begin[cell], middle
        begin[2 * cell + 2], end[2 * cell + 2] = middle, end[cell]
        done[0] += end[cell] - begin[cell]
    return rows, begin, end


@kernel_part
def _farthest(points, rows, begin, end, origin):
    """The row farthest from a point."""
    found, most = rows[begin], -1.0
    for i in range(begin, end):
        apart = 0.0
        for k in range(points.shape[1]):
            aside = points[rows[i], k] - origin[k]
            apart += aside * aside
        if apart > most:
            found, most = rows[i], apart
    return found


@kernel_part
def _project(points, rows, begin, end, keys, middle, dim):
    """Project the rows of a cell onto the line between two distant ones; ``middle`` is memory for a point."""
    for k in range(points.shape[1]):
        middle[k] = 0.0
    for i in range(begin, end):
        for k in range(points.shape[1]):
            middle[k] += points[rows[i], k] / (end - begin)
    first = _farthest(points, rows, begin, end, middle)
    for k in range(points.shape[1]):
        middle[k] = points[first, k]
    second = _farthest(points, rows, begin, end, middle)
    for i in range(begin, end):
        total = 0.0
        for k in range(width(dim)):
            total += points[rows[i], k] * (points[second, k] - points[first, k])
        keys[i] = total


@kernel_part
def _select(keys, rows, begin, end, middle):
    """Partition a cell at its median: no key before the middle exceeds one after it (Hoare's selection)."""
    low, high = begin, end - 1
    while low < high:
        pivot = keys[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                rows[i], rows[j] = rows[j], rows[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@kernel(weight=2 * MANY)
def bound(directions, norms, reaches, rows, begin, end, dim, done):
    """(cells, leaves) of a tree; ``reaches`` is the widest angle at which each node contains a child.

    ``done`` counts the rows of each level.
    """
    size = width(dim)
    cells = np.zeros((begin.shape[0], size + CELL_NUMBERS))
    for cell in range(begin.shape[0]):
        _bound_cell(cells[cell], directions, norms, reaches, rows[begin[cell] : end[cell]], dim)
        done[0] += end[cell] - begin[cell]
    leaves = np.empty((rows.shape[0], size + LEAF_NUMBERS))
    for i in range(rows.shape[0]):
        for k in range(size):
            leaves[i, k] = directions[rows[i], k]
        leaves[i, size + NORM] = norms[rows[i]]
        leaves[i, size + LEAF_SIN_REACH], leaves[i, size + LEAF_COS_REACH] = sin_cos(reaches[rows[i]])
    return cells, leaves


@kernel_part
def _bound_cell(cell, directions, norms, reaches, rows, dim):
    size = width(dim)
    _write_mean_direction(cell, directions, rows)
    cap, least, most, reach = 0.0, math.inf, 0.0, 0.0
    for row in rows:
        cosine, sine = cosine_and_sine(cell, directions[row], dim)
        cap = max(cap, atan2(sine, cosine))
        least = min(least, norms[row])
        most = max(most, norms[row])
        # Not simply that of the smallest norm: rounding may change the order.
        reach = max(reach, reaches[row])
    # Enlarged by more than the rounding error.
    cap = min(cap * (1.0 + 1e-14) + 1e-15, math.pi)
    sine, cosine = sin_cos(cap)
    cell[size + COS_CAP], cell[size + SIN_CAP] = cosine, max(sine, 0.0)
    cell[size + MIN_NORM], cell[size + MAX_NORM] = least, most
    cell[size + SIN_REACH], cell[size + COS_REACH] = sin_cos(reach)


@kernel_part
def _write_mean_direction(cell, directions, rows):
    """Write the mean direction of the rows to the first columns of a cell."""
    squared = 0.0
    for k in range(directions.shape[1]):
        for row in rows:
            cell[k] += directions[row, k]
        squared += cell[k] * cell[k]
    for k in range(directions.shape[1]):
        # Directions that cancel have no mean; any direction is valid.
        cell[k] = cell[k] / math.sqrt(squared) if squared > 0.0 else (1.0 if k == 0 else 0.0)


# A reach whose cosine is below this may contain a child that is nearer to the origin than its parent.
WIDE_COSINE = 1e-9
# Two norms within this factor are equal up to rounding.
NORM_TOLERANCE = 1.0 + 1e-14


@kernel_part
def _excess(parent, child, cosine, sine, cos_reach, sin_reach, curvature):
    """(excess of the child over the parent's reach, bound on the rounding error here and in the energy)."""
    q = (1.0 - curvature * parent) * (1.0 + curvature * parent)
    along = child * cosine - parent
    across = child * sine
    apart = along * along + across * across
    x = q * along - curvature * apart * parent
    y = q * across
    # A relative part for the angles, and an absolute one for the directions, accurate to 1e-16 of the norms.
    size = child + parent
    slack = 1e-12 * (abs(x) + y) + 1e-14 * size * (q + curvature * math.sqrt(apart))
    return y * cos_reach - x * sin_reach, slack


@kernel_part
def _contains(points, parent, child, cosine, sine, reach, norms, cones, dim):
    """Whether the parent contains the child, by the cheap test or, within its rounding error, by the energy."""
    excess, slack = _excess(norms[0], norms[1], cosine, sine, reach[0], reach[1], cones.curvature)
    if abs(excess) > slack and norms[1] >= norms[0] * NORM_TOLERANCE:
        return excess < 0.0
    return signed_energy(cones.constants, points, np.uint64(parent), np.uint64(child), dim) <= cones.threshold


@kernel(weight=MANY)
def descendants(points, row, tree, cones, found, stack, dim):
    """Write the row's descendants to ``found``, in the order of the tree; (how many, cells and nodes tested)."""
    size = width(dim)
    parent = tree.leaves[tree.where[row]]
    norm = parent[size + NORM]
    cos_reach, sin_reach = parent[size + LEAF_COS_REACH], parent[size + LEAF_SIN_REACH]
    is_wide = cos_reach < WIDE_COSINE
    count, tested, top = 0, 0, 1
    stack[0] = 0
    while top > 0:
        top -= 1
        k = stack[top]
        cell = tree.cells[k]
        tested += 1
        if cell[size + MAX_NORM] * NORM_TOLERANCE < norm and not is_wide:
            continue
        cosine, sine = cosine_and_sine(parent, cell, dim)
        cos_cap, sin_cap = cell[size + COS_CAP], cell[size + SIN_CAP]
        nearest = sine * cos_cap - cosine * sin_cap
        # If the norms are equal up to rounding, the angle need not increase with θ, which matters for wide reaches.
        if nearest > 0.0 and (not is_wide or cell[size + MAX_NORM] >= norm * NORM_TOLERANCE):
            corner = cosine * cos_cap + sine * sin_cap
            excess, slack = _excess(norm, cell[size + MAX_NORM], corner, nearest, cos_reach, sin_reach, cones.curvature)
            if excess > slack:
                continue
        farthest = sine * cos_cap + cosine * sin_cap
        if farthest > 0.0 and cell[size + MIN_NORM] >= norm * NORM_TOLERANCE:
            corner = cosine * cos_cap - sine * sin_cap
            excess, slack = _excess(
                norm, cell[size + MIN_NORM], corner, farthest, cos_reach, sin_reach, cones.curvature
            )
            if excess < -slack:
                for i in range(tree.begin[k], tree.end[k]):
                    if tree.rows[i] != row:
                        found[count] = tree.rows[i]
                        count += 1
                continue
        if 2 * k + 1 < tree.cells.shape[0]:
            stack[top], stack[top + 1] = 2 * k + 1, 2 * k + 2
            top += 2
            continue
        for i in range(tree.begin[k], tree.end[k]):
            child = tree.leaves[i]
            if tree.rows[i] == row or (child[size + NORM] * NORM_TOLERANCE < norm and not is_wide):
                continue
            tested += 1
            cosine, sine = cosine_and_sine(parent, child, dim)
            reach, norms = (cos_reach, sin_reach), (norm, child[size + NORM])
            if _contains(points, row, tree.rows[i], cosine, sine, reach, norms, cones, dim):
                found[count] = tree.rows[i]
                count += 1
    return count, tested


@kernel(weight=MANY)
def ancestors(points, row, tree, cones, found, stack, dim):
    """Write the row's ancestors to ``found``, in the order of the tree; (how many, cells and nodes tested)."""
    size = width(dim)
    child = tree.leaves[tree.where[row]]
    norm = child[size + NORM]
    count, tested, top = 0, 0, 1
    stack[0] = 0
    while top > 0:
        top -= 1
        k = stack[top]
        cell = tree.cells[k]
        tested += 1
        least = cell[size + MIN_NORM]
        cos_reach, sin_reach = cell[size + COS_REACH], cell[size + SIN_REACH]
        if least > norm * NORM_TOLERANCE:
            if cos_reach >= WIDE_COSINE:
                continue
        else:
            cosine, sine = cosine_and_sine(child, cell, dim)
            nearest = sine * cell[size + COS_CAP] - cosine * cell[size + SIN_CAP]
            if nearest > 0.0 and (cos_reach >= WIDE_COSINE or least * NORM_TOLERANCE <= norm):
                corner = cosine * cell[size + COS_CAP] + sine * cell[size + SIN_CAP]
                excess, slack = _excess(least, norm, corner, nearest, cos_reach, sin_reach, cones.curvature)
                if excess > slack:
                    continue
        if 2 * k + 1 < tree.cells.shape[0]:
            stack[top], stack[top + 1] = 2 * k + 1, 2 * k + 2
            top += 2
            continue
        for i in range(tree.begin[k], tree.end[k]):
            parent = tree.leaves[i]
            reach = (parent[size + LEAF_COS_REACH], parent[size + LEAF_SIN_REACH])
            if tree.rows[i] == row or (parent[size + NORM] > norm * NORM_TOLERANCE and reach[0] >= WIDE_COSINE):
                continue
            tested += 1
            cosine, sine = cosine_and_sine(child, parent, dim)
            norms = (parent[size + NORM], norm)
            if _contains(points, tree.rows[i], row, cosine, sine, reach, norms, cones, dim):
                found[count] = tree.rows[i]
                count += 1
    return count, tested


@kernel
def reaches(points, K, threshold, curvature, dim):
    """The widest angle at which each node contains a child: half aperture plus threshold, at most π."""
    widest = np.empty(points.shape[0])
    for row in range(points.shape[0]):
        squared = 0.0
        for k in range(width(dim)):
            squared += points[row, k] * points[row, k]
        norm = math.sqrt(squared)
        q = (1.0 - curvature * norm) * (1.0 + curvature * norm)
        widest[row] = min(asin(min(1.0, K * q / norm) if norm > 0.0 else 1.0) + threshold, math.pi)
    return widest


@kernel_part
def _append(flat, used, found, count):
    """Append an answer to the flat array, which grows if necessary."""
    if used + count > flat.shape[0]:
        longer = np.empty(max(2 * flat.shape[0], used + count), np.int32)
        copy_first(flat, used, longer)
        flat = longer
    for i in range(count):
        flat[used + i] = found[i]
    return flat, used + count


@kernel(weight=MANY)
def descendants_of_many(points, queries, tree, cones, stack, dim):
    """(the concatenated descendants of the queries, the end of each answer)."""
    found = np.empty(points.shape[0], np.int32)
    flat, used = np.empty(queries.shape[0] * 8, np.int32), 0
    ends = np.empty(queries.shape[0], np.int64)
    for i in range(queries.shape[0]):
        count, _ = descendants(points, queries[i], tree, cones, found, stack, dim)
        flat, used = _append(flat, used, found, count)
        ends[i] = used
    return flat[:used], ends


@kernel(weight=MANY)
def ancestors_of_many(points, queries, tree, cones, stack, dim):
    """(the concatenated ancestors of the queries, the end of each answer)."""
    found = np.empty(points.shape[0], np.int32)
    flat, used = np.empty(queries.shape[0] * 8, np.int32), 0
    ends = np.empty(queries.shape[0], np.int64)
    for i in range(queries.shape[0]):
        count, _ = ancestors(points, queries[i], tree, cones, found, stack, dim)
        flat, used = _append(flat, used, found, count)
        ends[i] = used
    return flat[:used], ends


@kernel_part
def _one_minus_square(norm, curvature):
    return (1.0 - curvature * norm) * (1.0 + curvature * norm)


@kernel_part
def _foot(norm, cosine, sine, curvature):
    """The norm of the point on a ray that is nearest to a point of norm ``norm`` at the given angle from the ray."""
    if cosine <= 0.0:
        return 0.0
    if curvature == 0.0:
        return norm * cosine
    # The Klein radius times cos θ, converted to the ball without cancellation.
    across, gap = 2.0 * norm * sine, _one_minus_square(norm, 1.0)
    return 2.0 * norm * cosine / (1.0 + norm * norm + math.sqrt(gap * gap + across * across))


@kernel_part
def _tolerance_factor(one_minus_square):
    """A bound on the relative error of a key: near the boundary the last bit of a norm is a large part of 1 − |x|²."""
    return 1.0 + 1e-9 + 2e-15 / one_minus_square


@kernel_part
def _least_key(point, cell, curvature, dim):
    """A lower bound for the keys of the nodes of a cell."""
    size = width(dim)
    norm = point[size + NORM]
    cosine, sine = cosine_and_sine(point, cell, dim)
    near = sine * cell[size + COS_CAP] - cosine * cell[size + SIN_CAP]
    corner = cosine * cell[size + COS_CAP] + sine * cell[size + SIN_CAP]
    if near <= 0.0:
        near, corner = 0.0, 1.0
    foot = min(max(_foot(norm, corner, near, curvature), cell[size + MIN_NORM]), cell[size + MAX_NORM])
    aside = near * near / (1.0 + corner) if corner > 0.0 else 1.0 - corner
    apart = math.sqrt((norm - foot) * (norm - foot) + 2.0 * norm * foot * aside)
    # Directions and feet are accurate to 1e-16 of the norms.
    apart = max(0.0, apart * (1.0 - 1e-12) - 1e-14 * (norm + foot))
    own, other = _one_minus_square(norm, curvature), _one_minus_square(foot, curvature)
    return apart * apart / (own * _tolerance_factor(own) * other * _tolerance_factor(other))


@kernel_part
def _key_of_distance(distance, curvature):
    """The key of a distance, rounded up."""
    side = sinh(0.5 * distance) if curvature > 0.0 else distance
    return side * side * (1.0 + 1e-9)


@kernel_part
def _insert(distances, nodes, count, distance, node):
    """Insert a node in the order of (distance, row), dropping the farthest if full; returns the new count."""
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


@kernel(weight=MANY)
def nearest(points, row, tree, metric, distances, nodes, stack, keys, dim):
    """Fill ``nodes`` and ``distances`` with the nearest nodes; (how many, cells and nodes tested)."""
    size = width(dim)
    point = tree.leaves[tree.where[row]]
    curvature = metric.curvature
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
            # The nearer half is visited first, so that the limit falls early.
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
                aside = points[row, d] - points[tree.rows[i], d]
                apart += aside * aside
            own, other = (
                _one_minus_square(point[size + NORM], curvature),
                _one_minus_square(tree.leaves[i, size + NORM], curvature),
            )
            if apart > limit * own * _tolerance_factor(own) * other * _tolerance_factor(other):
                continue
            distance = signed_energy(metric.constants, points, np.uint64(row), np.uint64(tree.rows[i]), dim)
            count = _insert(distances, nodes, count, distance, tree.rows[i])
            if count == distances.shape[0]:
                limit = _key_of_distance(distances[count - 1], curvature)
    return count, tested
