"""Cycles in a file: refused, condensed or dropped by on_cycle, with a note."""

import io

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hypercone
from hypercone.errors import HierarchyError, InputError
from hypercone.formats.parsed import ParsedEdges, build_hierarchy
from hypercone.hierarchy.graph import condense_cycles, edges_closing_cycles

CIRCLES = "parent,child\ntop,a\na,b\nb,a\nb,c\nc,c\nd,e\ne,f\nf,d\nc,d\na,b\n"
graphs = st.integers(1, 9).flatmap(lambda n: st.lists(st.tuples(*[st.integers(0, n - 1)] * 2), min_size=1, max_size=25))


def read(text=CIRCLES, **options):
    return hypercone.read(io.BytesIO(text.encode()), **options)


def edges_of(hierarchy):
    return {(hierarchy.names[parent], hierarchy.names[child]) for parent, child in hierarchy.edges}


def test_a_circle_is_refused_with_the_remedy():
    with pytest.raises(HierarchyError, match=r"^the stream:6: 'c' is given as its own parent; remove this edge$"):
        read()
    with pytest.raises(HierarchyError) as caught:
        read(CIRCLES.replace("c,c\n", ""))
    assert str(caught.value) == (
        "the stream:4: the edges form a cycle, parent → child: a → b → a; remove one of these edges, "
        'or read it with on_cycle="condense" or "drop"'
    )


def test_condensing_makes_one_node_of_each_circle():
    found = read(on_cycle="condense")
    assert found.names == ("top", "a = b", "c", "d = e = f")
    assert edges_of(found) == {("top", "a = b"), ("a = b", "c"), ("c", "d = e = f")}
    assert found.notes == (
        "1 edge from a node to itself left out: c → c (line 6)",
        "2 cycles condensed: a = b, d = e = f",
    )
    assert found.row("b") == found.row("a = b") == 1


def test_dropping_leaves_out_the_edges_that_lead_back():
    found = read(on_cycle="drop")
    assert found.names == ("top", "a", "b", "c", "d", "e", "f")
    assert edges_of(found) == {("top", "a"), ("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f")}
    assert found.notes == (
        "1 edge from a node to itself left out: c → c (line 6)",
        "2 edges that close cycles left out: b → a (line 4), f → d (line 9)",
    )
    assert found.duplicates == 1


def test_more_than_three_are_counted():
    pairs = [(f"{name}{i}", f"{other}{i}") for i in range(5) for name, other in ("ab", "ba")]
    reading = ParsedEdges("x", *zip(*pairs, strict=True))
    assert build_hierarchy(reading, "condense").notes == ("5 cycles condensed: a0 = b0, a1 = b1, a2 = b2 and 2 more",)
    assert build_hierarchy(reading, "drop").notes == (
        "5 edges that close cycles left out: b0 → a0, b1 → a1, b2 → a2 and 2 more",
    )


def test_labels_are_joined_like_names():
    reading = ParsedEdges("x", ["a", "b", "b"], ["b", "a", "c"], labels={"a": "Alpha", "c": "Gamma", "z": "Zeta"})
    found = build_hierarchy(reading, "condense")
    assert (found.names, found.labels.texts) == (("a = b", "c"), ("Alpha = b", "Gamma"))


def test_without_a_circle_nothing_changes():
    plain = "parent,child\na,b\nb,c\na,c\n"
    for on_cycle in ("condense", "drop"):
        found = read(plain, on_cycle=on_cycle)
        assert found == read(plain)
        assert found.notes == ()


def test_another_answer_to_circles_is_refused():
    with pytest.raises(InputError, match=r"^on_cycle is 'ignore', but must be one of error, condense, drop$"):
        read(on_cycle="ignore")


def test_a_name_that_two_nodes_get_is_refused_without_a_traceback():
    with pytest.raises(HierarchyError, match=r"^x: two rows are named 'a = b'; every node needs its own name$"):
        build_hierarchy(ParsedEdges("x", ["a", "b", "a = b"], ["b", "a", "c"]), "condense")


@settings(max_examples=200, deadline=None)
@given(graphs)
def test_components_are_those_of_networkx(pairs):
    pairs = [pair for pair in pairs if pair[0] != pair[1]] or [(0, 1)]
    names = [str(row) for row in range(10)]
    graph = nx.DiGraph(pairs)
    graph.add_nodes_from(range(10))
    found = condense_cycles(names, np.array(pairs, np.int32), {})
    expected = {" = ".join(map(str, sorted(rows))) for rows in nx.strongly_connected_components(graph)}
    assert set(found.names if found else names) == expected
    if found:
        assert nx.is_directed_acyclic_graph(nx.DiGraph(found.edges.tolist()))
        assert len(found.edges) == nx.condensation(graph).number_of_edges()


@settings(max_examples=200, deadline=None)
@given(graphs)
def test_without_the_closing_edges_there_is_no_cycle_and_each_of_them_closes_one(pairs):
    edges = np.array([pair for pair in pairs if pair[0] != pair[1]] or [(0, 1)], np.int32)
    places = edges_closing_cycles(edges, 10)
    kept = nx.DiGraph(np.delete(edges, places, axis=0).tolist())
    kept.add_nodes_from(range(10))
    assert nx.is_directed_acyclic_graph(kept)
    for parent, child in edges[places]:
        assert nx.has_path(kept, int(child), int(parent))


@pytest.mark.parametrize("is_circle", [True, False])
def test_a_million_nodes_take_no_recursion_and_little_time(is_circle, within):
    rows = np.arange(1_000_000, dtype=np.int32)
    edges = np.stack([rows, np.roll(rows, -1)], axis=1)[: None if is_circle else -1]
    edges_closing_cycles(edges[:2], 10), condense_cycles(["a", "b", "c"], edges[:2], {})
    names = [str(row) for row in rows.tolist()]
    places, found = within(5, lambda: (edges_closing_cycles(edges, len(rows)), condense_cycles(names, edges, {})))
    assert places.tolist() == ([len(rows) - 1] if is_circle else [])
    assert (found is not None) == is_circle
