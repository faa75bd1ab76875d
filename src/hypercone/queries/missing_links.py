"""Links that a hierarchy may lack: pairs that the geometry puts together and the closure does not have."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._jit import dimension_type
from hypercone.embedding import Embedding
from hypercone.hierarchy import Adjacency, Hierarchy
from hypercone.hierarchy.graph import flipped_lists
from hypercone.methods import Points, find_method
from hypercone.methods.scoring import Rows
from hypercone.queries.suggest_kernels import companies, follows_from_another, neighbour_shares, next_steps_down

NEIGHBOURS = 10
# Chosen on parts of GO and the mammals of WordNet with links hidden: neighbours help, but far less than company.
NEIGHBOUR_WEIGHT = 0.3
# How many margins outside a pair may be. There, stricter lost most of the hidden links, and looser won little.
MARGINS = 10
# Some of the best are dropped again because their reverse is better.
SPARE = 2


class MissingRows(NamedTuple):
    """Pairs (parent, child) of rows, the likeliest first, what speaks for each, and how many were considered."""

    pairs: Rows
    scores: Points
    energies: Points
    company: Points
    neighbours: Points
    considered: int


def missing_rows(embedding: Embedding, hierarchy: Hierarchy, count: int) -> MissingRows:
    """The links that the hierarchy most likely lacks; its rows are the embedding's."""
    pairs, energies = candidates(embedding, hierarchy)
    considered = len(pairs)
    company = companies_of(hierarchy, pairs)
    near = _shortlist(company, SPARE * count)
    pairs, energies, company = pairs[near], energies[near], company[near]
    neighbours = neighbours_of(embedding, hierarchy, pairs)
    scores = company + NEIGHBOUR_WEIGHT * neighbours
    best = np.lexsort((pairs[:, 0], pairs[:, 1], energies, -scores))
    best = best[_first_of_both_ways(pairs[best])][:count]
    return MissingRows(pairs[best], scores[best], energies[best], company[best], neighbours[best], considered)


def candidates(embedding: Embedding, hierarchy: Hierarchy) -> tuple[Rows, Points]:
    """(parent, child) rows one step further down than the graph goes, within reach of the geometry, by child.

    None follows from another: of a child and its ancestors only the highest is put under a parent, and the parents of
    one child are not above each other.
    """
    above, parents = hierarchy.ancestor_lists(), hierarchy.parents
    inner = _inner_children(hierarchy)
    pairs, energies = next_steps_down(
        embedding.points,
        np.arange(len(hierarchy), dtype=np.int32),
        above.offsets,
        above.rows,
        inner.offsets,
        inner.rows,
        parents.offsets,
        parents.rows,
        _bound(embedding),
        find_method(embedding.method).constants(embedding.settings),
        dimension_type(embedding.dim),
    )
    order = np.lexsort((pairs[:, 0], pairs[:, 1]))
    pairs, energies = pairs[order], energies[order]
    given = Adjacency.of_groups(pairs[:, 1], pairs[:, 0], len(hierarchy))
    kept = ~follows_from_another(pairs, given.offsets, given.rows, above.offsets, above.rows)
    return pairs[kept], energies[kept]


def _bound(embedding: Embedding) -> float:
    # Training pushes out what it takes for wrong, missing links too: a true one is a near miss more often than a hit.
    has_margin = find_method(embedding.method).loss == "margin"
    return embedding.threshold + (MARGINS * embedding.settings.margin if has_margin else 0.0)


def _inner_children(hierarchy: Hierarchy) -> Adjacency:
    """Of each row the children that have children."""
    children = hierarchy.children
    has_children = children.counts[children.rows] > 0
    return Adjacency.of_groups(children.groups()[has_children], children.rows[has_children], len(children))


def companies_of(hierarchy: Hierarchy, pairs: Rows) -> Points:
    """For each (parent, child) the share of the nodes under the child's parents that are also under the parent."""
    above, parents = hierarchy.ancestor_lists(), hierarchy.parents
    below = flipped_lists(above)
    shares: Points = companies(
        pairs, above.offsets, above.rows, below.offsets, below.rows, parents.offsets, parents.rows
    )
    return shares


def _shortlist(company: Points, count: int) -> NDArray[np.intp]:
    """The pairs that neighbours, which nobody has looked at yet, can still bring among the first ``count``."""
    if len(company) <= count:
        return np.arange(len(company))
    last = np.partition(company, -count)[-count]
    return np.flatnonzero(company >= last - NEIGHBOUR_WEIGHT)


def neighbours_of(embedding: Embedding, hierarchy: Hierarchy, pairs: Rows) -> Points:
    """For each (parent, child) the share of the nodes nearest to the child that are the parent or under it."""
    above, count = hierarchy.ancestor_lists(), min(NEIGHBOURS, len(embedding) - 1)
    children, places = np.unique(pairs[:, 1], return_inverse=True)
    neighbours = np.array([embedding.index.nearest(child, count).rows for child in children.tolist()], np.int32)
    if not len(pairs):
        return np.zeros(0)
    shares: Points = neighbour_shares(pairs, places, neighbours, above.offsets, above.rows)
    return shares


def _first_of_both_ways(pairs: Rows) -> NDArray[np.intp]:
    """Of a pair and its reverse the place of the first, in the order given."""
    _, first = np.unique(np.sort(pairs, axis=1), axis=0, return_index=True)
    return np.sort(first)
