"""Adding nodes without training: each gets the point that satisfies its constraints best; no other point moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypercone._arrays import Rows, freeze
from hypercone._jit import dimension_type
from hypercone._random import unit_vectors
from hypercone.embedding.embedding_kernels import (
    ABOVE,
    NOT_ABOVE,
    NOT_BELOW,
    improve_position,
    mark_ancestors,
    points_outwards,
    rows_within,
)
from hypercone.embedding.relations import checked_point
from hypercone.errors import HierarchyError, InputError, option, short, unknown_name
from hypercone.hierarchy.graph import format_cycle
from hypercone.hierarchy.names import Labels, NodeNames, checked_names, rows_of_pairs
from hypercone.methods import Points
from hypercone.methods.scoring import Scorer
from hypercone.progress import Step

if TYPE_CHECKING:
    from hypercone.embedding.embedding import Embedding

# More violated constraints than this are only counted, so that the record stays small.
MAX_LISTED = 100


def add_many(
    embedding: Embedding,
    nodes: NewNodes,
    not_under: Mapping[str, Sequence[str]] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Embedding:
    """The embedding with one more row per new node, parents placed first."""
    parents = parents_by_name(nodes)
    order = parents_first(parents)
    apart = _check_new_names(option("not_under"), not_under or {}, parents)
    called = _check_new_names(option("labels"), labels or {}, parents)
    rows = {name: len(embedding) + place for place, name in enumerate(order)}
    constraints = {name: _constraint_rows(embedding, rows, name, parents[name], apart.get(name, ())) for name in order}
    placer = Placer(embedding.scorer, embedding.edges, len(order), embedding.by_point)
    violated: list[tuple[str, str, int]] = []
    with Step("placing", len(order)) as step:
        for name in order:
            above, not_above = constraints[name]
            if not_above:
                _refuse_contradiction(embedding, placer, name, above, not_above)
            # Nodes that are placed later have no position yet; whether one is above is checked at the end.
            placer.place(above, tuple(row for row in not_above if row < rows[name]))
            step.advance()
    for name in order:
        violated += [(name, relation, row) for relation, row in placer.find_violations(rows[name], *constraints[name])]
    names = NodeNames(embedding.names).extended_by(order)
    return replace(
        embedding,
        names=names,
        # Not copied: the placer is not used any more.
        points=freeze(placer.points),
        edges=placer.edges,
        labels=_more_labels(embedding, [called.get(name, "") for name in order]),
        glossary=None if embedding.glossary is None else embedding.glossary.extended_by(len(order)),
        record=_record_with_placement(
            embedding.record, len(order), [(name, relation, names[row]) for name, relation, row in violated]
        ),
    )


def add_at_point(embedding: Embedding, name: str, point: ArrayLike, label: str | None) -> Embedding:
    """The embedding with one more row at a given point; the node is not in the graph."""
    _refuse_known_name(embedding, name)
    place, row = checked_point(embedding, point), np.int32(len(embedding))
    before = np.empty(0, np.int32) if embedding.by_point is None else embedding.by_point
    return replace(
        embedding,
        names=NodeNames(embedding.names).extended_by([name]),
        points=freeze(np.vstack([embedding.points, place])),
        labels=_more_labels(embedding, [label or ""]),
        by_point=None if embedding.edges is None else np.append(before, row),
        glossary=None if embedding.glossary is None else embedding.glossary.extended_by(1),
        record=_record_with_placement(embedding.record, 1, []),
    )


def _refuse_known_name(embedding: Embedding, name: str) -> None:
    """Refuse the name of a node, and an id that another node has or had; a label or synonym may become a name."""
    glossary, but = embedding.glossary, "give the new node another name"
    if name in embedding._rows:
        raise InputError(f"{name!r} is already in the model; {but}")
    if glossary is None or not glossary.has_id(name):
        return
    owner = next((row for row, ids in enumerate(glossary.other_ids) if name in ids), None)
    if owner is None:
        raise InputError(f"{name!r} is an obsolete id in the model; {but}")
    raise InputError(f"{name!r} is another id of {embedding.names[owner]!r} in the model; {but}")


def _constraint_rows(
    embedding: Embedding, rows: Mapping[str, int], name: str, parents: Sequence[str], not_under: Sequence[str]
) -> tuple[list[int], tuple[int, ...]]:
    """The rows of the parents, and of the nodes that the new one must not be under."""
    _refuse_known_name(embedding, name)
    above = [_row(embedding, rows, parent) for parent in parents]
    others = [not_under] if isinstance(not_under, str) else not_under
    not_above = {_row(embedding, rows, other) for other in others} - {rows[name]}
    return list(dict.fromkeys(above)), tuple(sorted(not_above))


def _row(embedding: Embedding, rows: Mapping[str, int], name: str) -> int:
    return rows[name] if name in rows else embedding.row(name)


def _refuse_contradiction(
    embedding: Embedding, placer: Placer, name: str, above: list[int], not_above: tuple[int, ...]
) -> None:
    both = set(above if placer.edges is None else placer.constraints_for(above).above.tolist()) & set(not_above)
    if both:
        row = min(both)
        other = embedding.names[row] if row < len(embedding) else "a new node"
        raise InputError(f"{name!r} cannot be outside {other!r}, which is one of its parents or above one")


def _check_new_names(what: str, given: Mapping[str, Any], parents: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in given:
        if name not in parents:
            raise unknown_name(f"new node for {what} called", name, parents)
    return given


def _more_labels(embedding: Embedding, texts: list[str]) -> Labels | None:
    if embedding.labels is None and not any(texts):
        return None
    return (embedding.labels or Labels([""] * len(embedding))) + Labels(texts)


def _record_with_placement(record: dict[str, Any], count: int, violated: list[tuple[str, str, str]]) -> dict[str, Any]:
    placed = record.get("placed")
    before = placed if isinstance(placed, dict) else {}
    # Version 0.1 used other keys.
    listed = before.get("violated", before.get("unmet"))  # old name
    count_before = _count(before.get("violated_constraints", before.get("unmet_wishes")))  # old name
    return record | {
        "placed": {
            "nodes": _count(before.get("nodes")) + count,
            "violated_constraints": count_before + len(violated),
            "violated": [*(listed if isinstance(listed, list) else []), *map(_violation_sentence, violated)][
                :MAX_LISTED
            ],
        }
    }


def _count(value: object) -> int:
    # A record may come from a file, with values of any type.
    return value if isinstance(value, int) else 0


def _violation_sentence(violation: tuple[str, str, str]) -> str:
    return " ".join(map(short, violation))


# A mapping of new names to the names of their parents, or (parent, child) pairs of names.
NewNodes = Mapping[str, str | Sequence[str]] | Iterable[tuple[str, str]]


def parents_by_name(given: NewNodes) -> dict[str, list[str]]:
    """The parents of each new node, without duplicates.

    >>> parents_by_name([("dog", "husky"), ("husky", "sled dog"), ("dog", "husky")])
    {'husky': ['dog'], 'sled dog': ['husky']}
    """
    if not isinstance(given, Mapping):
        index, edges = rows_of_pairs(given)
        names = tuple(index)
        grouped: dict[str, list[str]] = {}
        for parent, child in edges.tolist():
            grouped.setdefault(names[child], []).append(names[parent])
        given = grouped
    return {name: _checked_parents(name, parents) for name, parents in given.items()}


def parents_first(parents: Mapping[str, Sequence[str]]) -> list[str]:
    """The new nodes in an order with parents first; HierarchyError for a cycle.

    >>> parents_first({"sled dog": ["husky"], "husky": ["dog"]})
    ['husky', 'sled dog']
    """
    among_new = {name: [parent for parent in above if parent in parents] for name, above in parents.items()}
    try:
        return list(TopologicalSorter(among_new).static_order())
    except CycleError as error:
        circle: list[str] = error.args[1][:-1]
        words = format_cycle(circle, range(len(circle)))
        raise HierarchyError(f"the new nodes form a cycle, parent → child: {words}; remove one edge") from None


def _checked_parents(name: str, parents: str | Sequence[str]) -> list[str]:
    checked_names([name])
    if not isinstance(parents, Iterable):
        raise InputError(f"the parents of {name!r} are {parents!r}; give a list of names")
    parents = [parents] if isinstance(parents, str) else list(dict.fromkeys(parents))
    if not parents:
        raise InputError(f"{name!r} has no {option('parents')}; give at least one, to say where it belongs")
    if name in parents:
        raise InputError(f"{name!r} is given as its own parent; give another one")
    return parents


# Measured on WordNet nouns: more rounds, trials or starts do not raise F1 there.
ROUNDS, BEST_STARTS = 6, 2
TRIALS_PER_DIMENSION, MOST_TRIALS = 24, 480
# The first trial step, in units of the space; it grows and shrinks with success.
STRIDE = 0.3
SCALE = 0.1
# Constraints should hold with this share of the scale as a margin.
MARGIN_SHARE = 0.1


def energy_scale(scorer: Scorer) -> float:
    """A significant difference of energies: an angle, or a share of the threshold of a distance."""
    return SCALE if scorer.method.loss == "margin" else SCALE * max(abs(scorer.threshold), SCALE)


def length_unit(scorer: Scorer) -> float:
    """The unit of step lengths: 1 in the ball, a third of the typical norm in flat space."""
    if scorer.method.is_hyperbolic:
        return 1.0
    points = scorer.points
    return float(np.sqrt((points * points).sum() / max(1, len(points)))) / 3 or 1.0


class Placer:
    """The points of an embedding with capacity for new ones, which are placed one by one.

    >>> from hypercone.methods import Settings, find_method
    >>> points = np.array([[0.5, 0.0], [0.7, 0.1], [0.0, 0.5]])
    >>> placer = Placer(Scorer(points, find_method("hyperbolic-cones"), Settings()), None, capacity=1)
    >>> row = placer.place(parents=[0])
    >>> row, placer.ancestors_by_geometry(row).tolist()
    (3, [0])
    """

    def __init__(self, scorer: Scorer, edges: Rows | None, capacity: int, by_point: Rows | None = None) -> None:
        self.scorer = scorer
        self.size = len(scorer)
        self.points: Points = np.empty((self.size + capacity, scorer.points.shape[1]))
        self.points[: self.size] = scorer.points
        self.edges, self._by_point = edges, by_point
        self._unit, self._scale = length_unit(scorer), energy_scale(scorer)
        self._directions = _directions(scorer.points.shape[1])

    def place(self, parents: list[int], not_under: tuple[int, ...] = ()) -> int:
        """The row of a new node, placed under its parents and their ancestors and, if possible, nothing else."""
        constraints = self.constraints_for(parents, not_under)
        new, self.size = self.size, self.size + 1
        starts = starting_points(
            self.points, new, constraints.parents, self._children(parents), self.scorer.constants, self._unit
        )
        self._search(new, constraints, starts)
        if self.edges is not None:
            self.edges = np.concatenate([self.edges, np.array([[parent, new] for parent in parents], np.int32)])
        return new

    def constraints_for(self, parents: list[int], not_under: tuple[int, ...] = ()) -> Constraints:
        """The constraints of a node with these parents: by the edges where they are known, else by geometry."""
        if self.edges is not None:
            found = Constraints.by_edges(self.edges, self.size, parents, not_under)
            # What is above a node that was placed by a point, only the geometry knows.
            unknown = [] if self._by_point is None else np.intersect1d(found.above, self._by_point).tolist()
            if not unknown:
                return found
            known = found.above
        else:
            unknown, known = parents, np.array(parents, np.int32)
        above = [self.ancestors_by_geometry(row) for row in unknown]
        wanted = np.setdiff1d(np.unique(np.concatenate([*above, known])), not_under)
        return Constraints(tuple(parents), wanted.astype(np.int32), not_under)

    def ancestors_by_geometry(self, row: int) -> Rows:
        """The ancestors of a row by geometry."""
        return self._placed_scorer().above(row)

    def find_violations(self, row: int, parents: list[int], not_under: tuple[int, ...]) -> list[tuple[str, int]]:
        """The violated explicit constraints: ("is not under", row) or ("is under", row)."""
        asked = [*parents, *not_under]
        pairs = np.array([[other, row] for other in asked], np.int32)
        energies = self._placed_scorer().energies(pairs)
        is_under = dict(zip(asked, energies <= self.scorer.threshold, strict=True))
        missed = [("is not under", parent) for parent in parents if not is_under[parent]]
        return missed + [("is under", other) for other in not_under if is_under[other]]

    def _placed_scorer(self) -> Scorer:
        """A scorer of the nodes placed so far."""
        return replace(self.scorer, points=self.points[: self.size])

    def _children(self, parents: list[int]) -> Rows:
        """The present children of the parents; if the edges are not known, all their descendants by geometry."""
        if self.edges is not None:
            return np.unique(self.edges[np.isin(self.edges[:, 0], parents), 1])
        so_far = self._placed_scorer()
        return np.unique(np.concatenate([so_far.below(parent) for parent in parents]))

    def _search(self, new: int, constraints: Constraints, starts: Points) -> None:
        """Move the new point to the best position found; its cost is exact, as every candidate was scanned."""
        listed = Shortlist(constraints)
        self.points[new] = starts[1]
        self._grow(listed, new, self._scale)
        costs = self._costs(new, listed, starts)
        pool = starts[np.argsort(costs, kind="stable")[:BEST_STARTS]]
        best, least = pool[0], np.inf
        for turn in range(ROUNDS):
            before = len(listed)
            pool = np.array([self._improve(new, listed, place, self._directions[turn])[1] for place in pool])
            for place in pool:
                self.points[new] = place
                self._grow(listed, new, MARGIN_SHARE * self._scale)
            costs = self._costs(new, listed, pool)
            order = np.argsort(costs, kind="stable")
            if costs[order[0]] < least:
                best, least = pool[order[0]], costs[order[0]]
            if least == 0.0 or len(listed) == before:
                break
            pool = pool[order[: max(1, BEST_STARTS - turn)]]
        self.points[new] = best

    def _grow(self, listed: Shortlist, new: int, beyond: float) -> None:
        listed.grow(self.points, new, self.scorer.threshold + beyond, self.scorer.constants, self.scorer.dim)

    def _costs(self, new: int, listed: Shortlist, places: Points) -> Points:
        costs = [self._improve(new, listed, place, self._directions[0, :0])[0] for place in places]
        return np.array(costs)

    def _improve(self, new: int, listed: Shortlist, place: Points, directions: Points) -> tuple[float, Points]:
        """The cost and the position reached from ``place`` by trial steps in these directions."""
        scorer = self.scorer
        self.points[new] = place
        limits = scorer.threshold, self._scale, scorer.dim
        stride = STRIDE * self._unit
        cost = improve_position(self.points, new, listed.arrays, directions, stride, scorer.constants, *limits)
        return cost, self.points[new].copy()


def _directions(dim: int) -> Points:
    """Unit vectors for the trial steps of every round; the same for every node, so that results are independent."""
    count = min(TRIALS_PER_DIMENSION * dim, MOST_TRIALS)
    drawn = unit_vectors(np.random.default_rng([0x91ACE, dim]), ROUNDS * count, dim)
    return drawn.reshape(ROUNDS, count, dim)


@dataclass(frozen=True)
class Constraints:
    """The rows a new node should be under, its explicit parents among them, and the rows it must not be under.

    >>> Constraints.by_edges(np.array([[0, 1], [1, 2]], np.int32), 3, parents=[2]).above.tolist()
    [0, 1, 2]
    """

    parents: tuple[int, ...]
    above: Rows
    not_above: tuple[int, ...] = ()

    @classmethod
    def by_edges(cls, edges: Rows, size: int, parents: list[int], not_under: tuple[int, ...] = ()) -> Constraints:
        """The node should be under its parents and all their ancestors along (parent, child) edges."""
        marks: NDArray[np.bool_] = np.zeros(size, np.bool_)
        marks[parents] = True
        mark_ancestors(edges, marks)
        return cls(tuple(parents), np.flatnonzero(marks).astype(np.int32), not_under)


# Weights of constraints: explicit ones dominate. Being above an unrelated node costs half as much as being under one,
# as queries about a leaf are usually about its ancestors.
EXPLICIT, IMPLIED, BELOW = 1000.0, 1.0, 0.5
# More nodes than this are near only in a model of little use.
MOST_FOUND = 4096


class ShortlistArrays(NamedTuple):
    """Rows, the required relation of each to the new node, and the weight of a violation."""

    rows: Rows
    kinds: NDArray[np.int32]
    weights: Points


class Shortlist:
    """The rows that matter near the new node, with the required relation and the weight of a violation."""

    def __init__(self, constraints: Constraints) -> None:
        self._not_above, self._not_below = NOT_ABOVE, NOT_BELOW
        self._entries: dict[tuple[int, int], float] = {
            (int(row), ABOVE): EXPLICIT if row in constraints.parents else IMPLIED for row in constraints.above
        }
        self._entries |= {(row, NOT_ABOVE): EXPLICIT for row in constraints.not_above}
        self._above = set(constraints.above.tolist())
        self._found = np.empty(MOST_FOUND, np.int32)
        self._arrays: ShortlistArrays | None = None

    def __len__(self) -> int:
        return len(self._entries)

    def grow(self, points: Points, new: int, bound: float, space: tuple[float, ...], dim: Any) -> None:
        """Scan all nodes, and add those that are within the bound of the new one but should not be."""
        above, both = rows_within(points, new, self._found, bound, space, dim)
        self._arrays = None
        for row in self._found[:above].tolist():
            if row not in self._above:
                self._entries.setdefault((row, self._not_above), IMPLIED)
        for row in self._found[above:both].tolist():
            self._entries.setdefault((row, self._not_below), BELOW)

    @property
    def arrays(self) -> ShortlistArrays:
        """The list as arrays, for the kernels."""
        if self._arrays is None:
            rows, kinds = np.array(list(self._entries), np.int32).reshape(-1, 2).T.copy()
            self._arrays = ShortlistArrays(rows, kinds, np.array(list(self._entries.values())))
        return self._arrays


# Distances outwards from a parent, in length units; children of cones are found within two.
OUTWARDS = np.array([0.05, 0.2, 0.5, 1.0, 2.0])
BESIDE = np.array([0.02])
MOST_PARENTS, MOST_CHILDREN = 4, 12


def starting_points(
    points: Points, new: int, parents: tuple[int, ...], children: Rows, space: tuple[float, ...], unit: float
) -> Points:
    """Positions to try first; overwrites the row of the new node."""

    def outwards(place: Points, lengths: Points) -> Points:
        points[new] = place
        pushed: Points = points_outwards(
            points, new, lengths * unit, space, dimension_type(points.shape[1], len(points))
        )
        return pushed

    groups = [outwards(points[parent], OUTWARDS) for parent in parents[:MOST_PARENTS]]
    if len(parents) > 1:
        groups.append(outwards(points[list(parents)].mean(axis=0), OUTWARDS))
    groups += [outwards(points[child], BESIDE) for child in evenly_spaced(children, MOST_CHILDREN)]
    return np.concatenate(groups)


def evenly_spaced(rows: Rows, most: int) -> list[int]:
    """At most ``most`` of the rows, evenly spaced.

    >>> evenly_spaced(np.arange(10), 4)
    [0, 3, 6, 9]
    """
    chosen: list[int] = rows[np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(np.int64)].tolist()
    return chosen
