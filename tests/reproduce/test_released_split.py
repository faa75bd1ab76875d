"""The authors' split files are read as they are, ours are written like theirs, and a split that leaks is refused."""

import gzip
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import hierarchies
from tests.support.errors import raises_exactly
from tests.support.formats import COMPRESS
from tests.support.hierarchies import valid_names

from hypercone.data import load_dataset
from hypercone.errors import HierarchyError, InputError, ResourceError
from hypercone.hierarchy import Hierarchy, LabeledPairs, Split
from hypercone.reproduce.released_split import read_released_split, released_percentages, write_released_split

# As the authors' script writes them: nodes in no order, and in training the direct edges last.
#
#   animal 5 → mammal 2 → dog 7 → puppy 0        stone 4
#                       → cat 1 → kitten 6 → tabby 3
FILES = {
    "vocab": "0\tpuppy.n.01\n1\tcat.n.01\n2\tmammal.n.01\n3\ttabby.n.01\n"
    "4\tstone.n.01\n5\tanimal.n.01\n6\tkitten.n.01\n7\tdog.n.01\n",
    "train_0percent": "1\t6\n2\t1\n2\t7\n5\t2\n6\t3\n7\t0\n",
    "train_25percent": "5\t1\n2\t0\n1\t6\n2\t1\n2\t7\n5\t2\n6\t3\n7\t0\n",
    "valid": "5\t6\n",
    "valid_neg": "5\t4\n6\t5\n7\t6\n",
    "test": "1\t3\n5\t7\n",
    "test_neg": "1\t0\n4\t3\n1\t0\n5\t4\n7\t5\n",
    "full_transitive": "not read\n",
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for ending, text in FILES.items():
        Path(f"toy.tsv.{ending}").write_text(text)
    return tmp_path


@pytest.fixture
def chain():
    return hierarchies.chain_of_edges(20)


def arrays(split):
    parts = split.validation, split.test
    return [split.train, *(pairs for part in parts for pairs in (part.positives, part.negatives))]


def assert_same(split, other):
    assert split.percent == other.percent
    for mine, theirs in zip(arrays(split), arrays(other), strict=True):
        assert np.array_equal(mine, theirs)


def test_the_files_of_the_authors_are_read(files):
    hierarchy, split = read_released_split("toy.tsv", 25)
    assert hierarchy.names[:3] == ("puppy.n.01", "cat.n.01", "mammal.n.01")
    assert hierarchy.names[4] == "stone.n.01"
    assert len(hierarchy) == 8
    assert len(hierarchy.edges) == 8
    assert (split.percent, type(split.percent), split.seed) == (25, int, 0)
    assert split.validation.positives.tolist() == [[5, 6]]
    assert split.validation.negatives.tolist() == [[5, 4], [6, 5], [7, 6]]
    assert split.test.positives.tolist() == [[1, 3], [5, 7]]
    assert split.test.negatives.tolist() == [[1, 0], [4, 3], [1, 0], [5, 4], [7, 5]]


def test_direct_edges_come_first_then_the_others_in_the_order_of_the_file(files):
    basic = [[1, 6], [2, 1], [2, 7], [5, 2], [6, 3], [7, 0]]
    assert read_released_split("toy.tsv", 0)[1].train.tolist() == basic
    assert read_released_split("toy.tsv", 25)[1].train.tolist() == [*basic, [5, 1], [2, 0]]


def test_rows_are_of_32_bits_and_can_be_changed(files):
    for pairs in arrays(read_released_split("toy.tsv", 25)[1]):
        assert pairs.dtype == np.int32
        assert pairs.flags.c_contiguous
        assert pairs.flags.writeable


def test_the_closure_is_the_same_at_every_percentage(files):
    smaller, larger = (read_released_split("toy.tsv", percent)[0] for percent in (0, 25))
    assert np.array_equal(smaller.closure(), larger.closure())


def test_a_row_is_an_id_whatever_the_order_of_the_vocabulary(files):
    hierarchy = read_released_split("toy.tsv", 0)[0]
    Path("toy.tsv.vocab").write_text("".join(sorted(FILES["vocab"].splitlines(keepends=True), reverse=True)))
    assert read_released_split("toy.tsv", 0)[0] == hierarchy


def test_a_repeated_training_edge_counts_once(files):
    Path("toy.tsv.train_0percent").write_text(FILES["train_0percent"] + "1\t6\n")
    hierarchy, split = read_released_split("toy.tsv", 0)
    assert hierarchy.duplicates == 1
    assert len(split.train) == 6


@pytest.mark.parametrize("prefix", ["toy.tsv", "./toy.tsv", ".", Path("toy.tsv"), Path()])
def test_the_prefix_is_a_path_or_a_folder_with_one_split(files, prefix):
    assert len(read_released_split(prefix, 25)[0]) == 8
    assert released_percentages(prefix) == [0, 25]


def test_percentages_are_numbers_in_their_order(files):
    for percent in ("100", "12.50", "9", "x", "nan", "-1", "1_0", ""):
        Path(f"toy.tsv.train_{percent}percent").write_text(FILES["train_0percent"])
    Path("toy.tsv.train_90percent.gz").write_bytes(b"")
    assert released_percentages("toy.tsv") == [0, 9, 12.5, 25, 90, 100]
    assert read_released_split("toy.tsv", np.float64(12.5))[1].percent == 12.5
    assert type(read_released_split("toy.tsv", np.float32(9))[1].percent) is int


def test_a_split_without_training_files_has_no_percentages(files):
    for path in files.glob("*.train_*"):
        path.unlink()
    assert released_percentages("toy.tsv") == []


@pytest.mark.parametrize("packing", [".gz", ".xz", ".zst"])
@pytest.mark.parametrize("named", [True, False])
def test_compressed_files_are_read(files, packing, named):
    expected = read_released_split("toy.tsv", 25)
    for path in files.iterdir():
        packed = COMPRESS[packing](path.read_bytes())
        path.unlink()
        path.with_name(path.name + (packing if named else "")).write_bytes(packed)
    assert released_percentages(files) == [0, 25]
    hierarchy, split = read_released_split(files, 25)
    assert hierarchy == expected[0]
    assert_same(split, expected[1])


def test_a_plain_file_is_preferred_to_a_compressed_one(files):
    Path("toy.tsv.valid.gz").write_bytes(b"damaged")
    assert len(read_released_split(".", 0)[1].validation.positives) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.rstrip(b"\n"),
        lambda data: data + b"\n\n",
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: b"000" + data,
    ],
)
def test_files_saved_by_an_editor_are_read(files, change):
    hierarchy, split = read_released_split("toy.tsv", 25)
    for path in files.iterdir():
        path.write_bytes(change(path.read_bytes()))
    again = read_released_split("toy.tsv", 25)
    assert again[0] == hierarchy
    assert_same(again[1], split)


