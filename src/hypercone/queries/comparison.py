"""Comparison of two models on the nodes they share: what each asserts, and where they disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows as Pairs
from hypercone._arrays import pair_keys
from hypercone.embedding import Embedding
from hypercone.errors import InputError, option, warn_renamed
from hypercone.index import ConeIndex
from hypercone.methods import Points
from hypercone.methods.scoring import Counts

SAMPLE = 1_000
NEIGHBORS = 10
EXAMPLES = 5


@dataclass(frozen=True)
class Side:
    """One of the two models: the number of is-a pairs it asserts, and how many of these only it asserts.

    Precision, recall and F1 are measured against the graph it was fitted to; None if the model has no edges.
    """

    method: str
    made_by: str
    dim: int
    nodes: int
    threshold: float
    asserted: int
    alone: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class Disagreement:
    """A pair that only one model asserts, with its energy in each."""

    child: str
    parent: str
    child_label: str | None
    parent_label: str | None
    first_energy: float
    second_energy: float


@dataclass(frozen=True)
class Comparison:
    """Two models on the nodes they share.

    All counts are over the ancestors, among the ``shared`` nodes, of ``sampled`` of them. ``agreement`` is the mean
    Jaccard index of the two sets of ancestors of a node, and ``neighbor_overlap`` the mean share of the ten nearest
    nodes that both models have in common.
    """

    first: Side
    second: Side
    shared: int
    sampled: int
    both: int
    agreement: float
    neighbor_overlap: float
    only_first: tuple[Disagreement, ...]
    only_second: tuple[Disagreement, ...]

    @property
    def neighbour_overlap(self) -> float:  # old name
        """The old name of ``neighbor_overlap``."""
        warn_renamed("Comparison.neighbour_overlap", "neighbor_overlap")  # old name
        return self.neighbor_overlap

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def compare_models(first: Embedding, second: Embedding, sample: int | None, seed: int) -> Comparison:
    """Compare two models on ``sample`` of the nodes they share, drawn with the seed; on all of them if it is None.

    >>> import hypercone
    >>> pets = hypercone.Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
    >>> found = hypercone.fit(pets, dim=2).compare(hypercone.fit(pets, "order", dim=2))
    >>> found.shared, found.both
    (4, 4)
    """
    if sample is not None and sample < 1:
        raise InputError(f"{option('sample')} is {sample}, but must be at least 1")
    names = shared_names(first, second)
    chosen = np.arange(len(names))
    if sample is not None and sample < len(names):
        chosen = np.sort(np.random.default_rng(seed).choice(chosen, sample, replace=False))
    parts = Part(first, names), Part(second, names)
    asserted = [part.asserted_above(chosen) for part in parts]
    pairs = [_pairs(chosen, lists) for lists in asserted]
    alone = [_without(pairs[0], pairs[1], len(names)), _without(pairs[1], pairs[0], len(names))]
    return Comparison(
        first=_side(parts[0], chosen, asserted[0], len(alone[0])),
        second=_side(parts[1], chosen, asserted[1], len(alone[1])),
        shared=len(names),
        sampled=len(chosen),
        both=len(pairs[0]) - len(alone[0]),
        agreement=float(np.mean(list(map(_jaccard, *asserted)))),
        neighbor_overlap=_neighbor_overlap(parts, chosen),
        only_first=_clearest(parts, alone[0], rejected_by=1),
        only_second=_clearest(parts, alone[1], rejected_by=0),
    )


def _pairs(children: Rows, parents: list[Rows]) -> Pairs:
    """(parent, child) for each parent of each child."""
    counts = [len(rows) for rows in parents]
    return np.stack([np.concatenate(parents), np.repeat(children, counts)], axis=1).astype(np.int32)


def _without(pairs: Pairs, others: Pairs, size: int) -> Pairs:
    keys, other_keys = (pair_keys(rows[:, 0], rows[:, 1], size) for rows in (pairs, others))
    return pairs[~np.isin(keys, other_keys)]


def _jaccard(ours: Rows, theirs: Rows) -> float:
    common = _common(ours, theirs)
    every = len(ours) + len(theirs) - common
    return common / every if every else 1.0


def _common(ours: Rows, theirs: Rows) -> int:
    return len(np.intersect1d(ours, theirs, assume_unique=True))


def _side(part: Part, chosen: Rows, asserted: list[Rows], alone: int) -> Side:
    counts = _counts_against_graph(part, chosen, asserted)
    quality = (counts.precision, counts.recall, counts.f1) if counts else (None, None, None)
    model = part.embedding
    total = sum(map(len, asserted))
    return Side(model.method, model.made_by, model.dim, len(model), model.threshold, total, alone, *quality)


def _counts_against_graph(part: Part, chosen: Rows, asserted: list[Rows]) -> Counts | None:
    true = part.true_above(chosen)
    if true is None:
        return None
    right = sum(map(_common, asserted, true))
    return Counts(right, sum(map(len, asserted)) - right, sum(map(len, true)))


def _neighbor_overlap(parts: tuple[Part, Part], chosen: Rows) -> float:
    count = min(NEIGHBORS, len(parts[0].scorer) - 1)
    if count == 0:
        return 1.0
    near = [part.nearest(chosen, count) for part in parts]
    return float(np.mean(list(map(_common, *near))) / count)


def _clearest(parts: tuple[Part, Part], alone: Pairs, rejected_by: int) -> tuple[Disagreement, ...]:
    """The pairs of one model that the other rejects most clearly."""
    energies = [part.energies(alone) for part in parts]
    order = np.lexsort((alone[:, 0], alone[:, 1], -energies[rejected_by]))[:EXAMPLES]
    return tuple(_disagreement(parts[0], *alone[i], energies[0][i], energies[1][i]) for i in order)


def _disagreement(part: Part, parent: int, child: int, *energies: float) -> Disagreement:
    names = part.names[child], part.names[parent], part.labels[child], part.labels[parent]
    return Disagreement(*names, *map(float, energies))


Rows = NDArray[np.integer]


def shared_names(first: Embedding, second: Embedding) -> list[str]:
    """The names that both models have, exactly, sorted, so that the order of the models does not matter."""
    # Not ``name in second``, which also finds a node by its label or in another case.
    names = sorted(set(first.names).intersection(second.names))
    if not names:
        raise InputError(
            f"the models have no node in common: one has {first.names[0]!r} and {len(first) - 1:,} more, the other"
            f" {second.names[0]!r} and {len(second) - 1:,} more; compare models of one hierarchy"
        )
    return names


class Part:
    """A model restricted to some nodes; rows are positions in ``names``."""

    def __init__(self, embedding: Embedding, names: Sequence[str]) -> None:
        self.embedding, self.names = embedding, names
        self.rows = np.array([embedding.row(name) for name in names], np.int32)
        self.scorer = replace(embedding.scorer, points=embedding.points[self.rows])

    @cached_property
    def labels(self) -> list[str | None]:
        """The label of each node, or None."""
        return [self.embedding.label(row) for row in self.rows.tolist()]

    def asserted_above(self, children: Rows) -> list[Rows]:
        """The ancestors of each child by geometry, ascending."""
        return list(self.index.ancestors_of_many(children))

    def nearest(self, rows: Rows, count: int) -> list[Rows]:
        """The ``count`` nearest rows of each row, nearest first."""
        return [self.index.nearest(row, count).rows for row in rows.tolist()]

    @cached_property
    def index(self) -> ConeIndex:
        """The index over these nodes."""
        return ConeIndex(self.scorer)

    def true_above(self, children: Rows) -> list[Rows] | None:
        """The ancestors of each child in the graph, ascending; None if the graph is not known."""
        hierarchy = self.embedding.hierarchy
        if hierarchy is None:
            return None
        place = np.full(len(self.embedding), -1, np.int64)
        place[self.rows] = np.arange(len(self.rows))
        above = [place[hierarchy.ancestors_of(row)] for row in self.rows[children].tolist()]
        return [np.sort(rows[rows >= 0]) for rows in above]

    def energies(self, pairs: NDArray[np.int32]) -> Points:
        """The energy of each (parent, child)."""
        return self.scorer.energies(pairs)
