"""Reading and writing the files of a model folder without trusting them: config.json, arrays, gzipped lines."""

from __future__ import annotations

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
from hypercone._files import OpenFolder, is_intact, parse_json_object, with_checksum
from hypercone._system import available_bytes
from hypercone.embedding.checks import as_finite
from hypercone.embedding.embedding import Embedding
from hypercone.errors import HierarchyError, InputError, ModelFileError, ResourceError, short, visible
from hypercone.hierarchy.glossary import Glossary
from hypercone.hierarchy.names import Labels, NodeNames
from hypercone.methods import METHODS, Points, Settings

FORMAT = "hypercone-model"
# The checksum of version 1 covered the parsed values; that of version 2 covers the bytes, and the card has one too.
# Version 3 has the glossary, and the rows of nodes that were placed by a point.
FORMAT_VERSION = 3
POINTS, NODES, CONFIG, CARD = "model.safetensors", "nodes.txt.gz", "config.json", "README.md"
LABELS, EDGES, GLOSSARY = "labels.txt.gz", "edges.safetensors", "glossary.tsv.gz"
PARTS = (POINTS, NODES, LABELS, EDGES, GLOSSARY, CARD)
# No config.json is larger than this.
LARGEST = 1 << 20


@dataclass(frozen=True)
class Description:
    """The values of config.json; each is type-checked on access."""

    path: Path
    values: dict[str, Any]

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def text(self, name: str) -> str:
        """A string."""
        return str(self._of_kind(name, str))

    def integer(self, name: str, least: int = 0) -> int:
        """An integer of at least ``least`` that fits into 64 bits."""
        value = self._of_kind(name, int)
        if isinstance(value, bool) or not least <= value < 2**63:
            raise self._damage_error(name)
        return int(value)

    def number(self, name: str) -> float:
        """A finite number."""
        value = as_finite(self.values.get(name))
        if value is None:
            raise ModelFileError(f"{self.path}: {name} is not a number; the file is damaged")
        return value

    def integers(self, name: str) -> list[int]:
        """A list of integers that are not negative and fit into 64 bits."""
        values = self._of_kind(name, list)
        if not all(isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63 for value in values):
            raise self._damage_error(name)
        return list(values)

    def mapping(self, name: str) -> dict[str, Any]:
        """A mapping."""
        return dict(self._of_kind(name, dict))

    @property
    def method(self) -> str:
        """The name of a known method."""
        method = self.text("method")
        if method not in METHODS:
            raise ModelFileError(
                f"{self.path}: the method {short(method)!r} is not known to this version of hypercone; upgrade it"
            )
        return method

    @property
    def settings(self) -> Settings:
        """The constants of the method, all finite."""
        values = Description(self.path, self.mapping("settings"))
        return Settings(**{field.name: values.number(field.name) for field in fields(Settings)})

    def checksum(self, part: str) -> object:
        """The expected SHA-256 of a part; None if there is none."""
        checksums = self.mapping("checksums")
        # Only known names are accepted, so that no path is ever built from the content of a file.
        unknown = next((name for name in checksums if name not in PARTS), None)
        if unknown is not None:
            raise ModelFileError(f"{self.path}: lists a part {short(unknown)!r}, which no model has")
        return checksums.get(part)

    def _of_kind(self, name: str, kind: type) -> Any:
        value = self.values.get(name)
        if not isinstance(value, kind):
            raise self._damage_error(name)
        return value

    def _damage_error(self, name: str) -> ModelFileError:
        return ModelFileError(f"{self.path}: {name} is missing or malformed; the file is damaged")


def description_bytes(embedding: Embedding, sizes: dict[str, int], parts: dict[str, bytes]) -> bytes:
    """The content of config.json; InputError if it could not be read back."""
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
        **({} if embedding.by_point is None else {"by_point": embedding.by_point.tolist()}),
        "dim": embedding.dim,
        "record": embedding.record,
        "checksums": {name: sha256(content) for name, content in parts.items()},
    }
    try:
        content = with_checksum(values).encode()
        parse_json_object(content)
    except ValueError as error:
        raise InputError(f"its record cannot be stored as JSON ({error}); leave that out") from None
    if len(content) > LARGEST:
        what = "its record" if embedding.by_point is None else "its record or list of nodes placed by a point"
        raise InputError(
            f"{what} is too long: {CONFIG} would have {len(content):,} bytes and may have {LARGEST:,}; shorten it"
        )
    return content


