"""Make the pictures of the README and of the docs.

    python scripts/make_pictures.py readme              (docs/images/cones.png)
    python scripts/make_pictures.py plots               (plot-*.png, by Embedding.plot)
    python scripts/make_pictures.py how-good            (negative-pairs.png and caps-apart-and-overlapping.png)
    python scripts/make_pictures.py explorer            (explorer-*.png, in a real browser)
    python scripts/make_pictures.py explorer --hpo hp.obo

Needs the ``plot`` extra; the pictures of the explorer also need playwright and chromium. Nothing is drawn by hand: the
points of each picture are those of one fit. ``-o`` writes to another folder.
"""

from __future__ import annotations

import argparse
import importlib
import io
import json
import shutil
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hypercone
from hypercone import Embedding, Hierarchy
from hypercone.explorer import write_page
from hypercone.geometry import caps, cones, poincare
from hypercone.plotting.canvas import INK, new_figure, save_figure

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
HOW_GOOD = ROOT / "benchmarks" / "results" / "how_good.json"
Floats = NDArray[np.float64]

# The picture of the README: everyday words, one line per parent.
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
# A large K, for cones that can be seen; a wide margin, for siblings that are apart; and of fourteen seeds the one that
# uses the circle most evenly. Most of them fit every pair, as this one does.
SETTINGS: dict[str, Any] = {
    "method": "hyperbolic-cones",
    "dim": 2,
    "seed": 1,
    "K": 0.4,
    "margin": 0.1,
    "push_inside": "both",
    "parent_candidates": "all",
}
SHADED = ("animal", "mammal", "dog")
COLORS = {
    "animal": "#d1662a",
    "plant": "#2f8f6b",
    "food": "#b0882a",
    "instrument": "#8a5fb0",
    "vehicle": "#3b6fb6",
    "clothing": "#c2496b",
}
README_INK = "#1f2933"
NAME_GAP = 0.062

# The pictures of plots are reduced to 256 colors: the most frequent ones, and some for rare hues.
PLOT_DPI, MAX_COVERAGE, FREQUENT = 110, 1, 176

# The pictures of how good cones are.
KINDS = ("siblings", "cousins", "parents_siblings", "reversed")
WAYS = {"paper recipe": "#b0413e", "strict learner": "#d9a441", "forest": "#6b8f71", "overlapping": "#33658a"}
# Pet, goldfish, parrot and salmon have two parents: no forest contains all edges.
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

# The pictures of the explorer.
WINDOW, EXPLORER_COLORS = {"width": 1280, "height": 800}, 255


def matplotlib_module(name: str) -> Any:
    """A module of matplotlib, by name so that types can be checked without it."""
    return importlib.import_module(f"matplotlib.{name}")


def make_readme_picture(folder: Path, options: argparse.Namespace) -> None:
    """Words in the Poincaré disk, with three cones shaded; edges and the sides of cones are geodesics."""
    words = Hierarchy.from_pairs(pairs_of(WORDS))
    embedding = hypercone.fit(words, **SETTINGS)
    colors = colors_of(words)
    figure, axes = matplotlib_module("pyplot").subplots(figsize=(7.6, 7.6))
    draw_disk(axes)
    for name in SHADED:
        draw_cone(axes, embedding, name, colors[words.row(name)])
    draw_edges(axes, words, embedding, colors)
    axes.scatter(*embedding.points.T, s=sizes_of(words), c=colors, edgecolors="white", linewidths=0.5, zorder=4)
    draw_inner_names(axes, words, embedding.points)
    draw_rim_names(axes, words, embedding, colors)
    figure.savefig(folder / "cones.png", dpi=140, facecolor="white", bbox_inches="tight", pad_inches=0.05)


def pairs_of(text: str) -> list[tuple[str, str]]:
    """(parent, child) names of lines like ``parent: child child``."""
    lines = [line.split(":") for line in text.strip().splitlines()]
    return [(parent, child) for parent, children in lines for child in children.split()]


def colors_of(words: Hierarchy) -> list[str]:
    """The color of each node: that of its root."""
    roots = [words.names[root] for root in words.root_rows]
    below = {row: name for name in roots for row in [words.row(name), *words.descendants_of(words.row(name))]}
    return [COLORS[below[row]] for row in range(len(words))]


