"""Hierarchies from data frames (pandas, polars, pyarrow) and from networkx graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from hypercone._arrays import Rows
from hypercone.errors import HierarchyError, InputError, option, short, unknown_name
from hypercone.hierarchy.names import NameIndex, number_names

# pyarrow, then pandas and polars, then NumPy.
TO_LIST = ("to_pylist", "to_list", "tolist")
# Types of missing values in pandas and polars, besides None and NaN.
MISSING = {"NAType", "NaTType"}


def rows_of_frame(frame: Any, parent: str, child: str, label: str | None) -> tuple[NameIndex, Rows, list[str] | None]:
    """The names in order of first appearance, the edges as (parent, child) rows, and the labels if requested."""
    if parent == child:
        raise InputError(f"{option('parent')} and {option('child')} are both the column {parent!r}; name two columns")
    parents, children = (
        texts_of(_values(frame, column), f"the column {column!r}", "row", 0) for column in (parent, child)
    )
    if not parents:
        raise InputError("the frame has no rows; a hierarchy needs at least one parent with a child")
    index, edges = number_names(zip(parents, children, strict=True))
    if label is None:
        return index, edges, None
    # Reversed, so that the first label of a child wins.
    label_of = dict(zip(reversed(children), reversed(_values(frame, label)), strict=True))
    return index, edges, ["" if is_missing(label_of.get(name)) else str(label_of[name]) for name in index]


def texts_of(values: Sequence[Any], column: str, row: str, first: int) -> list[str]:
    """The values of a column as names; InputError with the row of a value that is missing or not a name.

    >>> texts_of(["dog", 7, 9606.0], "the column 'child'", "row", 0)
    ['dog', '7', '9606']
    """
    if all(kind is str for kind in set(map(type, values))) and "" not in values:
        return list(values)
    return [_text(value, f"{column}, {row} {number}") for number, value in enumerate(values, first)]


def is_missing(value: Any) -> bool:
    """Whether the cell is empty.

    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    return value is None or type(value).__name__ in MISSING or (isinstance(value, float) and value != value)


def _text(value: Any, where: str) -> str:
    if is_missing(value) or value == "":
        raise InputError(f"{where}: is empty; give it a name or remove the row")
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float) and value.is_integer():
        # pandas turns a column of integers with gaps into floats; 9606.0 must match the 9606 of the other column.
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{where}: {short(repr(value))} is not a name; names are text or whole numbers")
    return str(value)


def _values(frame: Any, column: str) -> list[Any]:
    names = _column_names(frame)
    if names.count(column) != 1:
        if column in names:
            raise InputError(f"there are {names.count(column)} columns named {column!r}; rename all but one")
        raise unknown_name("column", str(column), [str(name) for name in names])
    values = frame[column]
    to_list = next(getattr(values, name) for name in TO_LIST if hasattr(values, name))
    return list(to_list())


def _column_names(frame: Any) -> list[Any]:
    if hasattr(frame, "collect"):
        raise InputError("the frame is lazy and has no values yet; call .collect() on it first")
    for name in ("column_names", "columns"):
        if hasattr(frame, name):
            return list(getattr(frame, name))
    raise InputError(f"{type(frame).__name__} is not a data frame; give one of pandas, polars or pyarrow")


Direction = Literal["parent-child", "child-parent"]
DIRECTIONS = ("parent-child", "child-parent")
LABEL_KEYS = ("label", "name")


def checked_direction(direction: object) -> str:
    """The direction; InputError if it is not parent-child or child-parent."""
    if direction not in DIRECTIONS:
        raise InputError(f"{option('direction')} is {direction!r}, but must be parent-child or child-parent")
    return str(direction)


def rows_of_graph(graph: Any, direction: Direction) -> tuple[list[str], Rows, list[str]]:
    """The node names, the edges as (parent, child) rows, and the labels; nodes become names by ``str(node)``.

    The label of a node is its attribute ``label``, or else ``name``.
    """
    checked_direction(direction)
    if not (hasattr(graph, "nodes") and hasattr(graph, "edges")):
        raise InputError(f"{type(graph).__name__} is not a graph; give one of networkx")
    if hasattr(graph, "is_directed") and not graph.is_directed():
        raise InputError("the graph is undirected, so it does not say who is the parent; give a directed graph")
    nodes = list(graph.nodes)
    row_of = dict(zip(nodes, range(len(nodes)), strict=True))
    edges = [(row_of[edge[0]], row_of[edge[1]]) for edge in graph.edges]
    rows = np.array(edges, np.int32).reshape(-1, 2)
    return _texts(nodes), rows if direction == "parent-child" else rows[:, ::-1], _labels(graph, nodes)


def _texts(nodes: list[Any]) -> list[str]:
    first: dict[str, Any] = {}
    for node in nodes:
        other = first.setdefault(str(node), node)
        if other is not node:
            raise HierarchyError(f"the nodes {other!r} and {node!r} are both written {str(node)!r}; rename one of them")
    return list(first)


def _labels(graph: Any, nodes: list[Any]) -> list[str]:
    attributes = getattr(graph.nodes, "get", None)
    per_node = [attributes(node) if attributes else None for node in nodes]
    return [_label(found) if isinstance(found, Mapping) else "" for found in per_node]


def _label(attributes: Mapping[str, Any]) -> str:
    texts = (attributes.get(key) for key in LABEL_KEYS)
    return next((text for text in texts if isinstance(text, str) and text), "")
