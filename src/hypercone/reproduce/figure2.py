"""Figure 2 of the paper: cones at growing norms, and cones within cones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hypercone.figures import cone_outline, draw_cone, draw_disk, draw_ring, geodesics, new_figure, save_figure
from hypercone.figures.arcs import Floats, on_circle
from hypercone.figures.canvas import INK
from hypercone.geometry import caps, cones

K = 0.1
NORMS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
# The colours of Okabe and Ito, which people with any kind of colour vision tell apart; neighbours here differ in
# brightness too.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#a6611a", "#5e3c99")
GENERATIONS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7")


@dataclass(frozen=True)
class Apex:
    """Where a nested cone stands: beside which parent, on its border or between, and how far out."""

    name: str
    parent: str
    side: float  # −1 is the parent's right border, 1 the left, 0 the middle
    way: float  # the fraction of the way from the parent's apex to the rim


# Upper family: every apex on a border of its parent. Lower family: every apex strictly inside.
FAMILIES = {"A": 0.104 * on_circle(np.pi / 2), "B": 0.104 * on_circle(-np.pi / 2)}
NESTED = (
    Apex("A₁", "A", 1, 0.24),
    Apex("A₂", "A", -1, 0.13),
    Apex("A₁₁", "A₁", -1, 0.22),
    Apex("A₁₂", "A₁", 1, 0.4),
    Apex("A₂₁", "A₂", 1, 0.16),
    Apex("A₂₂", "A₂", -1, 0.36),
    Apex("A₂₁₁", "A₂₁", -1, 0.3),
    Apex("B₁", "B", -0.5, 0.11),
    Apex("B₂", "B", 0.52, 0.15),
    Apex("B₁₁", "B₁", -0.5, 0.2),
    Apex("B₁₂", "B₁", 0.42, 0.28),
    Apex("B₂₁", "B₂", 0.1, 0.22),
    Apex("B₁₁₁", "B₁₁", 0.1, 0.3),
)


def draw_figure2(folder: Path) -> list[Path]:
    """Draw figure 2 as ``figure2.svg`` and ``figure2.png`` in a folder, and say where they are."""
    figure, (left, right) = new_figure(11.6, 6.5, columns=2)
    figure.subplots_adjust(left=0.01, right=0.99, top=0.93, bottom=0.1, wspace=0.02)
    for axes in (left, right):
        draw_disk(axes, room=0.13)
        _draw_forbidden_ball(axes)
    draw_growing_norms(left)
    draw_nested_cones(right)
    _write(
        left,
        "Cones are narrower the nearer their apex is to the border",
        "apex norm ‖x‖ inside, half aperture ψ outside",
    )
    _write(
        right,
        "A cone whose apex lies in another cone lies in it whole",
        "above: apexes on borders, which the cones then share; below: apexes inside",
    )
    figure.text(0.5, 0.012, _caption(), ha="center", fontsize=9.5, color=INK)
    return save_figure(figure, folder / "figure2.svg", folder / "figure2.png", dpi=140)


def _caption() -> str:
    return (
        f"Hyperbolic entailment cones in the Poincaré disk, ψ(x) = arcsin(K (1 − ‖x‖²) / ‖x‖) with K = {K}.  "
        f"Grey: the ball ‖x‖ < ε = {cones.inner_radius(K):.4f}, where no cone is defined."
    )


def _write(axes: Any, title: str, below: str) -> None:
    axes.set_title(title, fontsize=12.5, color=INK, pad=4)
    axes.text(0.5, -0.012, below, transform=axes.transAxes, ha="center", va="top", fontsize=10, color=INK)


def _draw_forbidden_ball(axes: Any) -> None:
    draw_ring(axes, cones.inner_radius(K), facecolor="#d5d9dd", edgecolor="#8b97a3", linewidth=0.7, zorder=1)


def draw_growing_norms(axes: Any) -> None:
    """A cone for each norm, turned so that they lie side by side around the disk."""
    for apex, colour in zip(fanned_out(NORMS), COLOURS, strict=True):
        norm, way = float(np.linalg.norm(apex)), apex / np.linalg.norm(apex)
        draw_cone(axes, apex, K, colour, alpha=0.22, linewidth=1.5)
        axes.plot(*np.stack([0 * apex, apex]).T, color=colour, linewidth=0.7, linestyle=(0, (1.5, 2.5)), zorder=1.5)
        axes.plot(*apex, "o", color=colour, markersize=5, markeredgecolor="white", markeredgewidth=0.8, zorder=5)
        _write_norm(axes, apex, norm)
        text = f"{np.degrees(cones.half_aperture(apex, K)):.1f}°"
        axes.text(*(1.065 * way + (0.035 * way[0], 0)), text, ha="center", va="center", fontsize=9, color=INK)


def _write_norm(axes: Any, apex: Floats, norm: float) -> None:
    # Beside the dot and clear of the spoke; the first one stands so near the origin that it is named from inside.
    way = apex / norm
    aside = np.array([-way[1], way[0]])
    spot = apex + 0.075 * aside - 0.012 * way if norm > 0.15 else apex + 0.1 * way
    style = {"fontsize": 10.5, "fontweight": "bold", "color": INK, "zorder": 6}
    axes.text(*spot, f"{norm:.1f}", ha="center", va="center", **style)


def fanned_out(norms: tuple[float, ...]) -> list[Floats]:
    """An apex of each norm, at directions that leave equal gaps between the cones on the rim; the first points up.

    >>> apexes = fanned_out((0.2, 0.5))
    >>> [float(np.linalg.norm(apex).round(12)) for apex in apexes]
    [0.2, 0.5]
    """
    reaches = np.array([float(caps.cap_radius([norm, 0.0], K)) for norm in norms])
    gap = (2 * np.pi - 2 * reaches.sum()) / len(norms)
    steps = reaches[:-1] + reaches[1:] + gap
    headings = np.pi / 2 - np.concatenate([[0.0], np.cumsum(steps)])
    return [norm * on_circle(heading) for norm, heading in zip(norms, headings, strict=True)]


def draw_nested_cones(axes: Any) -> None:
    """Two families of cones within cones, coloured by generation."""
    for name, apex in nested_apexes():
        generation = len(name) - 1
        draw_cone(axes, apex, K, GENERATIONS[generation], alpha=0.2, linewidth=1.4, zorder=2 + 0.3 * generation)
        colour = GENERATIONS[generation]
        axes.plot(*apex, "o", color=colour, markersize=6, markeredgecolor="white", markeredgewidth=0.9, zorder=6)


def nested_apexes() -> Iterator[tuple[str, Floats]]:
    """The name and the place of every apex of the right panel, parents first.

    >>> places = dict(nested_apexes())
    >>> bool(cones.contains(places["B"], places["B₁₁₁"], K))
    True
    """
    places = dict(FAMILIES)
    yield from places.items()
    for apex in NESTED:
        places[apex.name] = place_of(apex, places[apex.parent])
        yield apex.name, places[apex.name]


def place_of(apex: Apex, parent: Floats) -> Floats:
    """The point on the parent's border, or on the geodesic between the borders, that an apex asks for."""
    if abs(apex.side) == 1:
        outline = cone_outline(parent, K)
        side = geodesics(parent, outline.ends[0] if apex.side < 0 else outline.starts[2])
    else:
        heading, reach = np.arctan2(parent[1], parent[0]), float(caps.cap_radius(parent, K))
        side = geodesics(parent, on_circle(heading + apex.side * reach))
    return np.asarray(side.at(apex.way)[0, 0])
