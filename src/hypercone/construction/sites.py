"""Where equal balls go inside a larger one: two side by side, up to 2m on the half axes, more on a lattice."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone.construction.sites_kernels import walk_lattice

# In more dimensions than these a family uses some of them; there is room for a million balls five times as small.
LATTICE_DIMENSIONS = 12


class Sites(NamedTuple):
    """A place for each of ``k`` balls of radius 1 around the middle of a ball of radius ``reach[k]``.

    For two they are ±1 on the first axis; up to ``2 m`` they are ±√2 on the axes in turn, so that neighbours touch;
    for more they are √2 times ``lattice``.
    """

    dim: int
    lattice: NDArray[np.int16]
    reach: NDArray[np.float64]


def sites(dim: int, count: int) -> Sites:
    """Sites for up to so many balls in a space of so many dimensions.

    The lattice is D_m, the whole-numbered vectors with an even sum: the densest there is in 3, 4 and 5 dimensions
    and easily listed in all. On a line balls are side by side and no lattice is needed.

    >>> sites(2, 6).reach.round(3).tolist()
    [0.0, 1.0, 2.0, 2.414, 2.414, 3.0, 3.828]
    """
    reach = np.arange(count + 1, dtype=np.float64)
    lattice = np.zeros((0, dim), np.int16)
    if dim > 1:
        reach[3 : 2 * dim + 1] = 1 + math.sqrt(2)
    if dim > 1 and count > 2 * dim:
        lattice = lattice_points(min(dim, LATTICE_DIMENSIONS), count)
        squares = (lattice[2 * dim :].astype(np.int64) ** 2).sum(axis=1)
        reach[2 * dim + 1 :] = 1 + np.sqrt(2.0 * squares)
    return Sites(dim, lattice, reach)


def lattice_points(dim: int, count: int) -> NDArray[np.int16]:
    """The so many shortest points of D_m, the shortest first.

    >>> lattice_points(2, 5).tolist()
    [[0, 0], [1, 1], [1, -1], [-1, 1], [-1, -1]]
    """
    ball = math.pi ** (dim / 2) / math.gamma(dim / 2 + 1)
    # A ball holds about half as many points as its volume; start below and grow.
    largest = 2 * int(0.4 * (2 * count / ball) ** (2 / dim))
    while True:
        found = walk_lattice(largest, np.zeros(largest // 2 + 2, np.int64), np.zeros((0, dim), np.int16))
        if found.sum() >= count:
            break
        largest += 2 + largest // 40 * 2
    room = np.minimum(np.concatenate([[0], np.cumsum(found)]), count)
    points = np.zeros((count, dim), np.int16)
    walk_lattice(largest, room, points)
    return points
