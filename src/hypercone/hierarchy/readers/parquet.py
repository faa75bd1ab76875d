"""Parquet tables with a column of parents and one of children."""

from __future__ import annotations

from typing import Any

from hypercone.hierarchy.files import Content
from hypercone.hierarchy.readers.reading import Reading
from hypercone.hierarchy.readers.tables import check_size, pyarrow_part, reading_of_table


def read(
    content: Content,
    *,
    direction: str | None = None,
    parent_column: str | int | None = None,
    child_column: str | int | None = None,
) -> Reading:
    """The edges of a Parquet file, one a row.

    >>> import io, pyarrow, pyarrow.parquet
    >>> file = io.BytesIO()
    >>> pyarrow.parquet.write_table(pyarrow.table({"parent": ["animal"], "child": ["dog"]}), file)
    >>> read(Content("a.parquet", ".parquet", file.getvalue())).children
    ['dog']
    """
    return reading_of_table(content, "Parquet", _table, direction, parent_column, child_column)


def _table(data: bytes) -> Any:
    source, open_file = pyarrow_part("lib").BufferReader(data), pyarrow_part("parquet").ParquetFile
    about = open_file(source).metadata
    unpacked = sum(about.row_group(part).total_byte_size for part in range(about.num_row_groups))
    check_size(about.num_rows, unpacked, len(data))
    columns = [about.schema.column(place) for place in range(about.num_columns)]
    # A text that stands in a million rows is made once.
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    return open_file(source, read_dictionary=texts).read()
