"""The explorer in a real browser: size of the page, time to load, time of a click, frames per second while moving.

WordNet nouns, 82,114 of them, in Chromium without a window and without a graphics card. A mouse button is held through
the browser's own input; then the page gets a movement, or a turn of the wheel, before every frame, so that every frame
has to be drawn anew. Intervals are those between the calls of requestAnimationFrame, so 16.7 ms is the best possible;
"draw" is the time that the page itself spends on a frame. Times include whatever else the machine is doing, so the load
average is recorded too.

    pip install playwright          (it drives the chromium of the system; nothing else is downloaded)
    python -m benchmarks explorer -o FILE --also hp.obo
"""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tools.results import Row, markdown_table

import hypercone
from benchmarks.support import import_package
from hypercone.data import load_dataset
from hypercone.embedding import Embedding
from hypercone.explorer import explorer_page, write_page
from hypercone.methods import Settings

KEY = ("measure", "model", "width", "height")
SMOKE = {"dataset": "tree-3-3", "dims": [2], "sizes": ["640x480"], "seconds": 0.2}
SMALLEST = "one node"
# One frame is drawn when the next but one begins.
DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
SELECT = """(root) => {
  window.hypercone.select(-1);
  const before = performance.now();
  window.hypercone.select(root);
  return performance.now() - before;
}"""
# Moves before every frame, and records the times of the frames and how often the view had changed.
MOVE = """([what, seconds, x, y, reach]) => new Promise(done => {
  const {camera} = window.hypercone, canvas = document.querySelector("#disk");
  const seen = {times: [], moved: 0};
  let version = camera.version;
  const to = (share) => {
    const turn = 4 * Math.PI * share;
    const at = {clientX: x + reach * Math.sin(turn), clientY: y + reach / 2 * Math.sin(2 * turn), bubbles: true};
    if (what === "drag") canvas.dispatchEvent(new PointerEvent("pointermove", {...at, pointerId: 1, buttons: 1}));
    else canvas.dispatchEvent(new WheelEvent("wheel", {clientX: x, clientY: y, deltaY: share < 0.5 ? -8 : 8}));
  };
  const frame = (now) => {
    seen.times.push(now);
    seen.moved += camera.version !== version;
    version = camera.version;
    const share = (now - seen.times[0]) / 1000 / seconds;
    if (share >= 1) return done({...seen, drawn: window.hypercone.drawTimes()});
    to(share);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", default="wordnet-nouns")
    parser.add_argument("--dims", nargs="+", type=int, default=[5, 10], help="the first one is shown (default: 5 10)")
    parser.add_argument("--also", nargs="*", type=Path, default=[], help="files of hierarchies, for the size of a page")
    parser.add_argument("--sizes", nargs="+", default=["1280x800", "1920x1080"], metavar="WIDTHxHEIGHT")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each movement (default %(default)s)")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    models = [SMALLEST, "wordnet-mammals, 2-D", *(f"{options.dataset}, {dim}-D" for dim in options.dims)]
    for model in [*models, *(f"{path.stem}, 5-D" for path in options.also)]:
        yield {"measure": "size", "model": model}
    for size in options.sizes:
        width, height = map(int, size.split("x"))
        shown = {"measure": "movement", "model": f"{options.dataset}, {options.dims[0]}-D"}
        yield shown | {"width": width, "height": height, "seconds": options.seconds}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    """The size of a page, or the times of one in a window of some size."""
    embedding = model_of(settings["model"], options)
    if settings["measure"] == "size":
        return [{"nodes": len(embedding), "bytes": len(explorer_page(embedding).encode())}]
    playwright: Any = import_package("playwright.sync_api")
    hierarchy = load_dataset(options.dataset)
    root = max(hierarchy.root_rows.tolist(), key=lambda row: len(hierarchy.descendants_of(row)))
    path = write_page(embedding, options.scratch / "page.html", title=options.dataset)
    about: Row = {"load_average": os.getloadavg()[0]}
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        about["browser"] = f"Chromium {browser.version}, headless"
        times = measure(browser, path, root, settings["width"], settings["height"], options.seconds)
        browser.close()
    return [about | times]


def model_of(name: str, options: argparse.Namespace) -> Embedding:
    """A construction, from the name of its row."""
    if name == SMALLEST:
        return Embedding(["a"], np.array([[0.5, 0.0]]), "hyperbolic-cones", Settings(), 0.0)
    source, dim = name.removesuffix("-D").rsplit(", ", 1)
    files = {path.stem: path for path in options.also}
    hierarchy = hypercone.read(files[source]) if source in files else load_dataset(source)
    return hypercone.fit(hierarchy, method="nested-caps", dim=int(dim))


def measure(browser: Any, path: Path, root: int, width: int, height: int, seconds: float) -> Row:
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(path.as_uri())
    row: Row = {"load_ms": round(page.evaluate(f"window.hypercone.ready.then(() => {DRAWN})"))}
    row["select_root_ms"] = round(float(np.median([page.evaluate(SELECT, root) for _ in range(9)])), 1)
    moved = movements(page, width, height, seconds)
    row |= {f"{name}_with_the_root_selected": frames for name, frames in moved.items()}
    page.evaluate("window.hypercone.select(-1)")
    row |= movements(page, width, height, seconds)
    page.close()
    return row


def movements(page: Any, width: int, height: int, seconds: float) -> Row:
    place = 0.4 * width, 0.5 * height, 0.25 * height
    page.mouse.move(*place[:2])
    page.mouse.down()
    found = {"drag": frames_of(page, "drag", seconds, *place)}
    page.mouse.up()
    return found | {"wheel": frames_of(page, "wheel", seconds, *place)}


def frames_of(page: Any, what: str, seconds: float, x: float, y: float, reach: float) -> Row:
    seen = page.evaluate(MOVE, [what, seconds, x, y, reach])
    times = seen["times"]
    return {
        "frames": len(times) - 1,
        "frames_that_moved": seen["moved"],
        "frames_per_second": round(1000 * (len(times) - 1) / (times[-1] - times[0]), 1),
        "interval": percentiles(np.diff(times).tolist()),
        "draw": percentiles(seen["drawn"][-seen["moved"] :]),
    }


def percentiles(times: list[float]) -> dict[str, float]:
    return {"median_ms": round(float(np.median(times)), 2), "p95_ms": round(float(np.percentile(times, 95)), 2)}


def tables(rows: list[Row]) -> dict[str, str]:
    """The sizes of pages, and the times of one."""
    pages = [(row["model"], f"{row['nodes']:,}", f"{row['bytes'] / 1e6:.2f}") for row in rows if "bytes" in row]
    head = ("window", "load, ms", "click, ms", "drag, frames/s", "drag, draw ms", "wheel, frames/s", "wheel, draw ms")
    times = []
    for row in rows:
        if "width" in row:
            moved = [row[what] for what in ("drag", "wheel")]
            frames = [value for one in moved for value in (one["frames_per_second"], one["draw"]["median_ms"])]
            times.append((f"{row['width']} × {row['height']}", row["load_ms"], row["select_root_ms"], *frames))
    sizes = markdown_table(("model", "nodes", "page, MB"), pages, right=("nodes", "page, MB"))
    return {"": f"{sizes}\n{markdown_table(head, times, right=head[1:])}"}
