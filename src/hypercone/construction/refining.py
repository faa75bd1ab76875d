"""Refinement: balls move freely, out of the forest as well, by a list of true pairs or by given edges alone."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Adjacency, Rows
from hypercone._jit import dimension_type
from hypercone._math_kernels import exp_each, log, log_each
from hypercone.construction.ball_kernels import adam_step, pull, push
from hypercone.construction.given_edges import LEAF_SCALE, MOVES, Balls, Decay, Floats, Limits
from hypercone.construction.search_kernels import find_violated, find_wrong, fit_boxes
from hypercone.hierarchy.graph import flipped_lists
from hypercone.index.index_kernels import halve
from hypercone.methods.scoring import Counts
from hypercone.progress import Reporter
from hypercone.runs import Checkpoint
from hypercone.runs.checkpoint import reading_state
from hypercone.runs.folder import FREE, FitContext

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

    def rate(self, iteration: int) -> float:
        """The learning rate of an iteration, in radii of the ball; decays linearly."""
        return self.first_rate + (self.last_rate - self.first_rate) * iteration / max(1, self.iterations)

    def wrong_weight(self, iteration: int) -> float:
        """The weight of a wrong pair relative to a true one."""
        return min(1.0, self.first_wrong_weight + 2 * (1 - self.first_wrong_weight) * iteration / self.iterations)


FEWEST_ITERATIONS, MOST_ITERATIONS = 300, 2_000
# Tangled graphs get fewer: so many moves of the pairs that the first search finds, and at least so many iterations.
PAIR_MOVES, FEWEST_IF_TANGLED = 1_600_000_000, 100


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
        self.iterations = self._steps = self._searches = 0
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
        """Find the pairs that matter while balls move by ``distance`` (in radii); returns exact counts, in nodes."""
        reach = MOVE_SHARE * distance
        self._find_wrong(reach)
        balls = (self.centers, self.radii, self.scales, self.weights)
        found = find_violated(*balls, self.true.csr, WATCHED_MARGIN, reach, self._violated, self.dim)
        self._violated_count, held = int(found[0]), int(found[1])
        counts = Counts(held, self._false, self.positives)
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
            found = find_wrong(*balls, self._tree, boxes, *known, self._wrong, self.dim)
            self._found, self._false = int(found[0]), int(found[1])
            if self._found <= len(self._wrong):
                return
            self._wrong = np.empty((2 * self._found, 2), np.int32)

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

    def limit_to(self, iterations: int) -> None:
        """Set the number of iterations: so many, or fewer if there is much to move."""
        self.search(0.0)
        most = PAIR_MOVES // max(1, self._found + self._violated_count)
        self.iterations, self._searches = min(iterations, max(most, FEWEST_IF_TANGLED)), 0

    @property
    def rebuilds_tree_next(self) -> bool:
        """Whether the next search rebuilds the tree; only then does the state not depend on an older tree."""
        return self._searches % REBUILD == 0

    def checkpoint(self, done: int) -> Checkpoint:
        """The state after ``done`` iterations; complete only if the next search rebuilds the tree."""
        facts = {"steps": self._steps, "iterations": self.iterations, "best": asdict(self.best_counts)}
        return Checkpoint(FREE, done, self._state(), facts)

    def restore(self, found: Checkpoint) -> int:
        """Restore a checkpoint; returns how many iterations were done."""
        self.best = Balls(self.best.centers.copy(), self.best.radii.copy())
        found.fill(self._state())
        with reading_state(found):
            self._steps, self.best_counts = int(found.facts["steps"]), Counts(**found.facts["best"])
            self.iterations = int(found.facts["iterations"])
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


def refine(
    wanted: Wanted, balls: Balls, smallest: float, plan: RefiningPlan, context: FitContext, until: float = np.inf
) -> tuple[Balls, Counts]:
    """The best balls found, starting from ``balls``, and their counts; no radius is below ``smallest``."""
    run = RefiningRun(wanted, balls, smallest)
    done = 0
    if found := context.checkpoints.of(FREE, plan.iterations):
        done = run.restore(found)
    else:
        run.limit_to(plan.iterations)
    plan = replace(plan, iterations=run.iterations)
    report = Reporter(context.progress, "free caps", plan.iterations, "iteration") if context.progress else None
    for i in range(done, plan.iterations):
        if i % plan.search_every == 0:
            if run.rebuilds_tree_next:
                context.checkpoints.offer(i, plan.iterations, partial(run.checkpoint, i), unit="iteration")
            counts = run.search(plan.rate(i) * plan.search_every)
            if report:
                report(i, all_pairs_f1=counts.f1)
            if run.best_counts.f1 == 1.0 or time.monotonic() > until:
                return run.best, run.best_counts
        run.step(plan.rate(i), plan.wrong_weight(i))
    counts = run.search(0.0)
    if report:
        report(plan.iterations, all_pairs_f1=counts.f1)
    return run.best, run.best_counts
