"""The starting points of training: given, random, pre-trained, constructed, or from caps learned by themselves."""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone import Hierarchy, fit, load_dataset
from hypercone._jit import dimension_type
from hypercone.construction import CONSTRUCTIONS
from hypercone.errors import ConfigError
from hypercone.evaluation import all_pairs
from hypercone.geometry import caps, poincare
from hypercone.hierarchy import Adjacency, LabeledPairs, Split
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.methods import FARTHEST, METHODS
from hypercone.training import FitConfig, pretrain, rescaled_start
from hypercone.training.caps_kernels import FREE_INSIDE, CapSteps, Pull, cap_epoch, tightest_parents
from hypercone.training.sampling import Examples, Negatives, training_edges
from hypercone.training.start import (
    CapArrays,
    cap_start,
    near_siblings,
    pretraining_config,
    random_caps,
    starting_points,
)

CONES = {"method": "hyperbolic-cones", "dim": 2}


class TestGivenPoints:
    def test_training_starts_from_the_given_points_which_need_the_right_shape(self, tree):
        start = np.linspace(0.2, 0.4, 2 * len(tree)).reshape(-1, 2)
        embedding = fit(tree, **CONES, epochs=0, start=start)
        assert np.array_equal(embedding.points, start)
        assert embedding.record["start"] == "given points"
        with pytest.raises(ConfigError, match=rf"must be \({len(tree)}, 2\), one point per node"):
            fit(tree, **CONES, start=np.zeros((len(tree), 3)))

    @pytest.mark.parametrize("size", [1.01, -1e10])
    def test_a_start_too_far_out_is_refused_and_the_farthest_is_not(self, method, tree, size, optimizer):
        config = FitConfig(method=method.name, dim=2, epochs=3, optimizer=optimizer)
        farthest = np.random.default_rng(0).choice([-FARTHEST, FARTHEST], (len(tree), 2))
        message = r"^start has a coordinate of 1\.?\d*e\+1\d\d; give points with none above 1e\+150$"
        with pytest.raises(ConfigError, match=message):
            fit(tree, recipe=config, start=size * farthest)
        # The compiled steps and the loss can still handle these, or report the divergence.
        with contextlib.suppress(ConfigError):
            assert np.isfinite(fit(tree, recipe=config, start=farthest).points).all()


class TestPretraining:
    def test_euclidean_points_enter_the_ball_at_the_same_distance_from_the_origin(self):
        points = np.array([[3.0, 4.0], [0.0, 0.0], [30.0, 0.0]])
        inside = rescaled_start(points, FitConfig(**CONES, init="euclidean", rescale=0.5))
        assert poincare.norm(inside)[:2] == pytest.approx([2.5, 0.0])
        assert np.linalg.norm(inside, axis=1).max() <= 1.0
        assert inside[0] / np.linalg.norm(inside[0]) == pytest.approx([0.6, 0.8])

    def test_points_of_the_same_space_are_only_rescaled(self, tree):
        assert rescaled_start(np.array([[0.3, 0.4]]), FitConfig(**CONES, rescale=0.5)).tolist() == [[0.15, 0.2]]
        config = FitConfig(**CONES, init_epochs=3)
        edges = training_edges(tree, config, None)
        known, config = parent_lists(edges, len(tree)), config.for_edges(len(edges))
        full, half = (
            starting_points(len(tree), edges, known, replace(config, rescale=rescale)) for rescale in (1.0, 0.5)
        )
        assert np.array_equal(0.5 * full, half)
        assert np.ptp(full) > 0

    def test_a_random_start_lies_in_its_cube_depends_on_the_seed_and_has_nothing_to_pretrain(self, tree):
        config = FitConfig(method="order", start_spread=0.25).for_edges(1)
        one, again, other = (starting_points(len(tree), None, None, replace(config, seed=seed)) for seed in (4, 4, 5))
        assert 0.2 < np.abs(one).max() <= 0.25
        assert np.array_equal(one, again)
        assert not np.array_equal(one, other)
        with pytest.raises(ConfigError, match="pre-trains nothing"):
            pretrain(tree, FitConfig(method="hyperbolic-cones", init="random"))

    def test_pretraining_has_the_defaults_of_its_method_and_the_settings_of_the_fit_about_it(self):
        given = {"seed": 9, "init_epochs": 17, "init_corrupt": "both", "known": "closure", "rate": 7.0}
        before = pretraining_config(FitConfig(method="hyperbolic-cones", dim=3, **given).for_edges(1))
        assert (before.method, before.dim, before.seed, before.epochs) == ("poincare", 3, 9, 17)
        assert (before.corrupt, before.known) == ("both", "closure")
        usual = METHODS["poincare"].defaults
        assert (before.rate, before.burn_in) == (usual["rate"], usual["burn_in"])
        assert pretraining_config(FitConfig(method="euclidean-cones").for_edges(1)).method == "euclidean"


