"""Randomness as a function of (seed, epoch, edge), compiled: no state, so nothing depends on how work is scheduled.

The mixing function is splitmix64's (Steele, Lea and Flood, 2014): two multiplications, and every bit of the counter
reaches every bit of the result.
"""
# mypy: ignore-errors

import numpy as np
from numpy import uint64

from hypercone._jit import kernel, kernel_part

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


@kernel_part
def mix(counter):
    """64 bits that look random, the same for the same counter."""
    z = counter + GOLDEN
    z = (z ^ (z >> uint64(30))) * FIRST
    z = (z ^ (z >> uint64(27))) * SECOND
    return z ^ (z >> uint64(31))


@kernel_part
def stream(seed, epoch, edge):
    """The start of the stream of draws that belongs to one edge in one epoch."""
    return mix(mix(mix(uint64(seed)) + uint64(epoch)) + uint64(edge))


@kernel_part
def below(bits, bound):
    """A whole number in [0, bound) from the upper 32 random bits; bias below 2⁻³² · bound."""
    return ((bits >> uint64(32)) * uint64(bound)) >> uint64(32)


@kernel
def shuffled(count, seed, epoch):
    """A permutation of 0 … count−1 that depends on (seed, epoch) alone."""
    order = np.arange(count).astype(np.uint32)
    start = stream(seed, epoch, uint64(0xFFFFFFFFFFFFFFFF))
    for i in range(count - 1, 0, -1):
        j = below(mix(start + uint64(i)), i + 1)
        order[uint64(i)], order[j] = order[j], order[uint64(i)]
    return order
