"""A Hierarchy: rows in order of appearance, validated on construction, immutable; counts, parts and copies."""

import copy
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.errors import raises_exactly
from tests.support.hierarchies import acyclic, edges_of, valid_names

from hypercone.errors import HierarchyError, UnknownNameError
from hypercone.hierarchy import Adjacency, Hierarchy

BIRDS = [("bird", "pelican"), ("pelican", "white_pelican"), ("bird", "gull"), ("animal", "bird")]


@pytest.fixture
def birds():
    return Hierarchy.from_pairs(BIRDS)


def test_rows_follow_the_order_of_first_appearance_and_lists_of_rows_are_sorted(birds):
    assert birds.names == ("bird", "pelican", "white_pelican", "gull", "animal")
    assert birds.edges.tolist() == [[0, 1], [1, 2], [0, 3], [4, 0]]
    assert len(birds) == 5
    assert birds.child_lists[0].tolist() == [1, 3]
    assert birds.parent_lists[0].tolist() == [4]
    assert birds.parent_lists[4].tolist() == []
    assert (birds.root_rows.tolist(), birds.leaf_rows.tolist()) == ([4], [2, 3])
    assert birds.edges.dtype == birds.child_lists.rows.dtype == np.int32
    assert birds.child_lists.offsets.dtype == np.int64


def test_a_name_has_its_row_and_an_unknown_one_is_refused_with_the_closest_even_among_many(birds):
    assert [birds.row(name) for name in birds.names] == [0, 1, 2, 3, 4]
    assert birds.rows(["gull", "bird"]).tolist() == [3, 0]
    assert birds.rows([]).tolist() == []
    assert ("gull" in birds, "stone" in birds) == (True, False)
    with raises_exactly("there is no node 'gulll'; did you mean gull?", UnknownNameError):
        birds.row("gulll")
    with pytest.raises(KeyError, match=r"^there is no node 'white'; did you mean white_pelican\?$"):
        birds.rows(["bird", "white"])
    with pytest.raises(UnknownNameError, match=r"did you mean .*node1999"):
        Hierarchy([f"node{i}" for i in range(200_000)], []).row("nude1999x")