COLUMNS = "expected 2 columns, the ids of a parent and a child, found"
LIKE_LINE_1 = "expected 2 columns as in line 1,"
NOT_AN_ID = "is not an id, which has 1 to 9 digits; correct it"
TRAIN = FILES["train_25percent"]
LEAKED = "so the answer is given away; remove one of them"
BOTH = "so it would be true and false at once; remove one of them"
# The file, its text, and what follows the name of the file in the message.
REFUSED = [
    ("valid", "", ": is empty; fetch or write the split again"),
    ("vocab", "\n\r\n", ": is empty; fetch or write the split again"),
    ("test", "1 3\n", f":1: {COLUMNS} 1; put a tab between them"),
    ("test_neg", "1\t3\t4\n", f":1: {COLUMNS} 3; put a tab between them"),
    ("vocab", "0 puppy\n", ":1: expected 2 columns, an id and a name, found 1; put a tab between them"),
    ("vocab", "0\ta\n1\n", f":2: {LIKE_LINE_1} found 1; fix or remove this line"),
    ("test", "1\t3\n5\n", f":2: {LIKE_LINE_1} found 1; fix or remove this line"),
    ("test", "1\t3\n5\t6\t7\n", f":2: {LIKE_LINE_1} found 3; fix or remove this line"),
    ("test", "1\t3\n\n5\t7\n", f":2: {LIKE_LINE_1} an empty line; fix or remove this line"),
    ("test", "\n1\t3\n", ":1: the first line is empty; remove it"),
    *[("test", f"1\t3\n5\t{bad}\n", f":2: {bad!r} {NOT_AN_ID}") for bad in ("cat", "", "-7", "7.0", " 7", "٧")],
    ("test", "1\t3\ncat\t7\n", f":2: 'cat' {NOT_AN_ID}"),
    ("test", "9999999999\t3\n", f":1: '9999999999' {NOT_AN_ID}"),
    ("vocab", "id\tname\n0\tx\n", f":1: 'id' {NOT_AN_ID}"),
    ("valid_neg", "5\t4\n5\t8\n", ":2: there is no id 8 in .vocab, only 0 … 7; correct one of them"),
    ("train_25percent", "999999999\t0\n", ":1: there is no id 999999999 in .vocab, only 0 … 7; correct one of them"),
    ("vocab", "0\ta\n1\t\n", ":2: the name is empty; give it a name or remove the line"),
    ("vocab", "0\ta\n1\tb\n2\ta\n", ":3: name 'a' is already in line 1; give each node its own"),
    ("vocab", "0\ta\n1\tb\n1\tc\n", ":3: id 1 is already in line 2; give each node its own"),
    ("vocab", "0\ta\n3\tc\n1\tb\n", ":2: there is id 3 but no id 2; number the nodes without gaps"),
    ("vocab", "1\ta\n2\tc\n", ":1: there is id 1 but no id 0; number the nodes without gaps"),
    ("valid", "5\t6\n3\t3\n", ":2: 'tabby.n.01' is given as its own parent; remove this edge"),
    ("train_25percent", f"{TRAIN}0\t0\n", ":9: 'puppy.n.01' is given as its own parent; remove this edge"),
    (
        "train_25percent",
        f"{TRAIN}0\t2\n",
        ":2: the edges form a cycle, parent → child: puppy.n.01 → mammal.n.01 → puppy.n.01; remove one of these edges",
    ),
    (
        "valid",
        "5\t6\n2\t0\n5\t1\n",
        f":2: the pair 2 0 (mammal.n.01 → puppy.n.01) is also in toy.tsv.train_25percent:2, {LEAKED}",
    ),
    ("test", "7\t0\n", f":1: the pair 7 0 (dog.n.01 → puppy.n.01) is also in toy.tsv.train_25percent:8, {LEAKED}"),
    ("test", "1\t3\n5\t6\n", f":2: the pair 5 6 (animal.n.01 → kitten.n.01) is also in toy.tsv.valid:1, {LEAKED}"),
    ("valid_neg", "5\t4\n5\t6\n", f":2: the pair 5 6 (animal.n.01 → kitten.n.01) is also in toy.tsv.valid:1, {BOTH}"),
    ("test_neg", "5\t7\n", f":1: the pair 5 7 (animal.n.01 → dog.n.01) is also in toy.tsv.test:2, {BOTH}"),
    ("vocab", "0\ta\n1\tb\0\n", ":2: contains a NUL byte; save the file as UTF-8 text"),
]


