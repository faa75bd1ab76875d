"""The bytes of a file, wherever they come from and however they are packed."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO, NamedTuple

from hypercone.errors import InputError
from hypercone.hierarchy.unpack import PACKINGS, packing_of, unpacked

__all__ = ["PACKINGS", "Content", "Source", "beside", "content_of"]

Source = str | os.PathLike[str] | BinaryIO


class Content(NamedTuple):
    """Unpacked bytes, with the name to use in messages and the extension without packing (``.tsv``).

    ``path`` is where the file lies, if it is one.
    """

    label: str
    extension: str
    data: bytes
    path: Path | None = None


def content_of(source: Source) -> Content:
    """What a path, standard input (``-``) or a binary stream holds, unpacked; InputError if unreadable."""
    label, data = _raw(source)
    path = Path(label)
    packing = packing_of(path.suffix.lower(), data)
    extension = (path.with_suffix("") if path.suffix.lower() in PACKINGS else path).suffix.lower()
    place = path if isinstance(source, str | os.PathLike) and source != "-" else None
    return Content(label, extension, unpacked(label, packing, data) if packing else data, place)


def beside(content: Content, name: str) -> Content | None:
    """The file of this name in the same folder, packed in the same way or not at all; None if there is none."""
    if content.path is None:
        return None
    suffix = content.path.suffix if content.path.suffix.lower() in PACKINGS else ""
    for path in dict.fromkeys((content.path.with_name(name + suffix), content.path.with_name(name))):
        if path.is_file():
            return content_of(path)
    return None


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
