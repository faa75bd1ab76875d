"""Comparisons of two models, and suggested links: every number follows from the models' own answers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hypercone
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.hierarchy.names import Labels
from hypercone.methods import METHODS, Settings
from hypercone.queries.hidden_links import hide_links
from hypercone.queries.missing_links import LEAST_CONFIDENCE, LinkGraph, evidence_of, missing_rows
from hypercone.queries.suggestions import wrong_rows

FAR = 1e9
TREE = hypercone.load_dataset("tree-2-4")


def _random_hierarchy(seed: int, size: int, extra: int) -> hypercone.Hierarchy:
    """A random tree with some extra parents; a row's parents have smaller rows."""
    random = np.random.default_rng(seed)
    edges = [(int(random.integers(row)), row) for row in range(1, size)]
    edges += [tuple(sorted(random.choice(size, 2, replace=False).tolist())) for _ in range(extra)]
    return hypercone.Hierarchy([f"n{row}" for row in range(size)], sorted(set(edges)))


def _scattered(graph, seed, method="hyperbolic-cones", margin=0.01, threshold=0.0, dim=2) -> Embedding:
    constants = Settings(margin=margin)
    points = METHODS[method].project(np.random.default_rng(seed).uniform(-0.5, 0.5, (len(graph), dim)), constants)
    return Embedding(graph.names, points, method, constants, threshold, edges=graph.edges)


def _compared(seed, method="hyperbolic-cones", tree=TREE) -> Embedding:
    return _scattered(tree, seed, method, threshold=0.3, dim=3)


def _shuffled(model: Embedding, seed: int) -> Embedding:
    order = np.random.default_rng(seed).permutation(len(model))
    names = [model.names[row] for row in order]
    edges = np.argsort(order)[model.edges].astype(np.int32)
    return Embedding(names, model.points[order], model.method, model.settings, model.threshold, edges=edges)


def _placed(names, points, **given) -> Embedding:
    return Embedding(names, np.array(points), "hyperbolic-cones", Settings(), 0.0, **given)


hierarchies = st.builds(_random_hierarchy, st.integers(0, 10_000), st.integers(2, 40), st.integers(0, 20))


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(sorted(METHODS)))
def test_a_model_agrees_with_itself(seed, method):
    model = _compared(seed, method)
    for other in (model, _shuffled(model, seed)):
        found = model.compare(other)
        assert found.agreement == found.neighbor_overlap == 1.0
        assert found.first == found.second
        assert found.both == found.first.asserted
        assert (found.first.alone, found.only_first, found.only_second) == (0, (), ())


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(sorted(METHODS)), st.sampled_from([None, 5]))
def test_swapping_the_models_swaps_the_result(seed, method, sample):
    one = _compared(seed, method)
    other = _shuffled(_compared(seed + 1, "order", hypercone.load_dataset("tree-3-3")), seed)
    there, back = one.compare(other, sample), other.compare(one, sample)
    assert (there.first, there.second) == (back.second, back.first)
    for name in ("shared", "sampled", "both", "agreement", "neighbor_overlap"):
        assert getattr(there, name) == getattr(back, name)
    assert [(pair.child, pair.parent, pair.first_energy) for pair in there.only_first] == [
        (pair.child, pair.parent, pair.second_energy) for pair in back.only_second
    ]


def test_every_number_follows_from_the_answers_of_the_models():
    one, other = _compared(0), _compared(1, "order")
    found = one.compare(other, sample=None)
    above = [{name: set(model.ancestors(name, by="geometry")) for name in model.names} for model in (one, other)]
    pairs = [{(name, parent) for name in sets for parent in sets[name]} for sets in above]
    assert (found.first.asserted, found.second.asserted) == (len(pairs[0]), len(pairs[1]))
    assert found.both == len(pairs[0] & pairs[1])
    assert (found.first.alone, found.second.alone) == (len(pairs[0] - pairs[1]), len(pairs[1] - pairs[0]))
    sets = [(above[0][name], above[1][name]) for name in one.names]
    shares = [len(first & second) / len(first | second) if first | second else 1.0 for first, second in sets]
    assert found.agreement == pytest.approx(np.mean(shares))
    near = [{name: {near for near, _ in model.nearest(name)} for name in model.names} for model in (one, other)]
    overlap = np.mean([len(near[0][name] & near[1][name]) / 10 for name in one.names])
    assert found.neighbor_overlap == pytest.approx(overlap)
    graph = one.hierarchy
    true = {(graph.names[child], graph.names[parent]) for parent, child in graph.closure().tolist()}
    assert found.first.precision == pytest.approx(len(true & pairs[0]) / len(pairs[0]))
    assert found.first.recall == pytest.approx(len(true & pairs[0]) / len(true))
    for pair in found.only_first:
        assert (pair.child, pair.parent) in pairs[0] - pairs[1]
        assert pair.first_energy == one.energy(pair.child, pair.parent) <= one.threshold
        assert pair.second_energy == other.energy(pair.child, pair.parent) > other.threshold
    worst = sorted((other.energy(*pair) for pair in pairs[0] - pairs[1]), reverse=True)[:5]
    assert [pair.second_energy for pair in found.only_first] == worst, "those that the other model rejects most"


