"""Edges as checked arrays of rows, and grouped by either end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypercone._arrays import Adjacency, Rows, frozen
from hypercone.errors import HierarchyError, short
from hypercone.hierarchy.names import NameIndex


def rows_of_pairs(pairs: Iterable[tuple[str, str]]) -> tuple[NameIndex, Rows]:
    """The names in the order of first appearance, and the pairs as rows.

    >>> rows_of_pairs([("a", "b"), ("a", "c")])[1].tolist()
    [[0, 1], [0, 2]]
    """
    return numbered(map(_two, pairs))


def numbered(pairs: Iterable[tuple[str, str]]) -> tuple[NameIndex, Rows]:
    """The same for pairs that are known to be pairs."""
    index = NameIndex()
    rows = np.fromiter(map(index.__getitem__, chain.from_iterable(pairs)), np.int32)
    return index, rows.reshape(-1, 2)


def checked_edges(edges: ArrayLike, names: Sequence[str]) -> tuple[Rows, int]:
    """The edges as int32[m, 2] without repeats, in their order, and how many repeats were dropped."""
    given = _as_rows(edges, len(names))
    loop = first_self_loop(given)
    if loop is not None:
        raise HierarchyError(self_loop(names[given[loop, 0]]))
    unique = _unique(given, len(names)).astype(np.int32, order="C")
    return frozen(unique), len(given) - len(unique)


def first_self_loop(edges: NDArray[np.integer]) -> int | None:
    """Where the first edge from a node to itself stands, if there is one."""
    loops = np.flatnonzero(edges[:, 0] == edges[:, 1])
    return int(loops[0]) if len(loops) else None


def self_loop(name: str) -> str:
    """The sentence for an edge from a node to itself."""
    return f"{short(name)!r} is given as its own parent; remove this edge"


def grouped_by_child(edges: Rows, size: int) -> Adjacency:
    """Of each row its parents, ascending."""
    keys = np.sort(edges[:, 1].astype(np.int64) * size + edges[:, 0])
    children, parents = np.divmod(keys, max(size, 1))
    return Adjacency.of_groups(children, parents, size)


def grouped_by_parent(parents: Adjacency) -> Adjacency:
    """Of each row its children, ascending."""
    order = np.argsort(parents.rows, kind="stable")
    return Adjacency.of_groups(parents.rows, parents.groups()[order], len(parents))


def _two(pair: tuple[str, str]) -> tuple[str, str]:
    if isinstance(pair, str) or len(pair) != 2:
        raise HierarchyError(f"{pair!r} is no edge; each must be two names, (parent, child)")
    return pair


def _unique(edges: NDArray[np.integer], size: int) -> NDArray[np.integer]:
    keys = edges[:, 0].astype(np.int64) * size + edges[:, 1]
    in_order = np.sort(keys)
    # Files without repeats are the rule, and finding first appearances costs three times the plain sort.
    if not (in_order[1:] == in_order[:-1]).any():
        return edges
    return edges[np.sort(np.unique(keys, return_index=True)[1])]


def _as_rows(edges: ArrayLike, size: int) -> NDArray[np.integer]:
    given = np.asarray(edges)
    if given.size == 0:
        return np.empty((0, 2), np.int32)
    if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu":
        raise HierarchyError(
            f"edges must be whole numbers in two columns, parent and child, not {given.dtype} {given.shape}"
        )
    if given.min() < 0 or given.max() >= size:
        strange = given.min() if given.min() < 0 else given.max()
        raise HierarchyError(f"an edge names row {strange}, but there are rows 0 … {size - 1}; give every row a name")
    return given
