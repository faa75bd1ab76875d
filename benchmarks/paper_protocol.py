"""Test F1 of the five methods under the paper's protocol: WordNet nouns, 50 % of the non-basic edges, default recipes.

    python benchmarks/paper_protocol.py --seeds 3 -o benchmarks/results/paper_protocol.json

Each seed draws its own split and its own start. A method and seed that the file already has is not run again.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from hypercone.bench.machine import describe_machine
from hypercone.data import load_dataset
from hypercone.evaluation import evaluate
from hypercone.hierarchy import paper_split
from hypercone.methods import METHODS
from hypercone.training import FitConfig, fit

# Ganea, Bécigneul and Hofmann (2018), table 1, 50 %, 5 dimensions.
PAPER = {"euclidean": 72.8, "poincare": 83.6, "order": 81.7, "euclidean-cones": 77.4, "hyperbolic-cones": 92.8}


def run(method: str, dim: int, percent: float, seed: int) -> dict[str, Any]:
    hierarchy = load_dataset("wordnet-nouns")
    split = paper_split(hierarchy, percent, seed)
    started = time.perf_counter()
    embedding = fit(hierarchy, FitConfig(method=method, dim=dim, seed=seed), split=split)
    seconds = time.perf_counter() - started
    return {
        "method": method,
        "kind": "learned",
        "dim": dim,
        "percent": percent,
        "seed": seed,
        "seconds": round(seconds, 1),
        "validation_f1": embedding.record["calibration_f1"],
        "epoch": embedding.record["epoch"],
        "config": embedding.record["config"],
        "test": evaluate(embedding, split.test).as_dict(),
    }


def summary(results: list[dict[str, Any]]) -> str:
    lines = [f"{'method':18}{'test F1':>9}{'std':>7}{'seeds':>7}{'paper':>8}"]
    for method in PAPER:
        f1 = [100 * row["test"]["f1"] for row in results if row["method"] == method]
        if f1:
            spread = statistics.stdev(f1) if len(f1) > 1 else 0.0
            lines.append(f"{method:18}{statistics.mean(f1):>9.2f}{spread:>7.2f}{len(f1):>7}{PAPER[method]:>8.1f}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the JSON file to write and to resume from")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--methods", default=",".join(METHODS), help="by commas (default all)")
    parser.add_argument("--dim", type=int, default=5)
    parser.add_argument("--percent", type=float, default=50)
    parser.add_argument("--jobs", type=int, default=1, help="how many to run at once")
    options = parser.parse_args()
    results = json.loads(options.output.read_text())["results"] if options.output.exists() else []
    done = {(row["method"], row["dim"], row["percent"], row["seed"]) for row in results}
    wanted = [(m, options.dim, options.percent, s) for s in range(options.seeds) for m in options.methods.split(",")]
    with ProcessPoolExecutor(options.jobs) as pool:
        for row in pool.map(run, *zip(*[job for job in wanted if job not in done], strict=True)):
            results.append(row)
            options.output.parent.mkdir(parents=True, exist_ok=True)
            options.output.write_text(json.dumps({"machine": describe_machine(), "results": results}, indent=1) + "\n")
            print(
                f"{row['method']:18} seed {row['seed']}  F1 {100 * row['test']['f1']:.2f}  {row['seconds']} s",
                flush=True,
            )
    print(summary(results))


if __name__ == "__main__":
    main()
