"""Precision, recall and F1 are what a person would count."""

from __future__ import annotations

import json

import numpy as np
import pytest

import hypercone
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.evaluation import link_prediction
from hypercone.hierarchy import LabeledPairs
from hypercone.methods import METHODS, Settings

NAMES = ["animal", "dog", "poodle", "stone"]


@pytest.fixture(scope="module")
def line() -> Embedding:
    """Order embeddings on a line, where the energy of (parent, child) is max(0, parent - child) squared."""
    return Embedding(NAMES, np.array([[0.0], [1.0], [2.0], [-3.0]]), "order", Settings(), threshold=0.5)


def _pairs(positives, negatives) -> LabeledPairs:
    def rows(pairs):
        return np.array([[NAMES.index(name) for name in pair] for pair in pairs], np.int32).reshape(-1, 2)

    return LabeledPairs(rows(positives), rows(negatives))


def test_it_equals_a_hand_count(line):
    # Energies: 0, 0, (0 + 3)² = 9 of the true ones; 0, 1, 25 of the wrong ones.
    pairs = _pairs(
        [("animal", "dog"), ("dog", "poodle"), ("animal", "stone")],
        [("stone", "animal"), ("dog", "animal"), ("poodle", "stone")],
    )
    found = link_prediction(line, pairs)
    assert (found.true_positives, found.false_positives, found.positives, found.negatives) == (2, 1, 3, 3)
    assert found.precision == pytest.approx(2 / 3)
    assert found.recall == pytest.approx(2 / 3)
    assert found.f1 == pytest.approx(2 / 3)
    assert found.threshold == 0.5
    assert json.loads(json.dumps(found.as_dict()))["true_positives"] == 2


@pytest.mark.parametrize(
    ("threshold", "hits", "false"), [(-1.0, 0, 0), (0.0, 2, 1), (1.0, 2, 2), (9.0, 3, 2), (25.0, 3, 3)]
)
def test_a_pair_at_the_threshold_is_called_true(line, threshold, hits, false):
    pairs = _pairs(
        [("animal", "dog"), ("dog", "poodle"), ("animal", "stone")],
        [("stone", "animal"), ("dog", "animal"), ("poodle", "stone")],
    )
    found = link_prediction(line, pairs, threshold)
    assert (found.true_positives, found.false_positives) == (hits, false)
    assert found.f1 == pytest.approx(2 * hits / (hits + false + 3))


def test_calling_nothing_true_gives_zeros_and_not_an_error(line):
    found = link_prediction(line, _pairs([("animal", "dog")], []), threshold=-1.0)
    assert (found.precision, found.recall, found.f1) == (0.0, 0.0, 0.0)


def test_nothing_to_evaluate_on_is_refused(line):
    with pytest.raises(InputError, match="no positive pairs"):
        link_prediction(line, _pairs([], [("dog", "animal")]))


@pytest.mark.parametrize("threshold", [float("nan"), float("inf")])
def test_a_threshold_that_is_no_number_is_refused(line, threshold):
    with pytest.raises(InputError, match="must be a finite number"):
        link_prediction(line, _pairs([("animal", "dog")], []), threshold)


@pytest.mark.parametrize("row", [4, -1, 2**31 - 1])
@pytest.mark.parametrize("side", ["positives", "negatives"])
def test_pairs_of_another_hierarchy_are_refused_before_the_kernels_see_them(line, row, side):
    good, bad = np.array([[0, 1]], np.int32), np.array([[0, 1], [0, row]], np.int32)
    pairs = LabeledPairs(bad, good) if side == "positives" else LabeledPairs(good, bad)
    with pytest.raises(InputError, match="outside 0 … 3"):
        link_prediction(line, pairs)


@pytest.mark.parametrize("method", METHODS)
def test_it_agrees_with_asking_pair_by_pair(method):
    tree = hypercone.load_dataset("tree-2-3")
    settings = Settings(alpha=3.0 if METHODS[method].uses_alpha else 0.0)
    points = METHODS[method].project(METHODS[method].start(np.random.default_rng(0), len(tree), 2, 0.7), settings)
    embedding = Embedding(tree.names, points, method, settings, threshold=0.4)
    split = tree.split(50, holdout=0.25)
    found = link_prediction(embedding, split.test)
    hits, false = (
        sum(embedding.is_a(tree.names[child], tree.names[parent]) for parent, child in rows.tolist())
        for rows in (split.test.positives, split.test.negatives)
    )
    assert (found.true_positives, found.false_positives) == (hits, false)
    assert found.positives == len(split.test.positives) > 0


def test_the_papers_protocol_from_end_to_end():
    tree = hypercone.load_dataset("tree-3-4")
    split = tree.split(50)
    closure = set(map(tuple, tree.closure().tolist()))
    for held_out in (split.validation, split.test):
        # Ten for each, but nothing is a wrong child of the root.
        below_root = int((held_out.positives[:, 0] == 0).sum())
        assert len(held_out.negatives) == 10 * len(held_out.positives) - 5 * below_root
        assert closure >= set(map(tuple, held_out.positives.tolist()))
        assert not closure & set(map(tuple, held_out.negatives.tolist()))
    embedding = hypercone.fit(tree, split=split, dim=2, epochs=100, init_epochs=100)
    on_validation = link_prediction(embedding, split.validation)
    # The threshold was chosen there, so the F1 there is the one in the record.
    assert on_validation.f1 == embedding.record["calibration_f1"]
    assert embedding.record["calibrated_on"] == "validation pairs"
    on_test = link_prediction(embedding, split.test)
    assert on_test.threshold == embedding.threshold
    assert on_test.f1 > 0.5
    better = max(link_prediction(embedding, split.validation, t).f1 for t in np.linspace(0, 1, 101))
    assert better <= on_validation.f1
