"""A model on disk: a folder of points (safetensors), names, a checksummed description, and a card for people.

::

    model.safetensors   the points, float64
    nodes.txt.gz        the names, one a line, in the order of the points
    labels.txt.gz       the labels in the same order, if there are any; an empty line for a node without
    edges.safetensors   the edges of the hierarchy as (parent, child) rows, int32, if they are known
    config.json         format version, method, settings, threshold, how it was fitted, checksums
    README.md           the model card (not needed to load)
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from hypercone.atomic import new_folder
from hypercone.embedding.card import model_card
from hypercone.embedding.embedding import Embedding
from hypercone.embedding.packed_lines import packed, unpacked
from hypercone.errors import InputError, ModelFileError
from hypercone.hierarchy.labels import Labels
from hypercone.hierarchy.names import is_usable
from hypercone.methods import METHODS, Points, Settings, find_method
from hypercone.methods.scoring import Rows

FORMAT = "hypercone-model"
FORMAT_VERSION = 1
POINTS, NODES, CONFIG, CARD = "model.safetensors", "nodes.txt.gz", "config.json", "README.md"
LABELS, EDGES = "labels.txt.gz", "edges.safetensors"
# A description larger than this is not one of ours.
LARGEST_CONFIG = 1 << 20
# What the formulas can work with; the ranges of a fit are narrower.
RANGES = {"K": (1e-300, 1e6), "margin": (0.0, 1e300), "border": (0.0, 0.5), "alpha": (0.0, 1e300)}


def save(embedding: Embedding, folder: str | Path) -> Path:
    """Write the model folder; an older model there is replaced, anything else there is left and refused."""
    target = Path(folder)
    refuse_to_overwrite(target)
    _refuse_names(target, embedding.names)
    if not np.isfinite(embedding.points).all():
        raise ModelFileError(f"{target}: not written, for a point is not finite; the fit diverged")
    parts, sizes = _parts(embedding)
    description = _description(embedding, sizes, parts)
    with new_folder(target) as temporary:
        for name, content in parts.items():
            (temporary / name).write_bytes(content)
        (temporary / CONFIG).write_text(_sealed(description), encoding="utf-8")
        (temporary / CARD).write_text(model_card(embedding), encoding="utf-8")
    return target


def load(folder: str | Path) -> Embedding:
    """Read a model folder back, checking every part; what is damaged, newer or hostile is refused in one sentence.

    >>> import tempfile
    >>> points = np.array([[0.5, 0.0], [0.9, 0.0]])
    >>> saved = Embedding(["animal", "dog"], points, "hyperbolic-cones", Settings(), threshold=0.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load(saved.save(folder)).is_a("dog", "animal")
    True
    """
    target = Path(folder)
    description = _read_description(target)
    points = _read_points(target, description)
    method = _checked(target, description, "method", str)
    if method not in METHODS:
        raise ModelFileError(f"{target / CONFIG}: the method {method!r} is not known to this version of hypercone")
    settings = _read_settings(target, description)
    inner, outer = find_method(method).shell(settings)
    norms = np.linalg.norm(points, axis=1)
    if not np.isfinite(points).all() or (norms < inner - 1e-9).any() or (norms > outer + 1e-9).any():
        raise ModelFileError(f"{target / POINTS}: a point lies outside the domain of {method}; the file is damaged")
    return Embedding(
        names=_read_nodes(target, description, len(points)),
        points=points,
        method=method,
        settings=settings,
        threshold=_number(target, description, "threshold"),
        record=_checked(target, description, "record", dict),
        labels=_read_labels(target, description, len(points)),
        edges=_read_edges(target, description, len(points)),
    )


def _parts(embedding: Embedding) -> tuple[dict[str, bytes], dict[str, int]]:
    """The files that hold data, and the sizes that reading them back will be held to."""
    from safetensors.numpy import save as to_bytes

    parts = {POINTS: to_bytes({"points": np.ascontiguousarray(embedding.points, np.float64)})}
    sizes = {}
    parts[NODES], sizes["nodes_bytes"] = packed(embedding.names)
    if embedding.labels is not None:
        parts[LABELS], sizes["labels_bytes"] = packed(embedding.labels.texts)
    if embedding.edges is not None:
        parts[EDGES] = to_bytes({"edges": np.ascontiguousarray(embedding.edges, np.int32)})
        sizes["edges"] = len(embedding.edges)
    return parts, sizes


def _description(embedding: Embedding, sizes: dict[str, int], parts: dict[str, bytes]) -> dict[str, Any]:
    from hypercone import __version__

    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "hypercone_version": __version__,
        "method": embedding.method,
        "settings": asdict(embedding.settings),
        "threshold": embedding.threshold,
        "nodes": len(embedding),
        **sizes,
        "dim": embedding.dim,
        "record": embedding.record,
        "checksums": {name: hashlib.sha256(content).hexdigest() for name, content in parts.items()},
    }


def _seal(description: dict[str, Any]) -> str:
    """The digest of the description itself, over a form that does not depend on layout."""
    return hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()


def _sealed(description: dict[str, Any]) -> str:
    return json.dumps({**description, "seal": _seal(description)}, indent=2, ensure_ascii=False) + "\n"


def refuse_to_overwrite(folder: str | Path) -> None:
    """InputError if something is there that a model must not replace: anything but a model or an empty folder."""
    target = Path(folder)
    try:
        if target.is_file():
            raise InputError(f"{target}: is a file; give a folder for the model")
        if target.is_dir() and any(target.iterdir()) and not _is_model(target):
            raise InputError(f"{target}: is a folder with other things in it; give a new one for the model")
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror})") from None


def _is_model(target: Path) -> bool:
    if not {path.name for path in target.iterdir()} <= {POINTS, NODES, LABELS, EDGES, CONFIG, CARD}:
        return False
    try:
        # Many programs have a config.json; ours says so.
        description = json.loads(_read_part(target / CONFIG, LARGEST_CONFIG))
    except (ModelFileError, ValueError, RecursionError):
        return False
    return isinstance(description, dict) and description.get("format") == FORMAT


def _refuse_names(target: Path, names: Sequence[str]) -> None:
    strange = next((name for name in names if not is_usable(name)), None)
    if strange is not None:
        raise InputError(f"{target}: not written, for no file can hold the name {strange!r}; rename it")
    if len(set(names)) < len(names):
        raise InputError(f"{target}: not written, for two nodes have the same name; every node needs its own")


def _read_description(target: Path) -> dict[str, Any]:
    path = target / CONFIG
    if not os.path.exists(target):
        raise ModelFileError(f"{target}: there is no such model folder")
    content = _read_part(path, LARGEST_CONFIG)
    try:
        description = json.loads(content)
        if not isinstance(description, dict) or description.get("format") != FORMAT:
            raise ValueError("it does not describe a hypercone model")
        is_intact = description.pop("seal", None) == _seal(description)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{path}: is damaged or not a model's ({error})") from None
    version = description.get("format_version")
    if not isinstance(version, int) or version < 1:
        raise ModelFileError(f"{path}: has no valid format version; the file is damaged")
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"{path}: format version {version} is newer than this program reads ({FORMAT_VERSION}); upgrade hypercone"
        )
    if not is_intact:
        raise ModelFileError(f"{path}: does not match its own checksum; the file was damaged or edited")
    return description


def _read_part(path: Path, largest: int | None = None) -> bytes:
    try:
        if largest is not None and path.stat().st_size > largest:
            raise ModelFileError(f"{path}: is larger than such a file can be; it is not a hypercone model's")
        return path.read_bytes()
    except FileNotFoundError:
        raise ModelFileError(f"{path}: is missing; the model folder is incomplete") from None
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be read ({error.strerror})") from None


def _read_checked_part(target: Path, description: dict[str, Any], name: str) -> bytes:
    content = _read_part(target / name)
    if hashlib.sha256(content).hexdigest() != _checked(target, description, "checksums", dict).get(name):
        raise ModelFileError(f"{target / name}: does not match its checksum; the file was damaged or replaced")
    return content


def _read_array(target: Path, description: dict[str, Any], part: str, kind: type, shape: tuple[int, int]) -> Any:
    from safetensors import SafetensorError
    from safetensors.numpy import load as from_bytes

    name = "points" if part == POINTS else "edges"
    try:
        array = from_bytes(_read_checked_part(target, description, part)).get(name)
    except (SafetensorError, ValueError, KeyError) as error:
        raise ModelFileError(f"{target / part}: is not a safetensors file ({error})") from None
    if array is None or array.dtype != kind or array.shape != shape:
        raise ModelFileError(f"{target / part}: does not hold {shape[0]} {kind.__name__} {name} of {shape[1]} numbers")
    return np.ascontiguousarray(array)


def _read_points(target: Path, description: dict[str, Any]) -> Points:
    shape = (_checked(target, description, "nodes", int), _checked(target, description, "dim", int))
    points: Points = _read_array(target, description, POINTS, np.float64, shape)
    return points


def _read_edges(target: Path, description: dict[str, Any], nodes: int) -> Rows | None:
    if "edges" not in description:
        return None
    edges: Rows = _read_array(target, description, EDGES, np.int32, (_checked(target, description, "edges", int), 2))
    if len(edges) and not (edges.min() >= 0 and edges.max() < nodes):
        raise ModelFileError(f"{target / EDGES}: an edge names a row outside 0 … {nodes - 1}; the file is damaged")
    return edges


def _read_lines(target: Path, description: dict[str, Any], part: str, size: str, count: int) -> list[str]:
    content = _read_checked_part(target, description, part)
    return unpacked(target / part, content, _checked(target, description, size, int), count)


def _read_nodes(target: Path, description: dict[str, Any], count: int) -> Sequence[str]:
    names = _read_lines(target, description, NODES, "nodes_bytes", count)
    if len(set(names)) != count:
        raise ModelFileError(f"{target / NODES}: does not hold {count} different names")
    return tuple(names)


def _read_labels(target: Path, description: dict[str, Any], count: int) -> Labels | None:
    if "labels_bytes" not in description:
        return None
    return Labels(_read_lines(target, description, LABELS, "labels_bytes", count))


def _read_settings(target: Path, description: dict[str, Any]) -> Settings:
    values = _checked(target, description, "settings", dict)
    numbers = {field.name: _number(target, values, field.name) for field in fields(Settings)}
    for name, (least, most) in RANGES.items():
        if not least <= numbers[name] <= most:
            raise ModelFileError(f"{target / CONFIG}: {name} is {numbers[name]}, outside {least} … {most}")
    return Settings(**numbers)


def _number(target: Path, values: dict[str, Any], name: str) -> float:
    value = values.get(name)
    # JSON's whole numbers may be too large for a float.
    with contextlib.suppress(OverflowError):
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    raise ModelFileError(f"{target / CONFIG}: {name} is not a number; the file is damaged")


def _checked(target: Path, description: dict[str, Any], name: str, kind: type) -> Any:
    value: Any = description.get(name)
    fits = isinstance(value, kind) and not isinstance(value, bool)
    if not fits or (kind is int and int(value) < 0) or (name == "dim" and value < 1):
        raise ModelFileError(f"{target / CONFIG}: {name} is missing or malformed; the file is damaged")
    return value
