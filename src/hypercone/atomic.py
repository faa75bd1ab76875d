"""Writing so that a reader sees the old content or the new, and never a half of either."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hypercone.errors import HyperconeError, InputError, ResourceError


@contextlib.contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A temporary folder beside the target that takes its place when the block ends well, and vanishes when not."""
    with _speaking_of(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        with _speaking_of(target):
            yield temporary
            temporary.chmod(0o777 & ~_umask())
            for path in temporary.iterdir():
                _sync(path)
            _sync(temporary)
            _take_place(temporary, target)
            _sync(target.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextlib.contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """The same for a single file."""
    with new_files(target) as (temporary,):
        yield temporary


@contextlib.contextmanager
def new_files(*targets: Path) -> Iterator[list[Path]]:
    """The same for files that belong together: all are on the disk before any takes its place."""
    temporaries: list[Path] = []
    try:
        for target in targets:
            with _speaking_of(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
                os.close(handle)
                temporaries.append(Path(name))
        with _speaking_of(targets[0]):
            yield temporaries
            for temporary in temporaries:
                temporary.chmod(0o666 & ~_umask())
                _sync(temporary)
            for temporary, target in zip(temporaries, targets, strict=True):
                temporary.replace(target)
            _sync(targets[0].parent)
    finally:
        for temporary in temporaries:
            temporary.unlink(missing_ok=True)


def _take_place(temporary: Path, target: Path) -> None:
    if not target.exists():
        temporary.rename(target)
        return
    # A folder cannot be renamed over a full one, so the old one steps aside first; a failure brings it back.
    aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.old.", dir=target.parent))
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
            shutil.rmtree(aside, ignore_errors=True)


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
def _speaking_of(target: Path) -> Iterator[None]:
    try:
        yield
    except HyperconeError:
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
            raise ResourceError(f"{target}: the disk is full; nothing was changed, free some space") from error
        raise InputError(f"{target}: cannot be written ({error.strerror or error})") from error
