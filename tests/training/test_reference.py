"""An epoch of the compiled loops against the same epoch written slowly, with readable energies and plain Python.

The slow one shares the random draws and nothing else: energies are NumPy's, gradients are differences of them, steps
are the geometry's.
"""

import itertools

import numpy as np
import pytest

from hypercone.data import load_dataset
from hypercone.geometry import cones, poincare
from hypercone.hierarchy import Adjacency
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.methods import METHODS
from hypercone.methods.generic_kernels import LONGEST_GRADIENT
from hypercone.training import FitConfig
from hypercone.training.loop import Trainer
from hypercone.training.sampling import make_negatives

MARGIN_METHODS = [name for name, method in METHODS.items() if method.loss == "margin"]
DISTANCE_METHODS = [name for name, method in METHODS.items() if method.loss == "softmax"]
WHICH_END = 0xFFFFFFFF


class Slow:
    """The state of one epoch, and one step of each optimiser."""

    def __init__(self, config, points, edges, known, draws):
        self.method, self.settings = METHODS[config.method], config.settings
        self.config, self.points, self.edges, self.known = config, points.copy(), edges, known
        self.memory = np.zeros(len(points))
        self.plan = make_negatives(len(points), edges, config)
        self.draws = draws

    def drawn(self, edge, first, count, pool):
        return pool[self.draws(self.config.seed, 0, edge, first, count, len(pool))]

    def energy(self, parent, child):
        return float(self.method.signed_energy(self.points[parent], self.points[child], self.settings))

    def gradients(self, parent, child):
        """∂energy of both ends, by differences of the sixth order."""
        u, v = self.points[parent], self.points[child]
        if self.method.name == "order":
            slope = 2 * np.maximum(0.0, u - v)
            return slope, -slope
        h = 1e-2 * smallest_feature(self.method, self.settings, u, v)
        weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
        slopes = np.zeros((2, len(u)))
        for side, k in itertools.product((0, 1), range(len(u))):
            for j, weight in weights.items():
                for sign in (1, -1):
                    ends = [u.copy(), v.copy()]
                    ends[side][k] += sign * j * h
                    slopes[side, k] += sign * weight * self.method.signed_energy(*ends, self.settings) / h
        return slopes

    def step(self, row, gradient):
        x, rate = self.points[row], self.config.rate
        scale = float(poincare.conformal_factor(x)) if self.method.is_hyperbolic else 1.0
        move = -rate * gradient / scale**2
        if self.config.optimizer == "adagrad":
            length = np.linalg.norm(gradient) / scale
            if length == 0:
                return
            clipped = min(length, LONGEST_GRADIENT)
            self.memory[row] += clipped**2
            move *= clipped / length / np.sqrt(self.memory[row])
        goes_along = self.config.optimizer == "sgd-exp" and self.method.is_hyperbolic
        moved = poincare.exp_map(x, move) if goes_along else x + move
        self.points[row] = self.method.project(moved, self.settings)

    def needs_a_push(self, parent, child, push):
        energy = self.energy(parent, child)
        return energy < self.settings.margin and (energy > 0 or (push and self.method.name != "order"))

    def margin_edge(self, edge):
        parent, child = self.edges[edge]
        plan = self.plan
        children = self.drawn(edge, 0, plan.children, plan.child_pool)
        parents = self.drawn(edge, plan.children, plan.parents, plan.parent_pool)
        kin = Adjacency(*plan.relative_pools)[parent]
        if len(kin):
            parents = [*parents, *self.drawn(edge, plan.children + plan.parents, plan.relatives, kin)]
        active = [(parent, row) for row in children if self.needs_a_push(parent, row, plan.push_children)]
        active += [(row, child) for row in parents if self.needs_a_push(row, child, plan.push_parents)]
        violated = self.energy(parent, child) > 0
        total = {parent: np.zeros(2), child: np.zeros(2)}
        if violated:
            of_parent, of_child = self.gradients(parent, child)
            total[parent] += of_parent
            total[child] += of_child
        pushed = 0
        for u, v in active:
            if u == v or (u, v) in self.known:
                continue
            of_u, of_v = self.gradients(u, v)
            kept, of_kept, other, of_other = (u, of_u, v, of_v) if u == parent else (v, of_v, u, of_u)
            total[kept] -= of_kept
            self.step(other, -of_other)
            pushed += 1
        self.step(parent, total[parent])
        self.step(child, total[child])
        return violated, pushed

    def candidates(self, edge):
        """(the end that stays, the true other end, the corrupted ones that are used)."""
        parent, child = self.edges[edge]
        plan = self.plan
        size = plan.children + plan.parents
        anchor_is_parent = self.draws(self.config.seed, 0, edge, WHICH_END, 1, size)[0] < plan.children
        rows = self.drawn(edge, 0, size, plan.child_pool if anchor_is_parent else plan.parent_pool)
        anchor, true = (parent, child) if anchor_is_parent else (child, parent)
        pairs = [(anchor, row) if anchor_is_parent else (row, anchor) for row in rows]
        used = [row for row, pair in zip(rows, pairs, strict=True) if row != anchor and pair not in self.known]
        return anchor, true, used

    def softmax_edge(self, edge):
        anchor, true, used = self.candidates(edge)
        others = [true, *used]
        distances = np.array([self.energy(anchor, other) for other in others])
        shares = np.exp(-distances) / np.exp(-distances).sum()
        of_anchor = np.zeros(2)
        moves = []
        for other, share in zip(others, shares, strict=True):
            pull = float(other == true) - share
            of_a, of_o = self.gradients(anchor, other)
            of_anchor += pull * of_a
            moves.append((other, pull * of_o))
        for other, gradient in moves:
            self.step(other, gradient)
        self.step(anchor, of_anchor)
        return distances.min() < distances[0], len(used)


