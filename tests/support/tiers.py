"""Comparing both tiers of kernels bit for bit: while a workload runs, or on given arguments."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
import pytest

import hypercone
from hypercone import _jit

# For promises about time, which the plain tier does not make.
needs_speed = pytest.mark.skipif(_jit.TIER == _jit.PLAIN, reason="about time, and the kernels are plain")


def all_kernels() -> list[str]:
    """The names of the kernels of the package, each with its module."""
    for module in pkgutil.walk_packages(hypercone.__path__, "hypercone."):
        if module.name.endswith("_kernels"):
            importlib.import_module(module.name)
    return sorted(name for name in _jit.KERNELS if name.startswith("hypercone."))


def copied(value: Any, seen: dict[int, np.ndarray] | None = None) -> Any:
    """A copy of arguments: arrays in C order that are writeable as before, also those in tuples.

    An array that occurs twice is copied once.
    """
    seen = {} if seen is None else seen
    if isinstance(value, np.ndarray):
        if id(value) not in seen:
            seen[id(value)] = np.array(value, order="C")
            seen[id(value)].flags.writeable = value.flags.writeable
        return seen[id(value)]
    if isinstance(value, tuple):
        parts = [copied(part, seen) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def differences(plain: Any, compiled: Any, where: str = "the result") -> Iterator[str]:
    """What is not the same bit for bit; any NaN is like any other."""
    if isinstance(plain, np.ndarray) or isinstance(compiled, np.ndarray):
        yield from _differences_of_arrays(np.asarray(plain), np.asarray(compiled), where)
    elif isinstance(plain, tuple) or isinstance(compiled, tuple):
        if not (isinstance(plain, tuple) and isinstance(compiled, tuple) and len(plain) == len(compiled)):
            yield f"{where} is {plain!r}, compiled {compiled!r}"
            return
        for i, parts in enumerate(zip(plain, compiled, strict=True)):
            yield from differences(*parts, f"{where}[{i}]")
    elif _number(plain) != _number(compiled):
        yield f"{where} is {plain!r} ({type(plain).__name__}), compiled {compiled!r} ({type(compiled).__name__})"


def _number(value: Any) -> Any:
    """A value that is equal only for the same kind of number with the same bits."""
    if isinstance(value, bool | np.bool_):
        return "bool", bool(value)
    if isinstance(value, int | np.integer):
        return "int", int(value)
    return ("float", float(value).hex()) if isinstance(value, float) else value


def _differences_of_arrays(plain: np.ndarray, compiled: np.ndarray, where: str) -> Iterator[str]:
    if (plain.dtype, plain.shape) != (compiled.dtype, compiled.shape):
        yield f"{where} is {plain.dtype}{plain.shape}, compiled {compiled.dtype}{compiled.shape}"
        return
    is_other = plain != compiled
    if plain.dtype.kind == "f":
        is_other |= np.signbit(plain) != np.signbit(compiled)
        is_other &= ~(np.isnan(plain) & np.isnan(compiled))
    if np.any(is_other):
        at = tuple(np.argwhere(is_other)[0].tolist())
        yield (
            f"{where} has {np.count_nonzero(is_other)} of {plain.size} other elements, first at {at}: "
            f"{plain[at]!r}, compiled {compiled[at]!r}"
        )


def run_plain(kernel: _jit.Kernel, arguments: tuple) -> Any:
    """What a kernel gives as plain Python, also one that is always compiled."""
    before = _jit._thread.is_plain
    _jit._thread.is_plain = True
    try:
        with np.errstate(all="ignore"):
            return kernel.py_func(*arguments)
    finally:
        _jit._thread.is_plain = before


def compare(kernel: _jit.Kernel, arguments: tuple) -> tuple[Any, list[str]]:
    """What the compiled kernel gives, and how the plain one differs, in what it returns and in what it changes."""
    own = copied(arguments)
    try:
        plain, found = run_plain(kernel, own), []
    except Exception as error:
        # The line in the kernel, or in the function it calls, that raises it.
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        line = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else "nowhere"
        plain, found = None, [f"{type(error).__name__}: {error} at {line} as plain Python"]
    result = kernel.compiled(*arguments)
    if not found:
        found = list(differences(plain, result))
        for i, (mine, theirs) in enumerate(zip(own, arguments, strict=True)):
            found += differences(mine, theirs, f"argument {i} afterwards")
    return result, found


class Comparison:
    """Compares calls of each kernel with each combination of types while ``watch`` is active: the first, then fewer."""

    def __init__(self, calls: int) -> None:
        self.calls = calls
        self.compared: Counter[str] = Counter()
        self.found: defaultdict[str, list[str]] = defaultdict(list)
        self._times: Counter[tuple[Any, ...]] = Counter()

    @contextlib.contextmanager
    def watch(self, workload: str) -> Iterator[None]:
        """Every call of a kernel is compared, and differences are noted with the name of the workload."""
        comparison = self

        def call(kernel: _jit.Kernel, *arguments: Any) -> Any:
            if _jit._thread.is_plain:
                return kernel.py_func(*arguments)
            return comparison.call(kernel, arguments, workload)

        with mock.patch.object(_jit.Kernel, "__call__", call):
            yield

    def call(self, kernel: _jit.Kernel, arguments: tuple, workload: str) -> Any:
        name = f"{kernel.__module__}.{kernel.__qualname__}"
        key = name, type_of(arguments)
        self._times[key] += 1
        if not self._is_chosen(self._times[key]):
            return kernel.compiled(*arguments)
        result, found = compare(kernel, arguments)
        self.compared[name] += 1
        self.found[name] += [f"{workload}: {each}" for each in found]
        return result

    def _is_chosen(self, time: int) -> bool:
        # A loop changes what its kernels get, so later calls are compared too: the 4th, 8th, 16th and so on.
        return time <= self.calls or time.bit_count() == 1


def type_of(value: Any) -> Any:
    """What the compiler distinguishes."""
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.ndim, value.flags.writeable, value.flags.c_contiguous
    if isinstance(value, tuple):
        return type(value), tuple(type_of(part) for part in value)
    return type(value)
