"""Pictures of models in the Poincaré disk, computed in NumPy; matplotlib is imported only when something is drawn."""

from __future__ import annotations

from hypercone.plotting.arcs import Arcs, cone_outline, draw_cone, geodesics, rim
from hypercone.plotting.canvas import new_figure, save_figure
from hypercone.plotting.labels import draw_labels, place_labels
from hypercone.plotting.scene import depth_colors, draw_disk, draw_edges, draw_nodes, draw_ring
from hypercone.plotting.views import PlanarView, planar_view

__all__ = [
    "Arcs",
    "PlanarView",
    "cone_outline",
    "depth_colors",
    "draw_cone",
    "draw_disk",
    "draw_edges",
    "draw_labels",
    "draw_nodes",
    "draw_ring",
    "geodesics",
    "new_figure",
    "place_labels",
    "planar_view",
    "rim",
    "save_figure",
]
