"""A forest as balls inside balls: a child's in its parent's, any others apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone.construction import layout_kernels as kernels
from hypercone.construction.sites import sites
from hypercone.methods.scoring import Rows

Floats = NDArray[np.float64]


class Layout(NamedTuple):
    """A ball for each row, all in the unit ball, and the gap that is free around it.

    With the gap added to its radius a ball still lies in its parent's, and apart from its siblings' with theirs.
    """

    centres: Floats
    radii: Floats
    gaps: Floats


def lay_out_forest(kept: Rows, dim: int) -> Layout:
    """Balls in a space of so many dimensions for a forest given by the parent, or -1, of each row.

    Each node needs a ball as large as the packing of its children's, and a leaf one of radius 1; from the top down
    they then get at least what they need. The largest children of a node stand in a line; the others, where that is
    smaller, on a lattice of equal cells, in which small ones share a cell.

    >>> layout = lay_out_forest(np.array([-1, 0, 0], np.int32), dim=1)
    >>> bool(abs(layout.centres[1, 0] - layout.centres[2, 0]) > layout.radii[1] + layout.radii[2])
    True
    """
    rows, firsts, levels = kernels.breadth_first(kept)
    widest = int(np.diff(firsts).max(initial=1))
    _, lattice, reach = sites(dim, widest)
    radii, sizes, by_size, starts = kernels.needed_radii(firsts, levels, reach)
    centres, scales = kernels.lay_out(firsts, levels, radii, sizes, by_size, starts, lattice, reach, dim)
    by_row = np.empty(len(kept), np.int64)
    by_row[rows[1:]] = np.arange(1, len(rows))
    scales = scales[by_row]
    return Layout(centres[by_row], scales * radii[by_row], scales * (sizes - radii)[by_row])
