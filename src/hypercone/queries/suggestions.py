"""Suggestions from a fitted geometry: links that its hierarchy may lack, and edges that may be wrong."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows
from hypercone.embedding import Embedding
from hypercone.errors import InputError, option, warn_renamed
from hypercone.hierarchy import Adjacency, Hierarchy
from hypercone.hierarchy.graph import flipped_lists
from hypercone.methods import Points
from hypercone.progress import Step
from hypercone.queries.suggest_kernels import (
    follows_from_another,
    neighbor_shares,
    next_steps_down,
    shared_descendants_of_pairs,
    shared_with_rivals,
    violations,
)


@dataclass(frozen=True)
class MissingLink:
    """A link that the hierarchy may lack.

    ``shared_descendants`` is the share of the nodes under the child's parents that are also under the suggested one,
    and ``neighbors`` that share among the ten nearest nodes; the score is their weighted sum. ``energy`` is the energy
    of the pair, as for is-a.
    """

    child: str
    parent: str
    child_label: str | None
    parent_label: str | None
    score: float
    energy: float
    shared_descendants: float
    neighbors: float

    @property
    def company(self) -> float:  # old name
        """The old name of ``shared_descendants``."""
        warn_renamed("MissingLink.company", "shared_descendants")  # old name
        return self.shared_descendants

    @property
    def neighbours(self) -> float:  # old name
        """The old name of ``neighbors``."""
        warn_renamed("MissingLink.neighbours", "neighbors")  # old name
        return self.neighbors


@dataclass(frozen=True)
class WrongLink:
    """An edge of the hierarchy that the geometry rejects.

    ``violation`` is the total excess over the threshold of the pairs that only this edge implies.
    ``shared_descendants`` is the share of the nodes under the parent that are also under another parent of the child.
    The score is violation · (1 - shared_descendants).
    """

    child: str
    parent: str
    child_label: str | None
    parent_label: str | None
    score: float
    energy: float
    violation: float
    shared_descendants: float

    @property
    def strain(self) -> float:  # old name
        """The old name of ``violation``."""
        warn_renamed("WrongLink.strain", "violation")  # old name
        return self.violation

    @property
    def company(self) -> float:  # old name
        """The old name of ``shared_descendants``."""
        warn_renamed("WrongLink.company", "shared_descendants")  # old name
        return self.shared_descendants


@dataclass(frozen=True)
class Suggestions:
    """Both lists, the likeliest first, and the numbers of pairs considered and of edges rejected."""

    missing: tuple[MissingLink, ...]
    wrong: tuple[WrongLink, ...]
    considered: int
    rejected: int

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def find_suggestions(embedding: Embedding, hierarchy: Hierarchy | None, count: int) -> Suggestions:
    """The links that the hierarchy most likely lacks, and those of its edges that are most likely wrong.

    Without a hierarchy, the one the embedding was fitted to is used. A missing link is one step further down than the
    graph goes: all ancestors of the parent are ancestors of the child, and the child is in the parent's cone or not far
    outside. No suggested link follows from another. The suggestions are meant for review by a domain expert;
    ``hypercone.evaluation.suggestions`` measures how many are right.

    >>> import hypercone
    >>> found = hypercone.fit("tree-3-4", "hyperbolic-cones", epochs=20, init_epochs=20).suggest(5)
    >>> len(found.missing) <= 5, found.considered >= len(found.missing)
    (True, True)
    """
    if count < 1:
        raise InputError(f"{option('suggest.k')} is {count}, but must be at least 1")
    graph = _hierarchy_in_rows_of(embedding, hierarchy)
    missing, wrong = missing_rows(embedding, graph, count), wrong_rows(embedding, graph, count)
    return Suggestions(
        tuple(
            MissingLink(*_names(embedding, *pair), *numbers)
            for pair, *numbers in zip(*(column.tolist() for column in missing[:-1]), strict=True)
        ),
        tuple(
            WrongLink(*_names(embedding, *pair), *numbers)
            for pair, *numbers in zip(*(column.tolist() for column in wrong[:-1]), strict=True)
        ),
        missing.considered,
        wrong.rejected,
    )


def _hierarchy_in_rows_of(embedding: Embedding, hierarchy: Hierarchy | None) -> Hierarchy:
    if hierarchy is None:
        if embedding.hierarchy is None:
            raise InputError("the model does not know its edges; give the hierarchy to look for links in")
        return embedding.hierarchy
    if tuple(hierarchy.names) == tuple(embedding.names):
        return hierarchy
    unknown = next((name for name in hierarchy.names if name not in embedding), None)
    if unknown is not None:
        raise InputError(
            f"the model has no node {unknown!r} of the hierarchy; fit the hierarchy, or leave the node out"
        )
    rows = np.array([embedding.row(name) for name in hierarchy.names], np.int32)
    return Hierarchy(embedding.names, rows[hierarchy.edges], embedding.labels)


def _names(embedding: Embedding, parent: int, child: int) -> tuple[str, str, str | None, str | None]:
    return embedding.names[child], embedding.names[parent], embedding.label(child), embedding.label(parent)


NEIGHBORS = 10
# Chosen on parts of GO and WordNet mammals with hidden links: neighbors help far less than shared descendants.
NEIGHBOR_WEIGHT = 0.3
# How far outside a pair may be, in margins. On the same data, less lost most hidden links and more gained little.
MARGINS = 10
# More pairs are ranked than requested, as some are dropped in favor of their reverse.
SPARE = 2


class MissingRows(NamedTuple):
    """(parent, child) rows, the likeliest first, the evidence for each, and the number considered."""

    pairs: Rows
    scores: Points
    energies: Points
    shared_descendants: Points
    neighbors: Points
    considered: int


def missing_rows(embedding: Embedding, hierarchy: Hierarchy, count: int) -> MissingRows:
    """The links that the hierarchy most likely lacks; its rows are the embedding's."""
    pairs, energies = candidates(embedding, hierarchy)
    considered = len(pairs)
    shared_descendants = shared_descendants_of(hierarchy, pairs)
    near = _shortlist(shared_descendants, SPARE * count)
    pairs, energies, shared_descendants = pairs[near], energies[near], shared_descendants[near]
    neighbors = neighbors_of(embedding, hierarchy, pairs)
    scores = shared_descendants + NEIGHBOR_WEIGHT * neighbors
    best = np.lexsort((pairs[:, 0], pairs[:, 1], energies, -scores))
    best = best[_first_of_each_direction(pairs[best])][:count]
    return MissingRows(pairs[best], scores[best], energies[best], shared_descendants[best], neighbors[best], considered)


