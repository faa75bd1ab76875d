"""Kernels for the layout of a forest as nested balls: required radii, positions, and lattice sites.

Places are rows in breadth-first order; place 0 contains all roots. The children of a place are consecutive, from
``firsts[place]`` to ``firsts[place + 1]``.
"""
# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np

from hypercone._jit import MANY, kernel, kernel_part
from hypercone._math_kernels import acos, asin, atan, atan2, cos, sin, sin_cos, tan
from hypercone.hierarchy.graph_kernels import copy_first

# The gap around a ball: this share of the smallest ball …
GAP = 0.1
# … plus this share of its own radius divided by the height of the forest, a factor of at most √e over all levels.
SHARE = 0.5
SHORT = 24
# A point whose norm rounds to 1 counts as the largest float below 1, as in geometry.
LAST_GAP = 2.0**-53
# The share of its way to the pole that a cap may reach.
NEAREST_TO_POLE = 0.98


@kernel
def breadth_first(forest_parents):
    """(rows, firsts, levels) per place: its row, where its children begin, and the number of levels above it."""
    n = len(forest_parents)
    offsets = np.zeros(n + 2, np.int64)
    for row in range(n):
        offsets[forest_parents[row] + 2] += 1
    for i in range(n + 1):
        offsets[i + 1] += offsets[i]
    listed = np.empty(n, np.int32)
    filled = np.empty(n + 1, np.int64)
    copy_first(offsets, n + 1, filled)
    for row in range(n):
        listed[filled[forest_parents[row] + 1]] = row
        filled[forest_parents[row] + 1] += 1
    rows = np.empty(n + 1, np.int32)
    firsts = np.empty(n + 2, np.int64)
    levels = np.zeros(n + 1, np.int32)
    rows[0] = -1
    end = 1
    for place in range(n + 1):
        firsts[place] = end
        for i in range(offsets[rows[place] + 1], offsets[rows[place] + 2]):
            rows[end] = listed[i]
            levels[end] = levels[place] + 1
            end += 1
    firsts[n + 1] = end
    return rows, firsts, levels


@kernel_part
def _sort_by_size(places, sizes, spare):
    """Sort by size, largest first; stable. ``spare`` is memory for as many places.

    Short stretches are sorted by insertion, then merged in pairs until one is left.
    """
    count = len(places)
    for begin in range(0, count, SHORT):
        for i in range(begin + 1, min(begin + SHORT, count)):
            moved = places[i]
            j = i
            while j > begin and sizes[places[j - 1]] < sizes[moved]:
                places[j] = places[j - 1]
                j -= 1
            places[j] = moved
    length = SHORT
    while length < count:
        for begin in range(0, count - length, 2 * length):
            middle, end = begin + length, min(begin + 2 * length, count)
            if sizes[places[middle]] > sizes[places[middle - 1]]:
                for i in range(begin, middle):
                    spare[i - begin] = places[i]
                _merge_by_size(places, begin, middle, end, sizes, spare)
        length *= 2


@kernel_part
def _merge_by_size(places, begin, middle, end, sizes, spare):
    """Merge the sorted places before the middle, of which ``spare`` is a copy, with those after it."""
    left, right = 0, middle
    for at in range(begin, end):
        if right == end or (left < middle - begin and sizes[spare[left]] >= sizes[places[right]]):
            places[at] = spare[left]
            left += 1
        else:
            places[at] = places[right]
            right += 1
        if left == middle - begin:
            break


@kernel_part
def _capacity(reach, ratio):
    """How many balls of radius 1 fit into a ball of radius ``ratio``; at least one."""
    if ratio < 2.0:
        return 1
    low, high = 2, len(reach)
    while high - low > 1:
        middle = (low + high) // 2
        if reach[middle] <= ratio:
            low = middle
        else:
            high = middle
    return low


@kernel_part
def _cells(places, sizes, start, reach):
    """The number of cells, each as large as ball ``start``, for the balls from there on; small balls share a cell."""
    cells = 0
    i = start
    while i < len(places):
        i += _capacity(reach, sizes[places[start]] / sizes[places[i]])
        cells += 1
    return cells


