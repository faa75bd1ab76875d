"""The nested-caps construction, exact for trees: choose a spanning forest, nest its caps, and verify the result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hypercone._arrays import Adjacency, Rows, freeze
from hypercone.construction import rearrange_kernels as kernels
from hypercone.construction.layout import (
    Layout,
    cap_radius,
    caps_from_balls,
    lay_out_forest,
    parts,
    points_from_balls,
    projection_scale,
)
from hypercone.construction.rearrange_kernels import count_pairs_of
from hypercone.errors import ConfigError, InputError, option
from hypercone.geometry import caps, cones
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph import flipped_lists
from hypercone.hierarchy.graph_kernels import deepest_parents
from hypercone.methods import Settings, find_method
from hypercone.methods.base import Points
from hypercone.methods.scoring import Counts, ListErrors, Scorer
from hypercone.progress import Step


def construct_forest(hierarchy: Hierarchy, dim: int, K: float = 0.1, rearrange: bool = True) -> Constructed:
    """Points whose cones contain exactly the pairs of a forest; a tree is embedded without error.

    If nodes have several parents, a forest loses some pairs. With ``rearrange``, which uses the transitive closure, it
    keeps more of them at the cost of a few false pairs. Without, it is the forest of given edges that keeps the most
    pairs, and has no false ones. The radius of the smallest cap is about 1/n of the largest, regardless of depth and
    width. The points are verified before they are returned; InputError if float64 cannot represent them.

    >>> birds = Hierarchy.from_pairs([("bird", "pelican"), ("pelican", "white_pelican"), ("bird", "owl")])
    >>> constructed = construct_forest(birds, dim=2)
    >>> constructed.counts
    Counts(true_positives=4, false_positives=0, positives=4)
    """
    if dim < 2:
        raise ConfigError(f"{option('dim')} is {dim}, but must be at least 2 for caps to lie side by side")
    forest_parents, counts = spanning_forest(hierarchy), count_forest(hierarchy)
    rearrange = rearrange and can_be_rearranged(hierarchy, counts)
    if rearrange:
        forest_parents, counts = rearranged_forest(hierarchy, forest_parents)
    errors = list_errors(hierarchy, counts, forest_parents if rearrange else None)
    # Verification takes about twice as long as the layout and the points together.
    with Step("construction", 6) as step:
        layout = lay_out_forest(forest_parents, dim - 1)
        step.advance()
        points = points_from_balls(layout.centers, layout.radii, K)
        step.advance()
        check_points(points, layout, forest_parents, K)
    return Constructed(points, counts, smallest_cap(points, K), _notes(hierarchy, counts), rearrange, errors)


def smallest_cap(points: Points, K: float) -> float:
    """The angular radius of the smallest cap, that of the point nearest to the boundary.

    >>> round(smallest_cap(np.array([[0.5, 0.0], [0.99, 0.0]]), K=0.1), 9)
    1.0101e-05
    """
    if not len(points):
        return 0.0
    return cap_radius(float(np.linalg.norm(points, axis=1).max()), K)


def _notes(hierarchy: Hierarchy, counts: Counts | None) -> tuple[str, ...]:
    notes = []
    if counts is None or counts.true_positives < counts.positives:
        # Counted on direct edges: an implied edge does not add a parent.
        several = int((np.bincount(hierarchy.reduction()[:, 1], minlength=1) > 1).sum())
        have = "node has" if several == 1 else "nodes have"
        lost = "some true pairs"
        if counts is not None:
            missing = counts.positives - counts.true_positives
            lost = f"{missing:,} of {counts.positives:,} true pairs ({missing / counts.positives:.1%})"
        notes.append(f"{several:,} {have} several parents and a forest keeps only one, so {lost} are missing")
    if counts is not None and counts.false_positives:
        notes.append(
            f"{counts.false_positives:,} pairs ({1 - counts.precision:.1%} of those it calls true) are false: where a "
            "node has two parents one may be put under the other, if that keeps more true pairs"
        )
    return tuple(notes)


def spanning_forest(hierarchy: Hierarchy) -> Rows:
    """The parent of each row in the forest, -1 for a root: the deepest parent, the lowest row among equals.

    No forest of the hierarchy's edges keeps more pairs of its closure. In a forest, the ancestors of a row lie on one
    path from a root, so there are at most ``depth`` of them. The deepest parent has ``depth - 1`` ancestors itself, so
    each row keeps exactly ``depth``.

    >>> diamond = Hierarchy(["thing", "animal", "pet", "dog"], [[0, 1], [1, 2], [0, 3], [2, 3]])
    >>> spanning_forest(diamond).tolist()
    [-1, 0, 1, 2]
    """
    forest_parents: Rows = deepest_parents(hierarchy.depths, hierarchy.parent_lists.csr)
    return forest_parents


def count_forest(hierarchy: Hierarchy) -> Counts | None:
    """True and false pairs of the spanning forest, over all ordered pairs of different rows; None if too many.

    >>> count_forest(Hierarchy(["thing", "pet", "animal", "dog"], [[0, 1], [0, 2], [1, 3], [2, 3]]))
    Counts(true_positives=4, false_positives=0, positives=5)
    """
    positives, in_forest = hierarchy.count_closure(), int(hierarchy.depths.sum(dtype=np.int64))
    return None if positives is None else Counts(in_forest, 0, positives)


def list_errors(hierarchy: Hierarchy, counts: Counts | None, rearranged: Rows | None = None) -> ListErrors | None:
    """The errors of each row's ancestors in the spanning forest or a rearranged one; None if counting takes long.

    >>> diamond = Hierarchy(["thing", "pet", "animal", "dog"], [[0, 1], [0, 2], [1, 3], [2, 3]])
    >>> [found.tolist() for found in list_errors(diamond, count_forest(diamond))]
    [[0, 0, 0, 1], [0, 0, 0, 0]]
    """
    if counts is None:
        return None
    none = np.zeros(len(hierarchy), np.int64)
    if rearranged is not None:
        above = hierarchy.ancestor_lists()
        right, wrong = count_pairs_of(rearranged, above.csr)
        return ListErrors(above.counts - right, wrong)
    if counts.true_positives == counts.positives:
        return ListErrors(none, none)
    true = hierarchy.ancestor_counts()
    # Of its ancestors, each row keeps as many as it is deep, and gets no others.
    return None if true is None else ListErrors(true - hierarchy.depths, none)


# The share of the gap around a cap that rounding may consume; two adjacent caps may each move by this much.
ROUNDING_SHARE = 0.25
# The error of the measurement itself, whose reference values are rounded too.
MEASUREMENT_ERROR = 16 * float(np.finfo(np.float64).eps)


def check_points(points: Points, layout: Layout, forest_parents: Rows, K: float) -> None:
    """Verify that the cones are nested exactly as the forest; InputError if float64 is not precise enough.

    The balls of the layout keep their gaps, and no cap moves by more than a quarter of its gap when it is stored as a
    point. So the caps of siblings stay disjoint and a child's cap stays inside its parent's, which implies that every
    pair of the forest holds and no other does. The energy kernel must agree on the closest cases: each edge, each
    reversed edge, and adjacent siblings.
    """
    if not all(
        _caps_are_accurate(points[part], Layout(*(each[part] for each in layout)), K) for part in parts(len(points))
    ):
        raise _precision_error(points, K)
    edges = _edges(forest_parents)
    siblings = _adjacent_siblings(forest_parents)
    wrong = np.concatenate([edges[:, ::-1], siblings, siblings[:, ::-1]])
    scorer = Scorer(points, find_method("hyperbolic-cones"), Settings(K=K))
    if np.any(scorer.energies(edges) > 0) or np.any(scorer.energies(wrong) <= 0):
        raise _precision_error(points, K)


def _caps_are_accurate(points: Points, layout: Layout, K: float) -> bool:
    """Whether the points lie in the shell of valid apexes, and each cap is accurate to a share of its gap."""
    _, outer = find_method("hyperbolic-cones").shell(Settings(K=K))
    lengths = np.linalg.norm(points, axis=1)
    directions, angles = caps_from_balls(layout.centers, layout.radii, K)
    aside = np.linalg.norm(points / lengths[:, None] - directions, axis=1)
    moved = aside + np.abs(caps.cap_radius(points, K) - angles) + MEASUREMENT_ERROR
    # Measured as angles, gaps are smallest at the boundary of the unit ball.
    scale = projection_scale(K)
    gaps = 2 * scale / (1 + scale**2) * layout.gaps
    return bool(np.all((moved <= ROUNDING_SHARE * gaps) & (lengths >= cones.inner_radius(K)) & (lengths <= outer)))


def _edges(forest_parents: Rows) -> Rows:
    children = np.flatnonzero(forest_parents >= 0)
    return np.stack([forest_parents[children], children], axis=1).astype(np.int32)


def _adjacent_siblings(forest_parents: Rows) -> Rows:
    """Pairs of consecutive children of one parent, or of consecutive roots."""
    by_parent = np.argsort(forest_parents, kind="stable").astype(np.int32)
    pairs = np.stack([by_parent[:-1], by_parent[1:]], axis=1)
    siblings: Rows = pairs[forest_parents[pairs[:, 0]] == forest_parents[pairs[:, 1]]]
    return siblings


def _precision_error(points: Points, K: float) -> InputError:
    largest = np.linalg.norm(points, axis=1).max()
    return InputError(
        f"float64 cannot hold {len(points):,} nodes as nested caps in {points.shape[1]} dimensions with K = {K}: the "
        f"outermost point is {1 - largest:.1e} from the boundary, too close to its neighbors to distinguish them; "
        f"take a part of the hierarchy, a larger {option('dim')} or a smaller {option('K')}"
    )


@dataclass(frozen=True, eq=False)
class Constructed:
    """Points of hyperbolic cones at threshold 0, and their quality.

    ``counts`` is exact, over all ordered pairs of different nodes against the closure, or None if there are too many.
    ``smallest_cap`` is the angular radius of the smallest cap, which shows how much of the precision of float64 is
    left. ``notes`` are sentences for the user. ``closure_aware`` says whether the closure of the given edges was used,
    or only the edges themselves. ``errors`` are those of each node's ancestors, if they were counted; ``unexplained``
    are the containments that the given edges do not explain, if nothing was counted.
    """

    points: Points
    counts: Counts | None
    smallest_cap: float
    notes: tuple[str, ...] = ()
    closure_aware: bool = False
    errors: ListErrors | None = None
    unexplained: int | None = None

    @property
    def is_exact(self) -> bool:
        """Whether it was counted that every true pair holds and no other."""
        return self.counts is not None and self.counts.f1 == 1.0


# After three rounds hardly anything moves; tangled hierarchies need more.
ROUNDS = 10
# Pairs of the closure times levels; about 1/6 s per million.
MOST_STEPS = 100_000_000


def can_be_rearranged(hierarchy: Hierarchy, counts: Counts | None) -> bool:
    """Whether a forest with these counts loses pairs, and the hierarchy is small enough to rearrange."""
    height = int(hierarchy.depths.max(initial=0))
    return counts is not None and counts.recall < 1 and counts.positives * height <= MOST_STEPS


def rearranged_forest(hierarchy: Hierarchy, forest_parents: Rows) -> tuple[Rows, Counts]:
    """The parent of each row, or -1, after moves that raise F1 over all pairs, and the counts of that forest.

    If a node has two parents, a forest of given edges loses one of them and its ancestors. Often one parent can be put
    under the other: with "causal agent" between "organism" and "person", a few agents become organisms by mistake, but
    ten thousand persons remain agents. Each node moves to the parent where its subtree gains most, and takes over the
    new siblings that mostly belong below it. A true pair gains what it adds to F1, a false one costs what it removes.
    Nodes with few descendants come first, in rounds until nothing moves.

    >>> edges = [[0, 1], [0, 2], [1, 3], [2, 3], [3, 4], [3, 5], [3, 6]]
    >>> cross = Hierarchy("thing organism agent person king queen poet".split(), edges)
    >>> rearranged_forest(cross, np.array([-1, 0, 0, 1, 3, 3, 3], np.int32))[1]
    Counts(true_positives=17, false_positives=1, positives=17)
    """
    above = hierarchy.ancestor_lists()
    below = flipped_lists(above)
    order = freeze(np.argsort(below.counts, kind="stable").astype(np.int32))
    links = kernels.link_forest(forest_parents)
    counts = _counts(forest_parents, above)
    for turn in range(ROUNDS):
        subtrees = len(order) + counts.true_positives + counts.false_positives
        with Step(f"rearranging, round {turn + 1}", subtrees) as step:
            # F1 rises exactly if (2 − F1)·(additional true pairs) > F1·(additional false pairs).
            penalty = counts.f1 / (2 - counts.f1)
            moved = kernels.rearrange(order, links, above.csr, below.csr, penalty, step.tally())
        counts = _counts(links.parents, above)
        if not moved:
            break
    parents = links.parents[:-1]
    return np.where(parents < len(parents), parents, -1).astype(np.int32), counts


def _counts(parents: Rows, above: Adjacency) -> Counts:
    right, wrong = count_pairs_of(parents, above.csr)
    return Counts(int(right.sum()), int(wrong.sum()), len(above.rows))
