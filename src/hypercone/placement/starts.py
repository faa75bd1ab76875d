"""Where to begin: further out than a parent, between several, and beside the children they already have."""

from __future__ import annotations

import numpy as np

from hypercone._arrays import Rows
from hypercone._jit import dimension_type
from hypercone.methods import Points
from hypercone.placement.placement_kernels import pushed_out

# How far out from a parent, in units of the space; children of cones are found within two of them.
OUTWARDS = np.array([0.05, 0.2, 0.5, 1.0, 2.0])
BESIDE = np.array([0.02])
MOST_PARENTS, MOST_CHILDREN = 4, 12


def starting_points(
    points: Points, new: int, parents: tuple[int, ...], children: Rows, space: tuple[float, ...], unit: float
) -> Points:
    """Places to try first; the row of the new node is used to find them."""

    def outwards(place: Points, lengths: Points) -> Points:
        points[new] = place
        pushed: Points = pushed_out(points, new, lengths * unit, space, dimension_type(points.shape[1]))
        return pushed

    groups = [outwards(points[parent], OUTWARDS) for parent in parents[:MOST_PARENTS]]
    if len(parents) > 1:
        groups.append(outwards(points[list(parents)].mean(axis=0), OUTWARDS))
    groups += [outwards(points[child], BESIDE) for child in spread(children, MOST_CHILDREN)]
    return np.concatenate(groups)


def spread(rows: Rows, most: int) -> list[int]:
    """At most so many of the rows, evenly spread over all of them.

    >>> spread(np.arange(10), 4)
    [0, 3, 6, 9]
    """
    chosen: list[int] = rows[np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(np.int64)].tolist()
    return chosen
