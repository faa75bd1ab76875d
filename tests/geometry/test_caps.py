"""Cones as nested caps on the border."""

import numpy as np
import pytest

from hypercone.geometry import caps, cones, poincare

CONSTANTS = [0.01, 0.1, 1.0, 3.0]


@pytest.mark.parametrize("K", CONSTANTS)
def test_a_point_returns_from_its_cap(shell, K):
    x = shell(np.random.default_rng(41), 1000, 4, cones.inner_radius(K) + 1e-4, 1 - 1e-7)
    np.testing.assert_allclose(caps.point_from_cap(3 * x, caps.cap_radius(x, K), K), x, rtol=0, atol=1e-11)


@pytest.mark.parametrize("K", CONSTANTS)
def test_a_cap_radius_returns_from_its_point_with_the_digits_the_point_can_hold(K):
    # not up to arccos κ itself: at the inner radius dR/dr is infinite, and the way back is not
    R = np.geomspace(1e-12, np.arccos(caps.kappa(K)) * 0.99, 200)
    points = caps.point_from_cap(np.array([0.0, 1.0]), R, K)
    gap = 1 - np.linalg.norm(points, axis=1)
    relative = np.abs(caps.cap_radius(points, K) / R - 1)
    assert np.all(relative < 1e-12 + 4e-16 / gap)


@pytest.mark.parametrize("K", CONSTANTS)
def test_the_widest_cap_sits_at_the_inner_radius(K):
    widest = np.arccos(caps.kappa(K))
    low = cones.inner_radius(K)
    assert float(caps.point_from_cap([1.0, 0.0], widest, K)[0]) == pytest.approx(low, rel=1e-12)
    assert float(caps.cap_radius([low, 0.0], K)) == pytest.approx(widest, rel=1e-7)
    assert float(caps.cap_radius([low / 2, 0.0], K)) == pytest.approx(widest, rel=1e-7)


@pytest.mark.parametrize("K", CONSTANTS)
def test_the_cap_radius_is_the_difference_of_arcsines(shell, K):
    x = shell(np.random.default_rng(42), 1000, 3, cones.inner_radius(K) + 1e-4, 0.99)
    radius = np.linalg.norm(x, axis=1)
    kappa = caps.kappa(K)
    expected = np.arcsin(kappa * (1 + radius**2) / (2 * radius)) - np.arcsin(kappa)
    np.testing.assert_allclose(caps.cap_radius(x, K), expected, rtol=0, atol=1e-13)


def test_the_cap_is_where_the_cone_meets_the_border(shell, turned):
    rng = np.random.default_rng(43)
    K, x = 0.1, shell(rng, 500, 3, 0.15, 0.95)
    at_infinity = poincare.geodesic(x, turned(rng, x, cones.half_aperture(x, K)), 40.0)
    np.testing.assert_allclose(poincare.angle(x, at_infinity), caps.cap_radius(x, K), rtol=0, atol=1e-13)
