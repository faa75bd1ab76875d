"""The overlapping-caps construction: caps overlap where nodes have several parents; its pairs are counted exactly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hypercone._arrays import pair_keys
from hypercone._random import in_unit_ball
from hypercone.construction.forest import Constructed, construct_forest, smallest_cap, spanning_forest
from hypercone.construction.layout import cap_radius, points_from_balls, projection_scale
from hypercone.construction.moving import (
    Balls,
    FreePlan,
    NestedPlan,
    Shape,
    balls_of,
    first_shape,
    move_freely,
    move_nested,
)
from hypercone.construction.skeleton import Leaves, Skeleton, build_skeleton
from hypercone.hierarchy import Hierarchy
from hypercone.index import ConeIndex
from hypercone.methods import Settings, find_method
from hypercone.methods.base import Points
from hypercone.methods.scoring import ListErrors, Scorer, counts_of
from hypercone.progress import Step
from hypercone.runs.folder import DEFAULT_CONTEXT, FREE, FitContext

# In two dimensions caps are arcs on a circle, which cannot pass each other; moving them gains nothing.
FEWEST_DIMENSIONS = 3
# Every true pair is tested every few iterations, which would take hours with more.
MOST_PAIRS = 30_000_000
# Initially, plain leaves are at random positions within this share of the radius of the ball that holds them.
LEAF_SPREAD = 0.9
# A safety factor: balls may leave the unit ball and are scaled back at the end, by much less than this.
SPARE = 4.0


def construct_overlapping(
    hierarchy: Hierarchy,
    dim: int,
    K: float = 0.1,
    seed: int = 0,
    *,
    nested_plan: NestedPlan | None = None,
    free_plan: FreePlan | None = None,
    context: FitContext = DEFAULT_CONTEXT,
) -> Constructed:
    """Points whose cones contain most pairs of the closure, and few others; deterministic for a seed.

    The caps of a spanning forest are moved, first while nested and then freely, until nodes with several parents are
    in the caps of all of them. Never worse than the forest itself, which is the result for trees and in two dimensions.

    >>> edges = [("thing", "animal"), ("thing", "possession"), ("animal", "pet"), ("possession", "pet")]
    >>> construct_overlapping(Hierarchy.from_pairs(edges), dim=3).counts
    Counts(true_positives=5, false_positives=0, positives=5)
    """
    forest = construct_forest(hierarchy, dim, K)
    if not len(hierarchy.edges) or forest.counts.f1 == 1.0:
        return forest
    if reason := _reason_to_keep_forest(forest, dim):
        return replace(forest, notes=(*forest.notes, reason))
    forest_parents = spanning_forest(hierarchy)
    skeleton, leaves = build_skeleton(hierarchy, forest_parents)
    shape, free = first_shape(skeleton, dim - 1, seed), free_plan or FreePlan()
    # The free phase starts from the nested shape, unless a checkpoint of the free phase exists.
    if not context.checkpoints.of(FREE, free.iterations):
        shape = move_nested(skeleton, shape, forest.counts.positives, nested_plan or NestedPlan(), context)
    balls = _place_leaves(skeleton, leaves, shape, seed)
    balls = move_freely(hierarchy, forest_parents, balls, smallest_radius(K), free, context)
    return _better_of(forest, _construct_from_balls(hierarchy, balls, K))


def smallest_radius(K: float) -> float:
    """The smallest radius for which the point of a ball is within the domain, wherever the ball is.

    >>> 1e-12 < smallest_radius(0.1) < 1e-10
    True
    """
    _, outer = find_method("hyperbolic-cones").shell(Settings(K=K))
    scale = projection_scale(K)
    return SPARE * cap_radius(outer, K) * (1 + scale * scale) / (2 * scale)


def _reason_to_keep_forest(forest: Constructed, dim: int) -> str | None:
    """Why an imperfect forest is returned without moving its caps; None if they are moved."""
    if dim < FEWEST_DIMENSIONS:
        return "in two dimensions caps are arcs that cannot pass each other, so the forest is kept; take dim 3 or more"
    if forest.counts.positives > MOST_PAIRS:
        return f"there are {forest.counts.positives:,} true pairs, too many to move caps by, so the forest is kept"
    return None


def _place_leaves(skeleton: Skeleton, leaves: Leaves, shape: Shape, seed: int) -> Balls:
    """One ball per node: those of the skeleton, and plain leaves at random positions in the ball that holds them."""
    rng = np.random.default_rng((seed, len(leaves.rows)))
    centers, radii = balls_of(skeleton, shape)
    is_node = skeleton.rows >= 0
    size, dim = int(is_node.sum()) + len(leaves.rows), centers.shape[1]
    all_centers, all_radii = np.empty((size, dim)), np.empty(size)
    all_centers[skeleton.rows[is_node]], all_radii[skeleton.rows[is_node]] = centers[is_node], radii[is_node]
    offsets = in_unit_ball(rng, len(leaves.rows), dim) * (LEAF_SPREAD * radii[leaves.holders])[:, None]
    all_centers[leaves.rows], all_radii[leaves.rows] = centers[leaves.holders] + offsets, radii[leaves.holders]
    return Balls(all_centers, all_radii)


def _construct_from_balls(hierarchy: Hierarchy, balls: Balls, K: float) -> Constructed:
    """The points of balls, scaled into the unit ball."""
    largest = (np.linalg.norm(balls.centers, axis=1) + balls.radii).max()
    points = points_from_balls(balls.centers / largest, balls.radii / largest, K)
    errors = count_errors(points, hierarchy, K)
    counts = counts_of(errors, len(hierarchy.ancestor_lists().rows))
    return Constructed(points, counts, smallest_cap(points, K), (), closure_aware=True, errors=errors)


def _better_of(forest: Constructed, overlapping: Constructed) -> Constructed:
    if overlapping.counts.f1 >= forest.counts.f1:
        return overlapping
    return replace(forest, notes=(*forest.notes, "caps that overlap came out worse here, so the forest is kept"))


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
    true = hierarchy.ancestor_lists()
    called, right = np.zeros(len(points), np.int64), np.zeros(len(points), np.int64)
    with Step("counting pairs", len(points)) as step:
        for start in range(0, len(points), PART):
            part = np.arange(start, min(start + PART, len(points)))
            found = index.ancestors_of_many(part)
            keys = pair_keys(np.repeat(part, list(map(len, found))), np.concatenate(found), len(points))
            rows = true.rows[true.offsets[start] : true.offsets[part[-1] + 1]]
            known = pair_keys(np.repeat(part, true.counts[part]), rows, len(points))
            called[part] = list(map(len, found))
            both = np.intersect1d(keys, known, assume_unique=True)
            right[part] = np.bincount(both // len(points) - start, minlength=len(part))
            step.advance(len(part))
    return ListErrors(true.counts - right, called - right)
