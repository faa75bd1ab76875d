"""Hidden parents do not follow from what is left, and ranks and scores are those of their definitions."""

from __future__ import annotations

import doctest
import json
import math

import numpy as np
import pytest
from benchmarks.parent_scorers import KINDS, hide_parents, nodes_to_hide_from, rank_hidden
from hypothesis import given, settings
from hypothesis import strategies as st

import hypercone
from benchmarks import parent_scorers as scorers
from hypercone import Embedding, Hierarchy
from hypercone.errors import InputError, UnknownNameError
from hypercone.evaluation.damaged import Damaged
from hypercone.geometry import cones, poincare
from hypercone.methods import METHODS, Settings, find_method

Pairs = set[tuple[int, int]]
NAMES = [f"n{row}" for row in range(8)]
# 0 over 1, 2, 3;  1 over 4, 5;  2 over 5, 6;  3 over 6;  5 over 7.
EDGES = [[0, 1], [0, 2], [0, 3], [1, 4], [1, 5], [2, 5], [2, 6], [3, 6], [5, 7]]
SMALL = Hierarchy(NAMES, EDGES)


@st.composite
def tangled(draw: st.DrawFn) -> Hierarchy:
    """A random DAG, often with implied edges; the last row is below two roots and nothing else."""
    size = draw(st.integers(5, 24))
    pair = st.tuples(st.integers(0, size - 2), st.integers(2, size - 2)).filter(lambda edge: edge[0] < edge[1])
    edges = draw(st.sets(pair, max_size=3 * size)) | {(0, size - 1), (1, size - 1), (1, 2), (2, 3)}
    return Hierarchy([f"n{row}" for row in range(size)], sorted(edges))


def pairs_of(rows: np.ndarray) -> Pairs:
    return set(map(tuple, rows.tolist()))


def closure_of(edges: Pairs) -> Pairs:
    """By squaring a matrix, which shares nothing with the library."""
    size = 1 + max(map(max, edges))
    reaches = np.zeros((size, size), np.int64)
    reaches[tuple(zip(*edges, strict=True))] = 1
    for _ in range(size.bit_length()):
        reaches = np.minimum(reaches + reaches @ reaches, 1)
    return pairs_of(np.argwhere(reaches))


def scores_of(scorer: scorers.ParentScorer, node: int) -> list[float]:
    return scorer(np.array([node], np.int32))[0].tolist()


def order_of(scorer: scorers.ParentScorer, node: int, count: int | None = None) -> list[int]:
    return np.argsort(scores_of(scorer, node)[:count])[::-1].tolist()


def constant(*values: float) -> scorers.ParentScorer:
    return scorers.each(lambda _: np.array(values))


@settings(max_examples=60, deadline=None)
@given(tangled(), st.sampled_from(KINDS), st.floats(0.01, 1.0), st.integers(0, 5))
def test_no_hidden_edge_follows_from_what_is_left_and_only_the_chosen_parents_are_hidden(whole, kind, share, seed):
    left, links = hide_parents(whole, kind, share=share, seed=seed)
    assert len(links)
    assert not pairs_of(links) & closure_of(pairs_of(left.edges))
    assert pairs_of(left.edges) | pairs_of(links) == pairs_of(whole.reduction())
    assert left.names == whole.names
    children, before = links[:, 1].tolist(), np.bincount(whole.reduction()[:, 1], minlength=len(whole))
    for child in children:
        if kind == "secondary":
            assert left.parent_lists.counts[child] == before[child] - 1 >= 1
        else:
            assert len(left.ancestors_of(child)) == 0 < whole.child_lists.counts[child]
        assert children.count(child) == (1 if kind == "secondary" else before[child])


def test_the_count_or_the_share_and_the_seed_alone_decide_what_is_hidden():
    whole = hypercone.load_dataset("wordnet-mammals")
    first = hide_parents(whole, "attachment", count=40, seed=1)
    assert len(first.links) == 40
    assert first.hierarchy == hide_parents(whole, "attachment", count=40, seed=1).hierarchy
    assert first.hierarchy != hide_parents(whole, "attachment", count=40, seed=2).hierarchy
    inner = nodes_to_hide_from(whole, "attachment")
    assert len(hide_parents(whole, "attachment", share=0.1).links) == round(0.1 * len(inner))
    assert len(hide_parents(whole, "attachment", share=1e-9).links) == 1


CHAIN, FLAT = [[0, 1], [1, 2]], [[0, 1], [0, 2]]


