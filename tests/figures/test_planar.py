"""Every model has a view in the disk, and the view says what it is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone.data import load_dataset
from hypercone.errors import InputError
from hypercone.geometry import cones, poincare
from hypercone.hierarchy import Hierarchy
from hypercone.methods import METHODS, Settings
from hypercone.plotting.arcs import view_from
from hypercone.plotting.views import VIEW_K, PlanarView, planar_view

BIRDS = Hierarchy.from_pairs([("bird", "owl"), ("bird", "gull"), ("gull", "herring gull"), ("bird", "finch")])


def random_points(count, dim, largest=0.95, seed=0):
    random = np.random.default_rng(seed)
    points = random.normal(size=(count, dim))
    return points / np.linalg.norm(points, axis=1, keepdims=True) * random.uniform(0.2, largest, (count, 1))


def turn_in(dim, seed=0):
    """An orthogonal matrix."""
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(dim, dim)))[0]


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


def test_in_two_dimensions_the_caption_of_a_construction_names_the_method():
    view = planar_view(random_points(len(BIRDS), 2), "euclidean-cones", Settings(), BIRDS)
    assert view.caption == (
        "View: a 2-D construction of the same hierarchy; the model itself is euclidean-cones in 2-D."
    )


def test_two_flat_dimensions_are_not_said_to_be_projected():
    view = planar_view(random_points(20, 2), "euclidean-cones", Settings(), how="projection")
    assert view.caption.startswith("View: the points of euclidean-cones in 2-D; a norm r is drawn at r/(r + ")


def test_a_projection_to_one_side_is_looked_at_from_that_side():
    points = random_points(200, 6, largest=0.9999)
    assert planar_view(points, "poincare", Settings(), how="projection").center == (0.0, 0.0)
    aside = points * [0.1, 0.1, 0.1, 0.1, 0.1, 0.0] + [0.0, 0.0, 0.0, 0.0, 0.0, 0.9]
    view = planar_view(aside, "poincare", Settings(), how="projection")
    seen = view_from(view.center, view.points)
    angles = [np.arctan2(spots[:, 1], spots[:, 0]).std() for spots in (view.points, seen)]
    assert angles[1] > 3 * angles[0]
    assert np.hypot(*view.center) < 0.8, "not from amid what is furthest out"


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
    turned = np.hstack([plane, np.zeros((15, dim - 2))]) @ turn_in(dim, seed)
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


def test_the_best_plane_is_where_the_points_reach_furthest():
    points = random_points(50, 4) * np.array([0.1, 1.0, 0.1, 1.0])
    view = planar_view(points, "poincare", Settings(), how="projection")
    shown = view.points / np.linalg.norm(view.points, axis=1, keepdims=True)
    inside = points[:, [1, 3]] / np.linalg.norm(points[:, [1, 3]], axis=1, keepdims=True)
    # The same angles between nodes, whichever axis came first.
    np.testing.assert_allclose(shown @ shown.T, inside @ inside.T, atol=0.25)


@pytest.mark.parametrize("points", [np.zeros((3, 4)), np.zeros((0, 4)), np.full((2, 1), 0.5), np.full((2, 5), 1e100)])
def test_degenerate_points_have_a_view_too(points):
    for method in ("poincare", "euclidean"):
        # Points of the ball do not reach 1e100.
        given = points if method == "euclidean" else np.minimum(points, 0.4)
        view = planar_view(given, method, Settings())
        assert isinstance(view, PlanarView)
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
def test_a_view_that_the_model_cannot_have_is_refused_in_words(method, dim, how, words):
    with pytest.raises(InputError, match=words):
        planar_view(random_points(4, dim), method, Settings(), how=how)


def test_a_view_of_wordnet_mammals_has_distinct_points_well_inside_the_disk():
    mammals = load_dataset("wordnet-mammals")
    view = planar_view(np.zeros((len(mammals), 10)), "hyperbolic-cones", Settings(), mammals)
    assert len(np.unique(view.points, axis=0)) == len(mammals)
    assert np.linalg.norm(view.points, axis=1).max() < 0.99