def read_description(folder: OpenFolder) -> Description:
    """The description of a model folder; ModelFileError if its version is unknown or its checksum does not match."""
    if not os.path.exists(folder.path):
        raise ModelFileError(f"{folder.path}: there is no such model folder")
    path, content = folder.path / CONFIG, folder.read(CONFIG, LARGEST)
    try:
        values = parse_json_object(content)
        if values.get("format") != FORMAT:
            raise ValueError("it does not describe a hypercone model")
    except ValueError as error:
        raise ModelFileError(f"{path}: is damaged or not a model's ({error})") from None
    _refuse_version(path, values.get("format_version"))
    if not _is_as_written(values, content):
        raise _change_error(path, content)
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


def _change_error(path: Path, content: bytes) -> ModelFileError:
    if is_intact(content.replace(b"\r\n", b"\n")):
        return ModelFileError(f"{path}: has other line ends than it was written with; copy it byte for byte")
    return ModelFileError(
        f"{path}: does not match its own checksum; the file was damaged or edited; take it from a copy, or save again"
    )


# The largest header of a safetensors file that is accepted; a hundred bytes are needed.
LARGEST_HEADER = 1 << 16
# Smaller parts are read without checking the available memory.
SMALL = 1 << 26


def serialize_parts(embedding: Embedding) -> tuple[dict[str, bytes], dict[str, int]]:
    """The content of the data files, and the sizes that are verified when they are read back."""
    from safetensors.numpy import save as to_bytes

    parts = {POINTS: to_bytes({"points": np.ascontiguousarray(embedding.points, np.float64)})}
    sizes = {}
    parts[NODES], sizes["nodes_bytes"] = compress_lines(embedding.names)
    if embedding.labels is not None:
        parts[LABELS], sizes["labels_bytes"] = compress_lines(embedding.labels.texts)
    if embedding.edges is not None:
        parts[EDGES] = to_bytes({"edges": np.ascontiguousarray(embedding.edges, np.int32)})
        sizes["edges"] = len(embedding.edges)
    if embedding.glossary is not None and not embedding.glossary.is_empty:
        lines = list(map("\t".join, embedding.glossary.lines()))
        parts[GLOSSARY], sizes["glossary_bytes"] = compress_lines(lines)
        sizes["glossary_lines"] = len(lines)
        if len(lines) > most_entries(len(parts[GLOSSARY])):
            raise InputError("the entries of its glossary are nearly all the same; leave them out")
    return parts, sizes


def read_points(folder: OpenFolder, description: Description) -> Points:
    """The points; ModelFileError unless they have the shape given in the description."""
    shape = description.integer("nodes"), description.integer("dim", least=1)
    points: Points = _read_array(folder, POINTS, description, "points", np.float64, shape)
    return points


def read_edges(folder: OpenFolder, description: Description) -> Rows | None:
    """The edges, if there are any."""
    if "edges" not in description:
        return None
    edges: Rows = _read_array(folder, EDGES, description, "edges", np.int32, (description.integer("edges"), 2))
    return edges


def read_by_point(description: Description) -> Rows | None:
    """The rows of nodes that were placed by a point, if there are any."""
    if "by_point" not in description:
        return None
    rows = description.integers("by_point")
    return np.array(rows, np.int64)


def read_names(folder: OpenFolder, description: Description, count: int) -> NodeNames:
    """The ``count`` names."""
    lines = _read_lines(folder, NODES, description, "nodes_bytes", count)
    try:
        return NodeNames(lines)
    except HierarchyError as error:
        raise ModelFileError(f"{folder.path / NODES}: is not a list of names ({error})") from None


def read_labels(folder: OpenFolder, description: Description, count: int) -> Labels | None:
    """The ``count`` labels, if there are any."""
    if "labels_bytes" not in description:
        return None
    return Labels(_read_lines(folder, LABELS, description, "labels_bytes", count))


def read_glossary(folder: OpenFolder, description: Description, count: int) -> Glossary | None:
    """The glossary of ``count`` rows, if there is one."""
    if "glossary_lines" not in description:
        return None
    entries = description.integer("glossary_lines")
    lines = _read_lines(folder, GLOSSARY, description, "glossary_bytes", entries, has_few_lines=True)
    try:
        return Glossary.of_lines((line.split("\t", 3) for line in lines), count)
    except HierarchyError as error:
        raise ModelFileError(f"{folder.path / GLOSSARY}: is not a glossary ({error}); the file is damaged") from None


def _read_array(
    folder: OpenFolder, part: str, description: Description, name: str, kind: type, shape: tuple[int, int]
) -> Any:
    from safetensors import SafetensorError
    from safetensors.numpy import load as from_bytes

    path, size = folder.path / part, shape[0] * shape[1] * np.dtype(kind).itemsize
    content = _read_part(folder, part, description, size + LARGEST_HEADER)
    try:
        array = from_bytes(content).get(name)
    except (SafetensorError, ValueError, KeyError, TypeError, OverflowError) as error:
        reason = visible(" ".join(str(error).split()), 200)
        raise ModelFileError(f"{path}: is not a safetensors file ({reason})") from None
    if array is None or array.dtype != kind or array.shape != shape:
        raise ModelFileError(f"{path}: does not hold {shape[0]} {kind.__name__} {name} of {shape[1]} numbers")
    return np.ascontiguousarray(array)


