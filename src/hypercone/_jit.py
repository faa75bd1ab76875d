"""How kernels are declared: decorators, dispatch on parameter types, the dimension as a type, and the two tiers.

A kernel has two tiers that give the same bits. *Plain*: the function as it is written, run by Python; it is the choice
for small work, which is done before a compiler would be loaded. *Compiled*: by numba, which is imported on first use.
``_compiler`` holds the code that needs numba. ``HYPERCONE_KERNELS=plain`` or ``compiled`` in the environment fixes the
tier, and ``use_tier`` fixes it for a block.

Nothing is compiled with fast-math flags: a compiler that may reorder sums or fuse a product with a sum gives other
digits on every kind of processor. Sums that should be fast are written in several lanes instead.

``generic`` is ``functools.singledispatch`` for kernels: a loop is written once and calls ``signed_energy(method, …)``;
the type of ``method``, a named tuple, selects the implementation that is inlined. Unlike functions passed as
arguments, this can be cached on disk and has no cost at run time.

The dimension is passed as a type: ``width`` of a tuple is a compile-time constant, so inner loops are unrolled.
"""
# mypy: ignore-errors

from __future__ import annotations

import functools
import importlib
import math
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np

from hypercone._kernel_cache import cached_kernels
from hypercone.errors import ConfigError, short

# The flags that LLVM gets: none. A benchmark sets others to show what they would change.
FLAGS: set[str] = set()

UNROLLED_DIMENSIONS = 32

# Functions that compiled code may call, declared since the compiler was last used, each with what chooses the
# implementation by the numba types of the arguments.
_undeclared: list[tuple[Callable, Callable[[tuple], Callable | None]]] = []
_lock = threading.RLock()

# All kernels by module and name.
KERNELS: dict[str, Kernel] = {}

PLAIN, COMPILED, AUTO = "plain", "compiled", "auto"
TIER_VARIABLE = "HYPERCONE_KERNELS"
# The tier that the environment or ``use_tier`` fixes; an unknown one is an error when a kernel is first called.
TIER = os.environ.get(TIER_VARIABLE) or AUTO

# Work is counted in elements of the arrays given to a kernel, times its weight: the steps that Python takes for one, of
# about half a microsecond. A kernel runs plain until its work in this process is as much as loading the compiler and
# the kernel from the disk takes, or the kernel alone if the compiler is loaded; and if the kernel is not there, while
# the work to expect is less than compiling it takes.
COMPILER, LOADING, COMPILING = 40_000, 4_000, 400_000
# The work of one call up to which the tier "plain" means it, alone and in a loop: a tenth and a hundredth of a second.
MOST_PLAIN, MOST_PLAIN_IN_LOOP = 200_000, 20_000
# The weight of a kernel that compares pairs, or computes functions such as sines.
MANY = 8
# The calls to expect of a kernel that is called in a loop, and how many times as many it is left plain for.
LOOP, LONGEST_LOOP = 250, 4


class _Thread(threading.local):
    # Whether a plain kernel is running; everything that it calls is plain too.
    is_plain = False


_thread = _Thread()


class Kernel:
    """A function that runs as it is while its work is small, and else is compiled by numba when it is first called."""

    def __init__(self, function: Callable, weight: int, calls: int, always_compiled: bool) -> None:
        functools.update_wrapper(self, function)
        self.py_func, self.weight, self.calls, self.always_compiled = function, weight, calls, always_compiled
        # Of all calls so far.
        self.work = 0
        KERNELS[f"{function.__module__}.{function.__qualname__}"] = self

    @functools.cached_property
    def compiled(self) -> Callable:
        """The numba dispatcher for the function."""
        compiler = importlib.import_module("hypercone._compiler")
        with _lock:
            while _undeclared:
                compiler.declare(*_undeclared.pop())
            return compiler.dispatcher(self.py_func)

    def __call__(self, *arguments):
        if _thread.is_plain:
            return self.py_func(*arguments)
        if not self.is_plain_for(arguments):
            return self.compiled(*arguments)
        _thread.is_plain = True
        try:
            # Compiled code divides by zero and overflows without a word.
            with np.errstate(all="ignore"):
                return self.py_func(*arguments)
        finally:
            _thread.is_plain = False

    def is_plain_for(self, arguments: tuple) -> bool:
        """Whether a call runs as plain Python: its work is small, and so is that of all calls so far."""
        if TIER != AUTO or self.always_compiled:
            if TIER not in (PLAIN, COMPILED, AUTO):
                raise ConfigError(
                    f"{TIER_VARIABLE} is {short(TIER)!r}, but must be {PLAIN}, {COMPILED} or {AUTO}; set it to one of"
                    " these, or unset it"
                )
            most = MOST_PLAIN if self.calls == 1 else MOST_PLAIN_IN_LOOP
            return TIER == PLAIN and not self.always_compiled and self.weight * count_elements(arguments) <= most
        if "compiled" in self.__dict__:
            return False
        work = self.weight * count_elements(arguments)
        self.work += work
        if self.work <= (LOADING if "hypercone._compiler" in sys.modules else COMPILER):
            return True
        if work * self.calls > COMPILING or self.work > COMPILING * (1 if self.calls == 1 else LONGEST_LOOP):
            return False
        return self._name_in_cache not in cached_kernels(frozenset(FLAGS))

    @property
    def _name_in_cache(self) -> str:
        return f"{self.__module__.rpartition('.')[2]}.{self.__qualname__}"

    @property
    def _numba_type_(self):
        # numba reads this attribute of objects that are used inside compiled functions.
        return self.compiled._numba_type_

    @property
    def signatures(self) -> list:
        """The argument types it has been compiled for."""
        return self.compiled.signatures


