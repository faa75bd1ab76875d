"""XML of strangers: nothing is opened, nothing swells, and the whole of RDF/XML is understood."""

import pytest

from hypercone.errors import InputError
from hypercone.formats import graphml, rdfxml
from hypercone.formats.source import Content

OPENING = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xml:base="http://zoo/"'
    ' xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:zoo="http://zoo/#" xmlns:owl="http://www.w3.org/2002/07/owl#">'
)
EDGE = '<rdfs:Class rdf:about="#dog"><rdfs:label>{}</rdfs:label><rdfs:subClassOf rdf:resource="#{}"/></rdfs:Class>'
GRAPH = (
    '<graphml><key id="k" for="node" attr.name="label"/><graph edgedefault="directed"><node id="a">'
    '<data key="k">{}</data></node><node id="{}"/><edge source="a" target="b"/></graph></graphml>'
)
READERS = {
    "rdfxml": (rdfxml.read_rdfxml, OPENING + EDGE + "</rdf:RDF>", {}),
    "graphml": (graphml.read_graphml, GRAPH, {"direction": "parent-child"}),
}
every_reader = pytest.mark.parametrize("name", READERS)


def read(name, doctype, text="dog", attribute="b"):
    reader, template, options = READERS[name]
    return reader(Content("zoo.xml", "", (doctype + template.format(text, attribute)).encode()), **options)


@every_reader
def test_short_entities_are_understood(name):
    reading = read(name, '<!DOCTYPE x [<!ENTITY d "do"><!ENTITY e "&d;g"><!ENTITY bee "b">]>', "hot &e;", "&bee;")
    assert list(reading.labels.values()) == ["hot dog"]


@every_reader
@pytest.mark.parametrize("where", ["text", "attribute"])
def test_an_entity_that_swells_is_refused(name, where):
    lines = ['<!ENTITY e0 "haha">'] + [f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12)]
    with pytest.raises(InputError, match=r"zoo\.xml:1: the entity 'e\d' stands for more than 1,000 characters"):
        read(name, f"<!DOCTYPE x [{''.join(lines)}]>", **{where: "&e11;"})


@every_reader
def test_no_local_file_is_read(name, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the-secret")
    with pytest.raises(InputError, match="refers to another file, which is not opened") as caught:
        read(name, f'<!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]>', "&e;")
    assert "the-secret" not in str(caught.value)
    with pytest.raises(InputError, match="refers to another file, which is not opened"):
        read(name, f'<!DOCTYPE x [<!ENTITY % e SYSTEM "{secret.as_uri()}"> %e;]>')


@every_reader
@pytest.mark.parametrize("where", ["text", "attribute"])
def test_no_other_file_is_asked_for_declarations(name, where, tmp_path):
    declarations = tmp_path / "zoo.dtd"
    declarations.write_text('<!ENTITY b "b">')
    doctype = f'<!DOCTYPE x SYSTEM "{declarations.as_uri()}">'
    assert read(name, doctype).children
    with pytest.raises(InputError, match=r"the entity &b; is declared in another file, which is not opened"):
        read(name, doctype, **{where: "&b;"})


@every_reader
@pytest.mark.parametrize(
    "data", [b"<html></html>", b"<a><b></a>", b"<", b"<?xml version='1.0' encoding='no-such'?><a/>"]
)
def test_other_xml_is_refused(name, data):
    reader, _, options = READERS[name]
    with pytest.raises(InputError, match=r"zoo\.xml"):
        reader(Content("zoo.xml", "", data), **options)


def rdf(body):
    reading = rdfxml.read_rdfxml(Content("zoo.owl", ".owl", f"{OPENING}{body}</rdf:RDF>".encode()))
    return list(zip(reading.parents, reading.children, strict=True)), reading


def test_every_way_to_write_a_statement_in_rdfxml():
    edges, reading = rdf(
        """
        <rdfs:Class rdf:ID="a" rdfs:label="by attribute"><rdfs:subClassOf><rdfs:Class rdf:about="#b">
            <zoo:remark>so <zoo:x rdf:about="#y"><rdfs:subClassOf rdf:resource="#b"/></zoo:x></zoo:remark>
            <zoo:remark rdf:parseType="Literal">an <b rdf:about="#no">XML</b> <rdfs:subClassOf/> text</zoo:remark>
            <zoo:remark xml:lang="de">nur so</zoo:remark>
        </rdfs:Class></rdfs:subClassOf></rdfs:Class>
        <rdf:Description rdf:about="#c" rdf:type="http://www.w3.org/2002/07/owl#Class" xml:lang="fr">
            <rdfs:subClassOf rdf:resource="#a"/><zoo:x rdf:resource="#e" rdfs:label="e"/><rdfs:label>chat</rdfs:label>
            <rdfs:label xml:lang="en">c&amp;t</rdfs:label>
        </rdf:Description>
        <owl:Class rdf:about="d" xml:base="http://other/place/"><rdfs:subClassOf rdf:nodeID="n1"/>
            <owl:equivalentClass rdf:parseType="Resource"><owl:intersectionOf rdf:parseType="Collection">
                <owl:Class rdf:about="http://zoo/#e"><rdfs:subClassOf rdf:resource="http://zoo/#a"/></owl:Class>
            </owl:intersectionOf></owl:equivalentClass>
        </owl:Class>
        """
    )
    assert set(edges) == {("zoo:b", "zoo:a"), ("zoo:b", "zoo:y"), ("zoo:a", "zoo:c"), ("zoo:a", "zoo:e")}
    assert reading.labels == {"zoo:a": "by attribute", "zoo:c": "c&t", "zoo:e": "e"}
    assert reading.notes == (
        "1 statement about unnamed classes skipped",
        "1 class without an edge left out",
        "1 node named but not described here, kept (zoo:y)",
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b'<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>',
            "is OWL in its own XML, not in RDF; save it as RDF/XML",
        ),
        (b"@prefix a: <b> .", 'is not XML; if it is Turtle or OBO, say format="turtle" or "obo"$'),
    ],
)
def test_other_syntaxes_of_owl_are_called_by_their_name(data, message):
    with pytest.raises(InputError, match=message):
        rdfxml.read_rdfxml(Content("zoo.owl", ".owl", data))
