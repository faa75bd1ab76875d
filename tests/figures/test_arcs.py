"""Geodesics as arcs: orthogonal to the rim, through the points that geometry says, and drawn as they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypercone.geometry import poincare
from hypercone.plotting.arcs import (
    TOLERANCE,
    Arcs,
    concatenate_arcs,
    control_points,
    geodesics,
    lines_path,
    region_path,
    rim,
    unit_vectors,
)

coordinates = st.floats(-0.7, 0.7, allow_subnormal=False)
points = st.tuples(coordinates, coordinates).map(np.array)
angles = st.floats(0, 2 * np.pi)


def inside(count, seed=0, power=0.5):
    random = np.random.default_rng(seed)
    return unit_vectors(random.uniform(0, 2 * np.pi, count)) * random.uniform(0, 1, (count, 1)) ** power


@given(points, points)
def test_a_geodesic_meets_the_rim_at_a_right_angle(x, y):
    arc = geodesics(x, y)
    radius = arc.radii()[0]
    # A center far away, or one known from ends that are nearly the same point, has no digits left to compare.
    if not radius < 1e4 or np.linalg.norm(x - y) < 1e-6:
        return
    # Two circles are orthogonal when the square of the distance of their centers is the sum of their squared radii.
    assert np.sum(arc.centers()[0] ** 2) == pytest.approx(1 + radius**2, rel=1e-6)


@given(points, points, st.floats(0, 1))
def test_the_points_of_an_arc_are_those_of_the_geodesic(x, y, t):
    whole = poincare.distance(x, y)
    on_the_way = geodesics(x, y).at(t)[0, 0]
    # On the geodesic exactly when the way through the point is no longer.
    assert poincare.distance(x, on_the_way) + poincare.distance(on_the_way, y) == pytest.approx(float(whole), abs=1e-6)


@given(points, angles)
def test_an_arc_may_end_on_the_rim_and_be_walked_backwards(x, angle):
    end = unit_vectors(angle)
    there, back = geodesics(x, end), geodesics(end, x)
    np.testing.assert_allclose(there.at([0.0, 0.5, 1.0]), back.at([1.0, 0.5, 0.0]), atol=1e-7)
    np.testing.assert_allclose(there.at(1.0)[0, 0], end, atol=1e-12)


def test_a_geodesic_through_the_origin_is_straight():
    arc = geodesics([-0.6, -0.3], [0.4, 0.2])
    assert arc.sweeps[0] == 0
    assert np.isinf(arc.radii()[0])
    assert len(control_points(arc)[0]) == 4


def test_equal_ends_stay_where_they_are():
    arc = geodesics([0.3, 0.4], [0.3, 0.4])
    np.testing.assert_array_equal(arc.at([0.0, 0.7])[0], [[0.3, 0.4]] * 2)


@pytest.mark.parametrize("power", [0.5, 0.02])
def test_drawn_curves_stay_within_the_tolerance_of_the_circle(power):
    arcs = geodesics(inside(400, 1, power), inside(400, 2, power))
    kept = arcs.radii() < 1e3
    arcs = concatenate_arcs(arcs[kept], rim([0.0, 1.0], [6.0, -2.0]))
    t = np.linspace(0, 1, 25)[:, None]
    for curve, center, radius in zip(control_points(arcs), arcs.centers(), arcs.radii(), strict=True):
        for a, b, c, d in zip(curve[:-1:3], curve[1::3], curve[2::3], curve[3::3], strict=True):
            drawn = (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d
            assert np.abs(np.linalg.norm(drawn - center, axis=1) - radius).max() < TOLERANCE


def test_many_arcs_are_one_path_and_a_region_is_closed():
    arcs = geodesics(inside(10, 3), inside(10, 4))
    path = lines_path(arcs)
    assert (path.codes == path.MOVETO).sum() == 10
    triangle = geodesics([[0.5, 0.0], [0.0, 0.5], [-0.5, 0.0]], [[0.0, 0.5], [-0.5, 0.0], [0.5, 0.0]])
    region = region_path(triangle)
    assert region.codes[-1] == region.CLOSEPOLY
    assert region.contains_point((0.0, 0.2))
    assert not region.contains_point((0.0, -0.2))


def test_no_arcs_are_an_empty_path():
    none = np.empty((0, 2))
    assert len(lines_path(Arcs(none, none, np.empty(0))).vertices) == 0
