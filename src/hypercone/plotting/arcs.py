"""Geodesic arcs in the Poincaré disk, cone outlines, Möbius translations of the disk, and matplotlib paths for them.

An arc is stored as its two endpoints and its sweep angle. Unlike a center and a radius, this also represents straight
lines, and nearly straight arcs whose center is far away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypercone.errors import InputError
from hypercone.geometry import caps, cones, poincare
from hypercone.plotting.canvas import group_name, matplotlib_module

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Arcs:
    """Arcs from starts to ends (n, 2) with sweeps in (−2π, 2π), counterclockwise if positive; 0 is a straight line."""

    starts: Floats
    ends: Floats
    sweeps: Floats

    def __len__(self) -> int:
        return len(self.sweeps)

    def __getitem__(self, rows: slice | NDArray[np.generic]) -> Arcs:
        """The selected arcs."""
        return Arcs(self.starts[rows], self.ends[rows], self.sweeps[rows])

    def at(self, t: ArrayLike) -> Floats:
        """The points at the fractions t along each arc, (n, len(t), 2).

        >>> geodesics([-0.5, 0.0], [0.5, 0.0]).at([0.0, 0.5]).tolist()
        [[[-0.5, 0.0], [0.0, 0.0]]]
        """
        t = np.atleast_1d(np.asarray(t, np.float64))
        half = self.sweeps[:, None] / 2
        # The chord to a point is the full chord rotated back by half of the remaining sweep.
        lengths = t * np.sinc(t * half / np.pi) / np.sinc(half / np.pi)
        chords = rotate((self.ends - self.starts)[:, None], (t - 1) * half)
        return np.asarray(self.starts[:, None] + lengths[..., None] * chords)

    def radii(self) -> Floats:
        """The radius of each arc's circle: infinite for a straight line, NaN if start and end coincide.

        >>> rim(0.0, np.pi / 2).radii().round(12).tolist()
        [1.0]
        """
        chords = np.linalg.norm(self.ends - self.starts, axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(chords / (2 * np.abs(np.sin(self.sweeps / 2))))

    def centers(self) -> Floats:
        """The center of each arc's circle; undefined for a straight line."""
        chords = self.ends - self.starts
        across = rotate(chords, np.full(len(self), np.pi / 2))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.starts + chords / 2 + across / (2 * np.tan(self.sweeps / 2))[:, None])


def geodesics(x: ArrayLike, y: ArrayLike) -> Arcs:
    """The geodesics between pairs of points of the closed disk: arcs orthogonal to the rim.

    Both endpoints may lie on the rim.

    >>> arc = geodesics([1.0, 0.0], [0.0, 1.0])
    >>> arc.centers().round(12).tolist(), arc.radii().round(12).tolist()
    ([[1.0, 1.0]], [1.0])
    """
    starts, ends = np.broadcast_arrays(np.atleast_2d(np.asarray(x, np.float64)), np.asarray(y, np.float64))
    steps = ends - starts
    gap = 1 - np.sum(starts**2, axis=-1)
    # The geodesic starts in direction gap·step − |step|²·start (see geometry.poincare.departure), and the angle
    # between an arc's tangent at its start and its chord is half the sweep.
    across = steps[:, 0] * starts[:, 1] - steps[:, 1] * starts[:, 0]
    return Arcs(starts, ends, 2 * np.arctan2(across, gap - np.sum(starts * steps, axis=-1)))


def rim(start: ArrayLike, end: ArrayLike) -> Arcs:
    """Arcs of the unit circle from one angle to another, counterclockwise if the second angle is larger.

    >>> rim(0.0, np.pi).at(0.5).round(12).tolist()
    [[[0.0, 1.0]]]
    """
    start, end = np.atleast_1d(np.asarray(start, np.float64)), np.atleast_1d(np.asarray(end, np.float64))
    return Arcs(unit_vectors(start), unit_vectors(end), end - start)


def concatenate_arcs(*arcs: Arcs) -> Arcs:
    """All the given arcs in one ``Arcs``."""
    return Arcs(
        np.concatenate([each.starts for each in arcs]),
        np.concatenate([each.ends for each in arcs]),
        np.concatenate([each.sweeps for each in arcs]),
    )


def unit_vectors(angle: ArrayLike) -> Floats:
    """The unit vectors at the given angles.

    >>> unit_vectors(0.0).tolist()
    [1.0, 0.0]
    """
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def rotate(vectors: Floats, angles: Floats) -> Floats:
    """The vectors rotated counterclockwise by the angles.

    >>> rotate(np.array([1.0, 0.0]), np.array(np.pi / 2)).round(12).tolist()
    [0.0, 1.0]
    """
    cos, sin = np.cos(angles), np.sin(angles)
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)


