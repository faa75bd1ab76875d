"""GraphML, and what every reader of XML refuses: entities that expand, other files, other documents."""

import io

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.errors import raises_exactly
from tests.support.formats import RDF_OPENING, SAMPLES, pairs_of, parse, read_text

from hypercone.errors import InputError
from hypercone.hierarchy import Hierarchy

GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">'


def parse_graph(body, direction="parent-child", **options):
    data = body if isinstance(body, bytes) else f"{GRAPHML}{body}</graphml>"
    return parse("graphml", data, direction=direction, **options)


def test_the_direction_says_which_end_is_the_parent():
    body = '<graph edgedefault="directed"><node id="a"/>\n<edge source="a" target="b"/><node id="b"/></graph>'
    assert pairs_of(parse_graph(body)) == [("a", "b")]
    assert pairs_of(parse_graph(body, "child-parent")) == [("b", "a")]
    assert parse_graph(body).location(0) == "zoo.file:2"


def test_the_best_label_of_a_node_is_taken():
    parsed = parse_graph(
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
    parsed = parse_graph(
        """<graph edgedefault="directed"><node id="a"><port name="north"/><graph edgedefault="directed">
          <node id="b"/><node id="c"/><edge source="b" target="c"/></graph></node><node id="lonely"/>
          <hyperedge><endpoint node="a"/><endpoint node="b"/></hyperedge><edge source="a" target="b"/></graph>"""
    )
    assert pairs_of(parsed) == [("b", "c"), ("a", "b")]
    assert parsed.notes == (
        "1 port skipped",
        "1 hyperedge skipped",
        "1 nested graph read as if not nested",
        "1 node without an edge left out",
    )


RELATED = """<key id="n" for="node" attr.name="relation" attr.type="string"/>
<key id="r" for="edge" attr.name="{}" attr.type="string"/>
<graph edgedefault="directed"><node id="animal"/><node id="dog"><data key="n">part_of</data></node><node id="paw"/>
<edge id="e1" source="dog" target="animal"><data key="r">is a</data></edge>
<edge id="e2" source="paw" target="dog"><data key="r">part_of</data></edge></graph>"""


@pytest.mark.parametrize("key", ["relation", "Relationship", "predicate", "type", "label"])
def test_only_edges_with_the_requested_relations_are_taken_as_from_networkx(key):
    file = f"{GRAPHML}{RELATED.format(key)}</graphml>".encode()
    up = {"format": "graphml", "direction": "child-parent"}
    found = read_text(file, **up)
    assert found.in_words() == ["dog is an animal"]
    assert found.notes == (
        "1 other relation skipped (part_of 1)",
        "1 node without an edge by is_a left out: paw",
    )
    assert read_text(file, relations=["is_a"], **up) == found
    parts = read_text(file, relations=["BFO:0000050"], **up)
    assert parts.in_words() == ["paw is a dog"]
    assert len(read_text(file, relations=["is_a", "part_of"], **up).edges) == 2
    if key == key.lower():
        graph = networkx.read_graphml(io.BytesIO(file))
        assert Hierarchy.from_networkx(graph, "child-parent").notes == found.notes
    with raises_exactly(
        "the stream: no edge of the graph has the relation 'on'; there are is a 1, part_of 1; say which make the "
        'hierarchy, as in relations=["is a"]'
    ):
        read_text(file, relations=["on"], **up)


def test_the_line_of_an_edge_is_its_own_when_others_are_left_out():
    parsed = parse_graph(RELATED.replace("is a", "on").format("relation"), relations=["part_of"])
    assert pairs_of(parsed) == [("paw", "dog")]
    assert parsed.location(0) == "zoo.file:5"


def test_a_default_is_the_relation_of_edges_without_one():
    key = '<key id="r" for="edge" attr.name="relation"><default>is_a</default></key>'
    body = RELATED.replace('<data key="r">is a</data>', "").split("/>", 2)[2]
    assert pairs_of(parse_graph(key + body, "child-parent")) == [("animal", "dog")]


def test_data_of_edges_that_are_no_relations_filter_nothing_and_relations_do_not_apply_to_them():
    body = RELATED.format("weight")
    assert len(parse_graph(body).parents) == 2
    assert len(parse_graph(RELATED.format("type").replace('"string"', '"int"')).parents) == 2
    assert len(parse_graph(RELATED.format("type").replace('<data key="r">is a</data>', "")).parents) == 2
    with raises_exactly('zoo.file: the edges of the graph have no relations, but relations=["part_of"]; leave it out'):
        parse_graph(body, relations=["part_of"])


names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cn"]), min_size=1, max_size=6)


@given(pairs=st.lists(st.tuples(names, names), min_size=1), labels=st.lists(names))
def test_what_networkx_writes_is_read_back(pairs, labels):
    graph = networkx.DiGraph(pairs)
    for node, label in zip(list(graph), labels, strict=False):
        graph.nodes[node]["label"] = label
    file = io.BytesIO()
    networkx.write_graphml_xml(graph, file)
    parsed = parse_graph(file.getvalue())
    assert pairs_of(parsed) == list(graph.edges)
    assert parsed.labels == {node: label.strip() for node, label in graph.nodes(data="label") if (label or "").strip()}


LABELED_GRAPH = (
    '<graphml><key id="k" for="node" attr.name="label"/><graph edgedefault="directed"><node id="a">'
    '<data key="k">{}</data></node><node id="{}"/><edge source="a" target="b"/></graph></graphml>'
)
EDGE = '<rdfs:Class rdf:about="#dog"><rdfs:label>{}</rdfs:label><rdfs:subClassOf rdf:resource="#{}"/></rdfs:Class>'
TEMPLATES = {"rdfxml": RDF_OPENING + EDGE + "</rdf:RDF>", "graphml": LABELED_GRAPH}
each_format = pytest.mark.parametrize("kind", TEMPLATES)


def read(kind, doctype, text="dog", attribute="b"):
    return parse(kind, doctype + TEMPLATES[kind].format(text, attribute), **SAMPLES[kind].options)


@each_format
def test_short_entities_are_expanded(kind):
    parsed = read(kind, '<!DOCTYPE x [<!ENTITY d "do"><!ENTITY e "&d;g"><!ENTITY bee "b">]>', "hot &e;", "&bee;")
    assert list(parsed.labels.values()) == ["hot dog"]


@each_format
@pytest.mark.parametrize("where", ["text", "attribute"])
def test_an_entity_that_expands_too_much_is_refused(kind, where):
    lines = ['<!ENTITY e0 "haha">'] + [f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12)]
    with pytest.raises(InputError, match=r"zoo\.file:1: the entity 'e\d' stands for more than 1,000 characters"):
        read(kind, f"<!DOCTYPE x [{''.join(lines)}]>", **{where: "&e11;"})


@each_format
def test_no_local_file_is_read(kind, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the-secret")
    with pytest.raises(InputError, match="refers to another file, which is not opened") as caught:
        read(kind, f'<!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]>', "&e;")
    assert "the-secret" not in str(caught.value)
    with pytest.raises(InputError, match="refers to another file, which is not opened"):
        read(kind, f'<!DOCTYPE x [<!ENTITY % e SYSTEM "{secret.as_uri()}"> %e;]>')


@each_format
@pytest.mark.parametrize("where", ["text", "attribute"])
def test_declarations_in_another_file_are_not_read(kind, where, tmp_path):
    declarations = tmp_path / "zoo.dtd"
    declarations.write_text('<!ENTITY b "b">')
    doctype = f'<!DOCTYPE x SYSTEM "{declarations.as_uri()}">'
    assert read(kind, doctype).children
    with pytest.raises(InputError, match=r"the entity &b; is declared in another file, which is not opened"):
        read(kind, doctype, **{where: "&b;"})
