"""Metrics against hard negative pairs: those with a relative of the child as the parent, and reversed pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows, pair_keys
from hypercone.embedding import Embedding
from hypercone.errors import InputError, option
from hypercone.evaluation.evaluation_kernels import draw_relatives
from hypercone.evaluation.measures import (
    Groups,
    LinkPrediction,
    Numbers,
    Score,
    checked_threshold,
    known_hierarchy,
    metrics_from_counts,
    node_groups,
)
from hypercone.hierarchy import Adjacency, Hierarchy
from hypercone.hierarchy.graph import flipped_lists
from hypercone.hierarchy.split import random_bits
from hypercone.methods.scoring import Counts, count_at
from hypercone.progress import Step

# The random streams for sampling true pairs and relatives.
SAMPLE, RELATIVES = 0x5A3B, 0x4E1A


class NegativePairs(NamedTuple):
    """Negative (parent, child) pairs, and for each the number of the true pair that it was made from."""

    pairs: Rows
    made_from: Numbers


def hard_negatives(hierarchy: Hierarchy, positives: Rows, seed: int = 0) -> dict[str, NegativePairs]:
    """For each true pair (u, v) one negative pair of each available kind, by kind; none is in the transitive closure.

    *siblings*: (s, v) with a node s that shares a parent with v. *parents_siblings*: (a, v) with a sibling a of one of
    v's parents. *cousins*: (c, v) with a child c of such a sibling. *reversed*: (v, u). Parents are those of direct
    edges. Relatives are drawn uniformly from those with children of their own, if there are any, since a leaf's cone
    rarely contains another node. The same seed gives the same pairs.

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle"), ("cat", "siamese")])
    >>> [[pets.names[row] for row in kind.pairs[0]] for kind in hard_negatives(pets, pets.closure()).values()]
    [['cat', 'dog'], ['siamese', 'poodle'], ['cat', 'poodle'], ['dog', 'animal']]
    """
    positives = true_pairs(hierarchy, positives)
    bits = random_bits(_checked_seed(seed), RELATIVES, 3 * len(positives)).reshape(3, -1)
    siblings, parents_siblings, cousins = sample_relatives(hierarchy, positives[:, 1], bits)
    relatives = {"siblings": siblings, "cousins": cousins, "parents_siblings": parents_siblings}
    found = {kind: _negative_pairs(rows, positives) for kind, rows in relatives.items()}
    flipped = np.ascontiguousarray(positives[:, ::-1])
    return found | {"reversed": NegativePairs(flipped, np.arange(len(positives)))}


def _negative_pairs(parents: Rows, positives: Rows) -> NegativePairs:
    found = np.flatnonzero(parents >= 0)
    return NegativePairs(np.stack([parents[found], positives[found, 1]], axis=1), found)


def true_pairs(hierarchy: Hierarchy, positives: Rows | None = None, seed: int = 0, sample: int | None = None) -> Rows:
    """The given pairs, checked to be true, or the transitive closure; at most ``sample`` of them, chosen at random."""
    if sample is not None and sample < 1:
        raise InputError(f"{option('sample')} is {sample}, but must be at least 1")
    if positives is None:
        # A copy, because numba compiles a second version of a kernel for read-only arrays.
        positives = hierarchy.closure().copy()
    else:
        positives = np.array(positives, np.int32).reshape(-1, 2)
        _check_true(hierarchy, positives)
    if len(positives) == 0:
        raise InputError("there are no true pairs to evaluate on; a hierarchy with edges is needed")
    if sample is None or sample >= len(positives):
        return positives
    order = np.argsort(random_bits(_checked_seed(seed), SAMPLE, len(positives)), kind="stable")
    chosen: Rows = positives[np.sort(order[:sample])]
    return chosen


def is_in_sorted(keys: Numbers, known: Numbers) -> NDArray[np.bool_]:
    """Whether each key is in ``known``, which is sorted; several times as fast as np.isin, which sorts again.

    >>> is_in_sorted(np.array([7, 2, 9]), np.array([2, 5, 7])).tolist()
    [True, True, False]
    """
    places = np.searchsorted(known, keys)
    found = places < len(known)
    found[found] = known[places[found]] == keys[found]
    return found


def _check_true(hierarchy: Hierarchy, pairs: Rows) -> None:
    size, lists = len(hierarchy), hierarchy.ancestor_lists()
    if len(pairs) and not 0 <= pairs.min() <= pairs.max() < size:
        raise InputError(f"a pair has a row outside 0 … {size - 1}; the pairs are of another hierarchy")
    is_true = is_in_sorted(pair_keys(pairs[:, 1], pairs[:, 0], size), lists.keys())
    if not is_true.all():
        parent, child = (hierarchy.display_name(row) for row in pairs[np.argmin(is_true)].tolist())
        raise InputError(f"the pair {parent} → {child} does not hold in the hierarchy; give only true pairs")


def _checked_seed(seed: int) -> int:
    if seed < 0:
        raise InputError(f"{option('seed')} is {seed}, but must be at least 0")
    return seed


@dataclass(frozen=True)
class NegativeKind:
    """The negative pairs of one kind: their number, how many are predicted true, that share, and F1 against them."""

    pairs: int
    called: int
    rate: float
    f1: float


@dataclass(frozen=True)
class HardNegatives(LinkPrediction):
    """Precision, recall and F1 against the negative pairs of all kinds together, and the figures of each kind."""

    kinds: dict[str, NegativeKind]


def hard_pairs(
    embedding: Embedding,
    hierarchy: Hierarchy | None = None,
    positives: Rows | None = None,
    threshold: float | None = None,
    seed: int = 0,
    sample: int | None = None,
    *,
    group_by: str | None = None,
) -> HardNegatives:
    """Precision, recall and F1 on true pairs against hard negative pairs, at most four per true pair.

    The true pairs are those given or the transitive closure, or ``sample`` of them; see ``hard_negatives`` for the
    negative ones. Random negative pairs are easier: a model that only knows the neighborhood of a node rejects them.
    ``group_by`` adds the same figures by the ``depth`` of the child, or by the number of its ``parents``: a true pair
    (u, v) and all negative pairs made from it count in the group of v.

    >>> import hypercone
    >>> found = hard_pairs(hypercone.fit("tree-3-4"), group_by="parents")
    >>> found.positives, {kind: figures.pairs for kind, figures in found.kinds.items()}
    (426, {'siblings': 426, 'cousins': 423, 'parents_siblings': 423, 'reversed': 426})
    >>> [(name, part.positives) for name, part in found.groups.items()]
    [('one_parent', 426), ('several_above', 0), ('several_parents', 0)]
    """
    hierarchy, threshold = known_hierarchy(embedding, hierarchy), checked_threshold(embedding, threshold)
    positives = true_pairs(hierarchy, positives, seed, sample)
    groups = None if group_by is None else node_groups(hierarchy, group_by)
    with Step("hard pairs", HARD_STEPS) as step:
        negatives = hard_negatives(hierarchy, positives, seed)
        step.advance(HARD_STEPS // 2)
        return metrics_on_hard_pairs(
            _with_progress(embedding.scorer.energies, step), positives, negatives, threshold, groups
        )


# Progress units: half for drawing the negative pairs, and one each for scoring the true pairs and the four kinds.
HARD_STEPS = 10


def _with_progress(score: Score, step: Step) -> Score:
    """The same score, which advances the step by one at each call."""

    def score_and_advance(pairs: Rows) -> NDArray[np.float64]:
        found = score(pairs)
        step.advance()
        return found

    return score_and_advance


def metrics_on_hard_pairs(
    score: Score, positives: Rows, negatives: dict[str, NegativePairs], threshold: float, groups: Groups | None = None
) -> HardNegatives:
    """The metrics of a score at a threshold: against all kinds of negative pairs, against each kind, and by group."""
    of_positives = score(positives)
    of_negatives = {kind: score(one.pairs) for kind, one in negatives.items()}
    every = np.concatenate(list(of_negatives.values()))
    found = metrics_from_counts(count_at(threshold, of_positives, every), len(every), threshold)
    kinds = {
        kind: _kind_metrics(count_at(threshold, of_positives, scores), len(scores))
        for kind, scores in of_negatives.items()
    }
    parts: dict[str, LinkPrediction] = {}
    if groups is not None:
        made_from = np.concatenate([one.made_from for one in negatives.values()])
        calls = of_positives <= threshold, every <= threshold
        parts = _by_group(*calls, groups.of_row[positives[:, 1]], made_from, threshold, groups.names)
    return HardNegatives(**found.as_dict(), kinds=kinds, groups=parts)


def _by_group(
    found_true: NDArray[np.bool_],
    predicted: NDArray[np.bool_],
    group: Numbers,
    made_from: Numbers,
    threshold: float,
    names: tuple[str, ...],
) -> dict[str, LinkPrediction]:
    """The metrics against all kinds, for each group of true pairs and the negative pairs made from them."""
    counts = [
        np.bincount(rows, minlength=len(names)).tolist()
        for rows in (group[found_true], group[made_from[predicted]], group, group[made_from])
    ]
    figures = [metrics_from_counts(Counts(tp, fp, p), n, threshold) for tp, fp, p, n in zip(*counts, strict=True)]
    return dict(zip(names, figures, strict=True))


def _kind_metrics(counts: Counts, pairs: int) -> NegativeKind:
    return NegativeKind(pairs, counts.false_positives, counts.false_positives / max(1, pairs), counts.f1)


class ParentGroups(NamedTuple):
    """The positions in a list of nodes sorted by group, and where each group begins; a group has the same parents."""

    places: NDArray[np.int64]
    starts: NDArray[np.int64]


def sample_relatives(hierarchy: Hierarchy, nodes: Rows, bits: NDArray[np.uint64]) -> Rows:
    """A sibling, a parent's sibling and a cousin of each node by direct edges, int32[3, n]; -1 if there is none.

    A relative is never an ancestor of the node, and has children of its own if any such relative does. ``bits`` has a
    random number for each.
    """
    parents = hierarchy.lineage.parent_lists
    groups = group_by_parents(parents, nodes)
    children, inner_ends = inner_nodes_first(flipped_lists(parents))
    ancestors = hierarchy.ancestor_lists()
    lists = (parents.csr, children.csr, inner_ends, ancestors.csr)
    drawn = draw_relatives(nodes[groups.places], groups.starts, *lists, bits[:, groups.places])
    found: Rows = np.empty_like(drawn)
    found[:, groups.places] = drawn
    return found


def group_by_parents(parents: Adjacency, nodes: Rows) -> ParentGroups:
    """Group the nodes by their sets of parents.

    >>> parents = Adjacency.of_groups(np.array([2, 3, 3, 4]), np.array([0, 0, 1, 0]), 5)
    >>> [found.tolist() for found in group_by_parents(parents, np.array([2, 3, 4, 2], np.int32))]
    [[0, 2, 3, 1], [0, 3, 4]]
    """
    counts = parents.counts
    group = np.full(len(parents), -1, np.int64)
    group[counts == 1] = parents.rows[parents.offsets[:-1][counts == 1]]
    known: dict[bytes, int] = {}
    for row in np.flatnonzero(counts > 1).tolist():
        group[row] = known.setdefault(parents[row].tobytes(), len(parents) + len(known))
    of_nodes = group[nodes]
    places = np.argsort(of_nodes, kind="stable")
    begins = np.flatnonzero(np.diff(of_nodes[places], prepend=-2))
    return ParentGroups(places, np.append(begins, len(nodes)))


def inner_nodes_first(children: Adjacency) -> tuple[Adjacency, NDArray[np.int64]]:
    """The same lists with children that have children of their own first, and the end of these in each list."""
    parents, is_leaf = children.groups(), children.counts[children.rows] == 0
    order = np.lexsort((children.rows, is_leaf, parents))
    inner = np.bincount(parents[~is_leaf], minlength=len(children))
    return Adjacency(children.offsets.copy(), children.rows[order]), children.offsets[:-1] + inner
