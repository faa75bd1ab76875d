"""A node is found by name or label, and everything can be done with the keyboard."""

from __future__ import annotations

import pytest

import hypercone


@pytest.fixture(scope="module")
def phenotypes() -> hypercone.Embedding:
    """Codes as names, with readable labels."""
    names = ["HP:1", "HP:2", "HP:3", "HP:4", "HP:5"]
    labels = ["Phenotype", "Abnormal heart", "Heart murmur", "Abnormal lung", ""]
    tree = hypercone.Hierarchy(names, [[0, 1], [1, 2], [0, 3], [3, 4]], labels)
    return hypercone.fit(tree, method="nested-caps", dim=2)


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


def test_arrow_keys_choose_among_the_results_and_wrap_around(mammals, show):
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


def test_a_click_on_a_result_goes_there(mammals, show):
    opened = show(mammals)
    opened.find("#query").fill("whale")
    name = _results(opened)[1]
    opened.find("#results [role=option]").nth(1).click()
    assert _selected_name(opened) == name


def test_names_and_labels_are_both_searched(phenotypes, show):
    expected = {"abnormal": [2, 4], "HEART": [3, 2], "hp:5": [5], "murmur": [3], "HP": [1, 2, 4, 3, 5]}
    expected |= {"murmur heart": [3], "lung abn hp:4": [4], "nothing like it": [], "  ": []}
    opened = show(phenotypes)
    for text, numbers in expected.items():
        found = opened.ask("Array.from(h.search(argument))", text)
        assert [phenotypes.names[row] for row in found] == [f"HP:{number}" for number in numbers], text


def test_every_noun_is_found_by_its_name(nouns, show):
    names = list(nouns.names[:: len(nouns) // 200])
    found = show(nouns).ask("argument.map(name => h.search(name)[0])", names)
    assert [nouns.names[row] for row in found] == names


def test_a_search_without_a_result_says_so(mammals, show):
    opened = show(mammals)
    opened.find("#query").fill("zzzz")
    assert "No such node" in opened.text("#results")
    opened.press("Enter")
    assert opened.selected == -1


def test_escape_clears_the_text_and_its_results_and_then_leaves_the_box(mammals, show):
    opened = show(mammals)
    opened.find("#query").fill("dog")
    opened.press("Escape")
    assert opened.find("#results").is_hidden()
    assert opened.find("#query").input_value() == ""
    assert opened.focused == "query"
    opened.press("Escape")
    assert opened.focused == "disk"


def test_a_selection_clears_the_search_box(mammals, show):
    opened = show(mammals)
    opened.find("#query").fill("dog")
    # To the right of the results, which cover the left of the disk.
    rightmost = "argument.reduce((a, b) => h.renderer.scene.x[a] > h.renderer.scene.x[b] ? a : b)"
    row = opened.ask(rightmost, opened.pickable())
    opened.click(row)
    assert opened.selected == row
    assert opened.find("#query").input_value() == ""
    assert opened.find("#results").is_hidden()


def test_the_hierarchy_is_walked_with_the_keyboard_alone(mammals, show):
    hierarchy = mammals.hierarchy
    opened = show(mammals)
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


def test_tab_reaches_every_control(mammals, show):
    opened = show(mammals, "#node=dog.n.01")
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
