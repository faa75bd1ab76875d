"""Lists of relatives come with labels, depths and margins, in values and in words."""

from __future__ import annotations

import pytest

from hypercone.errors import InputError
from hypercone.queries import QUESTIONS, answer

LISTS = ("ancestors", "descendants", "parents", "children", "siblings")


def _names(found, kind):
    return [item["name"] for item in found.values[kind]]


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("name", ["animal", "mammal", "dog", "poodle"])
def test_a_list_says_what_the_embedding_says(animals, kind, name):
    found = answer(animals, kind, [name])
    assert _names(found, kind) == getattr(animals, kind)(name)
    assert found.values["count"] == len(found.values[kind])


def test_words_for_each_relative(animals):
    assert answer(animals, "parents", ["poodle"]).words == "poodle has the parents: dog"
    assert answer(animals, "children", ["dog"]).words == f"dog has the children: {', '.join(animals.children('dog'))}"
    assert answer(animals, "siblings", ["owl"]).words == "owl has the siblings: pelican"
    assert answer(animals, "parents", ["animal"]).words == "animal has the parents: nothing"


def test_depth_is_the_longest_path_from_a_root_and_margin_how_far_inside(animals):
    found = answer(animals, "ancestors", ["poodle"]).values["ancestors"]
    assert [item["depth"] for item in found] == [0, 1, 2]
    for item in found:
        explained = animals.explain("poodle", item["name"])
        assert item["margin"] == explained.margin > 0
    below = answer(animals, "descendants", ["mammal"]).values["descendants"]
    assert {item["name"]: item["depth"] for item in below} == {"dog": 2, "cat": 2, "poodle": 3, "beagle": 3}
    assert [item["margin"] for item in below] == [animals.explain(item["name"], "mammal").margin for item in below]


def test_without_edges_the_depth_is_not_known(perfect, animals):
    alone = perfect(animals.hierarchy, edges=None)
    assert [item["depth"] for item in answer(alone, "ancestors", ["poodle"]).values["ancestors"]] == [None] * 3
    assert "     -  " in answer(alone, "ancestors", ["poodle"], long=True).words


def test_a_sibling_says_whose_child_it_is(animals):
    (beagle,) = answer(animals, "siblings", ["poodle"]).values["siblings"]
    assert beagle == {"name": "beagle", "depth": 3, "parents": ["dog"]}


def test_long_is_a_table(animals):
    lines = answer(animals, "ancestors", ["poodle"], long=True).words.splitlines()
    assert lines[0] == "poodle is a:"
    assert lines[1].split() == ["depth", "margin", "name"]
    assert [line.split()[::2] for line in lines[2:]] == [["0", "animal"], ["1", "mammal"], ["2", "dog"]]
    assert answer(animals, "siblings", ["poodle"], long=True).words.splitlines()[2].split() == ["3", "dog", "beagle"]
    assert answer(animals, "parents", ["animal"], long=True).words == "animal has the parents: nothing"
    cut = answer(animals, "descendants", ["animal"], limit=1, long=True)
    assert cut.words.splitlines()[-1] == "and 7 more"


def test_long_changes_the_words_alone(animals):
    for kind in LISTS:
        assert answer(animals, kind, ["dog"], long=True).values == answer(animals, kind, ["dog"]).values


def test_labels_stand_beside_names(labelled):
    found = answer(labelled, "ancestors", ["A:3"])
    assert found.words == "A:3 is a: A:0 (animal), A:1 (bird)"
    assert found.values["name"] == "A:3"
    assert "label" not in found.values
    assert found.values["ancestors"][1]["label"] == "bird"
    assert answer(labelled, "is-a", ["A:5", "A:2"]).words.startswith("A:5 (dog) is an A:2 (mammal) (energy")
    assert answer(labelled, "is-a", ["A:5", "A:2"]).values["child_label"] == "dog"
    assert "A:5 (dog)" in answer(labelled, "nearest", ["A:2"]).words


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_label_is_answered_like_the_name(labelled, question):
    names = {"CHILD PARENT": ["A:5", "A:2"], "NAME": ["A:5"]}.get(QUESTIONS[question].arguments, ["A:5", "A:2"])
    by_label = [labelled.called(labelled.row(name)).upper() for name in names]
    assert by_label != names
    assert answer(labelled, question, by_label) == answer(labelled, question, names)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_label_of_several_nodes_is_refused_with_their_names(labelled, question):
    names = ["pet"] if QUESTIONS[question].arguments.startswith("NAME") else ["A:5", "pet"]
    names = ["pet", "A:2"] if question == "lca" else names
    with pytest.raises(InputError, match="'pet' is the label of 2 nodes: A:7, A:8; give one of these names"):
        answer(labelled, question, names)
