"""The page asks the graph or geometry, as Python does with ``by``: the same rows in the same order, and it says so."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import hypercone
from hypercone.embedding import Embedding
from hypercone.methods import METHODS, Settings
from hypercone.queries.wording import ORIGINS

RELATIONS = ("parents", "children", "siblings", "ancestors", "descendants")
ALL = f"argument.map(row => [{', '.join(f'h.{relation}(row)' for relation in RELATIONS)}])"
EXPLAIN = "argument.map(([one, other]) => (h.select(one), h.second(other), h.explanation()))"


def _answers(embedding: Embedding, rows: list[int], by: str) -> list[list[list[int]]]:
    """What Python answers, in the order of ``ALL``."""
    names = [embedding.names[row] for row in rows]
    return [
        [[embedding.row(found) for found in getattr(embedding, relation)(name, by=by)] for relation in RELATIONS]
        for name in names
    ]


@pytest.mark.parametrize("by", ["graph", "geometry"])
@pytest.mark.parametrize("method", sorted(METHODS))
def test_all_relatives_and_verdicts_of_every_node_are_those_of_python(method, by, learned, show):
    embedding = learned(method)
    opened, rows = show(embedding, f"#by={by}"), list(range(len(embedding)))
    assert opened.ask(ALL, rows) == _answers(embedding, rows, by)
    pairs = np.random.default_rng(2).integers(len(embedding), size=(600, 2))
    verdicts = set()
    for found in opened.ask(EXPLAIN, pairs[pairs[:, 0] != pairs[:, 1]].tolist()):
        child, parent = (embedding.names[found[one]] for one in ("child", "parent"))
        expected = embedding.explain(child, parent, by=by)
        assert (found["verdict"], found["by"], found["isA"]) == (expected.is_a, expected.by, expected.geometry)
        verdicts.add((found["verdict"], found["agrees"]))
    assert len(verdicts) == 4, "there are no pairs on which the two differ"


@pytest.mark.parametrize("model", ["mammals", "nouns"])
def test_the_relatives_of_200_nodes_of_wordnet_are_those_of_its_graph(model, request, show):
    embedding = request.getfixturevalue(model)
    rows = np.random.default_rng(17).choice(len(embedding), 200, replace=False).tolist()
    opened = show(embedding)
    assert opened.ask("h.state.by") == "graph"
    assert opened.ask(ALL, rows) == _answers(embedding, rows, "graph")


def test_an_edge_that_follows_from_others_has_no_place_among_parents_and_children(show):
    pairs = [("animal", "dog"), ("dog", "poodle"), ("animal", "poodle"), ("animal", "cat")]
    pets = hypercone.fit(hypercone.Hierarchy.from_pairs(pairs), method="nested-caps", dim=2)
    opened = show(pets)
    names = opened.ask("h.model.names")
    assert [names[row] for row in opened.ask("h.parents(argument)", pets.row("poodle"))] == ["dog"]
    assert [names[row] for row in opened.ask("h.children(argument)", pets.row("animal"))] == ["dog", "cat"]
    opened.ask("h.select(argument)", pets.row("poodle"))
    assert opened.find("nav.crumbs button").all_inner_texts() == ["animal", "dog"]
    # It is drawn, and it is the shortest reason.
    opened.ask("h.second(argument)", pets.row("animal"))
    assert "An edge." in opened.text("section.verdict")


@pytest.fixture(scope="module")
def wrong() -> Embedding:
    """By the graph a dog is an animal; by geometry it is a plant, and the animal has nothing inside."""
    points = np.array([[0.3, 0.0], [-0.3, 0.0], [-0.9, 0.0]])
    names, edges = ["animal", "plant", "dog"], np.array([[0, 2]], np.int32)
    return Embedding(names, points, "hyperbolic-cones", Settings(), 0.0, edges=edges)


def _titles(opened) -> list[str]:
    titles = opened.find("#details h3:has(.by), #details .fold :has(> .by)").all_inner_texts()
    return [title.rstrip(" 0123456789") for title in titles]


def test_the_switch_changes_every_answer_and_every_list_says_what_answered(wrong, show):
    opened, (animal, plant, dog) = show(wrong), range(3)
    graph, geometry = opened.button("Graph"), opened.button("Geometry")
    seen = {}
    for by, button in (("geometry", geometry), ("graph", graph)):
        button.click()
        assert [one.get_attribute("aria-pressed") for one in (graph, geometry)] == [
            str(by == "graph").lower(),
            str(by == "geometry").lower(),
        ]
        opened.ask("h.select(argument)", dog)
        words = {"graph": "by the graph", "geometry": "by geometry"}[by]
        kinds = ("Descendants", "Parents", "Children", "Siblings", "Ancestors")
        assert _titles(opened) == [*(f"{kind} {words}" for kind in kinds), "Nearest by geometry"]
        assert words in opened.text("#live")
        opened.ask("h.select(argument)", plant)
        lit, verdicts = opened.ask("h.highlighted()"), []
        for other in (animal, plant):
            opened.ask("(h.select(argument), h.second(2))", other)
            verdicts.append(opened.text("section.verdict .says"))
        seen[by] = lit, verdicts
        assert "Geometry and graph disagree" in opened.text("section.verdict")
        assert [part in opened.text("section.verdict") for part in ("By the graph", "By geometry")] == [True, True]
    assert seen == {
        "graph": ([], ["dog is an animal. by the graph", "dog is not a plant. by the graph"]),
        "geometry": ([dog], ["dog is not an animal. by geometry", "dog is a plant. by geometry"]),
    }


def test_the_disk_marks_what_only_one_of_the_two_says_and_the_panel_counts_it(wrong, show):
    opened = show(wrong)
    counts = """[...document.querySelectorAll("section.agreement .key")].map(one => one.textContent)"""
    marks = "(h.select(argument), Array.from(h.state.inside))"
    assert opened.ask(marks, 0) == [0, 0, 2]
    assert opened.ask(counts) == ["1 below it", "1 below, but outside its cone", "0 inside its cone, but not below"]
    assert opened.ask(marks, 1) == [0, 0, 3]
    opened.press("a")
    assert opened.ask("Array.from(h.state.inside)") == [0, 0, 2]
    opened.ask("h.select(0)")
    assert opened.ask(counts) == [
        "0 inside its cone",
        "0 inside, but not below in the graph",
        "1 below in the graph, but outside",
    ]
    opened.ask("h.select(2)")
    assert opened.find("section.list .name .note").first.inner_text() == "not by the graph"


def test_the_switch_works_with_the_keyboard_and_the_address_remembers_it(wrong, show):
    opened = show(wrong)
    opened.ask("(h.select(0), h.second(2))")
    assert opened.ask("h.explanation().verdict") is True
    opened.find("#disk").focus()
    opened.press("a")
    assert opened.ask("[h.state.by, h.state.second, h.explanation().verdict]") == ["geometry", 2, False]
    opened.until("location.hash.includes('by=geometry')")
    again = show(wrong, opened.page.evaluate("location.hash"))
    assert again.ask("[h.state.by, h.state.second]") == ["geometry", 2]
    opened.button("Graph").focus()
    opened.press("Enter")
    assert (opened.ask("h.state.by"), opened.focused) == ("graph", "Graph")
    opened.until("!location.hash.includes('by=')")


def test_without_edges_there_is_no_switch_and_a_model_of_a_split_answers_by_geometry(wrong, show):
    bare = Embedding(wrong.names, wrong.points, wrong.method, wrong.settings, 0.0)
    opened = show(bare, "#by=graph")
    assert opened.ask("h.state.by") == "geometry"
    assert opened.button("Graph").count() == opened.button("Geometry").count() == 0
    opened.find("#disk").focus()
    opened.press("a")
    assert opened.ask("h.state.by") == "geometry"
    split = replace(wrong, record={"split": {"percent": 50}})
    opened = show(split)
    assert opened.ask("h.state.by") == split.default_by == "geometry"
    opened.button("Graph").click()
    opened.until("location.hash.includes('by=graph')")


@pytest.fixture(scope="module")
def mixed(tree) -> Embedding:
    """A tree, two nodes at points in it, and one placed under one of these."""
    first, second = tree.points[tree.row("r.0")], tree.points[tree.row("r.1.1.0")]
    with_two = tree.add("between", point=first * 1.02).add("deep", point=second * 1.001)
    return with_two.add("under", ["between"])


def test_nodes_placed_by_a_point_are_judged_by_geometry_and_rows_of_mixed_lists_say_so(mixed, show):
    opened, rows = show(mixed), list(range(len(mixed)))
    assert opened.ask(ALL, rows) == _answers(mixed, rows, "graph")
    pairs = [[one, other] for one in rows[-3:] for other in rows if one != other]
    for found in opened.ask(EXPLAIN, pairs):
        child, parent = (mixed.names[found[one]] for one in ("child", "parent"))
        expected = mixed.explain(child, parent)
        assert (found["verdict"], found["by"], found["isA"]) == (expected.is_a, expected.by, expected.geometry)
    assert opened.text("#title") == "r"
    opened.ask("h.select(argument)", mixed.row("deep"))
    assert "Depth" not in opened.text("#details")
    graph, seen = mixed.relatives("graph"), set()
    for row, (title, relation) in product(rows, (("Parents", graph.parents), ("Children", graph.children))):
        opened.ask("h.select(argument)", row)
        section = opened.find("#details section.list").filter(has=opened.find("h3", has_text=title))
        origins = graph.origins(row, relation(row))
        notes = [text.split("\n")[1:] for text in section.locator("button.name").all_inner_texts()]
        if len(set(origins)) > 1:
            assert f"{title} by the graph and by geometry" in section.inner_text()
            assert notes == [["by geometry"] if origin == "geometry" else [] for origin in origins]
        elif origins:
            assert f"{title} {ORIGINS[origins[0]]}" in section.inner_text()
        seen.add(frozenset(origins))
    assert len(seen) == 4, "some kind of list was not tested"
