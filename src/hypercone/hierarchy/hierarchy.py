"""Hierarchy: node names and (parent, child) edges, validated on construction and immutable afterwards."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypercone._arrays import Adjacency, Rows, freeze, pair_keys
from hypercone.errors import HierarchyError, InputError, plural, short, warn_renamed, with_article
from hypercone.hierarchy.card import hierarchy_card
from hypercone.hierarchy.glossary import Glossary, checked_glossary
from hypercone.hierarchy.graph import Order, ancestor_counts, ancestors, count_pairs, depths, pairs_of, top_down_order
from hypercone.hierarchy.lineage import Lineage
from hypercone.hierarchy.lookup import find_row, path_text
from hypercone.hierarchy.names import Labels, NodeNames, checked_labels, rows_of_pairs
from hypercone.hierarchy.relation_names import DEFAULT_RELATIONS
from hypercone.hierarchy.similarity import Values, information_content, lineage_sizes, most_similar, similarity_of
from hypercone.hierarchy.similarity import set_similarity as similarity_of_sets
from hypercone.hierarchy.summary import Summary, summarize

if TYPE_CHECKING:
    from hypercone.hierarchy.interop import Direction
    from hypercone.hierarchy.split import Split

Names = str | Iterable[str]


class Hierarchy:
    """A directed acyclic graph of "is a" edges. Callers see names; internally nodes are rows 0 … n - 1.

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
    glossary: Glossary | None
    # For each row, the rows of its parents and of its children.
    parent_lists: Adjacency
    child_lists: Adjacency

    def __init__(
        self,
        names: Iterable[str],
        edges: ArrayLike,
        labels: Labels | Iterable[str] | None = None,
        notes: Iterable[str] = (),
        glossary: Glossary | None = None,
    ) -> None:
        """Names by row and (parent, child) rows; HierarchyError for a self-loop, a cycle or an invalid name.

        ``labels`` are human-readable names of the nodes; ``notes`` are sentences on what a reader skipped or changed;
        ``glossary`` holds definitions, synonyms, other ids and obsolete ids.
        """
        # Assigned through vars(), because __setattr__ refuses.
        attributes = vars(self)
        attributes["names"] = NodeNames(names)
        attributes["edges"], attributes["duplicates"] = checked_edges(edges, self.names)
        attributes["parent_lists"] = parent_lists(self.edges, len(self))
        attributes["child_lists"] = child_lists(self.parent_lists)
        attributes["_order"] = freeze(top_down_order(self.names, self.parent_lists, self.child_lists))
        attributes["labels"] = checked_labels(labels, len(self))
        attributes["notes"] = tuple(notes)
        attributes["glossary"] = checked_glossary(glossary, len(self))

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[str, str]]) -> Hierarchy:
        """A hierarchy from (parent, child) names; rows are in the order of first appearance.

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
    def from_networkx(cls, graph: Any, direction: Direction, relations: Sequence[str] = DEFAULT_RELATIONS) -> Hierarchy:
        """A hierarchy from a networkx or igraph graph; ``direction`` says which end of an edge is the parent.

        The label of a node is its attribute ``label``, or else ``name`` (of a networkx graph). Edges have relations if
        the graph is a multigraph with texts as keys, as obonet makes it, or if they have an attribute relation,
        relationship or predicate, or all of them type or label. Then only those in ``relations`` are taken, by name or
        id, and ``notes`` say which were left out.

        >>> import networkx
        >>> graph = networkx.MultiDiGraph([("heart", "organ", "is_a"), ("heart", "body", "part_of")])
        >>> hierarchy = Hierarchy.from_networkx(graph, direction="child-parent")
        >>> hierarchy.in_words(), hierarchy.notes[0]
        (['heart is an organ'], '1 other relation skipped (part_of 1)')
        """
        from hypercone.hierarchy.interop import rows_of_graph

        return cls(*rows_of_graph(graph, direction, relations))

    @classmethod
    def from_pronto(cls, ontology: Any, relations: Sequence[str] = DEFAULT_RELATIONS) -> Hierarchy:
        """A hierarchy from a pronto Ontology by these relations, named or by id; obsolete terms are skipped."""
        from hypercone.hierarchy.interop import rows_of_ontology

        return cls(*rows_of_ontology(ontology, relations))

    @classmethod
    def from_dict(cls, tree: Mapping[str, Any]) -> Hierarchy:
        """A hierarchy from a dict of parents with their children: a list, tuple or set of names, or a dict again.

        >>> Hierarchy.from_dict({"animal": ["dog", "cat"], "dog": ["poodle"]}).ancestors("poodle")
        ['animal', 'dog']
        >>> Hierarchy.from_dict({"animal": {"dog": {"poodle": {}}, "cat": {}}}).leaves
        ('cat', 'poodle')
        """
        from hypercone.hierarchy.interop import rows_of_dict

        return cls(*rows_of_dict(tree))

    @classmethod
    def from_frame(
        cls, frame: Any, parent: str = "parent", child: str = "child", label: str | None = None
    ) -> Hierarchy:
        """A hierarchy from a pandas or polars data frame or a pyarrow table with one edge per row; numbers become text.

        ``label`` names a column with the label of each child. An empty parent or child is an error.

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

    def _repr_html_(self) -> str:
        return hierarchy_card(self)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Hierarchy never changes, so {name} cannot be set; build another one")

    def row(self, name: str) -> int:
        """The row of a node by any of its names; InputError with candidates if it is unknown or ambiguous.

        Tried in this order: name, label, synonym or other id; the same in Unicode normal form; and without case.

        >>> heart = Hierarchy(["HP:1", "HP:2"], [[0, 1]], labels=["Abnormal heart", "Murmur"])
        >>> heart.row("HP:2"), heart.row("murmur")
        (1, 1)
        """
        return find_row(name, self.names, self.labels, self.glossary, self._path_text)

    def rows(self, names: Iterable[str]) -> Rows:
        """The rows of several names, in the given order."""
        names = list(names)
        try:
            return np.fromiter(map(self.names.row_of.__getitem__, names), np.int32, len(names))
        except (KeyError, TypeError):
            return np.array([self.row(name) for name in names], np.int32)

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The names of the nodes without parents.

        >>> Hierarchy(["animal", "dog", "stone"], [[0, 1]]).roots
        ('animal', 'stone')
        """
        return tuple(self.names[row] for row in self.root_rows.tolist())

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The names of the nodes without children.

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
        """All ancestors, shallowest first; ties are in row order.

        >>> Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle")]).ancestors("poodle")
        ['animal', 'dog']
        """
        return self._names_of(self.lineage.ancestors(self.row(name)))

    def descendants(self, name: str) -> list[str]:
        """All descendants, shallowest first; ties are in row order.

        >>> Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle")]).descendants("animal")
        ['dog', 'poodle']
        """
        return self._names_of(self.lineage.descendants(self.row(name)))

    def parents(self, name: str) -> list[str]:
        """The direct parents: those of the transitive reduction, shallowest first; ties are in row order.

        >>> Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle")]).parents("poodle")
        ['dog']
        """
        return self._names_of(self.lineage.parents(self.row(name)))

    def children(self, name: str) -> list[str]:
        """The direct children: those of the transitive reduction, shallowest first; ties are in row order.

        >>> Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat")]).children("animal")
        ['dog', 'cat']
        """
        return self._names_of(self.lineage.children(self.row(name)))

    def similarity(self, a: Names, b: Names, measure: str = "lin", *, ic: ArrayLike | None = None) -> Any:
        """How similar two nodes are in the graph: a float for two names, an array if one is a list.

        ``measure`` is lin, resnik, jiang-conrath, wu-palmer or jaccard. The first three compare information content:
        ``ic``, or else ``information_content()``.

        >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle"), ("dog", "beagle")])
        >>> pets.similarity("poodle", "beagle", "wu-palmer"), pets.similarity("poodle", ["cat", "dog"], "jaccard")
        (0.6666666666666666, array([0.25      , 0.66666667]))
        """
        return similarity_of(self, self._rows_of(a), self._rows_of(b), measure, ic)

    def set_similarity(
        self, a: Iterable[str], b: Iterable[str], measure: str = "lin", *, ic: ArrayLike | None = None
    ) -> float:
        """How similar two sets of nodes are: the best-match average, or by jaccard how many ancestors they share.

        >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle"), ("dog", "beagle")])
        >>> pets.set_similarity(["poodle", "cat"], ["cat"]), pets.set_similarity(["poodle"], ["poodle"])
        (0.6666666666666666, 1.0)
        """
        return similarity_of_sets(self, self._rows_of(a), self._rows_of(b), measure, ic)

    def most_similar(
        self, name: str, k: int = 10, measure: str = "lin", *, ic: ArrayLike | None = None
    ) -> list[tuple[str, float]]:
        """The k nodes most similar to a node, with their similarities; ties are in row order.

        >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle"), ("dog", "beagle")])
        >>> pets.most_similar("poodle", 2, "jaccard")
        [('dog', 0.6666666666666666), ('beagle', 0.5)]
        """
        found = most_similar(self, self.row(name), k, measure, ic)
        return list(zip(self._names_of(found.rows), found.values.tolist(), strict=True))

    def information_content(self, counts: Mapping[str, float] | None = None) -> Values:
        """For each row how specific it is, from 0 for a root above everything to 1 for a node with nothing below.

        It is 1 − log(d + 1) / log(n) for d descendants and n nodes (Seco et al. 2004). With ``counts``, how often each
        node was observed, 1 is added for each node, and it is 1 − log(f) / log(N), where f is the sum over the node and
        its descendants and N the sum over all nodes.

        >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
        >>> pets.information_content().tolist(), pets.information_content({"cat": 4}).round(2).tolist()
        ([0.0, 0.5, 1.0, 1.0], [0.0, 0.67, 0.23, 1.0])
        """
        return self._own_information if counts is None else information_content(self, counts)

    def closure(self) -> Rows:
        """The transitive closure: all (ancestor, descendant) rows, sorted by (descendant, ancestor).

        ResourceError if it does not fit into memory.
        """
        return self._closure

    def ancestor_lists(self) -> Adjacency:
        """The transitive closure as lists: for each row all its ancestors, ascending."""
        return self._ancestors

    def reduction(self) -> Rows:
        """The direct edges: (parent, child) rows not implied by other edges, sorted by (child, parent)."""
        return self._basic_edges

    def count_closure(self) -> int | None:
        """The number of pairs in the transitive closure, without storing it; None if counting would take minutes."""
        return len(self._ancestors.rows) if "_ancestors" in vars(self) else self._closure_size

    def ancestor_counts(self) -> NDArray[np.int64] | None:
        """The number of ancestors of each row, without storing the closure; None if counting would take long.

        >>> Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle")]).ancestor_counts().tolist()
        [0, 1, 2]
        """
        if "_ancestors" in vars(self):
            return self._ancestors.counts
        return ancestor_counts(self._top_down, self.lineage.parent_lists)

    @cached_property
    def depths(self) -> Rows:
        """For each row, the number of edges on the longest path from a root.

        >>> Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle")]).depths.tolist()
        [0, 1, 2]
        """
        return self._top_down.depths

    def ancestors_of(self, row: int) -> Rows:
        """The rows of all ancestors of a row, ascending; found by graph search, without the closure."""
        return np.sort(self.lineage.ancestors(row))

    def descendants_of(self, row: int) -> Rows:
        """The rows of all descendants of a row, ascending; found by graph search, without the closure."""
        return np.sort(self.lineage.descendants(row))

    @cached_property
    def lineage(self) -> Lineage:
        """Who is above and below whom, by row."""
        return Lineage(self._top_down, self.parent_lists, self.child_lists)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of names and edges, in order, as hexadecimal."""
        hashed = hashlib.sha256("\n".join(self.names).encode() + b"\0")
        hashed.update(self.edges.astype("<i4").tobytes())
        return hashed.hexdigest()

    def in_words(self, count: int = 3) -> list[str]:
        """A few edges as sentences, evenly spaced over all edges, to check which way they point.

        >>> Hierarchy.from_pairs([("animal", "dog")]).in_words()
        ['dog is an animal']
        """
        count = min(count, len(self.edges))
        chosen = np.linspace(0, len(self.edges) - 1, max(0, count)).astype(np.int64)
        return [
            f"{self.display_name(child)} is {with_article(self.display_name(parent))}"
            for parent, child in self.edges[chosen]
        ]

    def display_name(self, row: int) -> str:
        """The label of a row, or its name if it has no label."""
        return (self.labels[row] if self.labels else "") or self.names[row]

    @cached_property
    def definitions(self) -> dict[str, str]:
        """The definition of each node that has one, by name.

        >>> heart = Glossary.of_rows(2, definitions={1: "A muscle that pumps."})
        >>> Hierarchy(["organ", "heart"], [[0, 1]], glossary=heart).definitions
        {'heart': 'A muscle that pumps.'}
        """
        texts = () if self.glossary is None else self.glossary.definitions
        return {name: text for name, text in zip(self.names, texts, strict=False) if text}

    def _path_text(self, row: int) -> str:
        return path_text(row, self.lineage.parent_lists, self.display_name)

    def called(self, row: int) -> str:
        """The old name of ``display_name``, with a warning."""
        warn_renamed("Hierarchy.called", "Hierarchy.display_name")
        return self.display_name(row)

    def drop(self, names: Iterable[str]) -> Hierarchy:
        """The hierarchy without these nodes and their edges; children with no other parent become roots.

        >>> Hierarchy.from_pairs([("animal", "dog"), ("dog", "puppy")]).drop(["animal"]).names
        ('dog', 'puppy')
        """
        if isinstance(names, str):
            raise InputError(f"names is the text {names!r}; give a list of names")
        is_included = np.ones(len(self), np.bool_)
        is_included[self.rows(names)] = False
        return self._subset(is_included)

    def without(self, names: Iterable[str]) -> Hierarchy:
        """The old name of ``drop``."""
        warn_renamed("Hierarchy.without", "Hierarchy.drop")
        return self.drop(names)

    def subtree(self, name: str) -> Hierarchy:
        """A node, all its descendants, and the edges among them.

        >>> Hierarchy.from_pairs([("animal", "dog"), ("dog", "puppy")]).subtree("dog").names
        ('dog', 'puppy')
        """
        is_included = np.zeros(len(self), np.bool_)
        is_included[self.row(name)] = True
        is_included[self.descendants_of(self.row(name))] = True
        return self._subset(is_included)

    def _subset(self, is_included: NDArray[np.bool_]) -> Hierarchy:
        new_row = np.cumsum(is_included) - 1
        inside = is_included[self.edges].all(axis=1)
        included = is_included.tolist()
        labels, glossary = self.labels and self.labels.part(included), self.glossary and self.glossary.part(included)
        return Hierarchy(compress(self.names, included), new_row[self.edges[inside]], labels, glossary=glossary)

    def split(self, percent: float, seed: int = 0, *, holdout: float = 0.05, negatives_per_side: int = 5) -> Split:
        """The paper's split: all direct edges and ``percent`` % of the implied ones to train on, others held out.

        Validation and test each take the fraction ``holdout`` of the implied edges. Every held-out pair (u, v) comes
        with ``negatives_per_side`` negative pairs (u′, v) and as many (u, v′). Held-out pairs and negatives are the
        same for every percent, and a smaller training set is a prefix of a larger one.

        >>> birds = Hierarchy.from_pairs([("bird", "pelican"), ("pelican", "white_pelican")])
        >>> birds.split(0).train.tolist()
        [[0, 1], [1, 2]]
        """
        from hypercone.hierarchy.split import split_as_in_the_paper

        return split_as_in_the_paper(self, percent, seed, holdout, negatives_per_side)

    def summary(self) -> Summary:
        """Size and shape: counts of nodes and edges, depth, branching, size of the closure.

        >>> birds = Hierarchy.from_pairs([("bird", "pelican"), ("pelican", "white_pelican")])
        >>> birds.summary().closure_edges, birds.summary().depth
        (3, 2)
        """
        return summarize(self)

    def redundant_edges(self) -> Rows:
        """The given (parent, child) rows that follow from other edges, in the order of the edges.

        >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle"), ("animal", "poodle")])
        >>> pets.redundant_edges().tolist()
        [[0, 2]]
        """
        given, direct = (pair_keys(edges[:, 0], edges[:, 1], len(self)) for edges in (self.edges, self.reduction()))
        redundant: Rows = self.edges[~np.isin(given, direct)]
        return redundant

    def _names_of(self, rows: Rows) -> list[str]:
        return [self.names[row] for row in rows.tolist()]

    def _rows_of(self, names: Names) -> Rows:
        return np.array(self.row(names), np.int32) if isinstance(names, str) else self.rows(names)

    # Derived data, computed on first use and cached.
    _order: Rows

    @cached_property
    def _top_down(self) -> Order:
        return Order(self._order, depths(self._order, self.parent_lists))

    @cached_property
    def _own_information(self) -> Values:
        return information_content(self)

    @cached_property
    def _nodes_from_root(self) -> Values:
        return freeze(self.depths.astype(np.float64) + 1)

    @cached_property
    def _lineage_sizes(self) -> NDArray[np.int64]:
        return lineage_sizes(self)

    @cached_property
    def _basic_edges(self) -> Rows:
        return pairs_of(self.lineage.parent_lists)

    @cached_property
    def _ancestors(self) -> Adjacency:
        return ancestors(self._top_down, self.lineage.parent_lists)

    @cached_property
    def _closure_size(self) -> int | None:
        if int(self.lineage.parent_lists.counts.max(initial=0)) < 2:
            return int(self.depths.sum(dtype=np.int64))
        return count_pairs(self._top_down, self.lineage.parent_lists)

    @cached_property
    def _closure(self) -> Rows:
        return pairs_of(self._ancestors)


