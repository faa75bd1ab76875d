"""Hierarchies of extreme shape: a million children of one root, and a chain ten thousand deep; time and memory.

    python -m tools.extremes -o benchmarks/results/extremes.json

Each fit runs in its own process, whose peak memory is reported beside its time. A Markdown table is written beside the
JSON.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np

from hypercone._files import new_file
from hypercone._system import describe_machine
from hypercone.hierarchy import Hierarchy
from hypercone.methods import find_method
from hypercone.training import fit

SIZES = {"star": 1_000_000, "chain": 10_000}
LEARNED = {"epochs": 3, "burn_in": 0, "init": "random", "edges": "as-given"}
Row = dict[str, Any]


def make(shape: str, count: int) -> Hierarchy:
    """Nodes under one root, or each under the one before."""
    children = np.arange(1, count + 1)
    parents = 0 * children if shape == "star" else children - 1
    edges = np.stack([parents, children], axis=1).astype(np.int32)
    return Hierarchy([f"n{row}" for row in range(count + 1)], edges)


def run(case: tuple[str, str]) -> Row:
    """One fit in five dimensions; the kernels are compiled before it is timed."""
    shape, method = case
    settings: dict[str, Any] = {"method": method, "dim": 5} | ({} if method == "overlapping" else LEARNED)
    fit(make(shape, 10), **settings)
    hierarchy = make(shape, SIZES[shape])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    embedding = fit(hierarchy, **settings)
    seconds = time.perf_counter() - began
    inner, outer = find_method(embedding.method).shell(embedding.settings)
    norms = np.linalg.norm(embedding.points, axis=1)
    return {
        "shape": shape,
        "nodes": len(hierarchy),
        "method": method,
        "epochs": LEARNED["epochs"] if method != "overlapping" else None,
        "seconds": round(seconds, 1),
        "megabytes_before": before // 1024,
        "megabytes_at_most": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        # An embedding checks itself that they are finite.
        "is_finite_and_inside": bool(((norms >= inner * (1 - 1e-12)) & (norms <= outer * (1 + 1e-12))).all()),
        "f1": round(embedding.record["calibration_f1"], 4),
    }


def markdown(rows: list[Row]) -> str:
    """One line per fit."""
    lines = ["| hierarchy | method | time | memory, of it the hierarchy | finite and inside |", "|---|---|---|---|---|"]
    for row in rows:
        name = f"{row['shape']} of {row['nodes']:,} nodes"
        how = row["method"] + (f", {row['epochs']} epochs" if row["epochs"] else "")
        size = f"{row['megabytes_at_most']:,} MB, {row['megabytes_before']:,} MB"
        sound = "yes" if row["is_finite_and_inside"] else "no"
        lines.append(f"| {name} | {how} | {row['seconds']} s | {size} | {sound} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the JSON file to write")
    options = parser.parse_args()
    cases = [(shape, method) for shape in SIZES for method in ("hyperbolic-cones", "poincare", "order", "overlapping")]
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        rows = list(pool.imap(run, cases, chunksize=1))
    result = {"machine": describe_machine(), "results": rows}
    for suffix, text in ((".json", json.dumps(result, indent=1) + "\n"), (".md", markdown(rows))):
        with new_file(options.output.with_suffix(suffix)) as path:
            path.write_text(text, encoding="utf-8")
    print(markdown(rows))


if __name__ == "__main__":
    main()
