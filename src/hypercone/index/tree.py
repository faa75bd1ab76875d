"""A bounding-volume tree over nodes: each cell is a cap of directions and a range of norms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._jit import dimension_type
from hypercone.index import tree_kernels
from hypercone.methods import Points

Places = NDArray[np.int64]

# Small leaves are tested node by node, which is no dearer than testing two more cells.
LEAF = 8
# Of weights from 1 to 3, and of points in Poincaré or Klein coordinates, this had the fewest tests on WordNet nouns.
APERTURE_WEIGHT = 2.0


class Tree(NamedTuple):
    """The arrays the kernels walk; see ``tree_kernels`` for what a row of cells and of leaves holds.

    ``rows[place]`` is the node at a place of the tree, and ``where[row]`` the place of a node.
    """

    rows: Places
    begin: Places
    end: Places
    cells: Points
    leaves: Points
    where: Places

    @property
    def floors(self) -> int:
        """How many times the nodes were halved."""
        return len(self.begin).bit_length() - 1


def build_tree(points: Points, reaches: Points | None) -> Tree:
    """The tree of some points; ``reaches`` is the widest angle at which each still holds a child, if there are cones.

    >>> tree = build_tree(np.random.default_rng(0).uniform(-0.5, 0.5, (100, 3)), None)
    >>> tree.floors, sorted(tree.rows.tolist()) == list(range(100))
    (4, True)
    """
    dim = dimension_type(points.shape[1])
    floors = max(0, -(-len(points) // LEAF) - 1).bit_length()
    directions, norms = tree_kernels.directions_and_norms(points, dim)
    if reaches is None:
        reaches, spread = np.zeros(len(points)), points
    else:
        # What makes an ancestor is its direction and its aperture, so nodes alike in these are to be neighbours.
        spread = np.column_stack([directions, APERTURE_WEIGHT * reaches])
    rows, begin, end = tree_kernels.halve(spread, floors, dimension_type(spread.shape[1]))
    cells, leaves = tree_kernels.bound(directions, norms, reaches, rows, begin, end, dim)
    return Tree(rows, begin, end, cells, leaves, np.argsort(rows))
