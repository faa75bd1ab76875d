"""The same cones in other forms: hyperboloid, Klein model, convex hulls, spherical caps, S-cones, flat space."""

import mpmath as mp
import numpy as np
import pytest
from tests.support.points import cone_pairs, shell, turned
from tools.numerics import exact

from hypercone.errors import DomainError, InputError
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


def tangents(rng, x):
    """Points of the hyperboloid, and tangent vectors there of the length of Gaussian ones at the origin."""
    v = rng.normal(size=x.shape) / poincare.conformal_factor(x)[:, None]
    return hyperboloid.to_hyperboloid(x), hyperboloid.push_forward(x, v), v


def test_the_metric_of_the_hyperboloid_is_that_of_the_ball_and_minkowskis_in_fifty_digits():
    rng = np.random.default_rng(14)
    x, u, flat = tangents(rng, shell(rng, 300, 3, 0, 0.999999))
    _, v, other = tangents(np.random.default_rng(15), hyperboloid.from_hyperboloid(x))
    np.testing.assert_allclose(
        hyperboloid.metric(x, u, v),
        poincare.metric(hyperboloid.from_hyperboloid(x), flat, other),
        rtol=0,
        atol=1e-9,
    )
    for row in range(0, 300, 10):
        with mp.workdps(50):
            # what is given is x', u' and v'; the times follow from them
            space, left, right = (exact.vector(each[row, 1:]) for each in (x, u, v))
            time = mp.sqrt(1 + exact.dot(space, space))
            product = exact.dot(left, right) - exact.dot(left, space) * exact.dot(right, space) / time**2
            scale = mp.sqrt(exact.dot(left, left) * exact.dot(right, right))
            found = mp.mpf(float(hyperboloid.metric(x[row], u[row], v[row])))
            assert abs(found - product) < 1e-15 * (1 + scale)


def test_the_exponential_map_of_the_hyperboloid_is_that_of_the_ball_and_its_inverse_brings_back():
    rng = np.random.default_rng(16)
    x, v, flat = tangents(rng, shell(rng, 500, 4, 0, 0.99))
    y = hyperboloid.exp_map(x, v)
    expected = poincare.exp_map(hyperboloid.from_hyperboloid(x), flat)
    np.testing.assert_allclose(hyperboloid.from_hyperboloid(y), expected, rtol=0, atol=1e-13)
    np.testing.assert_allclose(hyperboloid.minkowski(y, y) / y[:, 0] ** 2, -1 / y[:, 0] ** 2, rtol=0, atol=1e-15)
    back = hyperboloid.log_map(x, y)
    np.testing.assert_allclose(back, v, rtol=0, atol=1e-9)
    np.testing.assert_allclose(hyperboloid.minkowski(back, x) / x[:, 0], 0, rtol=0, atol=1e-13)
    size = np.sqrt(hyperboloid.metric(x, back, back))
    np.testing.assert_allclose(size, hyperboloid.distance(x, y), rtol=1e-9)
    np.testing.assert_array_equal(hyperboloid.exp_map(x, 0 * v)[:, 1:], x[:, 1:])
    np.testing.assert_array_equal(hyperboloid.log_map(x, x), 0 * v)
    with pytest.raises(DomainError, match="is not finite"):
        hyperboloid.exp_map([1.0, 0.0], [0.0, 800.0])


