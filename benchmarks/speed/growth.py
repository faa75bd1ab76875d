"""How CPU time and memory of overlapping-caps grow with the graph, up to ten million nodes.

The families of graphs are those of ``benchmarks.graph_families``. Each graph is made, turned into a Hierarchy and
fitted, in a new process that has fitted a small graph of its family before, so that loading compiled code is not
counted. A fit of up to 30 seconds is done in a second process too, and the shorter one counts. Seconds are CPU time of
all threads. Memory is the peak of the whole process: when it begins to make the graph, before the fit, and after it.
The exponent is the slope of a line through the logarithms of nodes and of seconds, or of the memory beyond that of the
beginning, from 10,000 nodes on.

Sizes are measured in ascending order. After a fit that failed or took more than ``--most-seconds`` with its Hierarchy,
larger graphs of the same family are not started, and have no row.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import resource
import sys
import time
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import numpy as np
from tools.results import Row, markdown_table

from benchmarks.graph_families import FAMILIES, make_hierarchy
from benchmarks.support import run_in_new_process
from hypercone import Embedding, Hierarchy, fit
from hypercone._jit import COMPILED, use_tier
from hypercone.errors import HyperconeError

KEY = ("family", "size", "dim")
ONE_CORE = True
METHOD = "overlapping-caps"
SIZES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
SMOKE = {"families": ["ladder", "bipartite"], "sizes": [9], "dim": 3}
# Nodes of the graph that is fitted first.
WARM_UP = 200
# Fits of up to so many seconds are done twice: the first may have compiled what only larger graphs need.
SHORT = 30.0
# Below this size, exponents would show what every fit costs.
SMALLEST = 10_000
RECORDED = ("calibration_f1", "precision", "recall", "notes", "unexplained")
COSTS = ("Hierarchy, s", "fit, s", "MB before", "MB after")
FIGURES = ("precision", "recall", "F1", "direct edges held", "unexplained")
HEAD = ("family", "nodes", "edges", *COSTS, *FIGURES, "notes")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES), metavar="FAMILY")
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, help="nodes, about")
    parser.add_argument("--dim", type=int, default=5, help="default %(default)s")
    parser.add_argument(
        "--most-seconds", type=float, default=600.0, help="no larger graph after this many (default %(default)s)"
    )


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for size in sorted(options.sizes):
        for family in options.families:
            yield {"family": family, "size": size, "dim": options.dim}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    """The row of one graph; none if a smaller one of its family took too long."""
    if reason := reason_not_to_start(settings, options.finished, options.most_seconds):
        print(f"{settings['family']}, {settings['size']:,} nodes: not started, because {reason}", file=sys.stderr)
        return []
    row = measure_in_new_process(settings, warm_up=not options.smoke)
    if options.smoke or row.get("fit_seconds", math.inf) > SHORT:
        return [row]
    again = measure_in_new_process(settings, warm_up=True)
    return [min(row, again, key=lambda one: one.get("fit_seconds", math.inf))]


def measure_in_new_process(settings: Row, *, warm_up: bool) -> Row:
    """The row of one graph, also if the process is killed."""
    try:
        # This process must stay small: Linux counts the memory of a process that starts another in the other's peak.
        return run_in_new_process(measure, *(settings[name] for name in KEY), warm_up)
    except BrokenProcessPool:
        return {"failed": "the process was killed, probably because memory ran out"}


def reason_not_to_start(settings: Row, finished: list[Row], most_seconds: float) -> str | None:
    """What the smaller graphs of the same family say against this one."""
    for row in finished:
        if (row["family"], row["dim"]) == (settings["family"], settings["dim"]) and row["size"] < settings["size"]:
            if "failed" in row:
                return f"{row['size']:,} nodes failed"
            seconds = row["hierarchy_seconds"] + row["fit_seconds"]
            if seconds > most_seconds:
                return f"{row['size']:,} nodes took {seconds:.0f} seconds"
    return None


def measure(family: str, size: int, dim: int, warm_up: bool) -> Row:
    """Time, memory and record of one fit; what is known before it, and the reason, if it fails."""
    if warm_up:
        with use_tier(COMPILED):
            fit_once(make_hierarchy(FAMILIES[family](WARM_UP)), dim)
        forget_peak()
    at_start, clock = peak_megabytes(), time.process_time()
    graph = FAMILIES[family](size)
    made, clock = time.process_time() - clock, time.process_time()
    hierarchy = make_hierarchy(graph)
    built, before = time.process_time() - clock, peak_megabytes()
    # The hierarchy has its own copy of the edges.
    del graph
    row: Row = {
        "nodes": len(hierarchy),
        "edges": len(hierarchy.edges),
        "graph_seconds": round(made, 3),
        "hierarchy_seconds": round(built, 3),
        "megabytes_at_start": round(at_start, 1),
        "megabytes_before": round(before, 1),
    }
    clock = time.process_time()
    try:
        record = fit_once(hierarchy, dim).record
    except (HyperconeError, MemoryError) as error:
        return row | {"failed": str(error) or type(error).__name__}
    row |= {"fit_seconds": round(time.process_time() - clock, 3), "megabytes_after": round(peak_megabytes(), 1)}
    row["direct_edges_held"] = record["headline"]["direct_edges"]
    return row | {name: record.get(name) for name in RECORDED}


def fit_once(hierarchy: Hierarchy, dim: int) -> Embedding:
    return fit(hierarchy, METHOD, dim=dim, progress=False)


def forget_peak() -> None:
    """Let the peak of this process begin again at what it uses now, where the system can: on Linux."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_megabytes() -> float:
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes * 1024 / 1e6


