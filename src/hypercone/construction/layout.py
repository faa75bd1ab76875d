"""Lay out a forest as nested balls, siblings disjoint, and convert the balls to points of cones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows, read_only
from hypercone._math_kernels import acos, tan
from hypercone._random import unit_vectors
from hypercone.construction import layout_kernels as kernels
from hypercone.construction.layout_kernels import walk_lattice
from hypercone.geometry import caps, cones
from hypercone.methods.base import Points

Floats = NDArray[np.float64]


class Layout(NamedTuple):
    """One ball per row, all inside the unit ball, and the free gap around each.

    Enlarged by its gap, a ball is still inside its parent's ball and disjoint from its enlarged siblings.
    """

    centers: Floats
    radii: Floats
    gaps: Floats


def lay_out_forest(forest_parents: Rows, dim: int) -> Layout:
    """Balls in ``dim`` dimensions for a forest, given by the parent of each row, or -1.

    Bottom-up, each node gets the radius that the packing of its children requires, a leaf radius 1; top-down, balls
    are enlarged to fill the space they were given. The largest children of a node are put in a line. The others are
    put on a lattice of equal cells if that is smaller; several small balls share a cell.

    >>> layout = lay_out_forest(np.array([-1, 0, 0], np.int32), dim=1)
    >>> bool(abs(layout.centers[1, 0] - layout.centers[2, 0]) > layout.radii[1] + layout.radii[2])
    True
    """
    rows, firsts, levels = kernels.breadth_first(forest_parents)
    widest = int(np.diff(firsts).max(initial=1))
    _, lattice, reach = sites(dim, widest)
    radii, sizes, by_size, starts = kernels.needed_radii(firsts, levels, reach)
    centers, scales = kernels.lay_out(firsts, levels, radii, sizes, by_size, starts, lattice, reach, dim)
    by_row = np.empty(len(forest_parents), np.int64)
    by_row[rows[1:]] = np.arange(1, len(rows))
    scales = scales[by_row]
    return Layout(centers[by_row], scales * radii[by_row], scales * (sizes - radii)[by_row])


# The unit ball becomes a cap of about 62°: less than the widest cap for the default K, and small enough that the
# projection distorts sizes by at most a third.
SCALE = 0.6
# The largest share of the widest cap that the unit ball may take, if a large K makes that cap small.
LARGEST_SHARE = 0.9
PART = 4096


def projection_scale(K: float) -> float:
    """The scale of the unit ball before projection, such that its cap is smaller than the widest one.

    >>> projection_scale(0.1), projection_scale(1.0) < 0.6
    (0.6, True)
    """
    return min(SCALE, float(tan(LARGEST_SHARE * acos(caps.kappa(K)) / 2)))


def caps_from_balls(centers: Floats, radii: Floats, K: float = 0.1) -> tuple[Floats, Floats]:
    """Directions and angular radii of the caps on the sphere of R^d that balls in the unit ball of R^(d-1) project to.

    A stereographic projection maps balls to caps and preserves containment.

    >>> directions, angles = caps_from_balls(np.array([[0.0], [0.5]]), np.array([1.0, 0.5]))
    >>> directions[0].tolist(), bool(angles[1] < angles[0])
    ([1.0, 0.0], True)
    """
    directions, angles = kernels.caps_of_balls(read_only(centers), read_only(radii), projection_scale(K))
    return directions, angles


# Directions that are tried as the pole of a projection, and the number of caps, the largest ones, that it is to avoid.
POLES, AVOIDED = 1_000, 500


def balls_from_caps(directions: Floats, angles: Floats, K: float, seed: int) -> tuple[Floats, Floats]:
    """Balls in R^(d-1) that are nested as caps on the sphere of R^d are; the pole is in the clear, by random draws.

    >>> directions = np.array([[1.0, 0.0, 0.0], [0.8, 0.6, 0.0], [0.0, 1.0, 0.0]])
    >>> centers, radii = balls_from_caps(directions, np.array([1.0, 0.2, 0.1]), 0.1, seed=0)
    >>> [bool(np.linalg.norm(centers[0] - centers[i]) + radii[i] <= radii[0]) for i in (1, 2)]
    [True, False]
    """
    poles = unit_vectors(np.random.default_rng(seed), POLES, directions.shape[1])
    largest = np.argsort(-angles, kind="stable")[:AVOIDED]
    pole = kernels.clearest_direction(poles, directions[largest], angles[largest])
    balls = kernels.balls_of_caps(read_only(directions), read_only(angles), poles[pole : pole + 1], projection_scale(K))
    centers, radii = balls
    return centers, radii


def points_from_balls(centers: Floats, radii: Floats, K: float = 0.1) -> Points:
    """Points of R^d whose cones are nested or disjoint exactly as the given balls in the unit ball of R^(d-1).

    >>> points = points_from_balls(np.array([[0.0, 0.0], [0.5, 0.0], [-0.5, 0.0]]), np.array([1.0, 0.4, 0.4]))
    >>> caps.contains(points[0], points[1:], 0.1).tolist(), caps.contains(points[1], points[2], 0.1).tolist()
    ([True, True], False)
    """
    return points_from_caps(*caps_from_balls(centers, radii, K), K)


def points_from_caps(directions: Floats, angles: Floats, K: float) -> Points:
    """The points whose cones have caps in these directions, unit vectors, with these angular radii.

    ``geometry.caps.point_from_cap`` with the same bits on every machine.

    >>> points_from_caps(np.array([[0.0, 1.0]]), np.array([0.25]), 0.1).round(6).tolist()
    [[0.0, 0.239683]]
    """
    points: Points = kernels.points_of_caps(read_only(directions), read_only(angles), caps.kappa(K))
    return points


def cap_radius(norm: float, K: float) -> float:
    """The angular radius of the cap of a point with this norm: ``geometry.caps.cap_radius`` of one point.

    >>> round(cap_radius(0.99, K=0.1), 9)
    1.0101e-05
    """
    return float(kernels.radius_of_cap(max(norm, cones.inner_radius(K)), caps.kappa(K)))


def parts(count: int) -> Iterator[slice]:
    """Slices of ``count`` rows, each small enough that its intermediate results fit into the CPU cache.

    >>> [part.stop for part in parts(5000)]
    [4096, 5000]
    """
    for start in range(0, count, PART):
        yield slice(start, min(start + PART, count))


# In more dimensions a family uses only this many; they hold a million balls of a fifth of the radius.
LATTICE_DIMENSIONS = 12


class Sites(NamedTuple):
    """Positions for ``k`` balls of radius 1 inside a ball of radius ``reach[k]``.

    Two balls are at ±1 on the first axis; up to ``2 m`` balls are at ±√2 on the axes in turn, so that adjacent ones
    touch; more are at √2 times ``lattice``.
    """

    dim: int
    lattice: NDArray[np.int16]
    reach: NDArray[np.float64]


def sites(dim: int, count: int) -> Sites:
    """Sites for up to ``count`` balls in ``dim`` dimensions.

    The lattice is D_m, the integer vectors with an even sum: the densest lattice in 3, 4 and 5 dimensions, and easy to
    enumerate in all. In one dimension balls are side by side and no lattice is needed.

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
    """The ``count`` shortest points of D_m, shortest first.

    >>> lattice_points(2, 5).tolist()
    [[0, 0], [1, 1], [1, -1], [-1, 1], [-1, -1]]
    """
    ball = math.pi ** (dim / 2) / math.gamma(dim / 2 + 1)
    # A ball contains about half as many points as its volume; start below that and grow.
    largest = 2 * int(0.4 * (2 * count / ball) ** (2 / dim))
    points = np.zeros((count, dim), np.int16)
    while True:
        # No vector is written yet; the points show the kernel how large the work is.
        found = walk_lattice(largest, np.zeros(largest // 2 + 2, np.int64), points)
        if found.sum() >= count:
            break
        largest += 2 + largest // 40 * 2
    starts = np.minimum(np.concatenate([[0], np.cumsum(found)]), count)
    walk_lattice(largest, starts, points)
    return points
