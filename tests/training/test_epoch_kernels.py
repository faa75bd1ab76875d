"""The compiled epochs: draws depend on (seed, epoch, edge) only, and an epoch equals the same epoch in plain Python."""

import itertools

import numpy as np
import pytest

from hypercone._jit import kernel
from hypercone._random_kernels import mix
from hypercone.geometry import cones, poincare
from hypercone.hierarchy import Adjacency
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.methods import METHODS
from hypercone.methods.generic_kernels import LONGEST_GRADIENT
from hypercone.training import FitConfig
from hypercone.training.draw_kernels import (
    MOST_DRAWS,
    MOST_DRAWS_OF_RELATIVES,
    below,
    shuffled_order,
    stream,
)
from hypercone.training.loop import Trainer
from hypercone.training.sampling import make_negatives


@kernel
def draws(seed, epoch, edge, first, count, bound):
    """Draws first … first+count−1 of the stream of an edge, each below the bound."""
    start = stream(seed, epoch, edge)
    found = np.empty(count, np.int64)
    for j in range(count):
        found[j] = np.int64(below(mix(start + np.uint64(first + j)), bound))
    return found


@kernel
def mixed(first, count):
    found = np.empty(count, np.uint64)
    for j in range(count):
        found[j] = mix(np.uint64(first + j))
    return found


@kernel
def streams(seed, epoch, count):
    found = np.empty(count, np.uint64)
    for j in range(count):
        found[j] = stream(seed, epoch, j)
    return found


def assert_like_chance(counts):
    """χ² within 4.5 of its standard deviations; the seeds are fixed, so the result does not vary."""
    freedom, expected = len(counts) - 1, counts.sum() / len(counts)
    chi_square = float(((counts - expected) ** 2 / expected).sum())
    assert abs(chi_square - freedom) < 4.5 * np.sqrt(2 * freedom)


