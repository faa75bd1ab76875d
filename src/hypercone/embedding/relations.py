"""Immediate relations of nodes by geometry: parents, children, siblings, lowest common ancestors; and how far inside.

With a positive threshold, or by distances, two nodes can each be a kind of the other. So that nobody is then hidden by
everybody, a parent is looked for among the ancestors that are more general than the node (the smaller norm, or sum
for order embeddings; of two that are equal the earlier row), and another of these stands between only if it is more
specific than that parent. A node none of whose ancestors is more general has its parents among all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypercone._arrays import read_only
from hypercone._jit import dimension_type
from hypercone.embedding.between_kernels import lowest, topmost
from hypercone.errors import InputError
from hypercone.hierarchy import Hierarchy
from hypercone.methods import Points
from hypercone.methods.generic_kernels import energies_of_pairs
from hypercone.methods.scoring import Rows

if TYPE_CHECKING:
    from hypercone.embedding.embedding import Embedding


def ancestors_of(embedding: Embedding, row: int) -> Rows:
    """The rows that a row is a kind of, from general to specific."""
    return embedding._ancestor_rows(row)


def descendants_of(embedding: Embedding, row: int) -> Rows:
    """The rows that are a kind of a row, from general to specific."""
    return embedding._descendant_rows(row)


def parents_of(embedding: Embedding, row: int) -> Rows:
    """The ancestors with no other between; never empty where there are ancestors.

    >>> from hypercone import Embedding
    >>> from hypercone.methods import Settings
    >>> points = np.array([[0.3, 0.0], [0.5, 0.0], [0.9, 0.0]])
    >>> pets = Embedding(["animal", "dog", "poodle"], points, "hyperbolic-cones", Settings(), threshold=0.0)
    >>> parents_of(pets, 2).tolist(), children_of(pets, 0).tolist()
    ([1], [1])
    """
    return _lowest(embedding, _some_or_all(ancestors_of(embedding, row), embedding, row, more_general=True))


def children_of(embedding: Embedding, row: int) -> Rows:
    """The descendants with no other between; never empty where there are descendants."""
    return _topmost(embedding, _some_or_all(descendants_of(embedding, row), embedding, row, more_general=False))


def siblings_of(embedding: Embedding, row: int) -> dict[int, list[int]]:
    """The other children of the parents, from general to specific, each with the parents that it shares."""
    shared: dict[int, list[int]] = {}
    for parent in parents_of(embedding, row).tolist():
        for child in children_of(embedding, parent).tolist():
            shared.setdefault(child, []).append(parent)
    shared.pop(row, None)
    return {sibling: shared[sibling] for sibling in embedding._by_generality(np.array(list(shared), np.int32)).tolist()}


def lowest_common(embedding: Embedding, rows: Sequence[int]) -> Rows:
    """The most specific nodes that all of the rows are, or are a kind of; empty if there are none."""
    if not len(rows):
        raise InputError("common ancestors need at least one node, but none was given")
    above = [np.append(ancestors_of(embedding, row), np.int32(row)) for row in rows]
    strict = [
        some[(some == row) | is_more_general(embedding, some, row)] for some, row in zip(above, rows, strict=True)
    ]
    common = reduce(np.intersect1d, strict)
    if not common.size:
        common = reduce(np.intersect1d, above)
    return _lowest(embedding, embedding._by_generality(common))


def lowest_common_in_graph(hierarchy: Hierarchy, rows: Sequence[int]) -> Rows:
    """The same by the edges, ascending.

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
    >>> lowest_common_in_graph(pets, pets.rows(["poodle", "cat"])).tolist()
    [0]
    """
    common = reduce(np.intersect1d, [np.append(hierarchy.ancestors_of(row), np.int32(row)) for row in rows])
    # Whatever is above a common ancestor is one too, so those that are not lowest are parents of others.
    above = [hierarchy.parents[row] for row in common.tolist()]
    return np.setdiff1d(common, np.concatenate(above)) if above else common


def margins(embedding: Embedding, parents: ArrayLike, children: ArrayLike) -> Points:
    """How far inside each child is: threshold − E before E is cut at 0, so ψ + threshold − Ξ in radians for cones.

    Not negative exactly where the child is a kind of the parent. One side may be a single row.
    """
    pairs = np.stack(np.broadcast_arrays(np.atleast_1d(parents), np.atleast_1d(children)), axis=1).astype(np.int32)
    constants = embedding._method.constants(embedding.settings)
    signed: Points = energies_of_pairs(embedding.points, read_only(pairs), constants, dimension_type(embedding.dim))
    return embedding.threshold - signed


def is_more_general(embedding: Embedding, rows: Rows, row: int) -> NDArray[np.bool_]:
    """Whether each of the rows comes before a row in the order from general to specific."""
    _, rank = embedding._from_the_top
    answer: NDArray[np.bool_] = rank[rows] < rank[row]
    return answer


def _some_or_all(rows: Rows, embedding: Embedding, row: int, more_general: bool) -> Rows:
    some = rows[is_more_general(embedding, rows, row) == more_general]
    return some if some.size else rows


def _topmost(embedding: Embedding, rows: Rows) -> Rows:

    constants = embedding._method.constants(embedding.settings)
    rows = np.ascontiguousarray(rows, np.int32)
    found: Rows = rows[topmost(embedding.points, rows, embedding.threshold, constants, dimension_type(embedding.dim))]
    return found


def _lowest(embedding: Embedding, rows: Rows) -> Rows:

    constants = embedding._method.constants(embedding.settings)
    rows = np.ascontiguousarray(rows, np.int32)
    found: Rows = rows[lowest(embedding.points, rows, embedding.threshold, constants, dimension_type(embedding.dim))]
    return found
