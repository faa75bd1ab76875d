"""The address restores the view, reports names that it cannot find, and Back goes from node to node."""

from __future__ import annotations

import numpy as np
import pytest

import hypercone

WRITTEN = 450  # milliseconds after which the address follows the view


@pytest.fixture(scope="module")
def labeled() -> hypercone.Embedding:
    """Codes as names; two labels differ only in case."""
    names, labels = ["N:1", "N:2", "N:3", "N:4"], ["Signs", "Arrhythmia", "Murmur", "murmur"]
    return hypercone.fit(hypercone.Hierarchy(names, [[0, 1], [0, 2], [0, 3]], labels), method="nested-caps", dim=2)


def _name(opened) -> str | None:
    return opened.ask("h.model.names[h.state.selected] ?? null")


def test_the_address_restores_the_view_in_a_new_page(mammals, show):
    first = show(mammals)
    first.go_to(mammals.row("dog.n.01"))
    first.ask("h.second(argument)", mammals.row("poodle.n.01"))
    first.page.mouse.move(*first.center())
    first.page.mouse.wheel(0, -300)
    first.button("Edges").click()
    first.button("Light").or_(first.button("Dark")).click()
    first.settle()
    first.until("location.hash.includes('hide=edges') && location.hash.includes('theme=')")
    first.wait(400)
    second = show(mammals, first.page.evaluate("location.hash"))
    for what in ("selected", "second", "showEdges", "showCones", "showLabels", "theme"):
        assert second.ask(f"h.state.{what}") == first.ask(f"h.state.{what}")
    assert second.ask("h.camera.snapshot()") == pytest.approx(first.ask("h.camera.snapshot()"), rel=1e-4, abs=1e-5)
    for row in np.random.default_rng(0).choice(len(mammals), 10):
        assert second.pixel(row) == pytest.approx(first.pixel(row), abs=0.5)


def test_a_node_selected_in_the_overview_is_restored_in_the_overview(tree, show):
    first = show(tree)
    first.press("0")
    first.settle()
    row = next(row for row in first.pickable() if tree.hierarchy.depths[row] == 2)
    first.click(row)
    first.wait(WRITTEN)
    assert "at=" in first.page.evaluate("location.hash")
    second = show(tree, first.page.evaluate("location.hash"))
    assert second.selected == row
    assert second.ask("h.camera.snapshot()") == pytest.approx(first.ask("h.camera.snapshot()"), abs=1e-5)


@pytest.mark.parametrize("fragment", ["#node=N%3A2", "#node=Arrhythmia", "#node=arrhythmia", "#node=n%3A2"])
def test_a_node_is_found_by_name_or_label_in_the_address(fragment, labeled, show):
    opened = show(labeled, fragment)
    assert _name(opened) == "N:2"
    assert opened.find("#notice").is_hidden()


@pytest.mark.parametrize(
    ("fragment", "message"),
    [
        ("#node=HP%3A9999999", "No such node: HP:9999999"),
        ("#node=N%3A1&with=nobody", "No such node: nobody"),
        ("#node=MURMUR", "2 nodes are called MURMUR"),
        ("#node=%3Cb%3Ex", "No such node: <b>x"),
    ],
)
def test_an_address_without_such_a_node_shows_a_message_until_one_is_selected(fragment, message, labeled, show):
    opened = show(labeled, fragment)
    notice = opened.find("#notice")
    assert notice.is_visible()
    assert message in notice.inner_text()
    opened.click(2)
    assert _name(opened) == "N:3"
    assert notice.is_hidden()


@pytest.mark.parametrize(
    "fragment", ["#node=nobody&at=1,2&theme=pink", "#%E0%A4%A", "#at=1e999,NaN,0,0,0,0", "#&&==&node"]
)
def test_an_invalid_address_shows_the_whole_disk(fragment, mammals, show):
    opened = show(mammals, fragment)
    assert opened.selected == -1
    cx, cy = opened.ask("h.model.view.center")
    assert opened.ask("h.camera.snapshot()") == {"cx": cx, "cy": cy, "turn": 0, "zoom": 1, "panx": 0, "pany": 0}


def test_back_and_forward_go_from_node_to_node_and_ignore_movements(tree, show):
    opened = show(tree)
    rows = opened.pickable()[1:3]
    for row in rows:
        opened.click(row)
        for keys in ("", "l+", "0"):
            opened.press(*keys)
            opened.wait(WRITTEN)
    for row in (rows[0], -1):
        opened.page.go_back()
        opened.until(f"h.state.selected === {row}")
        opened.wait(WRITTEN)
        assert opened.selected == row
    for row in rows:
        opened.page.go_forward()
        opened.until(f"h.state.selected === {row}")


def test_back_restores_the_camera_too(tree, show):
    opened = show(tree)
    opened.go_to(5)
    opened.wait(WRITTEN)
    before = opened.ask("h.camera.snapshot()")
    opened.go_to(20)
    opened.wait(WRITTEN)
    opened.page.go_back()
    opened.until("h.state.selected === 5")
    opened.settle()
    assert opened.ask("h.camera.snapshot()") == pytest.approx(before, abs=1e-5)
