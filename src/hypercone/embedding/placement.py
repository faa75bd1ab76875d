"""New nodes without training: each gets a point where its constraints are met best, and no other point moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows, freeze
from hypercone._jit import dimension_type
from hypercone.embedding.embedding_kernels import ABOVE, NOT_ABOVE, NOT_BELOW, improve, mark_above, pushed_out, scan
from hypercone.errors import HierarchyError, InputError, option, short, unknown_name
from hypercone.hierarchy.graph import in_words
from hypercone.hierarchy.names import Labels, NodeNames, checked_names, rows_of_pairs
from hypercone.methods import Points
from hypercone.methods.scoring import Scorer
from hypercone.progress import Step

if TYPE_CHECKING:
    from hypercone.embedding.embedding import Embedding

# The description of a model stays small however much is placed: more unmet wishes than this are only counted.
MOST_LISTED = 100


def add_many(
    embedding: Embedding,
    nodes: NewNodes,
    not_under: Mapping[str, Sequence[str]] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Embedding:
    """The embedding with one more row for each new node, placed from the top down."""
    parents = parents_by_name(nodes)
    order = from_the_top(parents)
    apart = _for_new_nodes(option("not_under"), not_under or {}, parents)
    called = _for_new_nodes(option("labels"), labels or {}, parents)
    rows = {name: len(embedding) + place for place, name in enumerate(order)}
    wished = {name: _wishes(embedding, rows, name, parents[name], apart.get(name, ())) for name in order}
    placer = Placer(embedding.scorer, embedding.edges, room=len(order))
    unmet: list[tuple[str, str, int]] = []
    with Step("placing", len(order)) as step:
        for name in order:
            above, not_above = wished[name]
            if not_above:
                _refuse_contradiction(embedding, placer, name, above, not_above)
            # What comes later has no place yet, and cannot be kept out of; whether it is above is seen at the end.
            placer.place(above, tuple(row for row in not_above if row < rows[name]))
            step.advance()
    for name in order:
        unmet += [(name, wish, row) for wish, row in placer.unmet(rows[name], *wished[name])]
    names = NodeNames(embedding.names).extended(order)
    return replace(
        embedding,
        names=names,
        # The placer is done with them, so that they need not be copied.
        points=freeze(placer.points),
        edges=placer.edges,
        labels=_more_labels(embedding, [called.get(name, "") for name in order]),
        record=_noted(embedding.record, len(order), [(name, wish, names[row]) for name, wish, row in unmet]),
    )


def _wishes(
    embedding: Embedding, rows: Mapping[str, int], name: str, parents: Sequence[str], not_under: Sequence[str]
) -> tuple[list[int], tuple[int, ...]]:
    """The rows of the parents, and of what the node must not be under."""
    if name in embedding:
        raise InputError(f"{name!r} is already in the model; give the new node another name")
    above = [_row(embedding, rows, parent) for parent in parents]
    others = [not_under] if isinstance(not_under, str) else not_under
    not_above = {_row(embedding, rows, other) for other in others} - {rows[name]}
    return list(dict.fromkeys(above)), tuple(sorted(not_above))


def _row(embedding: Embedding, rows: Mapping[str, int], name: str) -> int:
    return rows[name] if name in rows else embedding.row(name)


def _refuse_contradiction(
    embedding: Embedding, placer: Placer, name: str, above: list[int], not_above: tuple[int, ...]
) -> None:
    both = set(above if placer.edges is None else placer.wishes(above).above.tolist()) & set(not_above)
    if both:
        row = min(both)
        other = embedding.names[row] if row < len(embedding) else "a new node"
        raise InputError(f"{name!r} cannot be kept out of {other!r}, which is or is above one of its parents")


def _for_new_nodes(what: str, given: Mapping[str, Any], parents: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in given:
        if name not in parents:
            raise unknown_name(f"new node for {what} called", name, parents)
    return given


def _more_labels(embedding: Embedding, texts: list[str]) -> Labels | None:
    if embedding.labels is None and not any(texts):
        return None
    return (embedding.labels or Labels([""] * len(embedding))) + Labels(texts)


def _noted(record: dict[str, Any], count: int, unmet: list[tuple[str, str, str]]) -> dict[str, Any]:
    placed = record.get("placed")
    before = placed if isinstance(placed, dict) else {}
    # What version 0.1 called it.
    listed = before.get("violated", before.get("unmet"))
    count_before = _count(before.get("violated_constraints", before.get("unmet_wishes")))
    return record | {
        "placed": {
            "nodes": _count(before.get("nodes")) + count,
            "violated_constraints": count_before + len(unmet),
            "violated": [*(listed if isinstance(listed, list) else []), *map(_told, unmet)][:MOST_LISTED],
        }
    }


def _count(value: object) -> int:
    # A record comes from a file, where it may be anything.
    return value if isinstance(value, int) else 0


def _told(wish: tuple[str, str, str]) -> str:
    return " ".join(short(word) for word in wish)


# Names of new nodes with the names of their parents, or (parent, child) pairs of names.
NewNodes = Mapping[str, str | Sequence[str]] | Iterable[tuple[str, str]]


def parents_by_name(given: NewNodes) -> dict[str, list[str]]:
    """The parents of each new node, none twice.

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
    return {name: _checked(name, parents) for name, parents in given.items()}


