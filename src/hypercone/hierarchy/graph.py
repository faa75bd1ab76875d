"""Topological order, depths, transitive closure and reduction; finding, condensing and breaking cycles."""

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
    flip_lists,
    longest_depths,
    spanning_forest,
    topological_order,
)
from hypercone.hierarchy.names import JOINER
from hypercone.progress import Step

# Peak memory per pair: it is held twice while the lists are sorted, or once in the lists and once in the pairs.
BYTES_PER_PAIR = 16
# From this size on, counting first costs little compared to storing, and can avoid storing too much.
MANY_PAIRS = 10_000_000
# About a second of graph search, then about 15 seconds of counting by bits.
WALKING_STEPS = 200_000_000
COUNTING_STEPS = 20_000_000_000


class Order(NamedTuple):
    """Rows in topological order (each after its parents), and the depth of each row."""

    rows: Rows
    depths: Rows


def depths(order: Rows, parents: Adjacency) -> Rows:
    """The number of edges on the longest path from a root to each row."""
    found: Rows = longest_depths(order, parents.csr)
    return freeze(found)


def reduced_parents(order: Order, parents: Adjacency, children: Adjacency) -> Adjacency:
    """For each row, the parents that are not also ancestors of another of its parents.

    Does not need the closure: memory is a few numbers per edge.
    """
    if int(parents.counts.max(initial=0)) < 2:
        return parents
    places, sizes = spanning_forest(order.rows, order.depths, parents.csr)
    by_place = np.empty_like(places)
    by_place[places] = np.arange(len(places), dtype=np.int32)
    ordered = _flip(children.offsets[:-1], children.offsets[1:], children.rows, by_place)
    basic = basic_edges(ordered.csr, places, sizes, order.depths)
    remaining = Adjacency.of_groups(ordered.groups()[basic], ordered.rows[basic], len(parents))
    return flipped_lists(flipped_lists(remaining))


def ancestors(order: Order, parents: Adjacency) -> Adjacency:
    """For each row all its ancestors; ResourceError if they do not fit into memory."""
    limit = available_bytes() // 2 // BYTES_PER_PAIR
    # Every row has at least as many ancestors as its depth: a lower bound that is free.
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
        # Flipping twice sorts the lists.
        below = _flip(starts, stops, found, done=done)
        return _flip(below.offsets[:-1], below.offsets[1:], below.rows, done=done)


def ancestor_counts(order: Order, parents: Adjacency) -> NDArray[np.int64] | None:
    """The number of ancestors of each row, without storing them; None if that would take more than a second."""
    counts: NDArray[np.int64] = count_ancestors(order.rows, parents.csr, WALKING_STEPS)
    return counts if len(counts) == len(parents) else None


def count_pairs(order: Order, parents: Adjacency) -> int | None:
    """The number of (ancestor, descendant) pairs, without storing them; None if that would take minutes."""
    counts = ancestor_counts(order, parents)
    if counts is not None:
        return int(counts.sum())
    if len(parents) * len(parents.rows) // 128 > COUNTING_STEPS:
        return None
    return count_pairs_by_bits(order.rows, parents)


