"""The index gives the same answers as a scan, bit by bit, wherever the points are and whatever the threshold."""

from __future__ import annotations

import dataclasses
import math
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hypercone
from hypercone.geometry import caps
from hypercone.index import ConeIndex, Finder, Scan
from hypercone.index.index import SCANS_BEFORE_INDEX
from hypercone.methods import METHODS, Settings, find_method
from hypercone.methods.scoring import Scorer

CONES = ("hyperbolic-cones", "euclidean-cones")
K = Settings().K


def _unit(random, count, dim):
    rays = random.normal(size=(count, dim))
    return rays / np.linalg.norm(rays, axis=1, keepdims=True)


def _anywhere(random, count, dim):
    return _unit(random, count, dim) * random.uniform(0.11, 0.99, (count, 1))


def _clusters(random, count, dim):
    scales = 10.0 ** random.integers(-15, -1, (count, 1))
    return _anywhere(random, 3, dim)[random.integers(0, 3, count)] + scales * random.normal(size=(count, dim))


def _bundles_at_the_border(random, count, dim):
    """Rays as close to each other as the cones there are wide."""
    rays = _unit(random, 1, dim) + 10.0 ** random.uniform(-12, -2, (count, 1)) * random.normal(size=(count, dim))
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    return rays * (1 - 10.0 ** random.uniform(-5, -1, (count, 1)))


def _constructed(random, count, dim):
    """Nested caps, many of them touching the next larger one."""
    points = _anywhere(random, 1, dim)
    while len(points) < count:
        parent = points[random.integers(len(points))]
        radius = caps.cap_radius(parent, K) * random.choice([0.5, 0.1])
        aside = (caps.cap_radius(parent, K) - radius) * random.choice([1.0, 0.5])
        ray, across = parent / np.linalg.norm(parent), _unit(random, 1, dim)[0]
        across -= (across @ ray) * ray
        across /= np.linalg.norm(across)
        points = np.vstack([points, caps.point_from_cap(np.cos(aside) * ray + np.sin(aside) * across, radius, K)])
    return points


PLACES = {
    "anywhere": _anywhere,
    "collapsed": lambda random, count, dim: np.repeat(_anywhere(random, 1, dim), count, axis=0),
    # So close that directions and norms are equal up to rounding, but differences are not.
    "nearly_collapsed": lambda random, count, dim: (
        _anywhere(random, 1, dim) * (1 + 3e-16 * random.integers(-3, 4, (count, dim)))
    ),
    "clusters": _clusters,
    "at_the_border": lambda random, count, dim: (
        _unit(random, count, dim) * (1 - 10.0 ** random.uniform(-5, -3, (count, 1)))
    ),
    "bundles_at_the_border": _bundles_at_the_border,
    # Where the half aperture is close to a right angle, and beyond it with a threshold.
    "near_the_center": lambda random, count, dim: (
        _unit(random, count, dim) * 0.1 * (1 + 10.0 ** random.uniform(-8, -1, (count, 1)))
    ),
    "on_one_line": lambda random, count, dim: (
        _unit(random, 1, dim) * random.choice([-1, 1], (count, 1)) * random.uniform(0.11, 0.95, (count, 1))
    ),
    # Norms that differ only by rounding.
    "on_a_sphere": lambda random, count, dim: 0.5 * _unit(random, count, dim),
    "constructed": _constructed,
}


