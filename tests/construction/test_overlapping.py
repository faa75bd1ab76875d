"""The overlapping construction: exact counts, at least as good as the forest, for every shape of hierarchy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.hierarchies import closure_matrix, cone_matrix, dags, forest_matrix, shape

from hypercone.construction import moving, skeleton
from hypercone.construction.forest import construct_forest, spanning_forest
from hypercone.construction.moving import Balls, FreePlan, FreeRun, NestedPlan, NestedRun, Shape, balls_of, first_shape
from hypercone.construction.overlap_kernels import add_edge_gradients, backpropagate
from hypercone.construction.overlapping import construct_overlapping, count_errors, smallest_radius
from hypercone.construction.skeleton import build_skeleton, pairs_in_forest
from hypercone.embedding import Embedding
from hypercone.errors import ConfigError
from hypercone.evaluation import all_pairs
from hypercone.hierarchy import Adjacency, Hierarchy
from hypercone.methods import Settings, find_method
from hypercone.methods.scoring import Counts, counts_of
from hypercone.runs import FitContext

SHORT = {"nested_plan": NestedPlan(separation_iterations=20, iterations=60), "free_plan": FreePlan(iterations=60)}

DIAMOND = Hierarchy.from_pairs([("top", "left"), ("top", "right"), ("left", "both"), ("right", "both")])


def tangled(count, share=0.3, seed=0):
    """A random tree in which a share of the nodes has another child of the grandparent as a second parent."""
    random = np.random.default_rng(seed)
    children = np.arange(1, count)
    first = (random.random(count) * np.arange(count)).astype(int)
    uncles = np.array(
        [
            random.choice(np.flatnonzero(first[1:child] == first[first[child]]) + 1) if first[child] else 0
            for child in children
        ]
    )
    chosen = (random.random(count - 1) < share) & (first[1:] != uncles)
    edges = np.concatenate([np.stack([first[1:], children], 1), np.stack([uncles, children], 1)[chosen]])
    return Hierarchy([str(row) for row in range(count)], edges)


@pytest.fixture(scope="module")
def thousand():
    return tangled(1000)


@pytest.fixture(scope="module")
def built(thousand):
    return construct_overlapping(thousand, 5)


def test_overlapping_caps_beat_the_forest_with_the_counts_of_brute_force_and_points_inside_the_shell(thousand, built):
    truth, holds = closure_matrix(thousand), cone_matrix(built.points)
    assert built.counts == Counts(int((holds & truth).sum()), int((holds & ~truth).sum()), int(truth.sum()))
    assert construct_forest(thousand, 5).counts.f1 < 0.98
    assert built.counts.f1 > 0.995
    assert built.closure_aware
    inner, outer = find_method("hyperbolic-cones").shell(Settings(K=0.1))
    lengths = np.linalg.norm(built.points, axis=1)
    assert inner <= lengths.min() <= lengths.max() <= outer
    assert built.smallest_cap > 1e-12


def test_a_seed_determines_the_bytes(thousand):
    twice = [construct_overlapping(thousand, 4, seed=7, **SHORT).points for _ in range(2)]
    assert twice[0].tobytes() == twice[1].tobytes()
    assert construct_overlapping(thousand, 4, seed=8, **SHORT).points.tobytes() != twice[0].tobytes()


def test_a_tree_and_a_diamond_are_embedded_exactly_but_not_in_one_dimension():
    assert construct_overlapping(shape("random_tree", 500), 5).counts.f1 == 1.0
    assert construct_overlapping(DIAMOND, 3).counts == Counts(5, 0, 5)
    with pytest.raises(ConfigError, match="dim"):
        construct_overlapping(DIAMOND, 1)


def test_in_two_dimensions_the_forest_is_kept(thousand):
    forest, found = construct_forest(thousand, 2), construct_overlapping(thousand, 2)
    assert found.counts == forest.counts
    assert np.array_equal(found.points, forest.points)


@settings(max_examples=40, deadline=None)
@given(dags(20, 50), st.integers(2, 5), st.integers(0, 3))
def test_any_hierarchy_has_exact_counts_and_is_never_worse_than_its_forest(hierarchy, dim, seed):
    found = construct_overlapping(hierarchy, dim, seed=seed, **SHORT)
    embedding = Embedding(hierarchy.names, found.points, "hyperbolic-cones", Settings(K=0.1), threshold=0.0)
    counts = all_pairs(embedding, hierarchy)
    assert Counts(counts.true_positives, counts.false_positives, found.counts.positives) == found.counts
    assert found.counts.f1 >= construct_forest(hierarchy, dim).counts.f1
    assert np.isfinite(found.points).all()


def two_of(name, *size):
    """Two copies of a shape; the last node of the first is also below the root of the second."""
    one = shape(name, *size)
    edges = np.concatenate([one.edges, one.edges + len(one), [[len(one), len(one) - 1]]])
    return Hierarchy([str(row) for row in range(2 * len(one))], edges)


def assert_counted_exactly(found, hierarchy, K):
    """The counts over all pairs and the errors of each node are those of its points."""
    errors = count_errors(found.points, hierarchy, K)
    assert found.counts == counts_of(errors, len(hierarchy.closure()))
    assert [each.tolist() for each in found.errors] == [each.tolist() for each in errors]


QUICK = {"nested_plan": NestedPlan(separation_iterations=2, iterations=3), "free_plan": FreePlan(iterations=10)}


@pytest.mark.parametrize(
    ("name", "size"),
    [("chain", 2), ("chain", 300), ("star", 3), ("star", 50_000), ("deep_random_tree", 500), ("binary_tree", 8)],
)
def test_small_deep_and_wide_hierarchies_are_at_least_as_good_as_their_forest(name, size):
    hierarchy = two_of(name, size)
    found = construct_overlapping(hierarchy, 4, **(QUICK if size > 1000 else SHORT))
    assert found.counts.f1 >= construct_forest(hierarchy, 4).counts.f1
    assert_counted_exactly(found, hierarchy, 0.1)


def test_progress_is_reported_with_counts_until_the_last_iteration_or_until_every_pair_is_correct():
    reports, dag = [], shape("random_dag", 100)
    found = construct_overlapping(dag, 3, context=FitContext(reports.append), **SHORT)
    assert found.counts.f1 > construct_forest(dag, 3).counts.f1, "the forest was returned, which is not reported"
    assert {report.stage for report in reports} == {"nested caps", "free caps"}
    assert {report.unit for report in reports} == {"iteration"}
    assert reports[0].done == 0
    assert reports[-1].is_last
    assert max(report.all_pairs_f1 for report in reports) >= found.counts.f1 - 0.01
    for stage in ("nested caps", "free caps"):
        stage_reports = [report for report in reports if report.stage == stage]
        assert {report.total for report in stage_reports} == {stage_reports[-1].done}
        assert [report.seconds for report in stage_reports] == sorted(report.seconds for report in stage_reports)
        # Known from the second report on, and 0 at the end.
        assert [report.seconds_left is None for report in stage_reports] == [True] + [False] * (len(stage_reports) - 1)
        assert all(report.seconds_left > 0 for report in stage_reports[1:-1])
        assert stage_reports[-1].seconds_left == 0
    # Moving stops once every pair is correct.
    construct_overlapping(DIAMOND, 3, context=FitContext(reports.append))
    assert reports[-1].all_pairs_f1 == 1.0
    assert reports[-1].done < FreePlan().iterations


@pytest.mark.parametrize("K", [0.01, 0.1, 1.0, 3.0])
def test_other_cone_constants_work_as_well(K):
    found = construct_overlapping(DIAMOND, 3, K, **SHORT)
    assert_counted_exactly(found, DIAMOND, K)
    assert found.counts.f1 > 0.8
    assert smallest_radius(K) > 0


@pytest.fixture(scope="module")
def dag():
    return shape("random_dag", 400, seed=3)


@pytest.fixture(scope="module")
def built_skeleton(dag):
    return build_skeleton(dag, spanning_forest(dag))


def contained(centers, radii):
    """By brute force: whether each ball contains each other ball."""
    apart = np.linalg.norm(centers[:, None] - centers[None], axis=2)
    return (apart <= radii[:, None] - radii[None]) & ~np.eye(len(radii), dtype=bool)


def test_every_node_has_a_place_followed_by_its_subtree_or_is_a_plain_leaf(dag, built_skeleton):
    places, leaves = built_skeleton
    nodes = np.concatenate([places.rows[places.rows >= 0], leaves.rows])
    assert sorted(nodes.tolist()) == list(range(len(dag)))
    assert (dag.child_lists.counts[leaves.rows] == 0).all()
    assert places.weights.sum() == len(dag)
    above = forest_matrix(places.parents)
    for place in range(len(places.rows)):
        assert np.flatnonzero(above[place]).tolist() == list(range(place + 1, places.ends[place]))
    alone, lonely = build_skeleton(Hierarchy(["stone"], np.zeros((0, 2), int)), np.array([-1], np.int32))
    assert (alone.rows.tolist(), lonely.rows.tolist()) == ([-1], [0])


def test_places_have_the_descendants_of_their_nodes_and_other_edges_gain_the_missing_ancestors(dag, built_skeleton):
    places, leaves = built_skeleton
    truth, above = closure_matrix(dag), forest_matrix(places.parents)
    for place in np.flatnonzero(places.rows >= 0):
        below = Adjacency(*places.below)[place]
        assert (np.diff(below) > 0).all()
        weight = places.weights[below].sum() + (leaves.holders == place).sum()
        assert weight == truth[places.rows[place]].sum()
    for (parent, child), gained in zip(places.edges.tolist(), places.gained.tolist(), strict=True):
        wanted = set(np.flatnonzero(truth[:, places.rows[parent]])) | {places.rows[parent]}
        assert gained == len(wanted - set(places.rows[above[:, child]].tolist()))


def test_wide_families_are_divided_into_groups(dag, monkeypatch):
    monkeypatch.setattr(skeleton, "WIDEST_FAMILY", 8)
    monkeypatch.setattr(skeleton, "GROUP", 3)
    places, _ = build_skeleton(dag, spanning_forest(dag))
    assert np.diff(places.kids.offsets).max() <= 8
    assert places.weights.sum() == len(dag)
    assert pairs_in_forest(places) == pairs_in_forest(build_skeleton(dag, spanning_forest(dag))[0])


@pytest.mark.parametrize(("dim", "seed"), [(1, 0), (2, 1), (4, 2), (9, 3)])
def test_the_count_over_the_skeleton_equals_brute_force_and_its_arrays_grow(built_skeleton, dim, seed):
    places, _ = built_skeleton
    first = first_shape(places, dim, seed)
    run = NestedRun(places, first, 1)
    counts, wrong_count = run.count(), run.wrong_count
    forest = forest_matrix(places.parents)
    holds = contained(*balls_of(places, first)) & (places.rows >= 0)[:, None] & ~forest & ~forest.T
    truth = np.zeros_like(holds)
    for place in range(len(truth)):
        truth[place, Adjacency(*places.below)[place]] = True
    true, false = (int((found @ places.weights).sum()) for found in (holds & truth, holds & ~truth))
    assert (counts.true_positives - pairs_in_forest(places), counts.false_positives) == (true, false)
    assert true + false > 0
    run.wrong = type(run.wrong)(*(array[:1] for array in run.wrong))
    assert run.count() == counts
    assert run.wrong_count == wrong_count <= len(run.wrong.holders)


def test_steps_keep_every_ball_inside_the_one_above(built_skeleton):
    places, _ = built_skeleton
    run = NestedRun(places, first_shape(places, 3, 0), 1)
    for separating in (True, False):
        run.count()
        for _ in range(20):
            run.step(0.05, separating)
    assert np.all(forest_matrix(places.parents) <= contained(run.centers, run.radii))


def test_the_gradient_in_skeleton_coordinates_matches_finite_differences(built_skeleton):
    places, _ = built_skeleton
    first = first_shape(places, 3, 5)
    run = NestedRun(places, first, 1)
    parent, child = places.edges.T
    # The scale of a term is constant: enlarging a ball that is in the wrong place must not pay off.
    scale = run.radii[child]

    def loss(centers, radii):
        lack = np.linalg.norm(centers[parent] - centers[child], axis=1) + 1.05 * radii[child] - radii[parent]
        return np.log(1 + np.maximum(lack, 0) / scale).sum()

    ball_gradients = Balls(np.zeros_like(run.centers), np.zeros_like(run.radii))
    shape_gradients = Shape(np.zeros_like(run.centers), np.zeros_like(run.radii))
    weights = np.ones(len(places.edges))
    add_edge_gradients(run.centers, run.radii, places.edges, weights, 0.05, *ball_gradients, run.dim)
    backpropagate(places.parents, *first, run.radii, *ball_gradients, *shape_gradients, run.dim)
    random = np.random.default_rng(0)
    aside, wider = random.normal(size=first.offsets.shape), random.normal(size=first.log_ratios.shape)
    aside[0], wider[0], step = 0, 0, 1e-8
    ahead = loss(*balls_of(places, Shape(first.offsets + step * aside, first.log_ratios + step * wider)))
    behind = loss(*balls_of(places, Shape(first.offsets - step * aside, first.log_ratios - step * wider)))
    slope = (shape_gradients.offsets * aside).sum() + (shape_gradients.log_ratios * wider).sum()
    assert slope == pytest.approx((ahead - behind) / (2 * step), rel=1e-4)


def free_run(dag, dim, seed, radii):
    centers = np.random.default_rng(seed).normal(size=(len(dag), dim))
    return FreeRun(dag, spanning_forest(dag), Balls(centers, np.broadcast_to(radii, len(dag)).copy()), 1e-9)


@pytest.mark.parametrize(("dim", "seed"), [(1, 0), (2, 1), (4, 2)])
def test_the_count_of_free_balls_equals_brute_force_and_leaves_contain_nothing(dag, dim, seed):
    run = free_run(dag, dim, seed, np.random.default_rng(seed).uniform(0.01, 2, len(dag)))
    counts = run.search(0.2)
    holds, truth = contained(run.centers, run.radii), closure_matrix(dag)
    assert (counts.true_positives, counts.false_positives) == ((holds & truth).sum(), (holds & ~truth).sum())
    assert counts.false_positives > 0
    assert not holds[run.is_leaf].any()


def test_the_array_of_wrong_pairs_grows_in_the_free_phase(dag):
    run = free_run(dag, 2, 0, 3.0)
    run._wrong = run._wrong[:1]
    before = run.search(0.0)
    assert len(run._wrong) >= run._found > 1
    assert run.search(0.0) == before


def test_radii_never_fall_below_the_smallest(dag):
    run = FreeRun(dag, spanning_forest(dag), Balls(np.zeros((len(dag), 2)), np.zeros(len(dag))), 1e-6)
    for _ in range(5):
        run.search(0.1)
        run.gradient(1.0)
        run.move(0.1)
    assert run.radii.min() >= 1e-6
    assert run.radii[run.holders].min() >= moving.ABOVE_SMALLEST * 1e-6 * (1 - 1e-12)
