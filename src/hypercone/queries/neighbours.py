"""The nodes nearest to many nodes at once, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypercone.methods import Points


def nearness_weights(points: Points, is_hyperbolic: bool) -> Points:
    """What to multiply squared straight distances to each point with, so that the nearest have the smallest product.

    In the ball the distance from a given x grows with |x - y|² / (1 - |y|²), in flat space with |x - y|².
    """
    weights: Points = 1 / (1 - (points**2).sum(axis=1)) if is_hyperbolic else np.ones(len(points))
    return weights


def nearest_rows(points: Points, rows: NDArray[np.integer], count: int, is_hyperbolic: bool) -> NDArray[np.int32]:
    """For each of the rows the ``count`` others nearest to it, nearest first.

    >>> nearest_rows(np.array([[0.0], [0.3], [0.4]]), np.array([0, 2]), 1, is_hyperbolic=False).tolist()
    [[1], [1]]
    """
    from hypercone.queries.suggest_kernels import find_nearest

    weights = nearness_weights(points, is_hyperbolic)
    found, distances = np.empty((len(rows), count), np.int32), np.empty(count)
    for place, row in enumerate(rows.tolist()):
        find_nearest(points, weights, row, found[place], distances)
    return found
