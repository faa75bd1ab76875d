"""Every question of the API as one line of a table: it routes, validates, answers and documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hypercone._arrays import Rows
from hypercone.embedding.relations import ancestors_of, descendants_of
from hypercone.errors import InputError, some
from hypercone.service.errors import malformed, too_large
from hypercone.service.models import Model, place
from hypercone.service.schema import Field, Pairs, Texts, Whole
from hypercone.service.workers import Deadline

Values = dict[str, Any]
# What one answer may list in all: some 5 MB of JSON, and nobody waits long while it is written.
MOST_LISTED = 100_000


def ancestors(model: Model, values: Values, deadline: Deadline) -> Values:
    """What the node is a kind of, the most general first."""
    return {"model": model.name} | _listing(model, values["name"], values["limit"], "ancestors", ancestors_of)


def descendants(model: Model, values: Values, deadline: Deadline) -> Values:
    """What is a kind of the node, the most general first."""
    return {"model": model.name} | _listing(model, values["name"], values["limit"], "descendants", descendants_of)


def nearest(model: Model, values: Values, deadline: Deadline) -> Values:
    """The nodes at the smallest distance, nearest first."""
    return {"model": model.name} | _near(model, values["name"], values["count"])


def ancestors_many(model: Model, values: Values, deadline: Deadline) -> Values:
    """The same for many nodes."""
    return _many(
        model, values, deadline, lambda name: _listing(model, name, values["limit"], "ancestors", ancestors_of)
    )


def descendants_many(model: Model, values: Values, deadline: Deadline) -> Values:
    """The same for many nodes."""
    return _many(
        model, values, deadline, lambda name: _listing(model, name, values["limit"], "descendants", descendants_of)
    )


def nearest_many(model: Model, values: Values, deadline: Deadline) -> Values:
    """The same for many nodes."""
    return _many(model, values, deadline, lambda name: _near(model, name, values["count"]))


def _listing(model: Model, name: str, limit: int, kind: str, find: Callable[..., Rows]) -> Values:
    row = model.rows[name]
    found = find(model.embedding, row)
    shown = found[: limit or None].tolist()
    return {"name": model.names[row], kind: [model.names[other] for other in shown], "count": len(found)}


def _near(model: Model, name: str, count: int) -> Values:
    own = model.names[model.rows[name]]
    found = model.embedding.nearest(own, count)
    return {"name": own, "nearest": [{"name": other, "distance": distance} for other, distance in found]}


def _many(model: Model, values: Values, deadline: Deadline, answer: Callable[[str], Values]) -> Values:
    results, listed = [], 0
    for name in values["names"]:
        deadline.check()
        results.append(answer(name))
        listed += max(len(part) for part in results[-1].values() if isinstance(part, list))
        if listed > MOST_LISTED:
            raise too_large(f"the answer would list more than {MOST_LISTED:,} names; ask for fewer, or with a limit")
    return {"model": model.name, "results": results}


def is_a(model: Model, values: Values, deadline: Deadline) -> Values:
    """Whether the child is a kind of the parent."""
    child, parent = model.rows[values["child"]], model.rows[values["parent"]]
    energy = model.energy(child, parent)
    return {
        "model": model.name,
        "child": model.names[child],
        "parent": model.names[parent],
        "is_a": energy <= model.threshold,
        "energy": energy,
        "threshold": model.threshold,
    }


def energy(model: Model, values: Values, deadline: Deadline) -> Values:
    """How far the child is from the parent's region."""
    child, parent = model.rows[values["child"]], model.rows[values["parent"]]
    return {
        "model": model.name,
        "child": model.names[child],
        "parent": model.names[parent],
        "energy": model.energy(child, parent),
    }


def is_a_many(model: Model, values: Values, deadline: Deadline) -> Values:
    """The same for many pairs."""
    energies = model.energies(values["pairs"])
    holds = (energies <= model.threshold).tolist()
    return {"model": model.name, "threshold": model.threshold, "is_a": holds, "energies": energies}


def energy_many(model: Model, values: Values, deadline: Deadline) -> Values:
    """The same for many pairs."""
    return {"model": model.name, "energies": model.energies(values["pairs"])}


def place_node(model: Model, values: dict[str, Any], deadline: Deadline) -> dict[str, Any]:
    """The point for a node under some parents and outside of others, and what is above that point."""
    parents = [model.names[model.rows[name]] for name in values["parents"]]
    not_under = [model.names[model.rows[name]] for name in values["not_under"] or ()]
    try:
        point = place(model.embedding, parents, not_under)
    except InputError as error:
        raise malformed(str(error)) from None
    above = model.embedding.ancestors_of_point(point)
    found = set(above)
    return {
        "model": model.name,
        "point": point,
        "ancestors": above,
        "missing_parents": [name for name in dict.fromkeys(parents) if name not in found],
        "unwanted": [name for name in dict.fromkeys(not_under) if name in found],
    }


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
        is_a,
        {**_PAIR, "is_a": _YES_OR_NO, "energy": _NUMBER, "threshold": _NUMBER},
        is_quick=True,
    ),
    Operation(
        "/v1/is-a",
        "POST",
        "The same for many pairs",
        (PAIRS,),
        is_a_many,
        {"threshold": _NUMBER, "is_a": _list(_YES_OR_NO), "energies": _list(_NUMBER)},
        is_quick=True,
    ),
    Operation(
        "/v1/energy",
        "GET",
        "How far a child is from the region of a parent",
        (CHILD, PARENT),
        energy,
        {**_PAIR, "energy": _NUMBER},
        is_quick=True,
    ),
    Operation(
        "/v1/energy",
        "POST",
        "The same for many pairs",
        (PAIRS,),
        energy_many,
        {"energies": _list(_NUMBER)},
        is_quick=True,
    ),
    Operation(
        "/v1/ancestors",
        "GET",
        "What a node is a kind of, the most general first",
        (NAME, LIMIT),
        ancestors,
        _ABOVE,
    ),
    Operation(
        "/v1/ancestors",
        "POST",
        "The same for many nodes",
        (NAMES, LIMIT),
        ancestors_many,
        {"results": _list(_object(_ABOVE))},
    ),
    Operation(
        "/v1/descendants",
        "GET",
        "What is a kind of a node, the most general first",
        (NAME, LIMIT),
        descendants,
        _BELOW,
    ),
    Operation(
        "/v1/descendants",
        "POST",
        "The same for many nodes",
        (NAMES, LIMIT),
        descendants_many,
        {"results": _list(_object(_BELOW))},
    ),
    Operation(
        "/v1/nearest",
        "GET",
        "The nodes at the smallest distance, nearest first",
        (NAME, COUNT),
        nearest,
        _NEAR,
    ),
    Operation(
        "/v1/nearest",
        "POST",
        "The same for many nodes",
        (NAMES, COUNT),
        nearest_many,
        {"results": _list(_object(_NEAR))},
    ),
    Operation(
        "/v1/place",
        "POST",
        "Where a new node under some parents would be; nothing that is served changes",
        (PARENTS, NOT_UNDER),
        place_node,
        _PLACED,
    ),
)


def with_model(fields: tuple[Field, ...], models: Sequence[str]) -> tuple[Field, ...]:
    """The fields and which model is asked, which must be said where there are several."""
    return (*fields, Field("model", f"which model to ask: {some(models)}", required=len(models) > 1))


def answer_schema(operation: Operation) -> dict[str, Any]:
    """What an answer looks like, in the words of JSON Schema."""
    return _object({"model": _TEXT, **operation.answers_with})
