"""Exports hold the same names and the same numbers, to the last digit."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hypercone.embedding.export import WRITERS, export
from hypercone.errors import InputError, ResourceError
from hypercone.hierarchy.names import Labels, is_usable

NAMES = st.lists(st.text(min_size=1, max_size=6).filter(is_usable), min_size=1, max_size=5, unique=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("exports")


def _lines(path) -> list[str]:
    text = path.read_bytes().decode("utf-8")
    assert text.endswith("\n")
    assert "\r" not in text
    return text.split("\n")[:-1]


@given(names=NAMES, data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_tsv_parses_back_to_the_same_names_and_floats(make_embedding, folder, names, data):
    points = data.draw(arrays(np.float64, (len(names), 2), elements=st.floats(-1e150, 1e150)))
    path = make_embedding("order", names=names, points=points).export(folder / "points.tsv")
    header, *rows = [line.split("\t") for line in _lines(path)]
    assert header == ["name", "x0", "x1"]
    assert [row[0] for row in rows] == names
    parsed = np.array([[float(cell) for cell in row[1:]] for row in rows])
    assert parsed.tobytes() == points.tobytes()


def test_an_npz_loads_without_pickle(strange, tmp_path):
    path = strange.export(tmp_path / "points.npz")
    with np.load(path, allow_pickle=False) as found:
        assert sorted(found) == ["names", "points"]
        assert tuple(found["names"].tolist()) == tuple(strange.names)
        assert found["points"].tobytes() == strange.points.tobytes()


def test_labels_stand_beside_the_names(make_embedding, tmp_path):
    embedding = make_embedding(count=2, names=["HP:1", "HP:2"], labels=Labels(["Abnormal heart", ""]))
    header, first, second = [line.split("\t") for line in _lines(embedding.export(tmp_path / "p.tsv"))]
    assert header == ["name", "label", "x0", "x1"]
    assert (first[:2], second[:2]) == (["HP:1", "Abnormal heart"], ["HP:2", ""])
    with np.load(embedding.export(tmp_path / "p.npz"), allow_pickle=False) as found:
        assert found["labels"].tolist() == ["Abnormal heart", ""]


# What a file of each format begins with.
FIRST = {"tsv": b"name\tx0\tx1\n", "npz": b"PK", "word2vec": b"12 2\n", "parquet": b"PAR1"}


@pytest.mark.parametrize(
    ("extension", "format"),
    [(".tsv", "tsv"), (".npz", "npz"), (".vec", "word2vec"), (".txt", "word2vec"), (".parquet", "parquet")],
)
def test_the_extension_says_the_format_and_the_format_wins(strange, tmp_path, extension, format):
    path = tmp_path / f"points{extension.upper()}"
    assert export(strange, path) == path
    assert path.read_bytes().startswith(FIRST[format])
    for other, start in FIRST.items():
        assert strange.export(str(path), other).read_bytes().startswith(start)
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("name", ["points.csv", "points", "points.tsv.gz"])
def test_an_unknown_extension_is_told_what_there_is(strange, tmp_path, name):
    with pytest.raises(
        InputError, match="say which format to write with format: tsv, npz, word2vec, parquet, projector"
    ):
        strange.export(tmp_path / name)
    with pytest.raises(InputError, match="say which format"):
        strange.export(tmp_path / "points.tsv", "xlsx")
    assert os.listdir(tmp_path) == []


def test_a_folder_in_the_way_is_refused(strange, tmp_path):
    (tmp_path / "points.tsv").mkdir()
    with pytest.raises(InputError, match="is a folder; give a file"):
        strange.export(tmp_path / "points.tsv")


def test_a_place_that_cannot_be_written_is_named(strange, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="cannot be written"):
        strange.export(tmp_path / "file" / "points.tsv")


@pytest.mark.parametrize("format", WRITERS)
def test_an_export_that_fails_leaves_the_old_file_and_nothing_else(strange, tmp_path, monkeypatch, format):
    (tmp_path / "points").write_text("old")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ResourceError, match="disk is full"):
        strange.export(tmp_path / "points", format)
    assert (tmp_path / "points").read_text() == "old"
    assert os.listdir(tmp_path) == ["points"]


def test_one_endless_name_does_not_make_an_npz_of_all_the_memory(make_embedding, tmp_path, monkeypatch):
    monkeypatch.setattr("hypercone.embedding.export.available_bytes", lambda: 1 << 20)
    names = ["x" * 30_000, *(f"n{i}" for i in range(11))]
    with pytest.raises(ResourceError, match="as wide as the longest, here of 30,000 letters, and 12 such names"):
        make_embedding(names=names).export(tmp_path / "points.npz")
    assert os.listdir(tmp_path) == []
    assert make_embedding(names=names).export(tmp_path / "points.tsv").exists()


@pytest.mark.parametrize("format", WRITERS)
def test_a_path_with_a_nul_is_refused_in_a_sentence(strange, tmp_path, format):
    with pytest.raises(InputError, match="there is a NUL character in it"):
        strange.export(tmp_path / "a\0b", format)
