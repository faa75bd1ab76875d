"""Arrow and Feather tables with a column of parents and one of children."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from hypercone.hierarchy.files import Content
from hypercone.hierarchy.readers.reading import Reading
from hypercone.hierarchy.readers.tables import check_size, pyarrow_part, reading_of_table

FILE, OLD_FEATHER = b"ARROW1", b"FEA1"


def read(
    content: Content,
    *,
    direction: str | None = None,
    parent_column: str | int | None = None,
    child_column: str | int | None = None,
) -> Reading:
    """The edges of an Arrow file, an Arrow stream or a Feather file, one a row.

    >>> import io, pyarrow, pyarrow.feather
    >>> file = io.BytesIO()
    >>> pyarrow.feather.write_feather(pyarrow.table({"parent": ["animal"], "child": ["dog"]}), file)
    >>> read(Content("a.feather", ".feather", file.getvalue())).children
    ['dog']
    """
    return reading_of_table(content, "Arrow", _table, direction, parent_column, child_column)


def _table(data: bytes) -> Any:
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
