"""The only module that imports numba: dispatchers and their cache, overloads, intrinsics, and a note on compiling."""
# mypy: ignore-errors

from __future__ import annotations

import hashlib
import inspect
import linecache
import pickle  # noqa: TID251 - of numba's own results, from a folder that only this user can write
import time
from collections.abc import Callable

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils, event
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.extending import intrinsic, models, overload, register_model

from hypercone import _jit, progress
from hypercone._jit import prefetch_row, width
from hypercone._kernel_cache import (
    ENDING,
    DamagedKernel,
    cache_folder,
    read_kernel,
    readable_folders,
    remove_kernel,
    write_kernel,
)


def dispatcher(function: Callable) -> Callable:
    """The numba dispatcher for a kernel: without the GIL, cached on disk."""
    made = numba.njit(nogil=True, error_model="numpy", fastmath=_jit.FLAGS, no_cfunc_wrapper=True)(function)
    made._cache = KernelCache(function)
    return made


class KernelCache:
    """What a dispatcher uses as its cache: one file with a checksum for each kernel and signature.

    numba's own cache runs whatever the files hold, and two processes that compile a kernel for different signatures
    may give both the same file.
    """

    def __init__(self, function: Callable) -> None:
        flags = frozenset(_jit.FLAGS)
        self._writable, self._readable = cache_folder(flags), readable_folders(flags)
        path = inspect.getfile(function)
        # The folder is named by a digest of the package's kernels; those of other modules have their own here. Read
        # through the module's loader, because the file may be inside a zip file.
        source = "".join(linecache.getlines(path, function.__globals__))
        self._identity = (function.__module__, function.__qualname__, hashlib.sha256(source.encode()).hexdigest())
        self._name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        self._closure = function.__closure__

    @property
    def cache_path(self) -> str | None:
        """Where kernels are written, for numba's statistics."""
        return None if self._writable is None else str(self._writable)

    def load_overload(self, signature, target_context) -> CompileResult | None:
        """The compiled kernel; None if it is on no disk, or damaged, in which case it is removed."""
        target_context.refresh()
        key = self._key(signature, target_context.codegen())
        for folder in self._readable:
            path = folder / self._file_name(key)
            try:
                content = read_kernel(path)
                if content is None:
                    continue
                found, payload = pickle.loads(content)  # noqa: S301
                if found == key:
                    return CompileResult._rebuild(target_context, *payload)
            except Exception as error:
                # Besides the checksum, anything may not fit: another version of a library that numba uses, for example.
                remove_kernel(path)
                if isinstance(error, DamagedKernel):
                    _say_once(f"the compiled {self._name} in {folder} was damaged, and is compiled again")
        return None

    def save_overload(self, signature, result: CompileResult) -> None:
        """Write the compiled kernel, if there is a folder and the disk is not full."""
        if self._writable is None or result.library.has_dynamic_globals:
            return
        key = self._key(signature, result.codegen)
        write_kernel(self._writable / self._file_name(key), dumps((key, result._reduce())))

    def enable(self) -> None:
        """Part of numba's interface; the cache is always enabled."""

    disable = flush = enable

    def _key(self, signature, codegen) -> tuple:
        """All that the machine code depends on: types, processor, source, and what the function closes over."""
        cells = tuple(cell.cell_contents for cell in self._closure or ())
        return signature, codegen.magic_tuple(), self._identity, dumps(cells) if cells else b""

    def _file_name(self, key: tuple) -> str:
        # "<" and ">" in the name of a local function are not allowed on Windows.
        name = self._name.replace("<", "").replace(">", "")
        return f"{name}-{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}{ENDING}"


_said: set[str] = set()


def _say_once(line: str) -> None:
    # A damaged disk has damaged many kernels; one line is enough.
    if not _said:
        progress.say(line, always=True)
    _said.add(line)


