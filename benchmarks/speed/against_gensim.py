"""hypercone and gensim side by side, in one run on one core: pairs trained a second on WordNet nouns.

gensim's PoincareModel has the distance loss only, so two ratios are printed: our Poincaré kernel against it (the same
loss on the same edges), and our hyperbolic cones against it (what a user of either would run). Both programs get the
50 % training set, ten negatives a positive, five or ten dimensions, one thread; gensim trains on a random part of the
edges, for a whole epoch of it takes minutes. Best of three each, CPU time.

    pip install gensim
    taskset -c 0 python benchmarks/against_gensim.py --json > benchmarks/results/against_gensim.json
"""

from __future__ import annotations

import argparse
import json
import logging
from typing import Any

import numpy as np

from hypercone._system import describe_machine
from hypercone.data import load_dataset
from kernels import bench_kernels
from timing import best_cpu_seconds, pin_to_one_core

NEGATIVES = 10
GENSIM_EDGES = 20_000


def gensim_pairs_per_second(dim: int, repeats: int = 3) -> float:
    from gensim.models.poincare import PoincareModel

    hierarchy = load_dataset("wordnet-nouns")
    edges = hierarchy.split(50).train
    chosen = edges[np.random.default_rng(0).choice(len(edges), GENSIM_EDGES, replace=False)]
    # gensim's relations read (child, parent).
    relations = [(hierarchy.names[child], hierarchy.names[parent]) for parent, child in chosen.tolist()]
    model = PoincareModel(relations, size=dim, negative=NEGATIVES, burn_in=0, workers=1, seed=0)
    seconds = best_cpu_seconds(lambda: model.train(epochs=1, batch_size=10, print_every=10**9), repeats)
    return len(relations) * (1 + NEGATIVES) / seconds


def compare(dim: int) -> dict[str, Any]:
    theirs = gensim_pairs_per_second(dim)
    rows = bench_kernels(("hyperbolic-cones", "poincare"), (dim,), repeats=20)
    ours = {row["method"]: row["pairs_per_second"] for row in rows if row["recipe"] == "paper"}
    return {
        "dim": dim,
        "gensim_pairs_per_second": theirs,
        "hypercone_pairs_per_second": ours,
        "ratio": {method: speed / theirs for method, speed in ours.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--dims", default="5,10", help="by commas (default 5,10)")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    pin_to_one_core()
    results = [compare(int(dim)) for dim in options.dims.split(",")]
    if options.json:
        import gensim

        print(
            json.dumps({"machine": describe_machine() | {"gensim": gensim.__version__}, "results": results}, indent=2)
        )
        return
    for row in results:
        theirs = row["gensim_pairs_per_second"] / 1e6
        for method, ratio in row["ratio"].items():
            ours = row["hypercone_pairs_per_second"][method] / 1e6
            print(
                f"d = {row['dim']:2}  {method:16} {ours:6.1f} M pairs/s, gensim {theirs:.2f}: {ratio:.0f} times as many"
            )


if __name__ == "__main__":
    main()
