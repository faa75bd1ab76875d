"""Names and labels of nodes: validated once, found by name, else by label, never by chance among several."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from tests.support.errors import raises_exactly

from hypercone.errors import HierarchyError, InputError, UnknownNameError
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.names import Labels, NameIndex, NodeNames


def test_node_names_are_a_tuple_that_knows_the_row_of_each_name_and_is_checked_once():
    names = NodeNames(iter(["dog", "cat"]))
    assert names == ("dog", "cat")
    assert NodeNames(names) is Hierarchy(names, [[0, 1]]).names is names
    for same in (names, copy.copy(names), copy.deepcopy(names), pickle.loads(pickle.dumps(names))):
        assert isinstance(same, NodeNames)
        assert (same, same.row_of) == (("dog", "cat"), {"dog": 0, "cat": 1})


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["dog", "cat", "dog"], "two rows are named 'dog'; every node needs its own name"),
        (["dog", ""], "a node has an empty name"),
        (["dog", 5], "5 is not a name"),
        (["a\tb"], "contains a tab"),
    ],
)
def test_an_invalid_name_is_refused_by_both_ways_to_make_names(names, words):
    for make in (NodeNames, NodeNames(["owl"]).extended_by):
        with pytest.raises(HierarchyError, match=words):
            make(names)


def test_new_names_follow_the_old_ones_and_duplicates_are_refused():
    names = NodeNames(["dog", "cat"])
    more = names.extended_by(["owl", "hen"])
    assert (more, more.row_of) == (("dog", "cat", "owl", "hen"), {"dog": 0, "cat": 1, "owl": 2, "hen": 3})
    assert names.row_of == {"dog": 0, "cat": 1}
    with pytest.raises(HierarchyError, match="two rows are named 'cat'"):
        names.extended_by(["owl", "cat"])


def test_looking_up_an_unknown_name_does_not_add_it():
    index = NameIndex()
    assert [index[name] for name in ("dog", "cat")] == [0, 1]
    names = NodeNames(index)
    assert "owl" not in names.row_of
    for closed in (names.row_of, index):
        with pytest.raises(KeyError):
            closed["owl"]
    assert names.row_of == {"dog": 0, "cat": 1}
    for copied in (pickle.loads(pickle.dumps(names)), copy.copy(names), copy.deepcopy(names)):
        assert (copied, copied.row_of) == (names, {"dog": 0, "cat": 1})
    assert copy.copy(names.row_of) == {"dog": 0, "cat": 1}


NAMES = ["HP:1", "HP:2", "HP:3", "HP:4", "a = b"]
LABELS = ["Heart", "heart", "Abnormal\nheart  rate", "", "HP:1"]


@pytest.fixture
def hierarchy():
    return Hierarchy(NAMES, [[0, 1], [0, 2], [2, 3], [0, 4]], LABELS)


def test_a_node_is_found_by_its_name_then_its_label_then_in_any_case_and_by_each_condensed_name(hierarchy):
    assert [hierarchy.row(text) for text in ("HP:1", "Heart", "heart", "ABNORMAL HEART RATE")] == [0, 0, 1, 2]
    assert hierarchy.row("a") == hierarchy.row("b") == hierarchy.row("a = b") == 4


def test_a_label_of_several_nodes_or_of_none_is_refused_with_those_it_may_mean(hierarchy):
    with raises_exactly("'HEART' is the label of 2 nodes: HP:1 (Heart), HP:2 (Heart > heart); give one of these names"):
        hierarchy.row("HEART")
    many = Hierarchy([f"n{i}" for i in range(20)], [[0, i] for i in range(1, 20)], ["same"] * 20)
    with pytest.raises(
        InputError, match=r"of 20 nodes: n0 \(same\), n1 \(same > same\), .*, n4 \(same > same\) and 15 more"
    ):
        many.row("same")
    with pytest.raises(UnknownNameError, match=r"did you mean Abnormal heart rate\?"):
        hierarchy.row("Abnormal hart rate")


def test_a_label_is_one_line_and_each_node_has_one_or_none_has(hierarchy):
    assert hierarchy.labels[2] == "Abnormal heart rate"
    assert Labels(["a\0b", "\ud800", " x "]).texts == ("a b", "?", "x")
    with pytest.raises(HierarchyError, match="there are 1 labels for 2 nodes"):
        Hierarchy(["a", "b"], [[0, 1]], ["only one"])
    assert Hierarchy(["a", "b"], [[0, 1]], ["", ""]).labels is None


def test_parts_and_sentences_use_labels_but_equality_does_not(hierarchy):
    assert hierarchy.subtree("HP:3").labels.texts == ("Abnormal heart rate", "")
    assert hierarchy.drop(["HP:1"]).row("heart") == 0
    assert hierarchy.in_words(1) == ["heart is a Heart"]
    bare = Hierarchy(NAMES, np.array(hierarchy.edges))
    assert bare == hierarchy
    assert bare.digest == hierarchy.digest
