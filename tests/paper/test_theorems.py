"""The statements of the paper's §1 and §3, and the energy of §4, in its order.

In this folder also: §2 and appendix A in test_preliminaries.py, Theorem 4 and the apertures that are not transitive in
test_nested_triples.py. The numbers are those of the compiled paper, where lemmas and theorems share one counter. What
has a test elsewhere is not tested again: docs/explanation/the-paper-line-by-line.md says where each item is tested, and
test_line_by_line.py that none is missing.
"""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.points import each_space, exact, lean, shell

from hypercone.geometry import caps, cones, order, poincare

EPS = np.finfo(float).eps
CONSTANTS = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0]
law = settings(deadline=None, max_examples=100)


class TestOrderEmbeddings:
    """§1: why orthants are not enough."""

    def test_any_number_of_orthants_meet_but_cones_can_be_disjoint(self):
        rng = np.random.default_rng(80)
        corners = rng.normal(size=(1000, 5))
        assert np.all(order.contains(corners, corners.max(axis=0)))
        # three hundred cones side by side in the plane, and points in them out to the border
        turn = 2 * np.pi * np.arange(300) / 300
        rays = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        K = 0.1
        apex = caps.point_from_cap(rays, 0.99 * np.pi / 300, K)
        side = np.stack([-rays[:, 1], rays[:, 0]], axis=1)
        psi = cones.half_aperture(apex, K)[:, None]
        border = poincare.geodesic(apex, np.cos(psi) * rays + np.sin(psi) * side, 5.0)
        holds = cones.signed_energy(apex[:, None], border[None], K) < 1e-9
        assert np.array_equal(holds, np.eye(300, dtype=bool))


class TestConvexity:
    """§3: the cones are geodesically convex."""

    @each_space
    @pytest.mark.parametrize("K", CONSTANTS)
    def test_the_way_between_two_points_of_a_cone_stays_inside(self, space, K):
        rng = np.random.default_rng(81)
        n, d = 5000, 3
        apex = space.apexes(rng, n, d, K)
        psi = space.cones.half_aperture(apex, K)
        ends = []
        for _ in range(2):
            share = np.where(rng.uniform(size=n) < 0.5, 1, rng.uniform(0, 1, n))
            ends.append(space.walk(apex, lean(apex, rng.normal(size=apex.shape), psi * share), rng.uniform(0.05, 2, n)))
        middle = space.between(*ends, rng.uniform(0, 1, n))
        assert space.cones.signed_energy(apex, middle, K).max() < 1e-12

    @each_space
    def test_a_wider_angle_would_not_be_convex(self, space):
        """A control for the check above: beyond a right angle the complement is the convex set."""
        rng = np.random.default_rng(82)
        apex = space.apexes(rng, 5000, 2, 0.1)
        side = rng.normal(size=apex.shape)
        ends = [space.walk(apex, lean(apex, way, np.full(5000, 1.8)), np.full(5000, 0.5)) for way in (side, -side)]
        assert np.all(space.cones.cone_angle(apex, space.between(*ends, np.full(5000, 0.5))) > 1.8)


