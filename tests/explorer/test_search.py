"""A node is found by name or label as one types, and everything can be done from the keyboard."""

from __future__ import annotations

import pytest

import hypercone


@pytest.fixture(scope="module")
def phenotypes() -> hypercone.Embedding:
    """Names that say nothing, with labels that do."""
    names = ["HP:1", "HP:2", "HP:3", "HP:4", "HP:5"]
    labels = ["Phenotype", "Abnormal heart", "Heart murmur", "Abnormal lung", ""]
    return hypercone.fit(
        hypercone.Hierarchy(names, [[0, 1], [1, 2], [0, 3], [3, 4]], labels), method="nested-caps", dim=2
    )


def _found(opened) -> list[str]:
    return opened.page.locator("#results [role=option]").all_inner_texts()


def test_completion_follows_every_key_and_enter_goes_there(mammals, page_of, show):
    opened = show(page_of(mammals))
    opened.page.keyboard.press("/")
    assert opened.page.evaluate("document.activeElement.getAttribute('role')") == "combobox"
    opened.page.keyboard.type("dog")
    assert opened.page.locator("#query").get_attribute("aria-expanded") == "true"
    assert _found(opened)[0] == "dog.n.01"
    assert all("dog" in name for name in _found(opened))
    opened.page.keyboard.press("Enter")
    opened.settle()
    assert opened.ask("h.model.names[h.state.selected]") == "dog.n.01"
    assert opened.page.locator("#results").is_hidden()
    assert opened.pixel(mammals.row("dog.n.01")) == pytest.approx(opened.centre(), abs=1)


def test_arrows_choose_among_the_finds_and_go_round(mammals, page_of, show):
    opened = show(page_of(mammals))
    opened.page.locator("#query").fill("cat")
    names = _found(opened)
    chosen = opened.page.locator("#results [aria-selected=true]")
    assert chosen.inner_text() == names[0]
    opened.page.keyboard.press("ArrowDown")
    opened.page.keyboard.press("ArrowDown")
    assert chosen.inner_text() == names[2]
    active = opened.page.locator("#query").get_attribute("aria-activedescendant")
    assert opened.page.locator(f"#{active}").inner_text() == names[2]
    for _ in range(3):
        opened.page.keyboard.press("ArrowUp")
    assert chosen.inner_text() == names[-1]
    opened.page.keyboard.press("Enter")
    assert opened.ask("h.model.names[h.state.selected]") == names[-1]


def test_a_click_on_a_find_goes_there(mammals, page_of, show):
    opened = show(page_of(mammals))
    opened.page.locator("#query").fill("whale")
    name = _found(opened)[1]
    opened.page.locator("#results [role=option]").nth(1).click()
    assert opened.ask("h.model.names[h.state.selected]") == name


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("abnormal", ["HP:2", "HP:4"]),
        ("HEART", ["HP:3", "HP:2"]),
        ("hp:5", ["HP:5"]),
        ("murmur", ["HP:3"]),
        ("HP", ["HP:1", "HP:2", "HP:4", "HP:3", "HP:5"]),
        ("murmur heart", ["HP:3"]),
        ("lung abn hp:4", ["HP:4"]),
        ("nothing like it", []),
        ("  ", []),
    ],
)
def test_labels_and_names_are_both_searched(text, names, phenotypes, page_of, show):
    opened = show(page_of(phenotypes))
    assert [phenotypes.names[row] for row in opened.ask("Array.from(h.search(argument))", text)] == names


def test_every_noun_is_found_by_its_name(nouns, page_of, show):
    opened = show(page_of(nouns))
    asked = nouns.names[:: len(nouns) // 200]
    found = opened.ask("argument.map(name => h.search(name)[0])", list(asked))
    assert [nouns.names[row] for row in found] == list(asked)


def test_nothing_found_is_said(mammals, page_of, show):
    opened = show(page_of(mammals))
    opened.page.locator("#query").fill("zzzz")
    assert "No such node" in opened.page.locator("#results").inner_text()
    opened.page.keyboard.press("Enter")
    assert opened.ask("h.state.selected") == -1


def test_escape_clears_the_text_with_its_list_then_leaves_the_box(mammals, page_of, show):
    opened = show(page_of(mammals))
    opened.page.locator("#query").fill("dog")
    opened.page.keyboard.press("Escape")
    assert opened.page.locator("#results").is_hidden()
    assert opened.page.locator("#query").input_value() == ""
    assert opened.page.evaluate("document.activeElement.id") == "query"
    opened.page.keyboard.press("Escape")
    assert opened.page.evaluate("document.activeElement.id") == "disk"


def test_a_slash_in_the_empty_box_is_not_text(mammals, page_of, show):
    opened = show(page_of(mammals))
    opened.page.keyboard.press("/")
    opened.page.keyboard.type("/dog/")
    assert opened.page.locator("#query").input_value() == "dog/"


def test_text_left_in_the_box_goes_when_a_node_is_selected(mammals, page_of, show):
    opened = show(page_of(mammals))
    opened.page.locator("#query").fill("dog")
    # Away from the list of finds, which lies over the left of the disk.
    rightmost = "argument.reduce((a, b) => h.renderer.scene.x[a] > h.renderer.scene.x[b] ? a : b)"
    row = opened.ask(rightmost, opened.can_be_picked())
    opened.page.mouse.click(*opened.pixel(row))
    assert opened.ask("h.state.selected") == row
    assert opened.page.locator("#query").input_value() == ""
    assert opened.page.locator("#results").is_hidden()


def test_the_hierarchy_is_walked_with_the_keyboard_alone(mammals, page_of, show):
    hierarchy = mammals.hierarchy
    opened = show(page_of(mammals))
    opened.page.locator("#disk").focus()
    opened.page.keyboard.press("ArrowDown")
    seen = [opened.ask("h.state.selected")]
    assert seen[0] in hierarchy.root_rows
    for _ in range(3):
        opened.page.keyboard.press("ArrowDown")
        seen.append(opened.ask("h.state.selected"))
        assert seen[-1] in hierarchy.child_lists[seen[-2]]
    opened.page.keyboard.press("ArrowRight")
    sibling = opened.ask("h.state.selected")
    assert sibling != seen[-1]
    assert set(hierarchy.parent_lists[sibling]) & set(hierarchy.parent_lists[seen[-1]])
    opened.page.keyboard.press("ArrowLeft")
    assert opened.ask("h.state.selected") == seen[-1]
    opened.page.keyboard.press("ArrowUp")
    assert opened.ask("h.state.selected") in hierarchy.parent_lists[seen[-1]]
    opened.page.keyboard.press("Escape")
    assert opened.ask("h.state.selected") == -1


def test_tab_reaches_every_control(mammals, page_of, show):
    opened = show(page_of(mammals), "#node=dog.n.01")
    reached = set()
    for _ in range(80):
        opened.page.keyboard.press("Tab")
        reached.add(opened.page.evaluate("document.activeElement.id || document.activeElement.innerText.trim()"))
    wanted = {"query", "disk", "Cones", "Edges", "Labels", "Overview", "Help", "Center"}
    assert wanted <= reached
    assert {"Light", "Dark"} & reached


def test_help_opens_and_closes_with_keys(mammals, page_of, show):
    opened = show(page_of(mammals))
    opened.page.keyboard.press("?")
    assert opened.page.locator("#help").is_visible()
    opened.page.keyboard.press("Escape")
    assert opened.page.locator("#help").is_hidden()
