"""A lower bound on the dimension of exact cones: in fewer dimensions, no cones hold exactly the pairs of a hierarchy.

A cone in d dimensions is a cap of the unit sphere, with a direction x and a radius R: the cone of u contains v if the
angle between x_u and x_v is at most R_u - R_v. Radii differ by less than π/2, and only their differences matter, so let
all of them lie strictly between 0 and π/2. Two nodes are *related* if they are equal or one is above the other. Then

    f(u, v) = ⟨x_u, x_v⟩ - cos R_u cos R_v - sin R_u sin R_v = cos(angle) - cos(R_u - R_v)

is at least 0 for related nodes, whichever is the larger, and negative for all others, if the cones are exact.

**Shattered nodes.** Let each subset of k nodes, except none and all of them, consist of exactly those that some node w
is related to. Then d ≥ k - 1. For if k ≥ d + 2, the k vectors (x_i, sin R_i) are linearly dependent, with coefficients
c_i that have both signs, because sines are positive. For every w, dividing f by cos R_w gives

    Σ c_i f(i, w) / cos R_w = -Σ c_i cos R_i,

which does not depend on w and is at most 0, or else it is for -c. But for a w that is related to exactly the nodes with
c_i > 0, no term on the left is negative, and those with c_i < 0 are positive: a contradiction. No more can be concluded
from k shattered nodes alone: d + 1 equal caps around the corners of a regular simplex are shattered.

**Spectrum.** f has rank d + 2, also after adding a small multiple of cos R_u cos R_v, which makes it positive for all
related nodes. An m × n matrix of the signs of inner products of vectors in r dimensions has a spectral norm of at least
√(mn) / r (J. Forster, Journal of Computer and System Sciences 65, 2002), so d ≥ √(mn) / norm - 2 for every submatrix.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Adjacency, Rows
from hypercone.errors import InputError, plural, some, visible
from hypercone.hierarchy import Hierarchy
from hypercone.progress import track_progress

Numbers = NDArray[np.int64]

# With more pairs in the closure, a sample of so many nodes with several parents and of their ancestors is used.
MOST_PAIRS, SAMPLE = 1_000_000, 2_500
# The most entries of the table of counts in the search for shattered nodes.
MOST_COUNTS = 1 << 23
# The size of the largest sign matrix.
MOST_ROWS, MOST_COLUMNS = 512, 2_048
# Far more than the relative rounding error of an eigenvalue, and less than any difference that counts.
ROUNDING = 1e-9


@dataclass(frozen=True)
class DimensionBound:
    """The smallest dimension that is not ruled out for exact cones, and the nodes that rule out all smaller ones.

    ``reason`` is *shattered* (by ``nodes``), *spectrum* (of the sign matrix with ``nodes`` as rows and ``others`` as
    columns), or *chains*, without nodes: in one dimension, exact cones are at most two chains.
    """

    dimension: int
    reason: Literal["chains", "shattered", "spectrum"]
    nodes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        claim = f"no exact cones in fewer than {plural(self.dimension, 'dimension')}: "
        if self.reason == "chains":
            return claim + ("the nodes are more than two chains" if self.dimension > 1 else "the nodes are chains")
        if self.reason == "shattered":
            claim += f"for each nonempty proper subset of these {len(self.nodes)} nodes, some node is above, below or "
            return f"{claim}equal to just those: {', '.join(map(visible, self.nodes))}"
        sides = [f"{plural(len(names), 'node')} ({some(names)})" for names in (self.nodes, self.others)]
        return f"{claim}who is above or below whom, of {sides[0]} and {sides[1]}, is a matrix of too large a rank"


def dimension_bound(hierarchy: Hierarchy, seed: int = 0, *, tries: int = 200) -> DimensionBound:
    """A dimension below which no cones hold exactly the pairs of the hierarchy: proven, but not always the largest.

    It is for cones at energy 0, hyperbolic or Euclidean, learned or constructed. Two kinds of proof are searched for:
    shattered nodes (k of them need k - 1 dimensions), from ``tries`` random starts, and a sign matrix of large rank.
    Forests need at most 2 dimensions. If the closure has more than a million pairs, the search is in a sample of the
    nodes; a bound for some nodes is one for all. The same seed gives the same bound.

    >>> from itertools import combinations
    >>> baskets = [basket for size in (2, 3) for basket in combinations(["figs", "nuts", "peas", "rice"], size)]
    >>> pairs = [(food, "+".join(basket)) for basket in baskets for food in basket]
    >>> found = dimension_bound(Hierarchy.from_pairs(pairs))
    >>> found.dimension, found.nodes
    (3, ('figs', 'nuts', 'peas', 'rice'))
    """
    for name, value, least in (("seed", seed, 0), ("tries", tries, 1)):
        if value < least:
            raise InputError(f"{name} is {value}, but must be at least {least}")
    several = np.flatnonzero(hierarchy.lineage.parent_lists.counts > 1)
    if len(several) == 0:
        # The sphere of a line is two points, and the caps of each are a chain.
        is_chains = len(hierarchy.root_rows) <= 2 and hierarchy.lineage.child_lists.counts.max(initial=0) <= 1
        return DimensionBound(1 if is_chains else 2, "chains")
    found, random = DimensionBound(2, "chains"), np.random.default_rng(seed)
    order = _suborder(hierarchy, several, random)

    def names(places: Numbers) -> tuple[str, ...]:
        return tuple(hierarchy.names[row] for row in order.rows[np.sort(places)].tolist())

    shattered = max(_shattered_sets(order, several, random, tries), key=len)
    if len(shattered) - 1 > found.dimension:
        found = DimensionBound(len(shattered) - 1, "shattered", names(shattered))
    matrix = _matrix_of_rank(order, found.dimension + 3)
    if matrix is not None:
        rank, rows, columns = matrix
        found = DimensionBound(rank - 2, "spectrum", names(rows), names(columns))
    return found


class _Suborder(NamedTuple):
    """Some nodes with all pairs among them: the row of each, and the places of its ancestors and of all related."""

    rows: Rows
    ancestors: Adjacency
    related: Adjacency


def _suborder(hierarchy: Hierarchy, several: Numbers, random: np.random.Generator) -> _Suborder:
    """All nodes, or a sample of those with several parents, with the ancestors that most of them have."""
    pairs = hierarchy.count_closure()
    if pairs is not None and pairs <= MOST_PAIRS:
        rows, ancestors = np.arange(len(hierarchy), dtype=np.int32), hierarchy.ancestor_lists()
    else:
        drawn, times = random.permutation(several)[:SAMPLE], np.zeros(len(hierarchy), np.int64)
        for row in drawn.tolist():
            times[hierarchy.lineage.ancestors(row)] += 1
        rows = np.union1d(drawn, _largest(times, SAMPLE)).astype(np.int32)
        ancestors = _ancestors_among(hierarchy, rows)
    places, below, above = np.arange(len(rows)), ancestors.groups(), ancestors.rows
    ends = np.concatenate([below, above, places]), np.concatenate([above, below, places])
    return _Suborder(rows, ancestors, Adjacency.of_pairs(*ends, len(rows)))


def _ancestors_among(hierarchy: Hierarchy, rows: Rows) -> Adjacency:
    place = np.full(len(hierarchy), -1)
    place[rows] = np.arange(len(rows))
    lists = [places[places >= 0] for places in (place[hierarchy.lineage.ancestors(row)] for row in rows.tolist())]
    groups = np.repeat(np.arange(len(rows)), [len(places) for places in lists])
    return Adjacency.of_pairs(groups, np.concatenate(lists), len(rows))


def _largest(counts: Numbers, most: int) -> Numbers:
    """The places of the largest counts above 0, at most so many."""
    places = np.argsort(-counts, kind="stable")[:most]
    return places[counts[places] > 0]


def _shattered_sets(order: _Suborder, several: Numbers, random: np.random.Generator, tries: int) -> Iterator[Numbers]:
    """A shattered set of places from each start: a random node that is related to a random one with several parents."""
    related, several, largest = order.related, np.flatnonzero(np.isin(order.rows, several)), 1
    for attempt in track_progress(range(tries), "dimension bound", tries):
        # A node in a shattered set of k is in 2^(k - 1) subsets, of which one, the whole, is not needed.
        is_candidate = related.counts >= 2**largest - 1
        starts = related[int(several[random.integers(len(several))])]
        starts = starts[is_candidate[starts]]
        if len(starts):
            start = int(starts[random.integers(len(starts))])
            found = _grow(related, start, np.flatnonzero(is_candidate), 1 + attempt % 8, random)
            largest = max(largest, len(found))
            yield found


def _grow(related: Adjacency, start: int, candidates: Numbers, width: int, random: np.random.Generator) -> Numbers:
    """Add one of the candidates after the other to a shattered set, until no set with one more is shattered."""
    chosen, subset_of = [start], np.zeros(len(related), np.int64)
    subset_of[related[start]] = 1
    while True:
        # What does not extend a set extends none that contains it, so the candidates only become fewer.
        candidates = candidates[: MOST_COUNTS >> len(chosen)]
        inside, outside = _subset_counts(related, subset_of, candidates, 1 << len(chosen))
        least = np.minimum(inside[:-1].min(axis=0), outside[1:].min(axis=0))
        # A set that is to grow further also needs a node that is related to all of it.
        of_whole = np.minimum(least, inside[-1])
        ranked = _largest(of_whole, len(candidates))
        if len(ranked) == 0:
            return np.array(chosen + candidates[_largest(least, 1)].tolist())
        candidates = candidates[ranked]
        picked = int(candidates[random.integers(min(width, len(candidates)))])
        subset_of[related[picked]] += 1 << len(chosen)
        chosen.append(picked)


def _subset_counts(
    related: Adjacency, subset_of: Numbers, candidates: Numbers, subsets: int
) -> tuple[Numbers, Numbers]:
    """For each subset and candidate, how many nodes are related to just that subset and the candidate, or not to it."""
    column = np.full(len(related), -1)
    column[candidates] = np.arange(len(candidates))
    nodes, sizes = np.flatnonzero(subset_of), related.counts
    # The relation is symmetric, so the shorter lists are read.
    is_shorter = sizes[nodes].sum() <= sizes[candidates].sum()
    ends = _entries(related, nodes if is_shorter else candidates)[:: 1 if is_shorter else -1]
    columns = column[ends[1]]
    cells = (subset_of[ends[0]] * len(candidates) + columns)[columns >= 0]
    inside = np.bincount(cells, minlength=subsets * len(candidates)).reshape(subsets, -1)
    inside[0] = sizes[candidates] - inside[1:].sum(axis=0)
    return inside, np.bincount(subset_of, minlength=subsets)[:, None] - inside


def _entries(lists: Adjacency, rows: Numbers) -> tuple[NDArray[np.integer], ...]:
    """The entries of the lists of some rows, each with its row."""
    counts = lists.counts[rows]
    shifts = lists.offsets[rows] - (np.cumsum(counts) - counts)
    return np.repeat(rows, counts), lists.rows[np.repeat(shifts, counts) + np.arange(counts.sum())]


def _matrix_of_rank(order: _Suborder, least: int) -> tuple[int, Numbers, Numbers] | None:
    """A bound on a rank that is at least so large, with the rows and columns of its sign matrix; None if none is found.

    The bound is low if most signs are equal, so the most unbalanced rows and columns are removed step by step.
    """
    descendants = np.bincount(order.ancestors.rows, minlength=len(order.rows))
    rows, columns = _largest(descendants, MOST_ROWS), _largest(order.ancestors.counts, MOST_COLUMNS)
    related = [np.isin(rows, order.related[column]) for column in columns.tolist()]
    signs, found = np.where(np.stack(related, axis=1), 1.0, -1.0), None
    # Equal columns, as of leaves with the same parents, only raise the norm.
    different = np.sort(np.unique(signs, axis=1, return_index=True)[1])
    signs, columns = signs[:, different], columns[different]
    # The norm is at least the root of the longer side.
    while min(signs.shape) > (least - 1) ** 2:
        rank = _rank_bound(signs, least)
        if rank >= least:
            found, least = (rank, rows, columns), rank + 1
        axis = int(signs.shape[1] >= signs.shape[0])
        balanced = np.sort(np.argsort(np.abs(signs.sum(axis=1 - axis)), kind="stable")[: signs.shape[axis] * 7 // 8])
        signs = signs.take(balanced, axis)
        rows, columns = (rows, columns[balanced]) if axis else (rows[balanced], columns)
    return found


def _rank_bound(signs: NDArray[np.float64], least: int) -> int:
    """Forster's bound on the rank, or 0 if it is certainly less than ``least``."""
    # The norm is at least the sum over the root of the size.
    if abs(signs.sum()) * (least - 1) >= signs.size:
        return 0
    # Sums of ±1 are exact in any order, so the product is the same on every machine.
    product = signs @ signs.T if len(signs) <= signs.shape[1] else signs.T @ signs
    largest = float(np.linalg.eigvalsh(product)[-1])
    return math.ceil(math.sqrt(signs.size / largest) * (1 - ROUNDING))
