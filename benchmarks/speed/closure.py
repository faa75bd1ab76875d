"""The time of the transitive closure and the reduction of a dataset, by the clock."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

from tools.results import Row, markdown_table

from hypercone import Hierarchy, load_dataset

KEY = ("dataset",)
SMOKE = {"datasets": ["tree-3-4"], "repeats": 1}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--datasets", nargs="+", default=["wordnet-nouns"])
    parser.add_argument("--repeats", type=int, default=5, help="the best of this many counts (default %(default)s)")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for dataset in options.datasets:
        yield {"dataset": dataset, "repeats": options.repeats}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    """The least time of several runs, after one that compiles."""
    source = load_dataset(settings["dataset"])
    times = []
    for _ in range(settings["repeats"] + 1):
        # A hierarchy remembers its closure, so each run needs a new one.
        fresh = Hierarchy(source.names, source.edges)
        before = time.perf_counter()
        closure, reduction = fresh.closure(), fresh.reduction()
        times.append(time.perf_counter() - before)
    return [{"closure_edges": len(closure), "basic_edges": len(reduction), "seconds": min(times[1:])}]


def tables(rows: list[Row]) -> dict[str, str]:
    head = ("dataset", "edges of the closure", "direct edges", "milliseconds")
    cells = (
        (row["dataset"], f"{row['closure_edges']:,}", f"{row['basic_edges']:,}", f"{1e3 * row['seconds']:.1f}")
        for row in rows
    )
    return {"": markdown_table(head, cells, right=head[1:])}
