"""How well an embedding tells true pairs from the wrong ones next to them: relatives of the child, reversed pairs."""

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
    direct_parents,
    groups_of,
    judged,
    known_hierarchy,
)
from hypercone.hierarchy import Adjacency, Hierarchy
from hypercone.hierarchy.graph import flipped_lists
from hypercone.hierarchy.split import random_bits
from hypercone.methods.scoring import Counts, count_at
from hypercone.progress import Step

# The streams of random numbers for the choice of true pairs and of relatives.
SAMPLE, RELATIVES = 0x5A3B, 0x4E1A


class WrongPairs(NamedTuple):
    """(parent, child) rows that do not hold, and the number of the true pair that each was made from."""

    pairs: Rows
    made_from: Numbers


def hard_negatives(hierarchy: Hierarchy, positives: Rows, seed: int = 0) -> dict[str, WrongPairs]:
    """For each true pair (u, v) one wrong pair of each kind that there is, by kind, none of them in the closure.

    *siblings*: (s, v) with a node s that shares a parent with v. *parents_siblings*: (a, v) with a sibling a of one of
    v's parents. *cousins*: (c, v) with a child c of such a one. *reversed*: (v, u). Parents are those of basic edges.
    Each is drawn uniformly, among the relatives with children of their own where there are any, since a leaf's cone
    rarely holds anything. The same seed gives the same pairs.

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle"), ("cat", "siamese")])
    >>> [[pets.names[row] for row in wrong.pairs[0]] for wrong in hard_negatives(pets, pets.closure()).values()]
    [['cat', 'dog'], ['siamese', 'poodle'], ['cat', 'poodle'], ['dog', 'animal']]
    """
    positives = true_pairs(hierarchy, positives)
    bits = random_bits(_checked_seed(seed), RELATIVES, 3 * len(positives)).reshape(3, -1)
    siblings, parents_siblings, cousins = drawn_relatives(hierarchy, positives[:, 1], bits)
    relatives = {"siblings": siblings, "cousins": cousins, "parents_siblings": parents_siblings}
    found = {kind: _wrong_parents(rows, positives) for kind, rows in relatives.items()}
    turned = np.ascontiguousarray(positives[:, ::-1])
    return found | {"reversed": WrongPairs(turned, np.arange(len(positives)))}


def _wrong_parents(parents: Rows, positives: Rows) -> WrongPairs:
    kept = np.flatnonzero(parents >= 0)
    return WrongPairs(np.stack([parents[kept], positives[kept, 1]], axis=1), kept)


def true_pairs(hierarchy: Hierarchy, positives: Rows | None = None, seed: int = 0, sample: int | None = None) -> Rows:
    """The pairs given, checked to be true, or all that are; a random ``sample`` of them if there are more."""
    if sample is not None and sample < 1:
        raise InputError(f"{option('sample')} is {sample}, but must be at least 1")
    if positives is None:
        # A copy, because numba compiles a second time for arrays that may not be written.
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


