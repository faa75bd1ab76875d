"""The functions that a method implements for the compiled loops, and shared code: steps, optimizers, energies.

There are two families. The *margin* methods (cones, order embeddings) pull a child into its parent's region and push
negative pairs out of it; the *distance* methods (Poincaré, Euclidean) rank the true neighbor before corrupted ones.
``method`` is always the named tuple of a method's constants, ``points`` the array of all nodes, and ``parent`` and
``child`` are rows of it.
"""
# mypy: ignore-errors

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hypercone._jit import MANY, fma, generic, kernel, kernel_part, width
from hypercone._math_kernels import exp, tanh
from hypercone.methods.sum_kernels import squared_norm

# All methods.
# signed_energy(method, points, parent, child, dim) -> how far the child is outside the region; ≤ 0 inside.
signed_energy = generic("signed_energy")
# inverse_scale(method, squared_norm) -> 1/λ, the factor from hyperbolic to Euclidean lengths; 1 in Euclidean space.
inverse_scale = generic("inverse_scale")
# move_along_geodesic(method, points, row, tangent, dim): the full exponential map, in place.
move_along_geodesic = generic("move_along_geodesic")

# Margin methods.
# region(method, points, parent, push, dim) -> what the tests below need that depends on the parent only.
region = generic("region")
# is_outside(method, region, points, parent, child, dim) -> whether the energy is positive.
is_outside = generic("is_outside")
# is_within_margin(method, region, points, parent, child, dim) -> whether a corrupted pair still needs a push.
is_within_margin = generic("is_within_margin")
# add_gradient(method, region, points, parent, child, weight, of_parent, of_child, dim): adds weight·∂E to both.
add_gradient = generic("add_gradient")

# Distance methods.
# attraction(method, squared_distance, anchor_term, other_term) -> (e^−d, c, p, q) such that
# ∂d/∂anchor = c·((anchor − other) + p·anchor) and ∂d/∂other = c·((other − anchor) + q·other).
attraction = generic("attraction")
# point_term(method, squared_norm) -> the part of attraction that depends on one point only.
point_term = generic("point_term")

# Ranking: a cheap test that avoids most exact energies.
# reach(method, bound) -> the bound in the form the test below compares with.
reach = generic("reach")
# may_reach(method, reach, points, parent, child, dim) -> False only if the energy is certainly above the bound.
may_reach = generic("may_reach")


def ball_inverse_scale(method, squared_norm):
    """1/λ at a point: the Euclidean length of a hyperbolic unit."""
    return 0.5 * (1.0 - squared_norm)


def move_along_ball_geodesic(method, points, row, tangent, dim):
    """X ← exp_x(tangent) as x ⊕ y with y = tanh(λ|v|/2) v/|v|, which unlike the closed form cannot overflow.

    The usual denominator 1 + 2⟨x, y⟩ + |x|²|y|² suffers from cancellation for a long inward step from the border; the
    equivalent (1−|x|²)(1−|y|²) + |x+y|² does not.
    """
    xx = 0.0
    length = 0.0
    for k in range(width(dim)):
        xx += points[row, k] * points[row, k]
        length += tangent[k] * tangent[k]
    if length == 0.0:
        return
    length = math.sqrt(length)
    norm = math.sqrt(xx)
    gap = (1.0 - norm) * (1.0 + norm)
    half_way = length / gap
    reach = tanh(half_way) / length
    fade = exp(-2.0 * half_way)
    square = 0.0
    for k in range(width(dim)):
        total = points[row, k] + reach * tangent[k]
        square += total * total
    share = 1.0 / (gap * (4.0 * fade / ((1.0 + fade) * (1.0 + fade))) + square)
    for k in range(width(dim)):
        total = points[row, k] + reach * tangent[k]
        points[row, k] = (gap * total + square * points[row, k]) * share
    if not math.isfinite(length):
        # The squared length overflowed, so the direction is lost; NaN makes training report the divergence.
        points[row, 0] = math.nan


def flat_inverse_scale(method, squared_norm):
    """1/λ is 1 everywhere."""
    return 1.0


def move_along_line(method, points, row, tangent, dim):
    """X ← x + tangent."""
    for k in range(width(dim)):
        points[row, k] += tangent[k]


