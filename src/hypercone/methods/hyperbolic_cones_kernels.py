"""Hyperbolic entailment cones, compiled: a margin test without transcendental functions, the gradient, the energy.

With δ = child − parent, a = |parent|² and q = 1 − a, the test needs two dot products, u = ⟨parent, δ⟩ and m = |δ|²: the
cosine of the angle Ξ is ``n / sqrt(s)`` with ``n = q u − a m`` and ``s = a m (q² − 2 q u + a m)``. The comparison
``cos Ξ > c`` is ``n|n| > c|c| s``, for either sign of c, and needs no square root.

In both geometries the angle is ``Ξ = atan2(q s, q l − c r m)`` where, with û the direction of the parent and r its
norm, l and s are the components of δ along and across û, m = |δ|², c is the curvature and q = 1 − c r². Only two
directions occur, û and ŝ = δ⊥/s, so the gradient is four scalars. No nearly equal numbers are subtracted.
"""
# mypy: ignore-errors

from __future__ import annotations

import math
from typing import NamedTuple

from hypercone._jit import fma, kernel_part, width
from hypercone._math_kernels import asin, atan2, sin_cos
from hypercone.methods.generic_kernels import (
    add_gradient,
    ball_inverse_scale,
    inverse_scale,
    is_outside,
    is_within_margin,
    may_reach,
    move_along_ball_geodesic,
    move_along_geodesic,
    reach,
    region,
    signed_energy,
)
from hypercone.methods.sum_kernels import along_and_apart, squared_norm


class HyperbolicConesConstants(NamedTuple):
    """The constants of the method: shell inner ≤ |x| ≤ outer, cone constant K, cosine and sine of the margin γ."""

    inner: float
    outer: float
    K: float
    cos_margin: float
    sin_margin: float


@region.register(HyperbolicConesConstants)
def _region(method, points, parent, push, dim):
    a = squared_norm(points, parent, dim)
    q = 1.0 - a
    # At the inner shell the sine reaches 1 and the gradient of ψ is infinite; points stay outside, except for rounding.
    sine = min(method.K * q / math.sqrt(a), 1.0 - 1e-12)
    cosine = math.sqrt(fma(-sine, sine, 1.0))
    at_margin = fma(cosine, method.cos_margin, -sine * method.sin_margin)
    # The paper's hinge loss has no gradient for a corrupted child deep inside; pushing removes this bound.
    ceiling = math.inf if push else cosine * cosine
    return a, q, sine, cosine, at_margin * abs(at_margin), ceiling


@kernel_part
def _cosine_parts(region, points, parent, child, dim):
    """(n|n|, s) with cos Ξ = n / sqrt(s)."""
    a, q, _, _, _, _ = region
    u, m = along_and_apart(points, parent, child, dim)
    m *= a
    n = fma(q, u, -m)
    return n * abs(n), m * fma(q, q - (u + u), m)


@is_within_margin.register(HyperbolicConesConstants)
def _is_within_margin(method, region, points, parent, child, dim):
    n, s = _cosine_parts(region, points, parent, child, dim)
    return (n > region[4] * s) & (n < region[5] * s)


@is_outside.register(HyperbolicConesConstants)
def _is_outside(method, region, points, parent, child, dim):
    n, s = _cosine_parts(region, points, parent, child, dim)
    return n < region[3] * region[3] * s


@add_gradient.register(HyperbolicConesConstants)
def _add_gradient(method, region, points, parent, child, weight, of_parent, of_child, dim):
    a, _, _, cosine, _, _ = region
    aperture_slope = -method.K * (1.0 + a) / (a * cosine)
    add_cone_gradient(points, parent, child, 1.0, aperture_slope, weight, of_parent, of_child, dim)


@signed_energy.register(HyperbolicConesConstants)
def _signed_energy(method, points, parent, child, dim):
    r, along, across, m = spoke_parts(points, parent, child, dim)
    q = (1.0 - r) * (1.0 + r)
    return cone_angle(r, along, across, m, 1.0) - asin(min(1.0, method.K * q / r) if r > 0.0 else 1.0)


@reach.register(HyperbolicConesConstants)
def _reach(method, bound):
    # The margin test with the bound as its margin, widened by far more than the rounding error of the test.
    loose = min(bound + 1e-6, math.pi / 2)
    sine, cosine = sin_cos(loose)
    return HyperbolicConesConstants(method.inner, method.outer, method.K, cosine, sine), bound


