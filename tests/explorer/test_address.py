"""The address brings back what was seen, says what it cannot find, and Back goes from node to node."""

from __future__ import annotations

import pytest

import hypercone
from hypercone.data import load_dataset

WRITTEN = 450  # milliseconds after which the address is as the view is


@pytest.fixture(scope="module")
def tree() -> hypercone.Embedding:
    """A tree of forty."""
    return hypercone.fit(load_dataset("tree-3-3"), method="nested-caps", dim=2)


@pytest.fixture(scope="module")
def labelled() -> hypercone.Embedding:
    """Names that say nothing; two nodes share a label but for its case."""
    names, labels = ["N:1", "N:2", "N:3", "N:4"], ["Signs", "Arrhythmia", "Murmur", "murmur"]
    return hypercone.fit(hypercone.Hierarchy(names, [[0, 1], [0, 2], [0, 3]], labels), method="nested-caps", dim=2)


def _name(opened) -> str | None:
    return opened.ask("h.model.names[h.state.selected] ?? null")


def test_a_node_clicked_in_the_overview_is_reopened_in_the_overview(tree, page_of, show):
    first = show(page_of(tree))
    first.page.keyboard.press("0")
    first.settle()
    row = next(row for row in first.can_be_picked() if tree.hierarchy.depths[row] == 2)
    first.page.mouse.click(*first.pixel(row))
    first.page.wait_for_timeout(WRITTEN)
    assert "at=" in first.page.evaluate("location.hash")
    second = show(page_of(tree), first.page.evaluate("location.hash"))
    assert second.ask("h.state.selected") == row
    assert second.ask("h.camera.snapshot()") == pytest.approx(first.ask("h.camera.snapshot()"), abs=1e-5)


@pytest.mark.parametrize("fragment", ["#node=N%3A2", "#node=Arrhythmia", "#node=arrhythmia", "#node=n%3A2"])
def test_a_node_is_found_by_name_or_label_in_the_address(fragment, labelled, page_of, show):
    opened = show(page_of(labelled), fragment)
    assert _name(opened) == "N:2"
    assert opened.page.locator("#notice").is_hidden()


@pytest.mark.parametrize(
    ("fragment", "words"),
    [
        ("#node=HP%3A9999999", "No such node: HP:9999999"),
        ("#node=N%3A1&with=nobody", "No such node: nobody"),
        ("#node=MURMUR", "2 nodes are called MURMUR"),
        ("#node=%3Cb%3Ex", "No such node: <b>x"),
    ],
)
def test_an_address_that_means_no_node_says_so_until_one_is_selected(fragment, words, labelled, page_of, show):
    opened = show(page_of(labelled), fragment)
    notice = opened.page.locator("#notice")
    assert notice.is_visible()
    assert words in notice.inner_text()
    opened.page.mouse.click(*opened.pixel(2))
    assert _name(opened) == "N:3"
    assert notice.is_hidden()


def test_back_and_forward_go_from_node_to_node_and_moves_are_no_steps(tree, page_of, show):
    opened = show(page_of(tree))
    rows = opened.can_be_picked()[1:3]
    for row in rows:
        opened.page.mouse.click(*opened.pixel(row))
        opened.page.wait_for_timeout(WRITTEN)
        opened.page.keyboard.press("l")
        opened.page.keyboard.press("+")
        opened.page.wait_for_timeout(WRITTEN)
        opened.page.keyboard.press("0")
        opened.page.wait_for_timeout(WRITTEN)
    for row in (rows[0], -1):
        opened.page.go_back()
        opened.until(f"h.state.selected === {row}")
        opened.page.wait_for_timeout(WRITTEN)
        assert opened.ask("h.state.selected") == row
    for row in rows:
        opened.page.go_forward()
        opened.until(f"h.state.selected === {row}")


def test_back_brings_the_place_back_too(tree, page_of, show):
    opened = show(page_of(tree))
    opened.ask("h.goTo(5)")
    opened.settle()
    opened.page.wait_for_timeout(WRITTEN)
    before = opened.ask("h.camera.snapshot()")
    opened.ask("h.goTo(20)")
    opened.settle()
    opened.page.wait_for_timeout(WRITTEN)
    opened.page.go_back()
    opened.until("h.state.selected === 5")
    opened.settle()
    assert opened.ask("h.camera.snapshot()") == pytest.approx(before, abs=1e-5)
