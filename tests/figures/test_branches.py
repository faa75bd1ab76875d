"""Colours go to branches that are big, few, and apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone import Hierarchy
from hypercone.construction.forest import spanning_forest
from hypercone.data import load_dataset
from hypercone.figures.branches import MOST, branches


@st.composite
def hierarchies(draw):
    size = draw(st.integers(1, 40))
    pairs = draw(st.sets(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=80))
    edges = sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]})
    return Hierarchy([f"n{row}" for row in range(size)], np.array(edges, np.int32).reshape(-1, 2))


@settings(deadline=None)
@given(hierarchies(), st.integers(1, MOST))
def test_a_branch_is_one_node_with_what_hangs_below_it(hierarchy, most):
    found, parents = branches(hierarchy, most), spanning_forest(hierarchy)
    assert set(found.tolist()) <= set(range(-1, most))
    tops = [row for row in np.flatnonzero(found >= 0) if parents[row] < 0 or found[parents[row]] < 0]
    assert sorted(found[tops]) == list(range(len(tops)))
    for row in np.flatnonzero(parents >= 0):
        assert found[row] == found[parents[row]] or row in tops


@settings(deadline=None)
@given(hierarchies(), st.integers(1, MOST))
def test_the_first_branch_is_the_biggest(hierarchy, most):
    found = branches(hierarchy, most)
    sizes = np.bincount(found[found >= 0])
    assert sizes.tolist() == sorted(sizes.tolist(), reverse=True)
    assert sizes.size >= 1


@pytest.mark.parametrize("name", ["wordnet-mammals", "wordnet-nouns"])
def test_most_words_get_a_colour_and_no_colour_has_most_words(name):
    hierarchy = load_dataset(name)
    found = branches(hierarchy)
    sizes = np.bincount(found[found >= 0])
    assert len(sizes) == MOST
    assert sizes.sum() >= 0.85 * len(hierarchy)
    assert sizes.max() < 0.2 * len(hierarchy)


def test_a_star_cannot_be_split_and_a_chain_is_followed_down():
    star = Hierarchy.from_pairs([("sun", f"ray{i}") for i in range(100)])
    assert set(branches(star).tolist()) == {0}
    chain = Hierarchy.from_pairs([(f"n{i}", f"n{i + 1}") for i in range(50)])
    assert set(branches(chain).tolist()) <= {-1, 0}
