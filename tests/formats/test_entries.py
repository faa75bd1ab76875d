"""What ontologies and taxonomies say of a node besides name and label is read, and finds the node."""

from __future__ import annotations

import json

import pytest
from tests.support.errors import raises_exactly
from tests.support.formats import NCBI_NODES, RDF_OPENING, read_text, write_wordnet

from hypercone.errors import ObsoleteNameError
from hypercone.formats import read
from hypercone.hierarchy import Obsolete

OBO = r"""format-version: 1.4

[Term]
id: A:1
name: organ
def: "A part of a body,\nmade of \"tissue\"." [PMID:1, x:"y"] {source="z"}

[Term]
id: A:2
name: heart
alt_id: A:7
alt_id: A:8
def: malformed
synonym: "cor" EXACT LATIN []
synonym: "heart" RELATED []
synonym: "pump \(muscle\)" BROAD []
exact_synonym: "ticker" []
synonym: unquoted
is_a: A:1

[Term]
id: A:9
name: obsolete pump
def: "Gone." []
is_obsolete: true
replaced_by: A:2
consider: A:1

[Typedef]
id: part_of
def: "Not a term." []
synonym: "is part" EXACT []
"""


def test_definitions_synonyms_and_other_ids_of_an_obo_file_are_kept():
    organs = read_text(OBO, format="obo")
    assert organs.definitions == {"A:1": 'A part of a body, made of "tissue".'}
    assert organs.glossary.synonyms[organs.row("A:2")] == ("cor", "pump (muscle)", "ticker")
    assert organs.glossary.other_ids[organs.row("A:2")] == ("A:7", "A:8")
    assert dict(organs.glossary.obsolete) == {"A:9": Obsolete("obsolete pump", ("A:2",), ("A:1",))}
    for text in ("A:7", "cor", "COR", "Ticker", "A_2", "obo:A_8", "http://purl.obolibrary.org/obo/A_2"):
        assert organs.names[organs.row(text)] == "A:2"
    with raises_exactly(
        "A:9 (obsolete pump) is obsolete, replaced by A:2 (heart); ask for A:2", error=ObsoleteNameError
    ):
        organs.row("http://purl.obolibrary.org/obo/A_9")


