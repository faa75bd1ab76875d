"""What follows from the edges: order, depths, closure, reduction; and cycles: found, condensed or dropped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Adjacency, Offsets, Rows, freeze, pair_keys
from hypercone._system import available_bytes
from hypercone.errors import HierarchyError, ResourceError, plural, some, visible
from hypercone.hierarchy.cycle_kernels import closing_edges, components, shortest_cycle
from hypercone.hierarchy.graph_kernels import (
    ancestor_lists,
    basic_edges,
    count_ancestors,
    count_ancestors_by_bits,
    flipped,
    longest_depths,
    spanning_forest,
    topological_order,
)
from hypercone.hierarchy.names import SAME
from hypercone.progress import Step

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
    found: Rows = longest_depths(order, parents.csr)
    return freeze(found)


def reduced(order: Order, parents: Adjacency, children: Adjacency) -> Adjacency:
    """Of each row the parents that are not also ancestors of another of its parents.

    Needs no closure: memory is a few numbers per edge.
    """
    if int(parents.counts.max(initial=0)) < 2:
        return parents
    places, sizes = spanning_forest(order.rows, order.depths, parents.csr)
    by_place = np.empty_like(places)
    by_place[places] = np.arange(len(places), dtype=np.int32)
    ordered = _flipped(children.offsets[:-1], children.offsets[1:], children.rows, by_place)
    basic = basic_edges(ordered.csr, places, sizes, order.depths)
    kept = Adjacency.of_groups(ordered.groups()[basic], ordered.rows[basic], len(parents))
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
    with Step("closure", 3 * len(parents)) as step:
        done = step.tally()
        starts, stops, found, total = ancestor_lists(order.rows, parents.csr, capacity, limit, done)
        if total > limit:
            raise _too_large(total, limit)
        # Flipped twice the lists ascend.
        below = _flipped(starts, stops, found, done=done)
        return _flipped(below.offsets[:-1], below.offsets[1:], below.rows, done=done)


def count_pairs(order: Order, parents: Adjacency) -> int | None:
    """How many (ancestor, descendant) pairs there are, without storing them; None if that takes minutes."""
    total = int(count_ancestors(order.rows, parents.csr, WALKING_STEPS))
    if total >= 0:
        return total
    if len(parents) * len(parents.rows) // 128 > COUNTING_STEPS:
        return None
    return count_pairs_by_bits(order.rows, parents)


def count_pairs_by_bits(order: Rows, parents: Adjacency) -> int:
    """The same whatever it takes: minutes for a million rows with many parents each."""
    blocks = -(-len(parents) // 64)
    with Step("counting pairs", blocks * len(parents) - 32 * blocks * (blocks - 1)) as step:
        return int(count_ancestors_by_bits(order, parents.csr, step.tally()))


def pairs_of(parents: Adjacency) -> Rows:
    """(parent, child) rows of an adjacency of parents, sorted by (child, parent)."""
    return freeze(np.stack([parents.rows, parents.groups()], axis=1))


def flipped_lists(lists: Adjacency) -> Adjacency:
    """The same arrows from their other end: ancestors become descendants, parents children."""
    return _flipped(lists.offsets[:-1], lists.offsets[1:], lists.rows)


def _flipped(
    starts: Offsets, stops: Offsets, rows: Rows, visit: Rows | None = None, done: Offsets | None = None
) -> Adjacency:
    visit = np.arange(len(starts), dtype=np.int32) if visit is None else visit
    done = np.zeros(1, np.int64) if done is None else done
    # numba compiles anew for arrays that can be written to, so all are frozen before.
    return Adjacency(*flipped(freeze(starts), freeze(stops), freeze(rows), freeze(visit), done))


def _too_large(pairs: int, limit: int) -> ResourceError:
    gigabytes = limit * BYTES_PER_PAIR / 1e9
    return ResourceError(
        f"the closure has at least {pairs:,} pairs and {limit:,} fit in the {gigabytes:.1f} GB free for it; "
        "use ancestors_of and descendants_of, which store nothing, or a part of the hierarchy (subtree)"
    )


# Exact on anything but a dense tangle of millions of edges; there the shortest cycle found so far is shown.
SEARCH_STEPS = 1_000_000_000
SHOWN_IN_FULL = 8


class CycleError(HierarchyError):
    """The edges run in a circle; in ``cycle`` each row is the parent of the next, the last of the first."""

    def __init__(self, message: str, cycle: tuple[int, ...]) -> None:
        super().__init__(message)
        self.cycle = cycle


def order_from_the_top(names: Sequence[str], parents: Adjacency, children: Adjacency) -> Rows:
    """Rows such that each comes after its parents; CycleError if there is no such order."""
    if bool((parents.rows < parents.groups()).all()):
        # Already in order, as our own files are: then there is no cycle, and the compiler need not be loaded.
        return np.arange(len(parents), dtype=np.int32)

    order: Rows = topological_order(children.csr, parents.counts)
    if len(order) < len(parents):
        raise _cycle_error(names, parents, children)
    return order


def in_words(names: Sequence[str], cycle: Sequence[int]) -> str:
    """A cycle for a person, the middle left out if it is long.

    >>> in_words(["a", "b"], [0, 1])
    'a → b → a'
    """
    shown = [visible(names[row]) for row in cycle]
    if len(shown) <= SHOWN_IN_FULL:
        return " → ".join([*shown, shown[0]])
    return " → ".join([*shown[:3], "…", *shown[-2:], shown[0]]) + f" ({len(shown):,} edges)"


def _cycle_error(names: Sequence[str], parents: Adjacency, children: Adjacency) -> CycleError:
    found = shortest_cycle(parents.csr, children.csr, SEARCH_STEPS)
    cycle = tuple(int(row) for row in found)
    message = f"the edges run in a circle, parent → child: {in_words(names, cycle)}; remove one of these edges"
    return CycleError(message, cycle)


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
    component = components(children.csr)
    kept = np.flatnonzero(component == np.arange(len(names)))
    if len(kept) == len(names):
        return None
    members = _members(component)
    named = {first: SAME.join(names[row] for row in rows) for first, rows in members.items()}
    spoken = {named[first]: _label(names, labels, rows) for first, rows in members.items()}
    new_row = np.empty(len(names), np.int32)
    new_row[kept] = np.arange(len(kept), dtype=np.int32)
    moved = _distinct(new_row[component[edges]], len(kept))
    note = f"{plural(len(members), 'cycle')} condensed: {some(list(named.values()))}"
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
    return np.sort(places[closing_edges(children.csr, freeze(starts))])


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
    keys = pair_keys(edges[:, 0], edges[:, 1], size)
    distinct: Rows = edges[np.sort(np.unique(keys, return_index=True)[1])]
    return distinct
