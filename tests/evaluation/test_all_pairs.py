"""Judging every pair: the same counts as asking one pair at a time."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import hypercone
from hypercone.errors import InputError
from hypercone.evaluation import all_pairs, evaluate_all_pairs
from hypercone.hierarchy import Hierarchy
from hypercone.methods import METHODS


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
    monkeypatch.setattr(all_pairs, "PART", 7)
    found = evaluate_all_pairs(fitted, threshold=fitted.threshold + change)
    assert (found.true_positives, found.false_positives, found.positives) == counted(
        fitted, fitted.hierarchy, fitted.threshold + change
    )
    assert found.positives + found.negatives == len(fitted) * (len(fitted) - 1)
    assert found.threshold == fitted.threshold + change


def test_a_model_that_does_not_know_its_edges_needs_them_given(fitted):
    bare = dataclasses.replace(fitted, edges=None)
    with pytest.raises(InputError, match="does not know its edges"):
        evaluate_all_pairs(bare)
    assert evaluate_all_pairs(bare, fitted.hierarchy) == evaluate_all_pairs(fitted)
    other = Hierarchy.from_rows(["somebody", "else"], np.array([[0, 1]]))
    with pytest.raises(InputError, match="not the embedding's"):
        evaluate_all_pairs(fitted, other)
