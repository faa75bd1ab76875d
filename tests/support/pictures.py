"""What matplotlib figures show: artists by the start of their id, filled points, and overlapping boxes."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.transforms import Affine2D

from hypercone.hierarchy import Hierarchy

ANIMALS = Hierarchy.from_pairs(
    [
        *(("animal", name) for name in ("bird", "mammal", "fish")),
        *(("bird", name) for name in ("pelican", "owl", "penguin")),
        *(("mammal", name) for name in ("dog", "cat", "whale")),
        *(("fish", name) for name in ("salmon", "eel")),
        *[("pelican", "white pelican"), ("dog", "poodle"), ("dog", "beagle"), ("cat", "siamese")],
    ]
)


def drawn(axes: Any, what: str) -> list[Any]:
    """The artists on the axes whose ids begin with the text."""
    return [artist for artist in axes.get_children() if (artist.get_gid() or "").startswith(what)]


def filled(path: Any, points: np.ndarray, scale: float = 1e4) -> np.ndarray:
    """Whether matplotlib fills the points, at a scale where its own rounding of curves is small."""
    (polygon,) = path.transformed(Affine2D().scale(scale)).to_polygons()
    return np.asarray(type(path)(polygon).contains_points(scale * points))


def overlap(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two boxes (left, bottom, right, top) overlap."""
    return bool(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3])
