"""Answers that are lists of nodes: ancestors, descendants, the nearest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypercone.embedding.relations import ancestors_of, descendants_of
from hypercone.methods.scoring import Rows
from hypercone.service.deadline import Deadline
from hypercone.service.models import Model
from hypercone.service.refusals import too_large

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
