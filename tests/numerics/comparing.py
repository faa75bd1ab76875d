"""Answers against fifty digits: how much of its stated error a function uses, in one part of the domain."""

from __future__ import annotations

from typing import Any

import exact
import mpmath as mp
import numpy as np
import regions
from bounds import Law

from hypercone.geometry import hyperboloid, poincare

FEW_SUBNORMALS = 4


def _tangents(parent: np.ndarray, child: np.ndarray) -> np.ndarray:
    """Tangent vectors of hyperbolic length up to 60, most of them around 1."""
    sizes = np.array([0.01, 1.0, 3.0, 10.0], parent.dtype)[np.arange(len(parent)) % 4, None]
    return (sizes * 6 / poincare.conformal_factor(parent)[:, None] * child).astype(parent.dtype)


def arguments(law: Law, parent: np.ndarray, child: np.ndarray, K: float) -> tuple[np.ndarray, ...]:
    """The points, vectors and cap radii that the function is called with, from parents and children."""
    takes = law.takes.removesuffix(", K")
    if takes == "point":
        return (parent,)
    if takes == "tangent":
        return parent, _tangents(parent, child)
    if takes == "cap":
        share = np.clip(np.linalg.norm(child, axis=1), np.finfo(child.dtype).eps, 1)
        rays = np.where(np.any(parent != 0, axis=1, keepdims=True), parent, 1)
        return rays.astype(child.dtype), (share * np.arctan2(1, 2 * K)).astype(child.dtype)
    if takes == "lifted":
        return (hyperboloid.to_hyperboloid(parent),)
    if takes == "lifted pair":
        return hyperboloid.to_hyperboloid(parent), hyperboloid.to_hyperboloid(child)
    return parent, child


def answers(law: Law, region: str, seed: object, count: int, dim: int, K: float, type_: str) -> tuple[Any, ...]:
    """(arguments, answers) at seeded points of a region; any warning of NumPy is an error."""
    parent, child = regions.pairs(region, law.space, seed, count, dim, K, type_)
    given = arguments(law, parent, child, K)
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        found = np.asarray(law.call(*given, K) if law.uses_k else law.call(*given))
    assert found.dtype == type_
    return given, found


def is_in_range(law: Law, found: np.ndarray, K: float) -> bool:
    """Whether every answer is finite and in the range the function promises, whose ends round as the type does."""
    low, high = law.range(K) if law.range else (-np.inf, np.inf)
    is_within = (found >= found.dtype.type(low)) & (found <= found.dtype.type(high))
    # What rounds to zero is positive only if it is a number of the type.
    return bool((np.isfinite(found) & is_within & ((found > 0) | (low <= 0))).all())


def share_of_bound(
    law: Law, given: tuple[np.ndarray, ...], found: np.ndarray, row: int, K: float
) -> tuple[float, float]:
    """(the error, the error divided by the one that is stated) of one answer."""
    numbers = np.finfo(found.dtype)
    with mp.workdps(exact.DIGITS):
        points = [exact.vector(np.atleast_1d(each[row])) for each in given]
        right = law.exact(*points, mp.mpf(K)) if law.uses_k else law.exact(*points)
        if isinstance(right, list):
            off = exact.norm(exact.minus(exact.vector(found[row]), right))
        else:
            off = abs(mp.mpf(float(found[row])) - right)
        allowed = law.error.allowed(points, mp.mpf(K), law.c * mp.mpf(float(numbers.eps)), right)
        allowed += FEW_SUBNORMALS * mp.mpf(float(numbers.smallest_subnormal))
        return float(off), float(off / allowed)
