"""The only module that imports numba: dispatchers, the overloads for parts, the intrinsics, and a note on compiling."""
# mypy: ignore-errors

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils, event
from numba.extending import intrinsic, models, overload, register_model

from hypercone import _jit, progress
from hypercone._jit import prefetch_row, width
from hypercone._kernel_cache import cache_folder


def dispatcher(function: Callable) -> Callable:
    """The numba dispatcher for a kernel: without the GIL, cached on disk."""
    folder = cache_folder(frozenset(_jit.FLAGS))
    with _numba_cache_in(folder):
        return numba.njit(
            cache=folder is not None, nogil=True, error_model="numpy", fastmath=_jit.FLAGS, no_cfunc_wrapper=True
        )(function)


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


@contextmanager
def _numba_cache_in(folder: Path | None) -> Iterator[None]:
    # numba reads this setting when it decorates a function; it is restored for the other users of numba.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder or before)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


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
