"""For tests of methods: difficult pairs of points, compiled functions over many pairs, formulas in 50 digits."""

from __future__ import annotations

import mpmath as mp
import numpy as np

from hypercone._jit import kernel
from hypercone.methods import Method, Settings
from hypercone.methods.generic_kernels import (
    add_gradient,
    attraction,
    is_outside,
    is_within_margin,
    may_reach,
    point_term,
    reach,
    region,
    step,
)


# As in training, which has no plain tier: Python is slow at fma.
@kernel(always_compiled=True)
def margin_facts_of(points, pairs, push, weight, method, dim):
    count = pairs.shape[0]
    outside = np.empty(count, np.bool_)
    within = np.empty(count, np.bool_)
    of_parent = np.zeros((count, points.shape[1]))
    of_child = np.zeros((count, points.shape[1]))
    for i in range(count):
        parent, child = np.uint64(pairs[i, 0]), np.uint64(pairs[i, 1])
        cone = region(method, points, parent, push, dim)
        outside[i] = is_outside(method, cone, points, parent, child, dim)
        within[i] = is_within_margin(method, cone, points, parent, child, dim)
        add_gradient(method, cone, points, parent, child, weight, of_parent[i], of_child[i], dim)
    return outside, within, of_parent, of_child


@kernel
def attractions_of(squared_distances, anchor_norms, other_norms, method):
    found = np.empty((len(squared_distances), 4))
    for i in range(len(squared_distances)):
        found[i, 0], found[i, 1], found[i, 2], found[i, 3] = attraction(
            method, squared_distances[i], point_term(method, anchor_norms[i]), point_term(method, other_norms[i])
        )
    return found


def attraction_facts(anchors: np.ndarray, others: np.ndarray, method: tuple) -> tuple[np.ndarray, ...]:
    """(e^−d, ∂d/∂anchor, ∂d/∂other) of each pair."""
    delta = anchors - others
    squares = [np.sum(x * x, axis=1) for x in (delta, anchors, others)]
    weights, slope, p, q = attractions_of(*squares, method).T
    of_anchor = slope[:, None] * (delta + p[:, None] * anchors)
    of_other = slope[:, None] * (q[:, None] * others - delta)
    return weights, of_anchor, of_other


@kernel
def may_reach_of(points, pairs, bounds, method, dim):
    answers = np.empty(len(pairs), np.bool_)
    for i in range(len(pairs)):
        limit = reach(method, bounds[i])
        answers[i] = may_reach(method, limit, points, np.uint64(pairs[i, 0]), np.uint64(pairs[i, 1]), dim)
    return answers


@kernel
def step_all(points, memory, gradients, optimizer, method, dim):
    for row in range(points.shape[0]):
        step(optimizer, method, points, memory, np.uint64(row), gradients[row], dim)


def shell_points(method: Method, settings: Settings, rng: np.random.Generator, count: int, dim: int) -> np.ndarray:
    """Random points of the domain, some of them at its inner and outer border."""
    inner, outer = method.shell(settings)
    rays = rng.normal(size=(count, dim))
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    low, high = max(inner, 1e-3), min(outer, 3.0)
    radius = rng.uniform(low, high, count)
    radius[::7] = low
    radius[1::7] = high
    radius[2::7] = high - (high - low) * 10.0 ** rng.uniform(-4, 0, len(radius[2::7]))
    if method.name == "order":
        return rng.uniform(-1, 1, (count, dim))
    return rays * radius[:, None]


