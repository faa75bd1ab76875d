"""Seen from elsewhere only the place changes: distances stay, and a cone's image holds what the cone held."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.transforms import Affine2D

from hypercone.geometry import cones, poincare
from hypercone.plotting.arcs import (
    balanced_center,
    cone_outline,
    cone_outline_from,
    region_path,
    unit_vectors,
    view_from,
)

angles = st.floats(0, 2 * np.pi)
SCALE = 1e4


def in_disk(random, count, outermost=0.99):
    return unit_vectors(random.uniform(0, 2 * np.pi, count)) * random.uniform(0, outermost, (count, 1)) ** 0.5


def filled(outline, points):
    """Whether matplotlib fills the points, asked at a scale where its own rounding of curves is small."""
    path = region_path(outline)
    (polygon,) = path.transformed(Affine2D().scale(SCALE)).to_polygons()
    return type(path)(polygon).contains_points(SCALE * points)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.floats(0, 0.999), angles)
def test_a_translation_keeps_distances_and_puts_its_center_in_the_middle(seed, norm, heading):
    points, center = in_disk(np.random.default_rng(seed), 12), norm * unit_vectors(heading)
    moved = view_from(center, points)
    assert (np.linalg.norm(moved, axis=1) < 1).all()
    np.testing.assert_allclose(view_from(center, center), 0, atol=1e-12)
    before, after = (poincare.distance(some[:, None], some[None]) for some in (points, moved))
    np.testing.assert_allclose(after, before, atol=1e-5)
    np.testing.assert_allclose(view_from(-center, moved), points, atol=1e-9)


@settings(deadline=None, max_examples=30)
@given(st.data(), st.sampled_from([0.02, 0.1, 0.4, 2.0]), angles)
def test_the_image_of_a_cone_holds_exactly_the_images_of_its_points(data, K, heading):
    apex = data.draw(st.floats(cones.inner_radius(K), 0.95)) * unit_vectors(heading)
    center = data.draw(st.floats(0, 0.9)) * unit_vectors(data.draw(angles))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    # Half of the points anywhere, half near the cone's own direction.
    spread = np.where(np.arange(160) < 80, np.pi, 0.3)
    asked = unit_vectors(heading + spread * random.uniform(-1, 1, 160)) * random.uniform(0, 0.999, (160, 1)) ** 0.3
    moved, outline = view_from(center, asked), cone_outline_from(center, apex, K)
    border = outline.at(np.linspace(0, 1, 800)).reshape(-1, 2)
    in_doubt = np.array([np.linalg.norm(border - point, axis=1).min() < 6e-3 for point in moved])
    found = filled(outline, moved)
    np.testing.assert_array_equal(found[~in_doubt], (cones.energy(apex, asked, K) <= 0)[~in_doubt])


def test_the_cone_that_a_moved_apex_would_have_by_itself_is_another():
    apex, center, K = np.array([0.5, 0.2]), np.array([0.2, 0.7]), 0.4
    image, wrong = cone_outline_from(center, apex, K), cone_outline(view_from(center, apex), K)
    assert np.abs(image.ends[0] - wrong.ends[0]).max() > 0.05


def test_from_the_origin_a_cone_is_what_it_was():
    here, there = cone_outline([0.3, 0.4], 0.4), cone_outline_from([0.0, 0.0], [0.3, 0.4], 0.4)
    for name in ("starts", "ends", "sweeps"):
        np.testing.assert_allclose(getattr(there, name), getattr(here, name), atol=1e-12)


@pytest.mark.parametrize("depth", [1e-2, 1e-5, 1e-9])
def test_the_arc_of_the_rim_turns_the_right_way_however_small_or_large_it_becomes(depth):
    apex, K = np.array([1 - depth, 0.0]), 0.1
    for center in ([-0.99, 0.0], [0.0, 0.99], [1 - depth, 0.0], [1 - depth / 10, 0.0]):
        outline = cone_outline_from(center, apex, K)
        assert 0 < outline.sweeps[1] < 2 * np.pi
        assert (np.abs(np.linalg.norm(outline.ends[:2], axis=1) - 1) < 1e-9).all()
    assert cone_outline_from([-0.9, 0.0], apex, K).sweeps[1] < K * depth**2


def test_from_far_inside_a_cone_is_nearly_everything():
    for depth in (1e-2, 1e-4):
        outline = cone_outline_from([1 - 1e-3 * depth**2, 0.0], [1 - depth, 0.0], 0.1)
        assert 6.2 < outline.sweeps[1] < 2 * np.pi


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32), st.integers(1, 60))
def test_from_the_balanced_center_the_mean_is_the_middle(seed, count):
    points = in_disk(np.random.default_rng(seed), count, 0.9)
    mean = view_from(balanced_center(points), points).mean(axis=0)
    assert np.linalg.norm(mean) < 1e-5
