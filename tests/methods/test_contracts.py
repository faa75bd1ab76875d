"""What every method promises, whichever it is: the compiled formulas are the readable ones, and points stay home.

A new line in METHODS inherits all of it.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone._arrays import read_only
from hypercone._jit import UNROLLED_DIMENSIONS, dimension_type
from hypercone.geometry import cones
from hypercone.methods import METHODS, Settings, generic_kernels, scoring

DIMS = (2, 5, 10, UNROLLED_DIMENSIONS + 8)
# The paper's cones; wide ones, whose ψ + γ passes a right angle; and a margin as wide as it may be.
CASES = (Settings(), Settings(K=1.0, margin=0.5), Settings(K=0.3, margin=math.pi / 2))
each_dim = pytest.mark.parametrize("dim", DIMS)
each_case = pytest.mark.parametrize("case", CASES, ids=lambda s: f"K={s.K}")


def compiled_energies(method, case, points, pairs):
    constants = method.constants(case)
    return generic_kernels.energies_of_pairs(
        read_only(points), read_only(pairs), constants, dimension_type(points.shape[1])
    )


def margin_facts(compiled, method, case, points, pairs, push=False, weight=1.0):
    dim = dimension_type(points.shape[1])
    return compiled.margin_facts(read_only(points), read_only(pairs), push, weight, method.constants(case), dim)


def numpy_energies(method, case, points, pairs):
    return method.signed_energy(points[pairs[:, 0]], points[pairs[:, 1]], case)


class TestEnergy:
    @each_dim
    @each_case
    def test_the_compiled_energy_is_the_readable_one(self, method, case, dim, make_pairs):
        points, pairs = make_pairs(method, case, np.random.default_rng(dim), 2_000, dim)
        readable = numpy_energies(method, case, points, pairs)
        np.testing.assert_allclose(compiled_energies(method, case, points, pairs), readable, rtol=1e-10, atol=1e-9)

    @pytest.mark.parametrize("dim", [2, 10])
    def test_the_energy_is_the_printed_one_to_nine_digits(self, method, dim, make_pairs, printed_energy):
        case = Settings(alpha=0.3)
        points, pairs = make_pairs(method, case, np.random.default_rng(1), 60, dim)
        exact = [printed_energy(method, case, points[u], points[v]) for u, v in pairs]
        np.testing.assert_allclose(compiled_energies(method, case, points, pairs), exact, rtol=1e-10, atol=1e-9)

    @pytest.mark.parametrize("alpha", [0.0, 0.3, 1000.0])
    def test_alpha_weighs_the_norms_alike_in_both(self, distance_method, alpha, make_pairs):
        case = Settings(alpha=alpha)
        points, pairs = make_pairs(distance_method, case, np.random.default_rng(2), 500, 2)
        readable = numpy_energies(distance_method, case, points, pairs)
        # The norms of two near points cancel: only their digits before the subtraction can be promised.
        found = compiled_energies(distance_method, case, points, pairs)
        np.testing.assert_allclose(found, readable, rtol=1e-10, atol=1e-12 * (1 + alpha))

    def test_many_pairs_below_and_above_agree(self, method, make_pairs):
        case = Settings()
        points, _ = make_pairs(method, case, np.random.default_rng(3), 8, 2)
        rows = np.arange(len(points), dtype=np.int32)
        one = np.full_like(rows, 3)
        below = scoring.Scorer(points, method, case).energies(np.stack([one, rows], axis=1))
        above = scoring.Scorer(points, method, case).energies(np.stack([rows, one], axis=1))
        assert np.array_equal(scoring.Scorer(points, method, case).energies_below(3), below)
        assert np.array_equal(scoring.Scorer(points, method, case).energies_above(3), above)

    def test_the_penalty_is_never_negative_and_scores_are_penalties_of_margin_methods(self, method, make_pairs):
        case = Settings()
        points, pairs = make_pairs(method, case, np.random.default_rng(4), 200, 2)
        penalties = method.energy(points[pairs[:, 0]], points[pairs[:, 1]], case)
        assert (penalties >= 0).all()
        if method.loss == "margin":
            scores = scoring.Scorer(points, method, case).energies(pairs)
            np.testing.assert_allclose(scores, penalties, rtol=1e-10, atol=1e-9)

    def test_a_node_has_no_penalty_with_itself(self, method, make_pairs):
        case = Settings()
        points, _ = make_pairs(method, case, np.random.default_rng(5), 50, 2)
        rows = np.arange(len(points), dtype=np.int32)
        assert (scoring.Scorer(points, method, case).energies(np.stack([rows, rows], axis=1)) == 0).all()
        assert (method.energy(points, points, case) == 0).all()


class TestGradient:
    @pytest.mark.parametrize(("dim", "count"), [(2, 40), (5, 20), (10, 10), (DIMS[-1], 3)])
    @each_case
    def test_of_a_margin_method_it_is_exact(
        self, margin_method, case, dim, count, compiled, make_pairs, printed_gradient
    ):
        points, pairs = make_pairs(margin_method, case, np.random.default_rng(dim), count, dim)
        _, _, of_parent, of_child = margin_facts(compiled, margin_method, case, points, pairs)
        for i, (u, v) in enumerate(pairs):
            exact = np.concatenate(printed_gradient(margin_method, case, points[u], points[v]))
            found = np.concatenate([of_parent[i], of_child[i]])
            assert np.linalg.norm(found - exact) <= 1e-8 * np.linalg.norm(exact), (points[u], points[v])

    @pytest.mark.parametrize(("dim", "count"), [(2, 40), (5, 20), (10, 10), (DIMS[-1], 3)])
    def test_of_a_distance_it_is_exact(
        self, distance_method, dim, count, compiled, make_pairs, printed_gradient, printed_energy
    ):
        case = Settings()
        points, pairs = make_pairs(distance_method, case, np.random.default_rng(dim), count, dim)
        ends = points[pairs[:, 0]], points[pairs[:, 1]]
        weights, *slopes = compiled.attraction_facts(*ends, distance_method.constants(case))
        for i, (u, v) in enumerate(pairs):
            exact = np.concatenate(printed_gradient(distance_method, case, points[u], points[v]))
            found = np.concatenate([slopes[0][i], slopes[1][i]])
            assert np.linalg.norm(found - exact) <= 1e-8 * np.linalg.norm(exact), (points[u], points[v])
            distance = printed_energy(distance_method, case, points[u], points[v])
            assert weights[i] == pytest.approx(math.exp(-distance), rel=1e-8)

    @each_dim
    def test_it_is_the_slope_of_the_readable_energy(self, method, dim, compiled, make_pairs):
        case = Settings()
        points, pairs = make_pairs(method, case, np.random.default_rng(10 + dim), 200, dim)
        ends = points[pairs[:, 0]], points[pairs[:, 1]]
        if method.loss == "margin":
            slopes = margin_facts(compiled, method, case, points, pairs)[2:]
        else:
            slopes = compiled.attraction_facts(*ends, method.constants(case))[1:]
        step = 1e-4 * smallest_feature(method, case, *ends)
        for side in (0, 1):
            measured = np.empty_like(points[pairs[:, 0]])
            for k in range(dim):
                energies = []
                for sign in (1, -1):
                    moved = [end.copy() for end in ends]
                    moved[side][:, k] += sign * step
                    energies.append(method.signed_energy(*moved, case))
                measured[:, k] = (energies[0] - energies[1]) / (2 * step)
            rounding = 1e-15 * math.sqrt(dim) / step
            off = np.linalg.norm(measured - slopes[side], axis=1)
            assert (off <= 1e-4 * np.linalg.norm(slopes[side], axis=1) + rounding).all()

    def test_it_is_added_with_its_weight(self, margin_method, compiled, make_pairs):
        case = Settings()
        points, pairs = make_pairs(margin_method, case, np.random.default_rng(6), 50, 2)
        pull = margin_facts(compiled, margin_method, case, points, pairs, weight=1.0)
        push = margin_facts(compiled, margin_method, case, points, pairs, weight=-2.0)
        np.testing.assert_allclose(push[2], -2 * pull[2], rtol=1e-12)
        np.testing.assert_allclose(push[3], -2 * pull[3], rtol=1e-12)

    @each_dim
    def test_a_child_at_its_parents_place_is_not_moved(self, method, dim, compiled, shell_points):
        case = Settings()
        points = shell_points(method, case, np.random.default_rng(7), 50, dim)
        rows = np.arange(50, dtype=np.int32)
        if method.loss == "margin":
            outside, within, *slopes = margin_facts(
                compiled, method, case, points, np.stack([rows, rows], axis=1), push=True
            )
            assert not outside.any()
            assert not within.any()
            for slope in slopes:
                assert (slope == 0).all()
        else:
            weights, *slopes = compiled.attraction_facts(points, points.copy(), method.constants(case))
            assert (weights == 1).all()
            for slope in slopes:
                assert (slope == 0).all()

    @each_dim
    def test_everything_is_finite_at_the_corners_of_the_domain(self, method, dim, compiled, shell_points):
        """Both edges of the shell, the same ray outward and inward, antipodes, neighbours one rounding apart."""
        case = Settings()
        rng = np.random.default_rng(8)
        inner, outer = method.shell(case)
        rays = shell_points(method, case, rng, 40, dim)
        rays /= np.linalg.norm(rays, axis=1, keepdims=True)
        radii = [max(inner, 1e-4), 0.5, min(outer, 2.0)]
        points = np.concatenate([sign * radius * rays for radius in radii for sign in (1, -1)])
        points = np.concatenate([points, np.nextafter(points, 0.0)])
        ray_of = np.arange(len(points)) % 40
        pairs = np.argwhere(ray_of[:, None] == ray_of[None, :]).astype(np.int32)
        ends = points[pairs[:, 0]], points[pairs[:, 1]]
        if method.loss == "margin":
            facts = margin_facts(compiled, method, case, points, pairs)[2:]
        else:
            facts = compiled.attraction_facts(*ends, method.constants(case))
        assert all(np.isfinite(fact).all() for fact in facts)
        assert np.isfinite(compiled_energies(method, case, points, pairs)).all()

    @pytest.mark.parametrize("name", ["hyperbolic-cones", "euclidean-cones"])
    @pytest.mark.parametrize("radius", ["inner", "middle", "outer"])
    def test_a_child_on_the_ray_feels_no_pull_and_its_parent_only_the_width_of_the_cone(self, name, radius, compiled):
        method, case = METHODS[name], Settings()
        inner, outer = method.shell(case)
        r = {"inner": inner, "middle": 0.5, "outer": min(outer, 4.0)}[radius]
        limit = 1.0 if method.is_hyperbolic else 5.0
        points = np.array([[0.0, r], [0.0, 0.5 * (r + limit)], [0.0, 0.5 * (inner + r)], [0.0, -r]])
        pairs = np.array([[0, 1], [0, 2], [0, 3]], np.int32)
        _, _, of_parent, of_child = margin_facts(compiled, method, case, points, pairs)
        curvature = 1.0 if method.is_hyperbolic else 0.0
        sine = case.K * (1 - curvature * r * r) / r
        narrowing = -case.K * (1 + curvature * r * r) / (r * r) / math.sqrt((1 - sine) * (1 + sine))
        for i in range(3):
            if i == 1 and radius == "inner":
                continue  # that child is the parent itself
            np.testing.assert_allclose(of_parent[i], [0.0, -narrowing], rtol=1e-8)
            np.testing.assert_allclose(of_child[i], [0.0, 0.0], atol=1e-9)


def smallest_feature(method, case, parent, child):
    """The distance on which a pair's energy changes its nature: to the edges, to each other, to the kink on the ray."""
    step = child - parent
    norms = np.linalg.norm(parent, axis=1), np.linalg.norm(child, axis=1)
    features = [np.linalg.norm(step, axis=1), np.ones(len(parent))]
    if method.is_hyperbolic:
        features += [1 - norms[0], 1 - norms[1]]
    if method.name.endswith("cones"):
        edge = cones.inner_radius(case.K) if method.is_hyperbolic else case.K
        along = np.sum(step * parent, axis=1) / norms[0]
        across = np.linalg.norm(step - (along / norms[0])[:, None] * parent, axis=1)
        features += [norms[0] - edge, across]
    return np.min(features, axis=0)


