"""Balls moved until as many true pairs as possible hold and few wrong ones: within their skeleton, then freely."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone.construction.overlap_count_kernels import count_overlaps, find_wrong, fit_boxes
from hypercone.construction.overlap_kernels import (
    add_edges,
    add_siblings,
    add_wrong_pairs,
    find_open,
    move,
    place_balls,
    pull_back,
    pull_true,
    push_wrong,
    step,
    sums_from_the_top,
)
from hypercone.construction.skeleton import Places, Skeleton, dimension_for, pairs_in_forest
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph import flipped_lists
from hypercone.index.index_kernels import halve
from hypercone.methods.scoring import Counts
from hypercone.progress import Reporter, Step
from hypercone.runs import Checkpoint
from hypercone.runs.checkpoint import reading_state
from hypercone.runs.folder import FREE, NESTED, FitContext

Floats = NDArray[np.float64]

# The balls of a family take this share of the ball above, each by its weight, to begin with.
FILLING = 0.55
# Balls that nothing stands in need little room.
LEAF_RATIO, ROOM_RATIO = 0.02, 0.2
WIDEST_RATIO = 0.985
# In a deep hierarchy balls are made larger than fitting, so that the deepest is not smaller than this at first.
SMALLEST_AT_FIRST, SMALLEST_IF_DEEP = 1e-8, 1e-5
# Deeper than so many levels is deep: were every level to shrink by its own, the lowest would be too small for floats.
DEEP, SHRINKING_LEVELS = 20, 10
TINY = 1e-300
# How far the logarithm of a ratio may move: without bounds radii shrink and shrink, which is a way out of every loss.
SHRINK, GROW = 0.2, 0.5
EDGE_MARGIN, NESTED_WRONG_MARGIN = 0.05, 0.1


@dataclass(frozen=True)
class NestedPlan:
    """How long and how fast: iterations that part siblings, then those that overlap; counts every so many of them."""

    parting: int = 100
    iterations: int = 1000
    parting_rate: float = 0.03
    first_rate: float = 0.02
    last_rate: float = 0.001
    count_every: int = 4

    def rate(self, iteration: int) -> float:
        """How far an offset may move: falling linearly."""
        return self.first_rate + (self.last_rate - self.first_rate) * iteration / self.iterations


class Shape(NamedTuple):
    """Where each ball lies in the one above it: its offset, and the logarithm of its radius, in radii of that one."""

    offsets: Floats
    log_ratios: Floats


class Bounds(NamedTuple):
    """Between what the logarithm of the ratio of each ball stays."""

    lowest: Floats
    highest: Floats


class _Wrong(NamedTuple):
    """Wrong pairs: the ball that holds, the top of the subtree it holds, how many more of it are wrong than right."""

    holders: Places
    tops: Places
    weights: Floats


def first_shape(skeleton: Skeleton, dim: int, seed: int) -> Shape:
    """Balls of a size fitting what stands below them, at random offsets; ``dim`` is that of the balls."""
    rng = np.random.default_rng(seed)
    sizes, parents, is_node = skeleton.sizes, skeleton.parents[1:], skeleton.rows >= 0
    ratios = np.ones(len(sizes))
    ratios[1:] = FILLING * (sizes[1:] / (sizes[parents] - 1)) ** (1 / dim)
    ratios[is_node & (np.diff(skeleton.below.offsets) == 0)] = LEAF_RATIO
    is_room = ~is_node & ~skeleton.has_kids
    ratios[is_room] = np.minimum(ratios[is_room], ROOM_RATIO)
    log_ratios = _not_too_deep(skeleton, np.log(ratios))
    offsets = rng.normal(size=(len(sizes), dim))
    away = (1 - np.exp(log_ratios)) * rng.uniform(size=len(sizes)) ** (1 / dim) * 0.999
    offsets *= (away / np.linalg.norm(offsets, axis=1))[:, None]
    return Shape(offsets, log_ratios)


def _not_too_deep(skeleton: Skeleton, log_ratios: Floats) -> Floats:
    """Ratios so much nearer to 1, if need be, that the deepest ball is not too small."""
    deepest = float(sums_from_the_top(skeleton.parents, log_ratios).min())
    smallest = SMALLEST_IF_DEEP if skeleton.depth > DEEP else SMALLEST_AT_FIRST
    return log_ratios * min(1.0, math.log(smallest) / min(deepest, -TINY))


def _shrink(skeleton: Skeleton) -> float:
    """How far the logarithm of a ratio may fall; the levels of a deep hierarchy share what a few may."""
    return SHRINK * SHRINKING_LEVELS / skeleton.depth if skeleton.depth > DEEP else SHRINK


def balls_of(skeleton: Skeleton, shape: Shape) -> Balls:
    """The centre and the radius of each ball, in the unit ball."""
    size, dim = shape.offsets.shape
    balls = Balls(np.zeros((size, dim)), np.ones(size))
    place_balls(skeleton.parents, *shape, *balls, dimension_for(size, dim))
    return balls


class NestedRun:
    """A run of the optimisation: the balls as they are, the best so far, and the exact counts of both."""

    def __init__(self, skeleton: Skeleton, shape: Shape, positives: int) -> None:
        self.skeleton = skeleton
        self.positives = positives
        self.offsets, self.log_ratios = shape.offsets.copy(), shape.log_ratios.copy()
        widest = np.maximum(self.log_ratios, math.log(WIDEST_RATIO))
        self.bounds = Bounds(self.log_ratios - _shrink(skeleton), np.minimum(self.log_ratios + GROW, widest))
        size, dim = self.offsets.shape
        self.dim: Any = dimension_for(size, dim)
        self.centres, self.radii = np.zeros((size, dim)), np.ones(size)
        self.in_forest = pairs_in_forest(skeleton)
        self.wrong, self.noted = _room_for_wrong(4 * size + 1000), 0
        self.best, self.best_counts = shape, Counts(0, 0, positives)
        self._weights = (skeleton.gained * skeleton.subtree_weights[skeleton.edges[:, 1]]).astype(np.float64)
        self._subtree_weights = skeleton.subtree_weights.astype(np.float64)
        self._of_balls = Balls(np.zeros((size, dim)), np.zeros(size))
        self._of_shape = Shape(np.zeros((size, dim)), np.zeros(size))
        self._moments = (np.zeros((size, dim)), np.zeros(size), np.zeros(size), np.zeros(size))
        self._steps = 0
        self._place()

    def _place(self) -> None:
        place_balls(self.skeleton.parents, self.offsets, self.log_ratios, self.centres, self.radii, self.dim)

    def count(self) -> Counts:
        """The exact counts of the balls as they are, plain leaves where their holders are; the best are remembered."""
        while True:
            found = count_overlaps(self.skeleton, self.centres, self.radii, NESTED_WRONG_MARGIN, self.wrong, self.dim)
            true, false, self.noted = (int(number) for number in found)
            if self.noted <= len(self.wrong.holders):
                break
            self.wrong = _room_for_wrong(2 * self.noted)
        counts = Counts(self.in_forest + true, false, self.positives)
        if counts.f1 > self.best_counts.f1:
            self.best, self.best_counts = Shape(self.offsets.copy(), self.log_ratios.copy()), counts
        return counts

    def step(self, rate: float, parting: bool) -> None:
        """One step down the gradient, of the edges and of siblings or else of the wrong pairs of the last count."""
        for slope in self._of_balls:
            slope[:] = 0.0
        shape, balls, slopes = (self.offsets, self.log_ratios), (self.centres, self.radii), (*self._of_balls, self.dim)
        add_edges(*balls, self.skeleton.edges, self._weights, EDGE_MARGIN, *slopes)
        if parting:
            add_siblings(self.skeleton.kids, *balls, self._subtree_weights, *slopes)
        else:
            add_wrong_pairs(*balls, self.wrong, self.noted, NESTED_WRONG_MARGIN, *slopes)
        pull_back(self.skeleton.parents, *shape, self.radii, *self._of_balls, *self._of_shape, self.dim)
        self._steps += 1
        step(*shape, *self._of_shape, self._moments, self.bounds, rate, self._steps, self.dim)
        self._place()

    def checkpoint(self, done: int) -> Checkpoint:
        """The state after so many iterations, from which the next one begins."""
        return Checkpoint(NESTED, done, self._state(), {"steps": self._steps, "best": asdict(self.best_counts)})

    def restore(self, found: Checkpoint) -> int:
        """Be as at the time of the checkpoint; returns how many iterations were done."""
        self.best = Shape(self.best.offsets.copy(), self.best.log_ratios.copy())
        found.fill(self._state())
        with reading_state(found):
            self._steps, self.best_counts = int(found.facts["steps"]), Counts(**found.facts["best"])
        self._place()
        return found.epoch

    def _state(self) -> dict[str, Floats]:
        """The arrays that the next iteration depends on, and the best."""
        moments = {f"moment_{i}": moment for i, moment in enumerate(self._moments)}
        best = {"best_offsets": self.best.offsets, "best_log_ratios": self.best.log_ratios}
        return {"offsets": self.offsets, "log_ratios": self.log_ratios, **best, **moments}


def _room_for_wrong(size: int) -> _Wrong:
    return _Wrong(np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size))


def move_nested(skeleton: Skeleton, shape: Shape, positives: int, plan: NestedPlan, context: FitContext) -> Shape:
    """The best shape met on the way from a first one."""
    run, done = NestedRun(skeleton, shape, positives), 0
    if found := context.checkpoints.of(NESTED, plan.iterations):
        done = run.restore(found)
    else:
        with Step("parting caps", plan.parting) as parting:
            for _ in range(plan.parting):
                run.step(plan.parting_rate, parting=True)
                parting.advance()
    report = _reporter(context, "nested caps", plan.iterations)
    for i in range(done, plan.iterations):
        if i % plan.count_every == 0:
            context.checkpoints.offer(i, plan.iterations, partial(run.checkpoint, i), unit="iteration")
            report(i, run.count())
            if run.best_counts.f1 == 1.0:
                return run.best
        run.step(plan.rate(i), parting=False)
    report(plan.iterations, run.count())
    return run.best


def _reporter(context: FitContext, stage: str, total: int) -> Callable[[int, Counts], None]:
    """What takes the number of iterations done and an exact count, and tells of them where anybody listens."""
    if context.progress is None:
        return lambda done, counts: None
    tell = Reporter(context.progress, stage, total, "iteration")
    return lambda done, counts: tell(done, all_pairs_f1=counts.f1)


TRUE_MARGIN, FREE_WRONG_MARGIN = 0.05, 0.1
# Pairs are also watched that hold by a little more than the margin.
WATCHED_MARGIN = 0.1
# Of the way that a ball could go until the next search, at most so much is gone: steps do not all point one way.
LIKELY_WAY = 0.3
# A leaf is a point that has to be inside, or outside, by so much of the ball it hangs in.
LEAF_SCALE = 0.3
# All leaves have one radius, so that none can hold another; it is small beside that of any other ball.
LEAF_RADIUS = 1e-3
# What has children is at least so many times the smallest radius that a leaf may have.
ABOVE_SMALLEST = 10.0
# Cells of so many rows are searched one by one; the halves of the tree last a few searches.
CELL, REBUILD = 6, 10


class Balls(NamedTuple):
    """A ball for each node."""

    centres: Floats
    radii: Floats


class Limits(NamedTuple):
    """The unit of each ball's steps, which balls are leaves and keep their radius, the least log radius of others."""

    strides: Floats
    is_leaf: NDArray[np.bool_]
    smallest: float


