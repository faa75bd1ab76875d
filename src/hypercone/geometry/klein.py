"""The same cones in the Klein model, where geodesics are straight (not in the paper).

There a hyperbolic cone is a Euclidean entailment cone with κ in place of K: circular around its axis and tangent to the
ball B(0, κ). Functions about cones take Poincaré points, as elsewhere. Klein radii accumulate at the border
(1−ρ ≈ (1−r)²/2), so these forms are for proofs, pictures and indexes, not for 1−r below about 1e-4.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hypercone.geometry import euclidean_cones
from hypercone.geometry._vectors import Array, Booleans, ball_points, border_gap, dot, length
from hypercone.geometry.caps import kappa


def to_klein(x: npt.ArrayLike) -> Array:
    """The Klein point 2x/(1+|x|²) of a Poincaré point: the same ray, further out.

    >>> to_klein([0.5, 0.0]).tolist()
    [0.8, 0.0]
    """
    (x,) = ball_points(x)
    return np.asarray(2 * x / (1 + dot(x, x))[..., None])


def from_klein(k: npt.ArrayLike) -> Array:
    """The Poincaré point k/(1+√(1−|k|²)) of a Klein point: the inverse of `to_klein`.

    >>> from_klein([0.8, 0.0]).round(12).tolist()
    [0.5, 0.0]
    """
    (k,) = ball_points(k)
    return np.asarray(k / (1 + np.sqrt(border_gap(k)))[..., None])


def klein_radius(x: npt.ArrayLike) -> Array:
    """ρ = 2|x|/(1+|x|²), the length of the Klein point of a Poincaré point, in [0, 1].

    >>> float(klein_radius([0.5, 0.0]))
    0.8
    """
    (x,) = ball_points(x)
    radius = length(x)
    return np.asarray(2 * radius / (1 + radius**2))


def cone_half_angle(x: npt.ArrayLike, K: float) -> Array:
    """φ with sin φ = κ/ρ: half the Euclidean opening, in Klein coordinates, of the cone of x.

    In [arcsin κ, π/2]: unlike ψ it does not go to zero at the border. At or below the inner radius it is π/2.

    >>> float(cone_half_angle([0.5, 0.0], 0.1).round(6))
    0.247669
    """
    return euclidean_cones.half_aperture(to_klein(x), kappa(K))


def contains(parent: npt.ArrayLike, child: npt.ArrayLike, K: float) -> Booleans:
    """Whether the child lies in the parent's cone, decided by straight lines in Klein coordinates.

    >>> bool(contains([0.5, 0.0], [0.9, 0.0], 0.1)), bool(contains([0.9, 0.0], [0.5, 0.0], 0.1))
    (True, False)
    """
    return euclidean_cones.contains(to_klein(parent), to_klein(child), kappa(K))


def convex_hull_contains(parent: npt.ArrayLike, child: npt.ArrayLike, K: float) -> Booleans:
    """Whether the parent lies in conv(B(0, κ) ∪ {child}) in Klein coordinates: the cone, seen from the child.

    This set is all ancestors of the child. The hull of a point of the hull is inside the hull, hence transitivity.

    >>> bool(convex_hull_contains([0.5, 0.0], [0.9, 0.0], 0.1))
    True
    """
    parent, child = ball_points(parent, child)
    u, v, low = to_klein(parent), to_klein(child), kappa(K)
    # u is in the hull ⇔ |u − tv| ≤ (1−t)κ for some t in [0, 1]; squared, a parabola in t, lowest at
    # t = (⟨u,v⟩−κ²)/(|v|²−κ²).
    curve = dot(v, v) - low**2
    lowest = (dot(u, v) - low**2) / np.where(curve > 0, curve, 1)
    t = np.where(curve > 0, np.clip(lowest, 0, 1), 0)
    return np.asarray(length(u - t[..., None] * v) <= (1 - t) * low)
