"""Hidden parents do not follow from what is left, and ranks and scores are those of their definitions."""

import doctest
import math

import numpy as np
import pytest
from benchmarks.parent_scorers import CUTS, KINDS, hide_parents, nodes_to_hide_from, rank_hidden
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import parent_scorers as scorers
from hypercone import Embedding, Hierarchy
from hypercone.errors import InputError, UnknownNameError
from hypercone.geometry import cones, poincare
from hypercone.methods import METHODS, Settings, find_method
from hypercone.queries.hidden_links import Damaged

NAMES = [f"n{row}" for row in range(8)]
# 0 over 1, 2, 3;  1 over 4, 5;  2 over 5, 6;  3 over 6;  5 over 7.
EDGES = [[0, 1], [0, 2], [0, 3], [1, 4], [1, 5], [2, 5], [2, 6], [3, 6], [5, 7]]
SMALL = Hierarchy(NAMES, EDGES)
RADII, ANGLES = (0.2, 0.7, 0.7, 0.7, 0.95), (0.0, 0.0, 0.05, 2.0, 0.0)
RELATIVES = scorers.Relatives.of(SMALL)
# The weight of a common relative by its own relatives plus 2.
W = {number: 1 / math.log(number) for number in range(4, 10)}


def model(points, method, **changes):
    return Embedding(NAMES[: len(points)], np.asarray(points), method, Settings(**changes), threshold=0.0)


# A wide cone that contains node 4, a narrow one that does, a narrow one that just misses, one far away.
CONES = model([[r * math.cos(a), r * math.sin(a)] for r, a in zip(RADII, ANGLES, strict=True)], "hyperbolic-cones")
POINTS = np.array([[0.1, 0], [0.5, 0], [0.5, 0.3], [0, 0.5], [0.8, 0.01], [0.8, 0.0], [0.1, 0.8], [0.81, 0.0]])
POINCARE = model(POINTS, "poincare", alpha=1000.0)


def mean_energies(*rows):
    energy = find_method(CONES.method).energy
    return np.mean([energy(CONES.points, CONES.points[row], CONES.settings) for row in rows], axis=0)


@st.composite
def tangled(draw):
    """A random DAG, often with implied edges; the last row is below two roots and nothing else."""
    size = draw(st.integers(5, 24))
    pair = st.tuples(st.integers(0, size - 2), st.integers(2, size - 2)).filter(lambda edge: edge[0] < edge[1])
    edges = draw(st.sets(pair, max_size=3 * size)) | {(0, size - 1), (1, size - 1), (1, 2), (2, 3)}
    return Hierarchy([f"n{row}" for row in range(size)], sorted(edges))


def pairs_of(rows):
    return set(map(tuple, rows.tolist()))


def closure_of(rows, size):
    """By squaring a matrix, which shares nothing with the library."""
    reaches = np.zeros((size, size), np.int64)
    reaches[tuple(rows.T)] = 1
    for _ in range(size.bit_length()):
        reaches = np.minimum(reaches + reaches @ reaches, 1)
    return pairs_of(np.argwhere(reaches))


def scores_of(scorer, node):
    return scorer(np.array([node], np.int32))[0].tolist()


def order_of(scorer, node):
    """All others by score, the highest first."""
    return [row for row in np.argsort(scores_of(scorer, node))[::-1].tolist() if row != node]


def constant(*values):
    return scorers.each(lambda _: np.array(values))


@settings(max_examples=60, deadline=None)
@given(tangled(), st.sampled_from(KINDS), st.floats(0.01, 1.0), st.integers(0, 5))
def test_no_hidden_edge_follows_from_what_is_left_and_only_the_chosen_parents_are_hidden(whole, kind, share, seed):
    left, links = hide_parents(whole, kind, share=share, seed=seed)
    assert left == hide_parents(whole, kind, count=len(np.unique(links[:, 1])), seed=seed).hierarchy
    assert len(np.unique(links[:, 1])) == max(1, round(share * len(nodes_to_hide_from(whole, kind))))
    assert not pairs_of(links) & closure_of(left.edges, len(whole))
    assert pairs_of(left.edges) | pairs_of(links) == pairs_of(whole.reduction())
    assert left.names == whole.names
    children, before = links[:, 1].tolist(), np.bincount(whole.reduction()[:, 1], minlength=len(whole))
    for child in children:
        if kind == "secondary":
            assert left.parent_lists.counts[child] == before[child] - 1 >= 1
        else:
            assert len(left.ancestors_of(child)) == 0 < whole.child_lists.counts[child]
        assert children.count(child) == (1 if kind == "secondary" else before[child])


