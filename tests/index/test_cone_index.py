"""The index: identical to the scan, bit by bit, wherever the points are and whatever the threshold."""

from __future__ import annotations

import dataclasses
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hypercone.index import ConeIndex, Finder, Scan
from hypercone.index.index import LEAF, SCANS_BEFORE_INDEX
from hypercone.methods import METHODS, Settings, find_method
from hypercone.methods.scoring import Scorer

CONES = ("hyperbolic-cones", "euclidean-cones")
PLACES = (
    "anywhere",
    "collapsed",
    "nearly_collapsed",
    "clusters",
    "at_the_border",
    "bundles_at_the_border",
    "at_the_centre",
    "on_one_line",
    "on_a_sphere",
    "constructed",
)
THRESHOLDS = (0.0, 1e-12, 1e-6, 0.06, 0.5, math.pi / 2, 3.0, 4.0)
NEAREST = (1, 3, 10)


# Every dimension is compiled for itself, so two are enough: the plane, and the one that fits have by default.
DIMS = (2, 5)


def both(points, method, threshold, **changes):
    given = (points, find_method(method), Settings(**changes), threshold)
    return ConeIndex(Scorer(*given)), Scan(Scorer(*given))


def disagreements(index, scan, rows):
    """The questions to which the two give different answers."""
    wrong = []
    for row in rows:
        for question in ("descendants", "ancestors"):
            if not np.array_equal(getattr(index, question)(row).rows, getattr(scan, question)(row).rows):
                wrong.append((question, row))
        for count in NEAREST:
            found, expected = index.nearest(row, count), scan.nearest(row, count)
            if found.rows.tolist() != expected.rows.tolist() or found.distances.tolist() != expected.distances.tolist():
                wrong.append(("nearest", row, count))
    return wrong


