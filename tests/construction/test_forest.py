"""The forest construction: the best spanning forest, nested balls, verified points, exact counts, rearranging."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.hierarchies import closure_matrix, cone_matrix, dags, forest_matrix, shape
from tests.support.tiers import needs_speed

import hypercone
from hypercone.construction.forest import (
    MOST_STEPS,
    can_be_rearranged,
    check_points,
    construct_forest,
    count_forest,
    rearranged_forest,
    spanning_forest,
)
from hypercone.construction.layout import (
    Layout,
    caps_from_balls,
    lay_out_forest,
    points_from_balls,
    projection_scale,
)
from hypercone.embedding import Embedding
from hypercone.errors import ConfigError, InputError
from hypercone.evaluation import all_pairs
from hypercone.geometry import caps
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph import count_pairs_by_bits
from hypercone.methods import Settings, find_method
from hypercone.methods.scoring import Counts, Scorer


@st.composite
def small_dags(draw):
    count = draw(st.integers(1, 7))
    possible = [(parent, child) for child in range(count) for parent in range(child)]
    edges = draw(st.lists(st.sampled_from(possible), unique=True, max_size=11)) if possible else []
    return Hierarchy([str(row) for row in range(count)], np.array(edges, int).reshape(-1, 2))


@given(small_dags())
@settings(max_examples=60, deadline=None)
def test_the_forest_uses_edges_and_no_other_one_keeps_more_pairs(dag):
    choices = [dag.parent_lists[row].tolist() or [-1] for row in range(len(dag))]
    forest = spanning_forest(dag)
    assert all(parent in parents for parent, parents in zip(forest, choices, strict=True))
    best = max(int(forest_matrix(parents).sum()) for parents in itertools.product(*choices))
    assert int(forest_matrix(forest).sum()) == best == count_forest(dag).true_positives


def test_the_deepest_parent_wins_then_the_lowest_row():
    edges = [[0, 1], [1, 2], [0, 3], [2, 4], [3, 4], [1, 5], [3, 5]]
    assert spanning_forest(Hierarchy("abcdef", edges)).tolist() == [-1, 0, 1, 0, 2, 1]


@pytest.mark.parametrize("seed", range(3))
def test_the_closure_is_counted_the_same_by_bits(seed):
    dag = shape("random_dag", 300, seed=seed)
    order = np.argsort(dag.depths, kind="stable").astype(np.int32)
    assert count_pairs_by_bits(order, dag.parent_lists) == dag.count_closure() == len(dag.closure())


DIMENSIONS = (2, 3, 5, 10)


@given(dags(), st.sampled_from(DIMENSIONS), st.sampled_from([0.01, 0.1, 1.0, 10.0]))
@settings(max_examples=100, deadline=None)
def test_without_rearranging_exactly_the_forest_holds_and_nothing_is_false(dag, dim, K):
    constructed = construct_forest(dag, dim, K, rearrange=False)
    found, truth = cone_matrix(constructed.points, K), closure_matrix(dag)
    assert np.array_equal(found, forest_matrix(spanning_forest(dag)))
    assert constructed.counts == Counts((found & truth).sum(), 0, truth.sum())
    assert not constructed.closure_aware


@given(dags(), st.sampled_from(DIMENSIONS), st.sampled_from([0.1, 1.0]))
@settings(max_examples=80, deadline=None)
def test_the_counts_of_a_rearranged_forest_are_exact_and_its_f1_no_lower(dag, dim, K):
    constructed = construct_forest(dag, dim, K)
    found, truth = cone_matrix(constructed.points, K), closure_matrix(dag)
    assert constructed.counts == Counts((found & truth).sum(), (found & ~truth).sum(), truth.sum())
    assert constructed.counts.f1 >= count_forest(dag).f1
    assert constructed.closure_aware == (count_forest(dag).recall < 1)


@needs_speed
def test_nouns_reach_an_f1_of_98_in_under_two_seconds_and_96_7_without_a_false_pair(within):
    nouns = hypercone.load_dataset("wordnet-nouns")
    construct_forest(hypercone.load_dataset("wordnet-mammals"), 5)
    constructed = within(2, lambda: construct_forest(nouns, 5))
    assert constructed.counts.f1 > 0.98
    found = all_pairs(Embedding(nouns.names, constructed.points, "hyperbolic-cones", Settings(), threshold=0.0), nouns)
    assert Counts(found.true_positives, found.false_positives, found.positives) == constructed.counts
    constructed = construct_forest(nouns, 2, rearrange=False)
    assert (constructed.counts.precision, constructed.counts.f1) == (1.0, pytest.approx(0.9678, abs=5e-5))


@pytest.mark.parametrize("dim", DIMENSIONS)
@pytest.mark.parametrize(
    ("name", "size"),
    [("chain", 100_000), ("star", 100_000), ("binary_tree", 16), ("caterpillar", 30_000), ("deep_random_tree", 20_000)],
)
def test_deep_and_wide_trees_are_exact(name, size, dim):
    tree = shape(name, size)
    constructed = construct_forest(tree, dim)
    assert constructed.counts.f1 == 1.0
    assert constructed.notes == ()
    assert constructed.smallest_cap > 0.2 / len(tree)
    pairs = np.random.default_rng(0).integers(0, len(tree), (50_000, 2)).astype(np.int32)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    scorer = Scorer(constructed.points, find_method("hyperbolic-cones"), Settings())
    assert np.array_equal(scorer.energies(pairs) <= 0, _is_above(tree, pairs))
    for child in np.random.default_rng(0).integers(1, len(tree), 10).tolist():
        inside = scorer.energies_above(child) <= 0
        inside[child] = False
        assert np.array_equal(np.flatnonzero(inside), np.sort(tree.ancestors_of(child)))


def _is_above(tree, pairs):
    """Whether the first of each pair is above the second in a tree whose parents come before their children."""
    sizes, places = np.ones(len(tree), int), np.zeros(len(tree), int)
    edges = tree.edges[np.argsort(tree.edges[:, 1])].tolist()
    for parent, child in reversed(edges):
        sizes[parent] += sizes[child]
    # Each node is followed by all that is below it: the first child comes next, the others after those before them.
    free = places + 1
    for parent, child in edges:
        places[child] = free[parent]
        free[parent] += sizes[child]
        free[child] = places[child] + 1
    upper, lower = places[pairs].T
    return (upper < lower) & (lower < upper + sizes[pairs[:, 0]])


@pytest.mark.parametrize("dim", DIMENSIONS)
def test_the_same_hierarchy_gives_the_same_bytes(dim):
    dag = shape("random_dag", 3_000)
    first, second = construct_forest(dag, dim), construct_forest(Hierarchy(dag.names, dag.edges), dim)
    assert first.points.tobytes() == second.points.tobytes()
    assert (first.counts, first.smallest_cap, first.notes) == (second.counts, second.smallest_cap, second.notes)


def test_an_empty_hierarchy_can_be_constructed_and_the_smallest_cap_is_that_of_the_points():
    assert construct_forest(Hierarchy([], np.zeros((0, 2), int)), 4).points.shape == (0, 4)
    constructed = construct_forest(shape("random_tree", 500), 3)
    assert constructed.smallest_cap == pytest.approx(caps.cap_radius(constructed.points, 0.1).min(), rel=1e-12)


def test_missing_and_false_pairs_are_reported_in_notes():
    diamond = Hierarchy("abcdef", [[0, 1], [0, 2], [1, 3], [2, 3], [3, 4], [3, 5]])
    (lost,) = construct_forest(diamond, 2, rearrange=False).notes
    assert lost.startswith("1 node has several parents and a forest keeps only one, so 3 of 13 true pairs (23.1%)")
    (false,) = construct_forest(diamond, 2).notes
    assert false.startswith("1 pairs (7.1% of those it calls true) are false")
    # One parent is put under the other, because that keeps more true pairs.
    wrong = cone_matrix(construct_forest(diamond, 3).points) & ~closure_matrix(diamond)
    assert np.argwhere(wrong).tolist() in ([[1, 2]], [[2, 1]])


def test_one_dimension_and_insufficient_precision_are_errors_and_never_a_wrong_embedding():
    for dim in (1, 0, -3):
        with pytest.raises(ConfigError, match=f"^dim is {dim}, but must be at least 2 for caps"):
            construct_forest(shape("star", 3), dim)
    # With so large a K the widest cap there is, is tiny, and its thousandth part too small.
    with pytest.raises(InputError, match=r"float64 cannot hold 1,000 nodes .* K = 10000\.0.* take a part"):
        construct_forest(shape("star", 1_000), 2, K=1e4)


def test_a_layout_too_deep_for_float64_is_refused():
    def check(count):
        radii = 0.5 ** np.arange(count)
        layout = Layout(np.zeros((count, 1)), radii, radii / 4)
        check_points(points_from_balls(*layout[:2], 0.1), layout, np.arange(-1, count - 1, dtype=np.int32), 0.1)

    check(20)
    with pytest.raises(InputError, match="float64 cannot hold 60 nodes as nested caps in 2 dimensions"):
        check(60)


@pytest.mark.parametrize("row", [0, 7, 49])
def test_a_single_misplaced_point_is_detected(row):
    forest = spanning_forest(shape("random_tree", 50))
    layout = lay_out_forest(forest, 2)
    points = points_from_balls(layout.centers, layout.radii, 0.1)
    check_points(points, layout, forest, 0.1)
    points[row] *= 0.95
    with pytest.raises(InputError, match="float64 cannot hold"):
        check_points(points, layout, forest, 0.1)


def test_balls_that_do_not_match_the_forest_are_detected_by_the_kernel():
    # The layout says that it has gaps, but the second ball is beside the first and not inside.
    wrong = Layout(np.array([[-0.5], [0.5]]), np.array([0.4, 0.3]), np.array([0.1, 0.1]))
    points = points_from_balls(wrong.centers, wrong.radii, 0.1)
    check_points(points, wrong, np.array([-1, -1], np.int32), 0.1)
    with pytest.raises(InputError, match="float64 cannot hold"):
        check_points(points, wrong, np.array([-1, 0], np.int32), 0.1)


@given(st.integers(2, 25), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_after_rearranging_no_subtree_gains_by_another_move(count, seed):
    dag = shape("random_dag", count, seed=seed)
    forest, counts = rearranged_forest(dag, spanning_forest(dag))
    truth, found = closure_matrix(dag), forest_matrix(forest)
    assert counts == Counts((found & truth).sum(), (found & ~truth).sum(), truth.sum())
    for row in range(count):
        for parent in {-1, *range(count)} - {row, *np.flatnonzero(forest_matrix(forest)[row]).tolist()}:
            moved = forest.copy()
            moved[row] = parent
            found = forest_matrix(moved)
            assert Counts((found & truth).sum(), (found & ~truth).sum(), truth.sum()).f1 <= counts.f1 + 1e-9


def test_a_node_moves_between_two_others_with_its_descendants():
    # Most of what is under "agent" is under "person" too, which is an organism.
    names = ["thing", "organism", "agent", "virus", "person", *(f"person {i}" for i in range(20)), "weed"]
    edges = [[0, 1], [0, 2], [2, 3], [1, 4], [2, 4], [1, 25], *([4, 5 + i] for i in range(20))]
    people = Hierarchy(names, edges)
    forest, counts = rearranged_forest(people, spanning_forest(people))
    chain = [names[forest[4]], names[forest[forest[4]]]]
    assert sorted(chain) == ["agent", "organism"]
    assert (counts.recall, counts.false_positives) == (1.0, 2)


@pytest.mark.parametrize("positives", [MOST_STEPS // 2, MOST_STEPS])
def test_a_tree_and_a_hierarchy_too_large_to_rearrange_are_left_alone(positives):
    vee, tree = Hierarchy("abcd", [[0, 1], [1, 3], [2, 3]]), shape("random_tree", 400)
    assert not can_be_rearranged(tree, count_forest(tree))
    assert can_be_rearranged(vee, Counts(1, 0, positives)) == (positives * 2 <= MOST_STEPS)


FORESTS = st.lists(st.integers(-1, 10**6), min_size=1, max_size=60).map(
    lambda drawn: np.array([-1 if each < 0 else each % (row + 1) - 1 for row, each in enumerate(drawn)], np.int32)
)

LAYOUT_DIMENSIONS = (1, 2, 3, 4, 9, 20)


def nested_as(layout: Layout, above: np.ndarray) -> bool:
    """Whether the balls, enlarged by their gaps, are inside their ancestors and disjoint from all others."""
    centers, radii, gaps = layout
    distances = np.linalg.norm(centers[:, None] - centers[None], axis=2)
    reach = radii + 0.999 * gaps
    inside = distances + reach[None] <= radii[:, None]
    apart = distances >= reach[:, None] + reach[None]
    unrelated = ~(above | above.T | np.eye(len(above), dtype=bool))
    return bool(inside[above].all() and apart[unrelated].all())


@given(FORESTS, st.sampled_from(LAYOUT_DIMENSIONS))
@settings(max_examples=100, deadline=None)
def test_a_ball_is_inside_its_ancestors_disjoint_from_all_others_and_never_too_small(forest, dim):
    layout = lay_out_forest(forest, dim)
    assert nested_as(layout, forest_matrix(forest))
    assert np.all(np.linalg.norm(layout.centers, axis=1) + layout.radii <= 1)
    assert np.all(layout.gaps > 0)
    # None is smaller than half of its share of a line.
    assert layout.radii.min() >= 0.5 / len(forest)


@pytest.mark.parametrize("dim", LAYOUT_DIMENSIONS)
@pytest.mark.parametrize("seed", range(2))
def test_siblings_of_very_different_sizes_are_disjoint(dim, seed):
    # Some siblings have hundreds of descendants and most have none, so that small ones share a cell.
    random = np.random.default_rng(seed)
    forest = np.array([-1] + [int(row * random.random() ** 5) for row in range(900)], np.int32)
    assert nested_as(lay_out_forest(forest, dim), forest_matrix(forest))


def test_more_dimensions_enlarge_the_leaves_of_a_star():
    forest = np.zeros(1000, np.int32)
    forest[0] = -1
    smallest = [lay_out_forest(forest, dim).radii.min() for dim in (1, 2, 4, 9)]
    assert smallest == sorted(smallest)
    assert smallest[-1] > 150 * smallest[0]


@given(st.integers(1, 5), st.floats(0.001, 5.0), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_caps_are_nested_exactly_like_their_balls(dim, K, seed):
    random = np.random.default_rng(seed)
    centers = random.normal(size=(30, dim))
    centers *= random.random((30, 1)) / np.linalg.norm(centers, axis=1, keepdims=True)
    radii = (1 - np.linalg.norm(centers, axis=1)) * random.random(30)
    distances = np.linalg.norm(centers[:, None] - centers[None], axis=2)
    slack = radii[:, None] - radii[None] - distances
    points = points_from_balls(centers, radii, K)
    clear = np.abs(slack) > 1e-6
    found = caps.contains(points[:, None], points[None], K)
    assert np.array_equal(found[clear], (slack > 0)[clear])


def test_the_cap_of_the_unit_ball_is_below_the_widest_for_any_k_and_that_of_a_tiny_one_is_accurate():
    for K in (1e-6, 0.1, 1.0, 100.0):
        _, angles = caps_from_balls(np.zeros((1, 3)), np.ones(1), K)
        assert angles[0] < np.arccos(caps.kappa(K))
        assert 0 < projection_scale(K) <= 0.6
    _, angles = caps_from_balls(np.array([[0.3, 0.4]]), np.array([1e-13]))
    assert angles[0] == pytest.approx(2 * 0.6e-13 / (1 + 0.09), rel=1e-12)
