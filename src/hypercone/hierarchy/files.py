"""The bytes of an edge file, wherever they come from and however they are packed."""

from __future__ import annotations

import gzip
import lzma
import os
import sys
import zlib
from pathlib import Path
from typing import BinaryIO, NamedTuple

from hypercone.errors import InputError

Source = str | os.PathLike[str] | BinaryIO
PACKINGS = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd", ".xz": b"\xfd7zXZ\x00"}


class Content(NamedTuple):
    """Unpacked bytes, with the name to use in messages and the extension without packing (``.tsv``)."""

    label: str
    extension: str
    data: bytes


def content_of(source: Source) -> Content:
    """What a path, standard input (``-``) or a binary stream holds, unpacked; InputError if unreadable."""
    label, data = _raw(source)
    path = Path(label)
    packing = _packing(path.suffix.lower(), data)
    extension = (path.with_suffix("") if path.suffix.lower() in PACKINGS else path).suffix.lower()
    return Content(label, extension, _unpacked(label, packing, data) if packing else data)


def _raw(source: Source) -> tuple[str, bytes]:
    if source == "-":
        return "standard input", sys.stdin.buffer.read()
    if isinstance(source, str | os.PathLike):
        return os.fspath(source), _file_bytes(Path(source))
    data = source.read()
    if not isinstance(data, bytes):
        raise InputError("the stream gives text, not bytes; open it in binary mode ('rb')")
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "the stream", data


def _file_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check the path") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder; give the edge file inside it") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None


def _packing(suffix: str, data: bytes) -> str | None:
    for packing, magic in PACKINGS.items():
        if data.startswith(magic):
            return packing
    return suffix if suffix in PACKINGS else None


def _unpacked(label: str, packing: str, data: bytes) -> bytes:
    unpack = {".gz": gzip.decompress, ".xz": lzma.decompress, ".zst": _zstd}[packing]
    try:
        return unpack(data)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise InputError(
            f"{label}: the {packing} compression is damaged ({_first_line(error)}); fetch the file again"
        ) from None


def _zstd(data: bytes) -> bytes:
    import zstandard

    parts = []
    while data:
        unpacker = zstandard.ZstdDecompressor().decompressobj()
        try:
            parts.append(unpacker.decompress(data))
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None
        if not unpacker.eof:
            raise ValueError("it ends too early")
        data = unpacker.unused_data
    return b"".join(parts)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
