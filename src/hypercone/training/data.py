"""What ``fit`` takes as data: files, datasets, pairs, data frames, graphs, dicts; and the hierarchy of each."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO, Protocol, cast

import numpy as np

from hypercone.data import check_source, is_dataset, load_dataset
from hypercone.embedding import Embedding
from hypercone.errors import InputError, short, some
from hypercone.formats import read
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.interop import checked_direction, rows_of_dict, rows_of_graph, texts_of
from hypercone.training.option import format_value

# The arguments of ``read``, which ``fit`` passes on.
READING = tuple(name for name in inspect.signature(read).parameters if name != "source")
KINDS = "a Hierarchy, a file, the name of a dataset, a data frame, a graph, a dict or pairs"
NO_EDGES = "the data has no edges; a hierarchy needs at least one parent with a child"


class Graph(Protocol):
    """A graph of networkx or igraph."""

    def is_directed(self) -> bool:
        """Whether edges have a direction."""


Data = Hierarchy | str | os.PathLike[str] | BinaryIO | Mapping[Any, Any] | Iterable[Any] | Graph


def hierarchy_of(data: Data, **reading: Any) -> Hierarchy:
    """The hierarchy of the data that ``fit`` accepts; ``reading`` are arguments of ``read``, as far as they apply.

    >>> len(hierarchy_of("tree-2-3")), len(hierarchy_of([("animal", "dog")]))
    (15, 2)
    >>> hierarchy_of({"animal": ["dog", "cat"]}).in_words()
    ['dog is an animal', 'cat is an animal']
    >>> hierarchy_of([("dog", "animal")], direction="child-parent").in_words()
    ['dog is an animal']
    """
    if isinstance(data, Hierarchy):
        _refuse_others(reading, "a Hierarchy")
        return data
    if isinstance(data, str) and is_dataset(data):
        _refuse_others(reading, f"the dataset {data}")
        return load_dataset(data)
    if isinstance(data, str | os.PathLike):
        check_source(os.fspath(data))
        return read(data, **reading)
    if hasattr(data, "read"):
        return read(cast(BinaryIO, data), **reading)
    return _with_edges(_of_object(data, {name: value for name, value in reading.items() if value is not None}))


def _of_object(data: Any, reading: dict[str, Any]) -> Hierarchy:
    if isinstance(data, Embedding):
        raise InputError("the data is an Embedding; give the hierarchy that it was fitted to, embedding.hierarchy")
    # A lazy frame is asked for nothing else, because its columns are computed.
    if hasattr(data, "collect") or hasattr(data, "columns"):
        _refuse_others(reading, "a data frame", "parent", "child", "label")
        return _of_frame(data, **reading)
    if hasattr(data, "is_directed"):
        _refuse_others(reading, "a graph", "direction", "relations")
        return Hierarchy(*rows_of_graph(data, **{"direction": None, **reading}))
    if hasattr(data, "terms") and hasattr(data, "relationships"):
        _refuse_others(reading, "an ontology of pronto", "relations")
        return Hierarchy.from_pronto(data, **reading)
    if isinstance(data, Mapping):
        _refuse_others(reading, "a dict", "direction")
        return _of_dict(data, **reading)
    if isinstance(data, bytes | bytearray) or not isinstance(data, Iterable):
        raise InputError(f"the data is {short(format_value(data))}; give {KINDS}")
    _refuse_others(reading, "pairs", "direction")
    return _of_pairs(data, **reading)


def _refuse_others(reading: Mapping[str, Any], kind: str, *accepted: str) -> None:
    for name, value in reading.items():
        if value is not None and name not in accepted:
            raise InputError(f"{name} does not apply to {kind}; leave it out")


def _with_edges(hierarchy: Hierarchy) -> Hierarchy:
    if not len(hierarchy.edges):
        raise InputError(NO_EDGES)
    return hierarchy


def _of_frame(frame: Any, **columns: str) -> Hierarchy:
    names = [] if hasattr(frame, "collect") else [str(name) for name in getattr(frame, "column_names", frame.columns)]
    missing = [role for role in ("parent", "child") if role not in columns and role not in names]
    if names and missing:
        raise InputError(
            f"the frame has the columns {some(names)}, but needs {' and '.join(missing)}; say which they are: "
            f"{', '.join(f'{role}=…' for role in missing)}"
        )
    return Hierarchy.from_frame(frame, **columns)


def _of_dict(data: Mapping[Any, Any], direction: str = "parent-child") -> Hierarchy:
    names, rows = rows_of_dict(data)
    return Hierarchy(names, rows if checked_direction(direction) == "parent-child" else rows[:, ::-1])


def _of_pairs(data: Any, direction: str = "parent-child") -> Hierarchy:
    roles = tuple(checked_direction(direction).split("-"))
    # The order of a set of texts differs from run to run.
    given = sorted(data, key=repr) if isinstance(data, set | frozenset) else data
    pairs = np.array(given if hasattr(given, "__array__") else list(given), dtype=object)
    if not pairs.size:
        raise InputError(NO_EDGES)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        rows = np.atleast_1d(pairs).tolist()
        wrong = next((row for row in rows if not isinstance(row, list | tuple) or len(row) != 2), rows[0])
        raise InputError(
            f"edges of the shape {pairs.shape} are not pairs, such as {short(repr(wrong))}; give one"
            f" ({', '.join(roles)}) for each edge"
        )
    ends = {role: texts_of(pairs[:, i].tolist(), f"the {role}", "pair", 0) for i, role in enumerate(roles)}
    return Hierarchy.from_pairs(zip(ends["parent"], ends["child"], strict=True))
