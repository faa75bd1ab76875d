"""How many cores there are to use."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """The cores this process may use, which in a container may be fewer than the machine has.

    >>> usable_cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