def cone_outline(apex: ArrayLike, K: float) -> Arcs:
    """The boundary of a cone as three arcs, counterclockwise: the right side, the rim, and the left side.

    The outline is exact: the sides are geodesics that end on the rim at the cap radius of the apex.

    >>> outline = cone_outline([0.0, 0.5], 0.1)
    >>> outline.starts[0].tolist(), np.array_equal(outline.ends[:2], outline.starts[1:])
    ([0.0, 0.5], True)
    """
    apex = np.asarray(apex, np.float64)
    norm = float(np.linalg.norm(apex))
    inner = cones.inner_radius(K)
    if not inner * (1 - 1e-12) <= norm < 1:
        raise InputError(f"a cone with K = {K:g} needs an apex with a norm from {inner:.4g} to below 1, not {norm:.4g}")
    heading, reach = float(np.arctan2(apex[1], apex[0])), float(caps.cap_radius(apex, K))
    right, left = unit_vectors(heading - reach), unit_vectors(heading + reach)
    return concatenate_arcs(geodesics(apex, right), rim(heading - reach, heading + reach), geodesics(left, apex))


def draw_cone(
    axes: Any, apex: ArrayLike, K: float, color: str, *, alpha: float = 0.18, linewidth: float = 1.0, zorder: float = 2
) -> None:
    """Draw the cone of an apex: a lightly filled region and its two sides."""
    draw_outline(axes, cone_outline(apex, K), color, alpha=alpha, linewidth=linewidth, zorder=zorder)


def draw_outline(
    axes: Any, outline: Arcs, color: str, *, alpha: float = 0.18, linewidth: float = 1.0, zorder: float = 2
) -> None:
    """Draw a cone that is given by its three arcs."""
    patch = matplotlib_module("patches").PathPatch
    region = {"facecolor": color, "alpha": alpha, "linewidth": 0, "gid": group_name(axes, "cone")}
    axes.add_patch(patch(region_path(outline), zorder=zorder, **region))
    sides = lines_path(outline[np.array([0, 2])])
    style = {"facecolor": "none", "edgecolor": color, "capstyle": "round", "gid": group_name(axes, "sides")}
    axes.add_patch(patch(sides, linewidth=linewidth, zorder=zorder + 0.1, **style))


# The search for the balanced center stops when the mean is this close to the origin, or after so many steps.
CENTER_TOLERANCE, MOST_STEPS = 1e-6, 100


def view_from(center: ArrayLike, points: ArrayLike) -> Floats:
    """The points after the Möbius translation that moves the center to the origin; it preserves all distances.

    >>> view_from([0.5, 0.0], [[0.5, 0.0], [0.0, 0.0]]).tolist()
    [[0.0, 0.0], [-0.5, 0.0]]
    """
    center, points = np.asarray(center, np.float64), np.asarray(points, np.float64)
    moved: Floats = np.asarray(poincare.mobius_add(-center, points), np.float64)
    # Rounding may put a point onto or outside the rim; move it back inside.
    lengths = np.linalg.norm(moved, axis=-1, keepdims=True)
    return np.where(lengths < 1, moved, moved / np.maximum(lengths, 1) * (1 - 1e-16))


def rim_angles_from(center: ArrayLike, points: ArrayLike) -> Floats:
    """The angles at which the rays from the origin through the points end on the rim, after the translation.

    Each is the end of the axis of the point's cone, so it lies in every cone that contains the point. A point at the
    origin has no ray; its own angle after the translation is used.

    >>> rim_angles_from([0.0, 0.0], [[0.0, 0.5], [-0.1, 0.0]]).round(6).tolist()
    [1.570796, 3.141593]
    """
    center, points = np.asarray(center, np.float64), np.asarray(points, np.float64).reshape(-1, 2)
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    ends = points / np.where(lengths > 0, lengths, 1.0)
    moved = np.where(
        lengths > 0, _map_rim_points(np.where(lengths > 0, ends, 1.0), ends - center), view_from(center, points)
    )
    return np.arctan2(moved[:, 1], moved[:, 0])


def cone_outline_from(center: ArrayLike, apex: ArrayLike, K: float) -> Arcs:
    """The image of a cone under the translation: the three arcs of ``cone_outline``, moved.

    This is not the cone of the moved apex: cones open away from the original origin.

    >>> outline = cone_outline_from([0.5, 0.0], [0.5, 0.0], 0.1)
    >>> outline.starts[0].tolist(), bool(outline.sweeps[1] > 0)
    ([0.0, 0.0], True)
    """
    center = np.asarray(center, np.float64)
    outline = cone_outline(apex, K)
    rim = _rim_arc_from(center, outline[np.array([1])])
    moved = view_from(center, outline.starts[0])
    return concatenate_arcs(geodesics(moved, rim.starts[0]), rim, geodesics(rim.ends[0], moved))


