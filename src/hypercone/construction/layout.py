"""A forest as balls inside balls, a child's in its parent's and others apart; and balls as the points of cones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows
from hypercone.construction import layout_kernels as kernels
from hypercone.construction.layout_kernels import walk_lattice
from hypercone.geometry import caps
from hypercone.methods.base import Points

Floats = NDArray[np.float64]


class Layout(NamedTuple):
    """A ball for each row, all in the unit ball, and the gap that is free around it.

    With the gap added to its radius a ball still lies in its parent's, and apart from its siblings' with theirs.
    """

    centres: Floats
    radii: Floats
    gaps: Floats


def lay_out_forest(kept: Rows, dim: int) -> Layout:
    """Balls in a space of so many dimensions for a forest given by the parent, or -1, of each row.

    Each node needs a ball as large as the packing of its children's, and a leaf one of radius 1; from the top down
    they then get at least what they need. The largest children of a node stand in a line; the others, where that is
    smaller, on a lattice of equal cells, in which small ones share a cell.

    >>> layout = lay_out_forest(np.array([-1, 0, 0], np.int32), dim=1)
    >>> bool(abs(layout.centres[1, 0] - layout.centres[2, 0]) > layout.radii[1] + layout.radii[2])
    True
    """
    rows, firsts, levels = kernels.breadth_first(kept)
    widest = int(np.diff(firsts).max(initial=1))
    _, lattice, reach = sites(dim, widest)
    radii, sizes, by_size, starts = kernels.needed_radii(firsts, levels, reach)
    centres, scales = kernels.lay_out(firsts, levels, radii, sizes, by_size, starts, lattice, reach, dim)
    by_row = np.empty(len(kept), np.int64)
    by_row[rows[1:]] = np.arange(1, len(rows))
    scales = scales[by_row]
    return Layout(centres[by_row], scales * radii[by_row], scales * (sizes - radii)[by_row])


# The unit ball becomes a cap of about 62°: below the widest cap there is for the usual K, and so far from the whole
# sphere that sizes are not distorted by more than a third.
SCALE = 0.6
# How much of the widest cap the unit ball may take where a large K makes the widest one small.
LARGEST_SHARE = 0.9
PART = 4096


def projection_scale(K: float) -> float:
    """By how much the unit ball is scaled before it is projected, so that its cap is smaller than the widest one.

    >>> projection_scale(0.1), projection_scale(1.0) < 0.6
    (0.6, True)
    """
    return min(SCALE, math.tan(LARGEST_SHARE * math.acos(caps.kappa(K)) / 2))


def caps_from_balls(centres: Floats, radii: Floats, K: float = 0.1) -> tuple[Floats, Floats]:
    """The directions and angular radii of the caps that balls in the unit ball of R^(d-1) become on the sphere of R^d.

    A stereographic projection takes balls to caps, and a ball inside another to a cap inside another.

    >>> directions, angles = caps_from_balls(np.array([[0.0], [0.5]]), np.array([1.0, 0.5]))
    >>> directions[0].tolist(), bool(angles[1] < angles[0])
    ([1.0, 0.0], True)
    """
    centres, radii = np.asarray(centres, np.float64), np.asarray(radii, np.float64)
    scale = projection_scale(K)
    away = np.linalg.norm(centres, axis=1)
    near, far = scale * (away - radii), scale * (away + radii)
    polar = np.arctan(near) + np.arctan(far)
    # (1 + near·far) is 1 + c² − r² with the difference of two squares as a product.
    angles = np.arctan2(2 * scale * radii, 1 + near * far)
    aside = np.sin(polar) / np.where(away > 0, away, 1.0)
    return np.column_stack([np.cos(polar), aside[:, None] * centres]), angles


def points_from_balls(centres: Floats, radii: Floats, K: float = 0.1) -> Points:
    """The points of R^d whose cones are nested and apart as balls in the unit ball of R^(d-1) are.

    >>> points = points_from_balls(np.array([[0.0, 0.0], [0.5, 0.0], [-0.5, 0.0]]), np.array([1.0, 0.4, 0.4]))
    >>> caps.contains(points[0], points[1:], 0.1).tolist(), caps.contains(points[1], points[2], 0.1).tolist()
    ([True, True], False)
    """
    points = np.empty((len(centres), centres.shape[1] + 1))
    for part in parts(len(centres)):
        directions, angles = caps_from_balls(centres[part], radii[part], K)
        points[part] = caps.point_from_cap(directions, angles, K)
    return points


def parts(count: int) -> Iterator[slice]:
    """Slices of so many rows, each small enough that what is computed from it stays in the fastest caches.

    >>> [part.stop for part in parts(5000)]
    [4096, 5000]
    """
    for start in range(0, count, PART):
        yield slice(start, min(start + PART, count))


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
