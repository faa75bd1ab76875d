"""Trees and hyperbolic space (end of paper §2.2): δ-hyperbolicity, Sarkar's construction, distortion.

A hyperbolic space looks like a tree from afar (`delta_hyperbolicity`, `approximating_tree`), and every tree fits into
the Poincaré disk with as little distortion as one likes (`sarkar_embedding`, `distortion`); into flat space it does not
(`euclidean_star_distortion`). Everything but Sarkar's points is about distances, an (n, n) array of any space.

A tree is an array of edges (n − 1, 2), rows of (parent, child), such as ``hierarchy.edges``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hypercone.errors import HierarchyError, InputError
from hypercone.geometry._vectors import Array, as_floats

# Further from the root, 1 − |x| has fewer than three digits left, and so has every distance.
FARTHEST = 30.0

Integers = npt.NDArray[np.integer]


class Distortion(NamedTuple):
    """How far distances are from those they stand for: at worst and on average, 1 and 0 if they are equal."""

    worst: float
    average: float


def four_point_delta(distances: npt.ArrayLike) -> Array:
    """Gromov's δ of four points from their distances (..., 4, 4): 0 in a tree, at most log 2 in hyperbolic space.

    The convention is d(w,x) + d(y,z) ≤ max(d(w,y) + d(x,z), d(w,z) + d(x,y)) + 2δ, so δ is half of what the largest of
    the three sums has over the second. The log(1+√2) of the paper is the constant of another definition, by thin
    triangles.

    >>> square = np.array([[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]])  # a cycle of four edges
    >>> float(four_point_delta(square))
    1.0
    """
    (d,) = as_floats(distances)
    sums = (d[..., 0, 1] + d[..., 2, 3], d[..., 0, 2] + d[..., 1, 3], d[..., 0, 3] + d[..., 1, 2])
    return _largest_over_second(*sums) / 2


def _largest_over_second(a: Array, b: Array, c: Array) -> Array:
    high, low = np.maximum(a, b), np.minimum(a, b)
    return np.asarray(np.maximum(high, c) - np.maximum(low, np.minimum(high, c)))


def delta_hyperbolicity(distances: npt.ArrayLike, *, quadruples: int | None = None, seed: int = 0) -> float:
    """The largest δ of any four of n points from their distances (n, n), or of so many quadruples drawn at random.

    All quadruples take time of order n⁴: a second for 150 points. A sample is a lower bound.

    >>> path = np.abs(np.subtract.outer(range(5), range(5)))
    >>> delta_hyperbolicity(path), delta_hyperbolicity(path, quadruples=100)
    (0.0, 0.0)
    """
    d = _distance_matrix(distances)
    if quadruples is None:
        return max(_deltas_of_pairs(d), default=0.0)
    rows = np.random.default_rng(seed).integers(0, len(d), (quadruples, 4))
    return float(four_point_delta(d[rows[:, :, None], rows[:, None, :]]).max(initial=0))


def _deltas_of_pairs(d: Array) -> Iterator[float]:
    # For every pair of points the largest δ with all pairs after them.
    for i in range(len(d)):
        for j in range(i + 1, len(d)):
            later = slice(j + 1, None)
            one, other = d[i, later], d[j, later]
            across = one[:, None] + other[None, :]
            yield float(_largest_over_second(d[i, j] + d[later, later], across, across.T).max(initial=0)) / 2


def approximating_tree(distances: npt.ArrayLike, base: int = 0) -> Array:
    """The distances (n, n) in Gromov's tree for n points: at most the given ones, and less by O(δ log n).

    Distances from the base point are kept. A Gromov product (x|y) is replaced by the largest that any chain from x to y
    has as its smallest.

    >>> cycle = np.minimum(abs(np.subtract.outer(range(4), range(4))), 4 - abs(np.subtract.outer(range(4), range(4))))
    >>> approximating_tree(cycle).tolist()[1]
    [1.0, 0.0, 1.0, 0.0]
    """
    d = _distance_matrix(distances)
    heights = d[base][:, None] + d[base][None, :]
    product = (heights - d) / 2
    for middle in range(len(d)):
        product = np.maximum(product, np.minimum(product[:, middle, None], product[None, middle, :]))
    return np.asarray(heights - 2 * product)


def _distance_matrix(distances: npt.ArrayLike) -> Array:
    (d,) = as_floats(distances)
    if d.ndim != 2 or d.shape[0] != d.shape[1]:
        raise InputError(f"distances are an (n, n) array, one row and one column per point, not one of shape {d.shape}")
    return d


def tree_distances(edges: npt.ArrayLike, lengths: npt.ArrayLike = 1.0) -> Array:
    """The lengths of the paths between all nodes of a tree, (n, n); one length for all edges, or one for each.

    >>> tree_distances([(0, 1), (0, 2), (2, 3)]).tolist()[3]
    [2.0, 3.0, 1.0, 0.0]
    """
    tree = _Tree.of(edges, lengths)
    found = np.zeros((tree.size, tree.size))
    seen = [tree.root]
    for node in tree.downward:
        found[node, seen] = found[seen, node] = found[tree.parents[node], seen] + tree.lengths[node]
        seen.append(node)
    return found


def sarkar_embedding(edges: npt.ArrayLike, lengths: npt.ArrayLike = 1.0) -> npt.NDArray[np.float64]:
    """The points (n, 2) of a tree in the Poincaré disk by Sarkar's construction; the longer its edges, the more exact.

    The root is at the origin. The edges of a node leave it at equal angles, each as a geodesic of its length, so that
    edges are exact; paths are shorter than in the tree by at most a constant per node on them, which matters less the
    longer the edges are, so the distortion goes to 1. Floats reach 30 from the root.

    >>> points = sarkar_embedding([(0, 1), (0, 2), (0, 3), (0, 4)], 2 * np.arctanh(0.5))
    >>> points.round(6).tolist()
    [[0.0, 0.0], [0.5, 0.0], [0.0, 0.5], [-0.5, 0.0], [-0.0, -0.5]]
    """
    tree = _Tree.of(edges, lengths)
    tree.check_reach()
    # Complex numbers. In the frame of a node p, moved to the origin by the translation (z − p)/(1 − p̅z), `backward` is
    # the angle of the edge to its parent.
    points, backward = np.zeros(tree.size, np.complex128), np.zeros(tree.size)
    for node, children in tree.families():
        ends = len(children) + (node != tree.root)
        angles = backward[node] + 2 * np.pi * (np.arange(len(children)) + (node != tree.root)) / ends
        steps = np.tanh(tree.lengths[children] / 2) * np.exp(1j * angles)
        turns = 1 + points[node].conj() * steps
        points[children] = (points[node] + steps) / turns
        # The frame of the child is turned against that of the node by −2 arg(turns).
        backward[children] = angles + np.pi - 2 * np.angle(turns)
    return np.stack([points.real, points.imag], axis=1)


def distortion(distances: npt.ArrayLike, wanted: npt.ArrayLike) -> Distortion:
    """The distortion of distances (n, n) that stand for wanted ones, such as those of points for those of a tree.

    Worst is the largest ratio of the two divided by the smallest, so a common scale does not count. Average is the mean
    of |distance/wanted − 1| over all pairs, as they are given.

    >>> distortion([[0, 1, 2], [1, 0, 1], [2, 1, 0]], [[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    Distortion(worst=2.0, average=0.3333333333333333)
    """
    found, right = _distance_matrix(distances), _distance_matrix(wanted)
    if found.shape != right.shape:
        raise InputError(f"there are distances between {len(found)} points, and wanted ones between {len(right)}")
    pairs = np.triu_indices(len(found), 1)
    if not np.all(right[pairs] > 0):
        raise InputError("a wanted distance is not positive; give each pair of points one above 0")
    ratios = found[pairs] / right[pairs]
    if len(ratios) == 0:
        return Distortion(1.0, 0.0)
    least = float(ratios.min())
    worst = float(ratios.max()) / least if least > 0 else math.inf
    return Distortion(worst, float(np.mean(np.abs(ratios - 1))))


def euclidean_star_distortion(leaves: int) -> float:
    """√(2(n−1)/n), the least worst-case distortion of a star of n ≥ 2 leaves in Euclidean space of any dimension.

    Since Σ|xᵢ − xⱼ|² ≤ n Σ|xᵢ − c|² over pairs of leaves, the mean square distance of leaves is at most 2n/(n−1) times
    that from the center, where the tree has 4 times. A regular simplex attains it.

    >>> round(euclidean_star_distortion(3), 4), round(euclidean_star_distortion(1_000_000), 4)
    (1.1547, 1.4142)
    """
    if leaves < 2:
        raise InputError(f"a star has at least two leaves, not {leaves}")
    return math.sqrt(2 * (leaves - 1) / leaves)


class _Tree(NamedTuple):
    """A checked tree: of each node the parent (−1 for the root) and the length of the edge to it; nodes downward."""

    parents: Integers
    lengths: npt.NDArray[np.float64]
    root: int
    downward: list[int]  # without the root, each after its parent

    @property
    def size(self) -> int:
        return len(self.parents)

    @classmethod
    def of(cls, edges: npt.ArrayLike, lengths: npt.ArrayLike) -> _Tree:
        pairs = np.asarray(edges)
        if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer) or len(pairs) == 0:
            raise HierarchyError("a tree is an array of rows (parent, child) of whole numbers, with at least one edge")
        size = len(pairs) + 1
        parents, sizes = np.full(size, -1, np.int64), np.zeros(size)
        outside = pairs[(pairs < 0) | (pairs >= size)]
        if len(outside):
            raise HierarchyError(
                f"{len(pairs)} edges make a tree of the nodes 0 to {size - 1}, which has no {outside[0]}"
            )
        children, counts = np.unique(pairs[:, 1], return_counts=True)
        if np.any(counts > 1):
            raise HierarchyError(f"node {children[counts > 1][0]} has several parents; take a tree, or leave edges out")
        parents[pairs[:, 1]] = pairs[:, 0]
        sizes[pairs[:, 1]] = np.broadcast_to(as_floats(lengths)[0], len(pairs))
        if not np.all(sizes[pairs[:, 1]] > 0):
            raise InputError("an edge has a length that is not positive; give each one above 0")
        root = int(np.flatnonzero(parents < 0)[0])
        tree = cls(parents, sizes, root, [])
        tree.downward.extend(child for _, family in tree.families() for child in family.tolist())
        if len(tree.downward) < size - 1:
            raise HierarchyError("the edges have a cycle, so they are not a tree; leave one of its edges out")
        return tree

    def families(self) -> Iterator[tuple[int, Integers]]:
        """Each node that has children, from the root down, with its children."""
        order = np.argsort(self.parents, kind="stable")
        starts = np.searchsorted(self.parents[order], np.arange(self.size + 1))
        waiting = [self.root]
        for node in waiting:
            children = order[starts[node] : starts[node + 1]]
            if len(children):
                yield node, children
                waiting.extend(children.tolist())

    def check_reach(self) -> None:
        """Raise InputError if floats cannot hold the points."""
        reach = np.zeros(self.size)
        for node in self.downward:
            reach[node] = reach[self.parents[node]] + self.lengths[node]
        if reach.max() > FARTHEST:
            raise InputError(
                f"the deepest node would be {reach.max():.4g} from the root, but floats hold points up to {FARTHEST:g};"
                f" multiply the lengths by {FARTHEST / reach.max():.2g} or less"
            )
