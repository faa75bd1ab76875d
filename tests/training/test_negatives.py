"""Wrong pairs: how many of each kind, from where, and never one that is known to be true."""

import numpy as np
import pytest

from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.methods import METHODS
from hypercone.training import FitConfig
from hypercone.training.loop import Trainer
from hypercone.training.sampling import (
    POOL_ENTRIES_PER_NODE,
    known_pairs,
    make_negatives,
    pool_by_degree,
    training_edges,
)
from hypercone.training.start import random_points

STAR = np.array([[0, child] for child in range(1, 9)] + [[1, 9]], np.int32)


def everything_but_itself(count):
    return np.array([(u, v) for u in range(count) for v in range(count) if u != v], np.int32)


class TestPlan:
    @pytest.mark.parametrize(
        ("corrupt", "negatives", "children", "parents"),
        [("child", 7, 7, 0), ("parent", 7, 0, 7), ("both", 8, 4, 4), ("both", 7, 4, 3), ("both", 1, 1, 0)],
    )
    def test_each_side_gets_its_share(self, corrupt, negatives, children, parents):
        plan = make_negatives(
            10, STAR, FitConfig(method="hyperbolic-cones", corrupt=corrupt, negatives=negatives, relatives=0)
        )
        assert (plan.children, plan.parents) == (children, parents)

    @pytest.mark.parametrize(
        ("method", "corrupt", "negatives", "relatives"),
        [
            ("hyperbolic-cones", "both", 20, 4),
            ("euclidean-cones", "both", 9, 1),
            ("hyperbolic-cones", "both", 1, 0),
            ("hyperbolic-cones", "child", 20, 0),
            ("order", "both", 20, 0),
        ],
    )
    def test_a_fifth_are_relatives_for_cones_with_both_ends_corrupted(self, method, corrupt, negatives, relatives):
        config = FitConfig(method=method, corrupt=corrupt, negatives=negatives)
        plan = make_negatives(10, STAR, config)
        assert plan.relatives == relatives
        assert plan.children + plan.parents + plan.relatives == negatives
        assert FitConfig(method=method, corrupt=corrupt, negatives=negatives, dim=2).relatives == 0

    def test_replaced_children_may_be_any_node(self):
        plan = make_negatives(10, STAR, FitConfig(method="hyperbolic-cones", parent_candidates="non-leaves"))
        assert np.array_equal(np.sort(plan.child_pool), np.arange(10))

    def test_replaced_parents_are_nodes_with_children_when_asked(self):
        assert make_negatives(
            10, STAR, FitConfig(method="hyperbolic-cones", parent_candidates="non-leaves")
        ).parent_pool.tolist() == [0, 1]
        assert (
            len(make_negatives(10, STAR, FitConfig(method="hyperbolic-cones", parent_candidates="all")).parent_pool)
            == 10
        )

    @pytest.mark.parametrize("push", ["none", "child", "parent", "both"])
    def test_pushing_is_asked_for_by_side(self, push):
        plan = make_negatives(10, STAR, FitConfig(method="hyperbolic-cones", push_inside=push))
        assert (plan.push_children, plan.push_parents) == (push in ("child", "both"), push in ("parent", "both"))

    @pytest.mark.parametrize("power", [0.0, 0.75, 1.0])
    def test_a_degree_pool_lists_nodes_in_proportion(self, power):
        rng = np.random.default_rng(0)
        rows, degrees = np.arange(500, dtype=np.int32), rng.geometric(0.2, 500)
        pool = pool_by_degree(rows, degrees, power)
        wanted = (degrees + 1.0) ** power
        wanted *= len(rows) * POOL_ENTRIES_PER_NODE / wanted.sum()
        assert np.abs(np.bincount(pool, minlength=500) - np.maximum(wanted, 1)).max() <= 0.5
        assert pool.dtype == np.int32

    def test_no_node_is_left_out_of_a_degree_pool(self):
        degrees = np.zeros(1_000, np.int64)
        degrees[0] = 10**6
        assert len(np.unique(pool_by_degree(np.arange(1_000, dtype=np.int32), degrees, 2.0))) == 1_000

    def test_degree_sampling_keeps_wrong_parents_to_candidates(self):
        plan = make_negatives(
            10, STAR, FitConfig(method="hyperbolic-cones", sampling="degree", parent_candidates="non-leaves")
        )
        assert set(plan.parent_pool) == {0, 1}
        counts = np.bincount(plan.child_pool)
        assert counts[0] > counts[1] > counts[2] == counts[9]


