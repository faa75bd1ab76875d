"""What the engine moves: classes of equal nodes, as the places of a spanning forest in preorder."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import CSR, Adjacency, Rows, freeze
from hypercone.construction.ball_kernels import (
    ancestors_gained,
    nearest_with_extra_parents,
    preorder,
    sums_from_the_top,
)
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph import Order, flipped_lists
from hypercone.hierarchy.graph_kernels import deepest_parents

Places = NDArray[np.int64]

# Families are compared pair by pair, so a wider one is divided into groups of this size.
WIDEST_FAMILY, GROUP = 1024, 256


class Classes(NamedTuple):
    """The nodes of a hierarchy, those with equal parents and equal children taken together; direct edges alone.

    What holds for one node of a class holds for all: the leaves of one parent, or both sides of a diamond.
    """

    class_of: Rows  # for each row of the hierarchy
    rows: Rows  # the first row of each class, ascending
    weights: Places  # the number of rows in each class
    parents: Adjacency
    children: Adjacency
    depths: Rows

    @property
    def order(self) -> Order:
        """The classes, parents first."""
        return Order(freeze(np.argsort(self.depths, kind="stable").astype(np.int32)), self.depths)


def contract(hierarchy: Hierarchy) -> Classes:
    """The classes of a hierarchy's nodes.

    >>> pairs = [("top", "left"), ("top", "right"), ("left", "end"), ("right", "end"), ("end", "a"), ("end", "b")]
    >>> classes = contract(Hierarchy.from_pairs(pairs))
    >>> classes.class_of.tolist(), classes.weights.tolist()
    ([0, 1, 1, 2, 3, 3], [1, 2, 1, 2])
    """
    parents = hierarchy.lineage.parent_lists
    children = flipped_lists(parents)
    # Two sums of random numbers, one per parent and one per child, instead of the lists themselves.
    keys = np.stack([_sums(parents, 1), _sums(children, 2)], axis=1)
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    # In the order of the rows.
    order = np.argsort(first, kind="stable")
    number = np.empty(len(first), np.int32)
    number[order] = np.arange(len(first), dtype=np.int32)
    class_of, rows = number[inverse.reshape(-1)], first[order].astype(np.int32)
    if len(rows) == len(hierarchy):
        weights = np.ones(len(rows), np.int64)
        return Classes(class_of, rows, weights, parents, children, hierarchy.depths)
    groups = parents.groups()
    is_first = rows[class_of] == np.arange(len(class_of))
    between = is_first[groups] & is_first[parents.rows]
    merged = Adjacency.of_groups(class_of[groups[between]], class_of[parents.rows[between]], len(rows))
    weights = np.bincount(class_of, minlength=len(rows))
    return Classes(class_of, rows, weights, merged, flipped_lists(merged), freeze(hierarchy.depths[rows]))


def _sums(lists: Adjacency, seed: int) -> NDArray[np.uint64]:
    """For each list, the sum of a random number per row in it."""
    random = np.random.default_rng(seed).integers(2**64, size=len(lists), dtype=np.uint64)
    # Sums of unsigned integers wrap around, so their differences are exact.
    total = np.zeros(len(lists.rows) + 1, np.uint64)
    np.cumsum(random[lists.rows], out=total[1:])
    return total[lists.offsets[1:]] - total[lists.offsets[:-1]]


class Skeleton(NamedTuple):
    """Place 0 contains everything; each other place is a class of nodes, or a group of siblings.

    The subtree of place i is at the places from i + 1 up to ``ends[i]``.
    """

    rows: Places  # the class at each place, or -1
    parents: Places  # the place above, -1 for place 0
    ends: Places
    kids: CSR
    totals: Places  # the number of nodes before each place; one more entry than places
    can_hold: NDArray[np.bool_]  # whether a node with children is at the place
    edges: Places  # (parent, child) places of the edges outside the forest
    extra: CSR  # the parents of each place outside the forest
    nearest: Places  # the place itself or the nearest above with a parent outside the forest; 0 if none has
    gained: Places  # the number of ancestors that each edge adds to those of the forest

    @property
    def sizes(self) -> Places:
        """The number of places of each subtree."""
        return self.ends - np.arange(len(self.ends))

    @property
    def subtree_weights(self) -> Places:
        """The number of nodes of each subtree."""
        return self.totals[self.ends] - self.totals[:-1]

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether a node without children is at the place."""
        return (self.rows >= 0) & ~self.can_hold

    @property
    def depth(self) -> int:
        """The number of places above the deepest one."""
        return int(sums_from_the_top(self.parents, np.ones(len(self.parents))).max())


