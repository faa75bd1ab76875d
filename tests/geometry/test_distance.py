"""The Poincaré distance is a metric, and keeps its digits."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hypercone.geometry import poincare


def into_ball(raw):
    # tanh of a length up to 17 reaches 1 − 3e-15, further out than any training goes
    size = np.linalg.norm(raw, axis=-1, keepdims=True)
    return raw / np.where(size > 0, size, 1) * np.tanh(size)


ball_points = st.integers(1, 6).flatmap(lambda d: arrays(np.float64, (3, d), elements=st.floats(-7, 7)).map(into_ball))


def exact_distance(x, y):
    with mp.workdps(50):
        x, y = [mp.mpf(float(a)) for a in x], [mp.mpf(float(a)) for a in y]
        gaps = (1 - sum(a * a for a in x)) * (1 - sum(a * a for a in y))
        return mp.acosh(1 + 2 * sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / gaps)


@given(ball_points)
def test_distance_is_symmetric_and_zero_only_between_equal_points(points):
    x, y, _ = points
    assert poincare.distance(x, y) == poincare.distance(y, x)
    assert poincare.distance(x, x) == 0
    assert (poincare.distance(x, y) > 0) == np.any(x != y)


@given(ball_points)
def test_distance_obeys_the_triangle_inequality(points):
    x, y, z = points
    direct = poincare.distance(x, z)
    # near the border one rounding of |x| moves the point by eps/(1−|x|)
    slack = 1e-15 * sum(float(poincare.conformal_factor(p)) for p in points) + 1e-14
    assert direct <= poincare.distance(x, y) + poincare.distance(y, z) + slack


@given(ball_points)
def test_the_norm_is_the_distance_to_the_origin(points):
    x = points[0]
    slack = 1e-15 * float(poincare.conformal_factor(x)) + 1e-14
    assert poincare.norm(x) == pytest.approx(poincare.distance(x, np.zeros_like(x)), abs=slack, rel=1e-14)


@settings(max_examples=100)
@given(ball_points)
def test_distance_matches_fifty_digits(points):
    x, y, _ = points
    slack = 2e-16 * float(poincare.conformal_factor(x) + poincare.conformal_factor(y))
    assert float(poincare.distance(x, y)) == pytest.approx(float(exact_distance(x, y)), rel=1e-14 + slack)


@pytest.mark.parametrize("gap", [1e-300, 1e-30, 1e-16, 1e-12, 1e-8, 1e-4])
def test_distance_keeps_all_digits_of_nearly_equal_points(gap):
    x, y = np.array([0.5, 0.0]), np.array([0.5, gap])
    assert float(poincare.distance(x, y)) == pytest.approx(float(exact_distance(x, y)), rel=1e-14)


def test_distance_is_unchanged_by_moves_of_the_ball(shell):
    rng = np.random.default_rng(1)
    x, y, a = (shell(rng, 1000, 4, 0, 0.9) for _ in range(3))
    moved = poincare.distance(poincare.mobius_add(a, x), poincare.mobius_add(a, y))
    np.testing.assert_allclose(moved, poincare.distance(x, y), rtol=1e-12)


def test_left_addition_cancels(shell):
    rng = np.random.default_rng(2)
    x, y = shell(rng, 1000, 3, 0, 0.95), shell(rng, 1000, 3, 0, 0.95)
    np.testing.assert_allclose(poincare.mobius_add(-x, poincare.mobius_add(x, y)), y, rtol=0, atol=1e-13)


def test_mobius_addition_is_gyrocommutative_and_has_the_textbook_form(shell):
    rng = np.random.default_rng(3)
    x, y = shell(rng, 1000, 3, 0, 0.95), shell(rng, 1000, 3, 0, 0.95)
    xx, yy, xy = ((a * b).sum(1, keepdims=True) for a, b in ((x, x), (y, y), (x, y)))
    textbook = ((1 + 2 * xy + yy) * x + (1 - xx) * y) / (1 + 2 * xy + xx * yy)
    total = poincare.mobius_add(x, y)
    np.testing.assert_allclose(total, textbook, rtol=0, atol=1e-12)
    # x ⊕ y and y ⊕ x differ by a rotation about the origin
    turned = poincare.mobius_add(y, x)
    np.testing.assert_allclose(np.linalg.norm(total, axis=1), np.linalg.norm(turned, axis=1), rtol=1e-13)


def test_the_norm_of_the_paper_is_a_logarithm():
    r = 0.7
    assert float(poincare.norm([r, 0.0])) == pytest.approx(np.log((1 + r) / (1 - r)), rel=1e-15)
    assert np.sinh(float(poincare.norm([r, 0.0]))) == pytest.approx(2 * r / (1 - r * r), rel=1e-15)
