"""A real browser, models of many kinds, and pages of them opened from the disk."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

import hypercone
from hypercone.data import load_dataset
from hypercone.embedding import Embedding
from hypercone.explorer import write_page

READY = "window.hypercone.ready"
SIZE = {"width": 1280, "height": 800}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; a test that needs it fails where there is none."""
    program = shutil.which("chromium")
    assert program, "there is no chromium here; make browser says how to get it"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


class Opened:
    """A page of a model in the browser, and all that went wrong in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self._heard(message.type, message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def _heard(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"}:
            self.errors.append(text)

    def ask(self, script: str, argument: Any = None) -> Any:
        """What a script in the page returns; ``h`` is window.hypercone."""
        return self.page.evaluate(f"(argument) => {{ const h = window.hypercone; return ({script}); }}", argument)

    def pixel(self, row: int) -> tuple[float, float]:
        """Where a row is drawn, in pixels of the window."""
        spot = self.ask("h.camera.toScreen(h.renderer.scene.x[argument], h.renderer.scene.y[argument])", int(row))
        return self.on_page(spot["x"], spot["y"])

    def on_page(self, x: float, y: float) -> tuple[float, float]:
        """A pixel of the canvas in pixels of the window."""
        box = self.page.locator("#disk").bounding_box()
        assert box
        return box["x"] + x, box["y"] + y

    def centre(self) -> tuple[float, float]:
        """The middle of the disk, in pixels of the window."""
        return self.on_page(*self.ask("[h.camera.originX, h.camera.originY]"))

    def can_be_picked(self) -> list[int]:
        """The rows that a click on their own pixel means, and not a neighbour that covers them."""
        rows: list[int] = self.ask(
            """Array.from({length: h.model.count}, (_, row) => row).filter(row => {
                const spot = h.camera.toScreen(h.renderer.scene.x[row], h.renderer.scene.y[row]);
                return h.renderer.pick(spot.x, spot.y) === row;
            })"""
        )
        return rows

    def settle(self) -> None:
        """Wait until no flight moves the disk and the last frame is drawn."""
        self.until("h.camera.flight === null")
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def until(self, condition: str) -> None:
        """Wait until a condition holds in the page, by a function, for the page forbids to run text as code."""
        self.page.evaluate(
            f"""() => new Promise((done, fail) => {{
                const h = window.hypercone, began = performance.now();
                const look = () => {{
                    if ({condition}) done(true);
                    else if (performance.now() - began > 10_000) fail(new Error("never came true"));
                    else requestAnimationFrame(look);
                }};
                look();
            }})"""
        )


@pytest.fixture(scope="session")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A profile that can reach nothing but the disk and wants no animations, for they take time."""
    opened = browser.new_context(viewport=SIZE, reduced_motion="reduce")
    opened.route("**/*", lambda route: route.continue_() if route.request.url.startswith("file:") else route.abort())
    yield opened
    opened.close()


@pytest.fixture
def show(context: BrowserContext) -> Iterator[Callable[..., Opened]]:
    """Open the page of a file; what the pages said on the console has to be nothing."""
    shown: list[Opened] = []

    def open_page(path: Path, fragment: str = "") -> Opened:
        shown.append(Opened(context.new_page()))
        shown[-1].page.goto(path.as_uri() + fragment)
        shown[-1].page.evaluate(READY)
        shown[-1].settle()
        return shown[-1]

    yield open_page
    for one in shown:
        one.page.close()
    assert [error for one in shown for error in one.errors] == []


@pytest.fixture(scope="session")
def page_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The page of an embedding, written once."""
    folder, written = tmp_path_factory.mktemp("pages"), dict[tuple[int, str], tuple[Embedding, Path]]()

    def write(embedding: Embedding, **options: Any) -> Path:
        key = id(embedding), repr(options)
        if key not in written:
            written[key] = embedding, write_page(embedding, folder / f"{len(written)}.html", **options)
        return written[key][1]

    return write


@pytest.fixture(scope="session")
def mammals() -> Embedding:
    """1,182 nodes in the plane, some with several parents."""
    return hypercone.fit(load_dataset("wordnet-mammals"), method="nested-caps", dim=2)


@pytest.fixture(scope="session")
def nouns() -> Embedding:
    """82,114 nodes in five dimensions."""
    return hypercone.fit(load_dataset("wordnet-nouns"), method="nested-caps", dim=5)
