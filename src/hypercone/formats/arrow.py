"""Columnar tables, read through pyarrow: Parquet, Arrow and Feather."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hypercone._system import import_optional
from hypercone.errors import InputError, short, visible, with_article
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.shapes import edges_of_table
from hypercone.formats.source import Content, limit_of
from hypercone.formats.tables import Table
from hypercone.hierarchy.interop import is_missing, texts_of

# Two names, at least as 8-byte references.
BYTES_PER_ROW = 16
NAME_TYPES = re.compile("(large_)?string|string_view|u?int[0-9]+|halffloat|float|double|bool|null")


@dataclass(frozen=True)
class ColumnarTable(Table):
    """A table of pyarrow: its columns have titles, and its rows have numbers from 1."""

    source: Any

    has_titles = True

    @classmethod
    def of(cls, label: str, source: Any) -> ColumnarTable:
        """The table that pyarrow has read."""
        names = [str(name) for name in source.column_names]
        return cls(label, len(names), names, range(1, source.num_rows + 1), source)

    def column(self, index: int, start: int) -> list[str]:
        """One column as texts, empty where a value is missing; InputError with the row of one that is not a name."""
        title = self._title(index)
        values = _values(self.source.column(index), title)
        kinds = {*map(type, values)}
        if kinds <= {str, type(None)}:
            return [value or "" for value in values]
        if kinds <= {int, type(None)}:
            return ["" if value is None else str(value) for value in values]
        is_filled = [not is_missing(value) and value != "" for value in values]
        return [
            texts_of([value], title, "row", number)[0] if filled else ""
            for number, (value, filled) in enumerate(zip(values, is_filled, strict=True), 1)
        ]

    def texts(self, index: int, start: int) -> list[str]:
        """One column as texts, of whatever type."""
        return list(self.source.column(index).cast("string").fill_null("").to_pylist())

    def row_lines(self, start: int) -> None:
        """There are no lines."""

    def row_name(self, record: int) -> str:
        """A record in messages: ``row 7``."""
        return f"row {self.lines[record]}"

    @property
    def row_word(self) -> str:
        """What a record is called in messages."""
        return "row"

    def error(self, record: int, problem: str) -> InputError:
        """The error: ``file: problem``."""
        return InputError(f"{self.label}: {problem}")

    def cell_error(self, record: int, index: int, problem: str) -> InputError:
        """The error for a cell, with its column and row."""
        return InputError(f"{self._title(index)}, row {self.lines[record]}: {problem}")

    def empty_cell(self, record: int, index: int, role: str, hint: str = "") -> InputError:
        """The error for an empty cell; its column says what it holds."""
        return self.cell_error(record, index, f"is empty; give it a name or remove the row{hint}")

    def _title(self, index: int) -> str:
        return f"{self.label}: the column {short(self.first[index])!r}"


def pyarrow_module(name: str) -> Any:
    """A module of pyarrow; an error that says how to install it if it is missing."""
    return import_optional(f"pyarrow.{name}", "tables need", "'hypercone[tables]'")


def edges_from_table(
    content: Content,
    kind: str,
    open_table: Callable[[bytes], Any],
    **given: Any,
) -> ParsedEdges:
    """The edges of the table that ``open_table`` reads from the bytes; InputError if it cannot."""
    if not content.data:
        raise InputError(f"{content.label}: is empty; it should hold {with_article(kind)} table")
    errors = pyarrow_module("lib").ArrowException
    try:
        return edges_of_table(ColumnarTable.of(content.label, open_table(content.data)), kind.lower(), **given)
    except InputError:
        raise
    except (errors, OSError, ValueError, EOFError) as error:
        reason = visible((str(error).splitlines() or [type(error).__name__])[0].rstrip("."), 200)
        raise InputError(
            f"{content.label}: cannot be read as {with_article(kind)} table ({reason}); fetch the file again"
        ) from None


def _values(column: Any, title: str) -> list[Any]:
    kind = column.type.value_type if pyarrow_module("types").is_dictionary(column.type) else column.type
    # Other types, such as dates, can hold values out of Python's range.
    if not NAME_TYPES.fullmatch(str(kind)):
        raise InputError(f"{title} holds {visible(str(kind))}; names are text or whole numbers")
    # Without this, pyarrow reads out of bounds in a damaged file.
    column.validate(full=True)
    if not pyarrow_module("types").is_dictionary(column.type):
        return list(column.to_pylist())
    values: list[Any] = []
    for chunk in column.chunks:
        # Each distinct text becomes one Python object, however many rows use it.
        texts = np.array([*chunk.dictionary.to_pylist(), None], object)
        indices = chunk.indices.cast("int64").fill_null(len(texts) - 1)
        values += texts[indices.to_numpy()].tolist()
    return values


def check_size(rows: int, unpacked: int, packed: int) -> None:
    """ValueError if a table is implausibly large for the size of its file.

    >>> check_size(1_000_000_000, 0, 1_000)
    Traceback (most recent call last):
    ValueError: it unpacks to more than 64 MiB from 1,000 bytes, too much for a hierarchy
    """
    limit = limit_of(packed)
    if max(BYTES_PER_ROW * rows, unpacked) > limit:
        raise ValueError(
            f"it unpacks to more than {limit // 2**20:,} MiB from {packed:,} bytes, too much for a hierarchy"
        )


def read_parquet(content: Content, **columns: Any) -> ParsedEdges:
    """The edges of a Parquet file, one per row.

    >>> import io, pyarrow, pyarrow.parquet
    >>> file = io.BytesIO()
    >>> pyarrow.parquet.write_table(pyarrow.table({"parent": ["animal"], "child": ["dog"]}), file)
    >>> read_parquet(Content("a.parquet", ".parquet", file.getvalue())).children
    ['dog']
    """
    return edges_from_table(content, "Parquet", _parquet_table, **columns)


def _parquet_table(data: bytes) -> Any:
    source, open_file = pyarrow_module("lib").BufferReader(data), pyarrow_module("parquet").ParquetFile
    metadata = open_file(source).metadata
    unpacked = sum(metadata.row_group(part).total_byte_size for part in range(metadata.num_row_groups))
    check_size(metadata.num_rows, unpacked, len(data))
    columns = [metadata.schema.column(index) for index in range(metadata.num_columns)]
    # As dictionaries, so that each distinct text is decoded once.
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    return open_file(source, read_dictionary=texts).read()


FILE, OLD_FEATHER = b"ARROW1", b"FEA1"


def read_arrow(content: Content, **columns: Any) -> ParsedEdges:
    """The edges of an Arrow file, an Arrow stream or a Feather file, one per row.

    >>> import io, pyarrow, pyarrow.feather
    >>> file = io.BytesIO()
    >>> pyarrow.feather.write_feather(pyarrow.table({"parent": ["animal"], "child": ["dog"]}), file)
    >>> read_arrow(Content("a.feather", ".feather", file.getvalue())).children
    ['dog']
    """
    return edges_from_table(content, "Arrow", _arrow_table, **columns)


def _arrow_table(data: bytes) -> Any:
    source = pyarrow_module("lib").BufferReader(data)
    if data.startswith(OLD_FEATHER):
        return pyarrow_module("feather").read_table(source)
    ipc = pyarrow_module("ipc")
    is_file = data.startswith(FILE)
    reader = ipc.open_file(source) if is_file else ipc.open_stream(source)
    batches = map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
    return pyarrow_module("lib").Table.from_batches(_checked_batches(batches, len(data)), reader.schema)


def _checked_batches(batches: Iterable[Any], packed: int) -> Iterator[Any]:
    """The batches, with the total size checked: each may be compressed, or referenced many times."""
    rows = unpacked = 0
    for batch in batches:
        rows, unpacked = rows + batch.num_rows, unpacked + batch.get_total_buffer_size()
        check_size(rows, unpacked, packed)
        yield batch
