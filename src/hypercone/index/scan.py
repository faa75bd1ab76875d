"""Asking every node: the plain way, which the index must agree with, and the only one for methods without cones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hypercone._arrays import read_only
from hypercone._jit import dimension_type
from hypercone.methods import Method, Points, Settings, find_method
from hypercone.methods.generic_kernels import energies_below as scan
from hypercone.methods.scoring import Rows, energies_above, energies_below


class Found(NamedTuple):
    """The rows found, ascending, and how many nodes or cells of a tree were tested to find them."""

    rows: Rows
    tested: int


class Near(NamedTuple):
    """The nearest rows, nearest first and equal ones by row, their distances, and how many were tested."""

    rows: Rows
    distances: Points
    tested: int


@dataclass(frozen=True, eq=False)
class Scan:
    """Answers by row for points under a method: *child* is under *parent* when its energy is at most the threshold.

    >>> points = np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.5]])
    >>> scan = Scan(points, find_method("hyperbolic-cones"), Settings(), threshold=0.0)
    >>> scan.descendants(0).rows.tolist(), scan.ancestors(1).rows.tolist(), scan.nearest(0, 1).rows.tolist()
    ([1], [0], [2])
    """

    points: Points
    method: Method
    settings: Settings
    threshold: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", read_only(self.points))

    def descendants(self, row: int) -> Found:
        """The rows under a row."""
        return self._within(energies_below(self.method, self.settings, self.points, self.checked(row)), row)

    def ancestors(self, row: int) -> Found:
        """The rows above a row."""
        return self._within(energies_above(self.method, self.settings, self.points, self.checked(row)), row)

    def descendants_of_many(self, rows: ArrayLike) -> list[Rows]:
        """The rows under each of some rows."""
        return [self.descendants(row).rows for row in np.asarray(rows).tolist()]

    def ancestors_of_many(self, rows: ArrayLike) -> list[Rows]:
        """The rows above each of some rows."""
        return [self.ancestors(row).rows for row in np.asarray(rows).tolist()]

    def nearest(self, row: int, count: int) -> Near:
        """The rows at the smallest distance, hyperbolic for methods in the ball and else straight."""
        distances = scan(self.points, self.checked(row), self.distance_constants, dimension_type(self.points.shape[1]))
        order = np.argsort(distances, kind="stable")
        chosen = order[order != row][: max(0, count)].astype(np.int32)
        return Near(chosen, distances[chosen], len(distances))

    def checked(self, row: int) -> int:
        """The row, if there is such a one: compiled code would read what is beyond the end."""
        if not 0 <= row < len(self.points):
            raise IndexError(f"row {row} is outside 0 … {len(self.points) - 1}")
        return int(row)

    @property
    def distance_constants(self) -> tuple[float, ...]:
        """The constants of plain distances: those of the distance methods without their α."""
        twin = find_method("poincare" if self.method.is_hyperbolic else "euclidean")
        return twin.constants(Settings(border=self.settings.border))

    def _within(self, energies: Points, row: int) -> Found:
        rows = np.flatnonzero(energies <= self.threshold).astype(np.int32)
        return Found(rows[rows != row], len(energies))
