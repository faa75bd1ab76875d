"""An explanation is the verdict with reasons that add up to it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

import hypercone
from hypercone.embedding.explanation import CONES, shortest_path
from hypercone.methods import METHODS

ALL = pytest.mark.parametrize("method", METHODS)

PAIRS = [("animal", "bird"), ("animal", "mammal"), ("mammal", "dog"), ("mammal", "cat"), ("dog", "poodle")]


@pytest.fixture(scope="module")
def animals(perfect):
    return perfect(hypercone.Hierarchy.from_pairs(PAIRS))


@ALL
@pytest.mark.parametrize("threshold", [0.0, 0.4, 1e300])
def test_every_verdict_is_explained_whatever_the_method(make_embedding, method, threshold):
    embedding = make_embedding(method, count=9, threshold=threshold)
    for child in embedding.names:
        for parent in embedding.names:
            found = embedding.explain(child, parent)
            assert (found.child, found.parent) == (child, parent)
            assert found.is_a is embedding.is_a(child, parent)
            assert found.energy == embedding.energy(child, parent)
            assert (found.margin >= 0) is found.is_a
            assert (found.graph, found.agrees, found.path, found.lost, found.stray) == (None, None, (), (), None)


@ALL
def test_only_cones_have_an_angle_and_it_adds_up(make_embedding, method):
    embedding = make_embedding(method, count=15)
    for child in embedding.names:
        found = embedding.explain(child, "n3")
        if method in CONES:
            assert found.margin == pytest.approx(found.aperture + found.threshold - found.angle, abs=1e-12)
        else:
            assert (found.angle, found.aperture) == (None, None)
            assert found.margin == pytest.approx(found.threshold - found.energy, abs=1e-12)


@ALL
@pytest.mark.parametrize("threshold", [0.4, 1e300])
def test_a_chain_climbs_from_the_child_to_the_parent_by_steps_that_hold(make_embedding, method, threshold):
    embedding = make_embedding(method, count=20, threshold=threshold)
    generality = METHODS[method].generality(embedding.points)
    lengths = set()
    for child in embedding.names:
        for parent in embedding.ancestors(child):
            chain = embedding.explain(child, parent).chain
            lengths.add(len(chain))
            assert chain[-1].name == parent
            assert all(step.margin >= 0 for step in chain)
            way = [child, *(step.name for step in chain)]
            assert [embedding.is_a(*step) for step in pairwise(way)] == [True] * len(chain)
            rows = [embedding.row(name) for name in way]
            if len(way) > 2:
                assert all(generality[upper] <= generality[lower] for lower, upper in pairwise(rows))
    assert 1 in lengths


def test_a_verdict_of_no_has_no_chain(animals):
    assert animals.explain("animal", "dog").chain == ()


def test_what_geometry_and_graph_agree_on(animals):
    found = animals.explain("poodle", "animal")
    assert (found.is_a, found.graph, found.agrees, found.lost, found.stray) == (True, "closure", True, (), None)
    assert [step.name for step in found.chain] == [step.name for step in found.path] == ["dog", "mammal", "animal"]
    assert animals.explain("poodle", "dog").graph == "edge"
    assert animals.explain("poodle", "poodle").graph == "same"
    assert animals.explain("poodle", "poodle").agrees
    no = animals.explain("poodle", "cat")
    assert (no.is_a, no.graph, no.agrees, no.path) == (False, "no", True, ())


def _with_point_of(embedding, name, other):
    points = embedding.points.copy()
    points[embedding.row(name)] = embedding[other]
    return replace(embedding, points=points)


def test_a_node_that_moved_away_is_lost_at_the_first_step_it_no_longer_reaches(animals):
    moved = _with_point_of(animals, "poodle", "cat")
    found = moved.explain("poodle", "animal")
    assert (found.is_a, found.agrees) == (True, True)
    assert found.lost == ("dog",)
    found = moved.explain("poodle", "dog")
    assert (found.is_a, found.graph, found.agrees, found.lost) == (False, "edge", False, ("dog",))
    assert found.path[0].child_margin < 0


def test_a_step_that_the_graph_does_not_know_is_a_stray(animals):
    moved = _with_point_of(animals, "poodle", "bird")
    found = moved.explain("poodle", "bird")
    assert (found.is_a, found.graph, found.agrees, found.stray) == (True, "no", False, "bird")


def test_the_path_of_the_graph_is_a_shortest_one():
    rng = np.random.default_rng(5)
    edges = [(i, j) for j in range(1, 40) for i in sorted(set(rng.integers(0, j, 2).tolist()))]
    hierarchy = hypercone.Hierarchy([f"n{i}" for i in range(40)], edges)
    graph = nx.DiGraph([(child, parent) for parent, child in edges])
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    for child in range(40):
        for parent in range(40):
            way = shortest_path(hierarchy, child, parent)
            if parent not in lengths[child]:
                assert way == [child]
                continue
            assert (way[0], way[-1], len(way)) == (child, parent, lengths[child][parent] + 1)
            assert all(graph.has_edge(*step) for step in pairwise(way))
