"""A node is found by name, label or address, everything works with the keyboard, and Back goes from node to node."""

from __future__ import annotations

import numpy as np
import pytest

import hypercone


def _results(opened) -> list[str]:
    return opened.find("#results [role=option]").all_inner_texts()


def _selected_name(opened) -> str:
    return opened.ask("h.model.names[h.state.selected]")


def test_a_slash_opens_the_box_results_follow_every_key_and_enter_goes_to_the_first(mammals, show):
    opened = show(mammals)
    opened.press("/")
    assert opened.page.evaluate("document.activeElement.getAttribute('role')") == "combobox"
    # In the empty box a slash is not text.
    opened.page.keyboard.type("/dog/")
    assert opened.find("#query").input_value() == "dog/"
    opened.press("Backspace")
    assert opened.find("#query").get_attribute("aria-expanded") == "true"
    assert _results(opened)[0] == "dog.n.01"
    assert all("dog" in name for name in _results(opened))
    opened.press("Enter")
    opened.settle()
    assert _selected_name(opened) == "dog.n.01"
    assert opened.find("#results").is_hidden()
    assert opened.pixel(mammals.row("dog.n.01")) == pytest.approx(opened.center(), abs=1)


def test_results_are_chosen_with_arrow_keys_that_wrap_around_or_by_a_click(mammals, show):
    opened = show(mammals)
    opened.find("#query").fill("cat")
    names = _results(opened)
    chosen = opened.find("#results [aria-selected=true]")
    assert chosen.inner_text() == names[0]
    opened.press("ArrowDown", "ArrowDown")
    assert chosen.inner_text() == names[2]
    active = opened.find("#query").get_attribute("aria-activedescendant")
    assert opened.text(f"#{active}") == names[2]
    opened.press("ArrowUp", "ArrowUp", "ArrowUp")
    assert chosen.inner_text() == names[-1]
    opened.press("Enter")
    assert _selected_name(opened) == names[-1]
    opened.find("#query").fill("whale")
    name = _results(opened)[1]
    opened.find("#results [role=option]").nth(1).click()
    assert _selected_name(opened) == name


def test_a_search_without_a_result_says_so_and_escape_or_a_selection_clears_the_box(mammals, show):
    opened = show(mammals)
    query, results = opened.find("#query"), opened.find("#results")
    query.fill("zzzz")
    assert "No such node" in results.inner_text()
    opened.press("Enter")
    assert opened.selected == -1
    query.fill("dog")
    opened.press("Escape")
    assert results.is_hidden()
    assert (query.input_value(), opened.focused) == ("", "query")
    opened.press("Escape")
    assert opened.focused == "disk"
    query.fill("dog")
    # To the right of the results, which cover the left of the disk.
    rightmost = "argument.reduce((a, b) => h.renderer.scene.x[a] > h.renderer.scene.x[b] ? a : b)"
    row = opened.ask(rightmost, opened.pickable())
    opened.click(row)
    assert opened.selected == row
    assert query.input_value() == ""
    assert results.is_hidden()


def test_the_hierarchy_is_walked_and_every_control_reached_with_the_keyboard_alone(mammals, show):
    hierarchy, opened = mammals.hierarchy, show(mammals)
    opened.find("#disk").focus()
    opened.press("ArrowDown")
    seen = [opened.selected]
    assert seen[0] in hierarchy.root_rows
    for _ in range(3):
        opened.press("ArrowDown")
        seen.append(opened.selected)
        assert seen[-1] in hierarchy.child_lists[seen[-2]]
    opened.press("ArrowRight")
    sibling = opened.selected
    assert sibling != seen[-1]
    assert set(hierarchy.parent_lists[sibling]) & set(hierarchy.parent_lists[seen[-1]])
    opened.press("ArrowLeft")
    assert opened.selected == seen[-1]
    opened.press("ArrowUp")
    assert opened.selected in hierarchy.parent_lists[seen[-1]]
    opened.press("Escape")
    assert opened.selected == -1
    opened.go_to(mammals.row("dog.n.01"))
    reached = set()
    for _ in range(80):
        opened.press("Tab")
        reached.add(opened.focused)
    assert {"query", "disk", "Cones", "Edges", "Labels", "Overview", "Help", "Center"} <= reached
    assert {"Light", "Dark"} & reached


def test_tools_and_help_give_the_focus_to_the_disk_after_a_click_and_keep_it_after_a_key(tree, show):
    opened = show(tree)
    opened.button("Overview").click()
    assert opened.focused == "disk"
    opened.press("ArrowDown")
    assert opened.selected in tree.hierarchy.root_rows
    for open_help in (opened.button("Help").click, lambda: opened.press("?")):
        open_help()
        assert opened.find("#help").is_visible()
        opened.press("Escape")
        assert opened.find("#help").is_hidden()
        assert opened.focused == "disk"
    opened.button("Edges").focus()
    opened.press("Enter")
    assert opened.ask("h.state.showEdges") is False
    assert opened.focused == "Edges"


WRITTEN = 450  # milliseconds after which the address follows the view


@pytest.fixture(scope="module")
def labeled() -> hypercone.Embedding:
    """Codes as names; two labels differ only in case."""
    names, labels = ["N:1", "N:2", "N:3", "N:4"], ["Signs", "Arrhythmia", "Murmur", "murmur"]
    return hypercone.fit(hypercone.Hierarchy(names, [[0, 1], [0, 2], [0, 3]], labels), method="nested-caps", dim=2)


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
    # A node selected in the overview is restored in the overview.
    first.press("0")
    first.settle()
    row = next(row for row in first.pickable() if mammals.hierarchy.depths[row] == 2)
    first.click(row)
    first.until("location.hash.includes('at=')")
    first.wait(WRITTEN)
    second = show(mammals, first.page.evaluate("location.hash"))
    assert second.selected == row
    assert second.ask("h.camera.snapshot()") == pytest.approx(first.ask("h.camera.snapshot()"), abs=1e-5)


@pytest.mark.parametrize(
    ("fragment", "found", "message"),
    [
        *[(f"#node={name}", 1, None) for name in ("N%3A2", "arrhythmia")],
        ("#node=HP%3A9999999&at=1,2&theme=pink&%E0%A4%A", -1, "No such node: HP:9999999"),
        ("#node=N%3A1&with=nobody", 0, "No such node: nobody"),
        ("#node=MURMUR", -1, "2 nodes are called MURMUR"),
        ("#node=%3Cb%3Ex", -1, "No such node: <b>x"),
    ],
)
def test_the_address_has_a_name_or_a_label_or_a_message_is_shown_until_a_node_is_selected(
    fragment, found, message, labeled, show
):
    opened = show(labeled, fragment)
    notice = opened.find("#notice")
    assert opened.selected == found
    assert message in notice.inner_text() if message else notice.is_hidden()
    opened.click(2)
    assert opened.selected == 2
    assert notice.is_hidden()


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
