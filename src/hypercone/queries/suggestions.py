"""What a fitted geometry says about its hierarchy: links that may be missing, and links that may be wrong."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.hierarchy import Hierarchy
from hypercone.queries.missing_links import missing_rows
from hypercone.queries.wrong_links import wrong_rows


@dataclass(frozen=True)
class MissingLink:
    """A link that the hierarchy may lack.

    ``company`` is the share of the nodes under the child's parents that are also under the suggested one, and
    ``neighbours`` the share of the ten nearest nodes; the score adds them up. ``energy`` is as for is-a.
    """

    child: str
    parent: str
    child_label: str
    parent_label: str
    score: float
    energy: float
    company: float
    neighbours: float


@dataclass(frozen=True)
class WrongLink:
    """An edge of the hierarchy that the geometry rejects.

    ``strain`` is by how much the energies of all that the edge alone implies are above the threshold, and ``company``
    the share of the nodes under the parent that are also under another parent of the child; the score is
    strain · (1 - company).
    """

    child: str
    parent: str
    child_label: str
    parent_label: str
    score: float
    energy: float
    strain: float
    company: float


@dataclass(frozen=True)
class Suggestions:
    """Both lists, the likeliest first; and of how many pairs considered and edges rejected they are the best."""

    missing: tuple[MissingLink, ...]
    wrong: tuple[WrongLink, ...]
    considered: int
    rejected: int

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def suggest(embedding: Embedding, hierarchy: Hierarchy | None = None, count: int = 100) -> Suggestions:
    """The links that the hierarchy most likely lacks, and those of its edges that are most likely wrong.

    Without a hierarchy, the one the embedding was fitted to. A missing link is one step further down than the graph
    goes: everything above the parent is already above the child, and the geometry has the child in the parent's cone
    or not far outside. None of the links follows from another. These are suggestions
    for someone who knows the field; ``hypercone.suggestion_precision`` measures how many are right.

    >>> import hypercone
    >>> tree = hypercone.load_dataset("tree-3-4")
    >>> found = suggest(hypercone.fit(tree, epochs=20, init_epochs=20), count=5)
    >>> len(found.missing) <= 5, found.considered >= len(found.missing)
    (True, True)
    """
    if count < 1:
        raise InputError(f"count is {count}, but must be at least 1")
    graph = _of_the_same_rows(embedding, hierarchy)
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


def _of_the_same_rows(embedding: Embedding, hierarchy: Hierarchy | None) -> Hierarchy:
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


def _names(embedding: Embedding, parent: int, child: int) -> tuple[str, str, str, str]:
    return embedding.names[child], embedding.names[parent], embedding.called(child), embedding.called(parent)
