"""What the files of a model folder hold, and how far they are believed: config.json, arrays, gzipped lines."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from hypercone._arrays import Rows
from hypercone._files import is_intact, parse_json_object, read_regular, with_checksum
from hypercone._system import available_bytes
from hypercone.embedding.checks import finite
from hypercone.embedding.embedding import Embedding
from hypercone.errors import HierarchyError, InputError, ModelFileError, ResourceError, short, visible
from hypercone.hierarchy.names import Labels, NodeNames
from hypercone.methods import METHODS, Points, Settings

FORMAT = "hypercone-model"
# Version 1 was sealed over the meaning of its values; version 2 is sealed over its bytes, and knows its card.
FORMAT_VERSION = 2
POINTS, NODES, CONFIG, CARD = "model.safetensors", "nodes.txt.gz", "config.json", "README.md"
LABELS, EDGES = "labels.txt.gz", "edges.safetensors"
PARTS = (POINTS, NODES, LABELS, EDGES, CARD)
# A description larger than this is not one of ours.
LARGEST = 1 << 20


@dataclass(frozen=True)
class Description:
    """The values of config.json, each given out only if it is of the kind that it should be."""

    path: Path
    values: dict[str, Any]

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def text(self, name: str) -> str:
        """A text."""
        return str(self._of_kind(name, str))

    def whole(self, name: str, least: int = 0) -> int:
        """A whole number that is not too small, and such as files have."""
        value = self._of_kind(name, int)
        if isinstance(value, bool) or not least <= value < 2**63:
            raise self._damaged(name)
        return int(value)

    def number(self, name: str) -> float:
        """A finite number."""
        value = finite(self.values.get(name))
        if value is None:
            raise ModelFileError(f"{self.path}: {name} is not a number; the file is damaged")
        return value

    def named(self, name: str) -> dict[str, Any]:
        """Named values."""
        return dict(self._of_kind(name, dict))

    @property
    def method(self) -> str:
        """The name of a method that there is."""
        method = self.text("method")
        if method not in METHODS:
            raise ModelFileError(
                f"{self.path}: the method {short(method)!r} is not known to this version of hypercone; upgrade it"
            )
        return method

    @property
    def settings(self) -> Settings:
        """The constants of the method, finite numbers all."""
        values = Description(self.path, self.named("settings"))
        return Settings(**{field.name: values.number(field.name) for field in fields(Settings)})

    def checksum(self, part: str) -> object:
        """What the SHA-256 of a part should be; None if nothing is said of it."""
        checksums = self.named("checksums")
        # Parts have the names above and no others, so that no path is ever made of what a file says.
        stranger = next((name for name in checksums if name not in PARTS), None)
        if stranger is not None:
            raise ModelFileError(f"{self.path}: speaks of a part {short(stranger)!r}, which no model has")
        return checksums.get(part)

    def _of_kind(self, name: str, kind: type) -> Any:
        value = self.values.get(name)
        if not isinstance(value, kind):
            raise self._damaged(name)
        return value

    def _damaged(self, name: str) -> ModelFileError:
        return ModelFileError(f"{self.path}: {name} is missing or malformed; the file is damaged")


def described(embedding: Embedding, sizes: dict[str, int], parts: dict[str, bytes]) -> bytes:
    """The content of config.json; InputError if reading it back would fail."""
    from hypercone import __version__

    values = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "hypercone_version": __version__,
        "method": embedding.method,
        "settings": {name: float(value) for name, value in asdict(embedding.settings).items()},
        "threshold": float(embedding.threshold),
        "nodes": len(embedding),
        **sizes,
        "dim": embedding.dim,
        "record": embedding.record,
        "checksums": {name: sha256(content) for name, content in parts.items()},
    }
    try:
        content = with_checksum(values).encode()
        parse_json_object(content)
    except ValueError as error:
        raise InputError(f"its record cannot be kept as JSON ({error}); leave that out") from None
    if len(content) > LARGEST:
        raise InputError(
            f"its record is too long: {CONFIG} would have {len(content):,} bytes and may have {LARGEST:,}; shorten it"
        )
    return content


def read_description(target: Path) -> Description:
    """What the description of a model folder says, if it is of a known version and nobody changed it since."""
    if not os.path.exists(target):
        raise ModelFileError(f"{target}: there is no such model folder")
    path = target / CONFIG
    content = read_regular(path, LARGEST)
    try:
        values = parse_json_object(content)
        if values.get("format") != FORMAT:
            raise ValueError("it does not describe a hypercone model")
    except ValueError as error:
        raise ModelFileError(f"{path}: is damaged or not a model's ({error})") from None
    _refuse_version(path, values.get("format_version"))
    if not _is_as_written(values, content):
        raise _changed(path, content)
    return Description(path, values)


def sha256(content: bytes) -> str:
    """The checksum of a part, as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _refuse_version(path: Path, version: object) -> None:
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ModelFileError(f"{path}: has no valid format version; the file is damaged")
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"{path}: format version {short(str(version))} is newer than this program reads ({FORMAT_VERSION});"
            " upgrade hypercone"
        )