@pytest.mark.parametrize("apart", [1e-12, 1e-6, 1e-3, 1.0, 5.0])
def test_the_maps_of_the_hyperboloid_are_right_in_fifty_digits_for_points_close_and_far_apart(apart):
    rng = np.random.default_rng(17)
    x, v, _ = tangents(rng, shell(rng, 25, 3, 0, 0.9))
    v *= (apart / np.sqrt(hyperboloid.metric(x, v, v)))[:, None]
    y, ways = hyperboloid.exp_map(x, v), hyperboloid.log_map(x, hyperboloid.exp_map(x, v))
    for row in range(len(x)):
        with mp.workdps(50):
            start, way, end = (exact.vector(each[row, 1:]) for each in (x, v, y))
            time = mp.sqrt(1 + exact.dot(start, start))
            size = mp.sqrt(exact.dot(way, way) - (exact.dot(way, start) / time) ** 2)
            reached = [mp.cosh(size) * a + mp.sinh(size) / size * b for a, b in zip(start, way, strict=True)]
            # both terms of the sum may be as large as this, and cancel; the size is known to a few eps of itself
            slack = 4 * 2.0**-52 * (1 + size) * mp.cosh(size) * (1 + exact.norm(start))
            assert exact.norm(exact.minus(end, reached)) < slack
            whole = exact.lifted_distance([0, *start], [0, *end])
            toward = [(b - mp.cosh(whole) * a) * whole / mp.sinh(whole) for a, b in zip(start, end, strict=True)]
            # the points are known to eps of their size, and the way between them no better
            assert exact.norm(exact.minus(exact.vector(ways[row, 1:]), toward)) < 8 * slack


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


LIFTS = {
    manifold_cones.BALL: lambda x: x,
    manifold_cones.HYPERBOLOID: hyperboloid.to_hyperboloid,
    manifold_cones.EUCLIDEAN: lambda x: 3 * x,
}
CONTAINS = {
    manifold_cones.BALL: cones.contains,
    manifold_cones.HYPERBOLOID: hyperboloid.contains,
    manifold_cones.EUCLIDEAN: euclidean_cones.contains,
}
each_manifold = pytest.mark.parametrize("manifold", LIFTS, ids=["ball", "hyperboloid", "euclidean"])


@each_manifold
@pytest.mark.parametrize("d", [2, 3, 6])
def test_on_every_manifold_the_s_cone_of_the_angular_cone_is_the_entailment_cone(manifold, d):
    parent, child = (LIFTS[manifold](x) for x in cone_pairs(np.random.default_rng(54), 5_000, d, 0.1))
    by_map = manifold_cones.in_s_cone(
        parent, child, manifold_cones.entailment_cone(parent, 0.1, manifold), manifold=manifold
    )
    closed_form = CONTAINS[manifold](parent, child, 0.1)
    # of pairs a billionth from the border, either may be right
    assert np.mean(by_map != closed_form) < 2e-3
    assert 0.1 < closed_form.mean() < 0.9


@each_manifold
@pytest.mark.parametrize("d", [2, 3, 6])
def test_the_conic_border_is_at_the_half_aperture_from_the_axis_on_every_side_and_is_where_the_cone_ends(manifold, d):
    """∂S in d dimensions: a sphere of d − 2 dimensions of directions, of which two are drawn for every apex."""
    rng = np.random.default_rng(55)
    K, n = 0.1, 500
    x = shell(rng, n, d, 0.15, 0.9)
    apex, way = LIFTS[manifold](x), rng.uniform(0.1, 2, n)
    for aside in rng.normal(size=(2, n, d)):
        side = hyperboloid.push_forward(x, aside) if manifold == manifold_cones.HYPERBOLOID else aside
        axis = hyperboloid.spoke(apex) if manifold == manifold_cones.HYPERBOLOID else apex
        half = np.full(n, 0.7)
        border = manifold_cones.conic_border(apex, axis, half, side, manifold)
        np.testing.assert_allclose(manifold.length(apex, border), 1, rtol=1e-10)
        np.testing.assert_allclose(manifold.angle(apex, border, axis), half, rtol=0, atol=1e-9)
        on_border = manifold_cones.entailment_border(apex, K, side, way, manifold)
        reach = manifold.length(apex, manifold.log_map(apex, on_border))
        np.testing.assert_allclose(reach, way, rtol=1e-9)
        energies = {
            manifold_cones.BALL: cones.signed_energy,
            manifold_cones.EUCLIDEAN: euclidean_cones.signed_energy,
            manifold_cones.HYPERBOLOID: lambda u, v, K: hyperboloid.cone_angle(u, v) - hyperboloid.half_aperture(u, K),
        }
        np.testing.assert_allclose(energies[manifold](apex, on_border, K), 0, rtol=0, atol=1e-9)


