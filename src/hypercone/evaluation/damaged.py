"""Precision of suggested links: hide or plant links, fit a model, and count which suggestions are correct."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hypercone._arrays import Rows, pair_keys
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.evaluation.measures import Groups, node_groups, result_as_dict
from hypercone.hierarchy import Hierarchy
from hypercone.progress import OnProgress
from hypercone.queries.suggestions import candidates, missing_rows, wrong_rows
from hypercone.training import fit
from hypercone.training.config import AUTO, DEFAULT_LEARNER
from hypercone.training.recipe import Recipe, has_method

CUTS = (10, 100, 1000)


@dataclass(frozen=True)
class PrecisionAt:
    """The precision of the first k suggestions, and the base rate: the precision of all pairs that were considered.

    ``links`` were hidden or planted; ``found`` of them are among the listed suggestions, and ``within_reach`` among
    all pairs considered. A k above the number listed uses all that are listed.
    """

    precision: dict[int, float]
    base_rate: float
    considered: int
    listed: int
    links: int
    found: int
    within_reach: int
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
    """The precision of the first k suggestions, measured by two fits to damaged versions of the hierarchy.

    For missing links, the share ``hidden`` of the links is removed, and each child is moved to the parents of its
    parent. A suggestion is correct if it is in the transitive closure of the original hierarchy. For wrong links, the
    share ``planted`` of random links is added, and a suggestion is correct if it is one of these; actual errors of the
    hierarchy count as incorrect. ``seed`` determines the damage. ``method``, ``recipe`` and ``settings`` are those of
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
        missing_precision(hierarchy, refit, hidden, seed, at, groups),
        wrong_precision(hierarchy, refit, planted, seed, at, groups),
    )


Refit = Callable[[Hierarchy], Embedding]


def missing_precision(
    hierarchy: Hierarchy, refit: Refit, share: float, seed: int, at: Sequence[int], groups: Groups | None = None
) -> PrecisionAt:
    """Hide links, fit, and count the suggested pairs that are in the closure of the original hierarchy."""
    damaged = hide_links(hierarchy, share, seed)
    embedding = refit(damaged.hierarchy)
    pool, _ = candidates(embedding, damaged.hierarchy)
    found = missing_rows(embedding, damaged.hierarchy, max(at))
    return precision_of(found.pairs, pool, hierarchy.closure(), damaged.links, len(hierarchy), at, groups)


def wrong_precision(
    hierarchy: Hierarchy, refit: Refit, share: float, seed: int, at: Sequence[int], groups: Groups | None = None
) -> PrecisionAt:
    """Plant wrong links, fit, and count the rejected edges that were planted."""
    damaged = plant_links(hierarchy, share, seed)
    embedding = refit(damaged.hierarchy)
    every = wrong_rows(embedding, damaged.hierarchy, len(damaged.hierarchy.edges)).pairs
    return precision_of(every[: max(at)], every, damaged.links, damaged.links, len(hierarchy), at, groups)


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


class Damaged(NamedTuple):
    """The changed hierarchy, and the (parent, child) rows of the links that were hidden or planted."""

    hierarchy: Hierarchy
    links: Rows


def hide_links(hierarchy: Hierarchy, share: float, seed: int = 0) -> Damaged:
    """Replace, for a share of the eligible nodes, one link to a parent by links to that parent's parents.

    The node stays in the same branch, one step less specific. Only direct edges are hidden, which no others imply.

    >>> chain = Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle")])
    >>> hide_links(chain, share=1.0).hierarchy.in_words()
    ['dog is an animal', 'poodle is an animal']
    """
    check_share("hidden", share)
    basic = hierarchy.reduction()
    basic = basic[hierarchy.parent_lists.counts[basic[:, 0]] > 0]
    if len(basic) == 0:
        raise InputError("no node is two steps below a root, so there is no link to hide; a deeper hierarchy is needed")
    random = np.random.default_rng(seed)
    # The first link of each node in a shuffled list is a random link of that node.
    shuffled = basic[random.permutation(len(basic))]
    _, first = np.unique(shuffled[:, 1], return_index=True)
    chosen = np.sort(random.choice(first, max(1, round(share * len(first))), replace=False))
    links = shuffled[chosen]
    hidden = set(map(tuple, links.tolist()))
    remaining = [edge for edge in hierarchy.edges.tolist() if tuple(edge) not in hidden]
    raised = [[above, child] for parent, child in links.tolist() for above in hierarchy.parent_lists[parent].tolist()]
    return Damaged(with_edges(hierarchy, remaining + raised), links)


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


def with_edges(hierarchy: Hierarchy, edges: ArrayLike) -> Hierarchy:
    """A hierarchy with the same nodes, names and labels and the given edges, sorted."""
    rows = np.unique(np.array(edges, np.int32).reshape(-1, 2), axis=0)
    return Hierarchy(hierarchy.names, rows, hierarchy.labels)


def check_share(name: str, share: float) -> None:
    """Raise InputError unless the share is above 0 and at most 1."""
    if not 0 < share <= 1:
        raise InputError(f"{name} is {share}, but must be a share above 0 and at most 1")
