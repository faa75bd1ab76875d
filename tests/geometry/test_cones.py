"""Entailment cones in the ball and in flat space: aperture, angle, energy, transitivity; and order embeddings."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.support.points import SPACES, cone_pairs, exact, shell, turned

from hypercone.errors import ConfigError
from hypercone.geometry import cones, euclidean_cones, order, poincare

CONSTANTS = [0.01, 0.1, 0.5, 1.0, 3.0]


constants = st.floats(0.01, 3.0)


def test_a_parent_is_outside_its_childs_cone():
    rng = np.random.default_rng(17)
    parent = shell(rng, 2000, 5, 0.1, 0.9)
    child = parent * 1.05
    np.testing.assert_allclose(cones.cone_angle(child, parent), np.pi, rtol=0, atol=1e-12)
    assert not cones.contains(child, parent, 0.1).any()


def test_the_origin_entails_everything():
    x = np.random.default_rng(19).uniform(-0.5, 0.5, (100, 3))
    assert np.all(cones.contains(np.zeros(3), x, 0.1))


def test_the_order_has_no_two_cycles():
    parent, child = cone_pairs(np.random.default_rng(20), 20_000, 3, 0.1)
    both = cones.contains(parent, child, 0.1) & cones.contains(child, parent, 0.1)
    assert np.all(parent[both] == child[both])


def test_the_angle_is_the_supplement_of_the_angle_at_the_parent():
    rng = np.random.default_rng(21)
    parent, child = shell(rng, 1000, 4, 0.1, 0.99), shell(rng, 1000, 4, 0.1, 0.99)
    at_parent = poincare.angle_at(np.zeros(4), parent, child)
    np.testing.assert_allclose(cones.cone_angle(parent, child), np.pi - at_parent, rtol=0, atol=1e-13)


def test_the_angle_follows_from_the_law_of_cosines():
    rng = np.random.default_rng(22)
    parent, child = shell(rng, 1000, 4, 0.1, 0.95), shell(rng, 1000, 4, 0.1, 0.95)
    sides = poincare.distance(parent, child), poincare.norm(child), poincare.norm(parent)
    by_sides = np.pi - poincare.cosine_law_angle(*sides)
    np.testing.assert_allclose(cones.cone_angle(parent, child), by_sides, rtol=0, atol=1e-9)


def test_leaving_at_an_angle_gives_that_angle_back():
    rng = np.random.default_rng(24)
    parent = shell(rng, 1000, 4, 0.1, 0.9)
    angle = rng.uniform(0, np.pi, 1000)
    child = poincare.geodesic(parent, turned(rng, parent, angle), rng.uniform(0.1, 2, 1000))
    np.testing.assert_allclose(cones.cone_angle(parent, child), angle, rtol=0, atol=1e-12)


def test_the_cone_does_not_depend_on_a_rotation_of_the_ball():
    parent, child = cone_pairs(np.random.default_rng(26), 1000, 4, 0.1)
    turn = np.linalg.qr(np.random.default_rng(27).normal(size=(4, 4)))[0]
    before, after = (
        cones.signed_energy(parent, child, 0.1),
        cones.signed_energy(parent @ turn, child @ turn, 0.1),
    )
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-9)


@pytest.mark.parametrize("K", [0.01, 0.1, 1.0, 3.0])
def test_r_sin_psi_is_constant_and_equal_to_k(K):
    x = shell(np.random.default_rng(44), 500, 3, K, K + 5)
    size = np.linalg.norm(x, axis=1) * np.sin(euclidean_cones.half_aperture(x, K))
    np.testing.assert_allclose(size, K, rtol=1e-13)


def test_the_flat_aperture_is_a_right_angle_at_and_below_the_inner_radius():
    assert euclidean_cones.inner_radius(0.2) == 0.2
    for radius in (0.0, 0.1, 0.2):
        assert float(euclidean_cones.half_aperture([radius, 0.0], 0.2)) == np.pi / 2


def test_the_flat_angle_matches_fifty_digits_for_tiny_steps():
    rng = np.random.default_rng(48)
    parent = shell(rng, 50, 3, 0.5, 5)
    child = parent + shell(rng, 50, 3, 1e-9, 1e-8)
    for x, y in zip(parent, child, strict=True):
        with mp.workdps(50):
            step = exact(y) - exact(x)
            angle = mp.acos(mp.fdot(step, exact(x)) / (mp.norm(step) * mp.norm(exact(x))))
        assert float(euclidean_cones.cone_angle(x, y)) == pytest.approx(float(angle), abs=1e-14)


triples = arrays(np.float64, (3, 4), elements=st.integers(-3, 3).map(float))


@given(triples)
def test_order_energy_is_zero_exactly_when_the_child_is_larger_everywhere(points):
    parent, child, _ = points
    assert (order.energy(parent, child) == 0) == order.contains(parent, child)


@given(triples)
def test_order_embeddings_are_reflexive_antisymmetric_and_transitive(points):
    a, b, c = points
    assert order.contains(a, a)
    if order.contains(a, b) and order.contains(b, a):
        assert np.array_equal(a, b)
    if order.contains(a, b) and order.contains(b, c):
        assert order.contains(a, c)


def test_order_energy_penalizes_negative_pairs_and_not_positive_ones():
    # the paper prints max(0, v − u), which does the opposite
    general, specific = np.array([0.0, 0.0]), np.array([1.0, 2.0])
    assert order.energy(general, specific) == 0
    assert order.energy(specific, general) == 5


each_space = pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)


@each_space
@pytest.mark.parametrize("K", [0.0, -0.1, np.inf, np.nan])
def test_a_constant_that_is_not_positive_is_refused_with_its_value(space, K):
    with pytest.raises(ConfigError, match=f"K must be a positive number, not {K}"):
        space.cones.half_aperture([0.5, 0.0], K)


@each_space
@pytest.mark.parametrize("K", CONSTANTS)
def test_a_child_further_out_on_the_same_ray_is_inside_its_parents_cone(space, K):
    rng = np.random.default_rng(16)
    outer = 0.999 if space.cones is cones else K + 5
    parent = shell(rng, 2000, 5, space.cones.inner_radius(K), outer)
    child = space.walk(parent, parent, rng.uniform(0, 3, 2000))
    assert np.all(space.cones.contains(parent, child, K))
    assert np.all(space.cones.energy(parent, child, K) == 0)
    np.testing.assert_allclose(space.cones.cone_angle(parent, child), 0, rtol=0, atol=1e-9)
    assert not space.cones.contains(child[1:], parent[1:], K)[np.any(child != parent, axis=1)[1:]].any()


@each_space
def test_every_point_is_inside_its_own_cone_whatever_its_signs(space):
    x = shell(np.random.default_rng(18), 500, 3, 0.1, 0.999 if space.cones is cones else 5)
    for signs in (x, -np.abs(x), np.abs(x)):
        assert np.all(space.cones.cone_angle(signs, signs) == 0)
        assert np.all(space.cones.contains(signs, signs, 0.1))


@pytest.mark.parametrize(("space", "atol"), [(SPACES["ball"], 1e-10), (SPACES["flat"], 1e-6)], ids=SPACES)
def test_the_angle_is_the_arccos_of_the_paper(space, atol):
    rng = np.random.default_rng(23)
    low, high = (0.1, 0.9) if space.cones is cones else (0.1, 5)
    parent, child = shell(rng, 1000, 4, low, high), shell(rng, 1000, 4, low, high)
    printed = space.cones.cone_angle_paper(parent, child)
    np.testing.assert_allclose(space.cones.cone_angle(parent, child), printed, rtol=0, atol=atol)


@each_space
def test_energy_is_zero_exactly_inside_the_cone(space):
    rng = np.random.default_rng(25)
    parent = space.apexes(rng, 10_000, 3, 0.3)
    toward = turned(rng, parent, rng.uniform(0, 2, 10_000) * space.cones.half_aperture(parent, 0.3))
    child = space.walk(parent, toward, rng.uniform(0.1, 1, 10_000))
    inside = space.cones.contains(parent, child, 0.3)
    assert 0.3 < inside.mean() < 0.7
    energy, signed = space.cones.energy(parent, child, 0.3), space.cones.signed_energy(parent, child, 0.3)
    assert np.array_equal(energy == 0, inside)
    np.testing.assert_array_equal(energy, np.maximum(0, signed))


def flat_triples(aperture, start, rng):
    """Ξ − ψ at the parent for children of children, each in the cone before it, a third of them on its border."""
    flat = SPACES["flat"]
    grandchild = start
    for _ in range(2):
        share = np.where(rng.uniform(size=len(start)) < 1 / 3, 1, rng.uniform(0, 1, len(start)))
        toward = turned(rng, grandchild, aperture(grandchild) * share)
        grandchild = flat.walk(grandchild, toward, rng.uniform(0.01, 2, len(start)))
    return euclidean_cones.cone_angle(start, grandchild) - aperture(start)


@pytest.mark.parametrize("K", CONSTANTS)
def test_flat_cones_are_transitive(K):
    rng = np.random.default_rng(32)
    start = shell(rng, 100_000, 3, K * (1 + 1e-6), K + 2)
    assert flat_triples(lambda x: euclidean_cones.half_aperture(x, K), start, rng).max() < 1e-9


@pytest.mark.parametrize(("power", "holds"), [(0.5, False), (1.0, True), (2.0, True)])
def test_in_flat_space_r_sin_psi_must_be_non_increasing(power, holds):
    # The paper prints "non-decreasing"; power < 1 is a decreasing ψ with increasing r·sin ψ, and fails.
    rng = np.random.default_rng(33)
    start = shell(rng, 100_000, 2, 1, 2)
    excess = flat_triples(lambda x: np.arcsin(np.minimum(0.3 * np.linalg.norm(x, axis=-1) ** -power, 1)), start, rng)
    assert (excess.max() < 1e-9) == holds
