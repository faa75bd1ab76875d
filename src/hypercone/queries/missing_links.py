"""Links that a hierarchy may lack, each with a confidence that is learned from links hidden in the same hierarchy.

For every node, the likeliest parents are those that a short random walk over the edges meets most often. For each such
pair the graph gives evidence: how often the walk gets there, which ancestors and children the two share, how large the
parent is. One link of every twentieth node is hidden, several times; a logistic regression learns from what was hidden,
and from pairs that are not linked, how much each piece of evidence is worth in this hierarchy, and then judges the
pairs of the whole. A confidence is the probability that a link is right if every twentieth node lacks one.

Two regressions are learned. A parent below a known parent of the node makes the node more specific; a parent elsewhere
is an additional one.

The geometry is no evidence: beside these, the energy of a pair adds nothing to the precision of the list
(``python -m benchmarks suggestions``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import CSR, Adjacency, Rows, freeze, pair_keys
from hypercone.errors import InputError
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph import flipped_lists
from hypercone.methods import Points
from hypercone.progress import Step
from hypercone.queries.hidden_links import Damaged, hide_links
from hypercone.queries.regression import Regression, learn
from hypercone.queries.suggest_kernels import evidence_of_pairs, independent_pairs, likely_parents

# The share of links that is hidden, and so the share that a confidence assumes to be missing.
HIDDEN = 0.05
# Parents that are considered for each node.
CANDIDATES = 30
# A walk goes on from a node while more than this part of it per edge is there: less finds the same links more slowly.
PRECISION = 1e-4
# Links are hidden again until so many were, but not more than so many times.
ENOUGH, FEWEST_ROUNDS, MOST_ROUNDS = 2_000, 3, 10
# Nodes whose pairs show what is not a link, drawn in each round.
SAMPLE = 5_000
# What was hidden less often is too little to learn from.
LEAST_HIDDEN = 20
# A pair below is as good as no suggestion.
LEAST_CONFIDENCE = 0.01
# Nodes whose evidence is in memory at a time.
PART = 4_096
# What ``evidence_of_pairs`` computes, by column.
EVIDENCE = (
    "log of the part of the walk from the child that is at the parent",
    "log of the rank of the parent among the candidates of the child",
    "log of the part of a walk from the parent that would be at the child",
    "information content of the most informative common ancestor",
    "log of the number of ancestors that the child would gain, parent not counted",
    "share of common ancestors in all ancestors of both",
    "log of the common ancestors, each weighted by how few descendants it has",
    "whether the parent is a sibling of the child",
    "share of the siblings of the child that are children of the parent",
    "log of it",
    "share of the nodes below the parents of the child that are below the parent",
    "log of it",
    "log of the number of children of the parent",
    "log of the number of its descendants",
    "depth of the parent minus that of the child",
    "number of parents of the child",
    "log of the number of its children",
    "log of the share of the parent in the children of all siblings of the child",
    "log of the share of siblings of the child that have children",
    "log of the number of its siblings",
)
SHARED_DESCENDANTS = 10


class LinkGraph(NamedTuple):
    """A hierarchy as the kernels take it: neighbors, direct parents and children, ancestors and descendants, by row."""

    neighbors: CSR
    parents: CSR
    children: CSR
    above: CSR
    below: CSR
    information: Points
    depths: Rows
    # Of each row, the children of all its children, and how many of its children have some.
    grandchildren: NDArray[np.int64]
    inner_children: NDArray[np.int64]

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> LinkGraph:
        """From the direct edges of a hierarchy."""
        direct, lineage, above = hierarchy.reduction(), hierarchy.lineage, hierarchy.ancestor_lists()
        ends = np.concatenate([direct, direct[:, ::-1]])
        neighbors = Adjacency.of_pairs(ends[:, 0], ends[:, 1], len(hierarchy))
        families = lineage.child_lists.counts
        grandchildren, inner = (
            np.bincount(direct[:, 0], weights[direct[:, 1]], len(hierarchy)).astype(np.int64)
            for weights in (families, families > 0)
        )
        return cls(
            neighbors.csr,
            lineage.parent_lists.csr,
            lineage.child_lists.csr,
            above.csr,
            flipped_lists(above).csr,
            hierarchy.information_content(),
            hierarchy.depths,
            freeze(grandchildren),
            freeze(inner),
        )


class Evidence(NamedTuple):
    """(parent, child) rows, one line of ``EVIDENCE`` each, and whether the parent is below a parent of the child."""

    pairs: Rows
    values: Points
    is_below: NDArray[np.bool_]

    def part(self, chosen: NDArray[np.bool_]) -> Evidence:
        """The evidence of some of the pairs."""
        return Evidence(self.pairs[chosen], self.values[chosen], self.is_below[chosen])


def evidence_of(graph: LinkGraph, children: Rows, most: int = CANDIDATES, precision: float = PRECISION) -> Evidence:
    """The evidence for the likeliest parents of each child that are neither above nor below it."""
    pairs, visits, ranks = likely_parents(freeze(children.astype(np.int32)), graph, most, precision)
    pairs = freeze(pairs)
    return Evidence(pairs, *evidence_of_pairs(pairs, freeze(visits), freeze(ranks), graph))


@dataclass(frozen=True)
class LinkModel:
    """What evidence is worth, for parents elsewhere and for those below a known parent; None if that is not known."""

    additional: Regression | None
    more_specific: Regression | None

    def confidences(self, evidence: Evidence) -> Points:
        """The probability of each pair; 0 if too little is known about its kind."""
        found = np.zeros(len(evidence.pairs))
        for regression, chosen in ((self.additional, ~evidence.is_below), (self.more_specific, evidence.is_below)):
            if regression is not None:
                found[chosen] = regression.probabilities(evidence.values[chosen])
        return found


def learn_from_hidden_links(hierarchy: Hierarchy, seed: int = 0) -> LinkModel:
    """Hide links, gather the evidence for them and for pairs that are not linked, and learn to tell them apart."""
    try:
        first = hide_links(hierarchy, HIDDEN, seed)
    except InputError:
        return LinkModel(None, None)
    rounds = min(max(-(-ENOUGH // len(first.links)), FEWEST_ROUNDS), MOST_ROUNDS)
    examples = []
    with Step("hidden links", rounds) as step:
        for number in range(rounds):
            examples.append(_examples(hierarchy, hide_links(hierarchy, HIDDEN, seed + number), seed + number))
            step.advance(1)
    values, is_below, is_link, weights = (np.concatenate(column) for column in zip(*examples, strict=True))
    regressions = [
        learn(values[chosen], is_link[chosen], weights[chosen]) if is_link[chosen].sum() >= LEAST_HIDDEN else None
        for chosen in (~is_below, is_below)
    ]
    return LinkModel(*regressions)


Examples = tuple[Points, NDArray[np.bool_], NDArray[np.bool_], Points]


def _examples(whole: Hierarchy, damaged: Damaged, seed: int) -> Examples:
    """Evidence, whether the parent is below a known one, whether the pair was hidden, and its weight.

    The pairs of some nodes stand for those of all. What follows from a hidden link is neither right nor wrong.
    """
    graph, size = LinkGraph.of(damaged.hierarchy), len(whole)
    candidates = _with_parents(damaged.hierarchy)
    sample = np.random.default_rng(seed).permutation(candidates)[:SAMPLE]
    hidden = evidence_of(graph, np.sort(damaged.links[:, 1]))
    hidden = hidden.part(np.isin(_keys(hidden.pairs, size), _keys(damaged.links, size)))
    others = evidence_of(graph, np.sort(sample))
    others = others.part(~np.isin(_keys(others.pairs, size), _keys(whole.closure(), size)))
    weight = len(candidates) / max(len(sample), 1)
    return (
        np.concatenate([hidden.values, others.values]),
        np.concatenate([hidden.is_below, others.is_below]),
        np.repeat([True, False], [len(hidden.pairs), len(others.pairs)]),
        np.repeat([1.0, weight], [len(hidden.pairs), len(others.pairs)]),
    )


def _with_parents(hierarchy: Hierarchy) -> Rows:
    """The rows for which parents are suggested: those that have one, as no link of a root can be hidden."""
    return np.flatnonzero(hierarchy.parent_lists.counts).astype(np.int32)


def _keys(pairs: Rows, size: int) -> NDArray[np.int64]:
    return pair_keys(pairs[:, 0], pairs[:, 1], size)


class MissingRows(NamedTuple):
    """(parent, child) rows, the likeliest first, their confidences and evidence, and all pairs considered."""

    pairs: Rows
    confidences: Points
    is_below: NDArray[np.bool_]
    shared_descendants: Points
    considered: Rows


def missing_rows(hierarchy: Hierarchy, count: int, seed: int = 0) -> MissingRows:
    """The links that the hierarchy most likely lacks; no one follows from another or contradicts it."""
    model, graph = learn_from_hidden_links(hierarchy, seed), LinkGraph.of(hierarchy)
    children = _with_parents(hierarchy)
    parts: list[tuple[Rows, Points, NDArray[np.bool_], Points]] = []
    considered: list[Rows] = []
    with Step("links within reach", len(children)) as step:
        for start in range(0, len(children), PART):
            evidence = evidence_of(graph, children[start : start + PART])
            considered.append(evidence.pairs)
            confidences = model.confidences(evidence)
            likely = confidences >= LEAST_CONFIDENCE
            shared = evidence.values[likely, SHARED_DESCENDANTS]
            parts.append((evidence.pairs[likely], confidences[likely], evidence.is_below[likely], shared))
            step.advance(len(children[start : start + PART]))
    if not parts:
        return MissingRows(_NO_PAIRS, np.empty(0), np.empty(0, np.bool_), np.empty(0), _NO_PAIRS)
    pairs, confidences, is_below, shared = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((pairs[:, 0], pairs[:, 1], hierarchy.depths[pairs[:, 1]], -confidences))
    best = order[independent_pairs(freeze(pairs[order]), count, graph.above)]
    return MissingRows(pairs[best], confidences[best], is_below[best], shared[best], np.concatenate(considered))


_NO_PAIRS = np.empty((0, 2), np.int32)
