"""Names around the rim: each near its own place, in order, and apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone.plotting.labels import spread

angles = st.lists(st.floats(-np.pi, np.pi), min_size=1, max_size=30).map(np.array)


@settings(deadline=None)
@given(angles, st.floats(0.01, 1.0))
def test_angles_are_a_gap_apart_and_keep_their_order_around(given_angles, part):
    gap = part * 2 * np.pi / len(given_angles)
    placed = spread(given_angles, gap)
    around = np.sort(placed % (2 * np.pi))
    assert np.diff(around, append=around[0] + 2 * np.pi).min() > gap - 1e-9
    # One turn from the first in the old order passes all in that order.
    order = np.argsort(given_angles, kind="stable")
    steps = np.diff(placed[order], append=placed[order[0]]) % (2 * np.pi)
    assert steps.sum() == pytest.approx(2 * np.pi if len(order) > 1 else 0)


def test_angles_with_room_stay_where_they_are_also_across_the_cut():
    wide = np.array([3.0, -3.0, 0.2, 1.0])
    np.testing.assert_array_equal(spread(wide, 0.2), wide)


def test_a_crowd_across_the_cut_is_moved_to_both_sides_alike():
    crowd = np.array([np.pi - 0.01, -np.pi + 0.01])
    np.testing.assert_allclose(spread(crowd, 0.2), [np.pi - 0.1, -np.pi + 0.1])
