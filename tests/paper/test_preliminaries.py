"""The foundations of the paper: §2 and appendix A."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.points import exact, shell

from hypercone.geometry import hyperboloid, poincare

EPS = np.finfo(float).eps
DIGITS = 50


def dot(x, y):
    return mp.fdot(x, y)


def printed_geodesic(x, v, t):
    """Theorem 1 as printed, in mpmath; v is rescaled to unit speed."""
    factor = 2 / (1 - dot(x, x))
    v = v / (mp.norm(v) * factor)
    lean = factor**2 * dot(x, v) * mp.sinh(t)
    below = 1 + (factor - 1) * mp.cosh(t) + lean
    return ((factor * mp.cosh(t) + lean) * x + factor * mp.sinh(t) * v) / below


def printed_distance(x, y):
    return mp.acosh(1 + 2 * dot(x - y, x - y) / ((1 - dot(x, x)) * (1 - dot(y, y))))


class TestTheMetric:
    """§2.1 and §2.2: the length of curves, the distance, the shape of geodesics."""

    @staticmethod
    def curve_length(points):
        """∫ √g(γ′, γ′) over a polygon of many points, by the midpoint rule."""
        middle, step = (points[1:] + points[:-1]) / 2, np.diff(points, axis=0)
        return np.sum(np.sqrt(poincare.metric(middle, step, step)), axis=0)

    def test_the_distance_is_the_length_of_the_geodesic_and_every_bent_curve_is_longer(self):
        """§2.1, length of a curve, with the metric tensor of §2.2."""
        rng = np.random.default_rng(60)
        x, y = shell(rng, 40, 3, 0, 0.95), shell(rng, 40, 3, 0, 0.95)
        t = np.linspace(0, 1, 2001)[:, None]
        straight = poincare.geodesic_between(x, y, t)
        whole = poincare.distance(x, y)
        np.testing.assert_allclose(self.curve_length(straight), whole, rtol=1e-5)
        margin = 1 - np.linalg.norm(straight, axis=-1, keepdims=True).max(axis=0)
        for size in (0.1, 0.5):
            bend = size * margin * shell(rng, 40, 3, 1, 1)
            assert np.all(self.curve_length(straight + np.sin(np.pi * t)[..., None] * bend) > whole)

    def test_a_geodesic_is_an_arc_of_a_circle_that_meets_the_sphere_at_right_angles(self):
        """§2.2. On a circle around c orthogonal to the unit sphere, |p|² + 1 = 2⟨c, p⟩."""
        rng = np.random.default_rng(61)
        x, v = shell(rng, 300, 4, 0.1, 0.95), rng.normal(size=(300, 4))
        first, *others = (poincare.geodesic(x, v, t) for t in (0.0, -3.0, -1.0, 0.5, 1.0, 2.0, 5.0))
        base = np.stack([first, others[3]], axis=1)
        sides = (np.sum(base**2, axis=-1) + 1) / 2
        center = (np.linalg.pinv(base) @ sides[..., None])[..., 0]  # the solution in the plane of x and v
        slack = 1e-13 * np.linalg.norm(center, axis=1) * np.linalg.cond(base)
        for p in others:
            assert np.all(np.abs(np.sum(p * p, axis=1) + 1 - 2 * np.sum(center * p, axis=1)) < slack)

    @pytest.mark.parametrize("dim", [2, 3, 5])
    def test_the_volume_of_a_ball_grows_exponentially_and_in_flat_space_only_as_a_power(self, dim):
        """§1. The volume element of g = λ²·g_E is λⁿ; a sphere of hyperbolic radius R has the area sinhⁿ⁻¹ R."""

        def volume(radius):
            """In units of the area of the unit sphere, by shells of Euclidean radius r."""
            r = np.linspace(0, np.tanh(radius / 2), 200_001)
            r = (r[1:] + r[:-1]) / 2
            shells = poincare.conformal_factor(r[:, None]) ** dim * r ** (dim - 1)
            return np.sum(shells) * np.tanh(radius / 2) / 200_000

        for radius in (0.5, 2.0, 6.0):
            exact = mp.quad(lambda t: mp.sinh(t) ** (dim - 1), mp.linspace(0, radius, 5))
            assert volume(radius) == pytest.approx(float(exact), rel=1e-4)
        growth = volume(9.0) / volume(8.0)
        assert growth == pytest.approx(np.exp(dim - 1), rel=1e-2)
        assert growth > 1.4 * (9 / 8) ** dim

    def test_triangles_of_the_ball_are_thin_and_flat_ones_are_not(self):
        """§2.2, Gromov: no side is further than ln(1+√2) from the two others; ideal triangles get there."""

        def thickness(between, distance, corners, longest):
            t = np.linspace(0, 1, 301)[:, None]
            sides = [between(corners[i], corners[j], t) for i, j in ((0, 1), (1, 2), (2, 0))]
            other = np.concatenate(sides[1:])
            reach = distance(sides[0][:, None], other[None]).min(axis=1)
            return reach.max(), longest / 300  # and the error of looking at samples only

        delta = np.log(1 + np.sqrt(2))
        rng = np.random.default_rng(62)
        third = 2 * np.pi / 3 * np.arange(3)
        ideal = (1 - 1e-6) * np.stack([np.cos(third), np.sin(third)], axis=1)
        triangles = [shell(rng, 3, 2, 0.5, 0.9999) for _ in range(12)]
        worst, slack = thickness(poincare.geodesic_between, poincare.distance, ideal, 29.0)
        assert delta - 0.01 < worst < delta + slack
        for corners in triangles:
            worst, slack = thickness(poincare.geodesic_between, poincare.distance, corners, 20.0)
            assert worst < delta + slack

        def flat(x, y, t):
            return (1 - t) * x + t * y

        def gap(x, y):
            return np.linalg.norm(x - y, axis=-1)

        assert thickness(flat, gap, 1000 * ideal, 0.0)[0] > 100 * delta


class TestTheorem1:
    """Unit-speed geodesics, with the four sanity conditions of appendix B."""

    def test_the_printed_geodesic_meets_its_four_conditions_to_forty_digits(self):
        rng = np.random.default_rng(63)
        with mp.workdps(2 * DIGITS):  # a difference quotient keeps half of them
            tiny = mp.mpf(10) ** -40
            for x, v in zip(shell(rng, 10, 3, 0, 0.99), rng.normal(size=(10, 3)), strict=True):
                x, v = exact(x), exact(v)
                speed = v / mp.norm(v) * (1 - dot(x, x)) / 2
                assert mp.norm(printed_geodesic(x, v, 0) - x) < tiny
                for t in (mp.mpf("0.25"), mp.mpf(1)):
                    assert abs(printed_distance(x, printed_geodesic(x, v, t)) - t) < tiny
                h = mp.mpf(10) ** -30
                slope = (printed_geodesic(x, v, h) - printed_geodesic(x, v, -h)) / (2 * h)
                assert mp.norm(slope - speed) < tiny
                assert abs(mp.norm(printed_geodesic(x, v, 120)) - 1) < tiny

    @pytest.mark.parametrize("gap", [0.5, 1e-3, 1e-6, 1e-9])
    def test_the_geodesic_is_the_printed_one_near_the_border_and_for_long_times(self, gap):
        rng = np.random.default_rng(64)
        x, v = shell(rng, 15, 3, 1 - gap, 1 - gap), rng.normal(size=(15, 3))
        for t in (1e-9, 1.0, 10.0, 40.0):
            point = poincare.geodesic(x, v, t)
            with mp.workdps(DIGITS):
                printed = [printed_geodesic(exact(a), exact(b), mp.mpf(t)) for a, b in zip(x, v, strict=True)]
                miss = [float(mp.norm(exact(a) - b)) for a, b in zip(point, printed, strict=True)]
            # 1 − |x| is known to eps/2; on the way it can grow by the ratio of the gaps, 1/gap at most
            assert max(miss) < 4 * EPS * max(1, min(np.exp(t), 1 / gap))

    @settings(deadline=None, max_examples=60)
    @given(st.integers(0, 2**32 - 1), st.integers(2, 10), st.floats(-4, 4), st.floats(-4, 4))
    def test_a_geodesic_has_unit_speed_can_be_continued_from_any_point_and_is_the_image_of_a_tangent_ray(
        self, seed, d, s, t
    ):
        rng = np.random.default_rng(seed)
        x, v = shell(rng, 1, d, 0, 0.9)[0], rng.normal(size=d)
        at_s, at_t = poincare.geodesic(x, v, s), poincare.geodesic(x, v, t)
        slack = 4 * EPS * sum(float(poincare.conformal_factor(end)) for end in (at_s, at_t))
        assert float(poincare.distance(at_s, at_t)) == pytest.approx(abs(s - t), abs=slack + 1e-14)
        # §2.1, the definition of the exponential map: t ↦ exp_x(tv) is the geodesic with speed √g(v, v)
        velocity = v / np.linalg.norm(v) / poincare.conformal_factor(x)
        np.testing.assert_allclose(poincare.exp_map(x, s * velocity), at_s, rtol=0, atol=1e-14)
        onward = poincare.geodesic(x, v, 0.1 + abs(s))
        again = poincare.geodesic(onward, -poincare.log_map(onward, x), t)
        np.testing.assert_allclose(again, poincare.geodesic(x, v, 0.1 + abs(s) + t), rtol=0, atol=1e-10)


class TestAppendixA:
    """The hyperboloid: Theorem 6 and the isometry in the proof of Theorem 1."""

    @pytest.fixture
    def start(self):
        rng = np.random.default_rng(66)
        x, v = shell(rng, 400, 4, 0, 0.9), rng.normal(size=(400, 4))
        v /= np.linalg.norm(v, axis=1, keepdims=True) * poincare.conformal_factor(x)[:, None]
        return hyperboloid.to_hyperboloid(x), hyperboloid.push_forward(x, v)

    def test_a_geodesic_of_the_hyperboloid_starts_at_x_with_velocity_v_and_stays_on_it(self, start):
        x, v = start
        h = 1e-5
        np.testing.assert_array_equal(hyperboloid.geodesic(x, v, 0.0), x)
        slope = (hyperboloid.geodesic(x, v, h) - hyperboloid.geodesic(x, v, -h)) / (2 * h)
        np.testing.assert_allclose(slope, v, rtol=1e-9, atol=1e-8)
        for t in (-2.0, 0.0, 0.5, 1.0, 3.0):
            point = hyperboloid.geodesic(x, v, t)
            assert np.all(point[:, 0] >= 1)
            size = point[:, 0] ** 2
            np.testing.assert_allclose(hyperboloid.minkowski(point, point) / size, -1 / size, rtol=0, atol=1e-13)

    def test_a_geodesic_of_the_hyperboloid_has_unit_speed_and_no_acceleration_within_it(self, start):
        """φ″ = φ, and φ is normal to the hyperboloid."""
        h = 1e-3
        for t in (0.0, 0.7, 2.0):
            before, here, after = (hyperboloid.geodesic(*start, t + step) for step in (-h, 0, h))
            np.testing.assert_allclose((before - 2 * here + after) / h**2, here, rtol=1e-5, atol=1e-5)
            np.testing.assert_allclose(hyperboloid.distance(start[0], here), t, rtol=1e-11, atol=1e-12)
            np.testing.assert_allclose(hyperboloid.distance(before, after), 2 * h, rtol=1e-8)

    def test_tangent_vectors_of_the_hyperboloid_have_positive_length(self, start):
        """Any vector of Minkowski space, made tangent at x, has ⟨v, v⟩₁ > 0; vectors that are not may have less."""
        x, _ = start
        raw = np.random.default_rng(67).normal(size=x.shape)
        tangent = raw + hyperboloid.minkowski(raw, x)[:, None] * x
        assert np.all(hyperboloid.minkowski(tangent, tangent) > 0)
        assert np.any(hyperboloid.minkowski(raw, raw) < 0)

    def test_the_push_forward_is_the_derivative_of_the_isometry_and_keeps_inner_products(self):
        rng = np.random.default_rng(68)
        x, v, w = shell(rng, 400, 4, 0, 0.9), rng.normal(size=(400, 4)), rng.normal(size=(400, 4))
        h = 1e-6
        slope = (hyperboloid.to_hyperboloid(x + h * v) - hyperboloid.to_hyperboloid(x - h * v)) / (2 * h)
        np.testing.assert_allclose(slope, hyperboloid.push_forward(x, v), rtol=1e-6, atol=1e-6)
        inner = hyperboloid.minkowski(hyperboloid.push_forward(x, v), hyperboloid.push_forward(x, w))
        factor = poincare.conformal_factor(x)
        np.testing.assert_allclose(inner / factor**4, np.sum(v * w, axis=1) / factor**2, rtol=0, atol=1e-13)
