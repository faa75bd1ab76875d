"""The Poincaré ball: distance, geodesics, exponential and logarithmic maps, trigonometry, optimizer steps (§2.2, §4.2).

A point is a vector of length < 1; a longer one raises DomainError. A length that rounds to 1 is treated as the last
float below 1, so every result is finite. A triangle has corners A, B, C; the side opposite a corner has its lower-case
letter: a = d(B, C).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from hypercone.geometry._vectors import (
    Array,
    as_floats,
    ball_points,
    border_gap,
    check_ball,
    column,
    direction,
    dot,
    length,
)

__all__ = [
    "angle",
    "angle_at",
    "conformal_factor",
    "cosine_law_angle",
    "cosine_law_side",
    "curve_length",
    "departure",
    "distance",
    "exp_map",
    "exp_map_paper",
    "geodesic",
    "geodesic_between",
    "log_map",
    "metric",
    "mobius_add",
    "norm",
    "project",
    "retraction",
    "riemannian_gradient",
    "sine_law_ratio",
]


def conformal_factor(x: npt.ArrayLike) -> Array:
    """λ_x = 2/(1 − |x|²), the ratio of hyperbolic to Euclidean length of tangent vectors at x; 2 at the origin.

    >>> float(conformal_factor([0.0, 0.0]))
    2.0
    """
    (x,) = ball_points(x)
    return np.asarray(2 / border_gap(x))


def metric(x: npt.ArrayLike, u: npt.ArrayLike, v: npt.ArrayLike) -> Array:
    """g_x(u, v) = λ_x² ⟨u, v⟩, the inner product of two tangent vectors at x.

    >>> float(metric([0.0, 0.0], [0.5, 0.0], [0.5, 0.5]))
    1.0
    """
    x, u, v = as_floats(x, u, v)
    return np.asarray(conformal_factor(x) ** 2 * dot(u, v))


def curve_length(curve: npt.ArrayLike | Callable[[float], npt.ArrayLike]) -> float:
    """The length ∫ √g(γ′, γ′) dt of a curve: points (n, d) joined by geodesics, or a smooth function of t in [0, 1].

    A function is followed by ever shorter geodesics until twelve digits no longer change, or for 65,536 of them: one
    with corners is better given in parts.

    >>> round(curve_length([[0.0, 0.0], [np.tanh(0.5), 0.0], [0.0, 0.0]]), 12)
    2.0
    >>> circle = curve_length(lambda t: 0.5 * np.array([np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)]))
    >>> round(circle / (2 * np.pi), 12)  # sinh of its radius
    1.333333333333
    """
    if not callable(curve):
        (points,) = as_floats(curve)
        return float(np.sum(distance(points[1:], points[:-1])))
    estimates: list[float] = []
    for doublings in range(4, 17):
        points = np.stack([np.asarray(curve(t), np.float64) for t in np.linspace(0, 1, 2**doublings + 1)])
        polygon, best = curve_length(points), estimates[-1] if estimates else math.inf
        estimates = _extrapolations(polygon, estimates)
        if abs(estimates[-1] - best) <= 1e-12 * estimates[-1]:
            break
    return estimates[-1]


def _extrapolations(polygon: float, before: Sequence[float]) -> list[float]:
    # A row of Romberg's table: the error of a polygon is a series in the square of the length of its pieces.
    row = [polygon]
    for order, coarser in enumerate(before, start=1):
        row.append(row[-1] + (row[-1] - coarser) / (4**order - 1))
    return row


def norm(x: npt.ArrayLike) -> Array:
    """The hyperbolic distance |x|_D = 2 artanh|x| from the origin, in [0, ∞).

    >>> float(norm([0.0, np.tanh(0.5)]).round(12))
    1.0
    """
    (x,) = ball_points(x)
    return np.asarray(2 * np.arctanh(np.minimum(length(x), 1 - np.finfo(x.dtype).epsneg)))


def distance(x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
    """The hyperbolic distance between two points, in [0, ∞), and exactly 0 when they are equal.

    Uses arcsinh instead of the paper's arccosh: it is accurate for points that nearly coincide, where
    arccosh(1 + tiny) rounds to 0.

    >>> float(distance([0.5, 0.0], [0.5, 1e-12]))
    2.666666666666667e-12
    """
    x, y = ball_points(x, y)
    # Two roots rather than the root of a product: in float32 the product could underflow.
    shrink = np.sqrt(border_gap(x)) * np.sqrt(border_gap(y))
    return np.asarray(2 * np.arcsinh(length(x - y) / shrink))


def mobius_add(x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
    """The Möbius sum x ⊕ y, the image of y under the translation that takes the origin to x.

    Left addition cancels, (−x) ⊕ (x ⊕ y) = y; the sum is neither commutative nor associative.

    >>> mobius_add([0.5, 0.0], [0.5, 0.0]).tolist()
    [0.8, 0.0]
    """
    x, y = ball_points(x, y)
    return _mobius(x, y, border_gap(y))


def _mobius(x: Array, y: Array, gap_y: Array) -> Array:
    # The usual formula with 1 + 2⟨x,y⟩ + |x|²|y|² = (1−|x|²)(1−|y|²) + |x+y|², which cannot cancel.
    total = x + y
    square = dot(total, total)[..., None]
    gap_x = border_gap(x)[..., None]
    return np.asarray((gap_x * total + square * x) / (gap_x * gap_y[..., None] + square))


def _travel(x: Array, unit: Array, way: Array) -> Array:
    # x ⊕ tanh(way/2)·unit; the gap 1 − tanh² is more accurate as 1/cosh².
    fade = np.exp(-np.abs(way))
    return _mobius(x, np.tanh(way / 2)[..., None] * unit, 4 * fade / (1 + fade) ** 2)


def geodesic(x: npt.ArrayLike, v: npt.ArrayLike, t: npt.ArrayLike) -> Array:
    """The point at time t on the unit-speed geodesic that leaves x in the direction of v (Theorem 1).

    Only the direction of v matters: it is rescaled to g_x(v, v) = 1; a zero v stays at x. For large t the
    point rounds onto the border. Uses the Möbius form, because the cosh(t) of the paper overflows.

    >>> geodesic([0.0, 0.0], [0.0, 0.5], 1.0).round(6).tolist()
    [0.0, 0.462117]
    """
    x, v = as_floats(x, v)
    check_ball(x)
    way = column(t, like=x)[..., 0] * (length(v) > 0)
    return _travel(x, direction(v), way)


def geodesic_between(x: npt.ArrayLike, y: npt.ArrayLike, t: npt.ArrayLike) -> Array:
    """The point a fraction t in [0, 1] of the way from x to y along their geodesic.

    Computed on the hyperboloid as a weighted sum of both ends, so that an error in the direction at x cannot grow
    along the geodesic.

    >>> geodesic_between([-0.5, 0.0], [0.5, 0.0], 0.5).tolist()
    [0.0, 0.0]
    """
    x, y = ball_points(x, y)
    t = column(t, like=x)
    whole = distance(x, y)[..., None]
    near, far = _sinh_ratio(1 - t, whole), _sinh_ratio(t, whole)
    weight_x = near * conformal_factor(x)[..., None]
    weight_y = far * conformal_factor(y)[..., None]
    return np.asarray((weight_x * x + weight_y * y) / (1 - near - far + weight_x + weight_y))


def _sinh_ratio(t: Array, whole: Array) -> Array:
    # sinh(t·whole)/sinh(whole); below √eps it is t up to rounding, and the quotient could be 0/0.
    short = whole < np.sqrt(np.finfo(whole.dtype).eps)
    safe = np.where(short, 1, whole)
    return np.where(short, t, np.sinh(t * safe) / np.sinh(safe))


def exp_map(x: npt.ArrayLike, v: npt.ArrayLike) -> Array:
    """The point exp_x(v) that the geodesic leaving x with velocity v reaches at time 1.

    Finite for every v, by the Möbius form x ⊕ tanh(λ|v|/2)·v/|v|. A step too long for floats ends on the border.

    >>> exp_map([0.0, 0.0], [0.5, 0.0]).round(6).tolist()
    [0.462117, 0.0]
    """
    x, v = as_floats(x, v)
    check_ball(x)
    with np.errstate(over="ignore"):  # _travel handles an infinite way
        way = conformal_factor(x) * length(v)
    return _travel(x, direction(v), way)


def exp_map_paper(x: npt.ArrayLike, v: npt.ArrayLike) -> Array:
    """exp_x(v) by the closed form of Corollary 1.1, for comparison with the paper; use `exp_map` in computations.

    NaN where cosh overflows: at |x| = 1−1e-6 that is any |v| ≥ 1e-3.

    >>> exp_map_paper([0.3, 0.0], [0.0, 0.2]).round(6).tolist()
    [0.31272, 0.196015]
    """
    x, v = as_floats(x, v)
    check_ball(x)
    with np.errstate(over="ignore", invalid="ignore"):
        factor = conformal_factor(x)[..., None]
        unit = direction(v)
        cosh, sinh = np.cosh(factor * length(v)[..., None]), np.sinh(factor * length(v)[..., None])
        lean = dot(x, unit)[..., None] * sinh
        below = 1 + (factor - 1) * cosh + factor * lean
        return np.asarray(factor * (cosh + lean) / below * x + sinh / below * unit)


def log_map(x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
    """The tangent vector v at x with exp_x(v) = y: the direction to y, with λ_x |v| = d(x, y).

    Zero when x = y.

    >>> log_map([0.0, 0.0], [0.0, np.tanh(0.5)]).round(6).tolist()
    [0.0, 0.5]
    """
    x, y = ball_points(x, y)
    size = distance(x, y) / conformal_factor(x)
    return np.asarray(size[..., None] * direction(departure(x, y)))


def angle(u: npt.ArrayLike, v: npt.ArrayLike) -> Array:
    """The angle between two tangent vectors at one point, in [0, π].

    The ball is conformal, so this is the Euclidean angle. Kahan's form is accurate near 0 and π, where arccos
    loses half of the digits. A zero vector is at angle π/2 to every other vector and at 0 to itself.

    >>> float(angle([1.0, 0.0], [1.0, 1e-12]))
    1e-12
    """
    u, v = as_floats(u, v)
    u, v = direction(u), direction(v)
    return np.asarray(2 * np.arctan2(length(u - v), length(u + v)))


def departure(x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
    """A tangent vector at x in the direction of the geodesic to y; only its direction is meaningful.

    It is −x ⊕ y up to a positive factor, and zero when x = y.

    >>> departure([0.0, 0.0], [0.3, 0.4]).round(6).tolist()
    [0.6, 0.8]
    """
    x, y = ball_points(x, y)
    step = y - x
    return np.asarray(border_gap(x)[..., None] * direction(step) - length(step)[..., None] * x)


def angle_at(a: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike) -> Array:
    """The angle ∠ABC at the middle point, between the geodesics from b to a and from b to c, in [0, π].

    For a = b or c = b the convention of `angle` for zero vectors applies.

    >>> float(angle_at([0.5, 0.0], [0.0, 0.0], [0.0, 0.5]).round(6))
    1.570796
    """
    a, b, c = ball_points(a, b, c)
    return angle(departure(b, a), departure(b, c))


def cosine_law_angle(a: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike) -> Array:
    """The angle B opposite side b in the hyperbolic triangle with sides a, b, c ≥ 0, in [0, π].

    The law of cosines, cos B = (cosh a cosh c − cosh b)/(sinh a sinh c), in its half-angle form
    tan²(B/2) = sinh(s−a) sinh(s−c)/(sinh s sinh(s−b)), 2s = a+b+c. The differences are taken as Kahan does for flat
    triangles, so that needles keep all digits. Sides that violate the triangle inequality by rounding are treated as a
    flat triangle; two sides of length 0 have the angle 0.

    >>> float(cosine_law_angle(1.0, 2.0, 1.0).round(6)), float(cosine_law_angle(2.0, 1.0, 1.0).round(6))
    (3.141593, 0.0)
    >>> f"{cosine_law_angle(1.0, 1e-12, 1.0):.12e}"
    '8.509181282393e-13'
    """
    a, b, c = as_floats(a, b, c)
    beyond_b = _excess(b, a, c)
    opposite = np.sqrt(_bend(_excess(a, b, c))) * np.sqrt(_bend(_excess(c, a, b))) * np.exp(-beyond_b / 2)
    adjacent = np.sqrt(_bend(a + b + c)) * np.sqrt(_bend(beyond_b))
    return np.asarray(2 * np.arctan2(opposite, adjacent))


def _excess(side: Array, one: Array, other: Array) -> Array:
    # one + other − side, right to the last digits whichever is the longest: nothing is rounded before it is subtracted
    # from something of its own size (Kahan, Miscalculating Area and Angles of a Needle-like Triangle, 2014).
    longer, shorter = np.maximum(one, other), np.minimum(one, other)
    return np.maximum(np.where(side > longer, shorter - (side - longer), (longer - side) + shorter), 0)


def _bend(doubled: Array) -> Array:
    # 2 sinh(p)/exp(p) with p = doubled/2; the exponentials are collected by the caller.
    return np.asarray(-np.expm1(-doubled))


def cosine_law_side(a: npt.ArrayLike, c: npt.ArrayLike, angle_b: npt.ArrayLike) -> Array:
    """The side b opposite the angle B enclosed by the sides a and c; |a − c| ≤ b ≤ a + c.

    The law of cosines as sinh²(b/2) = sinh²((a−c)/2) + sinh a sinh c sin²(B/2): a sum, so nothing cancels.

    >>> float(cosine_law_side(1.0, 1.0, np.pi))
    2.0
    """
    a, c, angle_b = as_floats(a, c, angle_b)
    turn = np.sqrt(np.sinh(a) * np.sinh(c)) * np.sin(angle_b / 2)
    return np.asarray(2 * np.arcsinh(np.hypot(np.sinh((a - c) / 2), turn)))


def sine_law_ratio(angle: npt.ArrayLike, opposite_side: npt.ArrayLike) -> Array:
    """sin(angle)/sinh(opposite side), which is the same at all three corners of a triangle; the side must be > 0.

    >>> float(sine_law_ratio(np.pi / 2, np.arcsinh(2.0)).round(12))
    0.5
    """
    angle, opposite_side = as_floats(angle, opposite_side)
    return np.asarray(np.sin(angle) / np.sinh(opposite_side))


def riemannian_gradient(x: npt.ArrayLike, euclidean_gradient: npt.ArrayLike) -> Array:
    """The Riemannian gradient: the Euclidean gradient times 1/λ² = (1−|x|²)²/4.

    It is a quarter of the Euclidean gradient at the origin and goes to zero at the border.

    >>> riemannian_gradient([0.0, 0.0], [4.0, 8.0]).tolist()
    [1.0, 2.0]
    """
    x, euclidean_gradient = as_floats(x, euclidean_gradient)
    check_ball(x)
    return np.asarray((border_gap(x) / 2)[..., None] ** 2 * euclidean_gradient)


def retraction(x: npt.ArrayLike, v: npt.ArrayLike) -> Array:
    """The first-order approximation x + v of exp_x(v); it may leave the ball, so `project` the result.

    >>> retraction([0.5, 0.0], [0.25, 0.25]).tolist()
    [0.75, 0.25]
    """
    x, v = as_floats(x, v)
    check_ball(x)
    return np.asarray(x + v)


def project(x: npt.ArrayLike, inner: float, outer: float) -> Array:
    """The nearest point of the shell inner ≤ |x| ≤ outer on the same ray, to within rounding.

    A point already in the shell is returned unchanged, bit for bit. The origin is moved along the first axis.

    >>> project([[0.0, 0.0], [0.0, 0.5], [0.0, 2.0]], 0.25, 0.75).tolist()
    [[0.25, 0.0], [0.0, 0.5], [0.0, 0.75]]
    """
    (x,) = as_floats(x)
    radius = length(x)[..., None]
    ray = direction(x)
    ray[..., 0] += radius[..., 0] == 0
    moved = ray * np.clip(radius, float(inner), float(outer))
    return np.asarray(np.where((inner <= radius) & (radius <= outer), x, moved))
