"""A model as points in the disk, its large branches, and the nodes that a picture should name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hypercone._arrays import Rows
from hypercone.construction.forest import construct_forest, spanning_forest
from hypercone.errors import InputError, option
from hypercone.hierarchy import Hierarchy
from hypercone.methods import Settings, find_method
from hypercone.plotting.arcs import Floats, balanced_center

VIEWS = ("auto", "own", "construction", "projection")
# The K of constructed views, independent of the model's: larger than the paper's 0.1, so that cones are wide enough to
# see.
VIEW_K = 0.4
# The middle of a picture is the origin unless the balanced center is further from it than this, as in constructions.
OFF_CENTER = 0.3
# About so many nodes are used to find the balanced center.
SAMPLE = 5_000
# The largest norm that is drawn, for norms that round to 1.
OUTERMOST = 1 - 1e-12
# The center of a projection is found with norms limited to this: constructions place leaves at the border, and from
# a center among them all other nodes would be far away.
FURTHEST_VIEWED = 0.8


@dataclass(frozen=True, eq=False)
class PlanarView:
    """Points (n, 2) of the open unit disk, the K of their cones or None, the kind of view, and a caption.

    The points and their cones refer to the origin; ``center`` is the point of the disk that a picture may move to its
    middle by a Möbius translation, for a balanced view.
    """

    points: Floats
    K: float | None
    kind: Literal["own", "construction", "projection"]
    caption: str
    center: tuple[float, float] = (0.0, 0.0)


def planar_view(
    points: Floats, method: str, settings: Settings, hierarchy: Hierarchy | None = None, how: str = "auto"
) -> PlanarView:
    """A view of a model in the disk: its own points if they are two-dimensional and hyperbolic, else a substitute.

    The substitute is a 2-D construction of the same hierarchy or, without a hierarchy, a projection. ``how`` selects a
    view by name; InputError if the model cannot have it.

    >>> view = planar_view(np.array([[0.5, 0.0], [0.0, 0.9]]), "hyperbolic-cones", Settings())
    >>> view.kind, view.K
    ('own', 0.1)
    """
    if how not in VIEWS:
        raise InputError(f"{option('view')} is {how!r}, but must be {', '.join(VIEWS[:-1])} or {VIEWS[-1]}")
    points = np.asarray(points, np.float64)
    own = points.shape[1] == 2 and find_method(method).is_hyperbolic
    if how == "own" and not own:
        raise InputError(
            f"a model of {method} in {points.shape[1]}-D has no points of its own in the Poincaré disk; "
            f"use {option('view', 'construction', 'projection')}"
        )
    if how == "own" or (how == "auto" and own):
        return _own_view(points, method, settings)
    if how == "construction" and hierarchy is None:
        raise InputError(
            f"the model does not know its edges, which the view construction needs; use {option('view', 'projection')}"
        )
    if how == "projection" or hierarchy is None:
        return projection(points, method)
    return _construction_view(hierarchy, method, points.shape[1])


def _own_view(points: Floats, method: str, settings: Settings) -> PlanarView:
    # Methods based on distances have no cones.
    K = None if find_method(method).uses_alpha else settings.K
    return PlanarView(points, K, "own", "The model's own points in the Poincaré disk.", _viewpoint(points))


def _viewpoint(points: Floats) -> tuple[float, float]:
    center = balanced_center(points[:: 1 + len(points) // SAMPLE])
    return center if float(np.hypot(*center)) > OFF_CENTER else (0.0, 0.0)


def _construction_view(hierarchy: Hierarchy, method: str, dim: int) -> PlanarView:
    constructed = construct_forest(hierarchy, 2, VIEW_K, rearrange=False)
    itself = f"is {method} in 2-D" if dim == 2 else f"has {_dimensions(dim)}"
    caption = f"View: a 2-D construction of the same hierarchy; the model itself {itself}."
    return PlanarView(constructed.points, VIEW_K, "construction", caption, _viewpoint(constructed.points))


def projection(points: Floats, method: str) -> PlanarView:
    """The directions projected on the plane of largest variation about the origin, at the points' own radii.

    The norm r of a flat method is drawn at r/(r + m), where m is the median norm.

    >>> projection(np.array([[3.0, 0.0, 0.0], [0.0, 3.0, 0.0]]), "order").points.tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    radii, note = _radii(points, method)
    norms = np.linalg.norm(points, axis=1)
    inside = points * (radii / np.where(norms > 0, norms, 1.0))[:, None]
    flat = inside @ _best_plane(inside)
    lengths = np.linalg.norm(flat, axis=1)
    directions = np.where(lengths[:, None] > 0, flat / np.where(lengths > 0, lengths, 1.0)[:, None], [1.0, 0.0])
    dim = points.shape[1]
    what = f"{dim} dimensions projected on their best plane" if dim > 2 else f"the points of {method} in {dim}-D"
    caption = f"View: {what}; {note}."
    shown = directions * radii[:, None]
    nearer = directions * np.minimum(radii, FURTHEST_VIEWED)[:, None]
    return PlanarView(shown, None, "projection", caption, _viewpoint(nearer))