@kernel_part
def _best_start(places, sizes, reach):
    """(How many of the largest balls to put in a line beside the cells of all others, the radius this requires)."""
    count = len(places)
    whole = 0.0
    for place in places:
        whole += sizes[place]
    best, least = count, whole
    if count < 3 or len(reach) <= 2 or reach[3] == 3.0:
        return best, least
    line = 0.0
    start = 0
    step = 1
    while start < count - 1:
        needed = line + sizes[places[start]] * reach[_cells(places, sizes, start, reach)]
        if needed < least:
            best, least = start, needed
        # Every start up to eight, then larger and larger steps.
        step = max(1, start // 8)
        for i in range(start, min(start + step, count)):
            line += sizes[places[i]]
        start += step
    return best, least


@kernel(weight=4)
def needed_radii(firsts, levels, reach):
    """(radii, sizes, by_size, starts): what each place requires for its descendants, if the smallest radius is 1.

    ``sizes`` are the radii including the gap, ``by_size`` the places with each family sorted largest first, and
    ``starts`` how many of a family are put in a line. A family never takes more than all its balls in a line would,
    so the ratio of the largest to the smallest radius is about the number of nodes, regardless of depth.
    """
    n = len(levels)
    share = SHARE / max(1, levels[n - 1])
    radii = np.ones(n)
    sizes = np.empty(n)
    by_size = np.empty(n, np.int32)
    for place in range(n):
        by_size[place] = place
    spare = np.empty(n, np.int32)
    starts = np.zeros(n, np.int32)
    for place in range(n - 1, -1, -1):
        if firsts[place + 1] > firsts[place]:
            family = by_size[firsts[place] : firsts[place + 1]]
            _sort_by_size(family, sizes, spare)
            starts[place], radii[place] = _best_start(family, sizes, reach)
        sizes[place] = radii[place] * (1.0 + share) + GAP
    return radii, sizes, by_size, starts


@kernel_part
def _site(i, count, first_axis, dim, lattice, site):
    """Write the site of ball i of ``count``."""
    for k in range(dim):
        site[k] = 0.0
    if count == 1:
        return
    if count == 2:
        site[first_axis] = 1.0 - 2.0 * i
    elif count <= 2 * dim:
        site[(first_axis + i // 2) % dim] = math.sqrt(2.0) * (1.0 - 2.0 * (i % 2))
    else:
        for k in range(lattice.shape[1]):
            site[(first_axis + k) % dim] = math.sqrt(2.0) * lattice[i, k]


@kernel
def lay_out(firsts, levels, radii, sizes, by_size, starts, lattice, reach, dim):
    """(centers, scales) in the unit ball: the center of each place, and the factor by which it was enlarged.

    A ball is enlarged to fill its cell, together with everything below it. Each level uses the next axis.
    """
    n = len(levels)
    centers = np.zeros((n, dim))
    scales = np.ones(n)
    scales[0] = 1.0 / radii[0]
    cell_site = np.empty(dim)
    site = np.empty(dim)
    for place in range(n):
        family = by_size[firsts[place] : firsts[place + 1]]
        scale = scales[place]
        axis = levels[place] % dim
        at = -radii[place]
        for i in range(starts[place]):
            child = family[i]
            for k in range(dim):
                centers[child, k] = centers[place, k]
            centers[child, axis] += scale * (at + sizes[child])
            scales[child] = scale
            at += 2.0 * sizes[child]
        i = starts[place]
        if i == len(family):
            continue
        cells = _cells(family, sizes, i, reach)
        largest = sizes[family[i]]
        at += largest * reach[cells]
        for cell in range(cells):
            _site(cell, cells, axis, dim, lattice, cell_site)
            held = min(_capacity(reach, largest / sizes[family[i]]), len(family) - i)
            available = largest / reach[held]
            for j in range(held):
                child = family[i + j]
                _site(j, held, axis, dim, lattice, site)
                for k in range(dim):
                    centers[child, k] = centers[place, k] + scale * (largest * cell_site[k] + available * site[k])
                centers[child, axis] += scale * at
                scales[child] = scale * available / sizes[child]
            i += held
    return centers, scales


@kernel(weight=MANY)
def walk_lattice(largest, starts, points):
    """How many integer vectors have squared length 0, 2, 4 … ``largest``, and therefore an even sum.

    The first vectors of the i-th length are written to ``points[starts[i] : starts[i + 1]]``.
    """
    dim = points.shape[1]
    found = np.zeros(largest // 2 + 1, np.int64)
    vector = np.zeros(dim, np.int64)
    left = np.full(dim + 1, largest, np.int64)
    at = 0
    while at >= 0:
        if at == dim:
            squared = largest - left[dim]
            if squared % 2 == 0:
                place = starts[squared // 2] + found[squared // 2]
                if place < starts[squared // 2 + 1]:
                    for k in range(dim):
                        points[place, k] = vector[k]
                found[squared // 2] += 1
            at -= 1
        else:
            left[at + 1] = left[at] - vector[at] * vector[at]
            if left[at + 1] >= 0:
                at += 1
                continue
            vector[at] = 0
            at -= 1
        # A coordinate takes the values 0, 1, -1, 2, -2 … until the vector is too long.
        if at >= 0:
            vector[at] = -vector[at] if vector[at] > 0 else 1 - vector[at]
    return found


@kernel(weight=MANY)
def caps_of_balls(centers, radii, scale):
    """(directions, angular radii) of the caps that balls project to, after scaling by ``scale``."""
    n, dim = centers.shape
    directions = np.empty((n, dim + 1))
    angles = np.empty(n)
    for i in range(n):
        squared = 0.0
        for k in range(dim):
            squared += centers[i, k] * centers[i, k]
        away = math.sqrt(squared)
        near = scale * (away - radii[i])
        far = scale * (away + radii[i])
        sine, cosine = sin_cos(atan(near) + atan(far))
        directions[i, 0] = cosine
        aside = sine / away if away > 0.0 else sine
        for k in range(dim):
            directions[i, k + 1] = aside * centers[i, k]
        # (1 + near·far) is 1 + c² − r² with the difference of two squares as a product.
        angles[i] = atan2(2.0 * scale * radii[i], 1.0 + near * far)
    return directions, angles


@kernel(weight=MANY)
def clearest_direction(candidates, directions, angles):
    """The index of the candidate that is farthest from all caps, in angles."""
    best, largest = 0, -math.inf
    for c in range(len(candidates)):
        gap = math.inf
        for i in range(len(angles)):
            gap = min(gap, _angle_between(candidates, c, directions, i) - angles[i])
            if gap <= largest:
                break
        if gap > largest:
            best, largest = c, gap
    return best


@kernel_part
def _angle_between(first, i, second, j):
    """The angle of two unit vectors, precise for small angles as well."""
    squared = 0.0
    for k in range(first.shape[1]):
        apart = first[i, k] - second[j, k]
        squared += apart * apart
    return 2.0 * asin(min(1.0, 0.5 * math.sqrt(squared)))


@kernel(weight=MANY)
def balls_of_caps(directions, angles, pole, scale):
    """(centers, radii) of the balls that caps come from, after turning ``pole``, a row of one vector, to the back.

    The inverse of ``caps_of_balls`` but for that turn. A cap that comes too near to the pole is made smaller.
    """
    n, dim = directions.shape
    centers, radii = np.empty((n, dim - 1)), np.empty(n)
    # The reflection that exchanges the pole and −e0.
    mirror = np.empty(dim)
    squared = 0.0
    for k in range(dim):
        mirror[k] = pole[0, k] + (1.0 if k == 0 else 0.0)
        squared += mirror[k] * mirror[k]
    turned = np.empty(dim)
    for i in range(n):
        along = 0.0
        for k in range(dim):
            along += directions[i, k] * mirror[k]
        aside = 0.0
        for k in range(dim):
            turned[k] = directions[i, k] - (2.0 * along / squared * mirror[k] if squared > 0.0 else 0.0)
            aside += turned[k] * turned[k] if k > 0 else 0.0
        aside = math.sqrt(aside)
        polar = atan2(aside, turned[0])
        angle = min(angles[i], NEAREST_TO_POLE * (math.pi - polar))
        near, far = tan((polar - angle) / 2.0), tan((polar + angle) / 2.0)
        radii[i] = (far - near) / (2.0 * scale)
        for k in range(1, dim):
            centers[i, k - 1] = (near + far) / (2.0 * scale) * (turned[k] / aside if aside > 0.0 else 0.0)
    return centers, radii


@kernel(weight=MANY)
def points_of_caps(directions, angles, low):
    """The points whose cones have these caps, as ``geometry.caps.point_from_cap``; ``low`` is κ."""
    n, dim = directions.shape
    points = np.empty((n, dim))
    lowest, widest = asin(low), acos(low)
    for i in range(n):
        below = sin(angles[i] + lowest)
        # 1 − ρ and √(1−ρ²), both without cancellation.
        rest = 2.0 * sin(widest - 0.5 * angles[i]) * sin(0.5 * angles[i]) / below
        fall = rest * (2.0 - rest)
        fall = math.sqrt(fall) if fall >= 0.0 else math.nan
        # From the distance to the border, or for small radii, where that cancels, from ρ = κ/sin(R + arcsin κ).
        radius = low / below / (1.0 + fall) if rest > 0.5 else 1.0 - (fall + rest) / (1.0 + fall)
        squared = 0.0
        for k in range(dim):
            squared += directions[i, k] * directions[i, k]
        for k in range(dim):
            points[i, k] = directions[i, k] / math.sqrt(squared) * radius
    return points


@kernel_part
def radius_of_cap(norm, low):
    """The angular radius of the cap of a point with this norm, as ``geometry.caps.cap_radius``; ``low`` is κ."""
    rest = max(1.0 - norm, LAST_GAP)
    high = asin(min(low * (1.0 + norm * norm) / (2.0 * norm), 1.0))
    middle = cos(0.5 * (high + asin(low)))
    return 2.0 * asin(low * rest * rest / (4.0 * norm * middle))
