"""The contract of every method: compiled formulas equal NumPy ones, points stay in the domain, cones are orders.

A new line in METHODS is tested automatically.
"""

import importlib
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.support.methods import (
    PRINTED,
    attraction_facts,
    make_pairs,
    margin_facts_of,
    may_reach_of,
    printed_energy,
    printed_gradient,
    shell_points,
)

import hypercone.methods
from hypercone._arrays import read_only
from hypercone._jit import UNROLLED_DIMENSIONS, dimension_type
from hypercone.errors import UnknownNameError
from hypercone.geometry import cones, euclidean_cones, order, poincare
from hypercone.methods import METHODS, Method, Settings, find_method, generic_kernels
from hypercone.methods.scoring import Scorer
from hypercone.training import FitConfig

DIMS = (2, 5, 10, UNROLLED_DIMENSIONS + 8)
# The paper's cones; wide ones, where ψ + γ exceeds a right angle; and the largest margin.
CASES = (Settings(), Settings(K=1.0, margin=0.5), Settings(K=0.3, margin=math.pi / 2))
# What a cosine can resolve of an angle as small as a cone near the border (2e-6 at 1−r = 1e-5).
ROUNDING = 1e-9
FOLDER = Path(hypercone.methods.__file__).parent
each_dim = pytest.mark.parametrize("dim", DIMS)
each_case = pytest.mark.parametrize("case", CASES, ids=lambda s: f"K={s.K}")


def compiled_energies(method, case, points, pairs):
    constants, dim = method.constants(case), dimension_type(points.shape[1])
    return generic_kernels.energies_of_pairs(read_only(points), read_only(pairs), constants, dim)


def margin_facts(method, case, points, pairs, push=False, weight=1.0):
    dim = dimension_type(points.shape[1])
    return margin_facts_of(read_only(points), read_only(pairs), push, weight, method.constants(case), dim)


def numpy_energies(method, case, points, pairs):
    return method.signed_energy(points[pairs[:, 0]], points[pairs[:, 1]], case)


class TestEnergy:
    @each_dim
    @each_case
    def test_the_compiled_energy_equals_the_numpy_one(self, method, case, dim):
        points, pairs = make_pairs(method, case, np.random.default_rng(dim), 2_000, dim)
        expected = numpy_energies(method, case, points, pairs)
        np.testing.assert_allclose(compiled_energies(method, case, points, pairs), expected, rtol=1e-10, atol=1e-9)

    @pytest.mark.parametrize("dim", [2, 10])
    def test_the_energy_equals_the_formula_of_the_paper_to_nine_digits(self, method, dim):
        case = Settings(alpha=0.3)
        points, pairs = make_pairs(method, case, np.random.default_rng(1), 60, dim)
        exact = [printed_energy(method, case, points[u], points[v]) for u, v in pairs]
        np.testing.assert_allclose(compiled_energies(method, case, points, pairs), exact, rtol=1e-10, atol=1e-9)

    @pytest.mark.parametrize("alpha", [0.0, 0.3, 1000.0])
    def test_alpha_weighs_the_norms_in_both(self, distance_method, alpha):
        case = Settings(alpha=alpha)
        points, pairs = make_pairs(distance_method, case, np.random.default_rng(2), 500, 2)
        expected = numpy_energies(distance_method, case, points, pairs)
        # The norms of two close points cancel, so only the absolute error is bounded.
        found = compiled_energies(distance_method, case, points, pairs)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12 * (1 + alpha))

    def test_energies_below_and_above_equal_those_of_pairs(self, method):
        case = Settings()
        points, _ = make_pairs(method, case, np.random.default_rng(3), 8, 2)
        rows = np.arange(len(points), dtype=np.int32)
        one = np.full_like(rows, 3)
        scorer = Scorer(points, method, case)
        assert np.array_equal(scorer.energies_below(3), scorer.energies(np.stack([one, rows], axis=1)))
        assert np.array_equal(scorer.energies_above(3), scorer.energies(np.stack([rows, one], axis=1)))

    def test_the_penalty_is_never_negative_and_is_the_score_of_margin_methods(self, method):
        case = Settings()
        points, pairs = make_pairs(method, case, np.random.default_rng(4), 200, 2)
        penalties = method.energy(points[pairs[:, 0]], points[pairs[:, 1]], case)
        assert (penalties >= 0).all()
        if method.loss == "margin":
            scores = Scorer(points, method, case).energies(pairs)
            np.testing.assert_allclose(scores, penalties, rtol=1e-10, atol=1e-9)

    def test_a_node_has_no_penalty_with_itself(self, method):
        case = Settings()
        points, _ = make_pairs(method, case, np.random.default_rng(5), 50, 2)
        rows = np.arange(len(points), dtype=np.int32)
        assert (Scorer(points, method, case).energies(np.stack([rows, rows], axis=1)) == 0).all()
        assert (method.energy(points, points, case) == 0).all()


