"""Questions to an embedding, answered in values for programs and in words for people."""

from __future__ import annotations

from collections.abc import Sequence

from hypercone.embedding import Embedding
from hypercone.errors import InputError, counted, unknown_name
from hypercone.queries import lists, pairs, sets
from hypercone.queries.asking import Answer, Asked, Question
from hypercone.queries.wording import node


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
    "is-a": Question("CHILD PARENT", pairs.is_a),
    "energy": Question("CHILD PARENT", pairs.energy),
    "explain": Question("CHILD PARENT", pairs.explain),
    "ancestors": Question("NAME", lists.ancestors),
    "descendants": Question("NAME", lists.descendants),
    "parents": Question("NAME", lists.parents),
    "children": Question("NAME", lists.children),
    "siblings": Question("NAME", lists.siblings),
    "nearest": Question("NAME", lists.nearest),
    "vector": Question("NAME", _vector),
    "lca": Question("NAME NAME …", sets.lowest_common_ancestors),
    "centroid": Question("NAME …", sets.centroid_of),
}
