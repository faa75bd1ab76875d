"""The positive pairs of a fit, the pairs it knows to be true, and how negative pairs are sampled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import CSR, Adjacency, Offsets, Rows, read_only
from hypercone._math_kernels import power_each
from hypercone.errors import InputError
from hypercone.hierarchy import Hierarchy, LabeledPairs, Split
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.hierarchy.split import negative_pairs
from hypercone.training.config import FitConfig, TrainingConfig
from hypercone.training.draw_kernels import signatures_of

# A pool lists each node as often as its weight requires; this many entries per node are precise enough.
POOL_ENTRIES_PER_NODE = 16


class Negatives(NamedTuple):
    """The number of negatives of each kind per positive, the pools they are drawn from, and the weight of positives."""

    children: int
    parents: int
    relatives: int
    child_pool: Rows
    parent_pool: Rows
    relative_pools: CSR  # one pool per parent
    push_children: bool = False
    push_parents: bool = False
    positive_weight: float = 1.0


class KnownPairs(NamedTuple):
    """The known parents of each node, and the bits by which most draws are decided without them (``draw_kernels``).

    In ``child_pool`` the lower bits of a number, those in ``row_bits``, are a row, and the others its signature.
    ``own_marks`` has the marks of one bit; ``signatures`` are for drawing parents.
    """

    offsets: Offsets
    rows: Rows
    marks: NDArray[np.uint64]
    child_pool: NDArray[np.uint64]
    signatures: NDArray[np.uint64]
    row_bits: np.uint64
    own_marks: np.uint64

    @classmethod
    def of(cls, known: Adjacency, child_pool: Rows) -> KnownPairs:
        """The known pairs of these lists of parents, and this pool of children."""
        marks, row_bits, own_marks = _marks(known)
        of_children, signatures = signatures_of(known.csr, marks)
        pool = child_pool.astype(np.uint64) | of_children[child_pool, 0]
        marks, pool, signatures = (read_only(bits) for bits in (marks, pool, signatures))
        return cls(known.offsets, known.rows, marks, pool, signatures, row_bits, own_marks)


def _marks(known: Adjacency) -> tuple[NDArray[np.uint64], np.uint64, np.uint64]:
    """The mark of each node as a parent, above the bits of a row; with the bits of rows, and of marks of one bit."""
    count = len(known)
    of_rows = max(1, (count - 1).bit_length())
    of_own = (64 - of_rows) // 2
    shared = 64 - of_rows - of_own
    hashed = np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    places = [of_rows + of_own + ((hashed >> np.uint64(shift)) % np.uint64(shared)).astype(int) for shift in (24, 44)]
    marks = np.uint64(1) << places[0].astype(np.uint64) | np.uint64(1) << places[1].astype(np.uint64)
    common = np.argsort(-np.bincount(known.rows, minlength=count), kind="stable")[:of_own]
    marks[common] = np.uint64(1) << np.arange(of_rows, of_rows + len(common), dtype=np.uint64)
    return marks.reshape(-1, 1), np.uint64((1 << of_rows) - 1), np.uint64(((1 << of_own) - 1) << of_rows)


class Examples(NamedTuple):
    """The data of an epoch: (parent, child) pairs, the known parents of each node, and how negatives are drawn."""

    edges: Rows
    known: KnownPairs | CSR  # caps are drawn without the bits
    negatives: Negatives


def make_negatives(count: int, edges: Rows, config: TrainingConfig, sampling: str | None = None) -> Negatives:
    """The sampling plan of a configuration for a hierarchy of ``count`` nodes."""
    drawn = config.negatives - config.relatives
    children = {"child": drawn, "parent": 0, "both": drawn - drawn // 2}[config.corrupt]
    everyone = np.arange(count, dtype=np.int32)
    degrees = np.bincount(edges[:, 0], minlength=count)
    candidates = everyone
    if config.parent_candidates == "non-leaves" and degrees.any():
        candidates = np.flatnonzero(degrees).astype(np.int32)
    if (sampling or config.sampling) == "degree":
        everyone = pool_by_degree(everyone, degrees, config.sampling_power)
        candidates = pool_by_degree(candidates, degrees, config.sampling_power)
    return Negatives(
        children,
        drawn - children,
        config.relatives,
        everyone,
        candidates,
        non_leaf_children(count, edges).csr,
        config.push_inside in ("child", "both"),
        config.push_inside in ("parent", "both"),
        config.positive_weight,
    )


def non_leaf_children(count: int, edges: Rows) -> Adjacency:
    """For each node, its children in the training edges that have children themselves."""
    inner = np.zeros(count, np.bool_)
    inner[edges[:, 0]] = True
    inner_edges = edges[inner[edges[:, 1]]]
    return Adjacency.of_pairs(inner_edges[:, 0], inner_edges[:, 1], count)


def pool_by_degree(rows: Rows, degrees: NDArray[np.int64], power: float) -> Rows:
    """The rows, each repeated in proportion to (children + 1)^power and at least once."""
    weights = power_each(degrees[rows] + 1.0, power)
    copies = np.rint(weights / weights.sum() * len(rows) * POOL_ENTRIES_PER_NODE).astype(np.int64)
    return np.repeat(rows, np.maximum(copies, 1))


# Enough pairs to choose a threshold within a tenth of a point of F1.
CALIBRATION_PAIRS = 20_000


class TrainingData(NamedTuple):
    """The positive pairs, the pairs known to be true, and the full configuration."""

    edges: Rows
    known: Adjacency
    config: TrainingConfig


def prepare(hierarchy: Hierarchy, given: FitConfig, split: Split | None) -> TrainingData:
    """The training data of a hierarchy or a split."""
    edges = training_edges(hierarchy, given, split)
    config = given.for_edges(len(edges))
    return TrainingData(edges, known_pairs(hierarchy, edges, config), config)


def training_edges(hierarchy: Hierarchy, config: FitConfig, split: Split | None) -> Rows:
    """The positive pairs: a split's training edges, or the hierarchy's edges or closure, by the configuration."""
    if split is not None:
        edges = split.train
    else:
        edges = hierarchy.edges if config.edges == "as-given" else hierarchy.closure()
    if len(edges) == 0:
        raise InputError("there are no edges to learn from; give at least one parent and child")
    # A writable copy, because numba would compile the epoch again for read-only arrays.
    return np.array(edges, np.int32, order="C")


def known_pairs(hierarchy: Hierarchy, edges: Rows, config: TrainingConfig) -> Adjacency:
    """The pairs never used as negatives, from the training edges or their closure; held-out edges are not used."""
    if config.known == "closure":
        return Hierarchy(hierarchy.names, edges).ancestor_lists()
    return parent_lists(edges, len(hierarchy))


def calibration_pairs(hierarchy: Hierarchy, edges: Rows, config: TrainingConfig) -> LabeledPairs:
    """Training pairs with ten negative pairs each, to choose the threshold if there are no validation pairs."""
    random = np.random.default_rng([config.seed, 0xCA11])
    chosen = random.choice(len(edges), min(CALIBRATION_PAIRS, len(edges)), replace=False)
    positives = np.ascontiguousarray(edges[np.sort(chosen)])
    return LabeledPairs(positives, negative_pairs(hierarchy, positives, 5, config.seed, 0xCA11))
