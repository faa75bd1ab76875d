"""Which column holds the parent. Never guessed: the header, the caller or nobody says so."""

from __future__ import annotations

import difflib
from typing import NamedTuple

from hypercone.errors import InputError, visible
from hypercone.hierarchy.graphs import checked_direction
from hypercone.hierarchy.table import Table

SAY_WHICH = (
    "add a header line with the columns parent and child, or say the direction (--direction "
    "parent-child or child-parent), or name the columns (--parent-column and --child-column)"
)


class Columns(NamedTuple):
    """Places of the parent and the child column, and the record at which the edges begin."""

    parent: int
    child: int
    start: int


def columns_of(
    table: Table, direction: str | None, parent_column: str | int | None, child_column: str | int | None
) -> Columns:
    """The columns that the caller or the header names; InputError if neither does, or they disagree."""
    if direction is not None:
        checked_direction(direction)
    if parent_column is not None or child_column is not None:
        if parent_column is None or child_column is None:
            raise InputError("one column is named; name both, that of the parent and that of the child")
        if direction is not None:
            raise InputError("both the columns and the direction are given; give one of them")
        return _named(table, str(parent_column), str(child_column))
    header = _header(table)
    if header is not None:
        return _agreed(table, header, direction)
    if direction is None:
        raise table.error(0, f"which column is the parent? The first line is {_shown(table)}; {SAY_WHICH}")
    return _headerless(table, direction)


def _header(table: Table) -> Columns | None:
    words = [cell.strip().casefold() for cell in table.first]
    if words.count("parent") == 1 and words.count("child") == 1:
        return Columns(words.index("parent"), words.index("child"), 1)
    return None


def _agreed(table: Table, header: Columns, direction: str | None) -> Columns:
    says = "parent-child" if header.parent < header.child else "child-parent"
    if direction not in (None, says):
        raise table.error(0, f"the header says {says} but the direction given is {direction}; change one of them")
    return header


def _headerless(table: Table, direction: str) -> Columns:
    if table.width != 2:
        raise table.error(
            0,
            f"a direction needs 2 columns, found {table.width}: {_shown(table)}; "
            "name the columns of the parent and the child instead",
        )
    return Columns(0, 1, 0) if direction == "parent-child" else Columns(1, 0, 0)


def _named(table: Table, parent: str, child: str) -> Columns:
    places = _place(table, parent), _place(table, child)
    if places[0][0] == places[1][0]:
        raise InputError(f"the parent and the child cannot both be in the column {parent!r}; name two columns")
    has_header = places[0][1] or places[1][1] or _header(table) is not None
    return Columns(places[0][0], places[1][0], int(has_header))


def _place(table: Table, name: str) -> tuple[int, bool]:
    """The place of a column, and whether it was found by its name in the first line rather than by number."""
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
    raise table.error(0, f"there is no column {name!r} among {_shown(table)}; {hint}")


def _shown(table: Table) -> str:
    cells = [visible(cell, 30) for cell in table.first[:6]]
    return ", ".join(cells) + (", …" if table.width > 6 else "")
