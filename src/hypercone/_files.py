"""Atomic writes of files and folders, removal of leftover temporaries, and JSON with its own checksum.

New content is written to a temporary beside the target, synced to disk and renamed over the target; then the parent
folder is synced. If the process is killed, the target is complete, either old or new, and at most a temporary is left,
which the next write to the same target removes.

A killed process cannot clean up, but the system releases its locks. The process that creates a temporary therefore
holds a lock (``flock``) on it until it is renamed or removed, and a temporary that can be locked is a leftover.
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
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn, Self, TypeVar

from hypercone.errors import HyperconeError, InputError, ModelFileError, ResourceError

# From Linux's <fcntl.h> and <linux/fs.h>: paths are relative to the working directory; exchange the two names.
AT_FDCWD, RENAME_EXCHANGE = -100, 2


@contextlib.contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A temporary folder that replaces the target when the block succeeds and is removed when it fails."""
    with translating_os_errors(target):
        _prepare_parent(target)
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
    # The target is complete now, so an old folder that a killed process had moved aside can go.
    remove_leftovers(target.parent, target.name)


@contextlib.contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """Like ``new_folder``, for a single file."""
    with new_files(target) as (temporary,):
        yield temporary


@contextlib.contextmanager
def new_files(*targets: Path) -> Iterator[list[Path]]:
    """Like ``new_file``, for files that belong together: all are synced to disk before the first is renamed."""
    made: list[tuple[Path, int | None]] = []
    try:
        for target in targets:
            with translating_os_errors(target):
                _prepare_parent(target)
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
    """Raise InputError before hours of work if a folder could not be written to the target afterwards."""
    if target.resolve() == Path.cwd():
        raise InputError(f"{target}: is the folder you are in; give a new one")
    if os.path.ismount(target):
        raise InputError(f"{target}: is where a file system is mounted; give a folder inside it")
    with translating_os_errors(target):
        nearest = next(parent for parent in target.absolute().parents if os.path.lexists(parent))
        temporary, lock = make_folder(nearest / target.name)
        remove(temporary)
        release(lock)


