"""Suggestions for review: links that a hierarchy may lack, and edges that a geometry fitted to it rejects."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from hypercone._arrays import Rows
from hypercone.embedding import Embedding
from hypercone.errors import InputError, option, warn_renamed
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph import flipped_lists
from hypercone.methods import Points
from hypercone.queries.missing_links import missing_rows
from hypercone.queries.suggest_kernels import shared_with_rivals, violations

Kind = Literal["more specific", "additional"]


@dataclass(frozen=True)
class MissingLink:
    """A link that the hierarchy may lack.

    ``confidence`` is the probability that it is right if every twentieth node lacks a link. A *more specific*
    parent is below a known parent of the child, an *additional* one elsewhere. ``shared_descendants`` is the share of
    the nodes under the child's parents that are also under the suggested one. ``energy`` is the energy of the pair, as
    for is-a; the confidence does not depend on it.
    """

    child: str
    parent: str
    child_label: str | None
    parent_label: str | None
    confidence: float
    kind: Kind
    shared_descendants: float
    energy: float

    @property
    def score(self) -> float:
        """The old name of ``confidence``."""
        warn_renamed("MissingLink.score", "confidence")
        return self.confidence

    @property
    def company(self) -> float:  # old name
        """The old name of ``shared_descendants``."""
        warn_renamed("MissingLink.company", "shared_descendants")  # old name
        return self.shared_descendants


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

    Without a hierarchy, the one the embedding was fitted to is used. Missing links are found in the graph, by evidence
    that is weighed by links hidden in it; wrong ones are edges that the geometry rejects. No suggested link follows
    from another. The suggestions are meant for review by a domain expert; ``hypercone.evaluation.suggestions`` measures
    how many are right.

    >>> import hypercone
    >>> found = hypercone.fit("tree-3-4", "hyperbolic-cones", epochs=20, init_epochs=20).suggest(5)
    >>> len(found.missing) <= 5, found.considered >= len(found.missing)
    (True, True)
    """
    if count < 1:
        raise InputError(f"{option('suggest.k')} is {count}, but must be at least 1")
    graph = _hierarchy_in_rows_of(embedding, hierarchy)
    missing, wrong = missing_rows(graph, count), wrong_rows(embedding, graph, count)
    energies = embedding.scorer.energies(np.ascontiguousarray(missing.pairs))
    columns = missing.pairs, missing.confidences, missing.is_below, missing.shared_descendants, energies
    return Suggestions(
        tuple(
            MissingLink(
                *_names(embedding, *pair), confidence, "more specific" if is_below else "additional", shared, energy
            )
            for pair, confidence, is_below, shared, energy in zip(*(each.tolist() for each in columns), strict=True)
        ),
        tuple(
            WrongLink(*_names(embedding, *pair), *numbers)
            for pair, *numbers in zip(*(column.tolist() for column in wrong[:-1]), strict=True)
        ),
        len(missing.considered),
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
    # The only edge of a child has no alternative: it scores 0 and is not listed.
    best = np.lexsort((edges[:, 0], edges[:, 1], -violation, -scores))[: min(count, np.count_nonzero(scores > 0))]
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
