"""Hard negative pairs are made of exactly the relatives that their kind says, and are never true."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.hierarchies import dags, edges_of

import hypercone
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.evaluation import hard_negatives, hard_pairs
from hypercone.hierarchy import Hierarchy
from hypercone.methods import Settings

KINDS = ["siblings", "cousins", "parents_siblings", "reversed"]
# For drawing true pairs and relatives, on a busy machine.
SECONDS_FOR_NOUNS = 10


def above_and_next(hierarchy):
    """(ancestors, basic parents, basic children) of each row, in plain Python."""
    given_parents = {row: set(hierarchy.parent_lists[row].tolist()) for row in range(len(hierarchy))}

    def climb(row):
        return given_parents[row].union(*(climb(parent) for parent in given_parents[row]))

    above = {row: climb(row) for row in given_parents}
    parents = {
        row: {one for one in mine if not any(one in above[other] for other in mine)}
        for row, mine in given_parents.items()
    }
    children = {row: {child for child in parents if row in parents[child]} for row in parents}
    return above, parents, children


def relatives_of(row, above, parents, children):
    """The relatives by definition; only those with children, if there are any."""
    siblings = {one for parent in parents[row] for one in children[parent]}
    grandparents = {one for parent in parents[row] for one in parents[parent]}
    parents_siblings = {one for grand in grandparents for one in children[grand]} - above[row]
    cousins = {one for parents_sibling in parents_siblings for one in children[parents_sibling]}
    found = {"siblings": siblings, "cousins": cousins, "parents_siblings": parents_siblings}
    wrong = {kind: rows - above[row] - {row} for kind, rows in found.items()}
    return {kind: {one for one in rows if children[one]} or rows for kind, rows in wrong.items()}


@settings(max_examples=150, deadline=None)
@given(dags(14, 42).filter(lambda dag: len(dag.edges)), st.integers(0, 5))
def test_each_negative_pair_is_of_its_kind_and_exists_wherever_possible(hierarchy, seed):
    known = above_and_next(hierarchy)
    positives = hierarchy.closure()
    found = hard_negatives(hierarchy, positives, seed)
    assert list(found) == KINDS
    for kind in KINDS[:3]:
        wrong = dict(zip(found[kind].made_from.tolist(), found[kind].pairs.tolist(), strict=True))
        for number, (_, child) in enumerate(positives.tolist()):
            expected = relatives_of(child, *known)[kind]
            assert (number in wrong) == bool(expected)
            assert number not in wrong or (wrong[number][0] in expected and wrong[number][1] == child)
    assert found["reversed"].pairs.tolist() == positives[:, ::-1].tolist()


@pytest.fixture
def clan():
    """A child with four siblings and as many relatives of the other kinds, and one inner node among them but twice."""
    above = [("top", "mother"), ("top", "aunt"), ("top", "uncle"), ("top", "great")]
    below = [("mother", name) for name in ("me", "sister", "brother", "twin", "other")]
    return Hierarchy.from_pairs([*above, *below, *(("aunt", f"a{i}") for i in range(3)), ("uncle", "u")])


def drawn_for(hierarchy, child, kind, times=4000):
    pair = [[int(hierarchy.parent_lists[hierarchy.row(child)][0]), hierarchy.row(child)]]
    wrong = hard_negatives(hierarchy, np.repeat(np.array(pair, np.int32), times, axis=0))[kind]
    return Counter(hierarchy.names[row] for row in wrong.pairs[:, 0].tolist())


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("siblings", {"sister", "brother", "twin", "other"}),
        ("cousins", {"a0", "a1", "a2", "u"}),
        ("parents_siblings", {"aunt", "uncle"}),
    ],
)
def test_relatives_are_equally_likely_and_those_with_children_preferred(clan, kind, names):
    found = drawn_for(clan, "me", kind)
    assert set(found) == names
    assert all(count == pytest.approx(4000 / len(names), rel=0.15) for count in found.values())


def test_the_only_sibling_with_children_has_leaves_for_siblings(clan):
    grown = Hierarchy.from_pairs([*edges_of(clan), ("me", "mine")])
    assert set(drawn_for(grown, "me", "siblings")) == {"sister", "brother", "twin", "other"}
    assert set(drawn_for(grown, "twin", "siblings")) == {"me"}
    assert set(drawn_for(grown, "a0", "cousins")) == {"me"}


def test_pairs_and_samples_depend_on_the_seed_alone_and_a_large_sample_is_everything():
    tree = hypercone.load_dataset("tree-3-5")
    one, same, other = (hard_negatives(tree, tree.closure(), seed) for seed in (1, 1, 2))
    for kind in KINDS[:3]:
        assert (one[kind].pairs == same[kind].pairs).all()
        assert (one[kind].pairs != other[kind].pairs).any()
    embedding = scattered(hypercone.load_dataset("tree-3-4"))
    assert hard_pairs(embedding, sample=50, seed=1) == hard_pairs(embedding, sample=50, seed=1)
    assert hard_pairs(embedding, sample=50).positives == 50
    assert hard_pairs(embedding, sample=10**9) == hard_pairs(embedding)


def all_in_one_place(hierarchy):
    return Embedding(hierarchy.names, np.ones((len(hierarchy), 2)), "order", Settings(), 0.0, edges=hierarchy.edges)


def test_predicting_everything_true_has_the_base_rate_as_precision_and_nothing_gives_zeros():
    tree = hypercone.load_dataset("tree-3-4")
    found = hard_pairs(all_in_one_place(tree))
    assert found.recall == 1.0
    assert found.positives == len(tree.closure())
    assert found.negatives == found.false_positives == sum(kind.pairs for kind in found.kinds.values())
    assert found.precision == found.positives / (found.positives + found.negatives)
    for kind in found.kinds.values():
        assert kind.rate == 1.0
        assert kind.called == kind.pairs
        assert kind.f1 == pytest.approx(2 * found.positives / (2 * found.positives + kind.pairs))
    found = hard_pairs(all_in_one_place(tree), threshold=-1.0)
    assert (found.precision, found.recall, found.f1, found.false_positives) == (0.0, 0.0, 0.0, 0)
    assert all((kind.rate, kind.f1) == (0.0, 0.0) for kind in found.kinds.values())
    assert json.loads(json.dumps(found.as_dict()))["kinds"]["siblings"]["pairs"] == 426


def scattered(hierarchy):
    """Random cones, further out with depth, at a threshold where some predictions are correct and some are not."""
    spokes = np.random.default_rng(0).normal(size=(len(hierarchy), 2))
    points = spokes / np.linalg.norm(spokes, axis=1, keepdims=True) * (0.3 + 0.1 * hierarchy.depths[:, None])
    return Embedding(hierarchy.names, points, "hyperbolic-cones", Settings(), 0.4, edges=hierarchy.edges)


def number_called(embedding, pairs):
    return sum(
        embedding.is_a(embedding.names[child], embedding.names[parent], by="geometry") for parent, child in pairs
    )


def test_hard_counts_equal_is_a_pair_by_pair():
    tree = hypercone.load_dataset("tree-3-4")
    embedding = scattered(tree)
    found = hard_pairs(embedding, seed=3)
    for kind, wrong in hard_negatives(tree, tree.closure(), 3).items():
        assert found.kinds[kind].called == number_called(embedding, wrong.pairs)
    assert found.true_positives == number_called(embedding, tree.closure())
    assert found.false_positives == sum(kind.called for kind in found.kinds.values()) > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"positives": [[1, 0]]}, r"the pair .* → .* does not hold"),
        ({"positives": [[0, 15]]}, r"row outside 0 … 14"),
        ({"positives": np.empty((0, 2), np.int32)}, "no true pairs"),
        ({"sample": 0}, "sample is 0"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bad_input_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        hard_pairs(all_in_one_place(hypercone.load_dataset("tree-2-3")), **options)


def test_a_hierarchy_without_edges_is_refused():
    with pytest.raises(InputError, match="no true pairs"):
        hard_pairs(all_in_one_place(Hierarchy(["stone", "rock"], np.empty((0, 2), np.int32))))


def test_the_nouns_take_seconds(within):
    small, nouns = hypercone.load_dataset("tree-3-4"), hypercone.load_dataset("wordnet-nouns")
    hard_pairs(all_in_one_place(small))
    nouns.closure()
    found = within(SECONDS_FOR_NOUNS, lambda: hard_pairs(all_in_one_place(nouns), nouns))
    assert found.positives == 661_127
    assert found.negatives > 3 * found.positives
