"""Lines of text in a gzip file of known size, so that a hostile one cannot expand without end."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable
from pathlib import Path

from hypercone.errors import ModelFileError


def packed(lines: Iterable[str]) -> tuple[bytes, int]:
    """The lines, packed, and the size to which they unpack.

    >>> unpacked(Path("names"), *packed(["dog", "cat"]), count=2)
    ['dog', 'cat']
    """
    text = "".join(f"{line}\n" for line in lines).encode()
    # No time stamp inside, so that the same model gives the same bytes.
    return gzip.compress(text, mtime=0), len(text)


def unpacked(path: Path, content: bytes, size: int, count: int) -> list[str]:
    """So many lines of so many bytes in all; ModelFileError if the content is anything else."""
    try:
        # One byte more than announced is all that is ever unpacked, however much the file would expand to.
        with gzip.open(io.BytesIO(content)) as stream:
            text = stream.read(size + 1)
        *lines, rest = text.decode().split("\n")
    except (OSError, EOFError, zlib.error, OverflowError, MemoryError, ValueError) as error:
        raise ModelFileError(f"{path}: cannot be unpacked ({error})") from None
    if rest or len(text) != size or len(lines) != count:
        raise ModelFileError(f"{path}: does not hold {count} lines of {size} bytes in all; the file is damaged")
    return lines