@settings(max_examples=60, deadline=None)
@given(tangled(), st.sampled_from(KINDS), st.integers(0, 5), st.sampled_from([2, 5, 1000]))
def test_ranks_and_figures_are_those_of_the_definition_and_ties_count_half(whole, kind, seed, levels):
    damaged = hide_parents(whole, kind, share=0.5, seed=seed)
    matrix = np.random.default_rng(seed).integers(0, levels, (len(whole), len(whole))).astype(float)
    matrix[matrix == 0] = -np.inf
    found = rank_hidden(lambda nodes: matrix[nodes], damaged, whole)
    true, known = closure_of(whole.edges, len(whole)), closure_of(damaged.hierarchy.edges, len(whole))
    lines = []
    for parent, child in damaged.links.tolist():
        scores = matrix[child].tolist()
        related = {row for row in range(len(whole)) if {(row, child), (child, row)} & known}
        rivals = set(range(len(whole))) - related - {child, parent}
        filtered = {row for row in rivals if (row, child) not in true}
        first = [row for row in rivals | {parent} if scores[row] == max(scores[one] for one in rivals | {parent})]
        # The mean of the best and the worst place that ties allow.
        places = [
            1 + sum((scores[one] > scores[parent]) + (scores[one] >= scores[parent]) for one in group) / 2
            for group in (filtered, rivals)
        ]
        above, below = [(row, parent) in true for row in first], [(parent, row) in true for row in first]
        lines.append((*places, len(filtered), np.mean(above), np.mean(below)))
    ranks, strict, rivals, general, specific = np.array(lines).T
    for mine, theirs in ((found.ranks, ranks), (found.strict_ranks, strict), (found.rivals, rivals)):
        assert mine.tolist() == theirs.tolist()
    expected = {"hidden": len(damaged.links), "mrr": np.mean(1 / ranks), "strict_mrr": np.mean(1 / strict)}
    expected |= {f"hits_{cut}": np.mean(ranks <= cut) for cut in CUTS} | {"strict_hits_1": np.mean(strict <= 1)}
    expected |= {"median": np.median(ranks), "too_general": general.mean(), "too_specific": specific.mean()}
    assert found.as_dict() == pytest.approx(expected)
    assert found.chance == pytest.approx(np.mean([np.mean([1 / (1 + k) for k in range(int(n) + 1)]) for n in rivals]))


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


def test_scores_that_cannot_be_ranked_are_refused():
    damaged, nothing = hide_parents(SMALL, "attachment", count=2), Damaged(SMALL, np.empty((0, 2), np.int32))
    zeros = constant(*[0.0] * len(SMALL))
    for scorer, left, right, message in (
        (constant(0.0, 0.0), damaged, SMALL, "the scores have the shape"),
        (constant(*[math.nan] * len(SMALL)), damaged, SMALL, "a score is not a number"),
        (zeros, damaged, Hierarchy(["a", "b", "c"], CHAIN), "other nodes"),
        (zeros, nothing, SMALL, "no parent is hidden"),
    ):
        with pytest.raises(InputError, match=message):
            rank_hidden(scorer, left, right)


@pytest.mark.parametrize(
    ("scorer", "node", "scores"),
    [
        (scorers.by_popularity(SMALL), 7, [3, 2, 2, 1, 0, 1, 0, 0]),
        # 4 is two steps below the root; 1, 2 and 3 are on the level above it, and 3 has fewer children.
        (scorers.by_level(SMALL), 4, [-1 / 4, 2 / 4, 2 / 4, 1 / 4, -1, -3 / 4, -1, -2]),
        # 0 is a root of height 3, so levels are counted from the leaves, and nothing has the height 4.
        (scorers.by_level(SMALL), 0, [-1 / 4, -6 / 4, -6 / 4, -11 / 4, -4, -11 / 4, -4, -4]),
        # 4 is below 0 and 1, which have 7 and 3 descendants; those of 1 are 4, 5 and 7, with 2, 3 and 4 ancestors.
        (RELATIVES.common_ancestors(), 4, [0, W[9], W[9], W[9], W[9] + W[5], W[9] + W[5], W[9], W[9] + W[5]]),
        (RELATIVES.common_descendants(), 1, [W[4] + W[5] + W[6]] * 2 + [W[5] + W[6], 0, 0, W[6], 0, 0]),
        (RELATIVES.overlap(), 1, [3 / math.sqrt(3 * 7), 1, 2 / 3, 0, 0, 1 / math.sqrt(3), 0, 0]),
        # The sibling of 4, under 1, is 5, which is under 2 too; plus one makes it a half.
        (RELATIVES.co_parents(), 4, [0, 1 / 2, 1 / 2, 0, 0, 0, 0, 0]),
        # All below 1 except 4 are 5 and 7: both are below 2, 1 and 0, and 7 is below 5.
        (RELATIVES.co_ancestors(), 4, [2 / 3, 2 / 3, 2 / 3, 0, 0, 1 / 3, 0, 0]),
        # 5 has two parents, and its own descendants do not count.
        (RELATIVES.co_ancestors(), 5, [1, 1 / 2, 1 / 2, 1 / 2, 0, 0, 0, 0]),
        # 4, 5 and 7 are below 1, the parent of 4.
        (scorers.elsewhere(scorers.by_popularity(SMALL), SMALL), 4, [3, 2, 2, 1, -math.inf, -math.inf, 0, -math.inf]),
        # Places 1, 0, 1 by the first, and ties by the places 0, 2, 1 of the second.
        (scorers.in_turn(constant(2.0, 1.0, 2.0), constant(0.0, 100.0, 5.0)), 0, [1, 2 / 4, 1 + 1 / 4]),
        # Ranks 1 and 3, 2 and 1, 3 and 2, 3 and 1.
        (
            scorers.together(constant(9.0, 8.0, 7.0, 7.0), constant(0.0, 0.3, 0.1, 0.3)),
            0,
            [1 / 61 + 1 / 63, 1 / 62 + 1 / 61, 1 / 63 + 1 / 62, 1 / 63 + 1 / 61],
        ),
        # The larger of the angle and the aperture.
        (
            scorers.by_needed_width(CONES),
            4,
            -np.maximum(
                cones.cone_angle(CONES.points[:4], CONES.points[4]), cones.half_aperture(CONES.points[:4], 0.1)
            ),
        ),
        # Without α.
        (scorers.by_distance(POINCARE), 5, -poincare.distance(POINTS, POINTS[5])),
        (scorers.by_descendants(CONES, Hierarchy(CONES.names, [[1, 4]])), 1, -mean_energies(1, 4)),
        # Nearest to 5, except 7 below it, is 4: one vote for its parent 1; then come 1 and 2 with votes for 0.
        (scorers.by_neighbors(POINCARE, SMALL, count=3), 5, [1 / 2 + 1 / 3, 1, 0, 0, 0, 0, 0, 0]),
    ],
)
def test_scores_are_those_of_the_definition_or_counted_by_hand(scorer, node, scores):
    others = np.arange(len(scores)) != node
    assert np.array(scores_of(scorer, node))[: len(scores)][others] == pytest.approx(np.array(scores)[others])


