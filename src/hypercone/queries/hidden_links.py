"""Hiding links of a hierarchy: what is hidden is known to be missing, so suggestions can be measured by it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hypercone._arrays import Rows
from hypercone.errors import InputError
from hypercone.hierarchy import Hierarchy


class Damaged(NamedTuple):
    """The changed hierarchy, and the (parent, child) rows of the links that were hidden or planted."""

    hierarchy: Hierarchy
    links: Rows


def hide_links(hierarchy: Hierarchy, share: float, seed: int = 0) -> Damaged:
    """Hide one link each of a share of the nodes that can lose one.

    A node with several parents loses one of them. A node with a single parent moves up to the parents of that parent,
    one step less specific. Only direct edges are hidden, and only direct edges stay, so that none reveals another.

    >>> chain = Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle")])
    >>> hide_links(chain, share=1.0).hierarchy.in_words()
    ['dog is an animal', 'poodle is an animal']
    """
    check_share("hidden", share)
    direct, parents = hierarchy.reduction(), hierarchy.lineage.parent_lists
    has_several = parents.counts[direct[:, 1]] > 1
    can_be_hidden = direct[has_several | (parents.counts[direct[:, 0]] > 0)]
    if len(can_be_hidden) == 0:
        raise InputError(
            "no node has several parents or is two steps below a root, so there is no link to hide; a deeper hierarchy"
            " is needed"
        )
    random = np.random.default_rng(seed)
    # The first link of each node in a shuffled list is a random link of that node.
    shuffled = can_be_hidden[random.permutation(len(can_be_hidden))]
    _, first = np.unique(shuffled[:, 1], return_index=True)
    chosen = np.sort(random.choice(first, max(1, round(share * len(first))), replace=False))
    links = shuffled[chosen]
    hidden = set(map(tuple, links.tolist()))
    remaining = [edge for edge in direct.tolist() if tuple(edge) not in hidden]
    raised = [
        [above, child]
        for parent, child in links.tolist()
        if parents.counts[child] == 1
        for above in parents[parent].tolist()
    ]
    return Damaged(with_edges(hierarchy, remaining + raised), links)


def with_edges(hierarchy: Hierarchy, edges: ArrayLike) -> Hierarchy:
    """A hierarchy with the same nodes, names and labels and the given edges, sorted."""
    rows = np.unique(np.array(edges, np.int32).reshape(-1, 2), axis=0)
    return Hierarchy(hierarchy.names, rows, hierarchy.labels)


def check_share(name: str, share: float) -> None:
    """Raise InputError unless the share is above 0 and at most 1."""
    if not 0 < share <= 1:
        raise InputError(f"{name} is {share}, but must be a share above 0 and at most 1")