def test_in_the_plane_the_border_has_two_sides_which_are_those_that_are_drawn():
    """As in the outline of a cone in a picture: its sides end on the rim at the cap radius."""
    apex = np.array([0.3, 0.4])
    for side, turn in (([-0.8, 0.6], 1), ([0.8, -0.6], -1)):
        far = manifold_cones.entailment_border(apex, 0.1, side, 30.0)
        reach = np.arctan2(apex[1], apex[0]) + turn * float(caps.cap_radius(apex, 0.1))
        np.testing.assert_allclose(far, [np.cos(reach), np.sin(reach)], rtol=0, atol=1e-12)


def test_a_border_needs_an_axis_and_a_direction_aside():
    with pytest.raises(DomainError, match="an axis is zero"):
        manifold_cones.entailment_border([0.0, 0.0], 0.1, [1.0, 0.0], 1.0)
    with pytest.raises(DomainError, match="parallel to the axis"):
        manifold_cones.entailment_border([0.3, 0.4], 0.1, [-0.6, -0.8], 1.0)


def sphere():
    """The unit sphere in three dimensions, a manifold that the package does not have: exp is injective below π."""

    def exp_map(x, v):
        size = np.linalg.norm(v, axis=-1, keepdims=True)
        return np.cos(size) * x + np.sinc(size / np.pi) * v

    def log_map(x, y):
        toward = y - np.sum(x * y, axis=-1, keepdims=True) * x
        size = np.linalg.norm(toward, axis=-1, keepdims=True)
        return np.arctan2(size, np.sum(x * y, axis=-1, keepdims=True)) * toward / np.where(size > 0, size, 1)

    return manifold_cones.Manifold(exp_map, log_map, lambda x, u, v: np.sum(np.asarray(u) * v, axis=-1), np.pi)


def test_a_manifold_of_ones_own_has_s_cones_up_to_its_injectivity_radius():
    pole, axis = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    cone = manifold_cones.angular_cone(axis, 0.5, x=pole, manifold=sphere())
    vectors = np.random.default_rng(56).normal(size=(2_000, 3)) * (1, 1, 0)
    vectors = vectors[np.linalg.norm(vectors, axis=1) < 3]
    points = manifold_cones.s_cone(pole, vectors, sphere())
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, rtol=1e-14)
    assert np.array_equal(manifold_cones.in_s_cone(pole, points, cone, sphere()), cone(vectors))
    assert 0.05 < cone(vectors).mean() < 0.3
    with pytest.raises(DomainError, match=r"length 3\.2, but exp is injective below 3\.14159 only"):
        manifold_cones.s_cone(pole, [[3.2, 0.0, 0.0]], sphere())
    with pytest.raises(InputError, match="give the aperture to angular_cone"):
        manifold_cones.entailment_cone(pole, 0.1, sphere())


def test_a_cone_that_is_not_circular_works_as_well_and_the_apex_is_inside():
    # An orthant of the tangent space, as in order embeddings.
    x = shell(np.random.default_rng(53), 100, 2, 0.2, 0.8)
    ahead, behind = poincare.exp_map(x, np.array([0.1, 0.2])), poincare.exp_map(x, np.array([-0.1, 0.2]))
    assert np.all(manifold_cones.in_s_cone(x, ahead, lambda v: np.all(v >= 0, axis=-1)))
    assert not manifold_cones.in_s_cone(x, behind, lambda v: np.all(v >= 0, axis=-1)).any()
    assert np.all(manifold_cones.in_s_cone(x, x, manifold_cones.angular_cone(x, 0.1)))
