"""The moves of learning: gradient, retraction, projection."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hypercone.geometry import poincare

points = arrays(np.float64, (4, 3), elements=st.floats(-3, 3))


@given(points)
def test_projection_lands_in_the_shell_on_the_same_ray(x):
    moved = poincare.project(x, 0.1, 0.99)
    radius = np.linalg.norm(moved, axis=1)
    assert np.all((radius > 0.1 - 1e-15) & (radius < 0.99 + 1e-15))
    has_ray = np.any(x != 0, axis=1)
    np.testing.assert_allclose(poincare.angle(moved, x)[has_ray], 0, rtol=0, atol=1e-14)


@given(points)
def test_projection_leaves_points_of_the_shell_untouched(x):
    once = poincare.project(x, 0.1, 0.99)
    radius = np.linalg.norm(x, axis=1)
    inside = (radius > 0.1001) & (radius < 0.9899)
    assert np.array_equal(once[inside], x[inside])


def test_projection_sends_the_origin_along_the_first_axis():
    np.testing.assert_allclose(poincare.project(np.zeros((2, 3)), 0.1, 0.9), [[0.1, 0, 0]] * 2)


def test_projection_does_not_write_into_its_argument():
    x = np.zeros((2, 3))
    poincare.project(x, 0.1, 0.9)
    assert not x.any()


def test_the_retraction_is_the_exponential_map_to_first_order():
    x, v = np.array([0.3, 0.2, -0.4]), np.array([0.5, -0.3, 0.1])
    miss = [np.linalg.norm(poincare.exp_map(x, h * v) - poincare.retraction(x, h * v)) for h in (1e-2, 1e-3)]
    assert miss[0] / miss[1] == pytest.approx(100, rel=0.1)


def test_the_riemannian_gradient_is_the_euclidean_one_over_lambda_squared(shell):
    x = shell(np.random.default_rng(12), 100, 3, 0, 0.99)
    gradient = np.ones_like(x)
    expected = gradient / poincare.conformal_factor(x)[:, None] ** 2
    np.testing.assert_allclose(poincare.riemannian_gradient(x, gradient), expected, rtol=1e-14)


def test_a_step_down_the_riemannian_gradient_of_the_distance_goes_straight_to_the_target():
    x, y, h = np.array([0.4, -0.3]), np.array([-0.2, 0.5]), 1e-6
    slope = [(poincare.distance(x + e, y) - poincare.distance(x - e, y)) / (2 * h) for e in (h * np.eye(2))]
    down = -poincare.riemannian_gradient(x, np.array(slope))
    assert float(poincare.angle(down, poincare.log_map(x, y))) < 1e-8
    # the gradient of a distance has unit length in the metric
    assert np.linalg.norm(down) * float(poincare.conformal_factor(x)) == pytest.approx(1, rel=1e-8)
