"""Options that several commands have: the source of a hierarchy, the settings of a fit, comma-separated lists."""

from __future__ import annotations

import argparse
import sys
from typing import Any, TypeVar

from hypercone.cli.output import print_renaming_note
from hypercone.data import check_source, datasets, is_dataset, load_dataset
from hypercone.errors import OLD_METHODS, InputError, plural, short
from hypercone.formats import read
from hypercone.formats.parsed import ON_CYCLE
from hypercone.formats.registry import NAMES
from hypercone.hierarchy import Hierarchy
from hypercone.training import FitConfig
from hypercone.training.config import OPTIONS
from hypercone.training.option import Option

# The parameters of ``read`` and ``read_pairs``, and the options that set them.
COLUMNS = {
    "direction": "direction",
    "parent": "parent_column",
    "child": "child_column",
    "id": "id_column",
    "label": "label_column",
    "format": "format",
}
# Further parameters of ``read``.
READING = {
    "parent_separator": "parent_separator",
    "levels": "level_columns",
    "fill_down": "fill_down",
    "sheet": "sheet",
    "merge_names": "merge_names",
    "on_cycle": "on_cycle",
}
LONGEST_SENTENCE = 200


def add_source(parser: argparse.ArgumentParser) -> None:
    """Add the argument SOURCE and the options for reading a file."""
    parser.add_argument("source", metavar="SOURCE", help=f"a file, - for standard input, or {', '.join(datasets())}")
    add_columns(parser)


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add the options for the columns, the direction, the format and the relations of a file."""
    parser.add_argument(
        "--direction", choices=("parent-child", "child-parent"), help="the column order of a file without a header"
    )
    parser.add_argument("--parent-column", metavar="NAME", help="the column of parents, by name or number")
    parser.add_argument("--child-column", metavar="NAME", help="the column of children, by name or number")
    parser.add_argument("--id-column", metavar="NAME", help="the column of ids in a table with a row per node")
    parser.add_argument("--label-column", metavar="NAME", help="the column of labels of the children")
    parser.add_argument("--parent-separator", metavar="TEXT", help="what separates several parents in one cell")
    parser.add_argument("--level-columns", metavar="NAMES", help="the columns of levels, comma-separated from the top")
    parser.add_argument("--fill-down", action="store_true", help="an empty level means the same as in the row before")
    parser.add_argument("--sheet", metavar="NAME", help="the sheet of a workbook, by name or number")
    parser.add_argument(
        "--format", choices=NAMES, metavar="FORMAT", help=f"if the file's ending does not say: {', '.join(NAMES)}"
    )
    parser.add_argument(
        "--relations", metavar="NAMES", help="the relations of an ontology to use, comma-separated (default is_a)"
    )
    parser.add_argument(
        "--merge-names", action="store_true", help="in paths, outlines and levels, make equal words one node"
    )
    parser.add_argument(
        "--on-cycle", type=_on_cycle, choices=ON_CYCLE, default="error", help="what to do about cycles (default error)"
    )


def _on_cycle(text: str) -> str:
    if text != "refuse":
        return text
    print_renaming_note("--on-cycle refuse", "--on-cycle error")
    return "error"


def column_options(options: argparse.Namespace) -> dict[str, Any]:
    """The column options as keyword arguments of ``read``."""
    return {name: getattr(options, option) for name, option in COLUMNS.items()}


def read_source(options: argparse.Namespace, *, quiet: bool = False) -> Hierarchy:
    """Read the hierarchy, and print three edges of a file in words to make a wrong direction obvious."""
    if is_dataset(options.source):
        return load_dataset(options.source)
    check_source(options.source)
    given = column_options(options) | {name: getattr(options, option) for name, option in READING.items()}
    if options.relations is not None:
        given["relations"] = options.relations.split(",")
    hierarchy = read(options.source, **given)
    if not quiet:
        _print_examples(hierarchy)
    return hierarchy


def _print_examples(hierarchy: Hierarchy) -> None:
    counts = {"root": len(hierarchy.root_rows), "node": len(hierarchy), "edge": len(hierarchy.edges)}
    found = ", ".join(plural(count, thing) for thing, count in counts.items())
    print(f"Read as {hierarchy.read_as}: {found}, for example:", file=sys.stderr)
    for sentence in hierarchy.in_words(3):
        print(f"  {short(sentence, LONGEST_SENTENCE)}", file=sys.stderr)
    if hierarchy.duplicates:
        print(f"  ({plural(hierarchy.duplicates, 'duplicate edge')} dropped)", file=sys.stderr)
    for note in hierarchy.notes:
        print(f"  ({note})", file=sys.stderr)


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add one option per setting, and --config for a file of settings."""
    parser.add_argument(
        "--config", metavar="FILE", help="a TOML file of settings; options on the command line take precedence"
    )
    group = parser.add_argument_group("settings", "the defaults depend on the method")
    for name, option in OPTIONS.items():
        default = "" if option.default is None else f" (default {option.default})"
        group.add_argument(
            option_name(name),
            dest=f"setting_{name}",
            metavar="|".join(option.choices) or "|".join((option.kind.__name__.upper(), *option.words)),
            help=option.reason.replace("%", "%%") + default,
        )


def read_settings(options: argparse.Namespace) -> FitConfig:
    """The configuration that the options and the file describe."""
    given = {
        name: _value(option, text)
        for name, option in OPTIONS.items()
        if (text := getattr(options, f"setting_{name}")) is not None
    }
    for name in ("method", "init"):
        if given.get(name) in OLD_METHODS:
            old, given[name] = given[name], OLD_METHODS[given[name]]
            print_renaming_note(f"--{name} {old}", f"--{name} {given[name]}")
    return FitConfig.from_toml(options.config, **given) if options.config else FitConfig(**given)


def option_name(field: str) -> str:
    """The command-line option of a setting.

    >>> option_name("burn_in"), option_name("K")
    ('--burn-in', '--K')
    """
    return f"--{field.replace('_', '-')}"


def _value(option: Option, text: str) -> Any:
    if text in option.words:
        return text
    try:
        return option.kind(text)
    except ValueError:
        kind = "a whole number" if option.kind is int else "a number"
        raise InputError(f"{option_name(option.name)} is {text!r}, but must be {kind}") from None


Number = TypeVar("Number", int, float)


def whole_numbers(option: str, text: str, at_least: int) -> list[int]:
    """A comma-separated list of whole numbers.

    >>> whole_numbers("--dims", "5,10", 1)
    [5, 10]
    """
    numbers = _numbers(option, text, "comma-separated whole numbers, such as 5,10", int)
    if min(numbers) < at_least:
        raise InputError(f"{option} is {text!r}, but none may be below {at_least}")
    return numbers


def percentages(option: str, text: str) -> list[float]:
    """A comma-separated list of percentages, as int where they are whole.

    >>> percentages("--percent", "0,12.5")
    [0, 12.5]
    """
    numbers = _numbers(option, text, "comma-separated percentages, such as 0,10", float)
    if not all(0 <= number <= 90 for number in numbers):
        raise InputError(f"{option} is {text!r}, but each must be from 0 to 90; a tenth is held out")
    return [int(number) if number == int(number) else number for number in numbers]


def _numbers(option: str, text: str, form: str, kind: type[Number]) -> list[Number]:
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"{option} is {text!r}, but must be {form}") from None
