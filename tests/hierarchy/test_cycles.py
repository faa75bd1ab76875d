"""Cycles are refused with a shortest one as evidence; they can be condensed, or broken by dropping back edges."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone.errors import HierarchyError
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph import CycleError, condense_cycles, edges_closing_cycles


def refusal(pairs):
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.from_pairs(pairs)
    return str(caught.value)


def test_a_cycle_is_refused_with_one_shortest_cycle():
    pairs = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("x", "a"), ("d", "y"), ("c", "e"), ("e", "c")]
    assert refusal(pairs) == ("the edges form a cycle, parent → child: c → e → c; remove one of these edges")


def test_a_cycle_of_eight_is_shown_in_full():
    names = "abcdefgh"
    pairs = list(zip(names, names[1:] + names[0], strict=True))
    assert ": a → b → c → d → e → f → g → h → a; " in refusal(pairs)


def test_a_long_cycle_is_abbreviated_with_its_length():
    pairs = [(str(i), str((i + 1) % 1000)) for i in range(1000)]
    assert ": 0 → 1 → 2 → … → 998 → 999 → 0 (1,000 edges); " in refusal(pairs)


def test_a_cycle_a_million_long_is_found_in_one_search():
    rows = np.arange(1_000_000)
    edges = np.stack([rows, np.roll(rows, -1)], axis=1)
    with pytest.raises(CycleError, match="1,000,000 edges") as caught:
        Hierarchy(map(str, rows), edges)
    assert len(caught.value.cycle) == 1_000_000


@settings(max_examples=300, deadline=None)
@given(st.integers(2, 9).flatmap(lambda n: st.lists(st.tuples(*[st.integers(0, n - 1)] * 2), max_size=3 * n)))
def test_exactly_graphs_with_cycles_are_refused_and_no_cycle_is_shorter(edges):
    edges = [edge for edge in edges if edge[0] != edge[1]]
    graph = nx.DiGraph(edges)
    names = [str(i) for i in range(9)]
    shortest = min(map(len, nx.simple_cycles(graph)), default=0)
    try:
        Hierarchy(names, np.array(edges, np.int64).reshape(-1, 2))
    except CycleError as error:
        cycle = error.cycle
        assert len(cycle) == shortest
        assert all(graph.has_edge(*edge) for edge in zip(cycle, cycle[1:] + cycle[:1], strict=True))
    else:
        assert shortest == 0


graphs = st.integers(1, 9).flatmap(lambda n: st.lists(st.tuples(*[st.integers(0, n - 1)] * 2), min_size=1, max_size=25))


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