@pytest.mark.parametrize(
    ("edges", "kind", "amount", "message"),
    [
        (CHAIN, "secondary", {"count": 1}, "no node has several parents"),
        (FLAT, "attachment", {"count": 1}, "no node has both a parent and a child"),
        (CHAIN, "attachments", {"count": 1}, "attachment"),
        (CHAIN, "attachment", {"count": 0}, "count is 0, but must be from 1 to 1"),
        (CHAIN, "attachment", {"count": 2}, "count is 2, but must be from 1 to 1"),
        (CHAIN, "attachment", {"share": 0.0}, "share is"),
        (CHAIN, "attachment", {"share": 1.1}, "share is"),
        (CHAIN, "attachment", {}, "give one of them"),
        (CHAIN, "attachment", {"count": 1, "share": 0.5}, "give one of them"),
    ],
)
def test_what_cannot_be_hidden_is_refused(edges, kind, amount, message):
    with pytest.raises(InputError if kind in KINDS else UnknownNameError, match=message):
        hide_parents(Hierarchy(["a", "b", "c"], edges), kind, **amount)


def slow_rank(scores: np.ndarray, parent: int, rivals: set[int]) -> float:
    """The mean of the best and the worst place that ties allow."""
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
    true, known = closure_of(pairs_of(whole.edges)), closure_of(pairs_of(damaged.hierarchy.edges))
    general, specific = [], []
    for k, (parent, child) in enumerate(damaged.links.tolist()):
        related = {row for row in range(len(whole)) if {(row, child), (child, row)} & known}
        rivals = set(range(len(whole))) - related - {child, parent}
        filtered = {row for row in rivals if (row, child) not in true}
        scores = matrix[child]
        assert found.ranks[k] == slow_rank(scores, parent, filtered)
        assert found.strict_ranks[k] == slow_rank(scores, parent, rivals)
        assert found.rivals[k] == len(filtered)
        best = max(scores[row] for row in rivals | {parent})
        first = [row for row in rivals | {parent} if scores[row] == best]
        general.append(np.mean([(row, parent) in true for row in first]))
        specific.append(np.mean([(parent, row) in true for row in first]))
    assert found.too_general == pytest.approx(np.mean(general))
    assert found.too_specific == pytest.approx(np.mean(specific))
    assert found.mrr == pytest.approx(np.mean([1 / rank for rank in found.ranks]))


def test_perfect_scores_rank_first_and_random_scores_as_expected():
    whole = hypercone.load_dataset("wordnet-mammals")
    damaged = hide_parents(whole, "attachment", share=0.2)
    known = np.zeros((len(whole), len(whole)))
    known[damaged.links[:, 1], damaged.links[:, 0]] = 1
    best = rank_hidden(lambda nodes: known[nodes], damaged, whole)
    figures = best.as_dict()
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures
    assert figures["hidden"] == len(damaged.links)
    assert {figures[name] for name in ("mrr", "strict_mrr", "hits_1", "strict_hits_1", "median")} == {1.0}
    assert (best.too_general, best.too_specific) == (0.0, 0.0)
    worst = rank_hidden(lambda nodes: -known[nodes], damaged, whole)
    assert worst.ranks.tolist() == (1 + worst.rivals).tolist()
    damaged = hide_parents(whole, "attachment", share=1.0)
    random = rank_hidden(scorers.by_chance(damaged.hierarchy, seed=3), damaged, whole)
    assert random.ranks.mean() / (1 + random.rivals / 2).mean() == pytest.approx(1, abs=0.12)
    assert random.hits(100) == pytest.approx(100 / 1170, abs=0.05)
    ranks = np.random.default_rng(0).integers(1, 2 + random.rivals.astype(int), (2000, len(random.rivals)))
    assert random.chance == pytest.approx((1 / ranks).mean(), rel=0.05)


def test_scores_that_cannot_be_ranked_are_refused():
    whole = hypercone.load_dataset("tree-3-4")
    damaged, nothing = hide_parents(whole, "attachment", count=2), Damaged(whole, np.empty((0, 2), np.int32))
    zeros = constant(*[0.0] * len(whole))
    for scorer, left, right, message in (
        (constant(0.0, 0.0), damaged, whole, "the scores have the shape"),
        (constant(*[math.nan] * len(whole)), damaged, whole, "a score is not a number"),
        (zeros, damaged, hypercone.load_dataset("tree-3-5"), "other nodes"),
        (zeros, nothing, whole, "no parent is hidden"),
    ):
        with pytest.raises(InputError, match=message):
            rank_hidden(scorer, left, right)


