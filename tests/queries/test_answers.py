"""Every question is answered twice, as values and as text, and both agree with the embedding."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import hypercone
from hypercone.embedding import Embedding
from hypercone.errors import InputError, UnknownNameError
from hypercone.hierarchy.names import Labels
from hypercone.methods import METHODS, Settings
from hypercone.queries import QUESTIONS, answer, in_words
from hypercone.queries.questions import TEXT, answer_many, ask


def answered(embedding, question, names, limit=0, *, long=False):
    """The answer as values and as text."""
    found = answer(embedding, question, names, limit)
    return SimpleNamespace(values=found.as_dict(), text=in_words(found, long=long))


@pytest.fixture(scope="module")
def pets() -> Embedding:
    """Animal, dog and poodle on one ray, and a stone on the opposite one."""
    points = np.array([[0.3, 0.0], [0.6, 0.01], [0.9, 0.0], [-0.6, 0.0]])
    return Embedding(["animal", "dog", "poodle", "stone"], points, "hyperbolic-cones", Settings(), threshold=0.0)


ASKED = {
    "is-a": ["poodle", "animal"],
    "energy": ["poodle", "animal"],
    "ancestors": ["poodle"],
    "descendants": ["animal"],
    "nearest": ["dog"],
    "vector": ["dog"],
    "search": ["dog"],
    "explain": ["poodle", "animal"],
    "parents": ["poodle"],
    "children": ["animal"],
    "siblings": ["poodle"],
    "lca": ["poodle", "dog"],
    "centroid": ["poodle", "dog"],
}

# Questions that take any number of names, and the smallest number.
OPEN_ENDED = {"lca": 2, "centroid": 1}

PAIR = {"child": "poodle", "child_label": None, "parent": "animal", "parent_label": None}


def test_every_question_is_tested_here():
    assert set(ASKED) == set(QUESTIONS)


def test_is_a_takes_the_child_first_and_gives_the_energy(pets):
    yes, no = answered(pets, "is-a", ["poodle", "animal"]), answered(pets, "is-a", ["animal", "poodle"])
    assert yes.values == PAIR | {"is_a": True, "energy": 0.0, "threshold": 0.0}
    assert yes.text == "poodle is an animal (energy 0, threshold 0)"
    assert no.values["is_a"] is False
    assert no.text.startswith("animal is not a poodle (energy ")


def test_energy_is_that_of_the_embedding(pets):
    found = answered(pets, "energy", ["stone", "animal"])
    assert found.values == PAIR | {"child": "stone", "energy": pets.energy("stone", "animal")}
    assert float(found.text) == pytest.approx(found.values["energy"], rel=1e-5)


def test_a_limit_shortens_the_list_and_says_how_many_are_missing(pets):
    found = answered(pets, "descendants", ["animal"], limit=1)
    assert [item["name"] for item in found.values["descendants"]] == ["dog"]
    assert found.values["count"] == 2
    assert found.text == "animal includes: dog, and 1 more"
    assert "more" not in answered(pets, "descendants", ["animal"], limit=2).text


def test_the_nearest_nodes_have_their_distances(pets):
    found = answered(pets, "nearest", ["dog"], limit=2)
    expected = pets.nearest("dog", 2)
    assert [(each["name"], each["distance"]) for each in found.values["nearest"]] == expected
    assert [line.split()[1] for line in found.text.split("\n")] == [name for name, _ in expected]
    assert len(answered(pets, "nearest", ["dog"]).values["nearest"]) == found.values["count"] == 3


def test_a_vector_is_exact(pets):
    found = answered(pets, "vector", ["dog"])
    assert found.values == {"name": "dog", "label": None, "vector": [0.6, 0.01]}
    assert [float(number) for number in found.text.split()] == [0.6, 0.01]


def test_an_unknown_question_is_refused_with_a_suggestion(pets):
    with pytest.raises(UnknownNameError, match="there is no question 'ancestor'; did you mean ancestors"):
        answered(pets, "ancestor", ["dog"])


@pytest.mark.parametrize(("question", "names"), ASKED.items())
def test_the_wrong_number_of_names_is_refused(pets, question, names):
    too_many = [] if question in OPEN_ENDED else [[*names, "dog"]]
    for wrong in (names[: OPEN_ENDED.get(question, 1) - 1], *too_many):
        with pytest.raises(InputError, match=f"{question} takes {QUESTIONS[question].arguments}"):
            answered(pets, question, wrong)


@pytest.mark.parametrize(("question", "names"), [(name, asked) for name, asked in ASKED.items() if name != "search"])
def test_an_unknown_node_is_refused_with_a_suggestion(pets, question, names):
    with pytest.raises(UnknownNameError, match="there is no node 'podle'; did you mean poodle"):
        answered(pets, question, ["podle", *names[1:]])


def test_a_negative_limit_is_refused(pets):
    with pytest.raises(InputError, match="limit is -1"):
        answered(pets, "ancestors", ["dog"], -1)


def test_by_default_all_relatives_are_listed_but_only_a_few_neighbors_and_matches():
    names = [f"n{row}" for row in range(60)]
    points = np.array([[0.3 + row / 100, 0.0] for row in range(60)])
    ray = Embedding(names, points, "hyperbolic-cones", Settings(), threshold=0.0)
    assert len(answer(ray, "ancestors", ["n59"]).ancestors) == 59
    assert len(answer(ray, "nearest", ["n59"]).nearest) == 10
    assert answer(ray, "nearest", ["n59"]).count == 59
    assert len(answer(ray, "nearest", ["n59"], 0).nearest) == 59
    assert (len(answer(ray, "search", ["N"]).matches), answer(ray, "search", ["N"]).count) == (10, 60)
    assert len(answer(ray, "search", ["n"], 0).matches) == 60


def test_many_questions_are_answered_like_single_ones(pets):
    pairs = [["poodle", "animal"], ["animal", "poodle"]]
    single = [answer(pets, "is-a", pair) for pair in pairs]
    many = answer_many(pets, "is-a", [ask(pets, "is-a", pair) for pair in pairs])
    assert many.is_a == [one.is_a for one in single] == [True, False]
    assert many.energies == [one.energy for one in single]
    assert answer_many(pets, "energy", [ask(pets, "energy", pair) for pair in pairs]).energies == many.energies
    assert answer_many(pets, "is-a", []).as_dict() == {"threshold": 0.0, "is_a": [], "energies": []}
    reasons = answer_many(pets, "explain", [ask(pets, "explain", pair) for pair in pairs])
    assert reasons.as_dict() == {"results": [answer(pets, "explain", pair).as_dict() for pair in pairs]}
    assert answer_many(pets, "vector", []).as_dict() == {"results": []}


ABOUT_NODES = [name for name, question in QUESTIONS.items() if question.arguments != TEXT]

LISTS = ("ancestors", "descendants", "parents", "children", "siblings")


def _names(found, kind):
    return [item["name"] for item in found.values[kind]]


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("name", ["animal", "mammal", "dog", "poodle"])
def test_a_list_of_relatives_is_that_of_the_embedding(animals, kind, name):
    found = answered(animals, kind, [name])
    assert _names(found, kind) == getattr(animals, kind)(name)
    assert found.values["count"] == len(found.values[kind])


def test_each_list_of_relatives_has_its_sentence(animals):
    assert answered(animals, "parents", ["poodle"]).text == "poodle has the parents: dog"
    assert answered(animals, "children", ["dog"]).text == f"dog has the children: {', '.join(animals.children('dog'))}"
    assert answered(animals, "siblings", ["owl"]).text == "owl has the siblings: pelican"
    assert answered(animals, "parents", ["animal"]).text == "animal has the parents: nothing"
    assert answered(animals, "ancestors", ["poodle"]).text == "poodle is a: animal, mammal, dog"
    assert answered(animals, "descendants", ["bird"]).text == "bird includes: owl, pelican"
    assert answered(animals, "descendants", ["owl"]).text == "owl includes: nothing"


def test_depth_is_the_longest_path_from_a_root_and_margin_is_that_of_the_explanation(animals):
    found = answered(animals, "ancestors", ["poodle"]).values["ancestors"]
    assert [item["depth"] for item in found] == [0, 1, 2]
    for item in found:
        explained = animals.explain("poodle", item["name"])
        assert item["margin"] == explained.margin > 0
    below = answered(animals, "descendants", ["mammal"]).values["descendants"]
    assert {item["name"]: item["depth"] for item in below} == {"dog": 2, "cat": 2, "poodle": 3, "beagle": 3}
    assert [item["margin"] for item in below] == [animals.explain(item["name"], "mammal").margin for item in below]


def test_without_edges_the_depth_is_not_known(animals):
    alone = replace(animals, edges=None)
    assert [item["depth"] for item in answered(alone, "ancestors", ["poodle"]).values["ancestors"]] == [None] * 3
    assert "     -  " in answered(alone, "ancestors", ["poodle"], long=True).text


def test_a_sibling_lists_the_shared_parents(animals):
    (beagle,) = answered(animals, "siblings", ["poodle"]).values["siblings"]
    dog = {"name": "dog", "label": None}
    assert beagle == {"name": "beagle", "label": None, "depth": 3, "parents": [dog]}


def test_long_is_a_table(animals):
    lines = answered(animals, "ancestors", ["poodle"], long=True).text.splitlines()
    assert lines[0] == "poodle is a:"
    assert lines[1].split() == ["depth", "margin", "name"]
    assert [line.split()[::2] for line in lines[2:]] == [["0", "animal"], ["1", "mammal"], ["2", "dog"]]
    assert answered(animals, "siblings", ["poodle"], long=True).text.splitlines()[2].split() == ["3", "dog", "beagle"]
    assert answered(animals, "parents", ["animal"], long=True).text == "animal has the parents: nothing"
    cut = answered(animals, "descendants", ["animal"], limit=1, long=True)
    assert cut.text.splitlines()[-1] == "and 7 more"


def test_labels_are_shown_beside_names(labeled):
    found = answered(labeled, "ancestors", ["A:3"])
    assert found.text == "A:3 is a: A:0 (animal), A:1 (bird)"
    assert found.values["name"] == "A:3"
    assert found.values["label"] is None
    assert found.values["ancestors"][1]["label"] == "bird"
    assert answered(labeled, "is-a", ["A:5", "A:2"]).text.startswith("A:5 (dog) is an A:2 (mammal) (energy")
    assert answered(labeled, "is-a", ["A:5", "A:2"]).values["child_label"] == "dog"
    assert "A:5 (dog)" in answered(labeled, "nearest", ["A:2"]).text


@pytest.mark.parametrize("question", ABOUT_NODES)
def test_a_label_is_accepted_in_place_of_a_name(labeled, question):
    names = {"CHILD PARENT": ["A:5", "A:2"], "NAME": ["A:5"]}.get(QUESTIONS[question].arguments, ["A:5", "A:2"])
    by_label = [labeled.display_name(labeled.row(name)).upper() for name in names]
    assert by_label != names
    assert answered(labeled, question, by_label) == answered(labeled, question, names)


@pytest.mark.parametrize("question", ABOUT_NODES)
def test_a_label_of_several_nodes_is_refused_with_their_names(labeled, question):
    names = ["pet"] if QUESTIONS[question].arguments.startswith("NAME") else ["A:5", "pet"]
    names = ["pet", "A:2"] if question == "lca" else names
    with pytest.raises(InputError, match="'pet' is the label of 2 nodes: A:7, A:8; give one of these names"):
        answered(labeled, question, names)


def _with_poodle_at(animals, other):
    points = animals.points.copy()
    points[animals.row("poodle")] = animals[other]
    return replace(animals, points=points)


def test_lca_by_geometry_and_by_graph(animals):
    found = answered(animals, "lca", ["poodle", "cat", "beagle"])
    assert found.values == {
        "names": ["poodle", "cat", "beagle"],
        "labels": [None, None, None],
        "geometry": [{"name": "mammal", "label": None, "depth": 1}],
        "graph": [{"name": "mammal", "label": None, "depth": 1}],
        "agree": True,
    }
    assert found.text.splitlines() == [
        "The lowest common ancestors of poodle, cat and beagle:",
        "  by geometry   mammal",
        "  by the graph  mammal",
        "Geometry and graph agree.",
    ]


def test_lca_says_when_geometry_and_graph_disagree_or_there_is_no_graph(animals):
    moved = answered(_with_poodle_at(animals, "cat"), "lca", ["poodle", "beagle"])
    assert [item["name"] for item in moved.values["geometry"]] == ["mammal"]
    assert [item["name"] for item in moved.values["graph"]] == ["dog"]
    assert moved.values["agree"] is False
    assert moved.text.endswith("Geometry and graph disagree.")
    alone = answered(replace(animals, edges=None), "lca", ["poodle", "cat"])
    assert (alone.values["graph"], alone.values["agree"]) == (None, None)
    assert alone.text.endswith("by the graph  unknown, as the model has no edges")


def test_unrelated_nodes_have_no_common_ancestor(perfect):
    apart = perfect(hypercone.Hierarchy.from_pairs([("a", "b"), ("c", "d")]))
    found = answered(apart, "lca", ["b", "d"])
    assert (found.values["geometry"], found.values["graph"], found.values["agree"]) == ([], [], True)
    assert "by geometry   none" in found.text


def test_a_centroid_is_a_point_with_its_ancestors_and_nearest_nodes(animals):
    found = answered(animals, "centroid", ["poodle", "beagle"], limit=2)
    point = animals.centroid(["poodle", "beagle"])
    assert found.values["names"] == ["poodle", "beagle"]
    assert found.values["point"] == point.tolist()
    every = animals.ancestors_of_point(point)
    assert [item["name"] for item in found.values["ancestors"]] == every[:2] == ["animal", "mammal"]
    assert all(item["margin"] >= 0 for item in found.values["ancestors"])
    assert found.values["count"] == len(every)
    assert len(found.values["nearest"]) == 2
    first, second, third = found.text.splitlines()
    assert first == "The centroid of poodle and beagle"
    assert second.startswith("  is a: animal, mammal, and ")
    assert third.startswith("  is near: ")
    whole = answered(animals, "centroid", ["poodle", "beagle"])
    assert [item["name"] for item in whole.values["ancestors"]] == every
    assert len(whole.values["nearest"]) == len(animals)


def test_the_centroid_of_one_node_has_its_ancestors_and_is_nearest_to_it(animals):
    found = answered(animals, "centroid", ["poodle"])
    assert [item["name"] for item in found.values["ancestors"]][:3] == animals.ancestors("poodle")
    assert found.values["nearest"][0]["name"] == "poodle"


def test_a_positive_verdict_is_explained_by_the_cone_the_chain_and_the_graph(animals):
    found = answered(animals, "explain", ["poodle", "mammal"])
    lines = found.text.splitlines()
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


def test_a_negative_verdict_is_explained_too(animals):
    found = answered(animals, "explain", ["owl", "mammal"])
    lines = found.text.splitlines()
    assert lines[0] == "owl is not a mammal."
    assert "outside" in lines[4]
    assert lines[5:] == ["By the graph: there is no way up from owl to mammal.", "Geometry and graph agree."]
    assert found.values["chain"] == found.values["path"] == []


def test_an_explanation_says_where_geometry_and_graph_disagree(animals):
    moved = _with_poodle_at(animals, "cat")
    lost = answered(moved, "explain", ["poodle", "dog"]).text.splitlines()
    assert lost[-2] == "By the graph: poodle → dog, an edge."
    assert lost[-1].startswith("Geometry and graph disagree: poodle is lost at dog (margin -")
    through = answered(moved, "explain", ["poodle", "animal"]).text.splitlines()[-1]
    assert through.startswith("Geometry and graph agree, but poodle is lost at dog (margin -")
    strays = answered(_with_poodle_at(animals, "owl"), "explain", ["poodle", "bird"])
    assert strays.values["stray"] == "owl"
    assert strays.text.endswith("disagree: owl is the first step up that is not above it in the graph.")


def test_a_node_with_itself_and_a_model_without_edges_are_explained(animals):
    assert "By the graph: they are one node." in answered(animals, "explain", ["owl", "owl"]).text
    alone = answered(replace(animals, edges=None), "explain", ["poodle", "mammal"])
    assert alone.text.endswith("By the graph: unknown, as the model has no edges.")
    assert (alone.values["graph"], alone.values["agrees"]) == (None, None)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_has_an_answer_for_every_method(animals, method, question):
    # The points are meaningless for the other methods, but there is an answer.
    embedding = replace(animals, method=method, threshold=0.1)
    names = ["poodle"] if QUESTIONS[question].takes(1) else ["poodle", "mammal"]
    for each in (names, names[::-1]):
        found = answered(embedding, question, each)
        assert json.loads(json.dumps(found.values, allow_nan=False)) == found.values
        assert found.text


NAMES = ["HP:1", "HP:2", "HP:3", "HP:4", "HP:5", "heart", "HP:7"]

LABELS = ["Heart block", "Abnormal heart", "HEART", "", "heartburn", "", "Straße"]


@pytest.fixture(scope="module")
def terms() -> Embedding:
    points = np.array([[0.1 * (row + 1), 0.1] for row in range(len(NAMES))])
    return Embedding(NAMES, points, "order", Settings(), 0.0, labels=Labels(LABELS))


def test_search_lists_whole_matches_then_prefixes_then_parts(terms):
    assert terms.search("heart") == ["HP:3", "heart", "HP:5", "HP:1", "HP:2"]
    assert terms.search("HEART") == terms.search("Heart") == terms.search("heart")
    assert terms.search("hp:2") == ["HP:2"]
    assert terms.search("STRASSE") == ["HP:7"]


def test_search_orders_equal_matches_by_length_and_row(terms):
    assert terms.search("hp:") == ["HP:1", "HP:2", "HP:3", "HP:4", "HP:5", "HP:7"]
    assert terms.search("b") == ["HP:5", "HP:1", "HP:2"]


def test_a_search_limit_shortens_the_list_but_not_the_count(terms):
    assert terms.search("heart", limit=2) == ["HP:3", "heart"]
    assert len(terms.search("h", limit=0)) == 7
    found = answer(terms, "search", ["heart"], 2)
    assert ([node.name for node in found.matches], found.count) == (["HP:3", "heart"], 5)
    assert in_words(found) == "'heart' is found in: HP:3 (HEART), heart, and 3 more"


@pytest.mark.parametrize("text", ["lung", "heart\nHP", "heartheart", "x" * 100_000, "h.art", "\0"])
def test_search_finds_nothing_for_a_text_that_does_not_occur(terms, text):
    assert terms.search(text) == []
    assert in_words(answer(terms, "search", [text])).endswith("is found in: nothing")


def test_search_finds_every_occurrence(terms):
    for text in {letters for line in (*NAMES, *LABELS) for letters in (line[:1], line[1:3], line[-2:]) if letters}:
        part = text.casefold()
        expected = {name for name, label in zip(NAMES, LABELS, strict=True) if part in (name + "\n" + label).casefold()}
        assert set(terms.search(text, limit=0)) == expected


def test_an_empty_search_and_a_negative_limit_are_refused(terms):
    with pytest.raises(InputError, match="the text to search for is empty; give at least one character"):
        terms.search("")
    with pytest.raises(InputError, match="limit is -1, but must be at least 0"):
        terms.search("heart", limit=-1)
