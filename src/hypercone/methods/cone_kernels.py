"""The angle of a cone and the gradient of its energy Ξ − ψ: hyperbolic (curvature 1) and Euclidean (curvature 0).

Both angles are ``Ξ = atan2(q s, q l − c r m)`` where, with û the direction of the parent and r its norm, l and s are
the parts of δ = child − parent along and across û, m = |δ|², c the curvature and q = 1 − c r². Only two directions
occur, û and ŝ = δ⊥/s, so the gradient is four scalars. Nothing here subtracts nearly equal numbers.
"""
# mypy: ignore-errors

import math

from hypercone._jit import exact_kernel_part, kernel_part, strict_kernel_part, width

# Squares of shorter ones have lost their digits: such a step counts as none, and such a parent as at the origin.
NO_STEP, NO_SPOKE = 1e-280, 1e-140


@kernel_part
def squared_norm(points, row, dim):
    """|x|² of one node."""
    total = 0.0
    for k in range(width(dim)):
        total += points[row, k] * points[row, k]
    return total


@kernel_part
def along_and_apart(points, parent, child, dim):
    """(⟨parent, δ⟩, |δ|²) with δ = child − parent: the two sums a margin test needs."""
    along = 0.0
    apart = 0.0
    for k in range(width(dim)):
        delta = points[child, k] - points[parent, k]
        along += points[parent, k] * delta
        apart += delta * delta
    return along, apart


def _spoke_parts(points, parent, child, dim):
    """(|parent|, the part of δ along the spoke, the part across it, |δ|²), each to full precision."""
    a = 0.0
    along = 0.0
    apart = 0.0
    for k in range(width(dim)):
        delta = points[child, k] - points[parent, k]
        a += points[parent, k] * points[parent, k]
        along += points[parent, k] * delta
        apart += delta * delta
    across = 0.0
    for k in range(width(dim)):
        side = points[child, k] - points[parent, k] - along / a * points[parent, k]
        across += side * side
    r = math.sqrt(a)
    return r, along / r, math.sqrt(across), apart


# One formula compiled twice: with fused multiply-adds for gradients, and to the same bits everywhere for energies.
spoke_parts = exact_kernel_part(_spoke_parts)
strict_spoke_parts = strict_kernel_part(_spoke_parts)


@strict_kernel_part
def strict_cone_angle(r, along, across, apart, curvature):
    """Ξ from the parts of the spoke, with the conventions of geometry.cones for what has no direction."""
    if apart < NO_STEP:
        return 0.0
    if not r > NO_SPOKE:
        return math.pi / 2
    q = (1.0 - curvature * r) * (1.0 + curvature * r)
    return math.atan2(q * across, q * along - curvature * apart * r)


@exact_kernel_part
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
    # On the spoke itself the across direction does not exist and the angle has a kink: take its part as zero.
    unit_across = 1.0 / across if across > 0.0 else 0.0
    for k in range(width(dim)):
        spoke = points[parent, k] / r
        side = (points[child, k] - points[parent, k] - along * spoke) * unit_across
        of_parent[k] += parent_along * spoke + parent_across * side
        of_child[k] += child_along * spoke + child_across * side
