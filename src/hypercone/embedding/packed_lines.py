"""Lines of text in a gzip file of known size, so that a hostile one cannot expand without end."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable
from pathlib import Path

from hypercone.errors import InputError, ModelFileError

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
