"""Edges hidden so that nothing left implies them, and where each hidden parent ranks among all nodes.

Hidden are second parents, or the places of whole subtrees. Ranks are summed up by their mean reciprocal and by hits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows
from hypercone.errors import InputError, unknown_name
from hypercone.evaluation.damaged import Damaged, check_share, with_edges
from hypercone.hierarchy import Hierarchy
from hypercone.methods import Points

Kind = Literal["secondary", "attachment"]
KINDS: tuple[Kind, ...] = ("secondary", "attachment")

# From the rows of some nodes to a score of every node as the parent of each: a line a node, the higher the likelier.
ParentScorer = Callable[[Rows], Points]

CUTS = (1, 10, 100)
# Nodes scored together: a line of scores each, which for a million nodes is 8 MB.
PART = 32


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
    can = parents >= 2 if kind == "secondary" else (parents >= 1) & (hierarchy.child_lists.counts > 0)
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


@dataclass(frozen=True, eq=False)
class HiddenRanks:
    """The rank of each hidden parent, from 1, where equal scores share the middle of the ranks they take.

    Rivals of a hidden parent are all nodes but its child and what is known to be above or below the child. In
    ``ranks`` the other true ancestors of the child are no rivals either (the filtered setting), for to name one of them
    is not wrong. In ``strict_ranks`` they are: the parent itself is to be found, and nothing above it. ``too_general``
    and ``too_specific`` are how often the first of the strict ranking is above or below the hidden parent.
    """

    links: Rows
    ranks: Points
    strict_ranks: Points
    rivals: Points
    too_general: float
    too_specific: float

    @property
    def mrr(self) -> float:
        """The mean of 1/rank."""
        return float(np.mean(1 / self.ranks))

    @property
    def strict_mrr(self) -> float:
        """The same for the strict ranks."""
        return float(np.mean(1 / self.strict_ranks))

    @property
    def median(self) -> float:
        """The rank that half of the hidden parents do not exceed."""
        return float(np.median(self.ranks))

    @property
    def chance(self) -> float:
        """The MRR to expect from scores at random."""
        # The mean of 1/rank over m ranks is the harmonic number of m, divided by m.
        return float(np.mean([np.mean(1 / np.arange(1, count + 2)) for count in self.rivals.tolist()]))

    def hits(self, cut: int) -> float:
        """The share of the hidden parents among the first ``cut``."""
        return float(np.mean(self.ranks <= cut))

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; not the single ranks."""
        hits = {f"hits_{cut}": self.hits(cut) for cut in CUTS}
        return {
            "hidden": len(self.links),
            "mrr": self.mrr,
            **hits,
            "median": self.median,
            "strict_mrr": self.strict_mrr,
            "strict_hits_1": float(np.mean(self.strict_ranks <= 1)),
            "too_general": self.too_general,
            "too_specific": self.too_specific,
        }


def rank_hidden(score: ParentScorer, damaged: Damaged, whole: Hierarchy) -> HiddenRanks:
    """The ranks that scores give to the hidden parents of a damaged hierarchy; ``whole`` is the one before.

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "pet"), ("dog", "lapdog"), ("pet", "lapdog")])
    >>> damaged = hide_parents(pets, "secondary", count=1)
    >>> rank_hidden(lambda nodes: np.zeros((len(nodes), 4)), damaged, pets).ranks.tolist()
    [1.0]
    """
    if tuple(whole.names) != tuple(damaged.hierarchy.names):
        raise InputError("the damaged hierarchy has other nodes than the whole; give the one it was made from")
    if len(damaged.links) == 0:
        raise InputError("no parent is hidden, so there is nothing to rank")
    lines = dict(_lines(score, np.unique(damaged.links[:, 1]), damaged.hierarchy, whole, damaged.links))
    found = np.array([lines[parent, child] for parent, child in damaged.links.tolist()])
    ranks, strict, rivals, general, specific = found.T
    return HiddenRanks(damaged.links, ranks, strict, rivals, float(general.mean()), float(specific.mean()))


Line = tuple[tuple[int, int], tuple[float, float, float, float, float]]


def _lines(score: ParentScorer, nodes: Rows, left: Hierarchy, whole: Hierarchy, links: Rows) -> Iterator[Line]:
    for start in range(0, len(nodes), PART):
        part = nodes[start : start + PART]
        for node, scores in zip(part.tolist(), _checked(score(part), len(part), len(whole)), strict=True):
            rivals = np.ones(len(whole), np.bool_)
            rivals[node] = False
            rivals[left.ancestors_of(node)] = False
            rivals[left.descendants_of(node)] = False
            true = np.zeros(len(whole), np.bool_)
            true[whole.ancestors_of(node)] = True
            for parent in links[links[:, 1] == node, 0].tolist():
                yield (parent, node), _ranked(scores, parent, rivals, true, whole)


def _ranked(
    scores: Points, parent: int, rivals: NDArray[np.bool_], true: NDArray[np.bool_], whole: Hierarchy
) -> tuple[float, float, float, float, float]:
    """The filtered rank, the strict one, the number of filtered rivals, and the near misses of one hidden parent."""
    others = rivals & ~true
    strict = rivals.copy()
    strict[parent] = False
    first = rivals & (scores == scores[rivals].max())
    return (
        _rank(scores, parent, others),
        _rank(scores, parent, strict),
        float(others.sum()),
        # Of several that share the first place each is the first as often as any other.
        float(first[whole.ancestors_of(parent)].sum() / first.sum()),
        float(first[whole.descendants_of(parent)].sum() / first.sum()),
    )


def _rank(scores: Points, parent: int, rivals: NDArray[np.bool_]) -> float:
    against = scores[rivals]
    return 1 + float((against > scores[parent]).sum()) + float((against == scores[parent]).sum()) / 2


def _checked(scores: Points, nodes: int, size: int) -> Points:
    if scores.shape != (nodes, size):
        raise InputError(f"the scores have the shape {scores.shape}, but must have a line of {size} for each node")
    if np.isnan(scores).any():
        raise InputError("a score is not a number, so nothing can be ranked by it")
    return scores
