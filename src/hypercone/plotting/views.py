"""Any model as points of the disk, its big branches, and the nodes that a picture should name."""

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
from hypercone.plotting.arcs import Floats, balanced_centre

VIEWS = ("auto", "own", "construction", "projection")
# Of the views that are constructed, whatever the model's is: wider than the paper's 0.1, for cones that can be seen.
VIEW_K = 0.4
# The origin is the middle of a picture unless the nodes lie as lopsided around it as those of a construction do.
LOPSIDED = 0.3
# So many nodes tell where the middle of all is.
ENOUGH = 5_000
# Where a norm that rounds to the border itself is drawn.
OUTERMOST = 1 - 1e-12
# A projection is looked at as if no node were further out than this: from amid leaves at the border, where they are put
# by constructions, the rest would be far away.
NEAR_ENOUGH = 0.8


@dataclass(frozen=True, eq=False)
class PlanarView:
    """Points (n, 2) of the open unit disk, the K of their cones or None, which kind of view it is, and a caption.

    The points and their cones are meant around the origin; ``centre`` is a point of the disk from where the whole is
    best looked at, which a Möbius translation may take to the middle of a picture.
    """

    points: Floats
    K: float | None
    kind: Literal["own", "construction", "projection"]
    caption: str
    centre: tuple[float, float] = (0.0, 0.0)


def planar_view(
    points: Floats, method: str, settings: Settings, hierarchy: Hierarchy | None = None, how: str = "auto"
) -> PlanarView:
    """A view of a model in the disk: its own points if they are two-dimensional and hyperbolic, else a stand-in.

    The stand-in is the 2-D construction of the same hierarchy, or, where that is not known, a projection. ``how`` asks
    for one of them by name; one that the model cannot have is refused.

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
        return _own(points, method, settings)
    if how == "construction" and hierarchy is None:
        raise InputError(
            f"the model does not know its edges, which the view construction needs; use {option('view', 'projection')}"
        )
    if how == "projection" or hierarchy is None:
        return projection(points, method)
    return _construction(hierarchy, method, points.shape[1])


def _own(points: Floats, method: str, settings: Settings) -> PlanarView:
    # Distances alone have no cones.
    K = None if find_method(method).uses_alpha else settings.K
    return PlanarView(points, K, "own", "The model's own points in the Poincaré disk.", _viewpoint(points))


def _viewpoint(points: Floats) -> tuple[float, float]:
    centre = balanced_centre(points[:: 1 + len(points) // ENOUGH])
    return centre if float(np.hypot(*centre)) > LOPSIDED else (0.0, 0.0)


def _construction(hierarchy: Hierarchy, method: str, dim: int) -> PlanarView:
    constructed = construct_forest(hierarchy, 2, VIEW_K, rearrange=False)
    itself = f"is {method} in 2-D" if dim == 2 else f"has {_dimensions(dim)}"
    caption = f"View: a 2-D construction of the same hierarchy; the model itself {itself}."
    return PlanarView(constructed.points, VIEW_K, "construction", caption, _viewpoint(constructed.points))


def projection(points: Floats, method: str) -> PlanarView:
    """Each direction on the plane that keeps most of the points, at the point's own hyperbolic radius.

    The norm r of a flat method is drawn at r/(r + m), where m is the median norm.

    >>> projection(np.array([[3.0, 0.0, 0.0], [0.0, 3.0, 0.0]]), "order").points.tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    radii, said = _radii(points, method)
    norms = np.linalg.norm(points, axis=1)
    inside = points * (radii / np.where(norms > 0, norms, 1.0))[:, None]
    flat = inside @ _best_plane(inside)
    lengths = np.linalg.norm(flat, axis=1)
    directions = np.where(lengths[:, None] > 0, flat / np.where(lengths > 0, lengths, 1.0)[:, None], [1.0, 0.0])
    dim = points.shape[1]
    what = f"{dim} dimensions projected on their best plane" if dim > 2 else f"the points of {method} in {dim}-D"
    caption = f"View: {what}; {said}."
    shown = directions * radii[:, None]
    nearer = directions * np.minimum(radii, NEAR_ENOUGH)[:, None]
    return PlanarView(shown, None, "projection", caption, _viewpoint(nearer))


def _radii(points: Floats, method: str) -> tuple[Floats, str]:
    norms = np.linalg.norm(points, axis=1)
    if find_method(method).is_hyperbolic:
        return np.minimum(norms, OUTERMOST), "each node keeps its distance from the origin"
    typical = float(np.median(norms)) if len(norms) else 0.0
    typical = typical or 1.0
    return np.minimum(norms / (norms + typical), OUTERMOST), f"a norm r is drawn at r/(r + {typical:.3g})"


def _best_plane(points: Floats) -> Floats:
    """Two orthonormal columns (d, 2): the axes along which the points reach furthest from the origin, in squares."""
    dim = points.shape[1]
    if dim <= 2:
        return np.eye(dim, 2)
    axes = np.linalg.eigh(points.T @ points)[1][:, :-3:-1]
    # The sign of an axis is arbitrary; its largest entry is made positive.
    signs = np.sign(axes[np.argmax(np.abs(axes), axis=0), [0, 1]])
    return np.asarray(axes * signs)


