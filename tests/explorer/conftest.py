"""A real browser, models of several kinds, and their pages opened from the disk."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, sync_playwright

import hypercone
from hypercone.data import load_dataset
from hypercone.embedding import Embedding
from hypercone.explorer import write_page

SIZE = {"width": 1280, "height": 800}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; a test that needs it fails if there is none."""
    program = shutil.which("chromium")
    assert program, "there is no chromium here; make browser says how to get it"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


class OpenPage:
    """The page of a model in the browser, and every error, warning and request in it."""

    def __init__(self, page: Page) -> None:
        self.page, self.find, self.wait = page, page.locator, page.wait_for_timeout
        self.errors: list[str] = []
        self.requests: list[str] = []
        bad = {"error", "warning"}
        page.on("console", lambda message: self.errors.extend([message.text] if message.type in bad else []))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def ask(self, script: str, argument: Any = None) -> Any:
        """The value of a script in the page; ``h`` is window.hypercone."""
        return self.page.evaluate(f"(argument) => {{ const h = window.hypercone; return ({script}); }}", argument)

    @property
    def selected(self) -> int:
        return int(self.ask("h.state.selected"))

    @property
    def focused(self) -> str:
        """The id of the focused element, or its text."""
        return str(self.page.evaluate("document.activeElement.id || document.activeElement.innerText.trim()"))

    def text(self, selector: str) -> str:
        return self.find(selector).inner_text()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def click(self, row: int) -> None:
        self.page.mouse.click(*self.pixel(row))

    def go_to(self, row: int) -> None:
        """Select a row and wait until it is in the center."""
        self.ask("h.goTo(argument)", int(row))
        self.settle()

    def pixel(self, row: int) -> tuple[float, float]:
        """Where a row is drawn, in pixels of the window."""
        spot = self.ask("h.camera.toScreen(h.renderer.scene.x[argument], h.renderer.scene.y[argument])", int(row))
        return self.on_page(spot["x"], spot["y"])

    def on_page(self, x: float, y: float) -> tuple[float, float]:
        """A pixel of the canvas in pixels of the window."""
        box = self.box("#disk")
        return box["x"] + x, box["y"] + y

    def box(self, selector: str) -> dict[str, Any]:
        """The box of an element in pixels of the window."""
        box = self.find(selector).bounding_box()
        assert box
        return dict(box)

    def center(self) -> tuple[float, float]:
        """The center of the disk, in pixels of the window."""
        return self.on_page(*self.ask("[h.camera.originX, h.camera.originY]"))

    def pickable(self) -> list[int]:
        """The rows that a click on their own pixel selects, which no other dot covers."""
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
        """Wait for a condition in the page, in a function, because the policy of the page forbids eval."""
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
    """A profile that can only read local files, and has no animations because they take time."""
    created = browser.new_context(viewport=SIZE, reduced_motion="reduce")
    created.route("**/*", lambda route: route.continue_() if route.request.url.startswith("file:") else route.abort())
    yield created
    created.close()


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


@pytest.fixture
def show(context: BrowserContext, page_of: Callable[..., Path]) -> Iterator[Callable[..., OpenPage]]:
    """Open the page of an embedding; at the end no page may have logged an error or a warning."""
    shown: list[OpenPage] = []

    def open_page(embedding: Embedding, fragment: str = "", **options: Any) -> OpenPage:
        shown.append(OpenPage(context.new_page()))
        shown[-1].page.goto(page_of(embedding, **options).as_uri() + fragment)
        shown[-1].page.evaluate("window.hypercone.ready")
        shown[-1].settle()
        return shown[-1]

    yield open_page
    for one in shown:
        one.page.close()
    assert [error for one in shown for error in one.errors] == []


@pytest.fixture(scope="session")
def tree() -> Embedding:
    """A tree of forty nodes, which are well apart."""
    return hypercone.fit(load_dataset("tree-3-3"), method="nested-caps", dim=2)


@pytest.fixture(scope="session")
def learned() -> Callable[[str], Embedding]:
    """A model of each method of forty nodes, some with two parents, after too few epochs, so that it makes mistakes.

    One of their edges follows from others.
    """
    tree, made = load_dataset("tree-3-3"), dict[str, Embedding]()
    again = [["r.0.0", "r.1.0.0"], ["r.1", "r.2.2"], ["r.0.1", "r.2.0.1"], ["r.2.1", "r.0.2.2"], ["r", "r.0.0"]]
    more = [[tree.row(parent), tree.row(child)] for parent, child in again]
    graph = hypercone.Hierarchy(tree.names, np.concatenate([tree.edges, np.array(more, np.int32)]))

    def model(method: str) -> Embedding:
        if method not in made:
            made[method] = hypercone.fit(graph, method=method, dim=2, epochs=20, init_epochs=20, seed=3)
        return made[method]

    return model


@pytest.fixture(scope="session")
def mammals() -> Embedding:
    """1,182 nodes in the plane, some with several parents."""
    return hypercone.fit(load_dataset("wordnet-mammals"), method="nested-caps", dim=2)


@pytest.fixture(scope="session")
def nouns() -> Embedding:
    """82,114 nodes in five dimensions."""
    return hypercone.fit(load_dataset("wordnet-nouns"), method="nested-caps", dim=5)
