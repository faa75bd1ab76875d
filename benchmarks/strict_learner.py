"""The strict learner in every column of the paper's table: WordNet nouns, given training edges only, three seeds.

    python benchmarks/strict_learner.py -o benchmarks/results/strict_learner.json

Each seed draws its own split and its own start. Validation pairs choose the epoch and the threshold of a fit; test
pairs are only counted. F1 over all ordered pairs is exact, at that threshold and at energy 0. Cells that the file has
already are not run again; a table in Markdown is written beside it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from hypercone._files import new_file
from hypercone._system import describe_machine
from hypercone.data import load_dataset
from hypercone.evaluation import all_pairs, evaluate
from hypercone.reproduce.table1 import DIMS, PERCENTS, paper_f1, recipe_config
from hypercone.training import fit

METHOD, RECIPE, SEEDS = "hyperbolic-cones", "strict", 3
# Umbral shadow cones, the best learned figures printed since the paper, as far as we know.
BEST_PUBLISHED = {5: (45.2, 87.8, 94.2, 96.4), 10: (52.2, 89.4, 95.7, 97.0)}
Cell = tuple[int, float, int]
Row = dict[str, Any]


def run(cell: Cell) -> Row:
    dim, percent, seed = cell
    hierarchy = load_dataset("wordnet-nouns")
    split = hierarchy.split(percent, seed)
    config = recipe_config(METHOD, RECIPE, dim, percent, seed)
    began, worked = time.perf_counter(), time.process_time()
    embedding = fit(hierarchy, recipe=config, split=split)
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - worked
    test = evaluate(embedding, split.test)
    row = {
        "kind": "learned",
        "dim": dim,
        "percent": percent,
        "seed": seed,
        "validation_f1": embedding.record["calibration_f1"],
        "test_f1": test.f1,
        "test_precision": test.precision,
        "test_recall": test.recall,
        "epoch": embedding.record["epoch"],
        "threshold": embedding.threshold,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu_seconds, 1),
        "config": embedding.record["config"],
    }
    for name, threshold in (("at_threshold", embedding.threshold), ("at_energy_0", 0.0)):
        found = all_pairs(embedding, hierarchy, threshold)
        row[f"all_pairs_{name}"] = {"precision": found.precision, "recall": found.recall, "f1": found.f1}
    return row


def is_of(row: Row, cell: Cell) -> bool:
    """Whether a row is of this cell with the settings that the recipe has now."""
    dim, percent, seed = cell
    if (row["dim"], row["percent"], row["seed"]) != cell:
        return False
    return bool(row["config"] == recipe_config(METHOD, RECIPE, dim, percent, seed).as_dict())


def markdown(rows: list[Row]) -> str:
    """A line a column of the paper's table: means over seeds, ± the standard deviation."""
    return "\n".join(_lines(rows)) + "\n"


def _lines(rows: list[Row]) -> Iterator[str]:
    all_pairs = "all pairs at energy 0: P / R / F1 | F1 at threshold"
    yield f"| d | training | paper | best published | strict learner | validation | {all_pairs} | CPU seconds | seeds |"
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for dim in DIMS:
        for percent, best in zip(PERCENTS, BEST_PUBLISHED[dim], strict=True):
            cells = [row for row in rows if (row["dim"], row["percent"]) == (dim, percent)]
            if cells:
                yield _line(dim, percent, best, cells)


def _line(dim: int, percent: float, best: float, cells: list[Row]) -> str:
    test = [100 * row["test_f1"] for row in cells]
    spread = statistics.stdev(test) if len(test) > 1 else 0.0
    figures = ("precision", "recall", "f1")
    at_zero = [100 * statistics.fmean(row["all_pairs_at_energy_0"][name] for row in cells) for name in figures]
    mark = "**" if statistics.fmean(test) > best else ""
    parts = [
        f"{dim}",
        f"{percent:g} %",
        f"{paper_f1(METHOD, dim, percent):.1f}",
        f"{best:.1f}",
        f"{mark}{statistics.fmean(test):.1f}{mark} ± {spread:.1f}",
        f"{100 * statistics.fmean(row['validation_f1'] for row in cells):.1f}",
        " / ".join(f"{figure:.1f}" for figure in at_zero),
        f"{100 * statistics.fmean(row['all_pairs_at_threshold']['f1'] for row in cells):.1f}",
        f"{statistics.fmean(row['cpu_seconds'] for row in cells):.0f}",
        f"{len(cells)}",
    ]
    return "| " + " | ".join(parts) + " |"


def keep(rows: list[Row], path: Path) -> None:
    content = {"machine": describe_machine(), "method": METHOD, "recipe": RECIPE, "results": rows}
    with new_file(path) as draft:
        draft.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(markdown(rows), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the JSON file to write, and to go on with")
    parser.add_argument("--jobs", type=int, default=2, help="processes side by side")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    options = parser.parse_args()
    known = json.loads(options.output.read_text(encoding="utf-8"))["results"] if options.output.exists() else []
    # Seed by seed, so that a run that was interrupted has every column.
    cells = [(dim, percent, seed) for seed in range(options.seeds) for dim in DIMS for percent in PERCENTS]
    rows = [row for cell in cells for row in known if is_of(row, cell)]
    missing = [cell for cell in cells if not any(is_of(row, cell) for row in rows)]
    with ProcessPoolExecutor(options.jobs) as pool:
        for future in as_completed([pool.submit(run, cell) for cell in missing]):
            rows = sorted([*rows, future.result()], key=lambda row: (row["seed"], row["dim"], row["percent"]))
            keep(rows, options.output)
            latest = future.result()
            print(json.dumps({name: value for name, value in latest.items() if name != "config"}), flush=True)
    print(markdown(rows))


if __name__ == "__main__":
    main()