@pytest.mark.parametrize(("ending", "text", "problem"), REFUSED, ids=[f"{case[0]}{case[2][:60]}" for case in REFUSED])
def test_a_bad_file_is_refused_in_one_sentence(files, ending, text, problem):
    Path(f"toy.tsv.{ending}").write_text(text, newline="")
    with raises_exactly(f"toy.tsv.{ending}{problem}"):
        read_released_split("toy.tsv", 25)


@pytest.mark.parametrize("extra", ["0\t0\n", "0\t2\n"])
def test_an_error_about_the_edges_is_a_hierarchy_error(files, extra):
    Path("toy.tsv.train_25percent").write_text(FILES["train_25percent"] + extra)
    with pytest.raises(HierarchyError):
        read_released_split("toy.tsv", 25)


def test_bytes_that_are_not_text_are_refused_with_their_line(files):
    Path("toy.tsv.test").write_bytes(b"1\t3\n5\t\xff\n")
    with pytest.raises(InputError, match=r"^toy\.tsv\.test:2: byte 0xff is not UTF-8; save the file as UTF-8$"):
        read_released_split("toy.tsv", 25)


@pytest.mark.parametrize("ending", ["vocab", "valid", "valid_neg", "test", "test_neg"])
def test_a_missing_file_is_named_with_those_that_are_there(files, ending):
    Path(f"toy.tsv.{ending}").unlink()
    there = ", ".join(f"toy.tsv.{other}" for other in sorted(FILES) if other not in {ending, "full_transitive"})
    with raises_exactly(
        f"toy.tsv.{ending}: there is no such file, of this split there is {there}; fetch the missing one"
    ):
        read_released_split("toy.tsv", 25)


