"""Draw the picture of the README: everyday words in the Poincaré disk, with the cones of three of them shaded.

Run from anywhere, with the ``plot`` extra installed::

    python scripts/make_readme_picture.py            (writes docs/images/cones.png)
    python scripts/make_readme_picture.py out.svg    (any format matplotlib knows)

The points are those of one plain fit in two dimensions; none is moved by hand. Edges are geodesics, and the shaded
regions are the cones of animal, mammal and dog with their true, geodesic sides. Leaves carry their names on the rim.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hypercone
from hypercone.geometry import caps, cones, poincare

# By name, so that types can be checked whether or not the extra is installed.
matplotlib: Any = importlib.import_module("matplotlib")
matplotlib.use("Agg")
plt: Any = importlib.import_module("matplotlib.pyplot")
patches: Any = importlib.import_module("matplotlib.patches")
patheffects: Any = importlib.import_module("matplotlib.patheffects")

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "cones.png"
WORDS = """
animal: mammal bird fish
mammal: dog cat whale
dog: poodle beagle husky
cat: lion siamese
bird: owl penguin
fish: salmon eel
plant: tree flower grass
tree: oak pine maple
oak: cork-oak red-oak
flower: rose lily
grass: wheat bamboo
food: bread cheese soup
bread: baguette rye
cheese: brie gouda
instrument: strings wind drum
strings: violin cello guitar
wind: flute oboe
vehicle: car boat bicycle
boat: canoe ferry
car: taxi van
clothing: shoe hat coat
shoe: boot sandal
hat: beret fez
"""
# A wide cone constant, for cones that can be seen; a wide margin, for siblings that stand apart; and of fourteen seeds
# the one that uses the circle most evenly. Most of them fit every pair, as this one does.
SETTINGS: dict[str, Any] = {
    "dim": 2,
    "seed": 1,
    "K": 0.4,
    "margin": 0.1,
    "push_inside": "both",
    "parent_candidates": "all",
}
SHADED = ("animal", "mammal", "dog")
COLOURS = {
    "animal": "#d1662a",
    "plant": "#2f8f6b",
    "food": "#b0882a",
    "instrument": "#8a5fb0",
    "vehicle": "#3b6fb6",
    "clothing": "#c2496b",
}
INK = "#1f2933"
NAME_GAP = 0.062
HALO = [patheffects.withStroke(linewidth=2.4, foreground="white", alpha=0.85)]

Floats = NDArray[np.float64]


def main() -> None:
    """Fit, draw, write."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    words = hypercone.Hierarchy.from_pairs(pairs_of(WORDS))
    embedding = hypercone.fit(words, **SETTINGS)
    colours = colours_of(words)
    plt.rcParams["svg.hashsalt"] = "hypercone"
    figure, axes = plt.subplots(figsize=(7.6, 7.6))
    draw_disk(axes)
    for name in SHADED:
        draw_cone(axes, embedding, name, colours[words.row(name)])
    draw_edges(axes, words, embedding, colours)
    axes.scatter(*embedding.points.T, s=sizes_of(words), c=colours, edgecolors="white", linewidths=0.5, zorder=4)
    draw_inner_names(axes, words, embedding.points)
    draw_rim_names(axes, words, embedding, colours)
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target, dpi=140, facecolor="white", bbox_inches="tight", pad_inches=0.05)
    print(f"{target.name}: {target.stat().st_size / 1024:.0f} KB, F1 {100 * embedding.record['calibration_f1']:.1f}")


def pairs_of(text: str) -> list[tuple[str, str]]:
    """(parent, child) names of lines like ``parent: child child``."""
    lines = [line.split(":") for line in text.strip().splitlines()]
    return [(parent, child) for parent, children in lines for child in children.split()]


def colours_of(words: hypercone.Hierarchy) -> list[str]:
    """The colour of each node: that of the root above it."""
    roots = [words.names[root] for root in words.root_rows]
    below = {row: name for name in roots for row in [words.row(name), *words.descendants_of(words.row(name))]}
    return [COLOURS[below[row]] for row in range(len(words))]


def sizes_of(words: hypercone.Hierarchy) -> Floats:
    """Dots, larger for nodes with more below them."""
    below = np.array([len(words.descendants_of(row)) for row in range(len(words))])
    return np.asarray(14 + 16 * np.sqrt(below))


def draw_disk(axes: Any) -> None:
    """The border of hyperbolic space, with room for names around it."""
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_xlim(-1.32, 1.32)
    axes.set_ylim(-1.32, 1.32)
    axes.add_patch(patches.Circle((0, 0), 1, facecolor="#fafaf7", edgecolor="#9aa5b1", linewidth=1.2, zorder=0))


