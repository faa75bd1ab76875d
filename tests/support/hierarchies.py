"""Hierarchies of every shape, their names and edges, and the relations among their nodes as boolean matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hypercone.hierarchy import Hierarchy
from hypercone.methods import Settings, find_method
from hypercone.methods.scoring import Scorer


def forest_of(parents):
    """The forest in which row i has the parent parents[i]; -1 for a root."""
    parents = np.asarray(parents)
    children = np.flatnonzero(parents >= 0)
    return Hierarchy([str(row) for row in range(len(parents))], np.stack([parents[children], children], axis=1))


def chain(count):
    return forest_of(np.arange(count) - 1)


def star(count):
    return forest_of(np.where(np.arange(count) > 0, 0, -1))


def binary_tree(height):
    return forest_of((np.arange(2 ** (height + 1) - 1) + 1) // 2 - 1)


def caterpillar(count):
    """A chain in which every node also has a leaf."""
    rows = np.arange(count)
    return forest_of(np.where(rows % 2 == 0, rows - 2, rows - 1).clip(-1))


def random_tree(count, seed=0):
    """Each node is under a random earlier one."""
    parents = (np.random.default_rng(seed).random(count) * np.arange(count)).astype(int)
    parents[0] = -1
    return forest_of(parents)


def deep_random_tree(count, height=40, seed=0):
    """A random tree of this height, with most nodes in its lower half."""
    random = np.random.default_rng(seed)
    parents = np.arange(count) - 1
    depths = np.zeros(count, int)
    for row in range(1, count):
        if row > height:
            parents[row] = row - 1 - int((row - 1) * random.random() ** 2)
            while depths[parents[row]] >= height:
                parents[row] = random.integers(row)
        depths[row] = depths[parents[row]] + 1
    return forest_of(parents)


def random_dag(count, seed=0, most_parents=3):
    """Up to three parents per node, so that no forest keeps everything."""
    random = np.random.default_rng(seed)
    edges = [
        (int(parent), child)
        for child in range(1, count)
        for parent in set(random.integers(0, child, random.integers(0, most_parents + 1)).tolist())
    ]
    return Hierarchy([str(row) for row in range(count)], np.array(edges, int).reshape(-1, 2))


SHAPES = (chain, star, binary_tree, caterpillar, random_tree, deep_random_tree, random_dag)


def shape(name: str, *size: int, **more: Any) -> Hierarchy:
    return next(make for make in SHAPES if make.__name__ == name)(*size, **more)


@st.composite
def dags(draw, most_nodes: int = 25, most_edges: int = 60) -> Hierarchy:
    """Small hierarchies with duplicate and implied edges, several roots and isolated nodes, and rows in any order."""
    count = draw(st.integers(1, most_nodes))
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda pair: pair[0] != pair[1])
    drawn = draw(st.lists(ends, max_size=most_edges)) if count > 1 else []
    order = draw(st.permutations(range(count)))
    edges = [[order[min(pair)], order[max(pair)]] for pair in drawn]
    return Hierarchy([str(row) for row in range(count)], np.array(edges, int).reshape(-1, 2))


def closure_matrix(hierarchy: Hierarchy) -> np.ndarray:
    """Whether each row is an ancestor of each other row in the hierarchy."""
    above = np.zeros((len(hierarchy), len(hierarchy)), bool)
    above[tuple(hierarchy.closure().T)] = True
    return above


def forest_matrix(parents: Any) -> np.ndarray:
    """Whether each row is an ancestor of each other row in a forest."""
    above = np.zeros((len(parents), len(parents)), bool)
    for row in range(len(parents)):
        parent = parents[row]
        while parent >= 0:
            above[parent, row] = True
            parent = parents[parent]
    return above


def cone_matrix(points: np.ndarray, K: float = 0.1) -> np.ndarray:
    """By brute force over all pairs: whether the cone of each row contains each other row."""
    method, settings = find_method("hyperbolic-cones"), Settings(K=K)
    contains = np.array([Scorer(points, method, settings).energies_below(row) <= 0 for row in range(len(points))])
    np.fill_diagonal(contains, False)
    return contains


# Any text that is a valid name of a node.
valid_names = st.text(st.characters(exclude_characters="\t\n\r\0", exclude_categories=["Cs"]), min_size=1, max_size=5)


def edges_of(hierarchy: Hierarchy) -> list[tuple[str, str]]:
    """The edges as (parent, child) names, in their order."""
    return [(hierarchy.names[parent], hierarchy.names[child]) for parent, child in hierarchy.edges.tolist()]


def acyclic(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs without self-loops, each from the smaller to the larger name, so that there is no cycle."""
    return [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]


def chain_of_edges(length: int) -> Hierarchy:
    """n0 → n1 → … with so many edges."""
    return Hierarchy.from_pairs([(f"n{i}", f"n{i + 1}") for i in range(length)])


def random_hierarchy(size: int, seed: int = 0, isolated: int = 0) -> Hierarchy:
    """Two random parents per node, and some nodes without an edge."""
    random = np.random.default_rng(seed)
    children = np.repeat(np.arange(1, size), 2)
    parents = (random.random(len(children)) * children).astype(np.int64)
    return Hierarchy([f"n{i}" for i in range(size + isolated)], np.stack([parents, children], axis=1))
