"""Where a new node would be: nothing that is served changes."""

from __future__ import annotations

from typing import Any

from hypercone.errors import InputError
from hypercone.service.deadline import Deadline
from hypercone.service.models import Model, place
from hypercone.service.refusals import malformed


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
