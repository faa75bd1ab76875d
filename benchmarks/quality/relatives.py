"""What negative pairs drawn from relatives change: F1 on held-out pairs, and over all pairs of WordNet nouns.

Two fits from the same seed and split (50 %, 5 dimensions), with and without relatives. F1 over all ordered pairs is
estimated: the descendants of sampled nodes are scanned, more of them where nodes have more, and each sampled node is
weighted by how many nodes it stands for.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial

import numpy as np
from tools.results import Row, markdown_table

from benchmarks.support import load_hierarchy
from hypercone.embedding import Embedding
from hypercone.evaluation import link_prediction
from hypercone.hierarchy import Hierarchy
from hypercone.methods.scoring import Counts
from hypercone.training import FitConfig, fit

KEY = ("relatives",)
SMOKE = {"dataset": "tree-3-3"}
FIGURES = ("held_out_f1", "all_pairs_f1_at_energy_0", "all_pairs_f1_at_threshold")
SAMPLE = 300
# Strata of the nodes by their number of descendants; the last two are the other inner nodes, and the leaves.
CUTS = (300, 3_000)


def all_pairs_f1(embedding: Embedding, hierarchy: Hierarchy, threshold: float) -> float:
    """An estimate of F1 over all ordered pairs from the descendants of sampled nodes, weighted by stratum."""
    size = np.bincount(hierarchy.closure()[:, 0], minlength=len(hierarchy))
    parts = np.split(np.argsort(-size, kind="stable"), [*CUTS, np.count_nonzero(size)])
    random = np.random.default_rng(0)
    right = wrong = 0.0
    for part in parts:
        chosen = random.choice(part, min(SAMPLE, len(part)), replace=False)
        for row in chosen.tolist():
            energies = embedding.scorer.energies_below(row)
            called = np.setdiff1d(np.flatnonzero(energies <= threshold), [row])
            hits = np.isin(called, hierarchy.descendants_of(row)).sum()
            right += hits * len(part) / len(chosen)
            wrong += (len(called) - hits) * len(part) / len(chosen)
    return Counts(round(right), round(wrong), len(hierarchy.closure())).f1


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(jobs=2)
    parser.add_argument("--dataset", default="wordnet-nouns")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for relatives in (0, FitConfig(method="hyperbolic-cones").relatives):
        yield {"relatives": relatives}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    hierarchy = load_hierarchy(options.dataset)
    split = hierarchy.split(50)
    config = FitConfig(method="hyperbolic-cones", relatives=settings["relatives"])
    embedding = fit(hierarchy, recipe=config, split=split)
    f1_at = partial(all_pairs_f1, embedding, hierarchy)
    figures = (link_prediction(embedding, split.test).f1, f1_at(0.0), f1_at(embedding.threshold))
    return [{"kind": "learned", **dict(zip(FIGURES, figures, strict=True)), "threshold": embedding.threshold}]


def tables(rows: list[Row]) -> dict[str, str]:
    head = ("negatives from relatives", "held-out F1", "all pairs at energy 0", "all pairs at the threshold")
    cells = ([row["relatives"], *(f"{100 * row[figure]:.1f}" for figure in FIGURES)] for row in rows)
    return {"": markdown_table(head, cells, right=head)}
