"""How much memory this process may still take, so that a refusal comes before the crash."""

from __future__ import annotations

import os
import re
from pathlib import Path

# What is assumed where the system does not say, as on macOS and Windows without further packages.
ASSUMED_BYTES = 8 * 2**30


def available_bytes() -> int:
    """Bytes that can be taken without swapping: the least that the machine and the container allow.

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
