"""GraphML: arrows whose direction somebody says, labels, and what is refused."""

import io

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypercone.errors import InputError
from hypercone.formats import graphml
from hypercone.formats.source import Content

OPENING = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">'


def read(body, direction="parent-child"):
    data = body if isinstance(body, bytes) else f"{OPENING}{body}</graphml>".encode()
    return graphml.read_graphml(Content("zoo.graphml", ".graphml", data), direction=direction)


def edges(reading):
    return list(zip(reading.parents, reading.children, strict=True))


def test_the_direction_says_which_end_is_the_parent():
    body = '<graph edgedefault="directed"><node id="a"/>\n<edge source="a" target="b"/><node id="b"/></graph>'
    assert edges(read(body)) == [("a", "b")]
    assert edges(read(body, "child-parent")) == [("b", "a")]
    assert read(body).location(0) == "zoo.graphml:2"
    with pytest.raises(
        InputError, match=r'zoo\.graphml: GraphML does not say .*; say direction="parent-child" or "child-parent"$'
    ):
        read(body, None)
    with pytest.raises(InputError, match="direction is 'down', but must be"):
        read(body, "down")


def test_the_best_label_of_a_node_is_taken():
    reading = read(
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
    assert reading.labels == {"a": "Animal", "b": "Bird", "c": "Crow"}
    assert reading.notes == ()


def test_what_is_no_edge_is_left_out_with_a_note():
    reading = read(
        """<graph edgedefault="directed"><node id="a"><port name="north"/><graph edgedefault="directed">
          <node id="b"/><node id="c"/><edge source="b" target="c"/></graph></node><node id="lonely"/>
          <hyperedge><endpoint node="a"/><endpoint node="b"/></hyperedge><edge source="a" target="b"/></graph>"""
    )
    assert edges(reading) == [("b", "c"), ("a", "b")]
    assert reading.notes == (
        "1 port skipped",
        "1 hyperedge skipped",
        "1 nested graph read as if not nested",
        "1 node without an edge left out",
    )


NODES = '<node id="a"/><node id="b"/>'


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f'<graph edgedefault="undirected">{NODES}<edge source="a" target="b"/></graph>', ":1: the edge is undirected"),
        (
            f'<graph edgedefault="directed">{NODES}<edge directed="false" source="a" target="b"/></graph>',
            "is undirected",
        ),
        (
            f'<graph edgedefault="directed">{NODES}\n<edge source="a" target="c"/></graph>',
            ":2: the edge names a node 'c'",
        ),
        (f'<graph edgedefault="directed">{NODES}<edge source="a"/></graph>', ":1: the edge has no target; give it one"),
        (f'<graph edgedefault="directed">{NODES}<node/></graph>', ":1: the node has no id; give it one"),
        (f'<graph edgedefault="directed">{NODES}\n<node id="a"/></graph>', ":2: there are two nodes with the id 'a'"),
        (b"", "is empty; it should hold XML"),
        (b"parent\tchild\n", ":1: the XML is broken"),
        (b"<svg/>", ":1: begins with <svg>, not with <graphml>"),
        (b"<graphml><graph>", ":1: the XML is broken"),
        (b"<graphml>\xff</graphml>", ":1: the XML is broken"),
    ],
)
def test_a_bad_graph_is_refused(body, message):
    with pytest.raises(InputError, match=r"zoo\.graphml") as caught:
        read(body)
    assert message in str(caught.value)


@given(data=st.binary(max_size=300))
def test_random_bytes_are_refused(data):
    with pytest.raises(InputError, match=r"zoo\.graphml"):
        read(data)


names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cn"]), min_size=1, max_size=6)


@given(pairs=st.lists(st.tuples(names, names), min_size=1), labels=st.lists(names))
def test_what_networkx_writes_is_read_back(pairs, labels):
    graph = networkx.DiGraph(pairs)
    for node, label in zip(list(graph), labels, strict=False):
        graph.nodes[node]["label"] = label
    file = io.BytesIO()
    networkx.write_graphml_xml(graph, file)
    reading = read(file.getvalue())
    assert edges(reading) == list(graph.edges)
    wanted = {node: label.strip() for node, label in graph.nodes(data="label") if label and label.strip()}
    assert reading.labels == wanted
