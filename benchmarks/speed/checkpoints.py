"""What checkpoints cost: fits of WordNet nouns with and without a run's folder, one after the other.

    python benchmarks/checkpoints.py -o benchmarks/results/checkpoints.json

The share of writing, waiting for the disk included, is measured inside the fits that write, so that it does not depend
on how busy the machine is from one fit to the next; the largest of the repeats counts. Beside it stands the ratio of
the CPU times of whole fits, best of repeats. The fits are short and write far more often than the usual 15 seconds.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest import mock

from hypercone._system import describe_machine
from hypercone.data import load_dataset
from hypercone.hierarchy import Hierarchy
from hypercone.runs import Checkpoint, Checkpointing, RunFolder
from hypercone.training import FitConfig, fit

# What a run is told of when to write; None stands for no run at all.
CADENCES: dict[str, dict[str, float] | None] = {
    "none": None,
    "every 2 s": {"seconds": 2.0},
    "every 5 epochs": {"epochs": 5},
    "every epoch": {"epochs": 1},
}


def measured(hierarchy: Hierarchy, config: FitConfig, cadence: dict[str, float] | None) -> dict[str, Any]:
    seconds_each: list[float] = []
    sizes: list[int] = [0]
    keep = RunFolder.keep

    def watched(folder: RunFolder, checkpoint: Checkpoint) -> None:
        started = time.perf_counter()
        keep(folder, checkpoint)
        seconds_each.append(time.perf_counter() - started)
        sizes.append(folder.entries[0].bytes)

    with tempfile.TemporaryDirectory() as folder, mock.patch.object(RunFolder, "keep", watched):
        run = None if cadence is None else Checkpointing(Path(folder) / "run", **cadence)  # type: ignore[arg-type]
        started, began = time.perf_counter(), time.process_time()
        fit(hierarchy, recipe=config, checkpoint=run)
        seconds, cpu = time.perf_counter() - started, time.process_time() - began
    written = sum(seconds_each)
    return {
        "seconds": seconds,
        "cpu_seconds": cpu,
        "checkpoints": len(seconds_each),
        "bytes_each": max(sizes),
        "seconds_writing": written,
        "share": written / seconds,
    }


def best(rows: list[dict[str, Any]], plain: float) -> dict[str, Any]:
    """The quickest of the repeats, with its time as a ratio to that of the fit without checkpoints."""
    row = min(rows, key=lambda row: float(row["cpu_seconds"]))
    worst = max(float(row["share"]) for row in rows)
    return {**row, "largest_share": worst, "ratio": float(row["cpu_seconds"]) / plain}


def table(results: dict[str, dict[str, Any]]) -> str:
    lines = ["| checkpoints | written | MB each | fit, CPU s | writing, s | largest share | CPU time to that without |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- |")
    for name, row in results.items():
        lines.append(
            f"| {name} | {row['checkpoints']} | {row['bytes_each'] / 1e6:.1f} | {row['cpu_seconds']:.1f} "
            f"| {row['seconds_writing']:.2f} | {100 * row['largest_share']:.1f} % | {row['ratio']:.3f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the JSON file to write, with a table beside")
    parser.add_argument("--repeats", type=int, default=6)
    parser.add_argument("--epochs", type=int, default=20)
    options = parser.parse_args()
    hierarchy = load_dataset("wordnet-nouns")
    config = FitConfig(method="hyperbolic-cones", dim=10, epochs=options.epochs, init="random")
    fit(hierarchy, recipe=FitConfig(method="hyperbolic-cones", dim=10, epochs=1, init="random"))
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in CADENCES}
    for _ in range(options.repeats):
        for name, cadence in CADENCES.items():
            rows[name].append(measured(hierarchy, config, cadence))
            print(name, rows[name][-1], flush=True)
    plain = min(float(row["cpu_seconds"]) for row in rows["none"])
    results = {name: best(found, plain) for name, found in rows.items()}
    report = {"machine": describe_machine(), "config": config.as_dict(), "repeats": options.repeats, "results": results}
    options.output.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    options.output.with_suffix(".md").write_text(table(results), encoding="utf-8")
    print(table(results))


if __name__ == "__main__":
    main()
