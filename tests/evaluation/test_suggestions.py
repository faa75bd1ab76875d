"""Hidden links are true, planted links are not, and the precision counts the suggestions that are correct."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hypercone
from hypercone.errors import InputError
from hypercone.evaluation.damaged import hide_links, plant_links, precision_of
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
def test_hiding_removes_the_links_and_leaves_the_child_under_the_grandparents(seed, share):
    whole = _tangled(seed)
    damaged, links = hide_links(whole, share, seed)
    before, after = _pairs(whole.closure()), _pairs(damaged.closure())
    assert after < before
    assert _pairs(links) <= before - after
    assert len(set(links[:, 1].tolist())) == len(links)
    for parent, child in links.tolist():
        # The child stays under the parents of its parent.
        assert all((above, child) in after for above in whole.parent_lists[parent].tolist())


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
    assert found.wrong.listed == min(5, found.wrong.considered)


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
