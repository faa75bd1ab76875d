"""The disk seen from another point: a Möbius translation, which moves points and cones and bends no geodesic."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hypercone.figures.arcs import Arcs, Floats, geodesics, joined
from hypercone.figures.cone_outline import cone_outline
from hypercone.geometry import poincare

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
