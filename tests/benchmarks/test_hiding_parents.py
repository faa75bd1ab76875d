"""A hidden parent follows from nothing that is left, and its rank is what counting the better ones gives."""

from __future__ import annotations

import doctest
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hidden_parent_scorers
import hiding_parents
import hypercone
from hidden_parent_scorers import by_chance
from hiding_parents import KINDS, hide_parents, nodes_to_hide_from, rank_hidden
from hypercone.errors import InputError, UnknownNameError
from hypercone.evaluation.damaged import Damaged

Pairs = set[tuple[int, int]]


@st.composite
def tangled(draw: st.DrawFn) -> hypercone.Hierarchy:
    """A random DAG, often with edges that others imply; the last row is below two roots and nothing else."""
    size = draw(st.integers(5, 24))
    pair = st.tuples(st.integers(0, size - 2), st.integers(2, size - 2)).filter(lambda edge: edge[0] < edge[1])
    edges = draw(st.sets(pair, max_size=3 * size)) | {(0, size - 1), (1, size - 1), (1, 2), (2, 3)}
    return hypercone.Hierarchy([f"n{row}" for row in range(size)], sorted(edges))


def _pairs(rows: np.ndarray) -> Pairs:
    return set(map(tuple, rows.tolist()))


def _implied(edges: Pairs) -> Pairs:
    """The closure by squaring a matrix, which shares nothing with the library's."""
    size = 1 + max(map(max, edges))
    reaches = np.zeros((size, size), np.int64)
    reaches[tuple(zip(*edges, strict=True))] = 1
    for _ in range(size.bit_length()):
        reaches = np.minimum(reaches + reaches @ reaches, 1)
    return _pairs(np.argwhere(reaches))


@settings(max_examples=60, deadline=None)
@given(tangled(), st.sampled_from(KINDS), st.floats(0.01, 1.0), st.integers(0, 5))
def test_nothing_that_is_left_implies_a_hidden_edge(whole, kind, share, seed):
    left, links = hide_parents(whole, kind, share=share, seed=seed)
    assert len(links)
    implied = _implied(_pairs(left.edges))
    assert not _pairs(links) & implied
    assert _pairs(left.edges) | _pairs(links) == _pairs(whole.reduction())
    assert left.names == whole.names


@settings(max_examples=40, deadline=None)
@given(tangled(), st.floats(0.01, 1.0), st.integers(0, 5))
def test_a_node_that_loses_a_second_parent_keeps_another(whole, share, seed):
    left, links = hide_parents(whole, "secondary", share=share, seed=seed)
    children = links[:, 1].tolist()
    assert len(set(children)) == len(children)
    before = np.bincount(whole.reduction()[:, 1], minlength=len(whole))
    for child in children:
        assert left.parent_lists.counts[child] == before[child] - 1 >= 1


@settings(max_examples=40, deadline=None)
@given(tangled(), st.floats(0.01, 1.0), st.integers(0, 5))
def test_a_subtree_that_loses_its_place_keeps_nothing_above_it_and_all_below(whole, share, seed):
    left, links = hide_parents(whole, "attachment", share=share, seed=seed)
    for child in set(links[:, 1].tolist()):
        assert len(left.ancestors_of(child)) == 0
        assert whole.child_lists.counts[child] > 0
        assert {parent for parent, other in links.tolist() if other == child} == {
            parent for parent, other in whole.reduction().tolist() if other == child
        }


def test_as_many_nodes_are_hidden_as_asked_for_and_the_seed_alone_decides_which():
    whole = hypercone.load_dataset("wordnet-mammals")
    first = hide_parents(whole, "attachment", count=40, seed=1)
    assert len(first.links) == 40
    assert first.hierarchy == hide_parents(whole, "attachment", count=40, seed=1).hierarchy
    assert first.hierarchy != hide_parents(whole, "attachment", count=40, seed=2).hierarchy
    inner = nodes_to_hide_from(whole, "attachment")
    assert len(hide_parents(whole, "attachment", share=0.1).links) == round(0.1 * len(inner))
    assert len(hide_parents(whole, "attachment", share=1e-9).links) == 1


def test_an_edge_that_others_imply_does_not_stay_to_tell_of_a_hidden_one():
    # animal → puppy follows from animal → dog → puppy, and would say where dog belongs.
    whole = hypercone.Hierarchy(["animal", "dog", "puppy"], [[0, 1], [1, 2], [0, 2]])
    left, links = hide_parents(whole, "attachment", count=1)
    assert (left.edges.tolist(), links.tolist()) == ([[1, 2]], [[0, 1]])


def test_what_cannot_be_hidden_is_refused():
    chain = hypercone.Hierarchy.from_pairs([("a", "b"), ("b", "c")])
    flat = hypercone.Hierarchy.from_pairs([("a", "b"), ("a", "c")])
    with pytest.raises(InputError, match="no node has several parents"):
        hide_parents(chain, "secondary", count=1)
    with pytest.raises(InputError, match="no node has both a parent and a child"):
        hide_parents(flat, "attachment", count=1)
    with pytest.raises(UnknownNameError, match="attachment"):
        hide_parents(chain, "attachments", count=1)
    for count in (0, 2):
        with pytest.raises(InputError, match=f"count is {count}, but must be from 1 to 1"):
            hide_parents(chain, "attachment", count=count)
    for share in (0.0, 1.1):
        with pytest.raises(InputError, match="share is"):
            hide_parents(chain, "attachment", share=share)
    for given_both in ({}, {"count": 1, "share": 0.5}):
        with pytest.raises(InputError, match="give one of them"):
            hide_parents(chain, "attachment", **given_both)


