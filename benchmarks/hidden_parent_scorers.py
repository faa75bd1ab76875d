"""Scores of a likely parent: from the graph alone, and from an embedding, which has to beat it.

The second half reads the energies, the cones and the distances of an embedding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hiding_parents import ParentScorer
from hypercone._arrays import Rows, read_only
from hypercone._jit import dimension_type
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.geometry import cones, euclidean_cones
from hypercone.hierarchy import Adjacency, Hierarchy
from hypercone.hierarchy.graph import flipped_lists
from hypercone.methods import Method, Points, Settings, find_method, generic_kernels

# As usual for walks with restart; after so many steps what is left of the start is below two thousandths.
RESTART = 0.15
WALK_STEPS = 40
FUSION = 60
# Of a large subtree so many nodes speak for all of it.
SPEAKERS = 8


def each(score_one: Callable[[int], Points]) -> ParentScorer:
    """A scorer of many nodes from one of a single node.

    >>> each(lambda node: np.arange(3.0) + node)(np.array([0, 10])).tolist()
    [[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]]
    """
    return lambda nodes: np.stack([score_one(node) for node in nodes.tolist()])


def by_chance(hierarchy: Hierarchy, seed: int = 0) -> ParentScorer:
    """Random scores, a function of the seed and the node."""
    return each(lambda node: np.random.default_rng([seed, node]).random(len(hierarchy)))


def by_popularity(hierarchy: Hierarchy) -> ParentScorer:
    """The number of children, whatever the node."""
    children = hierarchy.child_lists.counts.astype(np.float64)
    return lambda nodes: np.tile(children, (len(nodes), 1))


def by_level(hierarchy: Hierarchy) -> ParentScorer:
    """First those one level above the node, counted from the roots; of a level the one with the most children.

    A node without parents has no such level: then levels are counted from the leaves.
    """
    depths = hierarchy.depths.astype(np.float64)
    heights = Hierarchy(hierarchy.names, hierarchy.edges[:, ::-1]).depths.astype(np.float64)
    children = hierarchy.child_lists.counts / (1 + hierarchy.child_lists.counts.max(initial=0))

    def score(node: int) -> Points:
        is_root = depths[node] == 0
        gaps = heights - (heights[node] + 1) if is_root else depths - (depths[node] - 1)
        scores: Points = children - np.abs(gaps)
        return scores

    return each(score)


def by_walk(hierarchy: Hierarchy) -> ParentScorer:
    """How often a random walk along the edges, both ways, is where, if it keeps returning to the node (PageRank)."""
    both = np.concatenate([hierarchy.edges, hierarchy.edges[:, ::-1]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    degrees = np.bincount(both[:, 0], minlength=len(hierarchy))
    shares = (1 - RESTART) / np.maximum(degrees, 1)

    def score(node: int) -> Points:
        visits = np.zeros(len(hierarchy))
        visits[node] = 1.0
        for _ in range(WALK_STEPS):
            before, visits = visits, np.zeros(len(hierarchy))
            np.add.at(visits, both[:, 1], (before * shares)[both[:, 0]])
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

    def common_ancestors(self) -> ParentScorer:
        """What two nodes have above them in common, each the less the more is below it (as Adamic and Adar weigh)."""
        weights = 1 / np.log(2 + self.below.counts)
        return each(lambda node: sum_lists(self.above[node], weights[self.above[node]], self.below))

    def common_descendants(self) -> ParentScorer:
        """What two nodes have below them in common, by the same weights, each the less the more is above it."""
        weights = 1 / np.log(2 + self.above.counts)
        return each(lambda node: sum_lists(self.below[node], weights[self.below[node]], self.above))

    def overlap(self) -> ParentScorer:
        """The share of what is below two nodes that is below both: the cosine of the two sets."""
        sizes = np.sqrt(np.maximum(self.below.counts, 1))
        return each(
            lambda node: sum_lists(self.below[node], np.ones(len(self.below[node])), self.above) / (sizes * sizes[node])
        )

    def co_parents(self) -> ParentScorer:
        """How often the other children of the node's parents have a node as a parent too: a share of each parent's."""
        return each(lambda node: self._company(node, self.hierarchy.child_lists, self.hierarchy.parent_lists))

    def company(self) -> ParentScorer:
        """The same over the closure: the share of all below the node's parents that is below a node too."""
        return each(lambda node: self._company(node, self.below, self.above))

    def _company(self, node: int, down: Adjacency, up: Adjacency) -> Points:
        total = np.zeros(len(self.hierarchy))
        own = np.append(self.below[node], node)
        for parent in self.hierarchy.parent_lists[node].tolist():
            members = np.setdiff1d(down[parent], own, assume_unique=True)
            # One more, so that a group of one or two proves less than a large one.
            total += sum_lists(members, np.full(len(members), 1 / (1 + len(members))), up)
        return total


def sum_lists(rows: Rows, weights: Points, lists: Adjacency) -> Points:
    """For every node the weights of those rows in whose lists it stands.

    >>> lists = Adjacency.of_groups(np.array([0, 0, 1]), np.array([1, 2, 2]), 3)
    >>> sum_lists(np.array([0, 1]), np.array([1.0, 0.5]), lists)
    array([0. , 1. , 1.5])
    """
    counts = lists.counts[rows]
    # Where the entries of those lists stand, one list after the other.
    entries = np.arange(counts.sum()) + np.repeat(lists.offsets[rows] - (np.cumsum(counts) - counts), counts)
    totals = np.zeros(len(lists))
    np.add.at(totals, lists.rows[entries], np.repeat(weights, counts))
    return totals


