"""Who answers: a scan at first, an index once enough has been asked to pay for building it."""

from __future__ import annotations

from functools import cached_property
from itertools import count

from hypercone.index.cone_index import ConeIndex
from hypercone.index.scan import Found, Near, Scan
from hypercone.methods import Method, Points, Settings

# Building an index takes about as long as so many scans of the same nodes.
PAYS_AFTER = 100


class Finder:
    """Answers by row, always the same ones; only how fast they come depends on how many were asked before.

    >>> import numpy as np
    >>> from hypercone.methods import find_method
    >>> points = np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.5]])
    >>> Finder(points, find_method("hyperbolic-cones"), Settings(), threshold=0.0).descendants(0).rows.tolist()
    [1]
    """

    def __init__(self, points: Points, method: Method, settings: Settings, threshold: float) -> None:
        """The arguments are those of Scan and ConeIndex."""
        self._given = (points, method, settings, threshold)
        self._scan = Scan(*self._given)
        self._asked = count(1)

    @cached_property
    def index(self) -> ConeIndex:
        """The index, which builds its tree when it is first asked."""
        return ConeIndex(*self._given)

    def descendants(self, row: int) -> Found:
        """The rows under a row."""
        return self._who().descendants(row)

    def ancestors(self, row: int) -> Found:
        """The rows above a row."""
        return self._who().ancestors(row)

    def nearest(self, row: int, count: int) -> Near:
        """The nearest rows and their distances."""
        return self._who().nearest(row, count)

    def _who(self) -> Scan:
        return self.index if "index" in vars(self) or next(self._asked) > PAYS_AFTER else self._scan
