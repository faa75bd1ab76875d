"""Fixtures for all folders of tests: perfect embeddings, limits of CPU time, and the table of what goes wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from tests.support.fault_rows import fault_row

import hypercone
from hypercone.embedding import Embedding
from hypercone.geometry import caps
from hypercone.methods import Settings

__all__ = ["fault_row"]

# A slow example on a busy machine is not a counterexample; ``within`` below checks limits of time.
settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared machine")


def _perfect(tree: hypercone.Hierarchy, **changes: Any) -> Embedding:
    """Each child has an arc of its own inside its parent's, and cones are nested as their arcs are."""
    middle, radius = np.zeros(len(tree)), np.zeros(len(tree))
    waiting = [(tree.root_rows, 0.0, 1.3)]
    for rows, center, reach in waiting:
        width = 2 * reach / max(len(rows), 1)
        for i, row in enumerate(rows):
            middle[row], radius[row] = center - reach + (i + 0.5) * width, 0.45 * width
            waiting.append((tree.child_lists[row], middle[row], radius[row]))
    points = caps.point_from_cap(np.stack([np.cos(middle), np.sin(middle)], axis=1), radius, Settings().K)
    given = {"threshold": 0.0, "edges": tree.edges, "labels": tree.labels}
    return Embedding(tree.names, points, "hyperbolic-cones", Settings(), **(given | changes))


def _is_within(seconds: float, call: Callable[[], Any]) -> Any:
    """What the call gives, once it took no more CPU time than that; a busy machine gets a dozen tries."""
    times = []
    for _ in range(12):
        began = time.process_time()
        result = call()
        times.append(time.process_time() - began)
        if times[-1] < seconds:
            return result
    pytest.fail(f"took {min(times):.3f} s of CPU time at best, not {seconds} s; all tries: {times}")


@pytest.fixture(scope="session")
def within() -> Callable[[float, Callable[[], Any]], Any]:
    return _is_within


@pytest.fixture(scope="session")
def perfect() -> Callable[..., Embedding]:
    return _perfect
