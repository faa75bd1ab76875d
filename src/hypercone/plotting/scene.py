"""The parts of a picture in the disk: the disk, cones, edges, dots, and the level of detail."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows
from hypercone.construction.forest import spanning_forest
from hypercone.errors import InputError, option
from hypercone.geometry import cones
from hypercone.hierarchy import Hierarchy
from hypercone.plotting.arcs import Floats, cone_outline_from, draw_outline, geodesics, lines_path, view_from
from hypercone.plotting.canvas import LIGHT, Theme, group_name, matplotlib_module
from hypercone.plotting.views import PlanarView, branches, depths_from_ranks, nodes_below, rows_by_importance

FILL, RIM = "#fbfbf9", "#8b97a3"


def draw_disk(axes: Any, margin: float = 0.04, *, fill: str = FILL, rim: str = RIM) -> None:
    """Draw the unit disk with equal axis scales, a margin around it and no frame."""
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_xlim(-1 - margin, 1 + margin)
    axes.set_ylim(-1 - margin, 1 + margin)
    circle = matplotlib_module("patches").Circle
    axes.add_patch(circle((0, 0), 1, facecolor=fill, edgecolor="none", zorder=0))
    name = group_name(axes, "rim")
    axes.add_patch(circle((0, 0), 1, facecolor="none", edgecolor=rim, linewidth=1.1, zorder=8, gid=name))


def draw_ring(axes: Any, radius: float, **style: Any) -> None:
    """Draw a circle around the origin with a Euclidean radius."""
    chosen = {"facecolor": "none", "edgecolor": RIM, "linewidth": 0.6, "zorder": 1} | style
    axes.add_patch(matplotlib_module("patches").Circle((0, 0), radius, **chosen))


COLORS = ("branch", "depth")
# More dots than this are rasterized, even in a vector file.
MOST_DOTS = 4_000
# log10 of the number of nodes, and the width of the thinnest edge and the smallest dot at that size, in points.
SIZES, EDGE_WIDTHS, DOT_WIDTHS = (1.5, 3.0, 5.0), (0.9, 0.35, 0.15), (4.2, 1.4, 0.5)
# Up to so many edges to second parents are drawn at full strength; more of them are dimmed.
UNDIMMED_SECONDARY = 500
# A dot wider than this has a thin border to separate it from what it covers.
BORDER_FROM = 3.0


@dataclass(frozen=True, eq=False)
class Look:
    """How the rows of a scene are drawn: their colors, the theme, and the scale in points per unit."""

    colors: list[str]
    theme: Theme
    points_per_unit: float


def make_look(scene: Scene, color: str, theme: Theme, points_per_unit: float) -> Look:
    """The look with colors by branch (gray for rows in no branch) or by depth."""
    if color not in COLORS:
        raise InputError(f"there is no color by {color!r}; use {' or '.join(COLORS)}")
    if color == "branch" and scene.branch.max(initial=-1) >= 0:
        palette, chosen = [*theme.branches, theme.faint], scene.branch
    else:
        palette, chosen = shades(theme.depths, int(scene.depths.max(initial=0))), scene.depths
    return Look([palette[number] for number in chosen.tolist()], theme, points_per_unit)


def draw_cones(axes: Any, scene: Scene, look: Look, rows: Iterable[int], *, faint: bool = False) -> None:
    """Draw the cones of some rows, moved with the scene; faint ones are only tinted."""
    style = {"alpha": 0.07, "linewidth": 0.4} if faint else {"alpha": 0.16, "linewidth": 1.1}
    for row in rows:
        K = scene.view.K
        if K is None:
            raise InputError(
                f"this view has no cones; leave {option('cones')} out, or use {option('view', 'construction')}"
            )
        outline = cone_outline_from(scene.center, clip_to_shell(scene.view.points[row], K), K)
        draw_outline(axes, outline, look.colors[row], zorder=1.5, **style)


def clip_to_shell(apex: Floats, K: float) -> Floats:
    """The nearest point that has a cone, in case rounding put the apex slightly below the inner radius.

    >>> clip_to_shell(np.array([0.5, 0.0]), 0.1).tolist()
    [0.5, 0.0]
    """
    norm, inner = float(np.linalg.norm(apex)), cones.inner_radius(K)
    return apex if norm >= inner else apex * (inner / norm) if norm else np.array([inner, 0.0])


def draw_scene_edges(axes: Any, scene: Scene, look: Look) -> None:
    """Draw the edges as geodesics in the child's color, thicker with more nodes below it; thin to second parents."""
    main = edges_to_draw(scene.points, scene.edges[scene.is_main], scene.weights, look.points_per_unit)
    other = edges_to_draw(scene.points, scene.edges[~scene.is_main], scene.weights, look.points_per_unit)
    _draw_lines(axes, scene, look, main, _edge_widths(scene, main), alpha=0.6)
    # Dimmed if there are many, so that they do not hide the rest.
    alpha = float(np.clip(0.3 * (UNDIMMED_SECONDARY / max(1, len(other))) ** 0.5, 0.12, 0.3))
    _draw_lines(axes, scene, look, other, np.full(len(other), _by_size(scene, EDGE_WIDTHS)), alpha)


