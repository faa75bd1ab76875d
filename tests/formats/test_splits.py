"""A split on disk is the split in memory, and anything else is refused; pairs of names become rows."""

import json
import os

import numpy as np
import pytest
from tests.support.errors import raises_exactly
from tests.support.formats import arrays_of
from tests.support.hierarchies import chain_of_edges

from hypercone.errors import InputError, ResourceError
from hypercone.formats import read, read_pairs, read_split, write_split
from hypercone.hierarchy import Hierarchy


@pytest.fixture
def chain():
    return chain_of_edges(20)


@pytest.fixture
def folder(chain, tmp_path):
    write_split(chain.split(25, seed=4), chain, tmp_path / "deep" / "split")
    return tmp_path / "deep" / "split"


def test_a_split_is_read_back_as_it_was_written(chain, folder):
    split, again = chain.split(25, seed=4), read_split(folder, chain)
    assert (again.percent, again.seed) == (25, 4)
    for found, expected in zip(arrays_of(again), arrays_of(split), strict=True):
        assert np.array_equal(found, expected)


def test_the_folder_holds_names_under_a_header_and_a_summary(chain, folder):
    parts = {"train", "validation", "validation_negatives", "test", "test_negatives"}
    assert {path.name for path in folder.iterdir()} == {"split.json", *(f"{part}.tsv" for part in parts)}
    assert (folder / "train.tsv").read_text().splitlines()[:2] == ["parent\tchild", "n0\tn1"]
    assert read(folder / "train.tsv").names[:2] == ("n0", "n1")
    summary = json.loads((folder / "split.json").read_text())
    assert (summary["hierarchy"], summary["percent"]) == (chain.digest, 25)
    assert summary["counts"]["validation"] == 10


def test_a_split_without_held_out_pairs_and_one_with_numbers_of_numpy_are_written_and_read(chain, tmp_path):
    star = Hierarchy.from_pairs([("a", "b"), ("a", "c")])
    write_split(star.split(0), star, tmp_path)
    assert read_split(tmp_path, star).test.negatives.shape == (0, 2)
    write_split(chain.split(np.int64(10), seed=np.int32(1)), chain, tmp_path)
    assert (read_split(tmp_path, chain).percent, read_split(tmp_path, chain).seed) == (10, 1)


def test_where_a_split_cannot_be_written_nothing_is_left_behind(chain, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file/train\.tsv: cannot be written"):
        write_split(chain.split(0), chain, tmp_path / "file")
    monkeypatch.setattr("os.replace", lambda *paths: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(ResourceError, match=r"tsv: the disk is full; nothing was changed"):
        write_split(chain.split(0), chain, tmp_path)
    assert os.listdir(tmp_path) == ["file"]


def test_pairs_of_any_file_become_rows_and_an_unknown_name_is_refused_with_its_line(chain, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "pairs.csv"
    path.write_text("child,parent\nn3,n1\nn1,n3\n")
    assert read_pairs(path, chain).tolist() == [[1, 3], [3, 1]]
    path.write_text("n3,n1\n")
    assert read_pairs(path, chain, direction="child-parent").tolist() == [[1, 3]]
    path.write_text("parent,child\nn1,n2\nN1,ny20\n")
    with raises_exactly("pairs.csv:3: there is no node 'ny20'; did you mean n20 or…"):
        read_pairs("pairs.csv", chain)


def change_summary(folder, change):
    path = folder / "split.json"
    summary = json.loads(path.read_text())
    path.write_text(json.dumps(summary | change | {"counts": summary["counts"] | change.get("counts", {})}))


def drop_a_pair(folder):
    path = folder / "test.tsv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "split.json").unlink(), r"split\.json: there is no such file, so its"),
        (lambda folder: (folder / "test.tsv").unlink(), r"test\.tsv: there is no such file; check the"),
        (drop_a_pair, r"test\.tsv: has 9 pairs, split\.json says 10; write the split again$"),
        (
            lambda folder: change_summary(folder, {"hierarchy": "0" * 64}),
            r"split: is a split of another hierarchy; read the hierarchy it was made from$",
        ),
    ],
    ids=["no summary", "a missing part", "a shortened part", "another hierarchy"],
)
def test_a_split_that_is_incomplete_or_of_another_hierarchy_is_refused(chain, folder, damage, message):
    damage(folder)
    with pytest.raises(InputError, match=message):
        read_split(folder, chain)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON .*; write the split again$"),
        ("[]", "is not the summary of a split; write the split again$"),
        ("{}", "is not the summary of a split; write the split again$"),
        ('{"counts": {}, "percent": 1, "seed": 0, "hierarchy": ""}', "is not the summary of a split; write the split"),
        ('{"percent": NaN}', "is not the summary of a split"),
        ("[" * 100_000, "is nested too deeply; write the split again"),
    ],
    ids=["broken", "list", "empty", "no parts", "NaN", "nested"],
)
def test_a_summary_made_to_do_harm_is_refused(chain, folder, text, message):
    (folder / "split.json").write_text(text)
    with pytest.raises(InputError, match=rf"split\.json: {message}"):
        read_split(folder, chain)


VALUES = [{"percent": value} for value in (float("nan"), float("inf"), True, -1)] + [{"seed": True}]
VALUES += [{"counts": {"train": value}} for value in ("two\nlines", True, 1e9)]


@pytest.mark.parametrize("change", VALUES, ids=str)
def test_a_summary_with_an_invalid_value_is_refused(chain, folder, change):
    change_summary(folder, change)
    with pytest.raises(InputError, match="is not the summary of a split") as error:
        read_split(folder, chain)
    assert str(error.value).isprintable()


def test_an_unknown_name_in_a_split_is_shortened(chain, folder):
    (folder / "train.tsv").write_text("parent\tchild\n" + "x\x1b" * 100_000 + "\tn1\n")
    with pytest.raises(InputError, match="there is no node") as error:
        read_split(folder, chain)
    assert len(str(error.value)) < 600
    assert str(error.value).isprintable()
