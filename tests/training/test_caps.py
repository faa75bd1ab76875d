"""The start by caps: what a visit does to a pair, what it may look at, and that a random start learns a tree."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone._jit import dimension_type
from hypercone.data import load_dataset
from hypercone.errors import ConfigError
from hypercone.evaluation import all_pairs
from hypercone.geometry import caps
from hypercone.hierarchy import Adjacency, Hierarchy, LabeledPairs, Split
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.training import FitConfig, fit
from hypercone.training.caps_kernels import FREE_INSIDE, CapSteps, Pull, cap_epoch, tightest_parents
from hypercone.training.sampling import Examples, Negatives
from hypercone.training.start import CapArrays, cap_start, near_siblings, random_caps

NOBODY = Adjacency(np.zeros(8, np.int64), np.empty(0, np.int32))
STEPS = CapSteps(Pull(0.9, 0.005, 0.0), Pull(0.1, 0.003, 0.0), 1.0, 0.2, 0.3, 1e-3, 1.3)


def visit(directions, radii, edges, known=None, siblings=NOBODY, counts=(0, 0, 0), pools=None, steps=STEPS, epoch=0):
    """One epoch over the edges with everybody's near parent as given; returns new caps and the counts."""
    directions, radii = directions.copy(), radii.copy()
    edges = np.array(edges, np.int32).reshape(-1, 2)
    known = known or parent_lists(edges, len(radii))
    tightest = tightest_parents(parent_lists(edges, len(radii)).csr, radii)
    is_leaf = np.bincount(edges[:, 0], minlength=len(radii)) == 0
    everyone = np.arange(len(radii), dtype=np.int32)
    order = np.arange(len(edges)).astype(np.uint32)
    negatives = Negatives(*counts, *(pools or (everyone, everyone)), siblings.csr)
    found = cap_epoch(
        CapArrays(directions, radii, is_leaf),
        Examples(edges, known.csr, negatives),
        order,
        tightest,
        steps,
        0,
        epoch,
        dimension_type(directions.shape[1]),
    )
    return directions, radii, found


def on_circle(*angles):
    return np.array([[math.cos(angle), math.sin(angle), 0.0] for angle in angles])


def angle(directions, one, other):
    return 2 * math.asin(np.linalg.norm(directions[one] - directions[other]) / 2)


@settings(max_examples=60, deadline=None)
@given(st.floats(0.01, 3.0), st.floats(1e-4, 0.5), st.floats(1e-3, 0.5))
def test_a_child_outside_is_brought_nine_tenths_of_the_way_in(apart, child_radius, parent_radius):
    radii = np.array([parent_radius, child_radius])
    before = on_circle(0.0, apart)
    gap = apart + child_radius - (1 - FREE_INSIDE) * parent_radius
    after, new_radii, (violated, _, gaps) = visit(before, radii, [(0, 1)])
    if gap <= 0:
        assert violated == 0
        assert np.array_equal(after, before)
    else:
        assert gaps == pytest.approx(gap)
        assert angle(after, 0, 1) == pytest.approx(max(0.0, apart - 0.9 * gap), abs=1e-7)
        assert new_radii[0] >= parent_radius
    assert np.linalg.norm(after, axis=1) == pytest.approx(1.0)


def test_the_smaller_cap_moves_more():
    before = on_circle(0.0, 1.0)
    after, _, _ = visit(before, np.array([0.3, 0.1]), [(0, 1)])
    moved = [np.linalg.norm(after[row] - before[row]) for row in (0, 1)]
    assert moved[1] > 2 * moved[0] > 0


def test_a_leaf_keeps_its_radius_and_a_parent_grows():
    _, radii, _ = visit(on_circle(0.0, 1.0), np.array([0.3, 1e-4]), [(0, 1)])
    assert radii[1] == 1e-4
    assert 0.3 < radii[0] < 0.31


def test_a_wrong_child_is_pushed_out_of_a_cap_and_a_known_one_is_not():
    before, radii = on_circle(0.0, 0.01, 0.1), np.array([0.3, 0.01, 0.01])
    only_third = (np.array([2], np.int32), np.array([0], np.int32))
    pushed, _, counts = visit(before, radii, [(0, 1)], counts=(3, 0, 0), pools=only_third)
    assert counts[1] == 3
    assert angle(pushed, 0, 2) > 0.2
    both = parent_lists(np.array([(0, 1), (0, 2)], np.int32), 3)
    kept, _, counts = visit(before, radii, [(0, 1)], known=both, counts=(3, 0, 0), pools=only_third)
    assert counts[1] == 0
    assert np.array_equal(kept[2], before[2])


def test_siblings_part_until_their_whole_caps_are_disjoint():
    directions, radii = on_circle(0.0, 0.05, -0.05, 1.0, 1.1), np.array([1.2, 0.2, 0.2, 1e-4, 1e-4])
    edges = [(0, 1), (0, 2), (1, 3), (2, 4)]
    siblings = Adjacency(np.array([0, 2, 2, 2, 2, 2]), np.array([1, 2], np.int32))
    for epoch in range(60):
        directions, radii, _ = visit(directions, radii, edges, siblings=siblings, counts=(0, 0, 2), epoch=epoch)
    assert angle(directions, 1, 2) > radii[1] + radii[2]


