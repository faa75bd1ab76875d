"""Flat and curved cones are one thing: in Klein coordinates exactly, and in the limit K → 0 without them.

The proofs are in docs/explanation/flat-and-curved.md. Pairs are drawn as caps, because caps say on which side of the
border a child is: one at the angle (R_parent − R_child)(1 + share) is outside by a known share of that angle.
"""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.points import lean, shell
from tools.numerics import exact

from hypercone.geometry import caps, cones, euclidean_cones, klein, poincare

CONSTANTS = st.floats(-3, 0.5).map(lambda exponent: 10.0**exponent)
SEEDS = st.integers(0, 2**32 - 1)
DIMENSIONS = st.integers(2, 20)
SIDES = st.sampled_from([-1, 1])


def constant_of(kappa):
    """The K of a κ below 1: the inverse of ``caps.kappa``."""
    return kappa / (2 * np.sqrt((1 - kappa) * (1 + kappa)))


def pairs_beside_the_border(rng, n, d, K, share):
    """Parents and children, each child outside its parent's cone by a share of the angle that is allowed."""
    axis, aside = rng.normal(size=(2, n, d))
    wide = np.arccos(caps.kappa(K)) * rng.uniform(0.01, 0.99, n)
    narrow = wide * rng.uniform(0.001, 0.9, n)
    parent = caps.point_from_cap(axis, wide, K)
    return parent, caps.point_from_cap(lean(axis, aside, (wide - narrow) * (1 + share)), narrow, K)


def flat_limit_pairs(rng, n, d):
    """Parents clear of the unit sphere, where the aperture has a slope, and children anywhere outside of it."""
    return shell(rng, n, d, 1.1, 5), shell(rng, n, d, 1, 5)


def second_order(z, w):
    """The factor of K² in the energy of (Kz, Kw): twice the area of the triangle 0, z, w, and z²/√(z²−1)."""
    size = np.linalg.norm(z, axis=-1)
    across = np.linalg.norm(w - np.sum(w * z, axis=-1, keepdims=True) / size[..., None] ** 2 * z, axis=-1)
    return size * across + size**2 / np.sqrt(size**2 - 1)


def difference(z, w, K):
    return cones.signed_energy(K * z, K * w, K) - euclidean_cones.signed_energy(z, w, 1.0)


@given(CONSTANTS, DIMENSIONS, SEEDS, SIDES, st.floats(-6, -1))
def test_beside_the_border_curved_flat_and_cap_decide_alike_and_correctly(K, d, seed, side, exponent):
    parent, child = pairs_beside_the_border(np.random.default_rng(seed), 50, d, K, side * 10.0**exponent)
    is_inside = np.full(50, side < 0)
    flat = euclidean_cones.contains(klein.to_klein(parent), klein.to_klein(child), caps.kappa(K))
    assert np.array_equal(cones.contains(parent, child, K), is_inside)
    assert np.array_equal(flat, is_inside)
    assert np.array_equal(caps.contains(parent, child, K), is_inside)


@given(DIMENSIONS, SEEDS)
def test_klein_coordinates_multiply_the_tangent_of_the_angle_by_cosh_of_the_distance_to_the_center(d, seed):
    parent, child = shell(np.random.default_rng(seed), 100, d, 0.01, 0.99).reshape(2, 50, d)
    angle, stretch = cones.cone_angle(parent, child), np.cosh(poincare.norm(parent))
    seen = euclidean_cones.cone_angle(klein.to_klein(parent), klein.to_klein(child))
    np.testing.assert_allclose(seen, np.arctan2(stretch * np.sin(angle), np.cos(angle)), rtol=0, atol=1e-10)


@given(CONSTANTS, DIMENSIONS, SEEDS)
def test_the_aperture_of_the_flat_cone_is_the_curved_one_seen_in_klein_coordinates(K, d, seed):
    low = cones.inner_radius(K)
    apex = shell(np.random.default_rng(seed), 50, d, low + 1e-3 * (1 - low), 0.99)
    seen = np.arctan(np.tan(cones.half_aperture(apex, K)) * np.cosh(poincare.norm(apex)))
    flat = euclidean_cones.half_aperture(klein.to_klein(apex), caps.kappa(K))
    np.testing.assert_allclose(flat, seen, rtol=0, atol=1e-9)


@given(CONSTANTS)
def test_flat_cones_begin_where_curved_ones_do(K):
    begin = klein.klein_radius([cones.inner_radius(K)])
    assert float(begin) == pytest.approx(euclidean_cones.inner_radius(caps.kappa(K)), rel=1e-13)
    assert constant_of(caps.kappa(K)) == pytest.approx(K, rel=1e-12)


