"""The points of a lattice from the middle outwards, compiled."""
# mypy: ignore-errors

import numpy as np

from hypercone._jit import exact_kernel


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
