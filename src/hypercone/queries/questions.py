"""The table of all questions to an embedding: the arguments of each, and the function that answers it.

Answers are plain values; ``hypercone.queries.wording`` turns them into sentences, the command line and HTTP into JSON.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from hypercone._arrays import Rows
from hypercone.embedding import Embedding
from hypercone.embedding import explanation as reasons
from hypercone.embedding.relations import ancestors_of_point, centroid, margins, nearest_to, nearest_to_point
from hypercone.embedding.relatives import BY, By, Relatives, checked_by, graph_for
from hypercone.errors import InputError, option, plural, unknown_name
from hypercone.hierarchy import similarity as graph_similarity
from hypercone.hierarchy.similarity import MEASURES
from hypercone.methods import Points
from hypercone.queries import answers
from hypercone.queries.answers import (
    Alike,
    Ancestors,
    Answer,
    AnsweredBy,
    Centroid,
    Children,
    Descendants,
    Described,
    Energies,
    Energy,
    Explained,
    IsA,
    LowestCommonAncestors,
    Matches,
    MostSimilar,
    Nearest,
    Neighbor,
    Node,
    Parents,
    Ranked,
    Relative,
    Results,
    SetSimilarity,
    Sibling,
    Siblings,
    Similarity,
    Vector,
    Verdicts,
)

# Default limits of lists, 0 for all: everything for relatives in a program, a few for what has no natural end, and at
# most some dozens on a screen.
NO_LIMIT, SHORT_LIMIT, SCREEN_LIMIT = 0, 10, 50
# The number of nearest nodes listed for a centroid.
NEIGHBORS = 10

PAIR, TWO, NAME, TEXT, MORE = "CHILD PARENT", "NAME OTHER", "NAME", "TEXT", "…"
GEOMETRY: tuple[By, ...] = ("geometry",)
GRAPH: tuple[By, ...] = ("graph",)


@dataclass(slots=True)
class QuestionInput:
    """The nodes (by row) or the text that a question is about, the limit (0 for all), and the energy if known.

    ``by`` is graph or geometry, or None for the default of the model; ``measure`` is that of similarity.
    """

    embedding: Embedding
    rows: Sequence[int]
    limit: int = NO_LIMIT
    text: str = ""
    energy: float | None = None
    by: str | None = None
    measure: str = MEASURES[0]

    @property
    def relatives(self) -> Relatives:
        """What answers: the graph or the geometry."""
        return self.embedding.relatives(self.by)

    def node(self) -> tuple[str, str | None]:
        """The name and label of the first node."""
        return self.embedding.names[self.rows[0]], self.embedding.label(self.rows[0])

    def pair(self) -> tuple[str, str | None, str, str | None]:
        """The names and labels of the child and the parent."""
        names, labels, (child, parent) = self.embedding.names, self.embedding.labels, self.rows
        if labels is None:
            return names[child], None, names[parent], None
        return names[child], labels.texts[child] or None, names[parent], labels.texts[parent] or None

    def nodes(self) -> tuple[list[str], list[str | None]]:
        """The names and the labels of all nodes."""
        names = [self.embedding.names[row] for row in self.rows]
        return names, [self.embedding.label(row) for row in self.rows]


@dataclass(frozen=True)
class Question:
    """A question: its arguments (``…`` for any number more), the function that answers it, and the type of the answer.

    ``limit`` is the default limit of its list; None if it has no list. ``answered_by`` names what can answer it: the
    graph or the geometry, only one of them, or neither. ``has_measure`` says whether a measure of similarity may be
    chosen. ``in_columns`` answers many pairs of (child, parent) rows at once.

    >>> lca = QUESTIONS["lca"]
    >>> lca.takes(1), lca.takes(2), lca.takes(9)
    (False, True, True)
    """

    arguments: str
    respond: Callable[[QuestionInput], Answer]
    gives: type[Answer]
    limit: int | None = None
    in_columns: Callable[[Embedding, Rows, str | None], Answer] | None = None
    answered_by: tuple[By, ...] = BY
    has_measure: bool = False

    @property
    def least(self) -> int:
        """The smallest number of arguments."""
        return len(self.arguments.removesuffix(MORE).split())

    @property
    def is_open(self) -> bool:
        """Whether it takes any number of further arguments."""
        return self.arguments.endswith(MORE)

    @property
    def summary(self) -> str:
        """A one-line description."""
        return (self.gives.__doc__ or "").split("\n")[0].removesuffix(".")

    def takes(self, count: int) -> bool:
        """Whether it accepts ``count`` arguments."""
        return count >= self.least if self.is_open else count == self.least


def answer(
    embedding: Embedding,
    question: str,
    names: Sequence[str],
    limit: int | None = None,
    by: str | None = None,
    measure: str | None = None,
) -> Answer:
    """Answer a question about nodes or a text; lists have at most ``limit`` items, 0 for all.

    ``by`` is graph or geometry, or None for the default of the model; ``measure`` is a measure of similarity.
    ``hypercone.queries.in_words`` turns the answer into a sentence.

    >>> import hypercone
    >>> pets = hypercone.Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
    >>> found = answer(hypercone.fit(pets, dim=2), "ancestors", ["poodle"])
    >>> [item.name for item in found.ancestors], found.count, found.by
    (['animal', 'dog'], 2, 'graph')
    """
    wanted = find_question(question)
    return wanted.respond(ask(embedding, question, names, limit, by, measure))


def find_question(name: str) -> Question:
    """The question of this name; InputError if there is none."""
    if name not in QUESTIONS:
        raise unknown_name("question", name, QUESTIONS)
    return QUESTIONS[name]


def ask(
    embedding: Embedding,
    question: str,
    names: Sequence[str],
    limit: int | None = None,
    by: str | None = None,
    measure: str | None = None,
) -> QuestionInput:
    """The checked input of a question; InputError for an unknown name, or for too many or too few names."""
    wanted = find_question(question)
    check_by(embedding, question, by)
    if measure is not None and not wanted.has_measure:
        raise InputError(f"{question} does not compare nodes by a measure; leave out {option('measure')}")
    if not wanted.takes(len(names)):
        given = f"{plural(len(names), 'name')}: {' '.join(names)}" if names else "no name"
        raise InputError(f"{question} takes {wanted.arguments}, but was given {given}")
    limit = wanted.limit or NO_LIMIT if limit is None else limit
    if limit < 0:
        raise InputError(f"{option('limit')} is {limit}, but must be at least 0 (0 means all)")
    if wanted.arguments == TEXT:
        return QuestionInput(embedding, (), limit, names[0])
    rows = [embedding.row(name) for name in names]
    return QuestionInput(embedding, rows, limit, by=by, measure=MEASURES[0] if measure is None else measure)


def check_by(embedding: Embedding, question: str, by: str | None) -> None:
    """InputError if the graph or the geometry cannot answer the question."""
    answered_by = find_question(question).answered_by
    if by is not None and by in BY and by not in answered_by:
        remedy = f"leave out {option('by')}"
        if not answered_by:
            raise InputError(f"{question} depends on neither the graph nor the geometry; {remedy}")
        raise InputError(f"{question} is always answered by the {' or '.join(answered_by)}; {remedy}")
    if answered_by and answered_by != GRAPH:
        checked_by(embedding, by)


def answer_many(embedding: Embedding, question: str, asked: Sequence[QuestionInput]) -> Answer:
    """The answers to one question about many nodes, in columns if the question supports it.

    >>> import hypercone
    >>> pets = hypercone.fit(hypercone.Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle")]), dim=2)
    >>> pairs = [ask(pets, "is-a", pair) for pair in [("dog", "animal"), ("animal", "dog")]]
    >>> answer_many(pets, "is-a", pairs).is_a
    [True, False]
    """
    wanted = find_question(question)
    if wanted.in_columns is None:
        return Results([wanted.respond(one) for one in asked])
    by = asked[0].by if asked else None
    return wanted.in_columns(embedding, np.array([one.rows for one in asked], np.int32).reshape(-1, 2), by)


def is_a(asked: QuestionInput) -> IsA:
    """Whether the child is a kind of the parent."""
    (child, parent), relatives, energy = asked.rows, asked.relatives, _energy(asked)
    by = relatives.origins(child, [parent])[0]
    threshold = asked.embedding.threshold
    verdict = energy <= threshold if by == "geometry" else bool(relatives.is_a([[parent, child]])[0])
    return IsA(*asked.pair(), verdict, by, energy, threshold)


def energy(asked: QuestionInput) -> Energy:
    """How far the child is from the parent's region."""
    return Energy(*asked.pair(), _energy(asked))


def verdicts(embedding: Embedding, pairs: Rows, by: str | None = None) -> Verdicts:
    """Whether each child is a kind of its parent, for pairs of (child, parent) rows."""
    found, threshold, relatives = _energies(embedding, pairs), embedding.threshold, embedding.relatives(by)
    if relatives.by == "geometry":
        return Verdicts(threshold, (found <= threshold).tolist(), found.tolist(), "geometry", None)
    origins = [relatives.origins(child, [parent])[0] for child, parent in pairs.tolist()] if relatives.is_mixed else []
    answered_by = _common_origin(origins, relatives.by)
    by_pair = origins if answered_by == "mixed" else None
    return Verdicts(threshold, relatives.is_a(pairs[:, ::-1]).tolist(), found.tolist(), answered_by, by_pair)


def energies(embedding: Embedding, pairs: Rows, by: str | None = None) -> Energies:
    """How far each child is from its parent's region, for pairs of (child, parent) rows."""
    return Energies(_energies(embedding, pairs).tolist())


def _common_origin(origins: Sequence[By], default: By) -> AnsweredBy:
    """What answered all items; mixed if both did, and the default if there are no items."""
    return "mixed" if len(set(origins)) > 1 else next(iter(origins), default)


def _energy(asked: QuestionInput) -> float:
    if asked.energy is not None:
        return asked.energy
    return float(_energies(asked.embedding, np.array([asked.rows], np.int32))[0])


def _energies(embedding: Embedding, pairs: Rows) -> Points:
    return embedding.scorer.energies(np.ascontiguousarray(pairs[:, ::-1], np.int32))


def explain(asked: QuestionInput) -> Explained:
    """Why the child is, or is not, a kind of the parent."""
    child, parent = asked.rows
    found = reasons.explain(asked.embedding, child, parent, asked.by)
    return Explained(
        *asked.pair(),
        is_a=found.is_a,
        by=found.by,
        geometry=found.geometry,
        energy=found.energy,
        threshold=found.threshold,
        margin=found.margin,
        margin_degrees=None if found.angle is None else math.degrees(found.margin),
        angle=found.angle,
        angle_degrees=_degrees(found.angle),
        aperture=found.aperture,
        aperture_degrees=_degrees(found.aperture),
        chain=_steps(asked.embedding, found.chain),
        graph=found.graph,
        path=_steps(asked.embedding, found.path),
        agrees=found.agrees,
        lost=list(found.lost),
        stray=found.stray,
    )


def _degrees(angle: float | None) -> float | None:
    return None if angle is None else math.degrees(angle)


def _steps(embedding: Embedding, steps: Sequence[reasons.Step]) -> list[answers.Step]:
    return [
        answers.Step(step.name, embedding.label(embedding.row(step.name)), step.margin, step.child_margin)
        for step in steps
    ]


def ancestors(asked: QuestionInput) -> Ancestors:
    """What the node is a kind of."""
    listed, count, by = _above(asked, asked.relatives.ancestors(asked.rows[0]))
    return Ancestors(*asked.node(), listed, count, by)


def descendants(asked: QuestionInput) -> Descendants:
    """What is a kind of the node."""
    listed, count, by = _below(asked, asked.relatives.descendants(asked.rows[0]))
    return Descendants(*asked.node(), listed, count, by)


def parents(asked: QuestionInput) -> Parents:
    """The ancestors with no other between."""
    listed, count, by = _above(asked, asked.relatives.parents(asked.rows[0]))
    return Parents(*asked.node(), listed, count, by)


def children(asked: QuestionInput) -> Children:
    """The descendants with no other between."""
    listed, count, by = _below(asked, asked.relatives.children(asked.rows[0]))
    return Children(*asked.node(), listed, count, by)


def siblings(asked: QuestionInput) -> Siblings:
    """The other children of the parents."""
    embedding, relatives, shared = asked.embedding, asked.relatives, asked.relatives.siblings(asked.rows[0])
    origins = _sibling_origins(relatives, asked.rows[0], shared)
    rows = first(list(shared), asked.limit)
    found = [
        Sibling(*node, depth, [Node(*_node(embedding, parent)) for parent in shared[row]], origins[row])
        for row, node, depth in zip(rows, _nodes(embedding, rows), _depths(embedding, rows), strict=True)
    ]
    return Siblings(
        *asked.node(), found, len(shared), _common_origin(list(origins.values()), relatives.origin(asked.rows[0]))
    )


def _sibling_origins(relatives: Relatives, row: int, shared: dict[int, list[int]]) -> dict[int, By]:
    """For each sibling, graph if the graph knows a shared parent of both, else geometry."""
    if not relatives.is_mixed:
        return dict.fromkeys(shared, relatives.by)
    own = {parent: relatives.origins(row, [parent])[0] for parents in shared.values() for parent in parents}
    return {
        sibling: "graph"
        if any(own[parent] == relatives.origins(sibling, [parent])[0] == "graph" for parent in parents)
        else "geometry"
        for sibling, parents in shared.items()
    }


def nearest(asked: QuestionInput) -> Nearest:
    """The nodes at the smallest distance."""
    embedding, others = asked.embedding, len(asked.embedding) - 1
    found = nearest_to(embedding, asked.rows[0], asked.limit or others)
    items = [Neighbor(*_node(embedding, row), distance) for row, distance in found]
    is_hyperbolic = embedding.scorer.method.is_hyperbolic
    return Nearest(*asked.node(), items, others, "hyperbolic distance" if is_hyperbolic else "Euclidean distance")


def similarity(asked: QuestionInput) -> Similarity:
    """How similar two nodes are in the graph."""
    name, other = asked.rows
    by = _similarity_by(asked, "similarity", asked.rows)
    value, common = by.of_two(name, other)
    return Similarity(
        *asked.node(),
        *_node(asked.embedding, other),
        similarity=value,
        measure=by.measure,
        common_ancestor=None if common is None else Node(*_node(asked.embedding, common)),
    )


def set_similarity(asked: QuestionInput, others: Sequence[int]) -> SetSimilarity:
    """How similar two sets of nodes are in the graph."""
    by = _similarity_by(asked, "similarity", [*asked.rows, *others])
    other_nodes = replace(asked, rows=others).nodes()
    return SetSimilarity(*asked.nodes(), *other_nodes, by.of_sets(asked.rows, others), by.measure)


def answer_sets(
    embedding: Embedding, names: Sequence[str], others: Sequence[str], measure: str | None = None
) -> SetSimilarity:
    """How similar two sets of nodes, by name, are in the graph."""
    if not (names and others):
        raise InputError("a set of nodes needs at least one, but none was given")
    rows, other_rows = ([embedding.row(name) for name in some] for some in (names, others))
    return set_similarity(QuestionInput(embedding, rows, measure=measure or MEASURES[0]), other_rows)


def most_similar(asked: QuestionInput) -> MostSimilar:
    """The nodes that are most similar in the graph."""
    embedding, others = asked.embedding, len(asked.embedding) - 1
    by = _similarity_by(asked, "most-similar", asked.rows)
    found = by.most_similar(asked.rows[0], asked.limit or others)
    pairs = zip(found.rows.tolist(), found.values.tolist(), strict=True)
    return MostSimilar(
        *asked.node(), [Alike(*_node(embedding, row), value) for row, value in pairs], others, by.measure
    )


def _similarity_by(asked: QuestionInput, question: str, rows: Sequence[int]) -> graph_similarity.Similarity:
    return graph_similarity.Similarity(graph_for(asked.embedding, question, rows), asked.measure)


def vector(asked: QuestionInput) -> Vector:
    """The point of the node."""
    return Vector(*asked.node(), asked.embedding.points[asked.rows[0]].tolist())


def lowest_common_ancestors(asked: QuestionInput) -> LowestCommonAncestors:
    """The lowest common ancestors, and what the graph and the geometry each say."""
    embedding = asked.embedding
    by: By = "geometry" if any(asked.relatives.origin(row) == "geometry" for row in asked.rows) else "graph"
    answers = {"geometry": embedding.relatives("geometry").lowest_common(asked.rows).tolist()}
    if embedding.edges is not None:
        in_graph = embedding.relatives("graph")
        if all(in_graph.origin(row) == "graph" for row in asked.rows):
            answers["graph"] = in_graph.lowest_common(asked.rows).tolist()
    nodes = {each: _nodes_with_depths(embedding, rows) for each, rows in answers.items()}
    return LowestCommonAncestors(
        *asked.nodes(),
        lowest_common_ancestors=nodes[by],
        by=by,
        geometry=nodes["geometry"],
        graph=nodes.get("graph"),
        agree=sorted(answers["geometry"]) == sorted(answers["graph"]) if "graph" in answers else None,
    )


def centroid_of(asked: QuestionInput) -> Centroid:
    """One point for the nodes, what it is a kind of, and what is near it."""
    point = centroid(asked.embedding, asked.rows)
    above, count = above_point(asked.embedding, point, asked.limit)
    near = nearest_to_point(asked.embedding, point, min(asked.limit or NEIGHBORS, NEIGHBORS))
    neighbors = [Neighbor(*_node(asked.embedding, row), distance) for row, distance in near]
    return Centroid(*asked.nodes(), point.tolist(), above, count, neighbors)


def search(asked: QuestionInput) -> Matches:
    """The nodes with a text in one of their names."""
    rows = asked.embedding.searchable.search(asked.text)
    shown = first(rows, asked.limit).tolist()
    return Matches(asked.text, [Node(*_node(asked.embedding, row)) for row in shown], len(rows))


def describe(asked: QuestionInput) -> Described:
    """What the node is called and what it means."""
    glossary, row = asked.embedding.glossary, asked.rows[0]
    if glossary is None:
        return Described(*asked.node(), None, [], [])
    definition, synonyms, other_ids = glossary.definitions[row], glossary.synonyms[row], glossary.other_ids[row]
    return Described(*asked.node(), definition or None, list(synonyms), list(other_ids))


def above_point(embedding: Embedding, point: Any, limit: int = NO_LIMIT) -> tuple[list[Relative], int]:
    """The ancestors of a point, and their total number."""
    rows, inside = ancestors_of_point(embedding, point)
    shown = first(rows, limit)
    return _list_relatives(embedding, shown, first(inside, limit), ["geometry"] * len(shown)), len(rows)


Some = TypeVar("Some", Rows, Points, list[int])


def first(items: Some, limit: int) -> Some:
    """The first ``limit`` items, 0 for all."""
    return items[: limit or None]


def _above(asked: QuestionInput, rows: Rows) -> tuple[list[Relative], int, AnsweredBy]:
    """The first of the rows above the node, their total number, and what answered."""
    shown = first(rows, asked.limit)
    return _relatives(asked, rows, shown, margins(asked.embedding, shown, asked.rows[0]))


def _below(asked: QuestionInput, rows: Rows) -> tuple[list[Relative], int, AnsweredBy]:
    shown = first(rows, asked.limit)
    return _relatives(asked, rows, shown, margins(asked.embedding, asked.rows[0], shown))


def _relatives(asked: QuestionInput, rows: Rows, shown: Rows, inside: Points) -> tuple[list[Relative], int, AnsweredBy]:
    relatives = asked.relatives
    origins = relatives.origins(asked.rows[0], rows if relatives.is_mixed else shown)
    listed = _list_relatives(asked.embedding, shown, inside, origins[: len(shown)])
    return listed, len(rows), _common_origin(origins, relatives.origin(asked.rows[0]))


def _list_relatives(embedding: Embedding, rows: Rows, inside: Points, origins: Sequence[By]) -> list[Relative]:
    parts = _nodes(embedding, rows.tolist()), _depths(embedding, rows), inside.tolist(), origins
    return [Relative(*node, depth, margin, by) for node, depth, margin, by in zip(*parts, strict=True)]


def _nodes_with_depths(embedding: Embedding, rows: list[int]) -> list[Ranked]:
    parts = _nodes(embedding, rows), _depths(embedding, rows)
    return [Ranked(*node, depth) for node, depth in zip(*parts, strict=True)]


def _node(embedding: Embedding, row: int) -> tuple[str, str | None]:
    return embedding.names[row], embedding.label(row)


def _nodes(embedding: Embedding, rows: list[int]) -> list[tuple[str, str | None]]:
    return [_node(embedding, row) for row in rows]


def _depths(embedding: Embedding, rows: Rows | list[int]) -> list[int | None]:
    if embedding.hierarchy is None:
        return [None] * len(rows)
    depths: list[int | None] = embedding.hierarchy.depths[rows].tolist()
    if embedding.by_point is not None:
        in_graph = embedding.relatives("graph")
        return [
            depth if in_graph.origin(row) == "graph" else None
            for row, depth in zip(np.asarray(rows).tolist(), depths, strict=True)
        ]
    return depths


QUESTIONS = {
    "is-a": Question(PAIR, is_a, IsA, in_columns=verdicts),
    "energy": Question(PAIR, energy, Energy, in_columns=energies, answered_by=GEOMETRY),
    "explain": Question(PAIR, explain, Explained),
    "ancestors": Question(NAME, ancestors, Ancestors, limit=NO_LIMIT),
    "descendants": Question(NAME, descendants, Descendants, limit=NO_LIMIT),
    "parents": Question(NAME, parents, Parents, limit=NO_LIMIT),
    "children": Question(NAME, children, Children, limit=NO_LIMIT),
    "siblings": Question(NAME, siblings, Siblings, limit=NO_LIMIT),
    "nearest": Question(NAME, nearest, Nearest, limit=SHORT_LIMIT, answered_by=GEOMETRY),
    "similarity": Question(TWO, similarity, Similarity, answered_by=GRAPH, has_measure=True),
    "most-similar": Question(NAME, most_similar, MostSimilar, limit=SHORT_LIMIT, answered_by=GRAPH, has_measure=True),
    "vector": Question(NAME, vector, Vector, answered_by=()),
    "lca": Question("NAME NAME …", lowest_common_ancestors, LowestCommonAncestors),
    "centroid": Question("NAME …", centroid_of, Centroid, limit=NO_LIMIT, answered_by=GEOMETRY),
    "search": Question(TEXT, search, Matches, limit=SHORT_LIMIT, answered_by=()),
    "describe": Question(NAME, describe, Described, answered_by=()),
}
