"""Euclidean entailment cones (end of paper §3): the same functions as in `cones`, with straight lines as geodesics.

They are also what hyperbolic cones become in the Klein model (see `klein`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hypercone.geometry._vectors import (
    Array,
    Booleans,
    along_and_across,
    as_floats,
    direction,
    dot,
    length,
    positive,
    positive_k,
)


def inner_radius(K: float) -> float:
    """The radius K below which cones are undefined, because sin ψ = K/|x| would exceed 1.

    >>> inner_radius(0.1)
    0.1
    """
    return positive_k(K)


def half_aperture(x: npt.ArrayLike, K: float) -> Array:
    """ψ(x) = arcsin(K/|x|), half the opening of the cone at x, in (0, π/2]; narrow far out.

    At or below the inner radius it is π/2. The widest choice that is transitive: r·sin ψ(r) must be
    non-increasing (the paper prints non-decreasing).

    >>> float(half_aperture([0.2, 0.0], 0.1).round(6))
    0.523599
    """
    (x,) = as_floats(x)
    reach = positive(np.asarray(positive_k(K), x.dtype))
    return np.asarray(np.arcsin(positive(reach / np.maximum(length(x), reach))))


def cone_angle(parent: npt.ArrayLike, child: npt.ArrayLike) -> Array:
    """Ξ(parent, child), the angle at the parent between its axis and the line to the child, in [0, π].

    A child equal to its parent has angle 0, so that every point lies in its own cone; a parent at the origin
    has no axis, and every angle there is π/2.

    >>> float(cone_angle([1.0, 0.0], [2.0, 1.0]).round(6))
    0.785398
    """
    parent, child = as_floats(parent, child)
    # From the normalized step, so that the direction of tiny steps is accurate.
    along, across = along_and_across(direction(child - parent), parent)
    return np.asarray(np.arctan2(across, along))


def cone_angle_paper(parent: npt.ArrayLike, child: npt.ArrayLike) -> Array:
    """Ξ by the arccos of the paper (eq. psi_eucl), for comparison with it; use `cone_angle` to compute.

    The cosine is clipped to [−1, 1]. Undefined (NaN) for a child equal to its parent and a parent at
    the origin.

    >>> float(cone_angle_paper([1.0, 0.0], [2.0, 1.0]).round(6))
    0.785398
    """
    x, y = as_floats(parent, child)
    above = dot(y, y) - dot(x, x) - dot(x - y, x - y)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.arccos(np.clip(above / (2 * length(x) * length(x - y)), -1, 1)))


def signed_energy(parent: npt.ArrayLike, child: npt.ArrayLike, K: float) -> Array:
    """Ξ − ψ, the angle by which the child is outside the parent's cone; negative inside. In [−π/2, π].

    >>> float(signed_energy([0.2, 0.0], [0.3, 0.0], 0.1).round(6))
    -0.523599
    """
    parent, child = as_floats(parent, child)
    return np.asarray(cone_angle(parent, child) - half_aperture(parent, K))


def energy(parent: npt.ArrayLike, child: npt.ArrayLike, K: float) -> Array:
    """E = max(0, Ξ − ψ), the angle by which the child misses the parent's cone, in [0, π]; 0 inside.

    >>> float(energy([0.2, 0.0], [0.3, 0.0], 0.1))
    0.0
    """
    return np.asarray(np.maximum(signed_energy(parent, child, K), 0))


def max_margin_loss(
    parent: npt.ArrayLike,
    child: npt.ArrayLike,
    negative_parent: npt.ArrayLike,
    negative_child: npt.ArrayLike,
    K: float,
    margin: float = 0.01,
) -> float:
    """The paper's loss Σ E(u, v) + Σ max(0, γ − E(u′, v′)): edges inside their cones, negative pairs γ outside.

    The first sum is over the edges (parent, child), the second over the negative pairs.

    >>> round(max_margin_loss([[0.5, 0.0]], [[0.9, 0.0]], [[0.9, 0.0]], [[0.5, 0.0]], 0.1), 6)
    0.0
    """
    negatives = energy(negative_parent, negative_child, K)
    return float(np.sum(energy(parent, child, K)) + np.sum(np.maximum(margin - negatives, 0)))


def contains(parent: npt.ArrayLike, child: npt.ArrayLike, K: float) -> Booleans:
    """Whether the child lies in the closed cone of the parent; every point contains itself.

    >>> bool(contains([0.2, 0.0], [0.3, 0.0], 0.1)), bool(contains([0.3, 0.0], [0.2, 0.0], 0.1))
    (True, False)
    """
    return np.asarray(signed_energy(parent, child, K) <= 0)