def sizes_of(words: Hierarchy) -> Floats:
    """Dots, larger for nodes with more below them."""
    below = np.array([len(words.descendants_of(row)) for row in range(len(words))])
    return np.asarray(14 + 16 * np.sqrt(below))


def draw_disk(axes: Any) -> None:
    """The border of hyperbolic space, with a margin for names."""
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_xlim(-1.32, 1.32)
    axes.set_ylim(-1.32, 1.32)
    border = {"facecolor": "#fafaf7", "edgecolor": "#9aa5b1", "linewidth": 1.2, "zorder": 0}
    axes.add_patch(matplotlib_module("patches").Circle((0, 0), 1, **border))


def draw_cone(axes: Any, embedding: Embedding, name: str, color: str) -> None:
    """The region behind a node, from its apex along two geodesics to the border of the disk."""
    outline = cone_outline(embedding[name], embedding.settings.K)
    axes.add_patch(
        matplotlib_module("patches").Polygon(outline, closed=True, facecolor=color, alpha=0.15, linewidth=0, zorder=1)
    )
    axes.plot(*outline.T, color=color, linewidth=1.1, alpha=0.8, zorder=2)


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


def draw_edges(axes: Any, words: Hierarchy, embedding: Embedding, colors: list[str]) -> None:
    """Each edge as the geodesic between its ends."""
    times = np.linspace(0, 1, 40)
    for parent, child in words.reduction():
        path = poincare.geodesic_between(embedding.points[parent], embedding.points[child], times)
        axes.plot(*path.T, color=colors[child], linewidth=1.0, alpha=0.7, zorder=3)


def draw_inner_names(axes: Any, words: Hierarchy, points: Floats) -> None:
    """The names of nodes with children, each on the side of its dot with the most space."""
    halo = matplotlib_module("patheffects").withStroke(linewidth=2.4, foreground="white", alpha=0.85)
    taken = np.concatenate([points, midpoints(words, points)])
    for row in sorted(
        set(range(len(words))) - set(words.leaf_rows.tolist()), key=lambda row: row not in words.root_rows
    ):
        name, is_root = words.names[row], row in words.root_rows
        size = 11.5 if is_root else 9.0
        spots = [spot_beside(points[row], angle, len(name), size) for angle in np.radians(range(0, 360, 30))]
        best = max(spots, key=lambda spot: space_around(spot, taken))
        taken = np.concatenate([taken, best])
        axes.text(
            *best.mean(axis=0),
            name,
            ha="center",
            va="center",
            fontsize=size,
            fontweight="bold" if is_root else "normal",
            color=README_INK,
            zorder=6,
            path_effects=[halo],
        )


def midpoints(words: Hierarchy, points: Floats) -> Floats:
    """Points on the edges, which names should not cover."""
    ends = points[words.edges]
    return np.concatenate([(1 - t) * ends[:, 0] + t * ends[:, 1] for t in (0.25, 0.5, 0.75)])


def spot_beside(point: Floats, angle: float, letters: int, size: float) -> Floats:
    """Five points along a name that is written beside a dot, in some direction from it."""
    half_width, half_height = 0.0031 * size * letters / 2 + 0.012, 0.0028 * size
    center = point + on_circle(angle) * (half_width + 0.02, half_height + 0.02)
    return np.asarray(center + np.linspace(-half_width, half_width, 5)[:, None] * (1.0, 0.0))


def space_around(spot: Floats, taken: Floats) -> float:
    """The distance from a name to the nearest point; vertical distance counts more, because names are flat."""
    apart = np.abs(spot[:, None] - taken[None]) * (1.0, 1.6)
    return float(np.linalg.norm(apart, axis=-1).min())


def draw_rim_names(axes: Any, words: Hierarchy, embedding: Embedding, colors: list[str]) -> None:
    """The names of the leaves around the disk, each connected to its dot by a thin line."""
    points = embedding.points[words.leaf_rows]
    angles = np.arctan2(points[:, 1], points[:, 0])
    placed = spread(angles, NAME_GAP)
    for row, point, angle in zip(words.leaf_rows, points, placed, strict=True):
        path = np.stack([point, 0.985 * on_circle(angle), 1.03 * on_circle(angle)])
        axes.plot(*path.T, color=colors[row], linewidth=0.5, alpha=0.45, zorder=2.5, solid_joinstyle="round")
        turned = np.cos(angle) < 0
        axes.text(
            *(1.045 * on_circle(angle)),
            words.names[row],
            rotation=np.degrees(angle) + (180 if turned else 0),
            rotation_mode="anchor",
            ha="right" if turned else "left",
            va="center",
            fontsize=9,
            color=README_INK,
        )


