"""How kernels are declared: decorators, dispatch on parameter types, and the dimension as a type.

Kernel modules are fast to import: numba is imported when a kernel is first called. ``_compiler`` holds the code that
needs numba.

``generic`` is ``functools.singledispatch`` for compiled code: a loop is written once and calls
``signed_energy(method, …)``; the type of ``method``, a named tuple, selects the implementation that is inlined. Unlike
functions passed as arguments, this can be cached on disk and has no cost at run time.

The dimension is passed as a type: ``width`` of a tuple is a compile-time constant, so inner loops are unrolled.
"""
# mypy: ignore-errors

from __future__ import annotations

import functools
import importlib
import threading
from collections.abc import Callable

# Reassociation and contraction let the compiler use vector units and fused multiply-adds. "nnan" and "ninf" are
# left out: with them the compiler may optimize NaN tests away.
FAST = {"contract", "reassoc", "arcp", "nsz"}
EXACT = {"contract"}
# No flags: the same bits wherever the function is inlined, for results that two kernels must agree on.
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
        """The numba dispatcher for the function."""
        compiler = importlib.import_module("hypercone._compiler")
        with _lock:
            while _undeclared:
                compiler.declare(*_undeclared.pop())
            return compiler.dispatcher(self.py_func, **self.options)

    def __call__(self, *arguments):
        return self.compiled(*arguments)

    @property
    def _numba_type_(self):
        # numba reads this attribute of objects that are used inside compiled functions.
        return self.compiled._numba_type_

    @property
    def signatures(self) -> list:
        """The argument types it has been compiled for."""
        return self.compiled.signatures


def kernel(function: Callable) -> Kernel:
    """Compile for training: fast arithmetic that may reorder sums; releases the GIL; cached on disk."""
    return Kernel(function, fastmath=FAST, is_entry=True)


def exact_kernel(function: Callable) -> Kernel:
    """Compile for reported results: sums in the written order; releases the GIL; cached on disk."""
    return Kernel(function, fastmath=EXACT, is_entry=True)


def kernel_part(function: Callable) -> Kernel:
    """Compile a function that kernels call; it is inlined into them and cached with them.

    Inlining is forced: the compiler's heuristic stops inlining at about ten dimensions, and a call that passes a dozen
    array fields costs more than the body of most of these functions.
    """
    return Kernel(function, fastmath=FAST, is_entry=False)


def exact_kernel_part(function: Callable) -> Kernel:
    """Like ``kernel_part``, where the order of operations matters for precision."""
    return Kernel(function, fastmath=EXACT, is_entry=False)


def strict_kernel_part(function: Callable) -> Kernel:
    """Like ``kernel_part``, where every calling kernel must get the same result to the last bit."""
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
    """The dimension as kernels take it: a tuple (unrolled, compiled per dimension) or, above 32, an integer."""
    return (0,) * dim if dim <= UNROLLED_DIMENSIONS else dim


def width(dim):
    """The dimension as an integer, from the result of ``dimension_type``; a compile-time constant for a tuple."""
    return dim if isinstance(dim, int) else len(dim)


def prefetch_row(points, row):
    """Ask the processor to load a row of a 2-D array into its cache in the background.

    Corrupted nodes are random rows of an array larger than the inner caches; an epoch mostly waits for them.
    """
