"""Where points may be, and which constants the formulas can work with, in what is saved and in what is loaded."""

from __future__ import annotations

import contextlib
import math

import numpy as np

from hypercone.methods import FARTHEST, Points, Settings, find_method

# What the formulas can work with; the ranges of a fit are narrower.
RANGES = {"K": (1e-300, 1e6), "margin": (0.0, 1e300), "border": (0.0, 0.5), "alpha": (0.0, 1e300)}
# How far a norm may be off by rounding.
SLACK = 1e-9


def finite(value: object) -> float | None:
    """The value as a float, or None if it is no number, not finite, or too large for a float.

    >>> finite(3), finite(float("nan")), finite(True), finite(10**400)
    (3.0, None, None, None)
    """
    with contextlib.suppress(OverflowError):
        if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
            return float(value) if math.isfinite(value) else None
    return None


def out_of_range(settings: Settings) -> str | None:
    """What is wrong with the first constant that the formulas cannot work with; None if they all can.

    >>> out_of_range(Settings(K=-1.0))
    'K is -1.0, outside 1e-300 … 1000000.0'
    """
    for name, (least, most) in RANGES.items():
        value = finite(getattr(settings, name))
        if value is None:
            return f"{name} is {getattr(settings, name)!r}, which is no finite number"
        if not least <= value <= most:
            return f"{name} is {value}, outside {least} … {most}"
    return None


def first_outside(points: Points, method: str, settings: Settings) -> int | None:
    """The first row whose point is not finite or not where the method has points; None if there is none.

    >>> first_outside(np.array([[0.5, 0.0], [1.0, 0.0]]), "hyperbolic-cones", Settings())
    1
    """
    inner, outer = find_method(method).shell(settings)
    # A norm too large for a float is infinite, and so outside.
    with np.errstate(over="ignore"):
        norms = np.linalg.norm(points, axis=1)
    inside = (np.abs(points) <= FARTHEST).all(axis=1) & (norms >= inner - SLACK) & (norms <= outer + SLACK)
    if inner > 0:
        inside &= norms > 0
    if find_method(method).is_hyperbolic:
        # Whatever the border, nothing lies on the edge of the ball or beyond.
        inside &= norms < 1
    return None if inside.all() else int(np.argmin(inside))
