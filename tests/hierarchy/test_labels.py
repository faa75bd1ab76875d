"""Labels: a node is found by its name, else by what people call it, and never by chance among several."""

from __future__ import annotations

import numpy as np
import pytest

from hypercone.errors import HierarchyError, InputError, UnknownNameError
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.names import Labels

NAMES = ["HP:1", "HP:2", "HP:3", "HP:4", "a = b"]
LABELS = ["Heart", "heart", "Abnormal\nheart  rate", "", "HP:1"]


@pytest.fixture
def hierarchy():
    return Hierarchy(NAMES, [[0, 1], [0, 2], [2, 3], [0, 4]], LABELS)


def test_a_name_comes_before_a_label_that_is_spelled_the_same(hierarchy):
    assert hierarchy.row("HP:1") == 0


def test_a_label_finds_its_node_exactly_and_then_whatever_its_case(hierarchy):
    assert hierarchy.row("Heart") == 0
    assert hierarchy.row("heart") == 1
    assert hierarchy.row("ABNORMAL HEART RATE") == 2


def test_a_label_of_several_nodes_is_refused_with_all_of_them(hierarchy):
    with pytest.raises(InputError, match=r"'HEART' is the label of 2 nodes: HP:1, HP:2; give one of these names"):
        hierarchy.row("HEART")


def test_only_a_few_of_many_nodes_with_a_label_are_listed():
    many = Hierarchy([f"n{i}" for i in range(20)], [[0, i] for i in range(1, 20)], ["same"] * 20)
    with pytest.raises(InputError, match=r"of 20 nodes: n0, n1, n2, n3, n4 and 15 more"):
        many.row("same")


def test_a_node_that_stands_for_several_is_found_by_each_of_them(hierarchy):
    assert hierarchy.row("a") == hierarchy.row("b") == hierarchy.row("a = b") == 4


def test_a_misspelt_label_is_refused_with_the_one_that_was_meant(hierarchy):
    with pytest.raises(UnknownNameError, match=r"did you mean Abnormal heart rate\?"):
        hierarchy.row("Abnormal hart rate")


def test_a_label_is_one_line(hierarchy):
    assert hierarchy.labels[2] == "Abnormal heart rate"
    assert Labels(["a\0b", "\ud800", " x "]).texts == ("a b", "?", "x")


def test_there_is_a_label_for_each_node_or_none_at_all():
    with pytest.raises(HierarchyError, match="there are 1 labels for 2 nodes"):
        Hierarchy(["a", "b"], [[0, 1]], ["only one"])
    assert Hierarchy(["a", "b"], [[0, 1]], ["", ""]).labels is None


def test_a_part_of_a_hierarchy_keeps_its_labels(hierarchy):
    assert hierarchy.subtree("HP:3").labels.texts == ("Abnormal heart rate", "")
    assert hierarchy.drop(["HP:1"]).row("heart") == 0


def test_edges_are_read_aloud_by_their_labels(hierarchy):
    assert hierarchy.in_words(1) == ["heart is a Heart"]


def test_labels_do_not_change_what_a_hierarchy_is(hierarchy):
    bare = Hierarchy(NAMES, np.array(hierarchy.edges))
    assert bare == hierarchy
    assert bare.digest == hierarchy.digest
