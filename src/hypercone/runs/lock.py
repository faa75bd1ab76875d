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


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock during the block; InputError if another run holds it.

    The file stays behind: to remove it could free a lock that somebody else has just taken.
    """
    with open(folder / LOCK, "a+", encoding="utf-8") as file:
        if not _take(file):
            file.seek(0)
            raise InputError(
                f"{folder}: is in use by another run (process {file.read(20).strip() or 'unknown'});"
                " wait until it ends, or give another folder"
            )
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


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