@contextmanager
def use_tier(tier: str) -> Iterator[None]:
    """Within the block, run every kernel in this tier, in all threads; afterwards, as before.

    >>> from hypercone import _jit
    >>> with use_tier(PLAIN):
    ...     _jit.TIER
    'plain'
    """
    global TIER  # noqa: PLW0603 - kernels in all threads read it
    before, TIER = TIER, tier
    try:
        yield
    finally:
        TIER = before


def count_elements(arguments: tuple) -> int:
    """The number of elements of all arrays among the arguments, also of those in tuples."""
    total = 0
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            total += argument.size
        elif isinstance(argument, tuple):
            total += count_elements(argument)
    return total


def kernel(function=None, *, weight: int = 1, calls: int = 1, always_compiled: bool = False) -> Any:
    """A kernel, compiled without the GIL and cached on disk; ``weight`` and ``calls`` say how much work a call is."""
    if function is None:
        return functools.partial(kernel, weight=weight, calls=calls, always_compiled=always_compiled)
    return Kernel(function, weight, calls, always_compiled)


def kernel_part(function: Callable) -> Callable:
    """A function that kernels call; it is inlined into them and cached with them.

    Inlining is forced: the compiler's heuristic stops inlining at about ten dimensions, and a call that passes a dozen
    array fields costs more than the body of most of these functions.
    """
    with _lock:
        _undeclared.append((function, lambda types: function))
    return function


def generic(name: str) -> Callable:
    """A function for kernels whose body depends on the type of its first argument, a named tuple.

    ``@name.register(SomeNamedTuple)`` adds an implementation, which must take the same arguments.
    """
    table: dict[type, Callable] = {}

    def stub(*arguments):
        return table[type(arguments[0])](*arguments)

    def register(kind: type) -> Callable[[Callable], Callable]:
        def remember(function: Callable) -> Callable:
            table[kind] = function
            return function

        return remember

    stub.__name__ = stub.__qualname__ = name
    stub.register = register
    with _lock:
        _undeclared.append((stub, lambda types: table.get(getattr(types[0], "instance_class", None))))
    return stub


# Loops that are unrolled for a dimension are faster, but compiling them again takes longer than this many rows.
FEW_ROWS = 5_000


def dimension_type(dim: int, rows: float = math.inf) -> tuple[int, ...] | int:
    """The dimension as kernels take it: a tuple (unrolled, compiled per dimension), or an integer.

    It is an integer above 32 and for few rows of points or edges; both give the same bits.
    """
    return (0,) * dim if dim <= UNROLLED_DIMENSIONS and rows > FEW_ROWS else dim


def width(dim):
    """The dimension as an integer, from the result of ``dimension_type``; a compile-time constant for a tuple."""
    return dim if isinstance(dim, int) else len(dim)


def prefetch_row(points, row):
    """Ask the processor to load a row of a 2-D array into its cache in the background.

    Corrupted nodes are random rows of an array larger than the inner caches; an epoch mostly waits for them.
    """


def by_width(narrow: Callable, wide: Callable) -> Callable:
    """A part whose last argument is the dimension: the first function up to 32 dimensions, the second above."""

    def choose(*arguments):
        return (wide if width(arguments[-1]) > UNROLLED_DIMENSIONS else narrow)(*arguments)

    def choose_at_run_time(*arguments):
        if arguments[-1] > UNROLLED_DIMENSIONS:
            return wide(*arguments)
        return narrow(*arguments)

    choose.__name__ = choose.__qualname__ = narrow.__name__
    with _lock:
        # Only integers have a bit width: a tuple is known when it is compiled.
        _undeclared.append(
            (choose, lambda types: choose_at_run_time if hasattr(types[-1], "bitwidth") else narrow),
        )
    return choose


def fma(a, b, c):
    """a·b + c, rounded once: one instruction on most processors, a function of the math library on others.

    For kernels that are always compiled; Python is slow at it.
    """
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return float(exact) if exact else a * b + c
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


# Long sums are taken in this many lanes, which a processor adds in as many steps as it has to.
LANES = 8


def no_lanes():
    """Eight zeros."""
    return [0.0] * LANES


def load_lanes(points, row, first):
    """Eight coordinates of a row, from the given one on."""
    return [points[row, first + np.uint64(lane)] for lane in range(LANES)]


def subtract_lanes(x, y):
    """The differences of eight pairs of numbers."""
    return [a - b for a, b in zip(x, y, strict=True)]


def fma_lanes(x, y, z):
    """``fma`` of eight triples of numbers."""
    return [fma(a, b, c) for a, b, c in zip(x, y, z, strict=True)]


def positive_lanes(x):
    """Eight numbers, with 0 in place of negative ones."""
    return [a if a > 0.0 else 0.0 for a in x]


def sum_lanes(x):
    """The sum of eight numbers, in pairs."""
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]))
