"""The numbered statements of the paper's §3, and the energy of §4, in its order.

In this folder also: §2 and appendix A in test_preliminaries.py, the properties that §3 asks for in
test_properties.py, Theorem 4 and the apertures that are not transitive in test_nested_triples.py. The numbers are
those of the compiled paper, where lemmas and theorems share one counter. What has a test elsewhere is not tested again:

==============================================  ================================================================
statement                                       test, in tests/geometry unless another folder is named
==============================================  ================================================================
§2.2 distance, norm, laws of cosines and sines  test_poincare
Theorem 1, in floats                            test_poincare: ends_on_the_border; test_preliminaries
Corollary 1.1, printed and stable form          test_poincare: the_papers_closed_form, undo_each_other, finite
Corollary 1.2, the plane of x and v             test_poincare: stays_in_the_plane_of_the_origin
§3 S-cones, closed under combinations           test_models
§3 rotation of the whole ball                   test_cones: does_not_depend_on_a_rotation
Theorem 3, h is constant                        tests/paper/test_nested_triples: h_is_constant
Theorem 3, a growing h                          tests/paper/test_nested_triples: the_euclidean_aperture
Theorem 5, Ξ = π − ∠Oxy, its three forms        test_cones: supplement, law_of_cosines, arccos, leaving_at_an_angle
Theorem 5, the cone as a set                    test_models: all_forms_of_the_cone_agree
Euclidean cones: ψ, Ξ, transitivity             test_cones
§4.1 the loss                                   tests/training/test_loop: the_loss_of_the_paper
§4.2 gradient, retraction, full step            test_poincare, tests/methods/test_steps
§5 score of the baselines                       tests/methods/test_contracts: alpha_weighs_the_norms
appendix A, the isometry                        test_models
slip: r sin ψ is non-increasing                 test_cones: r_sin_psi_must_be_non_increasing
slip: sign of the order embeddings              test_cones: order_energy_penalizes_negative_pairs
slip: Klein is not conformal                    test_models: not_conformal
not in the paper: Klein, hull, caps             test_models
==============================================  ================================================================
"""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.points import exact, lean, printed_angle, shell

from hypercone.geometry import cones, euclidean_cones, poincare

EPS = np.finfo(float).eps
CONSTANTS = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0]
law = settings(deadline=None, max_examples=100)
constants = st.floats(0.01, 3.0)


class TestLemma2:
    """Lemma 2 and the remark on the origin after it."""

    @law
    @given(st.floats(1e-6, 1e6), st.floats(0, 1))
    def test_no_cone_is_wider_than_a_right_angle(self, K, share):
        low = cones.inner_radius(K)
        psi = float(cones.half_aperture([low + (1 - low) * share, 0.0], K))
        assert 0 < psi <= math.pi / 2

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

    @pytest.mark.parametrize("K", [0.01, 0.1, 0.3])
    def test_a_cone_with_the_euclidean_aperture_has_points_whose_cones_reach_outside(self, K):
        """Lemma 7 is violated: h grows along the border."""
        rng = np.random.default_rng(87)
        apex = shell(rng, 2000, 3, K * 1.01, 0.8)
        border = lean(apex, rng.normal(size=apex.shape), euclidean_cones.half_aperture(apex, K))
        on_border, further = (poincare.geodesic(apex, border, t) for t in (0.5, 2.0))
        assert np.all(cones.cone_angle(on_border, further) < euclidean_cones.half_aperture(on_border, K))

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


class TestTheInnerRadius:
    """§3, the restriction on ε and the closed form of ψ."""

    @law
    @given(st.floats(1e-9, 1e9))
    def test_the_inner_radius_is_right_to_its_last_digits(self, K):
        with mp.workdps(50):
            k = mp.mpf(K)
            exact = 2 * k / (1 + mp.sqrt(1 + 4 * k * k))
            assert abs(exact / (1 - exact**2) / k - 1) < mp.mpf(10) ** -30
            assert abs(cones.inner_radius(K) - exact) <= 2 * EPS * exact

    @law
    @given(st.floats(1e-3, 1e3), st.floats(1e-6, 1 - 1e-6))
    def test_k_is_at_most_r_over_one_minus_r_squared_exactly_from_the_inner_radius_on(self, K, r):
        with mp.workdps(50):
            allowed = mp.mpf(K) <= mp.mpf(r) / (1 - mp.mpf(r) ** 2)
        low = cones.inner_radius(K)
        if abs(r - low) > 4 * EPS:
            assert allowed == (r >= low)
        assert (float(cones.half_aperture([r, 0.0], K)) < math.pi / 2) <= (r > low * (1 - 1e-12))

    @law
    @given(constants, st.floats(0, 1))
    def test_the_aperture_is_the_printed_one_to_the_digits_a_sine_carries(self, K, share):
        low = cones.inner_radius(K) * (1 + 1e-9)
        r = low + (1 - 1e-9 - low) * share
        with mp.workdps(50):
            exact = mp.asin(mp.mpf(K) * (1 - mp.mpf(r) ** 2) / mp.mpf(r))
            slack = 8 * EPS * max(1, float(mp.tan(exact)))
        assert float(cones.half_aperture([r, 0.0], K)) == pytest.approx(float(exact), abs=slack, rel=8 * EPS)


class TestTheorem5:
    """Ξ is the angle between the axis and the geodesic to y."""

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
            printed = [printed_angle(a, b) for a, b in zip(x, y, strict=True)]
            assert max(abs(a - b) for a, b in zip(departures, printed, strict=True)) < mp.mpf(10) ** -20
        np.testing.assert_allclose(cones.cone_angle(x, y), np.array(departures, float), rtol=0, atol=3e-16 / gap)


class TestEnergy:
    """§4.1: E is the smallest turn around u that brings v into the cone of u."""

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
