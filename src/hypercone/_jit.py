"""The one door to numba: compiler flags, the cache folder, and dispatch on parameter types.

Three things here carry weight.

*Never stale.* numba keys a cached kernel on the file of the outermost function only, so a kernel that calls a
compiled function in another file would go on running the old one after an edit. Our cache folder is therefore named
by a digest of every kernel source (``*_kernels.py``, which import nothing but each other and this file) and of the
compiler settings in force: any edit means a new folder.

*One loop, many methods.* ``generic`` is ``functools.singledispatch`` for compiled code: the loop is written once
and calls ``signed_energy(method, …)``; which implementation is inlined follows from the type of ``method``, a named
tuple. Unlike functions passed as arguments, this caches on disk and costs nothing at run time.

*The dimension is a type.* ``width`` of a tuple is a compile-time constant, so inner loops unroll.
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

# Reassociation and contraction let the compiler use vector units and fused multiply-adds. "nnan" and "ninf" are
# left out on purpose: with them a NaN test may be optimised away.
FAST = {"contract", "reassoc", "arcp", "nsz"}
EXACT = {"contract"}
# Nothing at all: the same bits wherever the function is inlined, for what two kernels must agree on.
STRICT: set[str] = set()

UNROLLED_DIMENSIONS = 32


def kernel(function: Callable) -> Callable:
    """Compile for training: fast arithmetic that may reorder sums; releases the GIL; cached on disk."""
    return _compiled(function, FAST)


def exact_kernel(function: Callable) -> Callable:
    """Compile for results people read: sums in the order they are written; releases the GIL; cached on disk."""
    return _compiled(function, EXACT)


def kernel_part(function: Callable) -> Callable:
    """Compile a function that kernels call; it is inlined into them and cached with them.

    Inlining is forced: the compiler's own judgement ends at about ten dimensions, and a call that passes a dozen array
    fields costs more than most of these functions do.
    """
    return numba.njit(error_model="numpy", fastmath=FAST, forceinline=True)(function)


def exact_kernel_part(function: Callable) -> Callable:
    """The same for the places where the order of a subtraction is what keeps the digits."""
    return numba.njit(error_model="numpy", fastmath=EXACT, forceinline=True)(function)


def strict_kernel_part(function: Callable) -> Callable:
    """The same for what must come out bit by bit the same in every kernel that calls it."""
    return numba.njit(error_model="numpy", fastmath=STRICT, forceinline=True)(function)


def generic(name: str, fastmath: set[str] = FAST) -> Callable:
    """A compiled function whose body depends on the type of its first argument, a named tuple.

    ``@name.register(SomeNamedTuple)`` adds an implementation, which must take the same arguments.
    """

    def stub(*arguments):
        raise TypeError(f"{name} is called from compiled code only")

    stub.__name__ = stub.__qualname__ = name
    table: dict[type, Callable] = {}

    @overload(stub, strict=False, jit_options={"fastmath": fastmath, "error_model": "numpy", "forceinline": True})
    def choose(first, *rest):
        return table.get(getattr(first, "instance_class", None))

    def register(kind: type) -> Callable[[Callable], Callable]:
        def remember(function: Callable) -> Callable:
            table[kind] = function
            return function

        return remember

    stub.register = register
    return stub


def dimension_type(dim: int) -> tuple[int, ...] | int:
    """What to pass a kernel as its dimension: a tuple (unrolled, one compilation each) or, above 32, a number."""
    return (0,) * dim if dim <= UNROLLED_DIMENSIONS else dim


def width(dim):
    """The dimension, from what ``dimension_type`` made; a compile-time constant for a tuple."""
    return dim if isinstance(dim, int) else len(dim)


@overload(width, inline="always")
def _width(dim):
    if isinstance(dim, types.BaseTuple):
        return lambda dim: len(dim)  # noqa: PLW0108 - numba wants a function of its own with this argument
    return lambda dim: dim


@intrinsic
def prefetch_row(typing_context, points, row):
    """Ask the processor to fetch a row of a 2-D array into its cache while it does something else.

    Corrupted nodes are random rows of an array larger than the inner caches: waiting for them is most of an epoch.
    """

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


def _compiled(function: Callable, fastmath: set[str]) -> Callable:
    folder = cache_folder()
    with _numba_cache_in(folder):
        return numba.njit(cache=folder is not None, nogil=True, error_model="numpy", fastmath=fastmath)(function)


@contextmanager
def _numba_cache_in(folder: Path | None) -> Iterator[None]:
    # numba reads this setting while it decorates; it is put back so that other packages keep their own folder.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder or before)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


@cache
def cache_folder() -> Path | None:
    """The folder for compiled kernels of exactly this source, or None if no folder can be written."""
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
    # A container may run under a number that has no home.
    with suppress(RuntimeError):
        yield Path.home() / ("AppData/Local" if sys.platform == "win32" else ".cache") / "hypercone"
    yield Path(tempfile.gettempdir()) / f"hypercone-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


def _is_ours(folder: Path) -> bool:
    # Compiled kernels are run as found: a folder that someone else made in a shared place is not to be trusted.
    return not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()


def source_digest(root: Path | None = None) -> str:
    """Sixteen hex digits that change with any kernel source of the package or any compiler setting."""
    root = root or Path(__file__).parent
    digest = hashlib.sha256(repr((numba.__version__, sys.version, _compiler_settings())).encode())
    for path in sorted([root / "_jit.py", *root.rglob("*_kernels.py")]):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _compiler_settings() -> dict[str, object]:
    # numba does not key its cache on these, so a run with bounds checks would reuse kernels without.
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