class TestKnown:
    def test_known_lists_the_parents_of_each_child(self):
        known = parent_lists(STAR, 11)
        assert known[9].tolist() == [1]
        assert known.offsets[0] == known.offsets[1] == 0
        assert known.offsets[-1] == len(STAR)
        assert known.offsets[10] == known.offsets[11]

    def test_the_closure_of_the_training_edges_is_known_only_when_asked(self):
        chain = Hierarchy.from_pairs([("a", "b"), ("b", "c")])
        config = FitConfig(method="hyperbolic-cones", edges="as-given")
        edges = training_edges(chain, config, None)
        assert len(known_pairs(chain, edges, config).rows) == 2
        assert len(known_pairs(chain, edges, FitConfig(method="hyperbolic-cones", known="closure")).rows) == 3

    @pytest.mark.parametrize("corrupt", ["child", "parent", "both"])
    def test_known_pairs_are_never_pushed(self, method, corrupt):
        """With every wrong pair known, it does not matter how many are drawn: only positives move points."""
        count = 10
        known = parent_lists(everything_but_itself(count), count)
        results = []
        for negatives in (1, 12):
            config = FitConfig(
                method=method.name,
                dim=2,
                negatives=negatives,
                corrupt=corrupt,
                push_inside="both",
                parent_candidates="all",
                start_spread=0.5,
            )
            points = method.project(random_points(count, config), config.settings)
            before = points.copy()
            trainer = Trainer(method, config.settings, points, np.zeros(count), STAR, known, 0, "sgd")
            _, active = trainer.run(0, 0.1, make_negatives(count, STAR, config))
            results.append(points)
            assert active == 0
        assert np.array_equal(*results)
        # The softmax of the true end alone is certain, and so without a gradient.
        assert np.array_equal(results[0], before) == (method.loss == "softmax")

    def test_a_wrong_pair_that_is_not_known_is_pushed(self, method):
        count = 10
        config = FitConfig(method=method.name, dim=2, push_inside="both", start_spread=0.5, margin=1.5)
        points = method.project(random_points(count, config), config.settings)
        trainer = Trainer(method, config.settings, points, np.zeros(count), STAR, parent_lists(STAR, count), 0, "sgd")
        _, active = trainer.run(0, 0.01, make_negatives(count, STAR, config))
        assert active > 0 if method.loss == "margin" else active > len(STAR)


@pytest.mark.parametrize("name", ["hyperbolic-cones", "euclidean-cones"])
class TestPushInside:
    """One edge (0, 1) and one wrong pair deep inside a cone, which the paper's hinge leaves where it is."""

    def run(self, name, points, known, corrupt, push):
        method = METHODS[name]
        config = FitConfig(method=name, dim=2, negatives=20, corrupt=corrupt, push_inside=push, parent_candidates="all")
        points = points.copy()
        edges = np.array([[0, 1]], np.int32)
        trainer = Trainer(method, config.settings, points, np.zeros(3), edges, parent_lists(known, 3), 0, "sgd")
        trainer.run(0, 0.01, make_negatives(3, edges, config))
        return points

    @pytest.mark.parametrize(("push", "moves"), [("none", False), ("parent", False), ("child", True), ("both", True)])
    def test_a_wrong_child_inside_the_cone_is_pushed_only_when_asked(self, name, push, moves):
        points = np.array([[0.3, 0.0], [0.7, 0.0], [0.6, 0.01]])
        after = self.run(name, points, np.array([[0, 1]]), "child", push)
        assert (not np.array_equal(after[2], points[2])) == moves
        if moves:
            energies = [METHODS[name].signed_energy(p[0], p[2], FitConfig().settings) for p in (points, after)]
            assert energies[1] > energies[0]

    @pytest.mark.parametrize(("push", "moves"), [("none", False), ("child", False), ("parent", True), ("both", True)])
    def test_a_wrong_parent_around_the_child_is_pushed_only_when_asked(self, name, push, moves):
        points = np.array([[0.3, 0.0], [0.7, 0.0], [0.4, 0.01]])
        after = self.run(name, points, np.array([[0, 1]]), "parent", push)
        assert (not np.array_equal(after[2], points[2])) == moves
        if moves:
            energies = [METHODS[name].signed_energy(p[2], p[1], FitConfig().settings) for p in (points, after)]
            assert energies[1] > energies[0]
