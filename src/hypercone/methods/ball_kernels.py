"""Steps in the Poincaré ball, compiled."""
# mypy: ignore-errors

import math

from hypercone._jit import width


def ball_inverse_scale(method, squared_norm):
    """1/λ at a point: the Euclidean length of a hyperbolic unit."""
    return 0.5 * (1.0 - squared_norm)


def move_along_ball_geodesic(method, points, row, tangent, dim):
    """X ← exp_x(tangent) as x ⊕ y with y = tanh(λ|v|/2) v/|v|, which unlike the closed form cannot overflow.

    The usual denominator 1 + 2⟨x, y⟩ + |x|²|y|² cancels to nothing for a long step inwards from the border; written as
    (1−|x|²)(1−|y|²) + |x+y|² it cannot.
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
    reach = math.tanh(half_way) / length
    fade = math.exp(-2.0 * half_way)
    square = 0.0
    for k in range(width(dim)):
        total = points[row, k] + reach * tangent[k]
        square += total * total
    share = 1.0 / (gap * (4.0 * fade / ((1.0 + fade) * (1.0 + fade))) + square)
    for k in range(width(dim)):
        total = points[row, k] + reach * tangent[k]
        points[row, k] = (gap * total + square * points[row, k]) * share
    if not math.isfinite(length):
        # A tangent too long for its square has no direction left: say so, for training refuses what is not finite.
        points[row, 0] = math.nan
