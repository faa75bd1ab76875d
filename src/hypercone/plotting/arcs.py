"""Geodesic arcs of the Poincaré disk, outlines of cones, the disk seen from another point, and paths to draw them.

An arc is kept as its two ends and the angle it turns by. Unlike a centre and a radius, this form also holds straight
lines, and the nearly straight ones whose centre is far away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypercone.errors import InputError
from hypercone.geometry import caps, cones, poincare
from hypercone.plotting.canvas import group_name, matplotlib_part

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Arcs:
    """Arcs from starts to ends (n, 2), each turning left by its sweep in (−2π, 2π); a sweep of 0 is a straight line."""

    starts: Floats
    ends: Floats
    sweeps: Floats

    def __len__(self) -> int:
        return len(self.sweeps)

    def __getitem__(self, chosen: slice | NDArray[np.generic]) -> Arcs:
        """Some of the arcs."""
        return Arcs(self.starts[chosen], self.ends[chosen], self.sweeps[chosen])

    def at(self, t: ArrayLike) -> Floats:
        """The points a fraction t of the way along each arc, (n, len(t), 2).

        >>> geodesics([-0.5, 0.0], [0.5, 0.0]).at([0.0, 0.5]).tolist()
        [[[-0.5, 0.0], [0.0, 0.0]]]
        """
        t = np.atleast_1d(np.asarray(t, np.float64))
        half = self.sweeps[:, None] / 2
        # The chord to the point turns back from the whole chord by the part of the sweep that is left.
        lengths = t * np.sinc(t * half / np.pi) / np.sinc(half / np.pi)
        chords = turned((self.ends - self.starts)[:, None], (t - 1) * half)
        return np.asarray(self.starts[:, None] + lengths[..., None] * chords)

    def radii(self) -> Floats:
        """The radius of each arc's circle; infinite for a straight line, NaN for an arc from a point to itself.

        >>> rim(0.0, np.pi / 2).radii().round(12).tolist()
        [1.0]
        """
        chords = np.linalg.norm(self.ends - self.starts, axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(chords / (2 * np.abs(np.sin(self.sweeps / 2))))

    def centres(self) -> Floats:
        """The centre of each arc's circle, meaningless for a straight line."""
        chords = self.ends - self.starts
        across = turned(chords, np.full(len(self), np.pi / 2))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.starts + chords / 2 + across / (2 * np.tan(self.sweeps / 2))[:, None])


def geodesics(x: ArrayLike, y: ArrayLike) -> Arcs:
    """The geodesics between points of the closed disk, pair by pair: arcs that meet the rim at right angles.

    Either end may lie on the rim.

    >>> arc = geodesics([1.0, 0.0], [0.0, 1.0])
    >>> arc.centres().round(12).tolist(), arc.radii().round(12).tolist()
    ([[1.0, 1.0]], [1.0])
    """
    starts, ends = np.broadcast_arrays(np.atleast_2d(np.asarray(x, np.float64)), np.asarray(y, np.float64))
    steps = ends - starts
    gap = 1 - np.sum(starts**2, axis=-1)
    # The geodesic leaves along gap·step − |step|²·start (see geometry.poincare.departure), and an arc's chord
    # stands at half its sweep from where it leaves.
    across = steps[:, 0] * starts[:, 1] - steps[:, 1] * starts[:, 0]
    return Arcs(starts, ends, 2 * np.arctan2(across, gap - np.sum(starts * steps, axis=-1)))


def rim(start: ArrayLike, end: ArrayLike) -> Arcs:
    """Arcs of the unit circle from one angle to another, counter-clockwise if the second is larger.

    >>> rim(0.0, np.pi).at(0.5).round(12).tolist()
    [[[0.0, 1.0]]]
    """
    start, end = np.atleast_1d(np.asarray(start, np.float64)), np.atleast_1d(np.asarray(end, np.float64))
    return Arcs(on_circle(start), on_circle(end), end - start)


def joined(*arcs: Arcs) -> Arcs:
    """Several arcs as one list of arcs."""
    return Arcs(
        np.concatenate([each.starts for each in arcs]),
        np.concatenate([each.ends for each in arcs]),
        np.concatenate([each.sweeps for each in arcs]),
    )