def test_popularity_level_and_chance():
    assert scores_of(scorers.by_popularity(SMALL), 7) == [3, 2, 2, 1, 0, 1, 0, 0]
    # 4 is two steps below the root: 1, 2 and 3 are one step above it, and 3 has fewer children.
    scores = scores_of(scorers.by_level(SMALL), 4)
    assert scores[1] == scores[2] > scores[3] > max(scores[0], scores[5], scores[6])
    # The level of a root is counted from below: the next one has a longest path down that is one step longer.
    forest = Hierarchy(["a", "b", "c", "d", "e", "f"], [[0, 1], [1, 2], [3, 4], [5, 3]])
    assert np.argmax(scores_of(scorers.by_level(forest), 3)) in (0, 5)
    chance = scorers.by_chance(SMALL, seed=1)
    assert scores_of(chance, 3) == chance(np.array([2, 3]))[1].tolist()
    assert scores_of(chance, 3) not in (scores_of(chance, 4), scores_of(scorers.by_chance(SMALL, seed=2), 3))


def test_common_relatives_are_summed_by_their_weights():
    relatives = scorers.Relatives.of(SMALL)
    above = [set(SMALL.ancestors_of(row).tolist()) for row in range(8)]
    below = [set(SMALL.descendants_of(row).tolist()) for row in range(8)]
    for node in range(8):
        for other in range(8):
            shared = sum(1 / math.log(2 + len(below[row])) for row in above[node] & above[other])
            assert scores_of(relatives.common_ancestors(), node)[other] == pytest.approx(shared)
            shared = sum(1 / math.log(2 + len(above[row])) for row in below[node] & below[other])
            assert scores_of(relatives.common_descendants(), node)[other] == pytest.approx(shared)
            if below[node] and below[other]:
                cosine = len(below[node] & below[other]) / math.sqrt(len(below[node]) * len(below[other]))
                assert scores_of(relatives.overlap(), node)[other] == pytest.approx(cosine)


def test_co_parents_and_co_ancestors_are_shares_of_the_siblings():
    relatives = scorers.Relatives.of(SMALL)
    # The sibling of 4, under 1, is 5, which is under 2 too; plus one makes it a half.
    assert scores_of(relatives.co_parents(), 4) == pytest.approx([0, 1 / 2, 1 / 2, 0, 0, 0, 0, 0])
    # All below 1 except 4 are 5 and 7: both are below 2, 1 and 0, and 7 is below 5.
    assert scores_of(relatives.co_ancestors(), 4) == pytest.approx([2 / 3, 2 / 3, 2 / 3, 0, 0, 1 / 3, 0, 0])
    # 5 has two parents, and its own descendants do not count.
    assert scores_of(relatives.co_ancestors(), 5) == pytest.approx([1, 1 / 2, 1 / 2, 1 / 2, 0, 0, 0, 0])


def test_a_walk_with_restart_solves_its_equations():
    steps = np.zeros((8, 8))
    for parent, child in EDGES:
        steps[parent, child] = steps[child, parent] = 1
    steps /= steps.sum(axis=1, keepdims=True)
    start = np.zeros(8)
    start[4] = scorers.RESTART
    expected = np.linalg.solve(np.eye(8) - (1 - scorers.RESTART) * steps.T, start)
    # The weight of the last step is all that may be missing or misplaced.
    remainder = (1 - scorers.RESTART) ** scorers.WALK_STEPS
    assert scores_of(scorers.by_walk(SMALL), 4) == pytest.approx(expected, abs=remainder)


def test_scorers_combine():
    elsewhere = scores_of(scorers.elsewhere(scorers.by_popularity(SMALL), SMALL), 4)
    assert [row for row in range(8) if elsewhere[row] == -math.inf] == [4, 5, 7]
    assert elsewhere[:4] == [3, 2, 2, 1]
    first = constant(2.0, 1.0, 2.0, -math.inf)
    assert order_of(scorers.in_turn(first, constant(0.0, 100.0, 5.0, 7.0)), 0) == [2, 0, 1, 3]
    ties = scores_of(scorers.in_turn(first, constant(0.0, 0.0, 0.0, 0.0)), 0)
    assert ties[0] == ties[2]
    both = scorers.together(constant(9.0, 8.0, 7.0, 7.0), constant(0.0, 0.3, 0.1, 0.3))
    # Ranks 1 and 3, 2 and 1, 3 and 2, 3 and 1.
    assert scores_of(both, 0) == pytest.approx([1 / 61 + 1 / 63, 1 / 62 + 1 / 61, 1 / 63 + 1 / 62, 1 / 63 + 1 / 61])