def _is_as_written(values: dict[str, Any], content: bytes) -> bool:
    seal = values.pop("seal", None)
    if values["format_version"] > 1:
        return is_intact(content)
    return bool(seal == sha256(json.dumps(values, sort_keys=True).encode()))


def _changed(path: Path, content: bytes) -> ModelFileError:
    if is_intact(content.replace(b"\r\n", b"\n")):
        return ModelFileError(f"{path}: has other line ends than it was written with; copy it byte for byte")
    return ModelFileError(
        f"{path}: does not match its own checksum; the file was damaged or edited; take it from a copy, or save again"
    )


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


def read_edges(target: Path, description: Description) -> Rows | None:
    """The edges, if there are any."""
    if "edges" not in description:
        return None
    edges: Rows = _read_array(target / EDGES, description, "edges", np.int32, (description.whole("edges"), 2))
    return edges


def read_names(target: Path, description: Description, count: int) -> NodeNames:
    """So many names."""
    lines = _read_lines(target / NODES, description, "nodes_bytes", count)
    try:
        return NodeNames(lines)
    except HierarchyError as error:
        raise ModelFileError(f"{target / NODES}: is not a list of names ({error})") from None


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


# Names pack 3 to 70 times smaller. What unpacks to far more, and to much, is an attack.
ALWAYS_ALLOWED = 64 << 20
ALLOWED_RATIO = 300
GZIP_HEADER = 16 + zlib.MAX_WBITS


def packed(lines: Iterable[str]) -> tuple[bytes, int]:
    """The lines, packed, and the size to which they unpack; InputError if nobody would dare to unpack them.

    >>> unpacked(Path("names"), *packed(["dog", "cat"]), count=2)
    ['dog', 'cat']
    """
    text = "".join(f"{line}\n" for line in lines).encode()
    # No time stamp inside, so that the same model gives the same bytes.
    content = gzip.compress(text, mtime=0)
    if len(text) > most_unpacked(len(content)):
        raise InputError(f"names or labels of {len(text):,} bytes are nearly all the same; shorten them")
    return content, len(text)


def unpacked(path: Path, content: bytes, size: int, count: int) -> list[str]:
    """So many lines of so many bytes in all; ModelFileError if the content is anything else."""
    if size > most_unpacked(len(content)):
        raise ModelFileError(f"{path}: announces {size} bytes packed into {len(content)}, as no list of names is")
    unpacker = zlib.decompressobj(GZIP_HEADER)
    try:
        # One byte more than announced is all that is ever unpacked, however much the file would expand to.
        text = unpacker.decompress(content, size + 1)
        is_whole = unpacker.eof and not unpacker.unused_data and text.endswith(b"\n") == bool(size)
        # Counted before they are split, for a list of empty lines takes far more memory than the lines.
        if not is_whole or len(text) != size or text.count(b"\n") != count:
            raise ModelFileError(f"{path}: does not hold {count} lines of {size} bytes in all; the file is damaged")
        return text.decode().split("\n")[:-1]
    except (zlib.error, UnicodeDecodeError) as error:
        raise ModelFileError(f"{path}: cannot be unpacked ({error})") from None


def most_unpacked(packed_size: int) -> int:
    """The most bytes that so many packed ones may stand for.

    >>> most_unpacked(1_000) == 64 << 20, most_unpacked(1 << 30) == 300 << 30
    (True, True)
    """
    return max(ALWAYS_ALLOWED, ALLOWED_RATIO * packed_size)


def largest_packed(size: int) -> int:
    """The most bytes that so many may be packed into: a little more than they are, if nothing can be saved."""
    return size + size // 500 + 4096