class TestConstructed:
    @pytest.mark.parametrize("name", CONSTRUCTIONS)
    @pytest.mark.parametrize("method", ["hyperbolic-cones", "euclidean-cones"])
    def test_cones_can_start_from_a_construction_with_its_answers(self, tree, name, method):
        embedding = fit(tree, method=method, init=name, dim=5, epochs=0)
        assert all_pairs(embedding, threshold=0.0).f1 == 1.0
        assert embedding.record["kind"] == "learned from a construction"


NOBODY = Adjacency(np.zeros(8, np.int64), np.empty(0, np.int32))
STEPS = CapSteps(Pull(0.9, 0.005, 0.0), Pull(0.1, 0.003, 0.0), 1.0, 0.2, 0.3, 1e-3, 1.3)


def visit(directions, radii, edges, known=None, siblings=NOBODY, counts=(0, 0, 0), pools=None, epoch=0):
    """One epoch over the edges in their order; returns new caps and the counts."""
    directions, radii, edges = directions.copy(), radii.copy(), np.array(edges, np.int32)
    known = known or parent_lists(edges, len(radii))
    tightest = tightest_parents(parent_lists(edges, len(radii)).csr, radii)
    is_leaf = np.bincount(edges[:, 0], minlength=len(radii)) == 0
    everyone = np.arange(len(radii), dtype=np.int32)
    negatives = Negatives(*counts, *(pools or (everyone, everyone)), siblings.csr)
    arrays, examples = CapArrays(directions, radii, is_leaf), Examples(edges, known.csr, negatives)
    order, dim = np.arange(len(edges)).astype(np.uint32), dimension_type(directions.shape[1])
    return directions, radii, cap_epoch(arrays, examples, order, tightest, STEPS, 0, epoch, dim)


def on_circle(*angles):
    return np.array([[math.cos(angle), math.sin(angle), 0.0] for angle in angles])


def angle(directions, one, other):
    return 2 * math.asin(np.linalg.norm(directions[one] - directions[other]) / 2)


def start(hierarchy, **changes):
    edges = np.array(hierarchy.edges, np.int32)
    config = FitConfig(**{"method": "hyperbolic-cones", "dim": 5, "init_epochs": 20} | changes).for_edges(len(edges))
    return cap_start(len(hierarchy), edges, parent_lists(edges, len(hierarchy)), config)


