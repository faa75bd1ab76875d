"""The forest construction: an embedding without learning, exact for trees."""

from __future__ import annotations

import numpy as np

from hypercone.construction.balls import points_from_balls
from hypercone.construction.check import check_points
from hypercone.construction.constructed import Constructed
from hypercone.construction.forest import count_forest, spanning_forest
from hypercone.construction.layout import lay_out_forest
from hypercone.construction.rearrange import can_be_rearranged, rearranged_forest
from hypercone.errors import ConfigError
from hypercone.geometry import caps
from hypercone.hierarchy import Hierarchy
from hypercone.methods.base import Points
from hypercone.methods.scoring import Counts


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
        raise ConfigError(f"dim must be at least 2 for caps to lie side by side, not {dim}")
    kept, counts = spanning_forest(hierarchy), count_forest(hierarchy)
    rearrange = rearrange and can_be_rearranged(hierarchy, counts)
    if rearrange:
        kept, counts = rearranged_forest(hierarchy, kept)
    layout = lay_out_forest(kept, dim - 1)
    points = points_from_balls(layout.centres, layout.radii, K)
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
