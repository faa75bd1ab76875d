"""Balls as points: what is nested or apart in flat space stays so as cones."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hypercone.geometry import caps
from hypercone.methods.base import Points

Floats = NDArray[np.float64]

# The unit ball becomes a cap of about 62°: below the widest cap there is for the usual K, and so far from the whole
# sphere that sizes are not distorted by more than a third.
SCALE = 0.6
# How much of the widest cap the unit ball may take where a large K makes the widest one small.
LARGEST_SHARE = 0.9
PART = 4096


def projection_scale(K: float) -> float:
    """By how much the unit ball is scaled before it is projected, so that its cap is smaller than the widest one.

    >>> projection_scale(0.1), projection_scale(1.0) < 0.6
    (0.6, True)
    """
    return min(SCALE, math.tan(LARGEST_SHARE * math.acos(caps.kappa(K)) / 2))


def caps_from_balls(centres: Floats, radii: Floats, K: float = 0.1) -> tuple[Floats, Floats]:
    """The directions and angular radii of the caps that balls in the unit ball of R^(d-1) become on the sphere of R^d.

    A stereographic projection takes balls to caps, and a ball inside another to a cap inside another.

    >>> directions, angles = caps_from_balls(np.array([[0.0], [0.5]]), np.array([1.0, 0.5]))
    >>> directions[0].tolist(), bool(angles[1] < angles[0])
    ([1.0, 0.0], True)
    """
    centres, radii = np.asarray(centres, np.float64), np.asarray(radii, np.float64)
    scale = projection_scale(K)
    away = np.linalg.norm(centres, axis=1)
    near, far = scale * (away - radii), scale * (away + radii)
    polar = np.arctan(near) + np.arctan(far)
    # (1 + near·far) is 1 + c² − r² with the difference of two squares as a product.
    angles = np.arctan2(2 * scale * radii, 1 + near * far)
    aside = np.sin(polar) / np.where(away > 0, away, 1.0)
    return np.column_stack([np.cos(polar), aside[:, None] * centres]), angles


def points_from_balls(centres: Floats, radii: Floats, K: float = 0.1) -> Points:
    """The points of R^d whose cones are nested and apart as balls in the unit ball of R^(d-1) are.

    >>> points = points_from_balls(np.array([[0.0, 0.0], [0.5, 0.0], [-0.5, 0.0]]), np.array([1.0, 0.4, 0.4]))
    >>> caps.contains(points[0], points[1:], 0.1).tolist(), caps.contains(points[1], points[2], 0.1).tolist()
    ([True, True], False)
    """
    points = np.empty((len(centres), centres.shape[1] + 1))
    for part in parts(len(centres)):
        directions, angles = caps_from_balls(centres[part], radii[part], K)
        points[part] = caps.point_from_cap(directions, angles, K)
    return points


def parts(count: int) -> Iterator[slice]:
    """Slices of so many rows, each small enough that what is computed from it stays in the fastest caches.

    >>> [part.stop for part in parts(5000)]
    [4096, 5000]
    """
    for start in range(0, count, PART):
        yield slice(start, min(start + PART, count))
