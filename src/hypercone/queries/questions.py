"""The twelve questions to an embedding, answered in values for programs and in words for people."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hypercone._arrays import Rows
from hypercone.embedding import Embedding
from hypercone.embedding.explanation import Explanation, Step
from hypercone.embedding.relations import (
    ancestors_of,
    ancestors_of_point,
    centroid,
    children_of,
    descendants_of,
    lowest_common,
    lowest_common_in_graph,
    margins,
    nearest_to_point,
    parents_of,
    siblings_of,
)
from hypercone.errors import InputError, counted, unknown_name, with_article
from hypercone.queries.wording import Item, depth_of, in_both_units, listed, node, table, title, titled

MORE = "…"


@dataclass(frozen=True)
class Answer:
    """One answer twice."""

    values: dict[str, Any]
    words: str


@dataclass(frozen=True)
class Asked:
    """The nodes that a question is about, how many names to list (0 for all), and whether as a table."""

    embedding: Embedding
    rows: tuple[int, ...]
    limit: int = 0
    long: bool = False


@dataclass(frozen=True)
class Question:
    """How a question is asked: what it takes, ``…`` for any number more, and who answers.

    >>> lca = Question("NAME NAME …", respond=lambda asked: Answer({}, ""))
    >>> lca.takes(1), lca.takes(2), lca.takes(9)
    (False, True, True)
    """

    arguments: str
    respond: Callable[[Asked], Answer]

    def takes(self, count: int) -> bool:
        """Whether it can be asked about so many nodes."""
        *least, last = self.arguments.split()
        return count >= len(least) if last == MORE else count == len(least) + 1


def ancestors(asked: Asked) -> Answer:
    """What the node is a kind of."""
    return _above(asked, "ancestors", "is a", ancestors_of(asked.embedding, asked.rows[0]))


def descendants(asked: Asked) -> Answer:
    """What is a kind of the node."""
    return _below(asked, "descendants", "includes", descendants_of(asked.embedding, asked.rows[0]))


def parents(asked: Asked) -> Answer:
    """The ancestors with no other between."""
    return _above(asked, "parents", "has the parents", parents_of(asked.embedding, asked.rows[0]))


def children(asked: Asked) -> Answer:
    """The descendants with no other between."""
    return _below(asked, "children", "has the children", children_of(asked.embedding, asked.rows[0]))


def siblings(asked: Asked) -> Answer:
    """The other children of the parents."""
    names, shared = asked.embedding.names, siblings_of(asked.embedding, asked.rows[0])
    shown = list(shared)[: asked.limit or None]
    items = [_with_depth(asked, row) | {"parents": [names[parent] for parent in shared[row]]} for row in shown]
    return _listing(asked, "siblings", "has the siblings", items, len(shared))


def nearest(asked: Asked) -> Answer:
    """The nodes at the smallest distance."""
    embedding = asked.embedding
    found = embedding.nearest(embedding.names[asked.rows[0]], asked.limit or len(embedding))
    items = [node(embedding, embedding.row(name)) | {"distance": distance} for name, distance in found]
    lines = [f"{item['distance']:8.4f}  {title(item)}" for item in items]
    return Answer(node(embedding, asked.rows[0]) | {"nearest": items}, "\n".join(lines))


def _above(asked: Asked, kind: str, verb: str, rows: Rows) -> Answer:
    shown = rows[: asked.limit or None]
    inside = margins(asked.embedding, shown, asked.rows[0])
    return _listing(asked, kind, verb, _with_margins(asked, shown, inside.tolist()), len(rows))


def _below(asked: Asked, kind: str, verb: str, rows: Rows) -> Answer:
    shown = rows[: asked.limit or None]
    inside = margins(asked.embedding, asked.rows[0], shown)
    return _listing(asked, kind, verb, _with_margins(asked, shown, inside.tolist()), len(rows))


def _with_depth(asked: Asked, row: int) -> Item:
    return node(asked.embedding, row) | {"depth": depth_of(asked.embedding, row)}


def _with_margins(asked: Asked, rows: Rows, inside: list[float]) -> list[Item]:
    return [_with_depth(asked, row) | {"margin": margin} for row, margin in zip(rows.tolist(), inside, strict=True)]


def _listing(asked: Asked, kind: str, verb: str, items: list[Item], count: int) -> Answer:
    values = node(asked.embedding, asked.rows[0]) | {kind: items, "count": count}
    rest = f"and {count - len(items):,} more" if len(items) < count else ""
    beginning = f"{titled(asked.embedding, asked.rows[0])} {verb}:"
    if asked.long and items:
        return Answer(values, "\n".join(filter(None, [beginning, table(items), rest])))
    names = ", ".join(filter(None, [*map(title, items), rest])) or "nothing"
    return Answer(values, f"{beginning} {names}")


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
        "geometry": _all_with_depth(asked, by_geometry),
        "graph": None if by_graph is None else _all_with_depth(asked, by_graph),
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


def _all_with_depth(asked: Asked, rows: list[int]) -> list[Item]:
    return [node(asked.embedding, row) | {"depth": depth_of(asked.embedding, row)} for row in rows]


def _all(asked: Asked, rows: list[int] | tuple[int, ...]) -> str:
    return listed([titled(asked.embedding, row) for row in rows])


def is_a(asked: Asked) -> Answer:
    """Whether the child is a kind of the parent."""
    embedding, (child, parent) = asked.embedding, asked.rows
    energy = embedding.energy(embedding.names[child], embedding.names[parent])
    holds = bool(energy <= embedding.threshold)
    words = f"{_verdict(asked, holds)} (energy {energy:.4g}, threshold {embedding.threshold:.4g})"
    return Answer(_pair(asked) | {"is_a": holds, "energy": energy, "threshold": embedding.threshold}, words)


def energy(asked: Asked) -> Answer:
    """How far the child is from the parent's region."""
    found = asked.embedding.energy(*(asked.embedding.names[row] for row in asked.rows))
    return Answer(_pair(asked) | {"energy": found}, f"{found:.6g}")


