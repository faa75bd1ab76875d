"""Simple Euclidean embeddings, compiled: Nickel and Kiela's softmax loss on Euclidean distances."""
# mypy: ignore-errors

import math
from typing import NamedTuple

from hypercone._math_kernels import exp
from hypercone.methods.generic_kernels import (
    attraction,
    flat_inverse_scale,
    inverse_scale,
    may_reach,
    move_along_geodesic,
    move_along_line,
    point_term,
    reach,
    signed_energy,
)
from hypercone.methods.poincare_kernels import norms_and_distance


class EuclideanConstants(NamedTuple):
    """The constants of the method: no bounds on the norm, and α of the score (1 + α(|u| − |v|)) d."""

    inner: float
    outer: float
    alpha: float


@point_term.register(EuclideanConstants)
def _point_term(method, squared_norm):
    return 0.0


@attraction.register(EuclideanConstants)
def _attraction(method, squared_distance, anchor_term, other_term):
    distance = math.sqrt(squared_distance)
    # The direction between two equal points is undefined; the lower bound avoids 0/0.
    return exp(-distance), 1.0 / max(distance, 1e-10), 0.0, 0.0


@signed_energy.register(EuclideanConstants)
def _signed_energy(method, points, parent, child, dim):
    uu, vv, dd = norms_and_distance(points, parent, child, dim)
    return (1.0 + method.alpha * (math.sqrt(uu) - math.sqrt(vv))) * math.sqrt(dd)


@reach.register(EuclideanConstants)
def _reach(method, bound):
    return bound * bound * (1.0 + 1e-6)


@may_reach.register(EuclideanConstants)
def _may_reach(method, reach, points, parent, child, dim):
    return (method.alpha != 0.0) | (norms_and_distance(points, parent, child, dim)[2] <= reach)


inverse_scale.register(EuclideanConstants)(flat_inverse_scale)
move_along_geodesic.register(EuclideanConstants)(move_along_line)