def test_two_caps_at_the_same_place_part_in_a_direction_drawn_by_the_seed():
    before, radii = on_circle(0.0, 0.0, 0.0), np.array([0.3, 0.01, 0.01])
    after, _, _ = visit(before, radii, [(0, 1)], counts=(1, 0, 0), pools=(np.array([2], np.int32),) * 2)
    assert np.isfinite(after).all()
    assert angle(after, 0, 2) > 0.01


def test_the_tightest_parent_is_the_given_one_with_the_smallest_cap():
    known = parent_lists(np.array([(0, 3), (1, 3), (2, 3), (0, 1)], np.int32), 4)
    assert tightest_parents(known.csr, np.array([0.5, 0.2, 0.3, 0.1])).tolist() == [-1, 0, -1, 1]


def test_near_siblings_are_the_nodes_with_children_of_one_near_parent():
    found = near_siblings(np.array([-1, 0, 0, 0, 1]), np.array([False, False, True, False, True]))
    assert found[0].tolist() == [1, 3]
    assert found.counts.tolist() == [2, 0, 0, 0, 0]


def start(hierarchy, edges=None, **changes):
    given = FitConfig(**{"method": "hyperbolic-cones", "dim": 5, "init_epochs": 20, **changes})
    edges = np.array(hierarchy.edges if edges is None else edges, np.int32)
    return cap_start(len(hierarchy), edges, parent_lists(edges, len(hierarchy)), given.for_edges(len(edges)))


def test_the_same_seed_gives_the_same_bytes_and_another_other_ones(tree):
    assert start(tree).tobytes() == start(tree).tobytes()
    assert start(tree).tobytes() != start(tree, seed=1).tobytes()


def test_the_start_is_random_and_knows_nothing_of_the_tree_but_who_has_children(tree):
    edges = np.array(tree.edges, np.int32)
    config = FitConfig(method="hyperbolic-cones", dim=5).for_edges(len(edges))
    begun = random_caps(len(tree), edges, parent_lists(edges, len(tree)), config)
    assert len(np.unique(begun.radii)) == 2
    assert abs(begun.directions.mean()) < 0.3


@pytest.mark.parametrize("method", ["hyperbolic-cones", "euclidean-cones"])
def test_points_have_the_cones_whose_caps_were_learned(tree, method):
    edges = np.array(tree.edges, np.int32)
    config = FitConfig(method=method, dim=5).for_edges(len(edges))
    begun = random_caps(len(tree), edges, parent_lists(edges, len(tree)), config)
    if method == "hyperbolic-cones":
        assert caps.cap_radius(begun.points, 0.1) == pytest.approx(begun.radii)
    else:
        assert np.arcsin(0.1 / np.linalg.norm(begun.points, axis=1)) == pytest.approx(begun.radii)


def test_nothing_but_the_training_edges_is_looked_at():
    """The same training edges among other hidden ones: the same points to the last bit."""
    names = [str(row) for row in range(7)]
    seen = np.array([(0, 1), (1, 2), (0, 3), (3, 4)], np.int32)
    nothing = LabeledPairs(np.empty((0, 2), np.int32), np.empty((0, 2), np.int32))
    split = Split(seen, nothing, nothing, 0, 0)
    found = []
    for hidden in ([(5, 6)], [(2, 5), (4, 6), (1, 4)]):
        hierarchy = Hierarchy(names, np.concatenate([seen, np.array(hidden, np.int32)]))
        found.append(fit(hierarchy, dim=5, init="caps", init_epochs=20, epochs=5, split=split).points)
    assert np.array_equal(*found)


def test_a_small_tree_is_learned_from_a_random_start_nearly_without_a_mistake():
    tree = load_dataset("tree-3-5")
    embedding = fit(tree, method="hyperbolic-cones", dim=5, init="caps", init_epochs=150, epochs=100)
    assert embedding.record["start"] == "caps"
    assert all_pairs(embedding, tree, threshold=0.0).f1 > 0.98


def test_the_caps_alone_hold_most_of_a_small_tree():
    tree = load_dataset("tree-3-5")
    points = start(tree, init_epochs=300)
    inside = caps.contains(points[tree.edges[:, 0]], points[tree.edges[:, 1]], 0.1)
    assert inside.mean() > 0.8


def test_progress_tells_of_every_epoch(tree):
    seen = []
    fit(tree, method="hyperbolic-cones", dim=5, init="caps", init_epochs=4, epochs=2, callback=seen.append)
    assert [report.stage for report in seen] == ["pre-training (caps)"] * 4 + ["training"] * 2
    assert [report.epoch for report in seen[:4]] == [1, 2, 3, 4]
    assert seen[3].loss < seen[0].loss


@pytest.mark.parametrize("changes", [{"method": "order"}, {"dim": 1}])
def test_what_has_no_caps_is_refused(tree, changes):
    with pytest.raises(ConfigError, match="has no caps; choose another one"):
        fit(tree, **{"method": "hyperbolic-cones", "dim": 2, "init": "caps", **changes})
