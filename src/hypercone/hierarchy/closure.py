"""Transitive closure and reduction of a hierarchy, compiled, with a refusal before memory runs out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hypercone._arrays import Adjacency, Offsets, Rows, frozen
from hypercone._system import available_bytes
from hypercone.errors import ResourceError
from hypercone.hierarchy.closure_kernels import (
    ancestor_lists,
    basic_edges,
    count_ancestors,
    count_ancestors_by_bits,
    spanning_forest,
)
from hypercone.hierarchy.graph_kernels import flipped, longest_depths

# At the peak each pair stands in two flat lists while they are sorted, or in one and in the pairs beside it.
BYTES_PER_PAIR = 16
# From here on counting first costs little beside storing, and can save the storing.
MANY_PAIRS = 10_000_000
# About a second of walking, then about a quarter of a minute of counting by bits.
WALKING_STEPS = 200_000_000
COUNTING_STEPS = 20_000_000_000


class Order(NamedTuple):
    """Rows from the top down: each after its parents, and its longest distance from a root."""

    rows: Rows
    depths: Rows


def depths(order: Rows, parents: Adjacency) -> Rows:
    """The number of edges on the longest path from a root to each row."""
    found: Rows = longest_depths(order, parents.offsets, parents.rows)
    return frozen(found)


def reduced(order: Order, parents: Adjacency, children: Adjacency) -> Adjacency:
    """Of each row the parents that are not also ancestors of another of its parents.

    Needs no closure: memory is a few numbers per edge.
    """
    if int(parents.counts.max(initial=0)) < 2:
        return parents
    places, sizes = spanning_forest(order.rows, order.depths, parents.offsets, parents.rows)
    by_place = np.empty_like(places)
    by_place[places] = np.arange(len(places), dtype=np.int32)
    offsets, rows = flipped(children.offsets[:-1], children.offsets[1:], children.rows, frozen(by_place))
    basic = basic_edges(offsets, rows, places, sizes, order.depths)
    groups = parents.groups()[basic]
    kept = Adjacency.of_groups(groups, rows[basic], len(parents))
    return flipped_lists(flipped_lists(kept))


def ancestors(order: Order, parents: Adjacency) -> Adjacency:
    """Of each row all its ancestors; ResourceError if they do not fit in memory."""
    limit = available_bytes() // 2 // BYTES_PER_PAIR
    # Every row has at least as many ancestors as its depth: a bound that costs nothing.
    expected = int(order.depths.sum(dtype=np.int64))
    if MANY_PAIRS < expected <= limit:
        expected = count_pairs(order, parents) or expected
    if expected > limit:
        raise _too_large(expected, limit)
    capacity = min(expected + expected // 8, limit) + len(parents)
    starts, stops, found, total = ancestor_lists(order.rows, parents.offsets, parents.rows, capacity, limit)
    if total > limit:
        raise _too_large(total, limit)
    return _ascending(starts, stops, found)


def count_pairs(order: Order, parents: Adjacency) -> int | None:
    """How many (ancestor, descendant) pairs there are, without storing them; None if that takes minutes."""
    total = int(count_ancestors(order.rows, parents.offsets, parents.rows, WALKING_STEPS))
    if total >= 0:
        return total
    if len(parents) * len(parents.rows) // 128 > COUNTING_STEPS:
        return None
    return int(count_ancestors_by_bits(order.rows, parents.offsets, parents.rows))


def pairs_of(parents: Adjacency) -> Rows:
    """(parent, child) rows of an adjacency of parents, sorted by (child, parent)."""
    return frozen(np.stack([parents.rows, parents.groups()], axis=1))


def flipped_lists(lists: Adjacency) -> Adjacency:
    """The same arrows from their other end: ancestors become descendants, parents children."""
    return _flipped(lists.offsets[:-1], lists.offsets[1:], lists.rows)


def _ascending(starts: Offsets, stops: Offsets, rows: Rows) -> Adjacency:
    return flipped_lists(_flipped(starts, stops, rows))


def _flipped(starts: Offsets, stops: Offsets, rows: Rows) -> Adjacency:

    # numba compiles anew for arrays that can be written to, so all are frozen before.
    visit = frozen(np.arange(len(starts), dtype=np.int32))
    return Adjacency(*flipped(frozen(starts), frozen(stops), frozen(rows), visit))


def _too_large(pairs: int, limit: int) -> ResourceError:
    gigabytes = limit * BYTES_PER_PAIR / 1e9
    return ResourceError(
        f"the closure has at least {pairs:,} pairs and {limit:,} fit in the {gigabytes:.1f} GB free for it; "
        "use ancestors_of and descendants_of, which store nothing, or a part of the hierarchy (subtree)"
    )