def spread(angles: Floats, gap: float) -> Floats:
    """The angles, pushed apart until adjacent ones differ by a gap, and moved as little as possible."""
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


def make_plots(folder: Path, options: argparse.Namespace) -> None:
    """What ``hypercone plot`` makes of WordNet."""
    mammals = hypercone.load_dataset("wordnet-mammals")
    constructed = hypercone.fit(mammals)
    write_plots(folder / "plot-mammals.png", constructed.plot())
    around_dog = constructed.plot(cones=["carnivore.n.01", "dog.n.01"], center="dog.n.01")
    write_plots(folder / "plot-recentered.png", around_dog)
    nouns = hypercone.fit(hypercone.load_dataset("wordnet-nouns"), method="nested-caps", dim=5)
    write_plots(folder / "plot-nouns.png", nouns.plot(theme="dark"))
    learned = hypercone.fit(mammals, split=mammals.split(50))
    kinds = ("training", "precision-recall", "norms")
    write_plots(folder / "plot-curves.png", *(learned.plot(kind) for kind in kinds))


def write_plots(target: Path, *figures: Any) -> None:
    """Write the figures side by side as one PNG of few colors, which loads quickly."""
    images: Any = importlib.import_module("PIL.Image")
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{number}.png" for number in range(len(figures))]
        for file, figure in zip(files, figures, strict=True):
            figure.savefig(file, dpi=PLOT_DPI)
        parts = [images.open(file).convert("RGB") for file in files]
    sheet = images.new("RGB", (sum(part.width for part in parts), parts[0].height))
    for number, part in enumerate(parts):
        sheet.paste(part, (sum(other.width for other in parts[:number]), 0))
    frequent, rare = sheet.quantize(FREQUENT), sheet.quantize(256 - FREQUENT, method=MAX_COVERAGE)
    palette = images.new("P", (1, 1))
    palette.putpalette(frequent.getpalette()[: 3 * FREQUENT] + rare.getpalette()[: 3 * (256 - FREQUENT)])
    sheet.quantize(palette=palette, dither=0).save(target, optimize=True)


def make_how_good_pictures(folder: Path, options: argparse.Namespace) -> None:
    """How often negative pairs of each kind are called true, and caps apart and overlapping."""
    rows = json.loads(HOW_GOOD.read_text(encoding="utf-8"))["results"]
    save_figure(draw_negative_pairs(rows, "HPO", 10), folder / "negative-pairs.png", dpi=130)
    save_figure(draw_caps(), folder / "caps-apart-and-overlapping.png", dpi=130)


def draw_negative_pairs(rows: list[dict[str, Any]], hierarchy: str, dim: int) -> Any:
    """How often each kind of negative pair is called true, for each way to make cones."""
    figure, (axes,) = new_figure(7.5, 3.6)
    for place, (way, color) in enumerate(WAYS.items()):
        heights = [100 * value for value in _rates(rows, hierarchy, way, dim)]
        at = np.arange(len(heights)) + (place - 1.5) * 0.2
        axes.bar(at, heights, 0.19, color=color, label=way)
        for x, height in zip(at, heights, strict=True):
            axes.text(x, height, f"{height:.2g}", ha="center", va="bottom", fontsize=6, color=INK)
    axes.set_xticks(range(len(KINDS) + 1), ["random", *(kind.replace("_", " ") for kind in KINDS)])
    axes.set_ylabel("called true, %")
    axes.set_title(f"Negative pairs of {hierarchy}, d = {dim}, 50 % column", fontsize=10, color=INK)
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
    """The caps on the sphere in three dimensions, as circles in the plane."""
    figure, both = new_figure(8.4, 4.4, columns=2)
    hierarchy = Hierarchy.from_pairs(SMALL)
    for axes, method in zip(both, ("nested-caps", "overlapping-caps"), strict=True):
        embedding = hypercone.fit(hierarchy, method=method, dim=3)
        found = embedding.record
        centers, radii = circles(embedding.points, embedding.settings.K)
        _draw_circles(axes, hierarchy, centers, radii)
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


