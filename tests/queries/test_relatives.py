"""Lists of relatives come with labels, depths and margins, in values and in words."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from hypercone.errors import InputError
from hypercone.queries import QUESTIONS, answer, in_words
from hypercone.queries.questions import TEXT


def told(embedding, question, names, limit=0, *, long=False):
    """The answer in values and in words."""
    found = answer(embedding, question, names, limit)
    return SimpleNamespace(values=found.as_dict(), words=in_words(found, long=long))


ABOUT_NODES = [name for name, question in QUESTIONS.items() if question.arguments != TEXT]
LISTS = ("ancestors", "descendants", "parents", "children", "siblings")


def _names(found, kind):
    return [item["name"] for item in found.values[kind]]


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("name", ["animal", "mammal", "dog", "poodle"])
def test_a_list_says_what_the_embedding_says(animals, kind, name):
    found = told(animals, kind, [name])
    assert _names(found, kind) == getattr(animals, kind)(name)
    assert found.values["count"] == len(found.values[kind])


def test_words_for_each_relative(animals):
    assert told(animals, "parents", ["poodle"]).words == "poodle has the parents: dog"
    assert told(animals, "children", ["dog"]).words == f"dog has the children: {', '.join(animals.children('dog'))}"
    assert told(animals, "siblings", ["owl"]).words == "owl has the siblings: pelican"
    assert told(animals, "parents", ["animal"]).words == "animal has the parents: nothing"


def test_depth_is_the_longest_path_from_a_root_and_margin_how_far_inside(animals):
    found = told(animals, "ancestors", ["poodle"]).values["ancestors"]
    assert [item["depth"] for item in found] == [0, 1, 2]
    for item in found:
        explained = animals.explain("poodle", item["name"])
        assert item["margin"] == explained.margin > 0
    below = told(animals, "descendants", ["mammal"]).values["descendants"]
    assert {item["name"]: item["depth"] for item in below} == {"dog": 2, "cat": 2, "poodle": 3, "beagle": 3}
    assert [item["margin"] for item in below] == [animals.explain(item["name"], "mammal").margin for item in below]


def test_without_edges_the_depth_is_not_known(perfect, animals):
    alone = perfect(animals.hierarchy, edges=None)
    assert [item["depth"] for item in told(alone, "ancestors", ["poodle"]).values["ancestors"]] == [None] * 3
    assert "     -  " in told(alone, "ancestors", ["poodle"], long=True).words


def test_a_sibling_says_whose_child_it_is(animals):
    (beagle,) = told(animals, "siblings", ["poodle"]).values["siblings"]
    dog = {"name": "dog", "label": None}
    assert beagle == {"name": "beagle", "label": None, "depth": 3, "parents": [dog]}


def test_long_is_a_table(animals):
    lines = told(animals, "ancestors", ["poodle"], long=True).words.splitlines()
    assert lines[0] == "poodle is a:"
    assert lines[1].split() == ["depth", "margin", "name"]
    assert [line.split()[::2] for line in lines[2:]] == [["0", "animal"], ["1", "mammal"], ["2", "dog"]]
    assert told(animals, "siblings", ["poodle"], long=True).words.splitlines()[2].split() == ["3", "dog", "beagle"]
    assert told(animals, "parents", ["animal"], long=True).words == "animal has the parents: nothing"
    cut = told(animals, "descendants", ["animal"], limit=1, long=True)
    assert cut.words.splitlines()[-1] == "and 7 more"


def test_long_changes_the_words_alone(animals):
    for kind in LISTS:
        assert told(animals, kind, ["dog"], long=True).values == told(animals, kind, ["dog"]).values


def test_labels_stand_beside_names(labelled):
    found = told(labelled, "ancestors", ["A:3"])
    assert found.words == "A:3 is a: A:0 (animal), A:1 (bird)"
    assert found.values["name"] == "A:3"
    assert found.values["label"] is None
    assert found.values["ancestors"][1]["label"] == "bird"
    assert told(labelled, "is-a", ["A:5", "A:2"]).words.startswith("A:5 (dog) is an A:2 (mammal) (energy")
    assert told(labelled, "is-a", ["A:5", "A:2"]).values["child_label"] == "dog"
    assert "A:5 (dog)" in told(labelled, "nearest", ["A:2"]).words


@pytest.mark.parametrize("question", ABOUT_NODES)
def test_a_label_is_answered_like_the_name(labelled, question):
    names = {"CHILD PARENT": ["A:5", "A:2"], "NAME": ["A:5"]}.get(QUESTIONS[question].arguments, ["A:5", "A:2"])
    by_label = [labelled.called(labelled.row(name)).upper() for name in names]
    assert by_label != names
    assert told(labelled, question, by_label) == told(labelled, question, names)


@pytest.mark.parametrize("question", ABOUT_NODES)
def test_a_label_of_several_nodes_is_refused_with_their_names(labelled, question):
    names = ["pet"] if QUESTIONS[question].arguments.startswith("NAME") else ["A:5", "pet"]
    names = ["pet", "A:2"] if question == "lca" else names
    with pytest.raises(InputError, match="'pet' is the label of 2 nodes: A:7, A:8; give one of these names"):
        told(labelled, question, names)
