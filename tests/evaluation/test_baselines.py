"""The baselines: what the edges imply, and what counting children gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.support.random_graphs import random_hierarchy

import hypercone
from hypercone.errors import InputError
from hypercone.evaluation import baselines, hard_negatives
from hypercone.hierarchy import Hierarchy, LabeledPairs, Split


@pytest.fixture(scope="module")
def mammals() -> Hierarchy:
    return hypercone.load_dataset("wordnet-mammals")


def best_by_trying(children, positives, negatives):
    """The best F1 of "u has at least k children", over every k."""
    found = []
    for least in sorted(set(children)):
        hits = sum(children[parent] >= least for parent, _ in positives)
        false = sum(children[parent] >= least for parent, _ in negatives)
        found.append((2 * hits / (hits + false + len(positives)), -least))
    return max(found)


@pytest.mark.parametrize("percent", [0, 50])
def test_with_every_direct_edge_the_symbolic_baseline_is_perfect(mammals, percent):
    split = mammals.split(percent)
    found = baselines(mammals, split, on="test-pairs")
    assert (found["symbolic"].f1, baselines(mammals, split)["symbolic"].f1) == (1.0, 1.0)
    assert baselines(mammals, split, on="hard-pairs", sample=500)["symbolic"].f1 == 1.0
    # Half of the negative pairs have the true parent, so the parent alone is not enough.
    assert 0.1 < found["trivial"].f1 < 0.4


def test_without_some_edges_the_symbolic_baseline_misses_what_they_imply():
    chain = Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("c", "d")])
    pairs = LabeledPairs(chain.closure(), np.array([[3, 0], [2, 0]], np.int32))
    part = Split(np.array([[0, 1], [2, 3]], np.int32), pairs, pairs, 0, 0)
    found = baselines(chain, part)["symbolic"]
    assert (found.true_positives, found.false_positives, found.positives) == (2, 0, 6)
    wrong = Split(np.array([[0, 1], [3, 0]], np.int32), pairs, pairs, 0, 0)
    found = baselines(chain, wrong)["symbolic"]
    assert (found.true_positives, found.false_positives, found.positives) == (1, 2, 6)
    found = baselines(chain, wrong, on="test-pairs")["symbolic"]
    assert (found.true_positives, found.false_positives, found.negatives) == (1, 1, 2)


@pytest.mark.parametrize("seed", range(5))
def test_the_trivial_baseline_has_the_best_number_of_children_over_all_pairs(seed):
    hierarchy = random_hierarchy(seed, 25, 25)
    children = hierarchy.child_lists.counts.tolist()
    true = set(map(tuple, hierarchy.closure().tolist()))
    every = [(a, b) for a in range(len(hierarchy)) for b in range(len(hierarchy)) if a != b]
    found = baselines(hierarchy)["trivial"]
    f1, _ = best_by_trying(children, true, set(every) - true)
    assert found.f1 == pytest.approx(f1)
    called = [pair for pair in every if children[pair[0]] >= -found.threshold]
    assert found.true_positives == len(true & set(called))
    assert found.false_positives == len(set(called) - true)
    assert found.positives + found.negatives == len(every)


@pytest.mark.parametrize("seed", range(3))
def test_the_trivial_baseline_has_the_best_number_of_children_against_hard_pairs(seed):
    hierarchy = random_hierarchy(seed, 25, 25)
    wrong = [pair for kind in hard_negatives(hierarchy, hierarchy.closure(), seed).values() for pair in kind.pairs]
    f1, _ = best_by_trying(hierarchy.child_lists.counts.tolist(), hierarchy.closure(), wrong)
    assert baselines(hierarchy, on="hard-pairs", seed=seed)["trivial"].f1 == pytest.approx(f1)


def test_the_threshold_of_the_trivial_baseline_is_chosen_on_validation_pairs(mammals):
    split = mammals.split(0)
    children = np.bincount(split.train[:, 0], minlength=len(mammals)).tolist()
    found = baselines(mammals, split, on="test-pairs")["trivial"]
    _, threshold = best_by_trying(children, split.validation.positives.tolist(), split.validation.negatives.tolist())
    assert found.threshold == threshold
    hits = sum(children[parent] >= -threshold for parent, _ in split.test.positives.tolist())
    assert found.true_positives == hits


def test_baselines_refuse_missing_pairs_and_unknown_kinds(mammals):
    split = mammals.split(0)
    none = LabeledPairs(split.test.positives[:0], split.test.negatives)
    with pytest.raises(InputError, match="no positive validation pairs"):
        baselines(mammals, replace(split, validation=none), on="test-pairs")
    with pytest.raises(InputError, match="no positive test pairs"):
        baselines(mammals, replace(split, test=none), on="test-pairs")
    with pytest.raises(InputError, match="test pairs are those of a split; give one"):
        baselines(mammals, on="test-pairs")
    with pytest.raises(InputError, match="on is 'all', but must be one of all-pairs, hard-pairs, test-pairs"):
        baselines(mammals, on="all")


@pytest.mark.parametrize("on", ["all-pairs", "hard-pairs", "test-pairs"])
def test_groups_of_baselines_add_up_to_the_whole(on):
    hierarchy = random_hierarchy(4, 25, 25)
    for line in baselines(hierarchy, hierarchy.split(20, holdout=0.3), on=on, group_by="depth").values():
        for count in ("positives", "negatives", "true_positives", "false_positives"):
            assert sum(getattr(part, count) for part in line.groups.values()) == getattr(line, count)