def explain(asked: Asked) -> Answer:
    """Why the child is, or is not, a kind of the parent."""
    embedding = asked.embedding
    found = embedding.explain(*(embedding.names[row] for row in asked.rows))
    values = _pair(asked) | {
        "is_a": found.is_a,
        "energy": found.energy,
        "threshold": found.threshold,
        "margin": found.margin,
        "margin_degrees": None if found.angle is None else math.degrees(found.margin),
        "angle": found.angle,
        "angle_degrees": None if found.angle is None else math.degrees(found.angle),
        "aperture": found.aperture,
        "aperture_degrees": None if found.aperture is None else math.degrees(found.aperture),
        "chain": _steps(embedding, found.chain),
        "graph": found.graph,
        "path": _steps(embedding, found.path),
        "agrees": found.agrees,
        "lost": list(found.lost),
        "stray": found.stray,
    }
    return Answer(values, "\n".join([f"{_verdict(asked, found.is_a)}.", *_reasons(embedding, found)]))


def _pair(asked: Asked) -> dict[str, Any]:
    child, parent = asked.rows
    return node(asked.embedding, child, "child") | node(asked.embedding, parent, "parent")


def _verdict(asked: Asked, holds: bool) -> str:
    child, parent = (titled(asked.embedding, row) for row in asked.rows)
    return f"{child} is {'' if holds else 'not '}{with_article(parent)}"


def _steps(embedding: Embedding, steps: Sequence[Step]) -> list[dict[str, Any]]:
    return [
        node(embedding, embedding.row(step.name)) | {"margin": step.margin, "child_margin": step.child_margin}
        for step in steps
    ]


def _reasons(embedding: Embedding, found: Explanation) -> Iterator[str]:
    yield from _numbers(found)
    if found.chain:
        inside = listed([f"{step.margin:.4f}" for step in found.chain])
        margins = f"with {'margin' if len(found.chain) == 1 else 'margins'} {inside}"
        yield f"By geometry: {_way(embedding, found, found.chain)}, {margins}."
    yield from _graph(embedding, found)