def from_the_top(parents: Mapping[str, Sequence[str]]) -> list[str]:
    """The new nodes such that each comes after those of its parents that are new; HierarchyError for a circle.

    >>> from_the_top({"sled dog": ["husky"], "husky": ["dog"]})
    ['husky', 'sled dog']
    """
    among_new = {name: [parent for parent in above if parent in parents] for name, above in parents.items()}
    try:
        return list(TopologicalSorter(among_new).static_order())
    except CycleError as error:
        circle: list[str] = error.args[1][:-1]
        words = in_words(circle, range(len(circle)))
        raise HierarchyError(f"the new nodes run in a circle, parent → child: {words}; remove one edge") from None


def _checked(name: str, parents: str | Sequence[str]) -> list[str]:
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
# A node should be right by this share of the scale, and is looked for as far as that.
MARGIN_SHARE = 0.1


def much_energy(scorer: Scorer) -> float:
    """The difference of energies that is worth telling apart: an angle, or a share of the threshold of a distance."""
    return SCALE if scorer.method.loss == "margin" else SCALE * max(abs(scorer.threshold), SCALE)


def unit_of_length(scorer: Scorer) -> float:
    """A length to measure steps with: 1 in the ball, in flat space a third of the usual distance to the origin."""
    if scorer.method.is_hyperbolic:
        return 1.0
    points = scorer.points
    return float(np.sqrt(np.einsum("ij,ij->", points, points) / max(1, len(points)))) / 3 or 1.0


class Placer:
    """The points of an embedding with room for new ones, which are placed one after the other.

    >>> from hypercone.methods import Settings, find_method
    >>> points = np.array([[0.5, 0.0], [0.7, 0.1], [0.0, 0.5]])
    >>> placer = Placer(Scorer(points, find_method("hyperbolic-cones"), Settings()), None, room=1)
    >>> row = placer.place(parents=[0])
    >>> row, placer.found_above(row).tolist()
    (3, [0])
    """

    def __init__(self, scorer: Scorer, edges: Rows | None, room: int) -> None:
        self.scorer = scorer
        self.size = len(scorer)
        self.points: Points = np.empty((self.size + room, scorer.points.shape[1]))
        self.points[: self.size] = scorer.points
        self.edges = edges
        self._unit, self._scale = unit_of_length(scorer), much_energy(scorer)
        self._directions = _directions(scorer.points.shape[1])

    def place(self, parents: list[int], not_under: tuple[int, ...] = ()) -> int:
        """The row of one more node, put under its parents, what is above them, and nothing else, as far as can be."""
        wishes = self.wishes(parents, not_under)
        new, self.size = self.size, self.size + 1
        starts = starting_points(
            self.points, new, wishes.parents, self._children(parents), self.scorer.constants, self._unit
        )
        self._search(new, wishes, starts)
        if self.edges is not None:
            self.edges = np.concatenate([self.edges, np.array([[parent, new] for parent in parents], np.int32)])
        return new

    def wishes(self, parents: list[int], not_under: tuple[int, ...] = ()) -> Wishes:
        """What a node with these parents wants: by the edges if they are known, else by where the parents are."""
        if self.edges is not None:
            return Wishes.by_edges(self.edges, self.size, parents, not_under)
        above = [self.found_above(parent) for parent in parents]
        wanted = np.setdiff1d(np.unique(np.concatenate([*above, np.array(parents)])), not_under)
        return Wishes(tuple(parents), wanted.astype(np.int32), not_under)

    def found_above(self, row: int) -> Rows:
        """The rows that a row is under, by its place."""
        return self._so_far().above(row)

    def unmet(self, row: int, parents: list[int], not_under: tuple[int, ...]) -> list[tuple[str, int]]:
        """What was asked for by name and could not be: ("is not under", row) or ("is under", row)."""
        asked = [*parents, *not_under]
        pairs = np.array([[other, row] for other in asked], np.int32)
        energies = self._so_far().energies(pairs)
        is_under = dict(zip(asked, energies <= self.scorer.threshold, strict=True))
        missed = [("is not under", parent) for parent in parents if not is_under[parent]]
        return missed + [("is under", other) for other in not_under if is_under[other]]

    def _so_far(self) -> Scorer:
        """All that have a place by now."""
        return replace(self.scorer, points=self.points[: self.size])

    def _children(self, parents: list[int]) -> Rows:
        """The children that the parents already have; if the edges are not known, all that is below them."""
        if self.edges is not None:
            return np.unique(self.edges[np.isin(self.edges[:, 0], parents), 1])
        so_far = self._so_far()
        return np.unique(np.concatenate([so_far.below(parent) for parent in parents]))

    def _search(self, new: int, wishes: Wishes, starts: Points) -> None:
        """Leave the new point at the best place found; its cost is exact, for every place was scanned."""
        listed = Shortlist(wishes)
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
        """The cost and the place reached from a place by trial steps in these directions."""
        scorer = self.scorer
        self.points[new] = place
        limits = scorer.threshold, self._scale, scorer.dim
        stride = STRIDE * self._unit
        cost = improve(self.points, new, listed.arrays, directions, stride, scorer.constants, *limits)
        return cost, self.points[new].copy()


