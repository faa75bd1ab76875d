"""A forest as balls inside balls, compiled: how much room each node needs, where it goes, and lattice sites.

Places are rows in breadth-first order, place 0 holding all roots; so the children of a place stand side by side, from
``firsts[place]`` to ``firsts[place + 1]``.
"""
# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np

from hypercone._jit import exact_kernel, exact_kernel_part

# Between a ball and its neighbours: this much of the smallest ball there is …
GAP = 0.1
# … and this much of its own radius, divided by the height of the forest, so that it costs at most √e over all levels.
SHARE = 0.5
SHORT = 24


@exact_kernel
def breadth_first(kept):
    """(rows, firsts, levels) by place: the row, where the children begin, and the number of levels above."""
    n = len(kept)
    offsets = np.zeros(n + 2, np.int64)
    for row in range(n):
        offsets[kept[row] + 2] += 1
    for i in range(n + 1):
        offsets[i + 1] += offsets[i]
    listed = np.empty(n, np.int32)
    filled = offsets[:-1].copy()
    for row in range(n):
        listed[filled[kept[row] + 1]] = row
        filled[kept[row] + 1] += 1
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


@exact_kernel_part
def _sort_by_size(places, sizes):
    """The largest first; equal ones as they come."""
    in_order = True
    for i in range(1, len(places)):
        if sizes[places[i]] > sizes[places[i - 1]]:
            in_order = False
            break
    if in_order:
        return
    if len(places) > SHORT:
        places[:] = places[np.argsort(-sizes[places], kind="mergesort")]
        return
    for i in range(1, len(places)):
        moved = places[i]
        j = i
        while j > 0 and sizes[places[j - 1]] < sizes[moved]:
            places[j] = places[j - 1]
            j -= 1
        places[j] = moved


@exact_kernel_part
def _held(reach, ratio):
    """How many balls of radius 1 there are sites for in a ball of so large a radius; at least one."""
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


@exact_kernel_part
def _cells(places, sizes, start, reach):
    """How many cells, as large as the largest ball, the balls from ``start`` on take, small ones sharing a cell."""
    cells = 0
    i = start
    while i < len(places):
        i += _held(reach, sizes[places[start]] / sizes[places[i]])
        cells += 1
    return cells


@exact_kernel_part
def _best_start(places, sizes, reach):
    """(How many balls, the largest, go on a line beside the cells for all others; the radius this takes)."""
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
        # All starts up to eight, then steps that grow with where they are.
        step = max(1, start // 8)
        for i in range(start, min(start + step, count)):
            line += sizes[places[i]]
        start += step
    return best, least


@exact_kernel
def needed_radii(firsts, levels, reach):
    """(radii, sizes, by_size, starts): what each place needs for what is below it, if the smallest ball has radius 1.

    ``sizes`` are the radii with the gap around, ``by_size`` the places with each family's largest first, and
    ``starts`` how many of them stand on a line. Never more than all balls of a family in a line would take, so
    the largest is about as many times as large as the smallest as there are nodes, however deep the forest is.
    """
    n = len(levels)
    share = SHARE / max(1, levels[n - 1])
    radii = np.ones(n)
    sizes = np.empty(n)
    by_size = np.arange(n).astype(np.int32)
    starts = np.zeros(n, np.int32)
    for place in range(n - 1, -1, -1):
        if firsts[place + 1] > firsts[place]:
            family = by_size[firsts[place] : firsts[place + 1]]
            _sort_by_size(family, sizes)
            starts[place], radii[place] = _best_start(family, sizes, reach)
        sizes[place] = radii[place] * (1.0 + share) + GAP
    return radii, sizes, by_size, starts


@exact_kernel_part
def _site(i, count, first_axis, dim, lattice, site):
    """Fill in the site of ball i of so many."""
    site[:] = 0.0
    if count == 1:
        return
    if count == 2:
        site[first_axis] = 1.0 - 2.0 * i
    elif count <= 2 * dim:
        site[(first_axis + i // 2) % dim] = math.sqrt(2.0) * (1.0 - 2.0 * (i % 2))
    else:
        for k in range(lattice.shape[1]):
            site[(first_axis + k) % dim] = math.sqrt(2.0) * lattice[i, k]


@exact_kernel
def lay_out(firsts, levels, radii, sizes, by_size, starts, lattice, reach, dim):
    """(centres, scales): the middle of each place, and by how much what it needs was enlarged, in the unit ball.

    A ball gets all of its cell, and what is below it grows with it. The axes take turns from level to level.
    """
    n = len(levels)
    centres = np.zeros((n, dim))
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
            centres[child] = centres[place]
            centres[child, axis] += scale * (at + sizes[child])
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
            held = min(_held(reach, largest / sizes[family[i]]), len(family) - i)
            room = largest / reach[held]
            for j in range(held):
                child = family[i + j]
                _site(j, held, axis, dim, lattice, site)
                for k in range(dim):
                    centres[child, k] = centres[place, k] + scale * (largest * cell_site[k] + room * site[k])
                centres[child, axis] += scale * at
                scales[child] = scale * room / sizes[child]
            i += held
    return centres, scales


@exact_kernel
def walk_lattice(largest, room, points):
    """How many vectors of whole numbers have squared length 0, 2, 4 … ``largest``, and so an even sum.

    The first of each length are written to ``points``, as many as there is room for in the given part of it:
    ``room[i]`` up to ``room[i + 1]`` for length i.
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
                place = room[squared // 2] + found[squared // 2]
                if place < room[squared // 2 + 1]:
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
        # The values of a coordinate are 0, 1, -1, 2, -2 …; the first that is too long ends them.
        if at >= 0:
            vector[at] = -vector[at] if vector[at] > 0 else 1 - vector[at]
    return found
