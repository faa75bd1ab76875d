"""Precision of suggested links: hide or plant links, and count which suggestions are correct."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows, pair_keys
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.evaluation.measures import Groups, node_groups, result_as_dict
from hypercone.hierarchy import Hierarchy
from hypercone.methods import Points
from hypercone.progress import OnProgress
from hypercone.queries.hidden_links import Damaged, check_share, hide_links, with_edges
from hypercone.queries.missing_links import missing_rows
from hypercone.queries.suggestions import rejected_edges, wrong_rows
from hypercone.training import fit
from hypercone.training.config import AUTO, DEFAULT_LEARNER
from hypercone.training.recipe import Recipe, has_method

CUTS = (10, 100, 1000)


@dataclass(frozen=True)
class PrecisionAt:
    """The precision of the first k suggestions, and the base rate: the precision of all pairs that were considered.

    ``links`` were hidden or planted; ``found`` of them are among the listed suggestions, and ``within_reach`` among
    all pairs considered. A k above the number listed uses all that are listed. ``confidence`` is the mean confidence
    of the first k, and ``calibration_error`` how far confidences and precision differ, averaged over the listed
    suggestions in ten bins of equal width (expected calibration error); both None for wrong links, which have none.
    """

    precision: dict[int, float]
    base_rate: float
    considered: int
    listed: int
    links: int
    found: int
    within_reach: int
    confidence: dict[int, float] | None = field(default=None, kw_only=True)
    calibration_error: float | None = field(default=None, kw_only=True)
    groups: dict[str, PrecisionAt] = field(default_factory=dict, kw_only=True)

    @property
    def recall(self) -> float:
        """The share of the hidden or planted links that are listed; 0 if there are none."""
        return self.found / self.links if self.links else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON; ``groups`` only if there are any."""
        return result_as_dict(self) | {"recall": self.recall}


@dataclass(frozen=True)
class SuggestionPrecision:
    """The precision of suggested missing links and of suggested wrong links."""

    missing: PrecisionAt
    wrong: PrecisionAt

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"missing": self.missing.as_dict(), "wrong": self.wrong.as_dict()}


def suggestions(
    hierarchy: Hierarchy,
    method: str = AUTO,
    *,
    hidden: float = 0.05,
    planted: float = 0.02,
    seed: int = 0,
    at: Sequence[int] = CUTS,
    group_by: str | None = None,
    callback: OnProgress | None = None,
    recipe: Recipe | None = None,
    **settings: Any,
) -> SuggestionPrecision:
    """The precision of the first k suggestions, measured on damaged versions of the hierarchy.

    For missing links, the share ``hidden`` of the nodes that can loses one link each: one of several parents, or the
    only one for the parents of that parent. A suggestion is correct if it is in the transitive closure of the original
    hierarchy. For wrong links, the share ``planted`` of random links is added, a model is fitted, and a suggestion is
    correct if it is one of these; actual errors of the hierarchy count as incorrect. ``seed`` determines the damage.
    ``method``, ``recipe`` and ``settings`` are those of
    ``hypercone.fit``, except that *auto* means hyperbolic-cones: a constructed model reproduces the given edges,
    including wrong ones. ``group_by`` adds the same figures by the ``depth`` of the child in the original hierarchy, or
    by the number of its ``parents``.

    >>> import hypercone
    >>> found = suggestions(hypercone.load_dataset("tree-3-5"), epochs=20, init_epochs=20, at=[10])
    >>> found.missing.links, 0 <= found.missing.precision[10] <= 1
    (18, True)
    """
    if not at or min(at) < 1:
        raise InputError(f"at is {list(at)}, but must be whole numbers of at least 1")
    groups = None if group_by is None else node_groups(hierarchy, group_by)
    chosen = DEFAULT_LEARNER if method == AUTO and not has_method(recipe) else method

    def refit(damaged: Hierarchy) -> Embedding:
        return fit(damaged, chosen, recipe=recipe, callback=callback, **settings)

    return SuggestionPrecision(
        missing_precision(hierarchy, hidden, seed, at, groups),
        wrong_precision(hierarchy, refit, planted, seed, at, groups),
    )


Refit = Callable[[Hierarchy], Embedding]


