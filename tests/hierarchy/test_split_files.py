"""A split on disk is the split in memory, and nothing else passes for one."""

import json

import numpy as np
import pytest

from hypercone.errors import InputError, ResourceError
from hypercone.formats import read, read_pairs, read_split, write_split
from hypercone.hierarchy import Hierarchy


@pytest.fixture
def chain():
    return Hierarchy.from_pairs([(f"n{i}", f"n{i + 1}") for i in range(20)])


@pytest.fixture
def folder(chain, tmp_path):
    write_split(chain.split(25, seed=4), chain, tmp_path / "deep" / "split")
    return tmp_path / "deep" / "split"


def test_a_split_is_read_back_as_it_was_written(chain, folder):
    split, again = chain.split(25, seed=4), read_split(folder, chain)
    assert (again.percent, again.seed) == (25, 4)
    assert np.array_equal(split.train, again.train)
    for part in ("validation", "test"):
        assert np.array_equal(getattr(split, part).positives, getattr(again, part).positives)
        assert np.array_equal(getattr(split, part).negatives, getattr(again, part).negatives)


def test_the_folder_holds_names_under_a_header_and_a_summary(chain, folder):
    assert sorted(path.name for path in folder.iterdir()) == [
        "split.json",
        "test.tsv",
        "test_negatives.tsv",
        "train.tsv",
        "validation.tsv",
        "validation_negatives.tsv",
    ]
    assert (folder / "train.tsv").read_text().splitlines()[:2] == ["parent\tchild", "n0\tn1"]
    assert read(folder / "train.tsv").names[:2] == ("n0", "n1")
    summary = json.loads((folder / "split.json").read_text())
    assert summary["hierarchy"] == chain.digest
    assert summary["percent"] == 25
    assert summary["counts"]["validation"] == 10


def test_a_split_without_held_out_pairs_is_written_and_read(tmp_path):
    star = Hierarchy.from_pairs([("a", "b"), ("a", "c")])
    write_split(star.split(0), star, tmp_path)
    assert read_split(tmp_path, star).test.negatives.shape == (0, 2)


def test_numbers_of_numpy_can_be_written(chain, tmp_path):
    write_split(chain.split(np.int64(10), seed=np.int32(1)), chain, tmp_path)
    assert (read_split(tmp_path, chain).percent, read_split(tmp_path, chain).seed) == (10, 1)


def test_nothing_is_left_behind_when_writing_fails(chain, tmp_path, monkeypatch):
    monkeypatch.setattr("os.replace", lambda *paths: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(ResourceError, match=r"tsv: the disk is full; nothing was changed"):
        write_split(chain.split(0), chain, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_split_of_another_hierarchy_is_refused(folder):
    with pytest.raises(InputError, match=r"split: is a split of another hierarchy; read the hierarchy it was made"):
        read_split(folder, Hierarchy.from_pairs([("n0", "n1")]))


def test_a_missing_summary_is_named(chain, tmp_path):
    with pytest.raises(InputError, match=r"split\.json: there is no such file, so its folder holds no split"):
        read_split(tmp_path, chain)


def test_a_missing_part_is_named(chain, folder):
    (folder / "test.tsv").unlink()
    with pytest.raises(InputError, match=r"test\.tsv: there is no such file; check the path"):
        read_split(folder, chain)


def test_a_shortened_part_is_noticed(chain, folder):
    path = folder / "test.tsv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(InputError, match=r"test\.tsv: has 9 pairs, split\.json says 10; write the split again$"):
        read_split(folder, chain)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"counts": {}, "percent": 1, "seed": 0, "hierarchy": ""}'])
def test_a_damaged_summary_is_refused(chain, folder, text):
    (folder / "split.json").write_text(text)
    with pytest.raises(InputError, match=r"split\.json: is not .*; write the split again$"):
        read_split(folder, chain)


def test_a_folder_that_cannot_be_made_is_refused(chain, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file/train\.tsv: cannot be written"):
        write_split(chain.split(0), chain, tmp_path / "file")


def test_pairs_of_any_file_become_rows(chain, tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("child,parent\nn3,n1\nn1,n3\n")
    assert read_pairs(path, chain).tolist() == [[1, 3], [3, 1]]
    path.write_text("n3,n1\n")
    assert read_pairs(path, chain, direction="child-parent").tolist() == [[1, 3]]


def test_an_unknown_name_in_a_pair_file_is_refused_with_its_line_and_the_nearest(chain, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.tsv").write_text("parent\tchild\nn1\tn2\nn1\tN20\n")
    with pytest.raises(InputError) as caught:
        read_pairs("pairs.tsv", chain)
    assert str(caught.value) == "pairs.tsv:3: there is no node 'N20'; did you mean n20?"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 100_000, "is nested too deeply; write the split again"),
        ('{"percent": NaN}', "is not the summary of a split"),
    ],
)
def test_a_summary_made_to_do_harm_is_refused(tmp_path, text, words):
    (tmp_path / "split.json").write_text(text)
    with pytest.raises(InputError, match=words):
        read_split(tmp_path, Hierarchy.from_pairs([("a", "b")]))


@pytest.mark.parametrize(
    "change",
    [
        {"percent": float("nan")},
        {"percent": float("inf")},
        {"percent": True},
        {"percent": -1},
        {"seed": True},
        {"counts": {"train": "two\nlines"}},
        {"counts": {"train": True}},
        {"counts": {"train": 1e9}},
    ],
    ids=str,
)
def test_a_summary_with_a_value_that_is_none_is_refused(tmp_path, change):
    chain = Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("c", "d")])
    write_split(chain.split(50), chain, tmp_path)
    summary = json.loads((tmp_path / "split.json").read_text())
    counts = summary["counts"] | change.pop("counts", {})
    (tmp_path / "split.json").write_text(json.dumps(summary | change | {"counts": counts}))
    with pytest.raises(InputError, match="is not the summary of a split") as error:
        read_split(tmp_path, chain)
    assert str(error.value).isprintable()


def test_a_stranger_in_a_split_is_named_in_short(tmp_path):
    chain = Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("c", "d")])
    write_split(chain.split(50), chain, tmp_path)
    (tmp_path / "train.tsv").write_text("parent\tchild\n" + "x\x1b" * 100_000 + "\ta\n")
    with pytest.raises(InputError, match="there is no node") as error:
        read_split(tmp_path, chain)
    assert len(str(error.value)) < 600
    assert str(error.value).isprintable()
