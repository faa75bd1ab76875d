"""Colors go to branches that are big, few, and apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone import Hierarchy
from hypercone.construction.forest import spanning_forest
from hypercone.data import load_dataset
from hypercone.plotting.views import MOST_BRANCHES, branches


@st.composite
def hierarchies(draw):
    size = draw(st.integers(1, 40))
    pairs = draw(st.sets(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=80))
    edges = sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]})
    return Hierarchy([f"n{row}" for row in range(size)], np.array(edges, np.int32).reshape(-1, 2))


@settings(deadline=None)
@given(hierarchies(), st.integers(1, MOST_BRANCHES))
def test_a_branch_is_one_node_with_what_hangs_below_it(hierarchy, most):
    found, parents = branches(hierarchy, most), spanning_forest(hierarchy)
    assert set(found.tolist()) <= set(range(-1, most))
    tops = [row for row in np.flatnonzero(found >= 0) if parents[row] < 0 or found[parents[row]] < 0]
    assert sorted(found[tops]) == list(range(len(tops)))
    for row in np.flatnonzero(parents >= 0):
        assert found[row] == found[parents[row]] or row in tops


@settings(deadline=None)
@given(hierarchies(), st.integers(1, MOST_BRANCHES))
def test_the_first_branch_is_the_biggest(hierarchy, most):
    found = branches(hierarchy, most)
    sizes = np.bincount(found[found >= 0])
    assert sizes.tolist() == sorted(sizes.tolist(), reverse=True)
    assert sizes.size >= 1


@pytest.mark.parametrize("name", ["wordnet-mammals", "wordnet-nouns"])
def test_most_words_get_a_color_and_no_color_has_most_words(name):
    hierarchy = load_dataset(name)
    found = branches(hierarchy)
    sizes = np.bincount(found[found >= 0])
    assert len(sizes) == MOST_BRANCHES
    assert sizes.sum() >= 0.85 * len(hierarchy)
    assert sizes.max() < 0.2 * len(hierarchy)


def test_a_star_cannot_be_split_and_a_chain_is_followed_down():
    star = Hierarchy.from_pairs([("sun", f"ray{i}") for i in range(100)])
    assert set(branches(star).tolist()) == {0}
    chain = Hierarchy.from_pairs([(f"n{i}", f"n{i + 1}") for i in range(50)])
    assert set(branches(chain).tolist()) <= {-1, 0}


ANIMALS = Hierarchy.from_pairs(
    [
        *(("animal", name) for name in ("bird", "mammal", "fish")),
        *(("bird", name) for name in ("pelican", "owl", "penguin")),
        *(("mammal", name) for name in ("dog", "cat", "whale")),
        *(("fish", name) for name in ("salmon", "eel")),
        *[("pelican", "white pelican"), ("dog", "poodle"), ("dog", "beagle"), ("cat", "siamese")],
    ]
)


def test_a_small_tree_has_a_color_for_each_child_of_its_root():
    found = branches(ANIMALS)
    assert {name: found[ANIMALS.row(name)] for name in ("animal", "mammal", "bird", "fish")} == {
        "animal": -1,
        "mammal": 0,
        "bird": 1,
        "fish": 2,
    }
    assert found.max() == 2
    assert found[ANIMALS.row("poodle")] == 0


def test_a_small_tree_with_one_overwhelming_child_is_split_below_it():
    pairs = [("thing", "animal"), ("thing", "stone"), *((a, b) for a, b in edges_by_name(ANIMALS))]
    hierarchy = Hierarchy.from_pairs(pairs)
    found = branches(hierarchy)
    assert [found[hierarchy.row(name)] for name in ("thing", "animal", "mammal", "bird", "fish", "stone")] == [
        -1,
        -1,
        0,
        1,
        2,
        3,
    ]


def edges_by_name(hierarchy):
    return [(hierarchy.names[parent], hierarchy.names[child]) for parent, child in hierarchy.edges]
