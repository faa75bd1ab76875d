"""Whether cells of table 1 have the same digits on two simulated processors.

Each part is a process whose kernels use the instructions of one processor only. It trains all methods with both recipes
in one column of the table; F1, threshold, α and the chosen epoch of each cell must be the same in all, to the last bit.
With ``--dataset wordnet-nouns`` and one seed this is table 1, once per processor.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from tools.results import Row, markdown_table
from tools.same_bits import another_machine, environments
from tools.table_digits import digits_in

from hypercone.reproduce.table1 import DIMS, PERCENTS, RECIPES, TABLE1

KEY = ("environment", "dataset", "dim", "percent", "seed")
SMOKE = {
    "dataset": "tree-3-3",
    "methods": ["poincare"],
    "recipes": ["as published"],
    "dims": [2],
    "percents": [50.0],
    "environments": ["host", "plain"],
}
ENVIRONMENTS = {**environments(), "another machine": another_machine()}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", default="wordnet-mammals", help="wordnet-nouns is that of the paper")
    parser.add_argument("--methods", nargs="+", choices=TABLE1, default=list(TABLE1), help="default: all")
    parser.add_argument("--recipes", nargs="+", default=list(RECIPES), help="default: as published, tuned")
    parser.add_argument("--dims", nargs="+", type=int, default=list(DIMS), help="default: 5 10")
    parser.add_argument("--percents", nargs="+", type=float, default=list(map(float, PERCENTS)))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--environments",
        nargs="+",
        choices=ENVIRONMENTS,
        default=["x86-64-v2", "x86-64-v3"],
        metavar="NAME",
        help=f"which processes, of {', '.join(ENVIRONMENTS)} (default: x86-64-v2 x86-64-v3)",
    )


def parts(options: argparse.Namespace) -> Iterator[Row]:
    shared = {"dataset": options.dataset, "seed": options.seed, "methods": options.methods, "recipes": options.recipes}
    for dim in options.dims:
        for percent in options.percents:
            for name in options.environments:
                yield {"environment": name, "dim": dim, "percent": percent, **shared}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    """The digits by cell; none if the environment cannot run here."""
    environment = ENVIRONMENTS[settings["environment"]]
    if environment is None:
        return [{"digits": {}}]
    column = {f"{name}s": [settings[name]] for name in ("dim", "percent", "seed")}
    column |= {name: settings[name] for name in ("methods", "recipes")}
    return [{"digits": digits_in(environment, source=[settings["dataset"]], **column)}]


def tables(rows: list[Row]) -> dict[str, str]:
    lines = []
    for name in dict.fromkeys((row["dataset"], row["dim"], row["percent"], row["seed"]) for row in rows):
        column = [row for row in rows if (row["dataset"], row["dim"], row["percent"], row["seed"]) == name]
        values = _values(column)
        ran = [row["environment"] for row in column if row["digits"]]
        same = sum(len(found) == 1 for found in values.values())
        lines.append((name[0], name[1], f"{name[2]:g} %", name[3], ", ".join(ran), f"{same} of {len(values)}"))
    head = ("dataset", "d", "given", "seed", "processors", "cells with equal digits")
    return {"": markdown_table(head, lines, right=("d", "given", "seed", head[-1]))}


def _values(rows: list[Row]) -> dict[str, set[str]]:
    """For each cell, the different digits that it has in these rows."""
    values: dict[str, set[str]] = {}
    for row in rows:
        for cell, digits in row["digits"].items():
            values.setdefault(f"{row['dataset']}, {cell}", set()).add(repr(sorted(digits.items())))
    return values


def problems(rows: list[Row]) -> list[str]:
    """The cells that depend on the processor."""
    return [f"{cell} depends on the processor" for cell, found in _values(rows).items() if len(found) > 1]
