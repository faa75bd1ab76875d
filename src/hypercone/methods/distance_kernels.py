"""What both distance methods measure of a pair, compiled."""
# mypy: ignore-errors

from hypercone._jit import strict_kernel_part, width


@strict_kernel_part
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
