"""Graphs whose edges have relations, as obonet, pronto, igraph and networkx make them: part_of is never is_a."""

from types import SimpleNamespace

import networkx as nx
import pytest
from tests.support.errors import raises_exactly

import hypercone
from hypercone.errors import InputError
from hypercone.hierarchy import Hierarchy

HEART = """format-version: 1.2

[Term]
id: UBERON:1
name: organ

[Term]
id: UBERON:2
name: heart
is_a: UBERON:1 ! organ

[Term]
id: UBERON:3
name: left ventricle
is_a: UBERON:5
relationship: part_of UBERON:2 ! heart
relationship: develops_from UBERON:6

[Term]
id: UBERON:5
name: chamber

[Term]
id: UBERON:6
name: tube
relationship: part_of UBERON:2

[Term]
id: UBERON:4
name: old
is_obsolete: true

[Typedef]
id: part_of
name: part of
xref: BFO:0000050

[Typedef]
id: develops_from
name: develops from
xref: RO:0002202 ! develops from
"""
NAMES = {"UBERON:1": "organ", "UBERON:2": "heart", "UBERON:3": "left ventricle", "UBERON:5": "chamber"}
NAMES["UBERON:6"] = "tube"
RELATED = [
    ("UBERON:2", "is_a", "UBERON:1"),
    ("UBERON:3", "is_a", "UBERON:5"),
    ("UBERON:3", "part_of", "UBERON:2"),
    ("UBERON:3", "develops_from", "UBERON:6"),
    ("UBERON:6", "part_of", "UBERON:2"),
]
TYPEDEFS = [
    {"id": "part_of", "name": "part of", "xref": ["BFO:0000050"]},
    {"id": "develops_from", "name": "develops from", "xref": ["RO:0002202 ! develops from"]},
]


@pytest.fixture
def heart(tmp_path):
    path = tmp_path / "heart.obo"
    path.write_text(HEART)
    return path


def as_obonet_does():
    """The graph that obonet 1.3 reads from the text above."""
    graph = nx.MultiDiGraph(typedefs=TYPEDEFS)
    for name, label in NAMES.items():
        graph.add_node(name, name=label)
    for child, relation, parent in RELATED:
        graph.add_edge(child, parent, key=relation)
    return graph


class Term(SimpleNamespace):
    """A term with the attributes that pronto's have."""

    def superclasses(self, distance, with_self):
        assert distance == 1
        assert not with_self
        return self.above


def as_pronto_does():
    """An object with the interface of a pronto.Ontology, of the text above."""
    terms = {name: Term(id=name, name=label, obsolete=False, above=[]) for name, label in NAMES.items()}
    kinds = {
        each["id"]: SimpleNamespace(
            id=each["id"],
            name=each["name"],
            alternate_ids=frozenset(),
            xrefs=[SimpleNamespace(id=xref.split()[0]) for xref in each["xref"]],
        )
        for each in TYPEDEFS
    }
    for name, term in terms.items():
        term.above = [terms[parent] for child, relation, parent in RELATED if (child, relation) == (name, "is_a")]
        pairs = [(kinds[kind], parent) for child, kind, parent in RELATED if child == name and kind != "is_a"]
        term.relationships = _Relationships((kind, [terms[parent]]) for kind, parent in pairs)
    old = Term(id="UBERON:4", name="old", obsolete=True, above=[], relationships=_Relationships())
    return SimpleNamespace(terms=lambda: [*terms.values(), old], relationships=kinds.values)


class _Relationships(list):
    """Items without a dict, because a SimpleNamespace cannot be a key."""

    def items(self):
        return list(self)


EVERY_NAME = {
    "is_a": ("is_a", "is a", "subClassOf", "rdfs:subClassOf"),
    "part_of": ("part_of", "part of", "Part-of", "BFO:0000050", "http://purl.obolibrary.org/obo/BFO_0000050"),
    "develops_from": ("develops_from", "develops from", "RO:0002202", "http://purl.obolibrary.org/obo/RO_0002202"),
}


@pytest.mark.parametrize(
    ("relation", "name"), [(relation, name) for relation, names in EVERY_NAME.items() for name in names]
)
def test_a_relation_is_found_by_name_id_or_address_in_a_graph_an_ontology_and_a_file(relation, name, heart):
    expected = {(parent, child) for child, found, parent in RELATED if found == relation}
    for hierarchy in (
        Hierarchy.from_networkx(as_obonet_does(), "child-parent", relations=[name]),
        Hierarchy.from_pronto(as_pronto_does(), relations=[name]),
        hypercone.read(heart, relations=[name]),
    ):
        assert {tuple(hierarchy.names[row] for row in edge) for edge in hierarchy.edges.tolist()} == expected
        assert set(hierarchy.names) == {name for edge in expected for name in edge}
        assert [hierarchy.display_name(row) for row in range(len(hierarchy))] == [NAMES[n] for n in hierarchy.names]


