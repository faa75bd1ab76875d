"""Temporary files and folders beside their target: locked while their maker lives, removed by the next one if not.

A process that is killed cannot tidy up, but the system drops its locks. So whoever makes a temporary holds a lock
(``flock``) on it until it has taken its place or is gone, and what can be locked is nobody's any more.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

if sys.platform != "win32":
    import fcntl

# No program but this one has a reason to call a file so; the letters at the end are those of tempfile.
MARK = "hypercone"
LETTERS = "[a-z0-9_]{8}"
# What stepped aside for a new folder may be the only copy of the old one.
ASIDE = "old-"


def make_file(target: Path) -> tuple[Path, int | None]:
    """An empty file beside the target, and the lock that tells others that it is somebody's."""
    return _made_and_locked(target, "", _make_file)


def make_folder(target: Path, kind: str = "") -> tuple[Path, int | None]:
    """The same for a folder; ``kind`` is part of its name."""
    return _made_and_locked(target, kind, lambda prefix, folder: tempfile.mkdtemp(prefix=prefix, dir=folder))


def release(lock: int | None) -> None:
    """Let go of a lock, where there is one."""
    if lock is not None:
        os.close(lock)


def remove_leftovers(folder: Path, name: str | None = None) -> list[str]:
    """Remove what killed processes left of their writing ``name``, or anything, in the folder; returns what it was.

    What a living process writes stays, and so does an old folder that stepped aside while its place is empty. Of a
    folder that cannot be listed nothing is known, and nothing removed.
    """
    stem = ".+" if name is None else re.escape(name)
    pattern = re.compile(rf"\.(?P<target>{stem})\.{MARK}-(?P<aside>{ASIDE})?{LETTERS}", re.DOTALL)
    removed = []
    try:
        entries = sorted(os.listdir(folder))
    except OSError:
        entries = []
    for entry in entries:
        match = pattern.fullmatch(entry)
        if match is None or (match["aside"] and not os.path.lexists(folder / match["target"])):
            continue
        if _removed(folder / entry):
            removed.append(entry)
    return removed


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder, if it is there and as far as it lets itself be removed."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _made_and_locked(target: Path, kind: str, make: Callable[[str, Path], str]) -> tuple[Path, int | None]:
    while True:
        path = Path(make(f".{target.name}.{MARK}-{kind}", target.parent))
        try:
            lock = _locked(path)
            if lock is None or _is_at(lock, path):
                return path, lock
            # Between the making and the lock, someone took it for a leftover; so another is made.
            release(lock)
        except (FileNotFoundError, BlockingIOError):
            continue
        except BaseException:
            remove(path)
            raise


def _make_file(prefix: str, folder: Path) -> str:
    handle, name = tempfile.mkstemp(prefix=prefix, dir=folder)
    os.close(handle)
    return name


def _locked(path: Path) -> int | None:
    """A handle that holds the lock; None where there are no locks; BlockingIOError if a living process has it."""
    if sys.platform == "win32":
        # There the locks are others; so nothing is taken for a leftover.
        return None
    # A lock over the network wants a handle that can write, which a folder has not.
    handle = os.open(path, (os.O_RDONLY if path.is_dir() else os.O_RDWR) | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException as error:
        os.close(handle)
        if isinstance(error, OSError) and not isinstance(error, BlockingIOError):
            return None
        raise
    return handle


def _removed(path: Path) -> bool:
    """Whether it was a leftover, and is gone."""
    try:
        mode = os.lstat(path).st_mode
        lock = _locked(path) if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else None
    except OSError:
        return False
    if lock is None:
        return False
    try:
        # While it was being opened, its maker may have given it its place.
        if _is_at(lock, path):
            remove(path)
            return not os.path.lexists(path)
        return False
    finally:
        os.close(lock)


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except OSError:
        return False
