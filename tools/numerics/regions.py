"""Where points are tried: pairs, a function of a seed, in every part of the domain where formulas can break."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hypercone.geometry import cones

Pairs = tuple[np.ndarray, np.ndarray]
# How near to the border points come: below this a type has no digits left for the gap.
LEAST_GAP = {"float64": 1e-15, "float32": 1e-6}
# The cone constants tried: the paper's, the largest a fit takes, and ones far below what anyone would use.
CONSTANTS = {"float64": (0.1, 1e-6, 10.0, 1.0, 1e-300), "float32": (0.1, 1e-6, 10.0, 1.0, 1e-30)}
COMPILED_CONSTANTS = CONSTANTS["float64"][:-1]
DIMS = (2, 5, 10)


def _rays(rng: np.random.Generator, count: int, dim: int) -> np.ndarray:
    """Unit vectors; every fifth lies on an axis, so that the other coordinates are exactly zero."""
    rays = rng.normal(size=(count, dim))
    rays[::5] = np.eye(dim)[rng.integers(0, dim, len(rays[::5]))] * rng.choice([-1.0, 1.0], (len(rays[::5]), 1))
    return rays / np.linalg.norm(rays, axis=1, keepdims=True)


def _powers(rng: np.random.Generator, count: int, low: float, high: float) -> np.ndarray:
    return 10.0 ** rng.uniform(np.log10(low), np.log10(high), (count, 1))


class _Ball:
    """Pairs of the open unit ball."""

    def __init__(self, rng: np.random.Generator, count: int, dim: int, K: float, type_: str) -> None:
        self.rng, self.count, self.dim = rng, count, dim
        self.least, self.shell = LEAST_GAP[type_], cones.inner_radius(K)
        self.numbers = np.finfo(type_)

    def anywhere(self) -> np.ndarray:
        return _rays(self.rng, self.count, self.dim) * (1 - _powers(self.rng, self.count, self.least, 1.0))

    def inside(self, points: np.ndarray) -> np.ndarray:
        norms = np.linalg.norm(points, axis=1, keepdims=True)
        return np.where(norms > 1 - self.least, points / np.where(norms > 0, norms, 1) * (1 - self.least), points)

    def near_border(self) -> np.ndarray:
        gap = _powers(self.rng, self.count, self.least, 1e3 * self.least if self.least > 1e-9 else 1e-6)
        return _rays(self.rng, self.count, self.dim) * (1 - gap)

    def steps(self, parent: np.ndarray) -> np.ndarray:
        """Children as far from their parents as these are from the border, from a thousandth to ten times."""
        gap = 1 - np.linalg.norm(parent, axis=1, keepdims=True)
        gap = gap * _powers(self.rng, self.count, 1e-3, 10)
        return self.inside(
            parent + _rays(self.rng, self.count, self.dim) * gap * _powers(self.rng, self.count, 1e-3, 10)
        )

    def on_shell(self) -> np.ndarray:
        """At the radius ε(K) where the aperture is a right angle, and just beside it."""
        beside = self.rng.choice([-1.0, 0.0, 1.0], (self.count, 1)) * _powers(self.rng, self.count, 1e-17, 1e-3)
        return _rays(self.rng, self.count, self.dim) * self.shell * (1 + beside)


class _Flat(_Ball):
    """Pairs of flat space, from a millionth to a million, and far beyond instead of near a border."""

    def __init__(self, rng: np.random.Generator, count: int, dim: int, K: float, type_: str) -> None:
        super().__init__(rng, count, dim, K, type_)
        self.shell = K
        self.farthest = 1e150 if type_ == "float64" else 1e18

    def anywhere(self) -> np.ndarray:
        return _rays(self.rng, self.count, self.dim) * _powers(self.rng, self.count, 1e-6, 1e6)

    def inside(self, points: np.ndarray) -> np.ndarray:
        return points

    def near_border(self) -> np.ndarray:
        return _rays(self.rng, self.count, self.dim) * _powers(self.rng, self.count, self.farthest**0.5, self.farthest)

    def steps(self, parent: np.ndarray) -> np.ndarray:
        size = np.linalg.norm(parent, axis=1, keepdims=True)
        return parent + _rays(self.rng, self.count, self.dim) * size * _powers(self.rng, self.count, 1e-3, 1)


def _anywhere(space: _Ball) -> Pairs:
    return space.anywhere(), space.anywhere()


def _near_border(space: _Ball) -> Pairs:
    parent = space.near_border()
    return parent, space.steps(parent)


def _on_shell(space: _Ball) -> Pairs:
    return space.on_shell(), space.anywhere()


def _equal(space: _Ball) -> Pairs:
    parent = space.anywhere()
    return parent, parent.copy()


def _antipodal(space: _Ball) -> Pairs:
    parent = space.anywhere()
    share = np.where(space.rng.random((space.count, 1)) < 0.5, 1.0, space.rng.random((space.count, 1)))
    return parent, -share * parent


def _almost_equal(space: _Ball) -> Pairs:
    parent = space.anywhere()
    apart = 1e-12 * _powers(space.rng, space.count, 1e-3, 1e3) * np.linalg.norm(parent, axis=1, keepdims=True)
    return parent, space.inside(parent + apart * _rays(space.rng, space.count, space.dim))


def _one_ray(space: _Ball) -> Pairs:
    parent = space.anywhere()
    return parent, space.inside(parent * _powers(space.rng, space.count, 1e-2, 1e2))


def _tiny(space: _Ball) -> Pairs:
    """Zeros, subnormals, numbers whose squares are, and points that have both such coordinates and usual ones."""
    tiny, least = float(space.numbers.tiny), float(space.numbers.smallest_subnormal)
    sizes = np.array([0.0, least, 9 * least, tiny, tiny**0.5, tiny**0.75])

    def points() -> np.ndarray:
        small = _rays(space.rng, space.count, space.dim) * space.rng.choice(sizes, (space.count, 1))
        small[1::4, 0] = 0.3
        return small

    parent, child = points(), points()
    child[2::4] = parent[2::4] + child[2::4]
    return parent, child


REGIONS: dict[str, Callable[[_Ball], Pairs]] = {
    "anywhere": _anywhere,
    "at the border": _near_border,
    "on the ε-shell": _on_shell,
    "parent = child": _equal,
    "antipodal": _antipodal,
    "almost equal": _almost_equal,
    "on one ray": _one_ray,
    "zero and subnormal": _tiny,
}


def pairs(region: str, space: str, seed: object, count: int, dim: int, K: float, type_: str = "float64") -> Pairs:
    """Parents and children of a region, in the ball or in flat space, in float64 or float32."""
    rng = np.random.default_rng(seed)  # type: ignore[arg-type]
    drawn = REGIONS[region]((_Ball if space == "ball" else _Flat)(rng, count, dim, K, type_))
    parent, child = (points.astype(type_) for points in drawn)
    return parent, child
