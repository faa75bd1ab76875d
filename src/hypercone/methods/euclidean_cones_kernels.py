"""Euclidean entailment cones, compiled; the same tests as the hyperbolic ones with curvature 0.

With δ = child − parent and a = |parent|², ``cos Ξ = ⟨parent, δ⟩ / sqrt(a |δ|²)`` and ``sin ψ = K/|parent|``.
"""
# mypy: ignore-errors

import math
from typing import NamedTuple

from hypercone._jit import fma
from hypercone._math_kernels import asin, sin_cos
from hypercone.methods.generic_kernels import (
    add_gradient,
    flat_inverse_scale,
    inverse_scale,
    is_outside,
    is_within_margin,
    may_reach,
    move_along_geodesic,
    move_along_line,
    reach,
    region,
    signed_energy,
)
from hypercone.methods.hyperbolic_cones_kernels import (
    add_cone_gradient,
    cone_angle,
    cosine_at_margin,
    spoke_parts,
    spoke_sums,
)
from hypercone.methods.sum_kernels import along_and_apart, squared_norm


class EuclideanConesConstants(NamedTuple):
    """The constants of the method: |x| ≥ inner, cone constant K, cosine and sine of the margin γ."""

    inner: float
    outer: float
    K: float
    cos_margin: float
    sin_margin: float


@region.register(EuclideanConesConstants)
def _region(method, points, parent, push, dim):
    a = squared_norm(points, parent, dim)
    sine = min(method.K / math.sqrt(a), 1.0 - 1e-12)
    cosine = math.sqrt(fma(-sine, sine, 1.0))
    at_margin = fma(cosine, method.cos_margin, -sine * method.sin_margin)
    # As for hyperbolic cones: to push out a corrupted child that is deep inside, its angle has no lower bound.
    ceiling = math.inf if push else cosine * cosine
    return a, cosine, at_margin * abs(at_margin), ceiling


@is_within_margin.register(EuclideanConesConstants)
def _is_within_margin(method, region, points, parent, child, dim):
    a, _, floor, ceiling = region
    n, m = along_and_apart(points, parent, child, dim)
    return (n * abs(n) > floor * a * m) & (n * abs(n) < ceiling * a * m)


@is_outside.register(EuclideanConesConstants)
def _is_outside(method, region, points, parent, child, dim):
    a, cosine, _, _ = region
    n, m = along_and_apart(points, parent, child, dim)
    return n * abs(n) < cosine * cosine * a * m


@add_gradient.register(EuclideanConesConstants)
def _add_gradient(method, region, points, parent, child, weight, of_parent, of_child, dim):
    a, cosine, _, _ = region
    add_cone_gradient(points, parent, child, 0.0, -method.K / (a * cosine), weight, of_parent, of_child, dim)


@signed_energy.register(EuclideanConesConstants)
def _signed_energy(method, points, parent, child, dim):
    r, along, across, m = spoke_parts(points, parent, child, dim)
    return cone_angle(r, along, across, m, 0.0) - asin(min(1.0, method.K / r) if r > 0.0 else 1.0)


@reach.register(EuclideanConesConstants)
def _reach(method, bound):
    # The margin test with the bound as its margin, widened by far more than the rounding error of the test.
    loose = min(bound + 1e-6, math.pi / 2)
    sine, cosine = sin_cos(loose)
    return EuclideanConesConstants(method.inner, method.outer, method.K, cosine, sine), bound


@may_reach.register(EuclideanConesConstants)
def _may_reach(method, reach, points, parent, child, dim):
    widened, bound = reach
    a, n, m = spoke_sums(points, parent, child, dim)
    if n < 0.0 and widened.K * widened.K < widened.cos_margin * widened.cos_margin * a:
        return False
    # A child at the point of its parent has angle 0, but the cosine is undefined.
    at_margin = cosine_at_margin(widened.K, a, widened)
    return (m == 0.0) | (bound > 1.5) | (n * abs(n) > at_margin * abs(at_margin) * a * m)


inverse_scale.register(EuclideanConesConstants)(flat_inverse_scale)
move_along_geodesic.register(EuclideanConesConstants)(move_along_line)
