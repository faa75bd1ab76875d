"""Tables in columns, read through pyarrow: Parquet, Arrow and Feather."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from hypercone._system import import_optional
from hypercone.errors import InputError, short, visible, with_article
from hypercone.formats.reading import Reading, first_labels
from hypercone.formats.source import Content, limit_of
from hypercone.formats.tables import Columns, Table, columns_of, say_which
from hypercone.hierarchy.interop import texts_of

# Two names, if only as the places of known ones.
BYTES_A_ROW = 16
NAMES = re.compile("(large_)?string|string_view|u?int[0-9]+|halffloat|float|double|bool|null")


class Header(Table):
    """The names of the columns, as a table of one record that stands on no line."""

    def error(self, record: int, problem: str) -> InputError:
        """The error: ``file: problem``."""
        return InputError(f"{self.label}: {problem}")

    def shown(self) -> str:
        """The first few names."""
        return ", ".join(visible(name, 30) for name in self.cells[:6])


def pyarrow_part(name: str) -> Any:
    """A part of pyarrow; without it, one sentence that says how to get it."""
    return import_optional(f"pyarrow.{name}", "tables need", "'hypercone[tables]'")


def reading_of_table(
    content: Content,
    kind: str,
    open_table: Callable[[bytes], Any],
    **given: Any,
) -> Reading:
    """The edges of the table that ``open_table`` makes of the bytes; InputError if it makes none."""
    if not content.data:
        raise InputError(f"{content.label}: is empty; it should hold {with_article(kind)} table")
    errors = pyarrow_part("lib").ArrowException
    try:
        table = open_table(content.data)
        names = [str(name) for name in table.column_names]
        found = _columns(content.label, names, **given)
        wheres = {
            place: f"{content.label}: the column {short(names[place])!r}" for place in (found.parent, found.child)
        }
        columns = [_values(table.column(place), where) for place, where in wheres.items()]
        called = [] if found.label is None else table.column(found.label).cast("string").fill_null("").to_pylist()
    except InputError:
        raise
    except (errors, OSError, ValueError, EOFError) as error:
        reason = visible((str(error).splitlines() or [type(error).__name__])[0].rstrip("."), 200)
        raise InputError(
            f"{content.label}: cannot be read as {with_article(kind)} table ({reason}); fetch the file again"
        ) from None
    parents, children = (
        texts_of(values, where, "row", 1) for values, where in zip(columns, wheres.values(), strict=True)
    )
    return Reading(content.label, parents, children, labels=first_labels(children, called))


def _values(column: Any, where: str) -> list[Any]:
    kind = column.type.value_type if pyarrow_part("types").is_dictionary(column.type) else column.type
    # Others, such as dates, can hold values that Python has no room for.
    if not NAMES.fullmatch(str(kind)):
        raise InputError(f"{where} holds {visible(str(kind))}; names are text or whole numbers")
    # Without this a damaged file sends pyarrow to places in memory that are not its own.
    column.validate(full=True)
    if not pyarrow_part("types").is_dictionary(column.type):
        return list(column.to_pylist())
    values: list[Any] = []
    for chunk in column.chunks:
        # Each text is made once, however many rows it stands in.
        texts = np.array([*chunk.dictionary.to_pylist(), None], object)
        places = chunk.indices.cast("int64").fill_null(len(texts) - 1)
        values += texts[places.to_numpy()].tolist()
    return values


def check_size(rows: int, unpacked: int, packed: int) -> None:
    """ValueError if a table is larger than its file can mean it to be.

    >>> check_size(1_000_000_000, 0, 1_000)
    Traceback (most recent call last):
    ValueError: it unpacks to more than 64 MiB from 1,000 bytes, as no hierarchy does
    """
    limit = limit_of(packed)
    if max(BYTES_A_ROW * rows, unpacked) > limit:
        raise ValueError(f"it unpacks to more than {limit // 2**20:,} MiB from {packed:,} bytes, as no hierarchy does")


def _columns(label_of_file: str, names: list[str], **given: Any) -> Columns:
    header = Header(label_of_file, len(names), names, [1])
    words = [name.strip().casefold() for name in names]
    unsaid = all(given.get(option) is None for option in ("direction", "parent", "child"))
    if unsaid and (words.count("parent") != 1 or words.count("child") != 1):
        raise header.error(
            0,
            f"which column is the parent? The columns are {header.shown()}; name them parent and child, or "
            + say_which(),
        )
    return columns_of(header, **given)


def read_parquet(content: Content, **columns: Any) -> Reading:
    """The edges of a Parquet file, one a row.

    >>> import io, pyarrow, pyarrow.parquet
    >>> file = io.BytesIO()
    >>> pyarrow.parquet.write_table(pyarrow.table({"parent": ["animal"], "child": ["dog"]}), file)
    >>> read_parquet(Content("a.parquet", ".parquet", file.getvalue())).children
    ['dog']
    """
    return reading_of_table(content, "Parquet", _parquet_table, **columns)


def _parquet_table(data: bytes) -> Any:
    source, open_file = pyarrow_part("lib").BufferReader(data), pyarrow_part("parquet").ParquetFile
    about = open_file(source).metadata
    unpacked = sum(about.row_group(part).total_byte_size for part in range(about.num_row_groups))
    check_size(about.num_rows, unpacked, len(data))
    columns = [about.schema.column(place) for place in range(about.num_columns)]
    # A text that stands in a million rows is made once.
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    return open_file(source, read_dictionary=texts).read()


FILE, OLD_FEATHER = b"ARROW1", b"FEA1"


def read_arrow(content: Content, **columns: Any) -> Reading:
    """The edges of an Arrow file, an Arrow stream or a Feather file, one a row.

    >>> import io, pyarrow, pyarrow.feather
    >>> file = io.BytesIO()
    >>> pyarrow.feather.write_feather(pyarrow.table({"parent": ["animal"], "child": ["dog"]}), file)
    >>> read_arrow(Content("a.feather", ".feather", file.getvalue())).children
    ['dog']
    """
    return reading_of_table(content, "Arrow", _arrow_table, **columns)


def _arrow_table(data: bytes) -> Any:
    source = pyarrow_part("lib").BufferReader(data)
    if data.startswith(OLD_FEATHER):
        return pyarrow_part("feather").read_table(source)
    ipc = pyarrow_part("ipc")
    is_file = data.startswith(FILE)
    reader = ipc.open_file(source) if is_file else ipc.open_stream(source)
    batches = map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
    return pyarrow_part("lib").Table.from_batches(_bounded(batches, len(data)), reader.schema)


def _bounded(batches: Iterable[Any], packed: int) -> Iterator[Any]:
    """The batches, as long as they do not grow beyond all measure: each may be packed, or named again and again."""
    rows = unpacked = 0
    for batch in batches:
        rows, unpacked = rows + batch.num_rows, unpacked + batch.get_total_buffer_size()
        check_size(rows, unpacked, packed)
        yield batch
