"""Random hierarchies by seed."""

from __future__ import annotations

import numpy as np

from hypercone.hierarchy import Hierarchy


def random_hierarchy(seed: int, size: int, edges: int) -> Hierarchy:
    """About so many random edges between nodes "0", "1" …, each from a lower to a higher number."""
    pairs = np.sort(np.random.default_rng(seed).integers(0, size, (edges, 2)), axis=1)
    return Hierarchy([str(i) for i in range(size)], pairs[pairs[:, 0] != pairs[:, 1]])
