"""Models to add to: a small tree for every method, and mammals with a hundred leaves left out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import hypercone
from hypercone import Embedding, Hierarchy

EDGES = [
    ("animal", "bird"),
    ("animal", "mammal"),
    ("animal", "fish"),
    ("bird", "owl"),
    ("bird", "penguin"),
    ("mammal", "dog"),
    ("mammal", "cat"),
    ("dog", "poodle"),
    ("dog", "beagle"),
    ("fish", "eel"),
]
LEFT_OUT = 100


@pytest.fixture(scope="session")
def animals() -> Hierarchy:
    return Hierarchy.from_pairs(EDGES)


@pytest.fixture(scope="session")
def fitted(animals: Hierarchy) -> Callable[[str], Embedding]:
    """A model of the animals by a method, fitted once."""
    models: dict[str, Embedding] = {}

    def fit(method: str) -> Embedding:
        if method not in models:
            models[method] = hypercone.fit(animals, method=method, epochs=300, init_epochs=300)
        return models[method]

    return fit


@pytest.fixture(scope="session")
def model(fitted: Callable[[str], Embedding]) -> Embedding:
    return fitted("hyperbolic-cones")


@pytest.fixture(scope="session")
def mammals() -> Hierarchy:
    return hypercone.load_dataset("wordnet-mammals")


@pytest.fixture(scope="session")
def left_out(mammals: Hierarchy) -> dict[str, list[str]]:
    """A hundred leaves by name, with their parents."""
    rows = np.random.default_rng(7).choice(mammals.leaf_rows, LEFT_OUT, replace=False).tolist()
    return {mammals.names[row]: [mammals.names[parent] for parent in mammals.parent_lists[row]] for row in rows}


@pytest.fixture(scope="session")
def mammals_without(mammals: Hierarchy, left_out: dict[str, list[str]]) -> Embedding:
    """A model that has never seen them."""
    return hypercone.fit(mammals.drop(left_out), method="hyperbolic-cones", epochs=100, init_epochs=100)
