"""Names of nodes are checked once; whoever has NodeNames has valid names, no two the same."""

from __future__ import annotations

import copy
import pickle

import pytest

from hypercone.errors import HierarchyError
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.names import NameIndex, NodeNames


def test_they_are_a_tuple_that_knows_the_row_of_each_name():
    names = NodeNames(iter(["dog", "cat"]))
    assert names == ("dog", "cat")
    assert names.row_of == {"dog": 0, "cat": 1}


def test_names_that_were_checked_are_not_checked_again():
    names = NodeNames(["dog", "cat"])
    assert NodeNames(names) is names
    assert Hierarchy(names, [[0, 1]]).names is names


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["dog", "cat", "dog"], "two rows are named 'dog'; every node needs its own name"),
        (["dog", ""], "a node has an empty name"),
        (["dog", 5], "5 is not a name"),
        (["a\tb"], "contains a tab"),
    ],
)
def test_what_no_node_can_be_called_is_refused_also_behind_others(names, words):
    with pytest.raises(HierarchyError, match=words):
        NodeNames(names)
    with pytest.raises(HierarchyError, match=words):
        NodeNames(["owl"]).extended_by(names)


def test_new_names_stand_behind_the_old_ones_and_none_is_there_twice():
    names = NodeNames(["dog", "cat"])
    more = names.extended_by(["owl", "hen"])
    assert more == ("dog", "cat", "owl", "hen")
    assert more.row_of == {"dog": 0, "cat": 1, "owl": 2, "hen": 3}
    assert names.row_of == {"dog": 0, "cat": 1}
    with pytest.raises(HierarchyError, match="two rows are named 'cat'"):
        names.extended_by(["owl", "cat"])


def test_looking_up_a_name_that_is_not_there_adds_nothing():
    index = NameIndex()
    assert [index[name] for name in ("dog", "cat")] == [0, 1]
    names = NodeNames(index)
    assert "owl" not in names.row_of
    with pytest.raises(KeyError):
        names.row_of["owl"]
    index["owl"]
    assert names.row_of == {"dog": 0, "cat": 1}


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda names: pickle.loads(pickle.dumps(names))])
def test_a_copy_is_as_good(again):
    names = again(NodeNames(["dog", "cat"]))
    assert isinstance(names, NodeNames)
    assert (names, names.row_of) == (("dog", "cat"), {"dog": 0, "cat": 1})
