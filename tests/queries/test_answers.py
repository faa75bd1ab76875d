"""Every question is answered twice, in values and in words, and both say what the embedding says."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from hypercone.embedding import Embedding
from hypercone.errors import InputError, UnknownNameError
from hypercone.methods import Settings
from hypercone.queries import QUESTIONS, answer, in_words
from hypercone.queries.questions import answer_many, ask


def told(embedding, question, names, limit=0, *, long=False):
    """The answer in values and in words."""
    found = answer(embedding, question, names, limit)
    return SimpleNamespace(values=found.as_dict(), words=in_words(found, long=long))


@pytest.fixture(scope="module")
def pets() -> Embedding:
    """On one ray: animal, dog, poodle; a stone at the other side."""
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
# Those that take any number of names from some on.
OPEN_ENDED = {"lca": 2, "centroid": 1}
PAIR = {"child": "poodle", "child_label": None, "parent": "animal", "parent_label": None}


def test_every_question_there_is_is_asked_here():
    assert set(ASKED) == set(QUESTIONS)


@pytest.mark.parametrize(("question", "names"), ASKED.items())
def test_values_are_json_and_words_are_words(pets, question, names):
    found = told(pets, question, names)
    assert json.loads(json.dumps(found.values, allow_nan=False)) == found.values
    assert found.words


def test_is_a_takes_the_child_first_and_says_why(pets):
    yes, no = told(pets, "is-a", ["poodle", "animal"]), told(pets, "is-a", ["animal", "poodle"])
    assert yes.values == PAIR | {"is_a": True, "energy": 0.0, "threshold": 0.0}
    assert yes.words == "poodle is an animal (energy 0, threshold 0)"
    assert no.values["is_a"] is False
    assert no.words.startswith("animal is not a poodle (energy ")


def test_energy_is_the_embeddings(pets):
    found = told(pets, "energy", ["stone", "animal"])
    assert found.values == PAIR | {"child": "stone", "energy": pets.energy("stone", "animal")}
    assert float(found.words) == pytest.approx(found.values["energy"], rel=1e-5)


def test_lists_are_in_words_and_in_values(pets):
    found = told(pets, "ancestors", ["poodle"])
    assert [item["name"] for item in found.values["ancestors"]] == pets.ancestors("poodle") == ["animal", "dog"]
    assert (found.values["name"], found.values["count"]) == ("poodle", 2)
    assert found.words == "poodle is a: animal, dog"
    found = told(pets, "descendants", ["animal"])
    assert [item["name"] for item in found.values["descendants"]] == ["dog", "poodle"]
    assert found.words == "animal includes: dog, poodle"
    assert told(pets, "descendants", ["stone"]).words == "stone includes: nothing"


def test_a_limit_cuts_the_list_and_says_how_much_is_missing(pets):
    found = told(pets, "descendants", ["animal"], limit=1)
    assert [item["name"] for item in found.values["descendants"]] == ["dog"]
    assert found.values["count"] == 2
    assert found.words == "animal includes: dog, and 1 more"
    assert "more" not in told(pets, "descendants", ["animal"], limit=2).words


def test_the_nearest_come_with_their_distances(pets):
    found = told(pets, "nearest", ["dog"], limit=2)
    expected = pets.nearest("dog", 2)
    assert [(each["name"], each["distance"]) for each in found.values["nearest"]] == expected
    assert [line.split()[1] for line in found.words.split("\n")] == [name for name, _ in expected]
    assert len(told(pets, "nearest", ["dog"]).values["nearest"]) == found.values["count"] == 3


def test_a_vector_is_exact(pets):
    found = told(pets, "vector", ["dog"])
    assert found.values == {"name": "dog", "label": None, "vector": [0.6, 0.01]}
    assert [float(number) for number in found.words.split()] == [0.6, 0.01]


def test_an_unknown_question_is_refused_with_the_one_that_was_meant(pets):
    with pytest.raises(UnknownNameError, match="there is no question 'ancestor'; did you mean ancestors"):
        told(pets, "ancestor", ["dog"])


@pytest.mark.parametrize(("question", "names"), ASKED.items())
def test_the_wrong_number_of_names_is_refused(pets, question, names):
    too_many = [] if question in OPEN_ENDED else [[*names, "dog"]]
    for wrong in (names[: OPEN_ENDED.get(question, 1) - 1], *too_many):
        with pytest.raises(InputError, match=f"{question} takes {QUESTIONS[question].arguments}"):
            told(pets, question, wrong)


@pytest.mark.parametrize(("question", "names"), [(name, asked) for name, asked in ASKED.items() if name != "search"])
def test_an_unknown_node_is_refused_with_the_one_that_was_meant(pets, question, names):
    with pytest.raises(UnknownNameError, match="there is no node 'podle'; did you mean poodle"):
        told(pets, question, ["podle", *names[1:]])


def test_a_negative_limit_is_refused(pets):
    with pytest.raises(InputError, match="limit is -1"):
        told(pets, "ancestors", ["dog"], -1)


def test_without_a_limit_relatives_are_all_and_what_has_no_end_is_a_few():
    names = [f"n{row}" for row in range(60)]
    points = np.array([[0.3 + row / 100, 0.0] for row in range(60)])
    ray = Embedding(names, points, "hyperbolic-cones", Settings(), threshold=0.0)
    assert len(answer(ray, "ancestors", ["n59"]).ancestors) == 59
    assert len(answer(ray, "nearest", ["n59"]).nearest) == 10
    assert answer(ray, "nearest", ["n59"]).count == 59
    assert len(answer(ray, "nearest", ["n59"], 0).nearest) == 59
    assert (len(answer(ray, "search", ["N"]).matches), answer(ray, "search", ["N"]).count) == (10, 60)
    assert len(answer(ray, "search", ["n"], 0).matches) == 60


def test_many_are_answered_in_columns_or_one_by_one(pets):
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
