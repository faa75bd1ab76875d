"""Names, edges and small hierarchies for tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hypercone.hierarchy import Hierarchy

# Any text that is a valid name of a node.
valid_names = st.text(st.characters(exclude_characters="\t\n\r\0", exclude_categories=["Cs"]), min_size=1, max_size=5)


def edges_of(hierarchy: Hierarchy) -> list[tuple[str, str]]:
    """The edges as (parent, child) names, in their order."""
    return [(hierarchy.names[parent], hierarchy.names[child]) for parent, child in hierarchy.edges.tolist()]


def acyclic(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs without self-loops, each from the smaller to the larger name, so that there is no cycle."""
    return [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]


def chain(length: int) -> Hierarchy:
    """n0 → n1 → … with so many edges."""
    return Hierarchy.from_pairs([(f"n{i}", f"n{i + 1}") for i in range(length)])


def random_hierarchy(size: int, seed: int = 0, isolated: int = 0) -> Hierarchy:
    """Two random parents per node, and some nodes without an edge."""
    random = np.random.default_rng(seed)
    children = np.repeat(np.arange(1, size), 2)
    parents = (random.random(len(children)) * children).astype(np.int64)
    return Hierarchy([f"n{i}" for i in range(size + isolated)], np.stack([parents, children], axis=1))
