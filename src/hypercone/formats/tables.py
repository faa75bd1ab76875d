"""Text in columns: tab-separated, or separated by commas, semicolons, bars or tabs with quotes (CSV)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hypercone.errors import InputError, option, short, visible
from hypercone.formats.headers import level_columns
from hypercone.formats.source import Content, text_of
from hypercone.progress import Step

FORMATS = {".tsv": "tsv", ".tab": "tsv", ".txt": "tsv", ".csv": "csv"}
KINDS = ("tsv", "csv")
# Those of CSV, in the order in which they are tried; TSV has tabs alone, and no quotes.
SEPARATORS = {",": "commas", ";": "semicolons", "|": "bars", "\t": "tabs"}
# How much is examined to find the separator.
SNIFFED_CHARACTERS, SNIFFED_LINES = 2**16, 20
QUOTED = re.compile('"[^"]*"?')


@dataclass(frozen=True)
class Table:
    """Records of equal width. ``lines[i]`` is the line of the file where record ``i`` ends."""

    label: str
    width: int
    cells: list[str]
    lines: Sequence[int]

    # Whether columns have titles in any case, so that the first record is never one of the rows.
    has_titles = False

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def first(self) -> list[str]:
        """The cells of the first record, which may be a header."""
        return self.cells[: self.width]

    def column(self, index: int, start: int) -> list[str]:
        """One column, from record ``start`` on."""
        return self.cells[start * self.width + index :: self.width]

    def texts(self, index: int, start: int) -> list[str]:
        """One column of texts that are not names, such as labels."""
        return self.column(index, start)

    def error(self, record: int, problem: str) -> InputError:
        """The error for a record: ``file:line: problem``."""
        return InputError(f"{self.label}:{self.lines[record]}: {problem}")

    @property
    def below_header(self) -> int:
        """The record after the header, if there is one."""
        return 0 if self.has_titles else 1

    @property
    def row_word(self) -> str:
        """What a record is called in messages."""
        return "line"

    def row_name(self, record: int) -> str:
        """A record in messages: ``line 7``."""
        return f"{self.row_word} {self.lines[record]}"

    def row_lines(self, start: int) -> Sequence[int] | None:
        """The lines of the records from ``start`` on, if the format has lines."""
        return self.lines[start:]

    def cell_error(self, record: int, index: int, problem: str) -> InputError:
        """The error for a cell; where there are lines, the line is enough to find it."""
        return self.error(record, problem)

    def empty_cell(self, record: int, index: int, role: str, hint: str = "") -> InputError:
        """The error for an empty cell; ``role`` is what the column holds."""
        return self.error(record, f"the {role} is empty; give it a name or remove the line{hint}")

    def first_cells(self) -> str:
        """The first few cells of the first record, for messages."""
        cells = [visible(cell, 30) for cell in self.first[:6]]
        return ", ".join(cells) + (", …" if self.width > 6 else "")


def table_of(content: Content, format: str | None = None, *, has_levels: bool = False) -> Table:
    """The content as a table; InputError with file and line if it is not one.

    Where each column is a level, as the header or ``has_levels`` says, a line may end after its last level.
    """
    text = text_of(content, "one edge per line, a parent and a child")
    if text.startswith("\n"):
        raise InputError(f"{content.label}:1: the first line is empty; remove it")
    kind = _table_format(content, text, format)
    separator = "\t" if kind == "tsv" else find_separator(text)
    may_be_short = (lambda header: True) if has_levels else (lambda header: bool(level_columns(header)))
    if kind == "csv" and '"' in text:
        table = _quoted_table(content.label, text, separator, may_be_short)
    else:
        table = _plain_table(content.label, text, separator, may_be_short)
    return _without_spaces(table, text, separator) if kind == "csv" else table


def _table_format(content: Content, text: str, format: str | None) -> str:
    if format is not None:
        if format not in KINDS:
            raise InputError(f"{option('format')} is {format!r}, but must be tsv or csv")
        return format
    if content.extension in FORMATS:
        return FORMATS[content.extension]
    first = text.split("\n", 1)[0]
    kind = format_by_separator(first)
    if kind is not None:
        return kind
    raise InputError(
        f"{content.label}:1: has neither a tab nor a comma to tell columns apart: {short(first, 40)!r}; "
        "separate the parent and the child by a tab; only tables can be read here, not ontologies or trees"
    )


def format_by_separator(first: str) -> str | None:
    r"""The format of a table with this first line; None if nothing in it separates columns.

    >>> format_by_separator("parent;child"), format_by_separator("parent\tchild"), format_by_separator("animal")
    ('csv', 'tsv', None)
    """
    if "\t" in first:
        return "tsv"
    return "csv" if any(mark in first for mark in SEPARATORS) else None


def find_separator(text: str) -> str:
    r"""The separator of CSV: the one that each of the first lines has equally often, or else that the first line has.

    >>> find_separator('id;name\n1;"Dogs, all"\n'), find_separator("a,b;c\nd,e\n"), find_separator("animal\n")
    (';', ',', ',')
    """
    head = QUOTED.sub("", text[:SNIFFED_CHARACTERS])
    lines = [line for line in head.split("\n")[: SNIFFED_LINES + 1] if line]
    # The last one may be cut off.
    lines = lines[:-1] if len(lines) > 1 and len(text) > SNIFFED_CHARACTERS else lines[:SNIFFED_LINES]
    counts = {mark: {line.count(mark) for line in lines} for mark in SEPARATORS}
    present = [mark for mark in SEPARATORS if lines and mark in lines[0]]
    return next((mark for mark in present if len(counts[mark]) == 1), next(iter(present), ","))


def _plain_table(label: str, text: str, separator: str, may_be_short: Callable[[list[str]], bool]) -> Table:
    rows = np.frombuffer(text.encode(), np.uint8)
    ends = np.append(np.flatnonzero(rows == ord("\n")), len(rows))
    marks = np.searchsorted(np.flatnonzero(rows == ord(separator)), ends)
    widths = np.diff(marks, prepend=0) + 1
    width = int(widths[0])
    if width == 1:
        raise _one_column_error(label, text.split("\n", 1)[0], separator)
    ragged = np.flatnonzero(widths != width)
    pads = len(ragged) > 0 and int(widths.max()) == width and may_be_short(text.split("\n", 1)[0].split(separator))
    if len(ragged) and not pads:
        record = int(ragged[0])
        blank = text.split("\n", record + 1)[record] == ""
        raise _ragged_error(label, record + 1, width, 0 if blank else int(widths[record]))
    if "\r" in text:
        line = text.count("\n", 0, text.index("\r")) + 1
        raise InputError(f"{label}:{line}: contains a carriage return inside the line; end lines with a line feed")
    if pads:
        text = _pad_lines(text, widths, separator)
    return Table(label, width, text.replace("\n", separator).split(separator), range(1, len(ends) + 1))


def _pad_lines(text: str, widths: NDArray[np.int64], separator: str) -> str:
    """The text with the empty cells that are missing at the ends of lines."""
    missing = (widths[0] - widths).tolist()
    return "\n".join(line + separator * count for line, count in zip(text.split("\n"), missing, strict=True))


def _quoted_table(label: str, text: str, separator: str, may_be_short: Callable[[list[str]], bool]) -> Table:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    cells: list[str] = []
    lines: list[int] = []
    width, pads = 0, False
    try:
        with Step("reading", text.count("\n") + 1, lambda: reader.line_num):
            for record in reader:
                if not lines:
                    if not record:
                        raise InputError(f"{label}:1: the first line is empty; remove it")
                    width, pads = len(record), may_be_short(record)
                if len(record) != width:
                    if not pads or len(record) > width:
                        raise _ragged_error(label, reader.line_num, width, len(record))
                    record += [""] * (width - len(record))
                cells += record
                lines.append(reader.line_num)
    except csv.Error as error:
        raise InputError(f"{label}:{max(1, reader.line_num)}: the quotes are broken ({error}); fix this line") from None
    if width == 1:
        raise _one_column_error(label, text.split("\n", 1)[0], separator)
    return Table(label, width, cells, lines)


def _without_spaces(table: Table, text: str, separator: str) -> Table:
    """The table without spaces around the cells below the header: they belong to the layout of CSV, not to names."""
    if any(edge in text for edge in (f"{separator} ", f" {separator}", " \n", "\n ")) or text[-1:].isspace():
        stripped = map(str.strip, table.cells[table.width :])
        return Table(table.label, table.width, [*table.first, *stripped], table.lines)
    return table


def _one_column_error(label: str, line: str, separator: str) -> InputError:
    return InputError(
        f"{label}:1: expected columns separated by {SEPARATORS[separator]}, found one column: {short(line, 40)!r}; "
        f"check the separator, or say {option('format', 'tsv', 'csv')}"
    )


def _ragged_error(label: str, line: int, width: int, found: int) -> InputError:
    what = "an empty line" if found == 0 else f"found {found}"
    return InputError(f"{label}:{line}: expected {width} columns as in line 1, {what}; fix or remove this line")
