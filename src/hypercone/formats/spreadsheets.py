"""Workbooks of Excel (.xlsx) and of LibreOffice (.ods): one sheet as a table.

Both are archives of XML, which the standard library reads. Cells are taken one by one, so that a sheet with two cells
in opposite corners costs no more than two cells.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any

from hypercone.errors import InputError, option, plural, short, some, visible
from hypercone.formats.graphml import XmlEvents
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.shapes import edges_of_table
from hypercone.formats.source import Content, limit_of
from hypercone.formats.tables import Table

# The first bytes of .xls, and of a workbook with a password.
OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, ValueError, KeyError)
PIECE = 2**20
# The most that the programs themselves allow.
MOST_ROWS, MOST_COLUMNS = 2**20, 2**14
BYTES_PER_CELL = 8
# What a cell holds instead of the value of a formula.
NO_VALUE = "#NO VALUE"
FORMULA_ERRORS = {NO_VALUE, "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "Err:502", "Err:508"}

# The text by column, for each row by its number from 1.
Rows = dict[int, dict[int, str]]


@dataclass(frozen=True)
class Sheet:
    """The name of a sheet, and the function that reads its cells."""

    name: str
    read: Callable[[], Rows]


@dataclass(frozen=True)
class SheetTable(Table):
    """A sheet as a table: its lines are the rows of the sheet."""

    def column(self, index: int, start: int) -> list[str]:
        """One column; InputError if a formula in it has an error instead of a value, or neither."""
        cells = super().column(index, start)
        for problem in FORMULA_ERRORS.intersection(cells):
            what = "has no value yet; open the file in a spreadsheet program and save it"
            what = what if problem == NO_VALUE else f"gives {problem}; repair it"
            raise self.error(start + cells.index(problem), f"the formula in column {index + 1} {what}")
        return cells

    @property
    def row_word(self) -> str:
        """What a record is called in messages."""
        return "row"


def read_xlsx(content: Content, *, sheet: str | int | None = None, **columns: Any) -> ParsedEdges:
    """The edges of a sheet of Excel: of the first one that has any cell, or of the one with this name or number."""
    return _edges(content, "Excel", "xlsx", _excel_sheets, sheet, columns)


def read_ods(content: Content, *, sheet: str | int | None = None, **columns: Any) -> ParsedEdges:
    """The same for OpenDocument, the format of LibreOffice."""
    return _edges(content, "OpenDocument", "ods", _open_document_sheets, sheet, columns)


def _edges(
    content: Content,
    kind: str,
    format: str,
    sheets_of: Callable[[Archive], list[Sheet]],
    wanted: str | int | None,
    columns: dict[str, Any],
) -> ParsedEdges:
    if not content.data:
        raise InputError(f"{content.label}: is empty; it should hold a workbook of {kind}")
    archive = Archive(content, kind)
    sheets = archive.call(lambda: sheets_of(archive))
    chosen, rows = _choose(content.label, archive, sheets, wanted)
    others = [other.name for other in sheets if other is not chosen]
    try:
        found = edges_of_table(_table(content, chosen.name, rows), format, **columns)
    except InputError as error:
        if wanted is not None or not others:
            raise
        raise InputError(f"{error}; or read another sheet with {option('sheet')}: {some(others)}") from None
    notes = found.notes
    if wanted is None and others:
        notes += (f"{plural(len(others), 'other sheet')} left out: {some([visible(name) for name in others])}",)
    return ParsedEdges(
        found.label, found.parents, found.children, found.lines, found.labels, notes, found.entries, found.shape
    )


def _choose(label: str, archive: Archive, sheets: list[Sheet], wanted: str | int | None) -> tuple[Sheet, Rows]:
    """The requested sheet, or else the first that is not empty, and its cells."""
    if wanted is None:
        for sheet in sheets:
            if rows := archive.call(sheet.read):
                return sheet, rows
        raise InputError(f"{label}: has no cells; it should hold one edge or one node per row")
    named = [sheet for sheet in sheets if sheet.name == str(wanted)]
    if not named and str(wanted).isascii() and str(wanted).isdigit() and 1 <= int(wanted) <= len(sheets):
        named = [sheets[int(wanted) - 1]]
    if not named:
        names = some([visible(sheet.name) for sheet in sheets])
        raise InputError(f"{label}: there is no sheet {short(str(wanted))!r} among {names}; name one of these")
    return named[0], archive.call(named[0].read)


def _table(content: Content, name: str, rows: Rows) -> SheetTable:
    """The rows from the header on, as wide as the header; a title above it is skipped, and so are empty rows."""
    numbers = sorted(rows)
    first = next((at for at, number in enumerate(numbers) if len(rows[number]) > 1), None)
    if first is None:
        raise InputError(f"{content.label}: the sheet {short(name)!r} has only one column; it should have two or more")
    header = rows[numbers[first]]
    left, right = min(header), max(header) + 1
    numbers = numbers[first:]
    limit = limit_of(len(content.data))
    if BYTES_PER_CELL * len(numbers) * (right - left) > limit:
        raise InputError(
            f"{content.label}: has {len(numbers):,} rows of {right - left:,} columns, too much for a hierarchy; delete "
            "the columns that are not needed"
        )
    cells = chain.from_iterable([rows[number].get(column, "") for column in range(left, right)] for number in numbers)
    return SheetTable(content.label, right - left, list(cells), numbers)


class Archive:
    """The parts of a workbook, unpacked within the limits of every compressed file."""

    def __init__(self, content: Content, kind: str) -> None:
        self.content, self._kind = content, kind
        if content.data.startswith(OLD_WORKBOOK):
            raise InputError(
                f"{content.label}: is a workbook of an old Excel (.xls) or has a password; save it as .xlsx without one"
            )
        self._left = limit_of(len(content.data))
        self._archive: zipfile.ZipFile = self.call(lambda: zipfile.ZipFile(io.BytesIO(content.data)))

    def call(self, read: Callable[[], Any]) -> Any:
        """What the function returns; InputError if the archive is damaged."""
        try:
            return read()
        except InputError:
            raise
        except BROKEN as error:
            reason = visible((str(error).splitlines() or [type(error).__name__])[0].rstrip("."), 100)
            raise InputError(
                f"{self.content.label}: cannot be read as a workbook of {self._kind} ({reason}); fetch the file again"
            ) from None

    def __contains__(self, part: str) -> bool:
        return part in self._archive.NameToInfo

    def part(self, name: str) -> bytes:
        """The bytes of a part; InputError if all parts together unpack to more than the limit."""
        info = self._archive.getinfo(name)
        # What the archive says of the size is not to be trusted; reading stops at the end of the data.
        info.file_size = self._left + 2 * PIECE
        unpacked = io.BytesIO()
        with self._archive.open(info) as source:
            while piece := source.read(PIECE):
                unpacked.write(piece)
                self._left -= len(piece)
                if self._left < 0:
                    limit, packed = limit_of(len(self.content.data)), len(self.content.data)
                    raise InputError(
                        f"{self.content.label}: unpacks to more than {limit // 2**20:,} MiB from {packed:,} bytes, too "
                        "much for a hierarchy; save it with fewer sheets"
                    )
        return unpacked.getvalue()

    def parse(self, name: str, start: Callable[..., None], end: Callable[[str], None]) -> XmlEvents:
        """A parser of a part, which is yet to run."""
        return XmlEvents(Content(f"{self.content.label}: {visible(name)}", ".xml", self.part(name)), start, end)


# The namespaces of workbooks, as most programs write them and in the strict form.
EXCEL = ("http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://purl.oclc.org/ooxml/spreadsheetml/main")
RELATION_ID = (
    "http://schemas.openxmlformats.org/officeDocument/2006/relationshipsid",
    "http://purl.oclc.org/ooxml/officeDocument/relationshipsid",
)
RELATION = "http://schemas.openxmlformats.org/package/2006/relationshipsRelationship"
LETTERS = re.compile("[A-Z]{1,3}")
ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


def _excel_names(*names: str) -> set[str]:
    return {space + name for space in EXCEL for name in names}


SHEET, CELL, ROW, TEXT, VALUE, FORMULA = map(_excel_names, ("sheet", "c", "row", "t", "v", "f"))
ITEM, PHONETIC = _excel_names("si"), _excel_names("rPh")


def _excel_sheets(archive: Archive) -> list[Sheet]:
    workbook = next((path for kind, path in _relations(archive, "").values() if kind == "officeDocument"), "")
    targets = _relations(archive, workbook)
    strings = next((path for kind, path in targets.values() if kind == "sharedStrings"), "")
    shared: list[str] = _shared_strings(archive, strings) if strings in archive else []
    found: list[Sheet] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        if name in SHEET:
            own_id = next((attributes[key] for key in RELATION_ID if key in attributes), "")
            kind, path = targets.get(own_id, ("", ""))
            if kind == "worksheet":
                found.append(Sheet(attributes.get("name", path), lambda: _ExcelCells(archive, path, shared).rows))

    archive.parse(workbook, start, lambda name: None).run()
    return found


def _relations(archive: Archive, part: str) -> dict[str, tuple[str, str]]:
    """The kind and path of each part that this one refers to, by the id of the reference."""
    folder, name = posixpath.split(part)
    found: dict[str, tuple[str, str]] = {}

    def start(element: str, attributes: dict[str, str]) -> None:
        if element == RELATION:
            path = posixpath.normpath(posixpath.join("/", folder, attributes.get("Target", ""))).lstrip("/")
            found[attributes.get("Id", "")] = posixpath.basename(attributes.get("Type", "")), path

    archive.parse(posixpath.join(folder, "_rels", f"{name}.rels"), start, lambda name: None).run()
    return found


def _shared_strings(archive: Archive, part: str) -> list[str]:
    """The texts that cells refer to by number; a text may be in several pieces, and its pronunciation is left out."""
    texts: list[str] = []
    pieces: list[str] = []
    skipping = [0]

    def start(name: str, _: dict[str, str]) -> None:
        if name in ITEM:
            pieces.clear()
        elif name in PHONETIC:
            skipping[0] += 1
        elif name in TEXT and not skipping[0]:
            events.capture_text(pieces.append)

    def end(name: str) -> None:
        if name in ITEM:
            texts.append(_clean("".join(pieces)))
        elif name in PHONETIC:
            skipping[0] -= 1
        elif name in TEXT:
            events.capture_text(None)

    events = archive.parse(part, start, end)
    events.run()
    return texts


class _ExcelCells:
    """The texts of the cells of a sheet of Excel."""

    def __init__(self, archive: Archive, part: str, shared: list[str]) -> None:
        self.rows: Rows = {}
        self._shared = shared
        self._row, self._column = 0, -1
        self._kind, self._has_formula = "", False
        self._pieces: list[str] = []
        self._columns: dict[str, int] = {}
        self._events = archive.parse(part, self._start, self._end)
        self._events.run()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name in CELL:
            place = attributes.get("r", "").rstrip("0123456789")
            self._column = self._column_of(place) if place else self._column + 1
            self._kind, self._has_formula = attributes.get("t", "n"), False
            self._pieces.clear()
        elif name in VALUE or name in TEXT:
            self._events.capture_text(self._pieces.append)
        elif name in ROW:
            number = attributes.get("r", "")
            self._row, self._column = int(number) if number.isdigit() else self._row + 1, -1
            if not 1 <= self._row <= MOST_ROWS:
                raise self._events.error(f"the row {short(number)} is beyond the last one of Excel; fetch it again")
        elif name in FORMULA:
            self._has_formula = True

    def _end(self, name: str) -> None:
        if name in VALUE or name in TEXT:
            self._events.capture_text(None)
        elif name in CELL:
            text = self._text("".join(self._pieces))
            if text:
                self.rows.setdefault(self._row, {})[self._column] = text

    def _text(self, value: str) -> str:
        if self._kind == "s":
            number = int(value) if value.isdigit() else -1
            if not 0 <= number < len(self._shared):
                raise self._events.error(f"a cell refers to the text {short(value)!r}, which is missing; save it again")
            return self._shared[number]
        if not value and self._has_formula:
            return NO_VALUE if self._kind != "str" else ""
        if self._kind == "n":
            return number_text(value)
        if self._kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        return _clean(value)

    def _column_of(self, letters: str) -> int:
        """The index of a column: 0 for A, 26 for AA."""
        if letters not in self._columns:
            number = 0
            for letter in letters[:4]:
                number = 26 * number + ord(letter) - ord("A") + 1
            if number > MOST_COLUMNS or not LETTERS.fullmatch(letters):
                raise self._events.error(f"a cell is in the column {short(letters)!r}, which Excel does not have")
            self._columns[letters] = number - 1
        return self._columns[letters]


def number_text(value: str) -> str:
    """A number as a name, as spreadsheet programs show it: whole numbers without a fraction.

    >>> number_text("7.0"), number_text("1.2E+2"), number_text("2.2000000000000002")
    ('7', '120', '2.2')
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    # Other digits than the first 15 are not shown by the programs themselves.
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else f"{number:.15g}"


