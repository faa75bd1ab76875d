"""Comparison of two models: symmetric, exact, and perfect agreement of a model with itself."""

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


def _scattered(
    seed: int, method: str = "hyperbolic-cones", tree: str = "tree-2-4", threshold: float = 0.3
) -> Embedding:
    graph = hypercone.load_dataset(tree)
    points = METHODS[method].project(np.random.default_rng(seed).uniform(-0.5, 0.5, (len(graph), 3)), Settings())
    return Embedding(graph.names, points, method, Settings(), threshold, edges=graph.edges)


def _shuffled(model: Embedding, seed: int) -> Embedding:
    order = np.random.default_rng(seed).permutation(len(model))
    new_row = np.argsort(order)
    names = [model.names[row] for row in order]
    edges = new_row[model.edges].astype(np.int32)
    return Embedding(names, model.points[order], model.method, model.settings, model.threshold, edges=edges)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(sorted(METHODS)))
def test_a_model_agrees_with_itself(seed, method):
    model = _scattered(seed, method)
    for other in (model, _shuffled(model, seed)):
        found = model.compare(other)
        assert found.agreement == found.neighbor_overlap == 1.0
        assert found.first == found.second
        assert found.both == found.first.asserted
        assert (found.first.alone, found.only_first, found.only_second) == (0, (), ())


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(sorted(METHODS)), st.sampled_from([None, 5]))
def test_swapping_the_models_swaps_the_result(seed, method, sample):
    one, other = _scattered(seed, method), _shuffled(_scattered(seed + 1, "order", "tree-3-3"), seed)
    there, back = one.compare(other, sample), other.compare(one, sample)
    assert (there.first, there.second) == (back.second, back.first)
    for name in ("shared", "sampled", "both", "agreement", "neighbor_overlap"):
        assert getattr(there, name) == getattr(back, name)
    assert [(pair.child, pair.parent, pair.first_energy) for pair in there.only_first] == [
        (pair.child, pair.parent, pair.second_energy) for pair in back.only_second
    ]


def test_every_number_follows_from_the_answers_of_the_models():
    one, other = _scattered(0), _scattered(1, "order")
    found = one.compare(other, sample=None)
    above = [{name: set(model.ancestors(name)) for name in model.names} for model in (one, other)]
    pairs = [{(name, parent) for name in sets for parent in sets[name]} for sets in above]
    assert (found.first.asserted, found.second.asserted) == (len(pairs[0]), len(pairs[1]))
    assert found.both == len(pairs[0] & pairs[1])
    assert (found.first.alone, found.second.alone) == (len(pairs[0] - pairs[1]), len(pairs[1] - pairs[0]))
    shares = [
        len(above[0][name] & above[1][name]) / len(above[0][name] | above[1][name])
        if above[0][name] | above[1][name]
        else 1.0
        for name in one.names
    ]
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


def test_the_examples_are_the_pairs_that_the_other_model_rejects_most():
    one, other = _scattered(0), _scattered(1)
    found = one.compare(other, sample=None)
    alone = [(c, p) for c in one.names for p in one.ancestors(c) if not other.is_a(c, p)]
    worst = sorted((other.energy(*pair) for pair in alone), reverse=True)[:5]
    assert [pair.second_energy for pair in found.only_first] == worst


def test_models_are_compared_on_the_nodes_they_share():
    found = _scattered(0, tree="tree-2-4").compare(_scattered(1, tree="tree-2-3"))
    assert (found.first.nodes, found.second.nodes, found.shared, found.sampled) == (31, 15, 15, 15)


def test_a_sample_depends_only_on_its_seed():
    one, other = _scattered(0), _scattered(1)
    found = one.compare(other, sample=8, seed=3)
    assert found.sampled == 8
    assert found == one.compare(other, sample=8, seed=3)
    assert found != one.compare(other, sample=8, seed=4)
    assert one.compare(other, sample=31) == one.compare(other, sample=None)


def test_a_model_without_edges_has_no_precision_or_recall():
    model = _scattered(0)
    bare = Embedding(model.names, model.points, model.method, model.settings, model.threshold)
    found = model.compare(bare)
    assert found.first.f1 is not None
    assert (found.second.precision, found.second.recall, found.second.f1) == (None, None, None)
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["second"]["f1"] is None


def test_models_with_nothing_in_common_are_refused():
    stone = Embedding(["stone"], np.array([[0.5, 0.0]]), "hyperbolic-cones", Settings(), 0.0)
    with pytest.raises(InputError, match="no node in common"):
        _scattered(0).compare(stone)
    with pytest.raises(InputError, match="sample is 0, but must be at least 1"):
        stone.compare(stone, sample=0)
    assert stone.compare(stone).neighbor_overlap == 1.0
