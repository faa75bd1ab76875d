"""Validation of the fields of an embedding, with one sentence for the first that is invalid."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hypercone._arrays import Rows, freeze, read_only
from hypercone.errors import HierarchyError, InputError, plural, short
from hypercone.hierarchy.glossary import Glossary
from hypercone.hierarchy.graph import has_cycle
from hypercone.hierarchy.names import Labels, NodeNames
from hypercone.methods import FARTHEST, Points, Settings, find_method

if TYPE_CHECKING:
    from hypercone.embedding.embedding import Embedding

# The values that the formulas can handle; a fit accepts narrower ranges.
RANGES = {"K": (1e-300, 1e6), "margin": (0.0, 1e300), "border": (0.0, 0.5), "alpha": (0.0, 1e300)}
# The rounding error allowed in a norm.
NORM_TOLERANCE = 1e-9
# The deepest nesting of lists and dicts in a record; far below the recursion limit of a JSON parser.
MAX_NESTING = 50


class InvalidField(InputError):
    """A field of an embedding is invalid; the message is "problem; remedy"."""

    # The name of the field, from which the loader of a model derives the file.
    field = ""


def checked_fields(given: Embedding) -> dict[str, Any]:
    """The validated fields, as read-only copies; InvalidField for the first that is invalid.

    >>> from hypercone import Embedding
    >>> Embedding(["dog"], [[5.0, 0.0]], "poincare", Settings(), threshold=0.0)
    Traceback (most recent call last):
    hypercone.embedding.checks.InvalidField: the point of 'dog' is outside the domain of poincare; move it inside
    """
    _check_method(given.method, given.settings)
    names = _checked_names(given.names)
    points = _checked_points(given.points, names, given.method, given.settings)
    _check_labels(given.labels, len(names))
    _check_glossary(given.glossary, len(names))
    check_record(given.record)
    return {
        "names": names,
        "points": points,
        "threshold": _checked_threshold(given.threshold),
        "edges": None if given.edges is None else _checked_edges(given.edges, len(names)),
        "by_point": None if given.by_point is None else _checked_rows(given.by_point, len(names)),
    }


def check_record(record: object) -> None:
    """InvalidField if the record cannot be stored as JSON: wrong types or keys, or nested too deeply."""
    if not isinstance(record, dict):
        raise _invalid_field("record", f"its record is {describe_value(record)}", "give a dict")
    _check_in_record(record, 0)


def _check_in_record(value: object, depth: int) -> None:
    if depth > MAX_NESTING:
        raise _invalid_field("record", f"its record is nested more than {MAX_NESTING} deep", "make it flatter")
    if isinstance(value, dict):
        for name in value:
            if not isinstance(name, str):
                raise _invalid_field(
                    "record", f"its record has the key {describe_value(name)}, which is not a string", "use str(…)"
                )
    if isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            _check_in_record(inner, depth + 1)
    elif isinstance(value, float) and as_finite(value) is None:
        raise _invalid_field("record", f"its record holds {value}, which JSON cannot represent", "leave it out")
    elif not (value is None or isinstance(value, bool | int | float | str)):
        problem = f"its record holds {describe_value(value)}, which JSON cannot represent"
        raise _invalid_field("record", problem, "use plain numbers and texts")


def _check_method(method: object, settings: object) -> None:
    if not isinstance(method, str):
        raise _invalid_field("method", f"its method is {describe_value(method)}", "give the name of one")
    find_method(method)
    if not isinstance(settings, Settings):
        raise _invalid_field("settings", f"its settings are {describe_value(settings)}", "give hypercone.Settings")
    wrong = out_of_range(settings)
    if wrong:
        raise _invalid_field("settings", wrong, "give another")


def _checked_names(given: Iterable[str]) -> NodeNames:
    try:
        return NodeNames(given)
    except HierarchyError as error:
        problem, _, remedy = str(error).rpartition("; ")
        raise _invalid_field("names", problem, remedy) from None


def _checked_points(given: Any, names: Sequence[str], method: str, settings: Settings) -> Points:
    try:
        points: Points = _read_only_copy(given, np.float64)
    except (TypeError, ValueError):
        raise _invalid_field("points", f"its points are {describe_value(given)}", "give rows of numbers") from None
    if points.ndim != 2 or points.shape[1] < 1:
        problem = f"its points are an array of shape {points.shape} for {plural(len(names), 'name')}"
        raise _invalid_field("points", problem, "give rows")
    if len(points) != len(names):
        raise _invalid_field("points", f"there are {len(names)} names for {len(points)} points", "each node needs both")
    # Every comparison with NaN is false, so NaN would silently give wrong answers.
    if not np.isfinite(points).all():
        row = int(np.argmin(np.isfinite(points).all(axis=1)))
        problem = f"the point of {short(names[row])!r} is not finite"
        raise _invalid_field("points", problem, "give points without NaN or infinity")
    outside = first_outside(points, method, settings)
    if outside is not None:
        problem = f"the point of {short(names[outside])!r} is outside the domain of {method}"
        raise _invalid_field("points", problem, "move it inside")
    return points


def _checked_threshold(given: object) -> float:
    threshold = as_finite(given)
    if threshold is not None:
        return threshold
    if isinstance(given, int | float | np.number) and not isinstance(given, bool) and given == given:
        raise _invalid_field("threshold", f"its threshold is {describe_value(given)}", "give a finite number")
    raise _invalid_field("threshold", "the threshold is not a number", "give the energy up to which a pair is true")


def _check_labels(labels: object, count: int) -> None:
    if labels is None:
        return
    if not isinstance(labels, Labels):
        raise _invalid_field("labels", f"its labels are {describe_value(labels)}", "give hypercone.Labels")
    if len(labels) != count:
        raise _invalid_field("labels", f"there are {len(labels)} labels for {plural(count, 'node')}", "give each one")


def _check_glossary(glossary: object, count: int) -> None:
    if glossary is None:
        return
    if not isinstance(glossary, Glossary):
        problem = f"its glossary is {describe_value(glossary)}"
        raise _invalid_field("glossary", problem, "give hypercone.Glossary")
    if len(glossary) != count:
        problem = f"the glossary has {plural(len(glossary), 'row')} for {plural(count, 'node')}"
        raise _invalid_field("glossary", problem, "give each one")


def _checked_edges(given: Any, count: int) -> Rows:
    """The edges, each between two valid rows, without a cycle."""
    edges = np.asarray(given)
    if edges.shape == (0,):
        edges = np.empty((0, 2), np.int32)
    if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
        problem = f"its edges are an array of shape {edges.shape} of {edges.dtype}"
        raise _invalid_field("edges", problem, "give (parent, child) rows")
    if len(edges) and not (edges.min() >= 0 and edges.max() < count):
        raise _invalid_field("edges", f"an edge names a row outside 0 … {count - 1}", "give rows of its points")
    own: Rows = _read_only_copy(edges, np.int32)
    if has_cycle(own, count):
        raise _invalid_field("edges", "its edges form a cycle", "give the edges of a hierarchy, which has none")
    return own


def _checked_rows(given: Any, count: int) -> Rows | None:
    """The rows of nodes placed by a point, ascending; None if there are none."""
    rows = np.asarray(given)
    if not rows.size:
        return None
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or not (rows.min() >= 0 and rows.max() < count):
        problem = f"the rows placed by a point are an array of shape {rows.shape} of {rows.dtype}"
        raise _invalid_field("by_point", problem, f"give rows in 0 … {count - 1}")
    return freeze(np.unique(rows).astype(np.int32))


def check_number(name: str, value: object, least: int | None = None) -> None:
    """InputError if the value is not an integer, or is less than ``least``."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        raise InputError(f"{name} is {describe_value(value)}, but must be a whole number")
    if least is not None and value < least:
        raise InputError(f"{name} is {value}, but must be at least {least}")


