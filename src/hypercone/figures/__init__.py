"""Pictures in the Poincaré disk: what is drawn is computed here in NumPy; matplotlib is loaded when it is drawn."""

from hypercone.figures.arcs import Arcs, geodesics, rim
from hypercone.figures.canvas import new_figure, save_figure
from hypercone.figures.cone_outline import cone_outline, draw_cone
from hypercone.figures.disk import draw_disk, draw_ring
from hypercone.figures.graph import depth_colours, draw_edges, draw_nodes
from hypercone.figures.labels import draw_labels, place_labels
from hypercone.figures.planar import PlanarView, planar_view

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
