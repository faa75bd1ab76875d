"""The explorer in a real browser: size of the page, time to load, time of a click, frames a second while moving.

    pip install playwright          (it drives the chromium of the system; nothing else is downloaded)
    python benchmarks/explorer.py -o benchmarks/results/explorer.json --also hp.obo

The nouns of WordNet, 82,114 of them, in Chromium without a window and without a graphics card. A button of the mouse is
held through the browser's own input; then the page is told of a movement, or of a turn of the wheel, before every
frame, so that every frame has to be drawn anew. Intervals are those between the calls of requestAnimationFrame, so
16.7 ms is the best there is; "draw" is the time the page itself spends on a frame. Times include whatever else the
machine is doing, so the load average stands beside them.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import hypercone
from hypercone._system import describe_machine
from hypercone.data import load_dataset
from hypercone.embedding import Embedding
from hypercone.explorer import explorer_page, write_page
from hypercone.methods import Settings

SIZES = ((1280, 800), (1920, 1080))
SECONDS = 4.0
# One frame is drawn when the next but one begins.
DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
SELECT = """(root) => {
  window.hypercone.select(-1);
  const before = performance.now();
  window.hypercone.select(root);
  return performance.now() - before;
}"""
# Moves before every frame, and notes when the frames came and how often the view had changed since the last.
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


def models(also: list[Path]) -> dict[str, Embedding]:
    """Constructions of WordNet in several dimensions, and of other files."""
    made = {"wordnet-mammals, 2-D": hypercone.fit(load_dataset("wordnet-mammals"), method="nested-caps", dim=2)}
    nouns = load_dataset("wordnet-nouns")
    for dim in (5, 10):
        made[f"wordnet-nouns, {dim}-D"] = hypercone.fit(nouns, method="nested-caps", dim=dim)
    for path in also:
        made[f"{path.stem}, 5-D"] = hypercone.fit(hypercone.read(path), method="nested-caps", dim=5)
    return made


def sizes(made: dict[str, Embedding]) -> list[dict[str, Any]]:
    smallest = Embedding(["a"], np.array([[0.5, 0.0]]), "hyperbolic-cones", Settings(), 0.0)
    return [
        {"model": name, "nodes": len(embedding), "bytes": len(explorer_page(embedding).encode())}
        for name, embedding in ({"one node": smallest} | made).items()
    ]


def percentiles(times: list[float]) -> dict[str, float]:
    return {"median_ms": round(float(np.median(times)), 2), "p95_ms": round(float(np.percentile(times, 95)), 2)}


def moving(page: Any, what: str, x: float, y: float, reach: float) -> dict[str, Any]:
    seen = page.evaluate(MOVE, [what, SECONDS, x, y, reach])
    times = seen["times"]
    return {
        "frames": len(times) - 1,
        "frames_that_moved": seen["moved"],
        "frames_per_second": round(1000 * (len(times) - 1) / (times[-1] - times[0]), 1),
        "interval": percentiles(np.diff(times).tolist()),
        "draw": percentiles(seen["drawn"][-seen["moved"] :]),
    }


def measure(browser: Any, path: Path, root: int, width: int, height: int) -> dict[str, Any]:
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(path.as_uri())
    row: dict[str, Any] = {"width": width, "height": height}
    row["load_ms"] = round(page.evaluate(f"window.hypercone.ready.then(() => {DRAWN})"))
    row["select_root_ms"] = round(float(np.median([page.evaluate(SELECT, root) for _ in range(9)])), 1)
    row |= {f"{name}_with_the_root_selected": frames for name, frames in movements(page, width, height).items()}
    page.evaluate("window.hypercone.select(-1)")
    row |= movements(page, width, height)
    page.close()
    return row


def movements(page: Any, width: int, height: int) -> dict[str, Any]:
    place = 0.4 * width, 0.5 * height, 0.25 * height
    page.mouse.move(*place[:2])
    page.mouse.down()
    found = {"drag": moving(page, "drag", *place)}
    page.mouse.up()
    return found | {"wheel": moving(page, "wheel", *place)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--also", nargs="*", type=Path, default=[], help="files of hierarchies, for the size of a page")
    parser.add_argument("-o", "--output", type=Path, help="the JSON file to write")
    options = parser.parse_args()
    made = models(options.also)
    content: dict[str, Any] = {"machine": describe_machine(), "load_average": os.getloadavg()[0], "pages": sizes(made)}
    # By name, so that types can be checked whether or not it is installed.
    playwright: Any = importlib.import_module("playwright.sync_api")
    with tempfile.TemporaryDirectory() as folder, playwright.sync_playwright() as driver:
        nouns, words = made["wordnet-nouns, 5-D"], load_dataset("wordnet-nouns")
        root = max(words.root_rows.tolist(), key=lambda row: len(words.descendants_of(row)))
        path = write_page(nouns, Path(folder) / "nouns.html", title="WordNet nouns")
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        content["browser"] = f"Chromium {browser.version}, headless"
        content["nouns"] = [measure(browser, path, root, *size) for size in SIZES]
        browser.close()
    print(json.dumps(content, indent=1))
    if options.output:
        options.output.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