class TestAxialSymmetry:
    """§3, properties 1 and 2."""

    def test_the_axis_of_a_cone_is_the_ray_from_its_apex_to_the_border(self):
        """A_x = exp_x of the multiples of x̄: all αx with 1 ≤ α < 1/|x|, and nothing else."""
        x = shell(np.random.default_rng(83), 200, 3, 0.1, 0.95)
        radius = np.linalg.norm(x, axis=1, keepdims=True)
        bar_x = poincare.log_map(x, (1 + radius) / (2 * radius) * x)
        stretch = np.concatenate([np.zeros(1), np.geomspace(1e-6, 40, 60)])
        points = poincare.exp_map(x, stretch[:, None, None] * bar_x)
        alpha = np.linalg.norm(points, axis=2) / radius[:, 0]
        np.testing.assert_allclose(points, alpha[..., None] * x, rtol=0, atol=1e-14)
        np.testing.assert_allclose(alpha[0], 1, rtol=1e-15)
        assert np.all(np.diff(alpha * radius[:, 0], axis=0) >= 0)
        assert np.all(alpha[-1] * radius[:, 0] > 1 - 1e-6)
        # and every point of the axis is reached: the way to it is a multiple of x̄
        share = np.random.default_rng(84).uniform(0, 0.999, (200, 1))
        outward = poincare.log_map(x, x * (1 + share * (1 / radius - 1)))
        np.testing.assert_allclose(poincare.angle(outward, bar_x), 0, rtol=0, atol=1e-13)

    @law
    @given(st.integers(0, 2**32 - 1), st.integers(2, 8), st.floats(0.01, 3.0))
    def test_a_rotation_about_the_axis_leaves_the_cone_unchanged_and_any_other_carries_it_along(self, seed, d, K):
        rng = np.random.default_rng(seed)
        low = cones.inner_radius(K)
        x, y = shell(rng, 1, d, low, (3 + low) / 4)[0], shell(rng, 200, d, low, 0.99)
        frame = np.linalg.qr(np.column_stack([x, rng.normal(size=(d, d - 1))]))[0]
        inner = np.eye(d)
        inner[1:, 1:] = np.linalg.qr(rng.normal(size=(d - 1, d - 1)))[0]
        turn = frame @ inner @ frame.T
        np.testing.assert_allclose(turn @ x, x, rtol=0, atol=1e-14)
        angles, energies = cones.cone_angle(x, y), cones.signed_energy(x, y, K)
        np.testing.assert_allclose(cones.cone_angle(x, y @ turn.T), angles, rtol=0, atol=1e-11)
        np.testing.assert_allclose(cones.signed_energy(x @ frame, y @ frame, K), energies, rtol=0, atol=1e-9)


class TestContinuity:
    """§3, property 3."""

    @pytest.mark.parametrize("K", CONSTANTS)
    def test_the_aperture_is_continuous_from_the_inner_radius_to_the_border(self, K):
        """|arcsin a − arcsin b| ≤ (π/2)√|a−b|, and sin ψ has the slope K(1+1/r²); no step of a fine grid is larger."""
        r = np.linspace(cones.inner_radius(K), 1 - EPS, 200_001)
        steps = np.abs(np.diff(cones.half_aperture(r[:, None], K)))
        allowed = np.pi / 2 * np.sqrt(K * (1 + 1 / r[:-1] ** 2) * np.diff(r))
        assert np.all(steps <= allowed)

    @pytest.mark.parametrize("K", CONSTANTS)
    def test_the_aperture_is_smooth_beyond_the_inner_radius_where_its_slope_is_infinite(self, K):
        """ψ′ = −K(1 + 1/r²)/cos ψ, by central differences; towards ε the cosine goes to 0."""
        low = cones.inner_radius(K)
        r, h = np.linspace(low + 0.05 * (1 - low), 0.999, 2_000), 1e-6 * (1 - low)
        slope = (cones.half_aperture(r[:, None] + h, K) - cones.half_aperture(r[:, None] - h, K)) / (2 * h)
        expected = -K * (1 + 1 / r**2) / np.cos(cones.half_aperture(r[:, None], K))
        np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-8)
        fall = cones.half_aperture([low], K) - cones.half_aperture([low + 1e-10 * (1 - low)], K)
        assert fall / 1e-10 > 1e3


class TestLemma2:
    """Lemma 2 and the remark on the origin after it."""

    @pytest.mark.parametrize("K", CONSTANTS)
    def test_no_cone_holds_a_point_and_its_mirror_image(self, K):
        """A cone covers at most half of the ball, so no sequence of cones can grow into the cone of the origin."""
        rng = np.random.default_rng(85)
        low = cones.inner_radius(K)
        apex = shell(rng, 20_000, 3, low, low * 1.001)
        psi = cones.half_aperture(apex, K) * rng.uniform(0, 1, 20_000)
        y = poincare.geodesic(apex, lean(apex, rng.normal(size=apex.shape), psi), rng.uniform(0.01, 5, 20_000))
        assert cones.contains(apex, y, K).mean() > 0.99
        assert not cones.contains(apex, -y, K).any()


