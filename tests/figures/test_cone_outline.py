"""What is filled is the cone: the drawn region and the formula agree on every point."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.transforms import Affine2D

from hypercone.errors import InputError
from hypercone.geometry import cones
from hypercone.plotting.arcs import cone_outline, draw_cone, region_path, unit_vectors
from hypercone.plotting.canvas import new_figure

angles = st.floats(0, 2 * np.pi)
SCALE = 1e4
apertures = st.sampled_from([0.02, 0.1, 0.4, 2.0])


def filled(outline, points):
    """Whether matplotlib fills the points, asked at a scale where its own rounding of curves is small."""
    path = region_path(outline)
    (polygon,) = path.transformed(Affine2D().scale(SCALE)).to_polygons()
    return type(path)(polygon).contains_points(SCALE * points)


@settings(deadline=None, max_examples=50)
@given(st.data(), apertures, angles)
def test_the_drawn_region_is_the_cone(data, K, heading):
    norm = data.draw(st.floats(cones.inner_radius(K), 0.97))
    apex = norm * unit_vectors(heading)
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    # Half of the points around the whole disk, half near the cone's own direction.
    spread = np.where(np.arange(160) < 80, np.pi, 0.3)
    asked = unit_vectors(heading + spread * random.uniform(-1, 1, 160)) * random.uniform(0, 0.999, (160, 1)) ** 0.3
    outline = cone_outline(apex, K)
    border = outline.at(np.linspace(0, 1, 1200)).reshape(-1, 2)
    in_doubt = np.array([np.linalg.norm(border - point, axis=1).min() < 2e-3 for point in asked])
    found = filled(outline, asked)
    np.testing.assert_array_equal(found[~in_doubt], cones.contains(apex, asked, K)[~in_doubt])


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
    with pytest.raises(
        InputError, match=r"^a cone with K = 0.1 needs an apex with a norm from 0.09902 to below 1, not"
    ):
        cone_outline([norm, 0.0], 0.1)


def test_a_cone_is_a_region_and_two_sides():
    _, (axes,) = new_figure(2, 2)
    draw_cone(axes, [0.3, 0.0], 0.1, "#0072b2")
    assert [patch.get_gid().split("-")[0] for patch in axes.patches] == ["cone", "sides"]
