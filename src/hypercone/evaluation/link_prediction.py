"""How well an embedding tells true pairs from wrong ones: held-out pairs, all pairs, reconstruction."""

from __future__ import annotations

import dataclasses
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._system import usable_cores
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.evaluation.evaluation_kernels import count_by_scan, count_by_tree, ranks_of_ancestors
from hypercone.hierarchy import Adjacency, Hierarchy, LabelledPairs
from hypercone.methods.scoring import Counts, count_at
from hypercone.progress import counted_off


@dataclass(frozen=True)
class LinkPrediction:
    """Precision, recall and F1 at a threshold, and the counts behind them."""

    precision: float
    recall: float
    f1: float
    positives: int
    negatives: int
    true_positives: int
    false_positives: int
    threshold: float

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def evaluate(embedding: Embedding, pairs: LabelledPairs, threshold: float | None = None) -> LinkPrediction:
    """Judge the embedding on labelled pairs, at its own threshold unless another is given.

    >>> import hypercone
    >>> tree = hypercone.load_dataset("tree-3-5")
    >>> split = hypercone.paper_split(tree, percent=50)
    >>> embedding = hypercone.fit(tree, split=split, epochs=50, init_epochs=50)
    >>> evaluate(embedding, split.test).f1 > 0.5
    True
    """
    if len(pairs.positives) == 0:
        raise InputError("there are no positive pairs to evaluate on; a larger hierarchy or another split is needed")
    for rows in (pairs.positives, pairs.negatives):
        # The kernels trust their input.
        if len(rows) and not 0 <= rows.min() <= rows.max() < len(embedding):
            raise InputError(f"a pair has a row outside 0 … {len(embedding) - 1}; the pairs are of another hierarchy")
    threshold = checked_threshold(embedding, threshold)
    scores = embedding.scorer.energies
    counts = count_at(threshold, scores(pairs.positives), scores(pairs.negatives))
    return judged(counts, len(pairs.negatives), threshold)


def checked_threshold(embedding: Embedding, threshold: float | None) -> float:
    """The threshold given, or the embedding's own if none is."""
    threshold = embedding.threshold if threshold is None else threshold
    if not math.isfinite(threshold):
        raise InputError(f"the threshold is {threshold}, but must be a finite number")
    return threshold


def judged(counts: Counts, negatives: int, threshold: float) -> LinkPrediction:
    """Counts with what follows from them."""
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


class Kind(StrEnum):
    """How the points came about; all three are given edges alone."""

    LEARNED = "learned"
    CONSTRUCTED = "constructed"
    LEARNED_FROM_A_CONSTRUCTION = "learned from a construction"


@dataclass(frozen=True)
class Origin:
    """How an embedding came about, and whether it used the closure of its training edges beside themselves."""

    kind: Kind
    closure_aware: bool

    def __str__(self) -> str:
        return f"{self.kind}, closure-aware" if self.closure_aware else str(self.kind)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"kind": str(self.kind), "closure_aware": self.closure_aware}


def kind_of(embedding: Embedding) -> Origin:
    """How an embedding came about, as its record tells; what does not say was learned.

    >>> import hypercone
    >>> tree = hypercone.load_dataset("tree-2-3")
    >>> [str(kind_of(hypercone.fit(tree, method=method, dim=2))) for method in ("order", "construction")]
    ['learned, closure-aware', 'constructed']
    """
    said = embedding.record.get("kind", Kind.LEARNED)
    if said not in list(Kind):
        raise InputError(f"the model's record says that its kind is {said!r}, but must say one of: {', '.join(Kind)}")
    aware = embedding.record.get("closure_aware")
    return Origin(Kind(said), aware if isinstance(aware, bool) else _used_closure(embedding.record))


def _used_closure(record: dict[str, Any]) -> bool:
    """A fit without a split learns from the closure unless told otherwise, and may leave out what it implies."""
    config = record.get("config")
    if not isinstance(config, dict):
        return False
    return config.get("known") == "closure" or (config.get("edges") == "closure" and not record.get("split"))


@dataclass(frozen=True)
class Reconstruction:
    """Mean rank of a true ancestor among all nodes that are not, and the mean average precision."""

    mean_rank: float
    map: float
    nodes: int
    pairs: int

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def evaluate_reconstruction(
    embedding: Embedding, hierarchy: Hierarchy, *, sample: int | None = None, seed: int = 0, threads: int = 1
) -> Reconstruction:
    """Rank each node's ancestors among all nodes, by energy (margin methods) or plain distance (distance methods).

    For each node with ancestors, all others are sorted by how well they fit as its ancestor; the rank of a true one
    counts the wrong ones before it, plus one. ``sample`` takes that many nodes at random instead of all.

    >>> import hypercone
    >>> tree = hypercone.load_dataset("tree-2-3")
    >>> found = evaluate_reconstruction(hypercone.fit(tree, epochs=50, init_epochs=50), tree)
    >>> found.nodes, found.pairs
    (14, 34)
    """
    # The kernels trust their input.
    if tuple(hierarchy.names) != tuple(embedding.names):
        raise InputError("the hierarchy's nodes are not the embedding's; give the hierarchy it was fitted to")
    for name, value in (("sample", sample), ("threads", threads)):
        if value is not None and value < 1:
            raise InputError(f"{name} is {value}, but must be at least 1")
    lists = hierarchy.ancestor_lists()
    children = np.flatnonzero(lists.counts).astype(np.int32)
    if len(children) == 0:
        raise InputError("no node has an ancestor, so there is nothing to reconstruct")
    if sample is not None and sample < len(children):
        children = np.sort(np.random.default_rng(seed).choice(children, sample, replace=False))
    # As many parts whatever the threads, so that the sums are the same to the last digit.
    chunks = np.array_split(children, min(len(children), 256))
    with ThreadPoolExecutor(threads) as pool:
        ranked = pool.map(lambda chunk: _ranks(embedding, lists, chunk), chunks)
        found = list(counted_off(ranked, "reconstruction", len(chunks)))
    ranks, precisions, pairs = np.sum(found, axis=0)
    return Reconstruction(float(ranks / pairs), float(precisions / len(children)), len(children), int(pairs))


