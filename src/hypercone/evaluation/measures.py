"""Metrics of an embedding on held-out pairs, on all pairs, and as a ranking (reconstruction)."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows
from hypercone._system import usable_cores
from hypercone.embedding import Embedding
from hypercone.embedding.headline import Headline, headline_from, stored_headline
from hypercone.errors import HierarchyError, InputError, ResourceError, option
from hypercone.evaluation.evaluation_kernels import count_by_scan, count_by_tree, ranks_of_ancestors
from hypercone.hierarchy import Adjacency, Hierarchy, LabeledPairs
from hypercone.methods.scoring import Counts, ListErrors, count_at, counts_of
from hypercone.progress import track_progress

Numbers = NDArray[np.int64]
# A function from (parent, child) pairs to scores; a lower score is more likely true.
Score = Callable[[Rows], NDArray[np.float64]]


@dataclass(frozen=True)
class LinkPrediction:
    """Precision, recall and F1 at a threshold, and the underlying counts; ``groups`` has the same for each group."""

    precision: float
    recall: float
    f1: float
    positives: int
    negatives: int
    true_positives: int
    false_positives: int
    threshold: float
    groups: dict[str, LinkPrediction] = field(default_factory=dict, kw_only=True)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; groups only where there are any."""
        return result_as_dict(self)


def link_prediction(
    embedding: Embedding, pairs: LabeledPairs, threshold: float | None = None, *, group_by: str | None = None
) -> LinkPrediction:
    """Precision, recall and F1 on labeled pairs, at the embedding's own threshold unless another is given.

    ``group_by`` adds the same figures by the ``depth`` of the child, or by the number of its ``parents``.

    >>> import hypercone
    >>> tree = hypercone.load_dataset("tree-3-5")
    >>> split = tree.split(50)
    >>> embedding = hypercone.fit(tree, split=split, epochs=50, init_epochs=50)
    >>> found = link_prediction(embedding, split.test, group_by="depth")
    >>> found.f1 > 0.5, sum(part.positives for part in found.groups.values()) == found.positives
    (True, True)
    """
    if not isinstance(pairs, LabeledPairs):
        raise InputError(f"pairs is a {type(pairs).__name__}, but must be LabeledPairs, such as split.test")
    if len(pairs.positives) == 0:
        raise InputError("there are no positive pairs to evaluate on; a larger hierarchy or another split is needed")
    for rows in (pairs.positives, pairs.negatives):
        # The kernels trust their input.
        if len(rows) and not 0 <= rows.min() <= rows.max() < len(embedding):
            raise InputError(f"a pair has a row outside 0 … {len(embedding) - 1}; the pairs are of another hierarchy")
    threshold = checked_threshold(embedding, threshold)
    groups = None if group_by is None else node_groups(known_hierarchy(embedding, None), group_by)
    return metrics_on_pairs(embedding.scorer.energies, pairs, threshold, groups)


def metrics_on_pairs(score: Score, pairs: LabeledPairs, threshold: float, groups: Groups | None) -> LinkPrediction:
    """The metrics of a score on labeled pairs, and per group of children."""
    of_positives, of_negatives = score(pairs.positives), score(pairs.negatives)
    found = metrics_from_counts(count_at(threshold, of_positives, of_negatives), len(pairs.negatives), threshold)
    if groups is None:
        return found
    group_of_positives, group_of_negatives = (groups.of_row[rows[:, 1]] for rows in (pairs.positives, pairs.negatives))
    parts = {}
    for group, name in enumerate(groups.names):
        of_group = of_negatives[group_of_negatives == group]
        parts[name] = metrics_from_counts(
            count_at(threshold, of_positives[group_of_positives == group], of_group), len(of_group), threshold
        )
    return replace(found, groups=parts)


def checked_threshold(embedding: Embedding, threshold: float | None) -> float:
    """The given threshold, or the embedding's own; InputError if it is not finite."""
    threshold = embedding.threshold if threshold is None else threshold
    if not math.isfinite(threshold):
        raise InputError(f"{option('threshold')} is {threshold}, but must be a finite number")
    return threshold


def metrics_from_counts(counts: Counts, negatives: int, threshold: float) -> LinkPrediction:
    """The counts with precision, recall and F1."""
    return LinkPrediction(
        precision=counts.precision,
        recall=counts.recall,
        f1=counts.f1,
        positives=counts.positives,
        negatives=negatives,
        true_positives=counts.true_positives,
        false_positives=counts.false_positives,
        threshold=threshold,
    )


