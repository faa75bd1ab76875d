"""Two ways to make a hierarchy of edges that run in circles: nodes become one, or edges are left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Adjacency, Rows, frozen
from hypercone.errors import counted, some
from hypercone.hierarchy.component_kernels import closing_edges, components
from hypercone.hierarchy.labels import SAME


class Condensed(NamedTuple):
    """Names, edges and labels of which each cycle is one node, and what to say about it."""

    names: list[str]
    edges: Rows
    labels: dict[str, str]
    notes: tuple[str, ...]


def condensed(names: Sequence[str], edges: Rows, labels: Mapping[str, str]) -> Condensed | None:
    """Nodes that are above each other become one, named by all of them; None if there are none.

    >>> found = condensed(["top", "a", "b"], np.array([[0, 1], [1, 2], [2, 1]], np.int32), {"a": "Alpha"})
    >>> found.names, found.edges.tolist(), found.labels, found.notes
    (['top', 'a = b'], [[0, 1]], {'a = b': 'Alpha = b', 'a': 'Alpha'}, ('1 cycle condensed: a = b',))
    """
    children, _ = _by_parent(edges, len(names))
    component = components(children.offsets, children.rows)
    kept = np.flatnonzero(component == np.arange(len(names)))
    if len(kept) == len(names):
        return None
    members = _members(component)
    named = {first: SAME.join(names[row] for row in rows) for first, rows in members.items()}
    spoken = {named[first]: _label(names, labels, rows) for first, rows in members.items()}
    new_row = np.empty(len(names), np.int32)
    new_row[kept] = np.arange(len(kept), dtype=np.int32)
    moved = _distinct(new_row[component[edges]], len(kept))
    note = f"{counted(len(members), 'cycle')} condensed: {some(list(named.values()))}"
    return Condensed([named.get(row) or names[row] for row in kept.tolist()], moved, spoken | dict(labels), (note,))


def closing(edges: Rows, size: int) -> NDArray[np.int64]:
    """The places of edges without which there is no cycle, in the order of the file.

    Each leads back up from where a walk from the roots down has got to, children in the order of the file.

    >>> closing(np.array([[0, 1], [1, 2], [2, 0], [2, 1]], np.int32), 3).tolist()
    [2, 3]
    """
    children, places = _by_parent(edges, size)
    is_root = np.bincount(edges[:, 1], minlength=size) == 0
    starts = np.concatenate([np.flatnonzero(is_root), np.flatnonzero(~is_root)]).astype(np.int32)
    return np.sort(places[closing_edges(children.offsets, children.rows, frozen(starts))])


def _by_parent(edges: Rows, size: int) -> tuple[Adjacency, NDArray[np.int64]]:
    places = np.argsort(edges[:, 0], kind="stable")
    return Adjacency.of_groups(edges[:, 0], edges[places, 1], size), places


def _members(component: Rows) -> dict[int, list[int]]:
    """The rows of each component of more than one."""
    sizes = np.bincount(component)
    members: defaultdict[int, list[int]] = defaultdict(list)
    for row in np.flatnonzero(sizes[component] > 1).tolist():
        members[int(component[row])].append(row)
    return members


def _label(names: Sequence[str], labels: Mapping[str, str], rows: list[int]) -> str:
    if not any(labels.get(names[row]) for row in rows):
        return ""
    return SAME.join(labels.get(names[row]) or names[row] for row in rows)


def _distinct(edges: Rows, size: int) -> Rows:
    """Without the edges inside a node and without repeats, in their order."""
    edges = edges[edges[:, 0] != edges[:, 1]]
    keys = edges[:, 0].astype(np.int64) * size + edges[:, 1]
    distinct: Rows = edges[np.sort(np.unique(keys, return_index=True)[1])]
    return distinct
