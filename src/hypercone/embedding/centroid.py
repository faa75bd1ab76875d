"""A set of nodes as one point, and what that point is a kind of.

In the ball the mean is Einstein's midpoint: the mean of the Klein points, each weighted by its Lorentz factor γ. It
lies in the convex hull of the points, and every isometry of the ball takes the midpoint to the midpoint of the images.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypercone._arrays import read_only
from hypercone._jit import dimension_type
from hypercone.errors import InputError, counted
from hypercone.geometry import poincare
from hypercone.methods import Points
from hypercone.methods.generic_kernels import energies_above
from hypercone.methods.scoring import Rows, clamped

if TYPE_CHECKING:
    from hypercone.embedding.embedding import Embedding


def centroid(embedding: Embedding, rows: Sequence[int], weights: ArrayLike | None = None) -> NDArray[np.float64]:
    """The midpoint of the points of the rows in the method's space, taken into its domain."""
    if not len(rows):
        raise InputError("a centroid needs at least one node, but none was given")
    points, weights = embedding.points[list(rows)], checked_weights(weights, len(rows))
    mean = einstein_midpoint(points, weights) if embedding._method.is_hyperbolic else weights @ points / weights.sum()
    projected: NDArray[np.float64] = embedding._method.project(mean[None], embedding.settings)[0]
    return projected


def checked_weights(weights: ArrayLike | None, count: int) -> NDArray[np.float64]:
    """The weights as numbers, all 1 where none are given; InputError unless each node has one, and not all are 0."""
    if weights is None:
        return np.ones(count)
    numbers = _numbers(weights, "the weights")
    if numbers.shape != (count,):
        raise InputError(f"there are {numbers.size} weights for {counted(count, 'node')}; give each node one")
    if not (np.isfinite(numbers).all() and (numbers >= 0).all() and numbers.any()):
        raise InputError(f"the weights are {numbers.tolist()}, but must be finite, not negative, and not all 0")
    # Only their ratios count, and so neither the largest nor the smallest can leave the range of numbers.
    scaled: NDArray[np.float64] = numbers / numbers.max()
    return scaled


def einstein_midpoint(points: ArrayLike, weights: ArrayLike) -> NDArray[np.float64]:
    """The γ-weighted mean of the Klein points of Poincaré points, as a Poincaré point.

    >>> einstein_midpoint([[0.5, 0.0], [-0.5, 0.0], [0.0, 0.5]], [1.0, 1.0, 0.0]).tolist()
    [0.0, 0.0]
    """
    x, w = np.asarray(points, np.float64), np.asarray(weights, np.float64)
    norms = np.linalg.norm(x, axis=1)
    shares = w / (np.maximum(1 - norms, np.finfo(np.float64).epsneg) * (1 + norms))
    total = shares.sum()
    flat_mean = shares @ x / total
    # With S = Σ wγk and T = Σ wγ the midpoint is S/(T + √(T²−|S|²)). The difference under the root, which cancels near
    # the border, is (Σw)² plus a variance: Σᵢⱼ wᵢwⱼ(cosh dᵢⱼ − 1).
    variance = shares @ ((x - flat_mean) ** 2).sum(axis=1)
    root = np.sqrt(w.sum() ** 2 + 4 * total * variance)
    midpoint: NDArray[np.float64] = 2 * (shares @ x) / (shares @ (1 + norms**2) + root)
    return midpoint


def ancestors_of_point(embedding: Embedding, point: ArrayLike) -> tuple[Rows, Points]:
    """The rows that a point is a kind of, from general to specific, and how far inside each it is."""
    with_point = np.vstack([embedding.points, checked_point(embedding, point)])
    # Read-only like the points of an embedding, for which the kernels are compiled already.
    with_point.setflags(write=False)
    constants = embedding._method.constants(embedding.settings)
    signed = energies_above(read_only(with_point), len(embedding), constants, dimension_type(embedding.dim))[:-1]
    rows = np.flatnonzero(clamped(embedding._method, signed) <= embedding.threshold).astype(np.int32)
    rows = embedding._by_generality(rows)
    return rows, embedding.threshold - signed[rows]


def nearest_to_point(embedding: Embedding, point: ArrayLike, count: int = 10) -> list[tuple[int, float]]:
    """The rows at the smallest distance from a point, nearest first, with their distances."""
    point = checked_point(embedding, point)
    if embedding._method.is_hyperbolic:
        distances = np.asarray(poincare.distance(point, embedding.points), np.float64)
    else:
        distances = np.linalg.norm(embedding.points - point, axis=1)
    chosen = np.lexsort((np.arange(len(embedding)), distances))[: max(count, 0)]
    return [(int(row), float(distances[row])) for row in chosen]


def checked_point(embedding: Embedding, point: ArrayLike) -> NDArray[np.float64]:
    """The point as numbers; InputError unless it has as many as a node's and lies in the method's domain."""
    numbers = _numbers(point, "the point")
    if numbers.shape != (embedding.dim,):
        raise InputError(f"a point here is {embedding.dim} numbers, but an array of shape {numbers.shape} was given")
    inner, outer = embedding._method.shell(embedding.settings)
    norm = np.linalg.norm(numbers)
    if not (np.isfinite(numbers).all() and inner - 1e-9 <= norm <= outer + 1e-9):
        raise InputError(
            f"the point has norm {norm:.6g}, but {embedding.method} has its points from {inner:.6g} to {outer:.6g}"
        )
    return numbers


def _numbers(given: ArrayLike, what: str) -> NDArray[np.float64]:
    try:
        return np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be numbers, but {given!r} was given") from None