class _Items(NamedTuple):
    """The future places, in any order but place 0 first."""

    rows: Places
    parents: Places
    keys: NDArray[np.float64]  # larger than that of the parent


def forest_of(classes: Classes) -> Rows:
    """The parent of each class in the forest, -1 for a root: the deepest parent."""
    forest: Rows = deepest_parents(classes.depths, classes.parents.csr)
    return forest


def build_skeleton(classes: Classes, forest_parents: Rows) -> Skeleton:
    """The skeleton of a spanning forest, given by the parent of each class or -1.

    >>> diamond = Hierarchy.from_pairs([("top", "left"), ("top", "right"), ("left", "both"), ("right", "both")])
    >>> classes = contract(Hierarchy.from_pairs([*diamond.closure().astype(str).tolist(), ("2", "4")]))
    >>> skeleton = build_skeleton(classes, forest_of(classes))
    >>> skeleton.rows.tolist(), skeleton.edges.tolist(), skeleton.gained.tolist()
    ([-1, 0, 1, 3, 2, 4], [[4, 3]], [1])
    """
    size = len(classes.rows)
    # Item 0 is the parent of roots, whose parent is -1.
    items = _Items(
        np.concatenate([[-1], np.arange(size)]),
        np.concatenate([[-1], forest_parents.astype(np.int64) + 1]),
        np.concatenate([[0.0], classes.depths + 1.0]),
    )
    items = _split_wide_families(items)
    places, sizes = preorder(np.argsort(items.keys, kind="stable"), items.parents)
    at = np.argsort(places)
    rows, count = items.rows[at], len(at)
    parents = np.concatenate([[-1], places[items.parents[at[1:]]]])
    ends = np.arange(count) + sizes[at]
    place_of = np.empty(size, np.int64)
    place_of[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
    children = classes.parents.groups()
    outside = forest_parents[children] != classes.parents.rows
    edges = np.stack([place_of[classes.parents.rows[outside]], place_of[children[outside]]], axis=1)
    extra = Adjacency.of_pairs(edges[:, 1], edges[:, 0], count).csr
    is_node = rows >= 0
    weights = np.where(is_node, classes.weights[rows], 0)
    return Skeleton(
        rows=rows,
        parents=parents,
        ends=ends,
        kids=Adjacency.of_pairs(parents[1:], np.arange(1, count), count).csr,
        totals=np.concatenate([[0], np.cumsum(weights)]),
        can_hold=is_node & (classes.children.counts[rows] > 0),
        edges=edges,
        extra=extra,
        nearest=nearest_with_extra_parents(parents, extra),
        gained=ancestors_gained(edges, parents, ends, is_node),
    )


def _split_wide_families(items: _Items) -> _Items:
    """The items, with groups inserted where a family is too wide."""
    while True:
        widths = np.bincount(items.parents[1:], minlength=len(items.parents))
        members = np.flatnonzero(np.concatenate([[0], widths[items.parents[1:]]]) > WIDEST_FAMILY)
        if not len(members):
            return items
        # The members of each wide family in turn, numbered within it.
        members = members[np.argsort(items.parents[members], kind="stable")]
        above = items.parents[members]
        starts = np.concatenate([[0], np.flatnonzero(np.diff(above)) + 1])
        within = np.arange(len(members)) - np.repeat(starts, np.diff([*starts, len(members)]))
        is_new = within % GROUP == 0
        group = np.cumsum(is_new) - 1
        parents = items.parents.copy()
        parents[members] = len(parents) + group
        heads = members[is_new]
        # Between the key of the parent and those of its children, which are at least 1 larger or lie between already.
        lowest = np.full(int(group[-1]) + 1, np.inf)
        np.minimum.at(lowest, group, items.keys[members])
        keys = (items.keys[above[is_new]] + lowest) / 2
        items = _Items(
            np.concatenate([items.rows, np.full(len(heads), -1)]),
            np.concatenate([parents, above[is_new]]),
            np.concatenate([items.keys, keys]),
        )
