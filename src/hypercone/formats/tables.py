"""Tab- or comma-separated text as columns; which column holds the parent is never guessed."""

from __future__ import annotations

import csv
import difflib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hypercone.errors import InputError, option, short, visible
from hypercone.formats.source import Content, text_of
from hypercone.hierarchy.interop import checked_direction
from hypercone.progress import Step

SEPARATORS = {"tsv": "\t", "csv": ","}
FORMATS = {".tsv": "tsv", ".tab": "tsv", ".txt": "tsv", ".csv": "csv"}


@dataclass(frozen=True)
class Table:
    """Records of equal width. ``lines[i]`` is the line of the file where record ``i`` ends."""

    label: str
    width: int
    cells: list[str]
    lines: Sequence[int]

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def first(self) -> list[str]:
        """The cells of the first record, which may be a header."""
        return self.cells[: self.width]

    def column(self, index: int, start: int) -> list[str]:
        """One column, from record ``start`` on."""
        return self.cells[start * self.width + index :: self.width]

    def error(self, record: int, problem: str) -> InputError:
        """The error for a record: ``file:line: problem``."""
        return InputError(f"{self.label}:{self.lines[record]}: {problem}")


def table_of(content: Content, format: str | None = None) -> Table:
    """The content as a table; InputError with file and line if it is not one."""
    text = text_of(content, "one edge per line, a parent and a child")
    if text.startswith("\n"):
        raise InputError(f"{content.label}:1: the first line is empty; remove it")
    kind = _table_format(content, text, format)
    if kind == "csv" and '"' in text:
        return _quoted_table(content.label, text)
    return _plain_table(content.label, text, SEPARATORS[kind])


def _table_format(content: Content, text: str, format: str | None) -> str:
    if format is not None:
        if format not in SEPARATORS:
            raise InputError(f"{option('format')} is {format!r}, but must be tsv or csv")
        return format
    if content.extension in FORMATS:
        return FORMATS[content.extension]
    first = text.split("\n", 1)[0]
    for kind, separator in SEPARATORS.items():
        if separator in first:
            return kind
    raise InputError(
        f"{content.label}:1: has neither a tab nor a comma to tell columns apart: {short(first, 40)!r}; "
        "separate the parent and the child by a tab; only tables can be read here, not ontologies or trees"
    )


def _plain_table(label: str, text: str, separator: str) -> Table:
    rows = np.frombuffer(text.encode(), np.uint8)
    ends = np.append(np.flatnonzero(rows == ord("\n")), len(rows))
    marks = np.searchsorted(np.flatnonzero(rows == ord(separator)), ends)
    widths = np.diff(marks, prepend=0) + 1
    width = int(widths[0])
    if width == 1:
        raise _one_column_error(label, text.split("\n", 1)[0], separator)
    ragged = np.flatnonzero(widths != width)
    if len(ragged):
        record = int(ragged[0])
        blank = text.split("\n", record + 1)[record] == ""
        raise _ragged_error(label, record + 1, width, 0 if blank else int(widths[record]))
    if "\r" in text:
        line = text.count("\n", 0, text.index("\r")) + 1
        raise InputError(f"{label}:{line}: contains a carriage return inside the line; end lines with a line feed")
    return Table(label, width, text.replace("\n", separator).split(separator), range(1, len(ends) + 1))


def _quoted_table(label: str, text: str) -> Table:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    cells: list[str] = []
    lines: list[int] = []
    width = 0
    try:
        with Step("reading", text.count("\n") + 1, lambda: reader.line_num):
            for record in reader:
                if not lines and not record:
                    raise InputError(f"{label}:1: the first line is empty; remove it")
                width = width or len(record)
                if len(record) != width:
                    raise _ragged_error(label, reader.line_num, width, len(record))
                cells += record
                lines.append(reader.line_num)
    except csv.Error as error:
        raise InputError(f"{label}:{max(1, reader.line_num)}: the quotes are broken ({error}); fix this line") from None
    if width == 1:
        raise _one_column_error(label, text.split("\n", 1)[0], ",")
    return Table(label, width, cells, lines)


def _one_column_error(label: str, line: str, separator: str) -> InputError:
    name = "tabs" if separator == "\t" else "commas"
    return InputError(
        f"{label}:1: expected columns separated by {name}, found one column: {short(line, 40)!r}; "
        f"check the separator, or say {option('format', 'tsv', 'csv')}"
    )


def _ragged_error(label: str, line: int, width: int, found: int) -> InputError:
    what = "an empty line" if found == 0 else f"found {found}"
    return InputError(f"{label}:{line}: expected {width} columns as in line 1, {what}; fix or remove this line")


