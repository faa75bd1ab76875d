"""Labels and edges in a model folder: they come back as they were, and damage to them is seen."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from safetensors.numpy import save as safetensors_bytes

import hypercone
from hypercone.embedding import load
from hypercone.errors import InputError, ModelFileError
from hypercone.hierarchy.names import Labels


@pytest.fixture
def labelled(make):
    labels = Labels([f"label {i} Löwe" if i % 3 else "" for i in range(12)])
    return make(labels=labels, edges=np.array([[0, 1], [0, 2]], np.int32))


@pytest.fixture
def make():
    from hypercone.embedding import Embedding
    from hypercone.methods import METHODS, Settings

    def build(**changes):
        points = METHODS["hyperbolic-cones"].project(np.random.default_rng(0).normal(size=(12, 2)), Settings())
        names = [f"n{i}" for i in range(12)]
        return Embedding(names, points, "hyperbolic-cones", Settings(), 0.1, **changes)

    return build


def test_labels_and_edges_come_back(labelled, tmp_path):
    again = load(labelled.save(tmp_path / "model"))
    assert again.labels == labelled.labels
    assert again.edges.tolist() == [[0, 1], [0, 2]]
    assert again.row("label 4 löwe") == 4
    assert again.hierarchy.labels == labelled.labels
    assert again.called(0) == "n0"
    assert again.called(1) == "label 1 Löwe"


def test_an_embedding_keeps_its_points_and_leaves_the_callers_array_alone(make):
    from hypercone.embedding import Embedding

    given = np.array(0.9 * make().points, np.float32)
    embedding = Embedding(make().names, given, "hyperbolic-cones", make().settings, 0.1)
    assert embedding.points.dtype == np.float64
    given[0] = 0.5
    with pytest.raises(ValueError, match="read-only"):
        embedding.points[0] = 0.5
    assert Embedding(["a"], [[0.5, 0.0]], "hyperbolic-cones", make().settings, 0.1).dim == 2


def test_a_model_without_them_has_none(make, tmp_path):
    again = load(make().save(tmp_path / "model"))
    assert again.labels is None
    assert again.edges is None
    assert again.hierarchy is None
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == [
        "README.md",
        "config.json",
        "model.safetensors",
        "nodes.txt.gz",
    ]


def test_a_model_with_labels_is_replaced_by_one_without_and_leaves_nothing_behind(labelled, make, tmp_path):
    labelled.save(tmp_path / "model")
    make().save(tmp_path / "model")
    assert load(tmp_path / "model").labels is None


@pytest.mark.parametrize("part", ["labels.txt.gz", "edges.safetensors"])
@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"x")])
def test_damage_to_either_is_refused(labelled, tmp_path, part, damage):
    damage(labelled.save(tmp_path / "model") / part)
    with pytest.raises(ModelFileError, match=part):
        load(tmp_path / "model")


@pytest.mark.parametrize("edge", [[0, 12], [-1, 0]])
def test_an_edge_beyond_the_last_node_is_refused_when_it_is_given_and_when_loading(
    labelled, tmp_path, forge, is_refused, edge
):
    wrong = np.array([edge], np.int32)
    with pytest.raises(InputError, match="an edge names a row outside 0 … 11; give rows of its points"):
        dataclasses.replace(labelled, edges=wrong)
    labelled.save(tmp_path / "model")
    forge(tmp_path / "model", {"edges.safetensors": safetensors_bytes({"edges": wrong})}, edges=1)
    assert is_refused(tmp_path / "model", "outside 0 … 11")


def test_a_fit_keeps_the_labels_and_the_edges_of_its_hierarchy():
    tree = hypercone.Hierarchy(["a", "b", "c"], [[0, 1], [1, 2]], ["A", "B", "C"])
    embedding = hypercone.fit(tree, method="hyperbolic-cones", dim=2, epochs=2, init_epochs=2)
    assert embedding.hierarchy == tree
    assert embedding.row("B") == 1
