"""Negative pairs: how many of each kind, from which pools, how they are pushed, and never a pair known to be true."""

import numpy as np
import pytest

from hypercone.hierarchy import Adjacency, Hierarchy
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.methods import METHODS
from hypercone.training import FitConfig
from hypercone.training.draw_kernels import BLOCK, draw_block, shuffled_order
from hypercone.training.loop import Trainer
from hypercone.training.sampling import (
    POOL_ENTRIES_PER_NODE,
    Examples,
    KnownPairs,
    known_pairs,
    make_negatives,
    pool_by_degree,
    training_edges,
)
from hypercone.training.start import random_points

STAR = np.array([[0, child] for child in range(1, 9)] + [[1, 9]], np.int32)
COUNT = 10


def plan_of(edges=STAR, count=COUNT, **settings):
    return make_negatives(count, edges, FitConfig(**{"method": "hyperbolic-cones"} | settings))


def run_epoch(config, points, edges, known, rate=0.1):
    """One epoch of SGD, in place; returns the number of active negatives."""
    method = METHODS[config.method]
    trainer = Trainer(method, config.settings, points, np.zeros(len(points)), edges, known, 0, "sgd")
    return trainer.run(0, rate, make_negatives(len(points), edges, config))[1]


class TestPlan:
    @pytest.mark.parametrize(
        ("method", "corrupt", "given", "shares"),
        [
            ("order", "child", 7, (7, 0, 0)),
            ("order", "parent", 7, (0, 7, 0)),
            ("order", "both", 8, (4, 4, 0)),
            ("order", "both", 7, (4, 3, 0)),
            ("order", "both", 1, (1, 0, 0)),
            ("hyperbolic-cones", "both", 20, (8, 8, 4)),
            ("euclidean-cones", "both", 9, (4, 4, 1)),
            ("hyperbolic-cones", "both", 1, (1, 0, 0)),
            ("hyperbolic-cones", "child", 20, (20, 0, 0)),
        ],
    )
    def test_each_side_gets_its_share_and_a_fifth_are_relatives_for_cones_with_both_ends(
        self, method, corrupt, given, shares
    ):
        plan = plan_of(method=method, corrupt=corrupt, negatives=given)
        assert (plan.children, plan.parents, plan.relatives) == shares
        assert FitConfig(method=method, corrupt=corrupt, negatives=given, dim=2).relatives == 0

    def test_relatives_are_nodes_under_the_same_parent_that_have_children(self, tree):
        plan = plan_of(tree.closure(), len(tree), relatives=3, negatives=9)
        assert (plan.children, plan.parents, plan.relatives) == (3, 3, 3)
        for parent in range(len(tree)):
            found = set(Adjacency(*plan.relative_pools)[parent].tolist())
            assert found == set(tree.descendants_of(parent).tolist()) - set(tree.leaf_rows.tolist())

    def test_any_node_may_replace_a_child_and_on_request_only_non_leaves_a_parent_also_by_degree(self):
        plan = plan_of(parent_candidates="non-leaves")
        assert np.array_equal(np.sort(plan.child_pool), np.arange(COUNT))
        assert plan.parent_pool.tolist() == [0, 1]
        assert len(plan_of(parent_candidates="all").parent_pool) == COUNT
        plan = plan_of(sampling="degree", parent_candidates="non-leaves")
        assert set(plan.parent_pool) == {0, 1}
        counts = np.bincount(plan.child_pool)
        assert counts[0] > counts[1] > counts[2] == counts[9]

    @pytest.mark.parametrize("power", [0.0, 0.75, 1.0])
    def test_a_degree_pool_lists_nodes_in_proportion_and_leaves_none_out(self, power):
        rng = np.random.default_rng(0)
        rows, degrees = np.arange(500, dtype=np.int32), rng.geometric(0.2, 500)
        pool = pool_by_degree(rows, degrees, power)
        wanted = (degrees + 1.0) ** power
        wanted *= len(rows) * POOL_ENTRIES_PER_NODE / wanted.sum()
        assert np.abs(np.bincount(pool, minlength=500) - np.maximum(wanted, 1)).max() <= 0.5
        assert pool.dtype == np.int32
        degrees[:] = [10**6, *[0] * 499]
        assert len(np.unique(pool_by_degree(rows, degrees, 2.0))) == 500


