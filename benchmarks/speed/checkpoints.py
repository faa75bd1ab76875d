"""What checkpoints cost: fits of WordNet nouns with and without a run folder, in turn.

The share of time spent writing, including waiting for the disk, is measured inside the fits that write, so that it
does not depend on how busy the machine is from one fit to the next; the largest of the repeats counts. In addition the
CPU times of whole fits are compared, best of repeats. The fits are short and write far more often than the default of
15 seconds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from tools.results import Row, markdown_table

from hypercone.data import load_dataset
from hypercone.hierarchy import Hierarchy
from hypercone.runs import Checkpoint, Checkpointing, RunFolder
from hypercone.training import FitConfig, fit

KEY = ("cadence",)
SMOKE = {"dataset": "tree-3-4", "epochs": 2, "repeats": 1}
# When a run writes; None stands for a fit without a run folder.
CADENCES: dict[str, dict[str, Any] | None] = {
    "none": None,
    "every 2 s": {"every_seconds": 2.0},
    "every 5 epochs": {"every_epochs": 5},
    "every epoch": {"every_epochs": 1},
}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", default="wordnet-nouns")
    parser.add_argument("--repeats", type=int, default=6, help="fits of each kind (default %(default)s)")
    parser.add_argument("--epochs", type=int, default=20, help="epochs of a fit (default %(default)s)")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    """One part: the fits take turns, so that noise affects all of them alike."""
    config = FitConfig(method="hyperbolic-cones", dim=10, epochs=options.epochs, init="random")
    yield {"config": config.as_dict(), "repeats": options.repeats}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    hierarchy, config = load_dataset(options.dataset), FitConfig(**settings["config"])
    # Compiles the kernels.
    fit(hierarchy, recipe=FitConfig(method=config.method, dim=config.dim, epochs=1, init="random"))
    fits: dict[str, list[Row]] = {name: [] for name in CADENCES}
    for turn in range(settings["repeats"]):
        for name, cadence in CADENCES.items():
            fits[name].append(measure(hierarchy, config, cadence, options.scratch / f"{name}-{turn}"))
    plain = min(float(row["cpu_seconds"]) for row in fits["none"])
    return [{"cadence": name, **best_of(rows, plain)} for name, rows in fits.items()]


def measure(hierarchy: Hierarchy, config: FitConfig, cadence: dict[str, Any] | None, folder: Path) -> Row:
    """One fit, with the time spent in each checkpoint."""
    seconds_each: list[float] = []
    sizes: list[int] = [0]
    keep = RunFolder.keep

    def timed_keep(folder: RunFolder, checkpoint: Checkpoint) -> None:
        started = time.perf_counter()
        keep(folder, checkpoint)
        seconds_each.append(time.perf_counter() - started)
        sizes.append(folder.entries[0].bytes)

    with mock.patch.object(RunFolder, "keep", timed_keep):
        run = None if cadence is None else Checkpointing(folder, **cadence)
        started, began = time.perf_counter(), time.process_time()
        fit(hierarchy, recipe=config, checkpoint=run)
        seconds, cpu = time.perf_counter() - started, time.process_time() - began
    writing = sum(seconds_each)
    return {
        "seconds": seconds,
        "cpu_seconds": cpu,
        "checkpoints": len(seconds_each),
        "bytes_each": max(sizes),
        "seconds_writing": writing,
        "share": writing / seconds,
    }


def best_of(rows: list[Row], plain: float) -> Row:
    """The quickest of the repeats, and its CPU time relative to a fit without checkpoints."""
    row = min(rows, key=lambda row: float(row["cpu_seconds"]))
    worst = max(float(row["share"]) for row in rows)
    return {**row, "largest_share": worst, "ratio": float(row["cpu_seconds"]) / plain}


def tables(rows: list[Row]) -> dict[str, str]:
    head = (
        "checkpoints",
        "written",
        "MB each",
        "fit, CPU s",
        "writing, s",
        "largest share",
        "relative CPU time",
    )
    cells = (
        (
            row["cadence"],
            row["checkpoints"],
            f"{row['bytes_each'] / 1e6:.1f}",
            f"{row['cpu_seconds']:.1f}",
            f"{row['seconds_writing']:.2f}",
            f"{100 * row['largest_share']:.1f} %",
            f"{row['ratio']:.3f}",
        )
        for row in rows
    )
    return {"": markdown_table(head, cells)}
