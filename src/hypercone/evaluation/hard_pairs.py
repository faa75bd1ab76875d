"""Wrong pairs next to true ones: the child under a relative of its own, or the true pair turned round."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone.errors import InputError
from hypercone.evaluation.all_pairs import Numbers
from hypercone.evaluation.relatives import drawn_relatives
from hypercone.hierarchy import Adjacency, Hierarchy
from hypercone.hierarchy.split import random_bits
from hypercone.methods.scoring import Rows

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
        raise InputError(f"sample is {sample}, but must be at least 1")
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


def keys_of_pairs(pairs: Rows, size: int) -> Numbers:
    """One number for each (parent, child) among ``size`` nodes."""
    keys: Numbers = pairs[:, 1].astype(np.int64) * size + pairs[:, 0]
    return keys


def keys_of_lists(lists: Adjacency) -> Numbers:
    """The same number for each pair of an ancestor and the row in whose list it is, ascending."""
    keys: Numbers = lists.groups().astype(np.int64) * len(lists) + lists.rows
    return keys


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
    is_true = are_among(keys_of_pairs(pairs, size), keys_of_lists(lists))
    if not is_true.all():
        parent, child = (hierarchy.called(row) for row in pairs[np.argmin(is_true)].tolist())
        raise InputError(f"the pair {parent} → {child} does not hold in the hierarchy; give true pairs alone")


def _checked_seed(seed: int) -> int:
    if seed < 0:
        raise InputError(f"seed is {seed}, but must be at least 0")
    return seed