def test_common_relatives_are_summed_by_their_weights_for_all_pairs():
    above = [set(SMALL.ancestors_of(row).tolist()) for row in range(8)]
    below = [set(SMALL.descendants_of(row).tolist()) for row in range(8)]
    scored = RELATIVES.common_ancestors(), RELATIVES.common_descendants(), RELATIVES.overlap()
    for node in range(8):
        ancestors, descendants, overlap = (scores_of(scorer, node) for scorer in scored)
        for other in range(8):
            shared = sum(1 / math.log(2 + len(below[row])) for row in above[node] & above[other])
            assert ancestors[other] == pytest.approx(shared)
            shared = sum(1 / math.log(2 + len(above[row])) for row in below[node] & below[other])
            assert descendants[other] == pytest.approx(shared)
            if below[node] and below[other]:
                cosine = len(below[node] & below[other]) / math.sqrt(len(below[node]) * len(below[other]))
                assert overlap[other] == pytest.approx(cosine)


def test_a_walk_with_restart_solves_its_equations_and_chance_depends_on_seed_and_node():
    steps = np.zeros((8, 8))
    for parent, child in EDGES:
        steps[parent, child] = steps[child, parent] = 1
    steps /= steps.sum(axis=1, keepdims=True)
    expected = np.linalg.solve(np.eye(8) - (1 - scorers.RESTART) * steps.T, scorers.RESTART * np.eye(8)[4])
    # The weight of the last step is all that may be missing or misplaced.
    remainder = (1 - scorers.RESTART) ** scorers.WALK_STEPS
    assert scores_of(scorers.by_walk(SMALL), 4) == pytest.approx(expected, abs=remainder)
    chance = scorers.by_chance(SMALL, seed=1)
    assert scores_of(chance, 3) == chance(np.array([2, 3]))[1].tolist()
    assert scores_of(chance, 3) not in (scores_of(chance, 4), scores_of(scorers.by_chance(SMALL, seed=2), 3))


def test_embeddings_order_by_energy_by_narrowness_and_by_distance_with_more_general_nodes_first():
    assert order_of(scorers.by_energy(CONES), 4)[0] == 0
    assert order_of(scorers.by_narrowest(CONES), 4) == [1, 0, 2, 3]
    energy = -scores_of(scorers.by_energy(CONES), 4)[2]
    assert energy > 0
    widened = scores_of(scorers.by_narrowest(CONES, slack=energy + 1e-9), 4)
    assert min(widened[1], widened[2]) > widened[0] > widened[3]
    # The narrow cone that just misses comes before the wide one that contains the node.
    assert order_of(scorers.by_needed_width(CONES), 4) == [1, 2, 0, 3]
    with pytest.raises(InputError, match="poincare has no cones"):
        scorers.by_needed_width(POINCARE)
    assert order_of(scorers.by_distance(POINCARE), 5)[:3] == [4, 7, 1]
    assert order_of(scorers.by_distance(POINCARE, more_general=True), 5)[:2] == [1, 2]
    # In the paper's score α makes more general nodes come first.
    assert order_of(scorers.by_energy(POINCARE), 5)[0] == 0


@pytest.mark.parametrize("method", METHODS)
def test_every_method_scores_by_its_own_formula(method):
    points = find_method(method).project(np.random.default_rng(0).uniform(-0.6, 0.6, (8, 3)), Settings())
    embedding = model(points, method)
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
