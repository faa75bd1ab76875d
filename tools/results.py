"""Result files: JSON that names the machine, the date and the versions, with Markdown tables beside it.

    results = ResultFile(path, key=("method", "dim"))
    for settings in ({"method": method, "dim": 5, "repeats": 20} for method in methods):
        if not results.has(settings):
            results.add([settings | measure(**settings)])
    results.write(tables={"": markdown_table(("method", "seconds"), cells_of(results.rows))})

A row is a dictionary of settings and figures. The file holds ``{"machine": ..., "results": [row, ...]}`` and whatever
else ``write`` is given, for example a summary. Benchmarks and robustness harnesses share this module; neither imports
the other.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from hypercone._files import new_file
from hypercone._system import describe_machine

Row = dict[str, Any]


class ResultFile:
    """The rows of a result file: those that an earlier run left in it, and those added since.

    ``key`` names the entries that tell rows apart: a new row replaces the one with the same values. Without a path
    nothing is read or written, which is enough to print a table. ``packages`` are distributions whose versions matter
    for the figures, in addition to those that ``describe_machine`` reports.
    """

    def __init__(self, path: Path | None, key: Sequence[str], packages: Sequence[str] = ()) -> None:
        self.path = path
        self.key = tuple(key)
        self.machine = describe_machine() | dict(_versions(packages))
        self.content: dict[str, Any] = {"machine": self.machine, "results": []}
        if path is not None and path.exists():
            self.content = json.loads(path.read_text(encoding="utf-8"))
            if "results" not in self.content:
                raise SystemExit(f"{path}: is not a result file, which has a list of results; give another name")

    @property
    def rows(self) -> list[Row]:
        """All rows, in the order in which they were added."""
        rows: list[Row] = self.content["results"]
        return rows

    def has(self, settings: Row) -> bool:
        """Whether the file already has a row measured with exactly these settings."""
        wanted = _as_json(settings)
        return any(all(name in row and row[name] == value for name, value in wanted.items()) for row in self.rows)

    def add(self, rows: Iterable[Row]) -> None:
        """Add rows in place of those with the same key, and write the file."""
        added: list[Row] = _as_json(list(rows))
        replaced = [self._key_of(row) for row in added]
        # Rows from another machine, or measured with other versions, say so themselves.
        earlier = self.content.get("machine")
        if earlier is not None and _without_date(earlier) != _without_date(self.machine):
            for row in self.rows:
                row.setdefault("machine", earlier)
        kept = [row for row in self.rows if self._key_of(row) not in replaced]
        self.content = {**self.content, "machine": self.machine, "results": [*kept, *added]}
        self.write()

    def write(self, tables: dict[str, str] | None = None, **more: Any) -> None:
        """Write the JSON file, with ``more`` beside the results, and each table to ``NAME`` + its suffix + ``.md``."""
        self.content |= _as_json(more)
        if self.path is None:
            return
        write_text(self.path, json.dumps(self.content, indent=1) + "\n")
        for suffix, table in (tables or {}).items():
            write_text(self.path.with_name(f"{self.path.stem}{suffix}.md"), table)

    def _key_of(self, row: Row) -> list[Any]:
        return [row.get(name) for name in self.key]


def write_text(path: Path, text: str) -> None:
    """Write a file so that it is never seen half written."""
    with new_file(path) as draft:
        draft.write_text(text, encoding="utf-8")


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[str] = ()) -> str:
    """A table in Markdown; the columns named in ``right`` are aligned to the right.

    >>> print(markdown_table(("method", "seconds"), [("order", 1.5)], right=("seconds",)), end="")
    | method | seconds |
    |---|---:|
    | order | 1.5 |
    """
    rule = "".join("---:|" if name in right else "---|" for name in head)
    lines = [f"| {' | '.join(map(str, cells))} |" for cells in (head, *rows)]
    return "\n".join([lines[0], f"|{rule}", *lines[1:]]) + "\n"


def _versions(packages: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in packages:
        with contextlib.suppress(metadata.PackageNotFoundError):
            yield name, metadata.version(name)


def _without_date(machine: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in machine.items() if name != "date"}


def _as_json(value: Any) -> Any:
    """The value as it comes back from a file: tuples as lists, keys as text."""
    return json.loads(json.dumps(value))
