"""Hierarchies of every shape, and who is really in whose cone."""

from __future__ import annotations

import numpy as np
import pytest

from hypercone.hierarchy import Hierarchy
from hypercone.methods import Settings, find_method
from hypercone.methods.scoring import Scorer


def _of_parents(parents):
    """The forest in which row i has the parent parents[i], or none for -1."""
    parents = np.asarray(parents)
    children = np.flatnonzero(parents >= 0)
    return Hierarchy([str(row) for row in range(len(parents))], np.stack([parents[children], children], axis=1))


def chain(count):
    return _of_parents(np.arange(count) - 1)


def star(count):
    return _of_parents(np.where(np.arange(count) > 0, 0, -1))


def binary_tree(height):
    return _of_parents((np.arange(2 ** (height + 1) - 1) + 1) // 2 - 1)


def caterpillar(count):
    """A chain of which every node has a leaf beside."""
    rows = np.arange(count)
    return _of_parents(np.where(rows % 2 == 0, rows - 2, rows - 1).clip(-1))


def random_tree(count, seed=0):
    """Each node under a random one before it."""
    parents = (np.random.default_rng(seed).random(count) * np.arange(count)).astype(int)
    parents[0] = -1
    return _of_parents(parents)


def deep_random_tree(count, height=40, seed=0):
    """A random tree with a way down of this many edges, most nodes hanging off its lower half."""
    random = np.random.default_rng(seed)
    parents = np.arange(count) - 1
    depths = np.zeros(count, int)
    for row in range(1, count):
        if row > height:
            parents[row] = row - 1 - int((row - 1) * random.random() ** 2)
            while depths[parents[row]] >= height:
                parents[row] = random.integers(row)
        depths[row] = depths[parents[row]] + 1
    return _of_parents(parents)


def random_dag(count, seed=0, most_parents=3):
    """Up to three parents a node, so that one forest cannot hold everything."""
    random = np.random.default_rng(seed)
    edges = [
        (int(parent), child)
        for child in range(1, count)
        for parent in set(random.integers(0, child, random.integers(0, most_parents + 1)).tolist())
    ]
    return Hierarchy([str(row) for row in range(count)], np.array(edges, int).reshape(-1, 2))


SHAPES = {
    shape.__name__: shape
    for shape in (chain, star, binary_tree, caterpillar, random_tree, deep_random_tree, random_dag)
}


@pytest.fixture(scope="session")
def shape():
    """shape(name, size): a hierarchy."""
    return lambda name, *size, **more: SHAPES[name](*size, **more)


def _capacity(points, K=0.1):
    """By brute force over all pairs: whether the cone of each row holds each other row."""
    method, settings = find_method("hyperbolic-cones"), Settings(K=K)
    held = np.array([Scorer(points, method, settings).energies_below(row) <= 0 for row in range(len(points))])
    np.fill_diagonal(held, False)
    return held


@pytest.fixture(scope="session")
def held():
    return _capacity


def _above(parents):
    """Whether each row is an ancestor of each other in a forest."""
    above = np.zeros((len(parents), len(parents)), bool)
    for row in range(len(parents)):
        parent = parents[row]
        while parent >= 0:
            above[parent, row] = True
            parent = parents[parent]
    return above


@pytest.fixture(scope="session")
def above():
    return _above
