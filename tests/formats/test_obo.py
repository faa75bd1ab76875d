"""OBO ontologies and OBO Graphs JSON: relations, labels, obsolete terms, notes, and what is refused."""

from __future__ import annotations

import json

import pytest
from tests.support.formats import read_text
from tests.support.hierarchies import edges_of

from hypercone.errors import InputError
from hypercone.formats import obographs
from hypercone.formats.obographs import JsonStream

OBO_TEXT = """\
format-version: 1.4
ontology: ontology

[Term]
id: HP:1
name: All
alt_id: HP:0001

[Term] ! second
id: HP:2 ! a comment
name: Heart\\, the \\{big\\} one {source="x"} ! not this
def: "is_a: HP:9" [x]
is_a: HP:1 {is_inferred="true"} ! All
intersection_of: HP:9
relationship: part_of HP:3 ! Body

[Term]
id: HP:3
name: Body
is_a: HP:1
is_a: XY:7 ! imported from elsewhere
relationship: part_of HP:8

[Term]
id: HP:8
name: obsolete Humour
is_obsolete: true
is_a: HP:1

[Term]
id: HP\\:4
name: Lonely

[Typedef]
id: part_of
name: part of
is_a: HP:1
"""


def read_obo(text, **options):
    return read_text(text, format="obo", **options)


def read_json(data, **options):
    return read_text(data if isinstance(data, str) else json.dumps(data), format="obographs", **options)


def test_is_a_makes_the_edges_names_are_labels_and_what_was_left_out_is_noted():
    ontology = read_obo(OBO_TEXT)
    assert edges_of(ontology) == [("HP:1", "HP:2"), ("HP:1", "HP:3")]
    assert ontology.in_words() == ["Heart, the {big} one is an All", "Body is an All"]
    assert ontology.notes == (
        "1 obsolete term skipped",
        "1 target that is not in the file left out: XY:7",
        "1 term without an edge left out",
        "2 other relations skipped (part_of 2)",
    )


def test_other_relations_count_if_requested_and_are_then_not_noted_as_skipped():
    both = read_obo(OBO_TEXT, relations=("is_a", "part_of"))
    assert edges_of(both) == [("HP:1", "HP:2"), ("HP:1", "HP:3"), ("HP:3", "HP:2")]
    assert "1 target that is obsolete left out: HP:8" in both.notes
    assert not any("other relation" in note for note in both.notes)
    assert edges_of(read_obo(OBO_TEXT, relations="part_of")) == [("HP:3", "HP:2")]
    with pytest.raises(InputError, match=r"no term has the relation 'partof'; its relations are is_a, part_of$"):
        read_obo(OBO_TEXT, relations=["partof"])


RDFS = "http://www.w3.org/2000/01/rdf-schema#"
PURL = "http://purl.obolibrary.org/obo/"
GRAPHS = {
    "graphs": [
        {
            "meta": {"version": [{"x": 1}]},
            "edges": [
                {"sub": PURL + "HP_2", "pred": "is_a", "obj": PURL + "HP_1"},
                {"sub": PURL + "HP_2", "pred": PURL + "BFO_0000050", "obj": PURL + "HP_3"},
                {"sub": PURL + "HP_2", "pred": PURL + "RO_0002202", "obj": PURL + "HP_1"},
                {"sub": PURL + "HP_3", "pred": "rdfs:subClassOf", "obj": PURL + "HP_1"},
                {"sub": PURL + "HP_8", "pred": "is_a", "obj": PURL + "HP_1"},
                {"sub": PURL + "XY_7", "pred": f"{RDFS}subClassOf", "obj": PURL + "HP_1"},
            ],
            "nodes": [
                {"id": PURL + "HP_1", "lbl": "All", "type": "CLASS"},
                {"id": PURL + "HP_2", "lbl": "Heart"},
                {"id": PURL + "HP_3"},
                {"id": PURL + "HP_8", "lbl": "Humour", "meta": {"deprecated": True}},
                {"id": PURL + "RO_0002202", "lbl": "develops from", "type": "PROPERTY"},
            ],
            "logicalDefinitionAxioms": [{"a": [1, 2]}],
        },
        {"id": "empty"},
    ]
}
TERMS = {
    "CL:1": {"ancestors": {"CL:0": 1}, "label": "neuron", "deprecated": False},
    "CL:2": {"ancestors": {"CL:0": 2, "CL:1": 1}, "label": "motor neuron"},
    "CL:0": {"ancestors": {}, "label": "cell"},
    "CL:9": {"ancestors": {"CL:0": 1}, "label": "old cell", "deprecated": True},
}


def test_obo_graphs_are_read_with_short_names_labels_and_every_spelling_of_is_a():
    ontology = read_json(GRAPHS)
    assert edges_of(ontology) == [("HP:1", "HP:2"), ("HP:1", "HP:3")]
    assert ontology.in_words() == ["Heart is an All", "HP:3 is an All"]
    assert ontology.notes == (
        "1 obsolete term skipped",
        "1 target that is not in the file left out: XY:7",
        "2 other relations skipped (part_of 1, develops_from 1)",
    )


@pytest.mark.parametrize(
    ("name", "parent"),
    [(f"{PURL}BFO_0000050", 3), ("part_of", 3), ("BFO_0000050", 3), ("BFO:0000050", 3), ("develops_from", 1)],
)
def test_a_relation_is_known_by_its_name_number_or_label(name, parent):
    assert edges_of(read_json(GRAPHS, relations=[name])) == [(f"HP:{parent}", "HP:2")]
    with pytest.raises(InputError, match=r"'overlaps'; its relations are develops_from, is_a, part_of$"):
        read_json(GRAPHS, relations=["overlaps"])


def test_terms_with_their_ancestors_are_read():
    terms = read_json(TERMS)
    assert edges_of(terms) == [("CL:0", "CL:1"), ("CL:1", "CL:2")]
    assert terms.display_name(terms.row("CL:2")) == "motor neuron"
    assert terms.notes == ("1 obsolete term skipped",)


@pytest.mark.parametrize("window", [1, 2, 7, 1000])
def test_the_size_of_the_window_does_not_matter(monkeypatch, window):
    monkeypatch.setattr(obographs, "WINDOW", window)
    monkeypatch.setattr(obographs, "MARGIN", 8)
    value = {"a": [1, -2.5e10, "ü\n€𝄞", None, True], "b": {"c": {"d": [[]]}}, "e": 12345, "f": 1e3}
    stream = JsonStream("x", json.dumps(value, ensure_ascii=False, indent=1).encode())
    assert {key: stream.value() for key in stream.members()} == value
    stream.end()
    assert edges_of(read_json(GRAPHS)) == [("HP:1", "HP:2"), ("HP:1", "HP:3")]


def test_a_value_that_is_too_long_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(obographs, "WINDOW", 16)
    monkeypatch.setattr(obographs, "LONGEST_VALUE", 100)
    stream = JsonStream("x", b'{"a": "' + b"y" * 10_000)
    with pytest.raises(InputError, match="is not valid JSON"):
        [stream.value() for _ in stream.members()]
    assert stream.reached < 1_000
