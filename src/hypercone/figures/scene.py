"""What a picture of a model in the disk is made of, before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hypercone.construction.forest import spanning_forest
from hypercone.figures.arcs import Floats
from hypercone.figures.branches import branches
from hypercone.figures.importance import invented_depths, most_important, nodes_below
from hypercone.figures.isometry import seen_from
from hypercone.figures.planar import PlanarView
from hypercone.hierarchy import Hierarchy
from hypercone.methods.scoring import Rows

# The power of what hangs below a node when names are chosen: who looks from a node wants to read what is near.
OVERVIEW, NEARBY = 1.0, 0.4


@dataclass(frozen=True, eq=False)
class Scene:
    """A view as seen from a centre: moved points, and of each row its depth, its branch (−1: none) and its weight.

    ``is_main`` tells of each edge whether it hangs its child where the child is counted. ``weights`` are the numbers of
    nodes below; ``order`` are the rows by importance. Without a hierarchy the rank by radius stands in for them.
    ``middle`` is the row that stands in the centre, if it is one.
    """

    view: PlanarView
    centre: Floats
    points: Floats
    edges: Rows
    is_main: NDArray[np.bool_]
    depths: Rows
    branch: Rows
    weights: Rows
    order: Rows
    middle: int | None = None

    @property
    def is_moved(self) -> bool:
        """Whether the middle of the picture is not the origin."""
        return bool(np.any(self.centre != 0))


def make_scene(
    view: PlanarView, hierarchy: Hierarchy | None, middle: int | None = None, *, moved: bool = True
) -> Scene:
    """The scene of a view with a row in the middle, or else the view's own centre, or if not moved the origin."""
    centre = np.array(view.centre if moved else (0.0, 0.0)) if middle is None else view.points[middle]
    points = seen_from(centre, view.points) if np.any(centre != 0) else view.points
    if hierarchy is None:
        return _without_edges(view, centre, points, middle)
    below = nodes_below(hierarchy)
    edges = hierarchy.reduction()
    is_main = spanning_forest(hierarchy)[edges[:, 1]] == edges[:, 0]
    order = most_important(hierarchy, below, points, OVERVIEW if middle is None else NEARBY)
    given = hierarchy.depths(), branches(hierarchy), below, order
    return Scene(view, centre, points, edges, is_main, *given, middle)


def _without_edges(view: PlanarView, centre: Floats, points: Floats, middle: int | None) -> Scene:
    order = np.argsort(np.linalg.norm(view.points, axis=1), kind="stable").astype(np.int32)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    depths = invented_depths(rank)
    nowhere, edges = np.full(len(order), -1, np.int32), np.empty((0, 2), np.int32)
    none = np.empty(0, np.bool_)
    return Scene(view, centre, points, edges, none, depths, nowhere, len(order) - 1 - rank, order, middle)
