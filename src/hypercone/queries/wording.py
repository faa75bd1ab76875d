"""Answers as text: sentences and tables made from the values of an answer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import singledispatch
from typing import Any

from hypercone.errors import plural, with_article
from hypercone.queries.answers import (
    Ancestors,
    Answer,
    Centroid,
    Children,
    Descendants,
    Described,
    Energy,
    Explained,
    IsA,
    LowestCommonAncestors,
    Matches,
    MostSimilar,
    Nearest,
    Node,
    Parents,
    SetSimilarity,
    Siblings,
    Similarity,
    Step,
    Vector,
)

NEIGHBORS_SHOWN = 5
ORIGINS = {"graph": "by the graph", "geometry": "by geometry", "mixed": "by the graph and by geometry"}


@singledispatch
def in_words(answer: Answer, *, long: bool = False) -> str:
    """The answer as a sentence or a few lines for people; its lists as tables if ``long``.

    >>> in_words(Energy("dog", None, "animal", None, 0.25)), in_words(Vector("dog", None, [0.5, 0.25]))
    ('0.25', '0.5 0.25')
    """
    raise TypeError(f"there is no text for {type(answer).__name__}")


@in_words.register
def _(answer: Energy, *, long: bool = False) -> str:
    return f"{answer.energy:.6g}"


@in_words.register
def _(answer: Vector, *, long: bool = False) -> str:
    return " ".join(map(repr, answer.vector))


@in_words.register
def _(answer: IsA, *, long: bool = False) -> str:
    numbers = f"energy {answer.energy:.4g}, threshold {answer.threshold:.4g}"
    if answer.by == "geometry":
        return f"{_verdict_text(answer)} (by geometry: {numbers})"
    differs = answer.is_a != (answer.energy <= answer.threshold)
    return f"{_verdict_text(answer)} (by the graph{f'; the geometry says otherwise: {numbers}' if differs else ''})"


@in_words.register
def _(answer: Ancestors, *, long: bool = False) -> str:
    return _list_text(f"{title(answer)} is a ({ORIGINS[answer.by]}):", answer.ancestors, answer.count, long)


@in_words.register
def _(answer: Descendants, *, long: bool = False) -> str:
    return _list_text(f"{title(answer)} includes ({ORIGINS[answer.by]}):", answer.descendants, answer.count, long)


@in_words.register
def _(answer: Parents, *, long: bool = False) -> str:
    return _list_text(f"{title(answer)} has the parents ({ORIGINS[answer.by]}):", answer.parents, answer.count, long)


@in_words.register
def _(answer: Children, *, long: bool = False) -> str:
    return _list_text(f"{title(answer)} has the children ({ORIGINS[answer.by]}):", answer.children, answer.count, long)


@in_words.register
def _(answer: Siblings, *, long: bool = False) -> str:
    return _list_text(f"{title(answer)} has the siblings ({ORIGINS[answer.by]}):", answer.siblings, answer.count, long)


@in_words.register
def _(answer: Matches, *, long: bool = False) -> str:
    return _list_text(f"{answer.text!r} is found in:", answer.matches, answer.count, long)


@in_words.register
def _(answer: Nearest, *, long: bool = False) -> str:
    lines = [f"{near.distance:8.4f}  {title(near)}" for near in answer.nearest]
    return "\n".join([f"The nearest to {title(answer)}, by {answer.ranked_by}:", *lines])


@in_words.register
def _(answer: Similarity, *, long: bool = False) -> str:
    pair = f"{title(answer)} and {title(Node(answer.other, answer.other_label))}"
    common = answer.common_ancestor
    reason = "" if answer.measure == "jaccard" else f"; common ancestor: {'none' if common is None else title(common)}"
    return f"{pair}: {answer.similarity:.4f} ({answer.measure}{reason})"


@in_words.register
def _(answer: SetSimilarity, *, long: bool = False) -> str:
    pairs = (answer.names, answer.labels), (answer.others, answer.other_labels)
    first, second = (join_with_and([title(Node(*each)) for each in zip(*pair, strict=True)]) for pair in pairs)
    way = "of all ancestors" if answer.measure == "jaccard" else "best-match average"
    return f"{first} with {second}: {answer.similarity:.4f} ({answer.measure}, {way})"


@in_words.register
def _(answer: MostSimilar, *, long: bool = False) -> str:
    lines = [f"{alike.similarity:8.4f}  {title(alike)}" for alike in answer.most_similar]
    return "\n".join([f"The most similar to {title(answer)}, by {answer.measure}:", *lines])


@in_words.register
def _(answer: LowestCommonAncestors, *, long: bool = False) -> str:
    found = _titles(answer.lowest_common_ancestors)
    lines = [f"The lowest common ancestors of {_queried_nodes(answer)} ({ORIGINS[answer.by]}): {found}"]
    if answer.agree is False:
        other = ("by geometry", answer.geometry) if answer.by == "graph" else ("by the graph", answer.graph or [])
        lines.append(f"Geometry and graph disagree; {other[0]}: {_titles(other[1])}")
    return "\n".join(lines)


@in_words.register
def _(answer: Centroid, *, long: bool = False) -> str:
    hidden = answer.count - len(answer.ancestors)
    near = [f"{title(each)} {each.distance:.4f}" for each in answer.nearest[:NEIGHBORS_SHOWN]]
    lines = [
        f"The centroid of {_queried_nodes(answer)}",
        f"  is a: {', '.join(map(title, answer.ancestors)) or 'nothing'}{f', and {hidden:,} more' if hidden else ''}",
        f"  is near: {', '.join(near)}",
    ]
    return "\n".join(lines)


@in_words.register
def _(answer: Explained, *, long: bool = False) -> str:
    return "\n".join([f"{_verdict_text(answer)} ({ORIGINS[answer.by]}).", *_reason_lines(answer)])


@in_words.register
def _(answer: Described, *, long: bool = False) -> str:
    parts = {
        "definition": answer.definition,
        "synonyms": ", ".join(answer.synonyms),
        "other ids": ", ".join(answer.other_ids),
    }
    lines = [f"  {name:<10}  {text}" for name, text in parts.items() if text]
    return "\n".join([title(answer), *(lines or ["  nothing more is known of it"])])


def title(node: Any) -> str:
    """The name of a node, followed by its label unless the name is the label or a path that ends in it.

    >>> title(Node("HP:1", "Heart")), title(Node("dog", None)), title(Node("animal > dog", "dog"))
    ('HP:1 (Heart)', 'dog', 'animal > dog')
    """
    is_clear = node.label in (None, node.name) or node.name.endswith(f" > {node.label}")
    return node.name if is_clear else f"{node.name} ({node.label})"


def _titles(nodes: Sequence[Any]) -> str:
    return join_with_and(list(map(title, nodes))) or "none"


def join_with_and(things: Sequence[str]) -> str:
    """The things, joined with commas and a final "and".

    >>> join_with_and(["poodle", "beagle", "eel"]), join_with_and(["poodle"])
    ('poodle, beagle and eel', 'poodle')
    """
    return " and ".join(filter(None, [", ".join(things[:-1]), *things[-1:]]))


def in_both_units(angle: float) -> str:
    """An angle in radians and degrees.

    >>> in_both_units(0.1)
    '0.1000 rad (5.73°)'
    """
    return f"{angle:.4f} rad ({math.degrees(angle):.2f}°)"


def table(items: Sequence[Any]) -> str:
    """A table with a heading and one line per node, its name last.

    >>> from hypercone.queries.answers import Relative
    >>> print(table([Relative("animal", None, 0, 0.5, "graph"), Relative("A:5", "dog", None, 0.25, "geometry")]))
      depth  margin        by  name
          0  0.5000     graph  animal
          -  0.2500  geometry  A:5 (dog)
    """
    columns = [field.name for field in fields(items[0]) if field.name not in ("name", "label")]
    lines = [[*columns, "name"], *([*(_cell(getattr(item, key)) for key in columns), title(item)] for item in items)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(columns))]
    return "\n".join(
        "".join(f"  {part:>{width}}" for part, width in zip(line, [*widths, 0], strict=True)) for line in lines
    )


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4f}"
    return ", ".join(node.name for node in value) if isinstance(value, list) else str(value)


def _list_text(beginning: str, items: Sequence[Any], count: int, long: bool) -> str:
    rest = f"and {count - len(items):,} more" if len(items) < count else ""
    if long and items:
        return "\n".join(filter(None, [beginning, table(items), rest]))
    return f"{beginning} {', '.join(filter(None, [*map(title, items), rest])) or 'nothing'}"


def _queried_nodes(answer: LowestCommonAncestors | Centroid) -> str:
    return join_with_and([title(Node(*each)) for each in zip(answer.names, answer.labels, strict=True)])


def _child(answer: IsA | Explained) -> Node:
    return Node(answer.child, answer.child_label)


def _verdict_text(answer: IsA | Explained) -> str:
    parent = title(Node(answer.parent, answer.parent_label))
    return f"{title(_child(answer))} is {'' if answer.is_a else 'not '}{with_article(parent)}"


def _reason_lines(found: Explained) -> Iterator[str]:
    in_graph = "unknown, as not both are in a graph" if found.graph is None else _graph_text(found)
    lines = [f"By the graph: {in_graph}.", f"By geometry: {_geometry_text(found)}."]
    yield from lines if found.by == "graph" else lines[::-1]
    yield from _number_lines(found)
    if found.graph is not None:
        yield f"{_agreement_text(found)}."


def _geometry_text(found: Explained) -> str:
    if not found.geometry:
        return f"{found.child} is outside {found.parent}"
    if not found.chain:
        return "they are one node"
    inside = join_with_and([f"{step.margin:.4f}" for step in found.chain])
    return f"{_path_text(found, found.chain)}, with {'margin' if len(found.chain) == 1 else 'margins'} {inside}"


def _number_lines(found: Explained) -> Iterator[str]:
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


def _path_text(found: Explained, steps: Sequence[Step]) -> str:
    return " → ".join(map(title, [_child(found), *steps]))


def _graph_text(found: Explained) -> str:
    if found.graph == "same":
        return "they are one node"
    if found.graph == "no":
        return f"there is no way up from {found.child} to {found.parent}"
    follows = "an edge" if found.graph == "edge" else f"which follows from {plural(len(found.path), 'edge')}"
    return f"{_path_text(found, found.path)}, {follows}"


def _agreement_text(found: Explained) -> str:
    lost = next((step for step in found.path if step.child_margin < 0), None)
    if found.geometry and found.graph == "no":
        return f"Geometry and graph disagree: {found.stray} is the first step up that is not above it in the graph"
    if not found.agrees and lost:
        return f"Geometry and graph disagree: {found.child} is lost at {lost.name} (margin {lost.child_margin:.4g})"
    if lost:
        return f"Geometry and graph agree, but {found.child} is lost at {lost.name} (margin {lost.child_margin:.4g})"
    return "Geometry and graph agree" if found.agrees else "Geometry and graph disagree"
