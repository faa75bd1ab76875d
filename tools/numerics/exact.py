"""The formulas in fifty digits, as plain as they can be written: what the package's answers are compared with."""

from __future__ import annotations

from typing import Any

import mpmath as mp

DIGITS = 50
# The printed exponential map cancels as many digits as its hyperbolic cosine has.
MORE_DIGITS = 120

Vector = list[Any]


def vector(x: Any) -> Vector:
    return [mp.mpf(float(a)) for a in x]


def dot(x: Vector, y: Vector) -> Any:
    return mp.fdot(x, y)


def norm(x: Vector) -> Any:
    return mp.sqrt(dot(x, x))


def minus(x: Vector, y: Vector) -> Vector:
    return [a - b for a, b in zip(x, y, strict=True)]


def times(a: Any, x: Vector) -> Vector:
    return [a * b for b in x]


def gap(x: Vector) -> Any:
    """1 − |x|."""
    return 1 - norm(x)


def acos(cosine: Any) -> Any:
    return mp.acos(max(mp.mpf(-1), min(mp.mpf(1), cosine)))


def asin(sine: Any) -> Any:
    return mp.asin(min(mp.mpf(1), sine))


def sine(u: Vector, K: Any) -> Any:
    """Sin ψ in the ball, which may pass 1."""
    r = norm(u)
    return mp.inf if r == 0 else K * (1 - r * r) / r


def flat_sine(u: Vector, K: Any) -> Any:
    r = norm(u)
    return mp.inf if r == 0 else K / r


def cone_angle(u: Vector, v: Vector, curvature: Any = 1) -> Any:
    """Theorem 5's arccos, with child = parent + step so that no digits are needed for small steps."""
    step = minus(v, u)
    r, m = norm(u), dot(step, step)
    if m == 0:
        return mp.mpf(0)
    if r == 0:
        return mp.pi / 2
    q, q_child = 1 - curvature * r * r, 1 - curvature * dot(v, v)
    above = q * dot(u, step) - curvature * r * r * m
    return acos(above / (r * mp.sqrt(m) * mp.sqrt(q * q_child + curvature * m)))


def flat_angle(u: Vector, v: Vector) -> Any:
    return cone_angle(u, v, 0)


def aperture(u: Vector, K: Any) -> Any:
    return asin(sine(u, K))


def flat_aperture(u: Vector, K: Any) -> Any:
    return asin(flat_sine(u, K))


def energy(u: Vector, v: Vector, K: Any) -> Any:
    return cone_angle(u, v) - aperture(u, K)


def flat_energy(u: Vector, v: Vector, K: Any) -> Any:
    return flat_angle(u, v) - flat_aperture(u, K)


# What compiled code has no squares for: a shorter step counts as none, and a parent so near the origin as at it.
NO_STEP = mp.mpf("1e-140")


def compiled_energy(u: Vector, v: Vector, K: Any, curvature: Any = 1) -> Any:
    """The energy with the conventions of the kernels for what is too small to be squared."""
    r, is_no_step = norm(u), norm(minus(v, u)) < NO_STEP
    if r < NO_STEP:
        return -mp.pi / 2 if is_no_step else mp.mpf(0)
    half = aperture(u, K) if curvature else flat_aperture(u, K)
    return -half if is_no_step else cone_angle(u, v, curvature) - half


def compiled_flat_energy(u: Vector, v: Vector, K: Any) -> Any:
    return compiled_energy(u, v, K, 0)


def order_energy(u: Vector, v: Vector) -> Any:
    return mp.fsum(max(mp.mpf(0), a - b) ** 2 for a, b in zip(u, v, strict=True))


def distance(x: Vector, y: Vector) -> Any:
    step = minus(x, y)
    return 2 * mp.asinh(mp.sqrt(dot(step, step) / ((1 - dot(x, x)) * (1 - dot(y, y)))))


def flat_distance(x: Vector, y: Vector) -> Any:
    return norm(minus(x, y))


