"""Answers as JSON for programs or aligned lines for people."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any, TextIO

from hypercone.errors import REMOVED_IN


def add_json(parser: argparse.ArgumentParser) -> None:
    """The option that every command which answers has."""
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """The option that every command with long steps has; ``main`` sees to it."""
    parser.add_argument("--quiet", action="store_true", help="no progress")


def print_answer(answer: Mapping[str, Any], as_json: bool) -> None:
    """JSON, or one aligned line for each value."""
    if as_json:
        print_json(answer)
        return
    width = max(map(len, answer), default=0)
    for name, value in answer.items():
        print(f"{name.replace('_', ' '):{width}}  {_for_people(name, value)}")


def print_json(values: Mapping[str, Any]) -> None:
    """One line of JSON, readable in any language where the stream can carry it."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(values, ensure_ascii=not is_unicode, allow_nan=False))


class Renamed(argparse.Action):
    """The old name of an option: it is left out of the help, and does what the new one does after saying so."""

    def __init__(self, option_strings: list[str], dest: str, new: str, **more: Any) -> None:
        super().__init__(option_strings, new.removeprefix("--").replace("-", "_"), help=argparse.SUPPRESS, **more)
        self.new = new

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None) -> None:
        """Say what the option is called now, and take the value."""
        tell_of_renaming(self.option_strings[0], self.new)
        setattr(namespace, self.dest, values)


def tell_of_renaming(old: str, new: str) -> None:
    """Say to a person who types an old name what it is called now."""
    print(f"note: {old} is called {new} now, and the old name goes in version {REMOVED_IN}", file=sys.stderr)


def tell_of_compiling(stream: TextIO) -> None:
    """Say to a person who waits for the first time what for: kernels are compiled once, and found again later."""
    if not stream.isatty():
        return
    from hypercone._compiler import cache_folder

    folder = cache_folder()
    if folder is None or not any(folder.rglob("*.nbc")):
        print("Compiling for this machine, once after installation: up to half a minute …", file=stream, flush=True)


def _for_people(name: str, value: Any) -> str:
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
    """The three figures of a classification, in one line."""
    return f"precision {100 * precision:.2f}  recall {100 * recall:.2f}  F1 {100 * f1:.2f}"
