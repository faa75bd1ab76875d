"""The files of the NCBI taxonomy and of WordNet."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from tests.support.formats import WORDNET_DATA, WORDNET_INDEX, write_wordnet
from tests.support.hierarchies import edges_of

from hypercone.data import load_dataset
from hypercone.errors import InputError
from hypercone.formats import read

NODES = b"1\t|\t1\t|\tno rank\t|\t\t|\n9606\t|\t9605\t|\tspecies\t|\tHS\t|\n9605\t|\t1\t|\tgenus\t|\t\t|\n"


NAMES = (
    "1\t|\troot\t|\t\t|\tscientific name\t|\n9606\t|\tHomo sapiens\t|\t\t|\tscientific name\t|\n"
    "9606\t|\thuman\t|\t\t|\tgenbank common name\t|\n9605\t|\tHomo\t|\tHomo <genus, ♀>\t|\tscientific name\t|\n"
)


@pytest.fixture
def wordnet(tmp_path):
    return write_wordnet(tmp_path)


@pytest.mark.parametrize("packing", ["", ".gz"])
def test_taxa_are_named_by_id_and_labeled_by_scientific_name(tmp_path, packing):
    pack = gzip.compress if packing else bytes
    (tmp_path / f"nodes.dmp{packing}").write_bytes(pack(NODES))
    (tmp_path / f"names.dmp{packing}").write_bytes(pack(NAMES.encode()))
    taxa = read(tmp_path / f"nodes.dmp{packing}")
    assert set(taxa.names) == {"1", "9605", "9606"}
    assert taxa.in_words() == ["Homo sapiens is a Homo", "Homo is a root"]
    assert taxa.notes == ()


def test_without_names_the_taxa_have_no_labels_and_a_note_says_so(tmp_path):
    (tmp_path / "nodes.dmp").write_bytes(NODES)
    for source in (tmp_path / "nodes.dmp", io.BytesIO(NODES)):
        taxa = read(source, format="ncbi")
        assert taxa.labels is None
        assert taxa.notes == ("there is no names.dmp beside the file, so the taxa have no labels",)


def test_names_without_a_scientific_one_are_refused(tmp_path):
    (tmp_path / "nodes.dmp").write_bytes(NODES)
    (tmp_path / "names.dmp").write_bytes(b"nonsense")
    with pytest.raises(InputError, match=r"names\.dmp: holds no scientific name; fetch it again, or remove it$"):
        read(tmp_path / "nodes.dmp")


@pytest.mark.parametrize("line", [b"7\t|\t8", b"7,8", b"x\t|\t1\t|\n", b"", b"7\t|\t1\t|\tspec"])
def test_a_line_that_is_not_a_taxon_is_refused(line):
    with pytest.raises(InputError, match=r"^the stream:2: expected a taxon's id, its parent's id and more, separated"):
        read(io.BytesIO(NODES.replace(b"9606\t|\t9605\t|\tspecies\t|\tHS\t|", line)), format="ncbi")


INSTALLED = Path("/usr/share/wordnet/data.noun")


def test_hypernyms_are_the_edges_and_names_are_those_of_nltk(wordnet):
    assert set(edges_of(read(wordnet / "data.noun"))) == {
        ("thing.n.01", "bank.n.02"),
        ("thing.n.01", "bank.n.01"),
        ("tower.n.01", "bank.n.01"),
        ("thing.n.01", "tower.n.01"),
    }


def test_a_word_finds_every_sense_of_it(wordnet):
    words = read(wordnet / "data.noun")
    assert words.display_name(words.row("bank.n.02")) == "bank"
    with pytest.raises(InputError, match=r"'bank' is the label of 2 nodes: bank.n.0., bank.n.0.; give one"):
        words.row("bank")


def test_without_an_index_names_end_in_the_offset(wordnet):
    (wordnet / "index.noun").unlink()
    assert ("Thing.n.00000100".lower(), "bank.n.00000200") in edges_of(read(wordnet / "data.noun"))


@pytest.mark.parametrize(
    ("index", "words"),
    [
        (
            WORDNET_INDEX.replace("00000400", "00000500"),
            "does not have 'tower' at 00000400; take data.noun and index.noun",
        ),
        (WORDNET_INDEX.replace("tower", "power"), "does not have 'tower' at 00000400; take data.noun and index.noun"),
        (WORDNET_INDEX + "cut\n", ":5: is not a line of WordNet's index: 'cut'"),
    ],
)
def test_an_index_of_another_wordnet_is_refused(wordnet, index, words):
    (wordnet / "index.noun").write_text(index)
    with pytest.raises(InputError) as caught:
        read(wordnet / "data.noun")
    assert words in str(caught.value)


@pytest.mark.parametrize("line", ["00000500 03 n 01 x", "x 03 n 01 x 0 000", "00000500 03 n 01 x 0 001 @ 1", "5 3 n 0"])
def test_a_line_that_is_not_a_synset_is_refused(wordnet, line):
    (wordnet / "data.noun").write_text(WORDNET_DATA + line)
    with pytest.raises(InputError, match=r"data\.noun:8: is not a synset, or is cut short: '.*'; give WordNet's data"):
        read(wordnet / "data.noun")


@pytest.mark.skipif(not INSTALLED.exists(), reason="Debian's wordnet-base is not installed")
def test_the_files_say_what_the_dataset_says():
    nouns, words = load_dataset("wordnet-nouns"), read(INSTALLED).drop(["entity.n.01"])
    assert set(words.names) == set(nouns.names)
    assert set(edges_of(words)) == set(edges_of(nouns))
    assert words.display_name(words.row("dog.n.01")) == "dog"
