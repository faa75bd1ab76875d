"""The same points in other coordinates: of the Klein model, of the hyperboloid, or as spherical caps."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hypercone.embedding.embedding import Embedding
from hypercone.errors import InputError, unknown_name
from hypercone.geometry import caps, euclidean_cones, hyperboloid, klein
from hypercone.methods import Points, find_method


class Coordinates(NamedTuple):
    """A column of numbers for each name of a column."""

    columns: tuple[str, ...]
    values: Points


def coordinates_of(embedding: Embedding, kind: str = "own") -> Coordinates:
    """The points as learned (own), or as klein, lorentz or cap where the method has such coordinates.

    ``klein`` is 2x/(1+|x|²), where geodesics are straight lines. ``lorentz`` is the hyperboloid, the time x_t first.
    ``cap`` is the direction of the point and the angular radius R of its cone's cap: a cone lies in another exactly
    when the angle between the directions is at most the difference of the radii.

    >>> from hypercone.methods import Settings
    >>> embedding = Embedding(["dog"], np.array([[0.5, 0.0]]), "hyperbolic-cones", Settings(), threshold=0.0)
    >>> coordinates_of(embedding, "klein")
    Coordinates(columns=('k0', 'k1'), values=array([[0.8, 0. ]]))
    >>> coordinates_of(embedding, "lorentz").columns, coordinates_of(embedding, "cap").columns
    (('x_t', 'x0', 'x1'), ('u0', 'u1', 'R'))
    """
    if kind not in KINDS:
        raise unknown_name("kind of coordinates", str(kind), KINDS)
    return KINDS[kind](embedding)


def _own(embedding: Embedding) -> Coordinates:
    return Coordinates(_numbered("x", embedding.dim), embedding.points)


def _klein(embedding: Embedding) -> Coordinates:
    _refuse_flat(embedding, "klein")
    return Coordinates(_numbered("k", embedding.dim), np.asarray(klein.to_klein(embedding.points), np.float64))


def _lorentz(embedding: Embedding) -> Coordinates:
    _refuse_flat(embedding, "lorentz")
    values = np.asarray(hyperboloid.to_hyperboloid(embedding.points), np.float64)
    return Coordinates(("x_t", *_numbered("x", embedding.dim)), values)


def _cap(embedding: Embedding) -> Coordinates:
    points, K = embedding.points, embedding.settings.K
    if embedding.method not in CAP_RADII:
        raise InputError(
            f"{embedding.method} has no cones, so its points have no cap coordinates; {_offered(embedding)}"
        )
    norms = np.linalg.norm(points, axis=1, keepdims=True)
    directions = points / np.where(norms > 0, norms, 1.0)
    radii = CAP_RADII[embedding.method](points, K)
    return Coordinates((*_numbered("u", embedding.dim), "R"), np.column_stack([directions, radii]))


def _refuse_flat(embedding: Embedding, kind: str) -> None:
    if not find_method(embedding.method).is_hyperbolic:
        raise InputError(f"{embedding.method} is flat, so its points have no {kind} coordinates; {_offered(embedding)}")


def _offered(embedding: Embedding) -> str:
    curved = ["klein", "lorentz"] if find_method(embedding.method).is_hyperbolic else []
    return "use " + " or ".join(["own", *curved, *(["cap"] if embedding.method in CAP_RADII else [])])


def _numbered(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{k}" for k in range(count))


KINDS: dict[str, Callable[[Embedding], Coordinates]] = {
    "own": _own,
    "klein": _klein,
    "lorentz": _lorentz,
    "cap": _cap,
}
# A flat cone never closes in: seen from afar its cap is as wide as the cone itself, so R is its half aperture.
CAP_RADII = {"hyperbolic-cones": caps.cap_radius, "euclidean-cones": euclidean_cones.half_aperture}