GRAPHS = {
    "graphs": [
        {
            "nodes": [
                {
                    "id": "http://purl.obolibrary.org/obo/A_1",
                    "lbl": "organ",
                    "meta": {"definition": {"val": "A part."}},
                },
                {
                    "id": "http://purl.obolibrary.org/obo/A_2",
                    "lbl": "heart",
                    "meta": {
                        "synonyms": [{"pred": "hasExactSynonym", "val": "cor"}, {"val": 5}, "x"],
                        "basicPropertyValues": [
                            {"pred": "http://www.geneontology.org/formats/oboInOwl#hasAlternativeId", "val": "A:7"},
                            {"pred": "http://example.org/other", "val": "nothing"},
                        ],
                    },
                },
                {
                    "id": "http://purl.obolibrary.org/obo/A_9",
                    "lbl": "obsolete pump",
                    "meta": {
                        "deprecated": True,
                        "definition": "not an object",
                        "basicPropertyValues": [
                            {
                                "pred": "http://purl.obolibrary.org/obo/IAO_0100001",
                                "val": "http://purl.obolibrary.org/obo/A_2",
                            },
                            {"pred": "http://www.geneontology.org/formats/oboInOwl#consider", "val": "A:1"},
                        ],
                    },
                },
            ],
            "edges": [
                {
                    "sub": "http://purl.obolibrary.org/obo/A_2",
                    "pred": "is_a",
                    "obj": "http://purl.obolibrary.org/obo/A_1",
                }
            ],
        }
    ]
}
BY_ID = {
    "A:1": {"label": "organ", "description": "A part.", "ancestors": {}},
    "A:2": {"label": "heart", "synonyms": ["cor"], "ancestors": {"A:1": 1}},
    "A:9": {"label": "obsolete pump", "deprecated": True, "replaced_by": "A:2", "consider": ["A:1"], "ancestors": {}},
}
OWL = RDF_OPENING + (
    '<owl:Class rdf:about="http://purl.obolibrary.org/obo/A_1"><rdfs:label>organ</rdfs:label>'
    '<o:IAO_0000115 xmlns:o="http://purl.obolibrary.org/obo/">A part.</o:IAO_0000115></owl:Class>'
    '<owl:Class rdf:about="http://purl.obolibrary.org/obo/A_2" xmlns:g="http://www.geneontology.org/formats/oboInOwl#">'
    '<rdfs:label>heart</rdfs:label><rdfs:subClassOf rdf:resource="http://purl.obolibrary.org/obo/A_1"/>'
    "<g:hasExactSynonym>cor</g:hasExactSynonym><g:hasAlternativeId>A:7</g:hasAlternativeId>"
    "<rdfs:comment>Not a definition.</rdfs:comment></owl:Class>"
    '<owl:Class rdf:about="http://purl.obolibrary.org/obo/A_9" xmlns:o="http://purl.obolibrary.org/obo/">'
    "<rdfs:label>obsolete pump</rdfs:label><owl:deprecated>true</owl:deprecated>"
    '<o:IAO_0100001 rdf:resource="http://purl.obolibrary.org/obo/A_2"/>'
    '<g:consider xmlns:g="http://www.geneontology.org/formats/oboInOwl#">A:1</g:consider></owl:Class></rdf:RDF>'
)
TURTLE = """
@prefix obo: <http://purl.obolibrary.org/obo/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix oio: <http://www.geneontology.org/formats/oboInOwl#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
obo:A_1 a owl:Class ; rdfs:label "organ" ; obo:IAO_0000115 "A part." .
obo:A_2 a owl:Class ; rdfs:subClassOf obo:A_1 ; rdfs:label "heart" ; oio:hasRelatedSynonym "cor" .
obo:A_9 a owl:Class ; rdfs:label "obsolete pump" ; owl:deprecated true ; obo:IAO_0100001 obo:A_2 ; oio:consider "A:1" .
[] a owl:Axiom ; oio:hasRelatedSynonym "nobody's" .
"""
ONTOLOGIES = {
    "obographs": (json.dumps(GRAPHS), "obographs"),
    "terms by id": (json.dumps(BY_ID), "obographs"),
    "rdfxml": (OWL, "rdfxml"),
    "turtle": (TURTLE, "turtle"),
}


@pytest.mark.parametrize("kind", ONTOLOGIES)
def test_every_format_of_ontologies_keeps_the_same(kind):
    text, format = ONTOLOGIES[kind]
    organs = read_text(text, format=format)
    assert organs.definitions == {"A:1": "A part."}
    assert organs.names[organs.row("COR")] == organs.names[organs.row("obo:A_2")] == "A:2"
    assert sum(organs.glossary.synonyms, ()) == ("cor",)
    assert dict(organs.glossary.obsolete) == {"A:9": Obsolete("obsolete pump", ("A:2",), ("A:1",))}
    if kind in ("obographs", "rdfxml"):
        assert organs.names[organs.row("A:7")] == "A:2"


SKOS = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix zoo: <http://example.org/zoo#> .
@prefix efo: <http://www.ebi.ac.uk/efo/> . @prefix unused: <http://example.org/unused#> .
zoo:dog skos:broader efo:EFO_0000001 ; skos:prefLabel "Hund"@de, "dog"@en, "chien"@fr ; skos:altLabel "hound"@en ;
  skos:notation "D 7" ; skos:definition "Ein Tier."@de, "An animal."@en .
