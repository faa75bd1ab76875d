"""The Poincaré ball: the metric, geodesics, the exponential map, trigonometry, a step down a gradient.

That distances, maps, sums and projections are right in the whole domain is tested in tests/numerics.
"""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.support.points import shell

from hypercone.geometry import poincare


def into_ball(raw):
    # tanh of a length up to 17 reaches 1 − 3e-15, further out than any training goes
    size = np.linalg.norm(raw, axis=-1, keepdims=True)
    return raw / np.where(size > 0, size, 1) * np.tanh(size)


@given(st.integers(1, 6).flatmap(lambda d: arrays(np.float64, (3, d), elements=st.floats(-7, 7)).map(into_ball)))
def test_the_distance_is_a_metric(points):
    x, y, z = points
    assert poincare.distance(x, y) == poincare.distance(y, x)
    assert poincare.distance(x, x) == 0
    assert (poincare.distance(x, y) > 0) == np.any(x != y)
    # near the border one rounding of |x| moves the point by eps/(1−|x|)
    slack = 1e-15 * sum(float(poincare.conformal_factor(p)) for p in points) + 1e-14
    assert poincare.distance(x, z) <= poincare.distance(x, y) + poincare.distance(y, z) + slack


@pytest.mark.parametrize("size", [1e-3, 1e-2, 1.0, 1e300])
def test_the_exponential_map_is_finite_near_the_border_where_the_papers_form_is_not(size):
    x, v = np.array([1 - 1e-6, 0.0]), np.array([0.0, size])
    assert np.isnan(poincare.exp_map_paper(x, v)).all()
    point = poincare.exp_map(x, v)
    assert np.isfinite(point).all()
    assert np.linalg.norm(point) <= 1 + 1e-15


def test_the_exponential_map_is_the_papers_closed_form_and_geodesics_stay_in_a_plane_and_end_on_the_border():
    rng = np.random.default_rng(4)
    x, v = shell(rng, 500, 4, 0, 0.95), rng.normal(size=(500, 4))
    printed, end = poincare.exp_map_paper(x, v), poincare.exp_map(x, v)
    assert np.isfinite(printed).all()
    np.testing.assert_allclose(end, printed, rtol=0, atol=1e-13)  # the printed form cancels
    for point in (poincare.geodesic(x, v, 1.3), poincare.geodesic_between(x, end, 0.3)):
        flat = np.linalg.svd(np.stack([x, v, point], axis=1), compute_uv=False)
        assert np.all(flat[:, 2] < 1e-14 * flat[:, 0])
    np.testing.assert_allclose(np.linalg.norm(poincare.geodesic(x, v, 200.0), axis=1), 1, rtol=1e-14)
    for nowhere in (poincare.geodesic(x, v, 0.0), poincare.geodesic(x, 0 * v, 1.0)):
        np.testing.assert_allclose(nowhere, x, rtol=0, atol=1e-15)


def test_a_point_between_two_lies_on_their_geodesic_and_divides_their_distance():
    rng = np.random.default_rng(7)
    x, y = shell(rng, 500, 3, 0, 0.999), shell(rng, 500, 3, 0, 0.999)
    whole = poincare.distance(x, y)
    for t in (0.0, 0.25, 0.5, 1.0):
        point = poincare.geodesic_between(x, y, t)
        np.testing.assert_allclose(poincare.distance(x, point), t * whole, rtol=0, atol=1e-10)
        np.testing.assert_allclose(poincare.distance(point, y), (1 - t) * whole, rtol=0, atol=1e-10)
    x, y = 0.9 * x, 0.9 * y
    along = poincare.exp_map(x, 0.3 * poincare.log_map(x, y))
    np.testing.assert_allclose(poincare.geodesic_between(x, y, 0.3), along, rtol=0, atol=1e-13)
    x = np.array([0.3, 0.4])
    for step in (0.0, 5e-324, 1e-300, 1e-17, 1e-12):
        np.testing.assert_allclose(poincare.geodesic_between(x, x + step, 0.5), x + step / 2, rtol=1e-15)


