"""Digests of the points of small fits, which are the same on every machine: all methods, starts and constructions.

    python -m tools.same_bits --dims 5 50 > digests.json

``tests/test_same_bits.py`` compares them with a recorded table, and ``python -m benchmarks same_bits`` with those of
processes in other environments: other instructions for the kernels, for the math library, for NumPy and for BLAS.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

import hypercone
from hypercone import _jit, _kernel_cache
from hypercone.construction import CONSTRUCTIONS, LEARNERS, overlapping
from hypercone.construction.given_edges import NestedPlan
from hypercone.construction.refining import RefiningPlan

ROOT = Path(__file__).parents[1]
DIMS = (2, 5, 10, 20, 50)
# The starts that each method has.
CONE_STARTS = ("random", "poincare", "euclidean", "caps", *CONSTRUCTIONS, *LEARNERS)
STARTS = {
    "hyperbolic-cones": CONE_STARTS,
    "euclidean-cones": CONE_STARTS,
    "order": ("random", "poincare", "euclidean"),
    "poincare": ("random", "euclidean"),
    "euclidean": ("random", "poincare"),
}
ROWS = {f"{method} from {start}": {"method": method, "init": start} for method in STARTS for start in STARTS[method]}
ROWS |= {name: {"method": name} for name in CONSTRUCTIONS}
SHORT = {"epochs": 3, "init_epochs": 3}
NODES = 48


def key_of(row: str, dim: int) -> str:
    """The name of a fit.

    >>> key_of("nested-caps", 5)
    'nested-caps, d = 5'
    """
    return f"{row}, d = {dim}"


def small_dag() -> hypercone.Hierarchy:
    """A tree in which every third node has a second parent, so that no forest is exact; without random numbers."""
    edges = [((row - 1) // 2, row) for row in range(1, NODES)]
    edges += [((7 * row + 3) % (row // 2), row) for row in range(9, NODES, 3)]
    return hypercone.Hierarchy([str(row) for row in range(NODES)], sorted(set(edges)))


def digest_of(row: str, dim: int) -> str:
    """The first 16 hex digits of the SHA-256 of the points: little-endian float64, row after row."""
    given: dict[str, Any] = {**ROWS[row], "dim": dim}
    if "init" in given:
        given |= SHORT
    # Constructions have no setting for it. The plain tier would take a minute for all iterations.
    plans: dict[str, Any] = {
        "nested_plan": lambda size: NestedPlan(separation_iterations=5, iterations=20),
        "refining_plan": lambda size: RefiningPlan(iterations=20),
    }
    with mock.patch.multiple(overlapping, **plans):
        points = hypercone.fit(small_dag(), **given, progress=False).points
    return hashlib.sha256(np.ascontiguousarray(points, "<f8").tobytes()).hexdigest()[:16]


def digests(rows: Iterable[str] = ROWS, dims: Iterable[int] = DIMS) -> dict[str, str]:
    """The digest of each row in each dimension."""
    return {key_of(row, dim): digest_of(row, dim) for row in rows for dim in dims}


class Environment(NamedTuple):
    """The variables of a process, and its options for this module."""

    variables: dict[str, str]
    options: tuple[str, ...] = ()


UNROLLED = ("--unrolled",)
FAST = ("--flags", "arcp", "contract", "nsz", "reassoc")


def compiled_for(processor: str, *options: str) -> Environment:
    """An environment for kernels that use the instructions of this processor only.

    >>> compiled_for("x86-64-v2").variables["NUMBA_CPU_NAME"]
    'x86-64-v2'
    """
    variables = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": "", _jit.TIER_VARIABLE: _jit.COMPILED}
    return Environment(variables, options)


def environments() -> dict[str, Environment | None]:
    """Environments in which the points must be the same; None where one cannot run here."""
    is_x86 = platform.machine() in ("x86_64", "AMD64")
    has_glibc = platform.libc_ver()[0] == "glibc"
    found, dispatched = _numpy_features()
    host = {_jit.TIER_VARIABLE: _jit.COMPILED}
    return {
        "host": Environment(host),
        "host, unrolled": Environment(host, UNROLLED),
        "x86-64-v2": compiled_for("x86-64-v2") if is_x86 else None,
        "x86-64-v3": compiled_for("x86-64-v3") if is_x86 and "AVX2" in found else None,
        "x86-64-v4": compiled_for("x86-64-v4") if is_x86 and "AVX512F" in found else None,
        "x86-64-v2, unrolled": compiled_for("x86-64-v2", *UNROLLED) if is_x86 else None,
        "libm without FMA": Environment(host | WITHOUT_FMA) if is_x86 and has_glibc else None,
        "NumPy without SIMD": Environment(host | _without(dispatched)) if dispatched else None,
        "another BLAS kernel": Environment(host | OLD_BLAS) if is_x86 else None,
        "plain": Environment({_jit.TIER_VARIABLE: _jit.PLAIN}),
    }


def use_flags(flags: Iterable[str]) -> None:
    """Compile the kernels of this process with LLVM flags, except for elementary functions.

    These compute remainders exactly, which is lost if a compiler may reorder them; a math library has no such flags.
    """
    compiler: Any = importlib.import_module("hypercone._compiler")
    declare, chosen = compiler.declare, set(flags)

    def declare_with_flags(function: Any, choose: Any) -> None:
        _jit.FLAGS = set() if function.__module__ == "hypercone._math_kernels" else chosen
        declare(function, choose)
        _jit.FLAGS = chosen

    compiler.declare, _jit.FLAGS = declare_with_flags, chosen


def with_flags(environment: Environment) -> Environment:
    """The environment for kernels with flags for speed, in a cache folder of their own."""
    folder = _kernel_cache.cache_folder()
    cache = {"XDG_CACHE_HOME": str(folder.parent / "control")} if folder else {}
    return Environment(environment.variables | cache, (*environment.options, *FAST))


def controls() -> dict[str, Environment | None]:
    """What compiler flags for speed would do: points that depend on the processor."""
    known = {"FAST": environments()["host"], "FAST, x86-64-v2": environments()["x86-64-v2"]}
    return {name: with_flags(one) if one else None for name, one in known.items()}


def another_machine() -> Environment | None:
    """As different from this machine as can be: everything at once. None if that cannot run here."""
    named = [environments()[name] for name in ("x86-64-v2", "libm without FMA", "NumPy without SIMD")]
    if not named[0]:
        return None
    return Environment(OLD_BLAS | {name: value for one in named if one for name, value in one.variables.items()})


# What the GNU C library uses is chosen when a process starts, as NumPy and OpenBLAS do.
WITHOUT_FMA = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4"}
OLD_BLAS = {"OPENBLAS_CORETYPE": "Nehalem"}


def _without(features: Sequence[str]) -> dict[str, str]:
    return {"NPY_DISABLE_CPU_FEATURES": ",".join(features)}


def _numpy_features() -> tuple[set[str], list[str]]:
    """The instructions of this processor, and those among them that NumPy uses if it can, as NumPy calls them."""
    module = sys.modules.get("numpy._core._multiarray_umath") or sys.modules["numpy.core._multiarray_umath"]
    found = {name for name, exists in module.__cpu_features__.items() if exists}
    return found, [name for name in module.__cpu_dispatch__ if name in found]


def digests_in(
    environment: Environment,
    rows: Sequence[str] = tuple(ROWS),
    dims: Sequence[int] = DIMS,
    python: Sequence[str] = (sys.executable,),
) -> dict[str, str]:
    """The digests that another process gives."""
    arguments = ["--dims", *map(str, dims), "--rows", *rows, *environment.options]
    printed: dict[str, str] = run_in(environment, "tools.same_bits", arguments, python)
    return printed


def run_in(
    environment: Environment, module: str, arguments: Sequence[str], python: Sequence[str] = (sys.executable,)
) -> Any:
    """The JSON that a module prints in another process.

    Variables of this process that would change the kernels of the other are left out.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "HYPERCONE_"))}
    inherited["PYTHONPATH"] = str(Path(hypercone.__file__).parents[1])
    command = [*python, "-m", module, *arguments]
    variables = inherited | environment.variables
    # In this folder Python finds the module, wherever it finds hypercone.
    done = subprocess.run(command, env=variables, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:3])} failed in {environment}:\n{done.stderr}")
    return json.loads(done.stdout)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the digests as JSON."""
    parser = argparse.ArgumentParser(prog="python -m tools.same_bits", description=__doc__)
    parser.add_argument("--dims", nargs="+", type=int, default=list(DIMS), help="default: 2 5 10 20 50")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="ROW", help="default: all")
    parser.add_argument("--flags", nargs="+", default=[], metavar="FLAG", help="compile with these LLVM flags")
    parser.add_argument("--unrolled", action="store_true", help="compile the dimension in, as for many rows")
    options = parser.parse_args(arguments)
    if options.flags:
        use_flags(options.flags)
    if options.unrolled:
        _jit.FEW_ROWS = 0
    print(json.dumps(digests(options.rows, options.dims), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
