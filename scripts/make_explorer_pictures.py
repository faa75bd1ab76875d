"""Take the pictures of the explorer for the pages, in a real browser.

Run from anywhere, with the ``dev`` extra and a chromium on the path::

    python scripts/make_explorer_pictures.py                 (writes docs/images/explorer-*.png)
    python scripts/make_explorer_pictures.py --hpo hp.obo    (and one of the Human Phenotype Ontology)

What is on a picture is what the page shows: a node is selected through the address, and nothing is drawn afterwards.
Colours are reduced to a palette, so that a picture loads at once.
"""

from __future__ import annotations

import argparse
import importlib
import io
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hypercone
from hypercone.data import load_dataset
from hypercone.embedding import Embedding
from hypercone.explorer import write_page

PICTURES = Path(__file__).parent.parent / "docs" / "images"
SIZE = {"width": 1280, "height": 800}
COLOURS = 255
# By name, so that types can be checked whether or not these are installed.
playwright: Any = importlib.import_module("playwright.sync_api")
images: Any = importlib.import_module("PIL.Image")


@dataclass(frozen=True)
class Picture:
    """What to show: a model under a title, a node of it to select, on a dark or a light ground."""

    name: str
    embedding: Embedding
    title: str
    node: str
    theme: str


def pictures(hpo: Path | None) -> Iterator[Picture]:
    """The pictures, each model fitted when its turn comes."""
    nouns = hypercone.fit(load_dataset("wordnet-nouns"), method="nested-caps", dim=5)
    yield Picture("explorer-nouns", nouns, "WordNet nouns", "animal.n.01", "dark")
    mammals = hypercone.fit(load_dataset("wordnet-mammals"), method="nested-caps", dim=2)
    yield Picture("explorer-mammals", mammals, "WordNet mammals", "carnivore.n.01", "light")
    if hpo:
        phenotypes = hypercone.fit(hypercone.read(hpo), method="nested-caps", dim=5)
        yield Picture("explorer-hpo", phenotypes, "Human Phenotype Ontology", "HP:0001626", "light")


def take(browser: Any, picture: Picture, folder: Path) -> bytes:
    """The picture as PNG, as the browser takes it."""
    path = write_page(picture.embedding, folder / f"{picture.name}.html", title=picture.title)
    page = browser.new_page(viewport=SIZE, color_scheme=picture.theme)
    page.goto(f"{path.as_uri()}#node={picture.node}&theme={picture.theme}")
    page.evaluate("window.hypercone.ready")
    # Until whatever moves has come to rest.
    page.wait_for_timeout(1500)
    taken: bytes = page.screenshot()
    page.close()
    return taken


def reduced(content: bytes) -> bytes:
    """The same picture in a palette that keeps rare colours, with soft shadows by dithering."""
    picture = images.open(io.BytesIO(content)).convert("RGB")
    palette = picture.quantize(COLOURS, method=images.Quantize.FASTOCTREE)
    written = io.BytesIO()
    picture.quantize(palette=palette, dither=images.Dither.FLOYDSTEINBERG).save(written, "PNG", optimize=True)
    return written.getvalue()


def main() -> None:
    """Take them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hpo", type=Path, help="hp.obo, for a picture of phenotypes")
    parser.add_argument("-o", "--output", type=Path, default=PICTURES, help="the folder to write to")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for picture in pictures(options.hpo):
            content = reduced(take(browser, picture, Path(folder)))
            (options.output / f"{picture.name}.png").write_bytes(content)
            print(f"{picture.name}.png: {len(content) / 1024:.0f} KB")
        browser.close()


if __name__ == "__main__":
    main()
