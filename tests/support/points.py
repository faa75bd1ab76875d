"""Points of a ball, directions at chosen angles, and pairs that decide something about cones."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple

import mpmath as mp
import numpy as np
import pytest

from hypercone.geometry import cones, euclidean_cones, poincare


def unit(x: np.ndarray) -> np.ndarray:
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def shell(rng: np.random.Generator, n: int, d: int, low: float, high: float) -> np.ndarray:
    """Points in random directions with norms from low to high."""
    return unit(rng.normal(size=(n, d))) * rng.uniform(low, high, (n, 1))


def lean(axis: np.ndarray, toward: np.ndarray, angle: np.ndarray | float) -> np.ndarray:
    """Unit vectors at an angle from the axis, on the side of `toward`."""
    ray = unit(axis)
    for _ in range(2):  # the first pass leaves a component along the axis if both are nearly parallel
        toward = unit(toward - np.sum(toward * ray, axis=-1, keepdims=True) * ray)
    angle = np.asarray(angle)[..., None]
    return np.cos(angle) * ray + np.sin(angle) * toward


def turned(rng: np.random.Generator, x: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Unit vectors at an angle from the rays of x, on a random side."""
    return lean(x, rng.normal(size=x.shape), angle)


def cone_pairs(rng: np.random.Generator, n: int, d: int, K: float) -> tuple[np.ndarray, np.ndarray]:
    """Parents and children: half of the children near the border of the cone on either side, half anywhere."""
    low = cones.inner_radius(K)
    parent = shell(rng, n, d, low, (3 + low) / 4)
    child = shell(rng, n, d, low, 0.99)
    near = turned(rng, parent, cones.half_aperture(parent, K) * rng.uniform(0, 1.5, n))
    candidate = poincare.geodesic(parent, near, rng.uniform(0, 2, n))
    is_used = (np.arange(n) % 2 == 0) & (np.linalg.norm(candidate, axis=1) >= low)
    return parent, np.where(is_used[:, None], candidate, child)


def exact(x: np.ndarray) -> mp.matrix:
    """The vector in mpmath."""
    return mp.matrix([mp.mpf(float(a)) for a in x])


class Space(NamedTuple):
    """A geometry with its cones: a walk along a direction, the point between two, and the range of apexes."""

    cones: ModuleType
    walk: Callable[..., np.ndarray]
    between: Callable[..., np.ndarray]
    outer: Callable[[float], float]

    def apexes(self, rng: np.random.Generator, n: int, d: int, K: float) -> np.ndarray:
        low = self.cones.inner_radius(K)
        return shell(rng, n, d, low * (1 + 1e-6), self.outer(low))


def _flat_walk(x: np.ndarray, v: np.ndarray, t: np.ndarray) -> np.ndarray:
    return x + unit(v) * np.asarray(t)[..., None]


def _flat_between(x: np.ndarray, y: np.ndarray, t: np.ndarray) -> np.ndarray:
    return x + t[..., None] * (y - x)


SPACES = {
    "ball": Space(cones, poincare.geodesic, poincare.geodesic_between, lambda low: (4 + low) / 5),
    "flat": Space(euclidean_cones, _flat_walk, _flat_between, lambda low: low + 3),
}
each_space = pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
