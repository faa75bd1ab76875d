"""Dragging is a translation, the wheel zooms, a double click recentres, and the address brings the view back."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hypercone
from hypercone.data import load_dataset


@pytest.fixture(scope="module")
def tree() -> hypercone.Embedding:
    """A tree of forty, whose nodes lie well apart."""
    return hypercone.fit(load_dataset("tree-3-3"), method="nested-caps", dim=2)


def _hyperbolic(one, other) -> float:
    """The distance of two points of the disk."""
    apart = math.dist(one, other) ** 2
    return math.acosh(1 + 2 * apart / (1 - math.hypot(*one) ** 2) / (1 - math.hypot(*other) ** 2))


def _shown(opened, row) -> tuple[float, float]:
    """Where a row is in the disk as it is shown."""
    spot = opened.ask(
        """(() => {
            const {x, y} = h.camera.toScreen(h.renderer.scene.x[argument], h.renderer.scene.y[argument]);
            return h.camera.toDisk(x, y);
        })()""",
        row,
    )
    return spot["x"], spot["y"]


def test_a_click_on_a_node_selects_it(tree, page_of, show):
    opened = show(page_of(tree))
    rows = opened.can_be_picked()
    assert len(rows) >= 30
    for row in rows:
        opened.page.mouse.click(*opened.pixel(row))
        assert opened.ask("h.state.selected") == row


def test_a_click_on_the_ground_changes_nothing(tree, page_of, show):
    opened = show(page_of(tree))
    opened.ask("h.select(3)")
    opened.page.mouse.click(*opened.on_page(5, 300))
    assert opened.ask("h.state.selected") == 3


def test_hovering_shows_name_depth_and_aperture(tree, page_of, show):
    opened = show(page_of(tree))
    row = next(row for row in opened.can_be_picked() if tree.hierarchy.depths[row] == 2)
    opened.page.mouse.move(*opened.pixel(row))
    tip = opened.page.locator("#tip").inner_text()
    degrees = math.degrees(float(hypercone.geometry.cones.half_aperture(tree.points[row], tree.settings.K)))
    assert tree.names[row] in tip
    assert "depth 2" in tip
    assert f"{degrees:.2f}°" in tip
    opened.page.mouse.move(*opened.on_page(5, 300))
    assert opened.page.locator("#tip").is_hidden()


def test_a_double_click_brings_the_node_to_the_middle_by_animation(tree, page_of, show):
    opened = show(page_of(tree))
    opened.page.emulate_media(reduced_motion="no-preference")
    row = max(opened.can_be_picked(), key=lambda row: math.dist(opened.pixel(row), opened.centre()))
    far = math.dist(opened.pixel(row), opened.centre())
    opened.page.mouse.dblclick(*opened.pixel(row))
    on_the_way = [math.dist(opened.pixel(row), opened.centre()) for _ in range(5)]
    opened.settle()
    assert opened.pixel(row) == pytest.approx(opened.centre(), abs=0.5)
    assert any(1 < distance < far for distance in on_the_way)


def test_a_drag_moves_the_grabbed_point_with_the_cursor_and_keeps_distances(tree, page_of, show):
    opened = show(page_of(tree))
    rows = opened.can_be_picked()[:4]
    before = [_hyperbolic(_shown(opened, rows[0]), _shown(opened, row)) for row in rows[1:]]
    x, y = opened.pixel(rows[0])
    opened.page.mouse.move(x, y)
    opened.page.mouse.down()
    for step in range(1, 9):
        to = x + 12 * step, y - 7 * step
        opened.page.mouse.move(*to)
        if step > 1:
            assert opened.pixel(rows[0]) == pytest.approx(to, abs=1.5)
    opened.page.mouse.up()
    assert opened.ask("h.state.selected") == -1
    after = [_hyperbolic(_shown(opened, rows[0]), _shown(opened, row)) for row in rows[1:]]
    assert after == pytest.approx(before, rel=1e-6)
    assert opened.ask("h.camera.zoom") == 1


def test_the_wheel_zooms_about_the_cursor(tree, page_of, show):
    opened = show(page_of(tree))
    # A wheel is told of in whole pixels.
    x, y = 400, 300
    opened.page.mouse.move(*opened.on_page(x, y))
    under = opened.ask("h.camera.toDisk(...argument)", [x, y])
    for _ in range(5):
        opened.page.mouse.wheel(0, -240)
    opened.until("h.camera.zoom > 1.5")
    assert opened.ask("h.camera.toDisk(...argument)", [x, y]) == pytest.approx(under, abs=1e-9)
    for _ in range(12):
        opened.page.mouse.wheel(0, 240)
    opened.until("h.camera.zoom < 1")


def test_zero_and_overview_show_the_whole_disk_again(tree, page_of, show):
    opened = show(page_of(tree))
    for way in ("key", "button"):
        opened.ask("h.goTo(7)")
        opened.settle()
        opened.ask("h.camera.zoomAt(300, 300, 3)")
        if way == "key":
            opened.page.keyboard.press("0")
        else:
            opened.page.get_by_role("button", name="Overview").click()
        opened.settle()
        place = opened.ask("h.camera.snapshot()")
        centre = opened.ask("h.model.view.center")
        assert [place["cx"], place["cy"], place["zoom"]] == pytest.approx([*centre, 1], abs=1e-9)


def test_the_address_restores_the_view_in_a_new_page(mammals, page_of, show):
    first = show(page_of(mammals))
    first.ask("h.goTo(argument)", mammals.row("dog.n.01"))
    first.settle()
    first.ask("h.second(argument)", mammals.row("poodle.n.01"))
    first.page.mouse.move(*first.centre())
    first.page.mouse.wheel(0, -300)
    first.page.get_by_role("button", name="Edges").click()
    first.page.get_by_role("button", name="Light", exact=True).or_(
        first.page.get_by_role("button", name="Dark", exact=True)
    ).click()
    first.settle()
    first.until("location.hash.includes('hide=edges') && location.hash.includes('theme=')")
    first.page.wait_for_timeout(400)
    second = show(page_of(mammals), first.page.evaluate("location.hash"))
    for what in ("selected", "second", "showEdges", "showCones", "showLabels", "theme"):
        assert second.ask(f"h.state.{what}") == first.ask(f"h.state.{what}")
    assert second.ask("h.camera.snapshot()") == pytest.approx(first.ask("h.camera.snapshot()"), rel=1e-4, abs=1e-5)
    for row in np.random.default_rng(0).choice(len(mammals), 10):
        assert second.pixel(row) == pytest.approx(first.pixel(row), abs=0.5)


@pytest.mark.parametrize(
    ("button", "key", "state"),
    [("Cones", "c", "showCones"), ("Edges", "g", "showEdges"), ("Labels", "l", "showLabels")],
)
def test_toggles_change_the_picture_and_change_it_back(button, key, state, tree, page_of, show):
    opened = show(page_of(tree))
    opened.ask("h.select(1)")
    opened.settle()
    picture = "h.renderer.canvas.toDataURL()"
    before = opened.ask(picture)
    toggle = opened.page.get_by_role("button", name=button)
    assert toggle.get_attribute("aria-pressed") == "true"
    toggle.click()
    opened.page.mouse.move(2, 2)
    opened.settle()
    assert toggle.get_attribute("aria-pressed") == "false"
    assert opened.ask(f"h.state.{state}") is False
    assert opened.ask(picture) != before
    opened.page.locator("#disk").focus()
    opened.page.keyboard.press(key)
    opened.settle()
    assert toggle.get_attribute("aria-pressed") == "true"
    assert opened.ask(picture) == before


def _overlaps(boxes) -> list[tuple[str, str]]:
    return [
        (one["text"], other["text"])
        for place, one in enumerate(boxes)
        for other in boxes[:place]
        if one["x"] < other["x"] + other["width"]
        and other["x"] < one["x"] + one["width"]
        and one["y"] < other["y"] + other["height"]
        and other["y"] < one["y"] + one["height"]
    ]


@pytest.mark.parametrize("model", ["mammals", "nouns"])
def test_labels_never_overlap(model, request, page_of, show):
    embedding = request.getfixturevalue(model)
    opened = show(page_of(embedding))
    seen = 0
    for row in [None, *np.random.default_rng(4).choice(len(embedding), 6).tolist()]:
        if row is not None:
            opened.ask("h.goTo(argument)", row)
            opened.settle()
        for factor in (1, 2.5):
            opened.ask("h.camera.zoomAt(h.camera.width / 2, h.camera.height / 2, argument)", factor)
            opened.page.mouse.move(*opened.on_page(20, 20 + factor))
            opened.page.keyboard.press("c")
            opened.settle()
            boxes = opened.ask("h.renderer.labelBoxes()")
            assert _overlaps(boxes) == []
            seen += len(boxes)
    assert seen > 100


@pytest.mark.parametrize("width", [1280, 820])
def test_labels_keep_clear_of_the_boxes_of_the_page(width, mammals, page_of, show):
    opened = show(page_of(mammals, title="A title that is rather long"))
    opened.page.set_viewport_size({"width": width, "height": 800})
    seen = 0
    for name in ("mammal.n.01", "dog.n.01", "rodent.n.01", "feline.n.01"):
        opened.ask("h.goTo(argument)", mammals.row(name))
        opened.settle()
        boxes = opened.ask("h.renderer.labelBoxes()")
        seen += len(boxes)
        for part in ("#title", "#facts", "#query", "#caption", "#tools", "#panel"):
            box = opened.page.locator(part).bounding_box()
            stage = opened.page.locator("#disk").bounding_box()
            covered = box | {"x": box["x"] - stage["x"], "y": box["y"] - stage["y"], "text": part}
            assert [pair for pair in _overlaps([*boxes, covered]) if part in pair] == []
    assert seen > 60


def test_labels_do_not_overlap_while_the_disk_is_dragged(mammals, page_of, show):
    opened = show(page_of(mammals))
    x, y = opened.centre()
    opened.page.mouse.move(x, y)
    opened.page.mouse.down()
    for step in range(1, 15):
        opened.page.mouse.move(x + 9 * step, y + 5 * step)
        assert _overlaps(opened.ask("h.renderer.labelBoxes()")) == []
    opened.page.mouse.up()


def test_a_phone_sees_the_disk_and_can_open_the_panel(browser, mammals, page_of):
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True)
    page = context.new_page()
    page.goto(page_of(mammals).as_uri())
    page.evaluate("window.hypercone.ready")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("window.hypercone.camera.radius") > 120
    page.locator("#handle").click()
    context.close()
