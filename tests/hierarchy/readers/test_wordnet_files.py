"""WordNet's own files, and that they say what the dataset says which ships with hypercone."""

from __future__ import annotations

from pathlib import Path

import pytest

from hypercone.data import load_dataset
from hypercone.errors import InputError
from hypercone.formats import read

INSTALLED = Path("/usr/share/wordnet/data.noun")
DATA = """\
  1 This is the licence, indented.
00000100 03 n 01 Thing 0 002 ~ 00000300 n 0000 + 00000200 v 0101 | all there is | or was
00000200 03 n 02 bank 0 river_bank 0 001 @ 00000100 n 0000 | land
00000300 03 n 01 bank 1 002 @ 00000100 n 0000 @i 00000400 n 0000 | money
00000400 03 n 0a house 0 a 0 b 0 c 0 d 0 e 0 f 0 g 0 h 0 i 0 001 @ 00000100 n 0000 | ten words
"""
INDEX = """\
  1 This is the licence, indented.
bank n 2 1 @ 2 1 00000300 00000200
house n 1 1 @ 1 0 00000400
thing n 1 2 ~ + 1 0 00000100
"""


def edges_of(hierarchy):
    return {(hierarchy.names[parent], hierarchy.names[child]) for parent, child in hierarchy.edges}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data.noun").write_text(DATA)
    (tmp_path / "index.noun").write_text(INDEX)
    return tmp_path


def test_hypernyms_are_the_edges_and_names_are_those_of_nltk(folder):
    assert edges_of(read(folder / "data.noun")) == {
        ("thing.n.01", "bank.n.02"),
        ("thing.n.01", "bank.n.01"),
        ("house.n.01", "bank.n.01"),
        ("thing.n.01", "house.n.01"),
    }


def test_a_word_asks_for_every_sense_of_it(folder):
    words = read(folder / "data.noun")
    assert words.called(words.row("bank.n.02")) == "bank"
    with pytest.raises(InputError, match=r"'bank' is the label of 2 nodes: bank.n.0., bank.n.0.; give one"):
        words.row("bank")


def test_without_an_index_names_end_in_the_offset(folder):
    (folder / "index.noun").unlink()
    assert ("Thing.n.00000100".lower(), "bank.n.00000200") in edges_of(read(folder / "data.noun"))


@pytest.mark.parametrize(
    ("index", "words"),
    [
        (
            INDEX.replace("00000400", "00000500"),
            "does not have 'house' at 00000400; take data.noun and index.noun",
        ),
        (INDEX.replace("house", "horse"), "does not have 'house' at 00000400; take data.noun and index.noun"),
        (INDEX + "cut\n", ":5: is not a line of WordNet's index: 'cut'"),
    ],
)
def test_an_index_of_another_wordnet_is_refused(folder, index, words):
    (folder / "index.noun").write_text(index)
    with pytest.raises(InputError) as caught:
        read(folder / "data.noun")
    assert words in str(caught.value)


@pytest.mark.parametrize("line", ["00000500 03 n 01 x", "x 03 n 01 x 0 000", "00000500 03 n 01 x 0 001 @ 1", "5 3 n 0"])
def test_a_line_that_is_no_synset_is_refused(folder, line):
    (folder / "data.noun").write_text(DATA + line)
    with pytest.raises(InputError, match=r"data\.noun:6: is not a synset, or is cut short: '.*'; give WordNet's data"):
        read(folder / "data.noun")


@pytest.mark.skipif(not INSTALLED.exists(), reason="Debian's wordnet-base is not installed")
def test_the_files_say_what_the_dataset_says():
    nouns, words = load_dataset("wordnet-nouns"), read(INSTALLED).drop(["entity.n.01"])
    assert set(words.names) == set(nouns.names)
    assert edges_of(words) == edges_of(nouns)
    assert words.called(words.row("dog.n.01")) == "dog"
