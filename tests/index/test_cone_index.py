"""The index gives the same answers as a scan, bit by bit, wherever the points are and whatever the threshold."""

from __future__ import annotations

import dataclasses
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hypercone
from hypercone.geometry import caps
from hypercone.index import ConeIndex, Finder, Scan
from hypercone.index.index import LEAF, SCANS_BEFORE_INDEX
from hypercone.methods import METHODS, Settings, find_method
from hypercone.methods.scoring import Scorer

CONES = ("hyperbolic-cones", "euclidean-cones")

K = Settings().K


def _unit(random, count, dim):
    rays = random.normal(size=(count, dim))
    return rays / np.linalg.norm(rays, axis=1, keepdims=True)


def _anywhere(random, count, dim):
    return _unit(random, count, dim) * random.uniform(0.11, 0.99, (count, 1))


def _collapsed(random, count, dim):
    """All at the same point."""
    return np.repeat(_anywhere(random, 1, dim), count, axis=0)


def _nearly_collapsed(random, count, dim):
    """So close that directions and norms are equal up to rounding, but differences are not."""
    return _anywhere(random, 1, dim) * (1 + 3e-16 * random.integers(-3, 4, (count, dim)))


def _clusters(random, count, dim):
    scales = 10.0 ** random.integers(-15, -1, (count, 1))
    return _anywhere(random, 3, dim)[random.integers(0, 3, count)] + scales * random.normal(size=(count, dim))


def _at_the_border(random, count, dim):
    return _unit(random, count, dim) * (1 - 10.0 ** random.uniform(-5, -3, (count, 1)))


def _bundles_at_the_border(random, count, dim):
    """Rays as close to each other as the cones there are wide."""
    rays = _unit(random, 1, dim) + 10.0 ** random.uniform(-12, -2, (count, 1)) * random.normal(size=(count, dim))
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    return rays * (1 - 10.0 ** random.uniform(-5, -1, (count, 1)))


def _near_the_center(random, count, dim):
    """Where the half aperture is close to a right angle, and beyond it with a threshold."""
    return _unit(random, count, dim) * 0.1 * (1 + 10.0 ** random.uniform(-8, -1, (count, 1)))


def _on_one_line(random, count, dim):
    return _unit(random, 1, dim) * random.choice([-1, 1], (count, 1)) * random.uniform(0.11, 0.95, (count, 1))


def _on_a_sphere(random, count, dim):
    """Norms that differ only by rounding."""
    return 0.5 * _unit(random, count, dim)


def _constructed(random, count, dim):
    """Nested caps, many of them touching the next larger one."""
    points = _anywhere(random, 1, dim)
    while len(points) < count:
        parent = points[random.integers(len(points))]
        radius = caps.cap_radius(parent, K) * random.choice([0.5, 0.1])
        aside = (caps.cap_radius(parent, K) - radius) * random.choice([1.0, 0.5])
        across = _unit(random, 1, dim)[0]
        ray = parent / np.linalg.norm(parent)
        across -= (across @ ray) * ray
        across /= np.linalg.norm(across)
        points = np.vstack([points, caps.point_from_cap(np.cos(aside) * ray + np.sin(aside) * across, radius, K)])
    return points


PLACES = {
    draw.__name__.strip("_"): draw
    for draw in (
        _anywhere,
        _collapsed,
        _nearly_collapsed,
        _clusters,
        _at_the_border,
        _bundles_at_the_border,
        _near_the_center,
        _on_one_line,
        _on_a_sphere,
        _constructed,
    )
}


def place(name, method, count, dim, seed):
    """Points of a kind, in the domain of a method."""
    points = PLACES[name](np.random.default_rng(seed), count, dim)
    return np.ascontiguousarray(METHODS[method].project(points, Settings()))


@pytest.fixture(scope="module", params=CONES)
def learned(request):
    """A model of the WordNet mammals."""
    mammals = hypercone.load_dataset("wordnet-mammals")
    return hypercone.fit(mammals, method=request.param, dim=5, epochs=20, init_epochs=20)


THRESHOLDS = (0.0, 1e-12, 1e-6, 0.06, 0.5, math.pi / 2, 3.0, 4.0)

NEAREST = (1, 3, 10)

# Kernels are compiled per dimension; the plane and the default dimension are enough.
DIMS = (2, 5)


def both(points, method, threshold, **changes):
    given = (points, find_method(method), Settings(**changes), threshold)
    return ConeIndex(Scorer(*given)), Scan(Scorer(*given))


