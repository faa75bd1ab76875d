"""The skeleton of an overlapping construction: a spanning forest in preorder, without its plain leaves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import CSR, Adjacency
from hypercone.construction.overlap_kernels import (
    ancestors_gained,
    count_descendants,
    depths_in_forest,
    descendants_by_place,
    preorder,
)
from hypercone.hierarchy import Hierarchy

Places = NDArray[np.int64]

# Families are compared pair by pair, so a wider one is divided into groups of this size.
WIDEST_FAMILY, GROUP = 1024, 256


class Skeleton(NamedTuple):
    """Place 0 contains everything; each other place is a node, a ball for a node's plain leaves, or a group.

    The subtree of place i is at the places from i + 1 up to ``ends[i]``. A plain leaf, one with a single parent, has no
    place of its own: it adds to the weight of the place that holds it.
    """

    rows: Places  # the node at each place, or -1
    parents: Places  # the place above, -1 for place 0
    ends: Places
    kids: CSR
    weights: Places  # the number of nodes that each place represents
    totals: Places  # the weights before each place, summed; one more entry than places
    below: CSR  # the descendants of each place in the hierarchy
    below_totals: Places  # the weights before each entry of ``below.rows``, summed
    edges: Places  # (parent, child) places of the direct edges outside the forest
    gained: Places  # the number of ancestors that each of them adds to those of the forest

    @property
    def sizes(self) -> Places:
        """The number of places of each subtree."""
        return self.ends - np.arange(len(self.ends))

    @property
    def subtree_weights(self) -> Places:
        """The number of nodes of each subtree, plain leaves included."""
        return self.totals[self.ends] - self.totals[:-1]

    @property
    def has_kids(self) -> NDArray[np.bool_]:
        """Whether each place has a place below it."""
        return np.diff(self.kids.offsets) > 0

    @property
    def depth(self) -> int:
        """The number of nodes above the deepest place."""
        return int(depths_in_forest(self.parents, self.rows >= 0).max())


class Leaves(NamedTuple):
    """The plain leaves and the place that holds each, sorted by place."""

    rows: Places
    holders: Places


class _Items(NamedTuple):
    """The future places, in any order but place 0 first; ``sources`` is the node whose ancestors an item has."""

    rows: Places
    sources: Places
    parents: Places
    keys: NDArray[np.float64]  # larger than that of the parent


def build_skeleton(hierarchy: Hierarchy, forest_parents: NDArray[np.int32]) -> tuple[Skeleton, Leaves]:
    """The skeleton of a spanning forest, given by the parent of each row or -1, and its plain leaves.

    >>> diamond = Hierarchy.from_pairs([("top", "left"), ("top", "right"), ("left", "both"), ("right", "both")])
    >>> skeleton, leaves = build_skeleton(diamond, np.array([-1, 0, 0, 1], np.int32))
    >>> skeleton.rows.tolist(), skeleton.edges.tolist(), skeleton.gained.tolist(), len(leaves.rows)
    ([-1, 0, 1, 3, 2], [[4, 3]], [1], 0)
    """
    items, leaf_rows, leaf_items = _items(hierarchy, forest_parents)
    items = _split_wide_families(items)
    places, sizes = preorder(np.argsort(items.keys, kind="stable"), items.parents)
    at = np.argsort(places)
    holders = places[leaf_items]
    by_holder = np.argsort(holders, kind="stable")
    leaves = Leaves(leaf_rows[by_holder], holders[by_holder])
    parents = np.concatenate([[-1], places[items.parents[at[1:]]]])
    return _assemble_skeleton(hierarchy, forest_parents, items, at, parents, sizes[at], leaves), leaves


def _items(hierarchy: Hierarchy, forest_parents: NDArray[np.int32]) -> tuple[_Items, Places, Places]:
    """The items without groups, the plain leaves, and the item that holds each leaf."""
    size = len(hierarchy)
    basic = hierarchy.reduction()
    has_place = np.bincount(basic[:, 0], minlength=size) > 0
    has_place |= np.bincount(basic[:, 1], minlength=size) > 1
    nodes, leaves = np.flatnonzero(has_place), np.flatnonzero(~has_place)
    # Item 0 is the parent of roots: the index -1 selects the last entry, which is 0.
    item_of = np.zeros(size + 1, np.int64)
    item_of[nodes] = np.arange(1, len(nodes) + 1)
    parents = np.concatenate([[-1], item_of[forest_parents[nodes]]])
    held_by = item_of[forest_parents[leaves]]
    count = len(parents)
    has_kids = np.bincount(parents[1:], minlength=count) > 0
    # A node with both kinds of children gets a ball for its plain leaves, which reserves space for them.
    mixed = np.flatnonzero(has_kids & (np.bincount(held_by, minlength=count) > 0))
    holder = np.arange(count)
    holder[mixed] = np.arange(count, count + len(mixed))
    rows = np.concatenate([[-1], nodes])
    keys = np.concatenate([[0.0], hierarchy.depths[nodes] + 1.0])
    items = _Items(
        np.concatenate([rows, np.full(len(mixed), -1)]),
        np.concatenate([rows, rows[mixed]]),
        np.concatenate([parents, mixed]),
        np.concatenate([keys, keys[mixed] + 1.0]),
    )
    return items, leaves, holder[held_by]


def _split_wide_families(items: _Items) -> _Items:
    """The items, with groups inserted where a family is too wide."""
    while True:
        widths = np.bincount(items.parents[1:], minlength=len(items.parents))
        wide = np.flatnonzero(widths > WIDEST_FAMILY)
        if not len(wide):
            return items
        for parent in wide:
            items = _split_family(items, int(parent))


def _split_family(items: _Items, parent: int) -> _Items:
    family = np.flatnonzero(items.parents == parent)
    group = np.arange(len(family)) // GROUP
    count = int(group[-1]) + 1
    parents = items.parents.copy()
    parents[family] = len(parents) + group
    key = (items.keys[parent] + items.keys[family].min()) / 2
    no_row = np.full(count, -1)
    return _Items(
        np.concatenate([items.rows, no_row]),
        np.concatenate([items.sources, no_row]),
        np.concatenate([parents, np.full(count, parent)]),
        np.concatenate([items.keys, np.full(count, key)]),
    )


def _assemble_skeleton(
    hierarchy: Hierarchy,
    forest_parents: NDArray[np.int32],
    items: _Items,
    at: Places,
    parents: Places,
    sizes: Places,
    leaves: Leaves,
) -> Skeleton:
    """The skeleton, in places; ``at`` is the item at each."""
    rows, count = items.rows[at], len(at)
    place_of = np.full(len(hierarchy), -1)
    place_of[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
    weights = (rows >= 0) + np.bincount(leaves.holders, minlength=count)
    above = hierarchy.ancestor_lists().csr
    below = _truly_below(items.sources[at], rows < 0, place_of, above)
    basic = hierarchy.reduction()
    outside = basic[(forest_parents[basic[:, 1]] != basic[:, 0]) & (place_of[basic[:, 1]] >= 0)]
    edges = np.ascontiguousarray(place_of[outside])
    return Skeleton(
        rows=rows,
        parents=parents,
        ends=np.arange(count) + sizes,
        kids=Adjacency.of_pairs(parents[1:], np.arange(1, count), count).csr,
        weights=weights,
        totals=_offsets(weights),
        below=below,
        below_totals=_offsets(weights[below.rows]),
        edges=edges,
        gained=ancestors_gained(edges, parents, rows, place_of, above),
    )


def _truly_below(sources: Places, includes_source: NDArray[np.bool_], place_of: Places, ancestors: CSR) -> CSR:
    given = (sources, includes_source, place_of, ancestors)
    return Adjacency(*descendants_by_place(*given, count_descendants(*given))).csr


def _offsets(counts: Places) -> Places:
    return np.concatenate([[0], np.cumsum(counts)])


def pairs_in_forest(skeleton: Skeleton) -> int:
    """The number of true pairs that follow from the forest alone, plain leaves included.

    >>> diamond = Hierarchy.from_pairs([("top", "left"), ("top", "right"), ("left", "both"), ("right", "both")])
    >>> pairs_in_forest(build_skeleton(diamond, np.array([-1, 0, 0, 1], np.int32))[0])
    4
    """
    is_real = skeleton.rows >= 0
    depths = depths_in_forest(skeleton.parents, is_real)
    # Leaves held by a node are its descendants; those held by a leaf ball are not descendants of the ball.
    return int((skeleton.weights * depths + np.where(is_real, skeleton.weights - 1, 0)).sum())
