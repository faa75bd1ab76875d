"""The check that a point is one, lengths and directions that are accurate for subnormal numbers, and the border gap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from hypercone.errors import ConfigError, DomainError

Array = npt.NDArray[np.floating[Any]]
Booleans = npt.NDArray[np.bool_]

# How far x₀ may be from √(1 + |x′|²), as a share of it: coordinates may have been rounded to float32.
OFF_HYPERBOLOID = 1e-5
# A length up to 1 + 64 eps was rounded up on its way to the border; beyond that a point is outside the ball.
ROUNDINGS = 64


def positive_k(K: float) -> float:
    """The aperture constant as a Python float, so that float32 points stay float32; ConfigError for K ≤ 0.

    >>> positive_k(0.1)
    0.1
    """
    if not 0 < K < math.inf:
        raise ConfigError(f"K must be a positive number, not {K}; the paper uses 0.1")
    return float(K)


def cone_root(K: float) -> float:
    """√(1+4K²), not by ``hypot``, whose last bit differs between math libraries.

    >>> cone_root(0.0), cone_root(1e200)
    (1.0, 2e+200)
    """
    return math.sqrt(1 + 4 * K * K) if K < 1e100 else 2 * K


def as_floats(*arrays: npt.ArrayLike) -> tuple[Array, ...]:
    """The arrays in their common float type; DomainError for NaN and infinity.

    >>> as_floats([0, 1])[0].dtype, as_floats(np.zeros(2, np.float32))[0].dtype
    (dtype('float64'), dtype('float32'))
    """
    raw = [np.asarray(array) for array in arrays]
    common = np.result_type(*raw)
    if not np.issubdtype(common, np.floating):
        common = np.dtype(np.float64)
    for array in raw:
        if not np.all(np.isfinite(array)):
            raise DomainError(f"{_first(array, ~np.isfinite(array))} is not finite; leave such points out")
    return tuple(array.astype(common, copy=False) for array in raw)


def ball_points(*arrays: npt.ArrayLike) -> tuple[Array, ...]:
    """Points of the unit ball in their common float type; DomainError for any other point.

    >>> ball_points([0.6, 0.8])[0].tolist()
    [0.6, 0.8]
    >>> ball_points([[0.0, 0.5], [1.5, 2.0]])
    Traceback (most recent call last):
    hypercone.errors.DomainError: the point at [1] has norm 2.5, but the ball ends at 1; poincare.project moves it in
    """
    points = as_floats(*arrays)
    check_ball(*points)
    return points


def check_ball(*points: Array) -> None:
    """Raise DomainError for a point that is outside the unit ball by more than rounding.

    >>> check_ball(np.array([0.6, 0.8]))
    """
    for x in points:
        with np.errstate(over="ignore"):
            is_outside = dot(x, x) > (1 + ROUNDINGS * np.finfo(x.dtype).eps) ** 2
        if np.any(is_outside):
            norm = length(x)[is_outside].flat[0]
            raise DomainError(
                f"the point{_place(is_outside)} has norm {norm:.6g}, but the ball ends at 1;"
                " poincare.project moves it in"
            )


def check_hyperboloid(*points: Array) -> None:
    """Raise DomainError for a point that is off the hyperboloid x₀ = √(1 + |x′|²) by more than rounding.

    >>> check_hyperboloid(np.array([1.25, 0.75]))
    """
    for x in points:
        time, right = x[..., 0], np.hypot(1, length(x[..., 1:]))
        is_off = np.abs(time - right) > OFF_HYPERBOLOID * right
        if np.any(is_off):
            raise DomainError(
                f"the point{_place(is_off)} has x₀ = {time[is_off].flat[0]:.6g}, but on the hyperboloid it is"
                f" √(1 + |x′|²) = {right[is_off].flat[0]:.6g}; to_hyperboloid makes such points"
            )


def _first(array: Array, is_wanted: Booleans) -> str:
    return f"the number {array[is_wanted].flat[0]}{_place(is_wanted)}"


def _place(is_wanted: Booleans) -> str:
    # Where the first one is, as an index of NumPy; nothing for a single point.
    return f" at {np.argwhere(is_wanted)[0].tolist()}" if is_wanted.ndim else ""


def positive(numbers: Array) -> Array:
    """The numbers, with zeros replaced by the smallest positive float, for quantities that are never zero.

    >>> float(positive(np.array(0.0))) > 0, float(positive(np.array(0.5)))
    (True, 0.5)
    """
    return np.asarray(np.maximum(numbers, np.finfo(numbers.dtype).smallest_subnormal))


def column(values: npt.ArrayLike, like: Array) -> Array:
    """One number per point, in the type of the points and with a last axis to multiply them.

    >>> column([1, 2], np.zeros((2, 5))).shape
    (2, 1)
    """
    return as_floats(values)[0].astype(like.dtype, copy=False)[..., None]


def dot(x: Array, y: Array) -> Array:
    """The Euclidean scalar product over the last axis.

    >>> float(dot(np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    11.0
    """
    return np.asarray(np.sum(x * y, axis=-1))


def scale_to_unit(x: Array) -> tuple[Array, Array]:
    """The vector divided by a power of two, exactly, so that its largest coordinate is in [1, 2), and that power.

    >>> scaled, scale = scale_to_unit(np.array([0.0, 5e-324]))
    >>> scaled.tolist(), scale.tolist()
    ([0.0, 1.0], [5e-324])
    """
    largest = np.max(np.abs(x), axis=-1, keepdims=True)
    scale = np.ldexp(np.ones_like(largest), np.frexp(largest)[1] - 1)
    return x / scale, scale


def length(x: Array) -> Array:
    """The Euclidean length over the last axis, without overflow or underflow in the squares.

    >>> float(length(np.array([3e-320, 4e-320]))) > 4e-320
    True
    """
    scaled, scale = scale_to_unit(x)
    return np.asarray(np.sqrt(dot(scaled, scaled)) * scale[..., 0])


def direction(x: Array) -> Array:
    """The unit vector along x; the zero vector stays zero.

    >>> direction(np.array([[0.0, 5e-324], [0.0, 0.0]])).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    scaled, _ = scale_to_unit(x)
    size = np.sqrt(dot(scaled, scaled))[..., None]
    return np.asarray(scaled / np.where(size > 0, size, 1))


def along_and_across(vector: Array, axis: Array) -> tuple[Array, Array]:
    """The signed part of a vector along an axis, and the length of the rest.

    >>> [float(part) for part in along_and_across(np.array([3.0, 4.0]), np.array([2.0, 0.0]))]
    [3.0, 4.0]
    """
    unit = direction(axis)
    # atan2(0, −0.0) is π and would put a point outside its own cone; + 0.0 turns −0.0 into 0.0.
    along = dot(vector, unit) + 0.0
    return along, length(vector - along[..., None] * unit)


def border_gap(x: Array) -> Array:
    """The gap q = 1 − |x|² of a point of the unit ball, in a form that is accurate near the border.

    Always positive: a point whose length rounds to 1 is treated as the last float below 1.

    >>> float(border_gap(np.array([0.0, 0.5])))
    0.75
    """
    radius = length(x)
    return np.asarray(np.maximum(1 - radius, np.finfo(x.dtype).epsneg) * (1 + radius))
