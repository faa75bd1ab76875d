"""hypercone reproduce: the paper's table, claims and figures, with the paper's numbers next to ours."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from hypercone._files import new_file
from hypercone._system import usable_cores
from hypercone.cli.options import percentages, whole_numbers
from hypercone.cli.output import add_json, add_quiet, print_json
from hypercone.errors import InputError, ResourceError, unknown_name
from hypercone.progress import LiveTable
from hypercone.reproduce import Plan, Results, Trial, markdown
from hypercone.reproduce.claims import (
    CLAIMS,
    FIRST_SEEDS,
    MOST_SEEDS,
    Verdict,
    claim_trials,
    judge,
    measure_times,
    report,
    undecided_trials,
)
from hypercone.reproduce.released_split import released_percentages
from hypercone.reproduce.table1 import DIMS, OWN_RECIPES, PERCENTS, RECIPES, TABLE1, headline, timing
from hypercone.reproduce.trials import DATASET, Row, missing, run_side_by_side
from hypercone.training.recipe import read_recipes

REPRODUCE_EXAMPLE = """examples:
  hypercone reproduce table1 --seeds 1
  hypercone reproduce table1 --method hyperbolic-cones --dim 5 --percent 10,50
  hypercone reproduce table1 --recipe given-edges --dim 10 --percent 25 --seed 3     (one cell of a recipe of ours)
  hypercone reproduce table1 --split noun_closure.tsv        (the authors' files, or yours in their format)
  hypercone reproduce claims                                 (three seeds, and up to ten where these do not decide)
  hypercone reproduce figure3 -o pictures
  hypercone reproduce film --format gif

Finished trials are saved: run the same command again to continue after an interruption."""

# The options of each part of the paper, in addition to -o, --quiet and --json.
OPTIONS = {
    "table1": ("seeds", "seed", "jobs", "methods", "recipes", "dims", "percent", "split"),
    "claims": ("seeds", "jobs", "claims"),
    "figure1": (),
    "figure2": (),
    "figure3": ("seed",),
    "film": ("seed", "format"),
}


def add_reproduce_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("what", choices=tuple(OPTIONS), help="the part of the paper")
    parser.add_argument("-o", "--output", default="results", metavar="FOLDER", help="where to write (default results)")
    trials = parser.add_argument_group("for table1 and claims")
    trials.add_argument(
        "--seeds",
        type=int,
        help=f"the number of seeds, each with its own split and start (default {FIRST_SEEDS}; claims take up to"
        f" {MOST_SEEDS} where these do not decide)",
    )
    trials.add_argument("--jobs", type=int, help="the number of trials run in parallel (default all cores)")
    table = parser.add_argument_group("for table1")
    table.add_argument("--methods", "--method", help=f"comma-separated (default {','.join(TABLE1)})")
    table.add_argument(
        "--recipes",
        "--recipe",
        help=f"comma-separated (default {','.join(RECIPES)}; hyperbolic cones also have {','.join(OWN_RECIPES)})",
    )
    table.add_argument("--dims", "--dim", help=f"comma-separated (default {','.join(map(str, DIMS))})")
    table.add_argument("--percent", help=f"comma-separated (default {','.join(map(str, PERCENTS))})")
    table.add_argument("--split", metavar="PREFIX", help="files as the authors released them, PREFIX.vocab and so on")
    parser.add_argument("--claims", help=f"for claims, comma-separated (default {','.join(CLAIMS)})")
    parser.add_argument("--seed", type=int, help="for figure3 and film (default 0), and for table1 one seed alone")
    parser.add_argument("--format", choices=("html", "gif", "mp4"), help="for film (default html)")
    add_quiet(parser)
    add_json(parser)


def run_reproduce(options: argparse.Namespace) -> int:
    """Run one part."""
    _check_options(options)
    return PARTS[options.what](options)


def _check_options(options: argparse.Namespace) -> None:
    for name in {name for names in OPTIONS.values() for name in names}:
        if getattr(options, name) is not None and name not in OPTIONS[options.what]:
            owners = " and ".join(what for what, names in OPTIONS.items() if name in names)
            raise InputError(f"--{name} is for {owners}, not for {options.what}; leave it out")


def _table1(options: argparse.Namespace) -> int:
    plan = _plan(options)
    results = Results.read(Path(options.output) / "table1.json")
    _run(plan.trials(), results, options, lambda: markdown(plan, results.cells))
    results.name_all(plan.trials())
    results.write()
    table = markdown(plan, results.cells)
    _write(Path(options.output) / "table1.md", table)
    _write(Path(options.output) / "headline.md", headline(plan, results.cells))
    _write(Path(options.output) / "time.md", timing(results))
    _print(options, table, {"cells": plan.rows(results.cells), "runs": results.runs})
    return 0


def _plan(options: argparse.Namespace) -> Plan:
    """The cells that the options name; with the authors' files, all percentages that they have."""
    default_percents = released_percentages(options.split) if options.split else PERCENTS
    return Plan(
        methods=_methods(options),
        recipes=_names("recipe", options.recipes, (*RECIPES, *OWN_RECIPES)) if options.recipes else RECIPES,
        dims=whole_numbers("--dims", options.dims, at_least=1) if options.dims else DIMS,
        percents=percentages("--percent", options.percent) if options.percent else default_percents,
        seeds=_seeds(options),
        source=options.split or DATASET,
        is_released=bool(options.split),
    )


def _seeds(options: argparse.Namespace) -> Sequence[int]:
    if options.seed is None:
        return range(_check_positive("--seeds", options.seeds) or FIRST_SEEDS)
    if options.seeds is not None:
        raise InputError("--seed and --seeds both say which seeds; give one of them")
    if options.seed < 0:
        raise InputError(f"--seed is {options.seed}, but must be at least 0")
    return [options.seed]


def _methods(options: argparse.Namespace) -> Sequence[str]:
    """The methods that the options name, by default all that have one of the recipes."""
    named = _names("method", options.methods, tuple(TABLE1))
    if options.recipes is None:
        return named
    having = [method for method in named if read_recipes(method).keys() & set(options.recipes.split(","))]
    if options.methods is not None and (without := [method for method in named if method not in having]):
        raise InputError(
            f"--methods names {without[0]}, which has no recipe {options.recipes}; it has"
            f" {', '.join(read_recipes(without[0]))}"
        )
    return having


def _claims(options: argparse.Namespace) -> int:
    names = _names("claim", options.claims, CLAIMS)
    given = _check_positive("--seeds", options.seeds)
    results = Results.read(Path(options.output) / "claims.json")
    table = Results.read(Path(options.output) / "table1.json")

    def verdicts() -> list[Verdict]:
        return judge(names, given or MOST_SEEDS, results, table)

    def run(trials: Sequence[Trial]) -> None:
        _run(trials, results, options, lambda: report(verdicts()), table)

    run(claim_trials(names, given or FIRST_SEEDS))
    if given is None:
        run(undecided_trials(verdicts()))
    measure_times(names, given or FIRST_SEEDS, results)
    _write(Path(options.output) / "claims.md", report(verdicts()))
    _print(options, report(verdicts()), {"claims": [verdict.as_dict() for verdict in verdicts()]})
    return 0


def _run(
    trials: Sequence[Trial],
    results: Results,
    options: argparse.Namespace,
    draw: Callable[[], str],
    *elsewhere: Results,
) -> None:
    jobs = _check_positive("--jobs", options.jobs) or usable_cores()
    wanted = missing(trials, results, *elsewhere)
    screen, done = LiveTable(sys.stderr), 0

    def watch(rows: list[Row]) -> None:
        nonlocal done
        for row in rows:
            done += 1
            if not options.quiet:
                screen.show(draw(), f"{done} of {len(wanted)}: {_describe_trial(row)}")

    def what_is_saved() -> str:
        return f"{done} of {len(wanted)} trials are saved in {results.path}; run it again to continue"

    try:
        run_side_by_side(wanted, results, jobs, watch)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(what_is_saved()) from None
    except ResourceError as error:
        raise ResourceError(f"{error}; {what_is_saved()}, with fewer --jobs if memory is short") from error


def _describe_trial(row: Row) -> str:
    return (
        f"{row['method']} ({row['recipe']}) d = {row['dim']}, {row['percent']:g} %, seed {row['seed']}:"
        f" test F1 {row['test_f1']:.2f} in {row['seconds'] + row['pretraining_seconds']:.0f} s"
    )


def _figure1(options: argparse.Namespace) -> int:
    from hypercone.reproduce.figures import draw_figure1

    return _print_files(options, draw_figure1(Path(options.output)))


def _figure2(options: argparse.Namespace) -> int:
    from hypercone.reproduce.figures import draw_figure2

    return _print_files(options, draw_figure2(Path(options.output)))


def _figure3(options: argparse.Namespace) -> int:
    from hypercone.reproduce.figures import draw_figure3

    return _print_files(options, draw_figure3(Path(options.output), seed=options.seed or 0))


def _film(options: argparse.Namespace) -> int:
    from hypercone.reproduce.film import make_film

    target = Path(options.output) / f"film.{options.format or 'html'}"
    return _print_files(options, [make_film(target, seed=options.seed or 0)])


def _print_files(options: argparse.Namespace, paths: Sequence[Path]) -> int:
    _print(options, "\n".join(f"wrote {path}" for path in paths), {"files": [str(path) for path in paths]})
    return 0


def _print(options: argparse.Namespace, text: str, answer: dict[str, object]) -> None:
    if options.json:
        print_json(answer)
    else:
        print(text)


def _write(path: Path, text: str) -> None:
    with new_file(path) as draft:
        draft.write_text(text, encoding="utf-8")


def _names(kind: str, text: str | None, known: Sequence[str]) -> Sequence[str]:
    names = known if text is None else text.split(",")
    for name in names:
        if name not in known:
            raise unknown_name(kind, name, known)
    return names


def _check_positive(option: str, number: int | None) -> int | None:
    if number is not None and number < 1:
        raise InputError(f"{option} is {number}, but must be at least 1")
    return number


PARTS: dict[str, Callable[[argparse.Namespace], int]] = {
    "table1": _table1,
    "claims": _claims,
    "figure1": _figure1,
    "figure2": _figure2,
    "figure3": _figure3,
    "film": _film,
}
