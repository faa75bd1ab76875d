"""Level of detail: of what falls on the same spot of the paper, the most important is drawn and the rest left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypercone.figures.arcs import Floats
from hypercone.methods.scoring import Rows

# In printer's points. Two lines whose ends are all closer than this are one line to the eye.
HAIR = 0.5
# A line shorter than this lies under the dots at its ends.
SHORTEST = 0.6
# So many lines a file can hold and still be light.
MOST_EDGES = 24_000


def edges_to_draw(points: Floats, edges: Rows, weights: Rows, points_a_unit: float) -> Rows:
    """The edges that can be told apart on paper, those with the heaviest child first.

    >>> close = np.array([[0.0, 0.0], [0.5, 0.0], [0.5, 0.0001], [0.0001, 0.0]])
    >>> edges_to_draw(close, np.array([[0, 1], [0, 2], [0, 3]]), np.array([0, 1, 2, 0]), 100.0).tolist()
    [[0, 2]]
    """
    edges = edges[np.argsort(-weights[edges[:, 1]], kind="stable")]
    starts, ends = points[edges[:, 0]], points[edges[:, 1]]
    edges = edges[np.linalg.norm(ends - starts, axis=1) * points_a_unit > SHORTEST]
    cells = _cells(points[edges].reshape(-1, 4), points_a_unit)
    return edges[_firsts(cells)][:MOST_EDGES]


def dots_to_draw(points: Floats, weights: Rows, points_a_unit: float) -> Rows:
    """The rows whose dots can be told apart on paper, the heaviest first.

    >>> dots_to_draw(np.array([[0.0, 0.0], [0.0, 1e-5], [0.5, 0.0]]), np.array([1, 3, 2]), 100.0).tolist()
    [1, 2]
    """
    order = np.argsort(-weights, kind="stable").astype(np.int32)
    return order[_firsts(_cells(points[order], points_a_unit))]


def _cells(coordinates: Floats, points_a_unit: float) -> NDArray[np.int64]:
    """One number for each row of coordinates, the same for rows that are the same to the eye."""
    steps = np.floor(coordinates * points_a_unit / HAIR).astype(np.int64)
    steps -= steps.min(axis=0, initial=0)
    found = np.zeros(len(steps), np.int64)
    for column, width in zip(steps.T, steps.max(axis=0, initial=0) + 1, strict=True):
        found = found * width + column
    return found


def _firsts(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first row of each kind, in their order."""
    return np.sort(np.unique(cells, return_index=True)[1])
