"""What §3 asks of a cone, before any closed form: convexity and the four properties. See test_theorems.py."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.points import lean, shell

from hypercone.geometry import caps, cones, order, poincare

EPS = np.finfo(float).eps
CONSTANTS = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0]
law = settings(deadline=None, max_examples=60)
seeds = st.integers(0, 2**32 - 1)
constants = st.floats(0.01, 3.0)


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

    def test_a_wider_angle_would_not_be_convex(self, space):
        """A control for the check above: beyond a right angle the complement is the convex set."""
        rng = np.random.default_rng(82)
        apex = space.apexes(rng, 5000, 2, 0.1)
        side = rng.normal(size=apex.shape)
        ends = [space.walk(apex, lean(apex, way, np.full(5000, 1.8)), np.full(5000, 0.5)) for way in (side, -side)]
        assert np.all(space.cones.cone_angle(apex, space.between(*ends, np.full(5000, 0.5))) > 1.8)


class TestAxialSymmetry:
    """§3, property 1."""

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
    @given(seeds, st.integers(2, 8), constants)
    def test_a_rotation_about_the_axis_leaves_the_cone_unchanged(self, seed, d, K):
        rng = np.random.default_rng(seed)
        low = cones.inner_radius(K)
        x, y = shell(rng, 1, d, low, (3 + low) / 4)[0], shell(rng, 200, d, low, 0.99)
        frame = np.linalg.qr(np.column_stack([x, rng.normal(size=(d, d - 1))]))[0]
        inner = np.eye(d)
        inner[1:, 1:] = np.linalg.qr(rng.normal(size=(d - 1, d - 1)))[0]
        turn = frame @ inner @ frame.T
        np.testing.assert_allclose(turn @ x, x, rtol=0, atol=1e-14)
        np.testing.assert_allclose(cones.cone_angle(x, y @ turn.T), cones.cone_angle(x, y), rtol=0, atol=1e-11)


class TestRotationInvariance:
    """§3, property 2."""

    @law
    @given(seeds, st.integers(1, 12), constants, st.floats(0, 1))
    def test_the_aperture_depends_on_the_norm_alone_in_any_dimension(self, seed, d, K, share):
        low = cones.inner_radius(K) * (1 + 1e-3)
        radius = low + (0.999 - low) * share
        x = shell(np.random.default_rng(seed), 20, d, radius, radius)
        np.testing.assert_allclose(cones.half_aperture(x, K), cones.half_aperture([radius], K), rtol=1e-11)


class TestContinuity:
    """§3, property 3, and the remark that ψ is smooth."""

    @pytest.mark.parametrize("K", CONSTANTS)
    def test_the_aperture_is_continuous_from_the_inner_radius_to_the_border(self, K):
        """|arcsin a − arcsin b| ≤ (π/2)√|a−b|, and sin ψ has the slope K(1+1/r²); no step of a fine grid is larger."""
        r = np.linspace(cones.inner_radius(K), 1 - EPS, 200_001)
        steps = np.abs(np.diff(cones.half_aperture(r[:, None], K)))
        allowed = np.pi / 2 * np.sqrt(K * (1 + 1 / r[:-1] ** 2) * np.diff(r))
        assert np.all(steps <= allowed)

    @pytest.mark.parametrize("K", CONSTANTS)
    def test_the_slope_of_the_aperture_is_continuous_and_infinite_only_at_the_inner_radius(self, K):
        low = cones.inner_radius(K)
        r = low + (1 - low) * np.linspace(0.01, 0.99, 300)
        h = 1e-6 * (1 - low) * low
        ahead, behind = (cones.half_aperture(np.stack([r + step, 0 * r], axis=1), K) for step in (h, -h))
        sine = K * (1 - r**2) / r
        expected = -K * (1 + 1 / r**2) / np.sqrt((1 - sine) * (1 + sine))
        np.testing.assert_allclose((ahead - behind) / (2 * h), expected, rtol=1e-5)
        # a right angle minus a root of the distance: four times the distance, twice the fall
        fall = [math.pi / 2 - float(cones.half_aperture([low * (1 + step), 0.0], K)) for step in (1e-8, 4e-8)]
        assert fall[1] / fall[0] == pytest.approx(2, rel=1e-5)
