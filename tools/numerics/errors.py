"""The forms that a stated error takes, each a formula, in words, and where it is from.

e = c·eps with the c of the function and the eps of the type of the points; g = 1 − |x|; p and c the parent and child.
A point's distance to the border is known to eps and so, relative to itself, to eps/g: that is what most of them say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath as mp
from tools.numerics import exact
from tools.numerics.exact import gap, norm

Points = Sequence[exact.Vector]


@dataclass(frozen=True)
class Error:
    """How far an answer may be off, in words and as a function of (points, K, e, the right answer)."""

    words: str
    origin: str
    allowed: Callable[[Points, Any, Any, Any], Any]


def _size(answer: Any) -> Any:
    return norm(answer) if isinstance(answer, list) else abs(answer)


def _fades(*points: exact.Vector) -> Any:
    return 1 + mp.fsum(1 / gap(x) for x in points)


def _arcsine(sine: Any, error: Any) -> Any:
    """How far an arcsine may be off whose argument is off by a relative error; it has an infinite slope at 1."""
    sine = min(mp.mpf(1), sine)
    off, cosine = error * sine, mp.sqrt((1 - sine) * (1 + sine))
    flat = 2 * mp.sqrt(off)
    return flat if cosine == 0 else min(flat, 2 * off / cosine)


def _aperture(points: Points, K: Any, e: Any, _: Any) -> Any:
    return _arcsine(exact.sine(points[0], K), e * _fades(points[0]))


def _flat_aperture(points: Points, K: Any, e: Any, _: Any) -> Any:
    return _arcsine(exact.flat_sine(points[0], K), e)


def _cap(points: Points, K: Any, e: Any, R: Any) -> Any:
    u, kappa = points[0], exact.kappa(K)
    sine = kappa * (1 + norm(u) ** 2) / (2 * norm(u)) if exact.sine(u, K) < 1 else mp.mpf(1)
    turn = mp.tan((exact.asin(sine) + mp.asin(kappa)) / 2)
    return R * (e * _fades(u) + turn * _arcsine(sine, e))


def _stretch(points: Points, K: Any, e: Any, end: Any) -> Any:
    # A point is off by eps, which is eps/g in the metric; on a way w it grows by at most e^w, and shows as its gap.
    x, v = points
    way = 2 * norm(v) / (1 - exact.dot(x, x))
    return e * (1 + mp.exp(way) * gap(end) / gap(x))


def _lifted(points: Points, K: Any, e: Any, _: Any) -> Any:
    x, y = points
    return e * (1 + mp.sqrt(norm(x[1:]) * norm(y[1:])) + 2 * mp.log(norm(x) * norm(y)))


RELATIVE = Error("relative, e", "derived", lambda points, K, e, found: e * _size(found))
# Squares of less than 1e-150 are lost in compiled code.
RELATIVE_COMPILED = Error(
    "relative, e, and 1e-140", "derived", lambda points, K, e, found: e * _size(found) + mp.mpf("1e-140")
)
BORDER = Error("relative, e·(1 + 1/g)", "derived", lambda points, K, e, found: e * _fades(points[0]) * _size(found))
BORDERS = Error(
    "relative, e·(1 + 1/g_p + 1/g_c)", "derived", lambda points, K, e, found: e * _fades(*points) * _size(found)
)
BORDERS_COMPILED = Error(
    "relative, e·(1 + 1/g_p + 1/g_c), and 1e-140",
    "derived",
    lambda points, K, e, found: e * _fades(*points) * found + mp.mpf("1e-140"),
)
ROOT = Error(
    "relative, e·(1 + 1/√g)",
    "derived",
    lambda points, K, e, found: e * (1 + 1 / mp.sqrt(gap(points[0]))) * _size(found),
)
ANGLE = Error("e·(1 + 1/g_p)", "derived", lambda points, K, e, found: e * _fades(points[0]))
FLAT_ANGLE = Error("e", "derived", lambda points, K, e, found: e)
APERTURE = Error("min(2Δ/cos ψ, 2√Δ), Δ = e·(1 + 1/g)·sin ψ", "derived", _aperture)
FLAT_APERTURE = Error("min(2Δ/cos ψ, 2√Δ), Δ = e·sin ψ", "derived", _flat_aperture)
LIFTED_ANGLE = Error(
    "e·(1 + 1/g_p)", "measured", lambda points, K, e, found: e * _fades(exact.below_hyperboloid(points[0]))
)
LIFTED_APERTURE = Error(
    "min(2Δ/cos ψ, 2√Δ), Δ = e·sin ψ",
    "derived",
    lambda points, K, e, found: _flat_aperture([points[0][1:]], 2 * K, e, found),
)
ENERGY = Error(
    "that of the angle and that of the aperture",
    "derived",
    lambda *facts: ANGLE.allowed(*facts) + APERTURE.allowed(*facts),
)
FLAT_ENERGY = Error(
    "that of the angle and that of the aperture",
    "derived",
    lambda *facts: FLAT_ANGLE.allowed(*facts) + FLAT_APERTURE.allowed(*facts),
)
SUM = Error("e·(1 + 1/g_p + 1/g_c)", "measured", lambda points, K, e, found: e * _fades(*points))
WAY = Error("e·(1 + eʷ·g_end/g), w the length of the way", "derived", _stretch)
CAP = Error("relative, e·(1 + 1/g) + tan((H+L)/2)·min(2e/cos H, 2√e), R = H − L", "derived", _cap)
CAP_POINT = Error("relative, e·(1 + K)", "measured", lambda points, K, e, found: e * (1 + K) * _size(found))
LIFTED = Error("e·(1 + √(s_p·s_c) + 2 ln(t_p·t_c)), s the length of the space part, t of the whole", "derived", _lifted)
