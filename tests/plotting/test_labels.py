"""Names are placed without overlaps, inside the picture, and around the rim in order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.pictures import overlap

from hypercone.plotting.canvas import new_figure
from hypercone.plotting.labels import draw_labels, place_labels, spread
from hypercone.plotting.scene import draw_disk

BOUNDS = np.array([0.0, 0.0, 400.0, 300.0])


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.integers(0, 40))
def test_placed_labels_never_overlap_nor_leave_the_bounds(seed, count):
    random = np.random.default_rng(seed)
    anchors = random.uniform(0, 1, (count, 2)) * BOUNDS[2:]
    sizes = random.uniform((10, 8), (90, 14), (count, 2))
    placed = place_labels(anchors, sizes, anchors, BOUNDS)
    boxes = [np.concatenate([c - s / 2, c + s / 2]) for c, s in zip(placed, sizes, strict=True) if not np.isnan(c[0])]
    for row, box in enumerate(boxes):
        assert (box[:2] >= BOUNDS[:2]).all()
        assert (box[2:] <= BOUNDS[2:]).all()
        assert not any(overlap(box, other) for other in boxes[:row])


def test_a_label_covers_as_few_dots_as_possible():
    anchor = np.array([[200.0, 150.0]])
    crowd = np.array([[220.0, 150.0]] * 5)
    (center,) = place_labels(anchor, np.array([[60.0, 10.0]]), crowd, BOUNDS)
    assert center[0] < 200


def test_a_label_that_does_not_fit_is_nan_and_not_drawn():
    crowded = np.full((3, 2), 20.0)
    placed = place_labels(crowded, np.full((3, 2), 30.0), np.empty((0, 2)), np.array([0.0, 0.0, 70.0, 40.0]))
    assert np.isnan(placed).any()
    _, (axes,) = new_figure(0.5, 0.5)
    draw_disk(axes)
    assert draw_labels(axes, np.zeros((1, 2)), ["much too long for so small a picture"]) == []


@pytest.mark.parametrize("count", [0, 1, 25])
def test_names_on_real_axes_do_not_touch(count):
    figure, (axes,) = new_figure(5, 5)
    draw_disk(axes)
    points = 0.3 * np.random.default_rng(5).uniform(-1, 1, (count, 2))
    texts = draw_labels(axes, points, [f"name {row}" for row in range(count)], dots=points)
    assert len(texts) == count
    boxes = [text.get_window_extent(figure.canvas.get_renderer()).extents for text in texts]
    assert not any(overlap(a, b) for row, a in enumerate(boxes) for b in boxes[:row])
    if count == 25:
        assert axes.lines, "crowded names stand away from their dots, and a line leads to them"


lists_of_angles = st.lists(st.floats(-np.pi, np.pi), min_size=1, max_size=30).map(np.array)


@settings(deadline=None)
@given(lists_of_angles, st.floats(0.01, 1.0))
def test_angles_are_a_gap_apart_and_keep_their_order_around(given_angles, part):
    gap = part * 2 * np.pi / len(given_angles)
    placed = spread(given_angles, gap)
    around = np.sort(placed % (2 * np.pi))
    assert np.diff(around, append=around[0] + 2 * np.pi).min() > gap - 1e-9
    # One turn from the first in the old order passes all in that order.
    order = np.argsort(given_angles, kind="stable")
    steps = np.diff(placed[order], append=placed[order[0]]) % (2 * np.pi)
    assert steps.sum() == pytest.approx(2 * np.pi if len(order) > 1 else 0)


def test_angles_far_enough_apart_stay_also_across_the_cut():
    wide = np.array([3.0, -3.0, 0.2, 1.0])
    np.testing.assert_array_equal(spread(wide, 0.2), wide)


def test_a_crowd_across_the_cut_is_moved_to_both_sides_alike():
    crowd = np.array([np.pi - 0.01, -np.pi + 0.01])
    np.testing.assert_allclose(spread(crowd, 0.2), [np.pi - 0.1, -np.pi + 0.1])
