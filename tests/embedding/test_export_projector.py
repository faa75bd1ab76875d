"""The two files of the Embedding Projector: as many lines as nodes, and a header only where it expects one."""

from __future__ import annotations

import os

import numpy as np
import pytest

from hypercone.embedding.export import metadata_file
from hypercone.errors import InputError, ResourceError
from hypercone.hierarchy.names import Labels


def _lines(path) -> list[str]:
    return path.read_bytes().decode("utf-8").split("\n")[:-1]


def test_vectors_have_no_names_and_every_digit(strange, tmp_path):
    path = strange.export(tmp_path / "points.tsv", "projector")
    assert sorted(os.listdir(tmp_path)) == ["points.metadata.tsv", "points.tsv"]
    assert np.loadtxt(path, delimiter="\t").tobytes() == strange.points.tobytes()


def test_names_alone_have_no_header(strange, tmp_path):
    strange.export(tmp_path / "points.tsv", "projector")
    assert _lines(tmp_path / "points.metadata.tsv") == list(strange.names)


def test_labels_have_a_header_and_a_node_without_one_shows_its_name(make_embedding, tmp_path):
    embedding = make_embedding(count=2, names=["HP:1", "HP:2"], labels=Labels(["Abnormal heart", ""]))
    embedding.export(tmp_path / "points.tsv", "projector")
    assert _lines(tmp_path / "points.metadata.tsv") == ["name\tlabel", "HP:1\tAbnormal heart", "HP:2\tHP:2"]


def test_depths_are_there_where_the_edges_are_known(fitted, tree, tmp_path):
    vectors = fitted.export(tmp_path / "tree.tsv", "projector", coordinates="klein")
    header, *rows = [line.split("\t") for line in _lines(tmp_path / "tree.metadata.tsv")]
    assert header == ["name", "depth"]
    assert len(rows) == len(_lines(vectors)) == len(tree)
    assert [int(depth) for _, depth in rows] == tree.depths.tolist()


@pytest.mark.parametrize(
    ("vectors", "metadata"),
    [("p.tsv", "p.metadata.tsv"), ("P.TSV", "P.metadata.tsv"), ("v.2", "v.2.metadata.tsv"), ("p", "p.metadata.tsv")],
)
def test_the_metadata_is_named_after_the_vectors(tmp_path, vectors, metadata):
    assert metadata_file(tmp_path / vectors) == tmp_path / metadata


def test_a_folder_in_the_place_of_the_second_file_is_refused_before_the_first_is_written(strange, tmp_path):
    (tmp_path / "p.metadata.tsv").mkdir()
    with pytest.raises(InputError, match=r"p\.metadata\.tsv: is a folder"):
        strange.export(tmp_path / "p.tsv", "projector")
    assert os.listdir(tmp_path) == ["p.metadata.tsv"]


def test_a_disk_that_is_full_at_the_second_file_keeps_both_old_ones(strange, tmp_path, monkeypatch):
    for name in ("p.tsv", "p.metadata.tsv"):
        (tmp_path / name).write_text("old")
    real, calls = os.fsync, []

    def full_at_the_second(handle):
        calls.append(handle)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", full_at_the_second)
    with pytest.raises(ResourceError, match="disk is full"):
        strange.export(tmp_path / "p.tsv", "projector")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"p.tsv": "old", "p.metadata.tsv": "old"}
