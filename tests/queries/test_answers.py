"""Every question is answered twice, in values and in words, and both say what the embedding says."""

from __future__ import annotations

import json

import numpy as np
import pytest

from hypercone.embedding import Embedding
from hypercone.errors import InputError, UnknownNameError
from hypercone.methods import Settings
from hypercone.queries import QUESTIONS, answer


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
    "explain": ["poodle", "animal"],
    "parents": ["poodle"],
    "children": ["animal"],
    "siblings": ["poodle"],
    "lca": ["poodle", "dog"],
    "centroid": ["poodle", "dog"],
}
# Those that take any number of names from some on.
OPEN_ENDED = {"lca": 2, "centroid": 1}


def test_every_question_there_is_is_asked_here():
    assert set(ASKED) == set(QUESTIONS)


@pytest.mark.parametrize(("question", "names"), ASKED.items())
def test_values_are_json_and_words_are_words(pets, question, names):
    found = answer(pets, question, names)
    assert json.loads(json.dumps(found.values, allow_nan=False)) == found.values
    assert found.words


def test_is_a_takes_the_child_first_and_says_why(pets):
    yes, no = answer(pets, "is-a", ["poodle", "animal"]), answer(pets, "is-a", ["animal", "poodle"])
    assert yes.values == {"child": "poodle", "parent": "animal", "is_a": True, "energy": 0.0, "threshold": 0.0}
    assert yes.words == "poodle is an animal (energy 0, threshold 0)"
    assert no.values["is_a"] is False
    assert no.words.startswith("animal is not a poodle (energy ")


def test_energy_is_the_embeddings(pets):
    found = answer(pets, "energy", ["stone", "animal"])
    assert found.values == {"child": "stone", "parent": "animal", "energy": pets.energy("stone", "animal")}
    assert float(found.words) == pytest.approx(found.values["energy"], rel=1e-5)


def test_lists_are_in_words_and_in_values(pets):
    found = answer(pets, "ancestors", ["poodle"])
    assert [item["name"] for item in found.values["ancestors"]] == pets.ancestors("poodle") == ["animal", "dog"]
    assert (found.values["name"], found.values["count"]) == ("poodle", 2)
    assert found.words == "poodle is a: animal, dog"
    found = answer(pets, "descendants", ["animal"])
    assert [item["name"] for item in found.values["descendants"]] == ["dog", "poodle"]
    assert found.words == "animal includes: dog, poodle"
    assert answer(pets, "descendants", ["stone"]).words == "stone includes: nothing"


def test_a_limit_cuts_the_list_and_says_how_much_is_missing(pets):
    found = answer(pets, "descendants", ["animal"], limit=1)
    assert [item["name"] for item in found.values["descendants"]] == ["dog"]
    assert found.values["count"] == 2
    assert found.words == "animal includes: dog, and 1 more"
    assert "more" not in answer(pets, "descendants", ["animal"], limit=2).words


def test_the_nearest_come_with_their_distances(pets):
    found = answer(pets, "nearest", ["dog"], limit=2)
    expected = pets.nearest("dog", 2)
    assert [(each["name"], each["distance"]) for each in found.values["nearest"]] == expected
    assert [line.split()[1] for line in found.words.split("\n")] == [name for name, _ in expected]
    assert len(answer(pets, "nearest", ["dog"]).values["nearest"]) == 3


def test_a_vector_is_exact(pets):
    found = answer(pets, "vector", ["dog"])
    assert found.values == {"name": "dog", "vector": [0.6, 0.01]}
    assert [float(number) for number in found.words.split()] == [0.6, 0.01]


def test_an_unknown_question_is_refused_with_the_one_that_was_meant(pets):
    with pytest.raises(UnknownNameError, match="there is no question 'ancestor'; did you mean ancestors"):
        answer(pets, "ancestor", ["dog"])


@pytest.mark.parametrize(("question", "names"), ASKED.items())
def test_the_wrong_number_of_names_is_refused(pets, question, names):
    too_many = [] if question in OPEN_ENDED else [[*names, "dog"]]
    for wrong in (names[: OPEN_ENDED.get(question, 1) - 1], *too_many):
        with pytest.raises(InputError, match=f"{question} takes {QUESTIONS[question].arguments}"):
            answer(pets, question, wrong)


@pytest.mark.parametrize(("question", "names"), ASKED.items())
def test_an_unknown_node_is_refused_with_the_one_that_was_meant(pets, question, names):
    with pytest.raises(UnknownNameError, match="there is no node 'podle'; did you mean poodle"):
        answer(pets, question, ["podle", *names[1:]])


def test_a_negative_limit_is_refused(pets):
    with pytest.raises(InputError, match="limit is -1"):
        answer(pets, "ancestors", ["dog"], -1)
