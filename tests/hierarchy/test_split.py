"""The split of the paper: which pairs are trained on, which are held out, and their negative pairs."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.errors import raises_exactly
from tests.support.hierarchies import random_hierarchy

from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.split import nonbasic_edges


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
    train, validation, test = map(pairs, (split.train, split.validation.positives, split.test.positives))
    basic = pairs(hierarchy.reduction())
    assert basic <= train
    assert len(train) == len(split.train)
    assert not train & validation
    assert not train & test
    assert not validation & test
    assert train | validation | test == pairs(hierarchy.closure())


def test_held_out_pairs_are_the_same_for_every_percent_and_training_sets_grow(hierarchy):
    splits = [hierarchy.split(percent, seed=5) for percent in (0, 10, 25, 50, 90)]
    for smaller, larger in pairwise(splits):
        assert np.array_equal(smaller.train, larger.train[: len(smaller.train)])
        for part in ("validation", "test"):
            assert np.array_equal(getattr(smaller, part).positives, getattr(larger, part).positives)
            assert np.array_equal(getattr(smaller, part).negatives, getattr(larger, part).negatives)


def test_every_positive_has_five_negative_pairs_per_side(hierarchy):
    split = hierarchy.split(0)
    closure = pairs(hierarchy.closure())
    for part in (split.validation, split.test):
        assert part.negatives.shape == (10 * len(part.positives), 2)
        assert part.negatives.dtype == np.int32
        for (parent, child), ten in zip(part.positives, part.negatives.reshape(-1, 10, 2), strict=True):
            assert (ten[:5, 1] == child).all()
            assert (ten[5:, 0] == parent).all()
            assert len(pairs(ten[:5])) == len(pairs(ten[5:])) == 5
        assert not pairs(part.negatives) & closure
        assert (part.negatives[:, 0] != part.negatives[:, 1]).all()


def test_the_same_seed_gives_the_same_split_and_another_seed_another(hierarchy):
    first, again, other = (hierarchy.split(10, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.train, again.train)
    assert np.array_equal(first.test.negatives, again.test.negatives)
    assert not np.array_equal(first.test.positives, other.test.positives)


def test_a_split_is_the_same_on_every_machine_and_version():
    chain = Hierarchy.from_pairs([(f"{i}", f"{i + 1}") for i in range(12)])
    split = chain.split(10, seed=7)
    assert split.validation.positives.tolist() == [[1, 10], [0, 5], [4, 9]]
    assert split.validation.negatives[:4].tolist() == [[11, 10], [12, 10], [1, 0], [6, 5]]


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


def test_fewer_negatives_are_given_where_fewer_exist():
    # In a chain of three everything is below the root: (root, v′) cannot be negatives at all.
    chain = Hierarchy.from_pairs([("a", "b"), ("b", "c")])
    split = chain.split(0, holdout=0.5)
    positives = np.concatenate([split.validation.positives, split.test.positives])
    negatives = np.concatenate([split.validation.negatives, split.test.negatives])
    assert len(positives) <= 1
    assert len(negatives) == 0


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


def test_a_hierarchy_without_implied_edges_has_nothing_to_hold_out():
    split = Hierarchy.from_pairs([("a", "b"), ("a", "c")]).split(50)
    assert split.train.tolist() == [[0, 1], [0, 2]]
    assert split.test.positives.shape == split.test.negatives.shape == (0, 2)


def test_implied_edges_are_the_closure_without_the_reduction(hierarchy):
    assert pairs(nonbasic_edges(hierarchy)) == pairs(hierarchy.closure()) - pairs(hierarchy.reduction())


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
