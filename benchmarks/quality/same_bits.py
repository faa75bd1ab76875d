"""Whether the same seed gives the same bits with other instructions: for kernels, math library, NumPy and BLAS.

Each environment is a process that makes small fits with every method, start and construction (``tools/same_bits.py``).
All must give the same points, bit for bit. The controls are compiled with flags for speed, by which a compiler may
reorder sums and fuse products with sums; they show what these environments can find.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator

from tools.results import Row, markdown_table
from tools.same_bits import DIMS, ROWS, Environment, controls, digests_in, environments, key_of

KEY = ("environment",)
SMOKE = {"rows": ["order from random"], "dims": [2], "environments": ["host", "plain"]}
PROMISED, CONTROL = environments(), controls()


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="ROW", help="default: all")
    parser.add_argument("--dims", nargs="+", type=int, default=list(DIMS), help="default: 2 5 10 20 50")
    names = [*PROMISED, *CONTROL]
    parser.add_argument("--environments", nargs="+", choices=names, default=names, metavar="NAME", help="default: all")
    parser.add_argument(
        "--runner",
        action="append",
        default=[],
        metavar="NAME=COMMAND",
        help="another Python with hypercone, such as one for another processor in an emulator; may be repeated",
    )


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for name in [*options.environments, *(given.partition("=")[0] for given in options.runner)]:
        yield {"environment": name, "rows": options.rows, "dims": options.dims}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    """The digests by fit; none if the environment cannot run here."""
    name, rows, dims = settings["environment"], settings["rows"], settings["dims"]
    runners = {given.partition("=")[0]: shlex.split(given.partition("=")[2]) for given in options.runner}
    is_promised = name not in CONTROL
    if name in runners:
        found = digests_in(Environment({"HYPERCONE_KERNELS": "compiled"}), rows, dims, runners[name])
    else:
        environment = (PROMISED | CONTROL)[name]
        found = digests_in(environment, rows, dims, [sys.executable]) if environment else {}
    return [{"is_promised": is_promised, "digests": found}]


def tables(rows: list[Row]) -> dict[str, str]:
    """By fit, over all dimensions; and by environment."""
    promised, control = (
        [row for row in rows if row["is_promised"] == kind and row["digests"]] for kind in (True, False)
    )
    dims = sorted({dim for row in rows for dim in row["dims"]})
    names = [name for name in ROWS if any(name in row["rows"] for row in rows)]
    lines = []
    for name in names:
        keys = [key_of(name, dim) for dim in dims]
        lines.append((name, *_counts(keys, promised, control)))
    every = [key_of(name, dim) for name in names for dim in dims]
    lines.append(("**all**", *_counts(every, promised, control)))
    head = ("fit", "d", "same in all environments", "other with flags", "depend on the processor with flags")
    cells = [(name, ", ".join(map(str, dims)), *counts) for name, *counts in lines]
    return {
        "": markdown_table(head, cells, right=head[2:]),
        "_environments": markdown_table(
            ("environment", "fits", "as on the host"), _environment_lines(rows), right=("fits", "as on the host")
        ),
    }


def _counts(keys: list[str], promised: list[Row], control: list[Row]) -> tuple[str, str, str]:
    """How many fits have one value, how many have another one with flags, and how many of these vary."""
    same = other = vary = 0
    for key in keys:
        values, fast = (_values(key, group) for group in (promised, control))
        same += len(values) == 1
        other += bool(fast - values)
        vary += len(fast) > 1
    counts = [f"{count} of {len(keys)}" if control else "not run" for count in (other, vary)]
    return f"{same} of {len(keys)}", counts[0], counts[1]


def _values(key: str, rows: list[Row]) -> set[str]:
    return {row["digests"][key] for row in rows if key in row["digests"]}


def _environment_lines(rows: list[Row]) -> Iterator[tuple[object, ...]]:
    host: dict[str, str] = next((row["digests"] for row in rows if row["environment"] == "host"), {})
    for row in rows:
        shared = [key for key in row["digests"] if key in host]
        same = sum(row["digests"][key] == host[key] for key in shared)
        yield row["environment"], len(row["digests"]) or "not run", same if shared else ""


def problems(rows: list[Row]) -> list[str]:
    """The fits that an environment changes."""
    promised = [row for row in rows if row["is_promised"]]
    keys = dict.fromkeys(key for row in promised for key in row["digests"])
    return [f"{key} depends on the environment" for key in keys if len(_values(key, promised)) > 1]