def test_nothing_can_be_changed(birds):
    edges = np.array([[0, 1]], np.int32)
    copied = Hierarchy(["a", "b"], edges)
    edges[0] = 1, 0
    assert copied.edges.tolist() == [[0, 1]]
    with pytest.raises(AttributeError, match="a Hierarchy never changes"):
        birds.names = ()
    for array in (birds.edges, birds.parent_lists.rows, birds.child_lists.offsets, birds.root_rows, birds.closure()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_equal_hierarchies_and_copies_have_the_same_digest_and_others_do_not(birds):
    birds.closure()
    for twin in (Hierarchy(birds.names, birds.edges), copy.deepcopy(birds), pickle.loads(pickle.dumps(birds))):
        assert twin == birds
        assert (hash(twin), twin.digest) == (hash(birds), birds.digest)
    assert len(birds.digest) == 64
    assert Hierarchy.from_pairs(BIRDS[::-1]).digest != birds.digest
    assert birds != "birds"


def test_nodes_may_have_no_edges_and_there_may_be_no_nodes():
    hierarchy = Hierarchy(["a", "b", "c"], [[0, 1]])
    assert hierarchy.root_rows.tolist() == [0, 2]
    assert hierarchy.ancestor_lists()[2].tolist() == []
    empty = Hierarchy.from_pairs([])
    assert (len(empty), empty.in_words(), empty.root_rows.tolist()) == (0, [], [])
    assert empty.closure().shape == empty.reduction().shape == (0, 2)


def test_an_adjacency_refuses_a_row_it_does_not_have(birds):
    assert isinstance(birds.parent_lists, Adjacency)
    assert birds.parent_lists[-1].tolist() == []
    for row in (5, -6):
        with pytest.raises(IndexError):
            birds.parent_lists[row]
    for row in (5, -1):
        with pytest.raises(IndexError):
            birds.ancestors_of(row)


@pytest.mark.parametrize(
    "code",
    [
        "hypercone.read(io.BytesIO(b'parent,child\\na,b\\nb,c\\n'))",
        "[hypercone.load_dataset(name) for name in ('wordnet-nouns', 'tree-2-3')]",
    ],
)
def test_the_compiler_is_not_loaded(code):
    check = f"import io, sys, hypercone; {code}; assert not {{'numba', 'networkx'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True)


def test_a_few_edges_become_sentences_and_a_part_has_the_edges_among_its_nodes(birds):
    assert birds.in_words(2) == ["pelican is a bird", "bird is an animal"]
    assert len(birds.in_words(100)) == 4
    assert birds.in_words(0) == []
    rest = birds.drop(["bird"])
    assert rest.names == ("pelican", "white_pelican", "gull", "animal")
    assert rest.in_words() == ["white_pelican is a pelican"]
    assert birds.subtree("pelican").names == ("pelican", "white_pelican")
    assert birds.subtree("gull").names == ("gull",)
    assert birds.subtree("animal").names == birds.names


@pytest.mark.parametrize(
    ("pair", "problem"),
    [
        (("a", ""), "a node has an empty name; every node needs a name of at least one character"),
        (("a", "b\tc"), "the name 'b\\tc' contains a tab, which an edge file cannot hold; replace it"),
        (("a", "b\n"), "the name 'b\\n' contains a line break, which an edge file cannot hold; replace it"),
        (("a", "b\r"), "the name 'b\\r' contains a carriage return, which an edge file cannot hold; replace it"),
        (("a", "b\0"), "the name 'b\\x00' contains a NUL character, which an edge file cannot hold; replace it"),
        (("a", "\ud800"), "the name '\\ud800' contains half a character and cannot be written; replace it"),
        (("a", 7), "7 is not a name but int; names are text, so use str(…)"),
        (("a", "a"), "'a' is given as its own parent; remove this edge"),
        ("ab", "'ab' is not an edge; each edge is two names, (parent, child)"),
        (("a", "b", "c"), "('a', 'b', 'c') is not an edge; each edge is two names, (parent, child)"),
    ],
)
def test_a_bad_pair_of_names_is_refused_in_one_sentence(pair, problem):
    with raises_exactly(problem, HierarchyError):
        Hierarchy.from_pairs([pair])


@pytest.mark.parametrize(
    ("edges", "sentence"),
    [
        ([[0, 2]], "an edge names row 2, but there are rows 0 … 1; give every row a name"),
        ([[-1, 0]], "an edge names row -1, but there are rows 0 … 1; give every row a name"),
        ([[0, 1, 1]], "edges must be whole numbers in two columns, parent and child, not int64 (1, 3)"),
        ([[0.5, 1.0]], "edges must be whole numbers in two columns, parent and child, not float64 (1, 2)"),
    ],
)
def test_a_bad_row_is_refused_in_one_sentence(edges, sentence):
    with raises_exactly(sentence, HierarchyError):
        Hierarchy(["a", "b"], edges)


@given(st.lists(st.tuples(valid_names, valid_names)).map(acyclic))
def test_any_valid_names_survive(pairs):
    hierarchy = Hierarchy.from_pairs(pairs)
    assert edges_of(hierarchy) == list(dict.fromkeys(pairs))
    assert hierarchy.duplicates == len(pairs) - len(hierarchy.edges)


def test_a_small_hierarchy_is_summarized():
    hierarchy = Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("a", "c"), ("b", "d"), ("x", "d")])
    summary = hierarchy.summary().as_dict()
    json.dumps(summary)
    assert summary.pop("seconds") >= 0
    counts = {"nodes": 5, "edges": 5, "basic_edges": 4, "closure_edges": 6, "nonbasic_edges": 2, "roots": 2}
    shape = {"leaves": 2, "depth": 2, "branching": 4 / 3, "max_branching": 2, "multi_parent_nodes": 1}
    assert summary == counts | shape
    # An edge that follows from others adds neither a parent nor a child, as in the answers.
    assert sum(len(hierarchy.parents(name)) > 1 for name in hierarchy) == summary["multi_parent_nodes"]
    star = Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("a", "c"), ("a", "d")])
    assert star.summary().max_branching == 1
    assert hierarchy.depths.tolist() == [0, 1, 2, 2, 0]
    assert Hierarchy.from_pairs([]).summary().branching == 0.0
