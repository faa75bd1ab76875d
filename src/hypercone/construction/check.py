"""Whether stored points still hold what was laid out: rounding may not cost a single pair."""

from __future__ import annotations

import numpy as np

from hypercone.construction.balls import caps_from_balls, parts, projection_scale
from hypercone.construction.layout import Layout
from hypercone.errors import InputError
from hypercone.geometry import caps, cones
from hypercone.methods import Settings, find_method
from hypercone.methods.base import Points
from hypercone.methods.scoring import Rows, energies_of_pairs

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
    method, settings = find_method("hyperbolic-cones"), Settings(K=K)
    if np.any(energies_of_pairs(method, settings, points, edges) > 0) or np.any(
        energies_of_pairs(method, settings, points, np.ascontiguousarray(wrong)) <= 0
    ):
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
        "part of the hierarchy (subtree), more dimensions or a smaller K"
    )
