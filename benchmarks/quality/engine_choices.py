"""How the constants of the engine were chosen: validation F1 of other values, one at a time, on a split of its own.

The recipe *given-edges* is fitted to the training edges of WordNet nouns. The seed is not used in any table of results,
and only training edges and validation pairs are looked at. The row *as it is* has the values of the code.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from tools.results import Row, markdown_table

from benchmarks.support import load_hierarchy
from hypercone.construction import given_edges, overlapping
from hypercone.reproduce.table1 import recipe_config
from hypercone.training import fit

KEY = ("constant", "value", "dim", "percent")
AS_IT_IS = "as it is"
SEED = 7
# Columns of the paper's table: dimensions and the percentage of implied edges that are given.
COLUMNS = ((5, 10.0), (5, 50.0), (10, 25.0))
# Constants of construction/given_edges.py, and fields of its schedule.
CHOICES: dict[str, tuple[float, ...]] = {
    "LEAF_RATIO": (0.0001, 0.003, 0.01, 0.03),
    "MOVES": (20_000_000, 80_000_000),
    "search_every": (4, 16),
}
SMOKE = {"dataset": "tree-3-3", "columns": 1, "constants": ["LEAF_RATIO", "search_every"]}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", default="wordnet-nouns")
    parser.add_argument("--columns", type=int, default=len(COLUMNS), help="how many of the columns")
    parser.add_argument("--constants", nargs="+", choices=CHOICES, default=list(CHOICES))


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for dim, percent in COLUMNS[: options.columns]:
        yield {"constant": AS_IT_IS, "value": None, "dim": dim, "percent": percent, "seed": SEED}
        for name in options.constants:
            for value in CHOICES[name]:
                yield {"constant": name, "value": value, "dim": dim, "percent": percent, "seed": SEED}


def changed(name: str, value: Any) -> AbstractContextManager[Any]:
    """A context in which a constant has this value."""
    if name == AS_IT_IS:
        return nullcontext()
    if name != "search_every":
        return patch.object(given_edges, name, value)
    plan = given_edges.nested_plan
    return patch.object(overlapping, "nested_plan", lambda size: replace(plan(size), search_every=value))


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    hierarchy = load_hierarchy(options.dataset)
    split = hierarchy.split(settings["percent"], SEED)
    config = recipe_config("hyperbolic-cones", "given-edges", settings["dim"], settings["percent"], SEED)
    worked = time.process_time()
    with changed(settings["constant"], settings["value"]):
        embedding = fit(hierarchy, recipe=config, split=split)
    seconds = round(time.process_time() - worked, 1)
    return [{"validation_f1": embedding.record["calibration_f1"], "cpu_seconds": seconds}]


def tables(rows: list[Row]) -> dict[str, str]:
    columns = sorted({(row["dim"], row["percent"]) for row in rows})
    found = {tuple(row[name] for name in KEY): row for row in rows}
    lines = []
    for name, value in dict.fromkeys((row["constant"], row["value"]) for row in rows):
        cells = [found.get((name, value, *column)) for column in columns]
        shown = [f"{100 * cell['validation_f1']:.2f} ({cell['cpu_seconds']:.0f} s)" if cell else "–" for cell in cells]
        lines.append([name, "" if value is None else f"{value:g}", *shown])
    heads = [f"d = {dim}, {percent:g} %" for dim, percent in columns]
    return {"": markdown_table(("constant", "value", *heads), lines, right=heads)}
