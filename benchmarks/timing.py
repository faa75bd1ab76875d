"""Measuring with as little noise as the machine allows."""

from __future__ import annotations

import os
import time
from collections.abc import Callable


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
