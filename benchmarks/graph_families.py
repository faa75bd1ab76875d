"""Graphs of about n nodes in a few families, from trees to grids, to see how work grows with the graph.

Every parent has a smaller number than its children, so there is no cycle, and no edge is there twice. All are drawn
with fixed seeds, by arithmetic that is the same on every machine. Ten million nodes take seconds and half a gigabyte.

*tree*: 17 levels whose sizes are as the binomial coefficients of 16, but at least 1, so that at every size the depth is
16 and the mean depth 8, about as in WordNet. Each node draws its parent in the level above, where a node has the weight
1 / (u + 0.02)² for a uniform u: some have fifty times as many children as the mean, and four of five have none. Nodes
are numbered level by level, and within a level by parent.

*near*: the same tree, where a share of the nodes has a second parent near the first: a sibling or cousin of the parent,
with a common ancestor one to three levels above it; for some of them one level higher, as a sibling or cousin of the
grandparent. No edge follows from others.

*anywhere*: the same tree, where a share of the nodes has a second parent with any smaller number. A few edges follow
from others, by chance, and the longest paths are longer.

*ladder*: diamonds, where the bottom of each is the top of the next. *chain with one diamond*: in its middle. *grid*: a
square, each node below its upper and its left neighbor. *bipartite*: a tenth of the nodes are roots; each of the others
is below two or three of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone import Hierarchy
from hypercone.errors import InputError

Rows = NDArray[np.int32]

DEPTH = 16
# Added to u in the weight of a node; less makes larger families and more leaves.
EVENNESS = 0.02
# How far the common ancestor of near parents is above them, at most, and the share of second parents one level higher.
MOST_STEPS_UP = 3
HIGHER = 0.25
# Of the tree, and of what is added to it.
TREE_SEED, MORE_SEED = 0, 1


class Graph(NamedTuple):
    """The number of nodes, and (parent, child) rows."""

    nodes: int
    edges: Rows


class Tree(NamedTuple):
    """By node its parent (for the root itself), its level, and its first child, with one entry more to end the last."""

    parents: Rows
    levels: NDArray[np.int8]
    starts: Rows


def make_hierarchy(graph: Graph) -> Hierarchy:
    """The graph as a hierarchy, with numbers as names."""
    return Hierarchy(map(str, range(graph.nodes)), graph.edges)


def level_sizes(nodes: int) -> list[int]:
    """The number of nodes on each level of a tree.

    >>> level_sizes(1_000)
    [1, 1, 2, 9, 28, 67, 122, 175, 190, 175, 122, 67, 28, 9, 2, 1, 1]
    """
    sizes = [max(1, round(nodes * math.comb(DEPTH, level) / 2**DEPTH)) for level in range(DEPTH + 1)]
    # There is one root, and the largest level makes the sum right.
    sizes[0], middle = 1, DEPTH // 2
    sizes[middle] += nodes - sum(sizes)
    if sizes[middle] < 1:
        raise InputError(f"a tree of {DEPTH + 1} levels cannot have {nodes} nodes; take 50 or more")
    return sizes


def draw_tree(nodes: int) -> Tree:
    """The tree of the docstring above."""
    rng = np.random.default_rng(TREE_SEED)
    sizes = level_sizes(nodes)
    parents, first = [np.zeros(1, np.int32)], 0
    for above, size in pairwise(sizes):
        weights = np.cumsum(1 / (rng.random(above) + EVENNESS) ** 2)
        drawn = np.searchsorted(weights, np.sort(rng.random(size)) * weights[-1], side="right")
        # Rounding could make the last one too large by one.
        parents.append((first + np.minimum(drawn, above - 1)).astype(np.int32))
        first += above
    found = np.concatenate(parents)
    starts = np.ones(nodes + 1, np.int32)
    starts[1:] += np.cumsum(np.bincount(found[1:], minlength=nodes), dtype=np.int32)
    return Tree(found, np.repeat(np.arange(DEPTH + 1, dtype=np.int8), sizes), starts)


def tree(nodes: int) -> Graph:
    """A random tree of 17 levels."""
    parents = draw_tree(nodes).parents
    return Graph(nodes, _pairs(parents[1:], _numbers(1, nodes)))


def near(nodes: int, share: float) -> Graph:
    """The tree, with near second parents of a share of the nodes."""
    drawn = draw_tree(nodes)
    children, second = near_parents(drawn, share)
    return _with_second(drawn.parents, children, second)


def near_parents(drawn: Tree, share: float) -> tuple[Rows, Rows]:
    """Children, and for each a second parent that is near the first; a few nodes have nobody near."""
    rng = np.random.default_rng(MORE_SEED)
    children = _some(rng, len(drawn.parents), share)
    top = first = drawn.parents[children]
    steps = rng.integers(1, MOST_STEPS_UP, len(children), np.int8, endpoint=True)
    for step in range(MOST_STEPS_UP):
        top = np.where(steps > step, drawn.parents[top], top)
    # Near the root it is fewer steps.
    steps = drawn.levels[first] - drawn.levels[top]
    is_higher = (rng.random(len(children), np.float32) < HIGHER) & (steps > 1)
    known = np.where(is_higher, drawn.parents[first], first)
    steps -= is_higher
    # Numbers are such that what is on one level below a node, or below successive nodes, is successive.
    start, stop = top, top + 1
    for step in range(MOST_STEPS_UP):
        start = np.where(steps > step, drawn.starts[start], start)
        stop = np.where(steps > step, drawn.starts[stop], stop)
    others = stop - start - 1
    second = start + _below(rng, others)
    second += second >= known
    # Edges span one level or two, so the only ancestors of a parent on the level above it are its own parents.
    seconds = np.full(len(drawn.parents), -1, np.int32)
    seconds[children] = np.where(others > 0, second, -1)
    is_used = (others > 0) & (second != seconds[first])
    return children[is_used], second[is_used]


def anywhere(nodes: int, share: float) -> Graph:
    """The tree, with second parents of a share of the nodes among all nodes with smaller numbers."""
    rng = np.random.default_rng(MORE_SEED)
    parents = draw_tree(nodes).parents
    children = _some(rng, nodes, share)
    children = children[children > 1]
    second = _below(rng, children - 1)
    second += second >= parents[children]
    return _with_second(parents, children, second)


def ladder(nodes: int) -> Graph:
    """A chain of diamonds: top, left, right and bottom, which is the next top."""
    tops = 3 * np.arange((nodes - 1) // 3, dtype=np.int32)
    steps = ((0, 1), (0, 2), (1, 3), (2, 3))
    edges = [_pairs(tops + above, tops + below) for above, below in steps]
    return Graph(3 * len(tops) + 1, np.concatenate(edges))


def chain_with_one_diamond(nodes: int) -> Graph:
    """A chain with a diamond in its middle."""
    top = nodes // 2 - 2
    chain = _numbers(1, nodes)
    # Left and right are the two after the top.
    parents = chain - 1
    parents[top + 1] = top
    return Graph(nodes, np.concatenate([_pairs(parents, chain), np.array([[top + 1, top + 3]], np.int32)]))


def grid(nodes: int) -> Graph:
    """A square, each node below its upper and its left neighbor."""
    side = math.isqrt(nodes)
    numbers = _numbers(0, side * side)
    lower, right = numbers[side:], numbers[numbers % side > 0]
    return Graph(side * side, np.concatenate([_pairs(lower - side, lower), _pairs(right - 1, right)]))


def bipartite(nodes: int) -> Graph:
    """Two levels: each of nine tenths is below two or three nodes of the first tenth."""
    rng = np.random.default_rng(MORE_SEED)
    above = max(3, nodes // 10)
    children = _numbers(above, nodes)
    first, second, third = (_below(rng, np.full(len(children), above - taken)) for taken in range(3))
    second += second >= first
    # Skips both, the smaller one first.
    third += third >= np.minimum(first, second)
    third += third >= np.maximum(first, second)
    has_third = rng.random(len(children), np.float32) < 0.5
    edges = [_pairs(first, children), _pairs(second, children), _pairs(third[has_third], children[has_third])]
    return Graph(nodes, np.concatenate(edges))


FAMILIES: dict[str, Callable[[int], Graph]] = {
    "tree": tree,
    "near 10 %": partial(near, share=0.1),
    "near 50 %": partial(near, share=0.5),
    "anywhere 10 %": partial(anywhere, share=0.1),
    "anywhere 50 %": partial(anywhere, share=0.5),
    "ladder": ladder,
    "chain with one diamond": chain_with_one_diamond,
    "grid": grid,
    "bipartite": bipartite,
}


def _numbers(start: int, stop: int) -> Rows:
    return np.arange(start, stop, dtype=np.int32)


def _pairs(parents: Rows, children: Rows) -> Rows:
    return np.stack([parents, children], axis=1)


def _some(rng: np.random.Generator, nodes: int, share: float) -> Rows:
    """About this share of the nodes, ascending."""
    return np.flatnonzero(rng.random(nodes, np.float32) < share).astype(np.int32)


def _below(rng: np.random.Generator, limits: NDArray[np.integer]) -> Rows:
    """A uniform number from 0 to each limit, exclusively."""
    return (rng.random(len(limits)) * limits).astype(np.int32)


def _with_second(parents: Rows, children: Rows, second: Rows) -> Graph:
    firsts = _pairs(parents[1:], _numbers(1, len(parents)))
    return Graph(len(parents), np.concatenate([firsts, _pairs(second, children)]))
