"""The isometry between ball and hyperboloid (appendix A)."""

import numpy as np
import pytest

from hypercone.geometry import cones, hyperboloid, poincare


@pytest.fixture(scope="module")
def pair(shell):
    rng = np.random.default_rng(13)
    return shell(rng, 1000, 4, 0, 0.99), shell(rng, 1000, 4, 0, 0.99)


def test_points_of_the_ball_land_on_the_hyperboloid_and_return(pair):
    x, _ = pair
    lifted = hyperboloid.to_hyperboloid(x)
    np.testing.assert_allclose(hyperboloid.minkowski(lifted, lifted), -1, rtol=0, atol=1e-11)
    assert np.all(lifted[:, 0] >= 1)
    np.testing.assert_allclose(hyperboloid.from_hyperboloid(lifted), x, rtol=0, atol=1e-15)


def test_the_isometry_preserves_distance(pair):
    x, y = (hyperboloid.to_hyperboloid(point) for point in pair)
    expected = poincare.distance(*pair)
    np.testing.assert_allclose(hyperboloid.distance(x, y), expected, rtol=1e-12)
    np.testing.assert_allclose(np.arccosh(-hyperboloid.minkowski(x, y)), expected, rtol=1e-7)


def test_the_distance_keeps_the_digits_of_near_points_far_out():
    x = np.array([1 - 1e-6, 0.0])
    y = np.array([1 - 1e-6, 1e-12])
    lifted = hyperboloid.distance(hyperboloid.to_hyperboloid(x), hyperboloid.to_hyperboloid(y))
    assert float(lifted) == pytest.approx(float(poincare.distance(x, y)), rel=1e-9)


def test_the_isometry_carries_geodesics_to_geodesics(pair):
    x, _ = pair
    v = np.random.default_rng(14).normal(size=x.shape)
    v /= np.linalg.norm(v, axis=1, keepdims=True) * poincare.conformal_factor(x)[:, None]
    for t in (0.0, 0.5, 2.0):
        lifted = hyperboloid.geodesic(hyperboloid.to_hyperboloid(x), hyperboloid.push_forward(x, v), t)
        back = hyperboloid.from_hyperboloid(lifted)
        np.testing.assert_allclose(back, poincare.geodesic(x, v, t), rtol=0, atol=1e-13)


def test_the_push_forward_is_tangent_and_keeps_lengths(pair):
    x, _ = pair
    v = np.random.default_rng(15).normal(size=x.shape)
    pushed = hyperboloid.push_forward(x, v)
    lam = poincare.conformal_factor(x)
    np.testing.assert_allclose(
        hyperboloid.minkowski(pushed, hyperboloid.to_hyperboloid(x)) / lam**3, 0, rtol=0, atol=1e-14
    )
    square = hyperboloid.minkowski(pushed, pushed)
    np.testing.assert_allclose(square, lam**2 * np.sum(v * v, axis=1), rtol=1e-10)


@pytest.mark.parametrize("K", [0.01, 0.1, 1.0])
def test_aperture_and_angle_are_those_of_the_ball(pair, K):
    x, y = (hyperboloid.to_hyperboloid(point) for point in pair)
    np.testing.assert_allclose(hyperboloid.cone_angle(x, y), cones.cone_angle(*pair), rtol=0, atol=1e-12)
    in_shell = np.linalg.norm(pair[0], axis=1) > cones.inner_radius(K) + 1e-3
    np.testing.assert_allclose(
        hyperboloid.half_aperture(x, K)[in_shell], cones.half_aperture(pair[0], K)[in_shell], rtol=1e-12
    )


def test_every_point_of_the_hyperboloid_contains_itself(pair):
    lifted = hyperboloid.to_hyperboloid(pair[0])
    assert np.all(hyperboloid.cone_angle(lifted, lifted) == 0)
    assert np.all(hyperboloid.contains(lifted, lifted, 0.1))
