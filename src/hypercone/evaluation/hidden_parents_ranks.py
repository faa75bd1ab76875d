"""Where a hidden parent stands among all nodes that could be one: ranks, their mean reciprocal, hits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows
from hypercone.errors import InputError
from hypercone.evaluation.suggestions import Damaged
from hypercone.hierarchy import Hierarchy
from hypercone.methods import Points

# From the rows of some nodes to a score of every node as the parent of each: a line a node, the higher the likelier.
Scorer = Callable[[Rows], Points]

CUTS = (1, 10, 100)
# Nodes scored together: a line of scores each, which for a million nodes is 8 MB.
PART = 32


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


def rank_hidden(score: Scorer, damaged: Damaged, whole: Hierarchy) -> HiddenRanks:
    """The ranks that scores give to the hidden parents of a damaged hierarchy; ``whole`` is the one before.

    >>> from hypercone.evaluation.hidden_parents import hide_parents
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


def _lines(score: Scorer, nodes: Rows, left: Hierarchy, whole: Hierarchy, links: Rows) -> Iterator[Line]:
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
