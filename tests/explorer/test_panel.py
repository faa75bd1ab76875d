"""The panel says what Python says: parents, children, nearest, the way up, and why one node is another or not."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import hypercone
from hypercone.data import load_dataset
from hypercone.embedding import Embedding
from hypercone.methods import METHODS


@pytest.fixture(scope="module")
def learned():
    """A model of each method that is wrong now and then."""
    tree, made = load_dataset("tree-3-3"), dict[str, Embedding]()

    def model(method: str) -> Embedding:
        if method not in made:
            made[method] = hypercone.fit(tree, method=method, dim=2, epochs=20, init_epochs=20, seed=5)
        return made[method]

    return model


def _list(opened, title: str) -> list[str]:
    """The names in a section of the panel."""
    section = opened.page.locator("#details section.list", has=opened.page.locator("h3", has_text=title))
    return section.locator("button.name .label").all_inner_texts()


def _explained(opened, pairs: list[list[int]]) -> list[dict]:
    """What the page says of each selected and second row."""
    return opened.ask("argument.map(([one, other]) => (h.select(one), h.second(other), h.explanation()))", pairs)


def _same(found: dict, embedding: Embedding) -> None:
    names = embedding.names
    told = embedding.explain(names[found["child"]], names[found["parent"]])
    assert found["isA"] == told.is_a
    assert found["graph"] == told.graph
    assert found["agrees"] == told.agrees
    for ours, theirs in (("energy", told.energy), ("margin", told.margin), ("threshold", told.threshold)):
        assert found[ours] == pytest.approx(theirs, rel=1e-9, abs=1e-12)
    for ours, theirs in (("angle", told.angle), ("aperture", told.aperture)):
        assert (found[ours] is None) == (theirs is None)
        assert theirs is None or found[ours] == pytest.approx(theirs, rel=1e-9, abs=1e-12)
    assert [names[step["row"]] for step in found["chain"]] == [step.name for step in told.chain]
    assert [names[step["row"]] for step in found["path"]] == [step.name for step in told.path]
    for step, theirs in zip(found["chain"] + found["path"], told.chain + told.path, strict=True):
        assert step["margin"] == pytest.approx(theirs.margin, rel=1e-9, abs=1e-12)
        assert step["childMargin"] == pytest.approx(theirs.child_margin, rel=1e-9, abs=1e-12)
    assert [names[row] for row in found["lost"]] == list(told.lost)
    assert (None if found["stray"] is None else names[found["stray"]]) == told.stray


@pytest.mark.parametrize("method", sorted(METHODS))
def test_explain_has_the_numbers_of_python(method, learned, page_of, show):
    embedding = learned(method)
    opened = show(page_of(embedding))
    pairs = np.random.default_rng(6).integers(len(embedding), size=(60, 2))
    for found in _explained(opened, pairs[pairs[:, 0] != pairs[:, 1]].tolist()):
        _same(found, embedding)


def test_explain_has_the_numbers_of_python_for_mammals(mammals, page_of, show):
    random = np.random.default_rng(7)
    below = random.choice(np.flatnonzero(mammals.hierarchy.depths > 0), 40)
    pairs = [[int(random.choice(mammals.hierarchy.ancestors_of(row))), int(row)] for row in below]
    for found in _explained(show(page_of(mammals)), pairs):
        _same(found, mammals)


def test_a_shift_click_explains_in_words(mammals, page_of, show):
    opened = show(page_of(mammals), "#node=dog.n.01")
    opened.page.keyboard.down("Shift")
    rows = [row for row in opened.can_be_picked() if row != mammals.row("dog.n.01")]
    opened.page.mouse.click(*opened.pixel(rows[0]))
    opened.page.keyboard.up("Shift")
    assert opened.ask("h.state.selected") == mammals.row("dog.n.01")
    assert opened.ask("h.state.second") == rows[0]
    found = opened.ask("h.explanation()")
    _same(found, mammals)
    told = mammals.explain(mammals.names[found["child"]], mammals.names[found["parent"]])
    text = opened.page.locator("section.verdict").inner_text()
    assert f"{told.child} is {'' if told.is_a else 'not '}a" in text
    assert f"{math.degrees(told.angle):.2f}" in text
    assert f"{math.degrees(told.aperture):.2f}" in text
    opened.page.get_by_role("button", name="Ask the other way round").click()
    turned = opened.ask("h.explanation()")
    assert (turned["child"], turned["parent"]) == (found["parent"], found["child"])
    _same(turned, mammals)


def test_comparing_works_without_a_mouse(mammals, page_of, show):
    opened = show(page_of(mammals), "#node=dog.n.01")
    opened.page.locator("#disk").focus()
    opened.page.keyboard.press("e")
    opened.page.keyboard.type("poodle.n.01")
    opened.page.keyboard.press("Enter")
    assert opened.ask("h.state.second") == mammals.row("poodle.n.01")
    assert "poodle.n.01 is a dog.n.01." in opened.page.locator("section.verdict").inner_text()
    opened.page.keyboard.press("Escape")
    assert opened.ask("h.state.second") == -1


def test_the_breadcrumb_is_a_way_up_the_edges_and_leads_there(mammals, page_of, show):
    opened = show(page_of(mammals), "#node=toy_poodle.n.01")
    crumbs = opened.page.locator("nav.crumbs button")
    way = [mammals.row(name) for name in [*crumbs.all_inner_texts(), "toy_poodle.n.01"]]
    assert way[0] in mammals.hierarchy.root_rows
    assert all(parent in mammals.hierarchy.parent_lists[child] for parent, child in pairwise(way))
    crumbs.nth(len(way) - 3).click()
    assert opened.ask("h.state.selected") == way[-3]


@pytest.mark.parametrize("name", ["dog.n.01", "mammal.n.01", "toy_poodle.n.01"])
def test_parents_children_and_nearest_are_those_of_python(name, mammals, page_of, show):
    opened = show(page_of(mammals), f"#node={name}")
    hierarchy, row = mammals.hierarchy, mammals.row(name)
    assert _list(opened, "Parents") == [mammals.names[parent] for parent in hierarchy.parent_lists[row]]
    while (more := opened.page.locator("section.list button.more:visible")).count():
        more.first.click()
    assert sorted(_list(opened, "Children")) == sorted(mammals.names[child] for child in hierarchy.child_lists[row])
    assert _list(opened, "Nearest") == [near for near, _ in mammals.nearest(name)]


def test_the_panel_counts_what_is_inside_and_what_the_graph_disagrees_with(learned, page_of, show):
    embedding = learned("hyperbolic-cones")
    opened = show(page_of(embedding))
    for row in range(len(embedding)):
        opened.ask("h.select(argument)", row)
        inside = {embedding.row(name) for name in embedding.descendants(embedding.names[row])}
        below = set(embedding.hierarchy.descendants_of(row).tolist())
        told = opened.page.locator("section.agreement .key strong").all_inner_texts()
        assert told == [str(len(inside)), str(len(inside - below)), str(len(below - inside))]


@pytest.mark.parametrize("method", sorted(METHODS))
def test_without_edges_relatives_are_those_of_the_geometry(method, learned, page_of, show):
    known = learned(method)
    bare = Embedding(known.names, known.points, known.method, known.settings, known.threshold)
    opened = show(page_of(bare))
    for row in range(0, len(bare), 7):
        opened.ask("h.select(argument)", row)
        while (more := opened.page.locator("section.list button.more:visible")).count():
            more.first.click()
        assert _list(opened, "Parents by geometry") == bare.parents(bare.names[row])
        assert _list(opened, "Children by geometry") == bare.children(bare.names[row])