def _draw_lines(axes: Any, scene: Scene, look: Look, edges: Rows, widths: Floats, alpha: float) -> None:
    patch = matplotlib_module("patches").PathPatch
    colors = np.array([look.colors[row] for row in edges[:, 1]], dtype=object)
    # One path per width and color: a file with thousands of paths would be slow to display.
    for width in np.unique(widths):
        for color in sorted(set(colors[widths == width])):
            chosen = edges[(widths == width) & (colors == color)]
            path = lines_path(geodesics(scene.points[chosen[:, 0]], scene.points[chosen[:, 1]]))
            line = {"facecolor": "none", "edgecolor": color, "linewidth": width, "alpha": alpha, "capstyle": "round"}
            # add_patch would compute the limits of every curve; the limits of the axes are already set.
            axes.add_artist(patch(path, zorder=3 + 0.1 * width, gid=group_name(axes, "geodesics"), **line))


def draw_dots(axes: Any, scene: Scene, look: Look) -> None:
    """Draw the nodes as dots, larger with more nodes below them and smaller toward the rim; larger weights on top."""
    rows = dots_to_draw(scene.points, scene.weights, look.points_per_unit)[::-1]
    widths = _dot_widths(scene)[rows]
    axes.scatter(
        *scene.points[rows].T,
        s=widths**2,
        c=[look.colors[row] for row in rows],
        edgecolors=look.theme.disk,
        linewidths=np.where(widths > BORDER_FROM, 0.5, 0.0),
        zorder=5,
        rasterized=len(rows) > MOST_DOTS,
        gid=group_name(axes, "nodes"),
    )


def _dot_widths(scene: Scene) -> Floats:
    smallest = _by_size(scene, DOT_WIDTHS)
    near = np.maximum(0.0, 1 - np.sum(scene.points**2, axis=1)) ** 0.2
    return np.asarray((smallest + (8 - smallest / 2) * _log_shares(scene.weights, scene) ** 1.3) * near)


def _edge_widths(scene: Scene, edges: Rows) -> Floats:
    # Rounded, so that there are few different widths and so few paths.
    return np.asarray(
        _by_size(scene, EDGE_WIDTHS) + np.round(1.3 * _log_shares(scene.weights[edges[:, 1]], scene) ** 1.5, 1)
    )


def _log_shares(weights: Rows, scene: Scene) -> Floats:
    """The logarithms of the weights, relative to that of the number of nodes."""
    return np.asarray(np.log1p(weights) / np.log1p(max(1, len(scene.points))))


def _by_size(scene: Scene, sizes: tuple[float, ...]) -> float:
    return float(np.interp(np.log10(len(scene.points) + 1), SIZES, sizes))


# The exponent of a node's weight when names are chosen; smaller with a node in the middle, to name more nearby nodes.
OVERVIEW, NEARBY = 1.0, 0.4


@dataclass(frozen=True, eq=False)
class Scene:
    """A view with a center moved to the origin: points, and the depth, branch (−1: none) and weight of each row.

    ``is_main`` marks the edges of the spanning forest. ``weights`` are the numbers of nodes below each row, and
    ``order`` lists the rows by importance; without a hierarchy both are derived from the rank by radius. ``middle`` is
    the row at the center, if there is one.
    """

    view: PlanarView
    center: Floats
    points: Floats
    edges: Rows
    is_main: NDArray[np.bool_]
    depths: Rows
    branch: Rows
    weights: Rows
    order: Rows
    middle: int | None = None

    @property
    def is_moved(self) -> bool:
        """Whether the middle of the picture is a point other than the origin."""
        return bool(np.any(self.center != 0))


def make_scene(
    view: PlanarView, hierarchy: Hierarchy | None, middle: int | None = None, *, moved: bool = True
) -> Scene:
    """The scene of a view with the given row in the middle, else the view's center, or the origin if not ``moved``."""
    center = np.array(view.center if moved else (0.0, 0.0)) if middle is None else view.points[middle]
    points = view_from(center, view.points) if np.any(center != 0) else view.points
    if hierarchy is None:
        return _scene_without_edges(view, center, points, middle)
    below = nodes_below(hierarchy)
    edges = hierarchy.reduction()
    is_main = spanning_forest(hierarchy)[edges[:, 1]] == edges[:, 0]
    order = rows_by_importance(hierarchy, below, points, OVERVIEW if middle is None else NEARBY)
    given = hierarchy.depths, branches(hierarchy), below, order
    return Scene(view, center, points, edges, is_main, *given, middle)


def _scene_without_edges(view: PlanarView, center: Floats, points: Floats, middle: int | None) -> Scene:
    order = np.argsort(np.linalg.norm(view.points, axis=1), kind="stable").astype(np.int32)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    depths = depths_from_ranks(rank)
    nowhere, edges = np.full(len(order), -1, np.int32), np.empty((0, 2), np.int32)
    none = np.empty(0, np.bool_)
    return Scene(view, center, points, edges, none, depths, nowhere, len(order) - 1 - rank, order, middle)


