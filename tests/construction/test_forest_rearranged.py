"""A rearranged forest: nodes move to where more of their pairs are true, and every move is counted right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone.construction.forest import (
    MOST_STEPS,
    can_be_rearranged,
    count_forest,
    rearranged_forest,
    spanning_forest,
)
from hypercone.hierarchy import Hierarchy
from hypercone.methods.scoring import Counts


def truth_of(hierarchy):
    truth = np.zeros((len(hierarchy), len(hierarchy)), bool)
    truth[tuple(hierarchy.closure().T)] = True
    return truth


@given(st.integers(2, 40), st.integers(0, 2**32 - 1), st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_it_stays_a_forest_and_its_pairs_are_counted_right(shape, above, count, seed, most_parents):
    dag = shape("random_dag", count, seed=seed, most_parents=most_parents)
    kept, counts = rearranged_forest(dag, spanning_forest(dag))
    found, truth = above(kept), truth_of(dag)
    assert counts == Counts((found & truth).sum(), (found & ~truth).sum(), truth.sum())
    assert counts.f1 >= count_forest(dag).f1


@given(st.integers(2, 25), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_in_the_end_no_single_subtree_is_better_off_elsewhere(shape, above, count, seed):
    dag = shape("random_dag", count, seed=seed)
    kept, counts = rearranged_forest(dag, spanning_forest(dag))
    truth = truth_of(dag)
    for row in range(count):
        for parent in {-1, *range(count)} - {row, *np.flatnonzero(above(kept)[row]).tolist()}:
            moved = kept.copy()
            moved[row] = parent
            found = above(moved)
            assert Counts((found & truth).sum(), (found & ~truth).sum(), truth.sum()).f1 <= counts.f1 + 1e-9


def test_a_tree_is_left_as_it_is(shape):
    tree = shape("random_tree", 400)
    kept = spanning_forest(tree)
    same, counts = rearranged_forest(tree, kept)
    assert np.array_equal(same, kept)
    assert counts.f1 == 1.0
    assert not can_be_rearranged(tree, count_forest(tree))


def test_the_same_hierarchy_is_rearranged_alike(shape):
    dag = shape("random_dag", 2_000)
    first, second = (rearranged_forest(dag, spanning_forest(dag)) for _ in range(2))
    assert np.array_equal(first[0], second[0])
    assert first[1] == second[1]


def test_a_node_comes_between_two_others_with_all_that_is_its_own():
    # Most of what is under "agent" is under "person" too, which is an organism.
    names = ["thing", "organism", "agent", "virus", "person", *(f"person {i}" for i in range(20)), "weed"]
    edges = [[0, 1], [0, 2], [2, 3], [1, 4], [2, 4], [1, 25], *([4, 5 + i] for i in range(20))]
    people = Hierarchy(names, edges)
    kept, counts = rearranged_forest(people, spanning_forest(people))
    chain = [names[kept[4]], names[kept[kept[4]]]]
    assert sorted(chain) == ["agent", "organism"]
    assert (counts.recall, counts.false_positives) == (1.0, 2)


@pytest.mark.parametrize("positives", [MOST_STEPS // 2, MOST_STEPS])
def test_what_would_take_too_long_is_left_alone(positives):
    vee = Hierarchy("abcd", [[0, 1], [1, 3], [2, 3]])
    assert can_be_rearranged(vee, Counts(1, 0, positives)) == (positives * 2 <= MOST_STEPS)
