"""Steps in flat space, compiled: lengths are what they look like and geodesics are straight."""
# mypy: ignore-errors

from hypercone._jit import width


def flat_inverse_scale(method, squared_norm):
    """1/λ is 1 everywhere."""
    return 1.0


def move_along_line(method, points, row, tangent, dim):
    """X ← x + tangent."""
    for k in range(width(dim)):
        points[row, k] += tangent[k]
