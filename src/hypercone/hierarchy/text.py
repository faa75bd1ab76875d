"""The content of a file as text: UTF-8, with the line of the first byte that is not."""

from __future__ import annotations

import codecs

from hypercone.errors import InputError
from hypercone.hierarchy.files import Content

MARK = b"\xef\xbb\xbf"
PIECE = 2**24
WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


def text_of(content: Content, holds: str) -> str:
    r"""The text with plain line feeds, none at the end; InputError if it is not UTF-8 or there is none.

    >>> text_of(Content("a.txt", ".txt", b"dog\r\ncat\r\n"), "one animal a line")
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
    """The bytes without a byte-order mark, if they are UTF-8 text; InputError with the line if not."""
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
    """The error for a file with nothing in it."""
    return InputError(f"{content.label}: is empty; it should hold {holds}")


def _check(label: str, data: bytes) -> None:
    # In pieces, for the text of a large file can take four times its bytes.
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), PIECE):
        piece = data[start : start + PIECE]
        try:
            decoder.decode(piece, final=start + PIECE >= len(data))
        except UnicodeDecodeError as error:
            place = start + len(piece) - len(error.object) + error.start
            line = data.count(b"\n", 0, place) + 1
            raise InputError(f"{label}:{line}: byte 0x{data[place]:02x} is not UTF-8; save the file as UTF-8") from None