def _clean(text: str) -> str:
    """The text without the escapes of Excel, on one line and without spaces at its ends."""
    if "_x" in text:
        text = ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    return " ".join(text.split()) if any(letter in text for letter in "\n\r\t") else text.strip()


TABLE_SPACE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
TEXT_SPACE = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
OFFICE_SPACE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
CELLS = (f"{TABLE_SPACE}table-cell", f"{TABLE_SPACE}covered-table-cell")


def _open_document_sheets(archive: Archive) -> list[Sheet]:
    found = _OpenDocument(archive)
    return [Sheet(name, lambda rows=rows: rows) for name, rows in found.sheets]  # type: ignore[misc]


class _OpenDocument:
    """The texts of the cells of all sheets of an OpenDocument workbook."""

    def __init__(self, archive: Archive) -> None:
        self.sheets: list[tuple[str, Rows]] = []
        self._left = limit_of(len(archive.content.data)) // BYTES_PER_CELL
        self._row, self._repeat_row, self._cells = 0, 1, dict[int, str]()
        self._column, self._repeat = 0, 1
        self._number: str | None = None
        self._pieces: list[str] = []
        self._notes = 0
        self._events = archive.parse("content.xml", self._start, self._end)
        self._events.run()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name in CELLS:
            self._repeat = self._count(attributes, "number-columns-repeated")
            is_number = attributes.get(f"{OFFICE_SPACE}value-type") in ("float", "percentage", "currency")
            self._number = attributes.get(f"{OFFICE_SPACE}value") if is_number else None
            self._pieces.clear()
        elif name == f"{TEXT_SPACE}p":
            if not self._notes:
                self._pieces.append(" ")
                self._events.capture_text(self._pieces.append)
        elif name in (f"{TEXT_SPACE}s", f"{TEXT_SPACE}tab", f"{TEXT_SPACE}line-break"):
            self._pieces.append(" ")
        elif name == f"{OFFICE_SPACE}annotation":
            self._notes += 1
            self._events.capture_text(None)
        elif name == f"{TABLE_SPACE}table-row":
            self._repeat_row = self._count(attributes, "number-rows-repeated")
            self._column, self._cells = 0, {}
        elif name == f"{TABLE_SPACE}table":
            self.sheets.append((attributes.get(f"{TABLE_SPACE}name", ""), {}))
            self._row = 0

    def _end(self, name: str) -> None:
        if name in CELLS:
            text = _clean("".join(self._pieces)) if self._number is None else number_text(self._number)
            if text:
                self._spend(self._repeat)
                self._cells.update(dict.fromkeys(range(self._column, self._column + self._repeat), text))
            self._column += self._repeat
        elif name == f"{TEXT_SPACE}p":
            self._events.capture_text(None)
        elif name == f"{OFFICE_SPACE}annotation":
            self._notes -= 1
        elif name == f"{TABLE_SPACE}table-row" and self.sheets:
            if self._cells:
                self._spend(self._repeat_row * len(self._cells))
                rows = self.sheets[-1][1]
                rows.update(dict.fromkeys(range(self._row + 1, self._row + self._repeat_row + 1), self._cells))
            self._row += self._repeat_row

    def _count(self, attributes: dict[str, str], name: str) -> int:
        text = attributes.get(f"{TABLE_SPACE}{name}", "1")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 1

    def _spend(self, cells: int) -> None:
        self._left -= cells
        if self._left < 0:
            raise self._events.error("cells are repeated without end, too much for a hierarchy; save the file again")
