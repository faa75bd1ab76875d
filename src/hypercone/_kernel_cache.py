"""The folder in which compiled kernels are kept, and its files, handled without importing the compiler.

numba invalidates a cached kernel only when the file of its outermost function changes, so after an edit a kernel that
calls a compiled function in another file would keep running the old code. The cache folder is therefore named by a
digest of all kernel sources (``*_kernels.py``, which import only each other and ``_jit``), of the versions and of the
compiler settings in the environment: any change leads to a new folder.

Machine code that is damaged can do anything, so each kernel is a file of its own with a checksum, written beside its
place and renamed. Two processes that compile the same kernel write the same file.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.resources
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

# numba does not key its cache on these: a run with bounds checks would reuse kernels compiled without them.
SETTINGS = ("BOUNDSCHECK", "OPT", "DISABLE_JIT", "DEBUGINFO_DEFAULT", "FULL_TRACEBACKS", "CPU_NAME", "CPU_FEATURES")
# The ending of a kernel's file, and of one that is being written; seconds after which the latter is a leftover.
ENDING, BEING_WRITTEN, LEFTOVER_AFTER = ".kernel", ".tmp", 3600.0
DIGEST_SIZE = hashlib.sha256().digest_size


@cache
def cache_folder(flags: frozenset[str] = frozenset()) -> Path | None:
    """The folder to write the kernels of exactly this source and these flags to; None if no folder is writable."""
    digest = source_digest(flags)
    for base in _cache_bases():
        folder = base / f"kernels-{digest}"
        try:
            base.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_ours(base):
                continue
            folder.mkdir(exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return None


@cache
def readable_folders(flags: frozenset[str] = frozenset()) -> tuple[Path, ...]:
    """The folders with such kernels that this process may run, the one to write to first.

    The others come before it and cannot be written, as in an image whose kernels were compiled when it was built.
    """
    writable, digest = cache_folder(flags), source_digest(flags)
    folders = [] if writable is None else [writable]
    for base in _cache_bases():
        folder = base / f"kernels-{digest}"
        if folder == writable:
            break
        with suppress(OSError):
            if folder.is_dir() and all(map(_is_trusted, (base, folder))):
                folders.append(folder)
    return tuple(folders)


@cache
def cached_kernels(flags: frozenset[str] = frozenset()) -> frozenset[str]:
    """The kernels, as ``module.function``, that the folders had when this process first asked."""
    names: set[str] = set()
    for folder in readable_folders(flags):
        with suppress(OSError):
            names.update(name.rsplit("-", 1)[0] for name in os.listdir(folder) if name.endswith(ENDING))
    return frozenset(names)


class DamagedKernel(Exception):
    """The content of a kernel's file does not match its checksum."""


def read_kernel(path: Path) -> bytes | None:
    """The content of a kernel's file, None if it cannot be read; DamagedKernel if it is not as it was written."""
    try:
        written = path.read_bytes()
    except OSError:
        return None
    content = written[DIGEST_SIZE:]
    if hashlib.sha256(content).digest() != written[:DIGEST_SIZE]:
        raise DamagedKernel(path)
    return content


def write_kernel(path: Path, content: bytes) -> bool:
    """Write a kernel's file with its checksum, at once or not at all; whether that was possible."""
    temporary = None
    try:
        _remove_leftovers(path)
        handle, temporary = tempfile.mkstemp(BEING_WRITTEN, path.name, path.parent)
        with open(handle, "wb") as file:
            file.write(hashlib.sha256(content).digest() + content)
        os.replace(temporary, path)
    except OSError:
        # The disk is full or read-only: the next process compiles again.
        if temporary is not None:
            remove_kernel(Path(temporary))
        return False
    return True


def remove_kernel(path: Path) -> None:
    """Remove a kernel's file; where that is impossible, nothing happens."""
    with suppress(OSError):
        path.unlink()


def _remove_leftovers(path: Path) -> None:
    """Remove what processes left that were killed while they wrote this kernel."""
    for other in path.parent.glob(f"{path.name}*{BEING_WRITTEN}"):
        if other.stat().st_mtime < time.time() - LEFTOVER_AFTER:
            remove_kernel(other)


def _cache_bases() -> Iterator[Path]:
    for variable in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / "hypercone"
    # In a container, the user id may have no home directory.
    with suppress(RuntimeError):
        yield Path.home() / ("AppData/Local" if sys.platform == "win32" else ".cache") / "hypercone"
    yield Path(tempfile.gettempdir()) / f"hypercone-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


def _is_ours(folder: Path) -> bool:
    # A checksum says nothing about who wrote it, so a folder that another user created must not be trusted.
    return not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()


def _is_trusted(folder: Path) -> bool:
    """Whether only this user or the superuser, who could change Python itself, can write there."""
    return _is_ours(folder) or (folder.stat().st_uid == 0 and not folder.stat().st_mode & 0o022)


def source_digest(flags: frozenset[str] = frozenset(), root: Traversable | None = None) -> str:
    """Sixteen hex digits that change with any kernel source, any version and any compiler setting.

    >>> len(source_digest())
    16
    """
    settings = {name: os.environ.get(f"NUMBA_{name}") for name in SETTINGS}
    versions = importlib.metadata.version("numba"), sys.version
    digest = hashlib.sha256(repr((versions, sorted(flags), settings)).encode())
    # The package may be inside a zip file.
    for name, source in sorted(_kernel_sources(root or importlib.resources.files("hypercone"))):
        digest.update(name.encode() + b"\0" + source + b"\0")
    return digest.hexdigest()[:16]


def _kernel_sources(folder: Traversable, inside: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        name = inside + entry.name
        if name in ("_jit.py", "_compiler.py") or name.endswith("_kernels.py"):
            yield name, entry.read_bytes()
        elif "." not in entry.name and entry.is_dir():
            yield from _kernel_sources(entry, f"{name}/")
