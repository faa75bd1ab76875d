"""Gradient descent on balls so that many true pairs hold and few false ones: inside the skeleton, then freely."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._jit import dimension_type
from hypercone._math_kernels import exp_each, log, log_each, power_each
from hypercone._random import in_unit_ball
from hypercone.construction.overlap_count_kernels import count_overlaps, find_wrong_pairs, fit_boxes
from hypercone.construction.overlap_kernels import (
    add_edge_gradients,
    add_sibling_gradients,
    add_true_pair_gradients,
    add_wrong_pair_gradients,
    add_wrong_subtree_gradients,
    backpropagate,
    find_violated_pairs,
    move,
    place_balls,
    step,
    sums_from_the_top,
)
from hypercone.construction.skeleton import Places, Skeleton, pairs_in_forest
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph import flipped_lists
from hypercone.index.index_kernels import halve
from hypercone.methods.scoring import Counts
from hypercone.progress import Reporter, Step
from hypercone.runs import Checkpoint
from hypercone.runs.checkpoint import reading_state
from hypercone.runs.folder import FREE, NESTED, FitContext

Floats = NDArray[np.float64]

# Initially the balls of a family take this share of the ball above, in proportion to their weights.
FILLING = 0.55
# Initial ratios of balls that contain nothing: leaves, and groups of plain leaves.
LEAF_RATIO, LEAF_GROUP_RATIO = 0.02, 0.2
WIDEST_RATIO = 0.985
# The smallest initial radius; in a deep hierarchy balls are enlarged until the deepest one has it.
SMALLEST_AT_FIRST, SMALLEST_IF_DEEP = 1e-8, 1e-5
# Beyond this depth the levels share what a few may shrink by, or the deepest balls would underflow.
DEEP, SHRINKING_LEVELS = 20, 10
TINY = 1e-300
# How far the logarithm of a ratio may move. Without bounds all radii shrink, which lowers every loss.
SHRINK, GROW = 0.2, 0.5
EDGE_MARGIN, NESTED_WRONG_MARGIN = 0.05, 0.1


@dataclass(frozen=True)
class NestedPlan:
    """Schedule of the nested phase: iterations that separate siblings, then the main ones, with a count every few."""

    separation_iterations: int = 100
    iterations: int = 1000
    separation_rate: float = 0.03
    first_rate: float = 0.02
    last_rate: float = 0.001
    count_every: int = 4

    def rate(self, iteration: int) -> float:
        """The learning rate of an iteration, in offsets; decays linearly."""
        return self.first_rate + (self.last_rate - self.first_rate) * iteration / self.iterations


class Shape(NamedTuple):
    """Each ball relative to the ball above: its offset and the logarithm of its radius, in units of that radius."""

    offsets: Floats
    log_ratios: Floats


class Bounds(NamedTuple):
    """The lowest and highest log ratio of each ball."""

    lowest: Floats
    highest: Floats


class _WrongPairs(NamedTuple):
    """Wrong pairs: the containing ball, the top of the contained subtree, and its false minus true nodes."""

    holders: Places
    tops: Places
    weights: Floats


def first_shape(skeleton: Skeleton, dim: int, seed: int) -> Shape:
    """Balls sized by the number of places below them, at random offsets, in ``dim`` dimensions."""
    rng = np.random.default_rng(seed)
    sizes, parents, is_node = skeleton.sizes, skeleton.parents[1:], skeleton.rows >= 0
    ratios = np.ones(len(sizes))
    ratios[1:] = FILLING * power_each(sizes[1:] / (sizes[parents] - 1), 1 / dim)
    ratios[is_node & (np.diff(skeleton.below.offsets) == 0)] = LEAF_RATIO
    is_leaf_group = ~is_node & ~skeleton.has_kids
    ratios[is_leaf_group] = np.minimum(ratios[is_leaf_group], LEAF_GROUP_RATIO)
    log_ratios = _limit_depth(skeleton, log_each(ratios))
    offsets = in_unit_ball(rng, len(sizes), dim)
    offsets *= (0.999 * (1 - exp_each(log_ratios)))[:, None]
    return Shape(offsets, log_ratios)


def _limit_depth(skeleton: Skeleton, log_ratios: Floats) -> Floats:
    """The log ratios, scaled towards 0 if the deepest ball would be too small."""
    deepest = float(sums_from_the_top(skeleton.parents, log_ratios).min())
    smallest = SMALLEST_IF_DEEP if skeleton.depth > DEEP else SMALLEST_AT_FIRST
    return log_ratios * min(1.0, float(log(smallest)) / min(deepest, -TINY))


def _max_shrink(skeleton: Skeleton) -> float:
    """How far a log ratio may fall; less per level in a deep hierarchy."""
    return SHRINK * SHRINKING_LEVELS / skeleton.depth if skeleton.depth > DEEP else SHRINK


def balls_of(skeleton: Skeleton, shape: Shape) -> Balls:
    """The center and radius of each ball, in the unit ball."""
    size, dim = shape.offsets.shape
    balls = Balls(np.zeros((size, dim)), np.ones(size))
    place_balls(skeleton.parents, *shape, *balls, dimension_type(dim, size))
    return balls


class NestedRun:
    """State of the nested phase: the current balls, the best ones so far, and their exact counts."""

    def __init__(self, skeleton: Skeleton, shape: Shape, positives: int) -> None:
        self.skeleton = skeleton
        self.positives = positives
        self.offsets, self.log_ratios = shape.offsets.copy(), shape.log_ratios.copy()
        widest = np.maximum(self.log_ratios, log(WIDEST_RATIO))
        self.bounds = Bounds(self.log_ratios - _max_shrink(skeleton), np.minimum(self.log_ratios + GROW, widest))
        size, dim = self.offsets.shape
        self.dim: Any = dimension_type(dim, size)
        self.centers, self.radii = np.zeros((size, dim)), np.ones(size)
        self.in_forest = pairs_in_forest(skeleton)
        self.wrong, self.wrong_count = _empty_wrong_pairs(4 * size), 0
        self.best, self.best_counts = shape, Counts(0, 0, positives)
        self._weights = (skeleton.gained * skeleton.subtree_weights[skeleton.edges[:, 1]]).astype(np.float64)
        self._subtree_weights = skeleton.subtree_weights.astype(np.float64)
        self._ball_gradients = Balls(np.zeros((size, dim)), np.zeros(size))
        self._shape_gradients = Shape(np.zeros((size, dim)), np.zeros(size))
        self._moments = (np.zeros((size, dim)), np.zeros(size), np.zeros(size), np.zeros(size))
        self._steps = 0
        self._place()

    def _place(self) -> None:
        place_balls(self.skeleton.parents, self.offsets, self.log_ratios, self.centers, self.radii, self.dim)

    def count(self) -> Counts:
        """Exact counts of the current balls, with plain leaves at the place that holds them; updates the best."""
        while True:
            found = count_overlaps(self.skeleton, self.centers, self.radii, NESTED_WRONG_MARGIN, self.wrong, self.dim)
            true, false, self.wrong_count = (int(number) for number in found)
            if self.wrong_count <= len(self.wrong.holders):
                break
            self.wrong = _empty_wrong_pairs(2 * self.wrong_count)
        counts = Counts(self.in_forest + true, false, self.positives)
        if counts.f1 > self.best_counts.f1:
            self.best, self.best_counts = Shape(self.offsets.copy(), self.log_ratios.copy()), counts
        return counts

    def step(self, rate: float, separating: bool) -> None:
        """One gradient step on the edges, and on siblings if ``separating``, else on the last wrong pairs."""
        for slope in self._ball_gradients:
            slope[:] = 0.0
        shape, balls, slopes = (
            (self.offsets, self.log_ratios),
            (self.centers, self.radii),
            (*self._ball_gradients, self.dim),
        )
        add_edge_gradients(*balls, self.skeleton.edges, self._weights, EDGE_MARGIN, *slopes)
        if separating:
            add_sibling_gradients(self.skeleton.kids, *balls, self._subtree_weights, *slopes)
        else:
            add_wrong_subtree_gradients(*balls, self.wrong, self.wrong_count, NESTED_WRONG_MARGIN, *slopes)
        backpropagate(
            self.skeleton.parents, *shape, self.radii, *self._ball_gradients, *self._shape_gradients, self.dim
        )
        self._steps += 1
        step(*shape, *self._shape_gradients, self._moments, self.bounds, rate, self._steps, self.dim)
        self._place()

    def checkpoint(self, done: int) -> Checkpoint:
        """The state after ``done`` iterations."""
        return Checkpoint(NESTED, done, self._state(), {"steps": self._steps, "best": asdict(self.best_counts)})

    def restore(self, found: Checkpoint) -> int:
        """Restore a checkpoint; returns how many iterations were done."""
        self.best = Shape(self.best.offsets.copy(), self.best.log_ratios.copy())
        found.fill(self._state())
        with reading_state(found):
            self._steps, self.best_counts = int(found.facts["steps"]), Counts(**found.facts["best"])
        self._place()
        return found.epoch

    def _state(self) -> dict[str, Floats]:
        """The arrays that the next iteration depends on, and the best so far."""
        moments = {f"moment_{i}": moment for i, moment in enumerate(self._moments)}
        best = {"best_offsets": self.best.offsets, "best_log_ratios": self.best.log_ratios}
        return {"offsets": self.offsets, "log_ratios": self.log_ratios, **best, **moments}


def _empty_wrong_pairs(size: int) -> _WrongPairs:
    return _WrongPairs(np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size))


def move_nested(skeleton: Skeleton, shape: Shape, positives: int, plan: NestedPlan, context: FitContext) -> Shape:
    """The best shape found by the nested phase, starting from ``shape``."""
    run, done = NestedRun(skeleton, shape, positives), 0
    if found := context.checkpoints.of(NESTED, plan.iterations):
        done = run.restore(found)
    else:
        with Step("separating caps", plan.separation_iterations) as separating:
            for _ in range(plan.separation_iterations):
                run.step(plan.separation_rate, separating=True)
                separating.advance()
    report = _reporter(context, "nested caps", plan.iterations)
    for i in range(done, plan.iterations):
        if i % plan.count_every == 0:
            context.checkpoints.offer(i, plan.iterations, partial(run.checkpoint, i), unit="iteration")
            report(i, run.count())
            if run.best_counts.f1 == 1.0:
                return run.best
        run.step(plan.rate(i), separating=False)
    report(plan.iterations, run.count())
    return run.best


def _reporter(context: FitContext, stage: str, total: int) -> Callable[[int, Counts], None]:
    """A function of the iterations done and the exact counts that reports progress, if anything listens."""
    if context.progress is None:
        return lambda done, counts: None
    report = Reporter(context.progress, stage, total, "iteration")
    return lambda done, counts: report(done, all_pairs_f1=counts.f1)


TRUE_MARGIN, FREE_WRONG_MARGIN = 0.05, 0.1
# True pairs that hold by less than this are kept on the list, as they may be violated before the next search.
WATCHED_MARGIN = 0.1
# The share of the maximum distance that a ball actually moves until the next search, as its steps change direction.
MOVE_SHARE = 0.3
# The margin of a leaf is measured in this share of its parent's radius.
LEAF_SCALE = 0.3
# All leaves have the same radius, so that none contains another: this share of the smallest other ball.
LEAF_RADIUS = 1e-3
# A ball with children has at least this many times the smallest radius of a leaf.
ABOVE_SMALLEST = 10.0
# The number of rows in a leaf cell of the tree, and the number of searches after which the tree is rebuilt.
CELL, REBUILD = 6, 10


class Balls(NamedTuple):
    """One ball per node."""

    centers: Floats
    radii: Floats


class Limits(NamedTuple):
    """The step unit of each ball, which balls are leaves of fixed radius, and the smallest log radius of others."""

    strides: Floats
    is_leaf: NDArray[np.bool_]
    smallest: float


@dataclass(frozen=True)
class FreePlan:
    """Schedule of the free phase; pairs are searched every ``search_every`` iterations."""

    iterations: int = 1000
    first_rate: float = 0.1
    last_rate: float = 0.002
    search_every: int = 5
    # The initial weight of a wrong pair relative to a true one; equal from the middle on.
    first_wrong_weight: float = 0.1

    def rate(self, iteration: int) -> float:
        """The learning rate of an iteration, in radii of the ball; decays linearly."""
        return self.first_rate + (self.last_rate - self.first_rate) * iteration / max(1, self.iterations)

    def wrong_weight(self, iteration: int) -> float:
        """The weight of a wrong pair relative to a true one."""
        return min(1.0, self.first_wrong_weight + 2 * (1 - self.first_wrong_weight) * iteration / self.iterations)


class FreeRun:
    """State of the free phase: the current balls, and the best ones so far."""

    def __init__(self, hierarchy: Hierarchy, forest_parents: NDArray[np.int32], balls: Balls, smallest: float) -> None:
        self.above = hierarchy.ancestor_lists()
        self.below = flipped_lists(self.above)
        self.is_leaf = self.below.counts == 0
        self.holders = np.flatnonzero(~self.is_leaf)
        self.forest_parents, self.smallest = forest_parents, smallest
        self.centers = balls.centers.copy()
        self.log_radii = log_each(np.maximum(balls.radii, ABOVE_SMALLEST * smallest))
        self.radii = exp_each(self.log_radii)
        size, dim = self.centers.shape
        self.dim: Any = dimension_type(dim, size)
        self.best, self.best_counts = balls, Counts(0, 0, len(self.above.rows))
        self._ball_gradients = Balls(np.zeros((size, dim)), np.zeros(size))
        self._moments = (np.zeros((size, dim)), np.zeros(size), np.zeros(size), np.zeros(size))
        self._steps = self._searches = 0
        self._wrong, self._found, self._false = np.empty((4 * size, 2), np.int32), 0, 0
        self._violated, self._violated_count = np.empty((len(self.above.rows), 2), np.int32), 0
        self._measure()

    def _measure(self) -> None:
        """Update the radii of leaves, step units, and the scales of margins; a leaf borrows these from its parent."""
        self.radii[self.is_leaf] = max(LEAF_RADIUS * float(self.radii[self.holders].min()), self.smallest)
        above = np.where(self.forest_parents >= 0, self.radii[self.forest_parents], 1.0)
        self.strides = np.where(self.is_leaf, above, self.radii)
        self.scales = np.where(self.is_leaf, LEAF_SCALE * above, self.radii)

    def search(self, distance: float) -> Counts:
        """Find the pairs that matter while balls move by ``distance`` (in radii); returns the exact counts."""
        reach = MOVE_SHARE * distance
        self._find_wrong_pairs(reach)
        balls = (self.centers, self.radii, self.scales)
        found = find_violated_pairs(*balls, self.above.csr, WATCHED_MARGIN, reach, self._violated, self.dim)
        self._violated_count, held = found
        counts = Counts(int(held), self._false, len(self.above.rows))
        if counts.f1 > self.best_counts.f1:
            self.best, self.best_counts = Balls(self.centers.copy(), self.radii.copy()), counts
        return counts

    def _find_wrong_pairs(self, reach: float) -> None:
        if self._searches % REBUILD == 0:
            halvings = max(0, -(-len(self.radii) // CELL) - 1).bit_length()
            self._tree = halve(self.centers, halvings, self.dim, np.zeros(1, np.int64))
        self._searches += 1
        needs = self.radii - (FREE_WRONG_MARGIN + reach) * self.scales
        boxes = fit_boxes(self.centers, needs, *self._tree, self.dim)
        balls = (self.holders, self.centers, self.radii, (1 + reach) * self.radii)
        while True:
            found = find_wrong_pairs(*balls, self._tree, boxes, self.below.csr, self._wrong, self.dim)
            self._found, self._false = int(found[0]), int(found[1])
            if self._found <= len(self._wrong):
                return
            self._wrong = np.empty((2 * self._found, 2), np.int32)

    def gradient(self, wrong_weight: float) -> None:
        """Compute the gradient of the pairs that the last search found."""
        for slope in self._ball_gradients:
            slope[:] = 0.0
        balls, slopes = (self.centers, self.radii, self.scales), (*self._ball_gradients, self.dim)
        add_true_pair_gradients(*balls, self._violated[: self._violated_count], TRUE_MARGIN, *slopes)
        add_wrong_pair_gradients(*balls, self._wrong[: self._found], wrong_weight, FREE_WRONG_MARGIN, *slopes)

    def move(self, rate: float) -> None:
        """One gradient step."""
        self._steps += 1
        limits = Limits(self.strides, self.is_leaf, log(ABOVE_SMALLEST * self.smallest))
        balls = (self.centers, self.log_radii, self.radii, *self._ball_gradients)
        move(*balls, self._moments, limits, rate, self._steps, self.dim)
        self._measure()

    @property
    def rebuilds_tree_next(self) -> bool:
        """Whether the next search rebuilds the tree; only then does the state not depend on an older tree."""
        return self._searches % REBUILD == 0

    def checkpoint(self, done: int) -> Checkpoint:
        """The state after ``done`` iterations; complete only if the next search rebuilds the tree."""
        return Checkpoint(FREE, done, self._state(), {"steps": self._steps, "best": asdict(self.best_counts)})

    def restore(self, found: Checkpoint) -> int:
        """Restore a checkpoint; returns how many iterations were done."""
        self.best = Balls(self.best.centers.copy(), self.best.radii.copy())
        found.fill(self._state())
        with reading_state(found):
            self._steps, self.best_counts = int(found.facts["steps"]), Counts(**found.facts["best"])
        self.radii = exp_each(self.log_radii)
        self._measure()
        return found.epoch

    def _state(self) -> dict[str, Floats]:
        """The arrays that the next iteration depends on, and the best so far."""
        moments = {f"moment_{i}": moment for i, moment in enumerate(self._moments)}
        return {
            "centres": self.centers,  # old name
            "log_radii": self.log_radii,
            "best_centres": self.best.centers,  # old name
            "best_radii": self.best.radii,
            **moments,
        }


def move_freely(
    hierarchy: Hierarchy,
    forest_parents: NDArray[np.int32],
    balls: Balls,
    smallest: float,
    plan: FreePlan,
    context: FitContext,
) -> Balls:
    """The best balls found by the free phase, starting from ``balls``; no radius is below ``smallest``."""
    run, report = FreeRun(hierarchy, forest_parents, balls, smallest), _reporter(context, "free caps", plan.iterations)
    found = context.checkpoints.of(FREE, plan.iterations)
    for i in range(run.restore(found) if found else 0, plan.iterations):
        if i % plan.search_every == 0:
            if run.rebuilds_tree_next:
                context.checkpoints.offer(i, plan.iterations, partial(run.checkpoint, i), unit="iteration")
            report(i, run.search(plan.rate(i) * plan.search_every))
            if run.best_counts.f1 == 1.0:
                return run.best
        run.gradient(plan.wrong_weight(i))
        run.move(plan.rate(i))
    report(plan.iterations, run.search(0.0))
    return run.best
