"""The parts of a model folder that hold data: written, and read back no further than the description announces."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hypercone._files import read_regular
from hypercone._system import available_bytes
from hypercone.embedding.description import EDGES, LABELS, NODES, POINTS, Description, sha256
from hypercone.embedding.embedding import Embedding
from hypercone.embedding.packed_lines import largest_packed, packed, unpacked
from hypercone.errors import HierarchyError, ModelFileError, ResourceError, visible
from hypercone.hierarchy.names import Labels, checked_names
from hypercone.methods import Points
from hypercone.methods.scoring import Rows

# What a safetensors file has beside its numbers; ours needs a hundred bytes of it.
LARGEST_HEADER = 1 << 16
# Parts of fewer bytes are read without asking how much memory there is.
SMALL = 1 << 26


def written(embedding: Embedding) -> tuple[dict[str, bytes], dict[str, int]]:
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


def read_points(target: Path, description: Description) -> Points:
    """The points, of the announced shape."""
    shape = description.whole("nodes"), description.whole("dim", least=1)
    points: Points = _read_array(target / POINTS, description, "points", np.float64, shape)
    return points


def read_edges(target: Path, description: Description, nodes: int) -> Rows | None:
    """The edges, if there are any, each between two rows that exist."""
    if "edges" not in description:
        return None
    edges: Rows = _read_array(target / EDGES, description, "edges", np.int32, (description.whole("edges"), 2))
    if len(edges) and not (edges.min() >= 0 and edges.max() < nodes):
        raise ModelFileError(f"{target / EDGES}: an edge names a row outside 0 … {nodes - 1}; the file is damaged")
    return edges


def read_names(target: Path, description: Description, count: int) -> Sequence[str]:
    """So many names, all different, each one that a node may have."""
    path = target / NODES
    lines = _read_lines(path, description, "nodes_bytes", count)
    try:
        names = checked_names(lines)
    except HierarchyError as error:
        raise ModelFileError(f"{path}: is not a list of names ({error})") from None
    if len(set(names)) != count:
        raise ModelFileError(f"{path}: does not hold {count} different names; the file is damaged")
    return names


def read_labels(target: Path, description: Description, count: int) -> Labels | None:
    """So many labels, if there are any."""
    if "labels_bytes" not in description:
        return None
    return Labels(_read_lines(target / LABELS, description, "labels_bytes", count))


def _read_array(path: Path, description: Description, name: str, kind: type, shape: tuple[int, int]) -> Any:
    from safetensors import SafetensorError
    from safetensors.numpy import load as from_bytes

    size = shape[0] * shape[1] * np.dtype(kind).itemsize
    content = _read_part(path, description, size + LARGEST_HEADER)
    try:
        array = from_bytes(content).get(name)
    except (SafetensorError, ValueError, KeyError, TypeError, OverflowError) as error:
        reason = visible(" ".join(str(error).split()), 200)
        raise ModelFileError(f"{path}: is not a safetensors file ({reason})") from None
    if array is None or array.dtype != kind or array.shape != shape:
        raise ModelFileError(f"{path}: does not hold {shape[0]} {kind.__name__} {name} of {shape[1]} numbers")
    return np.ascontiguousarray(array)


def _read_lines(path: Path, description: Description, size_name: str, count: int) -> list[str]:
    size = description.whole(size_name)
    content = _read_part(path, description, largest_packed(size))
    return unpacked(path, content, size, count)


def _read_part(path: Path, description: Description, largest: int) -> bytes:
    """The content, if it is no larger than it can be and matches its checksum."""
    with contextlib.suppress(OSError):
        _refuse_more_than_memory(path, largest)
    content = read_regular(path, largest)
    if sha256(content) != description.checksum(path.name):
        raise ModelFileError(f"{path}: does not match its checksum; the file was damaged or replaced")
    return content


def _refuse_more_than_memory(path: Path, largest: int) -> None:
    # Numbers are there twice for a moment: as the bytes of the file and as an array.
    needed = 2 * os.stat(path).st_size
    if SMALL < needed <= 2 * largest and needed > (free := available_bytes()):
        raise ResourceError(
            f"{path}: takes {needed / 2**30:,.1f} GiB of memory to load, and {free / 2**30:,.1f} are free; "
            "load it on a larger machine"
        )
