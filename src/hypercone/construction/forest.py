"""The forest construction, exact for trees: which parent each node keeps, caps in caps, and proof that they hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hypercone._arrays import Adjacency, Rows, freeze
from hypercone.construction import rearrange_kernels as kernels
from hypercone.construction.layout import (
    Layout,
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
from hypercone.hierarchy.graph import count_pairs_by_bits, flipped_lists
from hypercone.hierarchy.graph_kernels import deepest_parents
from hypercone.methods import Settings, find_method
from hypercone.methods.base import Points
from hypercone.methods.scoring import Counts, Scorer
from hypercone.progress import Step


def construct_forest(hierarchy: Hierarchy, dim: int, K: float = 0.1, rearrange: bool = True) -> Constructed:
    """Points whose cones hold exactly the pairs of a forest; a tree is embedded without a mistake.

    Where nodes have several parents a forest must lose some pairs. Rearranged, which looks at the closure of the edges,
    it keeps more of them at the price of a few that are false; else it is the forest of true edges that keeps the most,
    and nothing false is said. The smallest cap is about the n-th part of the largest, however deep or wide the forest
    is. The points are checked before they are given out; InputError where float64 cannot hold them.

    >>> birds = Hierarchy.from_pairs([("bird", "pelican"), ("pelican", "white_pelican"), ("bird", "owl")])
    >>> constructed = construct_forest(birds, dim=2)
    >>> constructed.counts
    Counts(true_positives=4, false_positives=0, positives=4)
    """
    if dim < 2:
        raise ConfigError(f"{option('dim')} is {dim}, but must be at least 2 for caps to lie side by side")
    kept, counts = spanning_forest(hierarchy), count_forest(hierarchy)
    rearrange = rearrange and can_be_rearranged(hierarchy, counts)
    if rearrange:
        kept, counts = rearranged_forest(hierarchy, kept)
    # Checking takes about twice as long as laying out and making points together.
    with Step("construction", 6) as step:
        layout = lay_out_forest(kept, dim - 1)
        step.advance()
        points = points_from_balls(layout.centres, layout.radii, K)
        step.advance()
        check_points(points, layout, kept, K)
    return Constructed(points, counts, smallest_cap(points, K), _notes(hierarchy, counts), rearrange)


def smallest_cap(points: Points, K: float) -> float:
    """The angular radius of the smallest cap, which is that of the point nearest to the border.

    >>> round(smallest_cap(np.array([[0.5, 0.0], [0.99, 0.0]]), K=0.1), 9)
    1.0101e-05
    """
    if not len(points):
        return 0.0
    lengths = np.linalg.norm(points, axis=1)
    return float(caps.cap_radius(points[np.argmax(lengths)], K))


def _notes(hierarchy: Hierarchy, counts: Counts) -> tuple[str, ...]:
    notes = []
    lost = counts.positives - counts.true_positives
    if lost:
        # By basic edges: an implied one is no further parent.
        several = int((np.bincount(hierarchy.reduction()[:, 1], minlength=1) > 1).sum())
        have = "node has" if several == 1 else "nodes have"
        notes.append(
            f"{several:,} {have} several parents and a forest has room for one, so {lost:,} of {counts.positives:,} "
            f"true pairs ({lost / counts.positives:.1%}) are missing"
        )
    if counts.false_positives:
        notes.append(
            f"{counts.false_positives:,} pairs ({1 - counts.precision:.1%} of those it calls true) are false: where a "
            "node has two parents one may be put under the other, if that keeps more true pairs"
        )
    return tuple(notes)


def spanning_forest(hierarchy: Hierarchy) -> Rows:
    """The kept parent of each row, or -1 for a root: the parent with the longest way down to it, then the lowest row.

    No forest of the hierarchy's edges keeps more pairs of its closure. A row's ancestors in a forest are the rows on
    one way down to it, so they are at most as many as its depth; the deepest parent has one less than that itself, and
    so each row keeps exactly as many ancestors as its depth.

    >>> diamond = Hierarchy(["thing", "animal", "pet", "dog"], [[0, 1], [1, 2], [0, 3], [2, 3]])
    >>> spanning_forest(diamond).tolist()
    [-1, 0, 1, 2]
    """
    kept: Rows = deepest_parents(hierarchy.depths, hierarchy.parent_lists.csr)
    return kept


def count_forest(hierarchy: Hierarchy) -> Counts:
    """What the spanning forest gets right and wrong over all ordered pairs of different rows.

    >>> count_forest(Hierarchy(["thing", "pet", "animal", "dog"], [[0, 1], [0, 2], [1, 3], [2, 3]]))
    Counts(true_positives=4, false_positives=0, positives=5)
    """
    positives = hierarchy.count_closure()
    kept = int(hierarchy.depths.sum(dtype=np.int64))
    return Counts(kept, 0, count_by_bits(hierarchy) if positives is None else positives)


def count_by_bits(hierarchy: Hierarchy) -> int:
    """The number of pairs of the closure, whatever it takes: minutes for a million nodes with many parents each."""
    order = np.argsort(hierarchy.depths, kind="stable").astype(np.int32)
    return count_pairs_by_bits(freeze(order), hierarchy.parent_lists)


# Of the gap around a cap, what rounding may use up; two neighbours may each move by this much.
SHARE_FOR_ROUNDING = 0.25
# What cannot be measured, because what it is measured by is rounded too.
UNSEEN = 16 * float(np.finfo(np.float64).eps)


def check_points(points: Points, layout: Layout, kept: Rows, K: float) -> None:
    """Nothing if the cones of the points are nested as the forest is and nowhere else; InputError if digits ran out.

    What proves it: the balls of the layout keep their gaps, and no cap moves by more than a quarter of its gap when it
    is stored as a point. So caps of siblings stay apart, a child's stays in its parent's, and with that every pair of
    the forest holds and no other can. The kernel that answers questions must agree about what is closest to call:
    each edge, each edge turned round, and neighbouring siblings.
    """
    if not all(_is_held(points[part], Layout(*(each[part] for each in layout)), K) for part in parts(len(points))):
        raise _ran_out(points, K)
    edges = _edges(kept)
    siblings = _neighbouring_siblings(kept)
    wrong = np.concatenate([edges[:, ::-1], siblings, siblings[:, ::-1]])
    scorer = Scorer(points, find_method("hyperbolic-cones"), Settings(K=K))
    if np.any(scorer.energies(edges) > 0) or np.any(scorer.energies(wrong) <= 0):
        raise _ran_out(points, K)


def _is_held(points: Points, layout: Layout, K: float) -> bool:
    """Whether some caps are stored in the shell where cones are, each with its border within a part of its gap."""
    _, outer = find_method("hyperbolic-cones").shell(Settings(K=K))
    lengths = np.linalg.norm(points, axis=1)
    directions, angles = caps_from_balls(layout.centres, layout.radii, K)
    aside = np.linalg.norm(points / lengths[:, None] - directions, axis=1)
    moved = aside + np.abs(caps.cap_radius(points, K) - angles) + UNSEEN
    # As angles gaps are smallest at the border of the unit ball.
    scale = projection_scale(K)
    gaps = 2 * scale / (1 + scale**2) * layout.gaps
    return bool(np.all((moved <= SHARE_FOR_ROUNDING * gaps) & (lengths >= cones.inner_radius(K)) & (lengths <= outer)))


def _edges(kept: Rows) -> Rows:
    children = np.flatnonzero(kept >= 0)
    return np.stack([kept[children], children], axis=1).astype(np.int32)


def _neighbouring_siblings(kept: Rows) -> Rows:
    """Pairs of rows that follow each other among the children of one parent, or among the roots."""
    by_parent = np.argsort(kept, kind="stable").astype(np.int32)
    pairs = np.stack([by_parent[:-1], by_parent[1:]], axis=1)
    siblings: Rows = pairs[kept[pairs[:, 0]] == kept[pairs[:, 1]]]
    return siblings


def _ran_out(points: Points, K: float) -> InputError:
    largest = np.linalg.norm(points, axis=1).max()
    return InputError(
        f"float64 cannot hold {len(points):,} nodes as nested caps in {points.shape[1]} dimensions with K = {K}: the "
        f"outermost point is {1 - largest:.1e} from the border and its neighbours are no longer told apart; take a "
        f"part of the hierarchy, a larger {option('dim')} or a smaller {option('K')}"
    )


@dataclass(frozen=True, eq=False)
class Constructed:
    """Points of hyperbolic cones at threshold 0, and how they came out.

    ``counts`` is exact, over all ordered pairs of different nodes against the closure. ``smallest_cap`` is the angular
    radius of the smallest cap, from which one sees how far the digits of a float64 are from running out. ``notes``
    are sentences about what a user may want to know. ``closure_aware`` says whether the closure of the given edges was
    used, or the edges alone.
    """

    points: Points
    counts: Counts
    smallest_cap: float
    notes: tuple[str, ...] = ()
    closure_aware: bool = False


# After three rounds hardly anything moves; the last ones are for tangled hierarchies.
ROUNDS = 10
# Pairs of the closure times levels, about a sixth of a second a million.
MOST_STEPS = 100_000_000


def can_be_rearranged(hierarchy: Hierarchy, counts: Counts) -> bool:
    """Whether a forest with these counts loses something, and the hierarchy is not too large to win some of it back."""
    height = int(hierarchy.depths.max(initial=0))
    return counts.recall < 1 and counts.positives * height <= MOST_STEPS


def rearranged_forest(hierarchy: Hierarchy, kept: Rows) -> tuple[Rows, Counts]:
    """The kept parent of each row, or -1, after moves that raise F1 over all pairs, and what the forest gets right.

    Where a node has two parents, a forest of true edges loses one with all above it. Often one can be put under the
    other: if "causal agent" is placed between "organism" and "person", a few agents are called organisms, and
    ten thousand persons stay agents. Each node is moved to the parent where the pairs of its subtree earn most, and
    adopts those new siblings that are mostly its own; a right pair earns as much as it adds to F1, a wrong one costs
    as much as it takes away. Small nodes come first, in rounds until nothing moves.

    >>> edges = [[0, 1], [0, 2], [1, 3], [2, 3], [3, 4], [3, 5], [3, 6]]
    >>> cross = Hierarchy("thing organism agent person king queen poet".split(), edges)
    >>> rearranged_forest(cross, np.array([-1, 0, 0, 1, 3, 3, 3], np.int32))[1]
    Counts(true_positives=17, false_positives=1, positives=17)
    """
    above = hierarchy.ancestor_lists()
    below = flipped_lists(above)
    order = freeze(np.argsort(below.counts, kind="stable").astype(np.int32))
    links = kernels.linked(kept)
    counts = _counts(kept, above)
    for turn in range(ROUNDS):
        subtrees = len(order) + counts.true_positives + counts.false_positives
        with Step(f"rearranging, round {turn + 1}", subtrees) as step:
            # F1 rises exactly when (2 − F1)·(right pairs more) > F1·(wrong pairs more).
            worth = counts.f1 / (2 - counts.f1)
            moved = kernels.rearrange(order, links, above.csr, below.csr, worth, step.tally())
        counts = _counts(links.parents, above)
        if not moved:
            break
    parents = links.parents[:-1]
    return np.where(parents < len(parents), parents, -1).astype(np.int32), counts


def _counts(parents: Rows, above: Adjacency) -> Counts:
    right, wrong = count_pairs_of(parents, above.csr)
    return Counts(int(right), int(wrong), len(above.rows))
