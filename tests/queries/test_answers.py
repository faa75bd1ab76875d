"""Every question is answered as values and as text; tests/service compares the values in all interfaces."""

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
from hypercone.queries.questions import answer_many, ask


def answered(embedding, question, names, limit=0, *, by=None, long=False):
    """The answer as values and as text."""
    found = answer(embedding, question, names, limit, by)
    return SimpleNamespace(values=found.as_dict(), text=in_words(found, long=long))


def arguments_of(question, two=("poodle", "animal")):
    """A pair or a group of two, or one node or text."""
    return [*two] if QUESTIONS[question].takes(2) else [two[0]]


def _names(items):
    return [item["name"] for item in items]


def _with_poodle_at(animals, other):
    points = animals.points.copy()
    points[animals.row("poodle")] = animals[other]
    return replace(animals, points=points)


@pytest.mark.parametrize(
    ("question", "names", "limit", "text"),
    [
        ("is-a", ["poodle", "animal"], 0, "poodle is an animal (by the graph)"),
        ("parents", ["poodle"], 0, "poodle has the parents (by the graph): dog"),
        ("parents", ["animal"], 0, "animal has the parents (by the graph): nothing"),
        ("children", ["animal"], 0, "animal has the children (by the graph): bird, mammal"),
        ("siblings", ["owl"], 0, "owl has the siblings (by the graph): pelican"),
        ("ancestors", ["poodle"], 0, "poodle is a (by the graph): animal, mammal, dog"),
        ("descendants", ["owl"], 0, "owl includes (by the graph): nothing"),
        ("descendants", ["bird"], 1, "bird includes (by the graph): owl, and 1 more"),
        ("descendants", ["bird"], 2, "bird includes (by the graph): owl, pelican"),
        ("similarity", ["poodle", "cat"], 0, "poodle and cat: 0.2675 (lin; common ancestor: mammal)"),
        ("most-similar", ["poodle"], 1, "The most similar to poodle, by lin:\n  0.6667  dog"),
    ],
)
def test_an_answer_has_its_sentence(animals, question, names, limit, text):
    assert answered(animals, question, names, limit).text == text


def test_a_pair_has_the_child_first_and_the_energy_of_the_embedding(animals):
    pair = {"child": "owl", "child_label": None, "parent": "dog", "parent_label": None}
    no, energy = answered(animals, "is-a", ["owl", "dog"]), answered(animals, "energy", ["owl", "dog"])
    assert energy.values == pair | {"energy": animals.energy("owl", "dog"), "by": "geometry"}
    assert no.values == energy.values | {"is_a": False, "threshold": 0.0, "by": "graph"}
    assert no.text == "owl is not a dog (by the graph)"
    assert answered(animals, "is-a", ["owl", "dog"], by="geometry").text.startswith(
        "owl is not a dog (by geometry: energy "
    )
    assert float(energy.text) == pytest.approx(energy.values["energy"], rel=1e-5)


def test_the_nearest_nodes_and_a_vector_are_exact(animals):
    found, vector = answered(animals, "nearest", ["dog"], limit=2), answered(animals, "vector", ["dog"])
    expected = animals.nearest("dog", 2)
    assert [(each["name"], each["distance"]) for each in found.values["nearest"]] == expected
    heading, *lines = found.text.split("\n")
    assert heading == "The nearest to dog, by hyperbolic distance:"
    assert [line.split()[1] for line in lines] == [name for name, _ in expected]
    assert len(answered(animals, "nearest", ["dog"]).values["nearest"]) == found.values["count"] == len(animals) - 1
    assert vector.values == {"name": "dog", "label": None, "vector": animals["dog"].tolist()}
    assert [float(number) for number in vector.text.split()] == animals["dog"].tolist()


def test_an_unknown_question_and_a_negative_limit_are_refused(animals):
    with pytest.raises(UnknownNameError, match="there is no question 'ancestor'; did you mean ancestors"):
        answered(animals, "ancestor", ["dog"])
    with pytest.raises(InputError, match="limit is -1"):
        answered(animals, "ancestors", ["dog"], -1)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_wrong_number_of_names_and_an_unknown_node_are_refused(animals, question):
    names = arguments_of(question)
    for number in {"lca": (0, 1), "centroid": (0,)}.get(question, (0, len(names) + 1)):
        with pytest.raises(InputError, match=f"{question} takes {QUESTIONS[question].arguments}"):
            answered(animals, question, (names * 2)[:number])
    if question != "search":
        with pytest.raises(UnknownNameError, match="there is no node 'podle'; did you mean poodle"):
            answered(animals, question, ["podle", *names[1:]])


