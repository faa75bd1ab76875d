"""Hierarchies from networkx graphs, or anything with ``.nodes`` and ``.edges``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from hypercone._arrays import Rows
from hypercone.errors import HierarchyError, InputError

Direction = Literal["parent-child", "child-parent"]
DIRECTIONS = ("parent-child", "child-parent")
LABEL_KEYS = ("label", "name")


def checked_direction(direction: object) -> str:
    """The direction, or InputError if it is neither of the two."""
    if direction not in DIRECTIONS:
        raise InputError(f"direction {direction!r} is unknown; it is parent-child or child-parent")
    return str(direction)


def rows_of_graph(graph: Any, direction: Direction) -> tuple[list[str], Rows, list[str]]:
    """The node names, the edges as (parent, child) rows, and the labels; a node that is no text becomes ``str(node)``.

    The label of a node is its attribute ``label``, or else ``name``.
    """
    checked_direction(direction)
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
    found = [attributes(node) if attributes else None for node in nodes]
    return [_label(of_node) if isinstance(of_node, Mapping) else "" for of_node in found]


def _label(attributes: Mapping[str, Any]) -> str:
    texts = (attributes.get(key) for key in LABEL_KEYS)
    return next((text for text in texts if isinstance(text, str) and text), "")