def _numbers(found: Explanation) -> Iterator[str]:
    place = "inside" if found.margin >= 0 else "outside"
    if found.angle is None or found.aperture is None:
        yield f"  energy     {found.energy:.4g}"
        yield f"  threshold  {found.threshold:.4g}"
        yield f"  margin     {found.margin:.4g}, {place}: threshold - energy"
        return
    yield f"  angle      {in_both_units(found.angle)} at {found.parent}, from its axis to {found.child}"
    yield f"  aperture   {in_both_units(found.aperture)}, half the opening of the cone of {found.parent}"
    yield f"  threshold  {in_both_units(found.threshold)}"
    yield f"  margin     {in_both_units(found.margin)}, {place}: aperture + threshold - angle"


def _way(embedding: Embedding, found: Explanation, steps: Sequence[Step]) -> str:
    names = [found.child, *(step.name for step in steps)]
    return " → ".join(titled(embedding, embedding.row(name)) for name in names)


def _graph(embedding: Embedding, found: Explanation) -> Iterator[str]:
    if found.graph is None:
        yield "By the graph: unknown, for the model has no edges."
        return
    yield f"By the graph: {_said(embedding, found)}."
    yield f"{_agreement(embedding, found)}."


def _said(embedding: Embedding, found: Explanation) -> str:
    if found.graph == "same":
        return "they are one node"
    if found.graph == "no":
        return f"there is no way up from {found.child} to {found.parent}"
    follows = "an edge" if found.graph == "edge" else f"which follows from {counted(len(found.path), 'edge')}"
    return f"{_way(embedding, found, found.path)}, {follows}"


def _agreement(embedding: Embedding, found: Explanation) -> str:
    lost = next((step for step in found.path if step.child_margin < 0), None)
    if found.is_a and found.graph == "no":
        return f"Geometry and graph disagree: {found.stray} is the first step up that is not above it in the graph"
    if not found.agrees and lost:
        return f"Geometry and graph disagree: {found.child} is lost at {lost.name} (margin {lost.child_margin:.4g})"
    if lost:
        return f"Geometry and graph agree, but {found.child} is lost at {lost.name} (margin {lost.child_margin:.4g})"
    return "Geometry and graph agree" if found.agrees else "Geometry and graph disagree"


def answer(embedding: Embedding, question: str, names: Sequence[str], limit: int = 0, *, long: bool = False) -> Answer:
    """Answer a question about nodes; lists are cut at ``limit`` names, 0 for all, and tables if ``long``.

    >>> import hypercone
    >>> pets = hypercone.Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
    >>> answer(hypercone.fit(pets, dim=2), "ancestors", ["poodle"]).words
    'poodle is a: animal, dog'
    """
    if question not in QUESTIONS:
        raise unknown_name("question", question, QUESTIONS)
    wanted = QUESTIONS[question]
    if not wanted.takes(len(names)):
        raise InputError(
            f"{question} takes {wanted.arguments}, but was given {counted(len(names), 'name')}: {' '.join(names)}"
        )
    if limit < 0:
        raise InputError(f"limit is {limit}, but must be at least 0 (0 means all)")
    return wanted.respond(Asked(embedding, tuple(embedding.row(name) for name in names), limit, long))


def _vector(asked: Asked) -> Answer:
    point = asked.embedding.points[asked.rows[0]].tolist()
    return Answer(node(asked.embedding, asked.rows[0]) | {"vector": point}, " ".join(map(repr, point)))


QUESTIONS = {
    "is-a": Question("CHILD PARENT", is_a),
    "energy": Question("CHILD PARENT", energy),
    "explain": Question("CHILD PARENT", explain),
    "ancestors": Question("NAME", ancestors),
    "descendants": Question("NAME", descendants),
    "parents": Question("NAME", parents),
    "children": Question("NAME", children),
    "siblings": Question("NAME", siblings),
    "nearest": Question("NAME", nearest),
    "vector": Question("NAME", _vector),
    "lca": Question("NAME NAME …", lowest_common_ancestors),
    "centroid": Question("NAME …", centroid_of),
}
