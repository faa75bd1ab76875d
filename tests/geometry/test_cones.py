"""Hyperbolic entailment cones: the aperture, the angle and what follows from their definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypercone.errors import ConfigError
from hypercone.geometry import cones, poincare

CONSTANTS = [0.01, 0.1, 0.5, 1.0, 3.0]
constants = st.floats(0.01, 3.0)


@given(constants, st.floats(0, 1))
def test_h_is_constant_and_equal_to_k(K, fraction):
    low = cones.inner_radius(K)
    radius = low + (0.999 - low) * fraction
    h = np.sin(cones.half_aperture([radius, 0.0], K)) * radius / (1 - radius**2)
    assert float(h) == pytest.approx(K, rel=1e-12)


@given(constants)
def test_the_inner_radius_is_where_the_aperture_reaches_a_right_angle(K):
    low = cones.inner_radius(K)
    assert 0 < low < 1
    assert low / (1 - low**2) == pytest.approx(K, rel=1e-12)
    assert float(cones.half_aperture([low * (1 - 1e-9), 0.0], K)) == np.pi / 2
    assert float(cones.half_aperture([low * (1 + 1e-9), 0.0], K)) < np.pi / 2


@pytest.mark.parametrize("K", CONSTANTS)
def test_the_aperture_narrows_toward_the_border(K):
    radii = np.linspace(cones.inner_radius(K), 1 - 1e-9, 1000)
    apertures = cones.half_aperture(np.stack([radii, 0 * radii], axis=1), K)
    assert np.all(np.diff(apertures) < 0)
    assert apertures[-1] < 1e-8


@pytest.mark.parametrize("K", [0.0, -0.1, np.inf, np.nan])
def test_a_constant_that_is_not_positive_is_refused_with_its_value(K):
    with pytest.raises(ConfigError, match=f"K must be a positive number, not {K}"):
        cones.half_aperture([0.5, 0.0], K)


@pytest.mark.parametrize("K", CONSTANTS)
def test_a_child_further_out_on_the_same_ray_is_inside_its_parents_cone(shell, K):
    rng = np.random.default_rng(16)
    parent = shell(rng, 2000, 5, cones.inner_radius(K), 0.999)
    radius = np.linalg.norm(parent, axis=1)
    child = parent * (1 + rng.uniform(0, 1, 2000) * (1 / radius - 1) * 0.999)[:, None]
    assert np.all(cones.contains(parent, child, K))
    assert np.all(cones.energy(parent, child, K) == 0)
    np.testing.assert_allclose(cones.cone_angle(parent, child), 0, rtol=0, atol=1e-9)


def test_a_parent_is_outside_its_childs_cone(shell):
    rng = np.random.default_rng(17)
    parent = shell(rng, 2000, 5, 0.1, 0.9)
    child = parent * 1.05
    np.testing.assert_allclose(cones.cone_angle(child, parent), np.pi, rtol=0, atol=1e-12)
    assert not cones.contains(child, parent, 0.1).any()


def test_every_point_is_inside_its_own_cone_whatever_its_signs(shell):
    x = shell(np.random.default_rng(18), 500, 3, 0.1, 0.999)
    for signs in (x, -np.abs(x), np.abs(x)):
        assert np.all(cones.cone_angle(signs, signs) == 0)
        assert np.all(cones.contains(signs, signs, 0.1))


def test_the_origin_entails_everything():
    x = np.random.default_rng(19).uniform(-0.5, 0.5, (100, 3))
    assert np.all(cones.contains(np.zeros(3), x, 0.1))


def test_the_order_has_no_two_cycles(cone_pairs):
    parent, child = cone_pairs(np.random.default_rng(20), 20_000, 3, 0.1)
    both = cones.contains(parent, child, 0.1) & cones.contains(child, parent, 0.1)
    assert np.all(parent[both] == child[both])


def test_the_angle_is_the_supplement_of_the_angle_at_the_parent(shell):
    rng = np.random.default_rng(21)
    parent, child = shell(rng, 1000, 4, 0.1, 0.99), shell(rng, 1000, 4, 0.1, 0.99)
    at_parent = poincare.angle_at(np.zeros(4), parent, child)
    np.testing.assert_allclose(cones.cone_angle(parent, child), np.pi - at_parent, rtol=0, atol=1e-13)


def test_the_angle_follows_from_the_law_of_cosines(shell):
    rng = np.random.default_rng(22)
    parent, child = shell(rng, 1000, 4, 0.1, 0.95), shell(rng, 1000, 4, 0.1, 0.95)
    sides = poincare.distance(parent, child), poincare.norm(child), poincare.norm(parent)
    by_sides = np.pi - poincare.cosine_law_angle(*sides)
    np.testing.assert_allclose(cones.cone_angle(parent, child), by_sides, rtol=0, atol=1e-9)


def test_the_angle_is_the_arccos_of_the_paper_far_from_the_border(shell):
    rng = np.random.default_rng(23)
    parent, child = shell(rng, 1000, 4, 0.1, 0.9), shell(rng, 1000, 4, 0.1, 0.9)
    np.testing.assert_allclose(
        cones.cone_angle(parent, child), cones.cone_angle_paper(parent, child), rtol=0, atol=1e-10
    )


def test_leaving_at_an_angle_gives_that_angle_back(shell, turned):
    rng = np.random.default_rng(24)
    parent = shell(rng, 1000, 4, 0.1, 0.9)
    angle = rng.uniform(0, np.pi, 1000)
    child = poincare.geodesic(parent, turned(rng, parent, angle), rng.uniform(0.1, 2, 1000))
    np.testing.assert_allclose(cones.cone_angle(parent, child), angle, rtol=0, atol=1e-12)


def test_energy_is_zero_exactly_inside_the_cone(cone_pairs):
    parent, child = cone_pairs(np.random.default_rng(25), 10_000, 3, 0.3)
    inside = cones.contains(parent, child, 0.3)
    assert 0.1 < inside.mean() < 0.9
    assert np.array_equal(cones.energy(parent, child, 0.3) == 0, inside)
    np.testing.assert_array_equal(
        cones.energy(parent, child, 0.3), np.maximum(0, cones.signed_energy(parent, child, 0.3))
    )


def test_the_cone_does_not_depend_on_a_rotation_of_the_ball(cone_pairs):
    parent, child = cone_pairs(np.random.default_rng(26), 1000, 4, 0.1)
    turn = np.linalg.qr(np.random.default_rng(27).normal(size=(4, 4)))[0]
    before, after = (
        cones.signed_energy(parent, child, 0.1),
        cones.signed_energy(parent @ turn, child @ turn, 0.1),
    )
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-9)
