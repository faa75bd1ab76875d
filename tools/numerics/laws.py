"""The one table of stated errors: what every function promises against fifty digits, over the whole domain.

An answer is finite, in its range, and off by no more than its error says with e = c·eps, where eps is that of the type
of the points (2⁻⁵² or 2⁻²³), and by four subnormal numbers on top.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np
from tools.numerics import errors as error
from tools.numerics import exact, regions

from hypercone.geometry import caps, cones, euclidean_cones, hyperboloid, klein, order, poincare
from hypercone.methods import METHODS, Settings
from hypercone.methods.scoring import Scorer

Range = Callable[[float], tuple[float, float]]
PI, INFINITY = float(np.pi), float("inf")
SHELL = 0.25, 0.75
FEW_SUBNORMALS = 4


@dataclass(frozen=True)
class Law:
    """A function, its formula in fifty digits, and what may lie between the two."""

    name: str
    space: str
    takes: str
    call: Callable[..., Any]
    exact: Callable[..., Any]
    c: float
    error: error.Error
    # The least and the greatest answer, of K.
    range: Range | None = None
    is_compiled: bool = False

    @property
    def uses_k(self) -> bool:
        """Whether the cone constant is an argument."""
        return self.is_compiled or "K" in self.takes

    @property
    def types(self) -> tuple[str, ...]:
        """Compiled code knows float64 alone."""
        return ("float64",) if self.is_compiled else ("float64", "float32")


def _energies(method: str) -> Callable[..., Any]:
    def call(parent: np.ndarray, child: np.ndarray, K: float) -> np.ndarray:
        rows = np.arange(len(parent), dtype=np.int32)
        pairs = np.stack([rows, rows + np.int32(len(parent))], axis=1)
        points = np.concatenate([parent, child])
        return Scorer(points, METHODS[method], Settings(K=K)).signed_energies(pairs)

    return call


def _compiled(name: str, space: str, formula: Callable[..., Any], c: float, how: error.Error, range_: Range) -> Law:
    return Law(f"{name}, compiled", space, "pair", _energies(name), formula, c, how, range_, True)


def _clamped(energy: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments: max(mp.mpf(0), energy(*arguments))


def _ignoring_k(formula: Callable[..., Any]) -> Callable[..., Any]:
    return lambda parent, child, K: formula(parent, child)


def angles(K: float) -> tuple[float, float]:
    """From 0 to π."""
    return 0.0, PI


def apertures(K: float) -> tuple[float, float]:
    """From the smallest number, for an aperture of 0 would be no cone, to a right angle."""
    return 5e-324, PI / 2


def energies(K: float) -> tuple[float, float]:
    """From −π/2, deep inside, to π."""
    return -PI / 2, PI


def sizes(K: float) -> tuple[float, float]:
    """From 0."""
    return 0.0, INFINITY


def factors(K: float) -> tuple[float, float]:
    """From 2, at the origin."""
    return 2.0, INFINITY


def cap_radii(K: float) -> tuple[float, float]:
    """From 0 to arccos κ, which is known to a few eps."""
    return 0.0, float(np.arctan2(1, 2 * K)) * (1 + 1e-6)


def _project(points: np.ndarray) -> np.ndarray:
    return poincare.project(points, *SHELL)


LAWS = (
    Law("cones.half_aperture", "ball", "point, K", cones.half_aperture, exact.aperture, 2, error.APERTURE, apertures),
    Law("cones.cone_angle", "ball", "pair", cones.cone_angle, exact.cone_angle, 2, error.ANGLE, angles),
    Law("cones.signed_energy", "ball", "pair, K", cones.signed_energy, exact.energy, 2, error.ENERGY, energies),
    Law("cones.energy", "ball", "pair, K", cones.energy, _clamped(exact.energy), 2, error.ENERGY, angles),
    _compiled("hyperbolic-cones", "ball", exact.compiled_energy, 4, error.ENERGY, energies),
    Law(
        "euclidean_cones.half_aperture",
        "flat",
        "point, K",
        euclidean_cones.half_aperture,
        exact.flat_aperture,
        2,
        error.FLAT_APERTURE,
        apertures,
    ),
    Law(
        "euclidean_cones.cone_angle",
        "flat",
        "pair",
        euclidean_cones.cone_angle,
        exact.flat_angle,
        4,
        error.FLAT_ANGLE,
        angles,
    ),
    Law(
        "euclidean_cones.signed_energy",
        "flat",
        "pair, K",
        euclidean_cones.signed_energy,
        exact.flat_energy,
        4,
        error.FLAT_ENERGY,
        energies,
    ),
    Law(
        "euclidean_cones.energy",
        "flat",
        "pair, K",
        euclidean_cones.energy,
        _clamped(exact.flat_energy),
        4,
        error.FLAT_ENERGY,
        angles,
    ),
    _compiled("euclidean-cones", "flat", exact.compiled_flat_energy, 4, error.FLAT_ENERGY, energies),
    Law("order.energy", "flat", "pair", order.energy, exact.order_energy, 4, error.RELATIVE, sizes),
    _compiled("order", "flat", _ignoring_k(exact.order_energy), 4, error.RELATIVE, sizes),
    Law("poincare.distance", "ball", "pair", poincare.distance, exact.distance, 2, error.BORDERS, sizes),
    _compiled("poincare", "ball", _ignoring_k(exact.distance), 2, error.BORDERS_COMPILED, sizes),
    _compiled("euclidean", "flat", _ignoring_k(exact.flat_distance), 4, error.RELATIVE_COMPILED, sizes),
    Law("poincare.norm", "ball", "point", poincare.norm, exact.hyperbolic_norm, 2, error.BORDER, sizes),
    Law(
        "poincare.conformal_factor",
        "ball",
        "point",
        poincare.conformal_factor,
        exact.conformal_factor,
        2,
        error.BORDER,
        factors,
    ),
    Law("poincare.mobius_add", "ball", "pair", poincare.mobius_add, exact.mobius_add, 1, error.SUM),
    Law("poincare.exp_map", "ball", "tangent", poincare.exp_map, exact.exp_map, 2, error.WAY),
    Law("poincare.log_map", "ball", "pair", poincare.log_map, exact.log_map, 2, error.BORDERS),
    Law("caps.cap_radius", "ball", "point, K", caps.cap_radius, exact.cap_radius, 4, error.CAP, cap_radii),
    Law("caps.point_from_cap", "ball", "cap, K", caps.point_from_cap, exact.point_from_cap, 4, error.CAP_POINT),
    Law("klein.to_klein", "ball", "point", klein.to_klein, exact.to_klein, 2, error.RELATIVE),
    Law("klein.from_klein", "ball", "point", klein.from_klein, exact.from_klein, 2, error.ROOT),
    Law(
        "hyperboloid.to_hyperboloid",
        "ball",
        "point",
        hyperboloid.to_hyperboloid,
        exact.to_hyperboloid,
        2,
        error.BORDER,
    ),
    Law(
        "hyperboloid.from_hyperboloid",
        "ball",
        "lifted",
        hyperboloid.from_hyperboloid,
        exact.from_hyperboloid,
        2,
        error.RELATIVE,
    ),
    Law(
        "hyperboloid.distance",
        "ball",
        "lifted pair",
        hyperboloid.distance,
        exact.lifted_distance,
        8,
        error.LIFTED,
        sizes,
    ),
    Law(
        "hyperboloid.half_aperture",
        "ball",
        "lifted, K",
        hyperboloid.half_aperture,
        exact.lifted_aperture,
        2,
        error.LIFTED_APERTURE,
        apertures,
    ),
    Law(
        "hyperboloid.cone_angle",
        "ball",
        "lifted pair",
        hyperboloid.cone_angle,
        exact.lifted_angle,
        2,
        error.LIFTED_ANGLE,
        angles,
    ),
    Law(
        "poincare.riemannian_gradient",
        "ball",
        "pair",
        poincare.riemannian_gradient,
        exact.riemannian_gradient,
        4,
        error.BORDER,
    ),
    Law("poincare.project", "flat", "point", _project, lambda x: exact.project(x, *SHELL), 2, error.RELATIVE),
)


def _tangents(parent: np.ndarray, child: np.ndarray) -> np.ndarray:
    """Tangent vectors of hyperbolic length up to 60, most of them around 1."""
    sizes = np.array([0.01, 1.0, 3.0, 10.0], parent.dtype)[np.arange(len(parent)) % 4, None]
    return (sizes * 6 / poincare.conformal_factor(parent)[:, None] * child).astype(parent.dtype)


def arguments(law: Law, parent: np.ndarray, child: np.ndarray, K: float) -> tuple[np.ndarray, ...]:
    """The points, vectors and cap radii that the function is called with, from parents and children."""
    takes = law.takes.removesuffix(", K")
    if takes == "point":
        return (parent,)
    if takes == "tangent":
        return parent, _tangents(parent, child)
    if takes == "cap":
        share = np.clip(np.linalg.norm(child, axis=1), np.finfo(child.dtype).eps, 1)
        rays = np.where(np.any(parent != 0, axis=1, keepdims=True), parent, 1)
        return rays.astype(child.dtype), (share * np.arctan2(1, 2 * K)).astype(child.dtype)
    if takes == "lifted":
        return (hyperboloid.to_hyperboloid(parent),)
    if takes == "lifted pair":
        return hyperboloid.to_hyperboloid(parent), hyperboloid.to_hyperboloid(child)
    return parent, child


def answers(law: Law, region: str, seed: object, count: int, dim: int, K: float, type_: str) -> tuple[Any, ...]:
    """(arguments, answers) at seeded points of a region; any warning of NumPy is an error."""
    parent, child = regions.pairs(region, law.space, seed, count, dim, K, type_)
    given = arguments(law, parent, child, K)
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        found = np.asarray(law.call(*given, K) if law.uses_k else law.call(*given))
    assert found.dtype == type_
    return given, found


def is_in_range(law: Law, found: np.ndarray, K: float) -> bool:
    """Whether every answer is finite and in the range the function promises, whose ends round as the type does."""
    low, high = law.range(K) if law.range else (-np.inf, np.inf)
    is_within = (found >= found.dtype.type(low)) & (found <= found.dtype.type(high))
    # What rounds to zero is positive only if it is a number of the type.
    return bool((np.isfinite(found) & is_within & ((found > 0) | (low <= 0))).all())


def share_of_bound(
    law: Law, given: tuple[np.ndarray, ...], found: np.ndarray, row: int, K: float
) -> tuple[float, float]:
    """(the error, the error divided by the one that is stated) of one answer."""
    numbers = np.finfo(found.dtype)
    with mp.workdps(exact.DIGITS):
        points = [exact.vector(np.atleast_1d(each[row])) for each in given]
        right = law.exact(*points, mp.mpf(K)) if law.uses_k else law.exact(*points)
        if isinstance(right, list):
            off = exact.norm(exact.minus(exact.vector(found[row]), right))
        else:
            off = abs(mp.mpf(float(found[row])) - right)
        allowed = law.error.allowed(points, mp.mpf(K), law.c * mp.mpf(float(numbers.eps)), right)
        allowed += FEW_SUBNORMALS * mp.mpf(float(numbers.smallest_subnormal))
        return float(off), float(off / allowed)
