"""Kernels for random directions: normal numbers, and vectors scaled to length 1."""
# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np

from hypercone._jit import MANY, kernel
from hypercone._math_kernels import log, sin_cos


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
