"""A whole picture of a model in the disk: cones, geodesic edges, dots, names that do not touch, and a caption."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hypercone.errors import some
from hypercone.figures.canvas import any_letters, group_name, new_figure
from hypercone.figures.disk import draw_disk
from hypercone.figures.disk_names import LONGEST_AT_RIM, choose_names, draw_names, room_for
from hypercone.figures.disk_parts import Look, draw_cones, draw_dots, draw_scene_edges, make_look
from hypercone.figures.graph import shades
from hypercone.figures.importance import as_written
from hypercone.figures.isometry import seen_from
from hypercone.figures.scene import Scene
from hypercone.figures.themes import LIGHT, Theme

# In inches; below the disk is the caption.
SIDE, CAPTION = 7.6, 0.5
POINTS_AN_INCH = 72.0
# Dots in the legend of depths.
MOST_DEPTHS = 20


@dataclass(frozen=True)
class DiskStyle:
    """What is shown and how: the rows whose cones are drawn, and those named; None for the picture's own choice."""

    cones: Sequence[int] | None = None
    labels: Sequence[int] | int | None = None
    colour: str = "branch"
    theme: Theme = LIGHT
    # Energies up to this count as inside where the view is of the model's own points; a cone is where they are 0.
    threshold: float = 0.0


def disk_picture(scene: Scene, called: Callable[[int], str], style: DiskStyle | None = None) -> Any:
    """A matplotlib figure of the scene; ``called`` gives the name of a row."""
    style = style or DiskStyle()
    theme = style.theme
    figure, (axes,) = new_figure(SIDE, SIDE + CAPTION, ground=theme.ground)
    share = CAPTION / (SIDE + CAPTION)
    axes.set_position((0, share, 1, 1 - share))
    cones = _own_choice(scene, style) if style.cones is None else style.cones
    # Who looks from a node has no use for the names of far branches.
    first = [scene.middle, *(style.cones or [])] if scene.middle is not None else cones
    named = choose_names(scene, style.labels, first)
    with any_letters():
        room = room_for(figure, [as_written(called(row), LONGEST_AT_RIM) for row in named.rim], SIDE * POINTS_AN_INCH)
        look = make_look(scene, style.colour, theme, SIDE * POINTS_AN_INCH / (2 + 2 * room))
        draw_disk(axes, room, paper=theme.disk, rim=theme.rim)
        draw_cones(axes, scene, look, cones, faint=style.cones is None)
        draw_scene_edges(axes, scene, look)
        draw_dots(axes, scene, look)
        draw_names(axes, scene, look, named, called)
        if style.colour == "depth":
            _draw_depths(figure, look, int(scene.depths.max(initial=0)))
        _draw_origin(axes, scene, look)
        figure.text(
            0.5, share / 2, caption(scene, called, style), ha="center", va="center", fontsize=8.6, **_faint(look)
        )
    return figure


def _own_choice(scene: Scene, style: DiskStyle) -> list[int]:
    """The cones that are tinted if nobody asks for any: of the top node of each branch, the largest branch first."""
    if style.colour != "branch" or scene.view.K is None:
        return []
    rows = [np.flatnonzero(scene.branch == branch) for branch in range(int(scene.branch.max(initial=-1)) + 1)]
    return [int(branch[np.argmax(scene.weights[branch])]) for branch in rows if len(branch)]


def caption(scene: Scene, called: Callable[[int], str], style: DiskStyle) -> str:
    """What the picture is, in one or two lines."""
    said = []
    if style.cones:
        said.append(
            f"Shaded: the cone{'s'[: len(style.cones) > 1]} of {some([as_written(called(r)) for r in style.cones])}."
        )
        if scene.view.kind == "own" and style.threshold > 0:
            said.append(f"It is where the energy is 0; the model's threshold is {style.threshold:.3g}.")
    if scene.is_moved:
        where = "the middle of the nodes" if scene.middle is None else as_written(called(scene.middle))
        said.append(f"Seen from {where}; + is the origin.")
    return "\n".join(filter(None, [scene.view.caption, " ".join(said)]))


def _draw_origin(axes: Any, scene: Scene, look: Look) -> None:
    if scene.is_moved:
        spot, line = seen_from(scene.centre, np.zeros(2)), {"markersize": 7, "markeredgewidth": 0.9, "zorder": 4}
        axes.plot(*spot, "+", color=look.theme.faint, gid=group_name(axes, "origin"), **line)


def _draw_depths(figure: Any, look: Look, deepest: int) -> None:
    """A row of dots in the lower right corner: the colours from the roots to the deepest."""
    axes = figure.add_axes((0.72, 0.055, 0.27, 0.035))
    axes.set_axis_off()
    last = min(deepest, MOST_DEPTHS)
    axes.scatter(range(last + 1), np.zeros(last + 1), s=26, c=shades(look.theme.depths, last), linewidths=0)
    axes.set_xlim(-0.3 * last - 1.5, 1.1 * last + 1.5)
    axes.text(-0.06 * last - 0.5, 0, "depth 0", ha="right", va="center", fontsize=8.5, **_faint(look))
    axes.text(1.06 * last + 0.5, 0, f"{deepest}", ha="left", va="center", fontsize=8.5, **_faint(look))


def _faint(look: Look) -> dict[str, Any]:
    return {"color": look.theme.faint, "parse_math": False}
