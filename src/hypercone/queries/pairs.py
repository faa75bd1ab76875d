"""Questions about a child and a parent: is it one, by how much, and why."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from hypercone.embedding import Embedding
from hypercone.embedding.explanation import Explanation, Step
from hypercone.errors import counted, with_article
from hypercone.queries.asking import Answer, Asked
from hypercone.queries.wording import in_both_units, listed, node, titled


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
