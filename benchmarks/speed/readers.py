"""Every reader on a real file: time and memory of reading, time of a fit, and precision, recall and F1.

Each file is read by ``read`` in a new process that has read three names before, so that loading compiled code is not
counted; the peak of its memory is reported beside what the process used before. Then it is fitted twice with the
defaults: to all its edges, evaluated by ``all_pairs`` over every ordered pair, at the model's threshold; and by the
paper's protocol, to its direct edges and half of the implied ones, evaluated on held-out ones. Files with the same
edges by name are fitted once; those with more nodes than ``--largest`` are read and not fitted.

    python -m benchmarks.real_files FOLDER        (its docstring says where the files come from)
    python -m benchmarks readers FOLDER -o FILE
"""

from __future__ import annotations

import argparse
import hashlib
import io
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.results import Row, markdown_table

import hypercone
from benchmarks.real_files import FILES
from benchmarks.support import run_in_new_process
from hypercone.errors import InputError

KEY = ("file",)
SMOKE = {"only": ["trove.paths"], "largest": 0}
# What a file cannot say itself.
OPTIONS: dict[str, dict[str, Any]] = {"go.graphml": {"direction": "parent-child"}}
SMALL = 200
# A parent after its child: only then is the compiled search for cycles loaded.
WARM_UP = b"dog > poodle\nanimal > dog\n"
FIGURES = ("precision", "recall", "f1")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", type=Path, help="the files, as benchmarks.real_files leaves them")
    parser.add_argument("--only", nargs="+", choices=FILES, metavar="FILE", help="some of the files")
    parser.add_argument("--largest", type=int, default=200_000, help="fit hierarchies up to this many nodes")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    if options.smoke and options.folder is None:
        options.folder = options.scratch
        (options.folder / "trove.paths").write_bytes(WARM_UP)
    if options.folder is None:
        raise InputError("the folder of the files is missing; python -m benchmarks.real_files fills one")
    for name in options.only or FILES:
        yield {"file": name}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    """How a file is read, and how well it is fitted, unless a file with the same edges was."""
    name = settings["file"]
    file = FILES[name]
    row: Row = {
        "format": file.format,
        "content": file.content,
        "package": file.package,
        "converted": file.converted,
    }
    # This process must stay small: Linux counts the memory of a process that starts another in the other's peak.
    row |= run_in_new_process(measure_reading, options.folder, name)
    row["small"] = row["nodes"] < SMALL
    fitted = [other for other in options.finished if "all_pairs" in other and other["file"] != name]
    same = [other["file"] for other in fitted if other["digest"] == row["digest"]]
    if same:
        return [row | {"fitted_as": same[0]}]
    return [row if row["nodes"] > options.largest else row | run_in_new_process(measure_fit, options.folder, name)]


def read(folder: Path, name: str) -> hypercone.Hierarchy:
    """The hierarchy in a file of the folder."""
    return hypercone.read(folder / name, **OPTIONS.get(name, {}))


def measure_reading(folder: Path, name: str) -> Row:
    """Time and memory of reading, and what was read."""
    hypercone.read(io.BytesIO(WARM_UP), format="paths", merge_names=True)
    before, started = _peak_megabytes(), time.perf_counter()
    hierarchy = read(folder, name)
    seconds, peak = time.perf_counter() - started, _peak_megabytes()
    return {
        "megabytes": round((folder / name).stat().st_size / 1e6, 1),
        "nodes": len(hierarchy),
        "edges": len(hierarchy.edges),
        "closure_edges": len(hierarchy.closure()),
        "notes": list(hierarchy.notes),
        "read_seconds": round(seconds, 2),
        "peak_megabytes": round(peak),
        "megabytes_before": round(before),
        "digest": _digest(hierarchy),
    }


def _peak_megabytes() -> float:
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes * 1024 / 1e6


def _digest(hierarchy: hypercone.Hierarchy) -> str:
    """The same for the same edges between the same names, in any order."""
    names = hierarchy.names
    lines = sorted(f"{names[parent]}\t{names[child]}" for parent, child in hierarchy.edges.tolist())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def measure_fit(folder: Path, name: str) -> Row:
    """Both fits of a file, evaluated."""
    hypercone.fit(hypercone.load_dataset("tree-3-4"), method="hyperbolic-cones", epochs=1, init_epochs=1)
    hierarchy = read(folder, name)
    started = time.perf_counter()
    embedding = hypercone.fit(hierarchy, method="hyperbolic-cones")
    after_fit = time.perf_counter()
    every = hypercone.evaluation.all_pairs(embedding, hierarchy)
    after_evaluation = time.perf_counter()
    split = hierarchy.split(50)
    held_out = hypercone.evaluation.link_prediction(hypercone.fit(hierarchy, split=split), split.test)
    return {
        "fit_seconds": round(after_fit - started, 1),
        "evaluation_seconds": round(after_evaluation - after_fit, 1),
        "all_pairs": {figure: round(getattr(every, figure), 4) for figure in FIGURES},
        "held_out": {figure: round(getattr(held_out, figure), 4) for figure in FIGURES},
        "held_out_positives": len(split.test.positives),
        "threads": embedding.record["config"]["threads"],
    }


def tables(rows: list[Row]) -> dict[str, str]:
    """The rows in the order of the files."""
    shares = ("P", "R", "F1")
    head = ["format", "file", "nodes", "edges", "read, s", "peak, MB", "fit, s"]
    head += [f"{kind}: P" if share == "P" else share for kind in ("all pairs", "held out") for share in shares]
    by_file = {row["file"]: row for row in rows}
    cells = (_cells(by_file[name]) for name in FILES if name in by_file)
    return {"": markdown_table(head, cells, right=head[2:])}


def _cells(row: Row) -> list[str]:
    marks = ", ".join(["converted"] * row["converted"] + ["small"] * row["small"])
    title = f"{row['content']}: `{row['file']}` of {row['package']}" + (f", {marks}" if marks else "")
    read = [f"{row['nodes']:,}", f"{row['edges']:,}", f"{row['read_seconds']:.2f}", f"{row['peak_megabytes']:,}"]
    if "all_pairs" in row:
        shares = [row[kind][figure] for kind in ("all_pairs", "held_out") for figure in FIGURES]
        fit = [f"{row['fit_seconds']:.1f}", *(f"{100 * share:.1f}" for share in shares)]
    else:
        fit = [f"as `{row['fitted_as']}`" if "fitted_as" in row else "not fitted", *[""] * 6]
    return [row["format"], title, *read, *fit]
