"""Simple Euclidean embeddings, compiled: Nickel and Kiela's softmax loss on straight distances."""

import math
from typing import NamedTuple

from hypercone._jit import width
from hypercone.methods.flat_kernels import flat_inverse_scale, move_along_line
from hypercone.methods.generic_kernels import attraction, inverse_scale, move_along_geodesic, room, signed_energy


class EuclideanConstants(NamedTuple):
    """The constants of the method: no bounds on the norm, and α of the score (1 + α(|u| − |v|)) d."""

    inner: float
    outer: float
    alpha: float


@room.register(EuclideanConstants)
def _room(method, squared_norm):
    return 0.0


@attraction.register(EuclideanConstants)
def _attraction(method, squared_distance, anchor_room, other_room):
    distance = math.sqrt(squared_distance)
    # Two equal points attract with no direction; the floor keeps 0/0 out.
    return math.exp(-distance), 1.0 / max(distance, 1e-10), 0.0, 0.0


@signed_energy.register(EuclideanConstants)
def _signed_energy(method, points, parent, child, dim):
    uu = 0.0
    vv = 0.0
    dd = 0.0
    for k in range(width(dim)):
        delta = points[child, k] - points[parent, k]
        uu += points[parent, k] * points[parent, k]
        vv += points[child, k] * points[child, k]
        dd += delta * delta
    return (1.0 + method.alpha * (math.sqrt(uu) - math.sqrt(vv))) * math.sqrt(dd)


inverse_scale.register(EuclideanConstants)(flat_inverse_scale)
move_along_geodesic.register(EuclideanConstants)(move_along_line)
