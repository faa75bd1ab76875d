"""What a new node wants: to be under its parents and all above them, and under nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows
from hypercone.placement.placement_kernels import mark_above


@dataclass(frozen=True)
class Wishes:
    """The rows a new node should be under, those of them that were asked for by name, and those it must not be under.

    >>> Wishes.by_edges(np.array([[0, 1], [1, 2]], np.int32), 3, parents=[2]).above.tolist()
    [0, 1, 2]
    """

    parents: tuple[int, ...]
    above: Rows
    not_above: tuple[int, ...] = ()

    @classmethod
    def by_edges(cls, edges: Rows, size: int, parents: list[int], not_under: tuple[int, ...] = ()) -> Wishes:
        """Above are the parents and, along (parent, child) edges, all above them."""
        marks: NDArray[np.bool_] = np.zeros(size, np.bool_)
        marks[parents] = True
        mark_above(edges, marks)
        return cls(tuple(parents), np.flatnonzero(marks).astype(np.int32), not_under)
