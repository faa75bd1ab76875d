"""The parts of the overlapping construction: the skeleton, and the exact searches for who holds whom."""

from __future__ import annotations

import numpy as np
import pytest

from hypercone.construction import moving, skeleton
from hypercone.construction.forest import spanning_forest
from hypercone.construction.moving import Balls, FreeRun, NestedRun, Shape, balls_of, first_shape
from hypercone.construction.overlap_kernels import add_edge_gradients, backpropagate
from hypercone.construction.skeleton import build_skeleton, pairs_in_forest
from hypercone.hierarchy import Adjacency, Hierarchy


@pytest.fixture(scope="module")
def dag(shape):
    return shape("random_dag", 400, seed=3)


@pytest.fixture(scope="module")
def bones(dag):
    return build_skeleton(dag, spanning_forest(dag))


def truth_of(hierarchy):
    truth = np.zeros((len(hierarchy), len(hierarchy)), bool)
    truth[tuple(hierarchy.closure().T)] = True
    return truth


def contained(centers, radii):
    """By brute force: whether each ball holds each other one."""
    apart = np.linalg.norm(centers[:, None] - centers[None], axis=2)
    return (apart <= radii[:, None] - radii[None]) & ~np.eye(len(radii), dtype=bool)


def in_forest(parents):
    above = np.zeros((len(parents), len(parents)), bool)
    for place in range(1, len(parents)):
        above[:, place] = above[:, parents[place]]
        above[parents[place], place] = True
    return above


def test_every_node_has_a_place_or_is_a_plain_leaf(dag, bones):
    places, leaves = bones
    nodes = np.concatenate([places.rows[places.rows >= 0], leaves.rows])
    assert sorted(nodes.tolist()) == list(range(len(dag)))
    assert (dag.child_lists.counts[leaves.rows] == 0).all()
    assert places.weights.sum() == len(dag)


def test_what_is_below_a_place_follows_it(bones):
    places, _ = bones
    above = in_forest(places.parents)
    for place in range(len(places.rows)):
        assert np.flatnonzero(above[place]).tolist() == list(range(place + 1, places.ends[place]))


def test_the_true_descendants_of_a_place_are_those_of_its_node(dag, bones):
    places, leaves = bones
    truth = truth_of(dag)
    for place in np.flatnonzero(places.rows >= 0):
        below = Adjacency(*places.below)[place]
        assert (np.diff(below) > 0).all()
        weight = places.weights[below].sum() + (leaves.holders == place).sum()
        assert weight == truth[places.rows[place]].sum()


def test_edges_outside_the_forest_gain_what_the_forest_lacks(dag, bones):
    places, _ = bones
    above = in_forest(places.parents)
    truth = truth_of(dag)
    for (parent, child), gained in zip(places.edges.tolist(), places.gained.tolist(), strict=True):
        wanted = set(np.flatnonzero(truth[:, places.rows[parent]])) | {places.rows[parent]}
        assert gained == len(wanted - set(places.rows[above[:, child]].tolist()))


def test_wide_families_are_divided_into_groups(monkeypatch, shape):
    monkeypatch.setattr(skeleton, "WIDEST_FAMILY", 8)
    monkeypatch.setattr(skeleton, "GROUP", 3)
    dag = shape("random_dag", 400, seed=3)
    places, _ = build_skeleton(dag, spanning_forest(dag))
    assert np.diff(places.kids.offsets).max() <= 8
    assert places.weights.sum() == len(dag)
    assert pairs_in_forest(places) == pairs_in_forest(build_skeleton(dag, spanning_forest(dag))[0])


def counted_by_brute_force(places, centers, radii):
    holds = contained(centers, radii) & (places.rows >= 0)[:, None]
    forest = in_forest(places.parents)
    holds &= ~forest & ~forest.T
    truth = np.zeros_like(holds)
    for place in range(len(radii)):
        truth[place, Adjacency(*places.below)[place]] = True
    return int(((holds & truth) @ places.weights).sum()), int(((holds & ~truth) @ places.weights).sum())


@pytest.mark.parametrize(("dim", "seed"), [(1, 0), (2, 1), (4, 2), (9, 3)])
def test_the_walk_through_the_skeleton_counts_what_brute_force_counts(bones, dim, seed):
    places, _ = bones
    shape = first_shape(places, dim, seed)
    run = NestedRun(places, shape, 1)
    counts = run.count()
    true, false = counted_by_brute_force(places, *balls_of(places, shape))
    assert (counts.true_positives - pairs_in_forest(places), counts.false_positives) == (true, false)
    assert true + false > 0


