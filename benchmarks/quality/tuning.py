"""A log of tuning: the validation F1 of other settings than a recipe's, one change at a time, on a split of its own.

The recipe *tuned* of a method is fitted to the training edges of a split whose seed is in no table of results; test
pairs are not looked at. ``--change NAME=VALUE`` tries a setting; without it, those are tried that the reasons in the
recipe's file speak of. The row *as it is* is the recipe. With ``-o``, trials are added to those in the file.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

from tools.results import Row, markdown_table

from benchmarks.support import load_hierarchy
from hypercone.errors import HyperconeError
from hypercone.methods import METHODS
from hypercone.reproduce.table1 import recipe_config
from hypercone.training import FitConfig, fit
from hypercone.training.config import OPTIONS

KEY = ("method", "recipe", "change", "dim", "percent", "seed")
AS_IT_IS = "as it is"
SEED = 100
# Some of what the reasons in ``training/recipes`` speak of.
CHANGES = {
    "hyperbolic-cones": ("K=0.3", "margin=0.03", "rate=0.1", "epochs=50", "init_corrupt=both", "rescale=0.7"),
    "euclidean-cones": ("margin=0.03", "init_corrupt=both", "rescale=0.5"),
    "order": ("corrupt=child", "negatives=20", "epochs=500"),
    "poincare": ("corrupt=both", "rate=0.1"),
    "euclidean": ("corrupt=both", "rate=0.03", "negatives=30"),
}
SMOKE = {"dataset": "tree-3-3", "methods": ["order"], "dims": [2], "change": ["epochs=5"]}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", default="wordnet-nouns")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=["hyperbolic-cones"])
    parser.add_argument("--recipe", default="tuned", help="the recipe to change (default %(default)s)")
    parser.add_argument("--dims", nargs="+", type=int, default=[5])
    parser.add_argument("--percents", nargs="+", type=float, default=[10.0])
    parser.add_argument("--seed", type=int, default=SEED, help="of the split and the start (default %(default)s)")
    parser.add_argument("--change", action="append", metavar="NAME=VALUE", help="a setting to try; may be repeated")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for method in options.methods:
        for dim in options.dims:
            for percent in options.percents:
                for change in (AS_IT_IS, *(options.change or CHANGES[method])):
                    at = {"method": method, "recipe": options.recipe, "dim": dim, "percent": percent}
                    yield {**at, "change": change, "seed": options.seed, "dataset": options.dataset}


def settings_of(change: str) -> dict[str, Any]:
    """The setting that a change names; HyperconeError if there is none.

    >>> settings_of("rate=0.1"), settings_of(AS_IT_IS)
    ({'rate': 0.1}, {})
    """
    if change == AS_IT_IS:
        return {}
    name, _, text = change.partition("=")
    if name not in OPTIONS or not text:
        raise HyperconeError(f"--change is {change!r}, but must be a setting and a value, such as rate=0.1")
    return {name: OPTIONS[name].check(OPTIONS[name].kind(text))}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    hierarchy = load_hierarchy(settings["dataset"])
    split = hierarchy.split(settings["percent"], settings["seed"])
    cell = (settings["method"], settings["recipe"], settings["dim"], settings["percent"], settings["seed"])
    config = FitConfig(**recipe_config(*cell).as_dict() | settings_of(settings["change"]))
    worked = time.process_time()
    record = fit(hierarchy, recipe=config, split=split).record
    seconds = round(time.process_time() - worked, 1)
    return [{"validation_f1": record["calibration_f1"], "epoch": record["epoch"], "cpu_seconds": seconds}]


def tables(rows: list[Row]) -> dict[str, str]:
    found = {tuple(row[name] for name in KEY): row for row in rows}
    lines = []
    for row in rows:
        base = found.get(tuple(AS_IT_IS if name == "change" else row[name] for name in KEY))
        gain = "" if base in (None, row) else f"{100 * (row['validation_f1'] - base['validation_f1']):+.2f}"
        lines.append(
            (
                row["method"],
                row["recipe"],
                row["dim"],
                f"{row['percent']:g} %",
                row["seed"],
                row["change"],
                f"{100 * row['validation_f1']:.2f}",
                gain,
                row["epoch"],
                f"{row['cpu_seconds']:.0f}",
            )
        )
    head = ("method", "recipe", "d", "given", "seed", "change", "validation F1", "difference", "epoch", "CPU s")
    return {"": markdown_table(head, lines, right=("d", "given", "seed", *head[6:]))}
