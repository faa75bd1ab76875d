"""Hyperbolic entailment cones in the Poincaré ball (paper §3).

The cone of a parent opens outward around its axis, the ray from the origin through the parent; a child is entailed
if it lies inside. Points are in the shell ε(K) ≤ |x| < 1, where inclusion of cones is a partial order.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hypercone.geometry._vectors import (
    Array,
    Booleans,
    along_and_across,
    ball_points,
    border_gap,
    cone_root,
    direction,
    dot,
    length,
    positive,
    positive_k,
)


def inner_radius(K: float) -> float:
    """ε(K) = 2K/(1 + √(1+4K²)), the radius in (0, 1) below which cones are undefined, because sin ψ would exceed 1.

    >>> round(inner_radius(0.1), 6)
    0.09902
    """
    K = positive_k(K)
    return 2 * K / (1 + cone_root(K))


def half_aperture(x: npt.ArrayLike, K: float) -> Array:
    """ψ(x) = arcsin(K(1−|x|²)/|x|), half the opening of the cone at x, in (0, π/2]; narrow near the border.

    At or below the inner radius it is π/2.

    >>> float(half_aperture([0.5, 0.0], 0.1).round(6))
    0.150568
    """
    (x,) = ball_points(x)
    reach = positive(positive_k(K) * border_gap(x))
    return np.asarray(np.arcsin(reach / np.maximum(length(x), reach)))


def cone_angle(parent: npt.ArrayLike, child: npt.ArrayLike) -> Array:
    """Ξ(parent, child), the angle at the parent between its axis and the geodesic to the child, in [0, π].

    0 is straight outward, π straight toward the origin. A child equal to its parent has angle 0, so that every
    point lies in its own cone; a parent at the origin has no axis, and every angle there is π/2.

    >>> float(cone_angle([0.5, 0.0], [0.9, 0.0])), float(cone_angle([0.5, 0.0], [0.1, 0.0]).round(6))
    (0.0, 3.141593)
    """
    parent, child = ball_points(parent, child)
    step = child - parent
    # The stable form divided by |step|, so that the direction of tiny steps is accurate.
    along, across = along_and_across(direction(step), parent)
    gap = border_gap(parent)
    return np.asarray(np.arctan2(gap * across, gap * along - length(step) * length(parent)))


def cone_angle_paper(parent: npt.ArrayLike, child: npt.ArrayLike) -> Array:
    """Ξ by the arccos of Theorem 5 (eq. angle_oxy), for comparison with the paper; use `cone_angle` to compute.

    The cosine is clipped to [−1, 1]. Its numerator cancels near the border: in float64 a third of the close
    decisions are wrong at 1−|x| = 3e-4, half at 1e-4. Undefined (NaN) for a child equal to its parent
    and a parent at the origin.

    >>> float(cone_angle_paper([0.5, 0.0], [0.0, 0.5]).round(6))
    2.601173
    """
    x, y = ball_points(parent, child)
    xx, yy, xy = dot(x, x), dot(y, y), dot(x, y)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = length(x) * length(x - y) * np.sqrt(1 + xx * yy - 2 * xy)
        return np.asarray(np.arccos(np.clip((xy * (1 + xx) - xx * (1 + yy)) / below, -1, 1)))


def signed_energy(parent: npt.ArrayLike, child: npt.ArrayLike, K: float) -> Array:
    """Ξ − ψ, the angle by which the child is outside the parent's cone; negative inside. In [−π/2, π].

    >>> float(signed_energy([0.5, 0.0], [0.9, 0.0], 0.1).round(6))
    -0.150568
    """
    parent, child = ball_points(parent, child)
    return np.asarray(cone_angle(parent, child) - half_aperture(parent, K))


def energy(parent: npt.ArrayLike, child: npt.ArrayLike, K: float) -> Array:
    """E = max(0, Ξ − ψ), the angle by which the child misses the parent's cone, in [0, π]; 0 inside.

    >>> float(energy([0.5, 0.0], [0.9, 0.0], 0.1))
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

    >>> bool(contains([0.5, 0.0], [0.9, 0.0], 0.1)), bool(contains([0.9, 0.0], [0.5, 0.0], 0.1))
    (True, False)
    """
    return np.asarray(signed_energy(parent, child, K) <= 0)
