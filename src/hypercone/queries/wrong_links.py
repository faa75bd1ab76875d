"""Links of a hierarchy that may be wrong: edges that the geometry rejects."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hypercone._jit import dimension_type
from hypercone.embedding import Embedding
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph import flipped_lists
from hypercone.methods import Points, find_method
from hypercone.methods.scoring import Rows, energies_of_pairs
from hypercone.queries.suggest_kernels import rival_companies, strains


class WrongRows(NamedTuple):
    """Edges (parent, child) of rows, the most doubtful first, what speaks against each, and how many are rejected."""

    pairs: Rows
    scores: Points
    energies: Points
    strain: Points
    company: Points
    rejected: int


def wrong_rows(embedding: Embedding, hierarchy: Hierarchy, count: int) -> WrongRows:
    """The edges of the hierarchy that are most likely wrong; its rows are the embedding's."""
    edges, energies = rejected_edges(embedding, hierarchy)
    strain, company = _strain(embedding, hierarchy, edges), _company(hierarchy, edges)
    scores = strain * (1 - company)
    # An edge that is its child's only one has no rival to speak against it, and comes after those that have.
    best = np.lexsort((edges[:, 0], edges[:, 1], -strain, -scores))[:count]
    return WrongRows(edges[best], scores[best], energies[best], strain[best], company[best], len(edges))


def rejected_edges(embedding: Embedding, hierarchy: Hierarchy) -> tuple[Rows, Points]:
    """(parent, child) rows of the edges above the threshold, and their energies."""
    edges = np.ascontiguousarray(hierarchy.edges)
    energies = energies_of_pairs(find_method(embedding.method), embedding.settings, embedding.points, edges)
    rejected = energies > embedding.threshold
    return edges[rejected], energies[rejected]


def _strain(embedding: Embedding, hierarchy: Hierarchy, edges: Rows) -> Points:

    above, parents = hierarchy.ancestor_lists(), hierarchy.parents
    found: Points = strains(
        embedding.points,
        edges,
        above.offsets,
        above.rows,
        parents.offsets,
        parents.rows,
        max(0.0, embedding.threshold) if find_method(embedding.method).loss == "margin" else embedding.threshold,
        find_method(embedding.method).constants(embedding.settings),
        dimension_type(embedding.dim),
    )
    return found


def _company(hierarchy: Hierarchy, edges: Rows) -> Points:

    above, parents = hierarchy.ancestor_lists(), hierarchy.parents
    below = flipped_lists(above)
    shares: Points = rival_companies(
        edges, above.offsets, above.rows, below.offsets, below.rows, parents.offsets, parents.rows
    )
    return shares
