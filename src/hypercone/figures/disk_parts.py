"""The parts of a picture of a scene but for what is written: cones, edges and dots, with their colours and sizes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hypercone.errors import InputError
from hypercone.figures.arcs import Floats, geodesics
from hypercone.figures.canvas import group_name, matplotlib_part
from hypercone.figures.cone_outline import draw_outline
from hypercone.figures.detail import dots_to_draw, edges_to_draw
from hypercone.figures.graph import shades
from hypercone.figures.isometry import cone_seen_from
from hypercone.figures.paths import lines_path
from hypercone.figures.scene import Scene
from hypercone.figures.themes import Theme
from hypercone.geometry import cones
from hypercone.methods.scoring import Rows

COLOURS = ("branch", "depth")
# More dots than this are pixels even where the rest of a file is lines.
MOST_DOTS = 4_000
# Logarithms of the number of nodes, and how thick the thinnest edge and dot are then, in printer's points.
SIZES, HAIRS, DOTS = (1.5, 3.0, 5.0), (0.9, 0.35, 0.15), (4.2, 1.4, 0.5)
# So many edges to second parents do not disturb a picture.
SECONDS_SEEN = 500
# A dot wider than this has a thin border that sets it off from what lies below it.
BORDERED = 3.0


@dataclass(frozen=True, eq=False)
class Look:
    """How the rows of a scene are drawn on paper: the colour of each, the theme, and the scale."""

    colours: list[str]
    theme: Theme
    points_a_unit: float


def make_look(scene: Scene, colour: str, theme: Theme, points_a_unit: float) -> Look:
    """Colours by branch, grey for what is in none, or by depth."""
    if colour not in COLOURS:
        raise InputError(f"there is no colour by {colour!r}; use {' or '.join(COLOURS)}")
    if colour == "branch" and scene.branch.max(initial=-1) >= 0:
        palette, chosen = [*theme.branches, theme.faint], scene.branch
    else:
        palette, chosen = shades(theme.depths, int(scene.depths.max(initial=0))), scene.depths
    return Look([palette[number] for number in chosen.tolist()], theme, points_a_unit)


def draw_cones(axes: Any, scene: Scene, look: Look, rows: Iterable[int], *, faint: bool = False) -> None:
    """The cones of some rows, moved with the scene; faint ones are a mere tint."""
    style = {"alpha": 0.07, "linewidth": 0.4} if faint else {"alpha": 0.16, "linewidth": 1.1}
    for row in rows:
        K = scene.view.K
        if K is None:
            raise InputError("this view has no cones; leave them out, or ask for the view construction")
        outline = cone_seen_from(scene.centre, in_shell(scene.view.points[row], K), K)
        draw_outline(axes, outline, look.colours[row], zorder=1.5, **style)


def in_shell(apex: Floats, K: float) -> Floats:
    """The nearest point that has a cone, should rounding have put the apex a little below.

    >>> in_shell(np.array([0.5, 0.0]), 0.1).tolist()
    [0.5, 0.0]
    """
    norm, inner = float(np.linalg.norm(apex)), cones.inner_radius(K)
    return apex if norm >= inner else apex * (inner / norm) if norm else np.array([inner, 0.0])


def draw_scene_edges(axes: Any, scene: Scene, look: Look) -> None:
    """The edges as geodesics in the colour of the child, thicker with more below it; second parents thin."""
    main = edges_to_draw(scene.points, scene.edges[scene.is_main], scene.weights, look.points_a_unit)
    other = edges_to_draw(scene.points, scene.edges[~scene.is_main], scene.weights, look.points_a_unit)
    _draw_lines(axes, scene, look, main, _edge_widths(scene, main), alpha=0.6)
    # Many of them would hide the rest.
    alpha = float(np.clip(0.3 * (SECONDS_SEEN / max(1, len(other))) ** 0.5, 0.12, 0.3))
    _draw_lines(axes, scene, look, other, np.full(len(other), _by_size(scene, HAIRS)), alpha)


def _draw_lines(axes: Any, scene: Scene, look: Look, edges: Rows, widths: Floats, alpha: float) -> None:
    patch = matplotlib_part("patches").PathPatch
    colours = np.array([look.colours[row] for row in edges[:, 1]], dtype=object)
    # One path for all lines of a kind: a file of thousands of paths would be slow to show.
    for width in np.unique(widths):
        for colour in sorted(set(colours[widths == width])):
            chosen = edges[(widths == width) & (colours == colour)]
            path = lines_path(geodesics(scene.points[chosen[:, 0]], scene.points[chosen[:, 1]]))
            line = {"facecolor": "none", "edgecolor": colour, "linewidth": width, "alpha": alpha, "capstyle": "round"}
            # Not add_patch, which would look for the limits of every curve; those of the axes are set.
            axes.add_artist(patch(path, zorder=3 + 0.1 * width, gid=group_name(axes, "geodesics"), **line))


def draw_dots(axes: Any, scene: Scene, look: Look) -> None:
    """The nodes as dots, larger with more below them and smaller towards the rim; the heavy ones lie on top."""
    rows = dots_to_draw(scene.points, scene.weights, look.points_a_unit)[::-1]
    widths = _dot_widths(scene)[rows]
    axes.scatter(
        *scene.points[rows].T,
        s=widths**2,
        c=[look.colours[row] for row in rows],
        edgecolors=look.theme.disk,
        linewidths=np.where(widths > BORDERED, 0.5, 0.0),
        zorder=5,
        rasterized=len(rows) > MOST_DOTS,
        gid=group_name(axes, "nodes"),
    )


def _dot_widths(scene: Scene) -> Floats:
    smallest = _by_size(scene, DOTS)
    near = np.maximum(0.0, 1 - np.sum(scene.points**2, axis=1)) ** 0.2
    return np.asarray((smallest + (8 - smallest / 2) * _shares(scene.weights, scene) ** 1.3) * near)


def _edge_widths(scene: Scene, edges: Rows) -> Floats:
    # Rounded, so that there are few kinds of lines.
    return np.asarray(_by_size(scene, HAIRS) + np.round(1.3 * _shares(scene.weights[edges[:, 1]], scene) ** 1.5, 1))


def _shares(weights: Rows, scene: Scene) -> Floats:
    """The logarithms of the weights, as a part of the largest that there may be."""
    return np.asarray(np.log1p(weights) / np.log1p(max(1, len(scene.points))))


def _by_size(scene: Scene, sizes: tuple[float, ...]) -> float:
    return float(np.interp(np.log10(len(scene.points) + 1), SIZES, sizes))
