"""JSON files that carry their own checksum, and files read only if they are what they should be."""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
from pathlib import Path
from typing import Any, NoReturn

from hypercone.errors import ModelFileError

# What stands between the values and their checksum, which is the last line.
MARK = ',\n  "seal": "'
# More digits than any float has before its point; turning more of them into a number takes long.
LONGEST_NUMBER = 400


def sealed(values: dict[str, Any]) -> str:
    """The values as JSON, with a checksum of all its bytes in the last line; NaN and infinity have no place in it.

    >>> sealed({"epoch": 3}).splitlines()[:2]
    ['{', '  "epoch": 3,']
    """
    head = json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False).removesuffix("\n}")
    return head + _end(head.encode())


def is_intact(content: bytes) -> bool:
    """Whether the last line is the checksum of all bytes before it.

    >>> content = sealed({"epoch": 3}).encode()
    >>> is_intact(content), is_intact(content.replace(b"  ", b" ")), is_intact(content[:-1])
    (True, False, False)
    """
    head = content.rpartition(MARK.encode())[0]
    return content == head + _end(head).encode()


def read_sealed(path: Path, largest: int) -> dict[str, Any]:
    """The values of a sealed file; ModelFileError if it is missing, too large, damaged or edited."""
    content = read_regular(path, largest)
    try:
        values = named_values(content)
    except ValueError as error:
        raise ModelFileError(f"{path}: is damaged ({error})") from None
    if not is_intact(content):
        raise ModelFileError(f"{path}: does not match its own checksum; the file was damaged or edited")
    del values["seal"]
    return values


def named_values(content: bytes) -> dict[str, Any]:
    """What a JSON object in UTF-8 holds; ValueError if it is none, or if not every reader would read it alike.

    >>> named_values(b'{"epoch": 3}')
    {'epoch': 3}
    >>> named_values(b'{"epoch": 3, "epoch": 4}')
    Traceback (most recent call last):
    ValueError: 'epoch' stands there twice
    """
    try:
        values = DECODER.decode(content.decode())
        # Half a character can be escaped, but never written again.
        json.dumps(values, ensure_ascii=False).encode()
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8 text") from None
    except UnicodeEncodeError:
        raise ValueError("it holds half a character") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(values, dict):
        raise ValueError("it holds no named values")
    return values


def read_regular(path: Path, largest: int) -> bytes:
    """The content of an ordinary file of at most so many bytes; a pipe or a device is never waited for."""
    try:
        # Looked at before it is opened, which makes some devices act, and again after, for it may have been changed.
        _refuse_others(path, os.stat(path), largest)
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(handle, "rb") as file:
            found = os.fstat(handle)
            _refuse_others(path, found, largest)
            return file.read(found.st_size)
    except FileNotFoundError:
        raise ModelFileError(f"{path}: is missing; the folder is incomplete") from None
    except (OSError, ValueError) as error:
        raise ModelFileError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from error


def _refuse_others(path: Path, found: os.stat_result, largest: int) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ModelFileError(f"{path}: is {_kind(found.st_mode)}, not an ordinary file")
    if found.st_size > largest:
        raise ModelFileError(f"{path}: has {found.st_size} bytes, more than such a file can have ({largest})")


def _kind(mode: int) -> str:
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")


def _end(head: bytes) -> str:
    return f'{MARK}{hashlib.sha256(head).hexdigest()}"\n}}\n'


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise ValueError(f"{name[:60]!r} stands there twice")
        values[name] = value
    return values


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text[:60])


def _whole(text: str) -> int:
    return int(text) if len(text) <= LONGEST_NUMBER else _no_number(f"{text[:20]}… of {len(text)} digits")


DECODER = json.JSONDecoder(
    object_pairs_hook=_named_once, parse_constant=_no_number, parse_float=_finite, parse_int=_whole
)