def test_without_relations_only_is_a_is_taken_and_notes_say_what_was_left_out():
    hierarchy = Hierarchy.from_networkx(as_obonet_does(), "child-parent")
    assert hierarchy.in_words() == ["heart is an organ", "left ventricle is a chamber"]
    assert hierarchy.notes == (
        "3 other relations skipped (part_of 2, develops_from 1)",
        "1 node without an edge by is_a left out: UBERON:6",
    )
    assert Hierarchy.from_pronto(as_pronto_does()).notes == ("1 obsolete term skipped", *hierarchy.notes)
    both = Hierarchy.from_networkx(as_obonet_does(), "child-parent", relations="is_a,BFO:0000050,part_of")
    assert len(both) == 5
    assert len(both.edges) == 4
    assert both.duplicates == 0
    assert both.notes == ("1 other relation skipped (develops_from 1)",)


@pytest.mark.parametrize(
    "graph",
    [
        nx.MultiDiGraph([("wheel", "car", "part_of"), ("handle", "car", "part_of"), ("car", "road", "on")]),
        nx.DiGraph([("wheel", "car", {"relation": "part_of"}), ("handle", "car", {"relation": "part_of"}),
                    ("car", "road", {"relation": "on"})]),
        nx.DiGraph([("wheel", "car", {"label": "part_of"}), ("handle", "car", {"label": "part_of"}),
                    ("car", "road", {"label": "on"})]),
    ],
    ids=["keys", "relation", "label"],
)  # fmt: skip
def test_relations_without_is_a_are_refused_with_those_there_are(graph):
    with raises_exactly(
        "no edge of the graph has the relation 'is_a'; there are part_of 2, on 1; say which make the hierarchy, as in"
        ' relations=["part_of"]'
    ):
        Hierarchy.from_networkx(graph, "child-parent")
    assert Hierarchy.from_networkx(graph, "child-parent", relations=["part_of"]).in_words(1) == ["wheel is a car"]


@pytest.mark.parametrize("key", ["relation", "relationship", "predicate", "type", "label"])
def test_the_relation_of_an_edge_may_be_an_attribute(key):
    graph = nx.DiGraph([("dog", "animal", {key: "is a"}), ("paw", "dog", {key: "part of"})])
    hierarchy = Hierarchy.from_networkx(graph, "child-parent")
    assert hierarchy.in_words() == ["dog is an animal"]
    assert hierarchy.notes[0] == "1 other relation skipped (part of 1)"


def test_an_attribute_relation_counts_before_the_key_and_edges_without_one_are_not_is_a():
    # A GraphML file with ids of edges becomes a multigraph with these ids as keys.
    graph = nx.MultiDiGraph()
    graph.add_edge("dog", "animal", key="e1", relation="is_a")
    graph.add_edge("paw", "dog", key="e2", relation="part_of")
    assert Hierarchy.from_networkx(graph, "child-parent").in_words() == ["dog is an animal"]
    graph = nx.DiGraph([("dog", "animal", {"relation": "is_a"}), ("cat", "animal", {})])
    assert Hierarchy.from_networkx(graph, "child-parent").notes[0] == "1 other relation skipped (none 1)"


@pytest.mark.parametrize(
    "graph",
    [
        nx.MultiDiGraph([("dog", "animal"), ("dog", "animal"), ("cat", "animal")]),
        nx.MultiDiGraph([("dog", "animal", "0"), ("dog", "animal", "1"), ("cat", "animal", "0")]),
        nx.DiGraph([("dog", "animal", {"weight": 2, "type": 7}), ("cat", "animal", {"type": 7})]),
        # A label for drawing, on one edge only.
        nx.DiGraph([("dog", "animal", {"label": "see page 3"}), ("cat", "animal")]),
    ],
    ids=["numbers", "digits", "attributes", "one label"],
)
def test_edges_without_relations_are_all_taken_and_relations_do_not_apply_to_them(graph):
    hierarchy = Hierarchy.from_networkx(graph, "child-parent")
    assert hierarchy.in_words() == ["dog is an animal", "cat is an animal"]
    assert hierarchy.notes == ()
    with raises_exactly('the edges of the graph have no relations, but relations=["part_of"]; leave it out'):
        Hierarchy.from_networkx(graph, "child-parent", relations=["part_of"])


