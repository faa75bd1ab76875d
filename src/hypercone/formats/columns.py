"""Which columns of a table hold parents and children; which of the two is the parent is never guessed."""

from __future__ import annotations

import difflib
from typing import NamedTuple

from hypercone.errors import InputError, option
from hypercone.formats.headers import NodeColumns, id_column, label_column, names_edge_ends, node_columns, parent_column
from hypercone.formats.tables import Table
from hypercone.hierarchy.interop import checked_direction

Column = str | int | None


class Columns(NamedTuple):
    """Indices of the parent, child and label columns, and the record where the edges begin.

    ``by_id``: the children are the nodes of their rows, so that a node without a parent is a root.
    """

    parent: int
    child: int
    start: int
    label: int | None = None
    by_id: bool = False

    def in_words(self, table: Table) -> str:
        """The titles of the columns, those of the child first if it is the node of its row; or their numbers."""
        if not (self.start or table.has_titles):
            return f"parent in column {self.parent + 1}, {'id' if self.by_id else 'child'} in column {self.child + 1}"
        indices = [self.child, self.label, self.parent] if self.by_id else [self.parent, self.child]
        return " / ".join(table.first[index].strip() for index in indices if index is not None)


def how_to_name_columns() -> str:
    """The remedy for a table without known columns, for messages.

    >>> how_to_name_columns()
    'say direction="parent-child" or "child-parent", or name the columns with parent and child'
    """
    return (
        f"say {option('direction', 'parent-child', 'child-parent')}, or name the columns with "
        f"{option('parent')} and {option('child')}"
    )


def columns_of(
    table: Table,
    direction: str | None = None,
    parent: Column = None,
    child: Column = None,
    id: Column = None,
    label: Column = None,
) -> Columns:
    """The columns named by the caller or the header; InputError if neither names them, or they disagree."""
    if direction is not None:
        checked_direction(direction)
    if child is not None and id is not None:
        raise InputError(f"{option('child')} and {option('id')} both name the column of the nodes; give one of them")
    ends = _ends(
        table, direction, parent, id if child is None else child, by_id=id is not None, has_more=label is not None
    )
    if label is None:
        return ends
    found = find_column(table, label)
    return ends._replace(label=found.at, start=max(ends.start, _start(table, found.by_name)))


def _ends(
    table: Table, direction: str | None, parent: Column, child: Column, *, by_id: bool, has_more: bool
) -> Columns:
    header = _columns_in_header(table)
    if parent is not None or child is not None:
        if direction is not None:
            raise InputError(
                f"both the columns ({option('parent')} and {option('child')}) and {option('direction')} are given; "
                "give one of them"
            )
        return _named_columns(table, parent, child, header, by_id)
    if header is not None:
        return _check_direction(
            table, Columns(header.parent, header.child, table.below_header, header.label, header.by_id), direction
        )
    if direction is None:
        raise which_is_the_parent(table)
    return _headerless_columns(table, direction, 3 if has_more else 2)


def which_is_the_parent(table: Table) -> InputError:
    """The error for a table whose columns are not known."""
    if table.has_titles:
        return table.error(
            0,
            f"which column is the parent? The columns are {table.first_cells()}; name them parent and child, or "
            + how_to_name_columns(),
        )
    return table.error(
        0,
        f"which column is the parent? The first line is {table.first_cells()}; "
        f"add a header line with the columns parent and child, or {how_to_name_columns()}",
    )


def _columns_in_header(table: Table) -> NodeColumns | None:
    found = node_columns(table.first)
    if found is None or not found.by_id or table.has_titles:
        return found
    # Words of a hierarchy can look like a header: then they are among its names, too.
    titles = {table.first[found.parent], table.first[found.child]}
    is_data = any(not titles.isdisjoint(table.column(at, 1)) for at in (found.parent, found.child))
    return None if is_data else found


def _check_direction(table: Table, header: Columns, direction: str | None) -> Columns:
    stated = "parent-child" if header.parent < header.child else "child-parent"
    if direction not in (None, stated):
        raise table.error(0, f"the header says {stated}, but {option('direction')} is {direction}; change one of them")
    return header


def _headerless_columns(table: Table, direction: str, most: int) -> Columns:
    if not 2 <= table.width <= most:
        raise table.error(
            0,
            f"{option('direction')} needs 2 columns, found {table.width}: {table.first_cells()}; "
            f"name the columns with {option('parent')} and {option('child')} instead",
        )
    start = _start(table, names_edge_ends(table.first))
    return Columns(0, 1, start) if direction == "parent-child" else Columns(1, 0, start)


def _named_columns(table: Table, parent: Column, child: Column, header: NodeColumns | None, by_id: bool) -> Columns:
    """Those that the caller names; the other one, if only the id or the parent is named, is that of the header."""
    upper = _in_header(parent_column(table.first)) if parent is None and by_id else None
    lower = None if child is None else find_column(table, child)
    if parent is not None:
        upper = find_column(table, parent)
        if child is None and upper.by_name:
            lower = _in_header(id_column(table.first, upper.at, or_other=False))
            by_id = lower is not None
    if upper is None or lower is None:
        other = option("id") if by_id else option("child")
        raise InputError(f"one column is named; name both, with {option('parent')} and {other}")
    if upper.at == lower.at:
        raise InputError(f"{option('parent')} and {option('child')} are both the column {parent!r}; name two columns")
    has_header = upper.by_name or lower.by_name or header is not None
    label = label_column(table.first, lower.at, upper.at) if by_id and has_header else None
    return Columns(upper.at, lower.at, _start(table, has_header), label, by_id)


def _start(table: Table, has_header: bool) -> int:
    return table.below_header if has_header else 0


class FoundColumn(NamedTuple):
    """The index of a column, and whether it was found by name in the first line rather than by number."""

    at: int
    by_name: bool


def _in_header(index: int | None) -> FoundColumn | None:
    return None if index is None else FoundColumn(index, by_name=True)


def find_column(table: Table, column: str | int) -> FoundColumn:
    """The column with this name, or else with this number from 1; InputError if there is none."""
    name = str(column)
    for words, wanted in (
        ([cell.strip() for cell in table.first], name.strip()),
        ([cell.strip().casefold() for cell in table.first], name.strip().casefold()),
    ):
        if words.count(wanted) == 1:
            return FoundColumn(words.index(wanted), by_name=True)
        if words.count(wanted) > 1:
            raise table.error(0, f"there are {words.count(wanted)} columns named {name!r}; rename all but one")
    if name.isascii() and name.isdigit() and 1 <= int(name) <= table.width:
        return FoundColumn(int(name) - 1, by_name=False)
    close = difflib.get_close_matches(name, table.first, n=1)
    hint = f"did you mean {close[0]}?" if close else "name one of these, or give its number"
    raise table.error(0, f"there is no column {name!r} among {table.first_cells()}; {hint}")
