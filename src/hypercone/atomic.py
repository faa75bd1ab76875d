"""Writing so that a reader sees the old content or the new, and never a half of either.

What is new is written beside its target, brought to the disk, and takes its place in one step; then the folder it is in
is brought to the disk too. A process that is killed leaves the old or the new, whole, and perhaps a temporary that the
next one to write there removes.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from hypercone.errors import HyperconeError, InputError, ResourceError
from hypercone.temporaries import ASIDE, make_file, make_folder, release, remove, remove_leftovers

# From Linux's <fcntl.h> and <linux/fs.h>: paths are relative to where we are; the two names change places.
AT_FDCWD, RENAME_EXCHANGE = -100, 2


@contextlib.contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A temporary folder beside the target that takes its place when the block ends well, and vanishes when not."""
    with speaking_of(target):
        _make_room(target)
        temporary, lock = make_folder(target)
    try:
        with speaking_of(target):
            yield temporary
            temporary.chmod(0o777 & ~_umask())
            for path in temporary.rglob("*"):
                _sync(path)
            _sync(temporary)
            _take_place(temporary, target)
            _sync(target.parent)
    finally:
        remove(temporary)
        release(lock)
    # An old folder that somebody left aside is needed no more.
    remove_leftovers(target.parent, target.name)


@contextlib.contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """The same for a single file."""
    with new_files(target) as (temporary,):
        yield temporary


@contextlib.contextmanager
def new_files(*targets: Path) -> Iterator[list[Path]]:
    """The same for files that belong together: all are on the disk before any takes its place."""
    made: list[tuple[Path, int | None]] = []
    try:
        for target in targets:
            with speaking_of(target):
                _make_room(target)
                made.append(make_file(target))
        temporaries = [temporary for temporary, _ in made]
        with speaking_of(targets[0]):
            yield temporaries
            for temporary in temporaries:
                temporary.chmod(0o666 & ~_umask())
                _sync(temporary)
            for temporary, target in zip(temporaries, targets, strict=True):
                temporary.replace(target)
            for parent in dict.fromkeys(target.parent for target in targets):
                _sync(parent)
    finally:
        for temporary, lock in made:
            remove(temporary)
            release(lock)


def refuse_unwritable(target: Path) -> None:
    """InputError now, before hours of work, if a folder could not be put at the target then."""
    if target.resolve() == Path.cwd():
        raise InputError(f"{target}: is the folder you are in; give a new one")
    if os.path.ismount(target):
        raise InputError(f"{target}: is where a file system is mounted; give a folder inside it")
    with speaking_of(target):
        nearest = next(parent for parent in target.absolute().parents if os.path.lexists(parent))
        temporary, lock = make_folder(nearest / target.name)
        remove(temporary)
        release(lock)


def _make_room(target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(target.parent, target.name)


def _take_place(temporary: Path, target: Path) -> None:
    if not target.exists() and _renamed(temporary, target):
        return
    # A folder cannot be renamed over a full one. Where the system can exchange the two, the old one is then what is
    # temporary, and removed as such.
    if not _exchange(temporary, target):
        _take_place_in_two_steps(temporary, target)


def _renamed(temporary: Path, target: Path) -> bool:
    try:
        temporary.rename(target)
    except OSError as error:
        # Somebody else was a little quicker.
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            return False
        raise
    return True


def _exchange(one: Path, other: Path) -> bool:
    """Let two names change places in one step; whether the system and the file system could."""
    try:
        import ctypes

        rename = ctypes.CDLL(None).renameat2
    except (ImportError, OSError, AttributeError, TypeError):
        return False
    flags = ctypes.c_uint(RENAME_EXCHANGE)
    return bool(rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), flags) == 0)


def _take_place_in_two_steps(temporary: Path, target: Path) -> None:
    # The old one steps aside first; a failure brings it back. Whoever is killed in between leaves it there.
    aside, lock = make_folder(target, ASIDE)
    old = aside / "old"
    try:
        target.rename(old)
        temporary.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    finally:
        if target.exists():
            remove(aside)
        release(lock)


def _umask() -> int:
    # The only way to read it is to set it.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _sync(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def speaking_of(target: Path) -> Iterator[None]:
    """Turn what the system says against writing into a sentence about the target."""
    try:
        yield
    except HyperconeError:
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
            raise ResourceError(f"{target}: the disk is full; nothing was changed, free some space") from error
        if error.errno == errno.ENOMEM:
            raise MemoryError from error
        raise InputError(f"{target}: cannot be written ({error.strerror or error})") from error
