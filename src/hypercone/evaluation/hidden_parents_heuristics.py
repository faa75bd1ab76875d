"""Scores of a likely parent from the graph alone: what an embedding has to beat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hypercone.evaluation.hidden_parents_kernels import add_lists
from hypercone.evaluation.hidden_parents_ranks import Scorer
from hypercone.hierarchy import Adjacency, Hierarchy
from hypercone.hierarchy.graph import flipped_lists
from hypercone.methods import Points
from hypercone.methods.scoring import Rows

# As usual for walks with restart; after so many steps what is left of the start is below two thousandths.
RESTART = 0.15
WALK_STEPS = 40
FUSION = 60


def each(score_one: Callable[[int], Points]) -> Scorer:
    """A scorer of many nodes from one of a single node.

    >>> each(lambda node: np.arange(3.0) + node)(np.array([0, 10])).tolist()
    [[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]]
    """
    return lambda nodes: np.stack([score_one(node) for node in nodes.tolist()])


def by_chance(hierarchy: Hierarchy, seed: int = 0) -> Scorer:
    """Random scores, a function of the seed and the node."""
    return each(lambda node: np.random.default_rng([seed, node]).random(len(hierarchy)))


def by_popularity(hierarchy: Hierarchy) -> Scorer:
    """The number of children, whatever the node."""
    children = hierarchy.children.counts.astype(np.float64)
    return lambda nodes: np.tile(children, (len(nodes), 1))


def by_level(hierarchy: Hierarchy) -> Scorer:
    """First those one level above the node, counted from the roots; of a level the one with the most children.

    A node without parents has no such level: then levels are counted from the leaves.
    """
    depths = hierarchy.depths().astype(np.float64)
    heights = Hierarchy(hierarchy.names, hierarchy.edges[:, ::-1]).depths().astype(np.float64)
    children = hierarchy.children.counts / (1 + hierarchy.children.counts.max(initial=0))

    def score(node: int) -> Points:
        is_root = depths[node] == 0
        gaps = heights - (heights[node] + 1) if is_root else depths - (depths[node] - 1)
        scores: Points = children - np.abs(gaps)
        return scores

    return each(score)


def by_walk(hierarchy: Hierarchy) -> Scorer:
    """How often a random walk along the edges, both ways, is where, if it keeps returning to the node (PageRank)."""
    both = np.concatenate([hierarchy.edges, hierarchy.edges[:, ::-1]])
    steps = Adjacency.of_pairs(both[:, 0], both[:, 1], len(hierarchy))
    shares = (1 - RESTART) / np.maximum(steps.counts, 1)
    rows = np.arange(len(hierarchy), dtype=np.int32)

    def score(node: int) -> Points:
        visits = np.zeros(len(hierarchy))
        visits[node] = 1.0
        for _ in range(WALK_STEPS):
            visits = added(rows, visits * shares, steps)
            visits[node] += RESTART
        return visits

    return each(score)


@dataclass(frozen=True, eq=False)
class Relatives:
    """A hierarchy with the lists that the scores of relatives add up: what is above and below each node."""

    hierarchy: Hierarchy
    above: Adjacency
    below: Adjacency

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> Relatives:
        """The closure, stored both ways."""
        above = hierarchy.ancestor_lists()
        return cls(hierarchy, above, flipped_lists(above))

    def common_ancestors(self) -> Scorer:
        """What two nodes have above them in common, each the less the more is below it (as Adamic and Adar weigh)."""
        weights = 1 / np.log(2 + self.below.counts)
        return each(lambda node: added(self.above[node], weights[self.above[node]], self.below))

    def common_descendants(self) -> Scorer:
        """What two nodes have below them in common, by the same weights, each the less the more is above it."""
        weights = 1 / np.log(2 + self.above.counts)
        return each(lambda node: added(self.below[node], weights[self.below[node]], self.above))

    def overlap(self) -> Scorer:
        """The share of what is below two nodes that is below both: the cosine of the two sets."""
        sizes = np.sqrt(np.maximum(self.below.counts, 1))
        return each(
            lambda node: added(self.below[node], np.ones(len(self.below[node])), self.above) / (sizes * sizes[node])
        )

    def co_parents(self) -> Scorer:
        """How often the other children of the node's parents have a node as a parent too: a share of each parent's."""
        return each(lambda node: self._company(node, self.hierarchy.children, self.hierarchy.parents))

    def company(self) -> Scorer:
        """The same over the closure: the share of all below the node's parents that is below a node too."""
        return each(lambda node: self._company(node, self.below, self.above))

    def _company(self, node: int, down: Adjacency, up: Adjacency) -> Points:
        total = np.zeros(len(self.hierarchy))
        own = np.append(self.below[node], node)
        for parent in self.hierarchy.parents[node].tolist():
            members = np.setdiff1d(down[parent], own, assume_unique=True)
            # One stranger more, so that a group of one or two proves less than a large one.
            total += added(members, np.full(len(members), 1 / (1 + len(members))), up)
        return total


def added(rows: Rows, weights: Points, lists: Adjacency) -> Points:
    """For every node the weights of those rows in whose lists it stands.

    >>> added(np.array([0, 1]), np.array([1.0, 0.5]), Adjacency.of_groups(np.array([0, 0, 1]), np.array([1, 2, 2]), 3))
    array([0. , 1. , 1.5])
    """
    totals = np.zeros(len(lists))
    add_lists(totals, rows, weights, lists.csr)
    return totals


def elsewhere(score: Scorer, hierarchy: Hierarchy) -> Scorer:
    """The same scores, with all that is below a known parent of the node put last.

    A second parent below the first would make the first edge one that others imply; few hierarchies keep such edges.
    """

    def scores(nodes: Rows) -> Points:
        found = score(nodes).copy()
        for line, node in zip(found, nodes.tolist(), strict=True):
            for parent in hierarchy.parents[node].tolist():
                line[hierarchy.descendants_of(parent)] = -np.inf
        return found

    return scores


def in_turn(first: Scorer, then: Scorer) -> Scorer:
    """The order of the first, where it ties that of the second."""

    def scores(nodes: Rows) -> Points:
        lines = zip(first(nodes), then(nodes), strict=True)
        return np.stack([_places(one) + _places(other) / (1 + len(one)) for one, other in lines])

    return scores


def together(one: Scorer, other: Scorer) -> Scorer:
    """Two orders made one: the sum of 1/(60 + rank) in both (reciprocal rank fusion, with its usual constant)."""

    def scores(nodes: Rows) -> Points:
        lines = zip(one(nodes), other(nodes), strict=True)
        return np.stack([1 / (FUSION + _ranks(line)) + 1 / (FUSION + _ranks(twin)) for line, twin in lines])

    return scores


def _ranks(scores: Points) -> Points:
    places = _places(scores)
    ranks: Points = 1 + places.max(initial=0) - places
    return ranks


def _places(scores: Points) -> Points:
    """0, 1, 2 … from the lowest score up; equal scores have equal places."""
    places: Points = np.unique(scores, return_inverse=True)[1].astype(np.float64)
    return places
