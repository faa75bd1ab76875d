"""One optimiser step on one node, compiled: plain SGD, SGD along geodesics, row-wise Riemannian Adagrad."""
# mypy: ignore-errors

import math
from typing import NamedTuple

from hypercone._jit import generic, kernel_part, width
from hypercone.methods.generic_kernels import inverse_scale, move_along_geodesic

# At the inner shell the aperture has an infinite gradient: one such gradient in the sum of squares would freeze a node
# for good. Angles change by about one radian a unit of hyperbolic length elsewhere.
LONGEST_GRADIENT = 1.0

# |x|² of a point so near the origin that its square has lost the digits of its direction, and of one so far out that
# the squares of its distances from others may be infinite.
NO_RAY, NO_NUMBER = 1e-280, 1e302

# step(optimizer, method, points, memory, row, gradient, dim): moves one node downhill, in place.
step = generic("step")


class Sgd(NamedTuple):
    """x ← x − rate · Riemannian gradient: the retraction the paper uses."""

    rate: float


class GeodesicSgd(NamedTuple):
    """x ← exp_x(−rate · Riemannian gradient): full Riemannian optimisation."""

    rate: float


class Adagrad(NamedTuple):
    """Each node divides its rate by the root of the sum of its squared Riemannian gradients so far.

    One number a node, so that the direction of the gradient is kept; and since the newest gradient is in the sum, no
    step is longer than the rate in hyperbolic length, which is what keeps a high rate from collapsing.
    """

    rate: float


@kernel_part
def _squared_norm(points, row, dim):
    total = 0.0
    for k in range(width(dim)):
        total += points[row, k] * points[row, k]
    return total


@kernel_part
def _project(method, points, row, squared_norm, dim):
    """Back into the shell inner ≤ |x| ≤ outer, along the spoke; NaN where there is no way back."""
    bound = 0.0
    if squared_norm > NO_NUMBER:
        # Thrown so far that squares of it are no numbers: no energy could be told. Training refuses what is not finite.
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
    total = 0.0
    for k in range(width(dim)):
        x = points[row, k] - factor * gradient[k]
        points[row, k] = x
        total += x * x
    _project(method, points, row, total, dim)


@step.register(Sgd)
def _sgd(optimizer, method, points, memory, row, gradient, dim):
    scale = inverse_scale(method, _squared_norm(points, row, dim))
    _retract(method, points, row, gradient, optimizer.rate * scale * scale, dim)


@step.register(GeodesicSgd)
def _geodesic_sgd(optimizer, method, points, memory, row, gradient, dim):
    scale = inverse_scale(method, _squared_norm(points, row, dim))
    for k in range(width(dim)):
        gradient[k] *= -optimizer.rate * scale * scale
    move_along_geodesic(method, points, row, gradient, dim)
    _project(method, points, row, _squared_norm(points, row, dim), dim)


@step.register(Adagrad)
def _adagrad(optimizer, method, points, memory, row, gradient, dim):
    squared_norm = 0.0
    squared_gradient = 0.0
    for k in range(width(dim)):
        squared_norm += points[row, k] * points[row, k]
        squared_gradient += gradient[k] * gradient[k]
    scale = inverse_scale(method, squared_norm)
    length = scale * math.sqrt(squared_gradient)
    if length > 0.0:
        clipped = min(length, LONGEST_GRADIENT)
        memory[row] += clipped * clipped
        factor = optimizer.rate * scale * scale * (clipped / length) / math.sqrt(memory[row])
        _retract(method, points, row, gradient, factor, dim)
