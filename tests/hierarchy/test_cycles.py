"""Cycles are refused with a shortest one as evidence; they can be condensed, or broken by dropping back edges."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.errors import raises_exactly
from tests.support.formats import read_text
from tests.support.hierarchies import edges_of

from hypercone.errors import HierarchyError
from hypercone.formats.parsed import ParsedEdges, build_hierarchy
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph import CycleError, condense_cycles, edges_closing_cycles

RING = [(str(i), str((i + 1) % 1000)) for i in range(1000)]
SQUARE = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("x", "a"), ("d", "y"), ("c", "e"), ("e", "c")]


@pytest.mark.parametrize(
    ("pairs", "cycle"),
    [
        (SQUARE, "c → e → c"),
        (zip("abcdefgh", "bcdefgha", strict=True), "a → b → c → d → e → f → g → h → a"),
        (RING, "0 → 1 → 2 → … → 998 → 999 → 0 (1,000 edges)"),
    ],
    ids=["the shortest", "eight in full", "a long one shortened"],
)
def test_a_cycle_is_refused_with_one_shortest_cycle(pairs, cycle):
    with raises_exactly(f"the edges form a cycle, parent → child: {cycle}; remove one of these edges", HierarchyError):
        Hierarchy.from_pairs(pairs)


graphs = st.integers(1, 9).flatmap(lambda n: st.lists(st.tuples(*[st.integers(0, n - 1)] * 2), max_size=27))
graphs = graphs.map(lambda pairs: [pair for pair in pairs if pair[0] != pair[1]] or [(0, 1)])


@settings(max_examples=300)
@given(graphs)
def test_exactly_graphs_with_cycles_are_refused_and_no_cycle_is_shorter(edges):
    graph = nx.DiGraph(edges)
    shortest = min(map(len, nx.simple_cycles(graph)), default=0)
    try:
        Hierarchy(map(str, range(9)), edges)
    except CycleError as error:
        cycle = error.cycle
        assert len(cycle) == shortest
        assert all(graph.has_edge(*edge) for edge in zip(cycle, cycle[1:] + cycle[:1], strict=True))
    else:
        assert shortest == 0


@settings(max_examples=200)
@given(graphs)
def test_components_are_those_of_networkx(pairs):
    names = [str(row) for row in range(10)]
    graph = nx.DiGraph(pairs)
    graph.add_nodes_from(range(10))
    found = condense_cycles(names, np.array(pairs, np.int32), {})
    expected = {" = ".join(map(str, sorted(rows))) for rows in nx.strongly_connected_components(graph)}
    assert set(found.names if found else names) == expected
    if found:
        assert nx.is_directed_acyclic_graph(nx.DiGraph(found.edges.tolist()))
        assert len(found.edges) == nx.condensation(graph).number_of_edges()


@settings(max_examples=200)
@given(graphs)
def test_without_the_closing_edges_there_is_no_cycle_and_each_of_them_closes_one(pairs):
    edges = np.array(pairs, np.int32)
    dropped = edges_closing_cycles(edges, 10)
    remaining = nx.DiGraph(np.delete(edges, dropped, axis=0).tolist())
    remaining.add_nodes_from(range(10))
    assert nx.is_directed_acyclic_graph(remaining)
    for parent, child in edges[dropped]:
        assert nx.has_path(remaining, int(child), int(parent))


@pytest.mark.parametrize("is_cycle", [True, False])
def test_a_million_nodes_need_no_recursion_and_little_time(is_cycle, within):
    rows = np.arange(1_000_000, dtype=np.int32)
    edges = np.stack([rows, np.roll(rows, -1)], axis=1)[: None if is_cycle else -1]
    edges_closing_cycles(edges[:2], 10), condense_cycles(["a", "b", "c"], edges[:2], {})
    names = [str(row) for row in rows.tolist()]
    dropped, found = within(5, lambda: (edges_closing_cycles(edges, len(rows)), condense_cycles(names, edges, {})))
    assert dropped.tolist() == ([len(rows) - 1] if is_cycle else [])
    assert (found is not None) == is_cycle
    if is_cycle:
        with pytest.raises(CycleError, match="1,000,000 edges") as caught:
            Hierarchy(names, edges)
        assert len(caught.value.cycle) == 1_000_000


CYCLES = "parent,child\ntop,a\na,b\nb,a\nb,c\nc,c\nd,e\ne,f\nf,d\nc,d\na,b\n"


def test_condensing_makes_one_node_of_each_cycle():
    found = read_text(CYCLES, on_cycle="condense")
    assert found.names == ("top", "a = b", "c", "d = e = f")
    assert set(edges_of(found)) == {("top", "a = b"), ("a = b", "c"), ("c", "d = e = f")}
    assert found.notes == (
        "1 edge from a node to itself left out: c → c (line 6)",
        "2 cycles condensed: a = b, d = e = f",
    )
    assert found.row("b") == found.row("a = b") == 1


def test_dropping_leaves_out_back_edges():
    found = read_text(CYCLES, on_cycle="drop")
    assert found.names == ("top", "a", "b", "c", "d", "e", "f")
    assert set(edges_of(found)) == {("top", "a"), ("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f")}
    assert found.notes == (
        "1 edge from a node to itself left out: c → c (line 6)",
        "2 edges that close cycles left out: b → a (line 4), f → d (line 9)",
    )
    assert found.duplicates == 1


def test_more_than_three_are_counted():
    pairs = [(f"{name}{i}", f"{other}{i}") for i in range(5) for name, other in ("ab", "ba")]
    parsed = ParsedEdges("x", *zip(*pairs, strict=True))
    assert build_hierarchy(parsed, "condense").notes == ("5 cycles condensed: a0 = b0, a1 = b1, a2 = b2 and 2 more",)
    assert build_hierarchy(parsed, "drop").notes == (
        "5 edges that close cycles left out: b0 → a0, b1 → a1, b2 → a2 and 2 more",
    )


def test_labels_are_joined_like_names_and_a_joined_name_that_exists_already_is_refused():
    parsed = ParsedEdges("x", ["a", "b", "b"], ["b", "a", "c"], labels={"a": "Alpha", "c": "Gamma", "z": "Zeta"})
    found = build_hierarchy(parsed, "condense")
    assert (found.names, found.labels.texts) == (("a = b", "c"), ("Alpha = b", "Gamma"))
    with raises_exactly("x: two rows are named 'a = b'; every node needs its own name", HierarchyError):
        build_hierarchy(ParsedEdges("x", ["a", "b", "a = b"], ["b", "a", "c"]), "condense")


def test_without_a_cycle_nothing_changes():
    acyclic = "parent,child\na,b\nb,c\na,c\n"
    for on_cycle in ("condense", "drop"):
        found = read_text(acyclic, on_cycle=on_cycle)
        assert found == read_text(acyclic)
        assert found.notes == ()


def test_a_cycle_in_a_file_is_refused_with_its_line_and_the_remedy():
    with raises_exactly("the stream:6: 'c' is given as its own parent; remove this edge", HierarchyError):
        read_text(CYCLES)
    with raises_exactly(
        "the stream:4: the edges form a cycle, parent → child: a → b → a; remove one of these edges, "
        'or read it with on_cycle="condense" or "drop"',
        HierarchyError,
    ):
        read_text(CYCLES.replace("c,c\n", ""))
