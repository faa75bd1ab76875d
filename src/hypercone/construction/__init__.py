"""Embeddings without learning: hierarchies laid out as caps inside caps, and what that gets right, counted exactly."""

from hypercone.construction.balls import points_from_balls
from hypercone.construction.construct import construct_forest
from hypercone.construction.constructed import Constructed
from hypercone.construction.forest import spanning_forest

__all__ = ["Constructed", "construct_forest", "points_from_balls", "spanning_forest"]
