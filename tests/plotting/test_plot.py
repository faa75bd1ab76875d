"""Embedding.plot returns a figure, writes a file if asked, and refuses in one sentence what cannot be drawn."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.embeddings import make_embedding

import hypercone
from hypercone.embedding import load
from hypercone.errors import InputError
from hypercone.evaluation import link_prediction
from hypercone.hierarchy import LabeledPairs
from hypercone.methods import METHODS
from hypercone.plotting.plot import KINDS


def artists(figure, what):
    return [thing for thing in figure.axes[0].get_children() if (thing.get_gid() or "").startswith(what)]


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


def test_a_disk_of_two_dimensions_shows_the_points_themselves(fitted):
    figure = fitted.plot(moved=False)
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
@pytest.mark.parametrize("ending", [".pdf", ".png", ".svg"])
def test_every_kind_is_written_in_every_format_and_reproducibly(trained, tmp_path, kind, ending):
    for name in ("a", "b"):
        figure = trained.plot(kind, tmp_path / f"{name}{ending}")
    assert figure.axes
    one, other = ((tmp_path / f"{name}{ending}").read_bytes() for name in ("a", "b"))
    assert one == other
    assert len(one) > 2_000


def test_without_a_path_nothing_is_written(fitted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fitted.plot()
    assert not list(tmp_path.iterdir())


def test_training_curves_are_those_of_the_record_after_loading_too(trained, tmp_path):
    history = trained.record["history"]
    assert [epoch for epoch, _ in history["loss"]] == list(range(41))
    assert [epoch for epoch, _ in history["validation_f1"]] == [20, 40]
    figure = load(trained.save(tmp_path / "model")).plot("training")
    (loss,) = artists(figure, "loss")
    np.testing.assert_array_equal(np.stack(loss.get_data(), axis=1), history["loss"])


def test_a_constructed_model_has_no_training_curves(fitted):
    with pytest.raises(InputError, match=r"^this model was constructed, not trained, so there are no training curves"):
        fitted.plot("training")


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
        ("disk", {"labels": -1}, "labels is -1"),
        ("disk", {"view": "construction"}, "does not know its edges"),
        ("disk", {"theme": "sepia"}, "there is no theme 'sepia'"),
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
    points[:, 0] = 0.1 + 0.1 * tree.depths
    figure = make_embedding(names=tree.names, points=points, edges=tree.edges).plot("norms")
    assert "Per depth: the median" in caption_of(figure)
    assert len(artists(figure, "median")) == 2


def test_an_empty_model_cannot_be_drawn():
    with pytest.raises(InputError, match="nothing to draw"):
        make_embedding(names=[], points=np.empty((0, 2))).plot()


def test_a_folder_is_not_overwritten(fitted, tmp_path):
    with pytest.raises(InputError, match="is a folder; give a file to write"):
        fitted.plot(path=tmp_path)
