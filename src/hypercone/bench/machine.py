"""Where a figure was measured, and a way to measure with as little noise as the machine allows."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def describe_machine() -> dict[str, Any]:
    """Processor, cores, versions and date, to stand beside every figure."""
    from hypercone import __version__

    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": importlib.metadata.version("numba"),
        "hypercone": __version__,
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
    }


def pin_to_one_core() -> None:
    """Stay on one core, where the system can do that: moving between cores empties the caches."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def best_cpu_seconds(run: Callable[[], object], repeats: int) -> float:
    """The least CPU time of several runs: noise only ever adds."""
    times = []
    for _ in range(repeats):
        before = time.process_time()
        run()
        times.append(time.process_time() - before)
    return min(times)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()
