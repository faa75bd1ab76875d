"""The relatives of nodes: from the graph where the model has one, or from the geometry alone.

The graph decides every pair of its nodes. A node that was placed by a point is not in the graph, so pairs with it, and
with nodes that were placed under it, are judged by the geometry unless edges connect them. A list can therefore mix
rows of both origins: those of the graph come first. Such a node has parents by geometry, and is a child of these, but
it never comes between two nodes of the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows
from hypercone.embedding import relations
from hypercone.errors import InputError, option, short
from hypercone.hierarchy import Hierarchy

if TYPE_CHECKING:
    from hypercone.embedding.embedding import Embedding

By = Literal["graph", "geometry"]
BY: tuple[By, ...] = ("graph", "geometry")
Flags = NDArray[np.bool_]


def checked_by(embedding: Embedding, by: str | None) -> By:
    """What answers: the default of the model for None; InputError if it is unknown, or the model has no graph."""
    if by is None:
        return embedding.default_by
    if by not in BY:
        raise InputError(f"{option('by')} is {by!r}, but must be {' or '.join(BY)}")
    if by == "graph" and embedding.edges is None:
        raise InputError(
            f"the model has no edges, so only its geometry can answer; leave out {option('by')}, or fit it again"
        )
    return "graph" if by == "graph" else "geometry"


def graph_for(embedding: Embedding, question: str, rows: Sequence[int] | Rows) -> Hierarchy:
    """The graph of the model, for a question that only the graph can answer; InputError if it does not know a row."""
    if embedding.hierarchy is None:
        raise InputError(f"the model has no edges, and {question} is answered by the graph; fit it again")
    graph = embedding.relatives("graph")
    for row in np.ravel(rows).tolist() if graph.is_mixed else ():
        if graph.origin(row) == "geometry":
            name = short(embedding.names[row])
            raise InputError(
                f"{name!r} was placed by a point, and {question} is answered by the graph; add it under its parents"
            )
    return embedding.hierarchy


class ByGeometry:
    """Answers from the points alone; lists are from general to specific.

    >>> import hypercone
    >>> pets = hypercone.fit([("animal", "dog"), ("dog", "poodle")], dim=2)
    >>> ByGeometry(pets).parents(2).tolist(), ByGeometry(pets).is_a([[0, 2], [2, 0]]).tolist()
    ([1], [True, False])
    """

    by: By = "geometry"
    is_mixed = False

    def __init__(self, embedding: Embedding) -> None:
        self.embedding = embedding

    def is_a(self, pairs: Rows | Sequence[Sequence[int]]) -> Flags:
        """Whether each child is its parent or a kind of it, for (parent, child) rows."""
        answers: Flags = self.embedding.scorer.energies(np.asarray(pairs, np.int32)) <= self.embedding.threshold
        return answers

    def ancestors(self, row: int) -> Rows:
        """The rows that a row is a kind of."""
        return relations.ancestors_of(self.embedding, row)

    def descendants(self, row: int) -> Rows:
        """The rows that are a kind of a row."""
        return relations.descendants_of(self.embedding, row)

    def ancestors_of_many(self, rows: Sequence[int]) -> list[Rows]:
        """The ancestors of each row; faster than one by one."""
        return [self.embedding._sort_by_generality(found) for found in self.embedding.index.ancestors_of_many(rows)]

    def descendants_of_many(self, rows: Sequence[int]) -> list[Rows]:
        """The descendants of each row; faster than one by one."""
        return [self.embedding._sort_by_generality(found) for found in self.embedding.index.descendants_of_many(rows)]

    def parents(self, row: int) -> Rows:
        """The ancestors with no other in between."""
        return relations.parents_of(self.embedding, row)

    def children(self, row: int) -> Rows:
        """The descendants with no other in between."""
        return relations.children_of(self.embedding, row)

    def siblings(self, row: int) -> dict[int, list[int]]:
        """The other children of the parents, each with the shared parents."""
        shared = _shared_parents(self, row)
        ordered = self.embedding._sort_by_generality(np.array(list(shared), np.int32))
        return {sibling: shared[sibling] for sibling in ordered.tolist()}

    def lowest_common(self, rows: Sequence[int]) -> Rows:
        """The most specific rows that each of the rows is, or is a kind of."""
        return relations.lowest_common(self.embedding, rows)

    def origin(self, row: int) -> By:
        """What answers for a row alone."""
        return self.by

    def origins(self, row: int, others: Sequence[int] | Rows) -> list[By]:
        """For each other row, what says how it is related to the row."""
        return [self.by] * len(others)


class ByGraph:
    """Answers from the graph, and from the points for nodes that are not in it; lists are by depth, then by row.

    >>> import hypercone
    >>> pets = hypercone.fit([("animal", "dog"), ("dog", "poodle"), ("animal", "poodle")], dim=2)
    >>> ByGraph(pets, pets.hierarchy).parents(2).tolist(), ByGraph(pets, pets.hierarchy).origins(2, [0])
    ([1], ['graph'])
    """

    by: By = "graph"

    def __init__(self, embedding: Embedding, hierarchy: Hierarchy) -> None:
        self.embedding, self.lineage = embedding, hierarchy.lineage
        self._geometry = ByGeometry(embedding)
        self._placed: list[int] = [] if embedding.by_point is None else embedding.by_point.tolist()

    @property
    def is_mixed(self) -> bool:
        """Whether the geometry answers for some rows."""
        return bool(self._placed)

    def is_a(self, pairs: Rows | Sequence[Sequence[int]]) -> Flags:
        """Whether each child is its parent or a kind of it, for (parent, child) rows."""
        rows = np.asarray(pairs, np.int32).reshape(-1, 2)
        answers = self.lineage.is_above(rows[:, 0], rows[:, 1])
        if self._placed:
            open_pairs = ~answers & self._is_free[rows].any(axis=1) & ~self.lineage.is_above(rows[:, 1], rows[:, 0])
            answers[open_pairs] = self._geometry.is_a(rows[open_pairs])
        return answers

    def ancestors(self, row: int) -> Rows:
        """The rows that a row is a kind of."""
        known = self.lineage.ancestors(row)
        return self._with_free(row, known, self._geometry.ancestors(row)) if self._placed else known

    def descendants(self, row: int) -> Rows:
        """The rows that are a kind of a row."""
        known = self.lineage.descendants(row)
        return self._with_free(row, known, self._geometry.descendants(row)) if self._placed else known

    def ancestors_of_many(self, rows: Sequence[int]) -> list[Rows]:
        """The ancestors of each row."""
        return [self.ancestors(row) for row in rows]

    def descendants_of_many(self, rows: Sequence[int]) -> list[Rows]:
        """The descendants of each row."""
        return [self.descendants(row) for row in rows]

    def parents(self, row: int) -> Rows:
        """The parents in the transitive reduction; of a node placed by a point, those by geometry."""
        known = self.lineage.parents(row)
        return self._geometry.parents(row) if row in self._parents_of_placed else known

    def children(self, row: int) -> Rows:
        """The children in the transitive reduction, and the nodes placed by a point whose parents include the row."""
        known = self.lineage.children(row)
        if not self._placed:
            return known
        placed = [new for new, parents in self._parents_of_placed.items() if row in parents]
        return np.append(known, np.array(placed, np.int32))

    def siblings(self, row: int) -> dict[int, list[int]]:
        """The other children of the parents, each with the shared parents; none is above or below the row."""
        if not self._placed:
            return self.lineage.siblings(row)
        related = {*self.ancestors(row).tolist(), *self.descendants(row).tolist()}
        return {other: parents for other, parents in _shared_parents(self, row).items() if other not in related}

    def lowest_common(self, rows: Sequence[int]) -> Rows:
        """The lowest rows that each of the rows is, or is a kind of; by geometry if one of them is not in the graph."""
        if any(self.origin(row) == "geometry" for row in rows):
            return self._geometry.lowest_common(rows)
        return self.lineage.lowest_common(rows)

    def origin(self, row: int) -> By:
        """What answers for a row alone: the geometry if the graph says nothing about it."""
        return "geometry" if self._placed and self._is_free[row] else "graph"

    def origins(self, row: int, others: Sequence[int] | Rows) -> list[By]:
        """For each other row, what says how it is related to the row."""
        if not self._placed:
            return ["graph"] * len(others)
        rows, other = np.full(len(others), row, np.int32), np.asarray(others, np.int32)
        free = self._is_free[other] | self._is_free[row]
        decided = ~free | self.lineage.is_above(rows, other) | self.lineage.is_above(other, rows)
        return ["graph" if is_decided else "geometry" for is_decided in decided]

    @cached_property
    def _is_free(self) -> Flags:
        """The rows that the graph says nothing about: placed by a point, or placed under such a node."""
        free = np.zeros(len(self.embedding), np.bool_)
        for row in self._placed:
            free[row] = True
            free[self.lineage.descendants(row)] = True
        return free

    @cached_property
    def _parents_of_placed(self) -> dict[int, list[int]]:
        return {row: self._geometry.parents(row).tolist() for row in self._placed}

    def _with_free(self, row: int, known: Rows, by_geometry: Rows) -> Rows:
        more = by_geometry if self._is_free[row] else by_geometry[self._is_free[by_geometry]]
        decided = np.concatenate([known, self.lineage.ancestors(row), self.lineage.descendants(row)])
        return np.append(known, more[~np.isin(more, decided)])


Relatives = ByGraph | ByGeometry


def _shared_parents(relatives: Relatives, row: int) -> dict[int, list[int]]:
    """The other children of the parents of a row, each with the shared parents."""
    shared: dict[int, list[int]] = {}
    for parent in relatives.parents(row).tolist():
        for child in relatives.children(parent).tolist():
            shared.setdefault(child, []).append(parent)
    shared.pop(row, None)
    return shared
