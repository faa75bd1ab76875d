"""The page opens from the disk, alone, whatever the model: large, tiny, without edges, with hostile names."""

from __future__ import annotations

import numpy as np
import pytest

import hypercone
from hypercone.embedding import Embedding
from hypercone.explorer import write_page
from hypercone.hierarchy.names import Labels
from hypercone.methods import Settings

HOSTILE = [
    "</script><script>window.broken = 1</script>",
    "<img src=x onerror='window.broken = 1'>",
    "<style>*{display:none}</style>",
    "javascript:window.broken=1//",
    "\"'`${window.broken=1}",
    "\\u003c<!-- --> ]]>",
    "\u2028 and \u2029",
    "&amp;&lt;b&gt;",
    "%00#?/..",
    "__proto__",
    "constructor",
    "🦩 مرحبا \u202e",
    "a" * 3000,
]


@pytest.fixture(scope="module")
def hostile() -> Embedding:
    """A star of names that try to break out, each with another one for its label."""
    tree = hypercone.Hierarchy(HOSTILE, [[0, row] for row in range(1, len(HOSTILE))], Labels(HOSTILE[::-1]))
    return hypercone.fit(tree, method="nested-caps", dim=2)


def test_it_opens_from_the_disk_and_asks_for_nothing_else(mammals, page_of, show):
    path = page_of(mammals, title="Mammals")
    opened = show(path)
    assert opened.requests == [path.as_uri()]
    assert opened.page.title().startswith("Mammals")
    assert opened.page.locator("h1").inner_text() == "Mammals"
    assert opened.page.locator("#notice").is_hidden()
    assert "1,182 nodes" in opened.page.locator("#facts").inner_text().replace("\xa0", " ")
    assert opened.page.locator("#caption").inner_text().startswith("The model's own points")


def test_eighty_thousand_nodes_open_and_say_what_is_drawn(nouns, page_of, show):
    opened = show(page_of(nouns))
    assert opened.requests == [page_of(nouns).as_uri()]
    assert "2-D construction" in opened.page.locator("#caption").inner_text()
    assert opened.ask("h.model.count") == len(nouns)


def test_something_is_drawn_in_both_themes(mammals, page_of, show):
    opened = show(page_of(mammals))
    grounds = []
    for theme in ("Dark", "Light"):
        opened.page.get_by_role("button", name=theme, exact=True).click()
        opened.settle()
        assert opened.ask("document.documentElement.dataset.theme") == theme.lower()
        assert opened.ask("new Set(h.renderer.canvas.getContext('2d').getImageData(0, 0, 900, 700).data).size") > 50
        grounds.append(opened.ask("Array.from(h.renderer.canvas.getContext('2d').getImageData(2, 2, 1, 1).data)"))
    assert max(grounds[0][:3]) < 60
    assert min(grounds[1][:3]) > 200


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_the_theme_is_the_systems_until_one_is_chosen(scheme, mammals, page_of, show):
    opened = show(page_of(mammals))
    opened.page.emulate_media(color_scheme=scheme)
    opened.until(f"h.state.theme === '{scheme}'")
    opened.page.get_by_role("button", name="Light" if scheme == "dark" else "Dark", exact=True).click()
    opened.page.emulate_media(color_scheme="light" if scheme == "dark" else "dark")
    opened.page.emulate_media(color_scheme=scheme)
    opened.settle()
    assert opened.ask("h.state.theme") != scheme


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_text_can_be_read_on_its_ground(theme, mammals, page_of, show):
    """Contrast of at least 4.5 to 1, as WCAG 2.1 AA asks, of every text in sight."""
    opened = show(page_of(mammals), f"#node=dog.n.01&theme={theme}")
    faint = opened.page.evaluate(
        """() => {
            const numbers = (colour) => {
                const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
                return colour.startsWith("color(srgb") ? [255 * r, 255 * g, 255 * b, a] : [r, g, b, a];
            };
            const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
                .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
                .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
            const ground = (element) => {
                const layers = [];
                for (let at = element; at; at = at.parentElement)
                    layers.unshift(numbers(getComputedStyle(at).backgroundColor));
                return layers.reduce((under, [r, g, b, a = 1]) =>
                    [r, g, b].map((v, i) => a * v + (1 - a) * under[i]), [255, 255, 255]);
            };
            const faint = [];
            for (const element of document.querySelectorAll("#app *")) {
                const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
                if (!own || !element.checkVisibility() || element.disabled) continue;
                const one = light(numbers(getComputedStyle(element).color)), other = light(ground(element));
                const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
                if (ratio < 4.5) faint.push(`${element.tagName}.${element.className}: ${ratio.toFixed(2)}`);
            }
            return faint;
        }"""
    )
    assert faint == []


