"""The split of the paper: which pairs are trained on, which are held out, and their negative pairs."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.errors import raises_exactly
from tests.support.formats import arrays_of
from tests.support.hierarchies import chain_of_edges, random_hierarchy

from hypercone.hierarchy import Hierarchy


def pairs(rows):
    return set(map(tuple, rows.tolist()))


@pytest.fixture(scope="module")
def hierarchy():
    # Some nodes stand alone, so that even the one above all others has unrelated.
    return random_hierarchy(400, isolated=10)


@pytest.mark.parametrize("percent", [0, 10, 25, 50, 90])
def test_counts_are_those_of_the_protocol(hierarchy, percent):
    nonbasic = len(hierarchy.closure()) - len(hierarchy.reduction())
    split = hierarchy.split(percent, seed=3)
    assert len(split.validation.positives) == len(split.test.positives) == round(0.05 * nonbasic)
    learned = min(round(percent / 100 * nonbasic), nonbasic - 2 * round(0.05 * nonbasic))
    assert len(split.train) == len(hierarchy.reduction()) + learned
    assert (split.percent, split.seed) == (percent, 3)


def test_all_direct_edges_and_no_held_out_pairs_are_trained_on(hierarchy):
    split = hierarchy.split(90)
    parts = [split.train, split.validation.positives, split.test.positives]
    assert pairs(hierarchy.reduction()) <= pairs(split.train)
    # All of them are in the closure, and none twice.
    assert sorted(np.concatenate(parts).tolist()) == sorted(hierarchy.closure().tolist())


def test_held_out_pairs_are_the_same_for_every_percent_and_training_sets_grow(hierarchy):
    splits = [hierarchy.split(percent, seed=5) for percent in (0, 10, 25, 50, 90)]
    for smaller, larger in pairwise(splits):
        assert np.array_equal(smaller.train, larger.train[: len(smaller.train)])
        for found, expected in zip(arrays_of(smaller)[1:], arrays_of(larger)[1:], strict=True):
            assert np.array_equal(found, expected)


def test_every_positive_has_five_negative_pairs_per_side(hierarchy):
    split = hierarchy.split(0)
    for part in (split.validation, split.test):
        assert part.negatives.shape == (10 * len(part.positives), 2)
        assert part.negatives.dtype == np.int32
        for (parent, child), ten in zip(part.positives, part.negatives.reshape(-1, 10, 2), strict=True):
            assert (ten[:5, 1] == child).all()
            assert (ten[5:, 0] == parent).all()
            assert len(pairs(ten[:5])) == len(pairs(ten[5:])) == 5


def test_a_seed_gives_the_same_split_on_every_machine_and_version_and_another_seed_another():
    chain = chain_of_edges(12)
    split = chain.split(10, seed=7)
    assert split.validation.positives.tolist() == [[1, 10], [0, 5], [4, 9]]
    assert split.validation.negatives[:4].tolist() == [[11, 10], [12, 10], [1, 0], [6, 5]]
    for again, expected in zip(arrays_of(chain.split(10, seed=7)), arrays_of(split), strict=True):
        assert np.array_equal(again, expected)
    assert not np.array_equal(chain.split(10, seed=8).test.positives, split.test.positives)


def test_negatives_are_drawn_uniformly():
    # A chain of four in twenty nodes: the unrelated of the last are the sixteen others.
    hierarchy = Hierarchy([str(i) for i in range(20)], [[3, 9], [9, 5], [5, 0]])
    counts = np.zeros(20, np.int64)
    for seed in range(400):
        split = hierarchy.split(0, seed, holdout=0.5)
        for part in (split.validation, split.test):
            negatives = part.negatives[part.negatives[:, 1] == 0]
            counts += np.bincount(negatives[:, 0], minlength=20)
    unrelated = np.setdiff1d(np.arange(20), [0, 3, 5, 9])
    assert counts[[0, 3, 5, 9]].sum() == 0
    expected = counts.sum() / 16
    assert (abs(counts[unrelated] - expected) < 5 * np.sqrt(expected)).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 30), st.integers(0, 10**9), st.integers(0, 7))
def test_negatives_are_outside_the_closure_and_as_many_as_possible(size, seed, per_side):
    hierarchy = random_hierarchy(size, seed)
    split = hierarchy.split(0, seed, holdout=0.5, negatives_per_side=per_side)
    closure = pairs(hierarchy.closure())
    negatives = split.validation.negatives
    assert not pairs(negatives) & closure
    assert (negatives[:, 0] != negatives[:, 1]).all()
    possible = 0
    for parent, child in split.validation.positives:
        possible += min(per_side, size - 1 - len(hierarchy.ancestors_of(child)))
        possible += min(per_side, size - 1 - len(hierarchy.descendants_of(parent)))
    assert len(negatives) == possible


def test_where_nothing_is_implied_or_unrelated_there_is_nothing_to_hold_out_or_no_negative_pair():
    star = Hierarchy.from_pairs([("a", "b"), ("a", "c")]).split(50)
    assert star.train.tolist() == [[0, 1], [0, 2]]
    assert star.test.positives.shape == star.test.negatives.shape == (0, 2)
    # In a chain of three everything is below the root: (root, v′) cannot be negatives at all.
    chain = chain_of_edges(2).split(0, holdout=0.5)
    assert len(chain.validation.positives) + len(chain.test.positives) <= 1
    assert len(chain.validation.negatives) == len(chain.test.negatives) == 0


RANGE = "but must be from 0 to 90; the rest is held out for validation and test"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"percent": 91}, f"percent is 91, {RANGE}"),
        ({"percent": -1}, f"percent is -1, {RANGE}"),
        ({"percent": float("nan")}, f"percent is nan, {RANGE}"),
        ({"holdout": 0.6}, "holdout is 0.6, but must be from 0 to 0.5; it is taken twice, for validation and for test"),
        ({"seed": -1}, "seed is -1, but must be at least 0"),
        ({"negatives_per_side": -1}, "negatives_per_side is -1, but must be at least 0"),
    ],
)
def test_a_setting_out_of_range_is_refused(hierarchy, options, sentence):
    with raises_exactly(sentence):
        hierarchy.split(**({"percent": 0} | options))
