"""What the page highlights and says about nodes is what Python answers, for every method, node by node."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from hypercone.embedding import Embedding
from hypercone.methods import METHODS

MARKS = "argument.map(row => { h.select(row); return Array.from(h.state.inside); })"
HIGHLIGHTED = "argument.map(row => { h.select(row); return Array.from(h.highlighted()); })"


def _descendants(embedding: Embedding, rows) -> list[list[int]]:
    names = [embedding.names[row] for row in rows]
    return [sorted(embedding.row(name) for name in embedding.descendants(one)) for one in names]


def _highlighted(opened, rows) -> list[list[int]]:
    return [sorted(found) for found in opened.ask(HIGHLIGHTED, [int(row) for row in rows])]


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_highlights_the_descendants_of_python_and_marks_where_the_graph_differs(method, learned, show):
    embedding = learned(method)
    rows, opened, mistakes = range(len(embedding)), show(embedding), set()
    descendants = _descendants(embedding, rows)
    assert _highlighted(opened, rows) == descendants
    for row, found in enumerate(opened.ask(MARKS, list(rows))):
        inside, below = np.isin(rows, descendants[row]), np.isin(rows, embedding.hierarchy.descendants_of(row))
        expected = np.select([inside & below, inside, below], [1, 2, 3], 0)
        expected[row] = found[row]
        assert found == expected.tolist()
        mistakes |= set(found)
    assert {2, 3} <= mistakes, "the model makes no mistakes, so nothing was tested"


@pytest.mark.parametrize(("model", "amount"), [("mammals", 200), ("nouns", 100)])
def test_the_descendants_of_larger_models_are_those_of_python(model, amount, request, show):
    embedding = request.getfixturevalue(model)
    hierarchy = embedding.hierarchy
    inner = np.flatnonzero(hierarchy.child_lists.counts > 0)
    rows = np.union1d(hierarchy.root_rows, np.random.default_rng(0).choice(inner, amount - 1, replace=False))
    assert _highlighted(show(embedding), rows) == _descendants(embedding, rows)


def test_a_larger_threshold_highlights_more(mammals, show):
    loose = Embedding(
        mammals.names, mammals.points, mammals.method, mammals.settings, 0.3, mammals.record, edges=mammals.edges
    )
    rows = np.random.default_rng(2).choice(len(mammals), 50, replace=False)
    found = _highlighted(show(loose), rows)
    assert found == _descendants(loose, rows)
    assert sum(map(len, found)) > sum(map(len, _descendants(mammals, rows)))


def test_without_edges_nothing_is_marked_as_a_mistake(mammals, show):
    bare = Embedding(mammals.names, mammals.points, mammals.method, mammals.settings, mammals.threshold)
    rows = np.random.default_rng(3).choice(len(mammals), 20, replace=False).tolist()
    opened = show(bare)
    assert _highlighted(opened, rows) == _descendants(bare, rows)
    assert {mark for marks in opened.ask(MARKS, rows) for mark in marks} <= {0, 1}


def _explanations(opened, pairs: list[list[int]]) -> list[dict]:
    """What the page says about each selected and second row."""
    return opened.ask("argument.map(([one, other]) => (h.select(one), h.second(other), h.explanation()))", pairs)


def _assert_same_explanation(found: dict, embedding: Embedding) -> None:
    names = embedding.names
    expected = embedding.explain(names[found["child"]], names[found["parent"]])
    assert (found["isA"], found["graph"], found["agrees"]) == (expected.is_a, expected.graph, expected.agrees)
    for key in ("energy", "margin", "threshold", "angle", "aperture"):
        value = getattr(expected, key)
        assert found[key] == (None if value is None else pytest.approx(value, rel=1e-9, abs=1e-12))
    assert [names[step["row"]] for step in found["chain"]] == [step.name for step in expected.chain]
    assert [names[step["row"]] for step in found["path"]] == [step.name for step in expected.path]
    for step, theirs in zip(found["chain"] + found["path"], expected.chain + expected.path, strict=True):
        assert step["margin"] == pytest.approx(theirs.margin, rel=1e-9, abs=1e-12)
        assert step["childMargin"] == pytest.approx(theirs.child_margin, rel=1e-9, abs=1e-12)
    assert [names[row] for row in found["lost"]] == list(expected.lost)
    assert (None if found["stray"] is None else names[found["stray"]]) == expected.stray


@pytest.mark.parametrize("method", sorted(METHODS))
def test_explanations_have_the_numbers_of_python(method, learned, show):
    embedding = learned(method)
    pairs = np.random.default_rng(6).integers(len(embedding), size=(60, 2))
    for found in _explanations(show(embedding), pairs[pairs[:, 0] != pairs[:, 1]].tolist()):
        _assert_same_explanation(found, embedding)


def test_explanations_of_mammals_have_the_numbers_of_python(mammals, show):
    random = np.random.default_rng(7)
    below = random.choice(np.flatnonzero(mammals.hierarchy.depths > 0), 40)
    pairs = [[int(random.choice(mammals.hierarchy.ancestors_of(row))), int(row)] for row in below]
    for found in _explanations(show(mammals), pairs):
        _assert_same_explanation(found, mammals)


def test_shift_and_a_click_explain_a_pair_in_words_and_in_both_directions(mammals, show):
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
    assert f"{expected.child} is {'' if expected.is_a else 'not '}a" in text
    assert f"{math.degrees(expected.angle):.2f}" in text
    assert f"{math.degrees(expected.aperture):.2f}" in text
    opened.button("Ask the other way round").click()
    swapped = opened.ask("h.explanation()")
    assert (swapped["child"], swapped["parent"]) == (found["parent"], found["child"])
    _assert_same_explanation(swapped, mammals)


def test_nodes_are_compared_with_the_keyboard_alone(mammals, show):
    opened = show(mammals, "#node=dog.n.01")
    opened.find("#disk").focus()
    opened.press("e", *"poodle.n.01", "Enter")
    assert opened.ask("h.state.second") == mammals.row("poodle.n.01")
    assert "poodle.n.01 is a dog.n.01." in opened.text("section.verdict")
    opened.press("Escape")
    assert opened.ask("h.state.second") == -1


def test_the_breadcrumb_is_a_path_up_the_edges_and_leads_there(mammals, show):
    opened = show(mammals, "#node=toy_poodle.n.01")
    crumbs = opened.find("nav.crumbs button")
    path = [mammals.row(name) for name in [*crumbs.all_inner_texts(), "toy_poodle.n.01"]]
    assert path[0] in mammals.hierarchy.root_rows
    assert all(parent in mammals.hierarchy.parent_lists[child] for parent, child in pairwise(path))
    crumbs.nth(len(path) - 3).click()
    assert opened.selected == path[-3]


def _list(opened, title: str) -> list[str]:
    """All names in a section of the panel."""
    section = opened.find("#details section.list").filter(has=opened.find("h3", has_text=title))
    while (more := section.locator("button.more:visible")).count():
        more.first.click()
    return section.locator("button.name .label").all_inner_texts()


@pytest.mark.parametrize("name", ["dog.n.01", "mammal.n.01", "toy_poodle.n.01"])
def test_parents_children_and_nearest_are_those_of_python(name, mammals, show):
    opened = show(mammals, f"#node={name}")
    hierarchy, row = mammals.hierarchy, mammals.row(name)
    assert _list(opened, "Parents") == [mammals.names[parent] for parent in hierarchy.parent_lists[row]]
    assert sorted(_list(opened, "Children")) == sorted(mammals.names[child] for child in hierarchy.child_lists[row])
    assert _list(opened, "Nearest") == [near for near, _ in mammals.nearest(name)]


@pytest.mark.parametrize("method", sorted(METHODS))
def test_without_edges_parents_and_children_are_those_of_the_geometry(method, learned, show):
    known = learned(method)
    bare = Embedding(known.names, known.points, known.method, known.settings, known.threshold)
    opened = show(bare)
    for row in range(0, len(bare), 7):
        opened.ask("h.select(argument)", row)
        assert _list(opened, "Parents by geometry") == bare.parents(bare.names[row])
        assert _list(opened, "Children by geometry") == bare.children(bare.names[row])


def test_the_panel_counts_the_nodes_inside_the_unexpected_and_the_missing_ones(learned, show):
    embedding = learned("hyperbolic-cones")
    opened = show(embedding)
    for row, inside in enumerate(map(set, _descendants(embedding, range(len(embedding))))):
        opened.ask("h.select(argument)", row)
        below = set(embedding.hierarchy.descendants_of(row).tolist())
        counts = opened.find("section.agreement .key strong").all_inner_texts()
        assert counts == [str(len(inside)), str(len(inside - below)), str(len(below - inside))]