def on_circle(angle: ArrayLike) -> Floats:
    """The unit vector of an angle, or of many.

    >>> on_circle(0.0).tolist()
    [1.0, 0.0]
    """
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def turned(vectors: Floats, angles: Floats) -> Floats:
    """The vectors turned left by the angles.

    >>> turned(np.array([1.0, 0.0]), np.array(np.pi / 2)).round(12).tolist()
    [0.0, 1.0]
    """
    cos, sin = np.cos(angles), np.sin(angles)
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)


def cone_outline(apex: ArrayLike, K: float) -> Arcs:
    """The border of a cone as three arcs, counter-clockwise: the right side, the rim, and the left side back.

    Nothing is approximated: the sides end on the rim at the cap radius of the apex, and a geodesic is known by its
    ends.

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
    right, left = on_circle(heading - reach), on_circle(heading + reach)
    return joined(geodesics(apex, right), rim(heading - reach, heading + reach), geodesics(left, apex))


def draw_cone(
    axes: Any, apex: ArrayLike, K: float, colour: str, *, alpha: float = 0.18, linewidth: float = 1.0, zorder: float = 2
) -> None:
    """The cone of an apex: its region lightly filled, and its two sides."""
    draw_outline(axes, cone_outline(apex, K), colour, alpha=alpha, linewidth=linewidth, zorder=zorder)


def draw_outline(
    axes: Any, outline: Arcs, colour: str, *, alpha: float = 0.18, linewidth: float = 1.0, zorder: float = 2
) -> None:
    """A cone given by its three arcs."""
    patch = matplotlib_part("patches").PathPatch
    region = {"facecolor": colour, "alpha": alpha, "linewidth": 0, "gid": group_name(axes, "cone")}
    axes.add_patch(patch(region_path(outline), zorder=zorder, **region))
    sides = lines_path(outline[np.array([0, 2])])
    style = {"facecolor": "none", "edgecolor": colour, "capstyle": "round", "gid": group_name(axes, "sides")}
    axes.add_patch(patch(sides, linewidth=linewidth, zorder=zorder + 0.1, **style))


# The balanced centre is found to this many units of the disk.
CLOSE_ENOUGH, MOST_STEPS = 1e-6, 100


def seen_from(centre: ArrayLike, points: ArrayLike) -> Floats:
    """Where points are after the translation that takes the centre to the origin; all distances stay.

    >>> seen_from([0.5, 0.0], [[0.5, 0.0], [0.0, 0.0]]).tolist()
    [[0.0, 0.0], [-0.5, 0.0]]
    """
    centre, points = np.asarray(centre, np.float64), np.asarray(points, np.float64)
    moved: Floats = np.asarray(poincare.mobius_add(-centre, points), np.float64)
    # The sum rounds; what was inside stays inside.
    lengths = np.linalg.norm(moved, axis=-1, keepdims=True)
    return np.where(lengths < 1, moved, moved / np.maximum(lengths, 1) * (1 - 1e-16))


def rim_seen_from(centre: ArrayLike, points: ArrayLike) -> Floats:
    """Where the rays from the origin through the points meet the rim after the translation, as angles.

    Each is the end of the axis of the point's cone, and so inside every cone that holds the point. A point at the
    origin, which has no ray, is taken to lie at its own angle after the translation.

    >>> rim_seen_from([0.0, 0.0], [[0.0, 0.5], [-0.1, 0.0]]).round(6).tolist()
    [1.570796, 3.141593]
    """
    centre, points = np.asarray(centre, np.float64), np.asarray(points, np.float64).reshape(-1, 2)
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    ends = points / np.where(lengths > 0, lengths, 1.0)
    moved = np.where(lengths > 0, _on_rim(np.where(lengths > 0, ends, 1.0), ends - centre), seen_from(centre, points))
    return np.arctan2(moved[:, 1], moved[:, 0])


def cone_seen_from(centre: ArrayLike, apex: ArrayLike, K: float) -> Arcs:
    """The image of a cone: its three arcs, as ``cone_outline`` gives them, after the translation.

    The cone that a moved apex would have by itself is another one: cones open away from the origin they were made for.

    >>> outline = cone_seen_from([0.5, 0.0], [0.5, 0.0], 0.1)
    >>> outline.starts[0].tolist(), bool(outline.sweeps[1] > 0)
    ([0.0, 0.0], True)
    """
    centre = np.asarray(centre, np.float64)
    outline = cone_outline(apex, K)
    rim = _rim_seen_from(centre, outline[np.array([1])])
    moved = seen_from(centre, outline.starts[0])
    return joined(geodesics(moved, rim.starts[0]), rim, geodesics(rim.ends[0], moved))


def _rim_seen_from(centre: Floats, rim: Arcs) -> Arcs:
    """An arc of the rim after the translation, whose two ends may then nearly meet, or be nearly all around."""
    start, end = rim.starts - centre, rim.ends - centre
    # A point a of the rim goes to (a − c)²/(a|a − c|²) as a complex number, so its angle becomes twice that of a − c
    # less its own. The angle between start and end as seen from c is taken from the step between them, which keeps its
    # digits however small it is.
    step = rim.ends - rim.starts
    across = start[:, 0] * step[:, 1] - start[:, 1] * step[:, 0]
    between = np.arctan2(across, np.sum(start * end, axis=1)) % (2 * np.pi)
    return Arcs(_on_rim(rim.starts, start), _on_rim(rim.ends, end), 2 * between - rim.sweeps)


def _on_rim(points: Floats, steps: Floats) -> Floats:
    whole, step = points[:, 0] + 1j * points[:, 1], steps[:, 0] + 1j * steps[:, 1]
    moved = step**2 / (whole * np.abs(step) ** 2)
    moved /= np.abs(moved)
    return np.stack([moved.real, moved.imag], axis=1)


def balanced_centre(points: Floats) -> tuple[float, float]:
    """The point of the disk from where the points are spread evenly around: their mean is then the origin.

    >>> x, y = balanced_centre(np.array([[0.5, 0.0], [0.8, 0.0]]))
    >>> round(x, 6), y
    (0.677219, 0.0)
    """
    centre = np.zeros(2)
    for _ in range(MOST_STEPS if len(points) else 0):
        mean = seen_from(centre, points).mean(axis=0)
        if np.linalg.norm(mean) < CLOSE_ENOUGH:
            break
        centre = np.asarray(poincare.mobius_add(centre, mean))
    return float(centre[0]), float(centre[1])


TOLERANCE = 1e-5
# A cubic curve leaves its arc by this times the radius and the sixth power of the angle, for angles up to 120°.
EXCESS = 2e-5
WIDEST_PIECE = np.pi * 2 / 3


def control_points(arcs: Arcs) -> list[Floats]:
    """The control points of each arc: its start, then three for every piece.

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
    # The radius times the sweep is the arc's length, which a straight line has too.
    lengths = chords / np.sinc(sweeps / (2 * np.pi))
    by_error = (EXCESS * lengths * sweeps**5 / TOLERANCE) ** (1 / 6)
    needed = np.ceil(np.maximum(1, np.maximum(by_error, sweeps / WIDEST_PIECE)))
    return np.asarray(needed, np.int64)


