"""The layout of nested balls: nested like the forest, disjoint elsewhere, and none too small."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.hierarchies import forest_matrix, shape

from hypercone.construction.layout import (
    Layout,
    caps_from_balls,
    lattice_points,
    lay_out_forest,
    points_from_balls,
    projection_scale,
    sites,
)
from hypercone.geometry import caps

FORESTS = st.lists(st.integers(-1, 10**6), min_size=1, max_size=60).map(
    lambda drawn: np.array([-1 if each < 0 else each % (row + 1) - 1 for row, each in enumerate(drawn)], np.int32)
)

DIMENSIONS = (1, 2, 3, 4, 9, 20)


def nested_as(layout: Layout, above: np.ndarray) -> bool:
    """Whether the balls, enlarged by their gaps, are inside their ancestors and disjoint from all others."""
    centers, radii, gaps = layout
    distances = np.linalg.norm(centers[:, None] - centers[None], axis=2)
    reach = radii + 0.999 * gaps
    inside = distances + reach[None] <= radii[:, None]
    apart = distances >= reach[:, None] + reach[None]
    unrelated = ~(above | above.T | np.eye(len(above), dtype=bool))
    return bool(inside[above].all() and apart[unrelated].all())


@given(FORESTS, st.sampled_from(DIMENSIONS))
@settings(max_examples=100, deadline=None)
def test_a_ball_is_inside_its_ancestors_and_disjoint_from_all_others(forest, dim):
    layout = lay_out_forest(forest, dim)
    assert nested_as(layout, forest_matrix(forest))
    assert np.all(np.linalg.norm(layout.centers, axis=1) + layout.radii <= 1)
    assert np.all(layout.gaps > 0)


@pytest.mark.parametrize("dim", DIMENSIONS)
@pytest.mark.parametrize("seed", range(2))
def test_siblings_of_very_different_sizes_are_disjoint(dim, seed):
    # Some siblings have hundreds of descendants and most have none, so that small ones share a cell.
    random = np.random.default_rng(seed)
    forest = np.array([-1] + [int(row * random.random() ** 5) for row in range(900)], np.int32)
    assert nested_as(lay_out_forest(forest, dim), forest_matrix(forest))


@given(FORESTS, st.sampled_from(DIMENSIONS))
@settings(max_examples=100, deadline=None)
def test_no_ball_is_smaller_than_half_of_its_share_of_a_line(forest, dim):
    assert lay_out_forest(forest, dim).radii.min() >= 0.5 / len(forest)


@pytest.mark.parametrize(("name", "size"), [("chain", 20_000), ("caterpillar", 20_000), ("deep_random_tree", 5_000)])
def test_depth_costs_no_more_than_width(name, size):
    tree = shape(name, size)
    forest = np.full(len(tree), -1, np.int32)
    forest[tree.edges[:, 1]] = tree.edges[:, 0]
    for dim in (1, 4):
        assert lay_out_forest(forest, dim).radii.min() >= 0.5 / len(tree)


def test_more_dimensions_enlarge_the_leaves_of_a_star():
    forest = np.zeros(1000, np.int32)
    forest[0] = -1
    smallest = [lay_out_forest(forest, dim).radii.min() for dim in (1, 2, 4, 9)]
    assert smallest == sorted(smallest)
    assert smallest[-1] > 150 * smallest[0]


@pytest.mark.parametrize("dim", [2, 3, 5, 9])
def test_sites_do_not_overlap_and_are_within_reach(dim):
    table = sites(dim, 400)
    places = np.sqrt(2) * table.lattice
    distances = np.linalg.norm(places[:, None] - places[None], axis=2) + 9 * np.eye(len(places))
    assert distances.min() >= 2 - 1e-12
    assert np.all(np.linalg.norm(places, axis=1)[2 * dim :] + 1 <= table.reach[2 * dim + 1 :] + 1e-12)
    assert np.all(np.diff(table.reach) >= 0)


def test_the_lattice_is_listed_shell_by_shell():
    # The sizes of the first shells of D4; the kissing number in four dimensions is 24.
    lengths = (lattice_points(4, 169).astype(int) ** 2).sum(axis=1)
    assert np.unique(lengths, return_counts=True)[1].tolist() == [1, 24, 24, 96, 24]
    assert len(np.unique(lattice_points(4, 169), axis=0)) == 169


@given(st.integers(1, 5), st.floats(0.001, 5.0), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_caps_are_nested_exactly_like_their_balls(dim, K, seed):
    random = np.random.default_rng(seed)
    centers = random.normal(size=(30, dim))
    centers *= random.random((30, 1)) / np.linalg.norm(centers, axis=1, keepdims=True)
    radii = (1 - np.linalg.norm(centers, axis=1)) * random.random(30)
    distances = np.linalg.norm(centers[:, None] - centers[None], axis=2)
    slack = radii[:, None] - radii[None] - distances
    points = points_from_balls(centers, radii, K)
    clear = np.abs(slack) > 1e-6
    found = caps.contains(points[:, None], points[None], K)
    assert np.array_equal(found[clear], (slack > 0)[clear])


def test_the_cap_of_the_unit_ball_is_below_the_widest_for_any_k():
    for K in (1e-6, 0.1, 1.0, 100.0):
        _, angles = caps_from_balls(np.zeros((1, 3)), np.ones(1), K)
        assert angles[0] < np.arccos(caps.kappa(K))
        assert 0 < projection_scale(K) <= 0.6


def test_the_cap_of_a_tiny_ball_is_accurate():
    _, angles = caps_from_balls(np.array([[0.3, 0.4]]), np.array([1e-13]))
    assert angles[0] == pytest.approx(2 * 0.6e-13 / (1 + 0.09), rel=1e-12)