def _prepare_parent(target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(target.parent, target.name)


def _take_place(temporary: Path, target: Path) -> None:
    if not target.exists() and _try_rename(temporary, target):
        return
    # A folder cannot be renamed over one that is not empty. Where the system can exchange the two names, the old
    # folder ends up at the temporary's path and is removed with it.
    if not _exchange(temporary, target):
        _take_place_in_two_steps(temporary, target)


def _try_rename(temporary: Path, target: Path) -> bool:
    try:
        temporary.rename(target)
    except OSError as error:
        # Another process has created the target in the meantime.
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            return False
        raise
    return True


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names atomically; False if the system or the file system cannot."""
    try:
        import ctypes

        rename = ctypes.CDLL(None).renameat2
    except (ImportError, OSError, AttributeError, TypeError):
        return False
    flags = ctypes.c_uint(RENAME_EXCHANGE)
    return bool(rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), flags) == 0)


def _take_place_in_two_steps(temporary: Path, target: Path) -> None:
    # Move the old folder aside first and bring it back on failure. A process killed in between leaves it there.
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
    # Python can read the umask only by setting it.
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
    """Turn an OSError of the block into a hypercone error that names the target."""
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

# Marks temporaries as ours; the random letters at the end of the name are those of tempfile.
TEMPORARY_MARK = "hypercone"
LETTERS = "[a-z0-9_]{8}"
# Marks an old folder that was moved aside for a new one; it may be the only copy.
ASIDE = "old-"


def make_file(target: Path) -> tuple[Path, int | None]:
    """An empty temporary file beside the target, and the lock that shows other processes that it is in use."""
    return _make_and_lock(target, "", _make_file)


def make_folder(target: Path, kind: str = "") -> tuple[Path, int | None]:
    """Like ``make_file``, for a folder; ``kind`` becomes a part of its name."""
    return _make_and_lock(target, kind, lambda prefix, folder: tempfile.mkdtemp(prefix=prefix, dir=folder))


def release(lock: int | None) -> None:
    """Release a lock, if there is one."""
    if lock is not None:
        os.close(lock)


def remove_leftovers(folder: Path, name: str | None = None) -> list[str]:
    """Remove temporaries that killed processes left in the folder, for the target ``name`` or for all targets.

    Returns the names of what was removed. Temporaries of running processes stay, and so does an old folder that was
    moved aside while its target does not exist. If the folder cannot be listed, nothing is removed.
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
        if _remove_leftover(folder / entry):
            removed.append(entry)
    return removed


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder; errors are ignored."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _make_and_lock(target: Path, kind: str, make: Callable[[str, Path], str]) -> tuple[Path, int | None]:
    while True:
        path = Path(make(f".{target.name}.{TEMPORARY_MARK}-{kind}", target.parent))
        try:
            lock = _lock(path)
            if lock is None or _is_at(lock, path):
                return path, lock
            # Between creation and locking, another process took it for a leftover and removed it; try again.
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


def _lock(path: Path) -> int | None:
    """A handle that holds the lock; None without lock support; BlockingIOError if a running process holds it."""
    if sys.platform == "win32":
        # Windows has no flock, so nothing is ever taken for a leftover there.
        return None
    # A lock on a network file system needs a writable handle, which a folder cannot have.
    handle = os.open(path, (os.O_RDONLY if path.is_dir() else os.O_RDWR) | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException as error:
        os.close(handle)
        if isinstance(error, OSError) and not isinstance(error, BlockingIOError):
            return None
        raise
    return handle


def _remove_leftover(path: Path) -> bool:
    """Remove the path if it is a leftover; returns whether it was removed."""
    try:
        mode = os.lstat(path).st_mode
        lock = _lock(path) if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else None
    except OSError:
        return False
    if lock is None:
        return False
    try:
        # Its creator may have renamed it to the target while it was being opened.
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


# The text between the values and their checksum, which is the last line.
CHECKSUM_MARK = ',\n  "seal": "'
# More digits than any float has before its point; converting longer ones takes quadratic time.
LONGEST_NUMBER = 400


def with_checksum(values: dict[str, Any]) -> str:
    """The values as JSON with a checksum of all preceding bytes in the last line; NaN and infinity are refused.

    >>> with_checksum({"epoch": 3}).splitlines()[:2]
    ['{', '  "epoch": 3,']
    """
    head = json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False).removesuffix("\n}")
    return head + _checksum_line(head.encode())


def is_intact(content: bytes) -> bool:
    """Whether the last line is the checksum of all bytes before it.

    >>> content = with_checksum({"epoch": 3}).encode()
    >>> is_intact(content), is_intact(content.replace(b"  ", b" ")), is_intact(content[:-1])
    (True, False, False)
    """
    head = content.rpartition(CHECKSUM_MARK.encode())[0]
    return content == head + _checksum_line(head).encode()


def read_checksummed(path: Path, largest: int) -> dict[str, Any]:
    """The values of a file with a checksum; ModelFileError if it is missing, too large, damaged or edited."""
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
    """The values of a JSON object in UTF-8; ValueError if it is not one, or if JSON readers may disagree about it.

    >>> parse_json_object(b'{"epoch": 3}')
    {'epoch': 3}
    >>> parse_json_object(b'{"epoch": 3, "epoch": 4}')
    Traceback (most recent call last):
    ValueError: 'epoch' appears twice
    """
    try:
        values = DECODER.decode(content.decode())
        # A lone surrogate can be escaped in JSON but not encoded as UTF-8.
        json.dumps(values, ensure_ascii=False).encode()
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8 text") from None
    except UnicodeEncodeError:
        raise ValueError("it contains half a character") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(values, dict):
        raise ValueError("it is not a JSON object")
    return values


def read_regular(path: Path, largest: int) -> bytes:
    """The content of a regular file of at most ``largest`` bytes; pipes and devices are refused without blocking."""
    with _translating_read_errors(path):
        # Checked before opening, which has side effects on some devices, and again after, against a replaced file.
        _check_regular(path, os.stat(path), largest)
        handle = os.open(path, READING)
        try:
            return _read_handle(path, handle, largest)
        finally:
            os.close(handle)


READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
# A folder that is replaced more often than this while it is read is not read again.
MOST_REPLACED = 100

Result = TypeVar("Result")


class OpenFolder:
    """A folder whose files are opened at one moment, so that what is read belongs together.

    Another process may replace the folder meanwhile: ``save`` exchanges it with a new one and removes the old one,
    whose files can still be read through their handles.
    """

    def __init__(self, path: Path, names: Iterable[str]) -> None:
        self.path = path
        self._files: dict[str, int] = {}
        self._handle: int | None = None
        self._found: os.stat_result | None = None
        with contextlib.suppress(OSError, ValueError):
            self._found = os.stat(path)
            if os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd:
                self._handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                self._found = os.fstat(self._handle)
                for name in names:
                    self._open(name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for handle in (self._handle, *self._files.values()):
            release(handle)

    def _open(self, name: str) -> None:
        # What is missing or not a regular file is reported when it is read.
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.stat(name, dir_fd=self._handle).st_mode):
                self._files[name] = os.open(name, READING, dir_fd=self._handle)

    def names(self) -> list[str]:
        """The names of all that is in the folder."""
        return os.listdir(self.path if self._handle is None else self._handle)

    def read(self, name: str, largest: int) -> bytes:
        """The content of a file of at most ``largest`` bytes; ModelFileError as of ``read_regular``."""
        path = self.path / name
        if name not in self._files:
            return read_regular(path, largest)
        with _translating_read_errors(path):
            return _read_handle(path, self._files[name], largest)

    def size(self, name: str) -> int:
        """The size of a file, 0 if it is missing."""
        try:
            return (os.fstat(self._files[name]) if name in self._files else os.stat(self.path / name)).st_size
        except OSError:
            return 0

    def was_replaced(self) -> bool:
        """Whether the path leads to another folder now than when it was opened."""
        try:
            now = os.stat(self.path)
        except (OSError, ValueError):
            return self._found is not None
        return self._found is None or not os.path.samestat(self._found, now)


def read_folder(path: Path, names: Iterable[str], read: Callable[[OpenFolder], Result]) -> Result:
    """What ``read`` makes of a folder with files of these names; it is called again if the folder was replaced."""
    for _ in range(MOST_REPLACED):
        with OpenFolder(path, names) as folder:
            try:
                return read(folder)
            except (HyperconeError, OSError):
                if not folder.was_replaced():
                    raise
    raise ModelFileError(f"{path}: is replaced all the time; try again when nothing is written there")


@contextlib.contextmanager
def _translating_read_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise ModelFileError(f"{path}: is missing; the folder is incomplete") from None
    except (OSError, ValueError) as error:
        raise ModelFileError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from error


def _read_handle(path: Path, handle: int, largest: int) -> bytes:
    found = os.fstat(handle)
    _check_regular(path, found, largest)
    with open(handle, "rb", closefd=False) as file:
        file.seek(0)
        return file.read(found.st_size)


def _check_regular(path: Path, found: os.stat_result, largest: int) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ModelFileError(f"{path}: is {_kind(found.st_mode)}, not an ordinary file")
    if found.st_size > largest:
        raise ModelFileError(f"{path}: has {found.st_size} bytes, more than such a file can have ({largest})")


def _kind(mode: int) -> str:
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")


def _checksum_line(head: bytes) -> str:
    return f'{CHECKSUM_MARK}{hashlib.sha256(head).hexdigest()}"\n}}\n'


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise ValueError(f"{name[:60]!r} appears twice")
        values[name] = value
    return values


def _reject_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _reject_number(text[:60])


def _integer(text: str) -> int:
    return int(text) if len(text) <= LONGEST_NUMBER else _reject_number(f"{text[:20]}… of {len(text)} digits")


DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_names, parse_constant=_reject_number, parse_float=_finite, parse_int=_integer
)
