"""The search for a place: good starts, trial steps judged on a shortlist, and a scan of all nodes to keep it honest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hypercone._arrays import Rows
from hypercone._jit import dimension_type
from hypercone.methods import Method, Points, Settings
from hypercone.methods.scoring import energies_above, energies_below, energies_of_pairs
from hypercone.placement.placement_kernels import improve
from hypercone.placement.shortlist import Shortlist
from hypercone.placement.starts import starting_points
from hypercone.placement.wishes import Wishes

# Measured on WordNet nouns: more rounds, trials or starts do not raise F1 there.
ROUNDS, BEST_STARTS = 6, 2
TRIALS_PER_DIMENSION, MOST_TRIALS = 24, 480
# The first trial step, in units of the space; it grows and shrinks with success.
STRIDE = 0.3
# By how much energies differ that are worth telling apart: an angle, or a share of the threshold of a distance.
SCALE = 0.1
# A node should be right by this share of the scale, and is looked for as far as that.
MARGIN_SHARE = 0.1


@dataclass(frozen=True)
class Space:
    """The space of an embedding, and the energy at or below which a pair is true."""

    method: Method
    settings: Settings
    threshold: float

    @cached_property
    def constants(self) -> tuple[float, ...]:
        """The named tuple the kernels dispatch on."""
        return self.method.constants(self.settings)

    @cached_property
    def scale(self) -> float:
        """How much energy is much."""
        return SCALE if self.method.loss == "margin" else SCALE * max(abs(self.threshold), SCALE)

    def unit(self, points: Points) -> float:
        """A length to measure steps with: 1 in the ball, in flat space a third of the usual distance to the origin."""
        if self.method.is_hyperbolic:
            return 1.0
        return float(np.sqrt(np.einsum("ij,ij->", points, points) / max(1, len(points)))) / 3 or 1.0


class Placer:
    """The points of an embedding with room for new ones, which are placed one after the other.

    >>> from hypercone.methods import find_method
    >>> points = np.array([[0.5, 0.0], [0.7, 0.1], [0.0, 0.5]])
    >>> placer = Placer(Space(find_method("hyperbolic-cones"), Settings(), 0.0), points, None, room=1)
    >>> row = placer.place(parents=[0])
    >>> row, placer.found_above(row).tolist()
    (3, [0])
    """

    def __init__(self, space: Space, points: Points, edges: Rows | None, room: int) -> None:
        self.space = space
        self.size = len(points)
        self.points: Points = np.empty((len(points) + room, points.shape[1]))
        self.points[: self.size] = points
        self.edges = edges
        self._unit = space.unit(points)
        self._directions = _directions(points.shape[1])

    def place(self, parents: list[int], not_under: tuple[int, ...] = ()) -> int:
        """The row of one more node, put under its parents, what is above them, and nothing else, as far as can be."""
        wishes = self.wishes(parents, not_under)
        new, self.size = self.size, self.size + 1
        starts = starting_points(
            self.points, new, wishes.parents, self._children(parents), self.space.constants, self._unit
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
        energies = energies_above(self.space.method, self.space.settings, self.points[: self.size], row)
        return self._within(energies, row)

    def unmet(self, row: int, parents: list[int], not_under: tuple[int, ...]) -> list[tuple[str, int]]:
        """What was asked for by name and could not be: ("is not under", row) or ("is under", row)."""
        asked = [*parents, *not_under]
        pairs = np.array([[other, row] for other in asked], np.int32)
        energies = energies_of_pairs(self.space.method, self.space.settings, self.points, pairs)
        is_under = dict(zip(asked, energies <= self.space.threshold, strict=True))
        missed = [("is not under", parent) for parent in parents if not is_under[parent]]
        return missed + [("is under", other) for other in not_under if is_under[other]]

    def _within(self, energies: Points, row: int) -> Rows:
        rows = np.flatnonzero(energies <= self.space.threshold).astype(np.int32)
        others: Rows = rows[rows != row]
        return others

    def _children(self, parents: list[int]) -> Rows:
        """The children that the parents already have; if the edges are not known, all that is below them."""
        if self.edges is not None:
            return np.unique(self.edges[np.isin(self.edges[:, 0], parents), 1])
        points, method, settings = self.points[: self.size], self.space.method, self.space.settings
        return np.unique(
            np.concatenate(
                [self._within(energies_below(method, settings, points, parent), parent) for parent in parents]
            )
        )

    def _search(self, new: int, wishes: Wishes, starts: Points) -> None:
        """Leave the new point at the best place found; its cost is exact, for every place was scanned."""
        listed = Shortlist(wishes)
        self.points[new] = starts[1]
        self._grow(listed, new, self.space.scale)
        costs = self._costs(new, listed, starts)
        pool = starts[np.argsort(costs, kind="stable")[:BEST_STARTS]]
        best, least = pool[0], np.inf
        for turn in range(ROUNDS):
            before = len(listed)
            pool = np.array([self._improve(new, listed, place, self._directions[turn])[1] for place in pool])
            for place in pool:
                self.points[new] = place
                self._grow(listed, new, MARGIN_SHARE * self.space.scale)
            costs = self._costs(new, listed, pool)
            order = np.argsort(costs, kind="stable")
            if costs[order[0]] < least:
                best, least = pool[order[0]], costs[order[0]]
            if least == 0.0 or len(listed) == before:
                break
            pool = pool[order[: max(1, BEST_STARTS - turn)]]
        self.points[new] = best

    def _grow(self, listed: Shortlist, new: int, beyond: float) -> None:
        listed.grow(self.points, new, self.space.threshold + beyond, self.space.constants, self._dim)

    def _costs(self, new: int, listed: Shortlist, places: Points) -> Points:
        costs = [self._improve(new, listed, place, self._directions[0, :0])[0] for place in places]
        return np.array(costs)

    def _improve(self, new: int, listed: Shortlist, place: Points, directions: Points) -> tuple[float, Points]:
        """The cost and the place reached from a place by trial steps in these directions."""
        space = self.space
        self.points[new] = place
        limits = space.threshold, space.scale, self._dim
        stride = STRIDE * self._unit
        cost = improve(self.points, new, *listed.arrays, directions, stride, space.constants, *limits)
        return cost, self.points[new].copy()

    @cached_property
    def _dim(self) -> Any:

        return dimension_type(self.points.shape[1])


def _directions(dim: int) -> Points:
    """Unit vectors for the trial steps of every round, the same for every node: nothing depends on what came before."""
    count = min(TRIALS_PER_DIMENSION * dim, MOST_TRIALS)
    drawn = np.random.default_rng([0x91ACE, dim]).standard_normal((ROUNDS, count, dim))
    unit: Points = drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)
    return unit
