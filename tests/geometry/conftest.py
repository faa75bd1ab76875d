"""Points, and points at a chosen angle from other points, for the geometry tests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from hypercone.geometry import cones, poincare


def _shell(rng: np.random.Generator, n: int, d: int, low: float, high: float) -> np.ndarray:
    rays = rng.normal(size=(n, d))
    return rays / np.linalg.norm(rays, axis=1, keepdims=True) * rng.uniform(low, high, (n, 1))


def _turned(rng: np.random.Generator, x: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Unit vectors at an angle from the rays of x, turned into random directions."""
    ray = x / np.linalg.norm(x, axis=-1, keepdims=True)
    side = rng.normal(size=x.shape)
    side -= np.sum(side * ray, axis=-1, keepdims=True) * ray
    side /= np.linalg.norm(side, axis=-1, keepdims=True)
    return np.cos(angle)[..., None] * ray + np.sin(angle)[..., None] * side


def _cone_pairs(rng: np.random.Generator, n: int, d: int, K: float) -> tuple[np.ndarray, np.ndarray]:
    """Pairs that decide something: half near the border of a cone on either side, half anywhere."""
    low = cones.inner_radius(K)
    parent = _shell(rng, n, d, low, (3 + low) / 4)
    child = _shell(rng, n, d, low, 0.99)
    near = _turned(rng, parent, cones.half_aperture(parent, K) * rng.uniform(0, 1.5, n))
    candidate = poincare.geodesic(parent, near, rng.uniform(0, 2, n))
    is_used = (np.arange(n) % 2 == 0) & (np.linalg.norm(candidate, axis=1) >= low)
    return parent, np.where(is_used[:, None], candidate, child)


@pytest.fixture(scope="session")
def shell() -> Callable[..., np.ndarray]:
    return _shell


@pytest.fixture(scope="session")
def turned() -> Callable[..., np.ndarray]:
    return _turned


@pytest.fixture(scope="session")
def cone_pairs() -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    return _cone_pairs
