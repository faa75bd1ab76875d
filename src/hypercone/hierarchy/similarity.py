"""How similar nodes are in the graph, by measures that have been published and compared for decades.

The information content IC of a node says how specific it is. By default it is intrinsic (Seco, Veale and Hayes 2004):
1 − log(d + 1) / log(n) for a node with d descendants among n nodes, so 0 for a single root and 1 for a leaf. Every node
counts as its own ancestor. With c, the common ancestor of a and b that has the highest IC, and 0 for IC(c) if there is
none:

- *resnik*: IC(c) (Resnik 1995)
- *lin*: 2 IC(c) / (IC(a) + IC(b)) (Lin 1998)
- *jiang-conrath*: 1 / (1 + IC(a) + IC(b) − 2 IC(c)), where the sum of the ICs is the distance of Jiang and Conrath 1997
- *wu-palmer*: 2 N(c) / (N(a) + N(b)), where N is the number of nodes on the longest path from a root, and c the common
  ancestor with the highest N (Wu and Palmer 1994)
- *jaccard*: the ancestors that both have, divided by those that either has

Two sets of nodes are compared by the best-match average (Wang et al. 2007), the mean over all nodes of both sets of the
similarity to the most similar node of the other set; *jaccard* compares all ancestors of one set with those of the
other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypercone._arrays import Rows, freeze
from hypercone.errors import InputError, option, plural, short, unknown_name
from hypercone.hierarchy.graph_kernels import count_ancestors
from hypercone.hierarchy.similarity_kernels import (
    common_ancestors,
    count_shared_ancestors,
    largest_shared_weights,
    largest_values,
    relative_logarithms,
    sums_below,
)

if TYPE_CHECKING:
    from hypercone.hierarchy.hierarchy import Hierarchy

Measure = Literal["lin", "resnik", "jiang-conrath", "wu-palmer", "jaccard"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
Values = NDArray[np.float64]
# More steps than any search takes.
NO_BUDGET = 2**62
# Up to this many, the most similar are found in one pass; more of them, by sorting all.
FEW = 100


def information_content(hierarchy: Hierarchy, counts: Mapping[str, float] | None = None) -> Values:
    """The information content of each row: intrinsic, or by how often each node was observed."""
    own = np.ones(len(hierarchy))
    if counts is not None:
        rows = hierarchy.rows(counts)
        np.add.at(own, rows, _checked_counts(counts))
    sums = sums_below(hierarchy._top_down.rows, hierarchy.parent_lists.csr, freeze(own))
    return freeze(relative_logarithms(freeze(sums), float(own.sum())))


def _checked_counts(counts: Mapping[str, float]) -> Values:
    try:
        numbers = np.array(list(counts.values()), np.float64)
    except (TypeError, ValueError):
        raise InputError("the counts must be a number per name") from None
    bad = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= 0)))
    if len(bad):
        name = list(counts)[bad[0]]
        raise InputError(f"the count of {short(name)!r} is {numbers[bad[0]]}, but must be finite and not negative")
    return numbers


class Ranked(NamedTuple):
    """Rows, the most similar first, ties by row, and their similarities."""

    rows: Rows
    values: Values


class Similarity:
    """One measure on the rows of a hierarchy.

    >>> from hypercone import Hierarchy
    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle"), ("dog", "beagle")])
    >>> Similarity(pets, "jaccard").of_pairs([3, 3], [4, 2]), Similarity(pets).most_similar(3, 2).rows
    (array([0.5 , 0.25]), array([1, 4], dtype=int32))
    """

    def __init__(self, hierarchy: Hierarchy, measure: str = "lin", ic: ArrayLike | None = None) -> None:
        """``ic`` is the information content of each row; that of ``hierarchy.information_content()`` by default."""
        if measure not in MEASURES:
            raise unknown_name("measure of similarity", str(measure), MEASURES)
        self.measure: Measure = measure
        self._order, self._parents = hierarchy._top_down.rows, hierarchy.parent_lists.csr
        self._hierarchy, self._weights = hierarchy, _weights_of(hierarchy, measure, ic)

    def of_pairs(self, first: Sequence[int] | Rows, second: Sequence[int] | Rows) -> Values:
        """The similarity of each pair of rows."""
        ours, others = np.asarray(first, np.int32), np.asarray(second, np.int32)
        common, shared, united = self._common(ours, others)
        if self.measure == "jaccard":
            values: Values = shared / united
            return values
        largest = np.where(common >= 0, self._weights[common], 0.0)
        return self._combine(largest, self._weights[ours], self._weights[others], ours == others)

    def common_ancestor(self, first: int, second: int) -> int | None:
        """The common ancestor of two rows that the measure is computed from; None if there is none."""
        if self.measure == "jaccard":
            return None
        row = int(self._common(np.array([first], np.int32), np.array([second], np.int32))[0][0])
        return row if row >= 0 else None

    def to_all(self, row: int) -> Values:
        """The similarity of a row to every row."""
        above = np.append(self._hierarchy.lineage.ancestors(row), np.int32(row))
        if self.measure == "jaccard":
            shared = count_shared_ancestors(freeze(above), self._order, self._parents)
            values: Values = shared / (self._hierarchy._lineage_sizes + len(above) - shared)
            return values
        largest = largest_shared_weights(freeze(above), self._order, self._parents, self._weights)
        is_same = np.zeros(len(self._hierarchy), np.bool_)
        is_same[row] = True
        return self._combine(largest, self._weights[row], self._weights, is_same)

    def most_similar(self, row: int, count: int) -> Ranked:
        """The ``count`` most similar other rows."""
        values = self.to_all(row)
        values[row] = -1.0
        rows = _largest(values, min(count, len(values) - 1))
        return Ranked(rows, values[rows])

    def of_sets(self, first: Sequence[int] | Rows, second: Sequence[int] | Rows) -> float:
        """The similarity of two sets of rows: the best-match average, or the Jaccard index of all their ancestors."""
        ours, others = np.unique(np.asarray(first, np.int32)), np.unique(np.asarray(second, np.int32))
        if self.measure == "jaccard":
            one, other = (self._with_ancestors(rows) for rows in (ours, others))
            shared = len(np.intersect1d(one, other, assume_unique=True))
            return shared / (len(one) + len(other) - shared)
        table = self.of_pairs(np.repeat(ours, len(others)), np.tile(others, len(ours)))
        table = table.reshape(len(ours), len(others))
        matches = np.concatenate([table.max(axis=1), table.max(axis=0)])
        return float(matches.mean())

    def _with_ancestors(self, rows: Rows) -> Rows:
        return np.unique(np.concatenate([rows, *map(self._hierarchy.lineage.ancestors, rows.tolist())]))

    def _common(self, first: Rows, second: Rows) -> tuple[Rows, NDArray[np.int64], NDArray[np.int64]]:
        scratch = np.zeros((3, len(self._hierarchy)), np.int32)
        rows = freeze(np.ascontiguousarray(first).copy()), freeze(np.ascontiguousarray(second).copy())
        found: tuple[Rows, Any, Any] = common_ancestors(*rows, self._parents, self._weights, *scratch)
        return found

    def _combine(self, common: Values, one: Any, other: Values, is_same: NDArray[np.bool_]) -> Values:
        """The similarities from the weight of the common ancestor and those of both rows."""
        if self.measure == "resnik":
            return common
        total = one + other
        if self.measure == "jiang-conrath":
            values: Values = 1 / (1 + (total - 2 * common))
            return values
        # Two nodes that say nothing, as a root does, are not similar, unless they are the same.
        values = np.divide(2 * common, total, out=np.zeros_like(total), where=total > 0)
        values[is_same] = 1.0
        return values


def _weights_of(hierarchy: Hierarchy, measure: str, ic: ArrayLike | None) -> Values:
    """What a measure compares: information content, or for Wu and Palmer the number of nodes on the way from a root."""
    if ic is not None and measure in ("wu-palmer", "jaccard"):
        raise InputError(f"{measure} does not depend on information content; leave out {option('ic')}")
    if measure == "wu-palmer":
        return hierarchy._nodes_from_root
    if ic is None:
        return hierarchy._own_information
    numbers = np.array(ic, np.float64)
    if numbers.shape != (len(hierarchy),):
        raise InputError(
            f"{option('ic')} has the shape {numbers.shape}, but must be one number for each of"
            f" {plural(len(hierarchy), 'node')}; hierarchy.information_content() returns such an array"
        )
    if not (np.isfinite(numbers) & (numbers >= 0)).all():
        raise InputError(f"{option('ic')} has a value that is not finite, or is negative; information is 0 or more")
    return freeze(numbers)


def _largest(values: Values, count: int) -> Rows:
    """The rows of the largest values, the largest first, ties by row."""
    if 0 < count <= FEW:
        rows: Rows = largest_values(freeze(values), count)
        return rows
    return np.argsort(-values, kind="stable")[:count].astype(np.int32)


def lineage_sizes(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """The number of ancestors of each row, itself included."""
    counts: NDArray[np.int64] = count_ancestors(hierarchy._top_down.rows, hierarchy.parent_lists.csr, NO_BUDGET)
    return freeze(counts + 1)


def similarity_of(hierarchy: Hierarchy, first: Rows, second: Rows, measure: str, ic: ArrayLike | None = None) -> Any:
    """The similarity of two rows as a float, or an array if one side is an array; arrays are of one length."""
    try:
        ours, others = np.broadcast_arrays(first, second)
    except ValueError:
        raise InputError(
            f"the names are lists of {first.size} and {second.size}; give as many of each, or one name"
        ) from None
    values = Similarity(hierarchy, measure, ic).of_pairs(ours.ravel(), others.ravel()).reshape(ours.shape)
    return float(values) if values.ndim == 0 else values


def set_similarity(hierarchy: Hierarchy, first: Rows, second: Rows, measure: str, ic: ArrayLike | None = None) -> float:
    """The similarity of two sets of rows; InputError if one is empty or is not a set."""
    if first.ndim == 0 or second.ndim == 0:
        raise InputError("a set of nodes is a list of names, but one name was given; compare two nodes by similarity")
    if not (len(first) and len(second)):
        raise InputError("a set of nodes needs at least one, but none was given")
    return Similarity(hierarchy, measure, ic).of_sets(first, second)


def most_similar(hierarchy: Hierarchy, row: int, count: int, measure: str, ic: ArrayLike | None = None) -> Ranked:
    """The ``count`` rows most similar to a row."""
    if count < 0:
        raise InputError(f"{option('k')} is {count}, but must be at least 0")
    return Similarity(hierarchy, measure, ic).most_similar(row, count)
