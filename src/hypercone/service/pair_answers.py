"""Answers about a child and a parent, or many of them: is it one, and by how much."""

from __future__ import annotations

from typing import Any

from hypercone.service.deadline import Deadline
from hypercone.service.models import Model

Values = dict[str, Any]


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
