"""Charts show precision and recall as counted, norms as they are, and the history of a training."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.pictures import drawn

from hypercone.methods.scoring import count_at
from hypercone.plotting.canvas import DARK, LIGHT
from hypercone.plotting.charts import (
    MOST_POINTS,
    leaves_are_outermost,
    norms_picture,
    precision_recall,
    precision_recall_picture,
    short_count,
    training_picture,
)

scores = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=30).map(np.array)


@settings(deadline=None)
@given(scores, scores)
def test_every_point_of_the_curve_is_what_counting_gives_at_its_threshold(positives, negatives):
    curve = precision_recall(positives, negatives)
    assert curve.thresholds.tolist() == sorted({*positives.tolist(), *negatives.tolist()})
    for threshold, recall, precision in zip(curve.thresholds, curve.recall, curve.precision, strict=True):
        counts = count_at(threshold, positives, negatives)
        assert (counts.recall, counts.precision) == pytest.approx((recall, precision))
    assert curve.recall[-1] == 1


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_dot_is_the_threshold_and_the_figures_are_written(theme):
    random = np.random.default_rng(0)
    positives, negatives = random.normal(0, 1, 3000), random.normal(2, 1, 30_000)
    figure = precision_recall_picture(positives, negatives, 0.5, "the caption", theme)
    (axes,) = figure.axes
    counts = count_at(0.5, positives, negatives)
    (dot,) = drawn(axes, "threshold")
    assert np.ravel(dot.get_data()).tolist() == [counts.recall, counts.precision]
    (curve,) = drawn(axes, "curve")
    x, y = curve.get_data()
    assert len(x) <= MOST_POINTS
    assert np.hypot(x - counts.recall, y - counts.precision).min() < 2e-3
    (said,) = [text.get_text() for text in axes.texts if text.get_text().startswith("threshold")]
    assert said == (
        f"threshold 0.5\nprecision {100 * counts.precision:.1f} %\nrecall {100 * counts.recall:.1f} %"
        f"\nF1 {100 * counts.f1:.1f} %"
    )
    assert figure.texts[0].get_text() == "the caption"


def test_a_thinned_curve_stays_near_the_whole_one():
    random = np.random.default_rng(1)
    positives, negatives = random.exponential(1, 20_000), random.exponential(1, 20_000)
    figure = precision_recall_picture(positives, negatives, 1.0, "")
    shown = np.stack(drawn(figure.axes[0], "curve")[0].get_data(), axis=1)
    whole = precision_recall(positives, negatives)
    at = np.interp(np.linspace(0.05, 1, 200), shown[:, 0], shown[:, 1])
    assert np.abs(at - np.interp(np.linspace(0.05, 1, 200), whole.recall, whole.precision)).max() < 0.01


def test_norms_are_shown_as_hyperbolic_distances_with_their_medians():
    depths = np.repeat(np.arange(4, dtype=np.int32), [1, 10, 50, 200])
    norms = np.random.default_rng(0).uniform(0.2, 0.9, len(depths)) * (0.5 + depths / 8)
    figure = norms_picture(norms, depths, "", is_hyperbolic=True)
    medians = [np.ravel(dot.get_data()).tolist() for dot in drawn(figure.axes[0], "median")]
    expected = [[depth, np.median(2 * np.arctanh(norms[depths == depth]))] for depth in (1, 2, 3)]
    np.testing.assert_allclose(medians, expected)
    assert [text.get_text() for text in figure.axes[0].texts] == ["1", "10", "50", "200"]
    (right,) = figure.axes[0].child_axes
    labels = [label.get_text() for label in right.get_yticklabels()]
    assert labels[:2] == ["0.1", "0.5"]
    np.testing.assert_allclose(right.get_yticks(), [2 * np.arctanh(float(label)) for label in labels])


def test_nodes_set_apart_are_drawn_but_not_in_the_medians():
    depths, apart = np.repeat(np.arange(2, dtype=np.int32), 30), np.arange(60) % 3 > 0
    norms = np.where(apart, 9.0, np.linspace(1, 2, 60))
    figure = norms_picture(norms, depths, "", is_hyperbolic=False, apart=apart)
    medians = [np.ravel(dot.get_data()).tolist() for dot in drawn(figure.axes[0], "median")]
    expected = [[depth, np.median(norms[(depths == depth) & ~apart])] for depth in (0, 1)]
    np.testing.assert_allclose(medians, expected)
    shown = np.concatenate([dots.get_offsets() for dots in figure.axes[0].collections])
    assert sorted(shown[:, 1].tolist()) == sorted(norms.tolist())
    assert [text.get_text() for text in figure.axes[0].texts] == ["30", "30"]


@pytest.mark.parametrize(
    ("heights", "depths", "leaves", "expected"),
    [
        ([1, 3, 9, 10], [0, 1, 1, 2], [0, 0, 1, 1], True),
        ([1, 3, 9, 10], [0, 1, 2, 2], [0, 0, 1, 1], False),
        ([1, 3, 4, 10], [0, 1, 1, 2], [0, 0, 1, 1], False),
        ([1, 9.5, 9, 10], [0, 1, 1, 2], [0, 0, 1, 1], False),
        ([1, 2], [0, 0], [1, 1], False),
    ],
)
def test_leaves_are_outermost_if_all_of_them_lie_together_beyond_the_rest(heights, depths, leaves, expected):
    found = leaves_are_outermost(np.array(heights, float), np.array(depths, np.int32), np.array(leaves, bool))
    assert found is expected


def test_flat_norms_are_shown_as_they_are():
    figure = norms_picture(np.full(20, 7.0), np.zeros(20, np.int32), "", is_hyperbolic=False, theme=DARK)
    (dot,) = drawn(figure.axes[0], "median")
    assert np.ravel(dot.get_data()).tolist() == [0, 7]
    assert figure.axes[0].get_ylabel() == "norm"
    assert not figure.axes[0].child_axes


def test_a_deep_hierarchy_has_several_depths_in_a_column():
    depths = np.arange(100, dtype=np.int32)
    figure = norms_picture(np.linspace(0.1, 0.9, 100), depths, "", is_hyperbolic=False)
    assert figure.axes[0].get_xlabel() == "depth, 4 in a column"
    assert [text.get_text() for text in figure.axes[0].texts] == ["4"] * 25


def test_large_counts_are_short():
    assert [short_count(count) for count in (3, 9_999, 10_000, 14_831)] == ["3", "9,999", "10k", "15k"]


def test_a_training_shows_its_loss_its_validations_and_the_epoch_chosen():
    losses, validations = np.array([[1, 0.5], [10, 0.2]]), np.array([[5, 0.8], [10, 0.7]])
    figure = training_picture(losses, validations, 5, "")
    left, right = figure.axes
    (loss,), (validation,), (chosen,) = drawn(left, "loss"), drawn(right, "validation"), drawn(left, "chosen")
    np.testing.assert_array_equal(np.stack(loss.get_data(), axis=1), losses)
    np.testing.assert_allclose(np.stack(validation.get_data(), axis=1), [[5, 80], [10, 70]])
    assert chosen.get_xdata()[0] == 5
    assert len(training_picture(losses, np.empty((0, 2)), None, "").axes) == 1