def test_by_default_all_relatives_are_listed_but_only_a_few_neighbors_and_matches():
    points = np.array([[0.3 + row / 100, 0.0] for row in range(60)])
    ray = Embedding([f"n{row}" for row in range(60)], points, "hyperbolic-cones", Settings(), threshold=0.0)
    assert len(answer(ray, "ancestors", ["n59"]).ancestors) == 59
    assert len(answer(ray, "nearest", ["n59"]).nearest) == 10
    assert answer(ray, "nearest", ["n59"]).count == len(answer(ray, "nearest", ["n59"], 0).nearest) == 59
    assert (len(answer(ray, "search", ["N"]).matches), answer(ray, "search", ["N"]).count) == (10, 60)
    assert len(answer(ray, "search", ["n"], 0).matches) == 60


def test_many_questions_are_answered_like_single_ones(animals):
    pairs = [["poodle", "animal"], ["animal", "poodle"]]
    single = [answer(animals, "is-a", pair) for pair in pairs]
    many = answer_many(animals, "is-a", [ask(animals, "is-a", pair) for pair in pairs])
    assert many.is_a == [one.is_a for one in single] == [True, False]
    assert many.energies == [one.energy for one in single]
    assert answer_many(animals, "energy", [ask(animals, "energy", pair) for pair in pairs]).energies == many.energies
    assert answer_many(animals, "is-a", []).as_dict() == {
        "threshold": 0.0,
        "is_a": [],
        "energies": [],
        "by": "graph",
        "by_pair": None,
    }
    reasons = answer_many(animals, "explain", [ask(animals, "explain", pair) for pair in pairs])
    assert reasons.as_dict() == {"results": [answer(animals, "explain", pair).as_dict() for pair in pairs]}
    assert answer_many(animals, "vector", []).as_dict() == {"results": []}


def test_depth_is_the_longest_path_from_a_root_and_margin_is_that_of_the_explanation(animals):
    found = answered(animals, "ancestors", ["poodle"]).values["ancestors"]
    assert [item["depth"] for item in found] == [0, 1, 2]
    for item in found:
        assert item["margin"] == animals.explain("poodle", item["name"]).margin > 0
    below = answered(animals, "descendants", ["mammal"]).values["descendants"]
    assert {item["name"]: item["depth"] for item in below} == {"dog": 2, "cat": 2, "poodle": 3, "beagle": 3}
    assert [item["margin"] for item in below] == [animals.explain(item["name"], "mammal").margin for item in below]
    (beagle,) = answered(animals, "siblings", ["poodle"]).values["siblings"]
    assert beagle == {"name": "beagle", "label": None, "depth": 3, "by": "graph"} | {
        "parents": [{"name": "dog", "label": None}]
    }


def test_long_is_a_table(animals):
    lines = answered(animals, "ancestors", ["poodle"], long=True).text.splitlines()
    assert lines[0] == "poodle is a (by the graph):"
    assert lines[1].split() == ["depth", "margin", "by", "name"]
    cells = [line.split() for line in lines[2:]]
    assert [(cell[0], *cell[2:]) for cell in cells] == [
        ("0", "graph", "animal"),
        ("1", "graph", "mammal"),
        ("2", "graph", "dog"),
    ]
    assert answered(animals, "siblings", ["poodle"], long=True).text.splitlines()[2].split() == [
        "3",
        "dog",
        "graph",
        "beagle",
    ]
    assert answered(animals, "parents", ["animal"], long=True).text == (
        "animal has the parents (by the graph): nothing"
    )
    assert answered(animals, "descendants", ["animal"], limit=1, long=True).text.splitlines()[-1] == "and 7 more"


def test_labels_are_shown_beside_names(labeled):
    found = answered(labeled, "ancestors", ["A:3"])
    assert found.text == "A:3 is a (by the graph): A:0 (animal), A:1 (bird)"
    assert (found.values["name"], found.values["label"], found.values["ancestors"][1]["label"]) == ("A:3", None, "bird")
    pair = answered(labeled, "is-a", ["A:5", "A:2"])
    assert pair.text.startswith("A:5 (dog) is an A:2 (mammal) (by the graph")
    assert pair.values["child_label"] == "dog"
    assert "A:5 (dog)" in answered(labeled, "nearest", ["A:2"]).text


