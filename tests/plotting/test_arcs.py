"""Arcs are the geodesics and the cones that they claim to be, also after a Möbius translation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.pictures import filled

from hypercone.errors import InputError
from hypercone.geometry import cones, poincare
from hypercone.plotting.arcs import (
    TOLERANCE,
    Arcs,
    balanced_center,
    concatenate_arcs,
    cone_outline,
    cone_outline_from,
    control_points,
    geodesics,
    lines_path,
    region_path,
    rim,
    unit_vectors,
    view_from,
)

coordinates = st.floats(-0.7, 0.7, allow_subnormal=False)
points = st.tuples(coordinates, coordinates).map(np.array)
angles = st.floats(0, 2 * np.pi)
apertures = st.sampled_from([0.02, 0.1, 0.4, 2.0])


def inside(count, seed=0, power=0.5, largest=1.0):
    random = np.random.default_rng(seed)
    return unit_vectors(random.uniform(0, 2 * np.pi, count)) * random.uniform(0, largest, (count, 1)) ** power


@given(points, points, st.floats(0, 1))
def test_the_points_of_an_arc_are_those_of_the_geodesic(x, y, t):
    whole = poincare.distance(x, y)
    on_the_way = geodesics(x, y).at(t)[0, 0]
    # A point is on the geodesic if the distances to both endpoints add up to their distance.
    assert poincare.distance(x, on_the_way) + poincare.distance(on_the_way, y) == pytest.approx(float(whole), abs=1e-6)


@given(points, angles)
def test_an_arc_may_end_on_the_rim_and_be_reversed(x, angle):
    end = unit_vectors(angle)
    there, back = geodesics(x, end), geodesics(end, x)
    np.testing.assert_allclose(there.at([0.0, 0.5, 1.0]), back.at([1.0, 0.5, 0.0]), atol=1e-7)
    np.testing.assert_allclose(there.at(1.0)[0, 0], end, atol=1e-12)


def test_a_geodesic_through_the_origin_is_straight_and_equal_ends_stay_where_they_are():
    arc = geodesics([-0.6, -0.3], [0.4, 0.2])
    assert (arc.sweeps[0], arc.radii()[0], len(control_points(arc)[0])) == (0, np.inf, 4)
    arc = geodesics([0.3, 0.4], [0.3, 0.4])
    np.testing.assert_array_equal(arc.at([0.0, 0.7])[0], [[0.3, 0.4]] * 2)


@pytest.mark.parametrize("power", [0.5, 0.02])
def test_drawn_curves_stay_within_the_tolerance_of_the_circle(power):
    arcs = geodesics(inside(400, 1, power), inside(400, 2, power))
    arcs = concatenate_arcs(arcs[arcs.radii() < 1e3], rim([0.0, 1.0], [6.0, -2.0]))
    t = np.linspace(0, 1, 25)[:, None]
    for curve, center, radius in zip(control_points(arcs), arcs.centers(), arcs.radii(), strict=True):
        for a, b, c, d in zip(curve[:-1:3], curve[1::3], curve[2::3], curve[3::3], strict=True):
            drawn = (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d
            assert np.abs(np.linalg.norm(drawn - center, axis=1) - radius).max() < TOLERANCE


def test_many_arcs_are_one_path_none_an_empty_one_and_a_region_is_closed():
    arcs = geodesics(inside(10, 3), inside(10, 4))
    path = lines_path(arcs)
    assert (path.codes == path.MOVETO).sum() == 10
    triangle = geodesics([[0.5, 0.0], [0.0, 0.5], [-0.5, 0.0]], [[0.0, 0.5], [-0.5, 0.0], [0.5, 0.0]])
    region = region_path(triangle)
    assert region.codes[-1] == region.CLOSEPOLY
    assert region.contains_point((0.0, 0.2))
    assert not region.contains_point((0.0, -0.2))
    none = np.empty((0, 2))
    assert len(lines_path(Arcs(none, none, np.empty(0))).vertices) == 0


def assert_filled_as_the_cone(outline, points, expected, tolerance):
    """Except for points near the border, matplotlib fills exactly the expected ones."""
    border = outline.at(np.linspace(0, 1, 1200)).reshape(-1, 2)
    is_clear = np.array([np.linalg.norm(border - point, axis=1).min() >= tolerance for point in points])
    np.testing.assert_array_equal(filled(region_path(outline), points)[is_clear], expected[is_clear])


@settings(deadline=None, max_examples=50)
@given(st.data(), apertures, angles)
def test_the_drawn_region_is_the_cone_also_after_a_translation(data, K, heading):
    apex = data.draw(st.floats(cones.inner_radius(K), 0.97)) * unit_vectors(heading)
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    # Half of the points in the whole disk, half near the direction of the cone.
    spread = np.where(np.arange(160) < 80, np.pi, 0.3)
    points = unit_vectors(heading + spread * random.uniform(-1, 1, 160)) * random.uniform(0, 0.999, (160, 1)) ** 0.3
    inside = cones.contains(apex, points, K)
    assert_filled_as_the_cone(cone_outline(apex, K), points, inside, 2e-3)
    center = data.draw(st.floats(0, 0.9)) * unit_vectors(data.draw(angles))
    assert_filled_as_the_cone(cone_outline_from(center, apex, K), view_from(center, points), inside, 6e-3)


@given(apertures, angles, st.floats(0, 1))
def test_the_sides_leave_the_apex_at_the_half_aperture_and_lie_on_the_cone_s_border(K, heading, place):
    inner = cones.inner_radius(K)
    apex = (inner + (0.95 - inner) * place) * unit_vectors(heading)
    outline = cone_outline(apex, K)
    for side in (outline[:1], outline[2:]):
        along = side.at(np.linspace(0.1, 0.9, 9))[0]
        np.testing.assert_allclose(cones.signed_energy(apex, along, K), 0, atol=1e-6)


@pytest.mark.parametrize("norm", [0.0, 0.05, 1.0, 1.5])
def test_an_apex_without_a_cone_is_refused_with_the_range(norm):
    message = r"^a cone with K = 0.1 needs an apex with a norm from 0.09902 to below 1, not"
    with pytest.raises(InputError, match=message):
        cone_outline([norm, 0.0], 0.1)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.floats(0, 0.999), angles)
def test_a_translation_keeps_distances_and_puts_its_center_in_the_middle(seed, norm, heading):
    points, center = inside(12, seed, largest=0.99), norm * unit_vectors(heading)
    moved = view_from(center, points)
    assert (np.linalg.norm(moved, axis=1) < 1).all()
    np.testing.assert_allclose(view_from(center, center), 0, atol=1e-12)
    before, after = (poincare.distance(some[:, None], some[None]) for some in (points, moved))
    np.testing.assert_allclose(after, before, atol=1e-5)
    np.testing.assert_allclose(view_from(-center, moved), points, atol=1e-9)


@pytest.mark.parametrize("depth", [1e-2, 1e-4, 1e-5, 1e-9])
def test_the_arc_of_the_rim_turns_the_right_way_however_small_or_large_it_becomes(depth):
    apex, K = np.array([1 - depth, 0.0]), 0.1
    for center in ([-0.99, 0.0], [0.0, 0.99], [1 - depth, 0.0], [1 - depth / 10, 0.0]):
        outline = cone_outline_from(center, apex, K)
        assert 0 < outline.sweeps[1] < 2 * np.pi
        assert (np.abs(np.linalg.norm(outline.ends[:2], axis=1) - 1) < 1e-9).all()
    assert cone_outline_from([-0.9, 0.0], apex, K).sweeps[1] < K * depth**2
    if depth >= 1e-4:
        # Seen from far inside, a cone is nearly the whole disk.
        assert 6.2 < cone_outline_from([1 - 1e-3 * depth**2, 0.0], apex, K).sweeps[1] < 2 * np.pi


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32), st.integers(1, 60))
def test_from_the_balanced_center_the_mean_is_the_middle(seed, count):
    points = inside(count, seed, largest=0.9)
    mean = view_from(balanced_center(points), points).mean(axis=0)
    assert np.linalg.norm(mean) < 1e-5
