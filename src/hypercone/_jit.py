"""How kernels are declared: decorators, dispatch on parameter types, and the dimension as a type.

A module of kernels is light to import: numba is loaded, and a kernel handed to it, when the kernel is first called or
when another that calls it is compiled. ``_compiler`` holds what needs numba.

*One loop, many methods.* ``generic`` is ``functools.singledispatch`` for compiled code: the loop is written once
and calls ``signed_energy(method, …)``; which implementation is inlined follows from the type of ``method``, a named
tuple. Unlike functions passed as arguments, this caches on disk and costs nothing at run time.

*The dimension is a type.* ``width`` of a tuple is a compile-time constant, so inner loops unroll.
"""
# mypy: ignore-errors

from __future__ import annotations

import functools
import importlib
import threading
from collections.abc import Callable

# Reassociation and contraction let the compiler use vector units and fused multiply-adds. "nnan" and "ninf" are
# left out on purpose: with them a NaN test may be optimized away.
FAST = {"contract", "reassoc", "arcp", "nsz"}
EXACT = {"contract"}
# Nothing at all: the same bits wherever the function is inlined, for what two kernels must agree on.
STRICT: set[str] = set()

UNROLLED_DIMENSIONS = 32

# Generic functions declared since the compiler was last used, each with its implementations and flags.
_undeclared: list[tuple[Callable, dict[type, Callable], set[str]]] = []
_lock = threading.RLock()


class Kernel:
    """A function that numba compiles when it is first called, or when a kernel that calls it is compiled."""

    def __init__(self, function: Callable, **options) -> None:
        functools.update_wrapper(self, function)
        self.py_func, self.options = function, options

    @functools.cached_property
    def compiled(self) -> Callable:
        """The dispatcher that numba makes of the function."""
        compiler = importlib.import_module("hypercone._compiler")
        with _lock:
            while _undeclared:
                compiler.declare(*_undeclared.pop())
            return compiler.dispatcher(self.py_func, **self.options)

    def __call__(self, *arguments):
        return self.compiled(*arguments)

    @property
    def _numba_type_(self):
        # What numba asks an object for that it meets in a function it compiles.
        return self.compiled._numba_type_

    @property
    def signatures(self) -> list:
        """The types of arguments that it has been compiled for."""
        return self.compiled.signatures


def kernel(function: Callable) -> Kernel:
    """Compile for training: fast arithmetic that may reorder sums; releases the GIL; cached on disk."""
    return Kernel(function, fastmath=FAST, is_entry=True)


def exact_kernel(function: Callable) -> Kernel:
    """Compile for results people read: sums in the order they are written; releases the GIL; cached on disk."""
    return Kernel(function, fastmath=EXACT, is_entry=True)


def kernel_part(function: Callable) -> Kernel:
    """Compile a function that kernels call; it is inlined into them and cached with them.

    Inlining is forced: the compiler's own judgement ends at about ten dimensions, and a call that passes a dozen array
    fields costs more than most of these functions do.
    """
    return Kernel(function, fastmath=FAST, is_entry=False)


def exact_kernel_part(function: Callable) -> Kernel:
    """The same for the places where the order of a subtraction is what keeps the digits."""
    return Kernel(function, fastmath=EXACT, is_entry=False)


def strict_kernel_part(function: Callable) -> Kernel:
    """The same for what must come out bit by bit the same in every kernel that calls it."""
    return Kernel(function, fastmath=STRICT, is_entry=False)


def generic(name: str, fastmath: set[str] = FAST) -> Callable:
    """A compiled function whose body depends on the type of its first argument, a named tuple.

    ``@name.register(SomeNamedTuple)`` adds an implementation, which must take the same arguments.
    """

    def stub(*arguments):
        raise TypeError(f"{name} is called from compiled code only")

    stub.__name__ = stub.__qualname__ = name
    table: dict[type, Callable] = {}

    def register(kind: type) -> Callable[[Callable], Callable]:
        def remember(function: Callable) -> Callable:
            table[kind] = function
            return function

        return remember

    stub.register = register
    with _lock:
        _undeclared.append((stub, table, fastmath))
    return stub


def dimension_type(dim: int) -> tuple[int, ...] | int:
    """What to pass a kernel as its dimension: a tuple (unrolled, one compilation each) or, above 32, a number."""
    return (0,) * dim if dim <= UNROLLED_DIMENSIONS else dim


def width(dim):
    """The dimension, from what ``dimension_type`` made; a compile-time constant for a tuple."""
    return dim if isinstance(dim, int) else len(dim)


def prefetch_row(points, row):
    """Ask the processor to fetch a row of a 2-D array into its cache while it does something else.

    Corrupted nodes are random rows of an array larger than the inner caches: waiting for them is most of an epoch.
    """
