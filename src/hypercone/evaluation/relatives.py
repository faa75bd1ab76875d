"""Relatives of nodes, drawn at random: siblings, parents' siblings, and the children of these."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone.evaluation.relatives_kernels import draw_relatives
from hypercone.hierarchy import Adjacency, Hierarchy
from hypercone.hierarchy.graph import flipped_lists
from hypercone.methods.scoring import Rows


class Families(NamedTuple):
    """Which places of a list of nodes belong together, one family after another, and where each family begins."""

    places: NDArray[np.int64]
    starts: NDArray[np.int64]


def drawn_relatives(hierarchy: Hierarchy, nodes: Rows, bits: NDArray[np.uint64]) -> Rows:
    """Of each node a sibling, a parent's sibling and a cousin, int32[3, n], by basic edges; -1 where there is none.

    A relative is never an ancestor of the node. One with children of its own is drawn where there is any.
    ``bits`` holds a random number for each.
    """
    parents = basic_parents(hierarchy)
    families = families_of(parents, nodes)
    children, inner_ends = inner_first(flipped_lists(parents))
    ancestors = hierarchy.ancestor_lists()
    lists = [(each.offsets, each.rows) for each in (parents, children, ancestors)]
    drawn = draw_relatives(
        nodes[families.places], families.starts, *lists[:2], inner_ends, lists[2], bits[:, families.places]
    )
    found: Rows = np.empty_like(drawn)
    found[:, families.places] = drawn
    return found


def basic_parents(hierarchy: Hierarchy) -> Adjacency:
    """The parents of each node by basic edges."""
    basic = hierarchy.reduction()
    return Adjacency.of_groups(basic[:, 1], basic[:, 0], len(hierarchy))


def families_of(parents: Adjacency, nodes: Rows) -> Families:
    """Nodes with the same parents, together.

    >>> parents = Adjacency.of_groups(np.array([2, 3, 3, 4]), np.array([0, 0, 1, 0]), 5)
    >>> [found.tolist() for found in families_of(parents, np.array([2, 3, 4, 2], np.int32))]
    [[0, 2, 3, 1], [0, 3, 4]]
    """
    counts = parents.counts
    family = np.full(len(parents), -1, np.int64)
    family[counts == 1] = parents.rows[parents.offsets[:-1][counts == 1]]
    known: dict[bytes, int] = {}
    for row in np.flatnonzero(counts > 1).tolist():
        family[row] = known.setdefault(parents[row].tobytes(), len(parents) + len(known))
    of_nodes = family[nodes]
    places = np.argsort(of_nodes, kind="stable")
    begins = np.flatnonzero(np.diff(of_nodes[places], prepend=-2))
    return Families(places, np.append(begins, len(nodes)))


def inner_first(children: Adjacency) -> tuple[Adjacency, NDArray[np.int64]]:
    """The same children, those with children of their own first, and where these end."""
    parents, is_leaf = children.groups(), children.counts[children.rows] == 0
    order = np.lexsort((children.rows, is_leaf, parents))
    inner = np.bincount(parents[~is_leaf], minlength=len(children))
    return Adjacency(children.offsets.copy(), children.rows[order]), children.offsets[:-1] + inner