def candidates(embedding: Embedding, hierarchy: Hierarchy) -> tuple[Rows, Points]:
    """(parent, child) rows one step further down than the graph goes, near enough by geometry, by child.

    None follows from another: of a child and its ancestors only the highest is paired with a parent, and no parent of a
    child is an ancestor of another.
    """
    above, parents = hierarchy.ancestor_lists(), hierarchy.parent_lists
    inner = _inner_children(hierarchy)
    # Sorting takes about as long as the search.
    with Step("links within reach", 2 * len(hierarchy)) as step:
        pairs, energies = next_steps_down(
            embedding.points,
            np.arange(len(hierarchy), dtype=np.int32),
            above.csr,
            inner.csr,
            parents.csr,
            _bound(embedding),
            embedding.scorer.constants,
            embedding.scorer.dim,
            step.tally(),
        )
        order = np.lexsort((pairs[:, 0], pairs[:, 1]))
        pairs, energies = pairs[order], energies[order]
        given = Adjacency.of_groups(pairs[:, 1], pairs[:, 0], len(hierarchy))
        kept = ~follows_from_another(pairs, given.csr, above.csr)
        return pairs[kept], energies[kept]


def _bound(embedding: Embedding) -> float:
    # Training treats missing links as negative pairs and pushes them out: most lie just outside the threshold.
    has_margin = embedding.scorer.method.loss == "margin"
    return embedding.threshold + (MARGINS * embedding.settings.margin if has_margin else 0.0)


