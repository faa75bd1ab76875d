"""GraphML, and what every reader of XML refuses: entities that expand, other files, other documents."""

import io

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypercone.errors import InputError
from hypercone.formats import graphml, rdfxml
from hypercone.formats.source import Content

GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">'


def read_graph(body, direction="parent-child"):
    data = body if isinstance(body, bytes) else f"{GRAPHML}{body}</graphml>".encode()
    return graphml.read_graphml(Content("zoo.graphml", ".graphml", data), direction=direction)


def edges(parsed):
    return list(zip(parsed.parents, parsed.children, strict=True))


def test_the_direction_says_which_end_is_the_parent():
    body = '<graph edgedefault="directed"><node id="a"/>\n<edge source="a" target="b"/><node id="b"/></graph>'
    assert edges(read_graph(body)) == [("a", "b")]
    assert edges(read_graph(body, "child-parent")) == [("b", "a")]
    assert read_graph(body).location(0) == "zoo.graphml:2"
    with pytest.raises(
        InputError, match=r'zoo\.graphml: GraphML does not say .*; say direction="parent-child" or "child-parent"$'
    ):
        read_graph(body, None)
    with pytest.raises(InputError, match="direction is 'down', but must be"):
        read_graph(body, "down")


def test_the_best_label_of_a_node_is_taken():
    parsed = read_graph(
        """<key id="k0" for="node" attr.name="title"/><key id="k1" for="node" attr.name="Label"/>
        <key id="k2" for="edge" attr.name="label"/><key id="k3" for="node" attr.name="weight"/><key id="k4"/>
        <graph edgedefault="directed">
          <node id="a"><data key="k1"> Animal </data><data key="k0">worse</data><data key="k3">7</data></node>
          <node id="b"><data key="k0">Bird</data></node>
          <node id="c"><data key="k4"><y:ShapeNode><y:NodeLabel>Crow<y:Model/></y:NodeLabel></y:ShapeNode></data></node>
          <node id="d"/>
          <edge source="a" target="b"><data key="k2">no label of a node</data></edge>
          <edge source="b" target="c"/><edge source="b" target="d"/>
        </graph>"""
    )
    assert parsed.labels == {"a": "Animal", "b": "Bird", "c": "Crow"}
    assert parsed.notes == ()


def test_other_elements_are_left_out_with_a_note():
    parsed = read_graph(
        """<graph edgedefault="directed"><node id="a"><port name="north"/><graph edgedefault="directed">
          <node id="b"/><node id="c"/><edge source="b" target="c"/></graph></node><node id="lonely"/>
          <hyperedge><endpoint node="a"/><endpoint node="b"/></hyperedge><edge source="a" target="b"/></graph>"""
    )
    assert edges(parsed) == [("b", "c"), ("a", "b")]
    assert parsed.notes == (
        "1 port skipped",
        "1 hyperedge skipped",
        "1 nested graph read as if not nested",
        "1 node without an edge left out",
    )


TWO_NODES = '<node id="a"/><node id="b"/>'
GRAPH = f'<graph edgedefault="directed">{TWO_NODES}'


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f'<graph edgedefault="undirected">{TWO_NODES}<edge source="a" target="b"/></graph>', ":1: the edge is"),
        (f'{GRAPH}<edge directed="false" source="a" target="b"/></graph>', "is undirected"),
        (f'{GRAPH}\n<edge source="a" target="c"/></graph>', ":2: the edge names a node 'c'"),
        (f'{GRAPH}<edge source="a"/></graph>', ":1: the edge has no target; give it one"),
        (f"{GRAPH}<node/></graph>", ":1: the node has no id; give it one"),
        (f'{GRAPH}\n<node id="a"/></graph>', ":2: there are two nodes with the id 'a'"),
        (b"", "is empty; it should hold XML"),
        (b"parent\tchild\n", ":1: the XML is broken"),
        (b"<svg/>", ":1: begins with <svg>, not with <graphml>"),
        (b"<graphml><graph>", ":1: the XML is broken"),
        (b"<graphml>\xff</graphml>", ":1: the XML is broken"),
    ],
)
def test_a_bad_graph_is_refused(body, message):
    with pytest.raises(InputError, match=r"zoo\.graphml") as caught:
        read_graph(body)
    assert message in str(caught.value)


