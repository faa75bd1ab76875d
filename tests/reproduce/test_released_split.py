"""The authors' split files are read as they are, ours are written like theirs, and a split that leaks is refused."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.errors import raises_exactly
from tests.support.formats import COMPRESS
from tests.support.hierarchies import chain_of_edges, valid_names

from hypercone.data import load_dataset
from hypercone.errors import HierarchyError, InputError, ResourceError
from hypercone.hierarchy import Hierarchy
from hypercone.reproduce.released_split import read_released_split, released_percentages, write_released_split

# As the authors' script writes them: nodes in no order, and in training the direct edges last.
#
#   animal 5 → mammal 2 → dog 7 → puppy 0        stone 4
#                       → cat 1 → kitten 6 → tabby 3
NAMES = [f"{word}.n.01" for word in ("puppy", "cat", "mammal", "tabby", "stone", "animal", "kitten", "dog")]
BASIC = [[1, 6], [2, 1], [2, 7], [5, 2], [6, 3], [7, 0]]
FILES = {
    "vocab": "".join(f"{row}\t{name}\n" for row, name in enumerate(NAMES)),
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


def arrays(split):
    parts = split.validation, split.test
    return [split.train, *(pairs for part in parts for pairs in (part.positives, part.negatives))]


def assert_same(found, expected):
    """The names, the closure and the split; a hierarchy that was split may have more edges."""
    (hierarchy, split), (other, same) = found, expected
    assert hierarchy.names == other.names
    assert np.array_equal(hierarchy.reduction(), other.reduction())
    assert split.percent == same.percent
    for mine, theirs in zip(arrays(split), arrays(same), strict=True):
        assert np.array_equal(mine, theirs)


def test_the_files_of_the_authors_are_read_with_the_direct_edges_first(files):
    # The order of the vocabulary does not matter, and a repeated edge counts once.
    Path("toy.tsv.vocab").write_text("".join(sorted(FILES["vocab"].splitlines(keepends=True), reverse=True)))
    Path("toy.tsv.train_0percent").write_text(FILES["train_0percent"] + "1\t6\n")
    for percent, added in ((0, []), (25, [[5, 1], [2, 0]])):
        hierarchy, split = read_released_split("toy.tsv", percent)
        assert (hierarchy.names, len(hierarchy.edges)) == (tuple(NAMES), len(BASIC + added))
        assert (split.percent, type(split.percent), split.seed) == (percent, int, 0)
        expected = [BASIC + added, [[5, 6]], [[5, 4], [6, 5], [7, 6]], [[1, 3], [5, 7]]]
        assert [pairs.tolist() for pairs in arrays(split)] == [*expected, [[1, 0], [4, 3], [1, 0], [5, 4], [7, 5]]]
        for pairs in arrays(split):
            assert (pairs.dtype, pairs.flags.c_contiguous, pairs.flags.writeable) == (np.int32, True, True)


@pytest.mark.parametrize("prefix", ["toy.tsv", "./toy.tsv", ".", Path("toy.tsv"), Path()])
def test_the_prefix_is_a_path_or_a_folder_with_one_split(files, prefix):
    # A plain file is preferred to a compressed one.
    Path("toy.tsv.valid.gz").write_bytes(b"damaged")
    assert len(read_released_split(prefix, 25)[0]) == 8
    assert released_percentages(prefix) == [0, 25]


def test_percentages_are_numbers_in_their_order(files):
    for percent in ("100", "12.50", "9", "x", "nan", "-1", "1_0", ""):
        Path(f"toy.tsv.train_{percent}percent").write_text(FILES["train_0percent"])
    Path("toy.tsv.train_90percent.gz").write_bytes(b"")
    assert released_percentages("toy.tsv") == [0, 9, 12.5, 25, 90, 100]
    assert read_released_split("toy.tsv", np.float64(12.5))[1].percent == 12.5
    assert type(read_released_split("toy.tsv", np.float32(9))[1].percent) is int
    for path in files.glob("*.train_*"):
        path.unlink()
    assert released_percentages("toy.tsv") == []


CHANGES = [
    *[(COMPRESS[packing], ending) for packing in (".gz", ".xz", ".zst") for ending in (packing, "")],
    (lambda data: data.replace(b"\n", b"\r\n"), ""),
    (lambda data: data.rstrip(b"\n"), ""),
    (lambda data: data + b"\n\n", ""),
    (lambda data: b"\xef\xbb\xbf" + data, ""),
    (lambda data: b"000" + data, ""),
]


@pytest.mark.parametrize(("change", "ending"), CHANGES)
def test_compressed_files_and_those_saved_by_an_editor_are_read(files, change, ending):
    expected = read_released_split("toy.tsv", 25)
    for path in files.iterdir():
        data = change(path.read_bytes())
        path.unlink()
        path.with_name(path.name + ending).write_bytes(data)
    assert released_percentages(files) == [0, 25]
    assert_same(read_released_split(files, 25), expected)


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
    ("test", b"1\t3\n5\t\xff\n", ":2: byte 0xff is not UTF-8; save the file as UTF-8"),
]


@pytest.mark.parametrize(("ending", "text", "problem"), REFUSED, ids=[f"{case[0]}{case[2][:60]}" for case in REFUSED])
def test_a_bad_file_is_refused_in_one_sentence(files, ending, text, problem):
    Path(f"toy.tsv.{ending}").write_bytes(text if isinstance(text, bytes) else text.encode())
    is_of_edges = "own parent" in problem or "cycle" in problem
    with raises_exactly(f"toy.tsv.{ending}{problem}", HierarchyError if is_of_edges else InputError):
        read_released_split("toy.tsv", 25)


@pytest.mark.parametrize("ending", ["vocab", "valid", "valid_neg", "test", "test_neg", "train_25percent"])
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


@pytest.mark.parametrize(
    ("prefix", "problem"),
    [
        ("noun", "noun.vocab: there is no such file, in its folder there is other.vocab, toy.tsv.vocab; .* path"),
        ("toy", "toy.vocab: there is no such file, in its folder there is other.vocab, toy.tsv.vocab; check the path"),
        ("toy.tsv.vocab", "toy.tsv.vocab.vocab: there is no such file, in its folder .* toy.tsv.vocab; check the path"),
        (".", r"\.: is a folder with other\.vocab, toy\.tsv\.vocab; give the beginning of a split's files, \./…"),
        ("empty", r"empty: is a folder with no \?\*\.vocab; give the beginning .*, empty/…"),
        ("empty/x", r"empty/x\.vocab: there is no such file, in its folder there is no \?\*\.vocab; check the path"),
        ("nowhere/toy", r"nowhere: cannot be read \(No such file or directory\); check the path"),
    ],
)
def test_a_wrong_prefix_is_refused_with_the_vocabularies_beside_it(files, prefix, problem):
    for name in ("other.vocab.gz", "empty/.vocab"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    for ask in (released_percentages, lambda prefix: read_released_split(prefix, 0)):
        with pytest.raises(InputError, match=f"^{problem}$"):
            ask(prefix)


def test_the_written_files_are_those_of_the_authors(files):
    hierarchy, split = read_released_split("toy.tsv", 0)
    write_released_split([split, read_released_split("toy.tsv", 25)[1]], hierarchy, "deep/mine")
    for ending in ("vocab", "train_0percent", "valid", "valid_neg", "test", "test_neg"):
        assert Path(f"deep/mine.{ending}").read_bytes() == FILES[ending].encode()
    assert sorted(Path("deep/mine.train_25percent").read_text().split("\n")) == sorted(TRAIN.split("\n"))


@settings(max_examples=40, deadline=None)
@given(st.lists(valid_names, unique=True, min_size=7, max_size=20), st.sampled_from([0, 25, 33.3, 1e-7]), st.randoms())
def test_what_is_written_is_read_back_with_odd_names_in_any_order(labels, percent, random):
    ids = list(range(len(labels)))
    random.shuffle(ids)
    hierarchy = Hierarchy(labels, [(ids[i // 2], ids[i]) for i in range(2, len(ids))] + [(ids[0], ids[1])])
    split = hierarchy.split(percent, seed=random.randrange(9), holdout=0.3)
    with tempfile.TemporaryDirectory() as folder:
        write_released_split(split, hierarchy, f"{folder}/odd")
        assert released_percentages(folder) == [percent]
        assert_same(read_released_split(folder, percent), (hierarchy, split))


def test_the_nouns_are_read_back_in_seconds(tmp_path, within):
    nouns = load_dataset("wordnet-nouns")
    split = nouns.split(10)
    write_released_split(split, nouns, tmp_path / "noun_closure.tsv")
    assert_same(within(5, lambda: read_released_split(tmp_path / "noun_closure.tsv", 10)), (nouns, split))


CHAIN, STAR = chain_of_edges(20), Hierarchy.from_pairs([("a", "b"), ("a", "c")])
FIRST = CHAIN.split(10)


@pytest.mark.parametrize("percent", [0, 12.5, 50, 90])
def test_what_is_written_is_read_back_at_every_percentage(tmp_path, percent):
    split = CHAIN.split(percent)
    write_released_split(split, CHAIN, tmp_path / "deep" / "chain.tsv")
    assert_same(read_released_split(tmp_path / "deep", percent), (CHAIN, split))


@pytest.mark.parametrize(
    ("splits", "hierarchy", "prefix", "message"),
    [
        ([FIRST, replace(FIRST, percent=10.0)], CHAIN, "x", "^2 splits of 1 percentages are given; give one or more"),
        ([], CHAIN, "x", "^0 splits of 0 percentages are given"),
        ([FIRST, CHAIN.split(25, seed=1)], CHAIN, "x", "^the splits hold out different pairs, .*; draw with one seed$"),
        (STAR.split(0), STAR, "x", r"x\.valid: would be empty, which nobody could read; split a larger hierarchy$"),
        (FIRST, STAR, "x", "would hold row 20, but the hierarchy has rows 0 … 2; give the one that was"),
        *[(FIRST, CHAIN, at, r": is a folder; give the beginning of the files' names, .*/my$") for at in ("", "new/")],
        (FIRST, CHAIN, "x", "percent: the disk is full; nothing was changed"),
    ],
)
def test_what_cannot_be_written_or_read_again_is_refused_and_leaves_nothing(
    splits, hierarchy, prefix, message, tmp_path, monkeypatch
):
    is_full = "disk is full" in message
    if is_full:
        monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(ResourceError if is_full else InputError, match=message):
        write_released_split(splits, hierarchy, f"{tmp_path}/{prefix}")
    assert list(tmp_path.iterdir()) == []
