"""Relations by geometry: parents, siblings, common ancestors, the sparse is-a matrix, centroids.

With a positive threshold, or with distances, two nodes can each be a kind of the other. To get parents anyway, they are
searched among the ancestors that are more general than the node (a smaller norm, or sum for order embeddings; ties by
row), and another of these is in between only if it is more specific than the parent. If no ancestor is more general,
all ancestors are considered.

In the ball the centroid is the Einstein midpoint: the mean of the Klein points, each weighted by its Lorentz factor γ.
It lies in the convex hull of the points, and isometries of the ball map midpoints to midpoints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypercone._arrays import Rows
from hypercone._system import import_optional
from hypercone.embedding.embedding_kernels import is_lowest, is_topmost
from hypercone.errors import InputError, plural
from hypercone.index import ConeIndex
from hypercone.methods import Points

if TYPE_CHECKING:
    from hypercone.embedding.embedding import Embedding


def ancestors_of(embedding: Embedding, row: int) -> Rows:
    """The rows that a row is a kind of, from general to specific."""
    return embedding._ancestor_rows(row)


def descendants_of(embedding: Embedding, row: int) -> Rows:
    """The rows that are a kind of a row, from general to specific."""
    return embedding._descendant_rows(row)


def nearest_to(embedding: Embedding, row: int, count: int) -> list[tuple[int, float]]:
    """The nearest rows with their distances, nearest first."""
    found = embedding._finder.nearest(row, count)
    return list(zip(found.rows.tolist(), found.distances.tolist(), strict=True))


def parents_of(embedding: Embedding, row: int) -> Rows:
    """The ancestors with no other in between; not empty if there are ancestors.

    >>> from hypercone import Embedding
    >>> from hypercone.methods import Settings
    >>> points = np.array([[0.3, 0.0], [0.5, 0.0], [0.9, 0.0]])
    >>> pets = Embedding(["animal", "dog", "poodle"], points, "hyperbolic-cones", Settings(), threshold=0.0)
    >>> parents_of(pets, 2).tolist(), children_of(pets, 0).tolist()
    ([1], [1])
    """
    return _lowest(embedding, _more_general_or_all(ancestors_of(embedding, row), embedding, row, more_general=True))


def children_of(embedding: Embedding, row: int) -> Rows:
    """The descendants with no other in between; not empty if there are descendants."""
    return _topmost(embedding, _more_general_or_all(descendants_of(embedding, row), embedding, row, more_general=False))


def lowest_common(embedding: Embedding, rows: Sequence[int]) -> Rows:
    """The most specific nodes that each of the rows is, or is a kind of; empty if there are none."""
    if not len(rows):
        raise InputError("common ancestors need at least one node, but none was given")
    above = [np.append(ancestors_of(embedding, row), np.int32(row)) for row in rows]
    strict = [
        some[(some == row) | is_more_general(embedding, some, row)] for some, row in zip(above, rows, strict=True)
    ]
    common = reduce(np.intersect1d, strict)
    if not common.size:
        common = reduce(np.intersect1d, above)
    return _lowest(embedding, embedding._sort_by_generality(common))


def margins(embedding: Embedding, parents: ArrayLike, children: ArrayLike) -> Points:
    """How far inside each child is: threshold − E without clamping E at 0; ψ + threshold − Ξ in radians for cones.

    Not negative exactly if the child is a kind of the parent. One side may be a single row.
    """
    above, below = np.atleast_1d(parents), np.atleast_1d(children)
    # Assigned by column: broadcasting and stacking takes three times as long for few rows.
    pairs = np.empty((below.size if above.size == 1 else above.size, 2), np.int32)
    pairs[:, 0], pairs[:, 1] = above, below
    return embedding.threshold - embedding.scorer.signed_energies(pairs)


def is_more_general(embedding: Embedding, rows: Rows, row: int) -> NDArray[np.bool_]:
    """Whether each of the rows comes before a row in the order from general to specific."""
    _, rank = embedding._generality_order
    answer: NDArray[np.bool_] = rank[rows] < rank[row]
    return answer


def _more_general_or_all(rows: Rows, embedding: Embedding, row: int, more_general: bool) -> Rows:
    some = rows[is_more_general(embedding, rows, row) == more_general]
    return some if some.size else rows


def _topmost(embedding: Embedding, rows: Rows) -> Rows:
    scorer, rows = embedding.scorer, np.ascontiguousarray(rows, np.int32)
    found: Rows = rows[is_topmost(scorer.points, rows, scorer.threshold, scorer.constants, scorer.dim)]
    return found


def _lowest(embedding: Embedding, rows: Rows) -> Rows:
    scorer, rows = embedding.scorer, np.ascontiguousarray(rows, np.int32)
    found: Rows = rows[is_lowest(scorer.points, rows, scorer.threshold, scorer.constants, scorer.dim)]
    return found


def relation(embedding: Embedding, names: Sequence[str] | None = None, by: str | None = None) -> Any:
    """A boolean SciPy CSR array whose [i, j] is True if names[i] is a names[j]; all names if None.

    A node is not related to itself, as in ``ancestors``. By geometry, cones use the index; other methods test every
    pair, so the time grows with the square of the number of names.

    >>> from hypercone import Embedding
    >>> from hypercone.methods import Settings
    >>> points = np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.5]])
    >>> embedding = Embedding(["animal", "dog", "stone"], points, "hyperbolic-cones", Settings(), threshold=0.0)
    >>> relation(embedding).toarray().astype(int).tolist()
    [[0, 0, 0], [1, 0, 0], [0, 0, 0]]
    """
    sparse = import_optional("scipy.sparse", "a relation needs", "scipy")
    if isinstance(names, str):
        raise InputError(f"names is the text {names!r}; give a list of names")
    rows = range(len(embedding)) if names is None else [embedding.row(name) for name in names]
    relatives = embedding.relatives(by)
    if relatives.by == "graph":
        above = _ancestors_among(relatives.ancestors_of_many(rows), rows, len(embedding))
    else:
        chosen = embedding.scorer if names is None else replace(embedding.scorer, points=embedding.points[list(rows)])
        above = list(ConeIndex(chosen).ancestors_of_many(range(len(rows))))
    indptr = np.cumsum([0, *map(len, above)])
    indices = np.concatenate([np.empty(0, np.int64), *above])
    return sparse.csr_array((np.ones(len(indices), np.bool_), indices, indptr), shape=(len(rows), len(rows)))


def _ancestors_among(above: Sequence[Rows], rows: Sequence[int], size: int) -> list[Rows]:
    """The places of the ancestors in ``rows``, ascending; ancestors that are not among the rows are left out."""
    places: list[list[int]] = [[] for _ in range(size)]
    for place, row in enumerate(rows):
        places[row].append(place)
    return [np.array(sorted(place for row in found.tolist() for place in places[row]), np.int32) for found in above]


def centroid(embedding: Embedding, rows: Sequence[int], weights: ArrayLike | None = None) -> NDArray[np.float64]:
    """The centroid of the rows in the space of the method, projected into its domain."""
    if not len(rows):
        raise InputError("a centroid needs at least one node, but none was given")
    points, weights = embedding.points[list(rows)], checked_weights(weights, len(rows))
    mean = (
        einstein_midpoint(points, weights)
        if embedding.scorer.method.is_hyperbolic
        else _weighted_sum(weights, points) / weights.sum()
    )
    projected: NDArray[np.float64] = embedding.scorer.method.project(mean[None], embedding.settings)[0]
    return projected


def checked_weights(weights: ArrayLike | None, count: int) -> NDArray[np.float64]:
    """The weights as an array, all 1 by default; InputError unless there is one per node and not all are 0."""
    if weights is None:
        return np.ones(count)
    numbers = _numbers(weights, "the weights")
    if numbers.shape != (count,):
        raise InputError(f"there are {numbers.size} weights for {plural(count, 'node')}; give each node one")
    if not (np.isfinite(numbers).all() and (numbers >= 0).all() and numbers.any()):
        raise InputError(f"the weights are {numbers.tolist()}, but must be finite, not negative, and not all 0")
    # Only their ratios matter; scaled, they cannot overflow.
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
    flat_mean = _weighted_sum(shares, x) / total
    # With S = Σ wγk and T = Σ wγ the midpoint is S/(T + √(T²−|S|²)). The difference under the root, which cancels near
    # the border, is (Σw)² plus a variance: Σᵢⱼ wᵢwⱼ(cosh dᵢⱼ − 1).
    away = x - flat_mean
    variance = (shares * (away * away).sum(axis=1)).sum()
    root = np.sqrt(w.sum() * w.sum() + 4 * total * variance)
    midpoint: NDArray[np.float64] = 2 * _weighted_sum(shares, x) / ((shares * (1 + norms * norms)).sum() + root)
    return midpoint


def _weighted_sum(weights: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    # Not by "@": a matrix product adds in another order on every processor.
    total: NDArray[np.float64] = (weights[:, None] * points).sum(axis=0)
    return total


def ancestors_of_point(embedding: Embedding, point: ArrayLike) -> tuple[Rows, Points]:
    """The ancestors of a point, from general to specific, and its margins."""
    with_point = np.vstack([embedding.points, checked_point(embedding, point)])
    scorer = replace(embedding.scorer, points=with_point)
    signed = scorer.signed_energies_above(len(embedding))[:-1]
    rows = np.flatnonzero(scorer.clamp(signed) <= embedding.threshold).astype(np.int32)
    rows = embedding._sort_by_generality(rows)
    return rows, embedding.threshold - signed[rows]


def nearest_to_point(embedding: Embedding, point: ArrayLike, count: int = 10) -> list[tuple[int, float]]:
    """The rows nearest to a point with their distances, nearest first."""
    with_point = np.vstack([embedding.points, checked_point(embedding, point)])
    distances = replace(embedding.scorer, points=with_point).distances(len(embedding))[:-1]
    chosen = np.lexsort((np.arange(len(embedding)), distances))[: max(count, 0)]
    return [(int(row), float(distances[row])) for row in chosen]


def checked_point(embedding: Embedding, point: ArrayLike) -> NDArray[np.float64]:
    """The point as an array; InputError unless it has the right dimension and lies in the domain of the method."""
    numbers = _numbers(point, "the point")
    if numbers.shape != (embedding.dim,):
        raise InputError(f"a point here is {embedding.dim} numbers, but an array of shape {numbers.shape} was given")
    inner, outer = embedding.scorer.method.shell(embedding.settings)
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
