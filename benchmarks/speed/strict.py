"""The speed of training without compiler flags, relative to kernels with flags for speed.

With flags a compiler may reorder sums and fuse products with sums: faster, but with other digits on every kind of
processor. Each arm is a process that holds a trainer on the 50 % training set of WordNet nouns, trained for a few
epochs. They take turns on one core: each is asked for one epoch from the same points and memory, and the best of all
turns counts. Where its pages lie in memory makes a process up to 5 % slower for its whole life, so each arm is started
several times. A pair is a positive or a corrupted one. ``--against`` adds the source folder of another version.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from tools.results import Row, markdown_table
from tools.same_bits import FAST, Environment, with_flags

from hypercone.data import load_dataset
from hypercone.errors import HyperconeError
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.methods import METHODS
from hypercone.training.config import FitConfig
from hypercone.training.loop import Stage
from hypercone.training.start import starting_points

KEY = ("method", "dim", "recipe")
SMOKE = {
    "dataset": "tree-3-4",
    "methods": ["order"],
    "dims": [2],
    "repeats": 1,
    "starts": 1,
    "warm_up": 2,
    "core": None,
}
ROOT = Path(__file__).parents[2]
ARMS = {"strict": "strict", "fast": "with flags", "before": "before"}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS), help="default: all")
    parser.add_argument("--dims", nargs="+", type=int, default=[5, 10, 20, 50], help="default: 5 10 20 50")
    parser.add_argument("--repeats", type=int, default=6, help="epochs of a process (default %(default)s)")
    parser.add_argument("--starts", type=int, default=4, help="processes of an arm (default %(default)s)")
    parser.add_argument("--dataset", default="wordnet-nouns")
    parser.add_argument("--warm-up", type=int, default=10, help="epochs before measuring (default %(default)s)")
    last = max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    parser.add_argument("--core", type=int, default=last, help="of all arms (default: the last, %(default)s)")
    parser.add_argument("--against", type=Path, metavar="SRC", help="the source folder of another version")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for dim in options.dims:
        for method in options.methods:
            is_compared = options.against is not None
            yield {
                "method": method,
                "dim": dim,
                "repeats": options.repeats,
                "starts": options.starts,
                "is_compared": is_compared,
            }


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    """The paper's recipe, and for cones the default one too: the best speed of each arm."""
    method, dim = settings["method"], settings["dim"]
    points = options.scratch / f"{method}-{dim}.bin"
    train(method, dim, options.dataset, options.warm_up, points)
    given = {"method": method, "dim": dim, "dataset": options.dataset, "points": str(points), "core": options.core}
    best: dict[str, dict[str, float]] = {}
    for _ in range(settings["starts"]):
        for recipe, speeds in run_once(given, settings["repeats"], options.against).items():
            known = best.setdefault(recipe, speeds)
            best[recipe] = {name: max(speed, known[name]) for name, speed in speeds.items()}
    return [{"recipe": recipe, "pairs_per_second": speeds} for recipe, speeds in best.items()]


def run_once(given: Row, repeats: int, against: Path | None) -> dict[str, dict[str, float]]:
    """The best speed of each arm by recipe, in one process an arm."""
    source, plain = ROOT / "src", Environment({})
    with ExitStack() as stack:
        arms = {
            "strict": stack.enter_context(arm(source, plain, given)),
            "fast": stack.enter_context(arm(source, with_flags(plain), given | {"flags": list(FAST[1:])})),
        }
        if against:
            arms["before"] = stack.enter_context(arm(against, plain, given))
        return {recipe: measure(recipe, arms, repeats) for recipe in arms["strict"].recipes}


def train(method: str, dim: int, dataset: str, epochs: int, path: Path) -> None:
    """Write the points that all arms start from."""
    hierarchy = load_dataset(dataset)
    edges = hierarchy.split(50).train
    known = parent_lists(edges, len(hierarchy))
    config = FitConfig(method=method, dim=dim, epochs=epochs, init_epochs=epochs).for_edges(len(edges))
    Stage(config, edges, known).train(starting_points(len(hierarchy), edges, known, config)).points.tofile(path)


class Arm(NamedTuple):
    """A process with trainers, and the recipes that it has."""

    process: subprocess.Popen[str]
    recipes: list[str]

    def ask(self, recipe: str | None = None) -> str:
        """The next line that it prints; with a recipe, after an epoch of that."""
        if recipe is not None and self.process.stdin:
            self.process.stdin.write(f"{recipe}\n")
            self.process.stdin.flush()
        line = self.process.stdout.readline() if self.process.stdout else ""
        if not line:
            raise HyperconeError(f"a process that trains ended with exit code {self.process.wait()}")
        return line


@contextmanager
def arm(source: Path, environment: Environment, given: Row) -> Iterator[Arm]:
    """A process that is ready to run epochs of the hypercone in a source folder."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "HYPERCONE_"))}
    variables = inherited | {"PYTHONPATH": str(source)} | environment.variables
    command = [sys.executable, "-m", "benchmarks.speed._trainer_process", json.dumps({"flags": []} | given)]
    with subprocess.Popen(
        command, env=variables, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Arm(process, Arm(process, []).ask().split())
        finally:
            if process.stdin:
                process.stdin.close()


def measure(recipe: str, arms: dict[str, Arm], repeats: int) -> dict[str, float]:
    best = dict.fromkeys(arms, 0.0)
    for _ in range(repeats):
        for name, one in arms.items():
            best[name] = max(best[name], float(one.ask(recipe)))
    return best


def tables(rows: list[Row]) -> dict[str, str]:
    """Millions of pairs per second of each arm, and the speed without flags relative to the others."""
    names = [name for name in ARMS if any(name in row["pairs_per_second"] for row in rows)]
    others = [name for name in names if name != "strict"]
    ratios = [f"strict / {ARMS[name]}" for name in others]
    head = ("method", "d", "recipe", *(f"{ARMS[name]}, M pairs/s" for name in names), *ratios)
    cells = []
    for row in rows:
        speeds = row["pairs_per_second"]
        shown = [f"{speeds[name] / 1e6:.1f}" if name in speeds else "" for name in names]
        relative = [f"{speeds['strict'] / speeds[name]:.2f}" if name in speeds else "" for name in others]
        cells.append((*(row[name] for name in KEY), *shown, *relative))
    return {"": markdown_table(head, cells, right=("d", *head[3:]))}


def summarize(rows: list[Row]) -> Row:
    """The lowest speed without flags relative to each other arm."""
    found: Row = {}
    for row in rows:
        for name, speed in row["pairs_per_second"].items():
            ratio = row["pairs_per_second"]["strict"] / speed
            found[name] = min(ratio, found.get(name, ratio))
    return {f"lowest_ratio_to_{name}": ratio for name, ratio in found.items() if name != "strict"}
