"""Suggested links are new, not implied by each other, and ranked by numbers that can be recomputed."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hypercone
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.methods import METHODS, Settings
from hypercone.queries.suggestions import candidates, missing_rows, wrong_rows

FAR = 1e9


def _random_hierarchy(seed: int, size: int, extra: int) -> hypercone.Hierarchy:
    """A random tree with some extra parents; a row's parents have smaller rows."""
    random = np.random.default_rng(seed)
    edges = [(int(random.integers(row)), row) for row in range(1, size)]
    for _ in range(extra):
        parent, child = sorted(random.choice(size, 2, replace=False).tolist())
        edges.append((parent, child))
    return hypercone.Hierarchy([f"n{row}" for row in range(size)], sorted(set(edges)))


def _scattered(
    graph: hypercone.Hierarchy, seed: int, method: str = "hyperbolic-cones", margin: float = 0.01
) -> Embedding:
    points = np.random.default_rng(seed).uniform(-0.5, 0.5, (len(graph), 2))
    constants = Settings(margin=margin)
    points = METHODS[method].project(points, constants)
    return Embedding(graph.names, points, method, constants, 0.0, edges=graph.edges)


hierarchies = st.builds(_random_hierarchy, st.integers(0, 10_000), st.integers(2, 40), st.integers(0, 20))


def _related(graph: hypercone.Hierarchy) -> set[tuple[int, int]]:
    return set(map(tuple, graph.closure().tolist()))


def _next_steps(graph: hypercone.Hierarchy) -> set[tuple[int, int]]:
    """By definition: parents with children, unrelated to the child, all of whose ancestors are above the child."""
    closure, found = _related(graph), set()
    for parent in range(len(graph)):
        above = set(graph.ancestors_of(parent).tolist())
        for child in range(len(graph)):
            is_new = parent != child and (parent, child) not in closure and (child, parent) not in closure
            if is_new and above and len(graph.child_lists[parent]) and above <= set(graph.ancestors_of(child).tolist()):
                found.add((parent, child))
    return {
        (parent, child)
        for parent, child in found
        if not any((parent, higher) in found for higher in graph.ancestors_of(child).tolist())
    }


@settings(max_examples=20, deadline=None)
@given(hierarchies, st.integers(0, 100))
def test_without_a_bound_the_candidates_are_all_next_steps_down(graph, seed):
    pairs, energies = candidates(_scattered(graph, seed, margin=FAR), graph)
    assert set(map(tuple, pairs.tolist())) == _next_steps(graph)
    assert len(pairs) == len(energies) == len(set(map(tuple, pairs.tolist())))


@settings(max_examples=20, deadline=None)
@given(hierarchies, st.integers(0, 100))
def test_no_suggestion_is_known_reversed_or_implied_by_another(graph, seed):
    embedding = _scattered(graph, seed, margin=0.1)
    pairs = [tuple(pair) for pair in missing_rows(embedding, graph, 1000).pairs.tolist()]
    closure = _related(graph)
    for parent, child in pairs:
        assert (parent, child) not in closure
        assert (child, parent) not in closure
        assert (child, parent) not in pairs
        for other_parent, other_child in pairs:
            if (parent, child) != (other_parent, other_child):
                is_lower = other_parent == parent or (parent, other_parent) in closure
                is_higher = other_child == child or (other_child, child) in closure
                assert not (is_lower and is_higher), "follows from the other"


@settings(max_examples=20, deadline=None)
@given(hierarchies, st.integers(0, 100), st.integers(1, 5))
def test_fewer_suggestions_are_a_prefix_of_more(graph, seed, count):
    embedding = _scattered(graph, seed, margin=0.1)
    few, many = missing_rows(embedding, graph, count), missing_rows(embedding, graph, 1000)
    assert few.scores.tolist() == many.scores[:count].tolist()
    assert few.considered == many.considered
    assert sorted(many.scores, reverse=True) == many.scores.tolist()


@settings(max_examples=15, deadline=None)
@given(hierarchies, st.integers(0, 100))
def test_shared_descendants_and_neighbors_are_the_documented_shares(graph, seed):
    embedding = _scattered(graph, seed, margin=0.1)
    found = missing_rows(embedding, graph, 1000)
    below = [set(graph.descendants_of(row).tolist()) for row in range(len(graph))]
    for (parent, child), shared, neighbors in zip(found.pairs, found.shared_descendants, found.neighbors, strict=True):
        own, under = below[child] | {child}, below[parent] | {parent}
        groups = [below[row] - own for row in graph.parent_lists[child]]
        groups.append(set.intersection(*groups))
        assert shared == pytest.approx(max(len(group & under) / (len(group) + 1) for group in groups))
        near = [embedding.row(name) for name, _ in embedding.nearest(embedding.names[child], 10)]
        assert neighbors == pytest.approx(len(under & set(near)) / len(near))