def _draw_circles(axes: Any, hierarchy: Hierarchy, centers: Any, radii: Any) -> None:
    axes.set_aspect("equal")
    axes.set_axis_off()
    circle = matplotlib_module("patches").Circle
    low, high = (centers - radii[:, None]).min(axis=0), (centers + radii[:, None]).max(axis=0)
    middle, reach = (low + high) / 2, 0.53 * (high - low).max()
    for row in np.argsort(-radii):
        inner = bool(len(hierarchy.child_lists[row]))
        color = "#33658a" if inner else "#b0413e"
        shown = max(radii[row], 0.012 * reach)
        axes.add_patch(circle(centers[row], shown, facecolor=color, alpha=0.1 if inner else 0.45, edgecolor="none"))
        axes.add_patch(circle(centers[row], shown, facecolor="none", edgecolor=color, linewidth=0.8))
        # The name of a wide leaf is inside its cap, every other just above the edge.
        is_wide = not inner and shown > 0.05 * reach
        place = centers[row] + np.array([0, 0 if is_wide else shown + 0.01 * reach])
        style = {"va": "center" if is_wide else "bottom", "fontsize": 7, "color": INK}
        axes.text(*place, hierarchy.names[row], ha="center", **style)
    axes.set_xlim(middle[0] - reach, middle[0] + reach)
    axes.set_ylim(middle[1] - reach, middle[1] + 1.1 * reach)


def make_explorer_pictures(folder: Path, options: argparse.Namespace) -> None:
    """What the page shows after a node was selected through the address; nothing is drawn afterwards."""
    playwright: Any = importlib.import_module("playwright.sync_api")
    load = hypercone.load_dataset
    shown: list[tuple[str, Callable[[], Hierarchy], int, str, str, str]] = [
        ("explorer-nouns", lambda: load("wordnet-nouns"), 5, "WordNet nouns", "animal.n.01", "dark"),
        ("explorer-mammals", lambda: load("wordnet-mammals"), 2, "WordNet mammals", "carnivore.n.01", "light"),
    ]
    if options.hpo:
        title = "Human Phenotype Ontology"
        shown.append(("explorer-hpo", lambda: hypercone.read(options.hpo), 5, title, "HP:0001626", "light"))
    with tempfile.TemporaryDirectory() as pages, playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, read, dim, title, node, theme in shown:
            embedding = hypercone.fit(read(), method="nested-caps", dim=dim)
            path = write_page(embedding, Path(pages) / f"{name}.html", title=title)
            taken = take_picture(browser, f"{path.as_uri()}#node={node}&theme={theme}", theme)
            (folder / f"{name}.png").write_bytes(reduce_colors(taken))
        browser.close()


def take_picture(browser: Any, address: str, theme: str) -> bytes:
    """The page as PNG, as the browser takes it."""
    page = browser.new_page(viewport=WINDOW, color_scheme=theme)
    page.goto(address)
    page.evaluate("window.hypercone.ready")
    # Until all movement has ended.
    page.wait_for_timeout(1500)
    taken: bytes = page.screenshot()
    page.close()
    return taken


def reduce_colors(content: bytes) -> bytes:
    """The same picture with a palette that preserves rare colors, and soft shadows by dithering."""
    images: Any = importlib.import_module("PIL.Image")
    picture = images.open(io.BytesIO(content)).convert("RGB")
    palette = picture.quantize(EXPLORER_COLORS, method=images.Quantize.FASTOCTREE)
    written = io.BytesIO()
    picture.quantize(palette=palette, dither=images.Dither.FLOYDSTEINBERG).save(written, "PNG", optimize=True)
    return written.getvalue()


MAKERS: dict[str, Callable[[Path, argparse.Namespace], None]] = {
    "readme": make_readme_picture,
    "plots": make_plots,
    "how-good": make_how_good_pictures,
    "explorer": make_explorer_pictures,
}


def parser_of_options() -> argparse.ArgumentParser:
    """The parser of the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", choices=MAKERS, metavar="NAME", help=f"any of {', '.join(MAKERS)}")
    parser.add_argument("-o", "--output", type=Path, default=IMAGES, help="the folder to write to")
    parser.add_argument("--hpo", type=Path, help="hp.obo, for a picture of phenotypes in the explorer")
    return parser


def main() -> None:
    """Make the pictures that were named."""
    options = parser_of_options().parse_args()
    importlib.import_module("matplotlib").use("Agg")
    options.output.mkdir(parents=True, exist_ok=True)
    for name in options.names:
        MAKERS[name](options.output, options)


if __name__ == "__main__":
    main()
