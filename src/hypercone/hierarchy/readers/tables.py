"""Tables in files of columns, read through pyarrow: which column is the parent, and the names in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from hypercone._system import needed
from hypercone.errors import InputError, short, visible, with_article
from hypercone.hierarchy.columns import columns_of
from hypercone.hierarchy.files import Content
from hypercone.hierarchy.frames import texts_of
from hypercone.hierarchy.readers.reading import Reading
from hypercone.hierarchy.table import Table
from hypercone.hierarchy.unpack import limit_of

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
    return needed(f"pyarrow.{name}", "tables need", "'hypercone[tables]'")


def reading_of_table(
    content: Content,
    kind: str,
    open_table: Callable[[bytes], Any],
    direction: str | None,
    parent_column: str | int | None,
    child_column: str | int | None,
) -> Reading:
    """The edges of the table that ``open_table`` makes of the bytes; InputError if it makes none."""
    if not content.data:
        raise InputError(f"{content.label}: is empty; it should hold {with_article(kind)} table")
    errors = pyarrow_part("lib").ArrowException
    try:
        table = open_table(content.data)
        names = [str(name) for name in table.column_names]
        parent, child = _columns(content.label, names, direction, parent_column, child_column)
        wheres = {place: f"{content.label}: the column {short(names[place])!r}" for place in (parent, child)}
        columns = [_values(table.column(place), where) for place, where in wheres.items()]
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
    return Reading(content.label, parents, children)


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


def _columns(
    label: str, names: list[str], direction: str | None, parent: str | int | None, child: str | int | None
) -> tuple[int, int]:
    header = Header(label, len(names), names, [1])
    words = [name.strip().casefold() for name in names]
    unsaid = direction is None and parent is None and child is None
    if unsaid and (words.count("parent") != 1 or words.count("child") != 1):
        raise header.error(
            0,
            f"which column is the parent? The columns are {header.shown()}; name them parent and child, or say "
            "which they are (--parent-column and --child-column), or say the direction (--direction)",
        )
    places = columns_of(header, direction, parent, child)
    return places.parent, places.child