def test_models_are_compared_on_the_nodes_they_share_or_a_sample_that_depends_only_on_its_seed():
    one, other = _compared(0), _compared(1)
    few = one.compare(_compared(1, tree=hypercone.load_dataset("tree-2-3")))
    assert (few.first.nodes, few.second.nodes, few.shared, few.sampled) == (31, 15, 15, 15)
    found = one.compare(other, sample=8, seed=3)
    assert found.sampled == 8
    assert found == one.compare(other, sample=8, seed=3)
    assert found != one.compare(other, sample=8, seed=4)
    assert one.compare(other, sample=31) == one.compare(other, sample=None)


def test_a_model_without_edges_is_compared_but_has_no_precision_or_recall():
    model = _compared(0)
    found = model.compare(Embedding(model.names, model.points, model.method, model.settings, model.threshold))
    assert found.first.f1 is not None
    assert (found.second.precision, found.second.recall, found.second.f1) == (None, None, None)
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["second"]["f1"] is None


def test_models_with_nothing_in_common_are_refused():
    stone = _placed(["stone"], [[0.5, 0.0]])
    with pytest.raises(InputError, match="no node in common"):
        _compared(0).compare(stone)
    with pytest.raises(InputError, match="sample is 0, but must be at least 1"):
        stone.compare(stone, sample=0)
    assert stone.compare(stone).neighbor_overlap == 1.0


def _sets(graph: hypercone.Hierarchy, find) -> list[set[int]]:
    return [set(find(row).tolist()) for row in range(len(graph))]


def _random_walk(graph: hypercone.Hierarchy, start: int) -> np.ndarray:
    """Where a walk with restart over the direct edges is, by solving for its stationary distribution."""
    steps = np.zeros((len(graph), len(graph)))
    for parent, child in graph.reduction().tolist():
        steps[parent, child] = steps[child, parent] = 1.0
    steps /= np.maximum(steps.sum(axis=1, keepdims=True), 1)
    restart = np.zeros(len(graph))
    restart[start] = 0.15
    return np.linalg.solve(np.eye(len(graph)) - 0.85 * steps.T, restart)


@settings(max_examples=20, deadline=None)
@given(hierarchies)
def test_the_evidence_for_a_link_is_what_it_is_said_to_be(graph):
    above, below = _sets(graph, graph.ancestors_of), _sets(graph, graph.descendants_of)
    parents = [set(rows.tolist()) for rows in map(graph.lineage.parents, range(len(graph)))]
    children = [set(rows.tolist()) for rows in map(graph.lineage.children, range(len(graph)))]
    nodes = np.flatnonzero(graph.parent_lists.counts).astype(np.int32)
    found = evidence_of(LinkGraph.of(graph), nodes, most=len(graph), precision=1e-9)
    walks, ic = {row: _random_walk(graph, row) for row in nodes.tolist()}, graph.information_content()
    unrelated = {(p, c) for c in nodes.tolist() for p in range(len(graph)) if p not in above[c] | below[c] | {c}}
    assert set(map(tuple, found.pairs.tolist())) == {(p, c) for p, c in unrelated if walks[c][p] > 1e-12}
    for (p, c), line, is_below in zip(found.pairs.tolist(), found.values.tolist(), found.is_below, strict=True):
        assert line[0] == pytest.approx(np.log(walks[c][p]), abs=1e-4)
        assert is_below == any(q in above[p] for q in parents[c])
        assert line[3] == pytest.approx(max((ic[a] for a in above[p] & above[c]), default=0.0))
        assert np.expm1(line[4]) == pytest.approx(len(above[p] - above[c]))
        assert line[5] == pytest.approx(len(above[p] & above[c]) / (len(above[p] | above[c]) + 1))
        assert line[7] == bool(parents[p] & parents[c])
        co_children = sum(len(children[q] & children[p]) / len(children[q]) for q in parents[c])
        assert line[8] == pytest.approx(co_children)
        own, under = below[c] | {c}, below[p] | {p}
        groups = [below[q] - own for q in parents[c]]
        groups.append(set.intersection(*groups))
        assert line[10] == pytest.approx(max(len(group & under) / (len(group) + 1) for group in groups))
        assert np.expm1(line[12:14]) == pytest.approx([len(children[p]), len(below[p])])
        assert line[14:16] == [graph.depths[p] - graph.depths[c], len(parents[c])]
        shares = [
            len(children[p]) / (1 + sum(len(children[s]) for s in children[q] - {c})) for q in parents[p] & parents[c]
        ]
        assert np.exp(line[17]) - 1e-3 == pytest.approx(max(shares, default=0.0))
        inner = [(0.5 + sum(bool(children[s]) for s in children[q] - {c})) / len(children[q]) for q in parents[c]]
        assert np.exp(line[18]) - 1e-3 == pytest.approx(max(inner))