class TestKnown:
    def test_the_closure_of_the_training_edges_is_known_only_on_request(self):
        chain = Hierarchy.from_pairs([("a", "b"), ("b", "c")])
        config = FitConfig(method="hyperbolic-cones", edges="as-given")
        edges = training_edges(chain, config, None)
        assert len(known_pairs(chain, edges, config).rows) == 2
        assert len(known_pairs(chain, edges, FitConfig(method="hyperbolic-cones", known="closure")).rows) == 3

    @pytest.mark.parametrize("corrupt", ["child", "parent", "both"])
    def test_known_pairs_are_never_pushed(self, method, corrupt):
        """If all pairs are known, the number of negatives makes no difference: only positives move points."""
        known = parent_lists(np.argwhere(~np.eye(COUNT, dtype=bool)).astype(np.int32), COUNT)
        given = {"corrupt": corrupt, "push_inside": "both", "parent_candidates": "all", "start_spread": 0.5}
        results = []
        for negatives in (1, 12):
            config = FitConfig(method=method.name, dim=2, negatives=negatives, **given)
            points = method.project(random_points(COUNT, config), config.settings)
            before = points.copy()
            assert run_epoch(config, points, STAR, known) == 0
            results.append(points)
        assert np.array_equal(*results)
        # The softmax of the true end alone is 1, and has no gradient.
        assert np.array_equal(results[0], before) == (method.loss == "softmax")


def drawn_rows(edges, known, count, one_end=False, **settings):
    """The rows of all negative pairs of an epoch, one line per edge, and the end that each line's rows replace."""
    config = FitConfig(**{"method": "hyperbolic-cones", "parent_candidates": "all"} | settings)
    plan = make_negatives(count, edges, config)
    examples = Examples(edges, KnownPairs.of(known, plan.child_pool), plan)
    order, blocks = shuffled_order(len(edges), 0, 0), []
    for begin in range(0, len(edges), BLOCK):
        end = min(begin + BLOCK, len(edges))
        rows = np.full((BLOCK, config.negatives), count, np.uint32)
        scratch = np.empty(rows.size + 1, np.uint64)
        draw_block(rows, scratch, examples, order, begin, end, config.seed, 0, one_end)
        blocks.append(rows[: end - begin])
    return edges[order], np.concatenate(blocks).astype(int), plan


