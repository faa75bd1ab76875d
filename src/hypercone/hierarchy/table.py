"""Tab- or comma-separated text as columns, with the line of every record for the messages."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hypercone.errors import InputError, short
from hypercone.hierarchy.files import Content
from hypercone.hierarchy.text import text_of

SEPARATORS = {"tsv": "\t", "csv": ","}
FORMATS = {".tsv": "tsv", ".tab": "tsv", ".txt": "tsv", ".csv": "csv"}


@dataclass(frozen=True)
class Table:
    """Records of equal width. ``lines[i]`` is the line in the file on which record ``i`` ends."""

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

    def column(self, place: int, start: int) -> list[str]:
        """One column, from record ``start`` on."""
        return self.cells[start * self.width + place :: self.width]

    def error(self, record: int, problem: str) -> InputError:
        """The error at a record: ``file:line: problem``."""
        return InputError(f"{self.label}:{self.lines[record]}: {problem}")


def table_of(content: Content, format: str | None = None) -> Table:
    """The content as a table; InputError with file and line for anything that is not one."""
    text = text_of(content, "one edge a line, a parent and a child")
    if text.startswith("\n"):
        raise InputError(f"{content.label}:1: the first line is empty; remove it")
    kind = _format(content, text, format)
    if kind == "csv" and '"' in text:
        return _quoted(content.label, text)
    return _plain(content.label, text, SEPARATORS[kind])


def _format(content: Content, text: str, format: str | None) -> str:
    if format is not None:
        if format not in SEPARATORS:
            raise InputError(f"format {format!r} is unknown; it is tsv or csv")
        return format
    if content.extension in FORMATS:
        return FORMATS[content.extension]
    first = text.split("\n", 1)[0]
    for kind, separator in SEPARATORS.items():
        if separator in first:
            return kind
    raise InputError(
        f"{content.label}:1: has neither a tab nor a comma to tell columns apart: {short(first, 40)!r}; "
        "separate the parent and the child by a tab; an ontology or a tree is read by read_hierarchy"
    )


def _plain(label: str, text: str, separator: str) -> Table:
    rows = np.frombuffer(text.encode(), np.uint8)
    ends = np.append(np.flatnonzero(rows == ord("\n")), len(rows))
    marks = np.searchsorted(np.flatnonzero(rows == ord(separator)), ends)
    widths = np.diff(marks, prepend=0) + 1
    width = int(widths[0])
    if width == 1:
        raise _one_column(label, text.split("\n", 1)[0], separator)
    ragged = np.flatnonzero(widths != width)
    if len(ragged):
        record = int(ragged[0])
        blank = text.split("\n", record + 1)[record] == ""
        raise _ragged(label, record + 1, width, 0 if blank else int(widths[record]))
    if "\r" in text:
        line = text.count("\n", 0, text.index("\r")) + 1
        raise InputError(f"{label}:{line}: contains a carriage return inside the line; end lines with a line feed")
    return Table(label, width, text.replace("\n", separator).split(separator), range(1, len(ends) + 1))


def _quoted(label: str, text: str) -> Table:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    cells: list[str] = []
    lines: list[int] = []
    width = 0
    try:
        for record in reader:
            if not lines and not record:
                raise InputError(f"{label}:1: the first line is empty; remove it")
            width = width or len(record)
            if len(record) != width:
                raise _ragged(label, reader.line_num, width, len(record))
            cells += record
            lines.append(reader.line_num)
    except csv.Error as error:
        raise InputError(f"{label}:{max(1, reader.line_num)}: the quotes are broken ({error}); fix this line") from None
    if width == 1:
        raise _one_column(label, text.split("\n", 1)[0], ",")
    return Table(label, width, cells, lines)


def _one_column(label: str, line: str, separator: str) -> InputError:
    name = "tabs" if separator == "\t" else "commas"
    return InputError(
        f"{label}:1: expected columns separated by {name}, found one column: {short(line, 40)!r}; "
        "check the separator, or say the format (tsv or csv)"
    )


def _ragged(label: str, line: int, width: int, found: int) -> InputError:
    what = "an empty line" if found == 0 else f"found {found}"
    return InputError(f"{label}:{line}: expected {width} columns as in line 1, {what}; fix or remove this line")
