"""Moves that learning makes in the ball: the Riemannian gradient, the retraction, the shell (paper §4.2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hypercone.geometry._vectors import Array, as_floats, border_gap, direction, length


def riemannian_gradient(x: npt.ArrayLike, euclidean_gradient: npt.ArrayLike) -> Array:
    """The gradient that the metric of the ball sees: the Euclidean one times 1/λ² = (1−|x|²)²/4.

    It fades to nothing at the border and is a quarter of the Euclidean gradient at the origin.

    >>> riemannian_gradient([0.0, 0.0], [4.0, 8.0]).tolist()
    [1.0, 2.0]
    """
    x, euclidean_gradient = as_floats(x, euclidean_gradient)
    return np.asarray((border_gap(x) / 2)[..., None] ** 2 * euclidean_gradient)


def retraction(x: npt.ArrayLike, v: npt.ArrayLike) -> Array:
    """The first-order stand-in x + v for exp_x(v); it may leave the ball, so `project` comes after it.

    >>> retraction([0.5, 0.0], [0.25, 0.25]).tolist()
    [0.75, 0.25]
    """
    x, v = as_floats(x, v)
    return np.asarray(x + v)


def project(x: npt.ArrayLike, inner: float, outer: float) -> Array:
    """The nearest point of the shell inner ≤ |x| ≤ outer on the same ray, to within rounding.

    A point already in the shell is returned bit for bit. The origin has no ray: it goes along the first axis.

    >>> project([[0.0, 0.0], [0.0, 0.5], [0.0, 2.0]], 0.25, 0.75).tolist()
    [[0.25, 0.0], [0.0, 0.5], [0.0, 0.75]]
    """
    (x,) = as_floats(x)
    radius = length(x)[..., None]
    ray = direction(x)
    ray[..., 0] += radius[..., 0] == 0
    moved = ray * np.clip(radius, float(inner), float(outer))
    return np.asarray(np.where((inner <= radius) & (radius <= outer), x, moved))
