"""Hidden parents: hide edges that nothing left implies, score every node as the parent, and rank the hidden one.

Hidden are second parents, or the places of whole subtrees. The scores come from the graph alone or from an embedding,
which has to be better than the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows, read_only
from hypercone._jit import dimension_type
from hypercone.embedding import Embedding
from hypercone.errors import InputError, unknown_name
from hypercone.geometry import cones, euclidean_cones
from hypercone.hierarchy import Adjacency, Hierarchy
from hypercone.hierarchy.graph import flipped_lists
from hypercone.methods import Method, Points, Settings, find_method, generic_kernels
from hypercone.queries.hidden_links import Damaged, check_share, with_edges
from hypercone.queries.missing_links import LinkGraph, evidence_of, learn_from_hidden_links

Kind = Literal["secondary", "attachment"]
KINDS: tuple[Kind, ...] = ("secondary", "attachment")

# From the rows of some nodes to the scores of all nodes as the parent of each: one line per node, the highest first.
ParentScorer = Callable[[Rows], Points]

CUTS = (1, 10, 100)
# Nodes scored together: one line of scores per node, which for a million nodes is 8 MB.
PART = 32
# The usual restart of such walks; after 40 steps the weight of the start is below two thousandths.
RESTART = 0.15
WALK_STEPS = 40
# The usual constant of reciprocal rank fusion.
FUSION = 60
# Candidates of a node for the scores of ``suggest``, which by itself looks at fewer, and how far its walk goes.
MOST_CANDIDATES, WALK_PRECISION = 300, 1e-5
# Of a large subtree only this many nodes are looked at.
MOST_DESCENDANTS = 8


def hide_parents(
    hierarchy: Hierarchy, kind: Kind, *, count: int | None = None, share: float | None = None, seed: int = 0
) -> Damaged:
    """What is left of a hierarchy, and the hidden (parent, child) rows, by child; names and rows stay the same.

    "secondary": some nodes with several parents lose one of them. "attachment": some nodes that have children lose all
    parents, so that only what is below them is known. Either ``count`` nodes lose parents, or a ``share`` of those
    that can.

    Only direct edges are hidden, and only direct edges stay. A direct edge is the only path from its parent to its
    child, so no hidden edge follows from what is left, however many are hidden. An implied edge could reveal one.

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "pet"), ("dog", "lapdog"), ("pet", "lapdog")])
    >>> left, links = hide_parents(pets, "secondary", count=1)
    >>> len(left.edges), links.tolist()
    (3, [[1, 3]])
    >>> left, links = hide_parents(pets, "attachment", share=1.0)
    >>> left.in_words(), links.tolist()
    (['lapdog is a dog', 'lapdog is a pet'], [[0, 1], [0, 2]])
    """
    if kind not in KINDS:
        raise unknown_name("kind of hidden parents", str(kind), KINDS)
    if (count is None) == (share is None):
        raise InputError("count and share both say how much to hide; give one of them")
    random = np.random.default_rng(seed)
    direct = hierarchy.reduction()
    nodes = nodes_to_hide_from(hierarchy, kind)
    wanted = _how_many(len(nodes), count, share)
    chosen = np.zeros(len(hierarchy), np.bool_)
    chosen[random.choice(nodes, wanted, replace=False)] = True
    hidden = chosen[direct[:, 1]]
    if kind == "secondary":
        hidden &= _one_per_child(direct, random)
    return Damaged(with_edges(hierarchy, direct[~hidden]), direct[hidden])


def nodes_to_hide_from(hierarchy: Hierarchy, kind: Kind) -> Rows:
    """The rows that can lose a parent: two parents, or a parent and a child; InputError if there are none."""
    parents = np.bincount(hierarchy.reduction()[:, 1], minlength=len(hierarchy))
    can = parents >= 2 if kind == "secondary" else (parents >= 1) & (hierarchy.child_lists.counts > 0)
    rows = np.flatnonzero(can).astype(np.int32)
    if len(rows) == 0:
        lacking = "several parents" if kind == "secondary" else "both a parent and a child"
        raise InputError(f"no node has {lacking}, so there is nothing to hide; another hierarchy is needed")
    return rows


def _how_many(available: int, count: int | None, share: float | None) -> int:
    if share is not None:
        check_share("share", share)
        return max(1, round(share * available))
    assert count is not None
    if not 1 <= count <= available:
        raise InputError(f"count is {count}, but must be from 1 to {available}, the nodes that can lose a parent")
    return count


def _one_per_child(direct: Rows, random: np.random.Generator) -> NDArray[np.bool_]:
    """For each edge whether it is the one drawn for its child."""
    shuffled = random.permutation(len(direct))
    # In a random order the first edge of each child is a random one.
    _, first = np.unique(direct[shuffled, 1], return_index=True)
    drawn = np.zeros(len(direct), np.bool_)
    drawn[shuffled[first]] = True
    return drawn


@dataclass(frozen=True, eq=False)
class HiddenRanks:
    """The rank of each hidden parent, from 1; equal scores share the middle of the ranks they take.

    A hidden parent is ranked against its rivals: all nodes except its child and what is known to be above or below the
    child. In ``ranks`` the other true ancestors of the child are left out too (the filtered setting), because naming
    one of them is not wrong. In ``strict_ranks`` they count. ``too_general`` and ``too_specific`` are how often the
    first of the strict ranking is above or below the hidden parent.
    """

    links: Rows
    ranks: Points
    strict_ranks: Points
    rivals: Points
    too_general: float
    too_specific: float

    @property
    def mrr(self) -> float:
        """The mean of 1/rank."""
        return float(np.mean(1 / self.ranks))

    @property
    def strict_mrr(self) -> float:
        """The same for the strict ranks."""
        return float(np.mean(1 / self.strict_ranks))

    @property
    def median(self) -> float:
        """The median of the ranks."""
        return float(np.median(self.ranks))

    @property
    def chance(self) -> float:
        """The expected MRR of random scores."""
        # The mean of 1/rank over m ranks is the harmonic number of m, divided by m.
        return float(np.mean([np.mean(1 / np.arange(1, count + 2)) for count in self.rivals.tolist()]))

    def hits(self, cut: int) -> float:
        """The share of the hidden parents among the first ``cut``."""
        return float(np.mean(self.ranks <= cut))

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, without the single ranks."""
        hits = {f"hits_{cut}": self.hits(cut) for cut in CUTS}
        return {
            "hidden": len(self.links),
            "mrr": self.mrr,
            **hits,
            "median": self.median,
            "strict_mrr": self.strict_mrr,
            "strict_hits_1": float(np.mean(self.strict_ranks <= 1)),
            "too_general": self.too_general,
            "too_specific": self.too_specific,
        }