class TestMargin:
    """The tests that training makes without an angle say what the angle says, away from rounding."""

    @each_dim
    @each_case
    def test_a_pair_is_outside_when_its_energy_is_positive(self, margin_method, case, dim, compiled, make_pairs):
        points, pairs = make_pairs(margin_method, case, np.random.default_rng(20 + dim), 5_000, dim)
        energies = numpy_energies(margin_method, case, points, pairs)
        outside = margin_facts(compiled, margin_method, case, points, pairs)[0]
        is_clear = np.abs(energies) > ROUNDING if margin_method.name != "order" else np.ones(len(pairs), bool)
        assert is_clear.mean() > 0.9
        assert np.array_equal(outside[is_clear], energies[is_clear] > 0)

    @each_dim
    @each_case
    @pytest.mark.parametrize("push", [False, True])
    def test_a_negative_inside_is_pushed_only_when_asked(self, margin_method, case, dim, push, compiled, make_pairs):
        points, pairs = make_pairs(margin_method, case, np.random.default_rng(30 + dim), 5_000, dim)
        energies = numpy_energies(margin_method, case, points, pairs)
        within = margin_facts(compiled, margin_method, case, points, pairs, push=push)[1]
        is_clear = (np.abs(energies) > ROUNDING) & (np.abs(energies - case.margin) > ROUNDING)
        expected = (energies < case.margin) & ((energies > 0) | (push and margin_method.name != "order"))
        assert np.array_equal(within[is_clear], expected[is_clear])

    @pytest.mark.parametrize("name", ["hyperbolic-cones", "euclidean-cones"])
    @pytest.mark.parametrize("case", [Settings(K=1.0, margin=1.2), Settings(K=1.0, margin=math.pi / 2)])
    def test_a_margin_that_opens_a_cone_past_a_right_angle_is_still_told(self, name, case, compiled):
        method = METHODS[name]
        inner, _ = method.shell(case)
        angles = np.linspace(0.01, math.pi - 0.01, 400)
        apex = np.array([[inner, 0.0]])
        around = apex + 1e-4 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        points = np.concatenate([apex, around])
        pairs = np.stack([np.zeros(400), np.arange(1, 401)], axis=1).astype(np.int32)
        energies = numpy_energies(method, case, points, pairs)
        assert case.margin - float(method.signed_energy(apex[0], apex[0], case)) > math.pi / 2
        _, within, _, _ = margin_facts(compiled, method, case, points, pairs, push=True)
        is_clear = np.abs(energies - case.margin) > ROUNDING
        assert np.array_equal(within[is_clear], energies[is_clear] < case.margin)
        assert within.any()

    @pytest.mark.parametrize("dim", [2, DIMS[-1]])
    @each_case
    def test_a_pair_that_reaches_a_bound_is_never_ruled_out(self, method, case, dim, compiled, make_pairs):
        rng = np.random.default_rng(40 + dim)
        points, pairs = make_pairs(method, case, rng, 3_000, dim)
        pairs[::10, 1] = pairs[::10, 0]
        points[pairs[5::10, 1]] = points[pairs[5::10, 0]]
        energies = compiled_energies(method, case, points, pairs)
        bounds = energies + np.where(rng.random(len(pairs)) < 0.3, 0.0, rng.uniform(0, 1, len(pairs)))
        answers = compiled.may_reach(points, pairs, bounds, method.constants(case), dimension_type(dim))
        assert answers.all()

    def test_most_pairs_far_above_a_bound_are_ruled_out(self, method, compiled, make_pairs):
        case = Settings()
        points, pairs = make_pairs(method, case, np.random.default_rng(41), 2_000, 2)
        energies = compiled_energies(method, case, points, pairs)
        far = pairs[energies > 0.2]
        answers = compiled.may_reach(points, far, np.full(len(far), 0.05), method.constants(case), dimension_type(2))
        assert answers.mean() < 0.05


