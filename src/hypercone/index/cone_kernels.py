"""Descendants and ancestors by the tree, compiled: identical to asking every node.

In the plane through the origin, a parent at norm u and a child at norm v and angle θ from it, the cone's angle is
``Ξ = atan2(Y, X)`` with ``X = q a − c m u`` and ``Y = q b``, where a = v cos θ − u, b = v sin θ, m = a² + b²,
q = 1 − c u² and c is the curvature, 1 in the ball and 0 in flat space. The parent holds the child when Ξ is at most
its *reach* β, the half aperture plus the threshold, which is ``Y cos β − X sin β ≤ 0``: no angle is ever computed.

Ξ falls as the child moves outward along its ray and grows as the parent does, and for a child no nearer to the origin
than its parent it grows with θ. So the corners of a cell bound it, at any threshold. A child nearer to the origin than
its parent has Ξ > π/2. Where rounding could decide (the slack), the energy itself is asked, as by the scan.
"""
# mypy: ignore-errors

import math

import numpy as np

from hypercone._jit import exact_kernel, exact_kernel_part, width
from hypercone.index.tree_kernels import (
    COS_CAP,
    COS_REACH,
    LEAF_COS_REACH,
    LEAF_SIN_REACH,
    LEAST,
    MOST,
    NORM,
    SIN_CAP,
    SIN_REACH,
    cosine_and_sine,
)
from hypercone.methods.generic_kernels import signed_energy

# A reach with a cosine below this may hold a child that is nearer to the origin than its parent.
SQUARE = 1e-9
# Two norms within this factor of one may be in either order, as far as rounding can tell.
SAME = 1.0 + 1e-14


@exact_kernel_part
def _beyond(parent, child, cosine, sine, cos_reach, sin_reach, curvature):
    """(how far the child is beyond the parent's reach, what rounding here and in the energy may add to it)."""
    q = (1.0 - curvature * parent) * (1.0 + curvature * parent)
    along = child * cosine - parent
    across = child * sine
    apart = along * along + across * across
    x = q * along - curvature * apart * parent
    y = q * across
    # A relative part for the angles, and an absolute one for the directions, which are good to 1e-16 of the norms.
    size = child + parent
    slack = 1e-12 * (abs(x) + y) + 1e-14 * size * (q + curvature * math.sqrt(apart))
    return y * cos_reach - x * sin_reach, slack


@exact_kernel_part
def _holds(points, parent, child, cosine, sine, reach, norms, cones, dim):
    """Whether the parent holds the child, by the cheap test or, where that cannot tell, by the energy."""
    beyond, slack = _beyond(norms[0], norms[1], cosine, sine, reach[0], reach[1], cones.curvature)
    if abs(beyond) > slack and norms[1] >= norms[0] * SAME:
        return beyond < 0.0
    return signed_energy(cones.constants, points, np.uint64(parent), np.uint64(child), dim) <= cones.threshold


@exact_kernel
def descendants(points, row, tree, cones, found, stack, dim):
    """Write the row's descendants to ``found``, in the order of the tree; (how many, cells and nodes tested)."""
    size = width(dim)
    parent = tree.leaves[tree.where[row]]
    norm = parent[size + NORM]
    cos_reach, sin_reach = parent[size + LEAF_COS_REACH], parent[size + LEAF_SIN_REACH]
    is_wide = cos_reach < SQUARE
    count, tested, top = 0, 0, 1
    stack[0] = 0
    while top > 0:
        top -= 1
        k = stack[top]
        cell = tree.cells[k]
        tested += 1
        if cell[size + MOST] * SAME < norm and not is_wide:
            continue
        cosine, sine = cosine_and_sine(parent, cell, dim)
        cos_cap, sin_cap = cell[size + COS_CAP], cell[size + SIN_CAP]
        nearest = sine * cos_cap - cosine * sin_cap
        # Where norms are the same but for rounding, the angle does not grow with θ at once, which matters to the wide.
        if nearest > 0.0 and (not is_wide or cell[size + MOST] >= norm * SAME):
            corner = cosine * cos_cap + sine * sin_cap
            beyond, slack = _beyond(norm, cell[size + MOST], corner, nearest, cos_reach, sin_reach, cones.curvature)
            if beyond > slack:
                continue
        farthest = sine * cos_cap + cosine * sin_cap
        if farthest > 0.0 and cell[size + LEAST] >= norm * SAME:
            corner = cosine * cos_cap - sine * sin_cap
            beyond, slack = _beyond(norm, cell[size + LEAST], corner, farthest, cos_reach, sin_reach, cones.curvature)
            if beyond < -slack:
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
            if tree.rows[i] == row or (child[size + NORM] * SAME < norm and not is_wide):
                continue
            tested += 1
            cosine, sine = cosine_and_sine(parent, child, dim)
            reach, norms = (cos_reach, sin_reach), (norm, child[size + NORM])
            if _holds(points, row, tree.rows[i], cosine, sine, reach, norms, cones, dim):
                found[count] = tree.rows[i]
                count += 1
    return count, tested


