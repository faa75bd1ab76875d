"""Poincaré embeddings, compiled: the softmax weight of a distance and its gradient, both algebraic.

With z = cosh d, ``e^−d = 1 / (z + sqrt(z² − 1))``, so neither arccosh nor exp is needed to train.
"""
# mypy: ignore-errors

from __future__ import annotations

import math
from typing import NamedTuple

from hypercone._jit import kernel_part, width
from hypercone._math_kernels import asinh, sinh
from hypercone.methods.generic_kernels import (
    attraction,
    ball_inverse_scale,
    inverse_scale,
    may_reach,
    move_along_ball_geodesic,
    move_along_geodesic,
    point_term,
    reach,
    signed_energy,
)

# A point whose norm rounds to 1 counts as the largest float below 1, as in geometry.
LAST_GAP = 2.0**-53


class PoincareConstants(NamedTuple):
    """The constants of the method: |x| ≤ outer (inner is 0), and α of the score (1 + α(|u| − |v|)) d."""

    inner: float
    outer: float
    alpha: float


@point_term.register(PoincareConstants)
def _point_term(method, squared_norm):
    return 1.0 / (1.0 - squared_norm)


@attraction.register(PoincareConstants)
def _attraction(method, squared_distance, anchor_term, other_term):
    terms = anchor_term * other_term
    excess = 2.0 * squared_distance * terms
    root = math.sqrt(excess * (excess + 2.0))
    # The direction between two equal points is undefined; the lower bound avoids 0/0.
    bottom = max(root, 1e-10)
    growth = 1.0 + excess + root
    # One division for 1 / growth and 1 / bottom.
    share = 1.0 / (growth * bottom)
    slope = 4.0 * terms * growth * share
    return bottom * share, slope, squared_distance * anchor_term, squared_distance * other_term


@signed_energy.register(PoincareConstants)
def _signed_energy(method, points, parent, child, dim):
    uu, vv, dd = norms_and_distance(points, parent, child, dim)
    u = math.sqrt(uu)
    v = math.sqrt(vv)
    terms = max(1.0 - u, LAST_GAP) * (1.0 + u) * max(1.0 - v, LAST_GAP) * (1.0 + v)
    return (1.0 + method.alpha * (u - v)) * 2.0 * asinh(math.sqrt(dd / terms))


@reach.register(PoincareConstants)
def _reach(method, bound):
    side = sinh(0.5 * bound)
    return side * side * (1.0 + 1e-6)


@may_reach.register(PoincareConstants)
def _may_reach(method, reach, points, parent, child, dim):
    uu, vv, dd = norms_and_distance(points, parent, child, dim)
    # With α the distance alone gives no bound, so any pair may reach it.
    return (method.alpha != 0.0) | (dd <= reach * (1.0 - uu) * (1.0 - vv))


inverse_scale.register(PoincareConstants)(ball_inverse_scale)
move_along_geodesic.register(PoincareConstants)(move_along_ball_geodesic)


@kernel_part
def norms_and_distance(points, parent, child, dim):
    """(|parent|², |child|², |parent − child|²)"""
    uu = 0.0
    vv = 0.0
    dd = 0.0
    for k in range(width(dim)):
        delta = points[child, k] - points[parent, k]
        uu += points[parent, k] * points[parent, k]
        vv += points[child, k] * points[child, k]
        dd += delta * delta
    return uu, vv, dd