def cone_model() -> Embedding:
    """A wide cone that contains the node, a narrow one that does, a narrow one that just misses, one far away."""
    angles, radii = [0.0, 0.0, 0.05, 2.0, 0.0], [0.2, 0.7, 0.7, 0.7, 0.95]
    points = np.array([[r * math.cos(a), r * math.sin(a)] for r, a in zip(radii, angles, strict=True)])
    return Embedding(["wide", "narrow", "near", "far", "node"], points, "hyperbolic-cones", Settings(), threshold=0.0)


def random_model(method: str) -> Embedding:
    points = find_method(method).project(np.random.default_rng(0).uniform(-0.6, 0.6, (8, 3)), Settings())
    return Embedding(NAMES, points, method, Settings(), threshold=0.0)


def test_cones_are_ordered_by_energy_by_narrowness_or_by_the_width_they_need():
    embedding = cone_model()
    assert order_of(scorers.by_energy(embedding), 4)[0] == 0
    assert order_of(scorers.by_narrowest(embedding), 4, 4) == [1, 0, 2, 3]
    energies = -np.array(scores_of(scorers.by_energy(embedding), 4))
    assert energies[2] > 0
    widened = scores_of(scorers.by_narrowest(embedding, slack=energies[2] + 1e-9), 4)
    assert min(widened[1], widened[2]) > widened[0] > widened[3]
    angles = cones.cone_angle(embedding.points[:4], embedding.points[4])
    apertures = cones.half_aperture(embedding.points[:4], embedding.settings.K)
    assert scores_of(scorers.by_needed_width(embedding), 4)[:4] == pytest.approx(-np.maximum(angles, apertures))
    # The narrow cone that just misses comes before the wide one that contains the node.
    assert order_of(scorers.by_needed_width(embedding), 4, 4) == [1, 2, 0, 3]
    with pytest.raises(InputError, match="order has no cones"):
        scorers.by_needed_width(random_model("order"))


def test_distance_is_without_alpha_and_can_put_more_general_nodes_first():
    points = np.array([[0.1, 0.0], [0.5, 0.1], [0.9, 0.0], [0.5, 0.0]])
    embedding = Embedding(["a", "b", "c", "d"], points, "poincare", Settings(alpha=1000.0), threshold=0.0)
    assert scores_of(scorers.by_distance(embedding), 3) == pytest.approx(-poincare.distance(points, points[3]))
    assert order_of(scorers.by_distance(embedding), 3) == [3, 1, 0, 2]
    assert order_of(scorers.by_distance(embedding, more_general=True), 3) == [0, 3, 1, 2]
    # In the paper's score α makes more general nodes come first.
    assert order_of(scorers.by_energy(embedding), 3)[0] == 0


def test_descendants_and_neighbors_vote():
    embedding = cone_model()
    method = find_method(embedding.method)
    energies = [method.energy(embedding.points, embedding.points[row], embedding.settings) for row in (1, 4)]
    found = scores_of(scorers.by_descendants(embedding, Hierarchy(embedding.names, [[1, 4]])), 1)
    assert found[2:4] == pytest.approx(-np.mean(energies, axis=0)[2:4])
    points = np.array([[0.1, 0], [0.5, 0], [0.5, 0.3], [0, 0.5], [0.8, 0.01], [0.8, 0.0], [0.1, 0.8], [0.81, 0.0]])
    embedding = Embedding(NAMES, points, "poincare", Settings(), threshold=0.0)
    # Nearest to 5, except 7 below it, is 4: one vote for its parent 1; then come 1 and 2 with votes for 0.
    found = scores_of(scorers.by_neighbors(embedding, SMALL, count=3), 5)
    assert found == pytest.approx([1 / 2 + 1 / 3, 1, 0, 0, 0, 0, 0, 0])


@pytest.mark.parametrize("method", METHODS)
def test_every_method_scores_by_its_own_formula(method):
    embedding = random_model(method)
    energies = find_method(method).signed_energy(embedding.points, embedding.points[5], embedding.settings)
    others = [row for row in range(8) if row != 5]
    assert np.array(scores_of(scorers.by_energy(embedding), 5))[others] == pytest.approx(-energies[others])
    generality = find_method(method).generality(embedding.points)
    inside = scores_of(scorers.by_narrowest(embedding, slack=1e9), 5)
    assert np.argsort(inside).tolist() == np.argsort(generality).tolist()
    outside = np.array(scores_of(scorers.by_narrowest(embedding, slack=-1e9), 5))[others]
    assert np.argsort(outside).tolist() == np.argsort(-energies[others]).tolist()


def test_the_examples_in_the_docstrings_run():
    done = doctest.testmod(scorers)
    assert (done.failed, done.attempted > 0) == (0, True)