def rank_hidden(score: ParentScorer, damaged: Damaged, whole: Hierarchy) -> HiddenRanks:
    """The ranks that scores give to the hidden parents; ``whole`` is the hierarchy before the damage.

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "pet"), ("dog", "lapdog"), ("pet", "lapdog")])
    >>> damaged = hide_parents(pets, "secondary", count=1)
    >>> rank_hidden(lambda nodes: np.zeros((len(nodes), 4)), damaged, pets).ranks.tolist()
    [1.0]
    """
    if tuple(whole.names) != tuple(damaged.hierarchy.names):
        raise InputError("the damaged hierarchy has other nodes than the whole; give the one it was made from")
    if len(damaged.links) == 0:
        raise InputError("no parent is hidden, so there is nothing to rank")
    lines = dict(_lines(score, np.unique(damaged.links[:, 1]), damaged.hierarchy, whole, damaged.links))
    found = np.array([lines[parent, child] for parent, child in damaged.links.tolist()])
    ranks, strict, rivals, general, specific = found.T
    return HiddenRanks(damaged.links, ranks, strict, rivals, float(general.mean()), float(specific.mean()))


Line = tuple[tuple[int, int], tuple[float, float, float, float, float]]


def _lines(score: ParentScorer, nodes: Rows, left: Hierarchy, whole: Hierarchy, links: Rows) -> Iterator[Line]:
    for start in range(0, len(nodes), PART):
        part = nodes[start : start + PART]
        for node, scores in zip(part.tolist(), _check_scores(score(part), len(part), len(whole)), strict=True):
            rivals = np.ones(len(whole), np.bool_)
            rivals[node] = False
            rivals[left.ancestors_of(node)] = False
            rivals[left.descendants_of(node)] = False
            true = np.zeros(len(whole), np.bool_)
            true[whole.ancestors_of(node)] = True
            for parent in links[links[:, 1] == node, 0].tolist():
                yield (parent, node), _rank_both_ways(scores, parent, rivals, true, whole)


def _rank_both_ways(
    scores: Points, parent: int, rivals: NDArray[np.bool_], true: NDArray[np.bool_], whole: Hierarchy
) -> tuple[float, float, float, float, float]:
    """The filtered rank, the strict one, the number of filtered rivals, and the near misses of one hidden parent."""
    others = rivals & ~true
    strict = rivals.copy()
    strict[parent] = False
    first = rivals & (scores == scores[rivals].max())
    return (
        _rank(scores, parent, others),
        _rank(scores, parent, strict),
        float(others.sum()),
        # Nodes that tie for the first place count equally.
        float(first[whole.ancestors_of(parent)].sum() / first.sum()),
        float(first[whole.descendants_of(parent)].sum() / first.sum()),
    )


