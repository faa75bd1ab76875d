"""Hidden links are true, planted links are not, and the precision counts the suggestions that are correct."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hypercone
from hypercone.errors import InputError
from hypercone.evaluation.damaged import expected_calibration_error, plant_links, precision_of
from hypercone.queries.hidden_links import hide_links
from hypercone.queries.regression import learn
from hypercone.training import FitConfig

QUICK = FitConfig(method="hyperbolic-cones", dim=2, epochs=5, init_epochs=5)


def _tangled(seed: int, size: int = 60) -> hypercone.Hierarchy:
    random = np.random.default_rng(seed)
    edges = {(int(random.integers(row)), row) for row in range(1, size)}
    edges |= {tuple(sorted(random.choice(size, 2, replace=False).tolist())) for _ in range(size // 4)}
    return hypercone.Hierarchy([f"n{row}" for row in range(size)], sorted(edges))


def _pairs(rows: np.ndarray) -> set[tuple[int, int]]:
    return set(map(tuple, rows.tolist()))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.floats(0.01, 1.0))
def test_a_hidden_link_is_one_of_several_or_leaves_the_child_under_the_grandparents(seed, share):
    whole = _tangled(seed)
    damaged, links = hide_links(whole, share, seed)
    before, after, parents = _pairs(whole.closure()), _pairs(damaged.closure()), whole.lineage.parent_lists
    assert after < before
    assert _pairs(links) <= before - after
    assert len(set(links[:, 1].tolist())) == len(links)
    assert len(damaged.redundant_edges()) == 0
    for parent, child in links.tolist():
        rest = set(parents[child].tolist()) - {parent} or set(parents[parent].tolist())
        assert set(damaged.lineage.parents(child).tolist()) == rest


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.floats(0.01, 0.5))
def test_planting_adds_links_between_unrelated_nodes_without_cycles(seed, share):
    whole = _tangled(seed)
    damaged, links = plant_links(whole, share, seed)
    related = _pairs(whole.closure())
    assert _pairs(damaged.edges) == _pairs(whole.edges) | _pairs(links)
    assert not {(parent, child) for parent, child in links.tolist()} & related
    assert not {(child, parent) for parent, child in links.tolist()} & related
    assert 1 <= len(links) <= max(1, round(share * len(whole.edges)))


def test_the_damage_depends_on_its_seed_alone():
    whole = _tangled(0)
    for damage in (hide_links, plant_links):
        assert damage(whole, 0.2, 1).hierarchy == damage(whole, 0.2, 1).hierarchy
        assert damage(whole, 0.2, 1).hierarchy != damage(whole, 0.2, 2).hierarchy


def test_the_counts_are_those_of_the_lists_and_zero_without_suggestions():
    pool = np.array([[0, 1], [0, 2], [0, 3], [1, 3], [2, 3]], np.int32)
    true, links = np.array([[0, 1], [1, 3], [1, 4]], np.int32), np.array([[1, 3], [1, 4]], np.int32)
    found = precision_of(pool[:4], pool, true, links, 5, (1, 2, 4, 100))
    assert found.precision == {1: 1.0, 2: 0.5, 4: 0.5, 100: 0.5}
    assert found.base_rate == pytest.approx(2 / 5)
    assert (found.considered, found.listed, found.links, found.found, found.within_reach) == (5, 4, 2, 1, 1)
    assert found.recall == 0.5
    none = np.empty((0, 2), np.int32)
    found = precision_of(none, none, links, links, 2, (10,))
    assert (found.precision[10], found.base_rate, found.recall) == (0.0, 0.0, 0.0)


def test_the_whole_check_runs_and_its_answer_is_json():
    whole = _tangled(3)
    found = hypercone.evaluation.suggestions(whole, recipe=QUICK, hidden=0.2, planted=0.1, at=(3, 5))
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["missing"]["links"] == found.missing.links
    assert found.missing.links == len(hide_links(whole, 0.2).links)
    assert found.wrong.links == len(plant_links(whole, 0.1).links)
    assert found == hypercone.evaluation.suggestions(whole, recipe=QUICK, hidden=0.2, planted=0.1, at=(3, 5))
    assert found.wrong.listed <= min(5, found.wrong.considered)
    assert (found.wrong.confidence, found.wrong.calibration_error) == (None, None)
    assert 0 <= found.missing.calibration_error <= 1
    assert {*found.missing.confidence} == {3, 5}


def test_the_calibration_error_is_the_mean_gap_of_confidence_and_precision_in_ten_bins():
    random = np.random.default_rng(0)
    confidences = random.random(50_000)
    honest = random.random(50_000) < confidences
    assert expected_calibration_error(confidences, honest) < 0.01
    assert expected_calibration_error(confidences**2, honest) == pytest.approx(1 / 2 - 1 / 3, abs=0.01)
    assert expected_calibration_error(np.empty(0), np.empty(0, bool)) == 0.0


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000))
def test_the_regression_is_that_of_scikit_learn(seed):
    from sklearn.linear_model import LogisticRegression

    random = np.random.default_rng(seed)
    evidence = np.hstack([random.normal(3, 2, (200, 3)), np.ones((200, 1))])
    true, weights = random.random(200) < 1 / (1 + np.exp(3 - evidence[:, 0])), random.integers(1, 5, 200).astype(float)
    found = learn(evidence, true, weights)
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(
        (evidence - found.means) / found.scales, true, weights
    )
    assert found.coefficients[1:] == pytest.approx(theirs.coef_[0], abs=1e-4)
    expected = theirs.predict_proba((evidence - found.means) / found.scales)[:, 1]
    assert found.probabilities(evidence) == pytest.approx(expected, abs=1e-5)
    # The mean probability is the share of what is true, as for every logistic regression with a constant.
    assert np.average(found.probabilities(evidence), weights=weights) == pytest.approx(
        np.average(true, weights=weights)
    )


def test_evidence_that_decides_alone_keeps_the_regression_finite():
    found = learn(np.arange(20.0)[:, None], np.arange(20) >= 10, np.ones(20))
    assert np.isfinite(found.coefficients).all()
    assert (found.probabilities(np.array([[-1e6], [1e6]])) == [0, 1]).all()


def test_bad_input_to_suggestions_is_refused():
    flat = hypercone.Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat")])
    with pytest.raises(InputError, match="there is no link to hide"):
        hide_links(flat, 0.5)
    chain = hypercone.Hierarchy.from_pairs([("a", "b"), ("b", "c")])
    with pytest.raises(InputError, match="no wrong link can be planted"):
        plant_links(chain, 0.5)
    for share in (0.0, 1.5, float("nan")):
        with pytest.raises(InputError, match="hidden is"):
            hide_links(chain, share)
        with pytest.raises(InputError, match="planted is"):
            plant_links(chain, share)
    for at in ((), (0, 10)):
        with pytest.raises(InputError, match="at is"):
            hypercone.evaluation.suggestions(chain, QUICK, at=at)
