"""The exact index: descendants, ancestors and nearest nodes of a row without asking every node."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hypercone._jit import dimension_type
from hypercone.index.batch import search_many
from hypercone.index.cone_kernels import ancestors, ancestors_of_many, descendants, descendants_of_many, reaches
from hypercone.index.nearest_kernels import nearest
from hypercone.index.scan import Found, Near, Scan
from hypercone.index.tree import Places, Tree, build_tree
from hypercone.methods import Points
from hypercone.methods.scoring import Rows

# Beyond so many neighbours sorting all distances is the faster way.
MOST_NEAREST = 1000


class ConeIndex(Scan):
    """The same answers as a scan, found through a tree.

    Descendants and ancestors for methods with cones, at any threshold; the nearest nodes for every method. The tree is
    built when first needed, in a fraction of a second for a hundred thousand nodes.

    >>> from hypercone.methods import Settings, find_method
    >>> points = np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.5]])
    >>> index = ConeIndex(points, find_method("hyperbolic-cones"), Settings(), threshold=0.0)
    >>> index.descendants(0).rows.tolist(), index.ancestors(1).rows.tolist(), index.nearest(0, 1).rows.tolist()
    ([1], [0], [2])
    """

    @cached_property
    def tree(self) -> Tree:
        """The tree, built when first asked for."""
        return build_tree(self.points, self._reaches if self._can_walk else None)

    def descendants(self, row: int) -> Found:
        """The rows under a row."""
        if not self._can_walk:
            return super().descendants(row)

        return self._walk(descendants, row)

    def ancestors(self, row: int) -> Found:
        """The rows above a row."""
        if not self._can_walk:
            return super().ancestors(row)

        return self._walk(ancestors, row)

    def descendants_of_many(self, rows: ArrayLike) -> list[Rows]:
        """The rows under each of some rows, on all cores."""
        if not self._can_walk:
            return super().descendants_of_many(rows)

        return self._walk_many(descendants_of_many, rows)

    def ancestors_of_many(self, rows: ArrayLike) -> list[Rows]:
        """The rows above each of some rows, on all cores."""
        if not self._can_walk:
            return super().ancestors_of_many(rows)

        return self._walk_many(ancestors_of_many, rows)

    def nearest(self, row: int, count: int) -> Near:
        """The rows at the smallest distance, hyperbolic for methods in the ball and else straight."""
        count = min(count, len(self.points) - 1)
        if not 0 < count <= MOST_NEAREST:
            return super().nearest(row, count)

        distances, rows = np.empty(count), np.empty(count, np.int32)
        room, curvature = self._room, float(self.method.is_hyperbolic)
        given = (self.tree, self.distance_constants, curvature, distances, rows, room.stack, room.keys)
        _, tested = nearest(self.points, self.checked(row), *given, self._dim)
        return Near(rows, distances, tested)

    @property
    def _can_walk(self) -> bool:
        """Not without cones. Below zero there is no threshold to widen a cone by, and nothing is under anything."""
        return self.method.curvature is not None and self.threshold >= 0.0

    def _walk(self, kernel: Callable[..., tuple[int, int]], row: int) -> Found:
        room = self._room
        count, tested = kernel(self.points, self.checked(row), self.tree, self.cones, room.found, room.stack, self._dim)
        rows = room.found[:count].copy()
        rows.sort()
        return Found(rows, tested)

    def _walk_many(self, kernel: Callable[..., tuple[Rows, Places]], rows: ArrayLike) -> list[Rows]:
        queries = np.asarray([self.checked(row) for row in np.asarray(rows).tolist()], np.int64)
        tree, cones, depth = self.tree, self.cones, self._depth

        def search(part: Places) -> tuple[Rows, Places]:
            return kernel(self.points, part, tree, cones, np.empty(depth, np.int64), self._dim)

        return search_many(search, queries)

    @cached_property
    def cones(self) -> Cones:
        """What the kernels need to know of the cones."""
        return Cones(self.method.constants(self.settings), self.threshold, float(self.method.curvature or 0.0))

    @cached_property
    def _dim(self) -> Any:

        return dimension_type(self.points.shape[1])

    @cached_property
    def _reaches(self) -> Points:
        """The widest angle at which each node still holds a child: its half aperture and the threshold."""
        widest: Points = reaches(self.points, self.settings.K, self.threshold, self.method.curvature, self._dim)
        return widest

    @property
    def _room(self) -> _Room:
        """Where a thread's searches write, made once."""
        room: _Room | None = getattr(self._rooms, "room", None)
        if room is None:
            depth = self._depth
            room = _Room(np.empty(len(self.points), np.int32), np.empty(depth, np.int64), np.empty(depth))
            self._rooms.room = room
        return room

    @property
    def _depth(self) -> int:
        """How many cells may wait at once: one a floor, and the two just put there."""
        return self.tree.floors + 3

    @cached_property
    def _rooms(self) -> threading.local:
        return threading.local()


class Cones(NamedTuple):
    """The constants of the method, the largest energy that counts as inside, and 1 in the ball or 0 in flat space."""

    constants: tuple[float, ...]
    threshold: float
    curvature: float


class _Room(NamedTuple):
    found: Rows
    stack: Places
    keys: Points