def elsewhere(score: ParentScorer, hierarchy: Hierarchy) -> ParentScorer:
    """The same scores, with all that is below a known parent of the node put last.

    A second parent below the first would make the first edge one that others imply; few hierarchies keep such edges.
    """

    def scores(nodes: Rows) -> Points:
        found = score(nodes).copy()
        for line, node in zip(found, nodes.tolist(), strict=True):
            for parent in hierarchy.parent_lists[node].tolist():
                line[hierarchy.descendants_of(parent)] = -np.inf
        return found

    return scores


def in_turn(first: ParentScorer, then: ParentScorer) -> ParentScorer:
    """The order of the first, where it ties that of the second."""

    def scores(nodes: Rows) -> Points:
        lines = zip(first(nodes), then(nodes), strict=True)
        return np.stack([_places(one) + _places(other) / (1 + len(one)) for one, other in lines])

    return scores


def together(one: ParentScorer, other: ParentScorer) -> ParentScorer:
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


def by_energy(embedding: Embedding) -> ParentScorer:
    """The lower the signed energy the likelier: for cones, how deep inside one the node is, so the widest lead."""
    return each(lambda node: -signed_energies(embedding, node))


def by_narrowest(embedding: Embedding, slack: float = 0.0) -> ParentScorer:
    """Of those whose region holds the node the most specific first, then the others by energy.

    ``slack`` widens all regions: training pushes out what it takes for wrong, hidden parents too, so that a true one is
    a near miss more often than a hit.
    """
    _, specific = np.unique(_generality(embedding), return_inverse=True)

    def score(node: int) -> Points:
        outside = signed_energies(embedding, node) - embedding.threshold - slack
        return np.where(outside <= 0, specific, -outside)

    return each(score)


def by_needed_width(embedding: Embedding) -> ParentScorer:
    """The narrowest cone first, where each is as wide as it must be to hold the node too: the larger of Ξ and ψ.

    So a wide cone that holds the node comes after a narrow one that just misses it.
    """
    apertures = _half_apertures(embedding)
    return each(lambda node: -np.maximum(signed_energies(embedding, node) + apertures, apertures))


def by_distance(embedding: Embedding, *, more_general: bool = False) -> ParentScorer:
    """The nearest first; with ``more_general`` those that the embedding puts higher than the node before all others."""
    level = _generality(embedding)
    # α is for telling direction; it is no part of a distance.
    plain = replace(embedding.settings, alpha=0.0)
    method = find_method("poincare" if find_method(embedding.method).is_hyperbolic else "euclidean")

    def score(node: int) -> Points:
        distances = _energies(method, plain, embedding.points, node)
        # Any number that every distance stays below puts the lower ones last.
        last = 1 + distances.max(initial=0) if more_general else 0.0
        return -np.where(level < level[node], distances, distances + last)

    return each(score)


def by_descendants(embedding: Embedding, hierarchy: Hierarchy) -> ParentScorer:
    """The mean energy of the node and of what is known to be below it: a parent's region holds the whole subtree."""

    def score(node: int) -> Points:
        below = hierarchy.descendants_of(node)
        speakers = below[np.linspace(0, len(below) - 1, min(len(below), SPEAKERS)).astype(np.int64)]
        energies = [np.maximum(signed_energies(embedding, row), 0.0) for row in [node, *speakers.tolist()]]
        means: Points = np.mean(energies, axis=0)
        return -means

    return each(score)


def by_neighbors(embedding: Embedding, hierarchy: Hierarchy, count: int = 10) -> ParentScorer:
    """The parents of the nearest nodes that are not below the node itself: a vote each, the nearer the heavier."""

    def score(node: int) -> Points:
        near = _nearest_elsewhere(embedding, hierarchy, node, count)
        votes = np.zeros(len(hierarchy))
        for place, row in enumerate(near.tolist()):
            votes[hierarchy.parent_lists[row]] += 1 / (1 + place)
        return votes

    return each(score)


def _nearest_elsewhere(embedding: Embedding, hierarchy: Hierarchy, node: int, count: int) -> Rows:
    below = hierarchy.descendants_of(node)
    near = embedding.index.nearest(node, min(len(embedding) - 1, count + len(below))).rows
    others: Rows = near[~np.isin(near, below)][:count]
    return others


def signed_energies(embedding: Embedding, node: int) -> Points:
    """The energy of (x, node) for every node x, below zero where the node is inside."""
    return _energies(find_method(embedding.method), embedding.settings, embedding.points, node)


def _energies(method: Method, settings: Settings, points: Points, node: int) -> Points:
    constants = method.constants(settings)
    energies: Points = generic_kernels.energies_above(
        read_only(points), node, constants, dimension_type(points.shape[1])
    )
    return energies


def _half_apertures(embedding: Embedding) -> Points:
    curvature = find_method(embedding.method).curvature
    if curvature is None:
        raise InputError(f"{embedding.method} has no cones, so none has a width; take an embedding by a cone method")
    half_aperture = cones.half_aperture if curvature > 0 else euclidean_cones.half_aperture
    return half_aperture(embedding.points, embedding.settings.K).astype(np.float64, copy=False)


def _generality(embedding: Embedding) -> Points:
    return find_method(embedding.method).generality(embedding.points)
