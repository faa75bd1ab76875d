"""What a Hierarchy promises: rows in order of appearance, checked once, never changed."""

import copy
import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone.errors import HierarchyError, InputError, UnknownNameError
from hypercone.hierarchy import Adjacency, Hierarchy

BIRDS = [("bird", "pelican"), ("pelican", "white_pelican"), ("bird", "gull"), ("animal", "bird")]
names = st.text(st.characters(exclude_characters="\t\n\r\0", exclude_categories=["Cs"]), min_size=1, max_size=5)


@pytest.fixture
def birds():
    return Hierarchy.from_pairs(BIRDS)


def test_rows_follow_the_order_of_first_appearance(birds):
    assert birds.names == ("bird", "pelican", "white_pelican", "gull", "animal")
    assert birds.edges.tolist() == [[0, 1], [1, 2], [0, 3], [4, 0]]
    assert birds.edges.dtype == np.int32
    assert len(birds) == 5


def test_parents_and_children_are_sorted_rows(birds):
    assert birds.child_lists[0].tolist() == [1, 3]
    assert birds.parent_lists[0].tolist() == [4]
    assert birds.parent_lists[4].tolist() == []
    assert birds.child_lists.rows.dtype == np.int32
    assert birds.child_lists.offsets.dtype == np.int64


def test_roots_and_leaves_are_rows(birds):
    assert birds.root_rows.tolist() == [4]
    assert birds.leaf_rows.tolist() == [2, 3]


def test_identical_edges_are_dropped_and_counted():
    hierarchy = Hierarchy.from_pairs([("b", "c"), ("a", "b"), ("b", "c"), ("b", "c")])
    assert hierarchy.edges.tolist() == [[0, 1], [2, 0]]
    assert hierarchy.duplicates == 2


def test_the_row_of_a_name_and_back(birds):
    assert [birds.row(name) for name in birds.names] == [0, 1, 2, 3, 4]
    assert birds.rows(["gull", "bird"]).tolist() == [3, 0]
    assert birds.rows([]).tolist() == []
    assert "gull" in birds
    assert "stone" not in birds


def test_an_unknown_name_is_refused_with_the_nearest(birds):
    with pytest.raises(UnknownNameError) as caught:
        birds.row("gulll")
    assert str(caught.value) == "there is no node 'gulll'; did you mean gull?"
    with pytest.raises(KeyError, match=r"^there is no node 'white'; did you mean white_pelican\?$"):
        birds.rows(["bird", "white"])


def test_an_unknown_name_among_a_million_is_refused_quickly_with_the_nearest():
    hierarchy = Hierarchy([f"node{i}" for i in range(200_000)], [])
    with pytest.raises(UnknownNameError, match=r"did you mean .*node1999"):
        hierarchy.row("nude1999x")


def test_asking_for_a_stranger_does_not_add_it(birds):
    with pytest.raises(UnknownNameError):
        birds.row("stone")
    assert "stone" not in birds
    assert len(birds) == 5


def test_nothing_can_be_changed(birds):
    with pytest.raises(AttributeError, match="a Hierarchy never changes"):
        birds.names = ()
    for array in (birds.edges, birds.parent_lists.rows, birds.child_lists.offsets, birds.root_rows, birds.closure()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_the_edges_given_are_not_frozen_or_kept():
    edges = np.array([[0, 1]], np.int32)
    hierarchy = Hierarchy(["a", "b"], edges)
    edges[0] = 1, 0
    assert hierarchy.edges.tolist() == [[0, 1]]


def test_equal_hierarchies_have_the_same_digest_and_others_do_not(birds):
    twin = Hierarchy(birds.names, birds.edges)
    assert twin == birds
    assert hash(twin) == hash(birds)
    assert len(birds.digest) == 64
    assert twin.digest == birds.digest
    assert Hierarchy.from_pairs(BIRDS[::-1]).digest != birds.digest
    assert birds != "birds"


def test_a_copy_is_equal(birds):
    birds.closure()
    assert copy.deepcopy(birds) == birds
    assert pickle.loads(pickle.dumps(birds)) == birds


def test_it_reads_a_few_edges_aloud_spread_over_all(birds):
    assert birds.in_words(2) == ["pelican is a bird", "bird is an animal"]
    assert len(birds.in_words(100)) == 4
    assert birds.in_words(0) == []


def test_without_drops_nodes_and_their_edges(birds):
    rest = birds.drop(["bird"])
    assert rest.names == ("pelican", "white_pelican", "gull", "animal")
    assert rest.in_words() == ["white_pelican is a pelican"]


def test_a_subtree_is_a_node_and_all_below(birds):
    part = birds.subtree("pelican")
    assert part.names == ("pelican", "white_pelican")
    assert birds.subtree("gull").names == ("gull",)
    assert birds.subtree("animal").names == birds.names


def test_depth_is_the_longest_path_from_a_root():
    hierarchy = Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("a", "c"), ("x", "c")])
    assert hierarchy.depths.tolist() == [0, 1, 2, 0]


