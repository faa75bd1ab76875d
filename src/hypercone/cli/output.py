"""Output as JSON or as aligned lines, notes on standard error, and streams that are safe for terminals."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from hypercone.errors import REMOVED_IN, escape_controls


class EscapingStream:
    """A terminal on which text from files cannot move the cursor, change colors or answer for the user.

    ``unescaped`` is the stream itself, for the progress bar, which moves the cursor.
    """

    def __init__(self, stream: TextIO) -> None:
        self.unescaped = stream

    def write(self, text: str) -> int:
        """Write the text with its control characters escaped."""
        self.unescaped.write(escape_controls(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unescaped, name)


@contextlib.contextmanager
def escaping_on_terminals() -> Iterator[None]:
    """Within the block, names and labels are escaped where output goes to a terminal; pipes and files get them raw."""
    before = sys.stdout, sys.stderr
    # A stream that was closed before the start is None.
    sys.stdout, sys.stderr = (EscapingStream(each) if each and each.isatty() else each for each in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


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
    text = json.dumps(values, ensure_ascii=not is_unicode, allow_nan=False)
    # On a terminal, what would be escaped is escaped as JSON does it, so that the values are the same.
    print(escape_controls(text, "\\u{:04x}") if sys.stdout.isatty() else text)


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
