"""Tables with a column per level: kingdom … species, or Level 1, Level 2, …; a row is a path from the top down."""

from __future__ import annotations

from collections.abc import Sequence

from hypercone.errors import option, plural, short
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.paths import PathNodes
from hypercone.formats.tables import Table
from hypercone.progress import track_progress

Row = tuple[str, ...]


def edges_by_level(
    table: Table,
    levels: Sequence[int],
    start: int,
    *,
    fill_down: bool = False,
    merge_names: bool = False,
    may_lack_any: bool = False,
) -> ParsedEdges:
    """The edges from each level to the next one that is filled; nodes are named as in ``read_paths``.

    If every row fills one level only, as in an outline, the levels above it are those of the rows before. Otherwise
    an empty level above a filled one means the same as in the row before only with ``fill_down``; without it, such a
    row is an error, unless ``may_lack_any``: then the node is a root.

    >>> table = Table("a.csv", 2, ["Level 1", "Level 2", "animal", "", "", "dog"], [1, 2, 3])
    >>> edges_by_level(table, [0, 1], 1).children
    ['animal > dog']
    """
    columns = [[*map(str.strip, table.column(index, start))] for index in levels]
    rows = list(zip(*columns, strict=True))
    is_outline = all(len([*filter(None, row)]) <= 1 for row in rows)
    if fill_down or is_outline:
        rows = _fill_down(rows)
    elif not may_lack_any:
        _refuse_empty_top(table, levels, start, rows)
    nodes = PathNodes(table.label, sum(len(cell) + 1 for row in rows for cell in row), merge_names)
    name_of: dict[Row, str] = {(): ""}
    lines = table.row_lines(start) or range(1, len(rows) + 1)
    gaps = 0
    for line, row in track_progress(zip(lines, rows, strict=True), "reading", len(rows)):
        path = tuple(filter(None, row))
        gaps += len(path) > 0 and not all(row[: len(path)])
        known = len(path)
        while path[:known] not in name_of:
            known -= 1
        name = name_of[path[:known]]
        for length in range(known, len(path)):
            name = nodes.add_below(name, path[length], line) if name else nodes.add_root(path[length], line)
            name_of[path[: length + 1]] = name
    notes = (
        (f"{plural(gaps, table.row_word)} with an empty level above a filled one, joined to the next above",)
        if gaps
        else ()
    )
    titles = (
        [table.first[index].strip() for index in levels]
        if start or table.has_titles
        else [f"column {i + 1}" for i in levels]
    )
    return nodes.parsed_edges({}, notes=notes, shape=_in_words(titles))


def _in_words(titles: list[str]) -> str:
    """The titles of the levels, or the first and the last of many.

    >>> _in_words(["kingdom", "phylum", "class", "order", "family", "genus", "species"])
    'kingdom / … / species (7 levels)'
    """
    if len(titles) <= 4:
        return " / ".join(titles)
    return f"{titles[0]} / … / {titles[-1]} ({len(titles)} levels)"


def _fill_down(rows: list[Row]) -> list[Row]:
    """The rows with the levels above the first filled one taken from the row before."""
    filled: list[Row] = []
    before: Row = ()
    for row in rows:
        first = next((at for at, cell in enumerate(row) if cell), None)
        if first is not None:
            before = before[:first] + row[first:]
        filled.append(before if first is not None else row)
    return filled


def _refuse_empty_top(table: Table, levels: Sequence[int], start: int, rows: list[Row]) -> None:
    for record, row in enumerate(rows):
        if not row[0] and any(row):
            below = next(at for at, cell in enumerate(row) if cell)
            raise table.cell_error(
                start + record,
                levels[0],
                f"the level above {short(row[below], 40)!r} is empty; fill it in, or say {option('fill_down', True)} "
                "if an empty cell means the same as the one above it",
            )
