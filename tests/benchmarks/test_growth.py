"""The graphs that grow are what their families promise, and a family that takes too long is not taken further."""

from __future__ import annotations

import argparse
import doctest
import math
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest
from benchmarks.graph_families import DEPTH, FAMILIES, draw_tree, level_sizes, make_hierarchy, near_parents
from benchmarks.speed import growth

from benchmarks import graph_families
from hypercone.errors import InputError, ResourceError

NEAR = {"near 10 %": 0.1, "near 50 %": 0.5}
ANYWHERE = {"anywhere 10 %": 0.1, "anywhere 50 %": 0.5}


@pytest.mark.parametrize("size", [60, 1_000, 20_000])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_graph_has_about_its_size_and_no_cycle_no_double_edge_and_is_the_same_every_time(family, size):
    graph = FAMILIES[family](size)
    assert 0.8 * size <= graph.nodes <= size
    assert bool((graph.edges[:, 0] < graph.edges[:, 1]).all())
    assert graph.edges.dtype == np.int32
    hierarchy = make_hierarchy(graph)
    assert (len(hierarchy), len(hierarchy.edges), hierarchy.duplicates) == (graph.nodes, len(graph.edges), 0)
    assert len(hierarchy.root_rows) == (size // 10 if family == "bipartite" else 1)
    again = FAMILIES[family](size)
    assert again.nodes == graph.nodes
    assert np.array_equal(again.edges, graph.edges)


@pytest.mark.parametrize("size", [60, 1_000, 20_000])
def test_a_tree_has_the_depth_of_a_taxonomy_and_mostly_leaves_at_every_size(size):
    tree = make_hierarchy(FAMILIES["tree"](size))
    assert len(tree.edges) == size - 1
    assert tree.depths.tolist() == draw_tree(size).levels.tolist()
    assert np.bincount(tree.depths).tolist() == level_sizes(size)
    assert tree.depths.max() == DEPTH
    assert len(tree.leaf_rows) > (0.75 if size >= 1_000 else 0.5) * size


def test_a_tree_with_fewer_nodes_than_levels_is_refused():
    with pytest.raises(InputError, match="cannot have 16 nodes; take 50 or more"):
        FAMILIES["tree"](16)


@pytest.mark.parametrize("size", [60, 1_000, 20_000])
@pytest.mark.parametrize(("family", "share"), NEAR.items())
def test_near_second_parents_are_new_near_and_never_redundant(family, share, size):
    hierarchy, tree = make_hierarchy(FAMILIES[family](size)), draw_tree(size)
    assert len(hierarchy.redundant_edges()) == 0
    several = (hierarchy.parent_lists.counts > 1).mean()
    assert several == pytest.approx(share, rel=0.1 if size > 1_000 else 0.4)
    for child, second in zip(*near_parents(tree, share), strict=True):
        first = tree.parents[child]
        steps_up = tree.levels[first] - tree.levels[second]
        assert 0 <= steps_up <= 1
        above = [first]
        for _ in range(3):
            above.append(tree.parents[above[-1]])
        assert second not in above
        # An ancestor of the second parent is at most three levels above the first.
        ancestor = second
        for _ in range(3 - steps_up):
            ancestor = tree.parents[ancestor]
        assert ancestor == above[3]


@pytest.mark.parametrize(("family", "share"), ANYWHERE.items())
def test_second_parents_anywhere_are_anywhere_above(family, share):
    graph = FAMILIES[family](20_000)
    second, child = graph.edges[19_999:].T
    assert len(child) == pytest.approx(share * 20_000, rel=0.1)
    assert np.mean(second / child) == pytest.approx(0.5, abs=0.02)


def test_ladder_chain_grid_and_bipartite_have_their_shapes():
    assert sorted(map(tuple, FAMILIES["ladder"](8).edges.tolist())) == [
        *((0, 1), (0, 2), (1, 3), (2, 3)),
        *((3, 4), (3, 5), (4, 6), (5, 6)),
    ]
    chain = FAMILIES["chain with one diamond"](8).edges.tolist()
    assert sorted(map(tuple, chain)) == [(0, 1), (1, 2), (2, 3), (2, 4), (3, 5), (4, 5), (5, 6), (6, 7)]
    grid = FAMILIES["grid"](9).edges.tolist()
    assert sorted(map(tuple, grid)) == sorted(
        [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8), (0, 3), (1, 4), (2, 5), (3, 6), (4, 7), (5, 8)]
    )
    bipartite = make_hierarchy(FAMILIES["bipartite"](1_000))
    assert set(bipartite.parent_lists.counts[100:].tolist()) == {2, 3}
    assert bipartite.depths.max() == 1


