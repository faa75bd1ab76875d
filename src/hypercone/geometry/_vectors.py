"""Lengths and directions that are accurate for subnormal numbers, and the gap to the border of the ball."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from hypercone.errors import ConfigError

Array = npt.NDArray[np.floating[Any]]
Booleans = npt.NDArray[np.bool_]


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
    """The arrays in their common float type: float32 stays float32, integers become float64.

    >>> as_floats([0, 1])[0].dtype, as_floats(np.zeros(2, np.float32))[0].dtype
    (dtype('float64'), dtype('float32'))
    """
    raw = [np.asarray(array) for array in arrays]
    common = np.result_type(*raw)
    if not np.issubdtype(common, np.floating):
        common = np.dtype(np.float64)
    return tuple(array.astype(common, copy=False) for array in raw)


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
    return np.asarray(values, dtype=like.dtype)[..., None]


def dot(x: Array, y: Array) -> Array:
    """The Euclidean scalar product over the last axis.

    >>> float(dot(np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    11.0
    """
    return np.asarray(np.sum(x * y, axis=-1))


def _scale_to_unit(x: Array) -> tuple[Array, Array]:
    # By a power of two, which is exact unless something underflows.
    largest = np.max(np.abs(x), axis=-1, keepdims=True)
    scale = np.ldexp(np.ones_like(largest), np.frexp(largest)[1] - 1)
    return x / scale, scale


def length(x: Array) -> Array:
    """The Euclidean length over the last axis, without overflow or underflow in the squares.

    >>> float(length(np.array([3e-320, 4e-320]))) > 4e-320
    True
    """
    scaled, scale = _scale_to_unit(x)
    return np.asarray(np.sqrt(dot(scaled, scaled)) * scale[..., 0])


def direction(x: Array) -> Array:
    """The unit vector along x; the zero vector stays zero.

    >>> direction(np.array([[0.0, 5e-324], [0.0, 0.0]])).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    scaled, _ = _scale_to_unit(x)
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
