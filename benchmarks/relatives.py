"""What wrong pairs drawn from relatives change: F1 on held-out pairs, and over all pairs of WordNet nouns.

    python benchmarks/relatives.py -o benchmarks/results/relatives.json

Two fits from the same seed and split (50 %, 5 dimensions), with and without relatives. F1 over all ordered pairs is
estimated: the descendants of sampled nodes are scanned, more of them where there are more, and each counts for as many
nodes as it stands for.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from hypercone._system import describe_machine
from hypercone.data import load_dataset
from hypercone.embedding import Embedding
from hypercone.evaluation import evaluate
from hypercone.hierarchy import Hierarchy
from hypercone.methods.scoring import Counts
from hypercone.training import FitConfig, fit

SAMPLE = 300
# Nodes in the order of how many are below them; the last two parts are the rest with any, and the leaves.
CUTS = (300, 3_000)


def all_pairs_f1(embedding: Embedding, hierarchy: Hierarchy, threshold: float) -> float:
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


def run(relatives: int) -> dict[str, Any]:
    hierarchy = load_dataset("wordnet-nouns")
    split = hierarchy.split(50)
    embedding = fit(hierarchy, recipe=FitConfig(method="hyperbolic-cones", relatives=relatives), split=split)
    return {
        "kind": "learned",
        "relatives": relatives,
        "held_out_f1": evaluate(embedding, split.test).f1,
        "all_pairs_f1_at_energy_0": all_pairs_f1(embedding, hierarchy, 0.0),
        "all_pairs_f1_at_threshold": all_pairs_f1(embedding, hierarchy, embedding.threshold),
        "threshold": embedding.threshold,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the JSON file to write")
    options = parser.parse_args()
    with ProcessPoolExecutor(2) as pool:
        results = list(pool.map(run, (0, FitConfig(method="hyperbolic-cones").relatives)))
    options.output.write_text(json.dumps({"machine": describe_machine(), "results": results}, indent=1) + "\n")
    for row in results:
        print(json.dumps(row))


if __name__ == "__main__":
    main()