class TestGradient:
    @pytest.mark.parametrize(("dim", "count"), [(2, 40), (5, 20), (10, 10), (DIMS[-1], 3)])
    @each_case
    def test_the_gradient_of_a_margin_method_is_exact(self, margin_method, case, dim, count):
        points, pairs = make_pairs(margin_method, case, np.random.default_rng(dim), count, dim)
        _, _, of_parent, of_child = margin_facts(margin_method, case, points, pairs)
        for i, (u, v) in enumerate(pairs):
            exact = np.concatenate(printed_gradient(margin_method, case, points[u], points[v]))
            found = np.concatenate([of_parent[i], of_child[i]])
            assert np.linalg.norm(found - exact) <= 1e-8 * np.linalg.norm(exact), (points[u], points[v])

    @pytest.mark.parametrize(("dim", "count"), [(2, 40), (5, 20), (10, 10), (DIMS[-1], 3)])
    def test_the_gradient_of_a_distance_is_exact(self, distance_method, dim, count):
        case = Settings()
        points, pairs = make_pairs(distance_method, case, np.random.default_rng(dim), count, dim)
        ends = points[pairs[:, 0]], points[pairs[:, 1]]
        weights, *slopes = attraction_facts(*ends, distance_method.constants(case))
        for i, (u, v) in enumerate(pairs):
            exact = np.concatenate(printed_gradient(distance_method, case, points[u], points[v]))
            found = np.concatenate([slopes[0][i], slopes[1][i]])
            assert np.linalg.norm(found - exact) <= 1e-8 * np.linalg.norm(exact), (points[u], points[v])
            distance = printed_energy(distance_method, case, points[u], points[v])
            assert weights[i] == pytest.approx(math.exp(-distance), rel=1e-8)

    @each_dim
    def test_the_gradient_is_the_slope_of_the_numpy_energy(self, method, dim):
        case = Settings()
        points, pairs = make_pairs(method, case, np.random.default_rng(10 + dim), 200, dim)
        ends = points[pairs[:, 0]], points[pairs[:, 1]]
        if method.loss == "margin":
            slopes = margin_facts(method, case, points, pairs)[2:]
        else:
            slopes = attraction_facts(*ends, method.constants(case))[1:]
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

    def test_a_gradient_is_added_with_its_weight(self, margin_method):
        case = Settings()
        points, pairs = make_pairs(margin_method, case, np.random.default_rng(6), 50, 2)
        pull = margin_facts(margin_method, case, points, pairs, weight=1.0)
        push = margin_facts(margin_method, case, points, pairs, weight=-2.0)
        np.testing.assert_allclose(push[2], -2 * pull[2], rtol=1e-12)
        np.testing.assert_allclose(push[3], -2 * pull[3], rtol=1e-12)

    @each_dim
    def test_a_child_at_the_point_of_its_parent_is_not_moved(self, method, dim):
        case = Settings()
        points = shell_points(method, case, np.random.default_rng(7), 50, dim)
        rows = np.arange(50, dtype=np.int32)
        if method.loss == "margin":
            outside, within, *slopes = margin_facts(method, case, points, np.stack([rows, rows], axis=1), push=True)
            assert not outside.any()
            assert not within.any()
            for slope in slopes:
                assert (slope == 0).all()
        else:
            weights, *slopes = attraction_facts(points, points.copy(), method.constants(case))
            assert (weights == 1).all()
            for slope in slopes:
                assert (slope == 0).all()

    @each_dim
    def test_everything_is_finite_at_the_corners_of_the_domain(self, method, dim):
        """Both borders of the shell, the same ray outward and inward, antipodes, and points one rounding apart."""
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
            facts = margin_facts(method, case, points, pairs)[2:]
        else:
            facts = attraction_facts(*ends, method.constants(case))
        assert all(np.isfinite(fact).all() for fact in facts)
        assert np.isfinite(compiled_energies(method, case, points, pairs)).all()

    @pytest.mark.parametrize("name", ["hyperbolic-cones", "euclidean-cones"])
    @pytest.mark.parametrize("radius", ["inner", "middle", "outer"])
    def test_on_the_ray_a_child_has_no_gradient_and_its_parent_only_that_of_the_aperture(self, name, radius):
        method, case = METHODS[name], Settings()
        inner, outer = method.shell(case)
        r = {"inner": inner, "middle": 0.5, "outer": min(outer, 4.0)}[radius]
        limit = 1.0 if method.is_hyperbolic else 5.0
        points = np.array([[0.0, r], [0.0, 0.5 * (r + limit)], [0.0, 0.5 * (inner + r)], [0.0, -r]])
        pairs = np.array([[0, 1], [0, 2], [0, 3]], np.int32)
        _, _, of_parent, of_child = margin_facts(method, case, points, pairs)
        curvature = 1.0 if method.is_hyperbolic else 0.0
        sine = case.K * (1 - curvature * r * r) / r
        narrowing = -case.K * (1 + curvature * r * r) / (r * r) / math.sqrt((1 - sine) * (1 + sine))
        for i in range(3):
            if i == 1 and radius == "inner":
                continue  # This child is at the point of the parent.
            np.testing.assert_allclose(of_parent[i], [0.0, -narrowing], rtol=1e-8)
            np.testing.assert_allclose(of_child[i], [0.0, 0.0], atol=1e-9)