def count_pairs_by_bits(order: Rows, parents: Adjacency) -> int:
    """The same without a time limit: minutes for a million rows with many parents each."""
    blocks = -(-len(parents) // 64)
    with Step("counting pairs", blocks * len(parents) - 32 * blocks * (blocks - 1)) as step:
        return int(count_ancestors_by_bits(order, parents.csr, step.tally()))


def pairs_of(parents: Adjacency) -> Rows:
    """The (parent, child) rows of parent lists, sorted by (child, parent)."""
    return freeze(np.stack([parents.rows, parents.groups()], axis=1))


def flipped_lists(lists: Adjacency) -> Adjacency:
    """The lists of the reversed edges: from ancestors to descendants, from parents to children."""
    return _flip(lists.offsets[:-1], lists.offsets[1:], lists.rows)


def _flip(
    starts: Offsets, stops: Offsets, rows: Rows, visit: Rows | None = None, done: Offsets | None = None
) -> Adjacency:
    visit = np.arange(len(starts), dtype=np.int32) if visit is None else visit
    done = np.zeros(1, np.int64) if done is None else done
    # numba compiles a second version for writable arrays, so all are frozen first.
    return Adjacency(*flip_lists(freeze(starts), freeze(stops), freeze(rows), freeze(visit), done))


def _too_large(pairs: int, limit: int) -> ResourceError:
    gigabytes = limit * BYTES_PER_PAIR / 1e9
    return ResourceError(
        f"the closure has at least {pairs:,} pairs and {limit:,} fit in the {gigabytes:.1f} GB free for it; "
        "use ancestors_of and descendants_of, which store nothing, or a part of the hierarchy (subtree)"
    )


# Enough for an exact answer except on dense graphs of millions of edges; there the shortest cycle so far is shown.
SEARCH_STEPS = 1_000_000_000
SHOWN_IN_FULL = 8


class CycleError(HierarchyError):
    """The edges form a cycle: each row of ``cycle`` is the parent of the next, the last is the parent of the first."""

    def __init__(self, message: str, cycle: tuple[int, ...]) -> None:
        super().__init__(message)
        self.cycle = cycle


def top_down_order(names: Sequence[str], parents: Adjacency, children: Adjacency) -> Rows:
    """Rows in topological order, each after its parents; CycleError if there is no such order."""
    if bool((parents.rows < parents.groups()).all()):
        # Already in order, as in the bundled datasets: there is no cycle, and the compiler need not be loaded.
        return np.arange(len(parents), dtype=np.int32)

    order: Rows = topological_order(children.csr, parents.counts)
    if len(order) < len(parents):
        raise _cycle_error(names, parents, children)
    return order


def has_cycle(edges: Rows, size: int) -> bool:
    """Whether the (parent, child) rows form a cycle or a self-loop.

    >>> has_cycle(np.array([[0, 1], [2, 1]], np.int32), 3), has_cycle(np.array([[0, 1], [1, 0]], np.int32), 2)
    (False, True)
    """
    if bool((edges[:, 0] < edges[:, 1]).all()):
        return False
    children, _ = _children_and_positions(edges, size)
    return len(topological_order(children.csr, np.bincount(edges[:, 1], minlength=size))) < size


def format_cycle(names: Sequence[str], cycle: Sequence[int]) -> str:
    """A cycle as text; the middle of a long one is left out.

    >>> format_cycle(["a", "b"], [0, 1])
    'a → b → a'
    """
    shown = [visible(names[row]) for row in cycle]
    if len(shown) <= SHOWN_IN_FULL:
        return " → ".join([*shown, shown[0]])
    return " → ".join([*shown[:3], "…", *shown[-2:], shown[0]]) + f" ({len(shown):,} edges)"


def _cycle_error(names: Sequence[str], parents: Adjacency, children: Adjacency) -> CycleError:
    found = shortest_cycle(parents.csr, children.csr, SEARCH_STEPS)
    cycle = tuple(int(row) for row in found)
    message = f"the edges form a cycle, parent → child: {format_cycle(names, cycle)}; remove one of these edges"
    return CycleError(message, cycle)


class CondensedGraph(NamedTuple):
    """Names, edges and labels after each cycle has become one node, a note, and the names that each was made of."""

    names: list[str]
    edges: Rows
    labels: dict[str, str]
    notes: tuple[str, ...]
    merged: dict[str, list[str]]


def condense_cycles(names: Sequence[str], edges: Rows, labels: Mapping[str, str]) -> CondensedGraph | None:
    """The graph with the nodes of each cycle merged into one, named by all of them; None if there is no cycle.

    >>> found = condense_cycles(["top", "a", "b"], np.array([[0, 1], [1, 2], [2, 1]], np.int32), {"a": "Alpha"})
    >>> found.names, found.edges.tolist(), found.labels, found.notes
    (['top', 'a = b'], [[0, 1]], {'a = b': 'Alpha = b', 'a': 'Alpha'}, ('1 cycle condensed: a = b',))
    """
    children, _ = _children_and_positions(edges, len(names))
    component = components(children.csr)
    first_rows = np.flatnonzero(component == np.arange(len(names)))
    if len(first_rows) == len(names):
        return None
    members = _cycle_members(component)
    merged_names = {first: JOINER.join(names[row] for row in rows) for first, rows in members.items()}
    merged_labels = {merged_names[first]: _label(names, labels, rows) for first, rows in members.items()}
    new_row = np.empty(len(names), np.int32)
    new_row[first_rows] = np.arange(len(first_rows), dtype=np.int32)
    new_edges = _distinct(new_row[component[edges]], len(first_rows))
    note = f"{plural(len(members), 'cycle')} condensed: {some(list(merged_names.values()))}"
    new_names = [merged_names.get(row) or names[row] for row in first_rows.tolist()]
    merged = {merged_names[first]: [names[row] for row in rows] for first, rows in members.items()}
    return CondensedGraph(new_names, new_edges, merged_labels | dict(labels), (note,), merged)


def edges_closing_cycles(edges: Rows, size: int) -> NDArray[np.int64]:
    """The indices of the edges to drop so that no cycle remains, ascending.

    They are the back edges of a depth-first search from the roots, children in the order of the file.

    >>> edges_closing_cycles(np.array([[0, 1], [1, 2], [2, 0], [2, 1]], np.int32), 3).tolist()
    [2, 3]
    """
    children, positions = _children_and_positions(edges, size)
    is_root = np.bincount(edges[:, 1], minlength=size) == 0
    starts = np.concatenate([np.flatnonzero(is_root), np.flatnonzero(~is_root)]).astype(np.int32)
    return np.sort(positions[closing_edges(children.csr, freeze(starts))])


def _children_and_positions(edges: Rows, size: int) -> tuple[Adjacency, NDArray[np.int64]]:
    positions = np.argsort(edges[:, 0], kind="stable")
    return Adjacency.of_groups(edges[:, 0], edges[positions, 1], size), positions


def _cycle_members(component: Rows) -> dict[int, list[int]]:
    """The rows of each component that has more than one."""
    sizes = np.bincount(component)
    members: defaultdict[int, list[int]] = defaultdict(list)
    for row in np.flatnonzero(sizes[component] > 1).tolist():
        members[int(component[row])].append(row)
    return members


def _label(names: Sequence[str], labels: Mapping[str, str], rows: list[int]) -> str:
    if not any(labels.get(names[row]) for row in rows):
        return ""
    return JOINER.join(labels.get(names[row]) or names[row] for row in rows)


def _distinct(edges: Rows, size: int) -> Rows:
    """The edges without self-loops and duplicates, in their order."""
    edges = edges[edges[:, 0] != edges[:, 1]]
    keys = pair_keys(edges[:, 0], edges[:, 1], size)
    distinct: Rows = edges[np.sort(np.unique(keys, return_index=True)[1])]
    return distinct
