"""The result of a fit: named points, validated once, and the answers derived from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypercone._arrays import Rows
from hypercone.embedding.checks import check_number, checked_fields, describe_value
from hypercone.embedding.explanation import Explanation, explain
from hypercone.embedding.placement import NewNodes, add_at_point, add_many
from hypercone.embedding.relations import ancestors_of_point, centroid
from hypercone.embedding.relatives import By, ByGeometry, ByGraph, Relatives, checked_by, graph_for
from hypercone.errors import OLD_METHODS, InputError, warn_renamed
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.glossary import Glossary
from hypercone.hierarchy.lookup import find_row, find_rows
from hypercone.hierarchy.names import Labels, NodeNames, SearchText
from hypercone.hierarchy.similarity import most_similar, set_similarity, similarity_of
from hypercone.index import ConeIndex, Finder
from hypercone.methods import Points, Settings, find_method
from hypercone.methods.scoring import Scorer
from hypercone.progress import is_notebook

if TYPE_CHECKING:
    from hypercone.queries import Comparison, Suggestions
    from hypercone.queries.answers import Described

Names = str | Sequence[str]
# Sequence[str] would also match str.
NameList = list[str] | tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Embedding:
    """Nodes as points, with the method that interprets the points and the threshold below which a pair is true.

    ``len`` counts the nodes and iterating gives their names. ``embedding["dog"]`` and ``points`` are read-only views,
    ``embedding[["dog", "cat"]]``, ``vectors`` and ``np.array(embedding)`` are copies that may be changed.

    The geometry has one rule: *child* is a *parent* exactly if ``energy(child, parent) <= threshold``. A model with
    ``edges``, the (parent, child) rows of its graph, answers from the graph what the graph decides, and from the
    geometry the rest; ``by="geometry"`` asks the geometry alone. A model fitted to a split answers by geometry unless
    asked (see ``default_by``). ``record`` documents the fit: its configuration, the digest of the data, the chosen
    epoch. ``labels`` are human-readable names. ``by_point`` are the rows of nodes that were added at a given point, and
    so are not in the graph. ``glossary`` has definitions, synonyms, other ids and obsolete ids.

    >>> points = np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.5]])
    >>> embedding = Embedding(["animal", "dog", "stone"], points, "hyperbolic-cones", Settings(), threshold=0.0)
    >>> embedding.ancestors("dog"), embedding.is_a("stone", "animal")
    (['animal'], False)
    """

    names: Sequence[str]
    points: Points
    method: str
    settings: Settings
    threshold: float
    record: dict[str, Any] = field(default_factory=dict)
    labels: Labels | None = None
    edges: Rows | None = None
    by_point: Rows | None = None
    glossary: Glossary | None = None

    def __post_init__(self) -> None:
        # The only validation: saving, exporting, plotting and serving rely on it.
        vars(self).update(checked_fields(self))

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        """Whether ``embedding[name]`` finds one node: by its name, or by a label or another name that is unique."""
        if not isinstance(name, str):
            return False
        return name in self._rows or len(find_rows(name, NodeNames(self.names), self.labels, self.glossary).rows) == 1

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __getitem__(self, name: Names) -> NDArray[np.float64]:
        """The point of a node, a read-only view; for a list or tuple of names, their points as rows, a copy."""
        if isinstance(name, str):
            point: NDArray[np.float64] = self.points[self.row(name)]
            return point
        # A set has no order, so its points would have none.
        if not isinstance(name, Iterable) or isinstance(name, bytes | Mapping | set | frozenset):
            raise InputError(
                f"{describe_value(name)} is not a name or a list of names; points by row are in embedding.points"
            )
        return self.points[self._rows_of(name)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The points for NumPy: ``np.asarray(embedding)`` is the read-only ``points``, ``np.array`` makes a copy."""
        # NumPy 1 has no copy=None, which in NumPy 2 means "only if needed".
        return np.asarray(self.points, dtype) if copy is None else np.array(self.points, dtype, copy=copy)

    @property
    def vectors(self) -> NDArray[np.float64]:
        """A fresh, writable copy of ``points``, one row per name, as torch.from_numpy and others want it.

        >>> import hypercone
        >>> embedding = hypercone.fit("tree-2-3", dim=2)
        >>> embedding.vectors.flags.writeable, embedding.points.flags.writeable
        (True, False)
        """
        return np.array(self.points)

    def __repr__(self) -> str:
        return f"Embedding({len(self):,} nodes, {self.dim}-D, {self.made_by})"

    def _repr_html_(self) -> str:
        from hypercone.plotting.card import embedding_card

        return embedding_card(self)

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return int(self.points.shape[1])

    @property
    def made_by(self) -> str:
        """The ``method`` of ``fit`` that made the points; for constructed cones, the name of the construction.

        >>> import hypercone
        >>> hypercone.fit("tree-2-3", "nested-caps", dim=2).made_by
        'nested-caps'
        """
        config = self.record.get("config")
        method = config.get("method") if isinstance(config, dict) else None
        return OLD_METHODS.get(method, method) if isinstance(method, str) else self.method

    def row(self, name: str) -> int:
        """The row of a node by any of its names; InputError with candidates if it is unknown or ambiguous."""
        return find_row(name, NodeNames(self.names), self.labels, self.glossary, self._path_text)

    def label(self, row: int) -> str | None:
        """The label of a row; None if it has none."""
        return (self.labels.texts[row] or None) if self.labels else None

    def display_name(self, row: int) -> str:
        """The label of a row, or its name if it has none."""
        return (self.labels[row] if self.labels else "") or self.names[row]

    def called(self, row: int) -> str:
        """The old name of ``display_name``, with a warning."""
        warn_renamed("Embedding.called", "Embedding.display_name")
        return self.display_name(row)

    @cached_property
    def hierarchy(self) -> Hierarchy | None:
        """The hierarchy it was fitted to; None if its edges are not known."""
        if self.edges is None:
            return None
        return Hierarchy(self.names, self.edges, self.labels, glossary=self.glossary)

    def _path_text(self, row: int) -> str:
        return "" if self.hierarchy is None else self.hierarchy._path_text(row)

    @property
    def default_by(self) -> By:
        """What answers unless asked otherwise: the graph, or the geometry without edges or after a fit to a split."""
        return "geometry" if self.edges is None or self.record.get("split") else "graph"

    def relatives(self, by: str | None = None) -> Relatives:
        """The relatives of nodes by row, from the graph or the geometry."""
        hierarchy = self.hierarchy if checked_by(self, by) == "graph" else None
        return self._by_geometry if hierarchy is None else self._by_graph

    def energy(self, child: Names, parent: Names) -> Any:
        """How far the child is from the parent's region; a float for two names, an array if one is a list."""
        pairs, shape = self._pairs_of(child, parent)
        energies = self.scorer.energies(pairs).reshape(shape)
        return float(energies) if energies.ndim == 0 else energies

    def is_a(self, child: Names, parent: Names, *, by: str | None = None) -> Any:
        """Whether the child is the parent or a kind of it; a bool for two names, an array if one is a list.

        As in all questions about relatives, ``by`` is "graph" or "geometry"; ``default_by`` if it is None.
        """
        pairs, shape = self._pairs_of(child, parent)
        answers = self.relatives(by).is_a(pairs).reshape(shape)
        return bool(answers) if answers.ndim == 0 else answers

    @overload
    def ancestors(self, name: str, *, by: str | None = None) -> list[str]: ...

    @overload
    def ancestors(self, name: NameList, *, by: str | None = None) -> list[list[str]]: ...

    def ancestors(self, name: str | NameList, *, by: str | None = None) -> list[str] | list[list[str]]:
        """Every node that this one is a kind of, most general first; for a list of names, one list each."""
        if isinstance(name, str):
            return self._names_of(self.relatives(by).ancestors(self.row(name)))
        return [self._names_of(rows) for rows in self.relatives(by).ancestors_of_many(self._rows_of_list(name))]

    @overload
    def descendants(self, name: str, *, by: str | None = None) -> list[str]: ...

    @overload
    def descendants(self, name: NameList, *, by: str | None = None) -> list[list[str]]: ...

    def descendants(self, name: str | NameList, *, by: str | None = None) -> list[str] | list[list[str]]:
        """Every node that is a kind of this one, most general first; for a list of names, one list each."""
        if isinstance(name, str):
            return self._names_of(self.relatives(by).descendants(self.row(name)))
        return [self._names_of(rows) for rows in self.relatives(by).descendants_of_many(self._rows_of_list(name))]

    @overload
    def parents(self, name: str, *, by: str | None = None) -> list[str]: ...

    @overload
    def parents(self, name: NameList, *, by: str | None = None) -> list[list[str]]: ...

    def parents(self, name: str | NameList, *, by: str | None = None) -> list[str] | list[list[str]]:
        """The ancestors with no other ancestor in between, most general first."""
        if isinstance(name, str):
            return self._names_of(self.relatives(by).parents(self.row(name)))
        return [self.parents(each, by=by) for each in name]

    @overload
    def children(self, name: str, *, by: str | None = None) -> list[str]: ...

    @overload
    def children(self, name: NameList, *, by: str | None = None) -> list[list[str]]: ...

    def children(self, name: str | NameList, *, by: str | None = None) -> list[str] | list[list[str]]:
        """The descendants with no other in between, most general first."""
        if isinstance(name, str):
            return self._names_of(self.relatives(by).children(self.row(name)))
        return [self.children(each, by=by) for each in name]

    @overload
    def siblings(self, name: str, *, by: str | None = None) -> list[str]: ...

    @overload
    def siblings(self, name: NameList, *, by: str | None = None) -> list[list[str]]: ...

    def siblings(self, name: str | NameList, *, by: str | None = None) -> list[str] | list[list[str]]:
        """The other children of its parents, most general first."""
        if isinstance(name, str):
            return self._names_of(list(self.relatives(by).siblings(self.row(name))))
        return [self.siblings(each, by=by) for each in name]

    def lowest_common_ancestors(self, names: Names, *, by: str | None = None) -> list[str]:
        """The most specific nodes that all of these are, or are a kind of; each counts as its own ancestor."""
        rows = np.atleast_1d(self._rows_of(names)).tolist()
        if not rows:
            raise InputError("common ancestors need at least one node, but none was given")
        return self._names_of(self.relatives(by).lowest_common(rows))

    def explain(self, child: str, parent: str, *, by: str | None = None) -> Explanation:
        """Why the child is, or is not, a kind of the parent, by the graph and by geometry, and where they differ."""
        return explain(self, self.row(child), self.row(parent), by)

    def centroid(self, names: Names, weights: Sequence[float] | None = None) -> NDArray[np.float64]:
        """The centroid of several nodes: the Einstein midpoint in the ball, the mean in flat space."""
        return centroid(self, np.atleast_1d(self._rows_of(names)).tolist(), weights)

    def ancestors_of_point(self, point: ArrayLike) -> list[str]:
        """Every node that a point of the domain, such as a centroid, is a kind of, most general first."""
        return self._names_of(ancestors_of_point(self, point)[0])

    def nearest(self, name: str, k: int = 10, *, count: int | None = None) -> list[tuple[str, float]]:
        """The k nodes with the nearest points, and their distances: hyperbolic for methods in the ball, else Euclidean.

        A distance says how near the points are, which is only partly how similar the nodes are; ``most_similar`` ranks
        by the graph.
        """
        if count is not None:
            warn_renamed("Embedding.nearest(count=…)", "k=")
            k = count
        check_number("k", k, least=0)
        found = self._finder.nearest(self.row(name), k)
        return [(self.names[row], float(distance)) for row, distance in zip(found.rows, found.distances, strict=True)]

    def similarity(self, a: Names, b: Names, measure: str = "lin") -> Any:
        """How similar two nodes are in the graph: a float for two names, an array if one is a list.

        ``measure`` is lin, resnik, jiang-conrath, wu-palmer or jaccard, as in ``Hierarchy.similarity``.
        """
        first, second = self._rows_of(a), self._rows_of(b)
        return similarity_of(graph_for(self, "similarity", [*first.flat, *second.flat]), first, second, measure)

    def set_similarity(self, a: Sequence[str], b: Sequence[str], measure: str = "lin") -> float:
        """How similar two sets of nodes are in the graph: the best-match average, or by jaccard shared ancestors."""
        first, second = self._rows_of(a), self._rows_of(b)
        return set_similarity(graph_for(self, "similarity", [*first.flat, *second.flat]), first, second, measure)

    def most_similar(self, name: str, k: int = 10, measure: str = "lin") -> list[tuple[str, float]]:
        """The k nodes most similar to a node in the graph, with their similarities; ties are in row order.

        >>> import hypercone
        >>> pets = hypercone.fit([("animal", "dog"), ("animal", "cat"), ("dog", "poodle"), ("dog", "beagle")], dim=2)
        >>> pets.most_similar("poodle", 2, "jaccard")
        [('dog', 0.6666666666666666), ('beagle', 0.5)]
        """
        check_number("k", k, least=0)
        row = self.row(name)
        found = most_similar(graph_for(self, "most-similar", [row]), row, k, measure)
        return list(zip(self._names_of(found.rows), found.values.tolist(), strict=True))

    def search(self, text: str, limit: int = 10) -> list[str]:
        """The nodes with the text in any of their names, ignoring case, best match first; limit 0 lists all."""
        if not isinstance(text, str):
            raise InputError(f"text is {describe_value(text)}, but must be a string")
        if limit < 0:
            raise InputError(f"limit is {limit}, but must be at least 0 (0 means all)")
        return self._names_of(self.searchable.search(text)[: limit or None])

    def describe(self, name: str) -> Described:
        """What a node is called and what it means: its label, definition, synonyms and other ids."""
        from hypercone.queries.questions import QuestionInput, describe

        return describe(QuestionInput(self, [self.row(name)]))

    def descendants_of_many(self, names: Sequence[str]) -> list[list[str]]:
        """The old name of ``descendants`` for a list."""
        warn_renamed("Embedding.descendants_of_many", "Embedding.descendants")
        return self.descendants(self._as_name_list(names))

    def ancestors_of_many(self, names: Sequence[str]) -> list[list[str]]:
        """The old name of ``ancestors`` for a list."""
        warn_renamed("Embedding.ancestors_of_many", "Embedding.ancestors")
        return self.ancestors(self._as_name_list(names))

    @property
    def index(self) -> ConeIndex:
        """The exact index; queries build and use it automatically once there are enough of them."""
        return self._finder.index

    def add(
        self,
        name: str,
        parents: Names = (),
        *,
        point: ArrayLike | None = None,
        not_under: Names = (),
        label: str | None = None,
    ) -> Embedding:
        """An embedding with one more node, placed under its parents and outside ``not_under``; no other point moves.

        Constraints that could not be satisfied are listed in ``record["placed"]``. The node joins the graph under its
        parents. With a ``point`` instead of parents, such as a centroid, it is not in the graph, and the geometry
        answers questions about it.
        """
        if point is not None:
            if parents or not_under:
                raise InputError(f"{name!r} is given a point as well as parents or not_under; give one or the other")
            return add_at_point(self, name, point, label)
        apart = [not_under] if isinstance(not_under, str) else not_under
        return self.add_many({name: parents}, not_under={name: apart}, labels={name: label or ""})

    def add_many(
        self,
        nodes: NewNodes,
        *,
        not_under: Mapping[str, Sequence[str]] | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Embedding:
        """An embedding with new nodes, given as names with parents or as (parent, child) pairs; parents may be new."""
        return add_many(self, nodes, not_under, labels)

    def save(self, folder: str | Path) -> Path:
        """Write the model folder atomically; see ``hypercone.load``."""
        from hypercone.embedding.folder import save
        from hypercone.evaluation.measures import known_headline

        return save(self, folder, known_headline(self))

    def export(self, path: str | Path, format: str | None = None, *, coordinates: str = "own") -> Path:
        """Write the points as tsv, npz, word2vec, parquet or projector, by the file's extension or ``format``.

        ``coordinates`` is own (as stored), klein, lorentz or cap.
        """
        from hypercone.embedding.export import export

        return export(self, path, format, coordinates=coordinates)

    def plot(self, kind: str = "disk", path: str | Path | None = None, **options: Any) -> Any:
        """A matplotlib figure: disk, training, precision-recall or norms; also written to a path, .svg, .pdf or .png.

        In a notebook, the figure is shown if it is the last expression of a cell.

        A disk takes cones and labels (names, or how many), center (a name), color (branch or depth), view (own,
        construction or projection) and moved (False keeps the origin in the middle); a precision-recall curve takes
        pairs; each takes theme (light or dark).
        """
        from hypercone.plotting.plot import plot

        return plot(self, kind, path, **options)

    def to_frame(self, coordinates: str = "own") -> Any:
        """The points as a pandas DataFrame: one row per name, one column per coordinate."""
        from hypercone.embedding.export import to_frame

        return to_frame(self, coordinates)

    def to_sparse(self, names: Sequence[str] | None = None, *, by: str | None = None) -> Any:
        """The pairs of "is a" among some names, or all, as a SciPy sparse array: [i, j] if names[i] is a names[j]."""
        from hypercone.embedding.relations import relation

        return relation(self, names, by)

    def relation(self, names: Sequence[str] | None = None) -> Any:
        """The old name of ``to_sparse``."""
        warn_renamed("Embedding.relation", "Embedding.to_sparse")
        return self.to_sparse(names)

    # These import packages that are built on embeddings.

    def explore(self, path: str | Path | None = None, *, title: str | None = None, view: str = "auto") -> Path:
        """Write an interactive page that needs no network; without a path, open it in the browser.

        In a notebook, the path that is returned shows the page in the cell, and no browser is opened.
        """
        from hypercone.explorer import Page, open_page, temporary_page, write_page

        page = write_page(self, path or temporary_page("model"), title=title, view=view)
        if path is None and not is_notebook():
            open_page(page)
        return Page(page)

    def suggest(self, k: int = 100, hierarchy: Hierarchy | None = None) -> Suggestions:
        """The k links that the hierarchy most likely lacks, and the k of its edges that are most likely wrong.

        Without a hierarchy, the one it was fitted to is used. Missing links come from the graph, each with a
        confidence; wrong ones are edges that the geometry rejects. Constructed cones reject almost none, so use learned
        ones for these. ``hypercone.evaluation.suggestions`` measures how many suggestions are right.
        """
        from hypercone.queries.suggestions import find_suggestions

        check_number("k", k)
        if hierarchy is not None and not isinstance(hierarchy, Hierarchy):
            raise InputError(
                f"hierarchy is {describe_value(hierarchy)}, but must be a Hierarchy; read it with hypercone.read"
            )
        return find_suggestions(self, hierarchy, k)

    def compare(self, other: Embedding, sample: int | None = 1_000, seed: int = 0) -> Comparison:
        """Compare with another model on the nodes they share: what each asserts, and where they disagree.

        The ancestors of ``sample`` nodes, drawn with the seed, are compared; those of all nodes if it is None.
        """
        from hypercone.queries.comparison import compare_models

        if not isinstance(other, Embedding):
            raise InputError(f"other is {describe_value(other)}, but must be an Embedding; load it with hypercone.load")
        return compare_models(self, other, sample, seed)

    @cached_property
    def scorer(self) -> Scorer:
        """The points with their method, settings and threshold, by row; answers by geometry are computed from it."""
        return Scorer(self.points, find_method(self.method), self.settings, self.threshold)

    @cached_property
    def searchable(self) -> SearchText:
        """The names, labels, synonyms and other ids, prepared for search."""
        return SearchText(self.names, self.labels, () if self.glossary is None else self.glossary.names())

    @cached_property
    def _rows(self) -> dict[str, int]:
        return NodeNames(self.names).row_of

    @cached_property
    def _generality(self) -> Points:
        return self.scorer.method.generality(self.points)

    def _as_name_list(self, names: Sequence[str]) -> list[str]:
        if isinstance(names, str):
            raise InputError(f"names is the text {names!r}; give a list of names")
        return list(names)

    def _rows_of_list(self, names: Sequence[str]) -> list[int]:
        return [self.row(name) for name in names]

    def _pairs_of(self, child: Names, parent: Names) -> tuple[Rows, tuple[int, ...]]:
        """The (parent, child) rows of two names or lists, and the shape of an answer about them."""
        rows = self._rows_of(child), self._rows_of(parent)
        try:
            children, parents = np.broadcast_arrays(*rows)
        except ValueError:
            sizes = " and ".join(str(side.size) for side in rows)
            raise InputError(f"children and parents are lists of {sizes} names; give as many of each") from None
        return np.stack([parents.ravel(), children.ravel()], axis=1), children.shape

    def _rows_of(self, names: Names) -> Rows:
        if isinstance(names, str):
            return np.array(self.row(names), np.int32)
        return np.array([self.row(name) for name in names], np.int32)

    def _descendant_rows(self, row: int) -> Rows:
        return self._sort_by_generality(self._finder.descendants(row).rows)

    def _ancestor_rows(self, row: int) -> Rows:
        return self._sort_by_generality(self._finder.ancestors(row).rows)

    @cached_property
    def _by_geometry(self) -> ByGeometry:
        return ByGeometry(self)

    @cached_property
    def _by_graph(self) -> ByGraph:
        assert self.hierarchy is not None, "asked for only if there are edges"
        return ByGraph(self, self.hierarchy)

    @cached_property
    def _finder(self) -> Finder:
        return Finder(self.scorer)

    @cached_property
    def _generality_order(self) -> tuple[Rows, Rows]:
        """All rows from general to specific, ties by row, and the rank of each row."""
        order = np.argsort(self._generality, kind="stable").astype(np.int32)
        return order, np.argsort(order).astype(np.int32)

    def _sort_by_generality(self, rows: Rows) -> Rows:
        order, rank = self._generality_order
        ordered: Rows = order[np.sort(rank[rows])]
        return ordered

    def _names_of(self, rows: Iterable[int]) -> list[str]:
        return [self.names[row] for row in np.asarray(rows).tolist()]
