"""The result of a fit: named points, checked once, and the answers that follow from them."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypercone._arrays import Rows, frozen, read_only
from hypercone._deprecation import OLD_METHODS, warn_renamed
from hypercone.embedding import relations
from hypercone.embedding.explanation import Explanation, explain
from hypercone.embedding.placement import NewNodes
from hypercone.embedding.relations import ancestors_of_point, centroid
from hypercone.errors import HierarchyError, InputError, counted, short
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.names import Labels, NodeNames, SearchText, find_row
from hypercone.index import ConeIndex, Finder
from hypercone.methods import FARTHEST, Points, Settings, find_method
from hypercone.methods.scoring import Scorer

if TYPE_CHECKING:
    from hypercone.queries import Comparison, Suggestions

Names = str | Sequence[str]
# Told apart from a text, which is a sequence of texts as well.
SeveralNames = list[str] | tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Embedding:
    """Nodes as points, with the method that gives the points meaning and the threshold under which a pair is true.

    ``record`` says how it came about: the configuration, the digest of the data, the epoch chosen. All answers follow
    one rule: *child* is a *parent* exactly when ``energy(child, parent) <= threshold``. ``labels`` are what people
    call the nodes, and ``edges`` the (parent, child) rows of the hierarchy it was fitted to, where they are known.

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

    def __post_init__(self) -> None:
        # Here, once, and completely: saving, exporting, drawing and serving trust what passes.
        vars(self).update(checked_fields(self))

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """The point of a node, read-only."""
        point: NDArray[np.float64] = self.points[self.row(name)]
        return point

    def __repr__(self) -> str:
        return f"Embedding({len(self):,} nodes, {self.dim}-D, {self.made_by})"

    @property
    def dim(self) -> int:
        """The number of coordinates of a point."""
        return int(self.points.shape[1])

    @property
    def made_by(self) -> str:
        """What made the points, as ``method`` of ``fit`` calls it: of constructed cones, the construction.

        >>> import hypercone
        >>> hypercone.fit("tree-2-3", "nested-caps", dim=2).made_by
        'nested-caps'
        """
        config = self.record.get("config")
        method = config.get("method") if isinstance(config, dict) else None
        return OLD_METHODS.get(method, method) if isinstance(method, str) else self.method

    def row(self, name: str) -> int:
        """The row of a node by its name or label; what is unknown or ambiguous is refused with the candidates."""
        return find_row(name, self._rows, self.names, self.labels)

    def label(self, row: int) -> str | None:
        """The label of a row; None if it has none."""
        return (self.labels.texts[row] or None) if self.labels else None

    def called(self, row: int) -> str:
        """The label of a row, or its name if it has none."""
        return (self.labels[row] if self.labels else "") or self.names[row]

    @cached_property
    def hierarchy(self) -> Hierarchy | None:
        """The hierarchy it was fitted to, if its edges are known."""
        return None if self.edges is None else Hierarchy(self.names, self.edges, self.labels)

    def energy(self, child: Names, parent: Names) -> Any:
        """How far the child is from the parent's region; a number for two names, an array where one is a list."""
        rows = self._rows_of(child), self._rows_of(parent)
        try:
            children, parents = np.broadcast_arrays(*rows)
        except ValueError:
            sizes = " and ".join(str(side.size) for side in rows)
            raise InputError(f"children and parents are lists of {sizes} names; give as many of each") from None
        pairs = np.stack([parents.ravel(), children.ravel()], axis=1)
        energies = self.scorer.energies(pairs).reshape(children.shape)
        return float(energies) if energies.ndim == 0 else energies

    def is_a(self, child: Names, parent: Names) -> Any:
        """Whether the child is a kind of the parent; True or False for two names, an array where one is a list."""
        answer = self.energy(child, parent) <= self.threshold
        return bool(answer) if np.ndim(answer) == 0 else answer

    @overload
    def ancestors(self, name: str) -> list[str]: ...

    @overload
    def ancestors(self, name: SeveralNames) -> list[list[str]]: ...

    def ancestors(self, name: str | SeveralNames) -> list[str] | list[list[str]]:
        """Every node that this one is a kind of, the most general first; of a list, one list each, on all cores."""
        if isinstance(name, str):
            return self._named(self._ancestor_rows(self.row(name)))
        return self._named_lists(self.index.ancestors_of_many(self._rows_of_several(name)))

    @overload
    def descendants(self, name: str) -> list[str]: ...

    @overload
    def descendants(self, name: SeveralNames) -> list[list[str]]: ...

    def descendants(self, name: str | SeveralNames) -> list[str] | list[list[str]]:
        """Every node that is a kind of this one, the most general first; of a list, one list each, on all cores."""
        if isinstance(name, str):
            return self._named(self._descendant_rows(self.row(name)))
        return self._named_lists(self.index.descendants_of_many(self._rows_of_several(name)))

    @overload
    def parents(self, name: str) -> list[str]: ...

    @overload
    def parents(self, name: SeveralNames) -> list[list[str]]: ...

    def parents(self, name: str | SeveralNames) -> list[str] | list[list[str]]:
        """The ancestors with no other between, the most general first; never empty where there are ancestors."""
        if isinstance(name, str):
            return self._named(relations.parents_of(self, self.row(name)))
        return [self.parents(each) for each in name]

    @overload
    def children(self, name: str) -> list[str]: ...

    @overload
    def children(self, name: SeveralNames) -> list[list[str]]: ...

    def children(self, name: str | SeveralNames) -> list[str] | list[list[str]]:
        """The descendants with no other between, the most general first; never empty where there are descendants."""
        if isinstance(name, str):
            return self._named(relations.children_of(self, self.row(name)))
        return [self.children(each) for each in name]

    @overload
    def siblings(self, name: str) -> list[str]: ...

    @overload
    def siblings(self, name: SeveralNames) -> list[list[str]]: ...

    def siblings(self, name: str | SeveralNames) -> list[str] | list[list[str]]:
        """The other children of the parents, the most general first."""
        if isinstance(name, str):
            return self._named(relations.siblings_of(self, self.row(name)))
        return [self.siblings(each) for each in name]

    def lowest_common_ancestors(self, names: Names) -> list[str]:
        """The most specific nodes that all of these are, or are a kind of; each counts as its own ancestor."""
        return self._named(relations.lowest_common(self, np.atleast_1d(self._rows_of(names)).tolist()))

    def explain(self, child: str, parent: str) -> Explanation:
        """Why the child is, or is not, a kind of the parent, by geometry and, where the edges are known, by them."""
        return explain(self, self.row(child), self.row(parent))

    def centroid(self, names: Names, weights: Sequence[float] | None = None) -> NDArray[np.float64]:
        """One point for several nodes: their Einstein midpoint in the ball, their mean in flat space."""
        return centroid(self, np.atleast_1d(self._rows_of(names)).tolist(), weights)

    def ancestors_of_point(self, point: ArrayLike) -> list[str]:
        """Every node that a point of the domain, such as a centroid, is a kind of, the most general first."""
        return self._named(ancestors_of_point(self, point)[0])

    def nearest(self, name: str, k: int = 10, *, count: int | None = None) -> list[tuple[str, float]]:
        """The k nodes at the smallest distance (hyperbolic for methods in the ball, else straight), nearest first."""
        if count is not None:
            warn_renamed("Embedding.nearest(count=…)", "k=")
            k = count
        _check_number("k", k, least=0)
        found = self._finder.nearest(self.row(name), k)
        return [(self.names[row], float(distance)) for row, distance in zip(found.rows, found.distances, strict=True)]

    def search(self, text: str, limit: int = 10) -> list[str]:
        """The nodes with the text in their name or label, in any case, the likeliest first; 0 lists all."""
        if not isinstance(text, str):
            raise InputError(f"text is {_shown(text)}, but must be a text")
        if limit < 0:
            raise InputError(f"limit is {limit}, but must be at least 0 (0 means all)")
        return self._named(self.searchable.search(text)[: limit or None])

    def descendants_of_many(self, names: Sequence[str]) -> list[list[str]]:
        """The old name of ``descendants`` for a list."""
        warn_renamed("Embedding.descendants_of_many", "Embedding.descendants")
        return self.descendants(self._several(names))

    def ancestors_of_many(self, names: Sequence[str]) -> list[list[str]]:
        """The old name of ``ancestors`` for a list."""
        warn_renamed("Embedding.ancestors_of_many", "Embedding.ancestors")
        return self.ancestors(self._several(names))

    @property
    def index(self) -> ConeIndex:
        """The exact index behind the answers, which build it themselves once enough has been asked."""
        return self._finder.index

    def add(self, name: str, parents: Names, *, not_under: Names = (), label: str | None = None) -> Embedding:
        """An embedding with one more node, put under its parents and outside ``not_under``; no other point moves.

        What could not be met is in ``record["placed"]``.
        """
        apart = [not_under] if isinstance(not_under, str) else not_under
        return self.add_many({name: parents}, not_under={name: apart}, labels={name: label or ""})

    def add_many(
        self,
        nodes: NewNodes,
        *,
        not_under: Mapping[str, Sequence[str]] | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Embedding:
        """An embedding with new nodes: names with their parents, or (parent, child) pairs; parents may be new too."""
        from hypercone.embedding.placement import add_many

        return add_many(self, nodes, not_under, labels)

    def save(self, folder: str | Path) -> Path:
        """Write the model folder, all of it or nothing; see ``hypercone.load``."""
        from hypercone.embedding.folder import save

        return save(self, folder)

    def export(self, path: str | Path, format: str | None = None, *, coordinates: str = "own") -> Path:
        """Write the points as tsv, npz, word2vec, parquet or projector, by the file's extension or ``format``.

        ``coordinates`` are own (as learned), klein, lorentz or cap.
        """
        from hypercone.embedding.export import export

        return export(self, path, format, coordinates=coordinates)

    def plot(self, kind: str = "disk", path: str | Path | None = None, **options: Any) -> Any:
        """A matplotlib figure: disk, training, precision-recall or norms; also written to a path, .svg, .pdf or .png.

        A disk takes cones and labels (names, or how many), center (a name), color (branch or depth), view (own,
        construction or projection) and moved (False keeps the origin in the middle); a precision-recall curve takes
        pairs; each takes theme (light or dark).
        """
        from hypercone.plotting.plot import plot

        return plot(self, kind, path, **options)

    def to_frame(self, coordinates: str = "own") -> Any:
        """The points as a pandas DataFrame: a row for each name, a column for each coordinate."""
        from hypercone.embedding.export import to_frame

        return to_frame(self, coordinates)

    def to_sparse(self, names: Sequence[str] | None = None) -> Any:
        """The pairs of "is a" among some names, or all, as a SciPy sparse array: [i, j] if names[i] is a names[j]."""
        from hypercone.embedding.relations import relation

        return relation(self, names)

    def relation(self, names: Sequence[str] | None = None) -> Any:
        """The old name of ``to_sparse``."""
        warn_renamed("Embedding.relation", "Embedding.to_sparse")
        return self.to_sparse(names)

    # Only these look upwards, at what is built on embeddings.

    def explore(self, path: str | Path | None = None, *, title: str | None = None, view: str = "auto") -> Path:
        """Write a page to explore the model in, which needs no network; without a path, open it in the browser."""
        from hypercone.explorer import open_page, temporary_page, write_page

        page = write_page(self, path or temporary_page("model"), title=title, view=view)
        if path is None:
            open_page(page)
        return page

    def suggest(self, k: int = 100, hierarchy: Hierarchy | None = None) -> Suggestions:
        """The k links that the hierarchy most likely lacks, and the k of its edges that are most likely wrong.

        Without a hierarchy, the one it was fitted to. Constructed cones repeat the edges they were given, and suggest
        next to nothing: learn some. ``hypercone.evaluation.suggestions`` measures how many suggestions are right.
        """
        from hypercone.queries.suggestions import find_suggestions

        _check_number("k", k)
        if hierarchy is not None and not isinstance(hierarchy, Hierarchy):
            raise InputError(f"hierarchy is {_shown(hierarchy)}, but must be a Hierarchy; read it with hypercone.read")
        return find_suggestions(self, hierarchy, k)

    def compare(self, other: Embedding, sample: int | None = 1_000, seed: int = 0) -> Comparison:
        """Set it beside another model, on the nodes they share: what each asserts, and where they disagree.

        So many nodes are drawn by the seed and asked for their ancestors; all if ``sample`` is None.
        """
        from hypercone.queries.comparison import compare_models

        if not isinstance(other, Embedding):
            raise InputError(f"other is {_shown(other)}, but must be an Embedding; load it with hypercone.load")
        return compare_models(self, other, sample, seed)

    @cached_property
    def scorer(self) -> Scorer:
        """The points with their method, settings and threshold, by row: what every question is answered from."""
        return Scorer(self.points, find_method(self.method), self.settings, self.threshold)

    @cached_property
    def searchable(self) -> SearchText:
        """The names and labels, made ready to be searched."""
        return SearchText(self.names, self.labels)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return NodeNames(self.names).row_of

    @cached_property
    def _generality(self) -> Points:
        return self.scorer.method.generality(self.points)

    def _several(self, names: Sequence[str]) -> list[str]:
        if isinstance(names, str):
            raise InputError(f"names is the text {names!r}; give a list of names")
        return list(names)

    def _rows_of_several(self, names: Sequence[str]) -> list[int]:
        return [self.row(name) for name in names]

    def _named_lists(self, found: Iterable[Rows]) -> list[list[str]]:
        return [self._named(self._by_generality(rows)) for rows in found]

    def _rows_of(self, names: Names) -> Rows:
        if isinstance(names, str):
            return np.array(self.row(names), np.int32)
        return np.array([self.row(name) for name in names], np.int32)

    def _descendant_rows(self, row: int) -> Rows:
        return self._by_generality(self._finder.descendants(row).rows)

    def _ancestor_rows(self, row: int) -> Rows:
        return self._by_generality(self._finder.ancestors(row).rows)

    @cached_property
    def _finder(self) -> Finder:
        return Finder(self.scorer)

    @cached_property
    def _from_the_top(self) -> tuple[Rows, Rows]:
        """All rows from general to specific, equal ones by row, and the rank of each row among them."""
        order = np.argsort(self._generality, kind="stable").astype(np.int32)
        return order, np.argsort(order).astype(np.int32)

    def _by_generality(self, rows: Rows) -> Rows:
        order, rank = self._from_the_top
        ordered: Rows = order[np.sort(rank[rows])]
        return ordered

    def _named(self, rows: Iterable[int]) -> list[str]:
        return [self.names[row] for row in np.asarray(rows).tolist()]


# What the formulas can work with; the ranges of a fit are narrower.
RANGES = {"K": (1e-300, 1e6), "margin": (0.0, 1e300), "border": (0.0, 0.5), "alpha": (0.0, 1e300)}
# How far a norm may be off by rounding.
SLACK = 1e-9
# Lists in lists in lists: deeper than anyone keeps notes, and far from what a reader can bear.
DEEPEST = 50


class InvalidField(InputError):
    """What was given for one field of an embedding cannot be it: "problem; remedy"."""

    # Which field; whoever loads a model knows the file that it came from.
    field = ""


def checked_fields(given: Embedding) -> dict[str, Any]:
    """The fields as an embedding keeps them, its own and never to change; InvalidField for the first that is wrong.

    >>> Embedding(["dog"], [[5.0, 0.0]], "poincare", Settings(), threshold=0.0)
    Traceback (most recent call last):
    hypercone.embedding.embedding.InvalidField: the point of 'dog' is outside the domain of poincare; move it inside
    """
    _check_method(given.method, given.settings)
    names = _checked_names(given.names)
    points = _checked_points(given.points, names, given.method, given.settings)
    _check_labels(given.labels, len(names))
    check_record(given.record)
    return {
        "names": names,
        "points": points,
        "threshold": _checked_threshold(given.threshold),
        "edges": None if given.edges is None else _checked_edges(given.edges, len(names)),
    }


def check_record(record: object) -> None:
    """InvalidField if the record could not be kept as JSON: what is in it, by what names, and how deep."""
    if not isinstance(record, dict):
        raise _invalid("record", f"its record is {_shown(record)}", "give a dict")
    _check_in_record(record, 0)


def _check_in_record(value: object, depth: int) -> None:
    if depth > DEEPEST:
        raise _invalid("record", f"its record is nested more than {DEEPEST} deep", "make it flatter")
    if isinstance(value, dict):
        for name in value:
            if not isinstance(name, str):
                raise _invalid("record", f"its record has the key {_shown(name)}, which is no text", "use str(…)")
    if isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            _check_in_record(inner, depth + 1)
    elif isinstance(value, float) and finite(value) is None:
        raise _invalid("record", f"its record holds {value}, which no JSON file can", "leave it out")
    elif not (value is None or isinstance(value, bool | int | float | str)):
        problem = f"its record holds {_shown(value)}, which no JSON file can"
        raise _invalid("record", problem, "use plain numbers and texts")


def _check_method(method: object, settings: object) -> None:
    if not isinstance(method, str):
        raise _invalid("method", f"its method is {_shown(method)}", "give the name of one")
    find_method(method)
    if not isinstance(settings, Settings):
        raise _invalid("settings", f"its settings are {_shown(settings)}", "give hypercone.Settings")
    wrong = out_of_range(settings)
    if wrong:
        raise _invalid("settings", wrong, "give another")


def _checked_names(given: Iterable[str]) -> NodeNames:
    try:
        return NodeNames(given)
    except HierarchyError as error:
        problem, _, remedy = str(error).rpartition("; ")
        raise _invalid("names", problem, remedy) from None


def _checked_points(given: Any, names: Sequence[str], method: str, settings: Settings) -> Points:
    try:
        points: Points = _own(given, np.float64)
    except (TypeError, ValueError):
        raise _invalid("points", f"its points are {_shown(given)}", "give rows of numbers") from None
    if points.ndim != 2 or points.shape[1] < 1:
        problem = f"its points are an array of shape {points.shape} for {counted(len(names), 'name')}"
        raise _invalid("points", problem, "give rows")
    if len(points) != len(names):
        raise _invalid("points", f"there are {len(names)} names for {len(points)} points", "each node needs both")
    # Every comparison with NaN is false, so that it would be answered with instead of being noticed.
    if not np.isfinite(points).all():
        row = int(np.argmin(np.isfinite(points).all(axis=1)))
        problem = f"the point of {short(names[row])!r} is not finite"
        raise _invalid("points", problem, "give points without NaN or infinity")
    outside = first_outside(points, method, settings)
    if outside is not None:
        problem = f"the point of {short(names[outside])!r} is outside the domain of {method}"
        raise _invalid("points", problem, "move it inside")
    return points


def _checked_threshold(given: object) -> float:
    threshold = finite(given)
    if threshold is not None:
        return threshold
    if isinstance(given, int | float | np.number) and not isinstance(given, bool) and given == given:
        raise _invalid("threshold", f"its threshold is {_shown(given)}", "give a finite number")
    raise _invalid("threshold", "the threshold is not a number", "give the energy up to which a pair is true")


def _check_labels(labels: object, count: int) -> None:
    if labels is None:
        return
    if not isinstance(labels, Labels):
        raise _invalid("labels", f"its labels are {_shown(labels)}", "give hypercone.Labels")
    if len(labels) != count:
        raise _invalid("labels", f"there are {len(labels)} labels for {counted(count, 'node')}", "give each one")


def _checked_edges(given: Any, count: int) -> Rows:
    """The edges, each between two rows; whether there is a cycle is seen when the hierarchy is asked for."""
    edges = np.asarray(given)
    if edges.shape == (0,):
        edges = np.empty((0, 2), np.int32)
    if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
        problem = f"its edges are an array of shape {edges.shape} of {edges.dtype}"
        raise _invalid("edges", problem, "give (parent, child) rows")
    if len(edges) and not (edges.min() >= 0 and edges.max() < count):
        raise _invalid("edges", f"an edge names a row outside 0 … {count - 1}", "give rows of its points")
    own: Rows = _own(edges, np.int32)
    return own


def _check_number(name: str, value: object, least: int | None = None) -> None:
    """InputError if it is no whole number, or below the least."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        raise InputError(f"{name} is {_shown(value)}, but must be a whole number")
    if least is not None and value < least:
        raise InputError(f"{name} is {value}, but must be at least {least}")


def _own(given: Any, kind: type) -> Any:
    """The array in rows and read-only, as compiled code trusts it to be; a copy where somebody else could change it."""
    if isinstance(given, np.ndarray) and given.dtype == kind and not given.flags.writeable:
        return read_only(given)
    return frozen(np.array(given, kind, order="C"))


def _invalid(field: str, problem: str, remedy: str) -> InvalidField:
    error = InvalidField(f"{problem}; {remedy}")
    error.field = field
    return error


def _shown(value: object) -> str:
    """The value and its type, in one short line."""
    return f"{short(' '.join(repr(value).split()))} ({type(value).__name__})"


def finite(value: object) -> float | None:
    """The value as a float, or None if it is no number, not finite, or too large for a float.

    >>> finite(3), finite(float("nan")), finite(True), finite(10**400)
    (3.0, None, None, None)
    """
    with contextlib.suppress(OverflowError):
        if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
            return float(value) if math.isfinite(value) else None
    return None


def out_of_range(settings: Settings) -> str | None:
    """What is wrong with the first constant that the formulas cannot work with; None if they all can.

    >>> out_of_range(Settings(K=-1.0))
    'K is -1.0, outside 1e-300 … 1000000.0'
    """
    for name, (least, most) in RANGES.items():
        value = finite(getattr(settings, name))
        if value is None:
            return f"{name} is {getattr(settings, name)!r}, which is no finite number"
        if not least <= value <= most:
            return f"{name} is {value}, outside {least} … {most}"
    return None


def first_outside(points: Points, method: str, settings: Settings) -> int | None:
    """The first row whose point is not finite or not where the method has points; None if there is none.

    >>> first_outside(np.array([[0.5, 0.0], [1.0, 0.0]]), "hyperbolic-cones", Settings())
    1
    """
    inner, outer = find_method(method).shell(settings)
    # A norm too large for a float is infinite, and so outside. (NumPy's own norm takes four times as long.)
    with np.errstate(over="ignore"):
        norms = np.sqrt(np.einsum("ij,ij->i", points, points))
    inside = (norms >= inner - SLACK) & (norms <= outer + SLACK)
    # No coordinate is larger than the norm, and hardly any points are that far away.
    if not (norms <= FARTHEST).all():
        inside &= (np.abs(points) <= FARTHEST).all(axis=1)
    if inner > 0:
        inside &= norms > 0
    if find_method(method).is_hyperbolic:
        # Whatever the border, nothing lies on the edge of the ball or beyond.
        inside &= norms < 1
    return None if inside.all() else int(np.argmin(inside))