@pytest.mark.parametrize("percent", [50, 12.5, -1, float("nan")])
def test_a_percentage_that_is_not_there_is_refused_with_those_that_are(files, percent):
    with pytest.raises(InputError, match=r"there is no such file, of this split there is .*toy\.tsv\.train_25percent"):
        read_released_split("toy.tsv", percent)


@pytest.mark.parametrize("prefix", ["noun", "toy", "toy.tsv.vocab"])
@pytest.mark.parametrize("ask", [released_percentages, lambda prefix: read_released_split(prefix, 0)])
def test_a_wrong_prefix_is_refused_with_the_vocabularies_beside_it(files, ask, prefix):
    with raises_exactly(f"{prefix}.vocab: there is no such file, in its folder there is toy.tsv.vocab; check the path"):
        ask(prefix)


def test_a_folder_without_split_or_with_several_is_refused(files):
    Path("empty").mkdir()
    Path("empty/.vocab").touch()
    with pytest.raises(InputError, match=r"^empty: is a folder with no \?\*\.vocab; give the beginning .*, empty/…$"):
        read_released_split("empty", 0)
    with pytest.raises(
        InputError, match=r"^empty/x\.vocab: there is no such file, in its folder there is no \?\*\.vocab"
    ):
        read_released_split("empty/x", 0)
    Path("other.vocab.gz").touch()
    with pytest.raises(InputError, match=r"^\.: is a folder with other\.vocab, toy\.tsv\.vocab; give the beginning"):
        read_released_split(".", 0)


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"nowhere: cannot be read \(No such file or directory\); check the path$"):
        read_released_split(tmp_path / "nowhere" / "toy", 0)


def test_damaged_compression_is_refused(files):
    Path("toy.tsv.valid").unlink()
    Path("toy.tsv.valid.gz").write_bytes(gzip.compress(b"5\t6\n")[:-6])
    with pytest.raises(InputError, match=r"^toy\.tsv\.valid\.gz: the \.gz compression is damaged"):
        read_released_split("toy.tsv", 0)


@pytest.mark.parametrize("percent", [0, 12.5, 50, 90])
def test_what_is_written_is_read_back(chain, tmp_path, percent):
    split = chain.split(percent)
    write_released_split(split, chain, tmp_path / "deep" / "chain.tsv")
    hierarchy, again = read_released_split(tmp_path / "deep", percent)
    assert_same(again, split)
    assert hierarchy.names == chain.names
    assert np.array_equal(hierarchy.reduction(), chain.reduction())


def test_the_written_files_are_those_of_the_authors(files):
    hierarchy, split = read_released_split("toy.tsv", 0)
    write_released_split([split, read_released_split("toy.tsv", 25)[1]], hierarchy, "mine")
    for ending in ("vocab", "train_0percent", "valid", "valid_neg", "test", "test_neg"):
        assert Path(f"mine.{ending}").read_bytes() == FILES[ending].encode()
    assert sorted(Path("mine.train_25percent").read_text().split("\n")) == sorted(FILES["train_25percent"].split("\n"))


