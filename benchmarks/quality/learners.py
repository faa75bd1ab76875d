"""Our learners in every column of the paper's table: WordNet nouns, given training edges only, three seeds.

*strict* starts from random caps; *given-edges* in a spanning forest of the training edges, which is a kind of its own.
Each seed draws its own split and its own start. The epoch and the threshold of a fit are chosen on validation pairs;
test pairs are only evaluated. F1 over all ordered pairs is exact, at that threshold and at energy 0.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator

from tools.results import Row

from benchmarks.support import load_hierarchy
from hypercone.evaluation import all_pairs, link_prediction
from hypercone.reproduce.table1 import DIMS, PERCENTS, paper_f1, recipe_config
from hypercone.training import FitConfig, fit

KEY = ("recipe", "dim", "percent", "seed")
METHOD, RECIPES = "hyperbolic-cones", ("strict", "given-edges")
# Umbral shadow cones (2024), the best learned figures published for this protocol, as far as we know. RegD (arXiv
# 2501.17518) and subspace embeddings (arXiv 2508.16687) claim more under protocols of their own.
BEST_PUBLISHED = {5: (45.2, 87.8, 94.2, 96.4), 10: (52.2, 89.4, 95.7, 97.0)}
SMOKE = {"dataset": "tree-3-3", "recipes": ["given-edges"], "dims": [5], "percents": [50], "seeds": 1}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(jobs=2)
    parser.add_argument("--dataset", default="wordnet-nouns")
    parser.add_argument("--recipes", nargs="+", choices=RECIPES, default=RECIPES)
    parser.add_argument("--dims", nargs="+", type=int, choices=DIMS, default=DIMS)
    parser.add_argument("--percents", nargs="+", type=float, choices=PERCENTS, default=PERCENTS)
    parser.add_argument("--seeds", type=int, default=3)


def parts(options: argparse.Namespace) -> Iterator[Row]:
    """Seed by seed, so that a run that was interrupted has every column."""
    for seed in range(options.seeds):
        for recipe in options.recipes:
            for dim in options.dims:
                for percent in options.percents:
                    config = recipe_config(METHOD, recipe, dim, percent, seed)
                    values = (recipe, dim, percent, seed)
                    yield dict(zip(KEY, values, strict=True)) | {"config": config.as_dict()}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    hierarchy = load_hierarchy(options.dataset)
    split = hierarchy.split(settings["percent"], settings["seed"])
    config = FitConfig(**settings["config"])
    began, worked = time.perf_counter(), time.process_time()
    embedding = fit(hierarchy, recipe=config, split=split)
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - worked
    test = link_prediction(embedding, split.test)
    row: Row = {
        "kind": embedding.record["kind"],
        "validation_f1": embedding.record["calibration_f1"],
        "test_f1": test.f1,
        "test_precision": test.precision,
        "test_recall": test.recall,
        "epoch": embedding.record["epoch"],
        "threshold": embedding.threshold,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu_seconds, 1),
    }
    for name, threshold in (("at_threshold", embedding.threshold), ("at_energy_0", 0.0)):
        found = all_pairs(embedding, hierarchy, threshold)
        row[f"all_pairs_{name}"] = {"precision": found.precision, "recall": found.recall, "f1": found.f1}
    return [row]


def tables(rows: list[Row]) -> dict[str, str]:
    """One line per column of the paper's table: means over seeds, ± the standard deviation."""
    return {"": "\n".join(_lines(rows)) + "\n"}


def _lines(rows: list[Row]) -> Iterator[str]:
    all_pairs = "all pairs at energy 0: P / R / F1 | F1 at threshold"
    published = "paper | best published, same protocol"
    head = f"| recipe | d | training | {published} | test F1 | validation | {all_pairs} | CPU seconds | seeds |"
    yield head
    yield "|---|" + "---:|" * (head.count("|") - 2)
    for recipe in RECIPES:
        for dim in DIMS:
            for percent, best in zip(PERCENTS, BEST_PUBLISHED[dim], strict=True):
                cells = [row for row in rows if tuple(row[name] for name in KEY[:3]) == (recipe, dim, percent)]
                if cells:
                    yield _line(recipe, dim, percent, best, cells)


def _line(recipe: str, dim: int, percent: float, best: float, cells: list[Row]) -> str:
    test = [100 * row["test_f1"] for row in cells]
    spread = statistics.stdev(test) if len(test) > 1 else 0.0
    figures = ("precision", "recall", "f1")
    at_zero = [100 * statistics.fmean(row["all_pairs_at_energy_0"][name] for row in cells) for name in figures]
    mark = "**" if statistics.fmean(test) > best else ""
    parts = [
        f"{recipe} ({cells[0]['kind']})",
        f"{dim}",
        f"{percent:g} %",
        f"{paper_f1(METHOD, dim, percent):.1f}",
        f"{best:.1f}",
        f"{mark}{statistics.fmean(test):.2f}{mark} ± {spread:.2f}",
        f"{100 * statistics.fmean(row['validation_f1'] for row in cells):.1f}",
        " / ".join(f"{figure:.2f}" for figure in at_zero),
        f"{100 * statistics.fmean(row['all_pairs_at_threshold']['f1'] for row in cells):.1f}",
        f"{statistics.fmean(row['cpu_seconds'] for row in cells):.0f}",
        f"{len(cells)}",
    ]
    return "| " + " | ".join(parts) + " |"
