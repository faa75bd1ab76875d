"""Every question of the API as one line of a table: it routes, validates, answers and documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hypercone.errors import some
from hypercone.service import list_answers, pair_answers, place_answers
from hypercone.service.deadline import Deadline
from hypercone.service.fields import Field, Pairs, Texts, Whole
from hypercone.service.models import Model

Answer = Callable[[Model, dict[str, Any], Deadline], dict[str, Any]]

MOST_PARENTS, MOST_NEAREST = 100, 10_000

CHILD = Field("child", "the name or label of the node that may be a kind of the parent")
PARENT = Field("parent", "the name or label of the node that it may be a kind of")
NAME = Field("name", "the name or label of a node")
NAMES = Texts("names", "names or labels of nodes")
PAIRS = Pairs("pairs", "pairs of [child, parent], each by name or label")
LIMIT = Whole("limit", "the most names to list, 0 for all", required=False, default=0, most=1_000_000)
COUNT = Whole("count", "how many nodes", required=False, default=10, least=1, most=MOST_NEAREST)
PARENTS = Texts("parents", "what the new node is", least=1, most=MOST_PARENTS)
NOT_UNDER = Texts("not_under", "what the new node is not", required=False, most=MOST_PARENTS)


@dataclass(frozen=True)
class Operation:
    """One method of one path: what it takes, who answers, and what the answer has beside the model's name."""

    path: str
    method: str
    summary: str
    fields: tuple[Field, ...]
    answer: Answer
    answers_with: dict[str, Any]
    # Quick enough to be answered between two other requests, where a thread would only be a detour.
    is_quick: bool = False


def _object(members: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(members), "additionalProperties": False, "properties": members}


def _list(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


_TEXT, _NUMBER, _YES_OR_NO = {"type": "string"}, {"type": "number"}, {"type": "boolean"}
_COUNT = {"type": "integer", "minimum": 0}
_PAIR = {"child": _TEXT, "parent": _TEXT}
_ABOVE = {"name": _TEXT, "ancestors": _list(_TEXT), "count": _COUNT}
_BELOW = {"name": _TEXT, "descendants": _list(_TEXT), "count": _COUNT}
_NEAR = {"name": _TEXT, "nearest": _list(_object({"name": _TEXT, "distance": _NUMBER}))}
_PLACED = {
    "point": _list(_NUMBER),
    "ancestors": _list(_TEXT),
    "missing_parents": _list(_TEXT),
    "unwanted": _list(_TEXT),
}

OPERATIONS = (
    Operation(
        "/v1/is-a",
        "GET",
        "Whether a child is a kind of a parent",
        (CHILD, PARENT),
        pair_answers.is_a,
        {**_PAIR, "is_a": _YES_OR_NO, "energy": _NUMBER, "threshold": _NUMBER},
        is_quick=True,
    ),
    Operation(
        "/v1/is-a",
        "POST",
        "The same for many pairs",
        (PAIRS,),
        pair_answers.is_a_many,
        {"threshold": _NUMBER, "is_a": _list(_YES_OR_NO), "energies": _list(_NUMBER)},
        is_quick=True,
    ),
    Operation(
        "/v1/energy",
        "GET",
        "How far a child is from the region of a parent",
        (CHILD, PARENT),
        pair_answers.energy,
        {**_PAIR, "energy": _NUMBER},
        is_quick=True,
    ),
    Operation(
        "/v1/energy",
        "POST",
        "The same for many pairs",
        (PAIRS,),
        pair_answers.energy_many,
        {"energies": _list(_NUMBER)},
        is_quick=True,
    ),
    Operation(
        "/v1/ancestors",
        "GET",
        "What a node is a kind of, the most general first",
        (NAME, LIMIT),
        list_answers.ancestors,
        _ABOVE,
    ),
    Operation(
        "/v1/ancestors",
        "POST",
        "The same for many nodes",
        (NAMES, LIMIT),
        list_answers.ancestors_many,
        {"results": _list(_object(_ABOVE))},
    ),
    Operation(
        "/v1/descendants",
        "GET",
        "What is a kind of a node, the most general first",
        (NAME, LIMIT),
        list_answers.descendants,
        _BELOW,
    ),
    Operation(
        "/v1/descendants",
        "POST",
        "The same for many nodes",
        (NAMES, LIMIT),
        list_answers.descendants_many,
        {"results": _list(_object(_BELOW))},
    ),
    Operation(
        "/v1/nearest",
        "GET",
        "The nodes at the smallest distance, nearest first",
        (NAME, COUNT),
        list_answers.nearest,
        _NEAR,
    ),
    Operation(
        "/v1/nearest",
        "POST",
        "The same for many nodes",
        (NAMES, COUNT),
        list_answers.nearest_many,
        {"results": _list(_object(_NEAR))},
    ),
    Operation(
        "/v1/place",
        "POST",
        "Where a new node under some parents would be; nothing that is served changes",
        (PARENTS, NOT_UNDER),
        place_answers.place_node,
        _PLACED,
    ),
)


def with_model(fields: tuple[Field, ...], models: Sequence[str]) -> tuple[Field, ...]:
    """The fields and which model is asked, which must be said where there are several."""
    return (*fields, Field("model", f"which model to ask: {some(models)}", required=len(models) > 1))


def answer_schema(operation: Operation) -> dict[str, Any]:
    """What an answer looks like, in the words of JSON Schema."""
    return _object({"model": _TEXT, **operation.answers_with})
