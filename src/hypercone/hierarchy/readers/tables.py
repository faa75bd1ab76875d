"""Tables in files of columns, read through pyarrow: which column is the parent, and the names in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypercone.errors import InputError
from hypercone.extras import needed
from hypercone.hierarchy.columns import columns_of
from hypercone.hierarchy.files import Content
from hypercone.hierarchy.frames import texts_of
from hypercone.hierarchy.readers.reading import Reading
from hypercone.hierarchy.table import Table


class Header(Table):
    """The names of the columns, as a table of one record that stands on no line."""

    def error(self, record: int, problem: str) -> InputError:
        """The error: ``file: problem``."""
        return InputError(f"{self.label}: {problem}")


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
        raise InputError(f"{content.label}: is empty; it should hold a {kind} table")
    errors = pyarrow_part("lib").ArrowException
    try:
        table = open_table(content.data)
        names = [str(name) for name in table.column_names]
        parent, child = _columns(content.label, names, direction, parent_column, child_column)
        columns = [_values(table.column(place)) for place in (parent, child)]
    except InputError:
        raise
    except (errors, OSError, ValueError, EOFError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise InputError(
            f"{content.label}: cannot be read as a {kind} table ({reason}); fetch the file again"
        ) from None
    parents, children = (
        texts_of(values, f"{content.label}: the column {names[place]!r}", "row", 1)
        for values, place in zip(columns, (parent, child), strict=True)
    )
    return Reading(content.label, parents, children)


def _values(column: Any) -> list[Any]:
    # Without this a damaged file sends pyarrow to places in memory that are not its own.
    column.validate(full=True)
    return list(column.to_pylist())


def _columns(
    label: str, names: list[str], direction: str | None, parent: str | int | None, child: str | int | None
) -> tuple[int, int]:
    header = Header(label, len(names), names, [1])
    words = [name.strip().casefold() for name in names]
    unsaid = direction is None and parent is None and child is None
    if unsaid and (words.count("parent") != 1 or words.count("child") != 1):
        raise header.error(
            0,
            f"which column is the parent? The columns are {', '.join(names[:6])}; name them parent and child, or say "
            "which they are (--parent-column and --child-column), or say the direction (--direction)",
        )
    places = columns_of(header, direction, parent, child)
    return places.parent, places.child