def _inner_children(hierarchy: Hierarchy) -> Adjacency:
    """The children of each row that have children."""
    children = hierarchy.child_lists
    has_children = children.counts[children.rows] > 0
    return Adjacency.of_groups(children.groups()[has_children], children.rows[has_children], len(children))


def shared_descendants_of(hierarchy: Hierarchy, pairs: Rows) -> Points:
    """For each (parent, child) the share of the nodes under the child's parents that are also under the parent."""
    above, parents = hierarchy.ancestor_lists(), hierarchy.parent_lists
    below = flipped_lists(above)
    with Step("shared descendants", len(pairs)) as step:
        shares: Points = shared_descendants_of_pairs(pairs, above.csr, below.csr, parents.csr, step.tally())
    return shares


def _shortlist(shared_descendants: Points, count: int) -> NDArray[np.intp]:
    """The pairs that can still be among the first ``count`` once the score of their neighbors is added."""
    if len(shared_descendants) <= count:
        return np.arange(len(shared_descendants))
    last = np.partition(shared_descendants, -count)[-count]
    return np.flatnonzero(shared_descendants >= last - NEIGHBOR_WEIGHT)


def neighbors_of(embedding: Embedding, hierarchy: Hierarchy, pairs: Rows) -> Points:
    """For each (parent, child) the share of the nodes nearest to the child that are the parent or under it."""
    above, count = hierarchy.ancestor_lists(), min(NEIGHBORS, len(embedding) - 1)
    children, places = np.unique(pairs[:, 1], return_inverse=True)
    neighbors = np.array([embedding.index.nearest(child, count).rows for child in children.tolist()], np.int32)
    if not len(pairs):
        return np.zeros(0)
    shares: Points = neighbor_shares(pairs, places, neighbors, above.csr)
    return shares


def _first_of_each_direction(pairs: Rows) -> NDArray[np.intp]:
    """The positions of the pairs whose reverse does not come before them."""
    _, first = np.unique(np.sort(pairs, axis=1), axis=0, return_index=True)
    return np.sort(first)


class WrongRows(NamedTuple):
    """(parent, child) rows of edges, the most doubtful first, the evidence against each, and the number rejected."""

    pairs: Rows
    scores: Points
    energies: Points
    violation: Points
    shared_descendants: Points
    rejected: int


def wrong_rows(embedding: Embedding, hierarchy: Hierarchy, count: int) -> WrongRows:
    """The edges of the hierarchy that are most likely wrong; its rows are the embedding's."""
    edges, energies = rejected_edges(embedding, hierarchy)
    violation, shared_descendants = _violations(embedding, hierarchy, edges), _shared_with_rivals(hierarchy, edges)
    scores = violation * (1 - shared_descendants)
    # The only edge of a child has no alternative and scores 0, so it comes after those that have one.
    best = np.lexsort((edges[:, 0], edges[:, 1], -violation, -scores))[:count]
    return WrongRows(edges[best], scores[best], energies[best], violation[best], shared_descendants[best], len(edges))


def rejected_edges(embedding: Embedding, hierarchy: Hierarchy) -> tuple[Rows, Points]:
    """(parent, child) rows of the edges above the threshold, and their energies."""
    edges = np.ascontiguousarray(hierarchy.edges)
    energies = embedding.scorer.energies(edges)
    rejected = energies > embedding.threshold
    return edges[rejected], energies[rejected]


def _violations(embedding: Embedding, hierarchy: Hierarchy, edges: Rows) -> Points:
    above, parents = hierarchy.ancestor_lists(), hierarchy.parent_lists
    found: Points = violations(
        embedding.points,
        edges,
        above.csr,
        parents.csr,
        max(0.0, embedding.threshold) if embedding.scorer.method.loss == "margin" else embedding.threshold,
        embedding.scorer.constants,
        embedding.scorer.dim,
    )
    return found


def _shared_with_rivals(hierarchy: Hierarchy, edges: Rows) -> Points:
    above, parents = hierarchy.ancestor_lists(), hierarchy.parent_lists
    below = flipped_lists(above)
    shares: Points = shared_with_rivals(edges, above.csr, below.csr, parents.csr)
    return shares