@settings(max_examples=10, deadline=None)
@given(hierarchies, st.integers(1, 5))
def test_suggested_links_are_new_and_sure_enough_and_none_follows_from_another(graph, count):
    few, found = missing_rows(graph, count), missing_rows(graph, 1000)
    assert few.pairs.tolist() == found.pairs[:count].tolist()
    assert ((found.confidences >= LEAST_CONFIDENCE) & (found.confidences < 1)).all()
    assert sorted(found.confidences, reverse=True) == found.confidences.tolist()
    pairs, closure = [tuple(pair) for pair in found.pairs.tolist()], set(map(tuple, graph.closure().tolist()))
    for parent, child in pairs:
        assert not closure & {(parent, child), (child, parent)}
        assert (child, parent) not in pairs
        for other_parent, other_child in pairs:
            if (parent, child) != (other_parent, other_child):
                is_lower = other_parent == parent or (parent, other_parent) in closure
                is_higher = other_child == child or (other_child, child) in closure
                assert not (is_lower and is_higher), "follows from the other"


def _crossed_kinds(kinds: int, members: int) -> hypercone.Hierarchy:
    """Each thing is of a shape and of a material: shape and material of a thing decide its two parents."""
    edges = [("thing", "by shape"), ("thing", "by material")]
    edges += [("by shape", f"shape {k}") for k in range(kinds)] + [
        ("by material", f"material {k}") for k in range(kinds)
    ]
    for k in range(kinds):
        things = [f"thing {k}.{m}" for m in range(members)]
        edges += [(f"shape {k}", name) for name in things] + [(f"material {k}", name) for name in things]
    return hypercone.Hierarchy.from_pairs(edges)


def test_hidden_links_that_can_be_known_come_first_with_the_highest_confidences():
    whole = _crossed_kinds(kinds=12, members=10)
    damaged, links = hide_links(whole, 0.05, seed=7)
    found = missing_rows(damaged, 20)
    hidden = set(map(tuple, links.tolist()))
    first = [tuple(pair) in hidden for pair in found.pairs[: len(links)].tolist()]
    assert np.mean(first) > 0.8
    assert found.confidences[0] > 0.5
    assert len(found.pairs) < 2 * len(links), "nothing else is sure enough"
    assert missing_rows(damaged, 20).confidences.tolist() == found.confidences.tolist(), "the same every time"


def test_a_tree_too_small_to_hide_enough_links_gets_no_suggestions():
    for graph in (hypercone.load_dataset("tree-2-2"), hypercone.Hierarchy(["a", "b"], [[0, 1]])):
        assert len(missing_rows(graph, 10).pairs) == 0