def smallest_feature(method, case, parent, child):
    """The smallest distance of a pair: to the borders, to each other, to the kink on the ray."""
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
    """The tests of training, which compute no angle, agree with the angle up to rounding."""

    @each_dim
    @each_case
    def test_a_pair_is_outside_when_its_energy_is_positive(self, margin_method, case, dim):
        points, pairs = make_pairs(margin_method, case, np.random.default_rng(20 + dim), 5_000, dim)
        energies = numpy_energies(margin_method, case, points, pairs)
        outside = margin_facts(margin_method, case, points, pairs)[0]
        is_clear = np.abs(energies) > ROUNDING if margin_method.name != "order" else np.ones(len(pairs), bool)
        assert is_clear.mean() > 0.9
        assert np.array_equal(outside[is_clear], energies[is_clear] > 0)

    @each_dim
    @each_case
    @pytest.mark.parametrize("push", [False, True])
    def test_a_negative_inside_is_pushed_only_on_request(self, margin_method, case, dim, push):
        points, pairs = make_pairs(margin_method, case, np.random.default_rng(30 + dim), 5_000, dim)
        energies = numpy_energies(margin_method, case, points, pairs)
        within = margin_facts(margin_method, case, points, pairs, push=push)[1]
        is_clear = (np.abs(energies) > ROUNDING) & (np.abs(energies - case.margin) > ROUNDING)
        expected = (energies < case.margin) & ((energies > 0) | (push and margin_method.name != "order"))
        assert np.array_equal(within[is_clear], expected[is_clear])

    @pytest.mark.parametrize("name", ["hyperbolic-cones", "euclidean-cones"])
    @pytest.mark.parametrize("case", [Settings(K=1.0, margin=1.2), Settings(K=1.0, margin=math.pi / 2)])
    def test_a_margin_that_opens_a_cone_beyond_a_right_angle_works(self, name, case):
        method = METHODS[name]
        inner, _ = method.shell(case)
        angles = np.linspace(0.01, math.pi - 0.01, 400)
        apex = np.array([[inner, 0.0]])
        around = apex + 1e-4 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        points = np.concatenate([apex, around])
        pairs = np.stack([np.zeros(400), np.arange(1, 401)], axis=1).astype(np.int32)
        energies = numpy_energies(method, case, points, pairs)
        assert case.margin - float(method.signed_energy(apex[0], apex[0], case)) > math.pi / 2
        _, within, _, _ = margin_facts(method, case, points, pairs, push=True)
        is_clear = np.abs(energies - case.margin) > ROUNDING
        assert np.array_equal(within[is_clear], energies[is_clear] < case.margin)
        assert within.any()

    @pytest.mark.parametrize("dim", [2, DIMS[-1]])
    @each_case
    def test_a_pair_that_reaches_a_bound_is_never_ruled_out(self, method, case, dim):
        rng = np.random.default_rng(40 + dim)
        points, pairs = make_pairs(method, case, rng, 3_000, dim)
        pairs[::10, 1] = pairs[::10, 0]
        points[pairs[5::10, 1]] = points[pairs[5::10, 0]]
        energies = compiled_energies(method, case, points, pairs)
        bounds = energies + np.where(rng.random(len(pairs)) < 0.3, 0.0, rng.uniform(0, 1, len(pairs)))
        answers = may_reach_of(points, pairs, bounds, method.constants(case), dimension_type(dim))
        assert answers.all()

    def test_most_pairs_far_above_a_bound_are_ruled_out(self, method):
        case = Settings()
        points, pairs = make_pairs(method, case, np.random.default_rng(41), 2_000, 2)
        energies = compiled_energies(method, case, points, pairs)
        far = pairs[energies > 0.2]
        answers = may_reach_of(points, far, np.full(len(far), 0.05), method.constants(case), dimension_type(2))
        assert answers.mean() < 0.05


