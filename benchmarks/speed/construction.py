"""The forest construction: time, smallest cap and exact F1, and how the time grows with the number of nodes.

    python benchmarks/construction.py -o benchmarks/results/construction.json
    python benchmarks/construction.py -o benchmarks/results/construction.json --also hpo.tsv go-bp.tsv

Random trees (each node under a random earlier one) of a thousand to a million nodes, a chain of 100,000, a star of a
million, and WordNet nouns, with its forest as it is and rearranged; further hierarchies by their files. The time is
that of ``construct_forest`` alone, all checks and counts included, on a hierarchy that knows nothing but its edges: the
least CPU time of several runs on one core, kernels compiled before. The exponent is the slope of a line through the
logarithms of nodes and seconds.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hypercone import Hierarchy, load_dataset, read
from hypercone._files import new_files
from hypercone._system import describe_machine
from hypercone.construction.forest import construct_forest
from timing import pin_to_one_core

SIZES = (1_000, 10_000, 100_000, 1_000_000)
DIMS = (2, 5, 10)


def tree_of(parents: np.ndarray) -> Hierarchy:
    """The tree in which row i > 0 has the parent parents[i]."""
    rows = np.arange(1, len(parents))
    return Hierarchy([f"n{row}" for row in range(len(parents))], np.stack([parents[1:], rows], axis=1))


def random_tree(count: int) -> Hierarchy:
    return tree_of((np.random.default_rng(0).random(count) * np.arange(count)).astype(np.int64))


def shapes(files: list[Path]) -> Iterator[tuple[str, Hierarchy]]:
    for size in SIZES:
        yield "random tree", random_tree(size)
    yield "chain", tree_of(np.arange(-1, 99_999))
    yield "star", tree_of(np.zeros(1_000_000, np.int64))
    yield "WordNet nouns", load_dataset("wordnet-nouns")
    for file in files:
        yield file.stem, read(file)


def measure(kind: str, hierarchy: Hierarchy, dim: int, rearrange: bool, repeats: int) -> dict[str, Any]:
    seconds = []
    for _ in range(repeats):
        # What follows from the edges is kept once it is known; a new hierarchy has to find it again.
        fresh = Hierarchy(hierarchy.names, hierarchy.edges)
        began = time.process_time()
        constructed = construct_forest(fresh, dim, rearrange=rearrange)
        seconds.append(time.process_time() - began)
    counts = constructed.counts
    return {
        "kind": kind,
        "nodes": len(hierarchy),
        "dim": dim,
        "rearranged": constructed.closure_aware,
        "cpu_seconds": round(min(seconds), 4),
        "smallest_cap": float(f"{constructed.smallest_cap:.3g}"),
        "precision": round(counts.precision, 5),
        "recall": round(counts.recall, 5),
        "f1": round(counts.f1, 5),
    }


def measured(files: list[Path], repeats: int) -> Iterator[dict[str, Any]]:
    for dim in DIMS:
        construct_forest(load_dataset("wordnet-mammals"), dim)
    for kind, hierarchy in shapes(files):
        for dim in DIMS:
            yield measure(kind, hierarchy, dim, False, repeats)
            if np.any(hierarchy.parent_lists.counts > 1):
                yield measure(kind, hierarchy, dim, True, repeats)


def exponents(rows: list[dict[str, Any]]) -> dict[str, float]:
    """By dimension, the power of the number of nodes with which the time for a random tree grows."""
    found = {}
    for dim in DIMS:
        trees = [row for row in rows if row["kind"] == "random tree" and row["dim"] == dim]
        logs = np.log([[row["nodes"], row["cpu_seconds"]] for row in trees])
        found[str(dim)] = round(float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0]), 3)
    return found


def markdown(rows: list[dict[str, Any]], growth: dict[str, float]) -> str:
    """The table for the pages."""
    lines = [
        "| hierarchy | nodes | forest | d | seconds | smallest cap | precision | recall | F1, all pairs |",
        "|---|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        forest = "rearranged" if row["rearranged"] else "of true edges"
        shares = " | ".join(f"{100 * row[figure]:.2f}" for figure in ("precision", "recall", "f1"))
        lines.append(
            f"| {row['kind']} | {row['nodes']:,} | {forest} | {row['dim']} | {row['cpu_seconds']:.3f} | "
            f"{row['smallest_cap']:.1e} | {shares} |"
        )
    grown = ", ".join(f"{power} in {dim}-D" for dim, power in growth.items())
    lines += ["", f"From {SIZES[0]:,} to {SIZES[-1]:,} nodes of a random tree the time grows with the power {grown}."]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the JSON file to write; a table goes beside")
    parser.add_argument("--also", nargs="*", type=Path, default=[], metavar="FILE", help="further hierarchies")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each, of which the fastest counts (default 3)")
    options = parser.parse_args()
    pin_to_one_core()
    rows = []
    for row in measured(options.also, options.repeats):
        rows.append(row)
        print(json.dumps(row), flush=True)
    growth = exponents(rows)
    content = {"machine": describe_machine(), "exponents": growth, "rows": rows}
    with new_files(options.output, options.output.with_suffix(".md")) as (data, table):
        data.write_text(json.dumps(content, indent=1) + "\n")
        table.write_text(markdown(rows, growth))


if __name__ == "__main__":
    main()
