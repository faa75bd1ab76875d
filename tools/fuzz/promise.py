"""The promise to users who open untrusted files, and its check on one input.

Any bytes give a result or one error of one printable line. Nothing else is raised, nothing is written, run or fetched,
the CPU time is bounded, and a second reading gives the same result. A hierarchy can be written as TSV and read back.
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from hypercone.errors import HyperconeError
from hypercone.formats import read
from hypercone.hierarchy import Hierarchy

LONGEST_MESSAGE = 1_000
# For an input of a few kilobytes; one that takes longer is a denial of service.
SECONDS, SECONDS_PER_BYTE = 1.0, 20e-6
# Audit events of the interpreter that no reader may cause.
FORBIDDEN = ("os.", "shutil.", "subprocess.", "socket.", "pickle.", "urllib.", "ctypes.", "marshal.", "tempfile.")
HARMLESS = {"os.listdir", "os.scandir", "os.walk", "os.fwalk", "os.putenv", "marshal.loads", "marshal.load"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Caches of Python and of the compiler; ``warm`` in targets.py loads all that a reader may need.
CACHES = ("__pycache__", ".kernel")

Errors = type[Exception] | tuple[type[Exception], ...]


class Broken(AssertionError):
    """The promise is broken, and how."""


class Outcome(NamedTuple):
    """What came of an input: the kind of error or "read", its message or digest, and the seconds of CPU time."""

    kind: str
    text: str
    seconds: float


class _Watch:
    """Records everything that is opened for writing, run or sent while an input is read."""

    def __init__(self) -> None:
        self.is_on = False
        self.may_write: Path | None = None
        self.seen: list[str] = []

    def on_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_on:
            return
        if event == "open":
            path, mode, flags = arguments
            is_write = any(mark in mode for mark in "wax+") if isinstance(mode, str) else bool(flags & WRITING)
            # A file descriptor was recorded when its path was opened.
            is_handle, path = isinstance(path, int), str(path)
            if is_write and not is_handle and not self._is_allowed(path):
                self.seen.append(f"open {path} {mode}")
        elif event.startswith(FORBIDDEN) and event not in HARMLESS and not self._is_allowed(str((*arguments, "")[0])):
            self.seen.append(f"{event} {arguments}"[:200])

    def _is_allowed(self, path: str) -> bool:
        inside = self.may_write is not None and self.may_write in (Path(path), Path(path).parent)
        return inside or any(cache in path for cache in CACHES)


WATCH = _Watch()
sys.addaudithook(WATCH.on_event)


def check_promise(
    read: Callable[[], Any], errors: Errors, size: int, *, twice: bool = False, may_write: Path | None = None
) -> Outcome:
    """The outcome, or Broken; ``errors`` are those that are allowed, ``may_write`` a folder whose files may change."""
    WATCH.may_write = may_write
    first = _once(read, errors)
    allowed = SECONDS + SECONDS_PER_BYTE * size
    if first.seconds > allowed and _once(read, errors).seconds > allowed:
        raise Broken(f"slow: {first.seconds:.2f} s for {size:,} bytes")
    if twice:
        second = _once(read, errors)
        if second[:2] != first[:2]:
            raise Broken(f"not the same twice: {first[:2]} and {second[:2]}")
    return first


def _once(read: Callable[[], Any], errors: Errors) -> Outcome:
    WATCH.seen.clear()
    WATCH.is_on = True
    began = time.process_time()
    try:
        found, error = read(), None
    except (Exception, RecursionError) as raised:
        found, error = None, raised
    finally:
        seconds = time.process_time() - began
        WATCH.is_on = False
    if WATCH.seen:
        raise Broken(f"did what it must not: {WATCH.seen[0]}")
    if error is None:
        return Outcome("read", digest_of_result(found), seconds)
    if not isinstance(error, errors):
        raise Broken(f"{type(error).__name__}: {str(error)[:300]}") from error
    return Outcome(type(error).__name__, check_message(str(error)), seconds)


def check_message(message: str) -> str:
    """The message of an error, if a person can read it in one line on a terminal, whatever the file says."""
    if not message.isprintable():
        culprit = next(letter for letter in message if not letter.isprintable())
        raise Broken(f"the message has {culprit!r} in it: {message[:300]!r}")
    if not message or len(message) > LONGEST_MESSAGE:
        raise Broken(f"the message has {len(message):,} characters: {message[:200]!r}")
    return message


def digest_of_result(found: Any) -> str:
    """A text that identifies the result; a hierarchy is checked as well."""
    if isinstance(found, Hierarchy):
        check_hierarchy(found)
        return f"{found.digest} {found.labels and found.labels.texts} {found.notes}"
    return repr(found)


def check_hierarchy(found: Hierarchy) -> None:
    """Broken if it is not a hierarchy, or not the same after being written as TSV and read back."""
    names = found.names
    pairs = [(names[parent], names[child]) for parent, child in found.edges.tolist()]
    if len(set(pairs)) != len(pairs) or len(set(names)) != len(names):
        raise Broken("an edge or a name is there twice")
    depth = found.depths
    if len(pairs) and not (depth[found.edges[:, 0]] < depth[found.edges[:, 1]]).all():
        raise Broken("a child is not below its parent")
    for note in found.notes:
        check_message(note)
    for text in found.labels.texts if found.labels else ():
        if len(text.splitlines()) > 1 or "\0" in text or text != text.encode(errors="replace").decode():
            raise Broken(f"the label {text[:100]!r} is not one line of text")
    if not pairs:
        return
    text = "parent\tchild\n" + "".join(f"{parent}\t{child}\n" for parent, child in pairs)
    try:
        # A name may look like several parents.
        again = read(io.BytesIO(text.encode()), parent_separator="")
    except (HyperconeError, UnicodeError) as error:
        raise Broken(f"what was read cannot be written as TSV and read back: {error}"[:300]) from error
    if [(again.names[parent], again.names[child]) for parent, child in again.edges.tolist()] != pairs:
        raise Broken("what was read is another hierarchy after it was written as TSV and read back")
