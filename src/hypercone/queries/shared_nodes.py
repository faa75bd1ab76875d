"""The part of a model that it shares with another one: the same nodes in the same order, in both."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.index import ConeIndex
from hypercone.methods import Points, find_method
from hypercone.methods.scoring import energies_of_pairs

Rows = NDArray[np.integer]


def shared_names(first: Embedding, second: Embedding) -> list[str]:
    """The names that both models have, sorted, so that it does not matter which is the first."""
    names = sorted(name for name in first.names if name in second)
    if not names:
        raise InputError(
            f"the models have no node in common: one has {first.names[0]!r} and {len(first) - 1:,} more, the other"
            f" {second.names[0]!r} and {len(second) - 1:,} more; compare models of one hierarchy"
        )
    return names


class Part:
    """A model with these nodes alone, whose rows are now their places in ``names``."""

    def __init__(self, embedding: Embedding, names: Sequence[str]) -> None:
        self.embedding, self.names = embedding, names
        self.rows = np.array([embedding.row(name) for name in names], np.int32)
        self.points: Points = np.ascontiguousarray(embedding.points[self.rows])

    @cached_property
    def called(self) -> list[str]:
        """What people call each node."""
        return [self.embedding.called(row) for row in self.rows.tolist()]

    def asserted_above(self, children: Rows) -> list[Rows]:
        """Of each child the nodes that the geometry has above it, ascending."""
        return list(self.index.ancestors_of_many(children))

    def nearest(self, rows: Rows, count: int) -> list[Rows]:
        """Of each row the so many nearest, nearest first."""
        return [self.index.nearest(row, count).rows for row in rows.tolist()]

    @cached_property
    def index(self) -> ConeIndex:
        """Who is above whom and near whom among these nodes."""
        model = self.embedding
        return ConeIndex(self.points, find_method(model.method), model.settings, model.threshold)

    def true_above(self, children: Rows) -> list[Rows] | None:
        """Of each child the nodes that the graph has above it, ascending; None if the graph is not known."""
        hierarchy = self.embedding.hierarchy
        if hierarchy is None:
            return None
        place = np.full(len(self.embedding), -1, np.int64)
        place[self.rows] = np.arange(len(self.rows))
        above = [place[hierarchy.ancestors_of(row)] for row in self.rows[children].tolist()]
        return [np.sort(rows[rows >= 0]) for rows in above]

    def energies(self, pairs: NDArray[np.int32]) -> Points:
        """The energy of each (parent, child)."""
        return energies_of_pairs(find_method(self.embedding.method), self.embedding.settings, self.points, pairs)