names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cn"]), min_size=1, max_size=6)


@given(pairs=st.lists(st.tuples(names, names), min_size=1), labels=st.lists(names))
def test_what_networkx_writes_is_read_back(pairs, labels):
    graph = networkx.DiGraph(pairs)
    for node, label in zip(list(graph), labels, strict=False):
        graph.nodes[node]["label"] = label
    file = io.BytesIO()
    networkx.write_graphml_xml(graph, file)
    parsed = read_graph(file.getvalue())
    assert edges(parsed) == list(graph.edges)
    wanted = {node: label.strip() for node, label in graph.nodes(data="label") if label and label.strip()}
    assert parsed.labels == wanted


RDF = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xml:base="http://zoo/"'
    ' xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:zoo="http://zoo/#" xmlns:owl="http://www.w3.org/2002/07/owl#">'
)


LABELED_GRAPH = (
    '<graphml><key id="k" for="node" attr.name="label"/><graph edgedefault="directed"><node id="a">'
    '<data key="k">{}</data></node><node id="{}"/><edge source="a" target="b"/></graph></graphml>'
)
EDGE = '<rdfs:Class rdf:about="#dog"><rdfs:label>{}</rdfs:label><rdfs:subClassOf rdf:resource="#{}"/></rdfs:Class>'


READERS = {
    "rdfxml": (rdfxml.read_rdfxml, RDF + EDGE + "</rdf:RDF>", {}),
    "graphml": (graphml.read_graphml, LABELED_GRAPH, {"direction": "parent-child"}),
}


each_reader = pytest.mark.parametrize("name", READERS)


def read(name, doctype, text="dog", attribute="b"):
    reader, template, options = READERS[name]
    return reader(Content("zoo.xml", "", (doctype + template.format(text, attribute)).encode()), **options)


@each_reader
def test_short_entities_are_expanded(name):
    parsed = read(name, '<!DOCTYPE x [<!ENTITY d "do"><!ENTITY e "&d;g"><!ENTITY bee "b">]>', "hot &e;", "&bee;")
    assert list(parsed.labels.values()) == ["hot dog"]


@each_reader
@pytest.mark.parametrize("where", ["text", "attribute"])
def test_an_entity_that_expands_too_much_is_refused(name, where):
    lines = ['<!ENTITY e0 "haha">'] + [f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12)]
    with pytest.raises(InputError, match=r"zoo\.xml:1: the entity 'e\d' stands for more than 1,000 characters"):
        read(name, f"<!DOCTYPE x [{''.join(lines)}]>", **{where: "&e11;"})


@each_reader
def test_no_local_file_is_read(name, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the-secret")
    with pytest.raises(InputError, match="refers to another file, which is not opened") as caught:
        read(name, f'<!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]>', "&e;")
    assert "the-secret" not in str(caught.value)
    with pytest.raises(InputError, match="refers to another file, which is not opened"):
        read(name, f'<!DOCTYPE x [<!ENTITY % e SYSTEM "{secret.as_uri()}"> %e;]>')


@each_reader
@pytest.mark.parametrize("where", ["text", "attribute"])
def test_declarations_in_another_file_are_not_read(name, where, tmp_path):
    declarations = tmp_path / "zoo.dtd"
    declarations.write_text('<!ENTITY b "b">')
    doctype = f'<!DOCTYPE x SYSTEM "{declarations.as_uri()}">'
    assert read(name, doctype).children
    with pytest.raises(InputError, match=r"the entity &b; is declared in another file, which is not opened"):
        read(name, doctype, **{where: "&b;"})


@each_reader
@pytest.mark.parametrize(
    "data", [b"<html></html>", b"<a><b></a>", b"<", b"<?xml version='1.0' encoding='no-such'?><a/>"]
)
def test_other_xml_is_refused(name, data):
    reader, _, options = READERS[name]
    with pytest.raises(InputError, match=r"zoo\.xml"):
        reader(Content("zoo.xml", "", data), **options)
