"""Similarity in the graph against the published formulas, written out here with networkx sets and math.log."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.hierarchies import dags, forest_of, random_dag

from hypercone import Hierarchy, _jit
from hypercone.errors import InputError, UnknownNameError
from hypercone.hierarchy.similarity import MEASURES, Similarity

PETS = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle"), ("dog", "beagle")])
BY_INFORMATION = ("lin", "resnik", "jiang-conrath")
# Of the measures that are 1 for a node and itself.
NORMALIZED = ("lin", "jiang-conrath", "wu-palmer", "jaccard")


class ByHand:
    """The same definitions, without any code of the package beyond the edges."""

    def __init__(self, hierarchy, counts=None):
        graph = nx.DiGraph()
        graph.add_nodes_from(range(len(hierarchy)))
        graph.add_edges_from(hierarchy.edges.tolist())
        self.size = len(graph)
        self.above = {row: nx.ancestors(graph, row) | {row} for row in graph}
        below = {row: nx.descendants(graph, row) | {row} for row in graph}
        own = {row: 1 + (counts or {}).get(hierarchy.names[row], 0) for row in graph}
        total = sum(own.values())
        self.ic = [
            1 - math.log(sum(own[other] for other in below[row])) / math.log(total) if total > 1 else 0.0
            for row in range(self.size)
        ]
        self.nodes_from_root = [0] * self.size
        for row in nx.topological_sort(graph):
            self.nodes_from_root[row] = 1 + max((self.nodes_from_root[p] for p in graph.predecessors(row)), default=0)

    def __call__(self, a, b, measure):
        common = self.above[a] & self.above[b]
        if measure == "jaccard":
            return len(common) / len(self.above[a] | self.above[b])
        weights = self.nodes_from_root if measure == "wu-palmer" else self.ic
        most = max((weights[row] for row in common), default=0.0)
        if measure == "resnik":
            return most
        if measure == "jiang-conrath":
            return 1 / (1 + weights[a] + weights[b] - 2 * most)
        if a == b:
            return 1.0
        return 2 * most / (weights[a] + weights[b]) if weights[a] + weights[b] > 0 else 0.0

    def of_sets(self, first, second, measure):
        if measure == "jaccard":
            one, other = (set().union(*(self.above[row] for row in rows)) for rows in (first, second))
            return len(one & other) / len(one | other)
        best = [max(self(a, b, measure) for b in second) for a in first]
        best += [max(self(a, b, measure) for a in first) for b in second]
        return sum(best) / len(best)


def every_pair(hierarchy):
    rows = np.arange(len(hierarchy), dtype=np.int32)
    return np.repeat(rows, len(rows)), np.tile(rows, len(rows))


@settings(max_examples=60)
@given(dags(14, 40))
def test_all_measures_of_all_pairs_are_the_published_formulas(hierarchy):
    by_hand, (first, second) = ByHand(hierarchy), every_pair(hierarchy)
    for measure in MEASURES:
        expected = [by_hand(a, b, measure) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
        found = Similarity(hierarchy, measure)
        np.testing.assert_allclose(found.of_pairs(first, second), expected, rtol=0, atol=1e-12)
        assert [found.of_two(a, b)[0] for a, b in zip(first.tolist(), second.tolist(), strict=True)] == found.of_pairs(
            first, second
        ).tolist()
        to_all = np.concatenate([found.to_all(row) for row in range(len(hierarchy))])
        np.testing.assert_allclose(to_all, expected, rtol=0, atol=1e-12)


@settings(max_examples=40)
@given(dags(12, 30), st.data())
def test_sets_and_counts_are_the_published_formulas(hierarchy, data):
    rows = st.lists(st.integers(0, len(hierarchy) - 1), min_size=1, max_size=5, unique=True)
    first, second = data.draw(rows), data.draw(rows)
    counts = data.draw(st.dictionaries(st.sampled_from(hierarchy.names), st.integers(0, 1000)))
    by_hand, ic = ByHand(hierarchy, counts), hierarchy.information_content(counts)
    np.testing.assert_allclose(ic, by_hand.ic, rtol=0, atol=1e-12)
    names = [[hierarchy.names[row] for row in some] for some in (first, second)]
    for measure in MEASURES:
        given_ic = {"ic": ic} if measure in BY_INFORMATION else {}
        found = hierarchy.set_similarity(*names, measure, **given_ic)
        assert found == pytest.approx(by_hand.of_sets(first, second, measure), abs=1e-12)


def test_a_larger_graph_with_compiled_kernels_agrees_with_the_formulas_to_a_billionth():
    hierarchy = random_dag(400, seed=3)
    by_hand, random = ByHand(hierarchy), np.random.default_rng(0)
    first, second = random.integers(0, len(hierarchy), (2, 2_000)).astype(np.int32)
    with _jit.use_tier(_jit.COMPILED):
        for measure in MEASURES:
            expected = [by_hand(a, b, measure) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
            found = Similarity(hierarchy, measure)
            np.testing.assert_allclose(found.of_pairs(first, second), expected, rtol=0, atol=1e-9)
            row = int(first[0])
            expected = [by_hand(row, other, measure) for other in range(len(hierarchy))]
            np.testing.assert_allclose(found.to_all(row), expected, rtol=0, atol=1e-9)


@settings(max_examples=60)
@given(dags(20, 50))
def test_a_similarity_is_symmetric_from_0_to_1_and_greatest_with_oneself(hierarchy):
    first, second = every_pair(hierarchy)
    for measure in MEASURES:
        found = Similarity(hierarchy, measure).of_pairs(first, second).reshape(len(hierarchy), -1)
        assert (found == found.T).all()
        assert ((found >= 0) & (found <= 1)).all()
        assert (found <= np.diagonal(found)[:, None]).all()
        if measure in NORMALIZED:
            assert (np.diagonal(found) == 1).all()


@settings(max_examples=40)
@given(dags(20, 50), st.integers(0, 25))
def test_the_most_similar_are_the_first_of_all_others_sorted_with_ties_by_row(hierarchy, count):
    for measure in MEASURES:
        similar = Similarity(hierarchy, measure)
        for row in range(len(hierarchy)):
            values = similar.to_all(row)
            others = sorted((-values[other], other) for other in range(len(hierarchy)) if other != row)[:count]
            found = similar.most_similar(row, count)
            assert found.rows.tolist() == [other for _, other in others]
            assert found.values.tolist() == [-value for value, _ in others]


def test_information_is_0_at_a_single_root_1_at_leaves_and_grows_downward():
    hierarchy = random_dag(300, seed=1)
    ic = hierarchy.information_content()
    assert (ic[hierarchy.leaf_rows] == 1).all()
    assert (ic[hierarchy.edges[:, 0]] < ic[hierarchy.edges[:, 1]]).all()
    assert PETS.information_content()[0] == 0
    assert Hierarchy(["alone"], []).information_content().tolist() == [0.0]


def test_lists_are_compared_in_pairs_and_a_name_with_every_name_of_a_list():
    names = ["poodle", "cat", "dog"]
    one_by_one = [PETS.similarity("beagle", name) for name in names]
    assert PETS.similarity("beagle", names).tolist() == PETS.similarity(names, ["beagle"] * 3).tolist() == one_by_one
    assert [*map(type, one_by_one)] == [float] * 3
    with pytest.raises(InputError, match="the names are lists of 3 and 2; give as many of each, or one name"):
        PETS.similarity(names, ["dog", "cat"])


def test_nodes_without_a_common_ancestor_are_as_different_as_can_be():
    two_trees = forest_of([-1, 0, -1, 2])
    assert [two_trees.similarity("1", "3", measure) for measure in MEASURES] == [0, 0, pytest.approx(1 / 3), 0, 0]
    assert Similarity(two_trees).of_two(1, 3) == (0.0, None)
    assert Similarity(PETS, "resnik").of_two(3, 4) == (PETS.information_content()[1], 1)


def test_bad_input_is_refused_in_one_sentence():
    with pytest.raises(UnknownNameError, match=r"there is no measure of similarity 'line'; did you mean lin\?"):
        PETS.similarity("dog", "cat", "line")
    with pytest.raises(UnknownNameError, match="there is no node 'dgo'"):
        PETS.most_similar("dgo")
    with pytest.raises(InputError, match="k is -1, but must be at least 0"):
        PETS.most_similar("dog", -1)
    with pytest.raises(InputError, match=r"ic has the shape \(2,\), but must be one number for each of 5 nodes"):
        PETS.similarity("dog", "cat", ic=[0, 1])
    with pytest.raises(InputError, match="ic has a value that is not finite, or is negative"):
        PETS.similarity("dog", "cat", ic=[0, 1, np.nan, 0, 0])
    with pytest.raises(
        InputError, match=r"ic is 0 for 'poodle' and 0\.5 for 'dog', but a node says at least as much as its"
    ):
        PETS.similarity("dog", "cat", ic=[0, 0.5, 1, 0, 1])
    with pytest.raises(InputError, match="jaccard does not depend on information content; leave out ic"):
        PETS.similarity("dog", "cat", "jaccard", ic=[0] * 5)
    with pytest.raises(InputError, match="a set of nodes needs at least one, but none was given"):
        PETS.set_similarity([], ["dog"])
    with pytest.raises(InputError, match="a set of nodes is a list of names, but one name was given"):
        PETS.set_similarity("dog", ["dog"])
    with pytest.raises(InputError, match=r"the count of 'dog' is -1\.0, but must be finite and not negative"):
        PETS.information_content({"dog": -1})
    with pytest.raises(InputError, match="the counts must be a number per name"):
        PETS.information_content({"dog": "many"})
