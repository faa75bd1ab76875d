"""lca, centroid and explain: values that add up, and words that a person can read."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from hypercone.methods import METHODS
from hypercone.queries import QUESTIONS, answer, in_words


def told(embedding, question, names, limit=0, *, long=False):
    """The answer in values and in words."""
    found = answer(embedding, question, names, limit)
    return SimpleNamespace(values=found.as_dict(), words=in_words(found, long=long))


def _without_edges(embedding):
    return replace(embedding, edges=None)


def _with_poodle_at(animals, other):
    points = animals.points.copy()
    points[animals.row("poodle")] = animals[other]
    return replace(animals, points=points)


def test_lca_by_geometry_and_by_graph(animals):
    found = told(animals, "lca", ["poodle", "cat", "beagle"])
    assert found.values == {
        "names": ["poodle", "cat", "beagle"],
        "labels": [None, None, None],
        "geometry": [{"name": "mammal", "label": None, "depth": 1}],
        "graph": [{"name": "mammal", "label": None, "depth": 1}],
        "agree": True,
    }
    assert found.words.splitlines() == [
        "The lowest common ancestors of poodle, cat and beagle:",
        "  by geometry   mammal",
        "  by the graph  mammal",
        "Geometry and graph agree.",
    ]


def test_lca_says_when_geometry_and_graph_disagree_or_there_is_no_graph(animals):
    moved = told(_with_poodle_at(animals, "cat"), "lca", ["poodle", "beagle"])
    assert [item["name"] for item in moved.values["geometry"]] == ["mammal"]
    assert [item["name"] for item in moved.values["graph"]] == ["dog"]
    assert moved.values["agree"] is False
    assert moved.words.endswith("Geometry and graph disagree.")
    alone = told(_without_edges(animals), "lca", ["poodle", "cat"])
    assert (alone.values["graph"], alone.values["agree"]) == (None, None)
    assert alone.words.endswith("by the graph  unknown, as the model has no edges")


def test_nodes_without_anything_in_common_have_no_lca(perfect):
    import hypercone

    apart = perfect(hypercone.Hierarchy.from_pairs([("a", "b"), ("c", "d")]))
    found = told(apart, "lca", ["b", "d"])
    assert (found.values["geometry"], found.values["graph"], found.values["agree"]) == ([], [], True)
    assert "by geometry   none" in found.words


def test_a_centroid_is_a_point_its_ancestors_and_what_is_near(animals):
    found = told(animals, "centroid", ["poodle", "beagle"], limit=2)
    point = animals.centroid(["poodle", "beagle"])
    assert found.values["names"] == ["poodle", "beagle"]
    assert found.values["point"] == point.tolist()
    every = animals.ancestors_of_point(point)
    assert [item["name"] for item in found.values["ancestors"]] == every[:2] == ["animal", "mammal"]
    assert all(item["margin"] >= 0 for item in found.values["ancestors"])
    assert found.values["count"] == len(every)
    assert len(found.values["nearest"]) == 2
    first, second, third = found.words.splitlines()
    assert first == "The centroid of poodle and beagle"
    assert second.startswith("  is a: animal, mammal, and ")
    assert third.startswith("  is near: ")
    whole = told(animals, "centroid", ["poodle", "beagle"])
    assert [item["name"] for item in whole.values["ancestors"]] == every
    assert len(whole.values["nearest"]) == len(animals)


def test_the_centroid_of_one_node_is_above_all_that_node(animals):
    found = told(animals, "centroid", ["poodle"])
    assert [item["name"] for item in found.values["ancestors"]][:3] == animals.ancestors("poodle")
    assert found.values["nearest"][0]["name"] == "poodle"


def test_a_yes_is_explained_by_the_cone_the_chain_and_the_graph(animals):
    found = told(animals, "explain", ["poodle", "mammal"])
    lines = found.words.splitlines()
    assert lines[0] == "poodle is a mammal."
    assert [line.split()[0] for line in lines[1:5]] == ["angle", "aperture", "threshold", "margin"]
    assert "inside" in lines[4]
    assert lines[5].startswith("By geometry: poodle → dog → mammal, with margins 0.")
    assert lines[6] == "By the graph: poodle → dog → mammal, which follows from 2 edges."
    assert lines[7:] == ["Geometry and graph agree."]
    values = found.values
    assert values["margin"] == pytest.approx(values["aperture"] + values["threshold"] - values["angle"])
    assert values["margin_degrees"] == pytest.approx(values["margin"] * 57.29577951308232)
    assert [step["name"] for step in values["chain"]] == ["dog", "mammal"]
    assert (values["graph"], values["agrees"], values["lost"]) == ("closure", True, [])


def test_a_no_is_explained_too(animals):
    found = told(animals, "explain", ["owl", "mammal"])
    lines = found.words.splitlines()
    assert lines[0] == "owl is not a mammal."
    assert "outside" in lines[4]
    assert lines[5:] == ["By the graph: there is no way up from owl to mammal.", "Geometry and graph agree."]
    assert found.values["chain"] == found.values["path"] == []


def test_an_explanation_says_where_geometry_and_graph_part(animals):
    moved = _with_poodle_at(animals, "cat")
    lost = told(moved, "explain", ["poodle", "dog"]).words.splitlines()
    assert lost[-2] == "By the graph: poodle → dog, an edge."
    assert lost[-1].startswith("Geometry and graph disagree: poodle is lost at dog (margin -")
    through = told(moved, "explain", ["poodle", "animal"]).words.splitlines()[-1]
    assert through.startswith("Geometry and graph agree, but poodle is lost at dog (margin -")
    strays = told(_with_poodle_at(animals, "owl"), "explain", ["poodle", "bird"])
    assert strays.values["stray"] == "owl"
    assert strays.words.endswith("disagree: owl is the first step up that is not above it in the graph.")


def test_a_node_and_itself_and_a_model_without_edges(animals):
    assert "By the graph: they are one node." in told(animals, "explain", ["owl", "owl"]).words
    alone = told(_without_edges(animals), "explain", ["poodle", "mammal"])
    assert alone.words.endswith("By the graph: unknown, as the model has no edges.")
    assert (alone.values["graph"], alone.values["agrees"]) == (None, None)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_can_be_asked_of_every_method(animals, method, question):
    # The places mean nothing to the other methods, but every one has an answer.
    embedding = replace(animals, method=method, threshold=0.1)
    names = ["poodle"] if QUESTIONS[question].takes(1) else ["poodle", "mammal"]
    for each in (names, names[::-1]):
        found = told(embedding, question, each)
        assert json.loads(json.dumps(found.values, allow_nan=False)) == found.values
        assert found.words