def _read_only_copy(given: Any, kind: type) -> Any:
    """The array in C order and read-only, as the kernels expect; copied if the caller could still change it."""
    if isinstance(given, np.ndarray) and given.dtype == kind and not given.flags.writeable:
        return read_only(given)
    return freeze(np.array(given, kind, order="C"))


def _invalid_field(field: str, problem: str, remedy: str) -> InvalidField:
    error = InvalidField(f"{problem}; {remedy}")
    error.field = field
    return error


def describe_value(value: object) -> str:
    """The value and its type, on one short line."""
    return f"{short(' '.join(repr(value).split()))} ({type(value).__name__})"


def as_finite(value: object) -> float | None:
    """The value as a float; None if it is not a number, not finite, or too large for a float.

    >>> as_finite(3), as_finite(float("nan")), as_finite(True), as_finite(10**400)
    (3.0, None, None, None)
    """
    with contextlib.suppress(OverflowError):
        if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
            return float(value) if math.isfinite(value) else None
    return None


def out_of_range(settings: Settings) -> str | None:
    """The problem with the first constant outside its range; None if all are valid.

    >>> out_of_range(Settings(K=-1.0))
    'K is -1.0, outside 1e-300 … 1000000.0'
    """
    for name, (least, most) in RANGES.items():
        value = as_finite(getattr(settings, name))
        if value is None:
            return f"{name} is {getattr(settings, name)!r}, which is not a finite number"
        if not least <= value <= most:
            return f"{name} is {value}, outside {least} … {most}"
    return None


def first_outside(points: Points, method: str, settings: Settings) -> int | None:
    """The first row whose point is not finite or outside the domain of the method; None if there is none.

    >>> first_outside(np.array([[0.5, 0.0], [1.0, 0.0]]), "hyperbolic-cones", Settings())
    1
    """
    inner, outer = find_method(method).shell(settings)
    # A norm that overflows is infinite, and so outside. (numpy.linalg.norm takes four times as long.)
    with np.errstate(over="ignore"):
        norms = np.sqrt(np.einsum("ij,ij->i", points, points))
    inside = (norms >= inner - NORM_TOLERANCE) & (norms <= outer + NORM_TOLERANCE)
    # No coordinate exceeds the norm, so this test is rarely needed.
    if not (norms <= FARTHEST).all():
        inside &= (np.abs(points) <= FARTHEST).all(axis=1)
    if inner > 0:
        inside &= norms > 0
    if find_method(method).is_hyperbolic:
        # Regardless of the border setting, points are strictly inside the unit ball.
        inside &= norms < 1
    return None if inside.all() else int(np.argmin(inside))