def smallest_feature(method, settings, u, v):
    step, r = v - u, np.linalg.norm(u)
    features = [1.0, np.linalg.norm(step)]
    if method.is_hyperbolic:
        features += [1 - r, 1 - np.linalg.norm(v)]
    if method.name.endswith("cones"):
        features += [np.linalg.norm(step - step @ u / r**2 * u), np.linalg.norm(step + u)]
        features += [r - (cones.inner_radius(settings.K) if method.is_hyperbolic else settings.K)]
    return min(features)


def start(config, count):
    """Points well inside every domain, so that differences of energies can be taken."""
    rng = np.random.default_rng(config.seed)
    rays = rng.normal(size=(count, 2))
    return rays / np.linalg.norm(rays, axis=1, keepdims=True) * rng.uniform(0.3, 0.8, (count, 1))


def compare(config, edges, count, draws, visit):
    pairs = {(int(u), int(v)) for u, v in edges}
    known = parent_lists(edges, count)
    points = start(config, count)
    slow = Slow(config, points, edges, pairs, draws.draws)
    method = METHODS[config.method]
    trainer = Trainer(method, config.settings, points, np.zeros(count), edges, known, config.seed, config.optimizer)
    counts = trainer.run(0, config.rate, slow.plan)
    expected = [visit(slow, edge) for edge in draws.shuffled(len(edges), config.seed, 0)]
    assert counts == tuple(sum(int(part) for part in column) for column in zip(*expected, strict=True))
    np.testing.assert_allclose(points, slow.points, rtol=0, atol=1e-8)
    np.testing.assert_allclose(trainer.memory, slow.memory, rtol=1e-6, atol=1e-12)
    return counts


@pytest.mark.parametrize("name", MARGIN_METHODS)
@pytest.mark.parametrize(("corrupt", "relatives"), [("both", 0), ("child", 0), ("parent", 0), ("both", 4)])
def test_an_epoch_of_the_margin_loss_is_the_slow_one(name, corrupt, relatives, optimizer, tree, random_functions):
    config = FitConfig(
        method=name,
        dim=2,
        seed=3,
        optimizer=optimizer,
        rate=0.01,
        margin=1.5,
        negatives=9,
        corrupt=corrupt,
        relatives=relatives,
        push_inside="parent",
    )
    edges = np.array(tree.closure(), np.int32)
    violated, pushed = compare(config, edges, len(tree), random_functions, Slow.margin_edge)
    assert violated > 5
    assert pushed > 5


@pytest.mark.parametrize("name", DISTANCE_METHODS)
@pytest.mark.parametrize("corrupt", ["both", "child", "parent"])
def test_an_epoch_of_the_softmax_loss_is_the_slow_one(name, corrupt, optimizer, random_functions):
    tree = load_dataset("tree-2-3")
    edges = np.array(tree.edges, np.int32)
    config = next(
        config
        for seed in itertools.count()
        if draws_no_node_twice(
            config := FitConfig(
                method=name, dim=2, seed=seed, optimizer=optimizer, rate=0.03, negatives=3, corrupt=corrupt
            ),
            edges,
            random_functions.draws,
        )
    )
    _, used = compare(config, edges, len(tree), random_functions, Slow.softmax_edge)
    assert used > len(edges)


def draws_no_node_twice(config, edges, draws):
    """A node drawn twice for an edge is pushed twice, the second time from where the first put it: not pinned here."""
    slow = Slow(config, np.zeros((15, 2)), edges, {(int(u), int(v)) for u, v in edges}, draws)
    used = [slow.candidates(edge)[2] for edge in range(len(edges))]
    return all(len(set(rows)) == len(rows) for rows in used)


def test_relatives_are_nodes_under_the_same_parent_that_have_nodes_of_their_own(tree):
    plan = make_negatives(len(tree), tree.closure(), FitConfig(method="hyperbolic-cones", relatives=3, negatives=9))
    assert (plan.children, plan.parents, plan.relatives) == (3, 3, 3)
    for parent in range(len(tree)):
        found = set(Adjacency(*plan.relative_pools)[parent].tolist())
        assert found == set(tree.descendants_of(parent).tolist()) - set(tree.leaf_rows.tolist())
