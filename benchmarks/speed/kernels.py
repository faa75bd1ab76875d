"""The speed of the training kernels, in pairs per second, and of the closure.

    python benchmarks/kernels.py kernel
    python benchmarks/kernels.py kernel --methods hyperbolic-cones --dims 5 10 --json
    python benchmarks/kernels.py closure

Kernels are measured in the converged phase, on one core.
Every kernel runs on the 50 % training set of WordNet nouns, from points that have been trained for a while: at the
start almost every pair needs a gradient, later almost none does, and later is where the epochs are spent. A pair is a
positive or a corrupted one; an epoch of n edges with k negatives counts n (1 + k). Shuffling counts as part of it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

from hypercone._arrays import Adjacency, Rows
from hypercone._system import describe_machine
from hypercone.data import load_dataset
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.methods import METHODS, Points, find_method
from hypercone.training.config import FitConfig, TrainingConfig
from hypercone.training.loop import Stage, Trainer
from hypercone.training.sampling import make_negatives
from hypercone.training.start import starting_points
from timing import best_cpu_seconds, pin_to_one_core

# Enough to leave the phase in which most pairs are active, as the shares in the result show.
WARM_UP: dict[str, Any] = {"epochs": 20, "init_epochs": 30}
# As released by the paper's authors: the recipe that other programs' figures are for.
PAPER: dict[str, Any] = {"negatives": 10, "optimizer": "sgd", "schedule": "constant", "push_inside": "none"}
PAPER_RATES = {"hyperbolic-cones": 3e-4, "euclidean-cones": 3e-4, "order": 0.1, "poincare": 0.03, "euclidean": 0.03}


def bench_kernels(
    methods: Sequence[str] = tuple(METHODS), dims: Sequence[int] = (5, 10), repeats: int = 20
) -> Iterator[dict[str, Any]]:
    """A row of figures for each method and dimension: the paper's recipe, and for cones the default one too."""
    hierarchy = load_dataset("wordnet-nouns")
    edges = hierarchy.split(50).train
    known = parent_lists(edges, len(hierarchy))
    for dim in dims:
        for name in methods:
            points = _warm_points(name, dim, len(hierarchy), edges, known)
            corrupt = "parent" if find_method(name).loss == "softmax" else "child"
            paper = FitConfig(method=name, dim=dim, corrupt=corrupt, rate=PAPER_RATES[name], **PAPER)
            yield _measure("paper", paper.for_edges(len(edges)), points, edges, known, repeats)
            if name.endswith("cones"):
                default = FitConfig(method=name, dim=dim).for_edges(len(edges))
                yield _measure("default", default, points, edges, known, repeats)


def _warm_points(name: str, dim: int, count: int, edges: Rows, known: Adjacency) -> Points:
    config = FitConfig(method=name, dim=dim, **WARM_UP).for_edges(len(edges))
    return Stage(config, edges, known).train(starting_points(count, edges, known, config)).points


def _measure(
    recipe: str, config: TrainingConfig, points: Points, edges: Rows, known: Adjacency, repeats: int
) -> dict[str, Any]:
    method = find_method(config.method)
    negatives = make_negatives(len(points), edges, config)
    trainer = Trainer(
        method, config.settings, points.copy(), points[:, 0] * 0.0, edges, known, config.seed, config.optimizer
    )
    # The first run compiles; it also fills Adagrad's memory, so that its steps are of the usual size.
    violated, active = trainer.run(0, config.rate, negatives)
    seconds = best_cpu_seconds(lambda: trainer.run(1, config.rate, negatives), repeats)
    return {
        "method": config.method,
        "dim": config.dim,
        "recipe": recipe,
        "negatives": config.negatives,
        "corrupt": config.corrupt,
        "optimizer": config.optimizer,
        "pairs_per_second": len(edges) * (1 + config.negatives) / seconds,
        "cpu_seconds_per_epoch": seconds,
        "violated_share": violated / len(edges),
        "active_share": active / (len(edges) * config.negatives),
    }


def bench_closure(dataset: str = "wordnet-nouns", repeats: int = 5) -> dict[str, Any]:
    """The least wall time of closure + reduction of a named dataset, after one run to compile."""
    source = load_dataset(dataset)
    times = []
    for _ in range(repeats + 1):
        fresh = Hierarchy(source.names, source.edges)
        before = time.perf_counter()
        closure, basic = fresh.closure(), fresh.reduction()
        times.append(time.perf_counter() - before)
    return {
        "dataset": dataset,
        "closure_edges": len(closure),
        "basic_edges": len(basic),
        "seconds": min(times[1:]),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("kernel", "closure"), help="the training kernels, or closure and reduction")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS), help="for kernel (default all)")
    parser.add_argument("--dims", nargs="+", type=int, default=[5, 10], help="for kernel (default 5 10)")
    parser.add_argument("--repeats", type=int, default=20, help="the best of so many counts (default 20)")
    parser.add_argument("--json", action="store_true", help="print JSON, with the machine")
    options = parser.parse_args(arguments)
    if options.repeats < 1:
        parser.error(f"--repeats is {options.repeats}, but must be at least 1")
    if options.what == "closure":
        print_closure(bench_closure(repeats=options.repeats), options.json)
    else:
        pin_to_one_core()
        print_kernels(bench_kernels(options.methods, options.dims, options.repeats), options.json)


def print_closure(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps({"machine": describe_machine(), "results": found}, indent=1))
        return
    for name, value in found.items():
        print(f"{name:14}{value}")


def print_kernels(rows: Iterator[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print(json.dumps({"machine": describe_machine(), "results": list(rows)}, indent=1))
        return
    print(f"{'method':18}{'dim':>4}  {'recipe':8}{'M pairs/s':>10}{'s/epoch':>9}{'violated':>10}{'active':>9}")
    for row in rows:
        print(_line(row), flush=True)


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['method']:18}{row['dim']:>4}  {row['recipe']:8}{row['pairs_per_second'] / 1e6:>10.1f}"
        f"{row['cpu_seconds_per_epoch']:>9.3f}{row['violated_share']:>10.1%}{row['active_share']:>9.2%}"
    )


if __name__ == "__main__":
    main()
