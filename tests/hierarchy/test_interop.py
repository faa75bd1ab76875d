"""Hierarchies from pandas, polars and pyarrow frames, and from networkx graphs."""

import subprocess
import sys

import networkx as nx
import pandas
import polars
import pyarrow
import pytest
from tests.support.errors import raises_exactly

from hypercone.errors import HierarchyError, InputError
from hypercone.hierarchy import Hierarchy

LIBRARIES = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "pyarrow": pyarrow.table}
each_library = pytest.mark.parametrize("make", LIBRARIES.values(), ids=LIBRARIES)


@each_library
def test_each_row_is_an_edge(make):
    zoo = Hierarchy.from_frame(make({"child": ["dog", "cat"], "parent": ["animal", "animal"], "n": [1, 2]}))
    assert zoo == Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat")])
    assert zoo.labels is None
    # A column of whole numbers with a gap has become one of floats.
    assert Hierarchy.from_frame(make({"parent": [1.0, 2.0], "child": [2, 3]})).names == ("1", "2", "3")


@each_library
def test_columns_are_named_by_the_caller_and_labels_are_those_of_the_children(make):
    frame = make({"id": [2, 3, 3], "above": [1, 2, 1], "called": ["Dog", None, "Poodle"]})
    zoo = Hierarchy.from_frame(frame, parent="above", child="id", label="called")
    assert zoo.names == ("1", "2", "3")
    assert list(zoo.labels.texts) == ["", "Dog", ""]
    assert zoo.row("dog") == 1


@each_library
@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"parent": ["a", None], "child": ["b", "c"]}, {}, "the column 'parent', row 1: is empty; give it a name or…"),
        ({"parent": ["animal"], "child": [""]}, {}, "the column 'child', row 0: is empty…"),
        ({"parent": [1.5], "child": [2]}, {}, "the column 'parent', row 0: 1.5 is not a name…"),
        ({"parents": ["animal"], "child": ["dog"]}, {}, "there is no column 'parent'; did you mean parents…"),
        ({"child": ["dog"]}, {"parent": "child"}, "parent and child are both the column 'child'; name two columns"),
        ({"parent": [], "child": []}, {}, "the frame has no rows…"),
    ],
)
def test_a_frame_that_is_not_edges_is_refused_with_the_row_or_the_closest_column(make, columns, options, message):
    with raises_exactly(message):
        Hierarchy.from_frame(make(columns), **options)


def test_missing_values_of_every_kind_are_recognized():
    columns = [pandas.Series(["a", value], dtype=object) for value in (None, pandas.NA, float("nan"), pandas.NaT)]
    for column in (*columns, pandas.array([1, None], dtype="Int64")):
        with pytest.raises(InputError, match="row 1: is empty"):
            Hierarchy.from_frame(pandas.DataFrame({"parent": column, "child": ["b", "c"]}))


def test_categories_are_text_and_unusable_frames_are_refused():
    frame = pandas.DataFrame({"parent": pandas.Categorical(["a"]), "child": ["b"]})
    assert Hierarchy.from_frame(frame).names == ("a", "b")
    for frame, words in (
        (
            pandas.DataFrame([["a", "b", "c"]], columns=["parent", "child", "child"]),
            "there are 2 columns named 'child'",
        ),
        (polars.LazyFrame({"parent": ["a"], "child": ["b"]}), r"call \.collect\(\)"),
        ([("a", "b")], "list is not a data frame"),
    ):
        with pytest.raises(InputError, match=words):
            Hierarchy.from_frame(frame)


def test_no_frame_library_needs_to_be_installed():
    code = (
        "import sys\nfor name in ('pandas', 'polars', 'pyarrow'): sys.modules[name] = None\n"
        "class Column(list):\n    def tolist(self): return list(self)\n"
        "class Frame(dict):\n    @property\n    def columns(self): return list(self)\n"
        "from hypercone.hierarchy import Hierarchy\n"
        "assert len(Hierarchy.from_frame(Frame(parent=Column('a'), child=Column('b')))) == 2"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_networkx_graph_keeps_isolated_nodes_turns_nodes_into_text_and_takes_label_or_name_as_label():
    graph = nx.DiGraph([(1, 2), (2, 3)])
    graph.add_node("alone")
    down = Hierarchy.from_networkx(graph, direction="parent-child")
    up = Hierarchy.from_networkx(graph, direction="child-parent")
    assert down.names == up.names == ("1", "2", "3", "alone")
    assert down.in_words(2) == ["2 is a 1", "3 is a 2"]
    assert up.in_words(2) == ["1 is a 2", "2 is a 3"]
    assert down.labels is None
    graph.nodes[1].update(label="Animal", name="worse")
    graph.nodes[2]["name"] = "Dog"
    graph.nodes[3]["label"] = 7
    assert Hierarchy.from_networkx(graph, "parent-child").labels.texts == ("Animal", "Dog", "", "")


def test_a_networkx_graph_with_equal_texts_or_without_a_direction_is_refused():
    with raises_exactly("the nodes 1 and '1' are both written '1'; rename one of them", HierarchyError):
        Hierarchy.from_networkx(nx.DiGraph([(1, "1")]), direction="parent-child")
    with pytest.raises(TypeError):
        Hierarchy.from_networkx(nx.DiGraph())
    with pytest.raises(InputError, match="direction is 'down', but must be parent-child or child-parent"):
        Hierarchy.from_networkx(nx.DiGraph(), direction="down")
    with pytest.raises(InputError, match="the graph is undirected"):
        Hierarchy.from_networkx(nx.Graph(), direction="parent-child")