def test_hostile_names_are_only_text(hostile, page_of, show):
    opened = show(page_of(hostile, title="</title><script>window.broken = 1</script>"))
    for row in range(len(HOSTILE)):
        opened.ask("(h.select(argument), h.second((argument + 1) % h.model.count))", row)
        assert opened.page.locator("#details h2").first.text_content() == hostile.called(row)
        opened.page.keyboard.press("/")
        opened.page.keyboard.insert_text(HOSTILE[row][:50])
        assert opened.page.locator("#results [role=option]").count() >= 1
        for _ in range(3):
            opened.page.keyboard.press("Escape")
    assert opened.ask("window.broken") is None
    assert opened.page.locator("script").count() == 1
    assert opened.page.locator("img").count() == 0
    assert opened.page.title().startswith("</title>")


def test_a_hostile_name_survives_the_address(hostile, page_of, show):
    opened = show(page_of(hostile))
    opened.ask("h.select(argument)", HOSTILE.index("%00#?/.."))
    opened.until("location.hash.includes('node=')")
    fragment = opened.page.evaluate("location.hash")
    assert show(page_of(hostile), fragment).ask("h.state.selected") == HOSTILE.index("%00#?/..")


@pytest.mark.parametrize(
    "fragment", ["#node=nobody&at=1,2&theme=pink", "#%E0%A4%A", "#at=1e999,NaN,0,0,0,0", "#&&==&node"]
)
def test_an_address_that_makes_no_sense_shows_the_whole_disk(fragment, mammals, page_of, show):
    opened = show(page_of(mammals), fragment)
    assert opened.ask("h.state.selected") == -1
    cx, cy = opened.ask("h.model.view.center")
    assert opened.ask("h.camera.snapshot()") == {"cx": cx, "cy": cy, "turn": 0, "zoom": 1, "panx": 0, "pany": 0}


def test_one_node_is_a_hierarchy_too(show, tmp_path):
    alone = Embedding(
        ["only"], np.array([[0.5, 0.0]]), "hyperbolic-cones", Settings(), 0.0, edges=np.empty((0, 2), np.int32)
    )
    opened = show(write_page(alone, tmp_path / "one.html"))
    opened.page.mouse.click(*opened.pixel(0))
    assert opened.ask("h.state.selected") == 0
    assert opened.ask("Array.from(h.highlighted())") == []
    opened.page.locator("#disk").focus()
    for key in ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Enter", "0"):
        opened.page.keyboard.press(key)
    assert opened.ask("h.state.selected") == 0


def test_a_model_without_edges_is_shown_by_projection(mammals, show, tmp_path):
    bare = Embedding(mammals.names, np.pad(mammals.points, [(0, 0), (0, 2)]), mammals.method, mammals.settings, 0.0)
    opened = show(write_page(bare, tmp_path / "bare.html"))
    assert "projected" in opened.page.locator("#caption").inner_text()
    opened.ask("h.select(argument)", bare.row("dog.n.01"))
    assert "Depth" not in opened.page.locator("#details").inner_text()
    assert opened.page.get_by_role("button", name="Edges").is_disabled()


@pytest.mark.parametrize(
    "points", [np.zeros((3, 2)), np.full((3, 2), 0.3), np.array([[1 - 1e-16, 0.0], [0.0, 0.1], [-0.9, 0]])]
)
def test_points_in_one_place_or_at_the_border_are_drawn(points, show, tmp_path):
    edges = np.array([[0, 1], [0, 2]], np.int32)
    odd = Embedding(["a", "b", "c"], points, "poincare", Settings(border=0.0), 1.0, edges=edges)
    opened = show(write_page(odd, tmp_path / "odd.html"))
    opened.ask("h.goTo(1)")
    opened.settle()
    assert opened.ask("h.state.selected") == 1
