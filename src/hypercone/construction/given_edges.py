"""The engine: balls nested in a forest of the given edges, moved by these and by containments they do not explain.

A containment (v lies in u) is *explained* if (u, v) is a given edge or a given parent of v lies in u. If every given
edge holds and no containment is unexplained, the order of the balls is exactly the transitive closure of the given
edges: each explained containment leads to a parent of v that also lies in u, and so on up to u itself, as the graph has
no cycle. So edges are pulled, unexplained containments are pushed, and no closure is computed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._jit import dimension_type
from hypercone._math_kernels import exp_each, log, log_each, power_each
from hypercone._random import in_unit_ball
from hypercone.construction.ball_kernels import (
    adam_step,
    backpropagate,
    place_balls,
    pull,
    push,
    push_siblings,
    sums_from_the_top,
)
from hypercone.construction.search_kernels import find_unexplained, held_weight
from hypercone.construction.skeleton import Skeleton
from hypercone.progress import Reporter, Step
from hypercone.runs import Checkpoint
from hypercone.runs.checkpoint import reading_state
from hypercone.runs.folder import NESTED, FitContext

Floats = NDArray[np.float64]

# Initially the balls of a family take this share of the ball above, in proportion to their sizes.
FILLING = 0.55
# The ratio of the ball of a leaf.
LEAF_RATIO = 0.001
WIDEST_RATIO = 0.985
# The smallest initial radius; in a deep hierarchy balls are enlarged until the deepest one has it.
SMALLEST_AT_FIRST, SMALLEST_IF_DEEP = 1e-8, 1e-5
# Beyond this depth the levels share what a few may shrink by, or the deepest balls would underflow.
DEEP, SHRINKING_LEVELS = 20, 10
TINY = 1e-300
# How far the logarithm of a ratio may move. Without bounds all radii shrink, which lowers every loss.
SHRINK, GROW = 0.2, 0.5
# How far inside a pair that should hold is wanted, and how far outside one that should not, in scales of the child.
EDGE_MARGIN, WRONG_MARGIN = 0.05, 0.1
# The scale of a leaf, as a share of the radius above.
LEAF_SCALE = 0.3
# The most pairs that one search collects, but for those of its last holder.
PAIRS_PER_BALL, MORE_PAIRS = 4, 100_000
# Siblings that each sibling is compared with in one step.
MOST_SIBLINGS = 256
NO_LIMIT = np.iinfo(np.int64).max
# The most work of a schedule: so many comparisons and moves of pairs of balls, and so many more per ball.
LEAST_WORK, WORK_PER_BALL = 600_000_000, 2_000


class Balls(NamedTuple):
    """One ball per place, class or node."""

    centers: Floats
    radii: Floats


class Decay(NamedTuple):
    """The decay of Adam's moments, the least slope, and the rate of logarithms relative to that of positions."""

    first: float
    second: float
    least: float
    log_share: float


class Limits(NamedTuple):
    """The step unit of each ball, and the lowest and highest logarithm of its ratio or radius."""

    strides: Floats
    lowest: Floats
    highest: Floats


# The second moment decays faster than usual, as violations come and go.
DECAY = Decay(first=0.9, second=0.99, least=1e-12, log_share=1.0)


@dataclass(frozen=True)
class NestedPlan:
    """Schedule of the engine: iterations that separate siblings, then the main ones, with a search every few."""

    separation_iterations: int = 100
    iterations: int = 1000
    separation_rate: float = 0.03
    first_rate: float = 0.04
    last_rate: float = 0.0005
    search_every: int = 8
    most_work: int = LEAST_WORK

    def rate(self, share: float) -> float:
        """The learning rate after this share of the schedule, in offsets; decays linearly."""
        return self.first_rate + (self.last_rate - self.first_rate) * share


class Effort:
    """How far a schedule is: by its iterations or by its work, whichever is further.

    Work is counted in pairs of balls that are compared or moved, so it is the same on every machine. In a tangled graph
    a search takes as long as hundreds of steps; then the schedule is shorter, and its rate falls faster.

    >>> effort = Effort(iterations=100, most_work=1_000)
    >>> effort.count(150)
    >>> effort.share(10)
    0.15
    """

    def __init__(self, iterations: int, most_work: int) -> None:
        self.iterations, self.most_work, self.work = iterations, most_work, 0

    def count(self, work: int) -> None:
        """Add what was compared or moved."""
        self.work += work

    def share(self, iteration: int) -> float:
        """How much of the schedule is used up when an iteration begins; 1 at its end."""
        return min(1.0, max(iteration / max(1, self.iterations), self.work / self.most_work))


# Small graphs get more iterations, which are cheap, large ones fewer: so many moves of balls in all, within limits.
MOVES = 40_000_000
FEWEST_ITERATIONS, MOST_ITERATIONS = 200, 3_000


