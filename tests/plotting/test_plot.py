"""Embedding.plot returns a figure, writes a file if asked, and charts show what was counted, measured or recorded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.embeddings import all_files, make_embedding
from tests.support.pictures import drawn

import hypercone
from hypercone.embedding import load
from hypercone.errors import InputError
from hypercone.evaluation import link_prediction
from hypercone.hierarchy import LabeledPairs
from hypercone.methods import METHODS
from hypercone.methods.scoring import count_at
from hypercone.plotting.canvas import DARK, LIGHT
from hypercone.plotting.charts import (
    MOST_POINTS,
    leaves_are_outermost,
    norms_picture,
    precision_recall,
    precision_recall_picture,
    short_count,
)
from hypercone.plotting.plot import KINDS


def artists(figure, what):
    return drawn(figure.axes[0], what)


def caption_of(figure):
    return figure.texts[0].get_text()


@pytest.fixture(scope="module")
def tree():
    return hypercone.load_dataset("tree-2-3")


@pytest.fixture(scope="module")
def fitted(tree):
    return hypercone.fit(tree, dim=2)


@pytest.fixture(scope="module")
def trained(tree):
    return hypercone.fit(tree, split=tree.split(50), dim=5, epochs=40, init_epochs=20)


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("has_edges", [False, True])
def test_every_method_has_a_disk_with_or_without_edges(tree, method, has_edges):
    given = {"names": tree.names, "count": len(tree), "edges": tree.edges if has_edges else None}
    figure = make_embedding(method, dim=4, **given).plot()
    assert caption_of(figure).startswith("View: ")
    assert bool(artists(figure, "cone")) == bool(artists(figure, "geodesics")) == has_edges
    assert artists(figure, "nodes")


def test_a_disk_of_two_dimensions_shows_the_points_themselves_and_writes_nothing(fitted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    figure = fitted.plot(moved=False)
    assert not list(tmp_path.iterdir())
    assert caption_of(figure) == "The model's own points in the Poincaré disk."
    (dots,) = artists(figure, "nodes")
    shown = np.asarray(dots.get_offsets())
    assert all(np.abs(fitted.points - spot).max(axis=1).min() == 0 for spot in shown)


def test_cones_and_the_center_are_given_by_name_or_label():
    embedding = make_embedding(
        count=3,
        names=["a", "b", "c"],
        labels=hypercone.Hierarchy(["a", "b", "c"], [[0, 1]], labels=["animal", "bird", "cat"]).labels,
        edges=np.array([[0, 1]], np.int32),
    )
    figure = embedding.plot(cones="bird", center="c")
    said = "Shaded: the cone of bird. It is where the energy is 0; the model's threshold is 0.1. Seen from cat"
    assert said in caption_of(figure)
    assert len(artists(figure, "cone")) == 1
    assert len(embedding.plot(cones=["a", "b"]).axes[0].patches) > len(embedding.plot(cones=[]).axes[0].patches)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("ending", "start"), [(".pdf", b"%PDF"), (".png", b"\x89PNG"), (".svg", b"<?xml")])
def test_every_kind_is_written_in_every_format_and_reproducibly(trained, tmp_path, kind, ending, start):
    for name in ("a", "b"):
        assert trained.plot(kind, tmp_path / f"{name}{ending}").axes
    one, other = all_files(tmp_path).values()
    assert one == other
    assert one.startswith(start)
    assert len(one) > 2_000


def test_training_curves_are_those_of_the_record_after_loading_too(trained, tmp_path):
    history = trained.record["history"]
    assert [epoch for epoch, _ in history["loss"]] == list(range(41))
    assert [epoch for epoch, _ in history["validation_f1"]] == [20, 40]
    left, right = load(trained.save(tmp_path / "model")).plot("training").axes
    (loss,), (validation,), (chosen,) = drawn(left, "loss"), drawn(right, "validation"), drawn(left, "chosen")
    np.testing.assert_array_equal(np.stack(loss.get_data(), axis=1), history["loss"])
    percent = np.array(history["validation_f1"]) * [1, 100]
    np.testing.assert_allclose(np.stack(validation.get_data(), axis=1), percent)
    assert chosen.get_xdata()[0] == trained.record["epoch"]
    assert len(make_embedding(record={"history": {"loss": history["loss"]}}).plot("training").axes) == 1


@pytest.mark.parametrize("history", ["x", 3, {"loss": "x"}, {"loss": [[1]]}, {"loss": [[1, None]]}, {"loss": {"a": 1}}])
def test_a_record_without_a_usable_history_is_refused(history):
    with pytest.raises(InputError, match=r"this model has no record|the record of this model has a loss that is no"):
        make_embedding(record={"history": history}).plot("training")


def test_the_precision_recall_curve_marks_the_result_of_link_prediction(trained, tree):
    split = tree.split(20, holdout=0.4)
    figure, judged = trained.plot("precision-recall", pairs=split.test), link_prediction(trained, split.test)
    (dot,) = artists(figure, "threshold")
    assert np.ravel(dot.get_data()).tolist() == [judged.recall, judged.precision]
    assert f"{judged.positives} true held-out pairs and {judged.negatives} negative pairs" in caption_of(figure)


def test_without_pairs_the_curve_uses_the_closure_and_ten_negative_pairs_each(fitted, tree):
    figure = fitted.plot("precision-recall")
    assert caption_of(figure).startswith(f"{len(tree.closure())} true pairs of the closure")
    (dot,) = artists(figure, "threshold")
    assert np.ravel(dot.get_data()).tolist() == [1, 1], "a tree is constructed exactly"


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("globe", {}, "there is no picture 'globe'; use disk, training, precision-recall or norms"),
        ("disk", {"cones": ["unicorn"]}, "there is no node 'unicorn'"),
        ("disk", {"center": "unicorn"}, "there is no node 'unicorn'"),
        ("disk", {"labels": -1}, "labels is -1, but must be from 0 to 500"),
        ("disk", {"labels": 501}, "labels is 501, but must be from 0 to 500"),
        ("disk", {"color": "mood"}, "there is no color by 'mood'; use branch or depth"),
        ("disk", {"view": "construction"}, "does not know its edges"),
        ("disk", {"theme": "sepia"}, "there is no theme 'sepia'; use light or dark"),
        ("disk", {"pairs": None}, "pairs is not an option of the picture disk; leave it out"),
        ("norms", {"cones": []}, "cones is not an option of the picture norms; leave it out"),
        ("norms", {}, "does not know its edges, and so not how deep"),
        ("precision-recall", {}, "does not know its edges; evaluate it on those of a split, with pairs"),
        (
            "precision-recall",
            {"pairs": LabeledPairs(np.empty((0, 2), np.int32), np.empty((0, 2), np.int32))},
            "there are no true pairs",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_sentence(kind, options, words):
    with pytest.raises(InputError, match=words):
        make_embedding().plot(kind, **options)


def test_an_empty_or_constructed_model_and_a_folder_are_refused(fitted, tmp_path):
    with pytest.raises(InputError, match="nothing to draw"):
        make_embedding(names=[], points=np.empty((0, 2))).plot()
    with pytest.raises(InputError, match=r"^this model was constructed, not trained, so there are no training curves"):
        fitted.plot("training")
    with pytest.raises(InputError, match="is a folder; give a file to write"):
        fitted.plot(path=tmp_path)


def test_leaves_at_the_boundary_are_mentioned_and_not_part_of_the_medians():
    pairs = [*(("root", f"child {i}") for i in range(20)), *((f"child {i}", f"grandchild {i}") for i in range(8))]
    tree = hypercone.Hierarchy.from_pairs(pairs)
    is_leaf = tree.child_lists.counts == 0
    points = np.zeros((len(tree), 3))
    points[:, 0] = np.where(is_leaf, 0.9999, 0.1 + 0.1 * tree.depths)
    figure = make_embedding(names=tree.names, points=points, edges=tree.edges).plot("norms")
    assert "; the 20 without children are all furthest out." in caption_of(figure)
    (median,) = artists(figure, "median")
    np.testing.assert_allclose(np.ravel(median.get_data()), [1, 2 * np.arctanh(0.2)])
    assert sum(len(dots.get_offsets()) for dots in figure.axes[0].collections) == len(tree)
    assert [text.get_text() for text in figure.axes[0].texts] == ["1", "20", "8"]
    points[:, 0] = 0.1 + 0.1 * tree.depths
    figure = make_embedding(names=tree.names, points=points, edges=tree.edges).plot("norms")
    assert "Per depth: the median" in caption_of(figure)
    assert len(artists(figure, "median")) == 2


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
def test_the_dot_is_the_threshold_and_the_thinned_curve_stays_near_the_whole_one(theme):
    random = np.random.default_rng(1)
    positives, negatives = random.exponential(1, 20_000), random.exponential(1, 20_000)
    figure = precision_recall_picture(positives, negatives, 0.5, "the caption", theme)
    counts = count_at(0.5, positives, negatives)
    (dot,), (curve,) = artists(figure, "threshold"), artists(figure, "curve")
    assert np.ravel(dot.get_data()).tolist() == [counts.recall, counts.precision]
    x, y = curve.get_data()
    assert len(x) <= MOST_POINTS
    assert np.hypot(x - counts.recall, y - counts.precision).min() < 2e-3
    whole, at = precision_recall(positives, negatives), np.linspace(0.05, 1, 200)
    assert np.abs(np.interp(at, x, y) - np.interp(at, whole.recall, whole.precision)).max() < 0.01
    (said,) = [text.get_text() for text in figure.axes[0].texts if text.get_text().startswith("threshold")]
    assert said == (
        f"threshold 0.5\nprecision {100 * counts.precision:.1f} %\nrecall {100 * counts.recall:.1f} %"
        f"\nF1 {100 * counts.f1:.1f} %"
    )
    assert caption_of(figure) == "the caption"


def test_norms_are_shown_as_hyperbolic_distances_with_their_medians():
    depths = np.repeat(np.arange(4, dtype=np.int32), [1, 10, 50, 200])
    norms = np.random.default_rng(0).uniform(0.2, 0.9, len(depths)) * (0.5 + depths / 8)
    figure = norms_picture(norms, depths, "", is_hyperbolic=True)
    medians = [np.ravel(dot.get_data()).tolist() for dot in artists(figure, "median")]
    expected = [[depth, np.median(2 * np.arctanh(norms[depths == depth]))] for depth in (1, 2, 3)]
    np.testing.assert_allclose(medians, expected)
    assert [text.get_text() for text in figure.axes[0].texts] == ["1", "10", "50", "200"]
    (right,) = figure.axes[0].child_axes
    labels = [label.get_text() for label in right.get_yticklabels()]
    assert labels[:2] == ["0.1", "0.5"]
    np.testing.assert_allclose(right.get_yticks(), [2 * np.arctanh(float(label)) for label in labels])


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


def test_flat_norms_are_shown_as_they_are_and_deep_hierarchies_with_several_depths_in_a_column():
    figure = norms_picture(np.full(20, 7.0), np.zeros(20, np.int32), "", is_hyperbolic=False, theme=DARK)
    (dot,) = artists(figure, "median")
    assert np.ravel(dot.get_data()).tolist() == [0, 7]
    assert figure.axes[0].get_ylabel() == "norm"
    assert not figure.axes[0].child_axes
    depths = np.arange(100, dtype=np.int32)
    figure = norms_picture(np.linspace(0.1, 0.9, 100), depths, "", is_hyperbolic=False)
    assert figure.axes[0].get_xlabel() == "depth, 4 in a column"
    assert [text.get_text() for text in figure.axes[0].texts] == ["4"] * 25
    assert [short_count(count) for count in (3, 9_999, 10_000, 14_831)] == ["3", "9,999", "10k", "15k"]
