"""The NCBI taxonomy: nodes.dmp, and names.dmp beside it."""

from __future__ import annotations

import gzip
import io

import pytest

from hypercone.errors import InputError
from hypercone.formats import read

NODES = b"1\t|\t1\t|\tno rank\t|\t\t|\n9606\t|\t9605\t|\tspecies\t|\tHS\t|\n9605\t|\t1\t|\tgenus\t|\t\t|\n"
NAMES = (
    "1\t|\troot\t|\t\t|\tscientific name\t|\n9606\t|\tHomo sapiens\t|\t\t|\tscientific name\t|\n"
    "9606\t|\thuman\t|\t\t|\tgenbank common name\t|\n9605\t|\tHomo\t|\tHomo <genus, ♀>\t|\tscientific name\t|\n"
)


@pytest.mark.parametrize("packing", ["", ".gz"])
def test_taxa_are_named_by_their_ids_and_labelled_by_their_scientific_names(tmp_path, packing):
    pack = gzip.compress if packing else bytes
    (tmp_path / f"nodes.dmp{packing}").write_bytes(pack(NODES))
    (tmp_path / f"names.dmp{packing}").write_bytes(pack(NAMES.encode()))
    taxa = read(tmp_path / f"nodes.dmp{packing}")
    assert set(taxa.names) == {"1", "9605", "9606"}
    assert taxa.in_words() == ["Homo sapiens is a Homo", "Homo is a root"]
    assert taxa.notes == ()


def test_without_names_the_taxa_have_no_labels_and_that_is_told(tmp_path):
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
def test_a_line_that_is_no_taxon_is_refused(line):
    with pytest.raises(InputError, match=r"^the stream:2: expected a taxon's id, its parent's id and more, separated"):
        read(io.BytesIO(NODES.replace(b"9606\t|\t9605\t|\tspecies\t|\tHS\t|", line)), format="ncbi")
