"""What a model must be so that its files can be read back: anything else is refused before a file is touched."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hypercone.embedding.domain import finite, first_outside, out_of_range
from hypercone.embedding.embedding import Embedding
from hypercone.errors import InputError, counted, short
from hypercone.hierarchy.names import Labels, checked_names, row_index
from hypercone.methods import Settings, find_method

# Lists in lists in lists: deeper than anyone keeps notes, and far from what a reader can bear.
DEEPEST = 50


def refuse_unsavable(embedding: Embedding) -> None:
    """InputError with the first thing about the embedding that no model folder can hold.

    >>> refuse_unsavable(Embedding(["dog"], np.array([[5.0, 0.0]]), "poincare", Settings(), 0.0))
    Traceback (most recent call last):
    hypercone.errors.InputError: the point of 'dog' is outside the domain of poincare; move it inside
    """
    refuse_names(embedding.names, embedding.labels)
    _refuse_constants(embedding)
    refuse_points(embedding)
    if embedding.edges is not None:
        _refuse_edges(np.asarray(embedding.edges), len(embedding))
    if not isinstance(embedding.record, dict):
        raise InputError(f"its record is {_shown(embedding.record)}; give a dict")
    _refuse_in_record(embedding.record, 0)


def checked_path(path: str | Path) -> Path:
    """The path, if a file could have it: the one character that no system allows is refused here."""
    if "\0" in str(path):
        raise InputError(f"{str(path)!r}: cannot be written (there is a NUL character in it); give another name")
    return Path(path)


@contextlib.contextmanager
def unwritten(target: Path) -> Iterator[None]:
    """Whatever is refused inside is the reason why the target is not written."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{target}: not written, for {error}") from None


def refuse_names(names: Sequence[str], labels: Labels | None) -> None:
    """InputError if a name could not stand in a file, if two are the same, or if labels are no labels of theirs."""
    row_index(names, checked_names(names))
    if labels is None:
        return
    if not isinstance(labels, Labels):
        raise InputError(f"its labels are {_shown(labels)}; give hypercone.hierarchy.names.Labels")
    if len(labels) != len(names):
        raise InputError(f"there are {len(labels)} labels for {counted(len(names), 'node')}; give each one")


def refuse_shape(embedding: Embedding) -> None:
    """InputError if the points are no table with a row for each name and a column at least."""
    points, names = embedding.points, embedding.names
    if points.ndim != 2 or points.shape[1] < 1 or len(points) != len(names):
        raise InputError(
            f"its points are an array of shape {points.shape} for {counted(len(names), 'name')}; give rows"
        )


def refuse_infinite(names: Sequence[str], values: Any) -> None:
    """InputError with the first name whose numbers are not all finite."""
    is_finite = np.isfinite(values).all(axis=1)
    if not is_finite.all():
        raise InputError(f"the point of {short(names[int(np.argmin(is_finite))])!r} is not finite; the fit diverged")


def _refuse_constants(embedding: Embedding) -> None:
    if not isinstance(embedding.method, str):
        raise InputError(f"its method is {_shown(embedding.method)}; give the name of one")
    find_method(embedding.method)
    if not isinstance(embedding.settings, Settings):
        raise InputError(f"its settings are {_shown(embedding.settings)}; give hypercone.methods.Settings")
    wrong = out_of_range(embedding.settings)
    if wrong:
        raise InputError(f"{wrong}; give another")
    if finite(embedding.threshold) is None:
        raise InputError(f"its threshold is {_shown(embedding.threshold)}; give a finite number")


def refuse_points(embedding: Embedding) -> None:
    """InputError if a point is none of its method."""
    points, names = embedding.points, embedding.names
    refuse_shape(embedding)
    refuse_infinite(names, points)
    row = first_outside(points, embedding.method, embedding.settings)
    if row is not None:
        raise InputError(
            f"the point of {short(names[row])!r} is outside the domain of {embedding.method}; move it inside"
        )


def _refuse_edges(edges: Any, count: int) -> None:
    if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
        raise InputError(f"its edges are an array of shape {edges.shape} of {edges.dtype}; give (parent, child) rows")
    if len(edges) and not (edges.min() >= 0 and edges.max() < count):
        raise InputError(f"an edge names a row outside 0 … {count - 1}; give rows of its points")


def _refuse_in_record(value: Any, depth: int) -> None:
    if depth > DEEPEST:
        raise InputError(f"its record is nested more than {DEEPEST} deep; make it flatter")
    if isinstance(value, dict):
        for name in value:
            if not isinstance(name, str):
                raise InputError(f"its record has the key {_shown(name)}, which is no text; use str(…)")
    if isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            _refuse_in_record(inner, depth + 1)
    elif isinstance(value, float) and finite(value) is None:
        raise InputError(f"its record holds {value}, which no JSON file can; leave it out")
    elif not (value is None or isinstance(value, bool | int | float | str)):
        raise InputError(f"its record holds {_shown(value)}, which no JSON file can; use plain numbers and texts")


def _shown(value: object) -> str:
    """The value and its type, in one short line."""
    return f"{short(' '.join(repr(value).split()))} ({type(value).__name__})"
