"""Names that can be read: none on another, none over the edge, a line where one is far from its dot."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone.plotting.canvas import new_figure
from hypercone.plotting.labels import draw_labels, place_labels
from hypercone.plotting.scene import draw_disk

BOUNDS = np.array([0.0, 0.0, 400.0, 300.0])


def overlaps(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


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
        assert not any(overlaps(box, other) for other in boxes[:row])


def test_the_place_that_covers_fewer_dots_wins():
    anchor = np.array([[200.0, 150.0]])
    crowd = np.array([[220.0, 150.0]] * 5)
    (center,) = place_labels(anchor, np.array([[60.0, 10.0]]), crowd, BOUNDS)
    assert center[0] < 200


def test_a_label_without_room_is_nan_and_not_drawn():
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
    assert not any(overlaps(a, b) for row, a in enumerate(boxes) for b in boxes[:row])
    if count == 25:
        assert axes.lines, "crowded names stand away from their dots, and a line leads to them"
