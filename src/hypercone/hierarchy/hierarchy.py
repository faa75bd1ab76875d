"""Hierarchy: names, edges from parent to child, and what follows from them. Checked once, never changed."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypercone._arrays import Adjacency, Rows, freeze, pair_keys
from hypercone.errors import HierarchyError, InputError, plural, short, warn_renamed, with_article
from hypercone.hierarchy.graph import Order, ancestors, count_pairs, depths, order_from_the_top, pairs_of, reduced
from hypercone.hierarchy.graph_kernels import reachable
from hypercone.hierarchy.names import Labels, NodeNames, checked_labels, find_row, rows_of_pairs

if TYPE_CHECKING:
    from hypercone.hierarchy.interop import Direction
    from hypercone.hierarchy.split import Split


class Hierarchy:
    """A directed graph of "is a" without cycles. Nodes are names outside and rows 0 … n - 1 inside.

    >>> birds = Hierarchy.from_pairs([("bird", "pelican"), ("pelican", "white_pelican")])
    >>> birds.names
    ('bird', 'pelican', 'white_pelican')
    >>> birds.closure().tolist()
    [[0, 1], [0, 2], [1, 2]]
    >>> birds.in_words()
    ['pelican is a bird', 'white_pelican is a pelican']
    """

    names: NodeNames
    edges: Rows
    labels: Labels | None
    duplicates: int
    notes: tuple[str, ...]
    # By row: the rows of the parents and of the children of each.
    parent_lists: Adjacency
    child_lists: Adjacency

    def __init__(
        self,
        names: Iterable[str],
        edges: ArrayLike,
        labels: Labels | Iterable[str] | None = None,
        notes: Iterable[str] = (),
    ) -> None:
        """Names by row and (parent, child) rows; HierarchyError for a self loop, a cycle or a bad name.

        ``labels`` are what people call the nodes, and ``notes`` what a reader left out or changed, in words.
        """
        given = vars(self)
        given["names"] = NodeNames(names)
        given["edges"], given["duplicates"] = checked_edges(edges, self.names)
        given["parent_lists"] = parent_lists(self.edges, len(self))
        given["child_lists"] = child_lists(self.parent_lists)
        given["_order"] = freeze(order_from_the_top(self.names, self.parent_lists, self.child_lists))
        given["labels"] = checked_labels(labels, len(self))
        given["notes"] = tuple(notes)

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[str, str]]) -> Hierarchy:
        """From (parent, child) names; rows in the order of first appearance.

        >>> len(Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat")]))
        3
        """
        return cls(*rows_of_pairs(pairs))

    @classmethod
    def from_rows(cls, names: Iterable[str], edges: ArrayLike) -> Hierarchy:
        """The old name of ``Hierarchy(names, edges)``."""
        warn_renamed("Hierarchy.from_rows", "Hierarchy(names, edges)")
        return cls(names, edges)

    @classmethod
    def from_networkx(cls, graph: Any, direction: Direction) -> Hierarchy:
        """From a networkx DiGraph; ``direction`` says which way its arrows point.

        Nodes with an attribute ``label``, or else ``name``, are labelled by it.
        """
        from hypercone.hierarchy.interop import rows_of_graph

        return cls(*rows_of_graph(graph, direction))

    @classmethod
    def from_frame(
        cls, frame: Any, parent: str = "parent", child: str = "child", label: str | None = None
    ) -> Hierarchy:
        """From a pandas or polars data frame or a pyarrow table, one edge a row; numbers become text.

        ``label`` names a column with the label of each child. An empty cell at either end of an edge is refused.

        >>> import pandas
        >>> Hierarchy.from_frame(pandas.DataFrame({"parent": ["animal"], "child": ["dog"]})).names
        ('animal', 'dog')
        """
        from hypercone.hierarchy.interop import rows_of_frame

        return cls(*rows_of_frame(frame, parent, child, label))

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names.row_of

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return self.names == other.names and np.array_equal(self.edges, other.edges)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<Hierarchy of {plural(len(self), 'node')} and {plural(len(self.edges), 'edge')}>"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Hierarchy never changes, so {name} cannot be set; build another one")

    def row(self, name: str) -> int:
        """The row of a name or a label; UnknownNameError with the nearest names if there is none.

        >>> heart = Hierarchy(["HP:1", "HP:2"], [[0, 1]], labels=["Abnormal heart", "Murmur"])
        >>> heart.row("HP:2"), heart.row("murmur")
        (1, 1)
        """
        return find_row(name, self.names.row_of, self.names, self.labels)

    def rows(self, names: Iterable[str]) -> Rows:
        """The rows of several names, in their order."""
        names = list(names)
        try:
            return np.fromiter(map(self.names.row_of.__getitem__, names), np.int32, len(names))
        except (KeyError, TypeError):
            return np.array([self.row(name) for name in names], np.int32)

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The nodes without parents.

        >>> Hierarchy(["animal", "dog", "stone"], [[0, 1]]).roots
        ('animal', 'stone')
        """
        return tuple(self.names[row] for row in self.root_rows.tolist())

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The nodes without children.

        >>> Hierarchy(["animal", "dog", "stone"], [[0, 1]]).leaves
        ('dog', 'stone')
        """
        return tuple(self.names[row] for row in self.leaf_rows.tolist())

    @cached_property
    def root_rows(self) -> Rows:
        """The rows of the roots."""
        return freeze(np.flatnonzero(self.parent_lists.counts == 0).astype(np.int32))

    @cached_property
    def leaf_rows(self) -> Rows:
        """The rows of the leaves."""
        return freeze(np.flatnonzero(self.child_lists.counts == 0).astype(np.int32))

    def ancestors(self, name: str) -> list[str]:
        """Every node above this one, from the top down; of equally deep ones the earlier row first.

        >>> Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle")]).ancestors("poodle")
        ['animal', 'dog']
        """
        return self._from_the_top_down(self.ancestors_of(self.row(name)))

    def descendants(self, name: str) -> list[str]:
        """Every node below this one, from the top down; of equally deep ones the earlier row first.

        >>> Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle")]).descendants("animal")
        ['dog', 'poodle']
        """
        return self._from_the_top_down(self.descendants_of(self.row(name)))

    def parents(self, name: str) -> list[str]:
        """The nodes that an edge leads from to this one.

        >>> Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle")]).parents("poodle")
        ['dog']
        """
        return [self.names[row] for row in self.parent_lists[self.row(name)].tolist()]

    def children(self, name: str) -> list[str]:
        """The nodes that an edge leads to from this one.

        >>> Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat")]).children("animal")
        ['dog', 'cat']
        """
        return [self.names[row] for row in self.child_lists[self.row(name)].tolist()]

    def closure(self) -> Rows:
        """All (ancestor, descendant) rows by (descendant, ancestor); ResourceError if they do not fit."""
        return self._closure

    def ancestor_lists(self) -> Adjacency:
        """The closure by descendant: of each row all its ancestors, ascending."""
        return self._ancestors

    def reduction(self) -> Rows:
        """The basic edges: those (parent, child) not implied by the others, sorted by (child, parent)."""
        return self._basic_edges

    def count_closure(self) -> int | None:
        """How many pairs the closure has, without storing it; None if counting them would take minutes."""
        if "_ancestors" in vars(self):
            return len(self._ancestors.rows)
        return count_pairs(self._from_the_top, self._basic_parents)

    @cached_property
    def depths(self) -> Rows:
        """For each row the number of edges on the longest path from a root.

        >>> Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle")]).depths.tolist()
        [0, 1, 2]
        """
        return self._from_the_top.depths

    def ancestors_of(self, row: int) -> Rows:
        """All rows above a row, ascending, found by walking up; the closure is not needed."""
        return _walk(self.parent_lists, row)

    def descendants_of(self, row: int) -> Rows:
        """All rows below a row, ascending, found by walking down; the closure is not needed."""
        return _walk(self.child_lists, row)

    @cached_property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, of the names and the edges in their order."""
        hashed = hashlib.sha256("\n".join(self.names).encode() + b"\0")
        hashed.update(self.edges.astype("<i4").tobytes())
        return hashed.hexdigest()

    def in_words(self, count: int = 3) -> list[str]:
        """A few edges read aloud, spread over all of them, to see at a glance which way they point.

        >>> Hierarchy.from_pairs([("animal", "dog")]).in_words()
        ['dog is an animal']
        """
        count = min(count, len(self.edges))
        chosen = np.linspace(0, len(self.edges) - 1, max(0, count)).astype(np.int64)
        return [f"{self.called(child)} is {with_article(self.called(parent))}" for parent, child in self.edges[chosen]]

    def called(self, row: int) -> str:
        """The label of a row, or its name if it has none."""
        return (self.labels[row] if self.labels else "") or self.names[row]

    def drop(self, names: Iterable[str]) -> Hierarchy:
        """The hierarchy without these nodes and the edges at them; children with no other parent become roots.

        >>> Hierarchy.from_pairs([("animal", "dog"), ("dog", "puppy")]).drop(["animal"]).names
        ('dog', 'puppy')
        """
        if isinstance(names, str):
            raise InputError(f"names is the text {names!r}; give a list of names")
        kept = np.ones(len(self), np.bool_)
        kept[self.rows(names)] = False
        return self._part(kept)

    def without(self, names: Iterable[str]) -> Hierarchy:
        """The old name of ``drop``."""
        warn_renamed("Hierarchy.without", "Hierarchy.drop")
        return self.drop(names)

    def subtree(self, name: str) -> Hierarchy:
        """A node with everything below it, and the edges among these.

        >>> Hierarchy.from_pairs([("animal", "dog"), ("dog", "puppy")]).subtree("dog").names
        ('dog', 'puppy')
        """
        kept = np.zeros(len(self), np.bool_)
        kept[self.row(name)] = True
        kept[self.descendants_of(self.row(name))] = True
        return self._part(kept)

    def _part(self, kept: NDArray[np.bool_]) -> Hierarchy:
        new_row = np.cumsum(kept) - 1
        inside = kept[self.edges].all(axis=1)
        labels = self.labels and self.labels.part(kept.tolist())
        return Hierarchy(compress(self.names, kept.tolist()), new_row[self.edges[inside]], labels)

    def split(self, percent: float, seed: int = 0, *, holdout: float = 0.05, negatives_per_side: int = 5) -> Split:
        """The paper's split: all direct edges and ``percent`` % of the implied ones to learn from, others to judge by.

        Validation and test take the fraction ``holdout`` of the implied edges each. Every held-out pair (u, v) comes
        with ``negatives_per_side`` pairs (u′, v) and as many (u, v′) that do not hold. Both are the same for every
        percent, and a smaller training set is the beginning of a larger one.

        >>> birds = Hierarchy.from_pairs([("bird", "pelican"), ("pelican", "white_pelican")])
        >>> birds.split(0).train.tolist()
        [[0, 1], [1, 2]]
        """
        from hypercone.hierarchy.split import split_as_in_the_paper

        return split_as_in_the_paper(self, percent, seed, holdout, negatives_per_side)

    def summary(self) -> Summary:
        """The size and shape in numbers: nodes, edges, depth, branching, closure.

        >>> birds = Hierarchy.from_pairs([("bird", "pelican"), ("pelican", "white_pelican")])
        >>> birds.summary().closure_edges, birds.summary().depth
        (3, 2)
        """
        return _summary(self)

    def _from_the_top_down(self, rows: Rows) -> list[str]:
        return [self.names[row] for row in rows[np.argsort(self.depths[rows], kind="stable")].tolist()]

    # What follows is found when first asked for, and kept.
    _order: Rows

    @cached_property
    def _from_the_top(self) -> Order:
        return Order(self._order, depths(self._order, self.parent_lists))

    @cached_property
    def _basic_parents(self) -> Adjacency:
        return reduced(self._from_the_top, self.parent_lists, self.child_lists)

    @cached_property
    def _basic_edges(self) -> Rows:
        return pairs_of(self._basic_parents)

    @cached_property
    def _ancestors(self) -> Adjacency:
        return ancestors(self._from_the_top, self._basic_parents)

    @cached_property
    def _closure(self) -> Rows:
        return pairs_of(self._ancestors)


def _walk(neighbours: Adjacency, row: int) -> Rows:
    if not 0 <= row < len(neighbours):
        raise IndexError(f"row {row} is outside 0 … {len(neighbours) - 1}")
    found: Rows = reachable(int(row), neighbours.csr)
    return np.sort(found)


def checked_edges(edges: ArrayLike, names: Sequence[str]) -> tuple[Rows, int]:
    """The edges as int32[m, 2] without repeats, in their order, and how many repeats were dropped."""
    given = _as_rows(edges, len(names))
    loop = first_self_loop(given)
    if loop is not None:
        raise HierarchyError(self_loop(names[given[loop, 0]]))
    unique = _unique(given, len(names)).astype(np.int32, order="C")
    return freeze(unique), len(given) - len(unique)


def first_self_loop(edges: NDArray[np.integer]) -> int | None:
    """Where the first edge from a node to itself stands, if there is one."""
    loops = np.flatnonzero(edges[:, 0] == edges[:, 1])
    return int(loops[0]) if len(loops) else None


def self_loop(name: str) -> str:
    """The sentence for an edge from a node to itself."""
    return f"{short(name)!r} is given as its own parent; remove this edge"


def parent_lists(edges: Rows, size: int) -> Adjacency:
    """Of each row its parents, ascending."""
    return Adjacency.of_pairs(edges[:, 1], edges[:, 0], size)


def child_lists(parents: Adjacency) -> Adjacency:
    """Of each row its children, ascending."""
    order = np.argsort(parents.rows, kind="stable")
    return Adjacency.of_groups(parents.rows, parents.groups()[order], len(parents))


def _unique(edges: NDArray[np.integer], size: int) -> NDArray[np.integer]:
    keys = pair_keys(edges[:, 0], edges[:, 1], size)
    in_order = np.sort(keys)
    # Files without repeats are the rule, and finding first appearances costs three times the plain sort.
    if not (in_order[1:] == in_order[:-1]).any():
        return edges
    return edges[np.sort(np.unique(keys, return_index=True)[1])]


def _as_rows(edges: ArrayLike, size: int) -> NDArray[np.integer]:
    given = np.asarray(edges)
    if given.size == 0:
        return np.empty((0, 2), np.int32)
    if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu":
        raise HierarchyError(
            f"edges must be whole numbers in two columns, parent and child, not {given.dtype} {given.shape}"
        )
    if given.min() < 0 or given.max() >= size:
        strange = given.min() if given.min() < 0 else given.max()
        raise HierarchyError(f"an edge names row {strange}, but there are rows 0 … {size - 1}; give every row a name")
    return given


@dataclass(frozen=True)
class Summary:
    """The size and shape of a hierarchy.

    ``closure_edges`` is counted without storing the closure: exactly, or None where that would take minutes.
    """

    nodes: int
    edges: int
    basic_edges: int
    closure_edges: int | None
    nonbasic_edges: int | None
    roots: int
    leaves: int
    depth: int
    branching: float
    max_branching: int
    multi_parent_nodes: int
    seconds: float

    def as_dict(self) -> dict[str, int | float | None]:
        """The numbers by name, ready for JSON."""
        return asdict(self)


def _summary(hierarchy: Hierarchy) -> Summary:
    """Count what there is: ``depth`` is the longest path, ``branching`` the mean children of a non-leaf."""
    start = time.perf_counter()
    basic = len(hierarchy.reduction())
    closure = hierarchy.count_closure()
    depth = int(hierarchy.depths.max(initial=0))
    below = hierarchy.child_lists.counts
    inner = len(hierarchy) - len(hierarchy.leaf_rows)
    return Summary(
        nodes=len(hierarchy),
        edges=len(hierarchy.edges),
        basic_edges=basic,
        closure_edges=closure,
        nonbasic_edges=None if closure is None else closure - basic,
        roots=len(hierarchy.root_rows),
        leaves=len(hierarchy.leaf_rows),
        depth=depth,
        branching=len(hierarchy.edges) / inner if inner else 0.0,
        max_branching=int(below.max(initial=0)),
        multi_parent_nodes=int((hierarchy.parent_lists.counts > 1).sum()),
        seconds=time.perf_counter() - start,
    )