class TestTheorem3:
    """Theorem 3 and its Lemma 7: what happens on the border of a cone."""

    @each_space
    @pytest.mark.parametrize("K", CONSTANTS)
    def test_a_cone_shares_its_border_with_the_cones_of_all_points_on_it(self, space, K):
        """Equality in Lemma 7. By the law of sines, this is h(|x'|) = h(|x|)."""
        rng = np.random.default_rng(86)
        n = 2000
        apex = space.apexes(rng, n, 3, K)
        border = lean(apex, rng.normal(size=apex.shape), space.cones.half_aperture(apex, K))
        for near, far in ((0.1, 0.5), (0.5, 2.0), (1.0, 3.0)):
            on_border, further = space.walk(apex, border, np.full(n, near)), space.walk(apex, border, np.full(n, far))
            miss = space.cones.cone_angle(on_border, further) - space.cones.half_aperture(on_border, K)
            assert np.abs(miss).max() < 1e-11

    @each_space
    @pytest.mark.parametrize("K", CONSTANTS)
    def test_the_border_of_a_cone_passes_every_norm_above_that_of_its_apex(self, space, K):
        """Appendix F, the existence of x' on the border with any norm r' > r."""
        rng = np.random.default_rng(88)
        apex = space.apexes(rng, 500, 4, K)
        border = lean(apex, rng.normal(size=apex.shape), space.cones.half_aperture(apex, K))
        times = np.linspace(0, 15, 200)
        norms = np.array([np.linalg.norm(space.walk(apex, border, np.full(500, t)), axis=1) for t in times])
        np.testing.assert_allclose(norms[0], np.linalg.norm(apex, axis=1), rtol=1e-14)
        assert np.all(np.diff(norms, axis=0) > -4 * EPS)
        end = 1 if space.cones is cones else norms[0] + 10
        assert np.all(norms[-1] > end - 1e-3)


class TestProofs:
    """The triangle O, x, x′ of appendices E and F: x′ on the border of the cone of x, y beyond it, z outward of it."""

    @pytest.fixture(params=CONSTANTS)
    def triangle(self, request):
        K, rng = request.param, np.random.default_rng(87)
        low = cones.inner_radius(K)
        x = shell(rng, 500, 4, low + 0.01 * (1 - low), low + 0.6 * (1 - low))
        border = lean(x, rng.normal(size=x.shape), cones.half_aperture(x, K))
        on_border, beyond = (
            poincare.geodesic(x, border, np.full(500, 0.6)),
            poincare.geodesic(x, border, np.full(500, 1.4)),
        )
        return K, x, on_border, beyond, on_border * (1 + np.linalg.norm(on_border, axis=1, keepdims=True) ** -1) / 2

    def test_its_angles_are_those_of_appendix_e(self, triangle):
        """At x′ the angles to both sides of the ray outward add up to π, and neither is less than ψ(x′)."""
        K, x, on_border, y, z = triangle
        ahead, behind = poincare.angle_at(y, on_border, z), poincare.angle_at(z, on_border, x)
        psi = cones.half_aperture(on_border, K)
        np.testing.assert_allclose(ahead + behind, np.pi, rtol=0, atol=1e-11)
        assert np.all(np.minimum(ahead, behind) <= np.pi / 2)
        assert np.all(psi <= np.pi / 2)
        assert np.all(ahead >= psi - 1e-11)
        assert np.all(behind >= psi - 1e-11)

    def test_its_angles_and_the_law_of_sines_give_lemma_7_in_appendix_f(self, triangle):
        K, x, on_border, y, z = triangle
        origin = np.zeros(4)
        ahead = poincare.angle_at(y, on_border, z)
        at_x, at_border = poincare.angle_at(origin, x, on_border), poincare.angle_at(origin, on_border, x)
        assert np.all(ahead <= np.pi / 2 + 1e-11)
        np.testing.assert_allclose(at_border, ahead, rtol=0, atol=1e-11)
        np.testing.assert_allclose(at_x, np.pi - cones.half_aperture(x, K), rtol=0, atol=1e-11)
        ratio = poincare.sine_law_ratio(at_x, poincare.norm(on_border))
        np.testing.assert_allclose(poincare.sine_law_ratio(at_border, poincare.norm(x)), ratio, rtol=1e-9)
        near = np.sin(cones.half_aperture(x, K)) * np.sinh(poincare.norm(x))
        far = np.sin(cones.half_aperture(on_border, K)) * np.sinh(poincare.norm(on_border))
        assert np.all(far <= near * (1 + 1e-11))
        r = np.linalg.norm(x, axis=1)
        np.testing.assert_allclose(np.sinh(poincare.norm(x)), 2 * r / (1 - r**2), rtol=1e-12)