def missing_precision(
    hierarchy: Hierarchy, share: float, seed: int, at: Sequence[int], groups: Groups | None = None
) -> PrecisionAt:
    """Hide links, and count the suggested pairs that are in the closure of the original hierarchy."""
    damaged, links = hide_links(hierarchy, share, seed)
    found, true = missing_rows(damaged, max(at)), hierarchy.closure()
    counted = precision_of(found.pairs, found.considered, true, links, len(hierarchy), at, groups)
    listed_keys, true_keys = (pair_keys(rows[:, 0], rows[:, 1], len(hierarchy)) for rows in (found.pairs, true))
    right = np.isin(listed_keys, true_keys)
    return replace(
        counted,
        confidence={cut: float(found.confidences[:cut].mean()) if len(right) else 0.0 for cut in at},
        calibration_error=expected_calibration_error(found.confidences, right),
    )


def expected_calibration_error(confidences: Points, right: NDArray[np.bool_], bins: int = 10) -> float:
    """How far the mean confidence and the share of right ones differ, averaged over bins of equal width.

    >>> expected_calibration_error(np.array([0.95, 0.95, 0.15, 0.15]), np.array([True, True, False, True]))
    0.2
    """
    places = np.minimum((confidences * bins).astype(np.int64), bins - 1)
    sums = [np.bincount(places, weights, bins) for weights in (confidences, right)]
    return round(float(np.abs(sums[0] - sums[1]).sum() / max(len(right), 1)), 12)


def wrong_precision(
    hierarchy: Hierarchy, refit: Refit, share: float, seed: int, at: Sequence[int], groups: Groups | None = None
) -> PrecisionAt:
    """Plant wrong links, fit, and count the rejected edges that were planted."""
    damaged = plant_links(hierarchy, share, seed)
    embedding = refit(damaged.hierarchy)
    listed = wrong_rows(embedding, damaged.hierarchy, max(at)).pairs
    every, _ = rejected_edges(embedding, damaged.hierarchy)
    return precision_of(listed, every, damaged.links, damaged.links, len(hierarchy), at, groups)


def precision_of(
    listed: Rows,
    pool: Rows,
    true: Rows,
    links: Rows,
    size: int,
    at: Iterable[int],
    groups: Groups | None = None,
) -> PrecisionAt:
    """The precision of the listed pairs, best first, out of the considered ones; also per group of children."""
    parts: dict[str, PrecisionAt] = {}
    if groups is not None:
        for group, name in enumerate(groups.names):
            mine = [rows[groups.of_row[rows[:, 1]] == group] for rows in (listed, pool, true, links)]
            parts[name] = precision_of(mine[0], mine[1], mine[2], mine[3], size, at)
    listed_keys, pool_keys, true_keys, link_keys = (
        pair_keys(pairs[:, 0], pairs[:, 1], size) for pairs in (listed, pool, true, links)
    )
    right, base = np.isin(listed_keys, true_keys), np.isin(pool_keys, true_keys)
    return PrecisionAt(
        precision={cut: float(right[:cut].mean()) if len(right) else 0.0 for cut in at},
        base_rate=float(base.mean()) if len(base) else 0.0,
        considered=len(pool),
        listed=len(listed),
        links=len(links),
        found=int(np.isin(link_keys, listed_keys).sum()),
        within_reach=int(np.isin(link_keys, pool_keys).sum()),
        groups=parts,
    )


# A node that is related to almost all others is skipped after so many draws.
DRAWS = 20


def plant_links(hierarchy: Hierarchy, share: float, seed: int = 0) -> Damaged:
    """Add wrong links, as many as a share of the edges: from a node to one that is neither its ancestor nor descendant.

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle"), ("stone", "ruby")])
    >>> len(plant_links(pets, share=0.3).hierarchy.edges)
    4
    """
    check_share("planted", share)
    random = np.random.default_rng(seed)
    inner = np.flatnonzero(hierarchy.child_lists.counts)
    children = random.permutation(np.flatnonzero(hierarchy.parent_lists.counts)).tolist()
    parents_of = {row: hierarchy.parent_lists[row].tolist() for row in range(len(hierarchy))}
    wanted, links = max(1, round(share * len(hierarchy.edges))), []
    for child in children:
        for parent in random.choice(inner, DRAWS).tolist():
            if (
                parent != child
                and parent not in _ancestors(child, parents_of)
                and child not in _ancestors(parent, parents_of)
            ):
                parents_of[child].append(parent)
                links.append([parent, child])
                break
        if len(links) == wanted:
            break
    if not links:
        raise InputError("every node is a relative of every other, so no wrong link can be planted")
    return Damaged(with_edges(hierarchy, hierarchy.edges.tolist() + links), np.array(links, np.int32))


def _ancestors(row: int, parents_of: dict[int, list[int]]) -> set[int]:
    found: set[int] = set()
    waiting = [row]
    while waiting:
        new = set(parents_of[waiting.pop()]) - found
        found |= new
        waiting += new
    return found
