"""The hyperboloid model (paper, appendix A): coordinates (x₀, x′) with x₀ > 0 and ⟨x, x⟩₁ = −1.

The paper proves Theorem 1 by its isometry with the ball. Coordinates grow like 1/(1−r), so points near the border
are far apart. A point is where its x′ says; x₀ = √(1 + |x′|²) must agree with it up to rounding. Angles are as accurate
as in the ball, for the points as they are given; `to_hyperboloid` rounds each point by itself, so that a close pair is
better left in the ball.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hypercone.geometry._vectors import (
    Array,
    Booleans,
    as_floats,
    ball_points,
    border_gap,
    check_ball,
    check_hyperboloid,
    column,
    direction,
    dot,
    length,
    positive,
    positive_k,
    scale_to_unit,
)
from hypercone.geometry.poincare import angle, cosine_law_side


def to_hyperboloid(x: npt.ArrayLike) -> Array:
    """The point (λ−1, λx) of the hyperboloid for a point of the ball: one more coordinate, time first.

    >>> to_hyperboloid([0.5, 0.0]).round(6).tolist()
    [1.666667, 1.333333, 0.0]
    """
    (x,) = ball_points(x)
    gap = border_gap(x)[..., None]
    return np.concatenate([1 + dot(x, x)[..., None], 2 * x], axis=-1) / gap


def from_hyperboloid(y: npt.ArrayLike) -> Array:
    """The point y′/(1+y₀) of the ball for a point of the hyperboloid.

    >>> from_hyperboloid([1.0, 0.0, 0.0]).tolist()
    [0.0, 0.0]
    """
    (y,) = as_floats(y)
    check_hyperboloid(y)
    return np.asarray(y[..., 1:] / (1 + y[..., :1]))


def push_forward(x: npt.ArrayLike, v: npt.ArrayLike) -> Array:
    """The tangent vector of the hyperboloid for a tangent vector v at x of the ball.

    It is v′ in the proof of Theorem 1 and has the same length: ⟨v′, v′⟩₁ = λ²|v|².

    >>> push_forward([0.0, 0.0], [0.5, 0.0]).tolist()
    [0.0, 1.0, 0.0]
    """
    x, v = as_floats(x, v)
    check_ball(x)
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
    check_hyperboloid(x)
    t = column(t, like=x)
    return np.asarray(x * np.cosh(t) + v * np.sinh(t))


def metric(x: npt.ArrayLike, u: npt.ArrayLike, v: npt.ArrayLike) -> Array:
    """g_x(u, v) = ⟨u, v⟩₁, the inner product of two tangent vectors at x.

    From u′ and v′ alone, as a sum: a tangent vector has u₀ = ⟨x′, u′⟩/x₀, so along the ray of x it counts 1/x₀².
    ⟨u, v⟩₁ as printed would subtract two large numbers.

    >>> float(metric([1.25, 0.75], [0.75, 1.25], [0.75, 1.25]))
    1.0
    """
    x, u, v = as_floats(x, u, v)
    check_hyperboloid(x)
    ray, u, v = direction(x[..., 1:]), u[..., 1:], v[..., 1:]
    u_along, v_along = dot(u, ray)[..., None], dot(v, ray)[..., None]
    across = dot(u - u_along * ray, v - v_along * ray)
    return np.asarray(across + (u_along * v_along)[..., 0] / x[..., 0] ** 2)


def exp_map(x: npt.ArrayLike, v: npt.ArrayLike) -> Array:
    """The point exp_x(v) that the geodesic leaving x with tangent v reaches at time 1.

    A step so long that coordinates overflow, of about 700 in float64, raises DomainError; that of the ball does not.

    >>> exp_map([1.0, 0.0], [0.0, 1.0]).round(6).tolist()
    [1.543081, 1.175201]
    """
    x, v = as_floats(x, v)
    size = np.sqrt(metric(x, v, v))[..., None]
    # sinh(s)/s is 1 up to rounding for small s, where the quotient could be 0/0.
    is_short = size < np.sqrt(np.finfo(size.dtype).eps)
    with np.errstate(over="ignore", invalid="ignore"):
        stretch = np.where(is_short, 1, np.sinh(size) / np.where(is_short, 1, size))
        (space,) = as_floats((x * np.cosh(size) + v * stretch)[..., 1:])
    # Back on the hyperboloid: rounding moves a point off it, and x′ says where it is.
    return np.concatenate([np.hypot(1, length(space))[..., None], space], axis=-1)


def log_map(x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
    """The tangent vector v at x with exp_x(v) = y; its length in the metric is d(x, y), and it is zero when x = y.

    >>> log_map([1.0, 0.0], [np.cosh(2.0), np.sinh(2.0)]).round(12).tolist()
    [0.0, 2.0]
    """
    x, y = as_floats(x, y)
    whole = distance(x, y)[..., None]
    # y − x cosh d, as a difference of the points so that nearby ones do not cancel.
    toward = (y - x) - 2 * np.sinh(whole / 2) ** 2 * x
    is_short = whole < np.sqrt(np.finfo(whole.dtype).eps)
    v = toward * np.where(is_short, 1, whole / np.where(is_short, 1, np.sinh(whole)))
    time = dot(v[..., 1:], x[..., 1:])[..., None] / x[..., :1]
    return np.concatenate([time, v[..., 1:]], axis=-1)


def distance(x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
    """The hyperbolic distance between two points of the hyperboloid, in [0, ∞).

    By the law of cosines at the origin, from x′ and y′ alone: arccosh(−⟨x, y⟩₁) cancels for near or distant points.

    >>> float(distance([1.0, 0.0], [np.cosh(2.0), np.sinh(2.0)]))
    2.0
    """
    x, y = as_floats(x, y)
    check_hyperboloid(x, y)
    x, y = x[..., 1:], y[..., 1:]
    return cosine_law_side(np.arcsinh(length(x)), np.arcsinh(length(y)), angle(x, y))


def spoke(x: npt.ArrayLike) -> Array:
    """The unit tangent vector (s, x₀·x′/s), s = |x′|, at x and away from the origin; zero at the origin.

    >>> spoke([1.25, 0.75]).tolist()
    [0.75, 1.25]
    """
    (x,) = as_floats(x)
    check_hyperboloid(x)
    return np.concatenate([length(x[..., 1:])[..., None], x[..., :1] * direction(x[..., 1:])], axis=-1)


def half_aperture(x: npt.ArrayLike, K: float) -> Array:
    """ψ = arcsin(2K/|x′|), half the opening of the cone at a point of the hyperboloid, in (0, π/2].

    >>> float(half_aperture(to_hyperboloid([0.5, 0.0]), 0.1).round(6))
    0.150568
    """
    (x,) = as_floats(x)
    check_hyperboloid(x)
    reach = positive(np.asarray(2 * positive_k(K), x.dtype))
    return np.asarray(np.arcsin(positive(reach / np.maximum(length(x[..., 1:]), reach))))


def cone_angle(parent: npt.ArrayLike, child: npt.ArrayLike) -> Array:
    """Ξ between two points of the hyperboloid, with the conventions of `cones.cone_angle`, in [0, π].

    >>> float(cone_angle(to_hyperboloid([0.5, 0.0]), to_hyperboloid([0.0, 0.5])).round(6))
    2.601173
    """
    parent, child = as_floats(parent, child)
    check_hyperboloid(parent, child)
    x_t, y_t = parent[..., 0], child[..., 0]
    x, x_scale = scale_to_unit(parent[..., 1:])
    step, step_scale = scale_to_unit(child[..., 1:] - parent[..., 1:])
    # The length s of x′ and that of the step, in a unit of their own, so that subnormal ones keep their digits.
    unit = np.maximum(x_scale, step_scale)
    s, far, unit = length(x) * (x_scale / unit)[..., 0], length(step) * (step_scale / unit)[..., 0], unit[..., 0]
    along, across = _unit_step(step, x)
    # Outward is (x_t a − s y_t)/far, where a = s + far·along is the child's component on the parent's ray. For a > 0
    # this is a difference of nearly equal terms, so a² − s²(1+p²) with p = far·across is factored, and a − s√(1+p²) is
    # written in terms of the step so that it is exactly 0 for a child equal to its parent.
    a, p = s + far * along, far * unit * across
    root = np.sqrt(1 + p**2)
    ahead = (along - s * unit * (p / (1 + root)) * across) * (a + s * root)
    is_ahead = a > 0
    behind = (x_t * a - s * y_t) / np.where(far > 0, far, 1)
    return np.asarray(np.arctan2(across, np.where(is_ahead, ahead / np.where(is_ahead, x_t * a + s * y_t, 1), behind)))


def _unit_step(step: Array, x: Array) -> tuple[Array, Array]:
    # The parts along and across x of the direction of a step. Projected twice, and by x itself: the rounding of unit
    # vectors would be seen, at the border, 1/(1−r) times as large.
    far, s = positive(length(step)), positive(length(x))
    rest = step
    for _ in range(2):
        rest = rest - (dot(rest, x) / s / s)[..., None] * x
    return dot(step, x) / s / far + 0.0, length(rest) / far


def contains(parent: npt.ArrayLike, child: npt.ArrayLike, K: float) -> Booleans:
    """Whether the child lies in the parent's cone, both points of the hyperboloid.

    >>> bool(contains(to_hyperboloid([0.5, 0.0]), to_hyperboloid([0.9, 0.0]), 0.1))
    True
    """
    return np.asarray(cone_angle(parent, child) <= half_aperture(parent, K))
