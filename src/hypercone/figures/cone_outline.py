"""The region of an entailment cone in the disk: two geodesic sides and the piece of the rim between them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hypercone.errors import InputError
from hypercone.figures.arcs import Arcs, geodesics, joined, on_circle, rim
from hypercone.figures.canvas import group_name, matplotlib_part
from hypercone.figures.paths import lines_path, region_path
from hypercone.geometry import caps, cones


def cone_outline(apex: ArrayLike, K: float) -> Arcs:
    """The border of a cone as three arcs, counter-clockwise: the right side, the rim, and the left side back.

    Nothing is approximated: the sides end on the rim at the cap radius of the apex, and a geodesic is known by its
    ends.

    >>> outline = cone_outline([0.0, 0.5], 0.1)
    >>> outline.starts[0].tolist(), np.array_equal(outline.ends[:2], outline.starts[1:])
    ([0.0, 0.5], True)
    """
    apex = np.asarray(apex, np.float64)
    norm = float(np.linalg.norm(apex))
    inner = cones.inner_radius(K)
    if not inner * (1 - 1e-12) <= norm < 1:
        raise InputError(f"a cone with K = {K:g} needs an apex with a norm from {inner:.4g} to below 1, not {norm:.4g}")
    heading, reach = float(np.arctan2(apex[1], apex[0])), float(caps.cap_radius(apex, K))
    right, left = on_circle(heading - reach), on_circle(heading + reach)
    return joined(geodesics(apex, right), rim(heading - reach, heading + reach), geodesics(left, apex))


def draw_cone(
    axes: Any, apex: ArrayLike, K: float, colour: str, *, alpha: float = 0.18, linewidth: float = 1.0, zorder: float = 2
) -> None:
    """The cone of an apex: its region lightly filled, and its two sides."""
    draw_outline(axes, cone_outline(apex, K), colour, alpha=alpha, linewidth=linewidth, zorder=zorder)


def draw_outline(
    axes: Any, outline: Arcs, colour: str, *, alpha: float = 0.18, linewidth: float = 1.0, zorder: float = 2
) -> None:
    """A cone given by its three arcs."""
    patch = matplotlib_part("patches").PathPatch
    region = {"facecolor": colour, "alpha": alpha, "linewidth": 0, "gid": group_name(axes, "cone")}
    axes.add_patch(patch(region_path(outline), zorder=zorder, **region))
    sides = lines_path(outline[np.array([0, 2])])
    style = {"facecolor": "none", "edgecolor": colour, "capstyle": "round", "gid": group_name(axes, "sides")}
    axes.add_patch(patch(sides, linewidth=linewidth, zorder=zorder + 0.1, **style))
