"""One run in a folder at a time: a lock that the system lets go when its holder dies, however it dies."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from hypercone.errors import InputError

LOCK = "lock"


class Lock:
    """A lock that is held."""

    def __init__(self, path: Path, file: IO[str]) -> None:
        self.path, self.file = path, file

    def is_in_place(self) -> bool:
        """Whether the file at its path is still the one that is locked, and not gone with its folder or replaced."""
        try:
            return os.path.samestat(os.fstat(self.file.fileno()), os.stat(self.path))
        except OSError:
            return False


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[Lock]:
    """Hold the folder's lock during the block; InputError if another run holds it.

    The file stays behind: to remove it could free a lock that somebody else has just taken.
    """
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(folder / LOCK, flags, 0o666), "r+", encoding="utf-8", errors="replace") as file:
        holder = file.read(20).strip()
        if holder and not holder.isdecimal():
            raise InputError(f"{folder / LOCK}: is not a run's; give another folder for the run")
        if not _take(file):
            raise InputError(
                f"{folder}: is in use by another run (process {holder or 'unknown'});"
                " wait until it ends, or give another folder"
            )
        file.seek(0)
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield Lock(folder / LOCK, file)


if sys.platform == "win32":
    import msvcrt

    def _take(file: IO[str]) -> bool:
        file.seek(1 << 20)  # Beyond the text, which others may read.
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _take(file: IO[str]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