@may_reach.register(HyperbolicConesConstants)
def _may_reach(method, reach, points, parent, child, dim):
    widened, bound = reach
    a, u, m = spoke_sums(points, parent, child, dim)
    q = 1.0 - a
    n = q * u - a * m
    # Most nodes are not in the forward half space, which decides it without a root unless the cone is that wide.
    wide = widened.K * q
    if n < 0.0 and wide * wide < widened.cos_margin * widened.cos_margin * a:
        return False
    # A child at the point of its parent has angle 0, but the cosine is undefined.
    at_margin = cosine_at_margin(wide, a, widened)
    return (
        (m == 0.0) | (bound > 1.5) | (n * abs(n) > at_margin * abs(at_margin) * a * m * (q * q - 2.0 * q * u + a * m))
    )


inverse_scale.register(HyperbolicConesConstants)(ball_inverse_scale)
move_along_geodesic.register(HyperbolicConesConstants)(move_along_ball_geodesic)


# Below these the squares underflow: such a step counts as zero, and such a parent as the origin.
NO_STEP, NO_SPOKE = 1e-280, 1e-140


@kernel_part
def cosine_at_margin(wide, a, method):
    """cos(ψ + γ) of a parent with |parent|² = a, where sin ψ is ``wide``/|parent|."""
    sine = min(wide / math.sqrt(a), 1.0 - 1e-12)
    return math.sqrt(1.0 - sine * sine) * method.cos_margin - sine * method.sin_margin


@kernel_part
def spoke_sums(points, parent, child, dim):
    """(|parent|², ⟨parent, δ⟩, |δ|²) with δ = child − parent, in the order in which both tiers add."""
    a = 0.0
    along = 0.0
    apart = 0.0
    for k in range(width(dim)):
        delta = points[child, k] - points[parent, k]
        a += points[parent, k] * points[parent, k]
        along += points[parent, k] * delta
        apart += delta * delta
    return a, along, apart


@kernel_part
def spoke_parts(points, parent, child, dim):
    """(|parent|, the component of δ along the parent, the component across it, |δ|²), each to full precision."""
    a, along, apart = spoke_sums(points, parent, child, dim)
    across = 0.0
    for k in range(width(dim)):
        side = points[child, k] - points[parent, k] - along / a * points[parent, k]
        across += side * side
    r = math.sqrt(a)
    return r, along / r, math.sqrt(across), apart


@kernel_part
def cone_angle(r, along, across, apart, curvature):
    """Ξ from the result of ``spoke_parts``, with the conventions of geometry.cones where it is undefined."""
    if apart < NO_STEP:
        return 0.0
    if not r > NO_SPOKE:
        return math.pi / 2
    q = (1.0 - curvature * r) * (1.0 + curvature * r)
    return atan2(q * across, q * along - curvature * apart * r)


@kernel_part
def add_cone_gradient(points, parent, child, curvature, aperture_slope, weight, of_parent, of_child, dim):
    """Add weight·∂(Ξ − ψ) to both gradients; ``aperture_slope`` is dψ/dr at the parent."""
    r, along, across, m = spoke_parts(points, parent, child, dim)
    q = 1.0 - curvature * r * r
    if m == 0.0:
        return
    y = q * across
    x = q * along - curvature * r * m
    share = weight / (y * y + x * x)
    parent_along = share * (y * (q + curvature * m) - 2.0 * curvature * r * across * x) - weight * aperture_slope
    parent_across = -share * (q * x * (1.0 + along / r) + y * across * (q / r + 2.0 * curvature * r))
    child_along = share * y * (2.0 * curvature * r * along - q)
    child_across = share * (q * x + 2.0 * curvature * r * across * y)
    # On the ray through the parent the across direction is undefined and the angle has a kink: use zero.
    unit_across = 1.0 / across if across > 0.0 else 0.0
    for k in range(width(dim)):
        spoke = points[parent, k] / r
        side = (points[child, k] - points[parent, k] - along * spoke) * unit_across
        of_parent[k] = fma(parent_along, spoke, fma(parent_across, side, of_parent[k]))
        of_child[k] = fma(child_along, spoke, fma(child_across, side, of_child[k]))
