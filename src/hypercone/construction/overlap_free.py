"""Moving all balls freely, each by itself, so that as many true pairs as possible hold, and few wrong ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone.construction.overlap_dimension import dimension_for
from hypercone.construction.overlap_free_kernels import find_open, move, pull_true, push_wrong
from hypercone.construction.overlap_search_kernels import find_wrong, fit_boxes
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph import flipped_lists
from hypercone.index.tree_kernels import halve
from hypercone.methods.scoring import Counts
from hypercone.runs import Checkpoint
from hypercone.runs.checkpoint import reading
from hypercone.runs.folder import FREE, Checkpoints

Floats = NDArray[np.float64]

TRUE_MARGIN, WRONG_MARGIN = 0.05, 0.1
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
        self._slopes = (np.zeros((size, dim)), np.zeros(size))
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
        above, balls = self.above, (self.centres, self.radii, self.scales)
        found = find_open(*balls, above.offsets, above.rows, WATCHED_MARGIN, reach, self._open, self.dim)
        self._open_count, held = found
        counts = Counts(int(held), self._false, len(above.rows))
        if counts.f1 > self.best_counts.f1:
            self.best, self.best_counts = Balls(self.centres.copy(), self.radii.copy()), counts
        return counts

    def _search_wrong(self, reach: float) -> None:

        if self._searches % REBUILD == 0:
            floors = max(0, -(-len(self.radii) // CELL) - 1).bit_length()
            self._tree = halve(self.centres, floors, self.dim)
        self._searches += 1
        needs = self.radii - (WRONG_MARGIN + reach) * self.scales
        boxes = fit_boxes(self.centres, needs, *self._tree, self.dim)
        balls = (self.holders, self.centres, self.radii, (1 + reach) * self.radii)
        while True:
            found = find_wrong(*balls, self._tree, boxes, self.below.offsets, self.below.rows, self._wrong, self.dim)
            self._found, self._false = int(found[0]), int(found[1])
            if self._found <= len(self._wrong):
                return
            self._wrong = np.empty((2 * self._found, 2), np.int32)

    def gradient(self, wrong_weight: float) -> None:
        """Write the gradient of the pairs found."""
        for slopes in self._slopes:
            slopes[:] = 0.0
        balls = (self.centres, self.radii, self.scales)
        pull_true(*balls, self._open[: self._open_count], TRUE_MARGIN, *self._slopes, self.dim)
        push_wrong(*balls, self._wrong[: self._found], wrong_weight, WRONG_MARGIN, *self._slopes, self.dim)

    def move(self, rate: float) -> None:
        """One step down the gradient."""
        self._steps += 1
        given = (self.centres, self.log_radii, self.strides, self.is_leaf, *self._slopes, self._moments)
        smallest = math.log(ABOVE_SMALLEST * self.smallest)
        move(*given, rate, self._steps, smallest, self.dim)
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
        with reading(found):
            self._steps, self.best_counts = int(found.facts["steps"]), Counts(**found.facts["best"])
        self._measure()
        return found.epoch

    def _state(self) -> dict[str, Floats]:
        """The arrays that the next iteration depends on, and the best."""
        moments = {f"moment_{i}": moment for i, moment in enumerate(self._moments)}
        best = {"best_centres": self.best.centres, "best_radii": self.best.radii}
        return {"centres": self.centres, "log_radii": self.log_radii, **best, **moments}


def freed(
    hierarchy: Hierarchy,
    kept: NDArray[np.int32],
    balls: Balls,
    smallest: float,
    plan: FreePlan,
    watch: Callable[[int, Counts], None],
    checkpoints: Checkpoints,
) -> Balls:
    """The best balls met on the way from some first ones, no radius below ``smallest``; ``watch`` sees all counts."""
    run = FreeRun(hierarchy, kept, balls, smallest)
    found = checkpoints.of(FREE, plan.iterations)
    for i in range(run.restore(found) if found else 0, plan.iterations):
        if i % plan.search_every == 0:
            if run.is_about_to_rebuild:
                checkpoints.offer(i, plan.iterations, partial(run.checkpoint, i), unit="iteration")
            watch(i, run.search(plan.rate(i) * plan.search_every))
            if run.best_counts.f1 == 1.0:
                return run.best
        run.gradient(plan.wrong_weight(i))
        run.move(plan.rate(i))
    watch(plan.iterations, run.search(0.0))
    return run.best
