"""The disk under pointer and wheel, what is drawn on it, and the layout in windows of any size."""

from __future__ import annotations

import math
from itertools import combinations, product

import pytest

import hypercone


def test_a_click_selects_a_node_a_tip_describes_it_and_a_click_beside_the_disk_changes_nothing(tree, show):
    opened = show(tree)
    rows = opened.pickable()
    assert len(rows) >= 30
    for row in rows:
        opened.click(row)
        assert opened.selected == row
    row = next(row for row in rows if tree.hierarchy.depths[row] == 2)
    opened.page.mouse.move(*opened.pixel(row))
    degrees = math.degrees(float(hypercone.geometry.cones.half_aperture(tree.points[row], tree.settings.K)))
    for text in (tree.names[row], "depth 2", f"{degrees:.2f}°"):
        assert text in opened.text("#tip")
    opened.page.mouse.click(*opened.on_page(5, 300))
    assert opened.selected == rows[-1]
    assert opened.find("#tip").is_hidden()


def test_a_double_click_brings_a_node_to_the_center_by_an_animation(tree, show):
    opened = show(tree)
    opened.page.emulate_media(reduced_motion="no-preference")
    row = max(opened.pickable(), key=lambda row: math.dist(opened.pixel(row), opened.center()))
    far = math.dist(opened.pixel(row), opened.center())
    opened.page.mouse.dblclick(*opened.pixel(row))
    distances = [math.dist(opened.pixel(row), opened.center()) for _ in range(5)]
    opened.settle()
    assert opened.pixel(row) == pytest.approx(opened.center(), abs=0.5)
    assert any(1 < distance < far for distance in distances)


def test_a_drag_moves_the_grabbed_point_the_wheel_zooms_about_the_pointer_and_overview_shows_all(tree, show):
    opened = show(tree)
    grabbed = opened.pickable()[0]
    x, y = opened.pixel(grabbed)
    opened.page.mouse.move(x, y)
    opened.page.mouse.down()
    for step in range(1, 9):
        to = x + 12 * step, y - 7 * step
        opened.page.mouse.move(*to)
        if step > 1:
            assert opened.pixel(grabbed) == pytest.approx(to, abs=1.5)
    opened.page.mouse.up()
    assert opened.selected == -1
    assert opened.ask("h.camera.zoom") == 1
    # Whole pixels, because wheel events only have these.
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
    for show_all in (lambda: opened.press("0"), opened.button("Overview").click):
        opened.go_to(7)
        opened.ask("h.camera.zoomAt(300, 300, 3)")
        show_all()
        opened.settle()
        place, center = opened.ask("[h.camera.snapshot(), h.model.view.center]")
        assert [place["cx"], place["cy"], place["zoom"]] == pytest.approx([*center, 1], abs=1e-9)


def test_overview_is_highlighted_exactly_while_no_node_is_visible(tree, show):
    opened = show(tree)
    overview, highlighted = opened.button("Overview"), opened.find("#tools button.attention")
    assert highlighted.count() == 0
    x, y = opened.center()
    for _ in range(12):
        opened.page.mouse.move(x - 250, y)
        opened.page.mouse.down()
        opened.page.mouse.move(x + 250, y, steps=3)
        opened.page.mouse.up()
    opened.wait(250)
    assert highlighted.all_inner_texts() == ["Overview"]
    overview.click()
    opened.settle()
    opened.wait(250)
    assert highlighted.count() == 0


@pytest.mark.parametrize(("offset", "turns"), [(6, 6), (0, 1)], ids=["moves-away", "stays"])
def test_the_tip_follows_the_node_under_the_pointer(offset, turns, tree, show):
    opened = show(tree)
    row = next(row for row in opened.pickable() if tree.hierarchy.depths[row] == (2 if offset else 1))
    x, y = (round(at) + offset for at in opened.pixel(row))
    tip = opened.find("#tip")
    opened.page.mouse.move(x, y)
    assert tree.names[row] in tip.inner_text()
    for _ in range(turns):
        opened.page.mouse.wheel(0, -300)
    opened.until(f"h.camera.zoom > {1.1 * 1.2**turns}")
    opened.wait(250)
    box = opened.box("#disk")
    under = opened.ask("h.renderer.pick(...argument)", [x - box["x"], y - box["y"]])
    assert (under != row) == bool(offset)
    assert opened.ask("h.state.hovered") == under
    assert tip.is_hidden() if under < 0 else tree.names[under] in tip.inner_text()


