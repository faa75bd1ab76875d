"""The parents a forest keeps, compiled."""
# mypy: ignore-errors

import numpy as np

from hypercone._jit import exact_kernel


@exact_kernel
def deepest_parents(depths, offsets, parents):
    """Of each row the first of its deepest parents, or -1."""
    kept = np.full(len(depths), -1, np.int32)
    for row in range(len(depths)):
        for i in range(offsets[row], offsets[row + 1]):
            if kept[row] < 0 or depths[parents[i]] > depths[kept[row]]:
                kept[row] = parents[i]
    return kept