def _directions(dim: int) -> Points:
    """Unit vectors for the trial steps of every round, the same for every node: nothing depends on what came before."""
    count = min(TRIALS_PER_DIMENSION * dim, MOST_TRIALS)
    drawn = np.random.default_rng([0x91ACE, dim]).standard_normal((ROUNDS, count, dim))
    unit: Points = drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)
    return unit


@dataclass(frozen=True)
class Wishes:
    """The rows a new node should be under, those of them that were asked for by name, and those it must not be under.

    >>> Wishes.by_edges(np.array([[0, 1], [1, 2]], np.int32), 3, parents=[2]).above.tolist()
    [0, 1, 2]
    """

    parents: tuple[int, ...]
    above: Rows
    not_above: tuple[int, ...] = ()

    @classmethod
    def by_edges(cls, edges: Rows, size: int, parents: list[int], not_under: tuple[int, ...] = ()) -> Wishes:
        """Above are the parents and, along (parent, child) edges, all above them."""
        marks: NDArray[np.bool_] = np.zeros(size, np.bool_)
        marks[parents] = True
        mark_above(edges, marks)
        return cls(tuple(parents), np.flatnonzero(marks).astype(np.int32), not_under)


# What was asked for by name comes before anything else; and being above a stranger is half as bad as being under one,
# for a leaf is asked for what it is, hardly ever for what is below it.
ASKED, IMPLIED, BELOW = 1000.0, 1.0, 0.5
# More than this are near only in a model that says hardly anything.
MOST_FOUND = 4096


class Listed(NamedTuple):
    """Rows, what each is to the new node, and what it costs to have it on the wrong side."""

    rows: Rows
    kinds: NDArray[np.int32]
    weights: Points


class Shortlist:
    """Rows with what each is to the new node and what it costs to have it on the wrong side."""

    def __init__(self, wishes: Wishes) -> None:
        self._not_above, self._not_below = NOT_ABOVE, NOT_BELOW
        self._entries: dict[tuple[int, int], float] = {
            (int(row), ABOVE): ASKED if row in wishes.parents else IMPLIED for row in wishes.above
        }
        self._entries |= {(row, NOT_ABOVE): ASKED for row in wishes.not_above}
        self._above = set(wishes.above.tolist())
        self._found = np.empty(MOST_FOUND, np.int32)
        self._arrays: Listed | None = None

    def __len__(self) -> int:
        return len(self._entries)

    def grow(self, points: Points, new: int, bound: float, space: tuple[float, ...], dim: Any) -> None:
        """Scan all nodes, and list those within the bound of the new one that should not be."""
        above, both = scan(points, new, self._found, bound, space, dim)
        self._arrays = None
        for row in self._found[:above].tolist():
            if row not in self._above:
                self._entries.setdefault((row, self._not_above), IMPLIED)
        for row in self._found[above:both].tolist():
            self._entries.setdefault((row, self._not_below), BELOW)

    @property
    def arrays(self) -> Listed:
        """The list as the kernels take it."""
        if self._arrays is None:
            rows, kinds = np.array(list(self._entries), np.int32).reshape(-1, 2).T.copy()
            self._arrays = Listed(rows, kinds, np.array(list(self._entries.values())))
        return self._arrays


# How far out from a parent, in units of the space; children of cones are found within two of them.
OUTWARDS = np.array([0.05, 0.2, 0.5, 1.0, 2.0])
BESIDE = np.array([0.02])
MOST_PARENTS, MOST_CHILDREN = 4, 12


def starting_points(
    points: Points, new: int, parents: tuple[int, ...], children: Rows, space: tuple[float, ...], unit: float
) -> Points:
    """Places to try first; the row of the new node is used to find them."""

    def outwards(place: Points, lengths: Points) -> Points:
        points[new] = place
        pushed: Points = pushed_out(points, new, lengths * unit, space, dimension_type(points.shape[1]))
        return pushed

    groups = [outwards(points[parent], OUTWARDS) for parent in parents[:MOST_PARENTS]]
    if len(parents) > 1:
        groups.append(outwards(points[list(parents)].mean(axis=0), OUTWARDS))
    groups += [outwards(points[child], BESIDE) for child in spread(children, MOST_CHILDREN)]
    return np.concatenate(groups)


def spread(rows: Rows, most: int) -> list[int]:
    """At most so many of the rows, evenly spread over all of them.

    >>> spread(np.arange(10), 4)
    [0, 3, 6, 9]
    """
    chosen: list[int] = rows[np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(np.int64)].tolist()
    return chosen
