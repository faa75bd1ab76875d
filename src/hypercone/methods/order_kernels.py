"""Order embeddings (Vendrov et al., 2016), compiled: E = |max(0, parent − child)|², coordinate by coordinate."""
# mypy: ignore-errors

from typing import NamedTuple

from hypercone._jit import kernel_part, width
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
from hypercone.methods.sum_kernels import squared_excess


class OrderConstants(NamedTuple):
    """The constants of the method: no bounds on the norm, and the margin."""

    inner: float
    outer: float
    margin: float


@kernel_part
def _energy(points, parent, child, dim):
    total = 0.0
    for k in range(width(dim)):
        excess = max(0.0, points[parent, k] - points[child, k])
        total += excess * excess
    return total


@region.register(OrderConstants)
def _region(method, points, parent, push, dim):
    return (0.0,)


@is_within_margin.register(OrderConstants)
def _is_within_margin(method, region, points, parent, child, dim):
    # Inside the region the energy is zero, so there is no gradient.
    energy = squared_excess(points, parent, child, dim)
    return (energy < method.margin) & (energy > 0.0)


@is_outside.register(OrderConstants)
def _is_outside(method, region, points, parent, child, dim):
    return squared_excess(points, parent, child, dim) > 0.0


@add_gradient.register(OrderConstants)
def _add_gradient(method, region, points, parent, child, weight, of_parent, of_child, dim):
    for k in range(width(dim)):
        slope = 2.0 * weight * max(0.0, points[parent, k] - points[child, k])
        of_parent[k] += slope
        of_child[k] -= slope


@signed_energy.register(OrderConstants)
def _signed_energy(method, points, parent, child, dim):
    return _energy(points, parent, child, dim)


@reach.register(OrderConstants)
def _reach(method, bound):
    return bound


@may_reach.register(OrderConstants)
def _may_reach(method, reach, points, parent, child, dim):
    return _energy(points, parent, child, dim) <= reach


inverse_scale.register(OrderConstants)(flat_inverse_scale)
move_along_geodesic.register(OrderConstants)(move_along_line)