def hyperbolic_norm(x: Vector) -> Any:
    return 2 * mp.atanh(norm(x))


def conformal_factor(x: Vector) -> Any:
    return 2 / (1 - dot(x, x))


def riemannian_gradient(x: Vector, gradient: Vector) -> Vector:
    return times(1 / conformal_factor(x) ** 2, gradient)


def mobius_add(x: Vector, y: Vector) -> Vector:
    xx, yy, xy = dot(x, x), dot(y, y), dot(x, y)
    below = 1 + 2 * xy + xx * yy
    return [((1 + 2 * xy + yy) * a + (1 - xx) * b) / below for a, b in zip(x, y, strict=True)]


def exp_map(x: Vector, v: Vector) -> Vector:
    """Corollary 1.1 as printed."""
    with mp.workdps(MORE_DIGITS):
        size = norm(v)
        if size == 0:
            return x
        factor = 2 / (1 - dot(x, x))
        cosh, sinh = mp.cosh(factor * size), mp.sinh(factor * size)
        lean = dot(x, v) / size * sinh
        below = 1 + (factor - 1) * cosh + factor * lean
        return [(factor * (cosh + lean) * a + sinh / size * b) / below for a, b in zip(x, v, strict=True)]


def log_map(x: Vector, y: Vector) -> Vector:
    with mp.workdps(MORE_DIGITS):
        away = mobius_add(times(-1, x), y)
        size = norm(away)
        return times(0, x) if size == 0 else times((1 - dot(x, x)) * mp.atanh(size) / size, away)


def kappa(K: Any) -> Any:
    return 2 * K / mp.sqrt(1 + 4 * K * K)


def cap_radius(x: Vector, K: Any) -> Any:
    """arcsin(κ/ρ) − arcsin κ, and arccos κ from the inner radius on inwards."""
    r = norm(x)
    high = mp.pi / 2 if sine(x, K) >= 1 else asin(kappa(K) * (1 + r * r) / (2 * r))
    return high - mp.asin(kappa(K))


def point_from_cap(direction: Vector, R: Vector, K: Any) -> Vector:
    rho = kappa(K) / mp.sin(R[0] + mp.asin(kappa(K)))
    return times(rho / (1 + mp.sqrt(1 - rho * rho)) / norm(direction), direction)


def to_klein(x: Vector) -> Vector:
    return times(2 / (1 + dot(x, x)), x)


def from_klein(k: Vector) -> Vector:
    return times(1 / (1 + mp.sqrt(1 - dot(k, k))), k)


def to_hyperboloid(x: Vector) -> Vector:
    factor = conformal_factor(x)
    return [factor - 1, *times(factor, x)]


def from_hyperboloid(y: Vector) -> Vector:
    return times(1 / (1 + y[0]), y[1:])


def lifted_distance(x: Vector, y: Vector) -> Any:
    """From the space-like parts, which say where a point of the hyperboloid is."""
    x, y = x[1:], y[1:]
    with mp.workdps(MORE_DIGITS):
        return mp.acosh(max(mp.mpf(1), mp.sqrt(1 + dot(x, x)) * mp.sqrt(1 + dot(y, y)) - dot(x, y)))


def below_hyperboloid(x: Vector) -> Vector:
    """The point of the ball for the space-like part of a point of the hyperboloid."""
    with mp.workdps(MORE_DIGITS):
        return times(1 / (1 + mp.sqrt(1 + dot(x[1:], x[1:]))), x[1:])


def lifted_aperture(x: Vector, K: Any) -> Any:
    return flat_aperture(x[1:], 2 * K)


def lifted_angle(x: Vector, y: Vector) -> Any:
    with mp.workdps(MORE_DIGITS):
        return cone_angle(below_hyperboloid(x), below_hyperboloid(y))


def project(x: Vector, inner: Any, outer: Any) -> Vector:
    r = norm(x)
    if r == 0:
        return [mp.mpf(inner), *times(0, x[1:])]
    return times(max(mp.mpf(inner), min(mp.mpf(outer), r)) / r, x)