def test_an_empty_hierarchy_is_a_hierarchy():
    empty = Hierarchy.from_pairs([])
    assert len(empty) == 0
    assert empty.closure().shape == (0, 2)
    assert empty.reduction().shape == (0, 2)
    assert empty.in_words() == []
    assert empty.root_rows.tolist() == []


def test_nodes_without_edges_are_kept():
    hierarchy = Hierarchy(["a", "b", "c"], [[0, 1]])
    assert hierarchy.root_rows.tolist() == [0, 2]
    assert hierarchy.ancestor_lists()[2].tolist() == []


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [
        ([("a", "")], "a node has an empty name; every node needs a name of at least one character"),
        ([("a", "b\tc")], "the name 'b\\tc' contains a tab, which an edge file cannot hold; replace it"),
        ([("a", "b\n")], "the name 'b\\n' contains a line break, which an edge file cannot hold; replace it"),
        (
            [("a", "b\r")],
            "the name 'b\\r' contains a carriage return, which an edge file cannot hold; replace it",
        ),
        (
            [("a", "b\0")],
            "the name 'b\\x00' contains a NUL character, which an edge file cannot hold; replace it",
        ),
        ([("a", "\ud800")], "the name '\\ud800' contains half a character and cannot be written; replace it"),
        ([("a", 7)], "7 is not a name but int; names are text, so use str(…)"),
        ([("a", "a")], "'a' is given as its own parent; remove this edge"),
        (["ab"], "'ab' is not an edge; each edge is two names, (parent, child)"),
        ([("a", "b", "c")], "('a', 'b', 'c') is not an edge; each edge is two names, (parent, child)"),
    ],
)
def test_a_bad_pair_is_refused_in_one_sentence(pairs, sentence):
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.from_pairs(pairs)
    assert str(caught.value) == sentence


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
    with pytest.raises(HierarchyError) as caught:
        Hierarchy(["a", "b"], edges)
    assert str(caught.value) == sentence


def test_two_rows_with_one_name_are_refused():
    with pytest.raises(HierarchyError, match=r"^two rows are named 'a'; every node needs its own name$"):
        Hierarchy(["a", "b", "a"], [])


def test_a_networkx_graph_keeps_isolated_nodes_and_turns_nodes_into_text():
    graph = nx.DiGraph([(1, 2), (2, 3)])
    graph.add_node("alone")
    down = Hierarchy.from_networkx(graph, direction="parent-child")
    up = Hierarchy.from_networkx(graph, direction="child-parent")
    assert down.names == up.names == ("1", "2", "3", "alone")
    assert down.in_words(2) == ["2 is a 1", "3 is a 2"]
    assert up.in_words(2) == ["1 is a 2", "2 is a 3"]


def test_two_networkx_nodes_with_the_same_text_are_refused():
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.from_networkx(nx.DiGraph([(1, "1")]), direction="parent-child")
    assert str(caught.value) == "the nodes 1 and '1' are both written '1'; rename one of them"


def test_the_direction_of_a_networkx_graph_is_never_guessed():
    with pytest.raises(TypeError):
        Hierarchy.from_networkx(nx.DiGraph())
    with pytest.raises(InputError, match="direction is 'down', but must be parent-child or child-parent"):
        Hierarchy.from_networkx(nx.DiGraph(), direction="down")
    with pytest.raises(InputError, match="the graph is undirected"):
        Hierarchy.from_networkx(nx.Graph(), direction="parent-child")


def test_an_adjacency_refuses_a_row_it_does_not_have(birds):
    assert isinstance(birds.parent_lists, Adjacency)
    assert birds.parent_lists[-1].tolist() == []
    for row in (5, -6):
        with pytest.raises(IndexError):
            birds.parent_lists[row]
    for row in (5, -1):
        with pytest.raises(IndexError):
            birds.ancestors_of(row)


@settings(deadline=None)
@given(st.lists(st.tuples(names, names)))
def test_any_usable_names_survive(pairs):
    # An edge from the smaller to the larger name can never close a circle.
    pairs = [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]
    hierarchy = Hierarchy.from_pairs(pairs)
    told = [(hierarchy.names[parent], hierarchy.names[child]) for parent, child in hierarchy.edges]
    assert told == list(dict.fromkeys(pairs))
    assert hierarchy.duplicates == len(pairs) - len(told)