def test_geodesics_are_right_between_points_far_apart_or_close_and_backwards_and_through_the_whole_ball():
    far = np.array([1 - 1e-12, 0.0])
    expected = [-np.tanh(poincare.norm(far) / 4), 0]
    np.testing.assert_allclose(poincare.geodesic_between(-far, far, 0.25), expected, rtol=1e-12)
    x, y = np.array([0.3, 0.4]), np.array([0.3001, 0.4003])
    along = poincare.exp_map(x, 0.25 * poincare.log_map(x, y))
    np.testing.assert_allclose(poincare.geodesic_between(x, y, 0.25), along, rtol=0, atol=3e-16)
    for t in (0.7, 40.0, 800.0):
        assert np.array_equal(poincare.geodesic(x, y, -t), poincare.geodesic(x, -y, t))
    # from the border to the border on the other side, where tanh rounds to 1
    assert np.linalg.norm(poincare.geodesic([-1.0, 0.0], [1.0, 0.0], 40.0)) <= 1


def test_triangles_obey_the_laws_of_cosines_and_sines_and_have_a_defect():
    corner_a, corner_b, corner_c = (shell(np.random.default_rng(seed), 1000, 3, 0, 0.95) for seed in (10, 11, 12))
    a, b, c = (poincare.distance(*ends) for ends in ((corner_b, corner_c), (corner_c, corner_a), (corner_a, corner_b)))
    angle_a = poincare.angle_at(corner_c, corner_a, corner_b)
    angle_b = poincare.angle_at(corner_a, corner_b, corner_c)
    angle_c = poincare.angle_at(corner_b, corner_c, corner_a)
    printed = np.arccos((np.cosh(a) * np.cosh(c) - np.cosh(b)) / (np.sinh(a) * np.sinh(c)))
    np.testing.assert_allclose(poincare.cosine_law_angle(a, b, c), angle_b, rtol=0, atol=1e-10)
    np.testing.assert_allclose(printed, angle_b, rtol=0, atol=1e-6)
    np.testing.assert_allclose(poincare.cosine_law_side(a, c, angle_b), b, rtol=1e-12)
    ratio = poincare.sine_law_ratio(angle_a, a)
    np.testing.assert_allclose(poincare.sine_law_ratio(angle_b, b), ratio, rtol=1e-9)
    np.testing.assert_allclose(poincare.sine_law_ratio(angle_c, c), ratio, rtol=1e-9)
    assert np.all(angle_a + angle_b + angle_c < np.pi)
    # long sides do not overflow
    assert float(poincare.cosine_law_angle(2000.0, 4000.0, 2000.0)) == pytest.approx(np.pi)
    assert 0 <= float(poincare.cosine_law_angle(2000.0, 1.0, 2000.0)) < 1e-300


def test_an_angle_keeps_its_digits_does_not_depend_on_the_lengths_and_is_right_with_a_zero_vector():
    for tiny in (1e-300, 1e-16, 1e-9, 1e-3):
        u, v = np.array([1.0, 0.0, 0.0]), np.array([1.0, tiny, 0.0])
        assert float(poincare.angle(u, v)) == pytest.approx(float(mp.atan(tiny)), rel=1e-14)
        assert float(poincare.angle(u, -v)) == pytest.approx(np.pi - float(mp.atan(tiny)), rel=1e-15)
    u, v = np.array([1.0, 2.0, 3.0]), np.array([-2.0, 0.5, 1.0])
    for scale in (1e-305, 1e-160, 1e160, 1e305):
        assert float(poincare.angle(u * scale, v)) == pytest.approx(float(poincare.angle(u, v)), rel=1e-14)
    assert float(poincare.angle([0.0, 0.0], [1.0, 0.0])) == pytest.approx(np.pi / 2)
    assert float(poincare.angle([0.0, 0.0], [0.0, 0.0])) == 0


def test_a_step_down_the_riemannian_gradient_of_the_distance_goes_straight_to_the_target():
    x, y, h = np.array([0.4, -0.3]), np.array([-0.2, 0.5]), 1e-6
    slope = [(poincare.distance(x + e, y) - poincare.distance(x - e, y)) / (2 * h) for e in (h * np.eye(2))]
    down = -poincare.riemannian_gradient(x, np.array(slope))
    assert float(poincare.angle(down, poincare.log_map(x, y))) < 1e-8
    # the gradient of a distance has unit length in the metric
    assert np.linalg.norm(down) * float(poincare.conformal_factor(x)) == pytest.approx(1, rel=1e-8)
    # and the retraction is the exponential map to first order
    miss = [np.linalg.norm(poincare.exp_map(x, h * down) - poincare.retraction(x, h * down)) for h in (1e-2, 1e-3)]
    assert miss[0] / miss[1] == pytest.approx(100, rel=0.1)
