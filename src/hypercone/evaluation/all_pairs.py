"""How well an embedding tells true pairs from wrong ones among all there are, not a sample of them."""

from __future__ import annotations

import dataclasses

import numpy as np

from hypercone.calibration import Counts
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.evaluation.link_prediction import LinkPrediction, checked_threshold, judged
from hypercone.hierarchy import Adjacency, Hierarchy

# Nodes looked at together; an embedding that says yes to everything would not fit into memory at once.
PART = 2_000


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
    hierarchy = hierarchy or embedding.hierarchy
    if hierarchy is None:
        raise InputError("the model does not know its edges; give the hierarchy it was fitted to")
    if tuple(hierarchy.names) != tuple(embedding.names):
        raise InputError("the hierarchy's nodes are not the embedding's; give the hierarchy it was fitted to")
    threshold = checked_threshold(embedding, threshold)
    lists = hierarchy.ancestor_lists()
    if threshold != embedding.threshold:
        embedding = dataclasses.replace(embedding, threshold=threshold)
    right, called = np.sum([_count(embedding, lists, start) for start in range(0, len(lists), PART)], axis=0).tolist()
    positives = len(lists.rows)
    counts = Counts(right, called - right, positives)
    return judged(counts, negatives=len(lists) * (len(lists) - 1) - positives, threshold=threshold)


def _count(embedding: Embedding, lists: Adjacency, start: int) -> tuple[int, int]:
    """How many ancestors the embedding gives some nodes rightly, and how many in all."""
    nodes = range(start, min(start + PART, len(lists)))
    found = embedding.index.ancestors_of_many(nodes)
    size = len(lists)
    called = np.repeat(np.arange(len(found)) * size, list(map(len, found))) + np.concatenate(found)
    true = [lists[node] for node in nodes]
    known = np.repeat(np.arange(len(true)) * size, list(map(len, true))) + np.concatenate(true)
    return len(np.intersect1d(called, known, assume_unique=True)), len(called)