def place(name, method, count, dim, seed, **changes):
    """Points of a kind, in the domain of a method."""
    points = PLACES[name](np.random.default_rng(seed), count, dim)
    return np.ascontiguousarray(METHODS[method].project(points, Settings(**changes)))


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
    K=st.sampled_from([0.01, 0.1, 1.0, 3.0]),
)
def test_the_index_finds_what_the_scan_finds(name, method, count, dim, seed, threshold, K):
    points = place(name, method, count, dim, seed, K=K)
    assert disagreements(*both(points, method, threshold, K=K), range(0, count, 1 + count // 40)) == []


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


def narrow_in_single_precision():
    random = np.random.default_rng(1)
    angles, norms = 1e-3 * random.normal(size=2000), random.uniform(0.15, 0.99, 2000)
    return np.stack([norms * np.cos(angles), norms * np.sin(angles)], axis=1).astype(np.float32)


def on_a_line_at(border, dim):
    """A third of them coincide on the outermost sphere."""
    random = np.random.default_rng(0)
    norms = 1 - border * 10 ** random.uniform(0, 2, 400)
    norms[::3] = 1 - border
    return np.pad((norms * random.choice([-1, 1], 400))[:, None], [(0, 0), (0, dim - 1)])


def far(scale):
    points = scale * np.random.default_rng(0).normal(size=(500, 5))
    return np.ascontiguousarray(METHODS["euclidean-cones"].project(points, Settings()))


HYPERBOLIC, EUCLIDEAN = CONES
CASES = {
    **{
        f"boundary at {border}, dim {dim}": (on_a_line_at(border, dim), HYPERBOLIC, 0.0, {"border": border})
        for border in (1e-5, 1e-7, 1e-9, 1e-12)
        for dim in (1, 2)
    },
    **{f"Euclidean, scale {scale}": (far(scale), EUCLIDEAN, 0.02, {}) for scale in (1.0, 30.0, 1e4)},
    "single precision": (narrow_in_single_precision(), HYPERBOLIC, 0.0, {}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_index_agrees_at_the_boundary_far_away_and_in_single_precision(case):
    points, method, threshold, changes = CASES[case]
    rows = range(0, len(points), 9 if len(points) > 500 else 5)
    assert disagreements(*both(points, method, threshold, **changes), rows) == []


@pytest.mark.parametrize("method", sorted(METHODS))
def test_methods_without_cones_are_scanned_but_use_the_tree_for_nearest_nodes(method):
    points = METHODS[method].project(METHODS[method].start(np.random.default_rng(1), 400, 5, 0.7), Settings())
    index, scan = both(np.ascontiguousarray(points), method, 0.5)
    assert disagreements(index, scan, range(0, 400, 11)) == []
    assert index.nearest(0, 3).tested < 400


def test_a_learned_model_is_searched_exactly_at_its_threshold_and_most_nodes_are_never_tested(learned):
    assert learned.threshold > 0
    assert disagreements(ConeIndex(learned.scorer), Scan(learned.scorer), range(len(learned))) == []
    tested = [learned.index.descendants(row).tested for row in range(len(learned))]
    assert np.median(tested) < 0.2 * len(learned)


@pytest.mark.parametrize("method", CONES)
def test_many_queries_at_once_get_the_same_answers(method):
    index, scan = both(place("anywhere", method, 3000, 5, 5), method, 0.1)
    rows = list(range(0, 3000, 7))
    for question in ("descendants", "ancestors"):
        found = [each.tolist() for each in getattr(index, f"{question}_of_many")(rows)]
        assert found == [getattr(scan, question)(row).rows.tolist() for row in rows]
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


def test_a_row_out_of_range_is_refused():
    index, scan = both(place("anywhere", "hyperbolic-cones", 10, 2, 0), "hyperbolic-cones", 0.0)
    for finder, row in product((index, scan), (-1, 10)):
        for question, *rest in (("descendants", row), ("nearest", row, 1), ("ancestors_of_many", [0, row])):
            with pytest.raises(IndexError, match="outside 0 … 9"):
                getattr(finder, question)(*rest)


def test_few_queries_are_scanned_and_many_build_the_index_which_answers_the_same(learned):
    finder = Finder(learned.scorer)
    for _ in range(SCANS_BEFORE_INDEX):
        assert finder.descendants(5).tested == len(learned)
    assert finder.ancestors(7).tested < len(learned)
    assert finder.ancestors(7).rows.tolist() == Scan(learned.scorer).ancestors(7).rows.tolist()
    fresh = dataclasses.replace(learned)
    names = list(learned.names[:: len(learned) // 50])
    few = names[: SCANS_BEFORE_INDEX // 2]
    scanned = [(fresh.ancestors(name), fresh.nearest(name, 5)) for name in few]
    assert fresh.index is fresh.index
    assert [(fresh.ancestors(name), fresh.nearest(name, 5)) for name in few] == scanned
    for question in (fresh.ancestors, fresh.descendants):
        assert question(names) == [question(name) for name in names]


# Why the corners of a cell bound it: how the angle at the apex changes as parent and child move.
norms, angles, steps = st.floats(0.11, 0.999), st.floats(1e-3, 3.1), st.floats(1e-6, 0.5)


def cone_angle(parent, child, angle, curvature):
    """Ξ to 50 digits, from the norms and the angle between the rays."""
    with mpmath.workdps(50):
        parent, child, angle = map(mpmath.mpf, (parent, child, angle))
        along, across = child * mpmath.cos(angle) - parent, child * mpmath.sin(angle)
        q = 1 - curvature * parent**2
        return mpmath.atan2(q * across, q * along - curvature * parent * (along**2 + across**2))


@pytest.mark.parametrize("curvature", [0, 1])
@settings(max_examples=300, deadline=None)
@given(parent=norms, child=norms, gap=st.floats(0, 1), angle=angles, step=steps)
def test_the_angle_falls_as_the_child_moves_outward_and_grows_with_the_parent_and_the_angle_between_rays(
    curvature, parent, child, gap, angle, step
):
    before = cone_angle(parent, child, angle, curvature)
    assert cone_angle(parent, child + step * (1 - child), angle, curvature) < before
    assert cone_angle(parent + step * (1 - parent), child, angle, curvature) > before
    # The last holds only if the child is no nearer to the origin.
    child, wider = parent + gap * (1 - parent), angle + step * (np.pi - angle)
    assert cone_angle(parent, child, wider, curvature) > cone_angle(parent, child, angle, curvature)


@pytest.mark.parametrize("curvature", [0, 1])
@settings(max_examples=300, deadline=None)
@given(parent=norms, share=st.floats(0.01, 0.9999), angle=st.floats(0, 3.1415))
def test_a_child_nearer_to_the_origin_is_seen_at_more_than_a_right_angle(curvature, parent, share, angle):
    assert cone_angle(parent, parent * share, angle, curvature) > mpmath.pi / 2
    # There the angle does not always grow, so the corner would be wrong.
    assert cone_angle(0.5, 0.3, 0.0, curvature) > cone_angle(0.5, 0.3, 0.5, curvature)