class TestDrawnAgain:
    @pytest.mark.parametrize("size", [2, 40, 3_000])
    @pytest.mark.parametrize("corrupt", ["child", "parent", "both"])
    def test_there_are_always_as_many_negative_pairs_as_configured_and_none_is_known(self, size, corrupt):
        """In a forest of stars of many sizes, in which up to half of all nodes are known to be below one."""
        rng = np.random.default_rng(size)
        count = 2 * size + 10
        child = np.arange(1, size)
        edges = np.stack([rng.integers(0, np.minimum(child, 5)), child], axis=1).astype(np.int32)
        known = Hierarchy([str(row) for row in range(count)], edges).ancestor_lists()
        relatives = 3 if corrupt == "both" else 0
        pairs, rows, plan = drawn_rows(edges, known, count, negatives=12, corrupt=corrupt, relatives=relatives)
        ends = np.repeat(pairs[:, None, :], 12, axis=1)
        replaces_child = np.arange(12) < plan.children
        ends[:, replaces_child, 1] = rows[:, replaces_child]
        ends[:, ~replaces_child, 0] = rows[:, ~replaces_child]
        true = {(int(parent), child) for child in range(count) for parent in known[child]}
        assert not true & {(int(parent), int(child)) for parent, child in ends.reshape(-1, 2)}
        assert (ends[..., 0] != ends[..., 1]).all()
        assert rows.max() < count

    def test_a_root_that_is_known_above_all_others_has_no_negative_children_and_its_children_have_parents(self):
        star = np.array([[0, child] for child in range(1, 9)], np.int32)
        pairs, rows, plan = drawn_rows(star, parent_lists(star, 9), 9, negatives=10, corrupt="both", relatives=0)
        # A row that is not found is the root itself, which is never used.
        assert (rows[:, : plan.children] == 0).all()
        assert (rows[:, plan.children :] != 0).all()
        assert (rows[:, plan.children :] != pairs[:, 1:]).all()

    def test_the_rows_that_are_left_are_drawn_evenly(self):
        """Node 0 is known above 1 … 49 of 100; every other node makes a negative pair equally often."""
        edges = np.array([[0, child] for child in range(1, 50)] * 200, np.int32)
        known = parent_lists(edges[:49], 100)
        _, rows, _ = drawn_rows(edges, known, 100, negatives=20, corrupt="child")
        counts = np.bincount(rows.ravel(), minlength=100)
        assert (counts[:50] == 0).all()
        expected = rows.size / 50
        assert abs(((counts[50:] - expected) ** 2 / expected).sum() - 49) < 4.5 * np.sqrt(98)

    def test_where_a_parent_has_no_relatives_that_are_wrong_any_parent_is_drawn(self):
        """In a path all relatives are above the child."""
        path = Hierarchy.from_pairs([(str(i), str(i + 1)) for i in range(30)])
        edges = np.array(path.closure(), np.int32)
        pairs, rows, plan = drawn_rows(edges, path.ancestor_lists(), 31, negatives=9, corrupt="both", relatives=4)
        below = rows[:, plan.children :] > pairs[:, 1:]
        # Nothing is wrong above the last node.
        assert below[pairs[:, 1] < 25].all()

    def test_the_softmax_loss_replaces_one_end_of_an_edge_by_as_many_rows(self):
        path = Hierarchy.from_pairs(
            [(str(i), str(i + 1)) for i in range(30)] + [("other", str(i)) for i in range(31, 60)]
        )
        edges = np.array(path.edges, np.int32)
        given = {"method": "poincare", "negatives": 10, "corrupt": "both", "one_end": True}
        pairs, rows, _ = drawn_rows(edges, parent_lists(edges, len(path)), len(path), **given)
        known = set(map(tuple, edges.tolist()))
        replaced_parents = replaced_children = 0
        for (parent, child), line in zip(pairs.tolist(), rows.tolist(), strict=True):
            as_children = all(row != parent and (parent, row) not in known for row in line)
            as_parents = all(row != child and (row, child) not in known for row in line)
            assert as_children or as_parents
            replaced_children += not as_parents
            replaced_parents += not as_children
        assert replaced_parents + replaced_children > 0


@pytest.mark.parametrize("name", ["hyperbolic-cones", "euclidean-cones"])
@pytest.mark.parametrize("push", ["none", "child", "parent", "both"])
@pytest.mark.parametrize(("side", "third"), [("child", [0.6, 0.01]), ("parent", [0.4, 0.01])])
def test_a_negative_deep_inside_a_cone_is_pushed_only_on_request(name, push, side, third):
    """One edge (0, 1), and a negative pair with node 2 deep inside a cone, where the paper's hinge loss is flat."""
    points, edges = np.array([[0.3, 0.0], [0.7, 0.0], third]), np.array([[0, 1]], np.int32)
    given = {"negatives": 20, "corrupt": side, "push_inside": push, "parent_candidates": "all"}
    config, after = FitConfig(method=name, dim=2, **given), points.copy()
    run_epoch(config, after, edges, parent_lists(edges, 3), rate=0.01)
    moves = push in (side, "both")
    assert (not np.array_equal(after[2], points[2])) == moves
    parent, child = (0, 2) if side == "child" else (2, 1)
    energies = [METHODS[name].signed_energy(p[parent], p[child], config.settings) for p in (points, after)]
    assert energies[1] > energies[0] or not moves


def test_a_weight_multiplies_the_gradient_of_the_positives(make_stage, tree):
    """Without negatives in reach, plain SGD at twice the weight is SGD at twice the rate; one is the default."""

    def trained(**settings):
        stage = make_stage(tree, **settings)
        return stage.train(random_points(len(tree), stage.config)).points

    alone = {"optimizer": "sgd", "epochs": 1, "margin": 1e-9, "corrupt": "child", "push_inside": "none"}
    weighted = trained(**alone, rate=0.01, positive_weight=2.0)
    assert weighted == pytest.approx(trained(**alone, rate=0.02), abs=1e-9)
    assert np.array_equal(trained(positive_weight=1.0), trained())
    assert not np.array_equal(trained(positive_weight=3.0), trained())