def _rim_arc_from(center: Floats, rim: Arcs) -> Arcs:
    """An arc of the rim after the translation; it may become very short or nearly a full circle."""
    start, end = rim.starts - center, rim.ends - center
    # As complex numbers, a rim point a maps to (a − c)²/(a|a − c|²), so its new angle is twice that of a − c minus
    # its old one. The angle between start and end seen from c is computed from the step between them, which stays
    # accurate for very short arcs.
    step = rim.ends - rim.starts
    across = start[:, 0] * step[:, 1] - start[:, 1] * step[:, 0]
    between = np.arctan2(across, np.sum(start * end, axis=1)) % (2 * np.pi)
    return Arcs(_map_rim_points(rim.starts, start), _map_rim_points(rim.ends, end), 2 * between - rim.sweeps)


def _map_rim_points(points: Floats, steps: Floats) -> Floats:
    whole, step = points[:, 0] + 1j * points[:, 1], steps[:, 0] + 1j * steps[:, 1]
    moved = step**2 / (whole * np.abs(step) ** 2)
    moved /= np.abs(moved)
    return np.stack([moved.real, moved.imag], axis=1)


def balanced_center(points: Floats) -> tuple[float, float]:
    """The point of the disk that, when moved to the origin, makes the mean of the moved points zero.

    >>> x, y = balanced_center(np.array([[0.5, 0.0], [0.8, 0.0]]))
    >>> round(x, 6), y
    (0.677219, 0.0)
    """
    center = np.zeros(2)
    for _ in range(MOST_STEPS if len(points) else 0):
        mean = view_from(center, points).mean(axis=0)
        if np.linalg.norm(mean) < CENTER_TOLERANCE:
            break
        center = np.asarray(poincare.mobius_add(center, mean))
    return float(center[0]), float(center[1])


TOLERANCE = 1e-5
# A cubic Bézier curve deviates from its arc by at most this times radius × angle⁶, for angles up to 120°.
EXCESS = 2e-5
WIDEST_PIECE = np.pi * 2 / 3


def control_points(arcs: Arcs) -> list[Floats]:
    """The Bézier control points of each arc: its start, then three per piece.

    >>> [points.shape for points in control_points(rim([0.0, 0.0], [0.5, 3.0]))]
    [(4, 2), (13, 2)]
    """
    pieces = _pieces_needed(arcs)
    found: list[Floats] = [np.empty((0, 2))] * len(arcs)
    for count in np.unique(pieces):
        rows = np.flatnonzero(pieces == count)
        for row, points in zip(rows, _in_pieces(arcs[rows], int(count)), strict=True):
            found[row] = points
    return found


def _pieces_needed(arcs: Arcs) -> NDArray[np.int64]:
    sweeps, chords = np.abs(arcs.sweeps), np.linalg.norm(arcs.ends - arcs.starts, axis=-1)
    # Radius times sweep is the arc's length, which is also defined for a straight line.
    lengths = chords / np.sinc(sweeps / (2 * np.pi))
    by_error = (EXCESS * lengths * sweeps**5 / TOLERANCE) ** (1 / 6)
    needed = np.ceil(np.maximum(1, np.maximum(by_error, sweeps / WIDEST_PIECE)))
    return np.asarray(needed, np.int64)


def _in_pieces(arcs: Arcs, count: int) -> Floats:
    knots = arcs.at(np.linspace(0, 1, count + 1))
    chords = np.diff(knots, axis=1)
    sweep = arcs.sweeps[:, None] / count
    # Control points lie on the tangents, which form half the piece's sweep with its chord.
    reach = 1 / (3 * np.cos(sweep / 4) ** 2)[..., None]
    leaving, arriving = reach * rotate(chords, -sweep / 2), reach * rotate(chords, sweep / 2)
    pieces = np.stack([knots[:, :-1] + leaving, knots[:, 1:] - arriving, knots[:, 1:]], axis=2)
    return np.concatenate([knots[:, :1], pieces.reshape(len(arcs), 3 * count, 2)], axis=1)


def lines_path(arcs: Arcs) -> Any:
    """One matplotlib path with a separate line per arc."""
    path = matplotlib_module("path").Path
    curves = control_points(arcs)
    codes = [[path.MOVETO] + [path.CURVE4] * (len(curve) - 1) for curve in curves]
    return path(np.concatenate([np.empty((0, 2)), *curves]), [code for line in codes for code in line])


def region_path(arcs: Arcs) -> Any:
    """The region enclosed by consecutive arcs, as a closed matplotlib path."""
    path = matplotlib_module("path").Path
    curves = control_points(arcs)
    vertices = np.concatenate([curves[0][:1], *(curve[1:] for curve in curves), curves[0][:1]])
    return path(vertices, [path.MOVETO] + [path.CURVE4] * (len(vertices) - 2) + [path.CLOSEPOLY])
