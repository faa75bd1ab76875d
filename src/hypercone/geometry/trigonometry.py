"""Angles and the hyperbolic laws of cosines and sines (paper §2.2, "Angles" and "Hyperbolic trigonometry").

A triangle has corners A, B, C; the side opposite a corner carries its small letter, so a = d(B, C).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hypercone.geometry._vectors import Array, as_floats, border_gap, direction, length


def angle(u: npt.ArrayLike, v: npt.ArrayLike) -> Array:
    """The angle between two tangent vectors at one point, in [0, π].

    The ball is conformal, so this is the Euclidean angle. Kahan's form keeps all digits near 0 and π, where
    arccos loses half of them. A zero vector counts as perpendicular to every other, and at 0 to itself.

    >>> float(angle([1.0, 0.0], [1.0, 1e-12]))
    1e-12
    """
    u, v = as_floats(u, v)
    u, v = direction(u), direction(v)
    return np.asarray(2 * np.arctan2(length(u - v), length(u + v)))


def departure(x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
    """A tangent vector at x along which the geodesic from x to y leaves; only its direction has a meaning.

    It is −x ⊕ y up to a positive factor, and zero when x = y.

    >>> departure([0.0, 0.0], [0.3, 0.4]).round(6).tolist()
    [0.6, 0.8]
    """
    x, y = as_floats(x, y)
    step = y - x
    return np.asarray(border_gap(x)[..., None] * direction(step) - length(step)[..., None] * x)


def angle_at(a: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike) -> Array:
    """The angle ∠ABC at the middle point, between the geodesics from b to a and from b to c, in [0, π].

    Where a = b or c = b there is no angle, and the convention of `angle` for zero vectors answers.

    >>> float(angle_at([0.5, 0.0], [0.0, 0.0], [0.0, 0.5]).round(6))
    1.570796
    """
    a, b, c = as_floats(a, b, c)
    return angle(departure(b, a), departure(b, c))


def cosine_law_angle(a: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike) -> Array:
    """The angle B opposite side b in the hyperbolic triangle with sides a, b, c, in [0, π].

    The law of cosines, cos B = (cosh a cosh c − cosh b)/(sinh a sinh c), in its half-angle form
    tan²(B/2) = sinh(s−a) sinh(s−c)/(sinh s sinh(s−b)), 2s = a+b+c, which neither cancels nor overflows.
    Sides that break the triangle inequality by rounding count as a flat triangle.

    >>> float(cosine_law_angle(1.0, 2.0, 1.0).round(6)), float(cosine_law_angle(2.0, 1.0, 1.0).round(6))
    (3.141593, 0.0)
    """
    a, b, c = as_floats(a, b, c)
    opposite = _bend(b + c - a) * _bend(a + b - c) * np.exp(np.minimum(b - a - c, 0))
    adjacent = _bend(a + b + c) * _bend(a + c - b)
    return np.asarray(2 * np.arctan2(np.sqrt(opposite), np.sqrt(adjacent)))


def _bend(doubled: Array) -> Array:
    # 2 sinh(p)/exp(p) with p = doubled/2; the exponentials are collected by the caller.
    return np.asarray(-np.expm1(-np.maximum(doubled, 0)))


def cosine_law_side(a: npt.ArrayLike, c: npt.ArrayLike, angle_b: npt.ArrayLike) -> Array:
    """The side b opposite the angle B that sides a and c enclose; |a − c| ≤ b ≤ a + c.

    The law of cosines as sinh²(b/2) = sinh²((a−c)/2) + sinh a sinh c sin²(B/2): a sum, so nothing cancels.

    >>> float(cosine_law_side(1.0, 1.0, np.pi))
    2.0
    """
    a, c, angle_b = as_floats(a, c, angle_b)
    turn = np.sqrt(np.sinh(a) * np.sinh(c)) * np.sin(angle_b / 2)
    return np.asarray(2 * np.arcsinh(np.hypot(np.sinh((a - c) / 2), turn)))


def sine_law_ratio(angle: npt.ArrayLike, opposite_side: npt.ArrayLike) -> Array:
    """sin(angle)/sinh(opposite side): the same number at all three corners of a triangle; the side is > 0.

    >>> float(sine_law_ratio(np.pi / 2, np.arcsinh(2.0)).round(12))
    0.5
    """
    angle, opposite_side = as_floats(angle, opposite_side)
    return np.asarray(np.sin(angle) / np.sinh(opposite_side))
