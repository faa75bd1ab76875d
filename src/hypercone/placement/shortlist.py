"""The nodes that matter near a new one: what it should be under, and what it was found under or above by mistake."""

from __future__ import annotations

from typing import Any

import numpy as np

from hypercone.methods import Points
from hypercone.placement.placement_kernels import ABOVE, NOT_ABOVE, NOT_BELOW, scan
from hypercone.placement.wishes import Wishes

# What was asked for by name comes before anything else; and being above a stranger is half as bad as being under one,
# for a leaf is asked for what it is, hardly ever for what is below it.
ASKED, IMPLIED, BELOW = 1000.0, 1.0, 0.5
# More than this are near only in a model that says hardly anything.
MOST_FOUND = 4096


class Shortlist:
    """Rows with what each is to the new node and what it costs to have it on the wrong side."""

    def __init__(self, wishes: Wishes) -> None:

        self._not_above, self._not_below = NOT_ABOVE, NOT_BELOW
        self._entries: dict[tuple[int, int], float] = {
            (int(row), ABOVE): ASKED if row in wishes.parents else IMPLIED for row in wishes.above
        }
        self._entries |= {(row, NOT_ABOVE): ASKED for row in wishes.not_above}
        self._above = set(wishes.above.tolist())
        self._found = np.empty(MOST_FOUND, np.int32)
        self._arrays: tuple[Any, Any, Any] | None = None

    def __len__(self) -> int:
        return len(self._entries)

    def grow(self, points: Points, new: int, bound: float, space: tuple[float, ...], dim: Any) -> None:
        """Scan all nodes, and list those within the bound of the new one that should not be."""
        above, both = scan(points, new, self._found, bound, space, dim)
        self._arrays = None
        for row in self._found[:above].tolist():
            if row not in self._above:
                self._entries.setdefault((row, self._not_above), IMPLIED)
        for row in self._found[above:both].tolist():
            self._entries.setdefault((row, self._not_below), BELOW)

    @property
    def arrays(self) -> tuple[Any, Any, Any]:
        """Rows, what each is to the new node, and weights, as the kernels take them."""
        if self._arrays is None:
            rows, kinds = np.array(list(self._entries), np.int32).reshape(-1, 2).T.copy()
            self._arrays = rows, kinds, np.array(list(self._entries.values()))
        return self._arrays
