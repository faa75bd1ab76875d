"""Reading a hierarchy from a file in any format, or from one obvious file: two columns, a parent and a child."""

from __future__ import annotations

from collections.abc import Sequence

from hypercone.errors import InputError
from hypercone.hierarchy.assemble import assembled, checked_on_cycle
from hypercone.hierarchy.columns import columns_of
from hypercone.hierarchy.files import Content, Source, content_of
from hypercone.hierarchy.formats import checked_options, format_of
from hypercone.hierarchy.hierarchy import Hierarchy
from hypercone.hierarchy.readers import READERS, read_content
from hypercone.hierarchy.readers.reading import Reading
from hypercone.hierarchy.table import table_of

IS_A = ("is_a",)


def read_hierarchy(
    source: Source,
    *,
    format: str | None = None,
    relations: Sequence[str] = IS_A,
    on_cycle: str = "refuse",
    direction: str | None = None,
    parent_column: str | int | None = None,
    child_column: str | int | None = None,
) -> Hierarchy:
    r"""The hierarchy in a file of any format, a binary stream, or standard input (``-``), packed or not.

    The format is told by the extension or by ``format``: tsv, csv, obo, obographs, rdfxml, turtle, ntriples, graphml,
    paths, indented, ncbi, newick, wordnet, parquet or arrow. ``relations`` are those of an ontology that count as
    edges. Edges in a circle are refused; with ``on_cycle="condense"`` the nodes of a cycle become one node, and with
    "drop" the edges that close it are left out. What a reader skipped or changed is in ``notes``. The other options
    are those of ``read_edges``.

    >>> import io
    >>> pets = read_hierarchy(io.BytesIO(b"animal > dog > poodle\nanimal > cat\n"), format="paths")
    >>> pets.in_words()
    ['dog is an animal', 'poodle is a dog', 'cat is an animal']
    """
    checked_on_cycle(on_cycle)
    content = content_of(source)
    name = format_of(content, format)
    wanted = _several(relations)
    given = {
        "relations": None if wanted == IS_A else wanted,
        "direction": direction,
        "parent_column": parent_column,
        "child_column": child_column,
    }
    checked_options(content, name, given)
    if name not in READERS:
        return assembled(_pairs(content, name, direction, parent_column, child_column), on_cycle)
    options = given | {"relations": wanted}
    reading = read_content(name, content, **{option: options[option] for option in READERS[name].options})
    return assembled(reading, on_cycle, READERS[name].cycle_hint)


def read_edges(
    source: Source,
    *,
    direction: str | None = None,
    parent_column: str | int | None = None,
    child_column: str | int | None = None,
    format: str | None = None,
    on_cycle: str = "refuse",
) -> Hierarchy:
    r"""The hierarchy in a TSV or CSV file, a binary stream, or standard input (``-``), packed or not.

    Which way the edges point is never guessed: the columns are named ``parent`` and ``child`` in the first
    line, or named here (or numbered from 1), or ``direction`` says "parent-child" or "child-parent" for
    a file of two columns without header. Where columns are numbered, the first line is an edge unless it
    names ``parent`` and ``child``. ``on_cycle`` is that of ``read_hierarchy``.

    >>> import io
    >>> read_edges(io.BytesIO(b"parent,child\nanimal,dog\ndog,puppy\n")).in_words()
    ['dog is an animal', 'puppy is a dog']
    """
    checked_on_cycle(on_cycle)
    return assembled(_pairs(content_of(source), format, direction, parent_column, child_column), on_cycle)


def read_names(
    source: Source,
    *,
    direction: str | None = None,
    parent_column: str | int | None = None,
    child_column: str | int | None = None,
    format: str | None = None,
) -> Reading:
    """The pairs of a file as names, perhaps none; the arguments are those of ``read_edges``."""
    return _pairs(content_of(source), format, direction, parent_column, child_column, may_be_empty=True)


def _pairs(
    content: Content,
    format: str | None,
    direction: str | None,
    parent_column: str | int | None,
    child_column: str | int | None,
    *,
    may_be_empty: bool = False,
) -> Reading:
    table = table_of(content, format)
    columns = columns_of(table, direction, parent_column, child_column)
    if columns.start == len(table) and not may_be_empty:
        raise InputError(f"{table.label}: has a header but no edges; add one a line, a parent and a child")
    parents, children = (table.column(place, columns.start) for place in (columns.parent, columns.child))
    for column, role in ((parents, "parent"), (children, "child")):
        if "" in column:
            raise table.error(
                columns.start + column.index(""), f"the {role} is empty; give it a name or remove the line"
            )
    return Reading(table.label, parents, children, table.lines[columns.start :])


def _several(relations: Sequence[str]) -> tuple[str, ...]:
    names = relations.split(",") if isinstance(relations, str) else list(relations)
    wanted = tuple(dict.fromkeys(name.strip() for name in names))
    if not wanted or "" in wanted:
        raise InputError(f"the relations {', '.join(names)!r} name none; give some, such as is_a,part_of")
    return wanted
