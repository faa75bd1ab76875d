"""The bytes or text of a source (path, stream, standard input), decompressed piece by piece within limits."""

from __future__ import annotations

import codecs
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from hypercone.errors import InputError, short

__all__ = ["PACKINGS", "Content", "Source", "content_of", "sibling_file"]

Source = str | os.PathLike[str] | BinaryIO


class Content(NamedTuple):
    """Decompressed bytes, the name to use in messages, and the extension without that of the compression (``.tsv``).

    ``path`` is the path of the file, if the source is one.
    """

    label: str
    extension: str
    data: bytes
    path: Path | None = None


def content_of(source: Source) -> Content:
    """The decompressed content of a path, standard input (``-``) or a binary stream; InputError if unreadable."""
    label, data = _raw(source)
    path = Path(label)
    packing = packing_of(path.suffix.lower(), data)
    extension = (path.with_suffix("") if path.suffix.lower() in PACKINGS else path).suffix.lower()
    file_path = path if isinstance(source, str | os.PathLike) and source != "-" else None
    return Content(label, extension, unpack(label, packing, data) if packing else data, file_path)


def sibling_file(content: Content, name: str) -> Content | None:
    """The file of this name in the same folder, with the same compression or without; None if there is none."""
    if content.path is None:
        return None
    suffix = content.path.suffix if content.path.suffix.lower() in PACKINGS else ""
    for path in dict.fromkeys((content.path.with_name(name + suffix), content.path.with_name(name))):
        if path.is_file():
            return content_of(path)
    return None


def _raw(source: Source) -> tuple[str, bytes]:
    if isinstance(source, str) and source == "-":
        return "standard input", sys.stdin.buffer.read()
    if isinstance(source, str | os.PathLike):
        return os.fspath(source), _file_bytes(Path(source))
    if hasattr(source, "columns"):
        raise InputError("the source is a data frame; use Hierarchy.from_frame, or give it to fit")
    if not hasattr(source, "read"):
        raise InputError(f"the source is {short(repr(source))}; give a file, a binary stream, or - for standard input")
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


PACKINGS = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd", ".xz": b"\xfd7zXZ\x00"}

# Text compresses by a factor of 3 to 70 (the NCBI taxonomy as JSON: 63). A far larger factor is a mistake or an attack.
ALWAYS_ALLOWED = 64 * 2**20
ALLOWED_RATIO = 300
NEVER_ALLOWED = 4 * 2**30

UNPACKED_PIECE = 2**20
SMALLEST_PIECE, LARGEST_PIECE = 2**8, 2**16
# A few bytes of zstd can decompress to 128 KiB, and the decompressor processes all of its input at once.
ZSTD_PIECE = 2**10
# The strongest preset of xz needs 65 MiB to decompress; a header can claim 4 GiB.
XZ_MEMORY = 256 * 2**20
ZEROS = re.compile(rb"\0*+")
GZIP_HEADER = 16 + zlib.MAX_WBITS


def packing_of(suffix: str, data: bytes) -> str | None:
    """The compression of the data, by the first bytes or else by the suffix; None if there is none."""
    for packing, magic in PACKINGS.items():
        if data.startswith(magic):
            return packing
    return suffix if suffix in PACKINGS else None


def unpack(label: str, packing: str, data: bytes) -> bytes:
    """The decompressed bytes; InputError if the data is damaged or exceeds ``limit_of``."""
    pieces = {".gz": _gzip, ".xz": _xz, ".zst": _zstd}[packing](data)
    limit = limit_of(len(data))
    # Unlike joining a list of pieces at the end, this never holds the bytes twice.
    filled = io.BytesIO()
    try:
        for piece in pieces:
            filled.write(piece)
            if filled.tell() > limit:
                raise InputError(
                    f"{label}: unpacks to more than {limit // 2**20:,} MiB from {len(data):,} bytes, too much for a "
                    "hierarchy; unpack it yourself if you trust it"
                )
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise InputError(
            f"{label}: the {packing} compression is damaged ({_first_line(error)}); fetch the file again"
        ) from None
    return filled.getvalue()