class TestDraws:
    def test_mix_is_splitmix64(self):
        """The first outputs of the reference implementation (Vigna, splitmix64.c) seeded with 0."""
        seeds = [i * 0x9E3779B97F4A7C15 % 2**64 for i in range(3)]
        expected = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
        assert [int(mixed(np.uint64(seed), 1)[0]) for seed in seeds] == expected

    def test_every_bit_of_consecutive_counters_is_fair(self):
        bits = mixed(12_345, 20_000)
        ones = ((bits[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).sum(axis=0)
        assert (np.abs(ones.astype(float) - 10_000) < 4.5 * np.sqrt(5_000)).all()

    def test_draws_are_below_their_bound_and_uniform_for_one_edge_and_for_many(self):
        for bound in (2, 7, 100, 1_000):
            found = draws(5, 3, 17, 0, 200_000, bound)
            assert (found.min(), found.max()) == (0, bound - 1)
            assert_like_chance(np.bincount(found, minlength=bound))
        for bound in (1, 3, 2**31 - 1):
            found = draws(9, 9, 9, 0, 10_000, bound)
            assert 0 <= found.min() <= found.max() < bound
        # As in an epoch: few draws from each of many streams.
        found = np.concatenate([draws(0, 0, edge, 0, 10, 50) for edge in range(5_000)])
        assert_like_chance(np.bincount(found, minlength=50))

    def test_adjacent_seeds_epochs_and_edges_share_no_stream_and_are_independent(self):
        found = [streams(seed, epoch, 1_000) for seed in range(5) for epoch in range(5)]
        assert len(np.unique(np.concatenate(found))) == 25_000
        one, other = (draws(1, 1, edge, 0, 100_000, 10) for edge in (8, 9))
        assert_like_chance(np.bincount(10 * one + other, minlength=100))


class TestShuffle:
    @pytest.mark.parametrize(("count", "seed"), [*((n, 7) for n in (0, 1, 2, 3, 10, 1_000)), (50, 2**63 - 1)])
    def test_every_edge_is_visited_once(self, count, seed):
        order = shuffled_order(count, seed, 3)
        assert order.dtype == np.uint32
        assert np.array_equal(np.sort(order), np.arange(count))
        assert np.array_equal(order, shuffled_order(count, seed, 3))

    def test_the_order_differs_by_seed_and_by_epoch(self):
        seeds = [*range(9), 2**63 - 1]
        assert len({shuffled_order(100, seed, epoch).tobytes() for seed in seeds for epoch in range(10)}) == 100

    def test_all_permutations_are_equally_likely(self):
        orders = np.array([shuffled_order(4, seed, 0) for seed in range(12_000)], np.int64)
        _, counts = np.unique(orders @ [64, 16, 4, 1], return_counts=True)
        assert len(counts) == 24
        assert_like_chance(counts)


MARGIN_METHODS = [name for name, method in METHODS.items() if method.loss == "margin"]
DISTANCE_METHODS = [name for name, method in METHODS.items() if method.loss == "softmax"]
WHICH_END = 0xFFFFFFFF


class Slow:
    """An epoch in plain Python: energies from NumPy, gradients by finite differences, steps from the geometry module.

    It shares only the random draws with the compiled loop.
    """

    def __init__(self, config, points, edges):
        self.method, self.settings = METHODS[config.method], config.settings
        self.config, self.points, self.edges = config, points.copy(), edges
        self.known = {(int(u), int(v)) for u, v in edges}
        self.memory = np.zeros(len(points))
        # The gradients of a batch so far, by row, and the number of its edges.
        self.sums, self.visited = {}, 0
        self.plan = make_negatives(len(points), edges, config)

    def sample(self, edge, first, count, pool, *, child=None, parent=None, relatives=()):
        """Rows that make negative pairs with the child or the parent that is given; first from relatives, if any."""
        found, most = [], MOST_DRAWS
        for place in range(first, first + count):
            others = MOST_DRAWS_OF_RELATIVES if len(relatives) else 1
            for attempt in range(others - 1 + most):
                source = relatives if len(relatives) and attempt < others else pool
                row = source[draws(self.config.seed, 0, edge, place + (attempt << 32), 1, len(source))[0]]
                pair = (row, child) if parent is None else (parent, row)
                if pair[0] != pair[1] and pair not in self.known:
                    found.append(row)
                    break
            else:
                # Such an anchor is related to almost all; the others are drawn once.
                most = 1
        return found

    def energy(self, parent, child):
        return float(self.method.signed_energy(self.points[parent], self.points[child], self.settings))

    def gradients(self, parent, child):
        """∂energy of both ends, by finite differences of sixth order."""
        u, v = self.points[parent], self.points[child]
        if self.method.name == "order":
            slope = 2 * np.maximum(0.0, u - v)
            return slope, -slope
        h = 1e-2 * self.smallest_feature(u, v)
        weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
        slopes = np.zeros((2, len(u)))
        for side, k in itertools.product((0, 1), range(len(u))):
            for j, weight in weights.items():
                for sign in (1, -1):
                    ends = [u.copy(), v.copy()]
                    ends[side][k] += sign * j * h
                    slopes[side, k] += sign * weight * self.method.signed_energy(*ends, self.settings) / h
        return slopes

    def smallest_feature(self, u, v):
        """The distance to the nearest place where the energy has no derivative."""
        step, r = v - u, np.linalg.norm(u)
        features = [1.0, np.linalg.norm(step)]
        if self.method.is_hyperbolic:
            features += [1 - r, 1 - np.linalg.norm(v)]
        if self.method.name.endswith("cones"):
            inner = cones.inner_radius(self.settings.K) if self.method.is_hyperbolic else self.settings.K
            features += [np.linalg.norm(step - step @ u / r**2 * u), np.linalg.norm(step + u), r - inner]
        return min(features)

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

    def move(self, row, gradient):
        """One edge at a time, a node moves at once; in a batch, its gradients are added up."""
        if self.config.batch_size == 1:
            self.step(row, gradient)
        else:
            self.sums[row] = self.sums.get(row, 0.0) + gradient

    def end_edge(self):
        self.visited += 1
        if self.visited % self.config.batch_size == 0 or self.visited == len(self.edges):
            for row, gradient in self.sums.items():
                self.step(row, gradient)
            self.sums = {}

    def needs_a_push(self, parent, child, push):
        energy = self.energy(parent, child)
        return energy < self.settings.margin and (energy > 0 or (push and self.method.name != "order"))

    def margin_edge(self, edge):
        parent, child = self.edges[edge]
        plan = self.plan
        children = self.sample(edge, 0, plan.children, plan.child_pool, parent=parent)
        parents = self.sample(edge, plan.children, plan.parents, plan.parent_pool, child=child)
        kin, first = Adjacency(*plan.relative_pools)[parent], plan.children + plan.parents
        parents += self.sample(edge, first, plan.relatives, plan.parent_pool, child=child, relatives=kin)
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
            of_u, of_v = self.gradients(u, v)
            kept, of_kept, other, of_other = (u, of_u, v, of_v) if u == parent else (v, of_v, u, of_u)
            total[kept] -= of_kept
            self.move(other, -of_other)
            pushed += 1
        self.move(parent, total[parent])
        self.move(child, total[child])
        self.end_edge()
        return violated, pushed

    def candidates(self, edge):
        """(the anchor, the true other end, the corrupted ends)."""
        parent, child = self.edges[edge]
        plan = self.plan
        size = plan.children + plan.parents
        anchor_is_parent = draws(self.config.seed, 0, edge, WHICH_END, 1, size)[0] < plan.children
        if anchor_is_parent:
            return parent, child, self.sample(edge, 0, size, plan.child_pool, parent=parent)
        return child, parent, self.sample(edge, 0, size, plan.parent_pool, child=child)

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
            self.move(other, gradient)
        self.move(anchor, of_anchor)
        self.end_edge()
        return distances.min() < distances[0], len(used)


def compare(config, edges, count, visit):
    """Run both loops, and compare counts, points and optimizer memory."""
    known = parent_lists(edges, count)
    # Well inside every domain, so that finite differences are possible.
    rng = np.random.default_rng(config.seed)
    rays = rng.normal(size=(count, 2))
    points = rays / np.linalg.norm(rays, axis=1, keepdims=True) * rng.uniform(0.3, 0.8, (count, 1))
    slow = Slow(config, points, edges)
    method = METHODS[config.method]
    optimizer = {"optimizer": config.optimizer, "batch_size": config.batch_size}
    trainer = Trainer(method, config.settings, points, np.zeros(count), edges, known, config.seed, **optimizer)
    counts = trainer.run(0, config.rate, slow.plan)
    expected = [visit(slow, edge) for edge in shuffled_order(len(edges), config.seed, 0)]
    assert counts == tuple(sum(int(part) for part in column) for column in zip(*expected, strict=True))
    np.testing.assert_allclose(points, slow.points, rtol=0, atol=1e-8)
    np.testing.assert_allclose(trainer.memory, slow.memory, rtol=1e-6, atol=1e-12)
    return counts


@pytest.mark.parametrize("name", MARGIN_METHODS)
@pytest.mark.parametrize(("corrupt", "relatives"), [("both", 0), ("child", 0), ("parent", 0), ("both", 4)])
def test_an_epoch_of_the_margin_loss_equals_the_slow_one(name, corrupt, relatives, optimizer, tree):
    shape = {"corrupt": corrupt, "relatives": relatives, "negatives": 9, "push_inside": "parent", "margin": 1.5}
    config = FitConfig(method=name, dim=2, seed=3, optimizer=optimizer, rate=0.01, **shape)
    violated, pushed = compare(config, np.array(tree.closure(), np.int32), len(tree), Slow.margin_edge)
    assert violated > 5
    assert pushed > 5


@pytest.mark.parametrize("name", DISTANCE_METHODS)
@pytest.mark.parametrize("corrupt", ["both", "child", "parent"])
def test_an_epoch_of_the_softmax_loss_equals_the_slow_one(name, corrupt, optimizer, tree):
    edges = np.array(tree.edges, np.int32)
    given = {"method": name, "dim": 2, "optimizer": optimizer, "rate": 0.03, "negatives": 3, "corrupt": corrupt}
    configs = (FitConfig(seed=seed, **given) for seed in itertools.count())
    config = next(config for config in configs if draws_no_node_twice(config, edges))
    _, used = compare(config, edges, len(tree), Slow.softmax_edge)
    assert used > len(edges)


def draws_no_node_twice(config, edges):
    """The slow loop does not model a node that is drawn twice for an edge, and so moves twice."""
    slow = Slow(config, np.zeros((15, 2)), edges)
    used = [slow.candidates(edge)[2] for edge in range(len(edges))]
    return all(len(set(rows)) == len(rows) for rows in used)


@pytest.mark.parametrize("name", MARGIN_METHODS)
@pytest.mark.parametrize("size", [2, 10, 1_000])
def test_a_batch_of_the_margin_loss_moves_each_node_once_by_the_sum_of_its_gradients(name, size, optimizer, tree):
    """Batches that divide the edges, that do not, and one of all edges; gradients at the points before each."""
    shape = {"negatives": 9, "relatives": 2, "corrupt": "both", "push_inside": "parent", "margin": 1.5}
    config = FitConfig(method=name, dim=2, seed=3, optimizer=optimizer, rate=0.01, batch_size=size, **shape)
    violated, pushed = compare(config, np.array(tree.closure(), np.int32), len(tree), Slow.margin_edge)
    assert violated > 5
    assert pushed > 5


@pytest.mark.parametrize("name", DISTANCE_METHODS)
@pytest.mark.parametrize("size", [2, 10, 1_000])
def test_a_batch_of_the_softmax_loss_moves_each_node_once_by_the_sum_of_its_gradients(name, size, optimizer, tree):
    given = {"method": name, "dim": 2, "optimizer": optimizer, "rate": 0.03, "negatives": 3, "corrupt": "both"}
    config = FitConfig(**given, batch_size=size)
    edges = np.array(tree.edges, np.int32)
    _, used = compare(config, edges, len(tree), Slow.softmax_edge)
    assert used == 3 * len(edges)
