"""The digits of cells of table 1: F1, threshold, α and the chosen epoch of each, to the last bit.

    python -m tools.table_digits --source wordnet-mammals --dims 5 --percents 25 --seeds 0 > digits.json

``tests/reproduce/test_digits.py`` compares small cells with a recorded file, and ``python -m benchmarks table1_bits``
cells of simulated processors with each other.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from hypercone.reproduce import Plan
from hypercone.reproduce.table1 import DIMS, OWN_RECIPES, PERCENTS, RECIPES, TABLE1
from hypercone.reproduce.trials import DATASET, run_trials, sharing_groups
from tools.same_bits import Environment, run_in

DIGITS = ("test_f1", "test_precision", "test_recall", "validation_f1", "threshold", "alpha", "epoch")


def digits_of(plan: Plan) -> dict[str, dict[str, Any]]:
    """The digits of every cell of a plan, by its name."""
    rows = [row for group in sharing_groups(plan.trials()) for row in run_trials(group)]
    return {
        f"{row['method']}, {row['recipe']}, d = {row['dim']}, {row['percent']:g} %, seed {row['seed']}": {
            name: row[name] for name in DIGITS
        }
        for row in sorted(rows, key=lambda row: [row[name] for name in ("method", "recipe", "dim", "percent", "seed")])
    }


def digits_in(environment: Environment, **plan: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """The digits that another process gives; the arguments are the options of this module, by name."""
    options = [text for name, values in plan.items() for text in (f"--{name}", *map(str, values))]
    found: dict[str, dict[str, Any]] = run_in(environment, "tools.table_digits", options)
    return found


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose cells."""
    parser.add_argument("--source", default=DATASET, help="a dataset (default %(default)s)")
    parser.add_argument("--methods", nargs="+", choices=TABLE1, default=list(TABLE1), metavar="METHOD")
    parser.add_argument("--recipes", nargs="+", choices=(*RECIPES, *OWN_RECIPES), default=list(RECIPES))
    parser.add_argument("--dims", nargs="+", type=int, default=list(DIMS))
    parser.add_argument("--percents", nargs="+", type=float, default=list(PERCENTS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0], help="which seeds (default 0)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the digits as JSON."""
    parser = argparse.ArgumentParser(prog="python -m tools.table_digits", description=__doc__)
    add_plan(parser)
    given = vars(parser.parse_args(arguments))
    print(json.dumps(digits_of(Plan(**given)), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
