"""How good are cones, really? Five hierarchies, five ways to make cones, and three measures of each.

    python benchmarks/real_files.py FOLDER     (its head says which packages it needs)
    python benchmarks/how_good.py --data FOLDER --models MODELS -o benchmarks/results/how_good.json

Every cell is one way to make cones of one hierarchy from one draw of training edges (the basic ones and so many per
cent of the others, as in the paper), judged on the held-out pairs of that draw. The cells of 50 % are judged on all
ordered pairs and against hard wrong pairs as well. Cells that the output has already are not run again; models wait in
MODELS until they have been measured.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hypercone._system import describe_machine
from hypercone.data import load_dataset
from hypercone.embedding import Embedding, load
from hypercone.evaluation import (
    all_pairs,
    evaluate,
    hard_pairs,
    reference_all_pairs,
    reference_hard,
    reference_lines,
)
from hypercone.formats import read
from hypercone.hierarchy import Hierarchy
from hypercone.reproduce.table1 import recipe_config
from hypercone.training import FitConfig, fit

HIERARCHIES = {
    "nouns": "wordnet-nouns",
    "mammals": "wordnet-mammals",
    "HPO": "hp.obo",
    "GO-BP": "go-bp.tsv",
    "ICD-10-CM": "icd10cm.outline",
}
WAYS = ("paper recipe", "strict learner", "forest", "overlapping", "learned from forest")
# Lines for reference, which have no dimensions: what the graph says, and how many children a node has.
REFERENCES = ("closure of the training edges", "number of children")
# Made from the basic edges alone, so alike in every column.
CONSTRUCTED = ("forest", "overlapping")
DIMS = (2, 5, 10)
PERCENTS = (0, 10, 25, 50)
MEASURED_PERCENT = 50


@dataclass(frozen=True)
class Cell:
    """One fit of the table."""

    hierarchy: str
    way: str
    dim: int
    percent: int
    seed: int

    @property
    def is_measured(self) -> bool:
        """Whether all pairs and hard pairs are looked at."""
        return self.percent == MEASURED_PERCENT

    @property
    def model(self) -> str:
        """The name of its folder."""
        return "-".join(str(value).replace(" ", "_") for value in asdict(self).values())

    def config(self) -> FitConfig:
        """The settings of the fit."""
        if self.way in CONSTRUCTED:
            method = {"forest": "construction", "overlapping": "overlapping"}[self.way]
            return FitConfig(method=method, dim=self.dim, seed=self.seed)
        recipe = {"paper recipe": "as published", "strict learner": "strict", "learned from forest": "from forest"}
        return recipe_config("hyperbolic-cones", recipe[self.way], self.dim, self.percent, self.seed)


@cache
def hierarchy_of(name: str, data: Path) -> Hierarchy:
    source = HIERARCHIES[name]
    if source.startswith("wordnet"):
        return load_dataset(source)
    return read(data / source, format="indented" if source.endswith(".outline") else None)


def fitted(cell: Cell, data: Path, models: Path) -> dict[str, Any]:
    """The row of a cell as far as held-out pairs go; a model to be measured is kept for that."""
    hierarchy = hierarchy_of(cell.hierarchy, data)
    split = hierarchy.split(cell.percent, cell.seed)
    started = time.process_time()
    embedding = fit(hierarchy, recipe=cell.config(), split=split)
    seconds = time.process_time() - started
    if cell.is_measured and not (models / cell.model).exists():
        embedding.save(models / cell.model)
    found = evaluate(embedding, split.test)
    return asdict(cell) | {
        "kind": embedding.record.get("kind", "learned"),
        "closure_aware": embedding.record.get("closure_aware", False),
        "nodes": len(hierarchy),
        "training_edges": embedding.record["training_edges"],
        **{f"test_{name}": round(100 * getattr(found, name), 3) for name in ("f1", "precision", "recall")},
        "threshold": embedding.threshold,
        "cpu_seconds": round(seconds, 2),
    }


def measured(cell: Cell, data: Path, models: Path) -> dict[str, Any]:
    """What all pairs and hard wrong pairs say of a kept model, at its own threshold and at energy 0."""
    embedding, hierarchy = load(models / cell.model), hierarchy_of(cell.hierarchy, data)
    found: dict[str, Any] = {}
    for place, threshold in (("", embedding.threshold), ("_at_0", 0.0)):
        found[f"all_pairs{place}"] = _rounded(all_pairs(embedding, hierarchy, threshold).as_dict())
        found[f"hard{place}"] = _rounded(_hard(embedding, hierarchy, threshold))
    return found


def _hard(embedding: Embedding, hierarchy: Hierarchy, threshold: float) -> dict[str, Any]:
    return hard_pairs(embedding, hierarchy, threshold=threshold).as_dict()


def _rounded(figures: Any) -> Any:
    if isinstance(figures, dict):
        return {name: _rounded(value) for name, value in figures.items()}
    return round(figures, 6) if isinstance(figures, float) else figures


def referred(hierarchy_name: str, percent: int, seed: int, data: Path) -> list[dict[str, Any]]:
    """The rows of the two lines for reference."""
    hierarchy = hierarchy_of(hierarchy_name, data)
    split = hierarchy.split(percent, seed)
    on_test = reference_lines(hierarchy, split.train, split.test, split.validation)
    measured = percent == MEASURED_PERCENT
    on_all = reference_all_pairs(hierarchy, split.train) if measured else {}
    on_hard = reference_hard(hierarchy, split.train) if measured else {}
    rows = []
    for way, line, aware in zip(REFERENCES, ("symbolic", "trivial"), (True, False), strict=True):
        row = asdict(Cell(hierarchy_name, way, 0, percent, seed))
        row |= {"kind": "reference", "closure_aware": aware, "nodes": len(hierarchy)}
        row["test_f1"] = round(100 * on_test[line].f1, 3)
        if measured:
            row |= {"all_pairs": _rounded(on_all[line].as_dict()), "hard": _rounded(on_hard[line].as_dict())}
        rows.append(row)
    return rows


def cells(options: argparse.Namespace) -> Iterator[Cell]:
    """All that was asked for, the quick hierarchies first."""
    for name in options.hierarchies.split(","):
        for way in options.ways.split(","):
            for seed in range(options.seeds):
                for dim in map(int, options.dims.split(",")):
                    for percent in map(int, options.percents.split(",")):
                        # All basic edges are in every column, and nothing else is used of them.
                        if way not in CONSTRUCTED or percent == MEASURED_PERCENT:
                            yield Cell(name, way, dim, percent, seed)


class Rows:
    """The output file, written whole after each row."""

    def __init__(self, path: Path) -> None:
        self.path = path
        kept = json.loads(path.read_text())["rows"] if path.exists() else []
        self.rows: dict[Cell, dict[str, Any]] = {_cell_of(row): row for row in kept}

    def put(self, cell: Cell, figures: dict[str, Any]) -> None:
        """Add figures to the row of a cell."""
        self.rows[cell] = self.rows.get(cell, {}) | figures
        ordered = sorted(self.rows.values(), key=lambda row: tuple(map(str, asdict(_cell_of(row)).values())))
        draft = self.path.with_suffix(".new")
        draft.write_text(json.dumps({"machine": describe_machine(), "rows": ordered}, indent=1) + "\n")
        draft.replace(self.path)


def _cell_of(row: dict[str, Any]) -> Cell:
    return Cell(**{name: row[name] for name in ("hierarchy", "way", "dim", "percent", "seed")})


def run_all(work: list[Cell], step: Any, options: argparse.Namespace, rows: Rows) -> None:
    """One step for each cell, in so many processes; what has finished is kept."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        waiting = {pool.submit(step, cell, options.data, options.models): cell for cell in work}
        for future in as_completed(waiting):
            cell = waiting[future]
            rows.put(cell, future.result())
            print(json.dumps(asdict(cell) | future.result()), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder that real_files.py filled")
    parser.add_argument("--models", type=Path, required=True, help="where models wait to be measured")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the JSON file; rows in it stay")
    parser.add_argument("--hierarchies", default=",".join(HIERARCHIES))
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--dims", default=",".join(map(str, DIMS)))
    parser.add_argument("--percents", default=",".join(map(str, PERCENTS)))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.models.mkdir(parents=True, exist_ok=True)
    rows = Rows(options.output)
    for name in options.hierarchies.split(","):
        for percent in map(int, options.percents.split(",")):
            for seed in range(options.seeds):
                if Cell(name, REFERENCES[0], 0, percent, seed) not in rows.rows:
                    for row in referred(name, percent, seed, options.data):
                        rows.put(_cell_of(row), row)
    asked = list(cells(options))
    run_all([cell for cell in asked if "test_f1" not in rows.rows.get(cell, {})], fitted, options, rows)
    run_all([cell for cell in asked if cell.is_measured and "hard" not in rows.rows[cell]], measured, options, rows)


if __name__ == "__main__":
    main()
