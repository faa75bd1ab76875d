"""Steps in the Poincaré ball, compiled."""
# mypy: ignore-errors

import math

from hypercone._jit import width


def ball_inverse_scale(method, squared_norm):
    """1/λ at a point: the Euclidean length of a hyperbolic unit."""
    return 0.5 * (1.0 - squared_norm)


def move_along_ball_geodesic(method, points, row, tangent, dim):
    """X ← exp_x(tangent) as x ⊕ tanh(λ|v|/2) v/|v|, which unlike the closed form cannot overflow."""
    xx = 0.0
    length = 0.0
    along = 0.0
    for k in range(width(dim)):
        xx += points[row, k] * points[row, k]
        length += tangent[k] * tangent[k]
        along += points[row, k] * tangent[k]
    if length == 0.0:
        return
    length = math.sqrt(length)
    reach = math.tanh(length / (1.0 - xx))
    yy = reach * reach
    xy = reach * along / length
    share_x = 1.0 + 2.0 * xy + yy
    share_y = (1.0 - xx) * reach / length
    denominator = 1.0 / (1.0 + 2.0 * xy + xx * yy)
    for k in range(width(dim)):
        points[row, k] = (share_x * points[row, k] + share_y * tangent[k]) * denominator