def nested_plan(size: int) -> NestedPlan:
    """The schedule for so many balls.

    >>> [nested_plan(size).iterations for size in (1_000, 40_000, 1_000_000)]
    [3000, 1000, 200]
    """
    iterations = min(max(MOVES // size, FEWEST_ITERATIONS), MOST_ITERATIONS)
    return NestedPlan(
        separation_iterations=min(iterations // 10, 100),
        iterations=iterations,
        most_work=LEAST_WORK + WORK_PER_BALL * size,
    )


class Shape(NamedTuple):
    """Each ball relative to the ball above: its offset and the logarithm of its radius, in units of that radius."""

    offsets: Floats
    log_ratios: Floats


class Found(NamedTuple):
    """The result of a search: edges outside the forest that hold, unexplained containments, and both in pairs."""

    edges_held: int
    unexplained: int
    gained_pairs: float
    false_pairs: int

    @property
    def score(self) -> float:
        """How many pairs it gains over the forest, as far as it is known without the closure."""
        return self.gained_pairs - self.false_pairs


def first_shape(skeleton: Skeleton, dim: int, seed: int) -> Shape:
    """Balls sized by the number of places below them, at random offsets, in ``dim`` dimensions."""
    rng = np.random.default_rng(seed)
    sizes, parents = skeleton.sizes, skeleton.parents[1:]
    ratios = np.ones(len(sizes))
    ratios[1:] = FILLING * power_each(sizes[1:] / (sizes[parents] - 1), 1 / dim)
    ratios[skeleton.is_leaf] = LEAF_RATIO
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
    """State of the engine: the current balls and the best ones so far."""

    def __init__(self, skeleton: Skeleton, shape: Shape) -> None:
        self.skeleton = skeleton
        self.offsets, self.log_ratios = shape.offsets.copy(), shape.log_ratios.copy()
        widest = np.maximum(self.log_ratios, log(WIDEST_RATIO))
        size, dim = self.offsets.shape
        self._most_pairs = PAIRS_PER_BALL * size + MORE_PAIRS
        self.limits = Limits(
            np.ones(size), self.log_ratios - _max_shrink(skeleton), np.minimum(self.log_ratios + GROW, widest)
        )
        self.dim: Any = dimension_type(dim, size)
        self.centers, self.radii = np.zeros((size, dim)), np.ones(size)
        self.scales = np.ones(size)
        self.pairs, self.pair_weights = self._space_for(PAIRS_PER_BALL * size)
        self.pair_count = self.next_holder = self.compared = 0
        self.best, self.best_found = shape, Found(0, 0, 0.0, int(skeleton.totals[-1]) ** 2)
        self._is_leaf = skeleton.is_leaf
        self._above = np.maximum(skeleton.parents, 0)
        self._weights = (skeleton.gained * skeleton.subtree_weights[skeleton.edges[:, 1]]).astype(np.float64)
        self._subtree_weights = skeleton.subtree_weights.astype(np.float64)
        self._ball_gradients = Balls(np.zeros((size, dim)), np.zeros(size))
        self._shape_gradients = Shape(np.zeros((size, dim)), np.zeros(size))
        self._moments = (np.zeros((size, dim)), np.zeros(size), np.zeros(size), np.zeros(size))
        self._steps = 0
        self._place()

    def _space_for(self, pairs: int) -> tuple[NDArray[np.int32], Floats]:
        """Arrays for so many pairs, and those of one more holder."""
        capacity = pairs + len(self.log_ratios)
        return np.zeros((capacity, 2), np.int32), np.zeros(capacity)

    def _place(self) -> None:
        place_balls(self.skeleton.parents, self.offsets, self.log_ratios, self.centers, self.radii, self.dim)
        self.scales = np.where(self._is_leaf, LEAF_SCALE * self.radii[self._above], self.radii)
        self.reaches = np.where(self._is_leaf, self.radii + WRONG_MARGIN * self.scales, self.radii)

    def search(self, complete: bool = False) -> Found:
        """Find what to push apart, and count; updates the best.

        If there is too much, the next search goes on where this one ended, unless this one shall be ``complete``: then
        pairs are counted, but not all stored, until it is certain that the forest is better.
        """
        balls = (self.centers, self.radii, self.reaches, self.scales)
        held, gained = held_weight(self.centers, self.radii, self.skeleton.edges, self._weights, self.dim)
        first = 0 if complete else self.next_holder
        while True:
            limit = len(self.pairs) - len(self.radii)
            limits = (first, NO_LIMIT, int(gained)) if complete else (first, limit, NO_LIMIT)
            space = (*limits, self.pairs, self.pair_weights)
            counted = find_unexplained(self.skeleton, *balls, WRONG_MARGIN, *space, self.dim)
            self.pair_count, unexplained, false, self.compared, self.next_holder = (int(number) for number in counted)
            if self.next_holder == 0 or complete or limit >= self._most_pairs:
                break
            self.pairs, self.pair_weights = self._space_for(min(4 * limit, self._most_pairs))
        found = Found(int(held), unexplained, float(gained), false)
        # Otherwise a part of a search says nothing about the whole.
        if found.score > self.best_found.score and (complete or first == self.next_holder == 0):
            self.best, self.best_found = Shape(self.offsets.copy(), self.log_ratios.copy()), found
        return found

    @property
    def work_of_a_step(self) -> int:
        """The balls and pairs of balls that a step moves."""
        return len(self.radii) + len(self.skeleton.edges) + self.pair_count

    @property
    def is_exact(self) -> bool:
        """Whether in the best balls every edge holds and nothing is unexplained."""
        return self.best_found.edges_held == len(self.skeleton.edges) and self.best_found.unexplained == 0

    def step(self, rate: float, separating: bool) -> None:
        """One gradient step on the edges, and on siblings if ``separating``, else on what the last search found."""
        for slope in self._ball_gradients:
            slope[:] = 0.0
        balls, slopes = (self.centers, self.radii), (*self._ball_gradients, self.dim)
        pull(*balls, self.scales, self.skeleton.edges, self._weights, EDGE_MARGIN, *slopes)
        if separating:
            push_siblings(self.skeleton.kids, *balls, self._subtree_weights, MOST_SIBLINGS, self._steps, *slopes)
        else:
            count = self.pair_count
            push(*balls, self.scales, self.pairs[:count], self.pair_weights[:count], WRONG_MARGIN, *slopes)
        gradients = (*self._ball_gradients, *self._shape_gradients)
        backpropagate(self.skeleton.parents, self.offsets, self.radii, *gradients, self.dim)
        self._steps += 1
        shape = (self.offsets, self.log_ratios, *self._shape_gradients)
        adam_step(*shape, self._moments, self.limits, DECAY, rate, self._steps, self.dim)
        self._place()

    def checkpoint(self, done: int, work: int) -> Checkpoint:
        """The state after ``done`` iterations, and the work that they were."""
        facts = {"steps": self._steps, "best": list(self.best_found), "next": self.next_holder, "work": work}
        return Checkpoint(NESTED, done, self._state(), facts)

    def restore(self, found: Checkpoint) -> int:
        """Restore a checkpoint; returns how many iterations were done."""
        self.best = Shape(self.best.offsets.copy(), self.best.log_ratios.copy())
        found.fill(self._state())
        with reading_state(found):
            self._steps, self.best_found = int(found.facts["steps"]), Found(*found.facts["best"])
            self.next_holder = int(found.facts["next"])
        self._place()
        return found.epoch

    def _state(self) -> dict[str, Floats]:
        """The arrays that the next iteration depends on, and the best so far."""
        moments = {f"moment_{i}": moment for i, moment in enumerate(self._moments)}
        best = {"best_offsets": self.best.offsets, "best_log_ratios": self.best.log_ratios}
        return {"offsets": self.offsets, "log_ratios": self.log_ratios, **best, **moments}


def move_nested(
    skeleton: Skeleton, shape: Shape, plan: NestedPlan, context: FitContext, until: float = np.inf
) -> NestedRun:
    """The engine at the end of its schedule, when its balls are exact, or at the time ``until``."""
    run, done = NestedRun(skeleton, shape), 0
    effort = Effort(plan.iterations, plan.most_work)
    if found := context.checkpoints.of(NESTED, plan.iterations):
        done = run.restore(found)
        with reading_state(found):
            effort.count(int(found.facts["work"]))
    else:
        with Step("separating caps", plan.separation_iterations) as separating:
            for _ in range(plan.separation_iterations):
                run.step(plan.separation_rate, separating=True)
                separating.advance()
    report = _reporter(context, plan.iterations, len(skeleton.edges))
    for i in range(done, plan.iterations):
        share = effort.share(i)
        if i % plan.search_every == 0:
            if share == 1.0 or time.monotonic() > until:
                break
            context.checkpoints.offer(i, plan.iterations, partial(run.checkpoint, i, effort.work), unit="iteration")
            report(int(share * plan.iterations), run.search())
            effort.count(run.compared)
            if run.is_exact:
                return run
        run.step(plan.rate(share), separating=False)
        effort.count(run.work_of_a_step)
    report(plan.iterations, run.search(complete=True))
    return run


def _reporter(context: FitContext, total: int, edges: int) -> Callable[[int, Found], None]:
    """A function of the iterations done and what was found that reports progress, if anything listens."""
    if context.progress is None:
        return lambda done, found: None
    report = Reporter(context.progress, "nested caps", total, "iteration")
    return lambda done, found: report(done, violated=edges - found.edges_held, active_negatives=found.unexplained)
