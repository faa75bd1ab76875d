"""The hyperboloid model (paper, appendix A): coordinates (x₀, x′) with x₀ > 0 and ⟨x, x⟩₁ = −1.

The paper proves Theorem 1 by its isometry with the ball. Coordinates grow like 1/(1−r), so points near the border
are far apart.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hypercone.geometry._vectors import (
    Array,
    Booleans,
    along_and_across,
    as_floats,
    border_gap,
    column,
    dot,
    length,
    positive,
    positive_k,
)
from hypercone.geometry.poincare import angle, cosine_law_side


def to_hyperboloid(x: npt.ArrayLike) -> Array:
    """The point (λ−1, λx) of the hyperboloid for a point of the ball: one more coordinate, time first.

    >>> to_hyperboloid([0.5, 0.0]).round(6).tolist()
    [1.666667, 1.333333, 0.0]
    """
    (x,) = as_floats(x)
    gap = border_gap(x)[..., None]
    return np.concatenate([1 + dot(x, x)[..., None], 2 * x], axis=-1) / gap


def from_hyperboloid(y: npt.ArrayLike) -> Array:
    """The point y′/(1+y₀) of the ball for a point of the hyperboloid.

    >>> from_hyperboloid([1.0, 0.0, 0.0]).tolist()
    [0.0, 0.0]
    """
    (y,) = as_floats(y)
    return np.asarray(y[..., 1:] / (1 + y[..., :1]))


def push_forward(x: npt.ArrayLike, v: npt.ArrayLike) -> Array:
    """The tangent vector of the hyperboloid for a tangent vector v at x of the ball.

    It is v′ in the proof of Theorem 1 and has the same length: ⟨v′, v′⟩₁ = λ²|v|².

    >>> push_forward([0.0, 0.0], [0.5, 0.0]).tolist()
    [0.0, 1.0, 0.0]
    """
    x, v = as_floats(x, v)
    factor = 2 / border_gap(x)[..., None]
    lean = factor**2 * dot(x, v)[..., None]
    return np.concatenate([lean, lean * x + factor * v], axis=-1)


def minkowski(x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
    """⟨x, y⟩₁ = −x₀y₀ + ⟨x′, y′⟩: −1 for a point with itself, −cosh d(x, y) for two points.

    >>> float(minkowski([1.0, 0.0], [1.0, 0.0]))
    -1.0
    """
    x, y = as_floats(x, y)
    return dot(x[..., 1:], y[..., 1:]) - x[..., 0] * y[..., 0]


def geodesic(x: npt.ArrayLike, v: npt.ArrayLike, t: npt.ArrayLike) -> Array:
    """The point x cosh t + v sinh t at time t on the geodesic from x with tangent v, ⟨v, v⟩₁ = 1 (Theorem 6).

    >>> geodesic([1.0, 0.0], [0.0, 1.0], 1.0).round(6).tolist()
    [1.543081, 1.175201]
    """
    x, v = as_floats(x, v)
    t = column(t, like=x)
    return np.asarray(x * np.cosh(t) + v * np.sinh(t))


def distance(x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
    """The hyperbolic distance between two points of the hyperboloid, in [0, ∞).

    By the law of cosines at the origin, from x′ and y′ alone: arccosh(−⟨x, y⟩₁) cancels for near or distant points.

    >>> float(distance([1.0, 0.0], [np.cosh(2.0), np.sinh(2.0)]))
    2.0
    """
    x, y = as_floats(x, y)
    x, y = x[..., 1:], y[..., 1:]
    return cosine_law_side(np.arcsinh(length(x)), np.arcsinh(length(y)), angle(x, y))


def half_aperture(x: npt.ArrayLike, K: float) -> Array:
    """ψ = arcsin(2K/|x′|), half the opening of the cone at a point of the hyperboloid, in (0, π/2].

    >>> float(half_aperture(to_hyperboloid([0.5, 0.0]), 0.1).round(6))
    0.150568
    """
    (x,) = as_floats(x)
    reach = positive(np.asarray(2 * positive_k(K), x.dtype))
    return np.asarray(np.arcsin(positive(reach / np.maximum(length(x[..., 1:]), reach))))


def cone_angle(parent: npt.ArrayLike, child: npt.ArrayLike) -> Array:
    """Ξ between two points of the hyperboloid, with the conventions of `cones.cone_angle`, in [0, π].

    >>> float(cone_angle(to_hyperboloid([0.5, 0.0]), to_hyperboloid([0.0, 0.5])).round(6))
    2.601173
    """
    parent, child = as_floats(parent, child)
    s = length(parent[..., 1:])
    along, across = along_and_across(child[..., 1:] - parent[..., 1:], parent[..., 1:])
    return np.asarray(np.arctan2(across, _outward(parent[..., 0], s, child[..., 0], along, across)))


def _outward(x_t: Array, s: Array, y_t: Array, along: Array, across: Array) -> Array:
    # x_t a − s y_t, where a = s + along is the child's component on the parent's ray and p = across. For a > 0 this
    # is a difference of nearly equal terms, so a² − s²(1+p²) is factored, and a − s√(1+p²) is written in terms of the
    # step so that it is exactly 0 for a child equal to its parent.
    a = s + along
    root = np.sqrt(1 + across**2)
    ahead = (along - s * (across / (1 + root)) * across) * (a + s * root)
    is_ahead = a > 0
    return np.where(is_ahead, ahead / np.where(is_ahead, x_t * a + s * y_t, 1), x_t * a - s * y_t)


def contains(parent: npt.ArrayLike, child: npt.ArrayLike, K: float) -> Booleans:
    """Whether the child lies in the parent's cone, both points of the hyperboloid.

    >>> bool(contains(to_hyperboloid([0.5, 0.0]), to_hyperboloid([0.9, 0.0]), 0.1))
    True
    """
    return np.asarray(cone_angle(parent, child) <= half_aperture(parent, K))
