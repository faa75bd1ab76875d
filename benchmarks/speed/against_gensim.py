"""Pairs trained per second, compared with gensim: WordNet nouns, both programs in one run on one core.

gensim's PoincareModel has the distance loss only, so there are two ratios: our Poincaré kernel (the same loss on the
same edges), and our hyperbolic cones (what a user of either would run). Both programs get the 50 % training set, ten
negatives per positive, five or ten dimensions and one thread; gensim trains on a random part of the edges, because a
whole epoch takes minutes. The best of several runs counts, by CPU time.

    pip install gensim
    taskset -c 0 python -m benchmarks against_gensim -o FILE
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
from tools.results import Row, markdown_table

from benchmarks.speed import kernels
from benchmarks.support import best_cpu_seconds, import_package
from hypercone.data import load_dataset

KEY = ("dim",)
ONE_CORE = True
PACKAGES = ("gensim",)
METHODS = ("hyperbolic-cones", "poincare")
NEGATIVES = 10
SMOKE = {"dataset": "tree-3-4", "dims": [2], "repeats": 1, "warm_up": 2, "gensim_edges": 100}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dims", nargs="+", type=int, default=[5, 10], help="default: 5 10")
    parser.add_argument("--repeats", type=int, default=20, help="of our kernels (default %(default)s)")
    parser.add_argument("--dataset", default="wordnet-nouns")
    parser.add_argument("--warm-up", type=int, default=20, help="epochs before measuring (default %(default)s)")
    parser.add_argument("--gensim-edges", type=int, default=20_000, help="edges for gensim (default %(default)s)")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for dim in options.dims:
        yield {"dim": dim, "repeats": options.repeats}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    logging.disable(logging.WARNING)
    dim = settings["dim"]
    theirs = gensim_pairs_per_second(options.dataset, dim, options.gensim_edges)
    rows = [kernels.run({"method": method, **settings}, options)[0] for method in METHODS]
    ours = {method: row["pairs_per_second"] for method, row in zip(METHODS, rows, strict=True)}
    row = {
        "gensim_pairs_per_second": theirs,
        "hypercone_pairs_per_second": ours,
        "ratio": {method: speed / theirs for method, speed in ours.items()},
    }
    return [row]


def gensim_pairs_per_second(dataset: str, dim: int, count: int, repeats: int = 3) -> float:
    poincare: Any = import_package("gensim.models.poincare")
    hierarchy = load_dataset(dataset)
    edges = hierarchy.split(50).train
    chosen = edges[np.random.default_rng(0).choice(len(edges), count, replace=False)]
    # gensim's relations are (child, parent).
    relations = [(hierarchy.names[child], hierarchy.names[parent]) for parent, child in chosen.tolist()]
    model = poincare.PoincareModel(relations, size=dim, negative=NEGATIVES, burn_in=0, workers=1, seed=0)
    seconds = best_cpu_seconds(lambda: model.train(epochs=1, batch_size=10, print_every=10**9), repeats)
    return len(relations) * (1 + NEGATIVES) / seconds


def tables(rows: list[Row]) -> dict[str, str]:
    head = ("method", "d", "M pairs/s", "gensim, M pairs/s", "ratio")
    cells = (
        (
            method,
            row["dim"],
            f"{row['hypercone_pairs_per_second'][method] / 1e6:.1f}",
            f"{row['gensim_pairs_per_second'] / 1e6:.2f}",
            f"{ratio:.0f}",
        )
        for row in rows
        for method, ratio in row["ratio"].items()
    )
    return {"": markdown_table(head, cells, right=head[1:])}
