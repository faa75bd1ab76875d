"""Theorem 1, Corollaries 1.1 and 1.2: geodesics, the exponential map, coplanarity."""

import numpy as np
import pytest

from hypercone.geometry import poincare


@pytest.fixture(scope="module")
def start(shell):
    rng = np.random.default_rng(4)
    return shell(rng, 500, 4, 0, 0.95), rng.normal(size=(500, 4))


def paper_geodesic(x, v, t):
    """Theorem 1 as printed; v has unit speed."""
    lam = 2 / (1 - np.sum(x * x, axis=-1, keepdims=True))
    lean = lam**2 * np.sum(x * v, axis=-1, keepdims=True) * np.sinh(t)
    above = (lam * np.cosh(t) + lean) * x + lam * np.sinh(t) * v
    return above / (1 + (lam - 1) * np.cosh(t) + lean)


def unit_speed(x, v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True) / poincare.conformal_factor(x)[..., None]


def test_a_geodesic_starts_at_its_point(start):
    x, v = start
    np.testing.assert_allclose(poincare.geodesic(x, v, 0.0), x, rtol=0, atol=1e-15)


def test_a_geodesic_has_unit_speed(start):
    x, v = start
    for t in (1e-6, 0.1, 1.0, 3.0):
        np.testing.assert_allclose(poincare.distance(x, poincare.geodesic(x, v, t)), t, rtol=1e-8)


def test_a_geodesic_leaves_with_its_velocity(start):
    x, v = start
    h = 1e-5
    velocity = (poincare.geodesic(x, v, h) - poincare.geodesic(x, v, -h)) / (2 * h)
    np.testing.assert_allclose(velocity, unit_speed(x, v), rtol=0, atol=1e-9)


def test_a_geodesic_ends_on_the_border(start):
    x, v = start
    np.testing.assert_allclose(np.linalg.norm(poincare.geodesic(x, v, 200.0), axis=1), 1, rtol=1e-14)


def test_geodesics_are_those_of_theorem_1(start):
    x, v = start
    for t in (0.0, 0.5, 3.0):
        printed = paper_geodesic(x, unit_speed(x, v), t)
        np.testing.assert_allclose(poincare.geodesic(x, v, t), printed, rtol=0, atol=1e-13)


def test_a_geodesic_stays_in_the_plane_of_the_origin(start):
    x, v = start
    for point in (poincare.geodesic(x, v, 1.3), poincare.geodesic_between(x, poincare.exp_map(x, v), 0.3)):
        flat = np.linalg.svd(np.stack([x, v, point], axis=1), compute_uv=False)
        assert np.all(flat[:, 2] < 1e-14 * flat[:, 0])


def test_the_exponential_map_is_the_papers_closed_form_where_that_is_finite(start):
    x, v = start
    printed = poincare.exp_map_paper(x, v)
    assert np.isfinite(printed).all()
    # The printed form loses digits to its growing terms; the stable one is held to 50 digits elsewhere.
    np.testing.assert_allclose(poincare.exp_map(x, v), printed, rtol=0, atol=1e-13)


@pytest.mark.parametrize("size", [1e-3, 1e-2, 1.0, 1e300])
def test_the_exponential_map_is_finite_near_the_border_where_the_papers_form_is_not(size):
    x, v = np.array([1 - 1e-6, 0.0]), np.array([0.0, size])
    assert np.isnan(poincare.exp_map_paper(x, v)).all()
    point = poincare.exp_map(x, v)
    assert np.isfinite(point).all()
    assert np.linalg.norm(point) <= 1 + 1e-15


def test_exponential_and_logarithm_undo_each_other(shell):
    rng = np.random.default_rng(5)
    x, y = shell(rng, 1000, 5, 0, 0.95), shell(rng, 1000, 5, 0, 0.95)
    np.testing.assert_allclose(poincare.exp_map(x, poincare.log_map(x, y)), y, rtol=0, atol=1e-13)
    v = rng.normal(size=x.shape) / poincare.conformal_factor(x)[:, None]
    np.testing.assert_allclose(poincare.log_map(x, poincare.exp_map(x, v)), v, rtol=0, atol=1e-12)


def test_the_logarithm_is_as_long_as_the_distance(shell):
    rng = np.random.default_rng(6)
    x, y = shell(rng, 1000, 5, 0, 0.999), shell(rng, 1000, 5, 0, 0.999)
    size = np.linalg.norm(poincare.log_map(x, y), axis=1) * poincare.conformal_factor(x)
    np.testing.assert_allclose(size, poincare.distance(x, y), rtol=1e-14)


def test_the_exponential_of_nothing_is_the_point_itself(start):
    x, v = start
    np.testing.assert_allclose(poincare.exp_map(x, 0 * v), x, rtol=1e-14)
    np.testing.assert_allclose(poincare.exp_map(x, v * 1e-320), x, rtol=1e-14)
    assert np.all(poincare.log_map(x, x) == 0)


def test_a_point_between_two_divides_their_distance(shell):
    rng = np.random.default_rng(7)
    x, y = shell(rng, 500, 3, 0, 0.999), shell(rng, 500, 3, 0, 0.999)
    for t in (0.0, 0.25, 0.5, 1.0):
        point = poincare.geodesic_between(x, y, t)
        whole = poincare.distance(x, y)
        np.testing.assert_allclose(poincare.distance(x, point), t * whole, rtol=0, atol=1e-10)
        np.testing.assert_allclose(poincare.distance(point, y), (1 - t) * whole, rtol=0, atol=1e-10)


def test_a_point_between_two_lies_on_the_geodesic_of_the_logarithm(shell):
    rng = np.random.default_rng(8)
    x, y = shell(rng, 500, 3, 0, 0.9), shell(rng, 500, 3, 0, 0.9)
    along = poincare.exp_map(x, 0.3 * poincare.log_map(x, y))
    np.testing.assert_allclose(poincare.geodesic_between(x, y, 0.3), along, rtol=0, atol=1e-13)


def test_the_way_between_points_that_nearly_coincide_stays_between_them():
    x = np.array([0.3, 0.4])
    for step in (0.0, 5e-324, 1e-300, 1e-17, 1e-12):
        np.testing.assert_allclose(poincare.geodesic_between(x, x + step, 0.5), x + step / 2, rtol=1e-15)


def test_the_spoke_is_the_geodesic_that_the_axis_of_the_paper_generates(shell):
    x = shell(np.random.default_rng(9), 200, 3, 0.1, 0.95)
    radius = np.linalg.norm(x, axis=1, keepdims=True)
    bar_x = poincare.log_map(x, (1 + radius) / (2 * radius) * x)
    np.testing.assert_allclose(poincare.angle(bar_x, x), 0, rtol=0, atol=1e-13)
