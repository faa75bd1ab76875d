"""Ontologies in JSON: OBO Graphs, and terms by id with the distances of their ancestors."""

from __future__ import annotations

import io
import json

import pytest

import hypercone
from hypercone.errors import InputError
from hypercone.formats import obo
from hypercone.formats.obo import JsonStream

OBO = "http://purl.obolibrary.org/obo/"
HEART = {
    "graphs": [
        {
            "meta": {"version": [{"x": 1}]},
            "edges": [
                {"sub": OBO + "HP_2", "pred": "is_a", "obj": OBO + "HP_1"},
                {"sub": OBO + "HP_2", "pred": OBO + "BFO_0000050", "obj": OBO + "HP_3"},
                {"sub": OBO + "HP_2", "pred": OBO + "RO_0002202", "obj": OBO + "HP_1"},
                {"sub": OBO + "HP_3", "pred": "is_a", "obj": OBO + "HP_1"},
                {"sub": OBO + "HP_8", "pred": "is_a", "obj": OBO + "HP_1"},
                {"sub": OBO + "XY_7", "pred": "is_a", "obj": OBO + "HP_1"},
            ],
            "nodes": [
                {"id": OBO + "HP_1", "lbl": "All", "type": "CLASS"},
                {"id": OBO + "HP_2", "lbl": "Heart"},
                {"id": OBO + "HP_3"},
                {"id": OBO + "HP_8", "lbl": "Humour", "meta": {"deprecated": True}},
                {"id": OBO + "RO_0002202", "lbl": "develops from", "type": "PROPERTY"},
            ],
            "logicalDefinitionAxioms": [{"a": [1, 2]}],
        },
        {"id": "empty"},
    ]
}
CELLS = {
    "CL:1": {"ancestors": {"CL:0": 1}, "label": "neuron", "deprecated": False},
    "CL:2": {"ancestors": {"CL:0": 2, "CL:1": 1}, "label": "motor neuron"},
    "CL:0": {"ancestors": {}, "label": "cell"},
    "CL:9": {"ancestors": {"CL:0": 1}, "label": "old cell", "deprecated": True},
}


def read(data, **options):
    text = data if isinstance(data, str) else json.dumps(data)
    return hypercone.read(io.BytesIO(text.encode()), format="obographs", **options)


def edges_of(hierarchy):
    return {(hierarchy.names[parent], hierarchy.names[child]) for parent, child in hierarchy.edges}


def test_obo_graphs_are_read_with_short_names_and_labels():
    heart = read(HEART)
    assert edges_of(heart) == {("HP:1", "HP:2"), ("HP:1", "HP:3")}
    assert heart.in_words() == ["Heart is an All", "HP:3 is an All"]
    assert heart.notes == (
        "1 obsolete term skipped",
        "1 target that is not in the file left out: XY:7",
        "2 other relations skipped (part_of 1, develops_from 1)",
    )


@pytest.mark.parametrize("pred", ["rdfs:subClassOf", "http://www.w3.org/2000/01/rdf-schema#subClassOf", "is_a"])
def test_a_subclass_is_a_kind_however_the_edge_calls_it(pred):
    graph = {"nodes": [{"id": "A:1"}, {"id": "A:2"}], "edges": [{"sub": "A:2", "pred": pred, "obj": "A:1"}]}
    assert edges_of(read({"graphs": [graph]})) == {("A:1", "A:2")}


@pytest.mark.parametrize("name", ["part_of", "BFO_0000050", "BFO:0000050", OBO + "BFO_0000050"])
def test_a_relation_is_known_by_its_name_or_its_number(name):
    assert edges_of(read(HEART, relations=[name])) == {("HP:3", "HP:2")}


def test_a_relation_is_known_by_the_label_that_the_file_gives_it():
    assert edges_of(read(HEART, relations=["develops_from"])) == {("HP:1", "HP:2")}


def test_a_relation_that_never_occurs_is_refused_with_those_that_do():
    with pytest.raises(InputError, match=r"'overlaps'; its relations are develops_from, is_a, part_of$"):
        read(HEART, relations=["overlaps"])


def test_terms_with_their_ancestors_are_read():
    cells = read(CELLS)
    assert edges_of(cells) == {("CL:0", "CL:1"), ("CL:1", "CL:2")}
    assert cells.called(cells.row("CL:2")) == "motor neuron"
    assert cells.notes == ("1 obsolete term skipped",)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "[1]",
            ": is JSON of another kind; it should hold the graphs of OBO Graphs, or terms by id with their",
        ),
        ('{"a": 1}', ": is JSON of another kind; it should hold the graphs of OBO Graphs, or terms by id with"),
        ('{"a": 1,\n}', ":2: is not valid JSON (expected a key in quotes); fetch the file again"),
        ('{"a"\n\n', ":3: is not valid JSON (it ends too early); fetch the file again"),
        ('{"a": 1 "b"}', ":1: is not valid JSON (expected a }); fetch the file again"),
        ('{"a": {"b": nul}}', ":1: is not valid JSON (Expecting value); fetch the file again"),
        ('{"A": {"ancestors": {}}} x', ":1: is not valid JSON (there is more after the end); fetch the file again"),
        ('{"a": ' + "[" * 100_000, ":1: is not valid JSON (a number is too long or the nesting too deep)"),
        ('{"a": ' + "9" * 100_000 + "}", ":1: is not valid JSON (a number is too long or the nesting too deep)"),
        ('{"graphs": [{"nodes": [7]}]}', ":1: is not valid JSON (7 is not one of the nodes of OBO Graphs)"),
        ('{"graphs": [{"edges": [{"sub": 1}]}]}', ":1: is not valid JSON ({'sub': 1} is not one of the edges of OBO"),
        ('{"graphs": [7]}', ":1: is not valid JSON (expected a {); fetch the file again"),
    ],
)
def test_other_json_is_refused_with_its_line(text, sentence):
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).startswith(f"the stream{sentence}")


@pytest.mark.parametrize("window", [1, 2, 7, 1000])
def test_the_window_changes_nothing(monkeypatch, window):
    monkeypatch.setattr(obo, "WINDOW", window)
    monkeypatch.setattr(obo, "MARGIN", 8)
    value = {"a": [1, -2.5e10, "ü\n€𝄞", None, True], "b": {"c": {"d": [[]]}}, "e": 12345, "f": 1e3}
    stream = JsonStream("x", json.dumps(value, ensure_ascii=False, indent=1).encode())
    assert {key: stream.value() for key in stream.members()} == value
    stream.end()
    assert edges_of(read(HEART)) == {("HP:1", "HP:2"), ("HP:1", "HP:3")}


def test_a_value_too_long_is_refused_before_all_of_it_is_read(monkeypatch):
    monkeypatch.setattr(obo, "WINDOW", 16)
    monkeypatch.setattr(obo, "LONGEST_VALUE", 100)
    stream = JsonStream("x", b'{"a": "' + b"y" * 10_000)
    with pytest.raises(InputError, match="is not valid JSON"):
        [stream.value() for _ in stream.members()]
    assert stream.reached < 1_000