def _radii(points: Floats, method: str) -> tuple[Floats, str]:
    norms = np.linalg.norm(points, axis=1)
    if find_method(method).is_hyperbolic:
        return np.minimum(norms, OUTERMOST), "each node keeps its distance from the origin"
    typical = float(np.median(norms)) if len(norms) else 0.0
    typical = typical or 1.0
    return np.minimum(norms / (norms + typical), OUTERMOST), f"a norm r is drawn at r/(r + {typical:.3g})"


def _best_plane(points: Floats) -> Floats:
    """Two orthonormal columns (d, 2): the axes with the largest sums of squared coordinates."""
    dim = points.shape[1]
    if dim <= 2:
        return np.eye(dim, 2)
    axes = np.linalg.eigh(points.T @ points)[1][:, :-3:-1]
    # The sign of an axis is arbitrary; make its largest entry positive.
    signs = np.sign(axes[np.argmax(np.abs(axes), axis=0), [0, 1]])
    return np.asarray(axes * signs)


def _dimensions(dim: int) -> str:
    return "1 dimension" if dim == 1 else f"{dim} dimensions"


MOST_BRANCHES = 12
# A branch is split into its child branches while it has more than TOO_LARGE times an equal share of the nodes, and
# while at most the share UNCOLORED of all nodes is left in branches without a color.
TOO_LARGE, UNCOLORED = 1.5, 0.15
# Up to SMALL nodes, readers expect the children of the root as branches: split only a branch with nearly all nodes.
SMALL, NEARLY_ALL = 100, 0.75
# With at least so many roots, none of which has most of the nodes, the branches are those of the roots.
FEW_ROOTS = 4


def branches(hierarchy: Hierarchy, most: int = MOST_BRANCHES) -> Rows:
    """The number of each row's branch, the largest branch being 0; −1 for rows in no branch.

    A node with several parents belongs to the branch of one of them, so that branches do not overlap.

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle"), ("dog", "beagle")])
    >>> branches(pets, most=2).tolist()
    [-1, 0, 1, 0, 0]
    """
    parents = spanning_forest(hierarchy)
    tops = _branch_tops(hierarchy, parents, (nodes_below(hierarchy) + 1).tolist(), most)
    of_row = np.full(len(hierarchy), -1, np.int32)
    of_row[tops] = np.arange(len(tops), dtype=np.int32)
    found, above = of_row.tolist(), parents.tolist()
    for row in np.argsort(hierarchy.depths, kind="stable").tolist():
        if found[row] < 0 and above[row] >= 0:
            found[row] = found[above[row]]
    return np.array(found, np.int32)


