"""The paper's split of a transitive closure into training, validation and test pairs, with negative pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Adjacency, Rows, pair_keys
from hypercone.errors import InputError, option
from hypercone.hierarchy.graph import flipped_lists
from hypercone.hierarchy.graph_kernels import draw_unrelated
from hypercone.hierarchy.hierarchy import Hierarchy
from hypercone.progress import Step

# Each purpose has its own random stream, so that none depends on how much another has drawn.
SHUFFLE, VALIDATION, TEST = range(3)


@dataclass(frozen=True, eq=False)
class LabeledPairs:
    """Positive and negative (parent, child) rows: int32[n, 2] and int32[m, 2].

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat")])
    >>> LabeledPairs([pets.rows(["animal", "dog"])], [pets.rows(["dog", "cat"])]).positives.tolist()
    [[0, 1]]
    """

    positives: Rows
    negatives: Rows

    def __post_init__(self) -> None:
        for name in ("positives", "negatives"):
            vars(self)[name] = np.array(getattr(self, name), np.int32).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class Split:
    """``train`` is int32[n, 2], direct edges first; ``validation`` and ``test`` are labeled pairs held out from it."""

    train: Rows
    validation: LabeledPairs
    test: LabeledPairs
    percent: float
    seed: int
    # The digest of the hierarchy that was split, if known.
    hierarchy: str = ""

    def check(self, hierarchy: Hierarchy) -> None:
        """InputError if this is the split of another hierarchy."""
        parts = self.train, *(rows for part in (self.validation, self.test) for rows in vars(part).values())
        if self.hierarchy not in ("", hierarchy.digest) or any(rows.max(initial=0) >= len(hierarchy) for rows in parts):
            raise InputError("the split is of another hierarchy; give the one that it was made from")


def split_as_in_the_paper(
    hierarchy: Hierarchy, percent: float, seed: int, holdout: float, negatives_per_side: int
) -> Split:
    """The implementation of ``Hierarchy.split``.

    >>> chain = Hierarchy.from_pairs([(str(i), str(i + 1)) for i in range(20)])
    >>> split = chain.split(50)
    >>> len(split.train), len(split.validation.positives), len(split.test.positives)
    (115, 10, 10)
    """
    _check(percent, seed, holdout, negatives_per_side)
    # Python numbers instead of NumPy's, so that the split can be written as JSON.
    percent, seed = (int(percent) if percent == int(percent) else float(percent)), int(seed)
    nonbasic = nonbasic_edges(hierarchy)
    # Shuffling takes about three fifths of the time, the negative pairs of each part one fifth.
    with Step("split", 5) as step:
        shuffled = nonbasic[np.argsort(random_bits(seed, SHUFFLE, len(nonbasic)), kind="stable")]
        step.advance(3)
        held_out = round(holdout * len(nonbasic))
        learned = round(percent / 100 * len(nonbasic))
        validation, test = shuffled[:held_out], shuffled[held_out : 2 * held_out]
        of_validation = negative_pairs(hierarchy, validation, negatives_per_side, seed, VALIDATION)
        step.advance()
        of_test = negative_pairs(hierarchy, test, negatives_per_side, seed, TEST)
    return Split(
        np.concatenate([hierarchy.reduction(), shuffled[2 * held_out :][:learned]]),
        LabeledPairs(validation, of_validation),
        LabeledPairs(test, of_test),
        percent,
        seed,
        hierarchy.digest,
    )


def nonbasic_edges(hierarchy: Hierarchy) -> Rows:
    """The implied edges: pairs of the closure that are not direct edges, sorted by (descendant, ancestor).

    >>> nonbasic_edges(Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("a", "c")])).tolist()
    [[0, 2]]
    """
    closure, basic = hierarchy.closure(), hierarchy.reduction()
    basic_keys = pair_keys(basic[:, 1], basic[:, 0], len(hierarchy))
    is_implied = np.ones(len(closure), np.bool_)
    is_implied[np.searchsorted(hierarchy.ancestor_lists().keys(), basic_keys)] = False
    return closure[is_implied]


def _check(percent: float, seed: int, holdout: float, negatives_per_side: int) -> None:
    if not isinstance(percent, int | float | np.number):
        raise InputError(f"{option('percent')} is {percent!r}, but must be a number")
    if not 0 <= holdout <= 0.5:
        raise InputError(
            f"holdout is {holdout}, but must be from 0 to 0.5; it is taken twice, for validation and for test"
        )
    most = 100 * (1 - 2 * holdout)
    if not 0 <= percent <= most + 1e-9:
        raise InputError(
            f"{option('percent')} is {percent}, but must be from 0 to {most:g}; the rest is held out for validation and"
            " test"
        )
    if seed < 0:
        raise InputError(f"{option('seed')} is {seed}, but must be at least 0")
    if negatives_per_side < 0:
        raise InputError(f"negatives_per_side is {negatives_per_side}, but must be at least 0")


def random_bits(seed: int, stream: int, count: int) -> NDArray[np.uint64]:
    """64-bit random numbers that depend only on the seed and the stream.

    Raw bits, because NumPy guarantees that these never change, unlike its shuffles and distributions.
    """
    bits: NDArray[np.uint64] = np.random.PCG64(np.random.SeedSequence([seed, stream])).random_raw(count)
    return bits


def negative_pairs(hierarchy: Hierarchy, positives: Rows, per_side: int, seed: int, stream: int) -> Rows:
    """For each positive (u, v), ``per_side`` negative pairs (u′, v) and as many (u, v′): not in the closure, u ≠ v.

    The replacements for one end of one positive are distinct; if fewer exist, all of them are taken.
    """
    above = hierarchy.ancestor_lists()
    bits = random_bits(seed, stream, 2 * per_side * len(positives)).reshape(2, len(positives), per_side)
    parents = _unrelated_rows(positives[:, 1], above, bits[0])
    children = _unrelated_rows(positives[:, 0], flipped_lists(above), bits[1])
    pairs = np.empty((len(positives), 2, per_side, 2), np.int32)
    pairs[:, 0, :, 0], pairs[:, 0, :, 1] = parents, positives[:, 1, None]
    pairs[:, 1, :, 0], pairs[:, 1, :, 1] = positives[:, 0, None], children
    flat = pairs.reshape(-1, 2)
    return flat[(flat >= 0).all(axis=1)]


def _unrelated_rows(rows: Rows, related: Adjacency, bits: NDArray[np.uint64]) -> Rows:
    found: Rows = draw_unrelated(np.ascontiguousarray(rows), related.csr, bits)
    return found
