"""The overlapping-caps construction: caps overlap where nodes have several parents; its pairs are counted exactly."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hypercone._random import in_unit_ball
from hypercone.construction.forest import Constructed, construct_forest, smallest_cap, spanning_forest
from hypercone.construction.given_edges import (
    Balls,
    Floats,
    Found,
    NestedPlan,
    balls_of,
    first_shape,
    move_nested,
    nested_plan,
)
from hypercone.construction.layout import balls_from_caps, cap_radius, points_from_balls, projection_scale
from hypercone.construction.refining import (
    Refined,
    RefiningPlan,
    Wanted,
    jump_from,
    refine,
    refining_plan,
    set_leaf_radii,
)
from hypercone.construction.search_kernels import count_list_errors
from hypercone.construction.skeleton import Classes, build_skeleton, contract, forest_of
from hypercone.errors import option
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph import ancestor_counts, ancestors
from hypercone.index import ConeIndex
from hypercone.methods import Settings, find_method
from hypercone.methods.base import Points
from hypercone.methods.scoring import Counts, ListErrors, Scorer, counts_of
from hypercone.progress import Step
from hypercone.runs.folder import AGAIN, DEFAULT_CONTEXT, FREE, JUMPS, FitContext

# In two dimensions caps are arcs on a circle, which cannot pass each other; moving them gains nothing.
FEWEST_DIMENSIONS = 3
# With more true pairs between classes the closure is not used: every pair is tested every few iterations.
MOST_TRUE_PAIRS = 30_000_000
# With more true pairs they are not counted.
MOST_COUNTED = 1_000_000_000
# Below this F1 a note says what would help.
FAR_FROM_EXACT = 0.95
# How far nodes of one class are from each other, as a share of the radius above a leaf or of the radius of others.
TWIN_SPREAD = 0.01
# The share of its clearance that a node may lose for the sake of others of its class.
TWIN_CLEARANCE = 0.25
# A safety factor: balls may leave the unit ball and are scaled back at the end, by much less than this.
SPARE = 4.0


class Plans(NamedTuple):
    """The schedules of both stages, by default by the number of balls, and whether there is a second one.

    Without it, only given edges are used.
    """

    nested: NestedPlan | None = None
    refining: RefiningPlan | None = None
    refines: bool = True


def construct_overlapping(
    hierarchy: Hierarchy,
    dim: int,
    K: float = 0.1,
    seed: int = 0,
    *,
    plans: Plans | None = None,
    seconds: float = np.inf,
    context: FitContext = DEFAULT_CONTEXT,
) -> Constructed:
    """Points whose cones contain most pairs of the closure, and few others; deterministic for a seed.

    The caps of a spanning forest are moved by the given edges until nodes with several parents are in the caps of all
    of them. While the true pairs are few enough, they refine the result. Never worse than the forest itself, which is
    the result for trees and in two dimensions. After ``seconds`` the best caps so far are taken.

    >>> edges = [("thing", "animal"), ("thing", "possession"), ("animal", "pet"), ("possession", "pet"), ("pet", "cat")]
    >>> construct_overlapping(Hierarchy.from_pairs([*edges, ("animal", "bee")]), dim=3).counts
    Counts(true_positives=11, false_positives=0, positives=11)
    """
    until = time.monotonic() + seconds
    forest = construct_forest(hierarchy, dim, K)
    if not len(hierarchy.edges) or forest.is_exact:
        return forest
    if dim < FEWEST_DIMENSIONS:
        reason = (
            "in two dimensions caps are arcs that cannot pass each other, so the forest is kept; take dim 3 or more"
        )
        return replace(forest, notes=(*forest.notes, reason))
    moved = _move(hierarchy, dim - 1, K, seed, plans or Plans(), until, context, forest)
    made, found = _better_of(forest, moved, hierarchy, K), moved.found
    return replace(made, notes=(*made.notes, *_notes(made, hierarchy, found)))


def learn_in_forest(
    hierarchy: Hierarchy, dim: int, K: float = 0.1, seed: int = 0, context: FitContext = DEFAULT_CONTEXT
) -> Points:
    """Points learned from the given edges alone, in a spanning forest of them; nothing is counted."""
    return _points(_move(hierarchy, dim - 1, K, seed, Plans(refines=False), np.inf, context).balls, K)


def learn_from_caps(
    hierarchy: Hierarchy,
    directions: Floats,
    angles: Floats,
    K: float = 0.1,
    seed: int = 0,
    context: FitContext = DEFAULT_CONTEXT,
) -> Points:
    """Points of caps that are moved by the given edges and by the containments that these do not explain."""
    parents, forest = hierarchy.parent_lists, spanning_forest(hierarchy)
    wanted = Wanted(parents, forest, np.ones(len(hierarchy), np.int64), by_given=True)
    start = Balls(*balls_from_caps(directions, angles, K, seed))
    return _points(refine(wanted, start, smallest_radius(K), RefiningPlan(), context).balls, K)


class Moved(NamedTuple):
    """One ball per node, what the search found of those before refinement, and their counts after it, if any.

    ``closure_aware`` says whether the closure was used.
    """

    balls: Balls
    found: Found
    closure_aware: bool
    counts: Counts | None


def _move(
    hierarchy: Hierarchy,
    dim: int,
    K: float,
    seed: int,
    plans: Plans,
    until: float,
    context: FitContext,
    forest: Constructed | None = None,
) -> Moved:
    """The balls of a spanning forest, moved by the given edges and then by the closure if it fits.

    If the result is worse than ``forest``, the closure moves the caps of the forest as well.
    """
    classes = contract(hierarchy)
    forest_parents = forest_of(classes)
    skeleton = build_skeleton(classes, forest_parents)
    shape, found = first_shape(skeleton, dim, seed), Found(0, 0, 0.0, 0)
    refining = plans.refining or refining_plan(len(classes.rows))
    # The refinement starts from the nested shape, unless a checkpoint of the refinement exists.
    resumes_in = context.checkpoints.resumes_in
    if not plans.refines or not resumes_in(FREE, AGAIN, JUMPS):
        run = move_nested(skeleton, shape, plans.nested or nested_plan(len(skeleton.rows)), context, until)
        shape, found = run.best, run.best_found
    is_node = skeleton.rows >= 0
    order = np.argsort(skeleton.rows[is_node])
    balls = Balls(*(values[is_node][order] for values in balls_of(skeleton, shape)))
    smallest = smallest_radius(K)
    set_leaf_radii(balls.radii, classes.children.counts == 0, smallest)
    if not plans.refines or not _fits(classes):
        return Moved(_expand(classes, balls, seed), found, False, None)
    wanted = Wanted(ancestors(classes.order, classes.parents), forest_parents, classes.weights)
    refined = Refined(balls, None)
    if not resumes_in(AGAIN, JUMPS):
        refined = refine(wanted, balls, smallest, refining, context, until)
    if forest is not None and not resumes_in(JUMPS) and _is_worse(refined, forest):
        start, again = _balls_of_points(forest.points[classes.rows], K, seed), refining.limited_to(0.5)
        refined = refine(wanted, start, smallest, again, context, until, before=refined)
    if resumes_in(JUMPS) or refined.counts is not None:
        refined = jump_from(wanted, refined, classes.parents, smallest, context, until)
    return Moved(_expand(classes, refined.balls, seed), found, True, refined.counts)


def _is_worse(refined: Refined, forest: Constructed) -> bool:
    return refined.counts is None or forest.counts is None or refined.counts.f1 < forest.counts.f1


def _balls_of_points(points: Points, K: float, seed: int) -> Balls:
    lengths = np.linalg.norm(points, axis=1)
    angles = np.array([cap_radius(length, K) for length in lengths.tolist()])
    return Balls(*balls_from_caps(points / lengths[:, None], angles, K, seed))


def _fits(classes: Classes) -> bool:
    counts = ancestor_counts(classes.order, classes.parents)
    return counts is not None and int(counts.sum()) <= MOST_TRUE_PAIRS


def smallest_radius(K: float) -> float:
    """The smallest radius for which the point of a ball is within the domain, wherever the ball is.

    >>> 1e-12 < smallest_radius(0.1) < 1e-10
    True
    """
    _, outer = find_method("hyperbolic-cones").shell(Settings(K=K))
    scale = projection_scale(K)
    return SPARE * cap_radius(outer, K) * (1 + scale * scale) / (2 * scale)


def _expand(classes: Classes, balls: Balls, seed: int) -> Balls:
    """One ball per node: those of a class have the same radius and are close to each other."""
    spreads = _twin_spreads(classes, balls)
    centers, radii = balls.centers[classes.class_of], balls.radii[classes.class_of]
    others = np.flatnonzero(classes.rows[classes.class_of] != np.arange(len(classes.class_of)))
    offsets = in_unit_ball(np.random.default_rng((seed, len(others))), len(others), centers.shape[1])
    centers[others] += spreads[classes.class_of[others]][:, None] * offsets
    return Balls(centers, radii)


def _twin_spreads(classes: Classes, balls: Balls) -> Floats:
    """How far the other nodes of each class may be from the first one."""
    children = classes.parents.groups()
    apart = np.linalg.norm(balls.centers[children] - balls.centers[classes.parents.rows], axis=1)
    clearances = balls.radii[classes.parents.rows] - balls.radii[children] - apart
    largest, least = np.full(len(balls.radii), np.inf), np.full(len(balls.radii), np.inf)
    held = clearances > 0
    np.minimum.at(least, classes.parents.rows[held], clearances[held])
    np.minimum.at(least, children[held], clearances[held])
    np.minimum.at(largest, children, balls.radii[classes.parents.rows])
    is_leaf = classes.children.counts == 0
    largest = TWIN_SPREAD * np.where(is_leaf, np.minimum(largest, 1.0), balls.radii)
    return np.minimum(largest, TWIN_CLEARANCE * least)


def _points(balls: Balls, K: float) -> Points:
    """The points of balls, scaled into the unit ball."""
    largest = (np.linalg.norm(balls.centers, axis=1) + balls.radii).max()
    return points_from_balls(balls.centers / largest, balls.radii / largest, K)


def _construct_from_balls(hierarchy: Hierarchy, moved: Moved, K: float) -> Constructed:
    points, aware = _points(moved.balls, K), moved.closure_aware
    positives = hierarchy.count_closure()
    if positives is None or positives > MOST_COUNTED:
        return Constructed(points, None, smallest_cap(points, K), (), aware, None, moved.found.unexplained)
    errors = count_errors(points, hierarchy, K)
    return Constructed(points, counts_of(errors, positives), smallest_cap(points, K), (), aware, errors)


def _notes(made: Constructed, hierarchy: Hierarchy, found: Found) -> list[str]:
    """How far from exact the result is, and what would help."""
    if made.is_exact:
        return ["exact: every true pair holds and no other"]
    if made.counts is None:
        return [
            f"there are more than {MOST_COUNTED:,} true pairs, or they take minutes to count, so they are not counted;"
            f" containments that the edges do not explain: {found.unexplained:,}"
        ]
    if made.counts.f1 >= FAR_FROM_EXACT:
        return []
    dim = made.points.shape[1]
    several = (np.bincount(hierarchy.reduction()[:, 1], minlength=1) > 1).sum() / len(hierarchy)
    return [
        f"F1 over all pairs is {made.counts.f1:.1%}, far from exact: {several:.0%} of the nodes have several parents,"
        f" and {dim} dimensions are few for that; try {option('dim', 2 * dim)}"
    ]


def _better_of(forest: Constructed, moved: Moved, hierarchy: Hierarchy, K: float) -> Constructed:
    """The forest, or the caps that were moved if they hold more true pairs and fewer others.

    Caps that are clearly worse are not counted pair by pair: they may contain nearly everything.
    """
    if not _is_clearly_worse(moved, forest):
        overlapping = _construct_from_balls(hierarchy, moved, K)
        if not forest.counts or not overlapping.counts or overlapping.counts.f1 >= forest.counts.f1:
            return overlapping
    return replace(forest, notes=(*forest.notes, "caps that overlap came out worse here, so the forest is kept"))


def _is_clearly_worse(moved: Moved, forest: Constructed) -> bool:
    if moved.counts and forest.counts:
        return moved.counts.f1 < forest.counts.f1
    return moved.found.score < 0


# Rows per query: if cones contain nearly everything, all answers at once would not fit into memory.
PART = 2_000


def count_errors(points: Points, hierarchy: Hierarchy, K: float) -> ListErrors:
    """The errors of each node's ancestors, at threshold 0.

    >>> points = np.array([[0.3, 0.0], [0.6, 0.0], [0.0, 0.3]])
    >>> found = count_errors(points, Hierarchy(["animal", "dog", "stone"], [[0, 1], [2, 1]]), K=0.1)
    >>> found.missing.tolist(), found.extra.tolist()
    ([0, 1, 0], [0, 0, 0])
    """
    index = ConeIndex(Scorer(points, find_method("hyperbolic-cones"), Settings(K=K)))
    missing, extra = np.zeros(len(points), np.int64), np.zeros(len(points), np.int64)
    parents, seen = hierarchy.lineage.parent_lists.csr, np.full((2, len(points)), -1, np.int32)
    with Step("counting pairs", len(points)) as step:
        for start in range(0, len(points), PART):
            part = np.arange(start, min(start + PART, len(points)))
            found = index.ancestors_of_many(part)
            ends = np.cumsum(list(map(len, found)))
            count_list_errors(parents, start, ends, np.concatenate(found), seen, missing, extra)
            step.advance(len(part))
    return ListErrors(missing, extra)
