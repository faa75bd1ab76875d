"""Edges in a circle are refused, with a shortest circle as evidence."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone.errors import HierarchyError
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph import CycleError


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


def test_a_long_cycle_is_abbreviated_and_its_length_told():
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
