"""The folder in which compiled kernels are kept, found without importing the compiler.

numba invalidates a cached kernel only when the file of its outermost function changes, so after an edit a kernel that
calls a compiled function in another file would keep running the old code. The cache folder is therefore named by a
digest of all kernel sources (``*_kernels.py``, which import only each other and ``_jit``), of the versions and of the
compiler settings in the environment: any change leads to a new folder.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

# numba does not key its cache on these: a run with bounds checks would reuse kernels compiled without them.
SETTINGS = ("BOUNDSCHECK", "OPT", "DISABLE_JIT", "DEBUGINFO_DEFAULT", "FULL_TRACEBACKS", "CPU_NAME", "CPU_FEATURES")


@cache
def cache_folder(flags: frozenset[str] = frozenset()) -> Path | None:
    """The cache folder for the kernels of exactly this source and these flags, or None if no folder is writable."""
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
def cached_kernels(flags: frozenset[str] = frozenset()) -> frozenset[str]:
    """The kernels, as ``module.function``, that the folder had when this process first asked."""
    folder = cache_folder(flags)
    if folder is None:
        return frozenset()
    # numba names a file by the last part of the module, the function, and its line.
    return frozenset(path.name.rsplit("-", 1)[0] for path in folder.rglob("*.nbi"))


def _cache_bases() -> Iterator[Path]:
    for variable in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / "hypercone"
    # In a container, the user id may have no home directory.
    with suppress(RuntimeError):
        yield Path.home() / ("AppData/Local" if sys.platform == "win32" else ".cache") / "hypercone"
    yield Path(tempfile.gettempdir()) / f"hypercone-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


def _is_ours(folder: Path) -> bool:
    # Cached kernels are executed without a check, so a folder that another user created must not be trusted.
    return not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()


def source_digest(flags: frozenset[str] = frozenset(), root: Path | None = None) -> str:
    """Sixteen hex digits that change with any kernel source, any version and any compiler setting.

    >>> len(source_digest())
    16
    """
    root = root or Path(__file__).parent
    settings = {name: os.environ.get(f"NUMBA_{name}") for name in SETTINGS}
    versions = importlib.metadata.version("numba"), sys.version
    digest = hashlib.sha256(repr((versions, sorted(flags), settings)).encode())
    for path in sorted([root / "_jit.py", root / "_compiler.py", *root.rglob("*_kernels.py")]):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
