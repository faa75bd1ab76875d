"""Arcs as matplotlib paths: cubic curves that stay within a hundred-thousandth of the disk's radius of the circle."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone.figures.arcs import Arcs, Floats, turned
from hypercone.figures.canvas import matplotlib_part

TOLERANCE = 1e-5
# A cubic curve leaves its arc by this times the radius and the sixth power of the angle, for angles up to 120°.
EXCESS = 2e-5
WIDEST_PIECE = np.pi * 2 / 3


def control_points(arcs: Arcs) -> list[Floats]:
    """The control points of each arc: its start, then three for every piece.

    >>> from hypercone.figures.arcs import rim
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
