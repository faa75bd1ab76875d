"""Reading a hierarchy from one obvious file: two columns, a parent and a child."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hypercone.errors import HierarchyError, InputError
from hypercone.hierarchy.adjacency import Rows
from hypercone.hierarchy.columns import columns_of
from hypercone.hierarchy.cycles import CycleError
from hypercone.hierarchy.edges import first_self_loop, numbered, self_loop
from hypercone.hierarchy.files import Source, content_of
from hypercone.hierarchy.hierarchy import Hierarchy
from hypercone.hierarchy.names import is_usable
from hypercone.hierarchy.table import Table, table_of


def read_edges(
    source: Source,
    *,
    direction: str | None = None,
    parent_column: str | int | None = None,
    child_column: str | int | None = None,
    format: str | None = None,
) -> Hierarchy:
    r"""The hierarchy in a TSV or CSV file, a binary stream, or standard input (``-``), packed or not.

    Which way the edges point is never guessed: the columns are named ``parent`` and ``child`` in the first
    line, or named here (or numbered from 1), or ``direction`` says "parent-child" or "child-parent" for
    a file of two columns without header. Where columns are numbered, the first line is an edge unless it
    names ``parent`` and ``child``.

    >>> import io
    >>> read_edges(io.BytesIO(b"parent,child\nanimal,dog\ndog,puppy\n")).in_words()
    ['dog is an animal', 'puppy is a dog']
    """
    pairs = read_names(
        source, direction=direction, parent_column=parent_column, child_column=child_column, format=format
    )
    names, edges = numbered(zip(pairs.parents, pairs.children, strict=True))
    loop = first_self_loop(edges)
    if loop is not None:
        raise HierarchyError(f"{pairs.place(loop)}: {self_loop(pairs.parents[loop])}")
    try:
        return Hierarchy(names, edges)
    except CycleError as error:
        raise HierarchyError(f"{pairs.place(_closing_edge(edges, error.cycle))}: {error}") from None
    except HierarchyError as error:
        # Only quotes in a CSV can smuggle a tab or a line break into a name.
        edge = enumerate(zip(pairs.parents, pairs.children, strict=True))
        bad = next(place for place, ends in edge if not all(map(is_usable, ends)))
        raise HierarchyError(f"{pairs.place(bad)}: {error}") from None


@dataclass(frozen=True)
class NamedPairs:
    """Parents and children by name, none empty, with the place in the file of each pair."""

    table: Table
    start: int
    parents: list[str]
    children: list[str]

    def place(self, pair: int) -> str:
        """``file:line`` of a pair."""
        return f"{self.table.label}:{self.table.lines[self.start + pair]}"


def read_names(
    source: Source,
    *,
    direction: str | None = None,
    parent_column: str | int | None = None,
    child_column: str | int | None = None,
    format: str | None = None,
    may_be_empty: bool = False,
) -> NamedPairs:
    """The pairs of a file as names; the arguments are those of ``read_edges``."""
    table = table_of(content_of(source), format)
    columns = columns_of(table, direction, parent_column, child_column)
    if columns.start == len(table) and not may_be_empty:
        raise InputError(f"{table.label}: has a header but no edges; add one a line, a parent and a child")
    parents, children = (table.column(place, columns.start) for place in (columns.parent, columns.child))
    for column, role in ((parents, "parent"), (children, "child")):
        if "" in column:
            raise table.error(
                columns.start + column.index(""), f"the {role} is empty; give it a name or remove the line"
            )
    return NamedPairs(table, columns.start, parents, children)


def _closing_edge(edges: NDArray[np.int32], cycle: tuple[int, ...]) -> int:
    """Where the edge from the last row of the cycle back to its first stands."""
    matches: Rows = (edges == np.array([cycle[-1], cycle[0]], np.int32)).all(axis=1)
    return int(np.argmax(matches))
