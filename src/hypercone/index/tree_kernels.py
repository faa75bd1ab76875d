"""The tree over directions and norms, compiled: halves, and the cell that bounds each half.

Cells stand in heap order: the halves of cell k are cells 2k + 1 and 2k + 2, and all leaves are on the last floor. A
row of ``cells`` is the direction its cap is centred on, then the numbers named below. A row of ``leaves`` is a node:
its direction, then its norm and the cosine and sine of the widest angle at which it still holds a child.
"""
# mypy: ignore-errors

import math

import numpy as np

from hypercone._jit import exact_kernel, exact_kernel_part, width

# Columns of a cell after the direction: the cap's angle, the norms, the widest angle at which a member holds a child.
COS_CAP, SIN_CAP, LEAST, MOST, COS_REACH, SIN_REACH = 0, 1, 2, 3, 4, 5
CELL_NUMBERS = 6
# Columns of a leaf after the direction.
NORM, LEAF_COS_REACH, LEAF_SIN_REACH = 0, 1, 2
LEAF_NUMBERS = 3


@exact_kernel_part
def cosine_and_sine(first, second, dim):
    """Cosine and sine of the angle between two unit vectors, each to about 1e-16 however small or flat the angle is."""
    apart = 0.0
    for k in range(width(dim)):
        apart += (first[k] - second[k]) * (first[k] - second[k])
    if apart <= 2.0:
        return 1.0 - 0.5 * apart, math.sqrt(apart * (1.0 - 0.25 * apart))
    # Beyond a right angle the chord to the opposite point is the one that keeps the digits.
    across = 0.0
    for k in range(width(dim)):
        across += (first[k] + second[k]) * (first[k] + second[k])
    return 0.5 * across - 1.0, math.sqrt(max(0.0, across * (1.0 - 0.25 * across)))


@exact_kernel
def directions_and_norms(points, dim):
    """A unit vector and a norm a node; the origin points along the first axis."""
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


@exact_kernel
def halve(points, floors, dim):
    """(rows in the order of the tree, where each cell begins, where it ends) after halving every cell so often."""
    size = points.shape[0]
    rows = np.arange(size)
    keys = np.empty(size)
    count = (1 << (floors + 1)) - 1
    begin = np.zeros(count, np.int64)
    end = np.zeros(count, np.int64)
    end[0] = size
    for cell in range(count // 2):
        middle = (begin[cell] + end[cell]) // 2
        _project(points, rows, begin[cell], end[cell], keys, dim)
        _select(keys, rows, begin[cell], end[cell], middle)
        begin[2 * cell + 1], end[2 * cell + 1] = begin[cell], middle
        begin[2 * cell + 2], end[2 * cell + 2] = middle, end[cell]
    return rows, begin, end


@exact_kernel
def _farthest(points, rows, begin, end, origin):
    """The row farthest from a point."""
    found, most = rows[begin], -1.0
    for i in range(begin, end):
        apart = 0.0
        for k in range(points.shape[1]):
            apart += (points[rows[i], k] - origin[k]) ** 2
        if apart > most:
            found, most = rows[i], apart
    return found


@exact_kernel
def _project(points, rows, begin, end, keys, dim):
    """Where each row of a cell lies on the line between two rows that are far apart."""
    middle = np.zeros(points.shape[1])
    for i in range(begin, end):
        for k in range(points.shape[1]):
            middle[k] += points[rows[i], k] / (end - begin)
    first = _farthest(points, rows, begin, end, middle)
    second = _farthest(points, rows, begin, end, points[first])
    for i in range(begin, end):
        total = 0.0
        for k in range(width(dim)):
            total += points[rows[i], k] * (points[second, k] - points[first, k])
        keys[i] = total


@exact_kernel
def _select(keys, rows, begin, end, middle):
    """Order a cell just so far that no key before the middle is above one after it (Hoare's selection)."""
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


@exact_kernel
def bound(directions, norms, reaches, rows, begin, end, dim):
    """(cells, leaves) of a tree; ``reaches`` is the widest angle at which each node still holds a child."""
    size = width(dim)
    cells = np.zeros((begin.shape[0], size + CELL_NUMBERS))
    for cell in range(begin.shape[0]):
        _bound_cell(cells[cell], directions, norms, reaches, rows[begin[cell] : end[cell]], dim)
    leaves = np.empty((rows.shape[0], size + LEAF_NUMBERS))
    for i in range(rows.shape[0]):
        for k in range(size):
            leaves[i, k] = directions[rows[i], k]
        leaves[i, size + NORM] = norms[rows[i]]
        leaves[i, size + LEAF_COS_REACH] = math.cos(reaches[rows[i]])
        leaves[i, size + LEAF_SIN_REACH] = math.sin(reaches[rows[i]])
    return cells, leaves


@exact_kernel
def _bound_cell(cell, directions, norms, reaches, rows, dim):
    size = width(dim)
    _centre(cell, directions, rows)
    cap, least, most, reach = 0.0, math.inf, 0.0, 0.0
    for row in rows:
        cosine, sine = cosine_and_sine(cell, directions[row], dim)
        cap = max(cap, math.atan2(sine, cosine))
        least = min(least, norms[row])
        most = max(most, norms[row])
        # The widest of the members, not that of the least norm: rounding may put them in another order.
        reach = max(reach, reaches[row])
    # Wider than what rounding can have hidden.
    cap = min(cap * (1.0 + 1e-14) + 1e-15, math.pi)
    cell[size + COS_CAP], cell[size + SIN_CAP] = math.cos(cap), max(math.sin(cap), 0.0)
    cell[size + LEAST], cell[size + MOST] = least, most
    cell[size + COS_REACH], cell[size + SIN_REACH] = math.cos(reach), math.sin(reach)


@exact_kernel
def _centre(cell, directions, rows):
    """Put the mean direction of the rows at the front of a cell."""
    squared = 0.0
    for k in range(directions.shape[1]):
        for row in rows:
            cell[k] += directions[row, k]
        squared += cell[k] * cell[k]
    for k in range(directions.shape[1]):
        # Directions that cancel have no mean; any centre bounds them.
        cell[k] = cell[k] / math.sqrt(squared) if squared > 0.0 else (1.0 if k == 0 else 0.0)
