"""The same cones in other forms: hyperboloid, Klein model, convex hulls, spherical caps, S-cones, flat space."""

import numpy as np
import pytest
from tests.support.points import cone_pairs, shell, turned

from hypercone.geometry import caps, cones, euclidean_cones, hyperboloid, klein, manifold_cones, poincare


def on_hyperboloid(parent, child, K):
    return hyperboloid.contains(hyperboloid.to_hyperboloid(parent), hyperboloid.to_hyperboloid(child), K)


def by_logarithm(parent, child, K):
    return manifold_cones.in_s_cone(parent, child, manifold_cones.entailment_cone(parent, K))


def by_flat_counterparts(parent, child, K):
    """The Euclidean cone with the same cap; so every point of the ball has a counterpart in flat space.

    Both kinds of cones can represent exactly the same orders: what differs in practice is the optimization.
    """

    def counterpart(x):
        return x / np.linalg.norm(x, axis=-1, keepdims=True) * (K / np.sin(caps.cap_radius(x, K)))[..., None]

    return euclidean_cones.contains(counterpart(parent), counterpart(child), K)


FORMS = {
    "klein": klein.contains,
    "convex hull": klein.convex_hull_contains,
    "caps": caps.contains,
    "hyperboloid": on_hyperboloid,
    "s-cone": by_logarithm,
    "flat counterparts": by_flat_counterparts,
}


@pytest.mark.parametrize("K", [0.01, 0.1, 1.0, 3.0])
@pytest.mark.parametrize("d", [2, 3, 5, 10])
def test_all_forms_of_the_cone_agree(d, K):
    parent, child = cone_pairs(np.random.default_rng(34), 40_000, d, K)
    signed = cones.signed_energy(parent, child, K)
    clear = np.abs(signed) > 1e-9
    inside = signed <= 0
    assert clear.mean() > 0.99
    assert 0.1 < inside.mean() < 0.9
    for name, contains in FORMS.items():
        mismatches = np.sum((contains(parent, child, K) != inside) & clear)
        assert mismatches == 0, f"{name}: {mismatches} of {clear.sum()} pairs"


@pytest.mark.parametrize("form", FORMS)
def test_every_form_lets_a_point_contain_itself(form):
    x = shell(np.random.default_rng(35), 500, 3, 0.11, 0.99)
    for signs in (x, -np.abs(x)):
        assert np.all(FORMS[form](signs, signs, 0.1))


@pytest.fixture(scope="module")
def point_pair():
    rng = np.random.default_rng(13)
    return shell(rng, 1000, 4, 0, 0.99), shell(rng, 1000, 4, 0, 0.99)


def test_the_isometry_preserves_distance(point_pair):
    x, y = (hyperboloid.to_hyperboloid(point) for point in point_pair)
    np.testing.assert_allclose(hyperboloid.minkowski(x, x), -1, rtol=0, atol=1e-11)
    expected = poincare.distance(*point_pair)
    np.testing.assert_allclose(hyperboloid.distance(x, y), expected, rtol=1e-12)
    np.testing.assert_allclose(np.arccosh(-hyperboloid.minkowski(x, y)), expected, rtol=1e-7)


def test_the_isometry_carries_geodesics_to_geodesics(point_pair):
    x, _ = point_pair
    v = np.random.default_rng(14).normal(size=x.shape)
    v /= np.linalg.norm(v, axis=1, keepdims=True) * poincare.conformal_factor(x)[:, None]
    for t in (0.0, 0.5, 2.0):
        lifted = hyperboloid.geodesic(hyperboloid.to_hyperboloid(x), hyperboloid.push_forward(x, v), t)
        back = hyperboloid.from_hyperboloid(lifted)
        np.testing.assert_allclose(back, poincare.geodesic(x, v, t), rtol=0, atol=1e-13)


@pytest.mark.parametrize("K", [0.01, 0.1, 1.0])
def test_aperture_and_angle_are_those_of_the_ball(point_pair, K):
    x, y = (hyperboloid.to_hyperboloid(point) for point in point_pair)
    np.testing.assert_allclose(hyperboloid.cone_angle(x, y), cones.cone_angle(*point_pair), rtol=0, atol=1e-12)
    in_shell = np.linalg.norm(point_pair[0], axis=1) > cones.inner_radius(K) + 1e-3
    np.testing.assert_allclose(
        hyperboloid.half_aperture(x, K)[in_shell], cones.half_aperture(point_pair[0], K)[in_shell], rtol=1e-12
    )


def test_geodesics_are_straight_in_klein_coordinates():
    rng = np.random.default_rng(37)
    x, y = shell(rng, 500, 3, 0, 0.95), shell(rng, 500, 3, 0, 0.95)
    start, end = klein.to_klein(x), klein.to_klein(y)
    between = klein.to_klein(poincare.geodesic_between(x, y, 0.4))
    np.testing.assert_allclose(poincare.angle(between - start, end - start), 0, rtol=0, atol=1e-11)