@kernel(weight=MANY)
def energies_of_pairs(points, pairs, method, dim):
    """Signed energy of each (parent, child)."""
    energies = np.empty(pairs.shape[0])
    for i in range(pairs.shape[0]):
        energies[i] = signed_energy(method, points, np.uint64(pairs[i, 0]), np.uint64(pairs[i, 1]), dim)
    return energies


@kernel(weight=MANY)
def energies_below(points, parent, method, dim):
    """Signed energy of (parent, x) for every node x."""
    energies = np.empty(points.shape[0])
    for row in range(points.shape[0]):
        energies[row] = signed_energy(method, points, np.uint64(parent), np.uint64(row), dim)
    return energies


@kernel(weight=MANY)
def energies_above(points, child, method, dim):
    """Signed energy of (x, child) for every node x."""
    energies = np.empty(points.shape[0])
    for row in range(points.shape[0]):
        energies[row] = signed_energy(method, points, np.uint64(row), np.uint64(child), dim)
    return energies


# At the inner shell the aperture has an infinite gradient: one such gradient in the sum of squares would stop a node
# permanently. Elsewhere, angles change by about one radian per unit of hyperbolic length.
LONGEST_GRADIENT = 1.0

# |x|² of a point so close to the origin that the direction is lost in rounding, and of one so far out that its squared
# distances from other points may overflow.
NO_RAY, NO_NUMBER = 1e-280, 1e302

# step(optimizer, method, points, memory, row, gradient, dim): one gradient step of one node, in place.
step = generic("step")


class Sgd(NamedTuple):
    """x ← x − rate · Riemannian gradient: the retraction the paper uses."""

    rate: float


class GeodesicSgd(NamedTuple):
    """x ← exp_x(−rate · Riemannian gradient): full Riemannian optimization."""

    rate: float


class Adagrad(NamedTuple):
    """Each node divides its rate by the root of the sum of its squared Riemannian gradients so far.

    One value per node, so that the direction of the gradient is preserved. The sum includes the current gradient, so no
    step is longer than the rate in hyperbolic length; this keeps training stable at high rates.
    """

    rate: float


@kernel_part
def _project(method, points, row, squared_norm, dim):
    """Project into the shell inner ≤ |x| ≤ outer along the ray from the origin; NaN if the norm overflows."""
    bound = 0.0
    if squared_norm > NO_NUMBER:
        # So far out that energies cannot be computed; NaN makes training report the divergence.
        points[row, 0] = math.nan
    elif squared_norm < method.inner * method.inner:
        bound = method.inner
    elif squared_norm > method.outer * method.outer:
        bound = method.outer
    if bound > 0.0:
        if squared_norm < NO_RAY:
            points[row, 0] = bound
        else:
            shrink = bound / math.sqrt(squared_norm)
            for k in range(width(dim)):
                points[row, k] *= shrink


@kernel_part
def _retract(method, points, row, gradient, factor, dim):
    for k in range(width(dim)):
        points[row, k] = fma(-factor, gradient[k], points[row, k])
    _project(method, points, row, squared_norm(points, row, dim), dim)


@step.register(Sgd)
def _sgd(optimizer, method, points, memory, row, gradient, dim):
    scale = inverse_scale(method, squared_norm(points, row, dim))
    _retract(method, points, row, gradient, optimizer.rate * scale * scale, dim)


@step.register(GeodesicSgd)
def _geodesic_sgd(optimizer, method, points, memory, row, gradient, dim):
    scale = inverse_scale(method, squared_norm(points, row, dim))
    for k in range(width(dim)):
        gradient[k] *= -optimizer.rate * scale * scale
    move_along_geodesic(method, points, row, gradient, dim)
    _project(method, points, row, squared_norm(points, row, dim), dim)


@step.register(Adagrad)
def _adagrad(optimizer, method, points, memory, row, gradient, dim):
    squared_gradient = 0.0
    for k in range(width(dim)):
        squared_gradient = fma(gradient[k], gradient[k], squared_gradient)
    scale = inverse_scale(method, squared_norm(points, row, dim))
    length = scale * math.sqrt(squared_gradient)
    if length > 0.0:
        clipped = min(length, LONGEST_GRADIENT)
        memory[row] += clipped * clipped
        factor = optimizer.rate * scale * scale * (clipped / length) / math.sqrt(memory[row])
        _retract(method, points, row, gradient, factor, dim)
