"""How good are cones? Five hierarchies, five ways to make cones, and three measures of each.

A row is one way to make cones of one hierarchy from one draw of training edges (the direct ones and so many percent of
the implied ones, as in the paper), evaluated on the held-out pairs of that draw. The rows of 50 % are evaluated on all
ordered pairs and against hard negative pairs as well. Two tables: one per hierarchy, and the headline.

    python -m benchmarks.real_files FOLDER        (its docstring says which packages it needs)
    python -m benchmarks how_good --data FOLDER -o FILE
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tools.results import Row

from benchmarks.support import load_hierarchy
from hypercone.embedding import Embedding
from hypercone.evaluation import all_pairs, baselines, hard_pairs, link_prediction
from hypercone.hierarchy import Hierarchy
from hypercone.reproduce.table1 import recipe_config
from hypercone.training import FitConfig, fit

KEY = ("hierarchy", "way", "dim", "percent", "seed")
HIERARCHIES = {
    "nouns": "wordnet-nouns",
    "mammals": "wordnet-mammals",
    "HPO": "hp.obo",
    "GO-BP": "go-bp.tsv",
    "ICD-10-CM": "icd10cm.outline",
}
# Baselines, which have no dimension: the closure of the training edges, and the number of children.
REFERENCES = {"closure of the training edges": "symbolic", "number of children": "trivial"}
RECIPES = {"paper recipe": "as published", "strict learner": "strict", "learned from forest": "from forest"}
# Constructed from the direct edges alone, so the same for every percentage.
CONSTRUCTED = {"forest": "nested-caps", "overlapping": "overlapping-caps"}
WAYS = ("paper recipe", "strict learner", "forest", "overlapping", "learned from forest")
DIMS = (2, 5, 10)
PERCENTS = (0, 10, 25, 50)
# The rows of this percentage are evaluated on all pairs and on hard pairs too.
MEASURED_PERCENT = 50
SMOKE = {"hierarchies": ["tree-3-3"], "ways": ["forest"], "dims": [2], "percents": [50], "seeds": 1}

PLACES = ("all_pairs_at_0", "all_pairs")
HEAD = ("way", "d", "kind", *(f"{percent} %" for percent in PERCENTS), "all pairs", "hard pairs", "CPU s", "seeds")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(jobs=2)
    parser.add_argument("--data", type=Path, default=Path(), help="the folder that benchmarks.real_files filled")
    parser.add_argument("--hierarchies", nargs="+", default=list(HIERARCHIES))
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--dims", nargs="+", type=int, default=list(DIMS))
    parser.add_argument("--percents", nargs="+", type=int, default=list(PERCENTS))
    parser.add_argument("--seeds", type=int, default=3)


def parts(options: argparse.Namespace) -> Iterator[Row]:
    """The baselines of each hierarchy, then its fits."""
    for hierarchy in options.hierarchies:
        for way, dims in [(way, [0]) for way in REFERENCES] + [(way, options.dims) for way in options.ways]:
            for seed in range(options.seeds):
                for dim in dims:
                    for percent in options.percents:
                        if way not in CONSTRUCTED or percent == MEASURED_PERCENT:
                            values = (hierarchy, way, dim, percent, seed)
                            yield dict(zip(KEY, values, strict=True))


def hierarchy_of(name: str, data: Path) -> Hierarchy:
    source = HIERARCHIES.get(name, name)
    return load_hierarchy(source if "." not in source else str(data / source))


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    hierarchy = hierarchy_of(settings["hierarchy"], options.data)
    if settings["way"] in REFERENCES:
        return [reference(settings, options.data)]
    split = hierarchy.split(settings["percent"], settings["seed"])
    started = time.process_time()
    embedding = fit(hierarchy, recipe=config_of(settings), split=split)
    seconds = time.process_time() - started
    found = link_prediction(embedding, split.test)
    row = {
        "kind": embedding.record.get("kind", "learned"),
        "closure_aware": embedding.record.get("closure_aware", False),
        "nodes": len(hierarchy),
        "training_edges": embedding.record["training_edges"],
        **{f"test_{name}": round(100 * getattr(found, name), 3) for name in ("f1", "precision", "recall")},
        "threshold": embedding.threshold,
        "cpu_seconds": round(seconds, 2),
    }
    return [row | (figures_of_all_pairs(embedding, hierarchy) if settings["percent"] == MEASURED_PERCENT else {})]


def config_of(settings: Row) -> FitConfig:
    """The settings of a fit."""
    way, dim, seed = settings["way"], settings["dim"], settings["seed"]
    if way in CONSTRUCTED:
        return FitConfig(method=CONSTRUCTED[way], dim=dim, seed=seed)
    return recipe_config("hyperbolic-cones", RECIPES[way], dim, settings["percent"], seed)


def figures_of_all_pairs(embedding: Embedding, hierarchy: Hierarchy) -> Row:
    """All pairs and hard negative pairs, at the threshold of the model and at energy 0."""
    found: Row = {}
    for place, threshold in (("", embedding.threshold), ("_at_0", 0.0)):
        found[f"all_pairs{place}"] = _round(all_pairs(embedding, hierarchy, threshold).as_dict())
        found[f"hard{place}"] = _round(hard_pairs(embedding, hierarchy, threshold=threshold).as_dict())
    return found


def _round(figures: Any) -> Any:
    if isinstance(figures, dict):
        return {name: _round(value) for name, value in figures.items()}
    return round(figures, 6) if isinstance(figures, float) else figures


def reference(settings: Row, data: Path) -> Row:
    """The row of a baseline."""
    rows = references(settings["hierarchy"], settings["percent"], settings["seed"], data)
    return rows[settings["way"]]


@cache
def references(name: str, percent: int, seed: int, data: Path) -> dict[str, Row]:
    """The rows of both baselines, which are computed together."""
    hierarchy = hierarchy_of(name, data)
    split = hierarchy.split(percent, seed)
    on_test = baselines(hierarchy, split, on="test-pairs")
    is_measured = percent == MEASURED_PERCENT
    on_all = baselines(hierarchy, split, on="all-pairs") if is_measured else {}
    on_hard = baselines(hierarchy, split, on="hard-pairs") if is_measured else {}
    rows = {}
    for way, line in REFERENCES.items():
        rows[way] = {"kind": "reference", "closure_aware": line == "symbolic", "nodes": len(hierarchy)}
        rows[way]["test_f1"] = round(100 * on_test[line].f1, 3)
        if is_measured:
            rows[way] |= {"all_pairs": _round(on_all[line].as_dict()), "hard": _round(on_hard[line].as_dict())}
    return rows


def tables(rows: list[Row]) -> dict[str, str]:
    return {"": "\n".join(long_tables(rows)), "_headline": "\n".join(headline(rows)) + "\n"}


def long_tables(rows: list[Row]) -> Iterator[str]:
    """One heading and one table per hierarchy."""
    for name in _hierarchies(rows):
        of_it = [row for row in rows if row["hierarchy"] == name]
        yield f"### {name}, {max(row['nodes'] for row in of_it):,} nodes\n"
        yield "\n".join(_table(of_it)) + "\n"


def _hierarchies(rows: list[Row]) -> list[str]:
    found = {row["hierarchy"] for row in rows}
    return [name for name in HIERARCHIES if name in found] + sorted(found - HIERARCHIES.keys())


def _table(rows: list[Row]) -> Iterator[str]:
    yield f"| {' | '.join(HEAD)} |"
    yield "|---|---:|---|" + "---:|" * (len(HEAD) - 3)
    for way in (*REFERENCES, *WAYS):
        for dim in (0, *DIMS):
            of_it = [row for row in rows if (row["way"], row["dim"]) == (way, dim)]
            if of_it:
                yield _line(way, dim, of_it)


def _line(way: str, dim: int, rows: list[Row]) -> str:
    aware = ", closure-aware" if any(row["closure_aware"] for row in rows) else ""
    # Constructed from the direct edges, which are the same in every column.
    of_all = rows[0]["kind"] == "constructed"
    at = {percent: [row for row in rows if of_all or row["percent"] == percent] for percent in PERCENTS}
    measured = [row for row in at[MEASURED_PERCENT] if "hard" in row]
    cells = [
        *(_mean(at[percent], lambda row: row["test_f1"]) for percent in PERCENTS),
        _both(measured, "all_pairs"),
        _both(measured, "hard"),
        _seconds(at[MEASURED_PERCENT]),
        _seeds(at),
    ]
    return f"| {way} | {dim or '–'} | {rows[0]['kind']}{aware} | {' | '.join(cells)} |"


def _both(rows: list[Row], measure: str) -> str:
    """F1 at energy 0 and, where it differs, in parentheses at the threshold chosen on validation pairs."""
    at_threshold = _mean(rows, lambda row: 100 * row[measure]["f1"])
    if not rows or all(row.get("threshold", 0.0) == 0.0 for row in rows):
        return at_threshold
    return f"{_mean(rows, lambda row: 100 * row[f'{measure}_at_0']['f1'])} ({at_threshold})"


def _mean(rows: list[Row], figure: Callable[[Row], float]) -> str:
    values = [figure(row) for row in rows]
    if not values:
        return "…"
    spread = f" ± {statistics.stdev(values):.1f}" if len(values) > 1 and statistics.stdev(values) >= 0.05 else ""
    return f"{statistics.fmean(values):.1f}{spread}"


def _seeds(at: dict[int, list[Row]]) -> str:
    counts = sorted({len(rows) for rows in at.values()})
    return "–".join(map(str, counts))


def _seconds(rows: list[Row]) -> str:
    # The least of the seeds: the first fit of a process may include compilation.
    return f"{min(row['cpu_seconds'] for row in rows):.1f}" if rows and "cpu_seconds" in rows[0] else "–"


def headline(rows: list[Row]) -> Iterator[str]:
    """F1 over all pairs, at energy 0 or at the threshold chosen on validation pairs, whichever is better."""
    shown = [("paper recipe", 10), ("strict learner", 10), ("forest", 5), ("overlapping", 5), ("overlapping", 10)]
    yield "| F1 over all pairs | nodes | " + " | ".join(f"{way}, d = {dim}" for way, dim in shown) + " | CPU s |"
    yield "|---|---:|" + "---:|" * (len(shown) + 1)
    for name in _hierarchies(rows):
        cells = []
        for way, dim in shown:
            wanted = (name, way, dim, MEASURED_PERCENT)
            found = [r for r in rows if (r["hierarchy"], r["way"], r["dim"], r["percent"]) == wanted and "hard" in r]
            cells.append(_better(found))
        nodes = max(row["nodes"] for row in rows if row["hierarchy"] == name)
        yield f"| {name} | {nodes:,} | {' | '.join(cells)} | {_seconds(found)} |"


def _better(rows: list[Row]) -> str:
    if not rows:
        return "…"
    means = {place: statistics.fmean(row[place]["f1"] for row in rows) for place in PLACES}
    best = max(PLACES, key=lambda place: means[place])
    return _mean(rows, lambda row: 100 * row[best]["f1"])
