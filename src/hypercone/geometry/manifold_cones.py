"""Cones in a tangent space, carried into the ball by the exponential map (paper §3, eq. riem_cone).

Any cone S of tangent vectors at x gives the S-cone exp_x(S). The paper's cones are the angular ones around
the axis of x with half-angle ψ(x): `entailment_cone`, which a test compares with `cones.contains`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from hypercone.geometry import cones, poincare
from hypercone.geometry._vectors import Array, Booleans, as_floats

TangentCone = Callable[[Array], Booleans]


def s_cone(x: npt.ArrayLike, tangent_vectors: npt.ArrayLike) -> Array:
    """The points exp_x(S) of the S-cone at x, one per tangent vector; the zero vector gives x.

    >>> s_cone([0.0, 0.0], [[0.5, 0.0], [0.0, 0.0]]).round(6).tolist()
    [[0.462117, 0.0], [0.0, 0.0]]
    """
    return poincare.exp_map(x, tangent_vectors)


def in_s_cone(x: npt.ArrayLike, y: npt.ArrayLike, contains_tangent: TangentCone) -> Booleans:
    """Whether y lies in the S-cone at x, where S is given by its membership test on tangent vectors at x.

    The injectivity radius of hyperbolic space is infinite, so log_x is defined for every y.

    >>> bool(in_s_cone([0.5, 0.0], [0.9, 0.1], lambda v: (v >= 0).all(axis=-1)))
    True
    """
    return np.asarray(contains_tangent(poincare.log_map(x, y)))


def angular_cone(axis: npt.ArrayLike, half_angle: npt.ArrayLike) -> TangentCone:
    """The membership test of the closed circular cone of tangent vectors within half_angle of an axis.

    The zero vector, the apex, is always inside.

    >>> quarter = angular_cone([1.0, 0.0], np.pi / 4)
    >>> quarter(np.array([[1.0, 0.9], [1.0, 1.1], [0.0, 0.0]])).tolist()
    [True, False, True]
    """
    axis, half_angle = as_floats(axis)[0], as_floats(half_angle)[0]

    def contains_tangent(v: Array) -> Booleans:
        is_apex = np.all(v == 0, axis=-1)
        return np.asarray((poincare.angle(v, axis) <= half_angle) | is_apex)

    return contains_tangent


def entailment_cone(x: npt.ArrayLike, K: float) -> TangentCone:
    """The tangent cone at x whose image under exp_x is the paper's entailment cone of x.

    >>> bool(in_s_cone([0.5, 0.0], [0.9, 0.0], entailment_cone([0.5, 0.0], 0.1)))
    True
    """
    return angular_cone(x, cones.half_aperture(x, K))