def _read_lines(
    folder: OpenFolder, part: str, description: Description, size_name: str, count: int, *, has_few_lines: bool = False
) -> list[str]:
    path, size = folder.path / part, description.integer(size_name)
    content = _read_part(folder, part, description, max_compressed(size))
    if has_few_lines and count > most_entries(len(content)):
        raise ModelFileError(f"{path}: announces {count} entries in {len(content)} bytes, which no glossary has")
    return decompress_lines(path, content, size, count)


def _read_part(folder: OpenFolder, part: str, description: Description, largest: int) -> bytes:
    """The content; ModelFileError if it is larger than ``largest`` or does not match its checksum."""
    path = folder.path / part
    _refuse_more_than_memory(path, folder.size(part), largest)
    content = folder.read(part, largest)
    if sha256(content) != description.checksum(part):
        raise ModelFileError(f"{path}: does not match its checksum; the file was damaged or replaced")
    return content


def _refuse_more_than_memory(path: Path, size: int, largest: int) -> None:
    # Numbers are temporarily in memory twice: as bytes and as an array.
    needed = 2 * size
    if SMALL < needed <= 2 * largest and needed > (free := available_bytes()):
        raise ResourceError(
            f"{path}: takes {needed / 2**30:,.1f} GiB of memory to load, and {free / 2**30:,.1f} are free; "
            "load it on a larger machine"
        )


# Names compress by a factor of 3 to 70. A much higher factor, for more than the allowed size, is an attack.
ALWAYS_ALLOWED = 64 << 20
ALLOWED_RATIO = 300
GZIP_HEADER = 16 + zlib.MAX_WBITS


def compress_lines(lines: Iterable[str]) -> tuple[bytes, int]:
    """The gzipped lines and their uncompressed size; InputError if ``decompress_lines`` would refuse them.

    >>> decompress_lines(Path("names"), *compress_lines(["dog", "cat"]), count=2)
    ['dog', 'cat']
    """
    text = "".join(f"{line}\n" for line in lines).encode()
    # Without a time stamp, so that the same model gives the same bytes.
    content = gzip.compress(text, mtime=0)
    if len(text) > max_decompressed(len(content)):
        raise InputError(f"names or labels of {len(text):,} bytes are nearly all the same; shorten them")
    return content, len(text)


def decompress_lines(path: Path, content: bytes, size: int, count: int) -> list[str]:
    """``count`` lines of ``size`` bytes in total; ModelFileError if the content is anything else."""
    if size > max_decompressed(len(content)):
        raise ModelFileError(
            f"{path}: announces {size} bytes compressed into {len(content)}, which no list of names is"
        )
    decompressor = zlib.decompressobj(GZIP_HEADER)
    try:
        # At most one byte more than announced is decompressed, however much the file would expand to.
        text = decompressor.decompress(content, size + 1)
        is_whole = decompressor.eof and not decompressor.unused_data and text.endswith(b"\n") == bool(size)
        # Counted before splitting, as a list of empty strings takes far more memory than the text.
        if not is_whole or len(text) != size or text.count(b"\n") != count:
            raise ModelFileError(f"{path}: does not hold {count} lines of {size} bytes in all; the file is damaged")
        return text.decode().split("\n")[:-1]
    except (zlib.error, UnicodeDecodeError) as error:
        raise ModelFileError(f"{path}: cannot be decompressed ({error})") from None


def max_decompressed(compressed_size: int) -> int:
    """The largest accepted uncompressed size of a file of ``compressed_size`` bytes.

    >>> max_decompressed(1_000) == 64 << 20, max_decompressed(1 << 30) == 300 << 30
    (True, True)
    """
    return max(ALWAYS_ALLOWED, ALLOWED_RATIO * compressed_size)


def most_entries(compressed_size: int) -> int:
    """The most entries of a glossary of ``compressed_size`` bytes that are accepted.

    There is a name for each point, which has its size, but nothing else limits the entries, and each takes a hundred
    bytes of memory.

    >>> most_entries(10), most_entries(1_000_000)
    (100000, 4000000)
    """
    return max(100_000, 4 * compressed_size)


def max_compressed(size: int) -> int:
    """The largest compressed size of ``size`` bytes; incompressible data grows a little."""
    return size + size // 500 + 4096
