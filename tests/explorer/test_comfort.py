"""Small courtesies: focus, tips, the way back when lost, and windows that are low."""

from __future__ import annotations

import pytest

import hypercone
from hypercone.data import load_dataset


@pytest.fixture(scope="module")
def tree() -> hypercone.Embedding:
    """A tree of forty."""
    return hypercone.fit(load_dataset("tree-3-3"), method="nested-caps", dim=2)


def _focus(opened) -> str:
    return opened.page.evaluate("document.activeElement.id || document.activeElement.innerText.trim()")


def test_after_a_click_on_a_tool_the_arrow_keys_walk_the_disk(tree, page_of, show):
    opened = show(page_of(tree))
    opened.page.get_by_role("button", name="Overview").click()
    assert _focus(opened) == "disk"
    opened.page.keyboard.press("ArrowDown")
    assert opened.ask("h.state.selected") in tree.hierarchy.root_rows
    opened.page.get_by_role("button", name="Help").click()
    opened.page.keyboard.press("Escape")
    assert _focus(opened) == "disk"


def test_a_tool_pressed_by_key_keeps_the_focus(tree, page_of, show):
    opened = show(page_of(tree))
    opened.page.get_by_role("button", name="Edges").focus()
    opened.page.keyboard.press("Enter")
    assert opened.ask("h.state.showEdges") is False
    assert _focus(opened) == "Edges"


def test_the_tip_goes_when_its_node_has_gone(tree, page_of, show):
    opened = show(page_of(tree))
    row = next(row for row in opened.can_be_picked() if tree.hierarchy.depths[row] == 2)
    x, y = opened.pixel(row)
    tip = opened.page.locator("#tip")
    opened.page.mouse.move(x + 6, y + 6)
    assert tree.names[row] in tip.inner_text()
    for _ in range(6):
        opened.page.mouse.wheel(0, -300)
    opened.until("h.camera.zoom > 3")
    opened.page.wait_for_timeout(250)
    box = opened.page.locator("#disk").bounding_box()
    under = opened.ask("h.renderer.pick(...argument)", [x + 6 - box["x"], y + 6 - box["y"]])
    assert under != row
    assert opened.ask("h.state.hovered") == under
    assert tip.is_hidden() if under < 0 else tree.names[under] in tip.inner_text()


def test_the_tip_stays_with_a_node_that_stays_under_the_pointer(tree, page_of, show):
    opened = show(page_of(tree))
    row = next(row for row in opened.can_be_picked() if tree.hierarchy.depths[row] == 1)
    opened.page.mouse.move(*map(round, opened.pixel(row)))
    opened.page.mouse.wheel(0, -200)
    opened.until("h.camera.zoom > 1.1")
    opened.page.wait_for_timeout(250)
    assert tree.names[row] in opened.page.locator("#tip").inner_text()


def test_overview_calls_when_nothing_is_in_sight_and_only_then(tree, page_of, show):
    opened = show(page_of(tree))
    overview = opened.page.get_by_role("button", name="Overview")
    assert "attention" not in (overview.get_attribute("class") or "")
    x, y = opened.centre()
    for _ in range(12):
        opened.page.mouse.move(x - 250, y)
        opened.page.mouse.down()
        opened.page.mouse.move(x + 250, y, steps=3)
        opened.page.mouse.up()
    opened.page.wait_for_timeout(250)
    assert "attention" in (overview.get_attribute("class") or "")
    overview.click()
    opened.settle()
    opened.page.wait_for_timeout(250)
    assert "attention" not in (overview.get_attribute("class") or "")


@pytest.mark.parametrize(("width", "height"), [(500, 300), (844, 390)])
def test_on_a_low_window_nothing_lies_over_the_disk(width, height, mammals, page_of, show):
    opened = show(page_of(mammals, title="A title that is rather long"))
    opened.page.set_viewport_size({"width": width, "height": height})
    opened.page.wait_for_timeout(200)
    x, y = opened.centre()
    radius = opened.ask("h.camera.radius")
    assert radius > 0.3 * height
    for part in ("#title", "#query", "#tools", "#panel"):
        box = opened.page.locator(part).bounding_box()
        assert 0 <= box["x"] <= width - box["width"], part
        assert 0 <= box["y"] <= height - box["height"], part
        apart = (
            max(box["x"] - x, 0, x - box["x"] - box["width"]),
            max(box["y"] - y, 0, y - box["y"] - box["height"]),
        )
        assert apart[0] ** 2 + apart[1] ** 2 >= radius**2, part
    assert opened.page.locator("#caption").is_hidden()
    assert opened.page.locator("#facts").is_hidden()
    rows = opened.page.locator("#tools button").evaluate_all(
        "all => new Set(all.map(one => Math.round(one.getBoundingClientRect().y))).size"
    )
    assert rows == 1
