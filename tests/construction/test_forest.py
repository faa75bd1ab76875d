"""The forest keeps as much of a hierarchy as a forest can."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone.construction.forest import count_by_bits, count_forest, spanning_forest
from hypercone.hierarchy import Hierarchy


@st.composite
def small_dags(draw):
    count = draw(st.integers(1, 7))
    possible = [(parent, child) for child in range(count) for parent in range(child)]
    edges = draw(st.lists(st.sampled_from(possible), unique=True, max_size=11)) if possible else []
    return Hierarchy([str(row) for row in range(count)], np.array(edges, int).reshape(-1, 2))


@given(small_dags())
@settings(max_examples=60, deadline=None)
def test_no_forest_of_the_edges_keeps_more_pairs(above, dag):
    choices = [dag.parent_lists[row].tolist() or [-1] for row in range(len(dag))]
    best = max(int(above(parents).sum()) for parents in itertools.product(*choices))
    assert int(above(spanning_forest(dag)).sum()) == best == count_forest(dag).true_positives


@given(small_dags())
@settings(max_examples=60, deadline=None)
def test_a_kept_parent_is_a_parent_and_only_roots_keep_none(dag):
    kept = spanning_forest(dag)
    for row in range(len(dag)):
        assert kept[row] in (dag.parent_lists[row] if len(dag.parent_lists[row]) else [-1])


def test_the_deepest_parent_is_kept_and_the_lowest_row_of_several():
    edges = [[0, 1], [1, 2], [0, 3], [2, 4], [3, 4], [1, 5], [3, 5]]
    assert spanning_forest(Hierarchy("abcdef", edges)).tolist() == [-1, 0, 1, 0, 2, 1]


@pytest.mark.parametrize("name", ["chain", "star", "random_tree"])
def test_a_tree_is_its_own_forest(shape, name):
    tree = shape(name, 500)
    kept = spanning_forest(tree)
    assert np.array_equal(np.stack([kept[1:], np.arange(1, 500)], axis=1), tree.edges[np.argsort(tree.edges[:, 1])])
    assert count_forest(tree).f1 == 1.0


@pytest.mark.parametrize("seed", range(3))
def test_the_closure_is_counted_the_same_by_bits(shape, seed):
    dag = shape("random_dag", 300, seed=seed)
    assert count_by_bits(dag) == dag.count_closure() == len(dag.closure())