@settings(max_examples=40, deadline=None)
@given(st.lists(valid_names, unique=True, min_size=7, max_size=20), st.sampled_from([0, 25, 33.3, 1e-7]), st.randoms())
def test_odd_names_in_any_order_survive(labels, percent, random):
    ids = list(range(len(labels)))
    random.shuffle(ids)
    hierarchy = Hierarchy(labels, [(ids[i // 2], ids[i]) for i in range(2, len(ids))] + [(ids[0], ids[1])])
    split = hierarchy.split(percent, seed=random.randrange(9), holdout=0.3)
    with tempfile.TemporaryDirectory() as folder:
        write_released_split(split, hierarchy, f"{folder}/odd")
        again, same = read_released_split(folder, percent)
        assert released_percentages(folder) == [percent]
    assert again.names == hierarchy.names
    assert np.array_equal(again.closure(), hierarchy.closure())
    assert_same(same, split)


@pytest.mark.parametrize("prefix", ["", "new/"])
def test_a_folder_is_not_a_prefix_to_write_to(chain, tmp_path, prefix):
    with pytest.raises(InputError, match=r": is a folder; give the beginning of the files' names, too, such as .*/my$"):
        write_released_split(chain.split(0), chain, f"{tmp_path}/{prefix}")
    assert list(tmp_path.iterdir()) == []


def test_splits_that_cannot_share_their_files_are_refused(chain, tmp_path):
    first = chain.split(10)
    with pytest.raises(InputError, match=r"^2 splits of 1 percentages are given; give one or more, each once$"):
        write_released_split([first, replace(first, percent=10.0)], chain, tmp_path / "x")
    with pytest.raises(InputError, match=r"^0 splits of 0 percentages are given"):
        write_released_split([], chain, tmp_path / "x")
    with pytest.raises(InputError, match=r"^the splits hold out different pairs, .*; draw with one seed$"):
        write_released_split([first, chain.split(25, seed=1)], chain, tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_files_that_could_not_be_read_are_not_written(chain, tmp_path):
    star = Hierarchy.from_pairs([("a", "b"), ("a", "c")])
    with pytest.raises(
        InputError, match=r"x\.valid: would be empty, which nobody could read; split a larger hierarchy$"
    ):
        write_released_split(star.split(0), star, tmp_path / "x")
    with pytest.raises(InputError, match=r"would hold row 20, but the hierarchy has rows 0 … 2; give the one that was"):
        write_released_split(chain.split(0), star, tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_behind_when_writing_fails(chain, tmp_path, monkeypatch):
    monkeypatch.setattr("os.replace", lambda *paths: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(ResourceError, match=r"percent: the disk is full; nothing was changed"):
        write_released_split(chain.split(0), chain, tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_a_split_made_by_hand_is_written(tmp_path):
    hierarchy = Hierarchy("abc", [[0, 1], [1, 2]])
    pairs = LabeledPairs(np.array([[0, 2]], np.int32), np.array([[2, 0]], np.int32))
    test = LabeledPairs(np.array([[1, 0]], np.int32), np.array([[2, 1]], np.int32))
    write_released_split(Split(hierarchy.edges, pairs, test, 0, 7), hierarchy, tmp_path / "x")
    assert (tmp_path / "x.valid").read_bytes() == b"0\t2\n"
    assert read_released_split(tmp_path, 0)[1].seed == 0


def test_the_nouns_are_read_in_seconds(tmp_path, within):
    nouns = load_dataset("wordnet-nouns")
    split = nouns.split(10)
    write_released_split(split, nouns, tmp_path / "noun_closure.tsv")
    hierarchy, again = within(5, lambda: read_released_split(tmp_path / "noun_closure.tsv", 10))
    assert hierarchy.names == nouns.names
    assert np.array_equal(hierarchy.reduction(), nouns.reduction())
    assert_same(again, split)
