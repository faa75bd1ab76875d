"""Every question as operations of the API: a path, a method, the types of request and answer, and a handler."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, get_type_hints

import numpy as np
from msgspec import UNSET
from msgspec.structs import astuple

from hypercone.embedding.relatives import By
from hypercone.errors import InputError
from hypercone.hierarchy.similarity import MEASURES
from hypercone.queries.answers import Answer, Relative, Results, SetSimilarity
from hypercone.queries.questions import (
    PAIR,
    QUESTIONS,
    TEXT,
    TWO,
    Question,
    QuestionInput,
    above_point,
    set_similarity,
)
from hypercone.service.errors import bad_request, too_large
from hypercone.service.models import Model, NoSuchRow, place
from hypercone.service.requests import PLACE, SETS, Request, many_of, one_of
from hypercone.service.workers import Deadline

# The maximal number of items in one answer: about 10 MB of JSON, which is written quickly.
MOST_LISTED = 100_000


@dataclass(frozen=True)
class Operation:
    """One method of one path."""

    path: str
    method: str
    summary: str
    takes: type[Request]
    answer: Callable[[Model, Any, Deadline], Answer]
    gives: type[Answer]
    # The type of the items if the answer is a list.
    of: type[Answer] | None = None
    # Fast enough to be answered in the event loop, without a thread.
    is_quick: bool = False


def operations() -> Iterator[Operation]:
    """GET asks about one item and POST about many; questions about a group of nodes have only POST."""
    for name, question in QUESTIONS.items():
        path, gives, is_quick = f"/v1/{name}", question.gives, question.in_columns is not None
        many = many_of(name, question)
        if question.is_open:
            yield Operation(path, "POST", question.summary, many, partial(answer_groups, question), gives, gives)
            continue
        yield Operation(
            path, "GET", question.summary, one_of(name, question), partial(answer_one, question), gives, None, is_quick
        )
        answer, summary = partial(answer_many, question), "The same for many at once"
        if question.in_columns is None:
            yield Operation(path, "POST", summary, many, answer, Results, gives)
        else:
            columns = get_type_hints(question.in_columns)["return"]
            yield Operation(path, "POST", summary, many, answer, columns, None, is_quick)
    summary = (SetSimilarity.__doc__ or "").removesuffix(".")
    yield Operation("/v1/set-similarity", "POST", summary, SETS, compare_sets, SetSimilarity)
    summary = "Where a new node under some parents would be placed; the served model does not change"
    yield Operation("/v1/place", "POST", summary, PLACE, place_node, Placed)


def answer_one(question: Question, model: Model, request: Any, deadline: Deadline) -> Answer:
    """The answer about one node, one pair or one text."""
    rows = model.rows
    if question.arguments == PAIR:
        child, parent = rows[request.child], rows[request.parent]
        energy = model.energy(child, parent) if question.in_columns is not None else None
        return question.respond(
            QuestionInput(model.embedding, (child, parent), 0, "", energy, by_of(question, model, request))
        )
    limit, by, measure = limit_of(question, request), by_of(question, model, request), measure_of(request)
    if question.arguments == TEXT:
        asked = QuestionInput(model.embedding, (), limit, request.text)
    elif question.arguments == TWO:
        pair = rows[request.name], rows[request.other]
        asked = QuestionInput(model.embedding, pair, limit, by=by, measure=measure)
    else:
        asked = QuestionInput(model.embedding, (rows[request.name],), limit, by=by, measure=measure)
    return _answer_each([asked], question, deadline)[0]


def answer_many(question: Question, model: Model, request: Any, deadline: Deadline) -> Answer:
    """The answers about many items, in the order of the request."""
    embedding, limit, by = model.embedding, limit_of(question, request), by_of(question, model, request)
    if question.arguments == PAIR:
        pairs = _rows_of_pairs(model, request.pairs)
        if question.in_columns is not None:
            return question.in_columns(embedding, pairs, by)
        asked = [QuestionInput(embedding, pair, by=by) for pair in pairs.tolist()]
    elif question.arguments == TEXT:
        asked = [QuestionInput(embedding, (), limit, text) for text in request.texts]
    else:
        if question.arguments == TWO:
            groups = _rows_of_pairs(model, request.pairs).tolist()
        else:
            groups = [(row,) for row in rows_of(model, request.names, "names")]
        measure = measure_of(request)
        asked = [QuestionInput(embedding, rows, limit, by=by, measure=measure) for rows in groups]
    return Results(_answer_each(asked, question, deadline))


def answer_groups(question: Question, model: Model, request: Any, deadline: Deadline) -> Answer:
    """The answer about one group of nodes, or the answers about several groups."""
    if (request.names is UNSET) == (request.groups is UNSET):
        raise bad_request("give either names, for one group of nodes, or groups, for several")
    embedding, limit, by = model.embedding, limit_of(question, request), by_of(question, model, request)
    if request.groups is UNSET:
        rows = rows_of(model, request.names, "names")
        return _answer_each([QuestionInput(embedding, rows, limit, by=by)], question, deadline)[0]
    groups = [rows_of(model, group, f"groups[{index}]", index) for index, group in enumerate(request.groups)]
    asked = [QuestionInput(embedding, rows, limit, by=by) for rows in groups]
    return Results(_answer_each(asked, question, deadline))


def compare_sets(model: Model, request: Any, deadline: Deadline) -> SetSimilarity:
    """The similarity of two sets of nodes."""
    rows, others = (rows_of(model, getattr(request, field), field) for field in ("names", "others"))
    try:
        return set_similarity(QuestionInput(model.embedding, rows, measure=measure_of(request)), others)
    except InputError as error:
        raise bad_request(str(error)) from None


def measure_of(request: Any) -> str:
    """The measure of similarity, or the default."""
    measure = getattr(request, "measure", UNSET)
    return MEASURES[0] if measure is UNSET else str(measure)


def by_of(question: Question, model: Model, request: Any) -> str | None:
    """What should answer, graph or geometry; None for the default of the model."""
    by = getattr(request, "by", UNSET)
    if by is UNSET:
        return None
    if by == "graph" and model.embedding.edges is None:
        raise bad_request("the model has no edges, so only its geometry can answer; leave out by")
    return str(by)


def limit_of(question: Question, request: Any) -> int:
    """The maximal number to list, at most one more than may be sent, so that too large an answer is noticed early."""
    if question.limit is None:
        return 0
    limit = request.limit if request.limit is not UNSET else getattr(request, "count", UNSET)
    limit = question.limit if limit is UNSET else limit
    return min(limit or MOST_LISTED + 1, MOST_LISTED + 1)


def _answer_each(asked: Sequence[QuestionInput], question: Question, deadline: Deadline) -> list[Answer]:
    """The answers; a refusal if they take too long or list too much."""
    answers: list[Answer] = []
    listed = 0
    for one in asked:
        deadline.check()
        try:
            answers.append(question.respond(one))
        except InputError as error:
            # The graph alone answers some questions, and does not know every node.
            raise bad_request(str(error)) from None
        listed += _size(answers[-1]) if question.limit is not None else 0
        if listed > MOST_LISTED:
            raise too_large(f"the answer would list more than {MOST_LISTED:,} names; ask for fewer, or with a limit")
    return answers


def _size(answer: Answer) -> int:
    parts = [getattr(answer, name) for name in answer.__slots__]
    return max((len(part) for part in parts if type(part) is list), default=0)


def rows_of(model: Model, names: Sequence[str], place: str, index: int | None = None) -> list[int]:
    """The rows of the names; an unknown name is refused with its place in the request and its index."""
    try:
        return [*map(model.rows.__getitem__, names)]
    except NoSuchRow as missing:
        at = names.index(missing.text)
        raise missing.at(f"{place}[{at}]", at if index is None else index) from None


def _rows_of_pairs(model: Model, pairs: Sequence[Any]) -> Any:
    flat = [name for pair in pairs for name in (pair if type(pair) is tuple else astuple(pair))]
    try:
        # Converting a list to a standard-library array takes half the time of a NumPy array.
        rows = array("i", [*map(model.rows.__getitem__, flat)])
    except NoSuchRow as missing:
        index, side = divmod(flat.index(missing.text), 2)
        if type(pairs[index]) is tuple:
            # As in the first release, whose errors had no index.
            raise missing.at(f"pairs[{index}][{side}]", None) from None
        raise missing.at(f"pairs[{index}].{pairs[index].__struct_fields__[side]}", index) from None
    return np.frombuffer(rows, np.intc).reshape(-1, 2)


@dataclass(slots=True)
class Placed(Answer):
    """The point for a new node, its ancestors, and the requested constraints that are not satisfied."""

    point: list[float]
    ancestors: list[Relative]
    missing_parents: list[str]
    unwanted: list[str]
    by: By = "geometry"


def place_node(model: Model, request: Any, deadline: Deadline) -> Placed:
    """The point for a new node under some nodes and not under others, and its ancestors."""
    constraints = request.parents, () if request.not_under is UNSET else request.not_under
    parents, not_under = (
        [model.names[row] for row in rows_of(model, names, field)]
        for names, field in zip(constraints, ("parents", "not_under"), strict=True)
    )
    try:
        point = place(model.embedding, parents, not_under)
    except InputError as error:
        raise bad_request(str(error)) from None
    above, _ = above_point(model.embedding, point)
    found = {each.name for each in above}
    missing = [name for name in dict.fromkeys(parents) if name not in found]
    return Placed(point, above, missing, [name for name in dict.fromkeys(not_under) if name in found])


OPERATIONS = tuple(operations())
