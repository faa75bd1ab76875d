"""Run a benchmark: ``python -m benchmarks NAME -o FILE``.

FILE gets the figures as JSON, with the machine, the date and the versions; tables in Markdown are written beside it.
Parts that are in FILE already, measured with the same settings, are skipped, so an interrupted run can go on.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from pathlib import Path
from typing import Protocol, cast

from tools.results import ResultFile, Row

from benchmarks.support import pin_to_one_core, process_pool
from hypercone.errors import HyperconeError

FOLDER = Path(__file__).parent
GROUPS = {"quality": "How good the answers are", "speed": "How fast the answers are"}


class Benchmark(Protocol):
    """What the module of a benchmark has to define.

    It may also define ``ONE_CORE``, whether to run on one core only; ``PACKAGES``, further distributions whose versions
    matter; ``summarize(rows)``, figures that follow from all rows; and ``problems(rows)``, one sentence per bar that
    was missed.
    """

    # The entries of a row that tell it from others, and the options of a run that takes seconds.
    KEY: tuple[str, ...]
    SMOKE: dict[str, object]

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this benchmark."""

    def parts(self, options: argparse.Namespace) -> Iterator[Row]:
        """The settings of each part that was asked for."""

    def run(self, settings: Row, options: argparse.Namespace) -> list[Row]:
        """Measure one part: its rows, to which the settings are added."""

    def tables(self, rows: list[Row]) -> dict[str, str]:
        """Markdown, by what follows the name of the result file: nothing for the table beside it."""


def names() -> dict[str, str]:
    """The names of all benchmarks with their modules."""
    files = [path for group in GROUPS for path in sorted((FOLDER / group).glob("[!_]*.py"))]
    return {path.stem: f"benchmarks.{path.parent.name}.{path.stem}" for path in files}


def find_benchmark(name: str) -> Benchmark:
    """The module of a benchmark."""
    return cast(Benchmark, importlib.import_module(names()[name]))


def parser_of(name: str, *, smoke: bool = False) -> argparse.ArgumentParser:
    """The parser of a benchmark's options; for a smoke run with the smoke values as defaults."""
    benchmark = find_benchmark(name)
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks {name}",
        description=benchmark.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the JSON file to write, or to go on with")
    parser.add_argument("--tables", action="store_true", help="measure nothing; write the tables of FILE again")
    parser.add_argument("--smoke", action="store_true", help="run on tiny input, in seconds; no figure means anything")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes side by side (default %(default)s)")
    benchmark.add_options(parser)
    if smoke:
        parser.set_defaults(jobs=1, **benchmark.SMOKE)
    return parser


def measure(benchmark: Benchmark, options: argparse.Namespace, results: ResultFile) -> None:
    """Measure the parts that are not in the results yet."""
    wanted = list(benchmark.parts(options))
    missing = [settings for settings in wanted if not results.has(settings)]
    if len(missing) < len(wanted):
        print(f"{len(wanted) - len(missing)} of {len(wanted)} parts are in the file already", file=sys.stderr)
    # A part may look at what is finished, to spare itself work.
    options.finished = results.rows
    for done, (settings, rows) in enumerate(_measured_parts(benchmark, missing, options), 1):
        results.add(settings | row for row in rows)
        options.finished = results.rows
        shown = ", ".join(f"{name} {value}" for name, value in settings.items() if not isinstance(value, dict | list))
        print(f"{done} of {len(missing)}: {shown}", file=sys.stderr, flush=True)


def _measured_parts(
    benchmark: Benchmark, missing: list[Row], options: argparse.Namespace
) -> Iterator[tuple[Row, list[Row]]]:
    if options.jobs == 1:
        for settings in missing:
            yield settings, benchmark.run(settings, options)
        return
    with process_pool(options.jobs) as pool:
        waiting = {pool.submit(benchmark.run, settings, options): settings for settings in missing}
        for future in as_completed(waiting):
            yield waiting[future], future.result()


def run_benchmark(name: str, arguments: Sequence[str]) -> int:
    """Run one benchmark with its own options; exit code 1 if it missed one of its bars."""
    parser = parser_of(name, smoke="--smoke" in arguments)
    options = parser.parse_args(arguments)
    if options.jobs < 1:
        parser.error(f"--jobs is {options.jobs}, but must be at least 1")
    if options.tables and options.output is None:
        parser.error("--tables needs -o FILE, the results to read")
    benchmark = find_benchmark(name)
    results = ResultFile(options.output, benchmark.KEY, getattr(benchmark, "PACKAGES", ()))
    if not options.tables:
        if getattr(benchmark, "ONE_CORE", False) and not options.smoke:
            pin_to_one_core()
        # Models and pages that are only needed while the benchmark runs.
        with tempfile.TemporaryDirectory() as scratch:
            options.scratch = Path(scratch)
            measure(benchmark, options, results)
    tables = benchmark.tables(results.rows)
    summarize = getattr(benchmark, "summarize", None)
    results.write(tables, **({"summary": summarize(results.rows)} if summarize else {}))
    print("\n".join(tables.values()), end="")
    # The figures of a smoke run mean nothing, so no bar applies to them.
    find_problems = getattr(benchmark, "problems", None) if not options.smoke else None
    problems = find_problems(results.rows) if find_problems else []
    for problem in problems:
        print(f"benchmarks {name}: {problem}", file=sys.stderr)
    return int(bool(problems))


def describe_all() -> str:
    """The list of benchmarks: one line per name."""
    lines = ["usage: python -m benchmarks NAME [-o FILE] [options]    (--help after a name lists its options)"]
    for group, title in GROUPS.items():
        lines += ["", f"{title}:"]
        for name, module in names().items():
            if module.split(".")[1] == group:
                lines.append(f"  {name:16}{_first_line(module)}")
    return "\n".join(lines)


def _first_line(module: str) -> str:
    # Read, not imported: loading the compiler for every line would take seconds.
    source = FOLDER.parent.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").splitlines()[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """List the benchmarks, or run one."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help"):
        print(describe_all())
        return 0
    name, *rest = given
    if name not in names():
        print(f"benchmarks: there is no benchmark {name!r}; choose from {', '.join(names())}", file=sys.stderr)
        return 2
    try:
        return run_benchmark(name, rest)
    except HyperconeError as error:
        print(f"benchmarks {name}: {error}", file=sys.stderr)
        return 2