class TestDomain:
    @given(st.integers(0, 2**32 - 1), st.floats(-300, 300), st.sampled_from(sorted(METHODS)), st.sampled_from(CASES))
    @settings(max_examples=100, deadline=None)
    def test_project_moves_any_point_into_the_shell(self, seed, exponent, name, case):
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

    def test_project_does_not_change_points_of_the_shell(self, method):
        case = Settings()
        points, _ = make_pairs(method, case, np.random.default_rng(50), 200, 5)
        once = method.project(points, case)
        assert np.array_equal(method.project(once, case)[3::7], once[3::7])

    def test_the_start_depends_on_its_generator_only(self, method):
        first, second = (method.start(np.random.default_rng(3), 20, 4, 1e-3) for _ in range(2))
        assert np.array_equal(first, second)
        assert first.shape == (20, 4)
        assert (np.abs(first) <= 1e-3).all()

    def test_generality_grows_from_parent_to_child(self, margin_method):
        """So sorting by it puts ancestors first."""
        case = Settings()
        points, pairs = make_pairs(margin_method, case, np.random.default_rng(51), 5_000, 2)
        holds = numpy_energies(margin_method, case, points, pairs) <= 0
        assert holds.sum() > 50
        generality = margin_method.generality(points)
        assert (generality[pairs[holds, 0]] <= generality[pairs[holds, 1]] * (1 + 1e-12)).all()


# Energy zero means "is a", which is a partial order.
ORDERS = {"hyperbolic-cones", "euclidean-cones", "order"}
constants = st.sampled_from([0.03, 0.1, 0.5, 1.0])


def contains(name, parent, child, K):
    if name == "order":
        return order.contains(parent, child)
    return {"hyperbolic-cones": cones, "euclidean-cones": euclidean_cones}[name].contains(parent, child, K)


def on_the_rim(method, case, rng, apex):
    """A point at an angle of ψ·(1 − tiny) or less from the ray of the apex."""
    geometry = cones if method.is_hyperbolic else euclidean_cones
    angle = float(geometry.half_aperture(apex, case.K)) * rng.choice([1 - 1e-9, rng.uniform(0, 1)])
    spoke = apex / np.linalg.norm(apex)
    side = rng.normal(size=apex.shape)
    side -= side @ spoke * spoke
    side /= np.linalg.norm(side)
    direction = math.cos(angle) * spoke + math.sin(angle) * side
    length = 10.0 ** rng.uniform(-2, 0.3)
    if not method.is_hyperbolic:
        return apex + length * direction
    return poincare.geodesic(apex, direction, length)


