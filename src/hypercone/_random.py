"""Random numbers that are the same on every machine.

NumPy's generators draw the same integers everywhere, and ``random()`` the same numbers in [0, 1). Its other
distributions use the math library, or products that a compiler may fuse with sums, so they can differ in the last bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypercone import _random_kernels as kernels
from hypercone._math_kernels import power_each

Floats = NDArray[np.float64]


def uniform(random: np.random.Generator, spread: float, shape: tuple[int, ...]) -> Floats:
    """Uniform numbers from -spread to spread.

    >>> bool(np.all(np.abs(uniform(np.random.default_rng(0), 0.5, (9, 2))) <= 0.5))
    True
    """
    drawn: Floats = spread * (2 * random.random(shape) - 1)
    return drawn


def unit_vectors(random: np.random.Generator, count: int, dim: int) -> Floats:
    """Vectors of length 1 in directions that are uniform on the sphere.

    >>> np.round(np.linalg.norm(unit_vectors(np.random.default_rng(0), 3, 4), axis=1), 12).tolist()
    [1.0, 1.0, 1.0]
    """
    pairs = (count * dim + 1) // 2
    coordinates = kernels.normals(random.random(pairs), random.random(pairs))[: count * dim]
    drawn: Floats = kernels.unit_vectors(coordinates.reshape(count, dim))
    return drawn


def in_unit_ball(random: np.random.Generator, count: int, dim: int) -> Floats:
    """Points that are uniform in the unit ball.

    >>> bool(np.all(np.linalg.norm(in_unit_ball(np.random.default_rng(0), 9, 3), axis=1) <= 1))
    True
    """
    drawn: Floats = unit_vectors(random, count, dim) * power_each(random.random(count), 1 / dim)[:, None]
    return drawn
