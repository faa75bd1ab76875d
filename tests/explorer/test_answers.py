"""What the page highlights and says about nodes is what Python answers, by the graph and by geometry, node by node."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from hypercone.embedding import Embedding
from hypercone.methods import METHODS

GEOMETRY = "#by=geometry"
MARKS = "argument.map(row => { h.select(row); return Array.from(h.state.inside); })"
HIGHLIGHTED = "argument.map(row => { h.select(row); return Array.from(h.highlighted()).sort((a, b) => a - b); })"
COUNTS = """argument.map(row => {
    h.select(row);
    return [...document.querySelectorAll("section.agreement .key strong")].map(one => one.innerText);
})"""


def _descendants(embedding: Embedding, rows) -> list[list[int]]:
    names = [embedding.names[row] for row in rows]
    return [sorted(embedding.row(name) for name in embedding.descendants(one, by="geometry")) for one in names]


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_has_the_descendants_the_explanations_and_the_differences_of_python(method, learned, show):
    embedding = learned(method)
    rows, opened, mistakes = list(range(len(embedding))), show(embedding, GEOMETRY), set()
    descendants = _descendants(embedding, rows)
    assert opened.ask(HIGHLIGHTED, rows) == descendants
    for row, found, counts in zip(rows, opened.ask(MARKS, rows), opened.ask(COUNTS, rows), strict=True):
        inside, below = np.isin(rows, descendants[row]), np.isin(rows, embedding.hierarchy.descendants_of(row))
        expected = np.select([inside & below, inside, below], [1, 2, 3], 0)
        expected[row] = found[row]
        assert found == expected.tolist()
        # Inside, unexpected and missing.
        assert counts == [str(marked.sum()) for marked in (inside, inside & ~below, below & ~inside)]
        mistakes |= set(found)
    assert {2, 3} <= mistakes, "the model makes no mistakes, so nothing was tested"
    pairs = np.random.default_rng(6).integers(len(embedding), size=(60, 2))
    explain = "argument.map(([one, other]) => (h.select(one), h.second(other), h.explanation()))"
    for explanation in opened.ask(explain, pairs[pairs[:, 0] != pairs[:, 1]].tolist()):
        _assert_same_explanation(explanation, embedding)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_without_edges_nothing_is_a_mistake_and_relatives_are_those_of_the_geometry(method, learned, show):
    known = learned(method)
    bare = Embedding(known.names, known.points, known.method, known.settings, known.threshold)
    opened, rows = show(bare), list(range(len(bare)))
    assert opened.ask(HIGHLIGHTED, rows) == _descendants(bare, rows)
    assert {mark for marks in opened.ask(MARKS, rows) for mark in marks} <= {0, 1}
    for row in rows[::7]:
        opened.ask("h.select(argument)", row)
        assert _list(opened, "Parents by geometry") == bare.parents(bare.names[row])
        assert _list(opened, "Children by geometry") == bare.children(bare.names[row])


@pytest.mark.parametrize(("model", "amount"), [("mammals", 200), ("nouns", 100)])
def test_the_descendants_of_larger_models_are_those_of_python(model, amount, request, show):
    embedding = request.getfixturevalue(model)
    hierarchy = embedding.hierarchy
    inner = np.flatnonzero(hierarchy.child_lists.counts > 0)
    rows = np.union1d(hierarchy.root_rows, np.random.default_rng(0).choice(inner, amount - 1, replace=False)).tolist()
    assert show(embedding, GEOMETRY).ask(HIGHLIGHTED, rows) == _descendants(embedding, rows)


def _assert_same_explanation(found: dict, embedding: Embedding) -> None:
    names = embedding.names
    expected = embedding.explain(names[found["child"]], names[found["parent"]])
    assert (found["isA"], found["graph"], found["agrees"]) == (expected.geometry, expected.graph, expected.agrees)
    for key in ("energy", "margin", "threshold", "angle", "aperture"):
        value = getattr(expected, key)
        assert found[key] == (None if value is None else pytest.approx(value, rel=1e-9, abs=1e-12))
    assert len(found["chain"]) == len(expected.chain)
    for step, theirs in zip(found["chain"] + found["path"], expected.chain + expected.path, strict=True):
        assert names[step["row"]] == theirs.name
        assert step["margin"] == pytest.approx(theirs.margin, rel=1e-9, abs=1e-12)
        assert step["childMargin"] == pytest.approx(theirs.child_margin, rel=1e-9, abs=1e-12)
    assert [names[row] for row in found["lost"]] == list(expected.lost)
    assert (None if found["stray"] is None else names[found["stray"]]) == expected.stray


def test_shift_and_a_click_or_the_keyboard_explain_a_pair_in_words_and_in_both_directions(mammals, show):
    opened = show(mammals, "#node=dog.n.01")
    row = next(row for row in opened.pickable() if row != mammals.row("dog.n.01"))
    opened.page.keyboard.down("Shift")
    opened.click(row)
    opened.page.keyboard.up("Shift")
    assert (opened.selected, opened.ask("h.state.second")) == (mammals.row("dog.n.01"), row)
    found = opened.ask("h.explanation()")
    _assert_same_explanation(found, mammals)
    expected = mammals.explain(mammals.names[found["child"]], mammals.names[found["parent"]])
    text = opened.text("section.verdict")
    assert "by the graph" in text
    assert f"{expected.child} is {'' if expected.is_a else 'not '}a" in text
    assert f"{math.degrees(expected.angle):.2f}" in text
    assert f"{math.degrees(expected.aperture):.2f}" in text
    opened.button("Ask the other way round").click()
    swapped = opened.ask("h.explanation()")
    assert (swapped["child"], swapped["parent"]) == (found["parent"], found["child"])
    _assert_same_explanation(swapped, mammals)
    # The same with the keyboard alone.
    opened.go_to(mammals.row("dog.n.01"))
    opened.find("#disk").focus()
    opened.press("e", *"poodle.n.01", "Enter")
    assert opened.ask("h.state.second") == mammals.row("poodle.n.01")
    assert "poodle.n.01 is a dog.n.01." in opened.text("section.verdict")
    opened.press("Escape")
    assert opened.ask("h.state.second") == -1


def _list(opened, title: str) -> list[str]:
    """All names in a section of the panel."""
    section = opened.find("#details section.list").filter(has=opened.find("h3", has_text=title))
    while (more := section.locator("button.more:visible")).count():
        more.first.click()
    return section.locator("button.name .label").all_inner_texts()


def test_the_panel_has_the_relatives_of_python_and_a_breadcrumb_up_the_edges(mammals, show):
    opened, hierarchy = show(mammals), mammals.hierarchy
    for name in ("dog.n.01", "mammal.n.01", "toy_poodle.n.01"):
        row = mammals.row(name)
        opened.ask("h.select(argument)", row)
        assert _list(opened, "Parents by the graph") == mammals.parents(name)
        assert _list(opened, "Children by the graph") == mammals.children(name)
        assert _list(opened, "Nearest by geometry") == [near for near, _ in mammals.nearest(name)]
    crumbs = opened.find("nav.crumbs button")
    path = [mammals.row(name) for name in [*crumbs.all_inner_texts(), "toy_poodle.n.01"]]
    assert path[0] in hierarchy.root_rows
    assert all(parent in hierarchy.parent_lists[child] for parent, child in pairwise(path))
    crumbs.nth(len(path) - 3).click()
    assert opened.selected == path[-3]