class TestOrder:
    def test_every_margin_method_is_tested_as_an_order(self):
        assert {name for name, method in METHODS.items() if method.loss == "margin"} == ORDERS

    @pytest.mark.parametrize("name", sorted(ORDERS))
    @given(st.integers(0, 2**32 - 1), constants, st.integers(2, 10))
    @settings(max_examples=40, deadline=None)
    def test_the_energy_is_zero_exactly_if_the_order_holds(self, name, seed, K, dim):
        method, case = METHODS[name], Settings(K=K)
        points, pairs = make_pairs(method, case, np.random.default_rng(seed), 200, dim)
        parents, children = points[pairs[:, 0]], points[pairs[:, 1]]
        energies = method.energy(parents, children, case)
        assert np.array_equal(energies == 0, contains(name, parents, children, K))

    @pytest.mark.parametrize("name", ["hyperbolic-cones", "euclidean-cones"])
    @given(st.integers(0, 2**32 - 1), constants, st.integers(2, 6))
    @settings(max_examples=100, deadline=None)
    def test_cones_are_transitive(self, name, seed, K, dim):
        """If b is in the cone of a and c in that of b, then c is in the cone of a, also if each is on the rim."""
        method, case = METHODS[name], Settings(K=K)
        rng = np.random.default_rng(seed)
        inner, outer = method.shell(case)
        ray = rng.normal(size=dim)
        a = ray / np.linalg.norm(ray) * rng.uniform(inner, min(outer, 3.0) * 0.7 + inner * 0.3)
        b = on_the_rim(method, case, rng, a)
        c = on_the_rim(method, case, rng, b)
        assume(all(method.shell(case)[0] <= np.linalg.norm(x) <= min(outer, 1e3) for x in (a, b, c)))
        assume(method.signed_energy(a, b, case) <= 0)
        assume(method.signed_energy(b, c, case) <= 0)
        assert float(method.signed_energy(a, c, case)) <= 1e-9

    @given(st.integers(0, 2**32 - 1))
    @settings(max_examples=50, deadline=None)
    def test_order_embeddings_are_transitive(self, seed):
        method, case = METHODS["order"], Settings()
        a, b, c = np.sort(np.random.default_rng(seed).normal(size=(3, 100, 2)).round(1), axis=0)
        assert (method.energy(a, b, case) == 0).all()
        assert (method.energy(b, c, case) == 0).all()
        assert (method.energy(a, c, case) == 0).all()

    @pytest.mark.parametrize("name", sorted(ORDERS))
    def test_two_different_points_are_never_parents_of_each_other(self, name):
        method, case = METHODS[name], Settings()
        points, pairs = make_pairs(method, case, np.random.default_rng(1), 5_000, 2)
        parents, children = points[pairs[:, 0]], points[pairs[:, 1]]
        both = (method.energy(parents, children, case) == 0) & (method.energy(children, parents, case) == 0)
        assert not (both & (parents != children).any(axis=1)).any()


class TestTable:
    """What a method needs beyond its formulas."""

    def test_every_method_has_its_file_and_its_kernels(self, method):
        stem = method.name.replace("-", "_")
        assert (FOLDER / f"{stem}.py").is_file()
        assert (FOLDER / f"{stem}_kernels.py").is_file()
        assert type(method).__module__ == f"hypercone.methods.{stem}"

    def test_every_method_has_its_own_named_tuple_of_constants(self):
        kinds = [type(method.constants(Settings())) for method in METHODS.values()]
        assert len(set(kinds)) == len(METHODS)
        for name, kind in zip(METHODS, kinds, strict=True):
            assert kind.__module__ == f"hypercone.methods.{name.replace('-', '_')}_kernels"
            assert kind._fields[:2] == ("inner", "outer")

    def test_every_method_class_is_in_the_table(self):
        for path in FOLDER.glob("*.py"):
            if not path.stem.startswith("_"):
                importlib.import_module(f"hypercone.methods.{path.stem}")
        assert set(map(type, METHODS.values())) == set(Method.__subclasses__())

    def test_every_method_has_a_summary_of_one_line(self, method):
        assert method.summary
        assert "\n" not in method.summary
        assert not method.summary.endswith(".")
        assert method.loss in ("margin", "softmax")
        assert METHODS[method.name] is method

    def test_every_method_is_compared_with_the_printed_formulas(self):
        assert METHODS.keys() == PRINTED.keys()

    def test_every_method_has_defaults_that_a_fit_accepts(self, method):
        config = FitConfig(method=method.name)
        for name, value in method.defaults.items():
            assert FitConfig.from_dict({"method": method.name, name: value}).as_dict()[name] == value
        assert config.rate == method.defaults["rate"]

    def test_the_constants_include_the_shell(self, method):
        case = Settings(K=0.2, border=1e-4)
        constants = method.constants(case)
        assert (constants.inner, constants.outer) == method.shell(case)

    def test_an_unknown_method_is_refused_with_a_suggestion(self):
        assert find_method("order") is METHODS["order"]
        with pytest.raises(UnknownNameError, match=r"^there is no method 'poincarre'; did you mean poincare\?$"):
            find_method("poincarre")
