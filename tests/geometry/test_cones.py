"""Entailment cones in the ball and in flat space, the decisions near the border, and order embeddings.

That apertures, angles and energies are right in the whole domain is tested in tests/numerics.
"""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.support.points import SPACES, cone_pairs, each_space, shell, turned
from tools.numerics import exact

from hypercone.errors import ConfigError
from hypercone.geometry import caps, cones, euclidean_cones, hyperboloid, order, poincare


@each_space
@pytest.mark.parametrize("K", [0.0, -0.1, np.inf, np.nan])
def test_a_constant_that_is_not_positive_is_refused_with_its_value(space, K):
    with pytest.raises(ConfigError, match=f"K must be a positive number, not {K}"):
        space.cones.half_aperture([0.5, 0.0], K)


@each_space
@pytest.mark.parametrize("K", [0.01, 0.1, 0.5, 1.0, 3.0])
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
def test_every_point_is_inside_its_own_cone_whatever_its_signs_and_inside_that_of_the_origin(space):
    x = shell(np.random.default_rng(18), 500, 3, 0.1, 0.999 if space.cones is cones else 5)
    for signs in (x, -np.abs(x), np.abs(x)):
        assert np.all(space.cones.cone_angle(signs, signs) == 0)
        assert np.all(space.cones.contains(signs, signs, 0.1))
        assert np.all(space.cones.contains(np.zeros(3), signs, 0.1))


def test_the_angle_is_the_supplement_of_the_angle_at_the_parent_and_follows_from_the_law_of_cosines():
    rng = np.random.default_rng(21)
    parent, child = shell(rng, 1000, 4, 0.1, 0.95), shell(rng, 1000, 4, 0.1, 0.95)
    angle = cones.cone_angle(parent, child)
    np.testing.assert_allclose(angle, np.pi - poincare.angle_at(np.zeros(4), parent, child), rtol=0, atol=1e-13)
    sides = poincare.distance(parent, child), poincare.norm(child), poincare.norm(parent)
    np.testing.assert_allclose(angle, np.pi - poincare.cosine_law_angle(*sides), rtol=0, atol=1e-9)


@pytest.mark.parametrize(("space", "high", "atol"), [("ball", 0.9, 1e-10), ("flat", 5, 1e-6)])
def test_the_angle_is_the_arccos_of_the_paper(space, high, atol):
    rng = np.random.default_rng(23)
    pair = shell(rng, 1000, 4, 0.1, high), shell(rng, 1000, 4, 0.1, high)
    module = SPACES[space].cones
    np.testing.assert_allclose(module.cone_angle(*pair), module.cone_angle_paper(*pair), rtol=0, atol=atol)


def by_power(K, power):
    return lambda x: np.arcsin(np.minimum(K * np.linalg.norm(x, axis=-1) ** -power, 1))


# The paper prints that r·sin ψ must be non-decreasing; power < 1 is a decreasing ψ with increasing r·sin ψ, and fails.
FLAT_APERTURES = [
    *((lambda x, K=K: euclidean_cones.half_aperture(x, K), 3, K, True) for K in (0.01, 0.1, 0.5, 1.0, 3.0)),
    *((by_power(0.3, power), 2, 1, power >= 1) for power in (0.5, 1.0, 2.0)),
]


@pytest.mark.parametrize(("aperture", "d", "low", "is_transitive"), FLAT_APERTURES)
def test_flat_cones_are_transitive_exactly_if_r_sin_psi_is_non_increasing(aperture, d, low, is_transitive):
    """Children of children, each in the cone before it, a third of them on its border."""
    rng = np.random.default_rng(32)
    start = grandchild = shell(rng, 100_000, d, low * (1 + 1e-6), low + 2)
    for _ in range(2):
        share = np.where(rng.uniform(size=len(start)) < 1 / 3, 1, rng.uniform(0, 1, len(start)))
        toward = turned(rng, grandchild, aperture(grandchild) * share)
        grandchild = SPACES["flat"].walk(grandchild, toward, rng.uniform(0.01, 2, len(start)))
    excess = euclidean_cones.cone_angle(start, grandchild) - aperture(start)
    assert (excess.max() < 1e-9) == is_transitive


@given(arrays(np.float64, (3, 4), elements=st.integers(-3, 3).map(float)))
def test_order_embeddings_are_reflexive_antisymmetric_and_transitive_and_have_no_energy_where_they_hold(points):
    """The paper prints the energy max(0, v − u), which would penalize the pairs that hold."""
    a, b, _ = points
    assert order.contains(a, a)
    assert (order.energy(a, b) == 0) == order.contains(a, b)
    assert (order.contains(a, b) and order.contains(b, a)) == np.array_equal(a, b)
    low, middle, high = np.sort(points, axis=0)
    assert np.all(order.contains([low, middle, low], [middle, high, high]))
    assert order.energy(high, low) == np.sum((high - low) ** 2)


