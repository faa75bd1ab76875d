"""Refinement: balls move freely, out of the forest as well, by a list of true pairs or by given edges alone."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Adjacency, Rows
from hypercone._jit import dimension_type
from hypercone._math_kernels import exp_each, log, log_each
from hypercone.construction.ball_kernels import adam_step, pull, push
from hypercone.construction.given_edges import LEAF_SCALE, MOVES, Balls, Decay, Effort, Floats, Limits
from hypercone.construction.jump_kernels import jump
from hypercone.construction.search_kernels import find_violated, find_wrong, fit_boxes
from hypercone.hierarchy.graph import flipped_lists
from hypercone.index.index_kernels import halve
from hypercone.methods.scoring import Counts
from hypercone.progress import Reporter
from hypercone.runs import Checkpoint
from hypercone.runs.checkpoint import reading_state
from hypercone.runs.folder import AGAIN, FREE, JUMPS, FitContext

TRUE_MARGIN, WRONG_MARGIN = 0.05, 0.1
# True pairs that hold by less than this are kept on the list, as they may be violated before the next search.
WATCHED_MARGIN = 0.1
# The share of the maximum distance that a ball actually moves until the next search, as its steps change direction.
MOVE_SHARE = 0.3
# All leaves have the same radius, so that none contains another: this share of the smallest other ball.
LEAF_RADIUS = 1e-3
# A ball with children has at least this many times the smallest radius of a leaf.
ABOVE_SMALLEST = 10.0
# The number of rows in a leaf cell of the tree, and the number of searches after which the tree is rebuilt.
CELL, REBUILD = 6, 10
# Faster decay than usual, as the set of violated pairs keeps changing; radii move more slowly than centers.
DECAY = Decay(first=0.8, second=0.95, least=1e-9, log_share=0.3)
# The most comparisons and moves of pairs of balls in a schedule, and the most wrong pairs that are stored.
MOST_WORK, MOST_WRONG = 6_000_000_000, 60_000_000
# The most balls in a round of jumps, and the places that each tries; the most rounds and the most comparisons of balls.
JUMPING_BALLS, TRIES, MOST_ROUNDS, JUMPING_WORK = 4_000, 50, 60, 10_000_000_000
# The most pairs of a ball that errs and any ball: with more of them one pass would take minutes, and nothing jumps.
MOST_NEAR_ERRORS = 2_000_000_000
# Jumps end when a pass over all balls that err gains less F1 than this.
WORTH_A_PASS = 0.0003
NO_LISTS = Adjacency(np.zeros(1, np.int64), np.zeros(0, np.int32))


@dataclass(frozen=True)
class RefiningPlan:
    """Schedule of the refinement; pairs are searched every ``search_every`` iterations."""

    iterations: int = 1000
    first_rate: float = 0.1
    last_rate: float = 0.002
    search_every: int = 8
    # The initial weight of a wrong pair relative to a true one; equal from the middle on.
    first_wrong_weight: float = 0.1
    most_work: int = MOST_WORK

    def rate(self, share: float) -> float:
        """The learning rate after this share of the schedule, in radii of the ball; decays linearly."""
        return self.first_rate + (self.last_rate - self.first_rate) * share

    def limited_to(self, share: float) -> RefiningPlan:
        """The same schedule with a share of the work."""
        return replace(self, most_work=int(share * self.most_work))

    def wrong_weight(self, share: float) -> float:
        """The weight of a wrong pair relative to a true one, after this share of the schedule."""
        return min(1.0, self.first_wrong_weight + 2 * (1 - self.first_wrong_weight) * share)


FEWEST_ITERATIONS, MOST_ITERATIONS = 300, 2_000


def refining_plan(size: int) -> RefiningPlan:
    """The schedule for so many balls.

    >>> [refining_plan(size).iterations for size in (1_000, 25_000, 1_000_000)]
    [2000, 1600, 300]
    """
    return RefiningPlan(iterations=min(max(MOVES // size, FEWEST_ITERATIONS), MOST_ITERATIONS))


@dataclass(frozen=True, eq=False)
class Wanted:
    """What a refinement aims at: ``true`` are the parents that each ball should be inside of.

    They are all ancestors, or, with ``by_given``, the given parents: then a wrong pair is a containment that these do
    not explain. ``forest_parents`` is one of them for each ball, or -1. ``weights`` are the nodes that a ball stands
    for.
    """

    true: Adjacency
    forest_parents: Rows
    weights: NDArray[np.int64]
    by_given: bool = False


def set_leaf_radii(radii: Floats, is_leaf: NDArray[np.bool_], smallest: float) -> None:
    """Give all leaves the same radius, far below that of all others."""
    radii[is_leaf] = max(LEAF_RADIUS * float(radii[~is_leaf].min(initial=1.0)), smallest)


class RefiningRun:
    """State of the refinement: the current balls, and the best ones so far."""

    def __init__(self, wanted: Wanted, balls: Balls, smallest: float) -> None:
        self.wanted, self.smallest = wanted, smallest
        self.true = wanted.true
        self.below = flipped_lists(self.true)
        self.is_leaf = self.below.counts == 0
        self.holders = np.flatnonzero(~self.is_leaf)
        self.centers = balls.centers.copy()
        self.log_radii = log_each(np.maximum(balls.radii, ABOVE_SMALLEST * smallest))
        self.radii = exp_each(self.log_radii)
        size, dim = self.centers.shape
        self.dim: Any = dimension_type(dim, size)
        self.weights = wanted.weights.astype(np.float64)
        self.positives = int((wanted.weights[self.true.groups()] * wanted.weights[self.true.rows]).sum())
        self.best, self.best_counts = balls, Counts(0, 0, self.positives)
        self._gradients = Balls(np.zeros((size, dim)), np.zeros(size))
        self._moments = (np.zeros((size, dim)), np.zeros(size), np.zeros(size), np.zeros(size))
        self.compared = self._steps = self._searches = 0
        self._wrong, self._found, self._false = np.empty((4 * size, 2), np.int32), 0, 0
        self._violated, self._violated_count = np.empty((len(self.true.rows), 2), np.int32), 0
        self._measure()

    def _measure(self) -> None:
        """Update the radii of leaves, step units, and the scales of margins; a leaf borrows these from its parent."""
        set_leaf_radii(self.radii, self.is_leaf, self.smallest)
        forest = self.wanted.forest_parents
        above = np.where(forest >= 0, self.radii[forest], 1.0)
        self.strides = np.where(self.is_leaf, above, self.radii)
        self.scales = np.where(self.is_leaf, LEAF_SCALE * above, self.radii)

    def search(self, distance: float) -> Counts:
        """Find the pairs that matter while balls move by ``distance`` (in radii); returns exact counts, in nodes.

        If it is too tangled, not all wrong pairs are counted.
        """
        reach = MOVE_SHARE * distance
        self._find_wrong(reach)
        balls = (self.centers, self.radii, self.scales, self.weights)
        found = find_violated(*balls, self.true.csr, WATCHED_MARGIN, reach, self._violated, self.dim)
        self._violated_count, held = int(found[0]), int(found[1])
        counts = Counts(held, self._false, self.positives)
        if self.is_too_tangled:
            return counts
        if counts.f1 > self.best_counts.f1:
            self.best, self.best_counts = Balls(self.centers.copy(), self.radii.copy()), counts
        self._true_weights = self._pair_weights(self._violated[: self._violated_count])
        self._wrong_weights = self._pair_weights(self._wrong[: self._found])
        return counts

    def _pair_weights(self, pairs: NDArray[np.int32]) -> Floats:
        return self.weights[pairs[:, 0]] * self.weights[pairs[:, 1]]

    def _find_wrong(self, reach: float) -> None:
        if self._searches % REBUILD == 0:
            halvings = max(0, -(-len(self.radii) // CELL) - 1).bit_length()
            self._tree = halve(self.centers, halvings, self.dim, np.zeros(1, np.int64))
        self._searches += 1
        needs = self.radii - (WRONG_MARGIN + reach) * self.scales
        boxes = fit_boxes(self.centers, needs, *self._tree, self.dim)
        balls = (self.holders, self.centers, self.radii, (1 + reach) * self.radii, self.weights)
        given = self.true if self.wanted.by_given else NO_LISTS
        known = (self.below.csr, given.csr, self.wanted.forest_parents)
        while True:
            found = find_wrong(*balls, self._tree, boxes, *known, self._wrong, MOST_WRONG, self.dim)
            self._found, self._false, self.compared = (int(number) for number in found)
            if self._found <= len(self._wrong) or self.is_too_tangled:
                return
            self._wrong = np.empty((min(2 * self._found, MOST_WRONG), 2), np.int32)

    def step(self, rate: float, wrong_weight: float) -> None:
        """One gradient step on the pairs that the last search found."""
        for slope in self._gradients:
            slope[:] = 0.0
        balls, slopes = (self.centers, self.radii, self.scales), (*self._gradients, self.dim)
        pull(*balls, self._violated[: self._violated_count], self._true_weights, TRUE_MARGIN, *slopes)
        push(*balls, self._wrong[: self._found], wrong_weight * self._wrong_weights, WRONG_MARGIN, *slopes)
        self._steps += 1
        lowest = np.full(len(self.radii), log(ABOVE_SMALLEST * self.smallest))
        limits = Limits(self.strides, lowest, np.full(len(self.radii), np.inf))
        self._gradients.radii[:] *= self.radii
        adam_step(
            self.centers, self.log_radii, *self._gradients, self._moments, limits, DECAY, rate, self._steps, self.dim
        )
        self.radii = exp_each(self.log_radii)
        self._measure()

    def erring_balls(self) -> Rows:
        """The balls of which a pair is wrong: a true pair does not hold, or another does."""
        violated, wrong = self._violated[: self._violated_count], self._wrong[: self._found]
        pairs = np.concatenate([violated[~self._hold(violated)], wrong[self._hold(wrong)]])
        erring: Rows = np.unique(pairs)
        return erring

    def _hold(self, pairs: NDArray[np.int32]) -> NDArray[np.bool_]:
        holders, held = pairs.T
        clearances = self.radii[holders] - self.radii[held]
        squared = ((self.centers[holders] - self.centers[held]) ** 2).sum(axis=1)
        hold: NDArray[np.bool_] = (clearances >= 0) & (squared <= clearances**2)
        return hold

    def jump(self, rows: Rows, parents: Adjacency, children: Adjacency, round_number: int) -> None:
        """Move each of these balls to the best place of those that it tries."""
        f1 = self.best_counts.f1
        smallest = float(self.radii[self.holders].min())
        lists = (self.true.csr, self.below.csr, parents.csr, children.csr)
        # At this cost of a wrong pair a gain is a gain of F1.
        choice = (f1 / (2 - f1), TRIES, smallest, np.uint64(round_number) << np.uint64(32))
        _, self.compared = jump(rows, self.centers, self.radii, self.weights, *lists, *choice, self.dim)
        self.log_radii[self.holders] = log_each(self.radii[self.holders])
        self.radii = exp_each(self.log_radii)
        self._measure()

    @property
    def is_too_tangled(self) -> bool:
        """Whether more pairs are wrong, or nearly so, than can be moved."""
        return self._found > MOST_WRONG

    @property
    def result(self) -> Refined:
        """The best balls so far, and their counts if they were counted."""
        return Refined(self.best, self.best_counts if self.best_counts.true_positives else None)

    @property
    def work_of_a_step(self) -> int:
        """The balls and pairs of balls that a step moves."""
        return len(self.radii) + self._found + self._violated_count

    @property
    def rebuilds_tree_next(self) -> bool:
        """Whether the next search rebuilds the tree; only then does the state not depend on an older tree."""
        return self._searches % REBUILD == 0

    def checkpoint(self, stage: str, done: int, work: int, **more: Any) -> Checkpoint:
        """The state after ``done`` iterations and so much work; complete only if the next search rebuilds the tree."""
        facts = {"steps": self._steps, "work": work, "best": asdict(self.best_counts), **more}
        return Checkpoint(stage, done, self._state(), facts)

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
            "centers": self.centers,
            "log_radii": self.log_radii,
            "best_centers": self.best.centers,
            "best_radii": self.best.radii,
            **moments,
        }


class Refined(NamedTuple):
    """The best balls, and their counts if they were counted."""

    balls: Balls
    counts: Counts | None


def refine(
    wanted: Wanted,
    balls: Balls,
    smallest: float,
    plan: RefiningPlan,
    context: FitContext,
    until: float = np.inf,
    before: Refined | None = None,
) -> Refined:
    """The best balls found, starting from ``balls``; no radius is below ``smallest``.

    If the start is too tangled to be moved, it is the result, and nothing is counted. With the result of a refinement
    ``before``, from another start, it is the better one of both.
    """
    run, done, stage, title = RefiningRun(wanted, balls, smallest), 0, FREE, "free caps"
    if before is not None:
        stage, title = AGAIN, "free caps from the forest"
        run.best, run.best_counts = before.balls, before.counts or run.best_counts
    effort = Effort(plan.iterations, plan.most_work)
    if found := context.checkpoints.of(stage, plan.iterations):
        done = run.restore(found)
        with reading_state(found):
            effort.count(int(found.facts["work"]))
    report = Reporter(context.progress, title, plan.iterations, "iteration") if context.progress else None
    for i in range(done, plan.iterations):
        share = effort.share(i)
        if i % plan.search_every == 0:
            if share == 1.0 or time.monotonic() > until:
                break
            if run.rebuilds_tree_next:
                context.checkpoints.offer(
                    i, plan.iterations, partial(run.checkpoint, stage, i, effort.work), unit="iteration"
                )
            counts = run.search(plan.rate(share) * plan.search_every)
            effort.count(run.compared)
            if report:
                report(int(share * plan.iterations), all_pairs_f1=counts.f1)
            if run.best_counts.f1 == 1.0 or run.is_too_tangled:
                return run.result
        run.step(plan.rate(share), plan.wrong_weight(share))
        effort.count(run.work_of_a_step)
    counts = run.search(0.0)
    if report:
        report(plan.iterations, all_pairs_f1=counts.f1)
    return run.result


def jump_from(
    wanted: Wanted,
    refined: Refined,
    parents: Adjacency,
    smallest: float,
    context: FitContext,
    until: float = np.inf,
) -> Refined:
    """The balls after rounds of jumps, each of which moves some of the balls that err; ``parents`` are the direct ones.

    A pass is as many rounds as it takes to visit all balls that err.
    """
    run, done, f1_by_round = RefiningRun(wanted, refined.balls, smallest), 0, [0.0]
    run.best_counts = refined.counts or run.best_counts
    children, effort = flipped_lists(parents), Effort(MOST_ROUNDS, JUMPING_WORK)
    if found := context.checkpoints.of(JUMPS, MOST_ROUNDS):
        done = run.restore(found)
        with reading_state(found):
            effort.count(int(found.facts["work"]))
            f1_by_round = [float(f1) for f1 in found.facts["f1_by_round"]]
    report = Reporter(context.progress, "jumping caps", MOST_ROUNDS, "round") if context.progress else None
    for i in range(done, MOST_ROUNDS):
        if effort.share(i) == 1.0 or time.monotonic() > until:
            break
        context.checkpoints.offer(
            i, MOST_ROUNDS, partial(run.checkpoint, JUMPS, i, effort.work, f1_by_round=f1_by_round), unit="round"
        )
        run.search(0.0)
        f1_by_round.append(run.best_counts.f1)
        if report:
            report(int(effort.share(i) * MOST_ROUNDS), all_pairs_f1=run.best_counts.f1)
        erring = run.erring_balls()
        rounds = max(1, -(-len(erring) // JUMPING_BALLS))
        gain = run.best_counts.f1 - f1_by_round[max(0, i + 1 - rounds)]
        if run.best_counts.f1 == 1.0 or gain < WORTH_A_PASS or len(erring) * len(run.radii) > MOST_NEAR_ERRORS:
            break
        run.jump(erring[i % rounds :: rounds], parents, children, i)
        effort.count(run.compared)
    run.search(0.0)
    if report:
        report(MOST_ROUNDS, all_pairs_f1=run.best_counts.f1)
    return run.result