def are_among(keys: Numbers, known: Numbers) -> NDArray[np.bool_]:
    """Whether each key is one of the known ones, which ascend: several times as fast as sorting all of them again.

    >>> are_among(np.array([7, 2, 9]), np.array([2, 5, 7])).tolist()
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
    is_true = are_among(pair_keys(pairs[:, 1], pairs[:, 0], size), lists.keys())
    if not is_true.all():
        parent, child = (hierarchy.called(row) for row in pairs[np.argmin(is_true)].tolist())
        raise InputError(f"the pair {parent} → {child} does not hold in the hierarchy; give true pairs alone")


def _checked_seed(seed: int) -> int:
    if seed < 0:
        raise InputError(f"{option('seed')} is {seed}, but must be at least 0")
    return seed


@dataclass(frozen=True)
class WrongKind:
    """How many wrong pairs of a kind there are, how many are called true, their share, and F1 against these alone."""

    pairs: int
    called: int
    rate: float
    f1: float


@dataclass(frozen=True)
class HardNegatives(LinkPrediction):
    """Precision, recall and F1 against wrong pairs of all kinds together, and what each kind adds to them."""

    kinds: dict[str, WrongKind]


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
    """Precision, recall and F1 on true pairs against the wrong pairs nearest to them, at most four for each.

    The true pairs are those given or all of the closure, or ``sample`` of them; see ``hard_negatives`` for the wrong
    ones. Random wrong pairs are far from true, and a model that knows no more than the neighborhood rejects them.
    ``group_by`` breaks it down by the ``depth`` of the child, or by the ``parents`` it has: a true pair (u, v) and all
    wrong ones made from it count in the group of v.

    >>> import hypercone
    >>> found = hard_pairs(hypercone.fit("tree-3-4"), group_by="parents")
    >>> found.positives, {kind: figures.pairs for kind, figures in found.kinds.items()}
    (426, {'siblings': 426, 'cousins': 423, 'parents_siblings': 423, 'reversed': 426})
    >>> [(name, part.positives) for name, part in found.groups.items()]
    [('one_parent', 426), ('several_above', 0), ('several_parents', 0)]
    """
    hierarchy, threshold = known_hierarchy(embedding, hierarchy), checked_threshold(embedding, threshold)
    positives = true_pairs(hierarchy, positives, seed, sample)
    groups = None if group_by is None else groups_of(hierarchy, group_by)
    with Step("hard pairs", HARD_SHARES) as step:
        wrong = hard_negatives(hierarchy, positives, seed)
        step.advance(HARD_SHARES // 2)
        return judged_hard(_counting(embedding.scorer.energies, step), positives, wrong, threshold, groups)


# Wrong pairs are drawn in one half of the time; in the other the true ones and each of the four kinds are scored.
HARD_SHARES = 10


def _counting(score: Score, step: Step) -> Score:
    """The same score, and each time it is asked counts as a share of the step."""

    def scored(pairs: Rows) -> NDArray[np.float64]:
        found = score(pairs)
        step.advance()
        return found

    return scored


def judged_hard(
    score: Score, positives: Rows, wrong: dict[str, WrongPairs], threshold: float, groups: Groups | None = None
) -> HardNegatives:
    """What a score gets right and wrong at a threshold: against all kinds of wrong pairs, each alone, and by group."""
    of_true = score(positives)
    of_wrong = {kind: score(one.pairs) for kind, one in wrong.items()}
    every = np.concatenate(list(of_wrong.values()))
    found = judged(count_at(threshold, of_true, every), len(every), threshold)
    kinds = {kind: _judged_kind(count_at(threshold, of_true, scores), len(scores)) for kind, scores in of_wrong.items()}
    parts: dict[str, LinkPrediction] = {}
    if groups is not None:
        made_from = np.concatenate([one.made_from for one in wrong.values()])
        calls = of_true <= threshold, every <= threshold
        parts = _by_group(*calls, groups.of_row[positives[:, 1]], made_from, threshold, groups.names)
    return HardNegatives(**found.as_dict(), kinds=kinds, groups=parts)


def _by_group(
    holds: NDArray[np.bool_],
    fooled: NDArray[np.bool_],
    group: Numbers,
    made_from: Numbers,
    threshold: float,
    names: tuple[str, ...],
) -> dict[str, LinkPrediction]:
    """Against all kinds together, for each group of true pairs and what was made from them."""
    counts = [
        np.bincount(rows, minlength=len(names)).tolist()
        for rows in (group[holds], group[made_from[fooled]], group, group[made_from])
    ]
    figures = [judged(Counts(tp, fp, p), n, threshold) for tp, fp, p, n in zip(*counts, strict=True)]
    return dict(zip(names, figures, strict=True))


def _judged_kind(counts: Counts, pairs: int) -> WrongKind:
    return WrongKind(pairs, counts.false_positives, counts.false_positives / max(1, pairs), counts.f1)


class Families(NamedTuple):
    """Which places of a list of nodes belong together, one family after another, and where each family begins."""

    places: NDArray[np.int64]
    starts: NDArray[np.int64]


def drawn_relatives(hierarchy: Hierarchy, nodes: Rows, bits: NDArray[np.uint64]) -> Rows:
    """Of each node a sibling, a parent's sibling and a cousin, int32[3, n], by basic edges; -1 where there is none.

    A relative is never an ancestor of the node. One with children of its own is drawn where there is any.
    ``bits`` holds a random number for each.
    """
    parents = direct_parents(hierarchy)
    families = families_of(parents, nodes)
    children, inner_ends = inner_first(flipped_lists(parents))
    ancestors = hierarchy.ancestor_lists()
    lists = (parents.csr, children.csr, inner_ends, ancestors.csr)
    drawn = draw_relatives(nodes[families.places], families.starts, *lists, bits[:, families.places])
    found: Rows = np.empty_like(drawn)
    found[:, families.places] = drawn
    return found


def families_of(parents: Adjacency, nodes: Rows) -> Families:
    """Nodes with the same parents, together.

    >>> parents = Adjacency.of_groups(np.array([2, 3, 3, 4]), np.array([0, 0, 1, 0]), 5)
    >>> [found.tolist() for found in families_of(parents, np.array([2, 3, 4, 2], np.int32))]
    [[0, 2, 3, 1], [0, 3, 4]]
    """
    counts = parents.counts
    family = np.full(len(parents), -1, np.int64)
    family[counts == 1] = parents.rows[parents.offsets[:-1][counts == 1]]
    known: dict[bytes, int] = {}
    for row in np.flatnonzero(counts > 1).tolist():
        family[row] = known.setdefault(parents[row].tobytes(), len(parents) + len(known))
    of_nodes = family[nodes]
    places = np.argsort(of_nodes, kind="stable")
    begins = np.flatnonzero(np.diff(of_nodes[places], prepend=-2))
    return Families(places, np.append(begins, len(nodes)))


def inner_first(children: Adjacency) -> tuple[Adjacency, NDArray[np.int64]]:
    """The same children, those with children of their own first, and where these end."""
    parents, is_leaf = children.groups(), children.counts[children.rows] == 0
    order = np.lexsort((children.rows, is_leaf, parents))
    inner = np.bincount(parents[~is_leaf], minlength=len(children))
    return Adjacency(children.offsets.copy(), children.rows[order]), children.offsets[:-1] + inner
