"""Hierarchies with links taken out or put in on purpose, to see whether they are found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hypercone.errors import InputError
from hypercone.hierarchy import Hierarchy
from hypercone.methods.scoring import Rows

# A node to which almost everything is related is given up on after so many draws.
DRAWS = 20


class Damaged(NamedTuple):
    """The changed hierarchy, and the (parent, child) rows of the links that were hidden or planted."""

    hierarchy: Hierarchy
    links: Rows


def hide_links(hierarchy: Hierarchy, share: float, seed: int = 0) -> Damaged:
    """For a share of the nodes that can, one link to a parent is replaced by links to that parent's parents.

    So the node stays where it was, one step less specific. Only basic edges are hidden, which no others imply.

    >>> chain = Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle")])
    >>> hide_links(chain, share=1.0).hierarchy.in_words()
    ['dog is an animal', 'poodle is an animal']
    """
    check_share("hidden", share)
    basic = hierarchy.reduction()
    basic = basic[hierarchy.parents.counts[basic[:, 0]] > 0]
    if len(basic) == 0:
        raise InputError("no node is two steps below a root, so there is no link to hide; a deeper hierarchy is needed")
    random = np.random.default_rng(seed)
    # The first link of each node in a random order is a random link of each node.
    shuffled = basic[random.permutation(len(basic))]
    _, first = np.unique(shuffled[:, 1], return_index=True)
    chosen = np.sort(random.choice(first, max(1, round(share * len(first))), replace=False))
    links = shuffled[chosen]
    hidden = set(map(tuple, links.tolist()))
    kept = [edge for edge in hierarchy.edges.tolist() if tuple(edge) not in hidden]
    raised = [[above, child] for parent, child in links.tolist() for above in hierarchy.parents[parent].tolist()]
    return Damaged(with_edges(hierarchy, kept + raised), links)


def plant_links(hierarchy: Hierarchy, share: float, seed: int = 0) -> Damaged:
    """Wrong links are added, a share of the number of edges: a node is put under another that is no relative of it.

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle"), ("stone", "ruby")])
    >>> len(plant_links(pets, share=0.3).hierarchy.edges)
    4
    """
    check_share("planted", share)
    random = np.random.default_rng(seed)
    inner = np.flatnonzero(hierarchy.children.counts)
    children = random.permutation(np.flatnonzero(hierarchy.parents.counts)).tolist()
    parents_of = {row: hierarchy.parents[row].tolist() for row in range(len(hierarchy))}
    wanted, links = max(1, round(share * len(hierarchy.edges))), []
    for child in children:
        for parent in random.choice(inner, DRAWS).tolist():
            if parent != child and parent not in _above(child, parents_of) and child not in _above(parent, parents_of):
                parents_of[child].append(parent)
                links.append([parent, child])
                break
        if len(links) == wanted:
            break
    if not links:
        raise InputError("every node is a relative of every other, so no wrong link can be planted")
    return Damaged(with_edges(hierarchy, hierarchy.edges.tolist() + links), np.array(links, np.int32))


def _above(row: int, parents_of: dict[int, list[int]]) -> set[int]:
    found: set[int] = set()
    waiting = [row]
    while waiting:
        new = set(parents_of[waiting.pop()]) - found
        found |= new
        waiting += new
    return found


def with_edges(hierarchy: Hierarchy, edges: ArrayLike) -> Hierarchy:
    """The same nodes, names and labels with other edges, sorted."""
    rows = np.unique(np.array(edges, np.int32).reshape(-1, 2), axis=0)
    return Hierarchy(hierarchy.names, rows, hierarchy.labels)


def check_share(name: str, share: float) -> None:
    """InputError unless it is above 0 and at most 1."""
    if not 0 < share <= 1:
        raise InputError(f"{name} is {share}, but must be a share above 0 and at most 1")