def test_klein_is_not_conformal():
    # The paper says that all five models are conformal; a right angle off the origin is a counterexample.
    x, h = np.array([0.5, 0.0]), 1e-6
    u, v = np.array([1.0, 1.0]), np.array([1.0, -1.0])
    seen = [klein.to_klein(x + h * w) - klein.to_klein(x - h * w) for w in (u, v)]
    assert float(poincare.angle(u, v)) == pytest.approx(np.pi / 2)
    assert abs(float(poincare.angle(*seen)) - np.pi / 2) > 0.1


@pytest.mark.parametrize("K", [0.01, 0.1, 1.0, 3.0])
def test_every_cone_is_tangent_to_the_ball_of_radius_kappa_the_klein_radius_of_the_inner_radius(K):
    assert caps.kappa(K) == pytest.approx(float(klein.klein_radius([cones.inner_radius(K)])), rel=1e-14)
    x = shell(np.random.default_rng(38), 500, 3, cones.inner_radius(K) + 1e-3, 0.99)
    # The line from the apex at angle φ from the axis passes the origin at distance ρ sin φ.
    passes = klein.klein_radius(x) * np.sin(klein.cone_half_angle(x, K))
    np.testing.assert_allclose(passes, caps.kappa(K), rtol=1e-12)


@pytest.mark.parametrize("t", [0.0, 0.05, 0.3])
def test_a_cone_and_one_with_a_tolerance_are_cones_in_klein_coordinates(t):
    rng = np.random.default_rng(39)
    K, parent = 0.1, shell(rng, 500, 3, 0.2, 0.9)
    half_angle = cones.half_aperture(parent, K) + t
    child = poincare.geodesic(parent, turned(rng, parent, half_angle), 0.7)
    start = klein.to_klein(parent)
    seen = poincare.angle(klein.to_klein(child) - start, start)
    expected = np.arctan(np.tan(half_angle) * np.cosh(poincare.norm(parent)))  # MATHEMATICS §3
    np.testing.assert_allclose(seen, expected, rtol=1e-10)
    if t == 0:
        np.testing.assert_allclose(seen, klein.cone_half_angle(parent, K), rtol=1e-10)


def test_a_klein_point_whose_length_rounds_to_1_is_a_point_of_the_ball():
    k = shell(np.random.default_rng(44), 500, 3, 1, 1)
    assert np.any(np.sum(k * k, axis=1) > 1)
    lengths = np.linalg.norm(klein.from_klein(k), axis=1)
    assert np.all((lengths > 1 - 3e-8) & (lengths < 1))


def test_the_cap_is_where_the_cone_meets_the_border():
    rng = np.random.default_rng(43)
    K, x = 0.1, shell(rng, 500, 3, 0.15, 0.95)
    at_infinity = poincare.geodesic(x, turned(rng, x, cones.half_aperture(x, K)), 40.0)
    np.testing.assert_allclose(poincare.angle(x, at_infinity), caps.cap_radius(x, K), rtol=0, atol=1e-13)


def test_the_image_of_a_tangent_cone_is_the_s_cone():
    rng = np.random.default_rng(51)
    x, vectors = shell(rng, 500, 3, 0.2, 0.9), rng.normal(size=(500, 3))
    tangent_cone = manifold_cones.angular_cone([1.0, 0.0, 0.0], 1.0)
    points = manifold_cones.s_cone(x, vectors / poincare.conformal_factor(x)[:, None])
    assert np.array_equal(manifold_cones.in_s_cone(x, points, tangent_cone), tangent_cone(vectors))


def test_an_angular_cone_up_to_a_right_angle_is_convex():
    rng = np.random.default_rng(52)
    inside = manifold_cones.angular_cone(np.array([1.0, 2.0, -1.0]), 0.8)
    vectors = rng.normal(size=(20_000, 3))
    vectors = vectors[inside(vectors)]
    half = len(vectors) // 2
    weights = rng.uniform(0, 1, (2, half, 1))
    assert half > 500
    assert np.all(inside(weights[0] * vectors[:half] + weights[1] * vectors[half : 2 * half]))


def test_a_cone_that_is_not_circular_works_as_well_and_the_apex_is_inside():
    # An orthant of the tangent space, as in order embeddings.
    x = shell(np.random.default_rng(53), 100, 2, 0.2, 0.8)
    ahead, behind = poincare.exp_map(x, np.array([0.1, 0.2])), poincare.exp_map(x, np.array([-0.1, 0.2]))
    assert np.all(manifold_cones.in_s_cone(x, ahead, lambda v: np.all(v >= 0, axis=-1)))
    assert not manifold_cones.in_s_cone(x, behind, lambda v: np.all(v >= 0, axis=-1)).any()
    assert np.all(manifold_cones.in_s_cone(x, x, manifold_cones.angular_cone(x, 0.1)))