def result_as_dict(found: Any) -> dict[str, Any]:
    """A result as plain values, with those of its groups if it has any."""
    figures = asdict(found)
    del figures["groups"]
    return figures | ({"groups": {name: part.as_dict() for name, part in found.groups.items()}} if found.groups else {})


@dataclass(frozen=True)
class Reconstruction:
    """Mean rank of a true ancestor among the non-ancestors, and mean average precision; also per group."""

    mean_rank: float
    map: float
    nodes: int
    pairs: int
    groups: dict[str, Reconstruction] = field(default_factory=dict, kw_only=True)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; groups only where there are any."""
        return result_as_dict(self)


def reconstruction(
    embedding: Embedding,
    hierarchy: Hierarchy | None = None,
    *,
    sample: int | None = None,
    seed: int = 0,
    threads: int = 1,
    group_by: str | None = None,
) -> Reconstruction:
    """Rank each node's ancestors among all nodes, by energy (margin methods) or by distance (distance methods).

    For each node with ancestors, all other nodes are sorted by how well they fit as its ancestor; the rank of a true
    ancestor is one plus the number of non-ancestors before it. ``sample`` uses that many random nodes instead of all.
    ``group_by`` adds the same figures by the ``depth`` of the node or by the number of its ``parents``; groups in which
    no node has an ancestor are omitted.

    >>> import hypercone
    >>> found = reconstruction(hypercone.fit("tree-2-3", "order", dim=2, epochs=50), group_by="depth")
    >>> found.nodes, found.pairs, list(found.groups)
    (14, 34, ['1', '2', '3'])
    """
    # The kernels trust their input.
    hierarchy = known_hierarchy(embedding, hierarchy)
    for name, value in ((option("sample"), sample), (option("threads"), threads)):
        if value is not None and value < 1:
            raise InputError(f"{name} is {value}, but must be at least 1")
    lists = hierarchy.ancestor_lists()
    children = np.flatnonzero(lists.counts).astype(np.int32)
    if len(children) == 0:
        raise InputError("no node has an ancestor, so there is nothing to reconstruct")
    if sample is not None and sample < len(children):
        children = np.sort(np.random.default_rng(seed).choice(children, sample, replace=False))
    found = _reconstruct(embedding, lists, children, threads)
    if group_by is None:
        return found
    groups = node_groups(hierarchy, group_by)
    members = {name: children[groups.of_row[children] == group] for group, name in enumerate(groups.names)}
    parts = {name: _reconstruct(embedding, lists, rows, threads) for name, rows in members.items() if len(rows)}
    return replace(found, groups=parts)


def _reconstruct(
    embedding: Embedding, ancestors: Adjacency, children: NDArray[np.int32], threads: int
) -> Reconstruction:
    # The number of chunks does not depend on the threads, so that the sums are bitwise the same.
    chunks = np.array_split(children, min(len(children), 256))
    with ThreadPoolExecutor(threads) as pool:
        ranked = pool.map(lambda chunk: _ranks(embedding, ancestors, chunk), chunks)
        found = list(track_progress(ranked, "reconstruction", len(chunks)))
    ranks, precisions, pairs = np.sum(found, axis=0)
    return Reconstruction(float(ranks / pairs), float(precisions / len(children)), len(children), int(pairs))


def _ranks(embedding: Embedding, ancestors: Adjacency, children: NDArray[np.int32]) -> tuple[float, float, int]:
    # α only serves to predict the direction of a pair; Nickel and Kiela rank by distance.
    plain = replace(embedding.scorer, settings=replace(embedding.settings, alpha=0.0))
    ranks, precisions, pairs = ranks_of_ancestors(plain.points, ancestors.csr, children, plain.constants, plain.dim)
    return ranks, precisions, pairs


# Many small parts per core, so that no core waits long for the slowest.
PARTS_PER_CORE = 16


class Predictions(NamedTuple):
    """The number of predicted ancestors of each node, and the number of correct ones among them."""

    predicted: Numbers
    correct: Numbers


def all_pairs(
    embedding: Embedding,
    hierarchy: Hierarchy | None = None,
    threshold: float | None = None,
    *,
    group_by: str | None = None,
) -> LinkPrediction:
    """Precision, recall and F1 over all ordered pairs of different nodes; those of the transitive closure are true.

    The counts are exact and, for cones, fast: the index finds the ancestors of each node. There are many more negative
    pairs than in the paper's protocol, which draws ten per true pair, so precision is much lower. ``group_by`` adds the
    same figures by the ``depth`` of the child, or by the number of its ``parents``: a pair (u, v) counts in the group
    of v. Nodes that the graph says nothing about, because they were placed by a point, are left out.

    >>> import hypercone
    >>> found = all_pairs(hypercone.fit("tree-3-4"), group_by="depth")
    >>> found.positives + found.negatives == 121 * 120
    True
    >>> [part.positives for part in found.groups.values()]
    [0, 3, 18, 81, 324]
    """
    if hierarchy is None:
        embedding = _part_in_graph(embedding)
    hierarchy, threshold = known_hierarchy(embedding, hierarchy), checked_threshold(embedding, threshold)
    return metrics_from_predictions(count_predictions(embedding, hierarchy, threshold), hierarchy, threshold, group_by)


def headline(embedding: Embedding, hierarchy: Hierarchy | None = None) -> Headline:
    """The shares of direct edges and of ancestor lists that hold in the geometry, then F1 over all pairs; exact.

    A hierarchy with the same nodes replaces the one of the embedding. ``worst`` lists the nodes with the most wrong
    ancestors, and ``wrong_pairs`` every wrong pair. Nodes that the graph says nothing about are left out: those placed
    by a point, and those under them.

    >>> import hypercone
    >>> pets = [("thing", "pet"), ("thing", "toy"), ("pet", "tamagotchi"), ("toy", "tamagotchi"), ("pet", "dog")]
    >>> found = headline(hypercone.fit(pets, "nested-caps", dim=2))
    >>> found.direct_edges, found.exact_ancestor_lists, round(found.f1, 3)
    (0.8, 0.8, 0.923)
    >>> [(each.name, each.missing, each.missing_example, each.extra) for each in found.worst()]
    [('tamagotchi', 1, 'toy', 0)]
    """
    if hierarchy is None:
        embedding = _part_in_graph(embedding)
    hierarchy = known_hierarchy(embedding, hierarchy)
    predictions = count_predictions(embedding, hierarchy, embedding.threshold)
    true = hierarchy.ancestor_lists()
    errors = ListErrors(true.counts - predictions.correct, predictions.predicted - predictions.correct)
    return headline_from(embedding, hierarchy, counts_of(errors, len(true.rows)), errors)


def _part_in_graph(embedding: Embedding) -> Embedding:
    """The embedding without the nodes that the graph says nothing about."""
    if embedding.by_point is None:
        return embedding
    relatives = embedding.relatives("graph")
    inside = [row for row in range(len(embedding)) if relatives.origin(row) == "graph"]
    outside = np.setdiff1d(np.arange(len(embedding)), inside).tolist()
    part = known_hierarchy(embedding, None).drop([embedding.names[row] for row in outside])
    return replace(
        embedding,
        names=part.names,
        points=embedding.points[inside],
        labels=part.labels,
        edges=part.edges,
        by_point=None,
        glossary=part.glossary,
    )


# Methods without an index compare all pairs, which takes up to 30 ns each; this many take a few seconds.
MOST_SCANNED = 200_000_000


def known_headline(embedding: Embedding) -> dict[str, Any] | None:
    """The stored headline, or a new one, without the figures that would take minutes; None without a hierarchy."""
    stored = stored_headline(embedding)
    if stored is not None or embedding.edges is None:
        return stored
    try:
        part = _part_in_graph(embedding)
        hierarchy = known_hierarchy(part, None)
    except HierarchyError:
        # The edges of a model that was not fitted may form a cycle.
        return None
    if embedding.scorer.method.curvature is not None or len(embedding) ** 2 <= MOST_SCANNED:
        with suppress(ResourceError):
            return headline(part, hierarchy).as_dict()
    return headline_from(part, hierarchy, None, None).as_dict()


def metrics_from_predictions(
    predictions: Predictions, hierarchy: Hierarchy, threshold: float, group_by: str | None
) -> LinkPrediction:
    """The metrics of predicted ancestors over all pairs, and over the pairs of each group of nodes."""
    true, others = hierarchy.ancestor_lists().counts, len(hierarchy) - 1

    def metrics(correct: int, predicted: int, positives: int, nodes: int) -> LinkPrediction:
        return metrics_from_counts(
            Counts(correct, predicted - correct, positives), nodes * others - positives, threshold
        )

    found = metrics(int(predictions.correct.sum()), int(predictions.predicted.sum()), int(true.sum()), len(hierarchy))
    if group_by is None:
        return found
    groups = node_groups(hierarchy, group_by)
    sums = [groups.sums(of_node) for of_node in (predictions.correct, predictions.predicted, true, np.ones_like(true))]
    return replace(found, groups=dict(zip(groups.names, map(metrics, *sums), strict=True)))


def known_hierarchy(embedding: Embedding, hierarchy: Hierarchy | None) -> Hierarchy:
    """The given hierarchy, or the one the embedding was fitted to; InputError if it does not have the same nodes."""
    hierarchy = hierarchy or embedding.hierarchy
    if hierarchy is None:
        raise InputError("the model does not know its edges; give the hierarchy it was fitted to")
    if tuple(hierarchy.names) != tuple(embedding.names):
        raise InputError("the hierarchy's nodes are not the embedding's; give the hierarchy it was fitted to")
    return hierarchy


def count_predictions(embedding: Embedding, hierarchy: Hierarchy, threshold: float) -> Predictions:
    """Count the predicted ancestors of each node, on all cores."""
    method, true = embedding.scorer.method, hierarchy.ancestor_lists()
    nodes = np.arange(len(embedding))
    if method.loss == "margin" and threshold < 0:
        # Energies are never negative.
        return Predictions(np.zeros_like(nodes), np.zeros_like(nodes))
    if threshold != embedding.threshold:
        embedding = replace(embedding, threshold=threshold)
    count = _count_by_tree if method.curvature is not None else _count_by_scan
    # Build the index and compile before the threads start; otherwise each of them would.
    count(embedding, true, nodes[:1])
    # Nodes that are close in the tree visit the same cells: on a million nodes this takes half the time.
    order = embedding.index.tree.rows if method.curvature is not None else nodes
    cores = usable_cores()
    parts = np.array_split(order, cores * PARTS_PER_CORE)
    with ThreadPoolExecutor(cores) as pool:
        counts = pool.map(lambda part: count(embedding, true, part), parts)
        found = list(track_progress(counts, "all pairs", len(parts)))
    predictions = Predictions(np.empty_like(nodes), np.empty_like(nodes))
    for part, (predicted, correct) in zip(parts, found, strict=True):
        predictions.predicted[part], predictions.correct[part] = predicted, correct
    return predictions


def _count_by_tree(embedding: Embedding, true: Adjacency, nodes: Numbers) -> tuple[Numbers, Numbers]:
    index = embedding.index
    # A walk pushes two cells for each one it pops, so at most one per level is waiting, plus two.
    stack = np.empty(index.tree.halvings + 3, np.int64)
    given = (index.tree, index.cones, stack, true.csr, embedding.scorer.dim)
    predicted, correct = count_by_tree(embedding.points, nodes, *given)
    return predicted, correct


def _count_by_scan(embedding: Embedding, true: Adjacency, nodes: Numbers) -> tuple[Numbers, Numbers]:
    scorer = embedding.scorer
    given = (scorer.constants, scorer.threshold, true.csr, scorer.dim)
    predicted, correct = count_by_scan(scorer.points, nodes, *given)
    return predicted, correct


GROUP_BY = ("depth", "parents")
# One parent at most, all the way up; an ancestor with several parents; several parents.
BY_PARENTS = ("one_parent", "several_above", "several_parents")


class Groups(NamedTuple):
    """The names of groups of nodes, and the number of the group of each row."""

    names: tuple[str, ...]
    of_row: Numbers

    def sums(self, of_node: Numbers) -> list[int]:
        """The sum of the values of each group's nodes."""
        # np.bincount with weights would sum in floating point.
        sums = np.zeros(len(self.names), np.int64)
        np.add.at(sums, self.of_row, of_node)
        return [int(value) for value in sums]


def node_groups(hierarchy: Hierarchy, group_by: str) -> Groups:
    """The nodes grouped by ``depth``, the length of the longest path from a root, or by their number of ``parents``.

    *several_parents*: more than one direct parent; *several_above*: at most one, but an ancestor has more;
    *one_parent*: neither.

    >>> pets = Hierarchy.from_pairs([("dog", "puppy"), ("young", "puppy"), ("puppy", "whelp")])
    >>> [BY_PARENTS[group] for group in node_groups(pets, "parents").of_row]
    ['one_parent', 'several_parents', 'one_parent', 'several_above']
    """
    if group_by == "depth":
        depths = hierarchy.depths.astype(np.int64)
        return Groups(tuple(map(str, range(int(depths.max(initial=0)) + 1))), depths)
    if group_by != "parents":
        raise InputError(f"{option('group_by')} is {group_by!r}, but must be {' or '.join(GROUP_BY)}")
    has_several, above = hierarchy.lineage.parent_lists.counts > 1, hierarchy.ancestor_lists()
    is_below = np.bincount(above.groups()[has_several[above.rows]], minlength=len(hierarchy)) > 0
    return Groups(BY_PARENTS, np.where(has_several, 2, is_below.astype(np.int64)))
