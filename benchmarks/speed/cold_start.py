"""The CPU time of a first fit and a question on a new machine, before any kernel is compiled, and of a second one.

Each command is a process of its own, as typed into a shell; user and system time of both commands count, the best of
several runs. *Cold* is with an empty cache folder, *warm* with the kernels that the cold run left there. For a new
dimension, the folder has the kernels of another one. ``--against`` measures another source tree in the same run, in
turn. Python's own bytecode exists before.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.results import Row, markdown_table

from hypercone.errors import HyperconeError

KEY = ("case",)
ONE_CORE = True
SMOKE = {"cases": ["tree of 16"], "repeats": 1}
SOURCE = Path(__file__).parents[2] / "src"
PROGRAM = "import sys; from hypercone.cli.main import main; sys.exit(main())"
NOUNS = "wordnet-nouns"


@dataclass(frozen=True)
class Case:
    """What is fitted: the lines of a table or the name of a dataset, the options, and those of a fit before it."""

    data: Callable[[], str]
    options: tuple[str, ...] = ()
    before: tuple[str, ...] | None = None


def tree(nodes: int) -> str:
    """A table of a binary tree."""
    return "".join(f"n{(row - 1) // 2}\tn{row}\n" for row in range(1, nodes))


def dag(nodes: int, seed: int) -> str:
    """A table in which each node has one to three random earlier parents."""
    drawn = random.Random(seed)
    chosen = {row: {drawn.randrange(row) for _ in range(drawn.randint(1, 3))} for row in range(1, nodes)}
    return "".join(f"n{parent}\tn{row}\n" for row, parents in chosen.items() for parent in sorted(parents))


LEARNED = ("--method", "hyperbolic-cones", "--epochs", "20", "--init-epochs", "20")
CASES = {
    "tree of 16": Case(lambda: tree(16)),
    **{f"DAG of 16, seed {seed}": Case(lambda seed=seed: dag(16, seed)) for seed in range(4)},  # type: ignore[misc]
    "DAG of 300": Case(lambda: dag(300, 0)),
    "learned, DAG of 60": Case(lambda: dag(60, 0), LEARNED),
    "tree of 16, a new dimension": Case(lambda: tree(16), ("--dim", "7"), ("--dim", "5")),
    "learned, DAG of 60, a new dimension": Case(lambda: dag(60, 0), (*LEARNED, "--dim", "7"), (*LEARNED, "--dim", "5")),
    "WordNet nouns": Case(lambda: NOUNS),
    "WordNet nouns, a new dimension": Case(lambda: NOUNS, ("--dim", "7"), ("--dim", "5")),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES), metavar="CASE", help="default: all")
    parser.add_argument("--repeats", type=int, default=2, help="the best of this many counts (default %(default)s)")
    parser.add_argument("--against", type=Path, metavar="SRC", help="the source folder of another version")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for case in options.cases:
        yield {"case": case, "repeats": options.repeats, "is_compared": options.against is not None}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    """Cold and warm seconds of this version, and of the other one if there is one."""
    case, folder = CASES[settings["case"]], Path(tempfile.mkdtemp(dir=options.scratch))
    data = case.data()
    if data != NOUNS:
        (folder / "edges.tsv").write_text(data, encoding="utf-8")
        data = str(folder / "edges.tsv")
    trees = {"": SOURCE} | ({"_before": options.against} if options.against else {})
    row: Row = {}
    # The first round writes Python's bytecode, and does not count.
    for repeat in range(settings["repeats"] + 1):
        for suffix, source in trees.items():
            cold, warm = cold_and_warm(case, data, source, folder / f"work{suffix}", folder / f"bytecode{suffix}")
            for name, seconds in ((f"cold{suffix}", cold), (f"warm{suffix}", warm)):
                if repeat:
                    row[name] = min(seconds, row.get(name, seconds))
    return [row]


def cold_and_warm(case: Case, data: str, source: Path, folder: Path, bytecode: Path) -> tuple[float, float]:
    """CPU seconds of a fit and a question with an empty cache, or the cache of the fit before; then once more."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    unset = ("NUMBA_", "HYPERCONE_", "PYTHONDONTWRITEBYTECODE")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(unset)}
    variables |= {"PYTHONPATH": str(source), "PYTHONPYCACHEPREFIX": str(bytecode), "XDG_CACHE_HOME": str(folder)}

    def fit_and_ask(options: tuple[str, ...]) -> float:
        node = "dog.n.01" if data == NOUNS else "n15"
        direction = () if data == NOUNS else ("--direction", "parent-child")
        model = str(folder / "model")
        shutil.rmtree(model, ignore_errors=True)
        before = children_seconds()
        for command in (
            ["fit", data, *direction, *options, "-o", model, "--quiet"],
            ["query", model, "ancestors", node],
        ):
            done = subprocess.run(
                [sys.executable, "-c", PROGRAM, *command], env=variables, capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise HyperconeError(f"hypercone {' '.join(command)} failed: {done.stderr.strip()}")
        return children_seconds() - before

    if case.before is not None:
        fit_and_ask(case.before)
    return fit_and_ask(case.options), fit_and_ask(case.options)


def children_seconds() -> float:
    """User and system time of all processes that this one has started and that are done."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def tables(rows: list[Row]) -> dict[str, str]:
    is_compared = any(row["is_compared"] for row in rows)
    head = ("fit and question", *(("cold before, s", "warm before, s") if is_compared else ()), "cold, s", "warm, s")
    names = (*(("cold_before", "warm_before") if is_compared else ()), "cold", "warm")
    cells = [(row["case"], *(f"{row[name]:.2f}" if name in row else "" for name in names)) for row in rows]
    return {"": markdown_table(head, cells, right=head[1:])}
