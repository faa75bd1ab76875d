"""The Poincaré ball: the metric, lengths, geodesics, the exponential map, trigonometry, a step down a gradient.

That distances, maps, sums and projections are right in the whole domain is tested in tests/numerics.
"""

from fractions import Fraction

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


def exact_law_angle(a, b, c):
    """The half-angle form in digits enough for sides that differ by a factor of 1e300."""
    with mp.workdps(400):
        a, b, c = (mp.mpf(float(side)) for side in (a, b, c))
        s = (a + b + c) / 2
        above, below = mp.sinh(s - a) * mp.sinh(s - c), mp.sinh(s) * mp.sinh(s - b)
        return mp.mpf(0) if above <= 0 else mp.pi if below <= 0 else 2 * mp.atan(mp.sqrt(above / below))


def thin_triangles(rng, n):
    """Sides (n, 3) that a float can just tell from a flat triangle, in any order, from 1e-280 to 30."""
    size, thin, sharp = 10.0 ** rng.uniform(-8, 1.5, n), 10.0 ** rng.uniform(-16, 0, n), 10.0 ** rng.uniform(-15, 0, n)
    size[::5] = 10.0 ** rng.uniform(-280, -100, len(size[::5]))
    kinds = [
        (size, size, size * thin),
        (size, np.nextafter(size, np.inf), size * 1e-15 * rng.uniform(0.3, 3, n)),
        (size, size * (1 - thin / 2), size * thin),
        (size, size * thin, size * (1 + thin * (1 - sharp))),
        (size, size * sharp, size + size * sharp),
        (size, size * rng.uniform(0.01, 1, n), size * rng.uniform(0.99, 1, n)),
    ]
    sides = np.choose(rng.integers(0, len(kinds), n)[:, None], [np.stack(kind, axis=1) for kind in kinds])
    sides = rng.permuted(sides, axis=1)
    # only what is a triangle: the sum of two floats is not always one
    is_triangle = [2 * Fraction(max(row)) <= sum(map(Fraction, row)) for row in sides.tolist()]
    return sides[np.array(is_triangle)]


def test_the_law_of_cosines_keeps_all_digits_of_thin_triangles():
    """By arccos, or with differences as they come, needles lost up to all of them."""
    sides = thin_triangles(np.random.default_rng(15), 800)
    assert len(sides) > 500
    exact = [exact_law_angle(*row) for row in sides]
    found = poincare.cosine_law_angle(*sides.T)
    absolute = [abs(mp.mpf(float(one)) - right) for one, right in zip(found, exact, strict=True)]
    relative = [error / right for error, right in zip(absolute, exact, strict=True) if right > 0]
    assert max(absolute) < 1e-14
    assert max(relative) < 1e-14
    assert min(exact) < 1e-7
    assert max(exact) > 3.14159
    with np.errstate(all="ignore"):
        a, b, c = sides.T
        printed = np.arccos((np.cosh(a) * np.cosh(c) - np.cosh(b)) / (np.sinh(a) * np.sinh(c)))
    off = np.abs(printed - np.array(exact, float))
    assert np.mean(~(off < 1e-3)) > 0.2


def test_a_triangle_with_sides_that_are_not_one_is_flat_and_sides_of_0_have_an_angle():
    assert float(poincare.cosine_law_angle(1.0, 2.0 + 1e-15, 1.0)) == pytest.approx(np.pi)
    assert float(poincare.cosine_law_angle(1.0, 3.0, 1.0)) == pytest.approx(np.pi)
    assert float(poincare.cosine_law_angle(3.0, 1.0, 1.0)) == 0
    assert float(poincare.cosine_law_angle(0.0, 0.0, 0.0)) == 0


def test_the_metric_is_an_inner_product_with_the_conformal_factor_as_its_scale():
    rng = np.random.default_rng(16)
    x, (u, v, w) = shell(rng, 300, 4, 0, 0.999), rng.normal(size=(3, 300, 4))
    np.testing.assert_array_equal(poincare.metric(x, u, v), poincare.metric(x, v, u))
    np.testing.assert_allclose(
        poincare.metric(x, u + 2 * w, v), poincare.metric(x, u, v) + 2 * poincare.metric(x, w, v), rtol=1e-9
    )
    assert np.all(poincare.metric(x, u, u) > 0)
    # a tangent vector is as long as the way that the exponential map goes along it, and angles are Euclidean
    np.testing.assert_allclose(
        np.sqrt(poincare.metric(x, u, u)) * 1e-3, poincare.distance(x, poincare.exp_map(x, 1e-3 * u)), rtol=1e-6
    )
    cosine = poincare.metric(x, u, v) / np.sqrt(poincare.metric(x, u, u) * poincare.metric(x, v, v))
    np.testing.assert_allclose(np.arccos(cosine), poincare.angle(u, v), rtol=0, atol=1e-7)


def exact_curve_length(curve):
    """∫ λ |γ'| over [0, 1] in fifty digits, for a curve of mpmath's."""
    with mp.workdps(50):

        def speed(t):
            x = curve(t)
            slope = [mp.diff(lambda s, place=place: curve(s)[place], t) for place in range(len(x))]
            return 2 / (1 - mp.fdot(x, x)) * mp.sqrt(mp.fdot(slope, slope))

        return float(mp.quad(speed, mp.linspace(0, 1, 5)))


def test_the_length_of_a_curve_is_the_integral_of_its_speed_to_eleven_digits():
    def spiral(t, cos=np.cos, sin=np.sin):
        return [0.9 * t * cos(5 * t), 0.9 * t * sin(5 * t), t * t / 4]

    exact = exact_curve_length(lambda t: spiral(t, mp.cos, mp.sin))
    assert poincare.curve_length(spiral) == pytest.approx(exact, rel=1e-11)
    # the perimeter of a circle of hyperbolic radius R is 2π sinh R
    for radius in (0.1, 1.0, 5.0):
        r = np.tanh(radius / 2)
        circle = poincare.curve_length(lambda t, r=r: [r * np.cos(2 * np.pi * t), r * np.sin(2 * np.pi * t)])
        assert circle == pytest.approx(2 * np.pi * np.sinh(radius), rel=1e-11)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_a_geodesic_is_as_long_as_its_ends_are_apart_and_no_curve_with_the_same_ends_is_shorter(seed, d):
    rng = np.random.default_rng(seed)
    x, y, bend = shell(rng, 3, d, 0, 0.9)
    whole = float(poincare.distance(x, y))
    assert poincare.curve_length(lambda t: poincare.geodesic_between(x, y, t)) == pytest.approx(whole, rel=1e-9)
    way = poincare.geodesic_between(x, y, np.linspace(0, 1, 30))
    assert poincare.curve_length(way) == pytest.approx(whole, rel=1e-9)
    detour = way + np.sin(np.linspace(0, np.pi, 30))[:, None] * 0.05 * bend
    assert poincare.curve_length(detour) >= whole * (1 - 1e-12)
    assert poincare.curve_length(way[::-1]) == pytest.approx(whole, rel=1e-9)
    assert poincare.curve_length(way[:1]) == 0


def test_a_curve_with_a_corner_has_its_length_all_the_same():
    def corner(t):
        return [0.5 * min(3 * t, 1), 0.5 * max(0, (3 * t - 1) / 2)]

    expected = poincare.distance([0.0, 0.0], [0.5, 0.0]) + exact_curve_length(lambda t: [mp.mpf("0.5"), t / 2])
    assert poincare.curve_length(corner) == pytest.approx(float(expected), rel=1e-4)


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
