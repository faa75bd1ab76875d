"""How well an embedding tells true pairs from wrong ones among all there are, not a sample of them."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._jit import dimension_type
from hypercone._system import usable_cores
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.evaluation.all_pairs_kernels import count_by_scan, count_by_tree
from hypercone.evaluation.link_prediction import LinkPrediction, checked_threshold, judged
from hypercone.hierarchy import Adjacency, Hierarchy
from hypercone.methods import find_method
from hypercone.methods.scoring import Counts

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
    method, true = find_method(embedding.method), hierarchy.ancestor_lists()
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
    with ThreadPoolExecutor(cores) as pool:
        parts = list(pool.map(lambda part: count(embedding, true, part), np.array_split(nodes, cores * PARTS_A_CORE)))
    called, right = (np.concatenate(side) for side in zip(*parts, strict=True))
    return Calls(called, right)


def _count_by_tree(embedding: Embedding, true: Adjacency, nodes: Numbers) -> tuple[Numbers, Numbers]:

    index = embedding.index
    # A walk puts two cells for each it takes, so at most one a floor is waiting, and two.
    stack = np.empty(index.tree.floors + 3, np.int64)
    given = (index.tree, index.cones, stack, true.offsets, true.rows, dimension_type(embedding.dim))
    called, right = count_by_tree(embedding.points, nodes, *given)
    return called, right


def _count_by_scan(embedding: Embedding, true: Adjacency, nodes: Numbers) -> tuple[Numbers, Numbers]:

    constants = find_method(embedding.method).constants(embedding.settings)
    given = (constants, embedding.threshold, true.offsets, true.rows, dimension_type(embedding.dim))
    called, right = count_by_scan(embedding.points, nodes, *given)
    return called, right
