"""What speaks for a hidden parent: counts over the graph as they are defined, and readings of an embedding."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hidden_parent_scorers as scorers
import hypercone
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.geometry import cones, poincare
from hypercone.methods import METHODS, Settings, find_method

# 0 over 1, 2, 3;  1 over 4, 5;  2 over 5, 6;  3 over 6;  5 over 7.
EDGES = [[0, 1], [0, 2], [0, 3], [1, 4], [1, 5], [2, 5], [2, 6], [3, 6], [5, 7]]
NAMES = [f"n{row}" for row in range(8)]


@pytest.fixture
def small() -> hypercone.Hierarchy:
    return hypercone.Hierarchy(NAMES, EDGES)


def _scores(scorer, node: int) -> list[float]:
    return scorer(np.array([node], np.int32))[0].tolist()


def _above(hierarchy, row: int) -> set[int]:
    return set(hierarchy.ancestors_of(row).tolist())


def test_popularity_counts_children(small):
    assert _scores(scorers.by_popularity(small), 7) == [3, 2, 2, 1, 0, 1, 0, 0]


def test_the_level_above_the_node_leads_and_the_most_children_lead_a_level(small):
    # 4 is two steps below the root: 1, 2 and 3 are one step above it, and 3 has fewer children.
    scores = _scores(scorers.by_level(small), 4)
    assert scores[1] == scores[2] > scores[3] > max(scores[0], scores[5], scores[6])
    # A root is compared from below: a node whose longest way down is one step longer than its own.
    forest = hypercone.Hierarchy(["a", "b", "c", "d", "e", "f"], [[0, 1], [1, 2], [3, 4], [5, 3]])
    assert np.argmax(_scores(scorers.by_level(forest), 3)) in (0, 5)


def test_chance_is_a_function_of_the_seed_and_the_node(small):
    chance = scorers.by_chance(small, seed=1)
    assert _scores(chance, 3) == chance(np.array([2, 3]))[1].tolist()
    assert _scores(chance, 3) != _scores(chance, 4)
    assert _scores(chance, 3) != _scores(scorers.by_chance(small, seed=2), 3)


def test_common_relatives_are_summed_by_their_weights(small):
    relatives = scorers.Relatives.of(small)
    ancestors, descendants = relatives.common_ancestors(), relatives.common_descendants()
    above = [_above(small, row) for row in range(8)]
    below = [set(small.descendants_of(row).tolist()) for row in range(8)]
    for node in range(8):
        for other in range(8):
            shared = sum(1 / math.log(2 + len(below[row])) for row in above[node] & above[other])
            assert _scores(ancestors, node)[other] == pytest.approx(shared)
            shared = sum(1 / math.log(2 + len(above[row])) for row in below[node] & below[other])
            assert _scores(descendants, node)[other] == pytest.approx(shared)
            if below[node] and below[other]:
                cosine = len(below[node] & below[other]) / math.sqrt(len(below[node]) * len(below[other]))
                assert _scores(relatives.overlap(), node)[other] == pytest.approx(cosine)


def test_co_parents_and_company_are_shares_of_those_beside_the_node(small):
    relatives = scorers.Relatives.of(small)
    # Beside 4, under 1, is 5, which is under 2 too; with one stranger more a half.
    assert _scores(relatives.co_parents(), 4) == pytest.approx([0, 1 / 2, 1 / 2, 0, 0, 0, 0, 0])
    # All below 1 but 4 are 5 and 7: both are below 2, 1 and 0, and 7 is below 5.
    assert _scores(relatives.company(), 4) == pytest.approx([2 / 3, 2 / 3, 2 / 3, 0, 0, 1 / 3, 0, 0])
    # 5 has two parents, and what is below it is no company of its own.
    assert _scores(relatives.company(), 5) == pytest.approx([1, 1 / 2, 1 / 2, 1 / 2, 0, 0, 0, 0])


def test_a_walk_that_returns_is_where_the_equations_say(small):
    steps = np.zeros((8, 8))
    for parent, child in EDGES:
        steps[parent, child] = steps[child, parent] = 1
    steps /= steps.sum(axis=1, keepdims=True)
    start = np.zeros(8)
    start[4] = scorers.RESTART
    expected = np.linalg.solve(np.eye(8) - (1 - scorers.RESTART) * steps.T, start)
    # What the last step still carried is all that may be missing or misplaced.
    assert _scores(scorers.by_walk(small), 4) == pytest.approx(
        expected, abs=(1 - scorers.RESTART) ** scorers.WALK_STEPS
    )


def test_elsewhere_puts_last_what_is_below_a_known_parent(small):
    scores = _scores(scorers.elsewhere(scorers.by_popularity(small), small), 4)
    assert [row for row in range(8) if scores[row] == -math.inf] == [4, 5, 7]
    assert scores[:4] == [3, 2, 2, 1]


def test_the_second_scorer_decides_where_the_first_ties():
    first = scorers.each(lambda _: np.array([2.0, 1.0, 2.0, -np.inf]))
    then = scorers.each(lambda _: np.array([0.0, 100.0, 5.0, 7.0]))
    assert np.argsort(_scores(scorers.in_turn(first, then), 0)).tolist() == [3, 1, 0, 2]
    ties = scorers.in_turn(first, scorers.each(lambda _: np.zeros(4)))
    assert _scores(ties, 0)[0] == _scores(ties, 0)[2]


def test_two_orders_together_prefer_what_is_high_in_both():
    one = scorers.each(lambda _: np.array([9.0, 8.0, 7.0, 7.0]))
    other = scorers.each(lambda _: np.array([0.0, 0.3, 0.1, 0.3]))
    # Ranks 1 and 3, 2 and 1, 3 and 2, 3 and 1.
    expected = [1 / 61 + 1 / 63, 1 / 62 + 1 / 61, 1 / 63 + 1 / 62, 1 / 63 + 1 / 61]
    assert _scores(scorers.together(one, other), 0) == pytest.approx(expected)


def _cones() -> Embedding:
    """A wide cone that holds the node, a narrow one that does, a narrow one that just misses, one far away."""
    angles = [0.0, 0.0, 0.05, 2.0, 0.0]
    radii = [0.2, 0.7, 0.7, 0.7, 0.95]
    points = np.array([[r * math.cos(a), r * math.sin(a)] for r, a in zip(radii, angles, strict=True)])
    return Embedding(["wide", "narrow", "near", "far", "node"], points, "hyperbolic-cones", Settings(), threshold=0.0)


def _random(method: str) -> Embedding:
    """Eight points somewhere in the domain of a method."""
    points = np.random.default_rng(0).uniform(-0.6, 0.6, (8, 3))
    points = find_method(method).project(points, Settings())
    return Embedding(NAMES, points, method, Settings(), threshold=0.0)


def test_the_widest_cone_leads_by_energy_and_the_narrowest_if_it_is_asked_for():
    embedding = _cones()
    assert np.argmax(_scores(scorers.by_energy(embedding), 4)) == 0
    assert np.argsort(_scores(scorers.by_narrowest(embedding), 4)[:4])[::-1].tolist() == [1, 0, 2, 3]
    energies = -np.array(_scores(scorers.by_energy(embedding), 4))
    assert energies[2] > 0
    widened = _scores(scorers.by_narrowest(embedding, slack=energies[2] + 1e-9), 4)[:4]
    assert min(widened[1], widened[2]) > widened[0] > widened[3]


def test_the_needed_width_is_the_larger_of_the_angle_and_the_aperture():
    embedding = _cones()
    angles = cones.cone_angle(embedding.points[:4], embedding.points[4])
    apertures = cones.half_aperture(embedding.points[:4], embedding.settings.K)
    assert _scores(scorers.by_needed_width(embedding), 4)[:4] == pytest.approx(-np.maximum(angles, apertures))
    # The narrow one that just misses comes before the wide one that holds the node.
    assert np.argsort(_scores(scorers.by_needed_width(embedding), 4)[:4])[::-1].tolist() == [1, 2, 0, 3]


def test_methods_without_cones_have_no_width():
    with pytest.raises(InputError, match="order has no cones"):
        scorers.by_needed_width(_random("order"))


def test_distance_is_without_the_weight_of_norms_and_can_put_more_general_nodes_first():
    points = np.array([[0.1, 0.0], [0.5, 0.1], [0.9, 0.0], [0.5, 0.0]])
    embedding = Embedding(["a", "b", "c", "d"], points, "poincare", Settings(alpha=1000.0), threshold=0.0)
    expected = -poincare.distance(points, points[3])
    assert _scores(scorers.by_distance(embedding), 3) == pytest.approx(expected)
    assert np.argsort(_scores(scorers.by_distance(embedding), 3))[::-1].tolist() == [3, 1, 0, 2]
    above = scorers.by_distance(embedding, more_general=True)
    assert np.argsort(_scores(above, 3))[::-1].tolist() == [0, 3, 1, 2]
    # In the paper's score α makes what is higher up come first.
    assert np.argmax(_scores(scorers.by_energy(embedding), 3)) == 0


def test_a_subtree_speaks_through_the_nodes_below_it():
    embedding = _cones()
    tree = hypercone.Hierarchy(embedding.names, [[1, 4]])
    method = find_method(embedding.method)
    energies = [method.energy(embedding.points, embedding.points[row], embedding.settings) for row in (1, 4)]
    found = _scores(scorers.by_descendants(embedding, tree), 1)
    assert found[2:4] == pytest.approx(-np.mean(energies, axis=0)[2:4])


def test_the_nearest_vote_for_their_parents_but_those_below_the_node_do_not(small):
    points = np.array([[0.1, 0], [0.5, 0], [0.5, 0.3], [0, 0.5], [0.8, 0.01], [0.8, 0.0], [0.1, 0.8], [0.81, 0.0]])
    embedding = Embedding(NAMES, points, "poincare", Settings(), threshold=0.0)
    # Nearest to 5 but for 7, which is below it, is 4: one vote for its parent 1; then come 1 and 2 with votes for 0.
    found = _scores(scorers.by_neighbors(embedding, small, count=3), 5)
    assert found == pytest.approx([1 / 2 + 1 / 3, 1, 0, 0, 0, 0, 0, 0])


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_read_by_its_own_formula(method, small):
    embedding = _random(method)
    energies = find_method(method).signed_energy(embedding.points, embedding.points[5], embedding.settings)
    others = [row for row in range(8) if row != 5]
    assert np.array(_scores(scorers.by_energy(embedding), 5))[others] == pytest.approx(-energies[others])
    generality = find_method(method).generality(embedding.points)
    narrowest = np.array(_scores(scorers.by_narrowest(embedding, slack=1e9), 5))
    assert np.argsort(narrowest).tolist() == np.argsort(generality).tolist()
    strangers = np.array(_scores(scorers.by_narrowest(embedding, slack=-1e9), 5))[others]
    assert np.argsort(strangers).tolist() == np.argsort(-energies[others]).tolist()
