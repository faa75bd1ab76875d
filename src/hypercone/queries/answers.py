"""Questions to an embedding, answered in values for programs and in words for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hypercone.embedding import Embedding
from hypercone.errors import InputError, unknown_name
from hypercone.hierarchy.words import counted, with_article


@dataclass(frozen=True)
class Answer:
    """One answer twice."""

    values: dict[str, Any]
    words: str


@dataclass(frozen=True)
class Question:
    """How a question is asked: what it takes, and who answers."""

    arguments: str
    respond: Callable[[Embedding, Sequence[str], int], Answer]

    @property
    def arity(self) -> int:
        """How many names it takes."""
        return len(self.arguments.split())


def answer(embedding: Embedding, question: str, names: Sequence[str], limit: int = 0) -> Answer:
    """Answer a question about one or two nodes; lists are cut at ``limit`` names, 0 for all.

    >>> import hypercone
    >>> pets = hypercone.Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
    >>> answer(hypercone.fit(pets, dim=2), "ancestors", ["poodle"]).words
    'poodle is a: animal, dog'
    """
    if question not in QUESTIONS:
        raise unknown_name("question", question, QUESTIONS)
    wanted = QUESTIONS[question]
    if len(names) != wanted.arity:
        raise InputError(
            f"{question} takes {wanted.arguments}, but was given {counted(len(names), 'name')}: {' '.join(names)}"
        )
    if limit < 0:
        raise InputError(f"limit is {limit}, but must be at least 0 (0 means all)")
    return wanted.respond(embedding, names, limit)


def _is_a(embedding: Embedding, names: Sequence[str], limit: int) -> Answer:
    child, parent = names
    holds, energy = embedding.is_a(child, parent), embedding.energy(child, parent)
    verdict = f"is {'' if holds else 'not '}{with_article(parent)}"
    words = f"{child} {verdict} (energy {energy:.4g}, threshold {embedding.threshold:.4g})"
    values = {"child": child, "parent": parent, "is_a": holds, "energy": energy, "threshold": embedding.threshold}
    return Answer(values, words)


def _energy(embedding: Embedding, names: Sequence[str], limit: int) -> Answer:
    child, parent = names
    energy = embedding.energy(child, parent)
    return Answer({"child": child, "parent": parent, "energy": energy}, f"{energy:.6g}")


def _ancestors(embedding: Embedding, names: Sequence[str], limit: int) -> Answer:
    return _listing(names[0], "ancestors", embedding.ancestors(names[0]), "is a", limit)


def _descendants(embedding: Embedding, names: Sequence[str], limit: int) -> Answer:
    return _listing(names[0], "descendants", embedding.descendants(names[0]), "includes", limit)


def _nearest(embedding: Embedding, names: Sequence[str], limit: int) -> Answer:
    found = embedding.nearest(names[0], limit or len(embedding))
    values = {"name": names[0], "nearest": [{"name": name, "distance": distance} for name, distance in found]}
    return Answer(values, "\n".join(f"{distance:8.4f}  {name}" for name, distance in found))


def _vector(embedding: Embedding, names: Sequence[str], limit: int) -> Answer:
    point = embedding[names[0]].tolist()
    return Answer({"name": names[0], "vector": point}, " ".join(map(repr, point)))


def _listing(name: str, kind: str, found: list[str], verb: str, limit: int) -> Answer:
    shown = found[:limit] if limit else found
    rest = f", and {len(found) - len(shown):,} more" if len(shown) < len(found) else ""
    words = f"{name} {verb}: {', '.join(shown) or 'nothing'}{rest}"
    return Answer({"name": name, kind: shown, "count": len(found)}, words)


QUESTIONS = {
    "is-a": Question("CHILD PARENT", _is_a),
    "energy": Question("CHILD PARENT", _energy),
    "ancestors": Question("NAME", _ancestors),
    "descendants": Question("NAME", _descendants),
    "nearest": Question("NAME", _nearest),
    "vector": Question("NAME", _vector),
}
