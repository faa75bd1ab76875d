"""A small tree that is embedded exactly, with and without labels."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import hypercone
from hypercone.embedding import Embedding

ANIMALS = [
    ("animal", "bird"),
    ("animal", "mammal"),
    ("bird", "owl"),
    ("bird", "pelican"),
    ("mammal", "dog"),
    ("mammal", "cat"),
    ("dog", "poodle"),
    ("dog", "beagle"),
]


@pytest.fixture(scope="session")
def animals(perfect: Callable[..., Embedding]) -> Embedding:
    return perfect(hypercone.Hierarchy.from_pairs(ANIMALS))


@pytest.fixture(scope="session")
def labeled(perfect: Callable[..., Embedding]) -> Embedding:
    """The same tree with identifiers as names; two nodes have the label pet, one has none."""
    tree = hypercone.Hierarchy.from_pairs(ANIMALS)
    labels = [{"poodle": "pet", "beagle": "pet", "owl": ""}.get(name, name) for name in tree.names]
    return perfect(hypercone.Hierarchy([f"A:{i}" for i in range(len(tree))], tree.edges, labels))
