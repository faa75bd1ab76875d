"""Every model has a view in the disk whose caption says what it is; branches and names are chosen well."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.hierarchies import chain, dags, edges_of, star
from tests.support.pictures import ANIMALS

from hypercone.construction.forest import spanning_forest
from hypercone.data import load_dataset
from hypercone.errors import InputError
from hypercone.geometry import cones, poincare
from hypercone.hierarchy import Hierarchy
from hypercone.methods import METHODS, Settings
from hypercone.plotting.arcs import view_from
from hypercone.plotting.scene import MOST_EDGES, RESOLUTION, SHORTEST, dots_to_draw, edges_to_draw
from hypercone.plotting.views import (
    LONGEST_NAME,
    MOST_BRANCHES,
    VIEW_K,
    branches,
    display_name,
    nodes_below,
    planar_view,
    rows_by_importance,
)

BIRDS = Hierarchy.from_pairs([("bird", "owl"), ("bird", "gull"), ("gull", "herring gull"), ("bird", "finch")])


def random_points(count, dim, largest=0.95, seed=0):
    random = np.random.default_rng(seed)
    points = random.normal(size=(count, dim))
    return points / np.linalg.norm(points, axis=1, keepdims=True) * random.uniform(0.2, largest, (count, 1))


def test_two_dimensions_of_the_ball_are_shown_as_they_are():
    points = random_points(20, 2)
    for method, K in (("hyperbolic-cones", 0.3), ("poincare", None)):
        view = planar_view(points, method, Settings(K=0.3))
        assert (view.kind, view.K, view.center) == ("own", K, (0.0, 0.0))
        np.testing.assert_array_equal(view.points, points)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_more_dimensions_with_edges_are_shown_by_a_construction_whose_cones_are_the_hierarchy(method):
    view = planar_view(random_points(len(BIRDS), 7), method, Settings(K=0.4), BIRDS)
    assert (view.kind, view.K) == ("construction", VIEW_K)
    assert view.caption == "View: a 2-D construction of the same hierarchy; the model itself has 7 dimensions."
    held = cones.contains(view.points[:, None], view.points[None], view.K) & ~np.eye(len(BIRDS), dtype=bool)
    assert set(map(tuple, np.argwhere(held))) == set(map(tuple, BIRDS.closure()))


def test_the_caption_of_a_flat_model_in_2_d_names_the_method():
    for hierarchy, caption in [
        (BIRDS, "View: a 2-D construction of the same hierarchy; the model itself is euclidean-cones in 2-D."),
        (None, "View: the points of euclidean-cones in 2-D; a norm r is drawn at r/(r + "),
    ]:
        view = planar_view(random_points(len(BIRDS), 2), "euclidean-cones", Settings(), hierarchy)
        assert view.caption.startswith(caption)


def test_a_one_sided_projection_is_centered_on_that_side():
    points = random_points(200, 6, largest=0.9999)
    assert planar_view(points, "poincare", Settings(), how="projection").center == (0.0, 0.0)
    aside = points * [0.1, 0.1, 0.1, 0.1, 0.1, 0.0] + [0.0, 0.0, 0.0, 0.0, 0.0, 0.9]
    view = planar_view(aside, "poincare", Settings(), how="projection")
    seen = view_from(view.center, view.points)
    angles = [np.arctan2(spots[:, 1], spots[:, 0]).std() for spots in (view.points, seen)]
    assert angles[1] > 3 * angles[0]
    assert np.hypot(*view.center) < 0.8, "not from among the outermost points"


@pytest.mark.parametrize("method", sorted(METHODS))
def test_without_edges_there_is_a_projection_inside_the_disk(method):
    view = planar_view(random_points(30, 5), method, Settings())
    assert (view.kind, view.K) == ("projection", None)
    assert "5 dimensions projected on their best plane" in view.caption
    assert view.points.shape == (30, 2)
    assert np.linalg.norm(view.points, axis=1).max() < 1


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 9), st.integers(0, 2**32 - 1))
def test_a_projection_of_the_ball_keeps_every_radius(dim, seed):
    points = random_points(15, dim, seed=seed)
    view = planar_view(points, "poincare", Settings(), how="projection")
    np.testing.assert_allclose(poincare.norm(view.points), poincare.norm(points), rtol=1e-9)


@settings(deadline=None, max_examples=30)
@given(st.integers(3, 9), st.integers(0, 2**32 - 1))
def test_points_of_a_plane_keep_all_their_distances_however_the_plane_lies(dim, seed):
    plane = random_points(15, 2, seed=seed)
    orthogonal, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(dim, dim)))
    turned = np.hstack([plane, np.zeros((15, dim - 2))]) @ orthogonal
    view = planar_view(turned, "hyperbolic-cones", Settings())
    expected = poincare.distance(plane[:, None], plane[None])
    np.testing.assert_allclose(poincare.distance(view.points[:, None], view.points[None]), expected, atol=1e-6)


def test_flat_norms_keep_their_order_and_the_caption_says_how():
    points = random_points(40, 4) * np.linspace(0.1, 50, 40)[:, None]
    view = planar_view(points, "order", Settings())
    norms = np.linalg.norm(points, axis=1)
    order = np.argsort(norms)
    assert (np.diff(np.linalg.norm(view.points, axis=1)[order]) > 0).all()
    assert f"a norm r is drawn at r/(r + {np.median(norms):.3g})" in view.caption


@pytest.mark.parametrize("points", [np.zeros((3, 4)), np.zeros((0, 4)), np.full((2, 1), 0.5), np.full((2, 5), 1e100)])
def test_degenerate_points_have_a_view_too(points):
    for method in ("poincare", "euclidean"):
        # Points of the ball do not reach 1e100.
        given = points if method == "euclidean" else np.minimum(points, 0.4)
        view = planar_view(given, method, Settings())
        assert view.points.shape == (len(points), 2)
        assert (np.linalg.norm(view.points, axis=1) < 1).all()


@pytest.mark.parametrize(
    ("method", "dim", "how", "words"),
    [
        ("hyperbolic-cones", 5, "own", "hyperbolic-cones in 5-D has no points of its own"),
        ("order", 2, "own", 'use view="construction" or "projection"$'),
        ("order", 2, "construction", "does not know its edges"),
        ("order", 2, "sideways", "^view is 'sideways', but must be auto, own, construction or projection$"),
    ],
)
def test_a_view_that_the_model_cannot_have_is_refused(method, dim, how, words):
    with pytest.raises(InputError, match=words):
        planar_view(random_points(4, dim), method, Settings(), how=how)


@pytest.fixture(scope="module")
def mammals():
    return load_dataset("wordnet-mammals")


def test_a_view_of_wordnet_mammals_has_distinct_points_well_inside_the_disk(mammals):
    view = planar_view(np.zeros((len(mammals), 10)), "hyperbolic-cones", Settings(), mammals)
    assert len(np.unique(view.points, axis=0)) == len(mammals)
    assert np.linalg.norm(view.points, axis=1).max() < 0.99


@settings(deadline=None)
@given(dags(40, 80), st.integers(1, MOST_BRANCHES))
def test_a_branch_is_one_node_with_all_nodes_below_it_and_the_first_is_the_largest(hierarchy, most):
    found, parents = branches(hierarchy, most), spanning_forest(hierarchy)
    assert set(found.tolist()) <= set(range(-1, most))
    tops = [row for row in np.flatnonzero(found >= 0) if parents[row] < 0 or found[parents[row]] < 0]
    assert sorted(found[tops]) == list(range(len(tops)))
    for row in np.flatnonzero(parents >= 0):
        assert found[row] == found[parents[row]] or row in tops
    sizes = np.bincount(found[found >= 0])
    assert sizes.tolist() == sorted(sizes.tolist(), reverse=True)
    assert sizes.size >= 1


@pytest.mark.parametrize("name", ["wordnet-mammals", "wordnet-nouns"])
def test_most_words_get_a_color_and_no_color_has_most_words(name):
    hierarchy = load_dataset(name)
    found = branches(hierarchy)
    sizes = np.bincount(found[found >= 0])
    assert len(sizes) == MOST_BRANCHES
    assert sizes.sum() >= 0.85 * len(hierarchy)
    assert sizes.max() < 0.2 * len(hierarchy)


def test_a_star_cannot_be_split_and_a_chain_is_followed_down():
    assert set(branches(star(101)).tolist()) == {0}
    assert set(branches(chain(51)).tolist()) <= {-1, 0}


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        ([], {"animal": -1, "mammal": 0, "poodle": 0, "bird": 1, "fish": 2}),
        (
            [("thing", "animal"), ("thing", "stone")],
            {"thing": -1, "animal": -1, "mammal": 0, "bird": 1, "fish": 2, "stone": 3},
        ),
    ],
)
def test_a_small_tree_has_a_color_for_each_child_of_its_root_or_of_a_dominant_child(above, expected):
    hierarchy = Hierarchy.from_pairs([*above, *edges_of(ANIMALS)])
    found = branches(hierarchy)
    assert {name: found[hierarchy.row(name)] for name in expected} == expected
    assert found.max() == max(expected.values())


def test_every_edge_left_out_is_short_or_lies_on_one_that_is_drawn():
    random = np.random.default_rng(0)
    points, scale = random.uniform(-0.7, 0.7, (60, 2)), 12.0
    edges = random.integers(0, 60, (900, 2)).astype(np.int32)
    drawn = edges_to_draw(points, edges, np.zeros(60, np.int32), scale)
    assert len(drawn) < len(edges)
    lines = points[drawn].reshape(-1, 4) * scale
    for line in points[edges].reshape(-1, 4) * scale:
        if np.linalg.norm(line[2:] - line[:2]) > SHORTEST:
            assert np.abs(lines - line).max(axis=1).min() <= RESOLUTION
    kept = drawn.tolist()
    assert len(set(map(tuple, kept))) == len(kept)


def test_of_dots_on_one_spot_the_heaviest_is_drawn_and_all_that_are_far_apart():
    assert dots_to_draw(np.zeros((5, 2)), np.array([3, 1, 9, 2, 9]), 500.0).tolist() == [2]
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-1, 1, 9)), axis=-1).reshape(-1, 2)
    assert sorted(dots_to_draw(grid, np.arange(81), 100.0).tolist()) == list(range(81))
    nothing = np.empty((0, 2), np.int32)
    assert len(edges_to_draw(np.zeros((1, 2)), nothing, np.zeros(1, np.int32), 100.0)) == 0
    assert len(dots_to_draw(nothing.astype(float), np.empty(0, np.int32), 100.0)) == 0


def test_the_number_of_drawn_edges_is_limited():
    random = np.random.default_rng(0)
    edges = random.integers(0, 50_000, (60_000, 2)).astype(np.int32)
    points = random.uniform(-1, 1, (50_000, 2))
    assert len(edges_to_draw(points, edges, np.zeros(50_000, np.int32), 1000.0)) == MOST_EDGES


def test_nodes_below_a_tree_are_its_descendants_and_none_of_several_parents_is_counted_twice(mammals):
    tree = load_dataset("tree-3-5")
    assert nodes_below(tree).tolist() == [len(tree.descendants_of(row)) for row in range(len(tree))]
    assert nodes_below(mammals)[mammals.root_rows].sum() == len(mammals) - len(mammals.root_rows)


def test_the_first_names_skip_nodes_with_one_dominant_child(mammals):
    below = nodes_below(mammals)
    first = rows_by_importance(mammals, below, np.zeros((len(mammals), 2)))[:20]
    names = {mammals.names[row] for row in first}
    assert {"mammal.n.01", "carnivore.n.01", "rodent.n.01", "dog.n.01"} <= names
    # Nearly all canines are dogs.
    assert "canine.n.02" not in names


def test_names_in_the_middle_come_before_those_at_the_rim():
    points = np.array([[0.0, 0.0], [0.2, 0.0], [0.9, 0.0]])
    for order in ([0, 1, 2], [0, 2, 1]):
        assert rows_by_importance(star(3), nodes_below(star(3)), points[order]).tolist() == order


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("dog.n.01", "dog"),
        ("even-toed_ungulate.n.01", "even-toed ungulate"),
        ("snake_case", "snake_case"),
        ("Dr. No.", "Dr. No."),
        ("Abnormality of the cardiovascular system", "Abnormality of the cardiovascular system"),
        ("x" * 50 + "y" * 50, "x" * (LONGEST_NAME // 2 - 1) + "…" + "y" * (LONGEST_NAME // 2)),
    ],
)
def test_names_are_shortened_for_display(name, written):
    assert display_name(name) == written
