"""Judging every pair: the same counts as asking one pair at a time."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import hypercone
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.evaluation import all_pairs, measures
from hypercone.hierarchy import Hierarchy
from hypercone.methods import METHODS, Settings

# A few in truth, and more on a machine that does ten other things; one pair at a time would take ten minutes.
SECONDS_FOR_NOUNS = 30


@pytest.fixture(scope="module", params=sorted(METHODS))
def fitted(request):
    return hypercone.fit(hypercone.load_dataset("tree-3-4"), method=request.param, dim=2, epochs=5, init_epochs=5)


def counted(embedding, hierarchy, threshold):
    """By energies of names alone."""
    names = list(embedding.names)
    true = {(names[child], names[parent]) for parent, child in hierarchy.closure().tolist()}
    energies = [embedding.energy(names, [parent] * len(names)) for parent in names]
    called = {
        (child, parent)
        for parent, column in zip(names, energies, strict=True)
        for child, energy in zip(names, column, strict=True)
        if child != parent and energy <= threshold
    }
    return len(called & true), len(called - true), len(true)


@pytest.mark.parametrize("change", [0.0, -0.02, 0.1])
def test_every_pair_is_counted_once(fitted, change, monkeypatch):
    monkeypatch.setattr(measures, "PARTS_PER_CORE", 3)
    found = all_pairs(fitted, threshold=fitted.threshold + change)
    assert (found.true_positives, found.false_positives, found.positives) == counted(
        fitted, fitted.hierarchy, fitted.threshold + change
    )
    assert found.positives + found.negatives == len(fitted) * (len(fitted) - 1)
    assert found.threshold == fitted.threshold + change


def test_a_model_that_does_not_know_its_edges_needs_them_given(fitted):
    bare = dataclasses.replace(fitted, edges=None)
    with pytest.raises(InputError, match="does not know its edges"):
        all_pairs(bare)
    assert all_pairs(bare, fitted.hierarchy) == all_pairs(fitted)
    other = Hierarchy(["somebody", "else"], np.array([[0, 1]]))
    with pytest.raises(InputError, match="not the embedding's"):
        all_pairs(fitted, other)


def nested(hierarchy):
    """Each node near its first parent and further out: cones that hold much of what they should and some more."""
    random, parents, depths = np.random.default_rng(0), hierarchy.parent_lists, hierarchy.depths
    spokes = random.normal(size=(len(hierarchy), 5))
    for row in np.argsort(depths, kind="stable").tolist():
        if depths[row]:
            spokes[row] = spokes[parents[row][0]] + 0.05 * 0.36 ** depths[row] * spokes[row]
        spokes[row] /= np.linalg.norm(spokes[row])
    points = spokes * (1 - 0.8 * 0.6 ** depths[:, None])
    return Embedding(hierarchy.names, points, "hyperbolic-cones", Settings(), 0.0, edges=hierarchy.edges)


def test_the_nouns_take_seconds(within):
    nouns, small = hypercone.load_dataset("wordnet-nouns"), hypercone.load_dataset("tree-3-4")
    embedding = nested(nouns)
    all_pairs(nested(small))
    nouns.closure()
    found = within(SECONDS_FOR_NOUNS, lambda: all_pairs(embedding, nouns))
    assert found.positives + found.negatives == 82_114 * 82_113
    # Some nodes by the plain way, so that what is counted is known to be right.
    some = range(0, len(nouns), 4_001)
    calls = measures.count_predictions(embedding, nouns, 0.0)
    names, every = list(nouns.names), set(range(len(nouns)))
    for row in some:
        called = np.flatnonzero(embedding.energy([names[row]] * len(names), names) <= 0.0).tolist()
        above = set(called) & (every - {row})
        assert (calls.predicted[row], calls.correct[row]) == (len(above), len(above & set(nouns.ancestors_of(row).tolist())))
    assert 0 < found.false_positives < found.negatives
    assert 0 < found.true_positives < found.positives
