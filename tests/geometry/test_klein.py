"""The Klein model: straight geodesics, Euclidean cones."""

import numpy as np
import pytest

from hypercone.geometry import caps, cones, klein, poincare


def test_klein_points_return_to_the_ball(shell):
    x = shell(np.random.default_rng(36), 500, 3, 0, 0.99)
    np.testing.assert_allclose(klein.from_klein(klein.to_klein(x)), x, rtol=0, atol=1e-13)
    np.testing.assert_allclose(klein.klein_radius(x), np.linalg.norm(klein.to_klein(x), axis=1), rtol=1e-14)


def test_geodesics_are_straight_in_klein_coordinates(shell):
    rng = np.random.default_rng(37)
    x, y = shell(rng, 500, 3, 0, 0.95), shell(rng, 500, 3, 0, 0.95)
    start, end = klein.to_klein(x), klein.to_klein(y)
    between = klein.to_klein(poincare.geodesic_between(x, y, 0.4))
    np.testing.assert_allclose(poincare.angle(between - start, end - start), 0, rtol=0, atol=1e-11)


def test_klein_is_not_conformal():
    # the paper says that all five models are: a right angle off the origin shows otherwise
    x, h = np.array([0.5, 0.0]), 1e-6
    u, v = np.array([1.0, 1.0]), np.array([1.0, -1.0])
    seen = [klein.to_klein(x + h * w) - klein.to_klein(x - h * w) for w in (u, v)]
    assert float(poincare.angle(u, v)) == pytest.approx(np.pi / 2)
    assert abs(float(poincare.angle(*seen)) - np.pi / 2) > 0.1


@pytest.mark.parametrize("K", [0.01, 0.1, 1.0, 3.0])
def test_kappa_is_the_klein_radius_of_the_inner_radius(K):
    assert caps.kappa(K) == pytest.approx(float(klein.klein_radius([cones.inner_radius(K)])), rel=1e-14)


@pytest.mark.parametrize("K", [0.01, 0.1, 1.0, 3.0])
def test_every_cone_is_tangent_to_the_ball_of_radius_kappa(shell, K):
    x = shell(np.random.default_rng(38), 500, 3, cones.inner_radius(K) + 1e-3, 0.99)
    # the line from the apex at angle φ from the spoke passes the origin at distance ρ sin φ
    passes = klein.klein_radius(x) * np.sin(klein.cone_half_angle(x, K))
    np.testing.assert_allclose(passes, caps.kappa(K), rtol=1e-12)


def test_the_border_of_a_cone_has_the_klein_half_angle(shell, turned):
    rng = np.random.default_rng(39)
    K, parent = 0.1, shell(rng, 500, 3, 0.2, 0.9)
    child = poincare.geodesic(parent, turned(rng, parent, cones.half_aperture(parent, K)), 1.0)
    start = klein.to_klein(parent)
    seen = poincare.angle(klein.to_klein(child) - start, start)
    np.testing.assert_allclose(seen, klein.cone_half_angle(parent, K), rtol=1e-10)


@pytest.mark.parametrize("t", [0.05, 0.3])
def test_a_looser_threshold_is_a_wider_klein_cone(shell, turned, t):
    rng = np.random.default_rng(40)
    K, parent = 0.1, shell(rng, 500, 3, 0.3, 0.9)
    wider = cones.half_aperture(parent, K) + t
    child = poincare.geodesic(parent, turned(rng, parent, wider), 0.7)
    start = klein.to_klein(parent)
    expected = np.arctan(np.tan(wider) * np.cosh(poincare.norm(parent)))  # MATHEMATICS §3
    np.testing.assert_allclose(poincare.angle(klein.to_klein(child) - start, start), expected, rtol=1e-10)