def _in_pieces(arcs: Arcs, count: int) -> Floats:
    knots = arcs.at(np.linspace(0, 1, count + 1))
    chords = np.diff(knots, axis=1)
    sweep = arcs.sweeps[:, None] / count
    # Handles lie on the tangents, half the piece's sweep from its chord.
    reach = 1 / (3 * np.cos(sweep / 4) ** 2)[..., None]
    leaving, arriving = reach * turned(chords, -sweep / 2), reach * turned(chords, sweep / 2)
    pieces = np.stack([knots[:, :-1] + leaving, knots[:, 1:] - arriving, knots[:, 1:]], axis=2)
    return np.concatenate([knots[:, :1], pieces.reshape(len(arcs), 3 * count, 2)], axis=1)


def lines_path(arcs: Arcs) -> Any:
    """One matplotlib path with every arc as a line of its own."""
    path = matplotlib_part("path").Path
    curves = control_points(arcs)
    codes = [[path.MOVETO] + [path.CURVE4] * (len(curve) - 1) for curve in curves]
    return path(np.concatenate([np.empty((0, 2)), *curves]), [code for line in codes for code in line])


def region_path(arcs: Arcs) -> Any:
    """The region that arcs enclose, each beginning where the last ended, as a closed matplotlib path."""
    path = matplotlib_part("path").Path
    curves = control_points(arcs)
    vertices = np.concatenate([curves[0][:1], *(curve[1:] for curve in curves), curves[0][:1]])
    return path(vertices, [path.MOVETO] + [path.CURVE4] * (len(vertices) - 2) + [path.CLOSEPOLY])