class TestVisitsOfCaps:
    @settings(max_examples=60, deadline=None)
    @given(st.floats(0.01, 3.0), st.floats(1e-4, 0.5), st.floats(1e-3, 0.5))
    def test_a_child_outside_is_moved_nine_tenths_of_the_way_in(self, apart, child_radius, parent_radius):
        radii = np.array([parent_radius, child_radius])
        before = on_circle(0.0, apart)
        gap = apart + child_radius - (1 - FREE_INSIDE) * parent_radius
        after, new_radii, (violated, _, gaps) = visit(before, radii, [(0, 1)])
        if gap <= 0:
            assert violated == 0
            assert np.array_equal(after, before)
        else:
            assert gaps == pytest.approx(gap)
            assert angle(after, 0, 1) == pytest.approx(max(0.0, apart - 0.9 * gap), abs=1e-7)
            assert new_radii[0] >= parent_radius
        assert np.linalg.norm(after, axis=1) == pytest.approx(1.0)

    def test_the_smaller_cap_moves_more_a_leaf_keeps_its_radius_and_a_parent_grows(self):
        before = on_circle(0.0, 1.0)
        after, radii, _ = visit(before, np.array([0.3, 0.1]), [(0, 1)])
        moved = [np.linalg.norm(after[row] - before[row]) for row in (0, 1)]
        assert moved[1] > 2 * moved[0] > 0
        assert radii[1] == 0.1
        assert 0.3 < radii[0] < 0.31

    def test_a_negative_child_is_pushed_out_of_a_cap_and_a_known_one_is_not(self):
        before, radii = on_circle(0.0, 0.01, 0.1), np.array([0.3, 0.01, 0.01])
        options = {"counts": (3, 0, 0), "pools": (np.array([2], np.int32), np.array([0], np.int32))}
        after, _, counts = visit(before, radii, [(0, 1)], **options)
        assert counts[1] == 3
        assert angle(after, 0, 2) > 0.2
        both = parent_lists(np.array([(0, 1), (0, 2)], np.int32), 3)
        after, _, counts = visit(before, radii, [(0, 1)], known=both, **options)
        assert counts[1] == 0
        assert np.array_equal(after[2], before[2])

    def test_siblings_separate_until_their_whole_caps_are_disjoint(self):
        directions, radii = on_circle(0.0, 0.05, -0.05, 1.0, 1.1), np.array([1.2, 0.2, 0.2, 1e-4, 1e-4])
        edges = [(0, 1), (0, 2), (1, 3), (2, 4)]
        siblings = Adjacency(np.array([0, 2, 2, 2, 2, 2]), np.array([1, 2], np.int32))
        for epoch in range(60):
            directions, radii, _ = visit(directions, radii, edges, siblings=siblings, counts=(0, 0, 2), epoch=epoch)
        assert angle(directions, 1, 2) > radii[1] + radii[2]

    def test_two_caps_at_the_same_point_separate_in_a_random_direction(self):
        before, radii = on_circle(0.0, 0.0, 0.0), np.array([0.3, 0.01, 0.01])
        after, _, _ = visit(before, radii, [(0, 1)], counts=(1, 0, 0), pools=(np.array([2], np.int32),) * 2)
        assert np.isfinite(after).all()
        assert angle(after, 0, 2) > 0.01

    def test_the_tightest_parent_has_the_smallest_cap_and_near_siblings_share_it_and_have_children(self):
        known = parent_lists(np.array([(0, 3), (1, 3), (2, 3), (0, 1)], np.int32), 4)
        assert tightest_parents(known.csr, np.array([0.5, 0.2, 0.3, 0.1])).tolist() == [-1, 0, -1, 1]
        found = near_siblings(np.array([-1, 0, 0, 0, 1]), np.array([False, False, True, False, True]))
        assert found[0].tolist() == [1, 3]
        assert found.counts.tolist() == [2, 0, 0, 0, 0]


class TestStartFromCaps:
    def test_the_same_seed_gives_the_same_bytes_and_another_seed_different_ones(self, tree):
        assert start(tree).tobytes() == start(tree).tobytes()
        assert start(tree).tobytes() != start(tree, seed=1).tobytes()

    @pytest.mark.parametrize("method", ["hyperbolic-cones", "euclidean-cones"])
    def test_caps_start_at_random_and_points_have_the_cones_of_the_caps(self, tree, method):
        edges = np.array(tree.edges, np.int32)
        config = FitConfig(method=method, dim=5).for_edges(len(edges))
        begun = random_caps(len(tree), edges, parent_lists(edges, len(tree)), config)
        assert len(np.unique(begun.radii)) == 2
        assert abs(begun.directions.mean()) < 0.3
        if method == "hyperbolic-cones":
            assert caps.cap_radius(begun.points, 0.1) == pytest.approx(begun.radii)
        else:
            assert np.arcsin(0.1 / np.linalg.norm(begun.points, axis=1)) == pytest.approx(begun.radii)

    def test_only_the_training_edges_are_used(self):
        """The same training edges with different held-out edges give the same points to the last bit."""
        seen = np.array([(0, 1), (1, 2), (0, 3), (3, 4)], np.int32)
        nothing = LabeledPairs(np.empty((0, 2), np.int32), np.empty((0, 2), np.int32))
        split = Split(seen, nothing, nothing, 0, 0)
        found = []
        for hidden in ([(5, 6)], [(2, 5), (4, 6), (1, 4)]):
            hierarchy = Hierarchy(map(str, range(7)), np.concatenate([seen, np.array(hidden, np.int32)]))
            found.append(fit(hierarchy, dim=5, init="caps", init_epochs=20, epochs=5, split=split).points)
        assert np.array_equal(*found)

    def test_a_small_tree_is_learned_almost_without_errors_and_mostly_by_the_caps_alone(self):
        tree = load_dataset("tree-3-5")
        embedding = fit(tree, method="hyperbolic-cones", dim=5, init="caps", init_epochs=150, epochs=100)
        assert embedding.record["start"] == "caps"
        assert all_pairs(embedding, tree, threshold=0.0).f1 > 0.98
        points = start(tree, init_epochs=300)
        assert caps.contains(points[tree.edges[:, 0]], points[tree.edges[:, 1]], 0.1).mean() > 0.8

    def test_dimensions_without_caps_are_refused(self, tree):
        with pytest.raises(ConfigError, match="has no caps; choose another one"):
            fit(tree, method="hyperbolic-cones", dim=1, init="caps")