def summarize(rows: list[Row]) -> dict[str, list[Row]]:
    """For each family and dimension, the powers of the number of nodes with which seconds and memory grow."""
    return {"exponents": [exponents_of(family, dim, rows) for family, dim in _families(rows)]}


def exponents_of(family: str, dim: int, rows: list[Row]) -> Row:
    """The slopes of one family; None with fewer than two sizes to fit a line through."""
    used = [row for row in _rows_of(family, dim, rows) if row["size"] >= SMALLEST and "failed" not in row]
    # The clock may not see a short time, nor the peak a small graph.
    seconds = [max(row["fit_seconds"], 1e-3) for row in used]
    megabytes = [max(row["megabytes_after"] - row["megabytes_at_start"], 1.0) for row in used]
    nodes = [row["nodes"] for row in used]
    return {
        "family": family,
        "dim": dim,
        "nodes": nodes,
        "seconds": _slope(nodes, seconds),
        "megabytes": _slope(nodes, megabytes),
    }


def _slope(nodes: list[int], figures: list[float]) -> float | None:
    if len(nodes) < 2:
        return None
    return round(float(np.polyfit(np.log(nodes), np.log(figures), 1)[0]), 2)


def _families(rows: list[Row]) -> list[tuple[str, int]]:
    """The families with rows, in the order of the families, with their dimensions."""
    found = {(row["family"], row["dim"]) for row in rows}
    return sorted(found, key=lambda pair: (list(FAMILIES).index(pair[0]), pair[1]))


def _rows_of(family: str, dim: int, rows: list[Row]) -> list[Row]:
    of_it = [row for row in rows if (row["family"], row["dim"]) == (family, dim)]
    return sorted(of_it, key=lambda row: row["size"])


def tables(rows: list[Row]) -> dict[str, str]:
    """A table of all rows, and a line per family on its growth."""
    cells = (_cells(row) for family, dim in _families(rows) for row in _rows_of(family, dim, rows))
    lines = "".join(f"- {_line(found)}\n" for found in summarize(rows)["exponents"])
    return {"": f"{markdown_table(HEAD, cells, right=HEAD[1:-1])}\n{lines}"}


def _cells(row: Row) -> list[str]:
    whole = (row.get(name) for name in ("nodes", "edges"))
    seconds = (row.get(name) for name in ("hierarchy_seconds", "fit_seconds"))
    megabytes = (row.get(name) for name in ("megabytes_before", "megabytes_after"))
    shares = (row.get(name) for name in ("precision", "recall", "calibration_f1", "direct_edges_held"))
    return [
        _title(row),
        *(_shown(value, ",") for value in whole),
        *(_shown(value, ".2f") for value in seconds),
        *(_shown(value, ",.0f") for value in megabytes),
        *(_shown(value, ".2%") if isinstance(value, float) else _shown(value, ",") for value in shares),
        _shown(row.get("unexplained"), ","),
        "failed: " + row["failed"] if "failed" in row else "; ".join(row["notes"] or ()),
    ]


def _shown(value: Any, format_as: str) -> str:
    if value is None:
        return "–"
    return format(value, format_as) if isinstance(value, int | float) else str(value)


def _title(row: Row) -> str:
    return f"{row['family']}, d = {row['dim']}"


def _line(found: Row) -> str:
    if found["seconds"] is None:
        return f"{_title(found)}: no exponents, which take two sizes from {SMALLEST:,} nodes on."
    return (
        f"{_title(found)}: from {min(found['nodes']):,} to {max(found['nodes']):,} nodes, "
        f"seconds grow with the power {found['seconds']} and memory with the power {found['megabytes']}."
    )