def disagreements(index, scan, rows):
    """The queries for which the two give different answers."""
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
@settings(max_examples=25, deadline=None)
@given(
    count=st.integers(1, 200),
    dim=st.sampled_from(DIMS),
    seed=st.integers(0, 2**32),
    threshold=st.one_of(st.sampled_from(THRESHOLDS), st.floats(0, 0.3)),
)
def test_the_index_finds_what_the_scan_finds(name, method, count, dim, seed, threshold):
    points = place(name, method, count, dim, seed)
    assert disagreements(*both(points, method, threshold), range(0, count, 1 + count // 40)) == []


@pytest.mark.parametrize("method", CONES)
@pytest.mark.parametrize("name", PLACES)
def test_a_threshold_equal_to_the_energy_of_a_pair_is_exact_to_the_last_bit(name, method):
    # A calibration chooses such thresholds, and a single bit of the energy then changes the answer.
    points = place(name, method, 100, 5, 7)
    scorer = Scorer(points, find_method(method), Settings())

    for row in range(0, 100, 9):
        seen = scorer.energies_below(row)
        for threshold in np.unique(seen[seen > 0])[:: max(1, len(seen) // 6)]:
            assert disagreements(*both(points, method, float(threshold)), [row]) == []


@pytest.mark.parametrize("K", [0.01, 0.1, 1.0, 3.0])
@pytest.mark.parametrize("name", ["anywhere", "clusters", "bundles_at_the_border"])
def test_the_index_agrees_for_narrow_and_wide_cones(name, K):
    changed = Settings(K=K)
    points = METHODS["hyperbolic-cones"].project(place(name, "hyperbolic-cones", 300, 5, 3), changed)
    assert disagreements(*both(np.ascontiguousarray(points), "hyperbolic-cones", 0.05, K=K), range(0, 300, 7)) == []


@pytest.mark.parametrize("border", [1e-5, 1e-7, 1e-9, 1e-12])
@pytest.mark.parametrize("dim", [1, 2])
def test_the_nearest_nodes_at_the_boundary_are_those_of_the_scan(border, dim):
    random = np.random.default_rng(0)
    norms = 1 - border * 10 ** random.uniform(0, 2, 400)
    # A third of them coincide on the outermost sphere.
    norms[::3] = 1 - border
    points = np.zeros((400, dim))
    points[:, 0] = norms * random.choice([-1, 1], 400)
    assert disagreements(*both(points, "hyperbolic-cones", 0.0, border=border), range(0, 400, 5)) == []


def test_single_precision_points_give_the_same_answers():
    random = np.random.default_rng(1)
    angles, norms = 1e-3 * random.normal(size=2000), random.uniform(0.15, 0.99, 2000)
    narrow = np.stack([norms * np.cos(angles), norms * np.sin(angles)], axis=1).astype(np.float32)
    assert disagreements(*both(narrow, "hyperbolic-cones", 0.0), range(0, 2000, 9)) == []


@pytest.mark.parametrize("scale", [1.0, 30.0, 1e4])
def test_euclidean_cones_far_from_the_origin_agree(scale):
    points = scale * np.random.default_rng(0).normal(size=(500, 5))
    points = np.ascontiguousarray(METHODS["euclidean-cones"].project(points, Settings()))
    assert disagreements(*both(points, "euclidean-cones", 0.02), range(0, 500, 5)) == []


@pytest.mark.parametrize("method", sorted(METHODS))
def test_methods_without_cones_are_scanned_but_use_the_tree_for_nearest_nodes(method):
    random = np.random.default_rng(1)
    points = METHODS[method].project(METHODS[method].start(random, 400, 5, 0.7), Settings())
    index, scan = both(np.ascontiguousarray(points), method, 0.5)
    assert disagreements(index, scan, range(0, 400, 11)) == []
    assert index.nearest(0, 3).tested < 400


def test_a_learned_model_is_searched_exactly_at_its_calibrated_threshold(learned):
    assert learned.threshold > 0
    assert disagreements(ConeIndex(learned.scorer), Scan(learned.scorer), range(len(learned))) == []


def test_most_nodes_of_a_learned_model_are_never_tested(learned):
    tested = [learned.index.descendants(row).tested for row in range(len(learned))]
    assert np.median(tested) < 0.2 * len(learned)


@pytest.mark.parametrize("method", CONES)
def test_many_queries_at_once_get_the_same_answers(method):
    index, scan = both(place("anywhere", method, 3000, 5, 5), method, 0.1)
    rows = list(range(0, 3000, 7))
    for question in ("descendants", "ancestors"):
        together = getattr(index, f"{question}_of_many")(rows)
        assert all(
            np.array_equal(found, getattr(scan, question)(row).rows) for found, row in zip(together, rows, strict=True)
        )
        assert getattr(index, f"{question}_of_many")([]) == []


def test_concurrent_threads_do_not_share_buffers():
    index, scan = both(place("anywhere", "hyperbolic-cones", 2000, 5, 6), "hyperbolic-cones", 0.2)
    expected = [scan.descendants(row).rows.tolist() for row in range(200)]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            assert [found.rows.tolist() for found in pool.map(index.descendants, range(200))] == expected


def test_a_negative_threshold_relates_no_nodes():
    index, scan = both(place("anywhere", "hyperbolic-cones", 50, 2, 0), "hyperbolic-cones", -0.1)
    assert all(len(index.ancestors(row).rows) == len(scan.ancestors(row).rows) == 0 for row in range(50))
    assert all(len(found) == 0 for found in index.descendants_of_many(range(50)))


@pytest.mark.parametrize("count", [1, 2, LEAF, LEAF + 1, 2 * LEAF + 1, 1000])
def test_every_node_is_in_the_tree_once_and_within_the_bounds_of_its_cells(count):
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


def test_a_row_out_of_range_is_refused():
    index, scan = both(place("anywhere", "hyperbolic-cones", 10, 2, 0), "hyperbolic-cones", 0.0)
    for finder in (index, scan):
        for row in (-1, 10):
            with pytest.raises(IndexError, match=r"outside 0 … 9"):
                finder.descendants(row)
            with pytest.raises(IndexError, match=r"outside 0 … 9"):
                finder.nearest(row, 1)
            with pytest.raises(IndexError, match=r"outside 0 … 9"):
                finder.ancestors_of_many([0, row])


def test_few_queries_are_scanned_and_many_build_the_index(learned):
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
