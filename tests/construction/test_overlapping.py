"""The overlapping construction: what it counts is true, it beats the forest, and no shape of hierarchy breaks it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone.construction.forest import construct_forest
from hypercone.construction.moving import FreePlan, NestedPlan
from hypercone.construction.overlapping import construct_overlapping, count_exactly, smallest_radius
from hypercone.embedding import Embedding
from hypercone.errors import ConfigError
from hypercone.evaluation import all_pairs
from hypercone.hierarchy import Hierarchy
from hypercone.methods import Settings, find_method
from hypercone.methods.scoring import Counts
from hypercone.runs import FitContext

SHORT = {"nested_plan": NestedPlan(separation_iterations=20, iterations=60), "free_plan": FreePlan(iterations=60)}
DIAMOND = Hierarchy.from_pairs([("top", "left"), ("top", "right"), ("left", "both"), ("right", "both")])


def tangled(count, share=0.3, seed=0):
    """A random tree in which a share of the nodes is also below another child of its grandparent."""
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


def evaluated(hierarchy, points):
    embedding = Embedding(hierarchy.names, points, "hyperbolic-cones", Settings(K=0.1), threshold=0.0)
    return all_pairs(embedding, hierarchy)


def test_the_counts_are_those_of_an_evaluation_of_all_pairs(thousand, built):
    found = evaluated(thousand, built.points)
    assert (found.true_positives, found.false_positives) == (built.counts.true_positives, built.counts.false_positives)
    assert found.positives == built.counts.positives


def test_the_counts_are_those_of_brute_force(thousand, built, held):
    truth = np.zeros((1000, 1000), bool)
    truth[tuple(thousand.closure().T)] = True
    holds = held(built.points)
    assert built.counts == Counts(int((holds & truth).sum()), int((holds & ~truth).sum()), int(truth.sum()))


def test_overlapping_caps_beat_the_forest_where_nodes_have_several_parents(thousand, built):
    forest = construct_forest(thousand, 5)
    assert forest.counts.f1 < 0.98
    assert built.counts.f1 > 0.995


def test_it_uses_the_closure_and_says_so(built):
    assert built.closure_aware


def test_points_stay_inside_the_shell_of_the_cones(built):
    inner, outer = find_method("hyperbolic-cones").shell(Settings(K=0.1))
    lengths = np.linalg.norm(built.points, axis=1)
    assert inner <= lengths.min()
    assert lengths.max() <= outer
    assert built.smallest_cap > 1e-12


def test_a_seed_gives_the_same_bytes_every_time_and_another_seed_others(thousand):
    twice = [construct_overlapping(thousand, 4, seed=7, **SHORT).points for _ in range(2)]
    assert twice[0].tobytes() == twice[1].tobytes()
    assert construct_overlapping(thousand, 4, seed=8, **SHORT).points.tobytes() != twice[0].tobytes()


def test_a_tree_is_embedded_without_a_mistake(shape):
    assert construct_overlapping(shape("random_tree", 500), 5).counts.f1 == 1.0


def test_a_diamond_is_embedded_without_a_mistake():
    assert construct_overlapping(DIAMOND, 3).counts == Counts(5, 0, 5)


def test_in_two_dimensions_the_forest_is_kept(thousand):
    forest = construct_forest(thousand, 2)
    found = construct_overlapping(thousand, 2)
    assert found.counts == forest.counts
    assert np.array_equal(found.points, forest.points)


def test_one_dimension_is_refused():
    with pytest.raises(ConfigError, match="dim"):
        construct_overlapping(DIAMOND, 1)


@st.composite
def dags(draw):
    count = draw(st.integers(1, 20))
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda pair: pair[0] != pair[1])
    drawn = draw(st.lists(ends, max_size=50)) if count > 1 else []
    order = draw(st.permutations(range(count)))
    # Duplicates, implied edges, several roots and nodes without edges all come up.
    edges = [[order[min(pair)], order[max(pair)]] for pair in drawn]
    return Hierarchy([str(row) for row in range(count)], np.array(edges, int).reshape(-1, 2))


@settings(max_examples=40, deadline=None)
@given(dags(), st.integers(2, 5), st.integers(0, 3))
def test_any_hierarchy_is_counted_rightly_and_never_worse_than_its_forest(hierarchy, dim, seed):
    found = construct_overlapping(hierarchy, dim, seed=seed, **SHORT)
    counts = evaluated(hierarchy, found.points)
    assert (counts.true_positives, counts.false_positives) == (
        found.counts.true_positives,
        found.counts.false_positives,
    )
    assert found.counts.f1 >= construct_forest(hierarchy, dim).counts.f1
    assert np.isfinite(found.points).all()


def with_a_second_parent(hierarchy, parent, child):
    return Hierarchy(hierarchy.names, np.concatenate([hierarchy.edges, [[parent, child]]]))


def two_of(name, shape, *size):
    """Two of a shape side by side, the last node of the first below the root of the second too."""
    one = shape(name, *size)
    edges = np.concatenate([one.edges, one.edges + len(one), [[len(one), len(one) - 1]]])
    return Hierarchy([str(row) for row in range(2 * len(one))], edges)


@pytest.mark.parametrize(
    ("name", "size"), [("chain", 2), ("chain", 300), ("star", 3), ("deep_random_tree", 500), ("binary_tree", 8)]
)
def test_hierarchies_deep_and_small_are_at_least_as_good_as_their_forest(shape, name, size):
    hierarchy = two_of(name, shape, size)
    found = construct_overlapping(hierarchy, 4, **SHORT)
    assert found.counts.f1 >= construct_forest(hierarchy, 4).counts.f1
    assert found.counts == count_exactly(found.points, hierarchy, 0.1)


def test_very_wide_hierarchies_are_built_too(shape):
    hierarchy = two_of("star", shape, 50_000)
    plans = {"nested_plan": NestedPlan(separation_iterations=2, iterations=3), "free_plan": FreePlan(iterations=10)}
    found = construct_overlapping(hierarchy, 4, **plans)
    assert found.counts.f1 >= construct_forest(hierarchy, 4).counts.f1


def test_progress_is_reported_with_counts_from_the_first_to_the_last_iteration(shape):
    reports, dag = [], shape("random_dag", 200)
    found = construct_overlapping(dag, 3, context=FitContext(reports.append), **SHORT)
    assert {report.stage for report in reports} == {"nested caps", "free caps"}
    assert {report.unit for report in reports} == {"iteration"}
    assert reports[0].done == 0
    assert reports[-1].is_last
    assert max(report.all_pairs_f1 for report in reports) >= found.counts.f1 - 0.01
    for stage in ("nested caps", "free caps"):
        told = [report for report in reports if report.stage == stage]
        assert [report.seconds for report in told] == sorted(report.seconds for report in told)
        assert {report.total for report in told} == {told[-1].done}
        # Known from the second on, and nothing at the end.
        assert [report.seconds_left is None for report in told] == [True] + [False] * (len(told) - 1)
        assert all(report.seconds_left > 0 for report in told[1:-1])
        assert told[-1].seconds_left == 0


def test_moving_stops_once_every_pair_is_right():
    reports = []
    construct_overlapping(DIAMOND, 3, context=FitContext(reports.append))
    assert reports[-1].all_pairs_f1 == 1.0
    assert reports[-1].done < FreePlan().iterations


@pytest.mark.parametrize("K", [0.01, 0.1, 1.0, 3.0])
def test_other_cone_constants_work_as_well(K):
    found = construct_overlapping(DIAMOND, 3, K, **SHORT)
    assert found.counts == count_exactly(found.points, DIAMOND, K)
    assert found.counts.f1 > 0.8
    assert smallest_radius(K) > 0
