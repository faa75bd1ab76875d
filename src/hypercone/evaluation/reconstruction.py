"""How well an embedding remembers what it was fitted to: mean rank and MAP, as Nickel and Kiela define them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone._jit import dimension_type
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.evaluation.reconstruction_kernels import ranks_of_ancestors
from hypercone.hierarchy import Hierarchy
from hypercone.methods import Settings, find_method


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
    children = np.flatnonzero(np.diff(lists.offsets)).astype(np.int32)
    if len(children) == 0:
        raise InputError("no node has an ancestor, so there is nothing to reconstruct")
    if sample is not None and sample < len(children):
        children = np.sort(np.random.default_rng(seed).choice(children, sample, replace=False))
    # As many parts whatever the threads, so that the sums are the same to the last digit.
    chunks = np.array_split(children, min(len(children), 256))
    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(lambda chunk: _ranks(embedding, lists.offsets, lists.rows, chunk), chunks))
    ranks, precisions, pairs = np.sum(found, axis=0)
    return Reconstruction(float(ranks / pairs), float(precisions / len(children)), len(children), int(pairs))


def _ranks(
    embedding: Embedding, offsets: NDArray[np.int64], rows: NDArray[np.int32], children: NDArray[np.int32]
) -> tuple[float, float, int]:

    settings = embedding.settings
    # α serves to tell direction; the ranking of Nickel and Kiela is by distance alone.
    plain = Settings(settings.K, settings.margin, settings.border, 0.0)
    constants = find_method(embedding.method).constants(plain)
    dim = dimension_type(embedding.dim)
    ranks, precisions, pairs = ranks_of_ancestors(embedding.points, offsets, rows, children, constants, dim)
    return ranks, precisions, pairs