def _branch_tops(hierarchy: Hierarchy, parents: Rows, sizes: list[int], most: int) -> list[int]:
    """The top nodes of the branches, the largest branch first."""

    def in_order(rows: list[int]) -> list[int]:
        return sorted(rows, key=lambda row: (-sizes[row], row))

    tops, whole, left_out = in_order(hierarchy.root_rows.tolist()), set[int](), 0
    if FEW_ROOTS <= len(tops) <= most and 2 * (sizes[tops[0]] - 1) <= len(sizes):
        return tops
    tops, share = tops[:most], TOO_LARGE / most
    if len(sizes) <= SMALL:
        share = max(share, NEARLY_ALL)
    while True:
        top = next((row for row in tops if row not in whole), None)
        if top is None or sizes[top] <= share * len(sizes):
            return tops
        below = hierarchy.child_lists[top]
        split = in_order([row for row in tops if row != top] + below[parents[below] == top].tolist())
        without = left_out + sum(sizes[row] for row in split[most:])
        if len(split) >= len(tops) and without <= UNCOLORED * len(sizes):
            tops, left_out = split[:most], without
        else:
            whole.add(top)


# A node whose largest child has more than this share of the nodes below it is less important, by this factor.
LABELED_SHARE, FOR_LINKS = 0.75, 0.02
LONGEST_NAME = 40
WORDNET = re.compile(r"(.+)\.[nvasr]\.\d+")


def nodes_below(hierarchy: Hierarchy) -> Rows:
    """The number of nodes below each row; a node with several parents is counted under the deepest of them.

    >>> nodes_below(Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])).tolist()
    [3, 1, 0, 0]
    """
    above, depths = spanning_forest(hierarchy), hierarchy.depths
    sizes = np.zeros(len(hierarchy), np.int32)
    order = np.argsort(depths, kind="stable")
    levels = np.split(order, np.flatnonzero(np.diff(depths[order])) + 1)
    for rows in levels[:0:-1]:
        np.add.at(sizes, above[rows], sizes[rows] + 1)
    return sizes


def depths_from_ranks(rank: Rows) -> Rows:
    """Substitutes for unknown depths, from ranks by generality: one node of depth 0, two of 1, four of 2 …

    >>> depths_from_ranks(np.array([0, 3, 1, 2])).tolist()
    [0, 2, 1, 1]
    """
    depths: Rows = np.log2(rank + 1.0).astype(np.int32)
    return depths


def rows_by_importance(hierarchy: Hierarchy, below: Rows, points: Floats, power: float = 1.0) -> Rows:
    """All rows by importance: the number of nodes below to a power, times the space around the point in the picture.

    A node with one child that has most of its nodes is less important, since the child's name says nearly the same.

    >>> line = Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("c", "e")])
    >>> [line.names[row] for row in rows_by_importance(line, nodes_below(line), np.zeros((5, 2)))]
    ['a', 'c', 'd', 'e', 'b']
    """
    largest = np.zeros(len(hierarchy), np.int32)
    np.maximum.at(largest, hierarchy.edges[:, 0], below[hierarchy.edges[:, 1]] + 1)
    is_link = (largest > LABELED_SHARE * below) & (below > 1) & (hierarchy.parent_lists.counts > 0)
    space = np.maximum(0.0, 1 - np.sum(points**2, axis=1)) ** 1.5
    weights = np.float_power(below + 1, power) * space * np.where(is_link, FOR_LINKS**power, 1.0)
    return np.argsort(-weights, kind="stable").astype(np.int32)


def display_name(name: str, longest: int = LONGEST_NAME) -> str:
    """A name for display: the first word of a WordNet synset, and a long name shortened in the middle.

    >>> display_name("even-toed_ungulate.n.01"), display_name("Abnormality of the cardiovascular system", 28)
    ('even-toed ungulate', 'Abnormality o…ascular system')
    """
    synset = WORDNET.fullmatch(name)
    written = synset[1].replace("_", " ") if synset else name
    # Keep the end as well: names of one hierarchy often begin alike.
    end = longest // 2
    return written if len(written) <= longest else f"{written[: longest - 1 - end].rstrip()}…{written[-end:].lstrip()}"
