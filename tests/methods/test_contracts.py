"""The contract of every method: compiled formulas equal NumPy ones, points stay in the domain, cones are orders.

A new line in METHODS is tested automatically.
"""

import importlib
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.methods import (
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
from hypercone.geometry import cones, euclidean_cones, order
from hypercone.methods import METHODS, Method, Settings, generic_kernels
from hypercone.methods.scoring import Scorer
from hypercone.training import FitConfig

DIMS = (2, 5, 10, UNROLLED_DIMENSIONS + 8)
# The paper's cones; wide ones, where ψ + γ exceeds a right angle; and the largest margin.
CASES = (Settings(), Settings(K=1.0, margin=0.5), Settings(K=0.3, margin=math.pi / 2))
# What a cosine can resolve of an angle as small as a cone near the border (2e-6 at 1−r = 1e-5).
ROUNDING = 1e-9
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


def gradients_of(method, case, points, pairs):
    """∂energy/∂parent and ∂energy/∂child of each pair, and e^−d for distance methods."""
    if method.loss == "margin":
        return margin_facts(method, case, points, pairs)[2:]
    weights, *slopes = attraction_facts(points[pairs[:, 0]], points[pairs[:, 1]], method.constants(case))
    return *slopes, weights


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
        points, _ = make_pairs(method, Settings(), np.random.default_rng(3), 8, 2)
        rows = np.arange(len(points), dtype=np.int32)
        one = np.full_like(rows, 3)
        scorer = Scorer(points, method, Settings())
        assert np.array_equal(scorer.energies_below(3), scorer.energies(np.stack([one, rows], axis=1)))
        assert np.array_equal(scorer.energies_above(3), scorer.energies(np.stack([rows, one], axis=1)))

    def test_the_penalty_is_never_negative_zero_for_a_node_with_itself_and_the_score_of_margin_methods(self, method):
        points, pairs = make_pairs(method, Settings(), np.random.default_rng(4), 200, 2)
        penalties = method.energy(points[pairs[:, 0]], points[pairs[:, 1]], Settings())
        assert (penalties >= 0).all()
        scorer = Scorer(points, method, Settings())
        if method.loss == "margin":
            np.testing.assert_allclose(scorer.energies(pairs), penalties, rtol=1e-10, atol=1e-9)
        assert (scorer.energies(np.repeat(pairs[:, :1], 2, axis=1)) == 0).all()
        assert (method.energy(points, points, Settings()) == 0).all()

    def test_points_that_round_onto_the_border_and_the_origin_have_finite_energies(self, method):
        corners = np.array([[0, 0], [1, 0], [0.6, 0.8], [-1, 0], [math.nextafter(1.0, 0.0), 0], [0.5, 0]])
        pairs = np.argwhere(np.ones((6, 6))).astype(np.int32)
        energies = compiled_energies(method, Settings(), corners, pairs)
        assert np.isfinite(energies).all()
        expected = numpy_energies(method, Settings(), corners, pairs)
        np.testing.assert_allclose(energies, expected, rtol=1e-12, atol=1e-12)


class TestGradient:
    @pytest.mark.parametrize(("dim", "count"), [(2, 40), (5, 20), (10, 10), (DIMS[-1], 3)])
    @pytest.mark.parametrize(
        ("method", "case"),
        [
            pytest.param(method, case, id=f"{name}-K={case.K}")
            for name, method in METHODS.items()
            for case in (CASES if method.loss == "margin" else CASES[:1])
        ],
    )
    def test_the_gradient_is_exact(self, method, case, dim, count):
        points, pairs = make_pairs(method, case, np.random.default_rng(dim), count, dim)
        found = np.hstack(gradients_of(method, case, points, pairs)[:2])
        for gradient, (u, v) in zip(found, pairs, strict=True):
            exact = np.concatenate(printed_gradient(method, case, points[u], points[v]))
            assert np.linalg.norm(gradient - exact) <= 1e-8 * np.linalg.norm(exact), (points[u], points[v])

    @each_dim
    def test_the_weight_of_a_distance_is_its_exponential(self, distance_method, dim):
        points, pairs = make_pairs(distance_method, Settings(), np.random.default_rng(dim), 200, dim)
        weights = gradients_of(distance_method, Settings(), points, pairs)[2]
        np.testing.assert_allclose(
            weights, np.exp(-numpy_energies(distance_method, Settings(), points, pairs)), rtol=1e-8
        )

    def test_a_gradient_is_added_with_its_weight(self, margin_method):
        case = Settings()
        points, pairs = make_pairs(margin_method, case, np.random.default_rng(6), 50, 2)
        pull = margin_facts(margin_method, case, points, pairs, weight=1.0)
        push = margin_facts(margin_method, case, points, pairs, weight=-2.0)
        np.testing.assert_allclose(push[2], -2 * pull[2], rtol=1e-12)
        np.testing.assert_allclose(push[3], -2 * pull[3], rtol=1e-12)

    @each_dim
    def test_a_child_at_the_point_of_its_parent_is_not_moved(self, method, dim):
        points = shell_points(method, Settings(), np.random.default_rng(7), 50, dim)
        pairs = np.repeat(np.arange(50, dtype=np.int32)[:, None], 2, axis=1)
        of_parent, of_child, *weights = gradients_of(method, Settings(), points, pairs)
        assert not np.any([of_parent, of_child])
        if method.loss == "margin":
            assert not np.any(margin_facts(method, Settings(), points, pairs, push=True)[:2])
        else:
            assert (weights[0] == 1).all()

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
        assert all(np.isfinite(fact).all() for fact in gradients_of(method, case, points, pairs))
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


class TestMargin:
    """The tests of training, which compute no angle, agree with the angle up to rounding."""

    @each_dim
    @each_case
    def test_a_pair_is_outside_if_its_energy_is_positive_and_pushed_out_if_below_the_margin(
        self, margin_method, case, dim
    ):
        """A negative inside the region is pushed only on request."""
        points, pairs = make_pairs(margin_method, case, np.random.default_rng(20 + dim), 5_000, dim)
        energies = numpy_energies(margin_method, case, points, pairs)
        is_order = margin_method.name == "order"
        is_clear = (np.abs(energies) > ROUNDING) | is_order
        assert is_clear.mean() > 0.9
        outside = margin_facts(margin_method, case, points, pairs)[0]
        assert np.array_equal(outside[is_clear], energies[is_clear] > 0)
        is_clear = (np.abs(energies) > ROUNDING) & (np.abs(energies - case.margin) > ROUNDING)
        for push in (False, True):
            within = margin_facts(margin_method, case, points, pairs, push=push)[1]
            expected = (energies < case.margin) & ((energies > 0) | (push and not is_order))
            assert np.array_equal(within[is_clear], expected[is_clear])

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
        points = shell_points(method, Settings(), np.random.default_rng(50), 400, 5)[3::7]
        assert np.array_equal(method.project(points, Settings()), points)

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


CONTAINS = {
    "hyperbolic-cones": cones.contains,
    "euclidean-cones": euclidean_cones.contains,
    "order": lambda parent, child, _: order.contains(parent, child),
}


class TestOrder:
    """Energy zero means "is a", which is a partial order; that it is transitive is tested with the geometry."""

    @pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.loss == "margin"])
    @given(st.integers(0, 2**32 - 1), st.sampled_from([0.03, 0.1, 0.5, 1.0]), st.integers(2, 10))
    @settings(max_examples=40, deadline=None)
    def test_the_energy_is_zero_exactly_if_the_order_holds_which_it_never_does_both_ways(self, name, seed, K, dim):
        method, case = METHODS[name], Settings(K=K)
        points, pairs = make_pairs(method, case, np.random.default_rng(seed), 200, dim)
        parents, children = points[pairs[:, 0]], points[pairs[:, 1]]
        is_zero = method.energy(parents, children, case) == 0
        assert np.array_equal(is_zero, CONTAINS[name](parents, children, K))
        both = is_zero & (method.energy(children, parents, case) == 0)
        assert not (both & (parents != children).any(axis=1)).any()