def checked_edges(edges: ArrayLike, names: Sequence[str]) -> tuple[Rows, int]:
    """The edges as int32[m, 2] without duplicates, in their order, and the number of duplicates dropped."""
    raw = _as_rows(edges, len(names))
    loop = first_self_loop(raw)
    if loop is not None:
        raise HierarchyError(self_loop(names[raw[loop, 0]]))
    unique = _unique(raw, len(names)).astype(np.int32, order="C")
    return freeze(unique), len(raw) - len(unique)


def first_self_loop(edges: NDArray[np.integer]) -> int | None:
    """The index of the first edge from a node to itself, or None."""
    loops = np.flatnonzero(edges[:, 0] == edges[:, 1])
    return int(loops[0]) if len(loops) else None


def self_loop(name: str) -> str:
    """The error message for an edge from a node to itself."""
    return f"{short(name)!r} is given as its own parent; remove this edge"


def parent_lists(edges: Rows, size: int) -> Adjacency:
    """For each row its parents, ascending."""
    return Adjacency.of_pairs(edges[:, 1], edges[:, 0], size)


def child_lists(parents: Adjacency) -> Adjacency:
    """For each row its children, ascending."""
    order = np.argsort(parents.rows, kind="stable")
    return Adjacency.of_groups(parents.rows, parents.groups()[order], len(parents))


def _unique(edges: NDArray[np.integer], size: int) -> NDArray[np.integer]:
    keys = pair_keys(edges[:, 0], edges[:, 1], size)
    in_order = np.sort(keys)
    # Most files have no duplicates, and finding first appearances takes three times as long as a plain sort.
    if not (in_order[1:] == in_order[:-1]).any():
        return edges
    return edges[np.sort(np.unique(keys, return_index=True)[1])]


def _as_rows(edges: ArrayLike, size: int) -> NDArray[np.integer]:
    rows = np.asarray(edges)
    if rows.size == 0:
        return np.empty((0, 2), np.int32)
    if rows.ndim != 2 or rows.shape[1] != 2 or rows.dtype.kind not in "iu":
        raise HierarchyError(
            f"edges must be whole numbers in two columns, parent and child, not {rows.dtype} {rows.shape}"
        )
    if rows.min() < 0 or rows.max() >= size:
        unknown = rows.min() if rows.min() < 0 else rows.max()
        raise HierarchyError(f"an edge names row {unknown}, but there are rows 0 … {size - 1}; give every row a name")
    return rows