def _slow_rank(scores: np.ndarray, parent: int, rivals: set[int]) -> float:
    """The mean place of the parent over the orders that the scores allow: before all its equals, and after them."""
    better = sum(scores[row] > scores[parent] for row in rivals)
    equal = sum(scores[row] == scores[parent] for row in rivals)
    return ((1 + better) + (1 + better + equal)) / 2


@settings(max_examples=60, deadline=None)
@given(tangled(), st.sampled_from(KINDS), st.integers(0, 5), st.sampled_from([2, 5, 1000]))
def test_ranks_are_those_of_the_definition_and_ties_count_half(whole, kind, seed, levels):
    damaged = hide_parents(whole, kind, share=0.5, seed=seed)
    matrix = np.random.default_rng(seed).integers(0, levels, (len(whole), len(whole))).astype(float)
    matrix[matrix == 0] = -np.inf
    found = rank_hidden(lambda nodes: matrix[nodes], damaged, whole)
    true, known = _implied(_pairs(whole.edges)), _implied(_pairs(damaged.hierarchy.edges))
    general, specific = [], []
    for k, (parent, child) in enumerate(damaged.links.tolist()):
        related = {row for row in range(len(whole)) if {(row, child), (child, row)} & known}
        rivals = set(range(len(whole))) - related - {child, parent}
        filtered = {row for row in rivals if (row, child) not in true}
        scores = matrix[child]
        assert found.ranks[k] == _slow_rank(scores, parent, filtered)
        assert found.strict_ranks[k] == _slow_rank(scores, parent, rivals)
        assert found.rivals[k] == len(filtered)
        best = max(scores[row] for row in rivals | {parent})
        first = [row for row in rivals | {parent} if scores[row] == best]
        general.append(np.mean([(row, parent) in true for row in first]))
        specific.append(np.mean([(parent, row) in true for row in first]))
    assert found.too_general == pytest.approx(np.mean(general))
    assert found.too_specific == pytest.approx(np.mean(specific))
    assert found.mrr == pytest.approx(np.mean([1 / rank for rank in found.ranks]))


def test_who_knows_the_hidden_parents_ranks_them_first():
    whole = hypercone.load_dataset("wordnet-mammals")
    damaged = hide_parents(whole, "attachment", share=0.2)
    known = np.zeros((len(whole), len(whole)))
    known[damaged.links[:, 1], damaged.links[:, 0]] = 1
    found = rank_hidden(lambda nodes: known[nodes], damaged, whole)
    assert (found.mrr, found.strict_mrr, found.hits(1), found.median) == (1.0, 1.0, 1.0, 1.0)
    assert (found.too_general, found.too_specific) == (0.0, 0.0)
    reverse = rank_hidden(lambda nodes: -known[nodes], damaged, whole)
    assert reverse.ranks.tolist() == (1 + reverse.rivals).tolist()


def test_chance_ranks_as_chance_does():
    whole = hypercone.load_dataset("wordnet-mammals")
    damaged = hide_parents(whole, "attachment", share=1.0)
    found = rank_hidden(by_chance(damaged.hierarchy, seed=3), damaged, whole)
    assert found.ranks.mean() / (1 + found.rivals / 2).mean() == pytest.approx(1, abs=0.12)
    assert found.hits(100) == pytest.approx(100 / 1170, abs=0.05)
    ranks = np.random.default_rng(0).integers(1, 2 + found.rivals.astype(int), (2000, len(found.rivals)))
    assert found.chance == pytest.approx((1 / ranks).mean(), rel=0.05)
    nothing = rank_hidden(lambda nodes: np.zeros((len(nodes), len(whole))), damaged, whole)
    assert nothing.ranks.tolist() == (1 + found.rivals / 2).tolist()


def test_a_more_general_truth_is_no_rival_of_the_hidden_parent_but_is_named_a_near_miss():
    # poodle has lost its place under dog; animal is true of it as well, stone is not.
    whole = hypercone.Hierarchy(["animal", "dog", "poodle", "toy poodle", "stone"], [[0, 1], [1, 2], [2, 3]])
    damaged = Damaged(hypercone.Hierarchy(whole.names, [[0, 1], [2, 3]]), np.array([[1, 2]], np.int32))
    found = rank_hidden(lambda nodes: np.array([[5.0, 3.0, 9.0, 9.0, 1.0]]), damaged, whole)
    assert (found.ranks.tolist(), found.strict_ranks.tolist()) == ([1.0], [2.0])
    assert (found.too_general, found.too_specific) == (1.0, 0.0)
    assert found.as_dict()["strict_hits_1"] == 0.0


def test_the_answer_is_json():
    whole = hypercone.load_dataset("tree-3-5")
    damaged = hide_parents(whole, "attachment", count=5)
    found = rank_hidden(by_chance(whole), damaged, whole).as_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["hidden"] == 5


def test_scores_that_rank_nothing_are_refused():
    whole = hypercone.load_dataset("tree-3-4")
    damaged = hide_parents(whole, "attachment", count=2)
    with pytest.raises(InputError, match="the scores have the shape"):
        rank_hidden(lambda nodes: np.zeros((len(nodes), 3)), damaged, whole)
    with pytest.raises(InputError, match="a score is not a number"):
        rank_hidden(lambda nodes: np.full((len(nodes), len(whole)), np.nan), damaged, whole)
    with pytest.raises(InputError, match="other nodes"):
        rank_hidden(by_chance(whole), damaged, hypercone.load_dataset("tree-3-5"))
    with pytest.raises(InputError, match="no parent is hidden"):
        rank_hidden(by_chance(whole), Damaged(whole, np.empty((0, 2), np.int32)), whole)


@pytest.mark.parametrize("module", [hiding_parents, hidden_parent_scorers])
def test_the_examples_in_the_docstrings_run(module):
    done = doctest.testmod(module)
    assert (done.failed, done.attempted > 0) == (0, True)