@given(st.floats(0.01, 100), DIMENSIONS, SEEDS, st.floats(1.001, 10))
def test_every_flat_embedding_is_a_curved_one_after_scaling_it_into_the_ball(flat_K, d, seed, beyond):
    rng = np.random.default_rng(seed)
    flat = shell(rng, 60, d, flat_K * 1.001, flat_K * 8)
    # Half of them further out, near the rays of the others: random points hardly ever hold each other.
    flat[30:] = flat[:30] * rng.uniform(1, 4, (30, 1)) + rng.normal(size=(30, d)) * flat_K / np.sqrt(d)
    scale = 1 / (beyond * np.linalg.norm(flat, axis=1).max())
    K, points = constant_of(scale * flat_K), klein.from_klein(scale * flat)
    signed = euclidean_cones.signed_energy(flat[:, None], flat, flat_K)
    is_clear = np.abs(signed) > 1e-9
    assert np.array_equal(cones.contains(points[:, None], points, K)[is_clear], (signed <= 0)[is_clear])
    assert np.sum(signed <= 0) > 60  # more than each point in its own cone


@given(DIMENSIONS, SEEDS)
def test_scaled_by_k_curved_energies_tend_to_flat_ones_at_order_k_squared_with_a_known_factor(d, seed):
    z, w = flat_limit_pairs(np.random.default_rng(seed), 50, d)
    for K, tolerance in ((1e-2, 0.3), (1e-3, 3e-3), (1e-4, 3e-5)):
        np.testing.assert_allclose(difference(z, w, K) / K**2, second_order(z, w), rtol=tolerance)


@given(st.integers(2, 5), SEEDS)
def test_their_slopes_tend_to_flat_ones_at_the_same_order(d, seed):
    """By central differences, in the parent; pairs with the child near the axis have a kink and are left out."""
    K, step = 1e-3, 1e-3
    z, w = flat_limit_pairs(np.random.default_rng(seed), 50, d)
    angle = euclidean_cones.cone_angle(z, w)
    is_smooth = (angle > 0.2) & (angle < np.pi - 0.2) & (np.linalg.norm(w - z, axis=1) > 0.2)
    z, w = z[is_smooth], w[is_smooth]
    for move in step * np.eye(d):
        slope = (difference(z + move, w, K) - difference(z - move, w, K)) / (2 * step * K**2)
        expected = (second_order(z + move, w) - second_order(z - move, w)) / (2 * step)
        np.testing.assert_allclose(slope, expected, rtol=0.02, atol=0.02)


@pytest.mark.parametrize("K", [1e-2, 1e-3, 1e-4])
def test_on_the_unit_sphere_itself_the_order_is_only_one(K):
    z = np.array([1.0, 0.0])
    gap = euclidean_cones.half_aperture(z, 1.0) - cones.half_aperture(K * z, K)
    assert float(gap) == pytest.approx(np.sqrt(2) * K, rel=1e-3)


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize(("wide", "narrow"), [(0.9, 0.1), (0.5, 0.4), (0.5, 0.001), (0.02, 0.01)])
@pytest.mark.parametrize("K", ["0.003", "0.1", "1", "3"])
def test_in_fifty_digits_pairs_that_miss_the_border_by_thirty_are_decided_alike(K, wide, narrow, side):
    with mp.workdps(exact.DIGITS):
        K = mp.mpf(K)
        widest = mp.acos(exact.kappa(K))
        wide, narrow = widest * wide, widest * narrow
        angle = (wide - narrow) * (1 + side * mp.mpf("1e-30"))
        parent = exact.point_from_cap([mp.mpf(1), mp.mpf(0)], [wide], K)
        child = exact.point_from_cap([mp.cos(angle), mp.sin(angle)], [narrow], K)
        curved = exact.energy(parent, child, K)
        flat = exact.flat_energy(exact.to_klein(parent), exact.to_klein(child), exact.kappa(K))
        assert mp.sign(curved) == mp.sign(flat) == side
        assert 0 < abs(curved) < mp.mpf("1e-28")
        assert 0 < abs(flat) < mp.mpf("1e-28")


@pytest.mark.parametrize("share", [-1e-9, 1e-9])
@pytest.mark.parametrize("K", [0.003, 0.1, 1.0, 3.0])
def test_a_billionth_beside_the_border_floats_decide_as_fifty_digits_do(K, share):
    parent, child = pairs_beside_the_border(np.random.default_rng(61), 40, 5, K, share)
    with mp.workdps(exact.DIGITS):
        pairs = [(exact.vector(u), exact.vector(v)) for u, v in zip(parent, child, strict=True)]
        k, kappa = mp.mpf(K), exact.kappa(mp.mpf(K))
        curved = [exact.energy(u, v, k) <= 0 for u, v in pairs]
        flat = [exact.flat_energy(exact.to_klein(u), exact.to_klein(v), kappa) <= 0 for u, v in pairs]
    assert curved == flat == [share < 0] * 40
    assert cones.contains(parent, child, K).tolist() == curved
    assert klein.contains(parent, child, K).tolist() == flat
