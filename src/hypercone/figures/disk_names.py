"""Which nodes of a picture of a scene are named, and where: beside their dots, or around the rim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hypercone.errors import InputError
from hypercone.figures.canvas import matplotlib_part
from hypercone.figures.detail import dots_to_draw
from hypercone.figures.disk_parts import Look
from hypercone.figures.importance import as_written
from hypercone.figures.isometry import rim_seen_from
from hypercone.figures.labels import draw_labels
from hypercone.figures.rim_names import NAME_START, draw_rim_names
from hypercone.figures.scene import Scene

# Up to so many leaves, and nodes in all, a picture names every node, the leaves around the rim.
MOST_RIM_NAMES, SMALL = 110, 220
# More names than this nobody could read, and finding room for them would take minutes.
MOST_NAMES = 500
# Names beside dots, if nobody says how many.
INSIDE_NAMES = 32
RIM_FONT, RIM_LINE = 8.5, 10.5
# Longer names around the rim would leave little room for the disk.
LONGEST_AT_RIM = 28
# In pixels of a hundredth of an inch.
FURTHEST = 44.0


@dataclass(frozen=True)
class Named:
    """Rows named beside their dots, the most important first, rows named around the rim, and those in bold."""

    inside: list[int]
    rim: list[int]
    bold: frozenset[int]


def choose_names(scene: Scene, labels: Sequence[int] | int | None, first: Sequence[int]) -> Named:
    """What is named: the rows asked for, or so many, or all of a small scene; ``first`` in any case, in bold."""
    count = INSIDE_NAMES if labels is None else labels if isinstance(labels, int) else len(labels)
    if not 0 <= count <= MOST_NAMES:
        raise InputError(f"labels is {count}, but must be from 0 to {MOST_NAMES}")
    if isinstance(labels, Sequence):
        return Named(list(dict.fromkeys([*first, *labels])), [], frozenset(first))
    leaves = (scene.weights == 0) | (len(scene.edges) == 0)
    in_order = list(dict.fromkeys([*first, *scene.order.tolist()]))
    if labels is None and leaves.sum() <= MOST_RIM_NAMES and len(leaves) <= SMALL:
        # From a node in the middle, leaves are at all distances; from afar they lie around.
        outside = leaves & (scene.middle is None)
        inside = [row for row in in_order if not outside[row]]
        return Named(inside, np.flatnonzero(outside).tolist(), frozenset(first))
    most = max(count, len(set(first)))
    return Named(in_order[:most], [], frozenset(first))


def room_for(figure: Any, names: Sequence[str], side: float) -> float:
    """How much room, in radii of the disk, names around the rim need in a picture with sides of so many points."""
    if not names:
        return 0.03
    font = matplotlib_part("font_manager").FontProperties(size=RIM_FONT)
    renderer = figure.canvas.get_renderer()
    widths = [renderer.get_text_width_height_descent(name, font, False)[0] for name in names]
    longest = max(widths) * 72 / figure.dpi + 4
    return float(NAME_START / (1 - 2 * longest / side) - 1)


def draw_names(axes: Any, scene: Scene, look: Look, named: Named, called: Callable[[int], str]) -> list[Any]:
    """Write the names; those without room are left out. Returns the texts."""
    inside, rim = named.inside, named.rim
    texts = draw_labels(
        axes,
        scene.points[inside],
        [as_written(called(row)) for row in inside],
        # Dots that are dense count once, so that a name may lie on a crowd that nobody could read anyway.
        dots=scene.points[dots_to_draw(scene.points, scene.weights, look.points_a_unit / 8)],
        furthest=FURTHEST,
        theme=look.theme,
        styles=[_style(scene, row, row in named.bold) for row in inside],
    )
    around = draw_rim_names(
        axes,
        scene.points[rim],
        rim_seen_from(scene.centre, scene.view.points[rim]),
        [as_written(called(row), LONGEST_AT_RIM) for row in rim],
        [look.colours[row] for row in rim],
        gap=min(RIM_LINE / look.points_a_unit, 2 * np.pi / max(1, len(rim))),
        fontsize=RIM_FONT,
        theme=look.theme,
    )
    return texts + around


def _style(scene: Scene, row: int, is_bold: bool) -> dict[str, Any]:
    share = float(np.log1p(scene.weights[row]) / np.log1p(max(1, len(scene.points))))
    return {"fontsize": 7.2 + 3.4 * share, "fontweight": "bold" if is_bold else "normal"}
