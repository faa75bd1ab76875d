"""The same cones as spherical caps (not in the paper).

A cone meets the border of the ball in a cap around the direction of its apex; cones are nested exactly as
their caps are, so the order is inclusion of caps. A cap is a direction and one angle R per point.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from hypercone.geometry._vectors import Array, Booleans, as_floats, ball_points, column, cone_root, length, positive_k
from hypercone.geometry._vectors import direction as unit_vector
from hypercone.geometry.cones import inner_radius
from hypercone.geometry.poincare import angle


def kappa(K: float) -> float:
    """κ = 2K/√(1+4K²) in (0, 1), the Klein radius of the ball that every cone is tangent to.

    It is the Klein radius of ε(K).

    >>> round(kappa(0.1), 6)
    0.196116
    """
    K = positive_k(K)
    return 2 * K / cone_root(K)


def cap_radius(x: npt.ArrayLike, K: float) -> Array:
    """R(x) = arcsin(κ/ρ) − arcsin κ, the angular radius of the cap of x's cone, in (0, arccos κ].

    About K(1−|x|)² near the border, to full precision; arccos κ at or below the inner radius.

    >>> float(cap_radius([0.999999, 0.0], 0.1).round(18))
    1e-13
    """
    (x,) = ball_points(x)
    low = kappa(K)
    radius = np.maximum(length(x), inner_radius(K))
    rest = np.maximum(1 - radius, np.finfo(x.dtype).epsneg)
    # From sin(high) − sin(low) = κ(1−ρ)/ρ = κ(1−r)²/2r, without subtracting two arcsines.
    high = np.arcsin(np.minimum(low * (1 + radius**2) / (2 * radius), 1))
    middle = np.cos((high + math.asin(low)) / 2)
    return np.asarray(2 * np.arcsin(low * rest**2 / (4 * radius * middle)))


def point_from_cap(direction: npt.ArrayLike, R: npt.ArrayLike, K: float) -> Array:
    """The point along a direction whose cone has the cap radius R in (0, arccos κ].

    The inverse of `cap_radius`. R = arccos κ gives the inner radius, R = 0 the border. The direction need
    not have length 1.

    >>> float(cap_radius(point_from_cap([0.0, 3.0], 0.25, 0.1), 0.1).round(12))
    0.25
    """
    (direction,) = as_floats(direction)
    R = column(R, like=direction)
    low = kappa(K)
    widest = math.acos(low)
    below = np.sin(R + math.asin(low))
    rest = 2 * np.sin(widest - R / 2) * np.sin(R / 2) / below  # 1 − ρ without cancellation
    fall = np.sqrt(rest * (2 - rest))  # √(1−ρ²)
    # From the distance to the border, or for small radii, where that cancels, from ρ = κ/sin(R + arcsin κ).
    radius = np.where(rest > 0.5, low / below / (1 + fall), 1 - (fall + rest) / (1 + fall))
    return np.asarray(unit_vector(direction) * radius)


def contains(parent: npt.ArrayLike, child: npt.ArrayLike, K: float) -> Booleans:
    """Whether the child's cap lies in the parent's: the angle between them is at most R_parent − R_child.

    The same answer as `cones.contains` for points in the shell.

    >>> bool(contains([0.5, 0.0], [0.9, 0.0], 0.1)), bool(contains([0.9, 0.0], [0.5, 0.0], 0.1))
    (True, False)
    """
    parent, child = ball_points(parent, child)
    return np.asarray(angle(parent, child) <= cap_radius(parent, K) - cap_radius(child, K))