@pytest.mark.parametrize("question", [name for name in QUESTIONS if name != "search"])
def test_a_label_is_accepted_in_place_of_a_name_unless_several_nodes_have_it(labeled, question):
    names = arguments_of(question, ("A:5", "A:2"))
    by_label = arguments_of(question, ("DOG", "MAMMAL"))
    assert answered(labeled, question, by_label) == answered(labeled, question, names)
    paths = r"A:7 \(animal > mammal > dog > pet\), A:8 \(animal > mammal > dog > pet\)"
    with pytest.raises(InputError, match=f"'pet' is the label of 2 nodes: {paths}; give one of these names"):
        answered(labeled, question, [*names[:-1], "pet"])


def test_lca_by_geometry_and_by_graph(animals, perfect):
    found = answered(animals, "lca", ["poodle", "cat", "beagle"])
    mammal = [{"name": "mammal", "label": None, "depth": 1}]
    group = {"names": ["poodle", "cat", "beagle"], "labels": [None, None, None]}
    both = {"geometry": mammal, "graph": mammal, "agree": True}
    assert found.values == group | both | {"lowest_common_ancestors": mammal, "by": "graph"}
    assert found.text == "The lowest common ancestors of poodle, cat and beagle (by the graph): mammal"
    moved = answered(_with_poodle_at(animals, "cat"), "lca", ["poodle", "beagle"])
    assert (_names(moved.values["geometry"]), _names(moved.values["graph"])) == (["mammal"], ["dog"])
    assert moved.values["agree"] is False
    assert moved.text.splitlines() == [
        "The lowest common ancestors of poodle and beagle (by the graph): dog",
        "Geometry and graph disagree; by geometry: mammal",
    ]
    by_geometry = answered(_with_poodle_at(animals, "cat"), "lca", ["poodle", "beagle"], by="geometry")
    assert _names(by_geometry.values["lowest_common_ancestors"]) == ["mammal"]
    assert by_geometry.text.endswith("; by the graph: dog")
    unrelated = answered(perfect(hypercone.Hierarchy.from_pairs([("a", "b"), ("c", "d")])), "lca", ["b", "d"])
    assert [unrelated.values[part] for part in ("geometry", "graph", "agree")] == [[], [], True]
    assert unrelated.text.endswith("(by the graph): none")


def test_a_centroid_is_a_point_with_its_ancestors_and_nearest_nodes(animals):
    found = answered(animals, "centroid", ["poodle", "beagle"], limit=2)
    point = animals.centroid(["poodle", "beagle"])
    assert (found.values["names"], found.values["point"]) == (["poodle", "beagle"], point.tolist())
    every = animals.ancestors_of_point(point)
    assert _names(found.values["ancestors"]) == every[:2] == ["animal", "mammal"]
    assert all(item["margin"] >= 0 for item in found.values["ancestors"])
    assert (found.values["count"], len(found.values["nearest"])) == (len(every), 2)
    first, second, third = found.text.splitlines()
    assert first == "The centroid of poodle and beagle"
    assert second.startswith("  is a: animal, mammal, and ")
    assert third.startswith("  is near: ")
    assert _names(answered(animals, "centroid", ["poodle", "beagle"]).values["ancestors"]) == every
    one = answered(animals, "centroid", ["poodle"])
    assert _names(one.values["ancestors"])[:3] == animals.ancestors("poodle")
    assert _names(one.values["nearest"])[0] == "poodle"
    assert len(one.values["nearest"]) == len(animals)


def test_a_verdict_is_explained_by_the_cone_the_chain_and_the_graph(animals):
    found = answered(animals, "explain", ["poodle", "mammal"])
    lines, values = found.text.splitlines(), found.values
    assert lines[0] == "poodle is a mammal (by the graph)."
    assert lines[1] == "By the graph: poodle → dog → mammal, which follows from 2 edges."
    assert lines[2].startswith("By geometry: poodle → dog → mammal, with margins 0.")
    assert [line.split()[0] for line in lines[3:7]] == ["angle", "aperture", "threshold", "margin"]
    assert "inside" in lines[6]
    assert lines[7:] == ["Geometry and graph agree."]
    assert values["margin"] == pytest.approx(values["aperture"] + values["threshold"] - values["angle"])
    assert values["margin_degrees"] == pytest.approx(values["margin"] * 57.29577951308232)
    assert _names(values["chain"]) == ["dog", "mammal"]
    assert (values["graph"], values["agrees"], values["lost"]) == ("closure", True, [])
    no = answered(animals, "explain", ["owl", "mammal"])
    lines = no.text.splitlines()
    assert lines[:3] == [
        "owl is not a mammal (by the graph).",
        "By the graph: there is no way up from owl to mammal.",
        "By geometry: owl is outside mammal.",
    ]
    assert "outside" in lines[6]
    assert lines[7:] == ["Geometry and graph agree."]
    assert no.values["chain"] == no.values["path"] == []
    assert "By the graph: they are one node." in answered(animals, "explain", ["owl", "owl"]).text


