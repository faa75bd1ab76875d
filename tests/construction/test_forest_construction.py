"""A constructed forest: every kept pair holds by the kernel itself, nothing else does, and the counts say so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hypercone
from hypercone.construction.forest import check_points, construct_forest, count_forest, spanning_forest
from hypercone.construction.layout import Layout, lay_out_forest, points_from_balls
from hypercone.embedding import Embedding
from hypercone.errors import ConfigError, InputError
from hypercone.evaluation import all_pairs
from hypercone.geometry import caps
from hypercone.hierarchy import Hierarchy
from hypercone.methods import Settings, find_method
from hypercone.methods.scoring import Counts, Scorer

DIMENSIONS = (2, 3, 5, 10)
DIAMOND = [[0, 1], [0, 2], [1, 3], [2, 3], [3, 4], [3, 5]]
SMALL = {
    "chain": 300,
    "star": 300,
    "binary_tree": 7,
    "caterpillar": 300,
    "random_tree": 300,
    "deep_random_tree": 300,
    "random_dag": 300,
}


@pytest.mark.parametrize("dim", DIMENSIONS)
@pytest.mark.parametrize("name", SMALL)
def test_exactly_the_pairs_of_the_forest_hold(shape, held, above, name, dim):
    hierarchy = shape(name, SMALL[name])
    constructed = construct_forest(hierarchy, dim, rearrange=False)
    assert np.array_equal(held(constructed.points), above(spanning_forest(hierarchy)))


@st.composite
def dags(draw):
    count = draw(st.integers(1, 25))
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda pair: pair[0] != pair[1])
    drawn = draw(st.lists(ends, max_size=60)) if count > 1 else []
    # Rows in any order: the names of a file need not come from the top down.
    order = draw(st.permutations(range(count)))
    edges = [[order[min(pair)], order[max(pair)]] for pair in drawn]
    return Hierarchy([str(row) for row in range(count)], np.array(edges, int).reshape(-1, 2))


def truth_of(hierarchy):
    truth = np.zeros((len(hierarchy), len(hierarchy)), bool)
    truth[tuple(hierarchy.closure().T)] = True
    return truth


@given(dags(), st.sampled_from(DIMENSIONS), st.sampled_from([0.01, 0.1, 1.0, 10.0]))
@settings(max_examples=100, deadline=None)
def test_of_true_edges_kept_pairs_hold_nothing_else_does_and_nothing_is_false(held, above, dag, dim, K):
    constructed = construct_forest(dag, dim, K, rearrange=False)
    found, truth = held(constructed.points, K), truth_of(dag)
    assert np.array_equal(found, above(spanning_forest(dag)))
    assert constructed.counts == Counts((found & truth).sum(), 0, truth.sum())
    assert not constructed.closure_aware


@given(dags(), st.sampled_from(DIMENSIONS), st.sampled_from([0.1, 1.0]))
@settings(max_examples=80, deadline=None)
def test_the_counts_of_a_rearranged_forest_are_exact_and_its_f1_no_lower(held, dag, dim, K):
    constructed = construct_forest(dag, dim, K)
    found, truth = held(constructed.points, K), truth_of(dag)
    assert constructed.counts == Counts((found & truth).sum(), (found & ~truth).sum(), truth.sum())
    assert constructed.counts.f1 >= count_forest(dag).f1
    assert constructed.closure_aware == (count_forest(dag).recall < 1)


@pytest.mark.parametrize("rearrange", [True, False])
@pytest.mark.parametrize("name", ["wordnet-mammals", "dag", "tree-3-5"])
def test_the_counts_are_those_of_the_evaluation_of_all_pairs(shape, name, rearrange):
    hierarchy = shape("random_dag", 2_000) if name == "dag" else hypercone.load_dataset(name)
    constructed = construct_forest(hierarchy, 3, rearrange=rearrange)
    assert _evaluated(hierarchy, constructed) == constructed.counts


def _evaluated(hierarchy, constructed):
    """The counts of the embedding, from its index."""
    embedding = Embedding(hierarchy.names, constructed.points, "hyperbolic-cones", Settings(), threshold=0.0)
    judged = all_pairs(embedding, hierarchy)
    right = round(judged.recall * judged.positives)
    return Counts(right, round(right / judged.precision) - right, judged.positives)


def test_nouns_reach_an_f1_of_98_over_all_pairs_in_under_two_seconds(within):
    nouns = hypercone.load_dataset("wordnet-nouns")
    construct_forest(hypercone.load_dataset("wordnet-mammals"), 5)
    constructed = within(2, lambda: construct_forest(nouns, 5))
    assert constructed.counts.f1 > 0.98
    assert _evaluated(nouns, constructed) == constructed.counts


def test_nouns_reach_an_f1_of_96_7_without_saying_anything_false():
    constructed = construct_forest(hypercone.load_dataset("wordnet-nouns"), 2, rearrange=False)
    assert (constructed.counts.precision, constructed.counts.f1) == (1.0, pytest.approx(0.9678, abs=5e-5))


@pytest.mark.parametrize("dim", DIMENSIONS)
@pytest.mark.parametrize(
    ("name", "size"),
    [("chain", 100_000), ("star", 100_000), ("binary_tree", 16), ("caterpillar", 30_000), ("deep_random_tree", 20_000)],
)
def test_the_deepest_and_the_widest_hold(shape, name, size, dim):
    tree = shape(name, size)
    constructed = construct_forest(tree, dim)
    assert constructed.counts.f1 == 1.0
    assert constructed.notes == ()
    assert constructed.smallest_cap > 0.2 / len(tree)
    random = np.random.default_rng(0)
    pairs = random.integers(0, len(tree), (50_000, 2)).astype(np.int32)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    energies = Scorer(constructed.points, find_method("hyperbolic-cones"), Settings()).energies(pairs)
    assert np.array_equal(energies <= 0, _is_above(tree, pairs))


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
def test_the_same_hierarchy_gives_the_same_bytes(shape, dim):
    dag = shape("random_dag", 3_000)
    first, second = construct_forest(dag, dim), construct_forest(Hierarchy(dag.names, dag.edges), dim)
    assert first.points.tobytes() == second.points.tobytes()
    assert (first.counts, first.smallest_cap, first.notes) == (second.counts, second.smallest_cap, second.notes)


def test_every_root_and_every_node_without_edges_has_a_cap_of_its_own(held):
    scattered = Hierarchy("abcdefgh", [[0, 1], [2, 3], [2, 4]])
    for dim in DIMENSIONS:
        found = held(construct_forest(scattered, dim).points)
        assert sorted(map(tuple, np.argwhere(found).tolist())) == [(0, 1), (2, 3), (2, 4)]


def test_an_only_child_is_inside_its_parent_and_not_at_its_place(shape):
    points = construct_forest(shape("chain", 2), 3).points
    assert caps.contains(points[0], points[1], 0.1)
    assert not caps.contains(points[1], points[0], 0.1)


def test_nothing_and_a_single_node_can_be_constructed():
    assert construct_forest(Hierarchy([], np.zeros((0, 2), int)), 4).points.shape == (0, 4)
    assert construct_forest(Hierarchy(["alone"], np.zeros((0, 2), int)), 4).points.shape == (1, 4)


def test_the_smallest_cap_is_that_of_the_points(shape):
    constructed = construct_forest(shape("random_tree", 500), 3)
    assert constructed.smallest_cap == pytest.approx(caps.cap_radius(constructed.points, 0.1).min(), rel=1e-12)


def test_pairs_that_are_lost_or_false_are_noted_with_their_number():
    diamond = Hierarchy(["thing", "pet", "animal", "dog", "poodle", "beagle"], DIAMOND)
    (lost,) = construct_forest(diamond, 2, rearrange=False).notes
    assert lost.startswith("1 node has several parents and a forest keeps only one, so 3 of 13 true pairs (23.1%)")
    (false,) = construct_forest(diamond, 2).notes
    assert false.startswith("1 pairs (7.1% of those it calls true) are false")


def test_a_parent_is_put_under_the_other_where_that_keeps_more_true_pairs(held):
    diamond = Hierarchy(["thing", "pet", "animal", "dog", "poodle", "beagle"], DIAMOND)
    false = held(construct_forest(diamond, 3).points) & ~truth_of(diamond)
    assert np.argwhere(false).tolist() in ([[1, 2]], [[2, 1]])


@pytest.mark.parametrize("dim", [1, 0, -3])
def test_one_dimension_is_refused_in_one_sentence(shape, dim):
    with pytest.raises(ConfigError, match=f"^dim is {dim}, but must be at least 2 for caps"):
        construct_forest(shape("star", 3), dim)


def test_digits_that_run_out_are_an_error_and_never_a_wrong_embedding(shape):
    # With so large a K the widest cap there is, is tiny, and its thousandth part too small.
    with pytest.raises(InputError, match=r"float64 cannot hold 1,000 nodes .* K = 10000\.0.* take a part"):
        construct_forest(shape("star", 1_000), 2, K=1e4)


def test_a_layout_that_halves_at_every_level_is_refused_when_it_is_too_deep():
    radii = 0.5 ** np.arange(60)
    too_deep = Layout(np.zeros((60, 1)), radii, radii / 4)
    kept = np.arange(-1, 59, dtype=np.int32)
    check_points(points_from_balls(too_deep.centers[:20], radii[:20], 0.1), _first(too_deep, 20), kept[:20], 0.1)
    with pytest.raises(InputError, match="float64 cannot hold 60 nodes as nested caps in 2 dimensions"):
        check_points(points_from_balls(*too_deep[:2], 0.1), too_deep, kept, 0.1)


def _first(layout, count):
    return Layout(*(each[:count] for each in layout))


@pytest.mark.parametrize("row", [0, 7, 49])
def test_one_point_out_of_place_is_found(shape, row):
    kept = spanning_forest(shape("random_tree", 50))
    layout = lay_out_forest(kept, 2)
    points = points_from_balls(layout.centers, layout.radii, 0.1)
    check_points(points, layout, kept, 0.1)
    points[row] *= 0.95
    with pytest.raises(InputError, match="float64 cannot hold"):
        check_points(points, layout, kept, 0.1)


def test_balls_that_are_not_nested_as_the_forest_is_are_found_by_the_kernel():
    # The layout says that it has gaps, but the second ball is beside the first and not inside.
    wrong = Layout(np.array([[-0.5], [0.5]]), np.array([0.4, 0.3]), np.array([0.1, 0.1]))
    points = points_from_balls(wrong.centers, wrong.radii, 0.1)
    check_points(points, wrong, np.array([-1, -1], np.int32), 0.1)
    with pytest.raises(InputError, match="float64 cannot hold"):
        check_points(points, wrong, np.array([-1, 0], np.int32), 0.1)