def _dimensions(dim: int) -> str:
    return "1 dimension" if dim == 1 else f"{dim} dimensions"


MOST = 12
# A branch is split into those below it while it has more than this many times its fair share of the nodes, and while
# the branches that then get no colour have no more than that share of all.
TOO_BIG, UNCOLOURED = 1.5, 0.15
# Up to so many nodes people know the branches by the names of their tops, mostly the children of the root: there a
# branch is split only if it has nearly all nodes.
SMALL, NEARLY_ALL = 100, 0.75
# From so many roots on, none with most of the nodes, the roots are the tops.
FEW_ROOTS = 4


def branches(hierarchy: Hierarchy, most: int = MOST) -> Rows:
    """For each row which of the big branches it belongs to, the biggest first, and −1 for what lies in none.

    A node with several parents is counted under one of them, so that the branches do not overlap.

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle"), ("dog", "beagle")])
    >>> branches(pets, most=2).tolist()
    [-1, 0, 1, 0, 0]
    """
    parents = spanning_forest(hierarchy)
    tops = _tops(hierarchy, parents, (nodes_below(hierarchy) + 1).tolist(), most)
    of_row = np.full(len(hierarchy), -1, np.int32)
    of_row[tops] = np.arange(len(tops), dtype=np.int32)
    found, above = of_row.tolist(), parents.tolist()
    for row in np.argsort(hierarchy.depths, kind="stable").tolist():
        if found[row] < 0 and above[row] >= 0:
            found[row] = found[above[row]]
    return np.array(found, np.int32)


def _tops(hierarchy: Hierarchy, parents: Rows, sizes: list[int], most: int) -> list[int]:
    """The top nodes of the branches, the biggest first."""

    def in_order(rows: list[int]) -> list[int]:
        return sorted(rows, key=lambda row: (-sizes[row], row))

    tops, whole, left_out = in_order(hierarchy.root_rows.tolist()), set[int](), 0
    if FEW_ROOTS <= len(tops) <= most and 2 * (sizes[tops[0]] - 1) <= len(sizes):
        return tops
    tops, share = tops[:most], TOO_BIG / most
    if len(sizes) <= SMALL:
        share = max(share, NEARLY_ALL)
    while True:
        top = next((row for row in tops if row not in whole), None)
        if top is None or sizes[top] <= share * len(sizes):
            return tops
        below = hierarchy.child_lists[top]
        split = in_order([row for row in tops if row != top] + below[parents[below] == top].tolist())
        without = left_out + sum(sizes[row] for row in split[most:])
        if len(split) >= len(tops) and without <= UNCOLOURED * len(sizes):
            tops, left_out = split[:most], without
        else:
            whole.add(top)


# A node says little that its largest child does not say if that has so much of what it has.
LABELED_SHARE, FOR_LINKS = 0.75, 0.02
LONGEST_NAME = 40
WORDNET = re.compile(r"(.+)\.[nvasr]\.\d+")


def nodes_below(hierarchy: Hierarchy) -> Rows:
    """How many nodes hang below each row, a node with several parents being counted under the deepest.

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


def invented_depths(rank: Rows) -> Rows:
    """In place of depths that are not known, by the places from general to specific: 0, then two of 1, four of 2 …

    >>> invented_depths(np.array([0, 3, 1, 2])).tolist()
    [0, 2, 1, 1]
    """
    depths: Rows = np.log2(rank + 1.0).astype(np.int32)
    return depths


def most_important(hierarchy: Hierarchy, below: Rows, points: Floats, power: float = 1.0) -> Rows:
    """All rows, those to be named first in front: by what hangs below, to a power, less towards the rim of the picture.

    A node with one overwhelming child comes later, for the child says the same.

    >>> line = Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("c", "e")])
    >>> [line.names[row] for row in most_important(line, nodes_below(line), np.zeros((5, 2)))]
    ['a', 'c', 'd', 'e', 'b']
    """
    largest = np.zeros(len(hierarchy), np.int32)
    np.maximum.at(largest, hierarchy.edges[:, 0], below[hierarchy.edges[:, 1]] + 1)
    is_link = (largest > LABELED_SHARE * below) & (below > 1) & (hierarchy.parent_lists.counts > 0)
    room = np.maximum(0.0, 1 - np.sum(points**2, axis=1)) ** 1.5
    weights = np.float_power(below + 1, power) * room * np.where(is_link, FOR_LINKS**power, 1.0)
    return np.argsort(-weights, kind="stable").astype(np.int32)


def as_written(name: str, longest: int = LONGEST_NAME) -> str:
    """A name as people write it, not too long: WordNet's synsets as their first word; a long name without its middle.

    >>> as_written("even-toed_ungulate.n.01"), as_written("Abnormality of the cardiovascular system", 28)
    ('even-toed ungulate', 'Abnormality o…ascular system')
    """
    synset = WORDNET.fullmatch(name)
    written = synset[1].replace("_", " ") if synset else name
    # Names of one hierarchy often begin alike and end each in its own way.
    end = longest // 2
    return written if len(written) <= longest else f"{written[: longest - 1 - end].rstrip()}…{written[-end:].lstrip()}"
