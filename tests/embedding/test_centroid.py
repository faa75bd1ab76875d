"""Centroids: the laws of a midpoint, and the ancestors of a point."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.support.embeddings import make_embedding

from hypercone.embedding.relations import einstein_midpoint, nearest_to_point
from hypercone.errors import InputError, UnknownNameError
from hypercone.geometry import poincare
from hypercone.methods import METHODS, Settings

ALL = pytest.mark.parametrize("method", METHODS)


@st.composite
def weighted_points(draw, outer=0.999, dim=2, count=None):
    count = count or draw(st.integers(1, 6))
    rays = draw(arrays(np.float64, (count, dim), elements=st.floats(-1, 1)))
    lengths = np.maximum(np.linalg.norm(rays, axis=1, keepdims=True), 1e-3)
    radii = draw(arrays(np.float64, (count, 1), elements=st.floats(0, outer)))
    return rays / lengths * radii, draw(arrays(np.float64, count, elements=st.floats(0.01, 100)))


def by_the_definition(points, weights):
    """The γ-weighted mean of Klein points, to fifty digits, as a Poincaré point."""
    with mp.workdps(50):
        total, above = mp.mpf(0), [mp.mpf(0)] * points.shape[1]
        for point, weight in zip(points, weights, strict=True):
            x = [mp.mpf(float(value)) for value in point]
            square = mp.fsum(value**2 for value in x)
            k = [2 * value / (1 + square) for value in x]
            gamma = mp.mpf(float(weight)) / mp.sqrt(1 - mp.fsum(value**2 for value in k))
            total += gamma
            above = [a + gamma * value for a, value in zip(above, k, strict=True)]
        mean = [value / total for value in above]
        fall = mp.sqrt(1 - mp.fsum(value**2 for value in mean))
        return np.array([float(value / (1 + fall)) for value in mean])


@settings(deadline=None, max_examples=60)
@given(weighted_points(outer=1 - 1e-5, dim=3))
def test_a_midpoint_is_accurate_up_to_the_boundary(given_points):
    points, weights = given_points
    found, exact = einstein_midpoint(points, weights), by_the_definition(points, weights)
    # The error is measured relative to the distance from the boundary.
    gap = 1 - np.linalg.norm(exact)
    assert np.abs(found - exact).max() <= 1e-15 + 1e-10 * gap


@settings(deadline=None)
@given(weighted_points(outer=0.95), weighted_points(outer=0.9, count=1), st.floats(0, 2 * np.pi))
def test_isometries_map_midpoints_to_midpoints(given_points, shift, angle):
    points, weights = given_points
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    moved = poincare.mobius_add(shift[0][0], points @ turn)
    expected = poincare.mobius_add(shift[0][0], einstein_midpoint(points, weights) @ turn)
    assert float(poincare.distance(einstein_midpoint(moved, weights), expected)) < 1e-6


def test_the_midpoint_of_two_points_is_half_way_between_them():
    x, y = np.array([0.3, 0.1]), np.array([-0.5, 0.7])
    expected = poincare.geodesic_between(x, y, 0.5)
    np.testing.assert_allclose(einstein_midpoint([x, y], [1.0, 1.0]), expected, rtol=0, atol=1e-14)


@ALL
def test_a_centroid_is_the_mean_of_its_space(method):
    embedding = make_embedding(method, count=30)
    names, weights = ["n1", "n2", "n3", "n4"], [1.0, 0.0, 2.0, 0.5]
    points = embedding.points[1:5]
    is_ball = METHODS[method].is_hyperbolic
    expected = by_the_definition(points, weights) if is_ball else np.average(points, axis=0, weights=weights)
    expected = METHODS[method].project(expected[None], embedding.settings)[0]
    np.testing.assert_allclose(embedding.centroid(names, weights), expected, rtol=0, atol=1e-14)
    found = embedding.centroid(names[::-1], [1e300 * weight for weight in weights[::-1]])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)
    for one in (["n3"], "n3"):
        np.testing.assert_allclose(embedding.centroid(one), embedding["n3"], rtol=0, atol=1e-15)


@ALL
def test_a_centroid_is_in_the_domain_even_of_opposite_points(method):
    embedding = make_embedding(method, points=np.array([[0.5, 0.0], [-0.5, 0.0]]), names=["left", "right"])
    inner, outer = METHODS[method].shell(embedding.settings)
    centroid = embedding.centroid(["left", "right"])
    assert inner - 1e-12 <= np.linalg.norm(centroid) <= outer
    assert isinstance(embedding.ancestors_of_point(centroid), list)


@ALL
def test_the_point_of_a_node_has_the_ancestors_and_the_nearest_of_the_node_and_itself(method):
    embedding = make_embedding(method, count=30, settings=Settings(alpha=0.0))
    for name in embedding.names:
        found = embedding.ancestors_of_point(embedding[name])
        assert set(found) == {name, *embedding.ancestors(name)}
        generality = METHODS[method].generality(np.array([embedding[each] for each in found]))
        assert np.all(np.diff(generality) >= 0)
    (first, zero), *rest = nearest_to_point(embedding, embedding["n5"], 4)
    assert (first, zero) == (5, 0.0)
    assert [embedding.names[row] for row, _ in rest] == [name for name, _ in embedding.nearest("n5", 3)]
    assert nearest_to_point(embedding, embedding["n5"], 0) == []


@pytest.mark.parametrize(
    ("ask", "given", "message"),
    [
        ("centroid", (["n1", "n2"], [1.0]), "1 weights for 2 nodes"),
        ("centroid", (["n1", "n2"], [1.0, -1.0]), "must be finite, not negative, and not all 0"),
        ("centroid", (["n1", "n2"], [0.0, 0.0]), "not all 0"),
        ("centroid", (["n1", "n2"], [1.0, np.nan]), "must be finite"),
        ("centroid", (["n1", "n2"], ["much", "little"]), "the weights must be numbers"),
        ("centroid", ([],), "at least one node"),
        ("centroid", (["n1", "m1"],), "there is no node 'm1'"),
        ("ancestors_of_point", ([0.1],), r"2 numbers, but an array of shape \(1,\)"),
        ("ancestors_of_point", ([[0.1, 0.2]],), "shape"),
        ("ancestors_of_point", ([0.8, 0.8],), "has its points from"),
        ("ancestors_of_point", ([0.0, 0.0],), "has norm 0"),
        ("ancestors_of_point", ([np.nan, 0.5],), "has norm nan"),
        ("ancestors_of_point", ("somewhere",), "the point must be numbers"),
    ],
)
def test_invalid_names_weights_and_points_are_refused(ask, given, message):
    with pytest.raises(UnknownNameError if "no node" in message else InputError, match=message):
        getattr(make_embedding(), ask)(*given)
