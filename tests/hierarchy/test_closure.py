"""Transitive closure and reduction against networkx, on hierarchies too large for it, and within memory."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from tests.support.hierarchies import chain, dags, forest_of, star

from hypercone import _system
from hypercone.errors import ResourceError
from hypercone.hierarchy import Hierarchy, graph

MILLION = 1_000_000


def number_names(size):
    return [str(i) for i in range(size)]


def graph_of(hierarchy):
    graph = nx.DiGraph(hierarchy.edges.tolist())
    graph.add_nodes_from(range(len(hierarchy)))
    return graph


def pairs(edges):
    return sorted(map(tuple, np.asarray(edges).tolist()), key=lambda pair: pair[::-1])


@settings(max_examples=300)
@given(dags(14, 42))
def test_closure_and_reduction_are_those_of_networkx_sorted_by_the_lower_end(hierarchy):
    graph = graph_of(hierarchy)
    assert list(map(tuple, hierarchy.closure().tolist())) == pairs(nx.transitive_closure(graph).edges)
    assert list(map(tuple, hierarchy.reduction().tolist())) == pairs(nx.transitive_reduction(graph).edges)


@pytest.mark.parametrize("density", [0.02, 0.1, 0.5])
def test_larger_hierarchies_agree_with_networkx_too(density):
    random = np.random.default_rng(0)
    rank, above = random.permutation(120), np.argwhere(np.triu(random.random((120, 120)) < density, 1))
    hierarchy = Hierarchy(number_names(120), rank[above])
    graph = graph_of(hierarchy)
    assert pairs(hierarchy.closure()) == pairs(nx.transitive_closure(graph).edges)
    assert pairs(hierarchy.reduction()) == pairs(nx.transitive_reduction(graph).edges)
    assert hierarchy.depths.max() == nx.dag_longest_path_length(graph)


@given(dags(14, 42))
def test_the_closure_of_the_closure_and_of_the_reduction_is_the_closure(hierarchy):
    for edges in (hierarchy.closure(), hierarchy.reduction()):
        again = Hierarchy(hierarchy.names, edges)
        assert np.array_equal(again.closure(), hierarchy.closure())
        assert np.array_equal(again.reduction(), hierarchy.reduction())


def test_a_chain_a_million_deep_refuses_its_closure_and_answers_everything_else():
    # From the bottom up, so that the rows are not already in order.
    deep = forest_of(np.append(np.arange(1, MILLION), -1))
    with pytest.raises(ResourceError, match=r"^the closure has at least 499,999,500,000 pairs and .* fit in the "):
        deep.closure()
    assert deep.summary().closure_edges == deep.count_closure() == MILLION * (MILLION - 1) // 2
    assert len(deep.reduction()) == MILLION - 1
    assert deep.reduction() is deep.reduction()
    assert len(deep.ancestors_of(0)) == MILLION - 1
    assert deep.descendants_of(2).tolist() == [0, 1]
    assert deep.depths[0] == MILLION - 1


def test_a_node_may_have_a_million_children_or_parents():
    below = star(MILLION)
    assert np.array_equal(below.closure(), below.edges)
    assert np.array_equal(below.reduction(), below.edges)
    funnel = Hierarchy(below.names, below.edges[:, ::-1])
    assert len(funnel.closure()) == len(funnel.reduction()) == funnel.count_closure() == MILLION - 1


def test_edges_from_the_top_of_a_long_chain_to_all_of_it_are_implied():
    steps = chain(200_000)
    hierarchy = Hierarchy(steps.names, np.concatenate([star(200_000).edges, steps.edges]))
    assert np.array_equal(hierarchy.reduction(), steps.edges)


@pytest.mark.parametrize(("is_counted_first", "known"), [(False, r"[\d,]+"), (True, "1,600")])
def test_a_closure_larger_than_memory_is_refused_while_it_grows_or_before(monkeypatch, is_counted_first, known):
    # Two levels of 40: the depths give a lower bound of 40 pairs, there are 1,600, and 500 fit.
    hierarchy = Hierarchy(number_names(80), [(i, 40 + j) for i in range(40) for j in range(40)])
    monkeypatch.setattr(graph, "available_bytes", lambda: 500 * 2 * graph.BYTES_PER_PAIR)
    if is_counted_first:
        monkeypatch.setattr(graph, "MANY_PAIRS", 1)
    with pytest.raises(ResourceError, match=rf"^the closure has at least {known} pairs and 500 fit in the"):
        hierarchy.closure()
    monkeypatch.undo()
    assert len(hierarchy.closure()) == 1600
    assert hierarchy.closure() is hierarchy.closure()


def test_a_dense_graph_is_counted_by_bits_where_walking_takes_too_long_and_not_if_that_does_too(monkeypatch):
    random = np.random.default_rng(1)
    children = np.repeat(np.arange(1, 300), 3)
    parents = (random.random(len(children)) * children).astype(np.int64)
    hierarchy = Hierarchy(number_names(300), 299 - np.stack([parents, children], axis=1))
    walked = hierarchy.count_closure()
    # A hierarchy remembers the number.
    monkeypatch.setattr(graph, "WALKING_STEPS", 1)
    assert Hierarchy(hierarchy.names, hierarchy.edges).count_closure() == walked
    monkeypatch.setattr(graph, "COUNTING_STEPS", -1)
    assert Hierarchy(hierarchy.names, hierarchy.edges).count_closure() is None
    assert hierarchy.count_closure() == walked
    monkeypatch.undo()
    assert len(hierarchy.closure()) == walked


def test_free_memory_is_the_least_of_machine_and_container_and_some_is_assumed_without_figures(monkeypatch):
    files = {
        "/proc/meminfo": "MemTotal: 9 kB\nMemAvailable:    2048 kB\n",
        "/sys/fs/cgroup/memory.max": "max\n",
        "/sys/fs/cgroup/memory.current": "77\n",
    }
    monkeypatch.setattr(_system, "_text", lambda path: files[path])
    assert _system.available_bytes() == 2048 * 1024
    files["/sys/fs/cgroup/memory.max"] = "1077"
    assert _system.available_bytes() == 1000
    files["/sys/fs/cgroup/memory.max"] = "7"
    assert _system.available_bytes() == 0
    monkeypatch.setattr(_system, "_text", lambda path: "")
    monkeypatch.delattr(_system.os, "sysconf")
    assert _system.available_bytes() == _system.ASSUMED_BYTES


@given(dags(14, 42))
def test_walking_storing_and_counting_agree(hierarchy):
    counted = hierarchy.count_closure()
    assert counted == len(hierarchy.closure()) == hierarchy.count_closure() == hierarchy.summary().closure_edges
    lists = hierarchy.ancestor_lists()
    for row in range(len(hierarchy)):
        assert hierarchy.ancestors_of(row).tolist() == lists[row].tolist()
        assert hierarchy.descendants_of(row).tolist() == sorted(nx.descendants(graph_of(hierarchy), row))