class TestTable:
    """What a method needs beyond its formulas."""

    def test_every_method_has_its_files_its_constants_and_a_summary_of_one_line(self, method):
        module = f"hypercone.methods.{method.name.replace('-', '_')}"
        case = Settings(K=0.2, border=1e-4)
        constants = method.constants(case)
        assert (type(method).__module__, type(constants).__module__) == (module, f"{module}_kernels")
        assert constants._fields[:2] == ("inner", "outer")
        assert constants[:2] == method.shell(case)
        assert method.summary.strip(".\n") == method.summary != ""
        assert "\n" not in method.summary
        assert method.loss in ("margin", "softmax")
        assert METHODS[method.name] is method

    def test_every_method_class_is_in_the_table_and_has_constants_of_its_own(self):
        for path in Path(hypercone.methods.__file__).parent.glob("*.py"):
            if not path.stem.startswith("_"):
                importlib.import_module(f"hypercone.methods.{path.stem}")
        assert set(map(type, METHODS.values())) == set(Method.__subclasses__())
        assert len({type(method.constants(Settings())) for method in METHODS.values()}) == len(METHODS)

    def test_every_method_has_defaults_that_a_fit_accepts(self, method):
        assert FitConfig(method=method.name).rate == method.defaults["rate"]
        for name, value in method.defaults.items():
            assert FitConfig.from_dict({"method": method.name, name: value}).as_dict()[name] == value
