"""Output as JSON or as aligned lines, and notes on standard error."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from hypercone.errors import REMOVED_IN


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add --json, which every command with a result has."""
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Add --quiet, which every command with long steps has; ``main`` handles it."""
    parser.add_argument("--quiet", action="store_true", help="do not show progress")


def print_answer(answer: Mapping[str, Any], as_json: bool) -> None:
    """Print the answer as JSON, or as one aligned line per value."""
    if as_json:
        print_json(answer)
        return
    width = max(map(len, answer), default=0)
    for name, value in answer.items():
        print(f"{name.replace('_', ' '):{width}}  {_format_value(name, value)}")


def print_json(values: Mapping[str, Any]) -> None:
    """Print one line of JSON, with non-ASCII characters unescaped if the stream is Unicode."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(values, ensure_ascii=not is_unicode, allow_nan=False))


class Renamed(argparse.Action):
    """The old name of an option: hidden from the help; prints a note and sets the new option."""

    def __init__(self, option_strings: list[str], dest: str, new: str, **more: Any) -> None:
        super().__init__(option_strings, new.removeprefix("--").replace("-", "_"), help=argparse.SUPPRESS, **more)
        self.new = new

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None) -> None:
        """Print the new name, and store the value."""
        print_renaming_note(self.option_strings[0], self.new)
        setattr(namespace, self.dest, values)


def print_renaming_note(old: str, new: str) -> None:
    """Print the new name of an option or value that was given by its old name."""
    print(f"note: {old} is called {new} now, and the old name goes in version {REMOVED_IN}", file=sys.stderr)


def _format_value(name: str, value: Any) -> str:
    if isinstance(value, float) and name.endswith(("precision", "recall", "f1", "map")):
        return f"{100 * value:.2f} %"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return str(value)


def percentages(precision: float, recall: float, f1: float) -> str:
    """Precision, recall and F1 in one line."""
    return f"precision {100 * precision:.2f}  recall {100 * recall:.2f}  F1 {100 * f1:.2f}"