efo:EFO_0000001 skos:prefLabel "animal" .
"""


def test_labels_in_other_languages_notations_and_addresses_find_a_concept():
    zoo = read_text(SKOS, format="turtle")
    assert zoo.definitions == {"zoo:dog": "An animal."}
    assert zoo.display_name(zoo.row("zoo:dog")) == "dog"
    for text in ("Hund", "chien", "hound", "D 7", "http://example.org/zoo#dog", "<http://example.org/zoo#dog>"):
        assert zoo.names[zoo.row(text)] == "zoo:dog"
    for text in ("EFO:0000001", "EFO_0000001", "http://www.ebi.ac.uk/efo/EFO_0000001", "efo:efo_0000001"):
        assert zoo.names[zoo.row(text)] == "efo:EFO_0000001"
    assert zoo.names[zoo.row("dog")] == "zoo:dog"
    twins = SKOS.replace("zoo:dog skos:broader", "efo:dog skos:broader zoo:dog .\nzoo:dog skos:broader").replace(
        '"dog"', '"pet"'
    )
    with raises_exactly("'dog' is another name of 2 nodes: …"):
        read_text(twins, format="turtle").row("dog")
    assert dict(zoo.glossary.prefixes) == {"efo": "http://www.ebi.ac.uk/efo/", "zoo": "http://example.org/zoo#"}


def test_a_whole_address_is_found_by_its_last_part():
    line = "<http://a/%s> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://a/%s> .\n"
    zoo = read_text(line % ("x#Dog", "y#Animal") + line % ("z#Cat", "y#Animal"), format="ntriples")
    assert zoo.names[zoo.row("dog")] == "http://a/x#Dog"


def test_a_condensed_node_has_the_entries_of_all_its_parts():
    text = (
        '[Term]\nid: A:1\nsynonym: "one" EXACT []\ndef: "First." []\nis_a: A:2\n'
        '[Term]\nid: A:2\nsynonym: "two" EXACT []\ndef: "Second." []\nalt_id: A:7\nis_a: A:1\n'
        "[Term]\nid: A:3\nis_a: A:1\n"
    )
    found = read_text(text, format="obo", on_cycle="condense")
    merged = found.row("A:1")
    assert merged == found.row("one") == found.row("two") == found.row("A:7") == found.row("A:2")
    assert set(found.definitions[found.names[merged]].split(" = ")) == {"First.", "Second."}


def test_other_names_of_a_taxon_find_it_and_a_merged_id_says_what_replaced_it(tmp_path):
    (tmp_path / "nodes.dmp").write_text(NCBI_NODES)
    names = [
        ("9606", "Homo sapiens", "scientific name"),
        ("9606", "human", "genbank common name"),
        ("9606", "man", "common name"),
        ("9606", "Homo sapiens Linnaeus, 1758", "authority"),
        ("9605", "Homo", "scientific name"),
        ("9605", "humans", "common name"),
    ]
    (tmp_path / "names.dmp").write_text("".join(f"{a}\t|\t{b}\t|\t\t|\t{c}\t|\n" for a, b, c in names))
    (tmp_path / "merged.dmp").write_text("12\t|\t9606\t|\n13\t|\t77\t|\n")
    taxa = read(tmp_path / "nodes.dmp")
    assert taxa.glossary.synonyms[taxa.row("9606")] == ("human", "man")
    assert taxa.row("Human") == taxa.row("9606")
    with raises_exactly("12 is obsolete, replaced by 9606 (Homo sapiens); ask for 9606", error=ObsoleteNameError):
        taxa.row("12")
    with raises_exactly(
        "13 is obsolete, replaced by 77, which this model does not have; ask for another node", error=ObsoleteNameError
    ):
        taxa.row("13")


def test_the_other_words_of_a_synset_find_it_and_its_gloss_is_its_definition(tmp_path):
    words = read(write_wordnet(tmp_path) / "data.noun")
    assert set(words.definitions) == set(words.names)
    assert all(text.strip() for text in words.definitions.values())
    synonyms = {text for texts in words.glossary.synonyms for text in texts}
    assert synonyms
    for text in synonyms:
        row = words.row(text.replace(" ", "_").upper())
        assert text in words.glossary.synonyms[row] or words.labels[row].casefold() == text.casefold()