def test_an_explanation_says_where_geometry_and_graph_disagree(animals):
    moved = _with_poodle_at(animals, "cat")
    lost = answered(moved, "explain", ["poodle", "dog"]).text.splitlines()
    assert lost[:3] == [
        "poodle is a dog (by the graph).",
        "By the graph: poodle → dog, an edge.",
        "By geometry: poodle is outside dog.",
    ]
    by_geometry = answered(moved, "explain", ["poodle", "dog"], by="geometry")
    assert by_geometry.text.splitlines()[:3] == ["poodle is not a dog (by geometry).", lost[2], lost[1]]
    assert (by_geometry.values["is_a"], by_geometry.values["geometry"], by_geometry.values["graph"]) == (
        False,
        False,
        "edge",
    )
    verdict = answered(moved, "is-a", ["poodle", "dog"])
    assert verdict.text.startswith("poodle is a dog (by the graph; the geometry says otherwise: energy ")
    assert lost[-1].startswith("Geometry and graph disagree: poodle is lost at dog (margin -")
    through = answered(moved, "explain", ["poodle", "animal"]).text.splitlines()[-1]
    assert through.startswith("Geometry and graph agree, but poodle is lost at dog (margin -")
    strays = answered(_with_poodle_at(animals, "owl"), "explain", ["poodle", "bird"])
    assert strays.values["stray"] == "owl"
    assert strays.text.endswith("disagree: owl is the first step up that is not above it in the graph.")


def test_without_edges_what_the_graph_says_is_unknown(animals):
    alone = replace(animals, edges=None)
    above = answered(alone, "ancestors", ["poodle"], long=True)
    assert [item["depth"] for item in above.values["ancestors"]] == [None] * 3
    assert "     -  " in above.text
    common, why = answered(alone, "lca", ["poodle", "cat"]), answered(alone, "explain", ["poodle", "mammal"])
    assert (
        (common.values["graph"], common.values["agree"]) == (why.values["graph"], why.values["agrees"]) == (None,) * 2
    )
    assert common.text == "The lowest common ancestors of poodle and cat (by geometry): mammal"
    assert "By the graph: unknown, as not both are in a graph." in why.text.splitlines()
    with pytest.raises(InputError, match="the model has no edges, so only its geometry can answer; leave out by"):
        answered(alone, "parents", ["poodle"], by="graph")


@pytest.mark.parametrize("method", METHODS)
def test_every_question_has_an_answer_for_every_method(animals, method):
    # The points are meaningless for the other methods, but there is an answer.
    embedding = replace(animals, method=method, threshold=0.1)
    for question in QUESTIONS:
        names = arguments_of(question, ("poodle", "mammal"))
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


def test_search_lists_whole_matches_then_prefixes_then_parts_each_by_length_and_row(terms):
    for text, found in {
        "heart": ["HP:3", "heart", "HP:5", "HP:1", "HP:2"],
        "hp:2": ["HP:2"],
        "STRASSE": ["HP:7"],
        "hp:": ["HP:1", "HP:2", "HP:3", "HP:4", "HP:5", "HP:7"],
        "b": ["HP:5", "HP:1", "HP:2"],
        **{absent: [] for absent in ("lung", "heart\nHP", "heartheart", "x" * 100_000, "h.art", "\0")},
    }.items():
        assert terms.search(text) == terms.search(text.upper()) == found
    assert in_words(answer(terms, "search", ["lung"])) == "'lung' is found in: nothing"


def test_search_finds_every_occurrence(terms):
    for text in {letters for line in (*NAMES, *LABELS) for letters in (line[:1], line[1:3], line[-2:]) if letters}:
        part = text.casefold()
        expected = {name for name, label in zip(NAMES, LABELS, strict=True) if part in (name + "\n" + label).casefold()}
        assert set(terms.search(text, limit=0)) == expected


def test_a_search_limit_shortens_the_list_but_not_the_count(terms):
    assert terms.search("heart", limit=2) == ["HP:3", "heart"]
    assert len(terms.search("h", limit=0)) == 7
    found = answer(terms, "search", ["heart"], 2)
    assert ([node.name for node in found.matches], found.count) == (["HP:3", "heart"], 5)
    assert in_words(found) == "'heart' is found in: HP:3 (HEART), heart, and 3 more"
    with pytest.raises(InputError, match="limit is -1, but must be at least 0"):
        terms.search("heart", limit=-1)
    with pytest.raises(InputError, match="the text to search for is empty; give at least one character"):
        terms.search("")