@exact_kernel
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
        least = cell[size + LEAST]
        cos_reach, sin_reach = cell[size + COS_REACH], cell[size + SIN_REACH]
        if least > norm * SAME:
            if cos_reach >= SQUARE:
                continue
        else:
            cosine, sine = cosine_and_sine(child, cell, dim)
            nearest = sine * cell[size + COS_CAP] - cosine * cell[size + SIN_CAP]
            if nearest > 0.0 and (cos_reach >= SQUARE or least * SAME <= norm):
                corner = cosine * cell[size + COS_CAP] + sine * cell[size + SIN_CAP]
                beyond, slack = _beyond(least, norm, corner, nearest, cos_reach, sin_reach, cones.curvature)
                if beyond > slack:
                    continue
        if 2 * k + 1 < tree.cells.shape[0]:
            stack[top], stack[top + 1] = 2 * k + 1, 2 * k + 2
            top += 2
            continue
        for i in range(tree.begin[k], tree.end[k]):
            parent = tree.leaves[i]
            reach = (parent[size + LEAF_COS_REACH], parent[size + LEAF_SIN_REACH])
            if tree.rows[i] == row or (parent[size + NORM] > norm * SAME and reach[0] >= SQUARE):
                continue
            tested += 1
            cosine, sine = cosine_and_sine(child, parent, dim)
            norms = (parent[size + NORM], norm)
            if _holds(points, tree.rows[i], row, cosine, sine, reach, norms, cones, dim):
                found[count] = tree.rows[i]
                count += 1
    return count, tested


@exact_kernel
def reaches(points, K, threshold, curvature, dim):
    """The widest angle at which each node holds a child: half aperture plus threshold, at most π: all of them."""
    widest = np.empty(points.shape[0])
    for row in range(points.shape[0]):
        squared = 0.0
        for k in range(width(dim)):
            squared += points[row, k] * points[row, k]
        norm = math.sqrt(squared)
        q = (1.0 - curvature * norm) * (1.0 + curvature * norm)
        widest[row] = min(math.asin(min(1.0, K * q / norm)) + threshold, math.pi)
    return widest


@exact_kernel
def _appended(flat, used, found, count):
    """The flat answers with one more, made longer where they must be."""
    if used + count > flat.shape[0]:
        longer = np.empty(max(2 * flat.shape[0], used + count), np.int32)
        longer[:used] = flat[:used]
        flat = longer
    flat[used : used + count] = found[:count]
    return flat, used + count


@exact_kernel
def descendants_of_many(points, queries, tree, cones, stack, dim):
    """(the descendants of each query one after another, where each answer ends)."""
    found = np.empty(points.shape[0], np.int32)
    flat, used = np.empty(queries.shape[0] * 8, np.int32), 0
    ends = np.empty(queries.shape[0], np.int64)
    for i in range(queries.shape[0]):
        count, _ = descendants(points, queries[i], tree, cones, found, stack, dim)
        flat, used = _appended(flat, used, found, count)
        ends[i] = used
    return flat[:used], ends


@exact_kernel
def ancestors_of_many(points, queries, tree, cones, stack, dim):
    """(the ancestors of each query one after another, where each answer ends)."""
    found = np.empty(points.shape[0], np.int32)
    flat, used = np.empty(queries.shape[0] * 8, np.int32), 0
    ends = np.empty(queries.shape[0], np.int64)
    for i in range(queries.shape[0]):
        count, _ = ancestors(points, queries[i], tree, cones, found, stack, dim)
        flat, used = _appended(flat, used, found, count)
        ends[i] = used
    return flat[:used], ends