@settings(max_examples=15, deadline=None)
@given(hierarchies, st.integers(0, 100))
def test_wrong_links_are_the_rejected_edges_by_violation_and_shared_descendants(graph, seed):
    embedding = _scattered(graph, seed)
    found = wrong_rows(embedding, graph, 1000)
    names = graph.names
    rejected = {(p, c) for p, c in graph.edges.tolist() if not embedding.is_a(names[c], names[p])}
    assert set(map(tuple, found.pairs.tolist())) == rejected
    assert found.rejected == len(rejected)
    for (parent, child), violation, shared in zip(found.pairs, found.violation, found.shared_descendants, strict=True):
        rivals = [row for row in graph.parent_lists[child].tolist() if row != parent]
        known = {row for rival in rivals for row in [rival, *graph.ancestors_of(rival).tolist()]} - {parent}
        implied = [parent, *(row for row in graph.ancestors_of(parent).tolist() if row not in known)]
        assert violation == pytest.approx(sum(embedding.energy(names[child], names[row]) for row in implied))
        own = {child, *graph.descendants_of(child).tolist()}
        others = set(graph.descendants_of(parent).tolist()) - own
        common = [len(others & set(graph.descendants_of(rival).tolist())) for rival in rivals]
        assert shared == pytest.approx(max(common) / (len(others) + 1) if rivals else 1.0)


def test_a_removed_link_is_suggested_first():
    """Berries that are under both fruit and red, except one whose link to red is missing."""
    fruit = [("thing", "fruit"), ("thing", "red"), ("fruit", "berry"), ("red", "red berry")]
    berries = [f"berry {i}" for i in range(12)]
    edges = fruit + [("berry", name) for name in berries] + [("red berry", name) for name in berries[:-1]]
    graph = hypercone.Hierarchy.from_pairs([*edges, ("red", berries[-1])])
    found = _scattered(graph, 0, margin=FAR).suggest(3)
    assert (found.missing[0].child, found.missing[0].parent) == (berries[-1], "red berry")


def test_an_edge_that_contradicts_all_others_is_listed_as_wrong():
    points = np.array([[0.3, 0.0], [0.6, 0.01], [0.9, 0.0], [-0.6, 0.0]])
    edges = np.array([[0, 1], [1, 2], [3, 2]], np.int32)
    embedding = Embedding(
        ["animal", "dog", "poodle", "stone"], points, "hyperbolic-cones", Settings(), 0.0, edges=edges
    )
    found = embedding.suggest()
    assert [(link.child, link.parent) for link in found.wrong] == [("poodle", "stone")]
    assert found.rejected == 1
    assert found.wrong[0].energy == embedding.energy("poodle", "stone")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_suggestions_that_are_json(method):
    graph = hypercone.load_dataset("tree-3-4")
    found = _scattered(graph, 0, method).suggest(7)
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["considered"] == found.considered
    assert len(found.missing) <= 7
    assert len(found.wrong) <= 7


def test_another_hierarchy_may_have_fewer_nodes_in_another_order():
    graph = hypercone.load_dataset("tree-3-4")
    embedding = _scattered(graph, 0, margin=0.1)
    pairs = [(graph.names[p], graph.names[c]) for p, c in graph.edges.tolist()]
    assert embedding.suggest(hierarchy=hypercone.Hierarchy.from_pairs(pairs[::-1])) == embedding.suggest()
    part = embedding.suggest(hierarchy=graph.drop(["r.0.0.0.0"]))
    assert part.considered <= embedding.suggest().considered


def test_suggestions_have_labels():
    points = np.array([[0.3, 0.0], [-0.6, 0.0]])
    from hypercone.hierarchy.names import Labels

    embedding = Embedding(
        ["A:1", "A:2"],
        points,
        "hyperbolic-cones",
        Settings(),
        0.0,
        labels=Labels(["heart", ""]),
        edges=np.array([[0, 1]]),
    )
    link = embedding.suggest().wrong[0]
    assert (link.parent, link.parent_label, link.child, link.child_label) == ("A:1", "heart", "A:2", None)


def test_impossible_requests_are_refused():
    graph = hypercone.load_dataset("tree-2-2")
    embedding = _scattered(graph, 0)
    with pytest.raises(InputError, match="k is 0, but must be at least 1"):
        embedding.suggest(0)
    with pytest.raises(InputError, match="the model has no node 'stone' of the hierarchy"):
        embedding.suggest(hierarchy=hypercone.Hierarchy.from_pairs([("r", "stone")]))
    bare = Embedding(embedding.names, embedding.points, embedding.method, embedding.settings, 0.0)
    with pytest.raises(InputError, match="does not know its edges"):
        bare.suggest()


def test_a_model_of_one_node_has_no_suggestions():
    edges = np.empty((0, 2), np.int32)
    alone = Embedding(["a"], np.array([[0.5, 0.0]]), "hyperbolic-cones", Settings(), 0.0, edges=edges)
    found = alone.suggest()
    assert (len(found.missing), len(found.wrong)) == (0, 0)
