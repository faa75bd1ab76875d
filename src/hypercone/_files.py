"""Files written all or nothing, what killed writers leave behind, and JSON with its own checksum.

What is new is written beside its target, brought to the disk, and takes its place in one step; then the folder it is in
is brought to the disk too. A process that is killed leaves the old or the new, whole, and perhaps a temporary that the
next one to write there removes.

A process that is killed cannot tidy up, but the system drops its locks. So whoever makes a temporary holds a lock
(``flock``) on it until it has taken its place or is gone, and what can be locked is nobody's any more.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from hypercone.errors import HyperconeError, InputError, ModelFileError, ResourceError

# From Linux's <fcntl.h> and <linux/fs.h>: paths are relative to where we are; the two names change places.
AT_FDCWD, RENAME_EXCHANGE = -100, 2


@contextlib.contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A temporary folder beside the target that takes its place when the block ends well, and vanishes when not."""
    with translating_os_errors(target):
        _make_room(target)
        temporary, lock = make_folder(target)
    try:
        with translating_os_errors(target):
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
            with translating_os_errors(target):
                _make_room(target)
                made.append(make_file(target))
        temporaries = [temporary for temporary, _ in made]
        with translating_os_errors(targets[0]):
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
    with translating_os_errors(target):
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
def translating_os_errors(target: Path) -> Iterator[None]:
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


if sys.platform != "win32":
    import fcntl

# No program but this one has a reason to call a file so; the letters at the end are those of tempfile.
TEMPORARY_MARK = "hypercone"
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
    pattern = re.compile(rf"\.(?P<target>{stem})\.{TEMPORARY_MARK}-(?P<aside>{ASIDE})?{LETTERS}", re.DOTALL)
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
        path = Path(make(f".{target.name}.{TEMPORARY_MARK}-{kind}", target.parent))
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


# What stands between the values and their checksum, which is the last line.
CHECKSUM_MARK = ',\n  "seal": "'
# More digits than any float has before its point; turning more of them into a number takes long.
LONGEST_NUMBER = 400


def with_checksum(values: dict[str, Any]) -> str:
    """The values as JSON, with a checksum of all its bytes in the last line; NaN and infinity have no place in it.

    >>> with_checksum({"epoch": 3}).splitlines()[:2]
    ['{', '  "epoch": 3,']
    """
    head = json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False).removesuffix("\n}")
    return head + _end(head.encode())


def is_intact(content: bytes) -> bool:
    """Whether the last line is the checksum of all bytes before it.

    >>> content = with_checksum({"epoch": 3}).encode()
    >>> is_intact(content), is_intact(content.replace(b"  ", b" ")), is_intact(content[:-1])
    (True, False, False)
    """
    head = content.rpartition(CHECKSUM_MARK.encode())[0]
    return content == head + _end(head).encode()


def read_checksummed(path: Path, largest: int) -> dict[str, Any]:
    """The values of a sealed file; ModelFileError if it is missing, too large, damaged or edited."""
    content = read_regular(path, largest)
    try:
        values = parse_json_object(content)
    except ValueError as error:
        raise ModelFileError(f"{path}: is damaged ({error})") from None
    if not is_intact(content):
        raise ModelFileError(f"{path}: does not match its own checksum; the file was damaged or edited")
    del values["seal"]
    return values


def parse_json_object(content: bytes) -> dict[str, Any]:
    """What a JSON object in UTF-8 holds; ValueError if it is none, or if not every reader would read it alike.

    >>> parse_json_object(b'{"epoch": 3}')
    {'epoch': 3}
    >>> parse_json_object(b'{"epoch": 3, "epoch": 4}')
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
    return f'{CHECKSUM_MARK}{hashlib.sha256(head).hexdigest()}"\n}}\n'


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
