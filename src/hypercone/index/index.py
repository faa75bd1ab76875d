"""Who is under whom and who is near, by row: a scan of every node, an exact index, and when to change over.

A bounding-volume tree over nodes: each cell is a cap of directions and a range of norms.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypercone._arrays import Rows
from hypercone._jit import dimension_type
from hypercone._system import usable_cores
from hypercone.index import index_kernels
from hypercone.index.index_kernels import (
    ancestors,
    ancestors_of_many,
    descendants,
    descendants_of_many,
    nearest,
    reaches,
)
from hypercone.methods import Points
from hypercone.methods.scoring import Scorer
from hypercone.progress import Step


class Found(NamedTuple):
    """The rows found, ascending, and how many nodes or cells of a tree were tested to find them."""

    rows: Rows
    tested: int


class Near(NamedTuple):
    """The nearest rows, nearest first and equal ones by row, their distances, and how many were tested."""

    rows: Rows
    distances: Points
    tested: int


class Scan:
    """Answers by row, by asking every node: *child* is under *parent* when its energy is at most the threshold.

    >>> from hypercone.methods import Settings, find_method
    >>> points = np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.5]])
    >>> scan = Scan(Scorer(points, find_method("hyperbolic-cones"), Settings(), threshold=0.0))
    >>> scan.descendants(0).rows.tolist(), scan.ancestors(1).rows.tolist(), scan.nearest(0, 1).rows.tolist()
    ([1], [0], [2])
    """

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer

    def descendants(self, row: int) -> Found:
        """The rows under a row."""
        return Found(self.scorer.below(self.checked(row)), len(self.scorer))

    def ancestors(self, row: int) -> Found:
        """The rows above a row."""
        return Found(self.scorer.above(self.checked(row)), len(self.scorer))

    def descendants_of_many(self, rows: ArrayLike) -> list[Rows]:
        """The rows under each of some rows."""
        return [self.descendants(row).rows for row in np.asarray(rows).tolist()]

    def ancestors_of_many(self, rows: ArrayLike) -> list[Rows]:
        """The rows above each of some rows."""
        return [self.ancestors(row).rows for row in np.asarray(rows).tolist()]

    def nearest(self, row: int, count: int) -> Near:
        """The rows at the smallest distance, hyperbolic for methods in the ball and else straight."""
        distances = self.scorer.distances(self.checked(row))
        order = np.argsort(distances, kind="stable")
        chosen = order[order != row][: max(0, count)].astype(np.int32)
        return Near(chosen, distances[chosen], len(distances))

    def checked(self, row: int) -> int:
        """The row, if there is such a one: compiled code would read what is beyond the end."""
        if not 0 <= row < len(self.scorer):
            raise IndexError(f"row {row} is outside 0 … {len(self.scorer) - 1}")
        return int(row)


# Beyond so many neighbours sorting all distances is the faster way.
MOST_NEAREST = 1000


class ConeIndex(Scan):
    """The same answers as a scan, found through a tree.

    Descendants and ancestors for methods with cones, at any threshold; the nearest nodes for every method. The tree is
    built when first needed, in a fraction of a second for a hundred thousand nodes.

    >>> from hypercone.methods import Settings, find_method
    >>> points = np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.5]])
    >>> index = ConeIndex(Scorer(points, find_method("hyperbolic-cones"), Settings(), threshold=0.0))
    >>> index.descendants(0).rows.tolist(), index.ancestors(1).rows.tolist(), index.nearest(0, 1).rows.tolist()
    ([1], [0], [2])
    """

    @cached_property
    def tree(self) -> Tree:
        """The tree, built when first asked for."""
        return build_tree(self.scorer.points, self._reaches if self._can_walk else None)

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
        count = min(count, len(self.scorer) - 1)
        if not 0 < count <= MOST_NEAREST:
            return super().nearest(row, count)
        distances, rows = np.empty(count), np.empty(count, np.int32)
        room = self._room
        given = (self.tree, self.metric, distances, rows, room.stack, room.keys)
        _, tested = nearest(self.scorer.points, self.checked(row), *given, self.scorer.dim)
        return Near(rows, distances, tested)

    @property
    def _can_walk(self) -> bool:
        """Not without cones. Below zero there is no threshold to widen a cone by, and nothing is under anything."""
        return self.scorer.method.curvature is not None and self.scorer.threshold >= 0.0

    def _walk(self, kernel: Callable[..., tuple[int, int]], row: int) -> Found:
        room = self._room
        count, tested = kernel(
            self.scorer.points, self.checked(row), self.tree, self.cones, room.found, room.stack, self.scorer.dim
        )
        rows = room.found[:count].copy()
        rows.sort()
        return Found(rows, tested)

    def _walk_many(self, kernel: Callable[..., tuple[Rows, Places]], rows: ArrayLike) -> list[Rows]:
        queries = np.asarray([self.checked(row) for row in np.asarray(rows).tolist()], np.int64)
        tree, cones, depth = self.tree, self.cones, self._depth

        def search(part: Places) -> tuple[Rows, Places]:
            return kernel(self.scorer.points, part, tree, cones, np.empty(depth, np.int64), self.scorer.dim)

        return search_many(search, queries)

    @cached_property
    def cones(self) -> Cones:
        """What the kernels need to know of the cones."""
        return Cones(self.scorer.constants, self.scorer.threshold, float(self.scorer.method.curvature or 0.0))

    @cached_property
    def metric(self) -> Metric:
        """What the kernels need to know of distances."""
        return Metric(self.scorer.distance_constants, float(self.scorer.method.is_hyperbolic))

    @cached_property
    def _reaches(self) -> Points:
        """The widest angle at which each node still holds a child: its half aperture and the threshold."""
        given = self.scorer
        widest: Points = reaches(given.points, given.settings.K, given.threshold, given.method.curvature, given.dim)
        return widest

    @property
    def _room(self) -> _Room:
        """Where a thread's searches write, made once."""
        room: _Room | None = getattr(self._rooms, "room", None)
        if room is None:
            depth = self._depth
            room = _Room(np.empty(len(self.scorer), np.int32), np.empty(depth, np.int64), np.empty(depth))
            self._rooms.room = room
        return room

    @property
    def _depth(self) -> int:
        """How many cells may wait at once: one a floor, and the two just put there."""
        return self.tree.halvings + 3

    @cached_property
    def _rooms(self) -> threading.local:
        return threading.local()


