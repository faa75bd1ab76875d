"""The page opens from the disk or from the service, alone, for any model: large, tiny, without edges, hostile names."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import numpy as np
import pytest
from tests.support.hostile_names import HOSTILE_NAMES

import hypercone
from hypercone.embedding import Embedding
from hypercone.hierarchy.names import Labels
from hypercone.methods import Settings


@pytest.fixture(scope="module")
def hostile() -> Embedding:
    """A star of hostile names, each with another one as its label."""
    star = [[0, row] for row in range(1, len(HOSTILE_NAMES))]
    tree = hypercone.Hierarchy(HOSTILE_NAMES, star, Labels(HOSTILE_NAMES[::-1]))
    return hypercone.fit(tree, method="nested-caps", dim=2)


@pytest.mark.parametrize(
    ("model", "options", "caption"),
    [("mammals", {"title": "Mammals"}, "The model's own points"), ("nouns", {}, "2-D construction")],
)
def test_the_page_opens_from_the_disk_and_requests_nothing_else(model, options, caption, page_of, show, request):
    embedding = request.getfixturevalue(model)
    opened = show(embedding, **options)
    title = options.get("title", f"{len(embedding):,} nodes")
    assert opened.requests == [page_of(embedding, **options).as_uri()]
    assert opened.page.title().startswith(title)
    assert opened.text("h1") == title
    assert opened.find("#notice").is_hidden()
    assert f"{len(embedding):,} nodes" in opened.text("#facts").replace("\xa0", " ")
    assert caption in opened.text("#caption")
    assert opened.ask("h.model.count") == len(embedding)


# Every visible text whose contrast is below 4.5, which WCAG 2.1 AA requires.
FAINT = """(() => {
    const channels = (color) => {
        const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number);
        return color.startsWith("color(srgb") ? [255 * r, 255 * g, 255 * b, a] : [r, g, b, a];
    };
    const luminance = (color) => color.slice(0, 3).map(v => v / 255)
        .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const background = (element) => {
        const layers = [];
        for (let at = element; at; at = at.parentElement)
            layers.unshift(channels(getComputedStyle(at).backgroundColor));
        return layers.reduce((under, [r, g, b, a = 1]) =>
            [r, g, b].map((v, i) => a * v + (1 - a) * under[i]), [255, 255, 255]);
    };
    const contrast = (element) => {
        const colors = [channels(getComputedStyle(element).color), background(element)];
        const [low, high] = colors.map(luminance).sort((one, other) => one - other);
        return (high + 0.05) / (low + 0.05);
    };
    return [...document.querySelectorAll("#app *")]
        .filter(one => [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim()))
        .filter(one => one.checkVisibility() && !one.disabled && contrast(one) < 4.5)
        .map(one => `${one.tagName}.${one.className}: ${contrast(one).toFixed(2)}`);
})()"""


def _assert_theme(opened, theme: str) -> None:
    """The page has the theme, and the disk is drawn on its background."""
    opened.settle()
    assert opened.ask("[h.state.theme, document.documentElement.dataset.theme]") == [theme, theme]
    pixels = "Array.from(h.renderer.canvas.getContext('2d').getImageData(...argument).data)"
    corner = opened.ask(pixels, [2, 2, 1, 1])[:3]
    assert max(corner) < 60 if theme == "dark" else min(corner) > 200
    assert opened.ask(f"new Set({pixels}).size", [0, 0, 900, 700]) > 50


@pytest.mark.parametrize(("scheme", "other"), [("dark", "light"), ("light", "dark")])
def test_the_theme_is_that_of_the_system_until_one_is_chosen_and_every_text_has_contrast(scheme, other, mammals, show):
    opened = show(mammals, "#node=dog.n.01")
    opened.page.emulate_media(color_scheme=scheme)
    opened.until(f"h.state.theme === '{scheme}'")
    _assert_theme(opened, scheme)
    assert opened.ask(FAINT) == []
    opened.button(other.title()).click()
    for system in (other, scheme):
        opened.page.emulate_media(color_scheme=system)
    _assert_theme(opened, other)


def test_hostile_names_are_only_text_and_survive_the_address(hostile, show):
    opened = show(hostile, title="</title><script>window.broken = 1</script>")
    for row, name in enumerate(HOSTILE_NAMES):
        opened.ask("(h.select(argument), h.second((argument + 1) % h.model.count))", row)
        assert opened.find("#details h2").first.text_content() == hostile.display_name(row)
        opened.press("/")
        opened.page.keyboard.insert_text(name[:50])
        assert opened.find("#results [role=option]").count() >= bool(name.strip())
        opened.press("Escape", "Escape", "Escape")
    assert opened.ask("window.broken") is None
    assert opened.find("script").count() == 1
    assert opened.find("img").count() == 0
    assert opened.page.title().startswith("</title>")
    row = HOSTILE_NAMES.index("%00#?/..")
    opened.ask("h.select(argument)", row)
    opened.until("location.hash.includes('node=%2500')")
    assert show(hostile, opened.page.evaluate("location.hash")).selected == row


def test_a_model_of_one_node_can_be_explored(show):
    no_edges = np.empty((0, 2), np.int32)
    opened = show(Embedding(["only"], np.array([[0.5, 0.0]]), "hyperbolic-cones", Settings(), 0.0, edges=no_edges))
    opened.click(0)
    assert opened.selected == 0
    assert opened.ask("Array.from(h.highlighted())") == []
    opened.find("#disk").focus()
    opened.press("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Enter", "0")
    assert opened.selected == 0


def test_a_model_without_edges_is_shown_by_projection(mammals, show):
    bare = Embedding(mammals.names, np.pad(mammals.points, [(0, 0), (0, 2)]), mammals.method, mammals.settings, 0.0)
    opened = show(bare)
    assert "projected" in opened.text("#caption")
    opened.ask("h.select(argument)", bare.row("dog.n.01"))
    assert "Depth" not in opened.text("#details")
    assert opened.button("Edges").is_disabled()


@pytest.mark.parametrize(
    "points", [np.zeros((3, 2)), np.full((3, 2), 0.3), np.array([[1 - 1e-16, 0.0], [0.0, 0.1], [-0.9, 0]])]
)
def test_points_at_one_place_or_at_the_border_are_drawn(points, show):
    edges = np.array([[0, 1], [0, 2]], np.int32)
    opened = show(Embedding(["a", "b", "c"], points, "poincare", Settings(border=0.0), 1.0, edges=edges))
    opened.go_to(1)
    assert opened.selected == 1


def _is_ready(address: str) -> bool:
    try:
        with urlopen(f"{address}/readyz") as answer:
            return bool(answer.status == 200)
    except HTTPError:
        return False


@pytest.fixture
def address(mammals: Embedding, tmp_path: Path) -> Iterator[str]:
    folder = str(mammals.save(tmp_path / "mammals"))
    command = [sys.executable, "-m", "hypercone.cli.main", "serve", folder, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        found = server.stdout.readline().split()[-1]
        while not _is_ready(found):
            time.sleep(0.1)
        yield found
        server.terminate()


def test_the_served_page_runs_under_the_policy_of_its_headers(browser, address, mammals):
    page = browser.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.goto(address)
    page.evaluate("window.hypercone.ready")
    row = mammals.row("dog.n.01")
    found = page.evaluate("(row) => { window.hypercone.select(row); return window.hypercone.highlighted(); }", row)
    page.close()
    assert {mammals.names[one] for one in found} == set(mammals.descendants("dog.n.01"))
    assert messages == []