def test_toggles_change_the_picture_and_restore_it(tree, show):
    opened = show(tree)
    opened.ask("h.select(1)")
    opened.page.mouse.move(2, 2)
    opened.settle()
    picture = "h.renderer.canvas.toDataURL()"
    before = opened.ask(picture)
    for button, key, state in (("Cones", "c", "showCones"), ("Edges", "g", "showEdges"), ("Labels", "l", "showLabels")):
        toggle = opened.button(button)
        assert toggle.get_attribute("aria-pressed") == "true"
        toggle.click()
        opened.page.mouse.move(2, 2)
        opened.settle()
        assert toggle.get_attribute("aria-pressed") == "false"
        assert opened.ask(f"h.state.{state}") is False
        assert opened.ask(picture) != before
        opened.find("#disk").focus()
        opened.press(key)
        opened.settle()
        assert toggle.get_attribute("aria-pressed") == "true"
        assert opened.ask(picture) == before


def _overlap(one: dict, other: dict) -> bool:
    return all(
        one[at] < other[at] + other[size] and other[at] < one[at] + one[size]
        for at, size in (("x", "width"), ("y", "height"))
    )


def test_no_label_is_under_another_or_an_element_and_in_a_low_window_nothing_covers_the_disk(mammals, show):
    opened, seen = show(mammals, title="A title that is rather long"), 0
    for width, name in product((1280, 820), ("mammal.n.01", "dog.n.01", "rodent.n.01", "feline.n.01")):
        opened.page.set_viewport_size({"width": width, "height": 800})
        opened.go_to(mammals.row(name))
        labels, stage = opened.ask("h.renderer.labelBoxes()"), opened.box("#disk")
        assert [(a["text"], b["text"]) for a, b in combinations(labels, 2) if _overlap(a, b)] == []
        seen += len(labels)
        for part in ("#title", "#facts", "#query", "#caption", "#tools", "#panel"):
            box = opened.box(part)
            box |= {"x": box["x"] - stage["x"], "y": box["y"] - stage["y"]}
            assert [label["text"] for label in labels if _overlap(label, box)] == [], part
    assert seen > 120
    opened.press("Escape", "0")
    for width, height in ((500, 300), (844, 390)):
        opened.page.set_viewport_size({"width": width, "height": height})
        opened.wait(200)
        x, y = opened.center()
        radius = opened.ask("h.camera.radius")
        assert radius > 0.3 * height
        for part in ("#title", "#query", "#tools", "#panel"):
            box = opened.box(part)
            assert 0 <= box["x"] <= width - box["width"], part
            assert 0 <= box["y"] <= height - box["height"], part
            dx = max(box["x"] - x, 0, x - box["x"] - box["width"])
            dy = max(box["y"] - y, 0, y - box["y"] - box["height"])
            assert dx**2 + dy**2 >= radius**2, part
        assert opened.find("#caption").is_hidden()
        assert opened.find("#facts").is_hidden()
        ends = opened.find("#tools button").evaluate_all("all => all.map(one => one.getBoundingClientRect().right)")
        assert max(ends) <= width
        tops = opened.find("#tools button").evaluate_all("all => all.map(one => one.getBoundingClientRect().y | 0)")
        assert len(set(tops)) == 1


def test_a_phone_shows_the_disk_and_opens_the_panel(browser, mammals, page_of):
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True)
    page = context.new_page()
    page.goto(page_of(mammals).as_uri())
    page.evaluate("window.hypercone.ready")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("window.hypercone.camera.radius") > 120
    page.locator("#handle").click()
    context.close()
