"""Pairs that do not hold, made from pairs that do by replacing one end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Adjacency, Rows
from hypercone.hierarchy.closure import flipped_lists
from hypercone.hierarchy.hierarchy import Hierarchy
from hypercone.hierarchy.negatives_kernels import draw_strangers


def random_bits(seed: int, stream: int, count: int) -> NDArray[np.uint64]:
    """64-bit random numbers that depend on the seed and the stream only.

    Raw bits, because NumPy promises never to change these, unlike the shuffles and draws made of them.
    """
    bits: NDArray[np.uint64] = np.random.PCG64(np.random.SeedSequence([seed, stream])).random_raw(count)
    return bits


def corrupted(hierarchy: Hierarchy, positives: Rows, a_side: int, seed: int, stream: int) -> Rows:
    """For each positive (u, v), ``a_side`` pairs (u′, v) and as many (u, v′), outside the closure, u ≠ v.

    The replacements for one end of one positive differ from each other; where there are fewer, all are taken.
    """
    above = hierarchy.ancestor_lists()
    bits = random_bits(seed, stream, 2 * a_side * len(positives)).reshape(2, len(positives), a_side)
    parents = _strangers(positives[:, 1], above, bits[0])
    children = _strangers(positives[:, 0], flipped_lists(above), bits[1])
    pairs = np.empty((len(positives), 2, a_side, 2), np.int32)
    pairs[:, 0, :, 0], pairs[:, 0, :, 1] = parents, positives[:, 1, None]
    pairs[:, 1, :, 0], pairs[:, 1, :, 1] = positives[:, 0, None], children
    flat = pairs.reshape(-1, 2)
    return flat[(flat >= 0).all(axis=1)]


def _strangers(rows: Rows, related: Adjacency, bits: NDArray[np.uint64]) -> Rows:

    found: Rows = draw_strangers(np.ascontiguousarray(rows), related.offsets, related.rows, bits)
    return found
