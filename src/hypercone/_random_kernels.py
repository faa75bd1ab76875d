"""Kernels for random numbers: bits and numbers as a function of a counter, normal numbers, and random directions.

The mixing function is splitmix64's (Steele, Lea and Flood, 2014): two multiplications, and every bit of the counter
reaches every bit of the result.
"""
# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np
from numpy import uint64

from hypercone._jit import MANY, kernel, kernel_part
from hypercone._math_kernels import log, sin_cos

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


@kernel_part
def mix(counter):
    """64 pseudorandom bits, a function of the counter."""
    z = counter + GOLDEN
    z = (z ^ (z >> uint64(30))) * FIRST
    z = (z ^ (z >> uint64(27))) * SECOND
    return z ^ (z >> uint64(31))


@kernel_part
def uniform_from(bits):
    """A float in [0, 1) from the upper 53 random bits."""
    return np.float64(bits >> uint64(11)) * (1.0 / 9007199254740992.0)


@kernel(weight=2 * MANY)
def normals(radial, angular):
    """Standard normal numbers, two from each pair of uniform ones in [0, 1) (Box and Muller)."""
    drawn = np.empty(2 * len(radial))
    for i in range(len(radial)):
        radius = math.sqrt(-2.0 * log(1.0 - radial[i]))
        sine, cosine = sin_cos(2.0 * math.pi * angular[i])
        drawn[2 * i] = radius * cosine
        drawn[2 * i + 1] = radius * sine
    return drawn


@kernel
def unit_vectors(vectors):
    """The vectors scaled to length 1; a zero vector becomes the first axis."""
    scaled = np.empty(vectors.shape)
    for i in range(vectors.shape[0]):
        squared = 0.0
        for k in range(vectors.shape[1]):
            squared += vectors[i, k] * vectors[i, k]
        length = math.sqrt(squared)
        for k in range(vectors.shape[1]):
            scaled[i, k] = vectors[i, k] / length if length > 0.0 else (1.0 if k == 0 else 0.0)
    return scaled