def draw_cone(axes: Any, embedding: hypercone.Embedding, name: str, colour: str) -> None:
    """The region behind a node, from its apex along two geodesics to the border of the disk."""
    outline = cone_outline(embedding[name], embedding.settings.K)
    axes.add_patch(patches.Polygon(outline, closed=True, facecolor=colour, alpha=0.15, linewidth=0, zorder=1))
    axes.plot(*outline.T, color=colour, linewidth=1.1, alpha=0.8, zorder=2)


def cone_outline(apex: Floats, K: float) -> Floats:
    """The border of a cone: out along one side, along the rim, back along the other."""
    opening = float(cones.half_aperture(apex, K))
    reach = float(caps.cap_radius(apex, K))
    heading = float(np.arctan2(apex[1], apex[0]))
    times = np.linspace(0, 12, 160)
    left, right = (poincare.geodesic(apex, on_circle(heading + turn), times) for turn in (-opening, opening))
    rim = on_circle(np.linspace(heading - reach, heading + reach, 80))
    return np.concatenate([left, rim, right[::-1]])


def on_circle(angle: Any) -> Floats:
    """The unit vector of an angle, or of many."""
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def draw_edges(axes: Any, words: hypercone.Hierarchy, embedding: hypercone.Embedding, colours: list[str]) -> None:
    """Each edge as the geodesic between its ends."""
    times = np.linspace(0, 1, 40)
    for parent, child in words.reduction():
        path = poincare.geodesic_between(embedding.points[parent], embedding.points[child], times)
        axes.plot(*path.T, color=colours[child], linewidth=1.0, alpha=0.7, zorder=3)


def draw_inner_names(axes: Any, words: hypercone.Hierarchy, points: Floats) -> None:
    """The names of nodes with children, each on that side of its dot where there is most room."""
    taken = np.concatenate([points, midpoints(words, points)])
    for row in sorted(
        set(range(len(words))) - set(words.leaf_rows.tolist()), key=lambda row: row not in words.root_rows
    ):
        name, is_root = words.names[row], row in words.root_rows
        size = 11.5 if is_root else 9.0
        spots = [spot_beside(points[row], angle, len(name), size) for angle in np.radians(range(0, 360, 30))]
        best = max(spots, key=lambda spot: room_around(spot, taken))
        taken = np.concatenate([taken, best])
        axes.text(
            *best.mean(axis=0),
            name,
            ha="center",
            va="center",
            fontsize=size,
            fontweight="bold" if is_root else "normal",
            color=INK,
            zorder=6,
            path_effects=HALO,
        )


def midpoints(words: hypercone.Hierarchy, points: Floats) -> Floats:
    """Places on the edges, which names should not cover either."""
    ends = points[words.edges]
    return np.concatenate([(1 - t) * ends[:, 0] + t * ends[:, 1] for t in (0.25, 0.5, 0.75)])


def spot_beside(point: Floats, angle: float, letters: int, size: float) -> Floats:
    """Five places along a name that is written beside a dot, in a direction from it."""
    half_width, half_height = 0.0031 * size * letters / 2 + 0.012, 0.0028 * size
    centre = point + on_circle(angle) * (half_width + 0.02, half_height + 0.02)
    return np.asarray(centre + np.linspace(-half_width, half_width, 5)[:, None] * (1.0, 0.0))


def room_around(spot: Floats, taken: Floats) -> float:
    """The distance from a name to the nearest thing drawn; across it counts more, for names are flat."""
    apart = np.abs(spot[:, None] - taken[None]) * (1.0, 1.6)
    return float(np.linalg.norm(apart, axis=-1).min())


def draw_rim_names(axes: Any, words: hypercone.Hierarchy, embedding: hypercone.Embedding, colours: list[str]) -> None:
    """The names of the leaves around the disk, each on a thin line to its dot."""
    points = embedding.points[words.leaf_rows]
    angles = np.arctan2(points[:, 1], points[:, 0])
    placed = spread(angles, NAME_GAP)
    for row, point, angle in zip(words.leaf_rows, points, placed, strict=True):
        path = np.stack([point, 0.985 * on_circle(angle), 1.03 * on_circle(angle)])
        axes.plot(*path.T, color=colours[row], linewidth=0.5, alpha=0.45, zorder=2.5, solid_joinstyle="round")
        turned = np.cos(angle) < 0
        axes.text(
            *(1.045 * on_circle(angle)),
            words.names[row],
            rotation=np.degrees(angle) + (180 if turned else 0),
            rotation_mode="anchor",
            ha="right" if turned else "left",
            va="center",
            fontsize=9,
            color=INK,
        )


def spread(angles: Floats, gap: float) -> Floats:
    """The angles, moved as little as a few rounds of pushing need so that neighbours are a gap apart."""
    order = np.argsort(angles)
    placed = angles[order]
    for _ in range(2000):
        following = np.roll(placed, -1)
        following[-1] += 2 * np.pi
        push = np.maximum(0.0, gap - (following - placed)) / 2
        placed += np.roll(push, 1) - push
    result = np.empty_like(placed)
    result[order] = placed
    return result


if __name__ == "__main__":
    main()