@each_space
def test_the_loss_is_the_sum_of_the_energies_of_edges_and_of_what_negative_pairs_lack_to_the_margin(space):
    """The formula of the paper in fifty digits, on points that have edges and negative pairs on both sides."""
    rng = np.random.default_rng(24)
    parent, child = cone_pairs(rng, 60, 3, 0.1)
    other, wrong = parent[rng.permutation(60)], child[rng.permutation(60)]
    energy = exact.energy if space.cones is cones else exact.flat_energy
    for margin in (0.01, 0.5):
        with mp.workdps(50):
            pairs = [[exact.vector(x) for x in points] for points in (parent, child, other, wrong)]
            right = [max(mp.mpf(0), energy(u, v, mp.mpf(0.1))) for u, v in zip(*pairs[:2], strict=True)]
            false = [max(mp.mpf(0), energy(u, v, mp.mpf(0.1))) for u, v in zip(*pairs[2:], strict=True)]
            loss = mp.fsum(right) + mp.fsum(max(mp.mpf(0), mp.mpf(margin) - e) for e in false)
        assert 0 < sum(e == 0 for e in right) < 60
        assert 0 < sum(e < margin for e in false) < 60
        found = space.cones.max_margin_loss(parent, child, other, wrong, 0.1, margin)
        assert found == pytest.approx(float(loss), rel=1e-12)
    assert space.cones.max_margin_loss(parent, parent, other, -other, 0.1) == 0
    default = space.cones.max_margin_loss(parent, child, other, wrong, 0.1)
    assert default == space.cones.max_margin_loss(parent, child, other, wrong, 0.1, margin=0.01)


@given(arrays(np.float64, (4, 5, 3), elements=st.integers(-3, 3).map(float)), st.integers(1, 9))
def test_the_loss_of_order_embeddings_is_the_same_sum(points, margin):
    parent, child, other, wrong = points
    lacking = np.maximum(0, margin - order.energy(other, wrong))
    expected = np.sum(order.energy(parent, child)) + np.sum(lacking)
    assert order.max_margin_loss(parent, child, other, wrong, margin) == expected


@pytest.mark.parametrize("gap", [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7])
def test_decisions_near_the_border_are_right_but_not_by_the_arccos_of_the_paper(gap):
    """Parents at 1−|x| = gap; a third of the children anywhere, the rest around the border of the cone."""
    K, n, rng = 0.1, 120, np.random.default_rng(28)
    parent = shell(rng, n, 3, 1 - gap, 1 - gap)
    angle = cones.half_aperture(parent, K) * rng.uniform(0, 2, n)
    angle[::3] = rng.uniform(0, np.pi, n // 3)
    child = poincare.geodesic(parent, turned(rng, parent, angle), rng.uniform(0.1, 2, n))
    with mp.workdps(50):
        pairs = zip(map(exact.vector, parent), map(exact.vector, child), strict=True)
        inside = np.array([exact.energy(x, y, mp.mpf(K)) <= 0 for x, y in pairs])
    assert 0.2 < inside.mean() < 0.6
    assert np.array_equal(cones.contains(parent, child, K), inside)
    wrong = np.mean((cones.cone_angle_paper(parent, child) <= cones.half_aperture(parent, K)) != inside)
    if gap >= 1e-2:
        assert wrong == 0
    if gap <= 1e-4:
        assert wrong > 0.2
    # below, R = K(1−r)² and the tenfold error of the lifted points reach their limit before Ξ does
    allowed = 0 if gap >= 1e-6 else 0.1
    lifted = hyperboloid.to_hyperboloid(parent), hyperboloid.to_hyperboloid(child)
    assert np.mean(hyperboloid.contains(*lifted, K) != inside) <= allowed
    assert np.mean(caps.contains(parent, child, K) != inside) <= allowed


def test_float32_decides_correctly_down_to_three_thousandths():
    rng = np.random.default_rng(29)
    K, gap, n = 0.1, 3e-3, 2000
    parent = shell(rng, n, 3, 1 - gap, 1 - gap)
    angle = cones.half_aperture(parent, K) * rng.choice([0.25, 0.5, 1.5, 2.0], n)
    child = poincare.geodesic(parent, turned(rng, parent, angle), rng.uniform(0.1, 1, n))
    decided = cones.contains(parent.astype(np.float32), child.astype(np.float32), K)
    assert np.mean(decided == cones.contains(parent, child, K)) > 0.99
