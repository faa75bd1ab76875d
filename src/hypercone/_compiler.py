"""The only module that imports numba: dispatchers, the cache folder, and the intrinsics.

numba invalidates a cached kernel only when the file of its outermost function changes, so after an edit a kernel that
calls a compiled function in another file would keep running the old code. The cache folder is therefore named by a
digest of all kernel sources (``*_kernels.py``, which import only each other and ``_jit``) and of the compiler settings:
any edit leads to a new folder.
"""
# mypy: ignore-errors

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from hypercone._jit import prefetch_row, width


def dispatcher(function: Callable, *, fastmath: set[str], is_entry: bool) -> Callable:
    """The numba dispatcher for a kernel (an entry: without the GIL, cached on disk) or for a part that is inlined."""
    if not is_entry:
        return numba.njit(error_model="numpy", fastmath=fastmath, forceinline=True)(function)
    folder = cache_folder()
    with _numba_cache_in(folder):
        return numba.njit(cache=folder is not None, nogil=True, error_model="numpy", fastmath=fastmath)(function)


def declare(stub: Callable, table: dict[type, Callable], fastmath: set[str]) -> None:
    """Register a generic function with numba; the type of the first argument selects the implementation."""

    @overload(stub, strict=False, jit_options={"fastmath": fastmath, "error_model": "numpy", "forceinline": True})
    def choose(first, *rest):
        return table.get(getattr(first, "instance_class", None))


@overload(width, inline="always")
def _width(dim):
    if isinstance(dim, types.BaseTuple):
        return lambda dim: len(dim)  # noqa: PLW0108 - numba requires a function with this parameter
    return lambda dim: dim


@intrinsic
def _prefetch(typing_context, points, row):
    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        stride = cgutils.unpack_tuple(builder, array.strides)[0]
        start = builder.bitcast(array.data, ir.IntType(8).as_pointer())
        word = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [start.type, word, word, word])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        offset = builder.mul(arguments[1], stride)
        for end in (offset, builder.sub(builder.add(offset, stride), ir.IntType(64)(1))):
            builder.call(fetch, [builder.gep(start, [end]), word(0), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(points, types.uint64), generate


@overload(prefetch_row, jit_options={"forceinline": True})
def _prefetch_row(points, row):
    return lambda points, row: _prefetch(points, row)  # noqa: PLW0108 - an intrinsic is not a function


@contextmanager
def _numba_cache_in(folder: Path | None) -> Iterator[None]:
    # numba reads this setting when it decorates a function; it is restored for the other users of numba.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder or before)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


@cache
def cache_folder() -> Path | None:
    """The cache folder for the kernels of exactly this source, or None if no folder is writable."""
    digest = source_digest()
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


def _cache_bases() -> Iterator[Path]:
    if numba.config.CACHE_DIR:
        yield Path(numba.config.CACHE_DIR) / "hypercone"
    if os.environ.get("XDG_CACHE_HOME"):
        yield Path(os.environ["XDG_CACHE_HOME"]) / "hypercone"
    # In a container, the user id may have no home directory.
    with suppress(RuntimeError):
        yield Path.home() / ("AppData/Local" if sys.platform == "win32" else ".cache") / "hypercone"
    yield Path(tempfile.gettempdir()) / f"hypercone-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


def _is_ours(folder: Path) -> bool:
    # Cached kernels are executed without a check, so a folder that another user created must not be trusted.
    return not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()


def source_digest(root: Path | None = None) -> str:
    """Sixteen hex digits that change with any kernel source and any compiler setting."""
    root = root or Path(__file__).parent
    digest = hashlib.sha256(repr((numba.__version__, sys.version, _compiler_settings())).encode())
    for path in sorted([root / "_jit.py", root / "_compiler.py", *root.rglob("*_kernels.py")]):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _compiler_settings() -> dict[str, object]:
    # numba does not key its cache on these: a run with bounds checks would reuse kernels compiled without them.
    names = (
        "BOUNDSCHECK",
        "OPT",
        "DISABLE_JIT",
        "DEBUGINFO_DEFAULT",
        "FULL_TRACEBACKS",
        "CPU_NAME",
        "CPU_FEATURES",
    )
    return {name: str(getattr(numba.config, name, None)) for name in names}