@settings(max_examples=15, deadline=None)
@given(hierarchies, st.integers(0, 100))
def test_wrong_links_are_the_rejected_edges_by_violation_and_shared_descendants(graph, seed):
    embedding = _scattered(graph, seed)
    found = wrong_rows(embedding, graph, 1000)
    names = graph.names
    rejected = {(p, c) for p, c in graph.edges.tolist() if not embedding.is_a(names[c], names[p], by="geometry")}
    assert found.rejected == len(rejected)
    assert (found.scores > 0).all()
    assert set(map(tuple, found.pairs.tolist())) == {(p, c) for p, c in rejected if len(graph.parent_lists[c]) > 1}
    for (parent, child), violation, shared in zip(found.pairs, found.violation, found.shared_descendants, strict=True):
        rivals = [row for row in graph.parent_lists[child].tolist() if row != parent]
        known = {row for rival in rivals for row in [rival, *graph.ancestors_of(rival).tolist()]} - {parent}
        implied = [parent, *(row for row in graph.ancestors_of(parent).tolist() if row not in known)]
        assert violation == pytest.approx(sum(embedding.energy(names[child], names[row]) for row in implied))
        own = {child, *graph.descendants_of(child).tolist()}
        others = set(graph.descendants_of(parent).tolist()) - own
        common = [len(others & set(graph.descendants_of(rival).tolist())) for rival in rivals]
        assert shared == pytest.approx(max(common) / (len(others) + 1) if rivals else 1.0)


def test_a_removed_link_is_suggested_first_with_its_kind_and_energy():
    """Berries that are under both fruit and red, except one whose link to red berries is missing."""
    fruit = [("thing", "fruit"), ("thing", "red"), ("fruit", "berry"), ("red", "red berry")]
    berries = [f"berry {i}" for i in range(40)]
    edges = fruit + [("berry", name) for name in berries] + [("red berry", name) for name in berries[:-1]]
    graph = hypercone.Hierarchy.from_pairs(edges)
    embedding = _scattered(graph, 0, margin=FAR)
    link = embedding.suggest(3).missing[0]
    assert (link.child, link.parent, link.kind) == (berries[-1], "red berry", "additional")
    assert link.energy == embedding.energy(link.child, link.parent)
    assert link.shared_descendants > 0.9


def test_an_edge_that_contradicts_all_others_is_listed_as_wrong_with_its_labels():
    points, labels = [[0.3, 0.0], [0.6, 0.01], [0.9, 0.0], [-0.6, 0.0]], Labels(["", "", "", "Stone"])
    edges = np.array([[0, 1], [1, 2], [3, 2]], np.int32)
    embedding = _placed(["animal", "dog", "poodle", "stone"], points, edges=edges, labels=labels)
    found = embedding.suggest()
    (link,) = found.wrong
    assert (link.child, link.child_label, link.parent, link.parent_label) == ("poodle", None, "stone", "Stone")
    assert (found.rejected, link.energy) == (1, embedding.energy("poodle", "stone"))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_suggestions_that_are_json(method):
    found = _scattered(hypercone.load_dataset("tree-3-4"), 0, method).suggest(7)
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["considered"] == found.considered
    assert max(len(found.missing), len(found.wrong)) <= 7


def test_another_hierarchy_may_have_fewer_nodes_in_another_order():
    graph = hypercone.load_dataset("tree-3-4")
    embedding = _scattered(graph, 0, margin=0.1)
    pairs = [(graph.names[p], graph.names[c]) for p, c in graph.edges.tolist()]
    assert embedding.suggest(hierarchy=hypercone.Hierarchy.from_pairs(pairs[::-1])) == embedding.suggest()
    part = embedding.suggest(hierarchy=graph.drop(["r.0.0.0.0"]))
    assert part.considered <= embedding.suggest().considered


def test_impossible_requests_for_suggestions_are_refused_and_one_node_has_none():
    embedding = _scattered(TREE, 0)
    with pytest.raises(InputError, match="k is 0, but must be at least 1"):
        embedding.suggest(0)
    with pytest.raises(InputError, match="the model has no node 'stone' of the hierarchy"):
        embedding.suggest(hierarchy=hypercone.Hierarchy.from_pairs([("r", "stone")]))
    with pytest.raises(InputError, match="does not know its edges"):
        _placed(["a"], [[0.5, 0.0]]).suggest()
    alone = _placed(["a"], [[0.5, 0.0]], edges=np.empty((0, 2), np.int32)).suggest()
    assert (len(alone.missing), len(alone.wrong)) == (0, 0)


def test_models_share_nodes_by_exact_name_whichever_is_first():
    first = _scattered(hypercone.Hierarchy(["animal", "dog", "Dog", "puppy"], [[0, 1], [0, 2], [1, 3]]), 1)
    second = _scattered(hypercone.Hierarchy(["animal", "DOG", "puppy"], [[0, 1], [1, 2]]), 2)
    assert "DOG" not in first
    assert "dog" in second, "a node is found in any case, but that does not make it the same node"
    assert first.compare(second).shared == second.compare(first).shared == 2
