"""What a fit learns from: the edges as given, their closure or a split; and which pairs it knows to be true."""

from __future__ import annotations

import numpy as np

from hypercone.errors import InputError
from hypercone.hierarchy import Hierarchy, LabelledPairs, Split
from hypercone.hierarchy.split import corrupted
from hypercone.training.config import FitConfig
from hypercone.training.negatives import Known, Rows, make_known

# Enough pairs to place a threshold within a tenth of a point of F1.
CALIBRATION_PAIRS = 20_000


def prepare(hierarchy: Hierarchy, config: FitConfig, split: Split | None) -> tuple[Rows, Known, FitConfig]:
    """What to learn from, which pairs are known to be true, and the configuration with nothing left open."""
    edges = training_edges(hierarchy, config, split)
    config = config.for_edges(len(edges))
    return edges, known_pairs(hierarchy, edges, config), config


def training_edges(hierarchy: Hierarchy, config: FitConfig, split: Split | None) -> Rows:
    """The positive pairs: a split's training edges, or what the configuration says of the hierarchy's."""
    if split is not None:
        edges = split.train
    else:
        edges = hierarchy.edges if config.edges == "as-given" else hierarchy.closure()
    if len(edges) == 0:
        raise InputError("there are no edges to learn from; give at least one parent and child")
    # A copy, because numba compiles an epoch a second time for arrays that may be written and those that may not.
    return np.array(edges, np.int32, order="C")


def known_pairs(hierarchy: Hierarchy, edges: Rows, config: FitConfig) -> Known:
    """The pairs never used as wrong ones. Nothing outside the training edges, and what they imply, is looked at."""
    if config.known == "closure":
        edges = Hierarchy.from_rows(hierarchy.names, edges).closure()
    return make_known(len(hierarchy), edges)


def calibration_pairs(hierarchy: Hierarchy, edges: Rows, config: FitConfig) -> LabelledPairs:
    """Training pairs and ten wrong ones for each, to place the threshold where no validation pairs are given."""
    random = np.random.default_rng([config.seed, 0xCA11])
    chosen = random.choice(len(edges), min(CALIBRATION_PAIRS, len(edges)), replace=False)
    positives = np.ascontiguousarray(edges[np.sort(chosen)])
    return LabelledPairs(positives, corrupted(hierarchy, positives, 5, config.seed, 0xCA11))
