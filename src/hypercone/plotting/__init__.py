"""Pictures in the Poincaré disk: what is drawn is computed here in NumPy; matplotlib is loaded when it is drawn."""

from __future__ import annotations

from hypercone.plotting.arcs import Arcs, cone_outline, draw_cone, geodesics, rim
from hypercone.plotting.canvas import new_figure, save_figure
from hypercone.plotting.labels import draw_labels, place_labels
from hypercone.plotting.scene import depth_colours, draw_disk, draw_edges, draw_nodes, draw_ring
from hypercone.plotting.views import PlanarView, planar_view

__all__ = [
    "Arcs",
    "PlanarView",
    "cone_outline",
    "depth_colours",
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
