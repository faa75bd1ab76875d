"""The result of a construction: points, and an exact account of what they get right."""

from __future__ import annotations

from dataclasses import dataclass

from hypercone.methods.base import Points
from hypercone.methods.scoring import Counts


@dataclass(frozen=True, eq=False)
class Constructed:
    """Points of hyperbolic cones at threshold 0, and how they came out.

    ``counts`` is exact, over all ordered pairs of different nodes against the closure. ``smallest_cap`` is the angular
    radius of the smallest cap, from which one sees how far the digits of a float64 are from running out. ``notes``
    are sentences about what a user may want to know. ``closure_aware`` says whether the closure of the given edges was
    used, or the edges alone.
    """

    points: Points
    counts: Counts
    smallest_cap: float
    notes: tuple[str, ...] = ()
    closure_aware: bool = False
