"""Draw the pictures of docs/explanation/how-good-are-cones.md.

    python scripts/make_how_good_pictures.py benchmarks/results/how_good.json

Needs the extra ``plot``. One shows how often wrong pairs of each kind are called true; the other shows the caps of the
same small hierarchy, kept apart and overlapping.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

import numpy as np

from hypercone import Hierarchy, fit
from hypercone.geometry import caps
from hypercone.plotting.canvas import INK, matplotlib_module, new_figure, save_figure

KINDS = ("siblings", "cousins", "parents_siblings", "reversed")
IMAGES = Path(__file__).parent.parent / "docs" / "images"
WAYS = {"paper recipe": "#b0413e", "strict learner": "#d9a441", "forest": "#6b8f71", "overlapping": "#33658a"}
# Pet, goldfish, parrot and salmon have two parents: no forest can hold them all.
SMALL = [
    ("animal", "fish"),
    ("animal", "bird"),
    ("animal", "pet"),
    ("possession", "pet"),
    ("food", "fish dish"),
    ("fish", "goldfish"),
    ("pet", "goldfish"),
    ("bird", "parrot"),
    ("pet", "parrot"),
    ("food", "salmon"),
    ("fish", "salmon"),
]


def draw_wrong_pairs(rows: list[dict[str, Any]], hierarchy: str, dim: int) -> Any:
    """How often each kind of wrong pair is called true, for each way to make cones."""
    figure, (axes,) = new_figure(7.5, 3.6)
    for place, (way, colour) in enumerate(WAYS.items()):
        heights = [100 * value for value in _rates(rows, hierarchy, way, dim)]
        at = np.arange(len(heights)) + (place - 1.5) * 0.2
        axes.bar(at, heights, 0.19, color=colour, label=way)
        for x, height in zip(at, heights, strict=True):
            axes.text(x, height, f"{height:.2g}", ha="center", va="bottom", fontsize=6, color=INK)
    axes.set_xticks(range(len(KINDS) + 1), ["random", *(kind.replace("_", " ") for kind in KINDS)])
    axes.set_ylabel("called true, %")
    axes.set_title(f"Wrong pairs of {hierarchy}, d = {dim}, 50 % column", fontsize=10, color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    return figure


def _rates(rows: list[dict[str, Any]], hierarchy: str, way: str, dim: int) -> list[float]:
    wanted = (hierarchy, way, dim, 50)
    of_it = [r for r in rows if (r["hierarchy"], r["way"], r["dim"], r["percent"]) == wanted and "hard" in r]
    everywhere = [row["all_pairs"]["false_positives"] / row["all_pairs"]["negatives"] for row in of_it]
    kinds = [[row["hard"]["kinds"][kind]["rate"] for row in of_it] for kind in KINDS]
    return [statistics.fmean(values) for values in (everywhere, *kinds)]


def draw_caps() -> Any:
    """The caps on the sphere of three dimensions, seen from outside its middle, as circles."""
    figure, both = new_figure(8.4, 4.4, columns=2)
    hierarchy = Hierarchy.from_pairs(SMALL)
    for axes, method in zip(both, ("construction", "overlapping"), strict=True):
        embedding = fit(hierarchy, method=method, dim=3)
        found = embedding.record
        centres, radii = circles(embedding.points, embedding.settings.K)
        _draw_circles(axes, hierarchy, centres, radii)
        title = f"{method}: precision {100 * found['precision']:.0f}, recall {100 * found['recall']:.0f}"
        axes.set_title(title, fontsize=10, color=INK)
    figure.tight_layout()
    return figure


def circles(points: Any, K: float) -> tuple[Any, Any]:
    """Caps around (1, 0, 0) as circles in the plane, by stereographic projection."""
    directions = points / np.linalg.norm(points, axis=1, keepdims=True)
    angles = caps.cap_radius(points, K)
    polar = np.arccos(np.clip(directions[:, 0], -1, 1))
    near, far = np.tan((polar - angles) / 2), np.tan((polar + angles) / 2)
    aside = directions[:, 1:] / np.maximum(np.linalg.norm(directions[:, 1:], axis=1, keepdims=True), 1e-12)
    return aside * ((near + far) / 2)[:, None], (far - near) / 2


def _draw_circles(axes: Any, hierarchy: Hierarchy, centres: Any, radii: Any) -> None:
    axes.set_aspect("equal")
    axes.set_axis_off()
    circle = matplotlib_module("patches").Circle
    low, high = (centres - radii[:, None]).min(axis=0), (centres + radii[:, None]).max(axis=0)
    middle, reach = (low + high) / 2, 0.53 * (high - low).max()
    for row in np.argsort(-radii):
        inner = bool(len(hierarchy.child_lists[row]))
        colour = "#33658a" if inner else "#b0413e"
        shown = max(radii[row], 0.012 * reach)
        axes.add_patch(circle(centres[row], shown, facecolor=colour, alpha=0.1 if inner else 0.45, edgecolor="none"))
        axes.add_patch(circle(centres[row], shown, facecolor="none", edgecolor=colour, linewidth=0.8))
        # A leaf's name stands in its cap if there is room, every other just above the edge.
        is_roomy = not inner and shown > 0.05 * reach
        place = centres[row] + np.array([0, 0 if is_roomy else shown + 0.01 * reach])
        style = {"va": "center" if is_roomy else "bottom", "fontsize": 7, "color": INK}
        axes.text(*place, hierarchy.names[row], ha="center", **style)
    axes.set_xlim(middle[0] - reach, middle[0] + reach)
    axes.set_ylim(middle[1] - reach, middle[1] + 1.1 * reach)


def main() -> None:
    """Draw both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    rows = json.loads(parser.parse_args().results.read_text())["rows"]
    save_figure(draw_wrong_pairs(rows, "HPO", 10), IMAGES / "wrong-pairs.png", dpi=130)
    save_figure(draw_caps(), IMAGES / "caps-apart-and-overlapping.png", dpi=130)


if __name__ == "__main__":
    main()