class Cones(NamedTuple):
    """The constants of the method, the largest energy that counts as inside, and 1 in the ball or 0 in flat space."""

    constants: tuple[float, ...]
    threshold: float
    curvature: float


class Metric(NamedTuple):
    """The constants of plain distances, and 1 in the ball or 0 in flat space."""

    constants: tuple[float, ...]
    curvature: float


class _Room(NamedTuple):
    found: Rows
    stack: Places
    keys: Points


# Building an index takes about as long as so many scans of the same nodes.
PAYS_AFTER = 100


class Finder:
    """Answers by row, always the same ones; only how fast they come depends on how many were asked before.

    >>> from hypercone.methods import Settings, find_method
    >>> points = np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.5]])
    >>> Finder(Scorer(points, find_method("hyperbolic-cones"), Settings(), threshold=0.0)).descendants(0).rows.tolist()
    [1]
    """

    def __init__(self, scorer: Scorer) -> None:
        self._scan = Scan(scorer)
        self._asked = count(1)

    @cached_property
    def index(self) -> ConeIndex:
        """The index, which builds its tree when it is first asked."""
        return ConeIndex(self._scan.scorer)

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


Search = Callable[[NDArray[np.int64]], tuple[Rows, NDArray[np.int64]]]
# A part for each core at a time would wait for the slowest; many small ones even out.
PARTS_A_CORE = 8


def search_many(search: Search, queries: NDArray[np.int64]) -> list[Rows]:
    """The answer to each query, ascending; ``search`` gives those of a part, one after another, and where each ends."""
    cores = usable_cores()
    parts = np.array_split(queries, min(len(queries), cores * PARTS_A_CORE)) if len(queries) else []
    with ThreadPoolExecutor(cores) as pool:
        answers = list(pool.map(search, parts))
    return [np.sort(rows) for flat, ends in answers for rows in np.split(flat, ends[:-1])]


Places = NDArray[np.int64]

# Small leaves are tested node by node, which is no dearer than testing two more cells.
LEAF = 8
# Of weights from 1 to 3, and of points in Poincaré or Klein coordinates, this had the fewest tests on WordNet nouns.
APERTURE_WEIGHT = 2.0


class Tree(NamedTuple):
    """The arrays the kernels walk; see ``index_kernels`` for what a row of cells and of leaves holds.

    ``rows[place]`` is the node at a place of the tree, and ``where[row]`` the place of a node.
    """

    rows: Places
    begin: Places
    end: Places
    cells: Points
    leaves: Points
    where: Places

    @property
    def halvings(self) -> int:
        """How many times the nodes were halved."""
        return len(self.begin).bit_length() - 1


def build_tree(points: Points, reaches: Points | None) -> Tree:
    """The tree of some points; ``reaches`` is the widest angle at which each still holds a child, if there are cones.

    >>> tree = build_tree(np.random.default_rng(0).uniform(-0.5, 0.5, (100, 3)), None)
    >>> tree.halvings, sorted(tree.rows.tolist()) == list(range(100))
    (4, True)
    """
    dim = dimension_type(points.shape[1])
    halvings = max(0, -(-len(points) // LEAF) - 1).bit_length()
    directions, norms = index_kernels.directions_and_norms(points, dim)
    if reaches is None:
        reaches, spread = np.zeros(len(points)), points
    else:
        # What makes an ancestor is its direction and its aperture, so nodes alike in these are to be neighbours.
        spread = np.column_stack([directions, APERTURE_WEIGHT * reaches])
    with Step("index", (2 * halvings + 1) * len(points)) as step:
        done = step.tally()
        rows, begin, end = index_kernels.halve(spread, halvings, dimension_type(spread.shape[1]), done)
        cells, leaves = index_kernels.bound(directions, norms, reaches, rows, begin, end, dim, done)
    return Tree(rows, begin, end, cells, leaves, np.argsort(rows))
