"""The machine: cores, free memory, optional packages, and a description of it for records."""

from __future__ import annotations

import contextlib
import datetime
import gc
import importlib
import importlib.metadata
import os
import platform
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hypercone.errors import HyperconeError


def usable_cores() -> int:
    """The number of cores this process may use; in a container this can be fewer than the machine has.

    >>> usable_cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def import_optional(module: str, who: str, install: str) -> Any:
    """The imported module; if it is not installed, HyperconeError says what needs it and how to install it.

    >>> import_optional("no_such_module", "tables need", "'hypercone[tables]'")
    Traceback (most recent call last):
    hypercone.errors.HyperconeError: tables need no_such_module, which is not installed; pip install 'hypercone[tables]'
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.split(".")[0]
        raise HyperconeError(f"{who} {package}, which is not installed; pip install {install}") from None


@contextlib.contextmanager
def paused_garbage_collection() -> Iterator[None]:
    """Within the block, no search for unreachable cycles, which takes a third of the time where millions are made."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


# Assumed where the system does not report its memory, as on Windows without further packages.
ASSUMED_BYTES = 8 * 2**30


def available_bytes() -> int:
    """Bytes that can be allocated without swapping: the smaller of the machine's and the container's limit.

    >>> available_bytes() > 0
    True
    """
    return max(0, min(_machine_bytes(), _container_bytes()))


def _machine_bytes() -> int:
    found = re.search(r"MemAvailable:\s+(\d+) kB", _text("/proc/meminfo"))
    if found:
        return int(found[1]) * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return ASSUMED_BYTES


def _container_bytes() -> int:
    limit = _text("/sys/fs/cgroup/memory.max").strip()
    used = _text("/sys/fs/cgroup/memory.current").strip()
    return int(limit) - int(used) if limit.isdigit() and used.isdigit() else 2**62


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def describe_machine() -> dict[str, Any]:
    """Processor, cores, versions and date, recorded with every measurement."""
    versions = processor_and_versions()
    date = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")
    return {"processor": versions.pop("processor"), "cores": os.cpu_count(), **versions, "date": date}


def processor_and_versions() -> dict[str, str]:
    """The processor and the versions of what computes, recorded with every model.

    >>> list(processor_and_versions())
    ['processor', 'python', 'numpy', 'numba', 'hypercone']
    """
    from hypercone import __version__

    return {
        "processor": _processor(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": importlib.metadata.version("numba"),
        "hypercone": __version__,
    }


@cache
def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()