def limit_of(packed: int) -> int:
    """The limit on the decompressed size of a file: 300 times its size, but at least 64 MiB and at most 4 GiB.

    >>> limit_of(1_000) // 2**20, limit_of(2**20) // 2**20, limit_of(2**30) // 2**20
    (64, 300, 4096)
    """
    return min(NEVER_ALLOWED, max(ALWAYS_ALLOWED, ALLOWED_RATIO * packed))


def _gzip(data: bytes) -> Iterator[bytes]:
    position = 0
    while position < len(data):
        unpacker = zlib.decompressobj(GZIP_HEADER)
        sizes = _piece_sizes()
        while not unpacker.eof and position < len(data):
            pending = data[position : position + next(sizes)]
            position += len(pending)
            while pending and not unpacker.eof:
                yield unpacker.decompress(pending, UNPACKED_PIECE)
                pending = unpacker.unconsumed_tail
        yield unpacker.flush()
        _check_end(unpacker.eof)
        position -= len(unpacker.unused_data)
        # The end may be padded with zeros, as on tape.
        position = ZEROS.match(data, position).end()  # type: ignore[union-attr]


def _xz(data: bytes) -> Iterator[bytes]:
    position = 0
    while position < len(data):
        unpacker = lzma.LZMADecompressor(memlimit=XZ_MEMORY)
        sizes = _piece_sizes()
        while not unpacker.eof:
            _check_end(not unpacker.needs_input or position < len(data))
            pending = data[position : position + next(sizes)] if unpacker.needs_input else b""
            position += len(pending)
            yield unpacker.decompress(pending, UNPACKED_PIECE)
        position -= len(unpacker.unused_data)


def _zstd(data: bytes) -> Iterator[bytes]:
    import zstandard

    position = 0
    while position < len(data):
        unpacker = zstandard.ZstdDecompressor().decompressobj()
        while not unpacker.eof:
            _check_end(position < len(data))
            pending = data[position : position + ZSTD_PIECE]
            position += len(pending)
            try:
                yield unpacker.decompress(pending)
            except zstandard.ZstdError as error:
                raise ValueError(str(error)) from None
        position -= len(unpacker.unused_data)


def _piece_sizes() -> Iterator[int]:
    """Growing sizes: the rest after the end of a member is copied, and a file may have a million tiny members."""
    size = SMALLEST_PIECE
    while True:
        yield size
        size = min(2 * size, LARGEST_PIECE)


def _check_end(is_whole: bool) -> None:
    if not is_whole:
        raise EOFError("it ends too early")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


MARK = b"\xef\xbb\xbf"
TEXT_PIECE = 2**24
WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


def text_of(content: Content, holds: str) -> str:
    r"""The text with ``\n`` line ends and none at the end; InputError if it is empty or not UTF-8.

    >>> text_of(Content("a.txt", ".txt", b"dog\r\ncat\r\n"), "one animal per line")
    'dog\ncat'
    """
    text = checked_utf8(content).decode()
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    text = text.rstrip("\n")
    if not text.strip():
        raise is_empty(content, holds)
    return text


def checked_utf8(content: Content) -> bytes:
    """The bytes without a byte-order mark; InputError with the line if they are not UTF-8 text."""
    if content.data.startswith(WIDE_MARKS):
        raise InputError(f"{content.label}:1: is UTF-16 text; save the file as UTF-8")
    data = content.data.removeprefix(MARK)
    nul = data.find(b"\0")
    if nul >= 0:
        line = data.count(b"\n", 0, nul) + 1
        raise InputError(f"{content.label}:{line}: contains a NUL byte; save the file as UTF-8 text")
    if not data.isascii():
        _check(content.label, data)
    return data


def is_empty(content: Content, holds: str) -> InputError:
    """The error for an empty file."""
    return InputError(f"{content.label}: is empty; it should hold {holds}")


def _check(label: str, data: bytes) -> None:
    # In pieces, because decoded text can take four times the memory of its bytes.
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), TEXT_PIECE):
        piece = data[start : start + TEXT_PIECE]
        try:
            decoder.decode(piece, final=start + TEXT_PIECE >= len(data))
        except UnicodeDecodeError as error:
            position = start + len(piece) - len(error.object) + error.start
            line = data.count(b"\n", 0, position) + 1
            raise InputError(
                f"{label}:{line}: byte 0x{data[position]:02x} is not UTF-8; save the file as UTF-8"
            ) from None