def _rank(scores: Points, parent: int, rivals: NDArray[np.bool_]) -> float:
    against = scores[rivals]
    return 1 + float((against > scores[parent]).sum()) + float((against == scores[parent]).sum()) / 2


def _check_scores(scores: Points, nodes: int, size: int) -> Points:
    if scores.shape != (nodes, size):
        raise InputError(f"the scores have the shape {scores.shape}, but need one line of {size} per node")
    if np.isnan(scores).any():
        raise InputError("a score is not a number, so it cannot be ranked")
    return scores


def each(score_one: Callable[[int], Points]) -> ParentScorer:
    """A scorer of many nodes from a function that scores for one.

    >>> each(lambda node: np.arange(3.0) + node)(np.array([0, 10])).tolist()
    [[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]]
    """
    return lambda nodes: np.stack([score_one(node) for node in nodes.tolist()])


def by_chance(hierarchy: Hierarchy, seed: int = 0) -> ParentScorer:
    """Random scores that depend on the seed and the node only."""
    return each(lambda node: np.random.default_rng([seed, node]).random(len(hierarchy)))


def by_popularity(hierarchy: Hierarchy) -> ParentScorer:
    """The number of children, the same for every node."""
    children = hierarchy.child_lists.counts.astype(np.float64)
    return lambda nodes: np.tile(children, (len(nodes), 1))


def by_level(hierarchy: Hierarchy) -> ParentScorer:
    """Nodes one level above the node first, counted from the roots; within a level those with the most children.

    For a node without parents, levels are counted from the leaves.
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
    """How often a random walk with restart at the node (personalized PageRank) visits each node."""
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
    """A hierarchy with the ancestors and descendants of every node."""

    hierarchy: Hierarchy
    above: Adjacency
    below: Adjacency

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> Relatives:
        """The lists of both directions of the transitive closure."""
        above = hierarchy.ancestor_lists()
        return cls(hierarchy, above, flipped_lists(above))

    def common_ancestors(self) -> ParentScorer:
        """The common ancestors of two nodes, weighted by how few descendants each has (Adamic and Adar)."""
        weights = 1 / np.log(2 + self.below.counts)
        return each(lambda node: sum_lists(self.above[node], weights[self.above[node]], self.below))

    def common_descendants(self) -> ParentScorer:
        """The common descendants of two nodes, weighted by how few ancestors each has."""
        weights = 1 / np.log(2 + self.above.counts)
        return each(lambda node: sum_lists(self.below[node], weights[self.below[node]], self.above))

    def overlap(self) -> ParentScorer:
        """The cosine of the sets of descendants of two nodes."""
        sizes = np.sqrt(np.maximum(self.below.counts, 1))
        return each(
            lambda node: sum_lists(self.below[node], np.ones(len(self.below[node])), self.above) / (sizes * sizes[node])
        )

    def co_parents(self) -> ParentScorer:
        """The share of the other children of the node's parents that have a node as a parent too."""
        return each(lambda node: self._shares(node, self.hierarchy.child_lists, self.hierarchy.parent_lists))

    def co_ancestors(self) -> ParentScorer:
        """The same in the closure: the share of the descendants of the node's parents that are below a node."""
        return each(lambda node: self._shares(node, self.below, self.above))

    def _shares(self, node: int, down: Adjacency, up: Adjacency) -> Points:
        total = np.zeros(len(self.hierarchy))
        own = np.append(self.below[node], node)
        for parent in self.hierarchy.parent_lists[node].tolist():
            members = np.setdiff1d(down[parent], own, assume_unique=True)
            # Plus one, so that a small group counts less than a large one.
            total += sum_lists(members, np.full(len(members), 1 / (1 + len(members))), up)
        return total


def sum_lists(rows: Rows, weights: Points, lists: Adjacency) -> Points:
    """For every node the sum of the weights of the rows whose lists contain it.

    >>> lists = Adjacency.of_groups(np.array([0, 0, 1]), np.array([1, 2, 2]), 3)
    >>> sum_lists(np.array([0, 1]), np.array([1.0, 0.5]), lists)
    array([0. , 1. , 1.5])
    """
    counts = lists.counts[rows]
    # The places of the entries of those lists, one list after the other.
    entries = np.arange(counts.sum()) + np.repeat(lists.offsets[rows] - (np.cumsum(counts) - counts), counts)
    totals = np.zeros(len(lists))
    np.add.at(totals, lists.rows[entries], np.repeat(weights, counts))
    return totals