def measured(size: int, seconds: float, **more: object) -> growth.Row:
    figures = {"nodes": size, "edges": size - 1, "hierarchy_seconds": 0.5, "fit_seconds": seconds}
    memory = {"megabytes_at_start": 100.0, "megabytes_before": 110.0, "megabytes_after": 100.0 + size / 1e3}
    record = {"precision": 1.0, "recall": None, "calibration_f1": 0.5, "notes": ["kept"], "unexplained": 1200}
    return {"family": "tree", "size": size, "dim": 5} | figures | memory | record | more


def options_with(finished: list[growth.Row]) -> argparse.Namespace:
    return argparse.Namespace(finished=finished, most_seconds=60.0, smoke=True)


def test_exponents_are_slopes_from_ten_thousand_nodes_on():
    rows = [measured(size, 1e-6 * size**1.5) for size in (10_000, 100_000, 1_000_000)]
    rows = [measured(1_000, 50.0), *rows, {"family": "tree", "size": 10**7, "dim": 5, "failed": "no memory"}]
    (found,) = growth.summarize(rows)["exponents"]
    assert (found["seconds"], found["megabytes"]) == (1.5, 1.0)
    table = growth.tables(rows[::-1])[""]
    lines = table.splitlines()
    assert (
        lines[2] == "| tree, d = 5 | 1,000 | 999 | 0.50 | 50.00 | 110 | 101 | 100.00% | – | 50.00% | – | 1,200 | kept |"
    )
    assert lines[6].endswith("| failed: no memory |")
    assert lines[-1] == (
        "- tree, d = 5: from 10,000 to 1,000,000 nodes, seconds grow with the power 1.5 and memory with the power 1.0."
    )
    (few,) = growth.summarize(rows[:2])["exponents"]
    assert (few["seconds"], few["megabytes"]) == (None, None)
    assert "no exponents" in growth.tables(rows[:2])[""]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (measured(1_000, 59.0), None),
        (measured(1_000, 60.0), "1,000 nodes took 60 seconds"),
        (measured(1_000, 60.0, dim=10), None),
        (measured(1_000, 60.0, family="grid"), None),
        (measured(100_000, 60.0), None),
        ({"family": "tree", "size": 1_000, "dim": 5, "failed": "killed"}, "1,000 nodes failed"),
    ],
)
def test_after_a_slow_or_failed_graph_no_larger_one_of_its_family_is_started(row, reason, monkeypatch, capsys):
    started = []
    monkeypatch.setattr(growth, "run_in_new_process", lambda *given: started.append(given) or {"nodes": 1})
    rows = growth.run({"family": "tree", "size": 10_000, "dim": 5}, options_with([row]))
    assert (len(rows), len(started)) == ((0, 0) if reason else (1, 1))
    printed = capsys.readouterr().err
    assert printed == (f"tree, 10,000 nodes: not started, because {reason}\n" if reason else "")


@pytest.mark.parametrize(("times", "counted"), [([5.0, 3.0], 3.0), ([3.0, 5.0], 3.0), ([31.0], 31.0)])
def test_a_short_fit_is_measured_twice_and_the_shorter_one_counts(times, counted, monkeypatch):
    coming = iter(times)
    monkeypatch.setattr(growth, "run_in_new_process", lambda *_: {"fit_seconds": next(coming)})
    options = argparse.Namespace(finished=[], most_seconds=60.0, smoke=False)
    (row,) = growth.run({"family": "tree", "size": 10_000, "dim": 5}, options)
    assert row["fit_seconds"] == counted
    assert list(coming) == []


def test_a_fit_without_enough_memory_and_a_killed_process_leave_a_row(monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise ResourceError("the closure is too large")

    def die(*_: object) -> None:
        raise BrokenProcessPool

    monkeypatch.setattr(growth, "fit", refuse)
    row = growth.measure("ladder", 10, 3, False)
    assert (row["nodes"], row["edges"], row["failed"]) == (10, 12, "the closure is too large")
    assert "fit_seconds" not in row
    monkeypatch.setattr(growth, "run_in_new_process", die)
    (row,) = growth.run({"family": "ladder", "size": 10, "dim": 3}, options_with([]))
    assert "was killed" in row["failed"]


def test_the_peak_of_memory_can_begin_again():
    taken = np.ones(30_000_000)
    high = growth.peak_megabytes()
    assert high > taken.nbytes / 1e6
    del taken
    growth.forget_peak()
    assert math.isfinite(growth.peak_megabytes())
    assert growth.peak_megabytes() <= high


def test_the_examples_in_the_docstrings_run():
    done = doctest.testmod(graph_families)
    assert (done.failed, done.attempted > 0) == (0, True)
