"""Points, directions and cones to hold the statements of the paper against."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

from hypercone.geometry import cones, euclidean_cones, poincare


def _unit(x: np.ndarray) -> np.ndarray:
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def _aside(axis: np.ndarray, toward: np.ndarray) -> np.ndarray:
    """The unit vectors perpendicular to the axis on the side of `toward`."""
    ray = _unit(axis)
    for _ in range(2):  # once leaves a part along the axis where both are nearly parallel
        toward = _unit(toward - np.sum(toward * ray, axis=-1, keepdims=True) * ray)
    return toward


def _lean(axis: np.ndarray, toward: np.ndarray, angle: np.ndarray | float) -> np.ndarray:
    """The unit vectors at an angle from the axis, leaning to the side of `toward`."""
    angle = np.asarray(angle)[..., None]
    return np.cos(angle) * _unit(axis) + np.sin(angle) * _aside(axis, toward)


def _shell(rng: np.random.Generator, n: int, d: int, low: float, high: float) -> np.ndarray:
    return _unit(rng.normal(size=(n, d))) * rng.uniform(low, high, (n, 1))


def _flat_walk(x: np.ndarray, v: np.ndarray, t: np.ndarray) -> np.ndarray:
    return x + _unit(v) * t[..., None]


def _flat_between(x: np.ndarray, y: np.ndarray, t: np.ndarray) -> np.ndarray:
    return x + t[..., None] * (y - x)


class Space(NamedTuple):
    """A geometry with its cones: a walk along a direction, the point between two, and where apexes may be."""

    cones: ModuleType
    walk: Callable[..., np.ndarray]
    between: Callable[..., np.ndarray]
    outer: Callable[[float], float]

    def apexes(self, rng: np.random.Generator, n: int, d: int, K: float) -> np.ndarray:
        low = self.cones.inner_radius(K)
        return _shell(rng, n, d, low * (1 + 1e-6), self.outer(low))


SPACES = {
    "ball": Space(cones, poincare.geodesic, poincare.geodesic_between, lambda low: (4 + low) / 5),
    "flat": Space(euclidean_cones, _flat_walk, _flat_between, lambda low: low + 3),
}


@pytest.fixture(params=SPACES)
def space(request: pytest.FixtureRequest) -> Space:
    return SPACES[request.param]


@pytest.fixture(scope="session")
def shell() -> Callable[..., np.ndarray]:
    return _shell


@pytest.fixture(scope="session")
def lean() -> Callable[..., np.ndarray]:
    return _lean
