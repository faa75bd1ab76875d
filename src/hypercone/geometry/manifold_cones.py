"""Cones in a tangent space, carried into the manifold by its exponential map (paper §3, eq. riem_cone).

Any cone S of tangent vectors at x gives the S-cone exp_x(S). A manifold is given by its exponential map, the inverse of
that, and its metric: `BALL`, `EUCLIDEAN` and `HYPERBOLOID`, or one of your own. The paper's cones are the angular ones
around the axis of x with half-angle ψ(x): `entailment_cone`, which a test compares with `cones.contains`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hypercone.errors import DomainError, InputError
from hypercone.geometry import cones, euclidean_cones, hyperboloid, poincare
from hypercone.geometry._vectors import Array, Booleans, as_floats, check_ball, column, dot

TangentCone = Callable[[Array], Booleans]
Map = Callable[[npt.ArrayLike, npt.ArrayLike], Array]


class Manifold(NamedTuple):
    """A manifold by its exponential map exp_x(v), log_x(y), the inverse, and its metric g_x(u, v).

    Beyond the injectivity radius exp_x is not injective, so S-cones end there; in hyperbolic space it is infinite.
    """

    exp_map: Map
    log_map: Map
    metric: Callable[[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike], Array]
    injectivity_radius: float = math.inf

    def length(self, x: npt.ArrayLike, v: npt.ArrayLike) -> Array:
        """√g_x(v, v), the length of a tangent vector at x."""
        return np.sqrt(np.maximum(self.metric(x, v, v), 0))

    def angle(self, x: npt.ArrayLike, u: npt.ArrayLike, v: npt.ArrayLike) -> Array:
        """The angle between two tangent vectors at x, in [0, π]; π/2 to a zero vector, as in `poincare.angle`."""
        x, u, v = as_floats(x, u, v)
        u, v = self._unit(x, u), self._unit(x, v)
        return np.asarray(2 * np.arctan2(self.length(x, u - v), self.length(x, u + v)))

    def _unit(self, x: Array, v: Array) -> Array:
        size = self.length(x, v)[..., None]
        return np.asarray(v / np.where(size > 0, size, 1))


def _flat_exp_map(x: npt.ArrayLike, v: npt.ArrayLike) -> Array:
    x, v = as_floats(x, v)
    return np.asarray(x + v)


def _flat_log_map(x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
    x, y = as_floats(x, y)
    return np.asarray(y - x)


def _flat_metric(x: npt.ArrayLike, u: npt.ArrayLike, v: npt.ArrayLike) -> Array:
    _, u, v = as_floats(x, u, v)
    return dot(u, v)


BALL = Manifold(poincare.exp_map, poincare.log_map, poincare.metric)
EUCLIDEAN = Manifold(_flat_exp_map, _flat_log_map, _flat_metric)
HYPERBOLOID = Manifold(hyperboloid.exp_map, hyperboloid.log_map, hyperboloid.metric)


def s_cone(x: npt.ArrayLike, tangent_vectors: npt.ArrayLike, manifold: Manifold = BALL) -> Array:
    """The points exp_x(S) of the S-cone at x, one per tangent vector; the zero vector gives x.

    A vector that reaches the injectivity radius raises DomainError.

    >>> s_cone([0.0, 0.0], [[0.5, 0.0], [0.0, 0.0]]).round(6).tolist()
    [[0.462117, 0.0], [0.0, 0.0]]
    >>> s_cone([1.0, 1.0], [[0.5, 0.0]], EUCLIDEAN).tolist()
    [[1.5, 1.0]]
    """
    if math.isfinite(manifold.injectivity_radius):
        longest = float(np.max(manifold.length(x, tangent_vectors), initial=0))
        if longest >= manifold.injectivity_radius:
            raise DomainError(
                f"a tangent vector has length {longest:.6g}, but exp is injective below"
                f" {manifold.injectivity_radius:.6g} only; take shorter vectors"
            )
    return manifold.exp_map(x, tangent_vectors)


def in_s_cone(x: npt.ArrayLike, y: npt.ArrayLike, contains_tangent: TangentCone, manifold: Manifold = BALL) -> Booleans:
    """Whether y lies in the S-cone at x, where S is given by its membership test on tangent vectors at x.

    The injectivity radius of hyperbolic space is infinite, so log_x is defined for every y.

    >>> bool(in_s_cone([0.5, 0.0], [0.9, 0.1], lambda v: (v >= 0).all(axis=-1)))
    True
    """
    return np.asarray(contains_tangent(manifold.log_map(x, y)))


def angular_cone(
    axis: npt.ArrayLike, half_angle: npt.ArrayLike, *, x: npt.ArrayLike | None = None, manifold: Manifold = BALL
) -> TangentCone:
    """The membership test of the closed circular cone of tangent vectors within half_angle of an axis.

    The zero vector, the apex, is always inside. Angles are Euclidean, as in the ball, unless x is given: then they are
    those of the manifold at x.

    >>> quarter = angular_cone([1.0, 0.0], np.pi / 4)
    >>> quarter(np.array([[1.0, 0.9], [1.0, 1.1], [0.0, 0.0]])).tolist()
    [True, False, True]
    """
    axis, half_angle = as_floats(axis)[0], as_floats(half_angle)[0]

    def contains_tangent(v: Array) -> Booleans:
        is_apex = np.all(v == 0, axis=-1)
        angle = poincare.angle(v, axis) if x is None else manifold.angle(x, v, axis)
        return np.asarray((angle <= half_angle) | is_apex)

    return contains_tangent


def entailment_cone(x: npt.ArrayLike, K: float, manifold: Manifold = BALL) -> TangentCone:
    """The tangent cone at x whose image under exp_x is the paper's entailment cone of x.

    >>> bool(in_s_cone([0.5, 0.0], [0.9, 0.0], entailment_cone([0.5, 0.0], 0.1)))
    True
    """
    axis, half_angle = _axis_and_half_aperture(x, K, manifold)
    return angular_cone(axis, half_angle, x=x if manifold == HYPERBOLOID else None, manifold=manifold)


def conic_border(
    x: npt.ArrayLike,
    axis: npt.ArrayLike,
    half_angle: npt.ArrayLike,
    aside: npt.ArrayLike,
    manifold: Manifold = BALL,
) -> Array:
    """The unit tangent vectors of the conic border ∂S at x: at half_angle from the axis, on the side of `aside`.

    In two dimensions there are two sides. In n dimensions the border is a sphere of them: any tangent vector that is
    not parallel to the axis is one, and only its part across the axis matters.

    >>> conic_border([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], np.pi / 2, [5.0, 0.0, 2.0]).round(12).tolist()
    [0.0, 0.0, 0.5]
    """
    x, axis, aside = as_floats(x, axis, aside)
    reach = manifold.length(x, axis)
    if np.any(reach == 0):
        raise DomainError("an axis is zero, as that of the origin is, which has no cone; take another point or axis")
    along = axis / reach[..., None]
    for _ in range(2):  # the first pass leaves a component along the axis if both are nearly parallel
        whole = manifold.length(x, aside)
        aside = aside - column(manifold.metric(x, aside, along), like=along) * along
        size = manifold.length(x, aside)
        if np.any(size <= 8 * np.finfo(aside.dtype).eps * whole):
            raise DomainError("a vector aside is parallel to the axis of its cone; take any other direction")
        aside = aside / size[..., None]
    turn = column(half_angle, like=along)
    return np.asarray(np.cos(turn) * along + np.sin(turn) * aside)


def entailment_border(
    x: npt.ArrayLike, K: float, aside: npt.ArrayLike, way: npt.ArrayLike, manifold: Manifold = BALL
) -> Array:
    """The points of the border ∂𝔖 of the entailment cone of x, on the side of `aside` and at a distance `way` from x.

    >>> point = entailment_border([0.0, 0.5, 0.0], 0.1, [1.0, 0.0, 2.0], 1.5)
    >>> float(cones.signed_energy([0.0, 0.5, 0.0], point, 0.1).round(12)) + 0.0
    0.0
    """
    axis, half_angle = _axis_and_half_aperture(x, K, manifold)
    border = conic_border(x, axis, half_angle, aside, manifold)
    return s_cone(x, column(way, like=border) * border, manifold)


def _axis_and_half_aperture(x: npt.ArrayLike, K: float, manifold: Manifold) -> tuple[Array, Array]:
    (x,) = as_floats(x)
    if manifold == BALL:
        check_ball(x)
        return x, cones.half_aperture(x, K)
    if manifold == EUCLIDEAN:
        return x, euclidean_cones.half_aperture(x, K)
    if manifold == HYPERBOLOID:
        return hyperboloid.spoke(x), hyperboloid.half_aperture(x, K)
    raise InputError(
        "entailment cones are those of BALL, EUCLIDEAN and HYPERBOLOID; for another manifold give the aperture to"
        " angular_cone"
    )
