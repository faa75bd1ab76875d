"""Circular arcs: the geodesics of the Poincaré disk, and pieces of its rim.

An arc is kept as its two ends and the angle it turns by. Unlike a centre and a radius, this form also holds straight
lines, and the nearly straight ones whose centre is far away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
    # The geodesic leaves along gap·step − |step|²·start (see geometry.trigonometry.departure), and an arc's chord
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
