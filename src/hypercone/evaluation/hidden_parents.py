"""Edges hidden so that nothing left implies them: second parents, and the places of whole subtrees."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows
from hypercone.errors import InputError, unknown_name
from hypercone.evaluation.suggestions import Damaged, check_share, with_edges
from hypercone.hierarchy import Hierarchy

Kind = Literal["secondary", "attachment"]
KINDS: tuple[Kind, ...] = ("secondary", "attachment")


def hide_parents(
    hierarchy: Hierarchy, kind: Kind, *, count: int | None = None, share: float | None = None, seed: int = 0
) -> Damaged:
    """What is left of a hierarchy, and the (parent, child) rows hidden, by child; names and rows stay.

    "secondary": of some nodes with several parents one parent each is hidden, and the others stay. "attachment": of
    some nodes that have children every parent is hidden, so that all that is known of the node is below it. ``count``
    nodes, or a ``share`` of those that can.

    Only basic edges are hidden, and only basic edges stay. A basic edge is the one way from its parent to its child,
    so no hidden edge follows from what is left, however many are hidden; and an edge that others imply, left in, would
    tell of a hidden one.

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "pet"), ("dog", "lapdog"), ("pet", "lapdog")])
    >>> left, links = hide_parents(pets, "secondary", count=1)
    >>> len(left.edges), links.tolist()
    (3, [[1, 3]])
    >>> left, links = hide_parents(pets, "attachment", share=1.0)
    >>> left.in_words(), links.tolist()
    (['lapdog is a dog', 'lapdog is a pet'], [[0, 1], [0, 2]])
    """
    if kind not in KINDS:
        raise unknown_name("kind of hidden parents", str(kind), KINDS)
    if (count is None) == (share is None):
        raise InputError("count and share both say how much to hide; give one of them")
    random = np.random.default_rng(seed)
    basic = hierarchy.reduction()
    nodes = nodes_to_hide_from(hierarchy, kind)
    wanted = _wanted(len(nodes), count, share)
    chosen = np.zeros(len(hierarchy), np.bool_)
    chosen[random.choice(nodes, wanted, replace=False)] = True
    hidden = chosen[basic[:, 1]]
    if kind == "secondary":
        hidden &= _one_a_child(basic, random)
    return Damaged(with_edges(hierarchy, basic[~hidden]), basic[hidden])


def nodes_to_hide_from(hierarchy: Hierarchy, kind: Kind) -> Rows:
    """The rows that can lose a parent: with two basic ones, or with one and a child; InputError if there are none."""
    parents = np.bincount(hierarchy.reduction()[:, 1], minlength=len(hierarchy))
    can = parents >= 2 if kind == "secondary" else (parents >= 1) & (hierarchy.children.counts > 0)
    rows = np.flatnonzero(can).astype(np.int32)
    if len(rows) == 0:
        lacking = "several parents" if kind == "secondary" else "both a parent and a child"
        raise InputError(f"no node has {lacking}, so there is nothing to hide; another hierarchy is needed")
    return rows


def _wanted(available: int, count: int | None, share: float | None) -> int:
    if share is not None:
        check_share("share", share)
        return max(1, round(share * available))
    assert count is not None
    if not 1 <= count <= available:
        raise InputError(f"count is {count}, but must be from 1 to {available}, the nodes that can lose a parent")
    return count


def _one_a_child(basic: Rows, random: np.random.Generator) -> NDArray[np.bool_]:
    """For each edge, by child, whether it is the one drawn for its child."""
    shuffled = random.permutation(len(basic))
    # The first of each child in a random order is a random one of each child.
    _, first = np.unique(basic[shuffled, 1], return_index=True)
    drawn = np.zeros(len(basic), np.bool_)
    drawn[shuffled[first]] = True
    return drawn
