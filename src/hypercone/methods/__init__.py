"""The methods, one file each; a new method needs a file, its kernels, and a line in the table here."""

from __future__ import annotations

from hypercone.errors import unknown_name
from hypercone.methods.base import FARTHEST, Method, Points, Settings
from hypercone.methods.euclidean import Euclidean
from hypercone.methods.euclidean_cones import EuclideanCones
from hypercone.methods.hyperbolic_cones import HyperbolicCones
from hypercone.methods.order import Order
from hypercone.methods.poincare import Poincare

METHODS: dict[str, Method] = {
    method.name: method for method in (HyperbolicCones(), EuclideanCones(), Order(), Poincare(), Euclidean())
}

__all__ = ["FARTHEST", "METHODS", "Method", "Points", "Settings", "find_method"]


def find_method(name: str) -> Method:
    """The method of this name; UnknownNameError if there is none.

    >>> find_method("order").loss
    'margin'
    """
    if name not in METHODS:
        raise unknown_name("method", name, METHODS)
    return METHODS[name]