def _ranks(embedding: Embedding, ancestors: Adjacency, children: NDArray[np.int32]) -> tuple[float, float, int]:
    # α serves to tell direction; the ranking of Nickel and Kiela is by distance alone.
    plain = dataclasses.replace(embedding.scorer, settings=dataclasses.replace(embedding.settings, alpha=0.0))
    ranks, precisions, pairs = ranks_of_ancestors(plain.points, ancestors.csr, children, plain.constants, plain.dim)
    return ranks, precisions, pairs


Numbers = NDArray[np.int64]
# Nodes are shared out in many small parts, so that no core waits for the slowest.
PARTS_A_CORE = 16


class Calls(NamedTuple):
    """Of each node how many ancestors the embedding gives it, and how many of these are true ones."""

    called: Numbers
    right: Numbers


def evaluate_all_pairs(
    embedding: Embedding, hierarchy: Hierarchy | None = None, threshold: float | None = None
) -> LinkPrediction:
    """Precision, recall and F1 over every ordered pair of different nodes; those of the closure are the true ones.

    Exact and, for cones, quick: the index finds the ancestors of each node. Wrong pairs are far more than in the
    paper's protocol, which draws ten for each true one, so precision is far lower.

    >>> import hypercone
    >>> tree = hypercone.load_dataset("tree-3-4")
    >>> found = evaluate_all_pairs(hypercone.fit(tree, epochs=50, init_epochs=50))
    >>> found.positives + found.negatives == len(tree) * (len(tree) - 1)
    True
    """
    hierarchy, threshold = known_hierarchy(embedding, hierarchy), checked_threshold(embedding, threshold)
    calls = count_calls(embedding, hierarchy, threshold)
    right, called, positives = int(calls.right.sum()), int(calls.called.sum()), len(hierarchy.ancestor_lists().rows)
    return judged(
        Counts(right, called - right, positives), len(embedding) * (len(embedding) - 1) - positives, threshold
    )


def known_hierarchy(embedding: Embedding, hierarchy: Hierarchy | None) -> Hierarchy:
    """The hierarchy given, or the one the embedding was fitted to; InputError if it is not about the same nodes."""
    hierarchy = hierarchy or embedding.hierarchy
    if hierarchy is None:
        raise InputError("the model does not know its edges; give the hierarchy it was fitted to")
    if tuple(hierarchy.names) != tuple(embedding.names):
        raise InputError("the hierarchy's nodes are not the embedding's; give the hierarchy it was fitted to")
    return hierarchy


def count_calls(embedding: Embedding, hierarchy: Hierarchy, threshold: float) -> Calls:
    """The ancestors that an embedding gives each node, counted on all cores."""
    method, true = embedding.scorer.method, hierarchy.ancestor_lists()
    nodes = np.arange(len(embedding))
    if method.loss == "margin" and threshold < 0:
        # No energy is below zero.
        return Calls(np.zeros_like(nodes), np.zeros_like(nodes))
    if threshold != embedding.threshold:
        embedding = dataclasses.replace(embedding, threshold=threshold)
    count = _count_by_tree if method.curvature is not None else _count_by_scan
    # The first part alone builds the index and compiles, which threads would each do for themselves.
    count(embedding, true, nodes[:1])
    cores = usable_cores()
    parts = np.array_split(nodes, cores * PARTS_A_CORE)
    with ThreadPoolExecutor(cores) as pool:
        counts = pool.map(lambda part: count(embedding, true, part), parts)
        called, right = zip(*counted_off(counts, "all pairs", len(parts)), strict=True)
    return Calls(np.concatenate(called), np.concatenate(right))


def _count_by_tree(embedding: Embedding, true: Adjacency, nodes: Numbers) -> tuple[Numbers, Numbers]:
    index = embedding.index
    # A walk puts two cells for each it takes, so at most one a floor is waiting, and two.
    stack = np.empty(index.tree.floors + 3, np.int64)
    given = (index.tree, index.cones, stack, true.csr, embedding.scorer.dim)
    called, right = count_by_tree(embedding.points, nodes, *given)
    return called, right


def _count_by_scan(embedding: Embedding, true: Adjacency, nodes: Numbers) -> tuple[Numbers, Numbers]:
    scorer = embedding.scorer
    given = (scorer.constants, scorer.threshold, true.csr, scorer.dim)
    called, right = count_by_scan(scorer.points, nodes, *given)
    return called, right