# What a cosine can resolve of an angle as small as a cone near the border (2e-6 at 1−r = 1e-5).
ROUNDING = 1e-9


class TestDomain:
    @given(st.integers(0, 2**32 - 1), st.floats(-300, 300), st.sampled_from(sorted(METHODS)), st.sampled_from(CASES))
    @settings(max_examples=100, deadline=None)
    def test_project_puts_anything_into_the_shell(self, seed, exponent, name, case):
        method = METHODS[name]
        rng = np.random.default_rng(seed)
        points = rng.normal(size=(20, 3)) * 10.0**exponent
        points[0] = 0.0
        inner, outer = method.shell(case)
        projected = method.project(points, case)
        assert np.isfinite(projected).all()
        norms = np.array([math.hypot(*point) for point in projected])
        assert (norms >= inner * (1 - 1e-14)).all()
        assert (norms <= outer * (1 + 1e-14)).all()
        assert projected.dtype == np.float64

    def test_project_leaves_a_point_of_the_shell_as_it_is(self, method, make_pairs):
        case = Settings()
        points, _ = make_pairs(method, case, np.random.default_rng(50), 200, 5)
        once = method.project(points, case)
        assert np.array_equal(method.project(once, case)[3::7], once[3::7])

    def test_start_is_a_function_of_its_generator(self, method):
        first, second = (method.start(np.random.default_rng(3), 20, 4, 1e-3) for _ in range(2))
        assert np.array_equal(first, second)
        assert first.shape == (20, 4)
        assert (np.abs(first) <= 1e-3).all()

    def test_generality_grows_from_parent_to_child(self, margin_method, make_pairs):
        """So that sorting by it puts ancestors first."""
        case = Settings()
        points, pairs = make_pairs(margin_method, case, np.random.default_rng(51), 5_000, 2)
        holds = numpy_energies(margin_method, case, points, pairs) <= 0
        assert holds.sum() > 50
        generality = margin_method.generality(points)
        assert (generality[pairs[holds, 0]] <= generality[pairs[holds, 1]] * (1 + 1e-12)).all()