@pytest.mark.parametrize("method", CONES)
@pytest.mark.parametrize("name", PLACES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    count=st.integers(1, 200),
    dim=st.sampled_from(DIMS),
    seed=st.integers(0, 2**32),
    threshold=st.one_of(st.sampled_from(THRESHOLDS), st.floats(0, 0.3)),
)
def test_the_index_finds_what_the_scan_finds(place, name, method, count, dim, seed, threshold):
    points = place(name, method, count, dim, seed)
    assert disagreements(*both(points, method, threshold), range(0, count, 1 + count // 40)) == []


@pytest.mark.parametrize("method", CONES)
@pytest.mark.parametrize("name", PLACES)
def test_a_threshold_that_is_some_pairs_very_energy_is_met_to_the_last_bit(place, name, method):
    # What a calibration may choose, and where an energy that differs in one bit changes the answer.
    points = place(name, method, 100, 5, 7)
    scorer = Scorer(points, find_method(method), Settings())

    for row in range(0, 100, 9):
        seen = scorer.energies_below(row)
        for threshold in np.unique(seen[seen > 0])[:: max(1, len(seen) // 6)]:
            assert disagreements(*both(points, method, float(threshold)), [row]) == []


@pytest.mark.parametrize("K", [0.01, 0.1, 1.0, 3.0])
@pytest.mark.parametrize("name", ["anywhere", "clusters", "bundles_at_the_border"])
def test_the_index_agrees_for_narrow_and_for_wide_cones(place, name, K):
    changed = Settings(K=K)
    points = METHODS["hyperbolic-cones"].project(place(name, "hyperbolic-cones", 300, 5, 3), changed)
    assert disagreements(*both(np.ascontiguousarray(points), "hyperbolic-cones", 0.05, K=K), range(0, 300, 7)) == []


@pytest.mark.parametrize("border", [1e-5, 1e-7, 1e-9, 1e-12])
@pytest.mark.parametrize("dim", [1, 2])
def test_neighbours_right_at_the_border_are_found_as_by_the_scan(border, dim):
    random = np.random.default_rng(0)
    norms = 1 - border * 10 ** random.uniform(0, 2, 400)
    # A third of them lie in one place each with others, on the outermost sphere.
    norms[::3] = 1 - border
    points = np.zeros((400, dim))
    points[:, 0] = norms * random.choice([-1, 1], 400)
    assert disagreements(*both(points, "hyperbolic-cones", 0.0, border=border), range(0, 400, 5)) == []


def test_points_of_single_precision_are_searched_as_they_are_scanned():
    random = np.random.default_rng(1)
    angles, norms = 1e-3 * random.normal(size=2000), random.uniform(0.15, 0.99, 2000)
    narrow = np.stack([norms * np.cos(angles), norms * np.sin(angles)], axis=1).astype(np.float32)
    assert disagreements(*both(narrow, "hyperbolic-cones", 0.0), range(0, 2000, 9)) == []


@pytest.mark.parametrize("scale", [1.0, 30.0, 1e4])
def test_flat_cones_far_from_the_origin_agree(scale):
    points = scale * np.random.default_rng(0).normal(size=(500, 5))
    points = np.ascontiguousarray(METHODS["euclidean-cones"].project(points, Settings()))
    assert disagreements(*both(points, "euclidean-cones", 0.02), range(0, 500, 5)) == []


@pytest.mark.parametrize("method", sorted(METHODS))
def test_methods_without_cones_are_scanned_and_their_neighbours_are_still_found_by_the_tree(method):
    random = np.random.default_rng(1)
    points = METHODS[method].project(METHODS[method].start(random, 400, 5, 0.7), Settings())
    index, scan = both(np.ascontiguousarray(points), method, 0.5)
    assert disagreements(index, scan, range(0, 400, 11)) == []
    assert index.nearest(0, 3).tested < 400


def test_a_learned_model_is_searched_exactly_at_its_calibrated_threshold(learned):
    assert learned.threshold > 0
    assert disagreements(ConeIndex(learned.scorer), Scan(learned.scorer), range(len(learned))) == []


def test_most_of_a_learned_model_is_never_looked_at(learned):
    tested = [learned.index.descendants(row).tested for row in range(len(learned))]
    assert np.median(tested) < 0.2 * len(learned)


@pytest.mark.parametrize("method", CONES)
def test_many_at_once_get_the_same_answers_on_all_cores(place, method):
    index, scan = both(place("anywhere", method, 3000, 5, 5), method, 0.1)
    rows = list(range(0, 3000, 7))
    for question in ("descendants", "ancestors"):
        together = getattr(index, f"{question}_of_many")(rows)
        assert all(
            np.array_equal(found, getattr(scan, question)(row).rows) for found, row in zip(together, rows, strict=True)
        )
        assert getattr(index, f"{question}_of_many")([]) == []


def test_threads_that_ask_at_the_same_time_do_not_write_into_each_others_answers(place):
    index, scan = both(place("anywhere", "hyperbolic-cones", 2000, 5, 6), "hyperbolic-cones", 0.2)
    expected = [scan.descendants(row).rows.tolist() for row in range(200)]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            assert [found.rows.tolist() for found in pool.map(index.descendants, range(200))] == expected


def test_nothing_is_under_anything_when_the_threshold_is_below_zero(place):
    index, scan = both(place("anywhere", "hyperbolic-cones", 50, 2, 0), "hyperbolic-cones", -0.1)
    assert all(len(index.ancestors(row).rows) == len(scan.ancestors(row).rows) == 0 for row in range(50))
    assert all(len(found) == 0 for found in index.descendants_of_many(range(50)))


@pytest.mark.parametrize("count", [1, 2, LEAF, LEAF + 1, 2 * LEAF + 1, 1000])
def test_every_node_is_in_the_tree_once_and_in_the_cells_that_should_bound_it(place, count):
    points = place("clusters", "hyperbolic-cones", count, 5, count)
    tree = both(points, "hyperbolic-cones", 0.0)[0].tree
    assert sorted(tree.rows.tolist()) == list(range(count))
    norms = np.linalg.norm(points, axis=1)
    for cell, begin, end in zip(tree.cells, tree.begin, tree.end, strict=True):
        members = tree.rows[begin:end]
        cap = math.atan2(cell[6], cell[5])
        cosines = (points[members] / norms[members, None]) @ cell[:5]
        assert np.all(np.arccos(np.clip(cosines, -1, 1)) <= cap + 1e-7)
        assert np.all((norms[members] >= cell[7] - 1e-15) & (norms[members] <= cell[8] + 1e-15))
    leaves = tree.end[len(tree.end) // 2 :] - tree.begin[len(tree.begin) // 2 :]
    assert leaves.max() <= LEAF


def test_a_row_that_does_not_exist_is_refused_before_compiled_code_could_read_beyond_the_end(place):
    index, scan = both(place("anywhere", "hyperbolic-cones", 10, 2, 0), "hyperbolic-cones", 0.0)
    for who in (index, scan):
        for row in (-1, 10):
            with pytest.raises(IndexError, match=r"outside 0 … 9"):
                who.descendants(row)
            with pytest.raises(IndexError, match=r"outside 0 … 9"):
                who.nearest(row, 1)
            with pytest.raises(IndexError, match=r"outside 0 … 9"):
                who.ancestors_of_many([0, row])


def test_a_few_questions_are_scanned_and_many_build_the_index(learned):
    finder = Finder(learned.scorer)
    for _ in range(SCANS_BEFORE_INDEX):
        assert finder.descendants(5).tested == len(learned)
    before = finder.ancestors(7)
    assert before.tested < len(learned)
    assert before.rows.tolist() == learned._finder._scan.ancestors(7).rows.tolist()


def test_an_embedding_answers_the_same_before_and_after_its_index_is_built(learned):
    fresh = dataclasses.replace(learned)
    names = list(learned.names[:: len(learned) // 50])
    scanned = [(fresh.ancestors(name), fresh.nearest(name, 5)) for name in names[: SCANS_BEFORE_INDEX // 2]]
    assert fresh.index is fresh.index
    indexed = [(fresh.ancestors(name), fresh.nearest(name, 5)) for name in names[: SCANS_BEFORE_INDEX // 2]]
    assert scanned == indexed
    assert fresh.ancestors(names) == [fresh.ancestors(name) for name in names]
    assert fresh.descendants(names) == [fresh.descendants(name) for name in names]