def make_pairs(
    method: Method, settings: Settings, rng: np.random.Generator, count: int, dim: int
) -> tuple[np.ndarray, np.ndarray]:
    """Points and pairs of rows: half random, half with the child as close to its parent as that is to the border."""
    points = shell_points(method, settings, rng, 2 * count, dim)
    _, outer = method.shell(settings)
    parents, children = points[:count], points[count:]
    gap = np.minimum(1.0, outer - np.linalg.norm(parents[::2], axis=1)) if np.isfinite(outer) else 1.0
    reach_of_step = np.maximum(gap, settings.border) * 10.0 ** rng.uniform(-2, 0, len(parents[::2]))
    near = parents[::2] + rng.normal(size=parents[::2].shape) / np.sqrt(dim) * reach_of_step[:, None]
    children[::2] = method.project(near, settings)
    rows = np.stack([np.arange(count), np.arange(count, 2 * count)], axis=1).astype(np.int32)
    return points, rows


# The formulas as in the papers, with so many digits that cancellation does not matter.


def _dot(x: list, y: list) -> mp.mpf:
    return mp.fdot(x, y)


def _angle(cosine: mp.mpf) -> mp.mpf:
    return mp.acos(max(mp.mpf(-1), min(mp.mpf(1), cosine)))


def _hyperbolic_cones(u: list, v: list, settings: Settings) -> mp.mpf:
    uu, vv, uv = _dot(u, u), _dot(v, v), _dot(u, v)
    apart = mp.sqrt(uu + vv - 2 * uv)
    cosine = (uv * (1 + uu) - uu * (1 + vv)) / (mp.sqrt(uu) * apart * mp.sqrt(1 + uu * vv - 2 * uv))
    return _angle(cosine) - mp.asin(mp.mpf(settings.K) * (1 - uu) / mp.sqrt(uu))


def _euclidean_cones(u: list, v: list, settings: Settings) -> mp.mpf:
    uu, vv, uv = _dot(u, u), _dot(v, v), _dot(u, v)
    cosine = (uv - uu) / mp.sqrt(uu * (uu + vv - 2 * uv))
    return _angle(cosine) - mp.asin(mp.mpf(settings.K) / mp.sqrt(uu))


def _order(u: list, v: list, settings: Settings) -> mp.mpf:
    return mp.fsum(max(mp.mpf(0), a - b) ** 2 for a, b in zip(u, v, strict=True))


def _poincare(u: list, v: list, settings: Settings) -> mp.mpf:
    uu, vv, uv = _dot(u, u), _dot(v, v), _dot(u, v)
    distance = mp.acosh(1 + 2 * (uu + vv - 2 * uv) / ((1 - uu) * (1 - vv)))
    return (1 + mp.mpf(settings.alpha) * (mp.sqrt(uu) - mp.sqrt(vv))) * distance


def _euclidean(u: list, v: list, settings: Settings) -> mp.mpf:
    uu, vv, uv = _dot(u, u), _dot(v, v), _dot(u, v)
    return (1 + mp.mpf(settings.alpha) * (mp.sqrt(uu) - mp.sqrt(vv))) * mp.sqrt(uu + vv - 2 * uv)


PRINTED = {
    "hyperbolic-cones": _hyperbolic_cones,
    "euclidean-cones": _euclidean_cones,
    "order": _order,
    "poincare": _poincare,
    "euclidean": _euclidean,
}


def printed_energy(method: Method, settings: Settings, parent: np.ndarray, child: np.ndarray) -> float:
    with mp.workdps(50):
        u, v = ([mp.mpf(float(x)) for x in point] for point in (parent, child))
        return float(PRINTED[method.name](u, v, settings))


def printed_gradient(
    method: Method, settings: Settings, parent: np.ndarray, child: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """∂energy/∂parent and ∂energy/∂child by finite differences, with so many digits that all 16 are right."""
    with mp.workdps(60):
        both = [mp.mpf(float(x)) for x in [*parent, *child]]
        width, tiny = len(parent), mp.mpf(10) ** -25
        slopes = []
        for k, x in enumerate(both):
            sides = []
            for step in (tiny, -tiny):
                both[k] = x + step
                sides.append(PRINTED[method.name](both[:width], both[width:], settings))
            both[k] = x
            slopes.append(float((sides[0] - sides[1]) / (2 * tiny)))
    return np.array(slopes[:width]), np.array(slopes[width:])
