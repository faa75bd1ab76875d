"""What several benchmarks need: clocks with little noise, processes of their own, and hierarchies by name."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from hypercone import Hierarchy, read
from hypercone.data import is_dataset, load_dataset
from hypercone.errors import HyperconeError

Result = TypeVar("Result")


def pin_to_one_core() -> None:
    """Stay on one core, where the system allows it: moving to another one empties the caches."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def best_cpu_seconds(run: Callable[[], object], repeats: int) -> float:
    """The least CPU time of several runs: noise only adds."""
    times = []
    for _ in range(repeats):
        before = time.process_time()
        run()
        times.append(time.process_time() - before)
    return min(times)


def import_package(module: str) -> Any:
    """A module of a package that only some benchmarks need; HyperconeError if it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.split(".")[0]
        raise HyperconeError(f"this benchmark needs {package}, which is not installed; pip install {package}") from None


def process_pool(jobs: int) -> ProcessPoolExecutor:
    """Processes that start empty, so that no measurement sees the memory of another."""
    return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))


def run_in_new_process(function: Callable[..., Result], *arguments: Any) -> Result:
    """What the function returns, called in a process of its own."""
    with process_pool(1) as pool:
        return pool.submit(function, *arguments).result()


@cache
def load_hierarchy(source: str) -> Hierarchy:
    """A dataset by its name, or the hierarchy in a file."""
    if is_dataset(source):
        return load_dataset(source)
    return read(source, format="indented" if Path(source).suffix == ".outline" else None)
