"""Questions about several nodes at once: their lowest common ancestors, and their centroid."""

from __future__ import annotations

from hypercone.embedding.relations import (
    ancestors_of_point,
    centroid,
    lowest_common,
    lowest_common_in_graph,
    nearest_to_point,
)
from hypercone.queries.asking import Answer, Asked
from hypercone.queries.wording import Item, depth_of, listed, node, title, titled

# Where a point lies is plain from its nearest few.
NEIGHBOURS, SHOWN_IN_WORDS = 10, 5


def lowest_common_ancestors(asked: Asked) -> Answer:
    """The lowest common ancestors by geometry and, where the edges are known, by the graph."""
    embedding, hierarchy = asked.embedding, asked.embedding.hierarchy
    by_geometry = lowest_common(embedding, asked.rows).tolist()
    by_graph = None if hierarchy is None else lowest_common_in_graph(hierarchy, asked.rows).tolist()
    agree = None if by_graph is None else sorted(by_geometry) == by_graph
    values = {
        "names": [embedding.names[row] for row in asked.rows],
        "geometry": _with_depth(asked, by_geometry),
        "graph": None if by_graph is None else _with_depth(asked, by_graph),
        "agree": agree,
    }
    unknown = "unknown, for the model has no edges"
    lines = [
        f"The lowest common ancestors of {_all(asked, asked.rows)}:",
        f"  by geometry   {_all(asked, by_geometry) or 'none'}",
        f"  by the graph  {unknown if by_graph is None else _all(asked, by_graph) or 'none'}",
    ]
    if agree is not None:
        lines.append(f"Geometry and graph {'agree' if agree else 'disagree'}.")
    return Answer(values, "\n".join(lines))


def centroid_of(asked: Asked) -> Answer:
    """One point for the nodes, what it is a kind of, and what is near it."""
    embedding = asked.embedding
    point = centroid(embedding, asked.rows)
    rows, inside = ancestors_of_point(embedding, point)
    shown = rows[: asked.limit] if asked.limit else rows
    ancestors = [
        node(embedding, row) | {"depth": depth_of(embedding, row), "margin": margin}
        for row, margin in zip(shown.tolist(), inside.tolist(), strict=False)
    ]
    near = nearest_to_point(embedding, point, min(asked.limit or NEIGHBOURS, NEIGHBOURS))
    values: Item = {
        "names": [embedding.names[row] for row in asked.rows],
        "point": point.tolist(),
        "ancestors": ancestors,
        "count": len(rows),
        "nearest": [node(embedding, row) | {"distance": distance} for row, distance in near],
    }
    rest = f", and {len(rows) - len(shown):,} more" if len(shown) < len(rows) else ""
    neighbours = [f"{title(each)} {each['distance']:.4f}" for each in values["nearest"][:SHOWN_IN_WORDS]]
    lines = [
        f"The centroid of {_all(asked, asked.rows)}",
        f"  is a: {', '.join(map(title, ancestors)) or 'nothing'}{rest}",
        f"  is near: {', '.join(neighbours)}",
    ]
    return Answer(values, "\n".join(lines))


def _with_depth(asked: Asked, rows: list[int]) -> list[Item]:
    return [node(asked.embedding, row) | {"depth": depth_of(asked.embedding, row)} for row in rows]


def _all(asked: Asked, rows: list[int] | tuple[int, ...]) -> str:
    return listed([titled(asked.embedding, row) for row in rows])