# In points. Two lines whose endpoints are closer than this look like one line.
RESOLUTION = 0.5
# A line shorter than this is hidden by the dots at its ends.
SHORTEST = 0.6
# More lines would make a file too large.
MOST_EDGES = 24_000


def edges_to_draw(points: Floats, edges: Rows, weights: Rows, points_per_unit: float) -> Rows:
    """The edges that can be distinguished in the picture, those with the heaviest child first.

    >>> close = np.array([[0.0, 0.0], [0.5, 0.0], [0.5, 0.0001], [0.0001, 0.0]])
    >>> edges_to_draw(close, np.array([[0, 1], [0, 2], [0, 3]]), np.array([0, 1, 2, 0]), 100.0).tolist()
    [[0, 2]]
    """
    edges = edges[np.argsort(-weights[edges[:, 1]], kind="stable")]
    starts, ends = points[edges[:, 0]], points[edges[:, 1]]
    edges = edges[np.linalg.norm(ends - starts, axis=1) * points_per_unit > SHORTEST]
    cells = _cells(points[edges].reshape(-1, 4), points_per_unit)
    return edges[_first_rows(cells)][:MOST_EDGES]


def dots_to_draw(points: Floats, weights: Rows, points_per_unit: float) -> Rows:
    """The rows whose dots can be distinguished in the picture, the heaviest first.

    >>> dots_to_draw(np.array([[0.0, 0.0], [0.0, 1e-5], [0.5, 0.0]]), np.array([1, 3, 2]), 100.0).tolist()
    [1, 2]
    """
    order = np.argsort(-weights, kind="stable").astype(np.int32)
    return order[_first_rows(_cells(points[order], points_per_unit))]


def _cells(coordinates: Floats, points_per_unit: float) -> NDArray[np.int64]:
    """The number of the grid cell of each row of coordinates; rows in the same cell look the same."""
    steps = np.floor(coordinates * points_per_unit / RESOLUTION).astype(np.int64)
    steps -= steps.min(axis=0, initial=0)
    found = np.zeros(len(steps), np.int64)
    for column, width in zip(steps.T, steps.max(axis=0, initial=0) + 1, strict=True):
        found = found * width + column
    return found


def _first_rows(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first row of each cell, in increasing order."""
    return np.sort(np.unique(cells, return_index=True)[1])


PALETTE = LIGHT.depths


def depth_colors(deepest: int) -> list[str]:
    """A color for each depth from 0 to the deepest, from dark to light.

    >>> depth_colors(1)
    ['#440154', '#a9c92b']
    """
    return shades(PALETTE, deepest)


def shades(palette: Sequence[str], deepest: int) -> list[str]:
    """A color for each depth from 0 to the deepest, along a palette.

    >>> shades(["#000000", "#000080"], 2)
    ['#000000', '#000040', '#000080']
    """
    places = np.linspace(0, len(palette) - 1, deepest + 1) if deepest else np.zeros(1)
    return [_interpolate(palette, float(place)) for place in places]


def _interpolate(palette: Sequence[str], place: float) -> str:
    low = min(int(place), len(palette) - 2)
    ends = [[int(palette[row][digit : digit + 2], 16) for digit in (1, 3, 5)] for row in (low, low + 1)]
    mixed = [round(a + (b - a) * (place - low)) for a, b in zip(*ends, strict=True)]
    return "#" + "".join(f"{value:02x}" for value in mixed)


def draw_edges(
    axes: Any, points: Floats, edges: Rows, depths: Rows, *, linewidth: float = 0.6, alpha: float = 0.55
) -> None:
    """Draw each (parent, child) edge as a geodesic in the color of the child's depth, general edges on top."""
    colors, below = depth_colors(int(depths.max(initial=0))), depths[edges[:, 1]]
    for depth in np.unique(below)[::-1]:
        chosen = edges[below == depth]
        path = lines_path(geodesics(points[chosen[:, 0]], points[chosen[:, 1]]))
        width = linewidth * (0.6 + 1.2 / depth if depth else 1.0)
        style = {"facecolor": "none", "edgecolor": colors[depth], "alpha": alpha, "linewidth": width}
        name = group_name(axes, "geodesics")
        axes.add_patch(matplotlib_module("patches").PathPatch(path, zorder=3 - 0.01 * depth, gid=name, **style))


def draw_nodes(axes: Any, points: Floats, depths: Rows, *, size: float = 26.0) -> None:
    """Draw each node as a dot, smaller and lighter the deeper it is, general nodes on top."""
    colors = depth_colors(int(depths.max(initial=0)))
    for depth in np.unique(depths)[::-1]:
        chosen = points[depths == depth]
        area = size * 0.55 ** float(depth) + 0.06 * size
        style = {"markeredgecolor": "white", "markeredgewidth": 0.5 if depth < 2 else 0.0, "linestyle": "none"}
        axes.plot(*chosen.T, "o", color=colors[depth], markersize=area**0.5, zorder=4 - 0.01 * depth, **style)