class Columns(NamedTuple):
    """Indices of the parent, child and label columns, and the record where the edges begin."""

    parent: int
    child: int
    start: int
    label: int | None = None


def how_to_name_columns() -> str:
    """The remedy for a table without known columns, for messages.

    >>> how_to_name_columns()
    'say direction="parent-child" or "child-parent", or name the columns with parent and child'
    """
    return (
        f"say {option('direction', 'parent-child', 'child-parent')}, or name the columns with "
        f"{option('parent')} and {option('child')}"
    )


def columns_of(
    table: Table,
    direction: str | None = None,
    parent: str | int | None = None,
    child: str | int | None = None,
    label: str | int | None = None,
) -> Columns:
    """The columns named by the caller or the header; InputError if neither names them, or they disagree."""
    ends = _parent_and_child(table, direction, parent, child, has_more=label is not None)
    if label is None:
        return ends
    index, by_name = _find_column(table, str(label))
    return ends._replace(label=index, start=max(ends.start, int(by_name)))


def _parent_and_child(
    table: Table, direction: str | None, parent: str | int | None, child: str | int | None, *, has_more: bool
) -> Columns:
    if direction is not None:
        checked_direction(direction)
    if parent is not None or child is not None:
        if parent is None or child is None:
            raise InputError(f"one column is named; name both, with {option('parent')} and {option('child')}")
        if direction is not None:
            raise InputError(
                f"both the columns ({option('parent')} and {option('child')}) and {option('direction')} are given; "
                "give one of them"
            )
        return _named_columns(table, str(parent), str(child))
    header = _columns_in_header(table)
    if header is not None:
        return _check_direction(table, header, direction)
    if direction is None:
        raise table.error(
            0,
            f"which column is the parent? The first line is {_first_cells(table)}; "
            f"add a header line with the columns parent and child, or {how_to_name_columns()}",
        )
    return _headerless_columns(table, direction, 3 if has_more else 2)


def _columns_in_header(table: Table) -> Columns | None:
    words = [cell.strip().casefold() for cell in table.first]
    if words.count("parent") == 1 and words.count("child") == 1:
        return Columns(words.index("parent"), words.index("child"), 1)
    return None


def _check_direction(table: Table, header: Columns, direction: str | None) -> Columns:
    stated = "parent-child" if header.parent < header.child else "child-parent"
    if direction not in (None, stated):
        raise table.error(0, f"the header says {stated}, but {option('direction')} is {direction}; change one of them")
    return header


def _headerless_columns(table: Table, direction: str, most: int) -> Columns:
    if not 2 <= table.width <= most:
        raise table.error(
            0,
            f"{option('direction')} needs 2 columns, found {table.width}: {_first_cells(table)}; "
            f"name the columns with {option('parent')} and {option('child')} instead",
        )
    return Columns(0, 1, 0) if direction == "parent-child" else Columns(1, 0, 0)


def _named_columns(table: Table, parent: str, child: str) -> Columns:
    (parent_index, parent_by_name), (child_index, child_by_name) = (
        _find_column(table, parent),
        _find_column(table, child),
    )
    if parent_index == child_index:
        raise InputError(f"{option('parent')} and {option('child')} are both the column {parent!r}; name two columns")
    has_header = parent_by_name or child_by_name or _columns_in_header(table) is not None
    return Columns(parent_index, child_index, int(has_header))


def _find_column(table: Table, name: str) -> tuple[int, bool]:
    """The index of a column, and whether it was found by name in the first line rather than by number."""
    for words, wanted in (
        ([cell.strip() for cell in table.first], name.strip()),
        ([cell.strip().casefold() for cell in table.first], name.strip().casefold()),
    ):
        if words.count(wanted) == 1:
            return words.index(wanted), True
        if words.count(wanted) > 1:
            raise table.error(0, f"there are {words.count(wanted)} columns named {name!r}; rename all but one")
    if name.isascii() and name.isdigit() and 1 <= int(name) <= table.width:
        return int(name) - 1, False
    close = difflib.get_close_matches(name, table.first, n=1)
    hint = f"did you mean {close[0]}?" if close else "name one of these, or give its number"
    raise table.error(0, f"there is no column {name!r} among {_first_cells(table)}; {hint}")


def _first_cells(table: Table) -> str:
    cells = [visible(cell, 30) for cell in table.first[:6]]
    return ", ".join(cells) + (", …" if table.width > 6 else "")
