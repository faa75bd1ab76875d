"""The overlapping construction: exact counts, at least as good as the forest, for every shape of hierarchy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.hierarchies import closure_matrix, cone_matrix, dags, shape

from hypercone.construction import overlapping
from hypercone.construction.forest import construct_forest, spanning_forest
from hypercone.construction.given_edges import NestedPlan
from hypercone.construction.overlapping import Plans, construct_overlapping, count_errors, smallest_radius
from hypercone.construction.refining import RefiningPlan
from hypercone.embedding import Embedding
from hypercone.errors import ConfigError
from hypercone.evaluation import all_pairs
from hypercone.hierarchy import Hierarchy
from hypercone.methods import Settings, find_method
from hypercone.methods.scoring import Counts, counts_of
from hypercone.runs import FitContext

SHORT = {"plans": Plans(NestedPlan(separation_iterations=20, iterations=60), RefiningPlan(iterations=60))}

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


QUICK = {"plans": Plans(NestedPlan(separation_iterations=2, iterations=3), RefiningPlan(iterations=10))}


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
    stages = dict.fromkeys(report.stage for report in reports)
    assert list(stages) == ["nested caps", "free caps", "jumping caps"]
    assert {report.unit for report in reports} == {"iteration", "round"}
    assert reports[0].done == 0
    assert reports[-1].is_last
    assert max(report.all_pairs_f1 or 0 for report in reports) >= found.counts.f1 - 0.01
    assert all(report.violated >= 0 for report in reports if report.stage == "nested caps")
    for stage in stages:
        stage_reports = [report for report in reports if report.stage == stage]
        assert {report.total for report in stage_reports} == {stage_reports[-1].done}
        assert [report.seconds for report in stage_reports] == sorted(report.seconds for report in stage_reports)
        # Known from the second report on, and 0 at the end.
        assert [report.seconds_left is None for report in stage_reports] == [True] + [False] * (len(stage_reports) - 1)
        assert all(report.seconds_left > 0 for report in stage_reports[1:-1])
        assert stage_reports[-1].seconds_left == 0
    # Moving stops once every pair is correct.
    construct_overlapping(DIAMOND, 3, context=FitContext(reports.append))
    last = [report for report in reports if report.stage == "free caps"][-1]
    assert last.all_pairs_f1 == 1.0
    assert last.done < RefiningPlan().iterations


def test_caps_that_come_out_worse_than_the_forest_are_moved_again_from_the_forest():
    reports, random = [], np.random.default_rng(0)
    pairs = [(f"above {row}", f"below {child}") for child in range(90) for row in random.choice(60, 4, replace=False)]
    crossed = Hierarchy.from_pairs(pairs)
    found, forest = construct_overlapping(crossed, 3, context=FitContext(reports.append)), construct_forest(crossed, 3)
    refined = [report.all_pairs_f1 for report in reports if report.stage == "free caps"]
    again = [report.all_pairs_f1 for report in reports if report.stage == "free caps from the forest"]
    assert max(refined) < forest.counts.f1
    assert max(again) >= forest.counts.f1
    assert found.counts.f1 > forest.counts.f1 + 0.05
    assert_counted_exactly(found, crossed, 0.1)


@pytest.mark.parametrize("K", [0.01, 0.1, 1.0, 3.0])
def test_other_cone_constants_work_as_well(K):
    found = construct_overlapping(DIAMOND, 3, K, **SHORT)
    assert_counted_exactly(found, DIAMOND, K)
    assert found.counts.f1 > 0.8
    assert smallest_radius(K) > 0


def ladder(count):
    """A chain of diamonds."""
    edges = [(3 * i, 3 * i + side) for i in range(count) for side in (1, 2)]
    edges += [(3 * i + side, 3 * i + 3) for i in range(count) for side in (1, 2)]
    return Hierarchy([str(row) for row in range(3 * count + 1)], edges)


def chain_with_diamond(count):
    edges = [(row, row + 1) for row in range(count - 1)] + [(count // 2, count), (count, count // 2 + 2)]
    return Hierarchy([str(row) for row in range(count + 1)], edges)


@pytest.mark.parametrize("hierarchy", [ladder(300), chain_with_diamond(1000)], ids=["ladder", "chain with a diamond"])
def test_long_chains_of_diamonds_are_embedded_exactly(hierarchy):
    found = construct_overlapping(hierarchy, 5)
    assert found.is_exact
    assert_counted_exactly(found, hierarchy, 0.1)


def test_a_budget_of_seconds_ends_with_the_best_so_far(thousand):
    found = construct_overlapping(thousand, 5, seconds=0.0)
    assert found.counts.f1 >= construct_forest(thousand, 5).counts.f1
    assert_counted_exactly(found, thousand, 0.1)


def test_with_more_true_pairs_than_are_counted_the_result_says_so_and_keeps_the_forest_edges(thousand, monkeypatch):
    monkeypatch.setattr(overlapping, "MOST_COUNTED", 10)
    monkeypatch.setattr(overlapping, "MOST_TRUE_PAIRS", 10)
    found = construct_overlapping(thousand, 5)
    assert (found.counts, found.errors, found.closure_aware) == (None, None, False)
    holds = cone_matrix(found.points)
    forest = spanning_forest(thousand)
    rows = np.flatnonzero(forest >= 0)
    assert holds[forest[rows], rows].all()
    truth = closure_matrix(thousand)
    assert 2 * (holds & truth).sum() / (holds.sum() + truth.sum()) > 0.98
