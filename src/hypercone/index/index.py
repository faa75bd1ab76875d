"""Ancestors, descendants and nearest nodes by row: a scan of every node, an exact index, and when to switch.

The index is a bounding-volume tree: each cell is a cap of directions and a range of norms.
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


class FoundRows(NamedTuple):
    """Rows in ascending order, and the number of nodes and cells that were tested to find them."""

    rows: Rows
    tested: int


class NearestRows(NamedTuple):
    """The nearest rows, nearest first and ties by row, their distances, and the number of nodes and cells tested."""

    rows: Rows
    distances: Points
    tested: int


class Scan:
    """Answers by testing every node: *child* is under *parent* if its energy is at most the threshold.

    >>> from hypercone.methods import Settings, find_method
    >>> points = np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.5]])
    >>> scan = Scan(Scorer(points, find_method("hyperbolic-cones"), Settings(), threshold=0.0))
    >>> scan.descendants(0).rows.tolist(), scan.ancestors(1).rows.tolist(), scan.nearest(0, 1).rows.tolist()
    ([1], [0], [2])
    """

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer

    def descendants(self, row: int) -> FoundRows:
        """The rows under a row."""
        return FoundRows(self.scorer.below(self.check_row(row)), len(self.scorer))

    def ancestors(self, row: int) -> FoundRows:
        """The rows above a row."""
        return FoundRows(self.scorer.above(self.check_row(row)), len(self.scorer))

    def descendants_of_many(self, rows: ArrayLike) -> list[Rows]:
        """The rows under each of some rows."""
        return [self.descendants(row).rows for row in np.asarray(rows).tolist()]

    def ancestors_of_many(self, rows: ArrayLike) -> list[Rows]:
        """The rows above each of some rows."""
        return [self.ancestors(row).rows for row in np.asarray(rows).tolist()]

    def nearest(self, row: int, count: int) -> NearestRows:
        """The rows at the smallest distance, hyperbolic for methods in the ball and else straight."""
        distances = self.scorer.distances(self.check_row(row))
        order = np.argsort(distances, kind="stable")
        chosen = order[order != row][: max(0, count)].astype(np.int32)
        return NearestRows(chosen, distances[chosen], len(distances))

    def check_row(self, row: int) -> int:
        """The row as an int; IndexError if out of range, as compiled code would read beyond the array."""
        if not 0 <= row < len(self.scorer):
            raise IndexError(f"row {row} is outside 0 … {len(self.scorer) - 1}")
        return int(row)


# For more neighbors than this, sorting all distances is faster.
MAX_TREE_NEIGHBORS = 1000


class ConeIndex(Scan):
    """The same answers as a scan, found by a tree.

    The tree serves descendants and ancestors for methods with cones, at any threshold, and nearest nodes for every
    method. It is built on first use, in a fraction of a second for a hundred thousand nodes.

    >>> from hypercone.methods import Settings, find_method
    >>> points = np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.5]])
    >>> index = ConeIndex(Scorer(points, find_method("hyperbolic-cones"), Settings(), threshold=0.0))
    >>> index.descendants(0).rows.tolist(), index.ancestors(1).rows.tolist(), index.nearest(0, 1).rows.tolist()
    ([1], [0], [2])
    """

    @cached_property
    def tree(self) -> Tree:
        """The tree, built on first use."""
        return build_tree(self.scorer.points, self._reaches if self._can_walk else None)

    def descendants(self, row: int) -> FoundRows:
        """The rows under a row."""
        if not self._can_walk:
            return super().descendants(row)
        return self._walk(descendants, row)

    def ancestors(self, row: int) -> FoundRows:
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

    def nearest(self, row: int, count: int) -> NearestRows:
        """The rows at the smallest distance, hyperbolic for methods in the ball and else straight."""
        count = min(count, len(self.scorer) - 1)
        if not 0 < count <= MAX_TREE_NEIGHBORS:
            return super().nearest(row, count)
        distances, rows = np.empty(count), np.empty(count, np.int32)
        buffers = self._buffers
        given = (self.tree, self.metric, distances, rows, buffers.stack, buffers.keys)
        _, tested = nearest(self.scorer.points, self.check_row(row), *given, self.scorer.dim)
        return NearestRows(rows, distances, tested)

    @property
    def _can_walk(self) -> bool:
        """Whether the tree applies: the method has cones and the threshold is not negative."""
        return self.scorer.method.curvature is not None and self.scorer.threshold >= 0.0

    def _walk(self, kernel: Callable[..., tuple[int, int]], row: int) -> FoundRows:
        buffers = self._buffers
        count, tested = kernel(
            self.scorer.points,
            self.check_row(row),
            self.tree,
            self.cones,
            buffers.found,
            buffers.stack,
            self.scorer.dim,
        )
        rows = buffers.found[:count].copy()
        rows.sort()
        return FoundRows(rows, tested)

    def _walk_many(self, kernel: Callable[..., tuple[Rows, Places]], rows: ArrayLike) -> list[Rows]:
        queries = np.asarray([self.check_row(row) for row in np.asarray(rows).tolist()], np.int64)
        tree, cones, depth = self.tree, self.cones, self._depth

        def search(part: Places) -> tuple[Rows, Places]:
            return kernel(self.scorer.points, part, tree, cones, np.empty(depth, np.int64), self.scorer.dim)

        return search_in_parallel(search, queries)

    @cached_property
    def cones(self) -> Cones:
        """The parameters of the cones, for the kernels."""
        return Cones(self.scorer.constants, self.scorer.threshold, float(self.scorer.method.curvature or 0.0))

    @cached_property
    def metric(self) -> Metric:
        """The parameters of distances, for the kernels."""
        return Metric(self.scorer.distance_constants, float(self.scorer.method.is_hyperbolic))

    @cached_property
    def _reaches(self) -> Points:
        """The widest angle at which each cone contains a child: its half aperture plus the threshold."""
        given = self.scorer
        widest: Points = reaches(given.points, given.settings.K, given.threshold, given.method.curvature, given.dim)
        return widest

    @property
    def _buffers(self) -> _Buffers:
        """The work arrays of this thread, allocated once."""
        buffers: _Buffers | None = getattr(self._thread_local, "buffers", None)
        if buffers is None:
            depth = self._depth
            buffers = _Buffers(np.empty(len(self.scorer), np.int32), np.empty(depth, np.int64), np.empty(depth))
            self._thread_local.buffers = buffers
        return buffers

    @property
    def _depth(self) -> int:
        """The size of the stack: one cell per level, and the two just pushed."""
        return self.tree.halvings + 3

    @cached_property
    def _thread_local(self) -> threading.local:
        return threading.local()


class Cones(NamedTuple):
    """The constants of the method, the threshold, and the curvature: 1 in the ball, 0 in flat space."""

    constants: tuple[float, ...]
    threshold: float
    curvature: float


class Metric(NamedTuple):
    """The constants of the distance, and the curvature: 1 in the ball, 0 in flat space."""

    constants: tuple[float, ...]
    curvature: float


class _Buffers(NamedTuple):
    found: Rows
    stack: Places
    keys: Points


# Building an index takes about as long as this many scans.
SCANS_BEFORE_INDEX = 100


class Finder:
    """Scans at first and builds the index after many queries; the answers are the same.

    >>> from hypercone.methods import Settings, find_method
    >>> points = np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.5]])
    >>> Finder(Scorer(points, find_method("hyperbolic-cones"), Settings(), threshold=0.0)).descendants(0).rows.tolist()
    [1]
    """

    def __init__(self, scorer: Scorer) -> None:
        self._scan = Scan(scorer)
        self._queries = count(1)

    @cached_property
    def index(self) -> ConeIndex:
        """The index, whose tree is built on first use."""
        return ConeIndex(self._scan.scorer)

    def descendants(self, row: int) -> FoundRows:
        """The rows under a row."""
        return self._current().descendants(row)

    def ancestors(self, row: int) -> FoundRows:
        """The rows above a row."""
        return self._current().ancestors(row)

    def nearest(self, row: int, count: int) -> NearestRows:
        """The nearest rows and their distances."""
        return self._current().nearest(row, count)

    def _current(self) -> Scan:
        return self.index if "index" in vars(self) or next(self._queries) > SCANS_BEFORE_INDEX else self._scan


Search = Callable[[NDArray[np.int64]], tuple[Rows, NDArray[np.int64]]]
# Many small parts balance the load better than one per core.
PARTS_PER_CORE = 8


def search_in_parallel(search: Search, queries: NDArray[np.int64]) -> list[Rows]:
    """The rows found for each query, ascending; ``search`` returns the joined answers of a part and their ends."""
    cores = usable_cores()
    parts = np.array_split(queries, min(len(queries), cores * PARTS_PER_CORE)) if len(queries) else []
    with ThreadPoolExecutor(cores) as pool:
        answers = list(pool.map(search, parts))
    return [np.sort(rows) for flat, ends in answers for rows in np.split(flat, ends[:-1])]


Places = NDArray[np.int64]

# Testing this many nodes one by one costs no more than testing two more cells.
LEAF = 8
# Chosen on WordNet nouns: fewest tests among weights from 1 to 3, in Poincaré and Klein coordinates.
APERTURE_WEIGHT = 2.0


class Tree(NamedTuple):
    """The arrays of the tree; ``index_kernels`` describes the columns of ``cells`` and ``leaves``.

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
        """The number of levels below the root, each of which halves the cells of the one above."""
        return len(self.begin).bit_length() - 1


def build_tree(points: Points, reaches: Points | None) -> Tree:
    """The tree of the points; ``reaches`` is the widest angle at which each cone contains a child, if there are cones.

    >>> tree = build_tree(np.random.default_rng(0).uniform(-0.5, 0.5, (100, 3)), None)
    >>> tree.halvings, sorted(tree.rows.tolist()) == list(range(100))
    (4, True)
    """
    dim = dimension_type(points.shape[1], len(points))
    halvings = max(0, -(-len(points) // LEAF) - 1).bit_length()
    directions, norms = index_kernels.directions_and_norms(points, dim)
    if reaches is None:
        reaches, spread = np.zeros(len(points)), points
    else:
        # Ancestors are found by direction and aperture, so nodes with similar ones belong in one cell.
        spread = np.column_stack([directions, APERTURE_WEIGHT * reaches])
    with Step("index", (2 * halvings + 1) * len(points)) as step:
        done = step.tally()
        rows, begin, end = index_kernels.halve(spread, halvings, dimension_type(spread.shape[1], len(points)), done)
        cells, leaves = index_kernels.bound(directions, norms, reaches, rows, begin, end, dim, done)
    return Tree(rows, begin, end, cells, leaves, np.argsort(rows))
