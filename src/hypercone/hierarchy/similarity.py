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
    JACCARD,
    JIANG_CONRATH,
    RATIO,
    RESNIK,
    compare_ancestors_with_all,
    compare_pairs,
    compare_two,
    compare_with_all,
    largest_values,
    relative_logarithms,
    sums_below,
)

if TYPE_CHECKING:
    from hypercone.hierarchy.hierarchy import Hierarchy

Measure = Literal["lin", "resnik", "jiang-conrath", "wu-palmer", "jaccard"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
# Lin and Wu and Palmer are the same ratio, of different weights.
KERNEL_MEASURES = {"resnik": RESNIK, "jiang-conrath": JIANG_CONRATH, "jaccard": JACCARD}
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
        self._hierarchy, self._weights = hierarchy, _weights_of(hierarchy, measure, ic)
        self._parents = hierarchy.parent_lists.csr
        self._kernel_measure = KERNEL_MEASURES.get(measure, RATIO)

    def of_two(self, first: int, second: int) -> tuple[float, int | None]:
        """The similarity of two rows, and the common ancestor that decides it; None if there is none, or by jaccard."""
        memory = self._hierarchy.lineage.marks_that_grow()
        value, common = compare_two(self._kernel_measure, first, second, self._parents, self._weights, memory)
        return float(value), int(common) if common >= 0 and self.measure != "jaccard" else None

    def of_pairs(self, first: Sequence[int] | Rows, second: Sequence[int] | Rows) -> Values:
        """The similarity of each pair of rows."""
        rows = freeze(np.array(first, np.int32)), freeze(np.array(second, np.int32))
        memory = self._hierarchy.lineage.marks_that_grow()
        values: Values = compare_pairs(self._kernel_measure, *rows, self._parents, self._weights, memory)
        return values

    def of_sets(self, first: Sequence[int] | Rows, second: Sequence[int] | Rows) -> float:
        """The similarity of two sets of rows: the best-match average, or the Jaccard index of all their ancestors."""
        ours, others = np.unique(np.asarray(first, np.int32)), np.unique(np.asarray(second, np.int32))
        if self.measure == "jaccard":
            one, other = (self._with_ancestors(rows) for rows in (ours, others))
            shared = len(np.intersect1d(one, other, assume_unique=True))
            return shared / (len(one) + len(other) - shared)
        table = self.of_pairs(np.repeat(ours, len(others)), np.tile(others, len(ours)))
        table = table.reshape(len(ours), len(others))
        return float(np.concatenate([table.max(axis=1), table.max(axis=0)]).mean())

    def to_all(self, row: int) -> Values:
        """The similarity of a row to every row."""
        hierarchy, above = self._hierarchy, self._with_ancestors(np.array([row], np.int32))
        order, above = hierarchy._top_down.rows, freeze(above)
        values: Values
        if self.measure == "jaccard":
            values = compare_ancestors_with_all(above, order, self._parents, hierarchy._lineage_sizes)
        else:
            values = compare_with_all(self._kernel_measure, row, above, order, self._parents, self._weights)
        return values

    def most_similar(self, row: int, count: int) -> Ranked:
        """The ``count`` most similar other rows."""
        values = self.to_all(row)
        values[row] = -1.0
        rows = _largest(freeze(values), min(count, len(values) - 1))
        return Ranked(rows, values[rows])

    def _with_ancestors(self, rows: Rows) -> Rows:
        return np.unique(np.concatenate([rows, *map(self._hierarchy.lineage.ancestors, rows.tolist())]))


def _weights_of(hierarchy: Hierarchy, measure: str, ic: ArrayLike | None) -> Values:
    """What a measure compares: information content, or for Wu and Palmer the number of nodes on the way from a root."""
    if ic is not None and measure in ("wu-palmer", "jaccard"):
        raise InputError(f"{measure} does not depend on information content; leave out {option('ic')}")
    if measure == "wu-palmer":
        return hierarchy._nodes_from_root
    return hierarchy._own_information if ic is None else _checked_information(hierarchy, ic)


def _checked_information(hierarchy: Hierarchy, ic: ArrayLike) -> Values:
    numbers, name = np.array(ic, np.float64), option("ic")
    if numbers.shape != (len(hierarchy),):
        raise InputError(
            f"{name} has the shape {numbers.shape}, but must be one number for each of"
            f" {plural(len(hierarchy), 'node')}; hierarchy.information_content() returns such an array"
        )
    if not (np.isfinite(numbers) & (numbers >= 0)).all():
        raise InputError(f"{name} has a value that is not finite, or is negative; information is 0 or more")
    falls = np.flatnonzero(numbers[hierarchy.edges[:, 0]] > numbers[hierarchy.edges[:, 1]])
    if len(falls):
        parent, child = hierarchy.edges[falls[0]]
        raise InputError(
            f"{name} is {numbers[child]:g} for {short(hierarchy.names[child])!r} and {numbers[parent]:g} for"
            f" {short(hierarchy.names[parent])!r}, but a node says at least as much as its parent"
        )
    return freeze(numbers)


def _largest(values: Values, count: int) -> Rows:
    """The rows of the largest values, the largest first, ties by row."""
    if 0 < count <= FEW:
        rows: Rows = largest_values(values, count)
        return rows
    return np.argsort(-values, kind="stable")[:count].astype(np.int32)


def lineage_sizes(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """The number of ancestors of each row, itself included."""
    counts: NDArray[np.int64] = count_ancestors(hierarchy._top_down.rows, hierarchy.parent_lists.csr, NO_BUDGET)
    return freeze(counts + 1)


def similarity_of(hierarchy: Hierarchy, first: Rows, second: Rows, measure: str, ic: ArrayLike | None = None) -> Any:
    """The similarity of two rows as a float, or an array if one side is an array; arrays are of one length."""
    similarity = Similarity(hierarchy, measure, ic)
    if first.ndim == second.ndim == 0:
        return similarity.of_two(int(first), int(second))[0]
    try:
        ours, others = np.broadcast_arrays(first, second)
    except ValueError:
        raise InputError(
            f"the names are lists of {first.size} and {second.size}; give as many of each, or one name"
        ) from None
    return similarity.of_pairs(ours, others)


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
