"""Who lies in which ball though it should not, compiled: an exact search through a tree of boxes.

Cells stand in heap order: the halves of cell k are cells 2k + 1 and 2k + 2, and all leaves are on the last floor.
"""
# mypy: ignore-errors

import math

import numpy as np

from hypercone._jit import exact_kernel, exact_kernel_part, width


@exact_kernel
def fit_boxes(centres, needs, rows, begin, end, dim):
    """(lowest corners, highest corners, smallest needs) of the cells, then the centres and needs in their order."""
    cells, size = len(begin), width(dim)
    low, high = np.full((cells, size), math.inf), np.full((cells, size), -math.inf)
    least = np.full(cells, math.inf)
    ordered, ordered_needs = np.empty((len(rows), size)), np.empty(len(rows))
    for i in range(len(rows)):
        ordered_needs[i] = needs[rows[i]]
        for k in range(size):
            ordered[i, k] = centres[rows[i], k]
    for cell in range(cells - 1, -1, -1):
        if 2 * cell + 1 < cells:
            for half in range(2 * cell + 1, 2 * cell + 3):
                least[cell] = min(least[cell], least[half])
                for k in range(size):
                    low[cell, k] = min(low[cell, k], low[half, k])
                    high[cell, k] = max(high[cell, k], high[half, k])
            continue
        for i in range(begin[cell], end[cell]):
            least[cell] = min(least[cell], ordered_needs[i])
            for k in range(size):
                low[cell, k] = min(low[cell, k], ordered[i, k])
                high[cell, k] = max(high[cell, k], ordered[i, k])
    return low, high, least, ordered, ordered_needs


@exact_kernel_part
def _squared_distance_to_box(centres, row, low, high, cell, dim):
    total = 0.0
    for k in range(width(dim)):
        apart = max(low[cell, k] - centres[row, k], centres[row, k] - high[cell, k], 0.0)
        total += apart * apart
    return total


@exact_kernel
def find_wrong(holders, centres, radii, reaches, tree, boxes, below_offsets, below, wrong, dim):
    """(pairs that are wrong or may become so, those that are) among the balls of ``holders`` and what is near them.

    A row may come to be in a ball when its distance is at most the ball's reach less the row's need. The first pairs
    found are written to ``wrong``; those beyond its room are counted, but not written.
    """
    rows, begin, end = tree
    low, high, least, ordered, needs = boxes
    known_to = np.full(len(rows), -1, np.int64)
    stack = np.empty(64, np.int64)
    found, inside = 0, 0
    for holder in holders:
        radius, reach = radii[holder], reaches[holder]
        known_to[holder] = holder
        for j in range(below_offsets[holder], below_offsets[holder + 1]):
            known_to[below[j]] = holder
        top = 1
        stack[0] = 0
        while top > 0:
            top -= 1
            cell = stack[top]
            room = reach - least[cell]
            if room < 0.0 or _squared_distance_to_box(centres, holder, low, high, cell, dim) > room * room:
                continue
            if 2 * cell + 1 < len(begin):
                stack[top], stack[top + 1] = 2 * cell + 1, 2 * cell + 2
                top += 2
                continue
            for i in range(begin[cell], end[cell]):
                room = reach - needs[i]
                squared = 0.0
                for k in range(width(dim)):
                    apart = ordered[i, k] - centres[holder, k]
                    squared += apart * apart
                if room < 0.0 or squared > room * room or known_to[rows[i]] == holder:
                    continue
                if found < len(wrong):
                    wrong[found, 0], wrong[found, 1] = holder, rows[i]
                found += 1
                room = radius - radii[rows[i]]
                if room >= 0.0 and squared <= room * room:
                    inside += 1
    return found, inside
