"""Why the corners of a cell bound it: how the angle at the apex changes as parent and child move."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

norms = st.floats(0.11, 0.999)

angles = st.floats(1e-3, 3.1)

steps = st.floats(1e-6, 0.5)


def cone_angle(parent, child, angle, curvature):
    """Ξ to 50 digits, from the norms and the angle between the rays."""
    with mpmath.workdps(50):
        parent, child, angle = map(mpmath.mpf, (parent, child, angle))
        along, across = child * mpmath.cos(angle) - parent, child * mpmath.sin(angle)
        q = 1 - curvature * parent**2
        return mpmath.atan2(q * across, q * along - curvature * parent * (along**2 + across**2))


@pytest.mark.parametrize("curvature", [0, 1])
@settings(max_examples=300, deadline=None)
@given(parent=norms, child=norms, angle=angles, step=steps)
def test_the_angle_falls_as_the_child_moves_outward(curvature, parent, child, angle, step):
    farther = child + step * (1 - child)
    assert cone_angle(parent, farther, angle, curvature) < cone_angle(parent, child, angle, curvature)


@pytest.mark.parametrize("curvature", [0, 1])
@settings(max_examples=300, deadline=None)
@given(parent=norms, child=norms, angle=angles, step=steps)
def test_the_angle_grows_as_the_parent_moves_outward(curvature, parent, child, angle, step):
    farther = parent + step * (1 - parent)
    assert cone_angle(farther, child, angle, curvature) > cone_angle(parent, child, angle, curvature)


@pytest.mark.parametrize("curvature", [0, 1])
@settings(max_examples=300, deadline=None)
@given(parent=norms, gap=st.floats(0, 1), angle=angles, step=steps)
def test_the_angle_grows_with_the_angle_between_rays_if_the_child_is_no_nearer_to_the_origin(
    curvature, parent, gap, angle, step
):
    child = parent + gap * (1 - parent)
    wider = angle + step * (np.pi - angle)
    assert cone_angle(parent, child, wider, curvature) > cone_angle(parent, child, angle, curvature)


@pytest.mark.parametrize("curvature", [0, 1])
@settings(max_examples=300, deadline=None)
@given(parent=norms, share=st.floats(0.01, 0.9999), angle=st.floats(0, 3.1415))
def test_a_child_nearer_to_the_origin_is_seen_at_more_than_a_right_angle(curvature, parent, share, angle):
    assert cone_angle(parent, parent * share, angle, curvature) > mpmath.pi / 2


@pytest.mark.parametrize("curvature", [0, 1])
def test_with_a_child_nearer_to_the_origin_the_angle_does_not_always_grow(curvature):
    # The reason for the case above: the corner would be wrong here.
    assert cone_angle(0.5, 0.3, 0.0, curvature) > cone_angle(0.5, 0.3, 0.5, curvature)