class TestTheInnerRadius:
    """§3, the restriction on ε."""

    @law
    @given(st.floats(1e-9, 1e9))
    def test_the_inner_radius_is_right_to_its_last_digits(self, K):
        with mp.workdps(50):
            k = mp.mpf(K)
            exact = 2 * k / (1 + mp.sqrt(1 + 4 * k * k))
            assert abs(exact / (1 - exact**2) / k - 1) < mp.mpf(10) ** -30
            assert abs(cones.inner_radius(K) - exact) <= 2 * EPS * exact


class TestTheorem5:
    """Ξ is the angle between the axis and the geodesic to y."""

    @staticmethod
    def printed_angle(x, y):
        x, y = exact(x), exact(y)
        xx, yy, xy = mp.fdot(x, x), mp.fdot(y, y), mp.fdot(x, y)
        below = mp.sqrt(xx) * mp.norm(x - y) * mp.sqrt(1 + xx * yy - 2 * xy)
        return mp.acos((xy * (1 + xx) - xx * (1 + yy)) / below)

    @staticmethod
    def angle_of_departure(x, y):
        """The angle at x between the axis and the geodesic to y, by appendix A and not by Theorem 5.

        On the hyperboloid the geodesic from X to Y leaves along Y + ⟨X, Y⟩₁ X, which is carried back to the ball.
        """
        x, y = exact(x), exact(y)

        def lift(p):
            factor = 2 / (1 - mp.fdot(p, p))
            return factor - 1, factor * p

        (x_0, x_), (y_0, y_) = lift(x), lift(y)
        inner = mp.fdot(x_, y_) - x_0 * y_0
        out_0, out = y_0 + inner * x_0, y_ + inner * x_
        tangent = (out * (1 + x_0) - x_ * out_0) / (1 + x_0) ** 2
        return mp.acos(mp.fdot(tangent, x) / (mp.norm(tangent) * mp.norm(x)))

    @pytest.mark.parametrize("gap", [0.5, 1e-2, 1e-4, 1e-6])
    def test_the_angle_is_that_between_the_axis_and_the_tangent_of_the_geodesic(self, gap):
        rng = np.random.default_rng(89)
        n = 40
        x = shell(rng, n, 3, 1 - gap, 1 - gap)
        way = 10.0 ** rng.uniform(-6, 0.5, n)
        y = poincare.geodesic(x, lean(x, rng.normal(size=x.shape), rng.uniform(0, np.pi, n)), way)
        with mp.workdps(60):
            departures = [self.angle_of_departure(a, b) for a, b in zip(x, y, strict=True)]
            printed = [self.printed_angle(a, b) for a, b in zip(x, y, strict=True)]
            assert max(abs(a - b) for a, b in zip(departures, printed, strict=True)) < mp.mpf(10) ** -20
        np.testing.assert_allclose(cones.cone_angle(x, y), np.array(departures, float), rtol=0, atol=3e-16 / gap)


class TestEnergy:
    """§4.1: E is the smallest turn around u that brings v into the cone of u."""

    @each_space
    @pytest.mark.parametrize("K", [0.03, 0.3, 3.0])
    def test_the_energy_is_the_smallest_turn_that_brings_the_child_into_the_cone(self, space, K):
        rng = np.random.default_rng(90)
        n = 3000
        apex = space.apexes(rng, n, 3, K)
        psi = space.cones.half_aperture(apex, K)
        way = rng.uniform(0.1, 1.5, n)
        toward = lean(apex, rng.normal(size=apex.shape), psi + (np.pi - psi) * rng.uniform(0.01, 0.99, n))
        energy = space.cones.energy(apex, space.walk(apex, toward, way), K)
        assert np.all(energy > 0)
        enough = space.walk(apex, lean(toward, apex, energy * (1 + 1e-6)), way)
        assert np.all(space.cones.contains(apex, enough, K))
        for helper in (apex, rng.normal(size=apex.shape)):
            too_little = space.walk(apex, lean(toward, helper, energy * (1 - 1e-6)), way)
            assert not space.cones.contains(apex, too_little, K).any()
