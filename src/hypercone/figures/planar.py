"""Any model as points of the Poincaré disk: its own, those of a construction in two dimensions, or a projection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hypercone.construction.forest import construct_forest
from hypercone.errors import InputError
from hypercone.figures.isometry import balanced_centre
from hypercone.hierarchy import Hierarchy
from hypercone.methods import Settings, find_method

Floats = NDArray[np.float64]
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
        raise InputError(f"there is no view {how!r}; use {', '.join(VIEWS[:-1])} or {VIEWS[-1]}")
    points = np.asarray(points, np.float64)
    own = points.shape[1] == 2 and find_method(method).is_hyperbolic
    if how == "own" and not own:
        raise InputError(
            f"a model of {method} in {points.shape[1]}-D has no points of its own in the Poincaré disk; "
            "use the view construction or projection"
        )
    if how == "own" or (how == "auto" and own):
        return _own(points, method, settings)
    if how == "construction" and hierarchy is None:
        raise InputError("the model does not know its edges, which the view construction needs; use projection")
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
