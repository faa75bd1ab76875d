"""What a picture of a model in the disk is made of: disk, cones, edges, dots, and how much detail."""

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
from hypercone.plotting.arcs import Floats, cone_seen_from, draw_outline, geodesics, lines_path, seen_from
from hypercone.plotting.canvas import LIGHT, Theme, group_name, matplotlib_part
from hypercone.plotting.views import PlanarView, branches, invented_depths, most_important, nodes_below

PAPER, RIM = "#fbfbf9", "#8b97a3"


def draw_disk(axes: Any, room: float = 0.04, *, paper: str = PAPER, rim: str = RIM) -> None:
    """The unit disk, round on any page, with some room around it and no frame."""
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_xlim(-1 - room, 1 + room)
    axes.set_ylim(-1 - room, 1 + room)
    circle = matplotlib_part("patches").Circle
    axes.add_patch(circle((0, 0), 1, facecolor=paper, edgecolor="none", zorder=0))
    name = group_name(axes, "rim")
    axes.add_patch(circle((0, 0), 1, facecolor="none", edgecolor=rim, linewidth=1.1, zorder=8, gid=name))


def draw_ring(axes: Any, radius: float, **style: Any) -> None:
    """A circle around the origin, at a Euclidean radius."""
    chosen = {"facecolor": "none", "edgecolor": RIM, "linewidth": 0.6, "zorder": 1} | style
    axes.add_patch(matplotlib_part("patches").Circle((0, 0), radius, **chosen))


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
            raise InputError(
                f"this view has no cones; leave {option('cones')} out, or use {option('view', 'construction')}"
            )
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


# The power of what hangs below a node when names are chosen: who looks from a node wants to read what is near.
OVERVIEW, NEARBY = 1.0, 0.4


@dataclass(frozen=True, eq=False)
class Scene:
    """A view as seen from a centre: moved points, and of each row its depth, its branch (−1: none) and its weight.

    ``is_main`` tells of each edge whether it hangs its child where the child is counted. ``weights`` are the numbers of
    nodes below; ``order`` are the rows by importance. Without a hierarchy the rank by radius stands in for them.
    ``middle`` is the row that stands in the centre, if it is one.
    """

    view: PlanarView
    centre: Floats
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
        """Whether the middle of the picture is not the origin."""
        return bool(np.any(self.centre != 0))


def make_scene(
    view: PlanarView, hierarchy: Hierarchy | None, middle: int | None = None, *, moved: bool = True
) -> Scene:
    """The scene of a view with a row in the middle, or else the view's own centre, or if not moved the origin."""
    centre = np.array(view.centre if moved else (0.0, 0.0)) if middle is None else view.points[middle]
    points = seen_from(centre, view.points) if np.any(centre != 0) else view.points
    if hierarchy is None:
        return _without_edges(view, centre, points, middle)
    below = nodes_below(hierarchy)
    edges = hierarchy.reduction()
    is_main = spanning_forest(hierarchy)[edges[:, 1]] == edges[:, 0]
    order = most_important(hierarchy, below, points, OVERVIEW if middle is None else NEARBY)
    given = hierarchy.depths, branches(hierarchy), below, order
    return Scene(view, centre, points, edges, is_main, *given, middle)


def _without_edges(view: PlanarView, centre: Floats, points: Floats, middle: int | None) -> Scene:
    order = np.argsort(np.linalg.norm(view.points, axis=1), kind="stable").astype(np.int32)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    depths = invented_depths(rank)
    nowhere, edges = np.full(len(order), -1, np.int32), np.empty((0, 2), np.int32)
    none = np.empty(0, np.bool_)
    return Scene(view, centre, points, edges, none, depths, nowhere, len(order) - 1 - rank, order, middle)


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


PALETTE = LIGHT.depths


def depth_colours(deepest: int) -> list[str]:
    """A colour for each depth from 0 to the deepest, from dark to light.

    >>> depth_colours(1)
    ['#440154', '#a9c92b']
    """
    return shades(PALETTE, deepest)


def shades(palette: Sequence[str], deepest: int) -> list[str]:
    """A colour for each depth from 0 to the deepest, along a palette.

    >>> shades(["#000000", "#000080"], 2)
    ['#000000', '#000040', '#000080']
    """
    places = np.linspace(0, len(palette) - 1, deepest + 1) if deepest else np.zeros(1)
    return [_between(palette, float(place)) for place in places]


def _between(palette: Sequence[str], place: float) -> str:
    low = min(int(place), len(palette) - 2)
    ends = [[int(palette[row][digit : digit + 2], 16) for digit in (1, 3, 5)] for row in (low, low + 1)]
    mixed = [round(a + (b - a) * (place - low)) for a, b in zip(*ends, strict=True)]
    return "#" + "".join(f"{value:02x}" for value in mixed)


def draw_edges(
    axes: Any, points: Floats, edges: Rows, depths: Rows, *, linewidth: float = 0.6, alpha: float = 0.55
) -> None:
    """Each (parent, child) of rows as a geodesic, in the colour of the child; general edges lie above specific ones."""
    colours, below = depth_colours(int(depths.max(initial=0))), depths[edges[:, 1]]
    for depth in np.unique(below)[::-1]:
        chosen = edges[below == depth]
        path = lines_path(geodesics(points[chosen[:, 0]], points[chosen[:, 1]]))
        width = linewidth * (0.6 + 1.2 / depth if depth else 1.0)
        style = {"facecolor": "none", "edgecolor": colours[depth], "alpha": alpha, "linewidth": width}
        name = group_name(axes, "geodesics")
        axes.add_patch(matplotlib_part("patches").PathPatch(path, zorder=3 - 0.01 * depth, gid=name, **style))


def draw_nodes(axes: Any, points: Floats, depths: Rows, *, size: float = 26.0) -> None:
    """Each node as a dot, smaller and lighter the deeper it is; general nodes lie above specific ones."""
    colours = depth_colours(int(depths.max(initial=0)))
    for depth in np.unique(depths)[::-1]:
        chosen = points[depths == depth]
        area = size * 0.55 ** float(depth) + 0.06 * size
        style = {"markeredgecolor": "white", "markeredgewidth": 0.5 if depth < 2 else 0.0, "linestyle": "none"}
        axes.plot(*chosen.T, "o", color=colours[depth], markersize=area**0.5, zorder=4 - 0.01 * depth, **style)