def test_more_wrong_pairs_than_there_is_room_for_make_room(bones):
    places, _ = bones
    run = NestedRun(places, first_shape(places, 2, 0), 1)
    before = run.count()
    wrong_count = run.wrong_count
    run.wrong = type(run.wrong)(*(array[:1] for array in run.wrong))
    assert run.count() == before
    assert run.wrong_count == wrong_count <= len(run.wrong.holders)


def test_steps_keep_every_ball_in_the_one_above(bones):
    places, _ = bones
    run = NestedRun(places, first_shape(places, 3, 0), 1)
    for separating in (True, False):
        run.count()
        for _ in range(20):
            run.step(0.05, separating)
    assert np.all(in_forest(places.parents) <= contained(run.centers, run.radii))


def test_the_gradient_in_the_coordinates_of_the_skeleton_is_right(bones):
    places, _ = bones
    shape = first_shape(places, 3, 5)
    run = NestedRun(places, shape, 1)
    parent, child = places.edges.T
    # The scale of a term is that of the moment: it does not pay to make a ball large only because it is in the wrong.
    scale = run.radii[child]

    def loss(centers, radii):
        lack = np.linalg.norm(centers[parent] - centers[child], axis=1) + 1.05 * radii[child] - radii[parent]
        return np.log(1 + np.maximum(lack, 0) / scale).sum()

    of_balls = Balls(np.zeros_like(run.centers), np.zeros_like(run.radii))
    of_shape = Shape(np.zeros_like(run.centers), np.zeros_like(run.radii))
    weights = np.ones(len(places.edges))
    add_edge_gradients(run.centers, run.radii, places.edges, weights, 0.05, *of_balls, run.dim)
    backpropagate(places.parents, *shape, run.radii, *of_balls, *of_shape, run.dim)
    random = np.random.default_rng(0)
    aside, wider = random.normal(size=shape.offsets.shape), random.normal(size=shape.log_ratios.shape)
    aside[0], wider[0], step = 0, 0, 1e-8
    ahead = loss(*balls_of(places, Shape(shape.offsets + step * aside, shape.log_ratios + step * wider)))
    behind = loss(*balls_of(places, Shape(shape.offsets - step * aside, shape.log_ratios - step * wider)))
    slope = (of_shape.offsets * aside).sum() + (of_shape.log_ratios * wider).sum()
    assert slope == pytest.approx((ahead - behind) / (2 * step), rel=1e-4)


@pytest.mark.parametrize(("dim", "seed"), [(1, 0), (2, 1), (4, 2)])
def test_the_search_among_free_balls_counts_what_brute_force_counts(dag, dim, seed):
    random = np.random.default_rng(seed)
    balls = Balls(random.normal(size=(len(dag), dim)), random.uniform(0.01, 2, len(dag)))
    run = FreeRun(dag, spanning_forest(dag), balls, 1e-9)
    counts = run.search(0.2)
    holds, truth = contained(run.centers, run.radii), truth_of(dag)
    assert (counts.true_positives, counts.false_positives) == ((holds & truth).sum(), (holds & ~truth).sum())
    assert counts.false_positives > 0


def test_leaves_hold_nothing(dag):
    random = np.random.default_rng(0)
    balls = Balls(random.normal(size=(len(dag), 2)), np.full(len(dag), 0.5))
    run = FreeRun(dag, spanning_forest(dag), balls, 1e-9)
    assert not contained(run.centers, run.radii)[run.is_leaf].any()


def test_a_tree_of_boxes_with_no_room_for_wrong_pairs_makes_room(dag):
    random = np.random.default_rng(0)
    balls = Balls(random.normal(size=(len(dag), 2)), np.full(len(dag), 3.0))
    run = FreeRun(dag, spanning_forest(dag), balls, 1e-9)
    run._wrong = run._wrong[:1]
    before = run.search(0.0)
    assert len(run._wrong) >= run._found > 1
    assert run.search(0.0) == before


def test_radii_never_fall_below_the_smallest(dag):
    balls = Balls(np.zeros((len(dag), 2)), np.zeros(len(dag)))
    run = FreeRun(dag, spanning_forest(dag), balls, 1e-6)
    for _ in range(5):
        run.search(0.1)
        run.gradient(1.0)
        run.move(0.1)
    assert run.radii.min() >= 1e-6
    assert run.radii[run.holders].min() >= moving.ABOVE_SMALLEST * 1e-6 * (1 - 1e-12)


def test_a_node_alone_has_no_pairs():
    alone = Hierarchy(["stone"], np.zeros((0, 2), int))
    places, leaves = build_skeleton(alone, np.array([-1], np.int32))
    assert places.rows.tolist() == [-1]
    assert leaves.rows.tolist() == [0]
