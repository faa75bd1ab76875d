"""Draw the pictures of docs/how-to/draw-pictures.md: what ``hypercone plot`` makes of WordNet.

Run from anywhere, with the ``plot`` extra installed; it takes about a minute::

    python scripts/make_plot_pictures.py            (writes docs/images/plot-*.png)
    python scripts/make_plot_pictures.py folder     (writes them there)

Nothing is drawn by hand: each picture is one call of ``Embedding.plot``.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path
from typing import Any

import hypercone
from hypercone.plotting.canvas import save_figure

# By name, so that types can be checked whether or not the extra is installed.
images: Any = importlib.import_module("PIL.Image")

FOLDER = Path(__file__).parent.parent / "docs" / "images"
MAX_COVERAGE, COMMON = 1, 176
DPI = 110


def main() -> None:
    """Fit, draw, write."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    mammals = hypercone.load_dataset("wordnet-mammals")
    constructed = hypercone.fit(mammals)
    write(folder / "plot-mammals.png", constructed.plot())
    recentred = constructed.plot(cones=["carnivore.n.01", "dog.n.01"], center="dog.n.01")
    write(folder / "plot-recentred.png", recentred)
    nouns = hypercone.fit(hypercone.load_dataset("wordnet-nouns"), method="nested-caps", dim=5)
    write(folder / "plot-nouns.png", nouns.plot(theme="dark"))
    learned = hypercone.fit(mammals, split=mammals.split(50))
    kinds = ("training", "precision-recall", "norms")
    write(folder / "plot-curves.png", *(learned.plot(kind) for kind in kinds))


def write(target: Path, *figures: Any) -> None:
    """The figures side by side as one PNG of few colours, no more than a page can load at once."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{number}.png" for number in range(len(figures))]
        for file, figure in zip(files, figures, strict=True):
            save_figure(figure, file, dpi=DPI, colors=0)
        parts = [images.open(file).convert("RGB") for file in files]
    sheet = images.new("RGB", (sum(part.width for part in parts), parts[0].height))
    for number, part in enumerate(parts):
        sheet.paste(part, (sum(other.width for other in parts[:number]), 0))
    lighter(sheet).save(target, optimize=True)
    print(f"{target.name}: {target.stat().st_size / 1024:.0f} KB, {sheet.width} × {sheet.height}")


def lighter(picture: Any) -> Any:
    """The picture in 256 colours: most of them by how often they occur, the rest so that rare hues keep their own."""
    often, rare = picture.quantize(COMMON), picture.quantize(256 - COMMON, method=MAX_COVERAGE)
    palette = images.new("P", (1, 1))
    palette.putpalette(often.getpalette()[: 3 * COMMON] + rare.getpalette()[: 3 * (256 - COMMON)])
    return picture.quantize(palette=palette, dither=0)


if __name__ == "__main__":
    main()
