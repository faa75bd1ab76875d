"""Unpacking .gz, .xz and .zst piece by piece, so that a small file cannot fill the memory."""

from __future__ import annotations

import io
import lzma
import re
import zlib
from collections.abc import Iterator

from hypercone.errors import InputError

PACKINGS = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd", ".xz": b"\xfd7zXZ\x00"}

# Text packs 3 to 70 times smaller (the NCBI taxonomy as JSON: 63). What unpacks to far more is a mistake or an attack.
ALWAYS_ALLOWED = 64 * 2**20
ALLOWED_RATIO = 300
NEVER_ALLOWED = 4 * 2**30

PIECE = 2**20
SMALLEST_PIECE, LARGEST_PIECE = 2**8, 2**16
# A few bytes of zstd can stand for 128 KiB, and the unpacker takes all that it is given at once.
ZSTD_PIECE = 2**10
# The strongest setting of xz needs 65 MiB to unpack; a header can ask for 4 GiB.
XZ_MEMORY = 256 * 2**20
ZEROS = re.compile(rb"\0*+")
GZIP_HEADER = 16 + zlib.MAX_WBITS


def packing_of(suffix: str, data: bytes) -> str | None:
    """How the data are packed, by their first bytes or else by the name's suffix."""
    for packing, magic in PACKINGS.items():
        if data.startswith(magic):
            return packing
    return suffix if suffix in PACKINGS else None


def unpacked(label: str, packing: str, data: bytes) -> bytes:
    """The unpacked bytes; InputError if they are damaged or more than ``limit_of`` allows."""
    pieces = {".gz": _gzip, ".xz": _xz, ".zst": _zstd}[packing](data)
    limit = limit_of(len(data))
    # Unlike a list of pieces put together at the end, this never holds the bytes twice.
    filled = io.BytesIO()
    try:
        for piece in pieces:
            filled.write(piece)
            if filled.tell() > limit:
                raise InputError(
                    f"{label}: unpacks to more than {limit // 2**20:,} MiB from {len(data):,} bytes, as no hierarchy "
                    "does; unpack it yourself if you trust it"
                )
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise InputError(
            f"{label}: the {packing} compression is damaged ({_first_line(error)}); fetch the file again"
        ) from None
    return filled.getvalue()


def limit_of(packed: int) -> int:
    """The most bytes that a packed file of this size may unpack to: 300 times its own, within 64 MiB and 4 GiB.

    >>> limit_of(1_000) // 2**20, limit_of(2**20) // 2**20, limit_of(2**30) // 2**20
    (64, 300, 4096)
    """
    return min(NEVER_ALLOWED, max(ALWAYS_ALLOWED, ALLOWED_RATIO * packed))


def _gzip(data: bytes) -> Iterator[bytes]:
    place = 0
    while place < len(data):
        unpacker = zlib.decompressobj(GZIP_HEADER)
        sizes = _piece_sizes()
        while not unpacker.eof and place < len(data):
            waiting = data[place : place + next(sizes)]
            place += len(waiting)
            while waiting and not unpacker.eof:
                yield unpacker.decompress(waiting, PIECE)
                waiting = unpacker.unconsumed_tail
        yield unpacker.flush()
        _check_end(unpacker.eof)
        place -= len(unpacker.unused_data)
        # Zeros may pad the end, as on tape.
        place = ZEROS.match(data, place).end()  # type: ignore[union-attr]


def _xz(data: bytes) -> Iterator[bytes]:
    place = 0
    while place < len(data):
        unpacker = lzma.LZMADecompressor(memlimit=XZ_MEMORY)
        sizes = _piece_sizes()
        while not unpacker.eof:
            _check_end(not unpacker.needs_input or place < len(data))
            waiting = data[place : place + next(sizes)] if unpacker.needs_input else b""
            place += len(waiting)
            yield unpacker.decompress(waiting, PIECE)
        place -= len(unpacker.unused_data)


def _zstd(data: bytes) -> Iterator[bytes]:
    import zstandard

    place = 0
    while place < len(data):
        unpacker = zstandard.ZstdDecompressor().decompressobj()
        while not unpacker.eof:
            _check_end(place < len(data))
            waiting = data[place : place + ZSTD_PIECE]
            place += len(waiting)
            try:
                yield unpacker.decompress(waiting)
            except zstandard.ZstdError as error:
                raise ValueError(str(error)) from None
        place -= len(unpacker.unused_data)


def _piece_sizes() -> Iterator[int]:
    """Small pieces first: what is left over at the end of a member is copied, and a file may have a million of them."""
    size = SMALLEST_PIECE
    while True:
        yield size
        size = min(2 * size, LARGEST_PIECE)


def _check_end(is_whole: bool) -> None:
    if not is_whole:
        raise EOFError("it ends too early")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
