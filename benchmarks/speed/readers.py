"""Every reader on a real file: time and memory of reading, time of a fit, and precision, recall and F1.

    python benchmarks/real_files.py FOLDER        (its head says where the files come from)
    python benchmarks/readers.py FOLDER -o benchmarks/results/readers.json

Each file is read by ``read`` in a fresh process that has read three words before, so that loading compiled
code is not counted; the peak of its memory stands beside what the process had before. Then it is fitted twice with the
defaults: to all its edges, judged by ``all_pairs`` over every ordered pair, at the model's threshold; and by
the paper's protocol, to its basic edges and half of the others, judged on held-out ones. Files with the same edges by
name are fitted once; those with more nodes than ``--largest`` are read and not fitted. Rows that are in the output
already and not asked for are kept. The same as a table goes to a Markdown file of the same name.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import hypercone
from real_files import FILES

# What a file cannot say itself.
OPTIONS = {"go.graphml": {"direction": "parent-child"}}
SMALL = 200
# A parent after its child: only then is the compiled search for cycles loaded.
WARM_UP = b"dog > poodle\nanimal > dog\n"
FIGURES = ("precision", "recall", "f1")


def read(folder: Path, name: str) -> hypercone.Hierarchy:
    """The hierarchy in a file of the folder."""
    return hypercone.read(folder / name, **OPTIONS.get(name, {}))


def measure_reading(folder: Path, name: str) -> dict[str, Any]:
    """Time and memory of reading, and what was read."""
    hypercone.read(io.BytesIO(WARM_UP), format="paths")
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
    """The same for the same edges between the same names, in whatever order a file has them."""
    names = hierarchy.names
    lines = sorted(f"{names[parent]}\t{names[child]}" for parent, child in hierarchy.edges.tolist())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def measure_fit(folder: Path, name: str) -> dict[str, Any]:
    """The two fits of a file, judged."""
    hypercone.fit(hypercone.load_dataset("tree-3-4"), method="hyperbolic-cones", epochs=1, init_epochs=1)
    hierarchy = read(folder, name)
    started = time.perf_counter()
    embedding = hypercone.fit(hierarchy, method="hyperbolic-cones")
    fitted = time.perf_counter()
    every = hypercone.evaluation.all_pairs(embedding, hierarchy)
    judged = time.perf_counter()
    split = hierarchy.split(50)
    held_out = hypercone.evaluation.link_prediction(hypercone.fit(hierarchy, split=split), split.test)
    return {
        "fit_seconds": round(fitted - started, 1),
        "evaluation_seconds": round(judged - fitted, 1),
        "all_pairs": {figure: round(getattr(every, figure), 4) for figure in FIGURES},
        "held_out": {figure: round(getattr(held_out, figure), 4) for figure in FIGURES},
        "held_out_positives": len(split.test.positives),
        "threads": embedding.record["config"]["threads"],
    }


def in_a_process(what: str, folder: Path, name: str) -> dict[str, Any]:
    """What a measurement says, made in a process of its own.

    The caller must stay small: Linux counts the memory of the process that starts another in the other's peak.
    """
    command = [sys.executable, __file__, str(folder), "--measure", what, name]
    answer: dict[str, Any] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return answer


def measured(folder: Path, name: str, rows: dict[str, dict[str, Any]], largest: int) -> dict[str, Any]:
    """One row: how a file is read, and how well it is fitted, unless a file with the same edges is already."""
    file = FILES[name]
    row: dict[str, Any] = {
        "format": file.format,
        "content": file.content,
        "package": file.package,
        "converted": file.converted,
    }
    row |= in_a_process("read", folder, name)
    row["small"] = row["nodes"] < SMALL
    fitted = [other for other in rows if other != name and "all_pairs" in rows[other]]
    twins = [other for other in fitted if rows[other]["digest"] == row["digest"]]
    if twins:
        return row | {"fitted_as": twins[0]}
    return row if row["nodes"] > largest else row | in_a_process("fit", folder, name)


HEAD = (
    "| format | file | nodes | edges | read, s | peak, MB | fit, s | all pairs: P | R | F1 | held out: P | R | F1 |",
    "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
)


def table(rows: dict[str, dict[str, Any]]) -> str:
    """The rows in Markdown, in the order of the files."""
    return "\n".join([*HEAD, *(_line(name, rows[name]) for name in FILES if name in rows)]) + "\n"


def _line(name: str, row: dict[str, Any]) -> str:
    marks = ", ".join(["converted"] * row["converted"] + ["small"] * row["small"])
    title = f"{row['content']}: `{name}` of {row['package']}" + (f", {marks}" if marks else "")
    read = [f"{row['nodes']:,}", f"{row['edges']:,}", f"{row['read_seconds']:.2f}", f"{row['peak_megabytes']:,}"]
    if "all_pairs" in row:
        shares = [row[kind][figure] for kind in ("all_pairs", "held_out") for figure in FIGURES]
        fit = [f"{row['fit_seconds']:.1f}", *(f"{100 * share:.1f}" for share in shares)]
    else:
        fit = [f"as `{row['fitted_as']}`" if "fitted_as" in row else "not fitted", *[""] * 6]
    return "| " + " | ".join([row["format"], title, *read, *fit]) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the files, as benchmarks/real_files.py leaves them")
    parser.add_argument("-o", "--output", type=Path, help="the JSON file to write; kept rows stay")
    parser.add_argument("--only", nargs="+", choices=FILES, metavar="FILE", help="some of the files")
    parser.add_argument("--largest", type=int, default=200_000, help="fit hierarchies up to this many nodes")
    parser.add_argument("--measure", nargs=2, metavar=("read|fit", "FILE"), help="one measurement, in this process")
    options = parser.parse_args()
    if options.measure:
        what, name = options.measure
        print(json.dumps({"read": measure_reading, "fit": measure_fit}[what](options.folder, name)))
        return
    if options.output is None:
        parser.error("say where the result goes, with -o")
    rows = json.loads(options.output.read_text())["files"] if options.output.exists() else {}
    for name in options.only or FILES:
        rows[name] = measured(options.folder, name, rows, options.largest)
        print(_line(name, rows[name]), flush=True)
        options.output.write_text(json.dumps({"machine": _machine(), "files": rows}, indent=1) + "\n")
        options.output.with_suffix(".md").write_text(table(rows))


def _machine() -> dict[str, Any]:
    """The machine, described in another process to keep this one small."""
    program = "import json; from hypercone._system import describe_machine as d; print(json.dumps(d()))"
    answer: dict[str, Any] = json.loads(subprocess.check_output([sys.executable, "-c", program]))
    return answer


if __name__ == "__main__":
    main()
