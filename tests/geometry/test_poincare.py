"""The Poincaré ball: distance, geodesics, exponential and logarithmic maps, trigonometry, optimizer steps."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.support.points import exact, shell

from hypercone.geometry import poincare


def into_ball(raw):
    # tanh of a length up to 17 reaches 1 − 3e-15, further out than any training goes
    size = np.linalg.norm(raw, axis=-1, keepdims=True)
    return raw / np.where(size > 0, size, 1) * np.tanh(size)


ball_points = st.integers(1, 6).flatmap(lambda d: arrays(np.float64, (3, d), elements=st.floats(-7, 7)).map(into_ball))


def exact_distance(x, y):
    with mp.workdps(50):
        x, y = exact(x), exact(y)
        gaps = (1 - mp.fdot(x, x)) * (1 - mp.fdot(y, y))
        return float(mp.acosh(1 + 2 * mp.fdot(x - y, x - y) / gaps))


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
    assert float(poincare.distance(x, y)) == pytest.approx(exact_distance(x, y), rel=1e-14 + slack)


@pytest.mark.parametrize("gap", [1e-300, 1e-30, 1e-16, 1e-12, 1e-8, 1e-4])
def test_distance_keeps_all_digits_of_nearly_equal_points(gap):
    x, y = np.array([0.5, 0.0]), np.array([0.5, gap])
    assert float(poincare.distance(x, y)) == pytest.approx(exact_distance(x, y), rel=1e-14)


def test_translations_keep_distances_and_angles_and_cancel():
    rng = np.random.default_rng(1)
    a, b, c, move = (shell(rng, 1000, 4, 0, 0.9) for _ in range(4))
    moved = [poincare.mobius_add(move, point) for point in (a, b, c)]
    np.testing.assert_allclose(poincare.distance(*moved[:2]), poincare.distance(a, b), rtol=1e-12)
    np.testing.assert_allclose(poincare.angle_at(*moved), poincare.angle_at(a, b, c), rtol=0, atol=1e-11)
    x, y = shell(rng, 1000, 3, 0, 0.95), shell(rng, 1000, 3, 0, 0.95)
    np.testing.assert_allclose(poincare.mobius_add(-x, poincare.mobius_add(x, y)), y, rtol=0, atol=1e-13)


def test_mobius_addition_is_gyrocommutative_and_has_the_textbook_form():
    rng = np.random.default_rng(3)
    x, y = shell(rng, 1000, 3, 0, 0.95), shell(rng, 1000, 3, 0, 0.95)
    xx, yy, xy = ((a * b).sum(1, keepdims=True) for a, b in ((x, x), (y, y), (x, y)))
    textbook = ((1 + 2 * xy + yy) * x + (1 - xx) * y) / (1 + 2 * xy + xx * yy)
    total = poincare.mobius_add(x, y)
    np.testing.assert_allclose(total, textbook, rtol=0, atol=1e-12)
    # x ⊕ y and y ⊕ x differ by a rotation about the origin
    turned = poincare.mobius_add(y, x)
    np.testing.assert_allclose(np.linalg.norm(total, axis=1), np.linalg.norm(turned, axis=1), rtol=1e-13)


@pytest.mark.parametrize("size", [1e-3, 1e-2, 1.0, 1e300])
def test_the_exponential_map_is_finite_near_the_border_where_the_papers_form_is_not(size):
    x, v = np.array([1 - 1e-6, 0.0]), np.array([0.0, size])
    assert np.isnan(poincare.exp_map_paper(x, v)).all()
    point = poincare.exp_map(x, v)
    assert np.isfinite(point).all()
    assert np.linalg.norm(point) <= 1 + 1e-15


def test_exponential_and_logarithm_undo_each_other():
    rng = np.random.default_rng(5)
    x, y = shell(rng, 1000, 5, 0, 0.95), shell(rng, 1000, 5, 0, 0.95)
    np.testing.assert_allclose(poincare.exp_map(x, poincare.log_map(x, y)), y, rtol=0, atol=1e-13)
    v = rng.normal(size=x.shape) / poincare.conformal_factor(x)[:, None]
    np.testing.assert_allclose(poincare.log_map(x, poincare.exp_map(x, v)), v, rtol=0, atol=1e-12)


def test_the_logarithm_is_as_long_as_the_distance():
    rng = np.random.default_rng(6)
    x, y = shell(rng, 1000, 5, 0, 0.999), shell(rng, 1000, 5, 0, 0.999)
    size = np.linalg.norm(poincare.log_map(x, y), axis=1) * poincare.conformal_factor(x)
    np.testing.assert_allclose(size, poincare.distance(x, y), rtol=1e-14)


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


def test_the_geodesic_between_points_that_nearly_coincide_stays_between_them():
    x = np.array([0.3, 0.4])
    for step in (0.0, 5e-324, 1e-300, 1e-17, 1e-12):
        np.testing.assert_allclose(poincare.geodesic_between(x, x + step, 0.5), x + step / 2, rtol=1e-15)


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


def test_long_sides_do_not_overflow_the_law_of_cosines():
    flat = poincare.cosine_law_angle(2000.0, 4000.0, 2000.0)
    thin = poincare.cosine_law_angle(2000.0, 1.0, 2000.0)
    assert float(flat) == pytest.approx(np.pi)
    assert 0 <= float(thin) < 1e-300


@pytest.mark.parametrize("tiny", [1e-300, 1e-16, 1e-9, 1e-3])
def test_an_angle_keeps_its_digits_near_zero_and_near_a_half_turn(tiny):
    u, v = np.array([1.0, 0.0, 0.0]), np.array([1.0, tiny, 0.0])
    assert float(poincare.angle(u, v)) == pytest.approx(float(mp.atan(tiny)), rel=1e-14)
    assert float(poincare.angle(u, -v)) == pytest.approx(np.pi - float(mp.atan(tiny)), rel=1e-15)


def test_an_angle_does_not_depend_on_the_lengths():
    u, v = np.array([1.0, 2.0, 3.0]), np.array([-2.0, 0.5, 1.0])
    expected = float(poincare.angle(u, v))
    for scale in (1e-305, 1e-160, 1e160, 1e305):
        assert float(poincare.angle(u * scale, v)) == pytest.approx(expected, rel=1e-14)


def test_a_vector_without_direction_is_perpendicular_by_convention():
    assert float(poincare.angle([0.0, 0.0], [1.0, 0.0])) == pytest.approx(np.pi / 2)
    assert float(poincare.angle([0.0, 0.0], [0.0, 0.0])) == 0


@given(arrays(np.float64, (4, 3), elements=st.floats(-3, 3)))
def test_projection_lands_in_the_shell_on_the_same_ray_and_leaves_points_of_the_shell_untouched(x):
    moved = poincare.project(x, 0.1, 0.99)
    before, after = np.linalg.norm(x, axis=1), np.linalg.norm(moved, axis=1)
    assert np.all((after > 0.1 - 1e-15) & (after < 0.99 + 1e-15))
    np.testing.assert_allclose(poincare.angle(moved, x)[before > 0], 0, rtol=0, atol=1e-14)
    inside = (before > 0.1001) & (before < 0.9899)
    assert np.array_equal(moved[inside], x[inside])


def test_projection_sends_the_origin_along_the_first_axis_without_writing_into_it():
    x = np.zeros((2, 3))
    np.testing.assert_allclose(poincare.project(x, 0.1, 0.9), [[0.1, 0, 0]] * 2)
    assert not x.any()


def test_the_retraction_is_the_exponential_map_to_first_order():
    x, v = np.array([0.3, 0.2, -0.4]), np.array([0.5, -0.3, 0.1])
    miss = [np.linalg.norm(poincare.exp_map(x, h * v) - poincare.retraction(x, h * v)) for h in (1e-2, 1e-3)]
    assert miss[0] / miss[1] == pytest.approx(100, rel=0.1)


def test_the_riemannian_gradient_is_the_euclidean_one_over_lambda_squared():
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


def points_and_vectors():
    rng = np.random.default_rng(4)
    return shell(rng, 500, 4, 0, 0.95), rng.normal(size=(500, 4))


def test_the_exponential_map_is_the_papers_closed_form_where_that_is_finite():
    x, v = points_and_vectors()
    printed = poincare.exp_map_paper(x, v)
    assert np.isfinite(printed).all()
    # The printed form cancels; the stable one is compared with 50 digits in tests/paper.
    np.testing.assert_allclose(poincare.exp_map(x, v), printed, rtol=0, atol=1e-13)


def test_a_geodesic_stays_in_the_plane_of_the_origin():
    x, v = points_and_vectors()
    for point in (poincare.geodesic(x, v, 1.3), poincare.geodesic_between(x, poincare.exp_map(x, v), 0.3)):
        flat = np.linalg.svd(np.stack([x, v, point], axis=1), compute_uv=False)
        assert np.all(flat[:, 2] < 1e-14 * flat[:, 0])


def test_the_exponential_of_zero_is_the_point_itself():
    x, v = points_and_vectors()
    np.testing.assert_allclose(poincare.exp_map(x, 0 * v), x, rtol=1e-14)
    np.testing.assert_allclose(poincare.exp_map(x, v * 1e-320), x, rtol=1e-14)
    np.testing.assert_allclose(poincare.geodesic(x, v, 0.0), x, rtol=0, atol=1e-15)
    assert np.all(poincare.log_map(x, x) == 0)


def test_a_geodesic_ends_on_the_border():
    np.testing.assert_allclose(np.linalg.norm(poincare.geodesic(*points_and_vectors(), 200.0), axis=1), 1, rtol=1e-14)