def elsewhere(score: ParentScorer, hierarchy: Hierarchy) -> ParentScorer:
    """The same scores, with all descendants of the node's known parents last.

    A second parent below the first would make the first edge an implied one, and few hierarchies have such edges.
    """

    def scores(nodes: Rows) -> Points:
        found = score(nodes).copy()
        for line, node in zip(found, nodes.tolist(), strict=True):
            for parent in hierarchy.parent_lists[node].tolist():
                line[hierarchy.descendants_of(parent)] = -np.inf
        return found

    return scores


def in_turn(first: ParentScorer, then: ParentScorer) -> ParentScorer:
    """The order of the first scorer; ties are broken by the second."""

    def scores(nodes: Rows) -> Points:
        lines = zip(first(nodes), then(nodes), strict=True)
        return np.stack([_places(one) + _places(other) / (1 + len(one)) for one, other in lines])

    return scores


def together(one: ParentScorer, other: ParentScorer) -> ParentScorer:
    """Two orders combined by reciprocal rank fusion: the sum of 1/(60 + rank) in both."""

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


def by_suggest(hierarchy: Hierarchy) -> ParentScorer:
    """The confidence of ``suggest`` in a parent elsewhere; nodes below a known parent come last."""
    model, graph = learn_from_hidden_links(hierarchy), LinkGraph.of(hierarchy)

    def score(node: int) -> Points:
        evidence = evidence_of(graph, np.array([node], np.int32), MOST_CANDIDATES, WALK_PRECISION)
        scores = np.full(len(hierarchy), -1.0)
        scores[evidence.pairs[:, 0]] = np.where(evidence.is_below, -0.5, model.confidences(evidence))
        return scores

    return each(score)


def by_energy(embedding: Embedding) -> ParentScorer:
    """The lowest signed energy first: for cones, how deep inside the node is, so the widest cones lead."""
    return each(lambda node: -signed_energies(embedding, node))


def by_narrowest(embedding: Embedding, slack: float = 0.0) -> ParentScorer:
    """The most specific regions that contain the node first, then all others by energy.

    ``slack`` widens all regions: training treats hidden parents as negatives and pushes the node out of their regions,
    so that it is often just outside of a true one.
    """
    _, specific = np.unique(_generality(embedding), return_inverse=True)

    def score(node: int) -> Points:
        outside = signed_energies(embedding, node) - embedding.threshold - slack
        return np.where(outside <= 0, specific, -outside)

    return each(score)


def by_needed_width(embedding: Embedding) -> ParentScorer:
    """The narrowest cone first, where each is made wide enough to contain the node: the larger of Ξ and ψ.

    A wide cone that contains the node comes after a narrow one that just misses it.
    """
    apertures = _half_apertures(embedding)
    return each(lambda node: -np.maximum(signed_energies(embedding, node) + apertures, apertures))


def by_distance(embedding: Embedding, *, more_general: bool = False) -> ParentScorer:
    """The nearest first; with ``more_general`` all nodes that the embedding places above the node come first."""
    level = _generality(embedding)
    # α adds the direction of an edge; it is not part of a distance.
    plain = replace(embedding.settings, alpha=0.0)
    method = find_method("poincare" if find_method(embedding.method).is_hyperbolic else "euclidean")

    def score(node: int) -> Points:
        distances = _energies(method, plain, embedding.points, node)
        # Larger than any distance, so that these come last.
        last = 1 + distances.max(initial=0) if more_general else 0.0
        return -np.where(level < level[node], distances, distances + last)

    return each(score)


def by_descendants(embedding: Embedding, hierarchy: Hierarchy) -> ParentScorer:
    """The mean energy of the node and of its known descendants: a parent's region contains the whole subtree."""

    def score(node: int) -> Points:
        below = hierarchy.descendants_of(node)
        chosen = below[np.linspace(0, len(below) - 1, min(len(below), MOST_DESCENDANTS)).astype(np.int64)]
        energies = [np.maximum(signed_energies(embedding, row), 0.0) for row in [node, *chosen.tolist()]]
        means: Points = np.mean(energies, axis=0)
        return -means

    return each(score)


def by_neighbors(embedding: Embedding, hierarchy: Hierarchy, count: int = 10) -> ParentScorer:
    """The parents of the nearest nodes that are not descendants: one vote per node, weighted by nearness."""

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
    """The energy of (x, node) for every node x, negative where the node is inside."""
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
        raise InputError(f"{embedding.method} has no cones, so none has a width; use an embedding by a cone method")
    half_aperture = cones.half_aperture if curvature > 0 else euclidean_cones.half_aperture
    return half_aperture(embedding.points, embedding.settings.K).astype(np.float64, copy=False)


def _generality(embedding: Embedding) -> Points:
    return find_method(embedding.method).generality(embedding.points)