INLINED = {"error_model": "numpy", "forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def declare(function: Callable, choose: Callable[[tuple], Callable | None]) -> None:
    """Tell numba what kernels call in place of a function, by the types of the arguments."""

    @overload(function, strict=False, jit_options={**INLINED, "fastmath": _jit.FLAGS})
    def implementation(*types):
        return choose(types)


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


@intrinsic
def _fma(typing_context, a, b, c):
    def generate(context, builder, signature, arguments):
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


class Lanes(types.Type):
    """Eight numbers that LLVM keeps in as many registers as the processor needs for them."""

    def __init__(self):
        super().__init__(name="Lanes")


LANES = Lanes()
VECTOR = ir.VectorType(ir.DoubleType(), _jit.LANES)


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, VECTOR)


@intrinsic
def _no_lanes(typing_context):
    return LANES(), lambda context, builder, signature, arguments: ir.Constant(VECTOR, None)


@intrinsic
def _load_lanes(typing_context, points, row, first):
    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        start = cgutils.get_item_pointer(context, builder, signature.args[0], array, arguments[1:])
        return builder.load(builder.bitcast(start, VECTOR.as_pointer()), align=8)

    return LANES(points, types.uint64, types.uint64), generate


@intrinsic
def _subtract_lanes(typing_context, x, y):
    return LANES(LANES, LANES), lambda context, builder, signature, arguments: builder.fsub(*arguments)


@intrinsic
def _fma_lanes(typing_context, x, y, z):
    def generate(context, builder, signature, arguments):
        kind = ir.FunctionType(VECTOR, [VECTOR] * 3)
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{_jit.LANES}f64")
        return builder.call(function, arguments)

    return LANES(LANES, LANES, LANES), generate


@intrinsic
def _positive_lanes(typing_context, x):
    def generate(context, builder, signature, arguments):
        zero = ir.Constant(VECTOR, None)
        return builder.select(builder.fcmp_ordered(">", arguments[0], zero), arguments[0], zero)

    return LANES(LANES), generate


@intrinsic
def _sum_lanes(typing_context, x):
    def generate(context, builder, signature, arguments):
        lanes = [builder.extract_element(arguments[0], ir.IntType(32)(i)) for i in range(_jit.LANES)]
        while len(lanes) > 1:
            lanes = [builder.fadd(*lanes[i : i + 2]) for i in range(0, len(lanes), 2)]
        return lanes[0]

    return types.float64(LANES), generate


# What kernels call, and the intrinsic that replaces it; numba wants a function of as many parameters for each.
for function, implementation in (
    (prefetch_row, lambda points, row: _prefetch(points, row)),  # noqa: PLW0108
    (_jit.fma, lambda a, b, c: _fma(a, b, c)),  # noqa: PLW0108
    (_jit.no_lanes, lambda: _no_lanes()),  # noqa: PLW0108
    (_jit.load_lanes, lambda points, row, first: _load_lanes(points, row, first)),  # noqa: PLW0108
    (_jit.subtract_lanes, lambda x, y: _subtract_lanes(x, y)),  # noqa: PLW0108
    (_jit.fma_lanes, lambda x, y, z: _fma_lanes(x, y, z)),  # noqa: PLW0108
    (_jit.positive_lanes, lambda x: _positive_lanes(x)),  # noqa: PLW0108
    (_jit.sum_lanes, lambda x: _sum_lanes(x)),  # noqa: PLW0108
):
    declare(function, lambda types, implementation=implementation: implementation)


# Compiling that takes longer than this many seconds gets a line.
LONG = 1.0


class _LongCompiling(event.Listener):
    """Says which kernel was compiled, if that took long; numba holds its lock meanwhile, so one at a time.

    Events are nested: a kernel and the parts that it calls. Loading from the disk is no event.
    """

    def __init__(self) -> None:
        self._depth, self._started = 0, 0.0

    def on_start(self, event) -> None:
        if self._depth == 0:
            self._started = time.perf_counter()
        self._depth += 1

    def on_end(self, event) -> None:
        self._depth -= 1
        seconds, function = time.perf_counter() - self._started, event.data["dispatcher"].py_func
        if self._depth or seconds <= LONG or function.__module__.partition(".")[0] != "hypercone":
            return
        folder = cache_folder(frozenset(_jit.FLAGS))
        where = f"it is kept in {folder}" if folder else "no folder is writable, so the next process compiles it again"
        progress.say(f"compiled {function.__name__} in {seconds:.1f} s; {where}")


event.register("numba:compile", _LongCompiling())
