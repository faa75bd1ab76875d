"""The edges of a table, whatever its shape: a row per edge, a row per node, a column per level, triples, or paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

from hypercone.errors import InputError, option, short
from hypercone.formats.columns import Columns, columns_of, find_column
from hypercone.formats.headers import (
    has_ranks,
    id_column,
    level_columns,
    node_columns,
    parent_column,
    path_column,
    triple_columns,
)
from hypercone.formats.level_tables import edges_by_level
from hypercone.formats.node_tables import edges_by_id, refuse_several_parents, split_cells
from hypercone.formats.parsed import ParsedEdges, first_labels
from hypercone.formats.paths import edges_of_paths, has_paths
from hypercone.formats.tables import Table
from hypercone.hierarchy.interop import edges_by_relation, note_on_lost_nodes
from hypercone.hierarchy.relation_names import (
    DEFAULT_RELATIONS,
    IS_A,
    checked_relations,
    first_other_relation,
    is_relation_key,
    normalized_relation,
    refused_relation,
    relation_key,
)

# The options of each shape.
SHAPES = {
    "rows": ("parent", "child", "id", "label", "direction", "parent_separator"),
    "levels": ("levels", "fill_down", "merge_names"),
    "triples": ("relations",),
    "paths": ("id", "merge_names"),
}
TABLE_OPTIONS = tuple(dict.fromkeys(name for names in SHAPES.values() for name in names))
# How many rows are examined to tell triples and paths from other tables.
SNIFFED_ROWS = 100
SUBCLASS_IN_WIKIDATA = {"p279", "wdt_p279"}


def edges_of_table(table: Table, format: str, *, may_be_empty: bool = False, **given: Any) -> ParsedEdges:
    """The edges of a table; ``given`` are options of ``read``, and ``format`` is the name of the format for messages.

    >>> table = Table("a.csv", 3, "id name parent 1 animal - 2 dog 1".split(), [1, 2, 3])
    >>> found = edges_of_table(table, "csv")
    >>> found.parents, found.labels, found.shape
    (['1'], {'1': 'animal', '2': 'dog'}, 'id / name / parent')
    """
    given = {name: value for name, value in given.items() if value is not None and value is not False}
    shape = shape_of(table, given)
    for name in given:
        if name not in SHAPES[shape]:
            raise InputError(
                f"{table.label}: {option(name)} does not apply to {_in_words(shape, format)}; leave it out"
            )
    if shape == "levels":
        return _levels(table, **given)
    if shape == "triples":
        return _triples(table, **given)
    if shape == "paths":
        return _paths(table, **given)
    return _rows(table, may_be_empty=may_be_empty, **given)


def shape_of(table: Table, given: Mapping[str, Any]) -> str:
    """The shape of a table, by the options given, its header and its first rows: one of ``SHAPES``.

    >>> shape_of(Table("a.csv", 2, ["Level 1", "Level 2", "animal", "dog"], [1, 2]), {})
    'levels'
    >>> shape_of(Table("a.csv", 3, ["dog", "subclass of", "animal"], [1]), {})
    'triples'
    """
    if "levels" in given:
        return "levels"
    if any(name in given for name in ("parent", "child", "direction")):
        return "rows"
    levels = level_columns(table.first)
    if levels and "id" not in given and parent_column(table.first) in (None, *levels):
        return "levels"
    if "id" not in given and _triple_columns(table) is not None:
        return "triples"
    column = path_column(table.first)
    if column is not None and node_columns(table.first) is None and _has_paths(table, column):
        return "paths"
    return "rows"


def _has_paths(table: Table, column: int) -> bool:
    return has_paths(table.texts(column, table.below_header)[:SNIFFED_ROWS])


def _in_words(shape: str, format: str) -> str:
    words = {"levels": "a table of levels", "triples": "a table of triples", "paths": "a table of paths"}
    return words.get(shape, f"the format {format}")


def _rows(table: Table, *, may_be_empty: bool, parent_separator: str | None = None, **given: Any) -> ParsedEdges:
    columns = columns_of(table, **given)
    if columns.start == len(table) and not may_be_empty:
        raise InputError(f"{table.label}: has a header but no edges; add one per line, a parent and a child")
    _check_relations(table, columns)
    return (edges_by_id if columns.by_id else _edges)(table, columns, parent_separator)


def _edges(table: Table, columns: Columns, separator: str | None) -> ParsedEdges:
    parents, children = (table.column(index, columns.start) for index in (columns.parent, columns.child))
    for column, index, role in ((parents, columns.parent, "parent"), (children, columns.child, "child")):
        if "" in column:
            title = table.first[columns.child].strip() if columns.start or table.has_titles else columns.child + 1
            hint = f", or say {option('id', title)} if it is a root" if role == "parent" else ""
            raise table.empty_cell(columns.start + column.index(""), index, role, hint)
    labels = [] if columns.label is None else table.texts(columns.label, columns.start)
    label_of = first_labels(children, labels)
    lines = table.row_lines(columns.start)
    if separator is None:
        refuse_several_parents(table, columns, parents)
    elif separator:
        records, parents = split_cells(parents, separator)
        children = [children[record] for record in records]
        lines = None if lines is None else [lines[record] for record in records]
    return ParsedEdges(table.label, parents, children, lines, label_of, shape=columns.in_words(table))


def _check_relations(table: Table, columns: Columns) -> None:
    """InputError with the line of a relation other than is_a, if the header names a column of relations."""
    for index, name in enumerate(table.first if columns.start or table.has_titles else ()):
        if is_relation_key(name) and index not in (columns.parent, columns.child, columns.label):
            relations = table.column(index, columns.start)
            other = first_other_relation(relations)
            if other is not None:
                problem = refused_relation(relations[other], name, table.row_word)
                raise table.cell_error(columns.start + other, index, problem)


def _levels(
    table: Table, levels: Sequence[str | int] | None = None, fill_down: bool = False, merge_names: bool = False
) -> ParsedEdges:
    if levels is None:
        indices, has_header = level_columns(table.first), True
    else:
        names = [name.strip() for name in levels.split(",")] if isinstance(levels, str) else list(levels)
        found = [find_column(table, name) for name in names]
        indices, has_header = [each.at for each in found], any(each.by_name for each in found)
        if len({*indices}) < max(2, len(indices)):
            raise InputError(
                f"{option('levels')} is {short(', '.join(map(str, names)))!r}; name two or more columns, "
                "from the top down"
            )
    start = table.below_header if has_header else 0
    may_lack_any = has_header and has_ranks(table.first, indices)
    return edges_by_level(
        table, indices, start, fill_down=fill_down, merge_names=merge_names, may_lack_any=may_lack_any
    )


def _triple_columns(table: Table) -> tuple[tuple[int, int, int], int] | None:
    """The columns of subject, relation and object, and the record where they begin; None if these are not triples."""
    named = triple_columns(table.first)
    if named is not None:
        return named, table.below_header
    relations = table.column(1, 0)[:SNIFFED_ROWS] if table.width == 3 and not table.has_titles else []
    is_is_a = [_triple_relation(relation) == IS_A for relation in relations]
    # The header of a table of nodes may also have such a name in the middle, but not the rows below it.
    return ((0, 1, 2), 0) if is_is_a and is_is_a[0] and (len(is_is_a) == 1 or any(is_is_a[1:])) else None


def _triple_relation(name: str) -> str:
    """The name of a relation, or ``is_a`` in all its forms."""
    is_is_a = relation_key(name) == IS_A or normalized_relation(name) in SUBCLASS_IN_WIKIDATA
    return IS_A if is_is_a else name


def _triples(table: Table, relations: Sequence[str] = DEFAULT_RELATIONS) -> ParsedEdges:
    found = _triple_columns(table)
    assert found is not None
    indices, start = found
    subjects, names, objects = (table.column(index, start) for index in indices)
    for column, index, role in ((subjects, indices[0], "subject"), (objects, indices[2], "object")):
        if "" in column:
            raise table.empty_cell(start + column.index(""), index, role)
    wanted = checked_relations(relations)
    relation_of = {name: _triple_relation(name) for name in {*names}}
    is_taken, notes = edges_by_relation([relation_of[name] for name in names], wanted, place=f"{table.label}: ")
    taken = is_taken.tolist()
    parents, children = list(compress(objects, taken)), list(compress(subjects, taken))
    lines = table.row_lines(start)
    lost = dict.fromkeys([*subjects, *objects]).keys() - {*parents, *children}
    notes += note_on_lost_nodes([name for name in dict.fromkeys([*subjects, *objects]) if name in lost], wanted)
    shape = " / ".join(table.first[index] for index in indices) if start or table.has_titles else "triples, child first"
    return ParsedEdges(
        table.label,
        parents,
        children,
        None if lines is None else list(compress(lines, taken)),
        notes=notes,
        shape=shape,
    )


def _paths(table: Table, id: str | int | None = None, merge_names: bool = False) -> ParsedEdges:
    column = path_column(table.first)
    assert column is not None
    id_at = find_column(table, id).at if id is not None else id_column(table.first, column)
    start = table.below_header
    lines = table.row_lines(start) or range(1, len(table) + 1)
    written = list(zip(lines, table.column(column, start), strict=True))
    ids = None if id_at is None else table.column(id_at, start)
    shape = " / ".join(table.first[index].strip() for index in (id_at, column) if index is not None)
    return edges_of_paths(table.label, written, ids, merge_names=merge_names, shape=shape)