def test_relations_that_are_not_names_are_refused():
    with pytest.raises(InputError, match=r"relations is None; give names, such as relations=\[\"is_a\", \"part_of\"\]"):
        Hierarchy.from_networkx(as_obonet_does(), "child-parent", relations=None)
    with pytest.raises(InputError, match="no edge of the graph has the relation 'has_part'; there are is_a 2, part_of"):
        Hierarchy.from_networkx(as_obonet_does(), "child-parent", relations=["is_a", "has_part"])


class Vertices(list):
    """Vertices or edges with attributes, by the interface of igraph."""

    def attributes(self):
        return list(self[0].attributes())

    def __getitem__(self, at):
        return [each.attributes()[at] for each in self] if isinstance(at, str) else super().__getitem__(at)


def as_igraph_does(names, edges, *, directed=True, **attributes):
    """An object with the interface of an igraph.Graph."""

    def element(values):
        return SimpleNamespace(attributes=lambda: values)

    per_edge = [dict(zip(attributes, values, strict=True)) for values in zip(*attributes.values(), strict=True)]
    return SimpleNamespace(
        vs=Vertices(element(name) for name in names),
        es=Vertices(element(values) for values in per_edge or [{} for _ in edges]),
        get_edgelist=lambda: edges,
        is_directed=lambda: directed,
    )


def test_an_igraph_graph_has_names_labels_and_relations_as_attributes():
    names = [{"name": "Q1", "label": "animal"}, {"name": "Q2", "label": None}, {"name": "Q3", "label": "paw"}]
    plain = Hierarchy.from_networkx(as_igraph_does(names, [(0, 1), (1, 2)]), "parent-child")
    assert plain.names == ("Q1", "Q2", "Q3")
    assert plain.labels.texts == ("animal", "", "paw")
    related = as_igraph_does(names, [(0, 1), (1, 2)], relation=["is_a", "has_part"])
    assert Hierarchy.from_networkx(related, "parent-child").in_words() == ["Q2 is an animal"]
    numbered = as_igraph_does([{}, {}], [(0, 1)])
    assert Hierarchy.from_networkx(numbered, "child-parent").in_words() == ["0 is a 1"]
    with pytest.raises(InputError, match="the graph is undirected"):
        Hierarchy.from_networkx(as_igraph_does(names, [(0, 1)], directed=False), "parent-child")
    with pytest.raises(InputError, match="two rows are named 'Q1'"):
        Hierarchy.from_networkx(as_igraph_does(names[:1] * 2, [(0, 1)]), "parent-child")
    with pytest.raises(InputError, match="the attribute 'name', vertex 1: is empty"):
        Hierarchy.from_networkx(as_igraph_does([names[0], {"name": None}], [(0, 1)]), "parent-child")


class TestRealLibraries:
    """The same with the libraries themselves, where they are installed."""

    def test_obonet(self, heart):
        obonet = pytest.importorskip("obonet")
        found = Hierarchy.from_networkx(obonet.read_obo(heart), "child-parent", relations=["is_a", "BFO:0000050"])
        assert found == Hierarchy.from_networkx(as_obonet_does(), "child-parent", relations=["is_a", "part_of"])

    def test_pronto(self, heart):
        pronto = pytest.importorskip("pronto")
        ontology = pronto.Ontology(str(heart))
        for relations in (["is_a"], ["part of"], ["is_a", "RO:0002202"]):
            found, expected = (
                Hierarchy.from_pronto(each, relations=relations) for each in (ontology, as_pronto_does())
            )
            assert found == expected
            assert found.notes == expected.notes
            assert found.labels == expected.labels
        assert hypercone.fit(ontology, dim=2).is_a("heart", "organ")

    def test_igraph(self):
        igraph = pytest.importorskip("igraph")
        graph = igraph.Graph(directed=True)
        graph.add_vertices(["animal", "dog", "paw"])
        graph.add_edges([("animal", "dog"), ("dog", "paw")])
        graph.es["relation"] = ["is_a", "has_part"]
        assert Hierarchy.from_networkx(graph, "parent-child").in_words() == ["dog is an animal"]
        assert hypercone.fit(graph, direction="parent-child", dim=2).is_a("dog", "animal")
        assert len(Hierarchy.from_networkx(igraph.Graph.Tree(7, 2, mode="out"), "parent-child")) == 7
