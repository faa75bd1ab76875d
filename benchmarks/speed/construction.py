"""The forest construction: time, smallest cap and exact F1, and how the time grows with the number of nodes.

Random trees (each node under a random earlier one) of a thousand to a million nodes, a chain of 100,000, a star of a
million, and WordNet nouns, with its forest as it is and rearranged; further hierarchies from files. The time is that of
``construct_forest`` alone, including all checks and counts, on a hierarchy of which only the edges are known: the least
CPU time of several runs on one core, with kernels compiled before. The exponent is the slope of a line through the
logarithms of nodes and seconds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tools.results import Row, markdown_table

from benchmarks.support import load_hierarchy
from hypercone import Hierarchy
from hypercone.construction.forest import construct_forest

KEY = ("kind", "nodes", "dim", "rearranged")
ONE_CORE = True
SIZES = [1_000, 10_000, 100_000, 1_000_000]
SMOKE = {"sizes": [50, 100], "chain": 30, "star": 30, "sources": ["tree-3-3"], "dims": [2], "repeats": 1}
# What the tables call a dataset.
TITLES = {"wordnet-nouns": "WordNet nouns"}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, help="nodes of random trees")
    parser.add_argument("--chain", type=int, default=100_000, help="nodes of the chain (default %(default)s)")
    parser.add_argument("--star", type=int, default=1_000_000, help="nodes of the star (default %(default)s)")
    parser.add_argument("--sources", nargs="*", default=["wordnet-nouns"], help="datasets, and files of hierarchies")
    parser.add_argument("--dims", nargs="+", type=int, default=[2, 5, 10], help="default: 2 5 10")
    parser.add_argument("--repeats", type=int, default=3, help="the best of this many counts (default %(default)s)")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    shapes: list[dict[str, Any]] = [{"kind": "random tree", "nodes": size} for size in options.sizes]
    shapes += [{"kind": "chain", "nodes": options.chain}, {"kind": "star", "nodes": options.star}]
    for source in options.sources:
        shapes.append({"kind": title_of(source), "nodes": len(load_hierarchy(source))})
    for shape in shapes:
        for dim in options.dims:
            yield shape | {"dim": dim, "repeats": options.repeats}


def title_of(source: str) -> str:
    return TITLES.get(source, Path(source).stem)


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    sources = {title_of(source): source for source in options.sources}
    kind, dim = settings["kind"], settings["dim"]
    hierarchy = load_hierarchy(sources[kind]) if kind in sources else made_hierarchy(kind, settings["nodes"])
    # Compiles the kernels.
    construct_forest(load_hierarchy("tree-3-3"), dim)
    several_parents = bool(np.any(hierarchy.parent_lists.counts > 1))
    choices = (False, True) if several_parents else (False,)
    return [measure(hierarchy, dim, rearrange, settings["repeats"]) for rearrange in choices]


def made_hierarchy(kind: str, count: int) -> Hierarchy:
    """A random tree, a chain or a star."""
    if kind == "random tree":
        parents = (np.random.default_rng(0).random(count) * np.arange(count)).astype(np.int64)
    else:
        parents = np.arange(-1, count - 1) if kind == "chain" else np.zeros(count, np.int64)
    rows = np.arange(1, count)
    return Hierarchy([f"n{row}" for row in range(count)], np.stack([parents[1:], rows], axis=1))


def measure(hierarchy: Hierarchy, dim: int, rearrange: bool, repeats: int) -> Row:
    seconds = []
    for _ in range(repeats):
        # A hierarchy remembers what follows from its edges, so each run needs a new one.
        fresh = Hierarchy(hierarchy.names, hierarchy.edges)
        began = time.process_time()
        constructed = construct_forest(fresh, dim, rearrange=rearrange)
        seconds.append(time.process_time() - began)
    counts = constructed.counts
    assert counts is not None
    return {
        "rearranged": constructed.closure_aware,
        "cpu_seconds": round(min(seconds), 4),
        "smallest_cap": float(f"{constructed.smallest_cap:.3g}"),
        "precision": round(counts.precision, 5),
        "recall": round(counts.recall, 5),
        "f1": round(counts.f1, 5),
    }


def summarize(rows: list[Row]) -> dict[str, dict[str, float]]:
    """By dimension, the power of the number of nodes with which the time for a random tree grows."""
    found = {}
    for dim in dict.fromkeys(row["dim"] for row in rows):
        trees = [row for row in rows if row["kind"] == "random tree" and row["dim"] == dim]
        # The clock may not see the time of a tiny tree.
        logs = np.log([[row["nodes"], max(row["cpu_seconds"], 1e-4)] for row in trees])
        if len(trees) > 1:
            found[str(dim)] = round(float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0]), 3)
    return {"exponents": found}


def tables(rows: list[Row]) -> dict[str, str]:
    head = ("hierarchy", "nodes", "forest", "d", "seconds", "smallest cap", "precision", "recall", "F1, all pairs")
    cells = (
        (
            row["kind"],
            f"{row['nodes']:,}",
            "rearranged" if row["rearranged"] else "of true edges",
            row["dim"],
            f"{row['cpu_seconds']:.3f}",
            f"{row['smallest_cap']:.1e}",
            *(f"{100 * row[figure]:.2f}" for figure in ("precision", "recall", "f1")),
        )
        for row in rows
    )
    table = markdown_table(head, cells, right=("nodes", *head[3:]))
    sizes = [row["nodes"] for row in rows if row["kind"] == "random tree"]
    powers = ", ".join(f"{power} in {dim}-D" for dim, power in summarize(rows)["exponents"].items())
    growth = f"From {min(sizes):,} to {max(sizes):,} nodes of a random tree the time grows with the power {powers}.\n"
    return {"": f"{table}\n{growth}"}