@dataclass(frozen=True)
class FreePlan:
    """How long and how fast; wrong pairs are searched for every so many iterations."""

    iterations: int = 1000
    first_rate: float = 0.1
    last_rate: float = 0.002
    search_every: int = 5
    # What a wrong pair weighs beside a true one at first; from the middle on they weigh the same.
    first_wrong_weight: float = 0.1

    def rate(self, iteration: int) -> float:
        """How far a ball may move, in its own radius: falling linearly."""
        return self.first_rate + (self.last_rate - self.first_rate) * iteration / max(1, self.iterations)

    def wrong_weight(self, iteration: int) -> float:
        """What a wrong pair weighs beside a true one."""
        return min(1.0, self.first_wrong_weight + 2 * (1 - self.first_wrong_weight) * iteration / self.iterations)


class FreeRun:
    """A run of the optimisation: the balls as they are, and the best so far."""

    def __init__(self, hierarchy: Hierarchy, kept: NDArray[np.int32], balls: Balls, smallest: float) -> None:
        self.above = hierarchy.ancestor_lists()
        self.below = flipped_lists(self.above)
        self.is_leaf = self.below.counts == 0
        self.holders = np.flatnonzero(~self.is_leaf)
        self.kept, self.smallest = kept, smallest
        self.centres, self.log_radii = balls.centres.copy(), np.log(np.maximum(balls.radii, ABOVE_SMALLEST * smallest))
        size, dim = self.centres.shape
        self.dim: Any = dimension_for(size, dim)
        self.best, self.best_counts = balls, Counts(0, 0, len(self.above.rows))
        self._of_balls = Balls(np.zeros((size, dim)), np.zeros(size))
        self._moments = (np.zeros((size, dim)), np.zeros(size), np.zeros(size), np.zeros(size))
        self._steps = self._searches = 0
        self._wrong, self._found, self._false = np.empty((4 * size + 1000, 2), np.int32), 0, 0
        self._open, self._open_count = np.empty((len(self.above.rows), 2), np.int32), 0
        self._measure()

    def _measure(self) -> None:
        """The radii, how far each ball may step, and by what its pairs are measured: its radius, if it is no leaf."""
        self.radii = np.exp(self.log_radii)
        self.radii[self.is_leaf] = max(LEAF_RADIUS * float(self.radii[self.holders].min()), self.smallest)
        above = np.where(self.kept >= 0, self.radii[self.kept], 1.0)
        self.strides = np.where(self.is_leaf, above, self.radii)
        self.scales = np.where(self.is_leaf, LEAF_SCALE * above, self.radii)

    def search(self, way: float) -> Counts:
        """Find the pairs to look at until the next search, while balls go some way, in radii; the exact counts now."""
        reach = LIKELY_WAY * way
        self._search_wrong(reach)
        balls = (self.centres, self.radii, self.scales)
        found = find_open(*balls, self.above.csr, WATCHED_MARGIN, reach, self._open, self.dim)
        self._open_count, held = found
        counts = Counts(int(held), self._false, len(self.above.rows))
        if counts.f1 > self.best_counts.f1:
            self.best, self.best_counts = Balls(self.centres.copy(), self.radii.copy()), counts
        return counts

    def _search_wrong(self, reach: float) -> None:
        if self._searches % REBUILD == 0:
            floors = max(0, -(-len(self.radii) // CELL) - 1).bit_length()
            self._tree = halve(self.centres, floors, self.dim, np.zeros(1, np.int64))
        self._searches += 1
        needs = self.radii - (FREE_WRONG_MARGIN + reach) * self.scales
        boxes = fit_boxes(self.centres, needs, *self._tree, self.dim)
        balls = (self.holders, self.centres, self.radii, (1 + reach) * self.radii)
        while True:
            found = find_wrong(*balls, self._tree, boxes, self.below.csr, self._wrong, self.dim)
            self._found, self._false = int(found[0]), int(found[1])
            if self._found <= len(self._wrong):
                return
            self._wrong = np.empty((2 * self._found, 2), np.int32)

    def gradient(self, wrong_weight: float) -> None:
        """Write the gradient of the pairs found."""
        for slope in self._of_balls:
            slope[:] = 0.0
        balls, slopes = (self.centres, self.radii, self.scales), (*self._of_balls, self.dim)
        pull_true(*balls, self._open[: self._open_count], TRUE_MARGIN, *slopes)
        push_wrong(*balls, self._wrong[: self._found], wrong_weight, FREE_WRONG_MARGIN, *slopes)

    def move(self, rate: float) -> None:
        """One step down the gradient."""
        self._steps += 1
        limits = Limits(self.strides, self.is_leaf, math.log(ABOVE_SMALLEST * self.smallest))
        balls = (self.centres, self.log_radii, *self._of_balls)
        move(*balls, self._moments, limits, rate, self._steps, self.dim)
        self._measure()

    @property
    def is_about_to_rebuild(self) -> bool:
        """Whether the next search halves the balls anew; until then the state holds a tree that is older than they."""
        return self._searches % REBUILD == 0

    def checkpoint(self, done: int) -> Checkpoint:
        """The state after so many iterations, from which the next one begins, if it is about to rebuild."""
        return Checkpoint(FREE, done, self._state(), {"steps": self._steps, "best": asdict(self.best_counts)})

    def restore(self, found: Checkpoint) -> int:
        """Be as at the time of the checkpoint; returns how many iterations were done."""
        self.best = Balls(self.best.centres.copy(), self.best.radii.copy())
        found.fill(self._state())
        with reading_state(found):
            self._steps, self.best_counts = int(found.facts["steps"]), Counts(**found.facts["best"])
        self._measure()
        return found.epoch

    def _state(self) -> dict[str, Floats]:
        """The arrays that the next iteration depends on, and the best."""
        moments = {f"moment_{i}": moment for i, moment in enumerate(self._moments)}
        best = {"best_centres": self.best.centres, "best_radii": self.best.radii}
        return {"centres": self.centres, "log_radii": self.log_radii, **best, **moments}


def move_freely(
    hierarchy: Hierarchy,
    kept: NDArray[np.int32],
    balls: Balls,
    smallest: float,
    plan: FreePlan,
    context: FitContext,
) -> Balls:
    """The best balls met on the way from some first ones, no radius below ``smallest``."""
    run, report = FreeRun(hierarchy, kept, balls, smallest), _reporter(context, "free caps", plan.iterations)
    found = context.checkpoints.of(FREE, plan.iterations)
    for i in range(run.restore(found) if found else 0, plan.iterations):
        if i % plan.search_every == 0:
            if run.is_about_to_rebuild:
                context.checkpoints.offer(i, plan.iterations, partial(run.checkpoint, i), unit="iteration")
            report(i, run.search(plan.rate(i) * plan.search_every))
            if run.best_counts.f1 == 1.0:
                return run.best
        run.gradient(plan.wrong_weight(i))
        run.move(plan.rate(i))
    report(plan.iterations, run.search(0.0))
    return run.best
