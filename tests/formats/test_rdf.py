"""OWL, RDFS and SKOS in three syntaxes: one meaning, checked against rdflib; and what is refused."""

import logging
import sys

import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from tests.support.errors import raises_exactly
from tests.support.formats import RDF_OPENING, pairs_of, parse

from hypercone.errors import InputError
from hypercone.formats.rdf import RDFS, local_name, names_of

SYNTAXES = {"turtle": "turtle", "ntriples": "nt", "rdfxml": "xml"}
PREFIXES = """
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
@prefix zoo: <http://example.org/zoo#> .
"""
ANATOMY = (
    PREFIXES
    + """
obo:BFO_0000050 a owl:ObjectProperty ; rdfs:label "part of" .
obo:UB_1 a owl:Class ; rdfs:label "Hand"@en, "Hand und mehr"@de ; rdfs:subClassOf owl:Thing .
obo:UB_2 a owl:Class ; rdfs:label "doigt"@fr, "finger" ; rdfs:subClassOf obo:UB_4 ,
    [ a owl:Restriction ; owl:onProperty obo:BFO_0000050 ; owl:someValuesFrom obo:UB_1 ] .
obo:UB_3 a owl:Class ; rdfs:label "thumb" ; rdfs:subClassOf obo:UB_2 ; owl:equivalentClass obo:UB_9 ;
    owl:equivalentClass [ owl:intersectionOf ( obo:UB_2 [ a owl:Restriction ; owl:onProperty obo:BFO_0000050 ;
        owl:someValuesFrom obo:UB_1 ] ) ] .
obo:UB_4 a owl:Class ; rdfs:label "digit" .
obo:UB_5 a owl:Class ; rdfs:label "sixth finger" ; rdfs:subClassOf obo:UB_2 ; owl:deprecated true .
obo:UB_6 a owl:Class ; rdfs:subClassOf obo:XY_77 .
obo:UB_9 a owl:Class ; rdfs:subClassOf obo:UB_9 .
"""
)


def written(turtle: str, syntax: str) -> bytes:
    if syntax == "turtle":
        return turtle.encode()
    return rdflib.Graph().parse(data=turtle, format="turtle").serialize(format=SYNTAXES[syntax]).encode()


each_syntax = pytest.mark.parametrize("syntax", SYNTAXES)


@each_syntax
def test_the_same_graph_says_the_same_in_every_syntax_and_an_edge_knows_its_line(syntax, capfd, monkeypatch):
    data = written(ANATOMY, syntax)
    monkeypatch.setitem(sys.modules, "rdflib", None)
    parsed = parse(syntax, data)
    assert capfd.readouterr() == ("", "")
    assert set(pairs_of(parsed)) == {("UB:4", "UB:2"), ("UB:2", "UB:3"), ("XY:77", "UB:6")}
    assert parsed.labels == {"UB:2": "finger", "UB:3": "thumb", "UB:4": "digit"}
    assert parsed.notes == (
        "1 deprecated node skipped",
        "1 edge from a node to itself skipped",
        "1 equivalence of two named classes not used",
        "1 other relation skipped (part_of 1)",
        "2 classes without an edge left out",
        "1 node named but not described here, kept (XY:77)",
    )
    edge = parsed.children.index("UB:6")
    assert "XY_77" in data.decode().split("\n")[parsed.lines[edge] - 1]
    assert parsed.location(edge) == f"zoo.file:{parsed.lines[edge]}"


@each_syntax
@pytest.mark.parametrize(
    "name", ["part_of", "part of", "BFO_0000050", "BFO:0000050", "http://purl.obolibrary.org/obo/BFO_0000050"]
)
def test_a_restriction_is_an_edge_if_its_property_is_requested(syntax, name):
    parsed = parse(syntax, written(ANATOMY, syntax), relations=[name])
    assert set(pairs_of(parsed)) == {("UB:1", "UB:2")}
    assert parsed.labels["UB:1"] == "Hand"
    both = parse(syntax, written(ANATOMY, syntax), relations=["is_a", name])
    assert set(pairs_of(both)) == {*pairs_of(parsed), *pairs_of(parse(syntax, written(ANATOMY, syntax)))}


@each_syntax
def test_concepts_are_below_what_is_broader_and_above_what_is_narrower(syntax):
    concepts = 'zoo:dog a skos:Concept ; skos:prefLabel "dog"@en ; skos:broader zoo:mammal .\n'
    concepts += "zoo:mammal a skos:Concept ; skos:narrower zoo:dog, zoo:cat ; skos:broaderTransitive zoo:thing ."
    parsed = parse(syntax, written(PREFIXES + concepts, syntax))
    # Only in Turtle does rdflib write down a prefix that no property uses.
    prefix = "zoo:" if syntax == "turtle" else "http://example.org/zoo#"
    assert set(pairs_of(parsed)) == {(prefix + "mammal", prefix + "dog"), (prefix + "mammal", prefix + "cat")}
    assert len(parsed.parents) == 2
    assert parsed.labels == {prefix + "dog": "dog"}


@each_syntax
@pytest.mark.parametrize("name", ["is_a", "is a", "subClassOf", "rdfs:subClassOf", RDFS + "subClassOf", "skos:broader"])
def test_every_name_of_is_a_is_one_relation(syntax, name):
    data = written(ANATOMY, syntax)
    assert pairs_of(parse(syntax, data, relations=[name])) == pairs_of(parse(syntax, data))


@pytest.mark.parametrize("syntax", ["turtle", "rdfxml"])
def test_a_property_is_also_named_with_its_prefix_but_not_by_a_label_unless_it_is_that_of_a_restriction(syntax):
    text = 'zoo:P361 rdfs:label "belongs to" . zoo:paw zoo:P361 zoo:dog ; obo:BFO_0000050 zoo:leg .'
    data = written(PREFIXES + text, syntax)
    for name in ("zoo:P361", "P361"):
        assert [local_name(node) for edge in pairs_of(parse(syntax, data, relations=[name])) for node in edge] == [
            "dog",
            "paw",
        ]
    for name in ("part_of", "obo:BFO_0000050", "BFO:0000050"):
        assert [local_name(edge[0]) for edge in pairs_of(parse(syntax, data, relations=[name]))] == ["leg"]
    with raises_exactly(
        "zoo.file: has no relation 'belongs to'; if it is http://example.org/zoo#P361, name that", InputError
    ):
        parse(syntax, data, relations=["belongs to"])


@each_syntax
def test_any_property_can_make_the_edges_and_without_any_edge_the_graph_is_refused(syntax):
    data = written(PREFIXES + "zoo:P1 a rdfs:Class . zoo:q1 zoo:P279 zoo:q2 . zoo:q2 zoo:P279 zoo:q3 .", syntax)
    assert len(parse(syntax, data, relations=["P279"]).parents) == 2
    assert len(parse(syntax, data, relations=["http://example.org/zoo#P279"]).parents) == 2
    with pytest.raises(InputError, match=r"zoo\.file: holds no edges by is_a; is_a stands for rdfs:subClassOf"):
        parse(syntax, data)
    with pytest.raises(InputError, match=r"zoo\.file: has no relation 'has_part'; it has part_of, which relations"):
        parse(syntax, written(ANATOMY, syntax), relations=["is_a", "has_part"])


def test_xml_may_be_in_another_encoding():
    data = written(PREFIXES + 'zoo:dog rdfs:subClassOf zoo:animal ; rdfs:label "chien de bergère" .', "rdfxml")
    data = data.decode().replace("utf-8", "latin-1").encode("latin-1")
    assert list(parse("rdfxml", data).labels.values()) == ["chien de bergère"]


iris = st.builds(
    "http://example.org/{}{}".format,
    st.sampled_from(["", "a/", "zoo#"]),
    st.text(st.sampled_from("abcé_-.~%41()'!$日"), min_size=1, max_size=5),
)


@given(pairs=st.lists(st.tuples(iris, iris), min_size=1), label=st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_what_rdflib_writes_is_read_back(pairs, label):
    logging.getLogger("rdflib").setLevel(logging.CRITICAL)
    graph = rdflib.Graph()
    for parent, child in pairs:
        graph.add((rdflib.URIRef(child), rdflib.RDFS.subClassOf, rdflib.URIRef(parent)))
        graph.add((rdflib.URIRef(child), rdflib.RDFS.label, rdflib.Literal(label)))
    wanted = {pair for pair in pairs if pair[0] != pair[1]}
    for syntax, format in SYNTAXES.items():
        data = graph.serialize(format=format).encode()
        if not wanted:
            with pytest.raises(InputError, match="holds no edges"):
                parse(syntax, data)
            continue
        parsed = parse(syntax, data)
        names = names_of({node for pair in wanted for node in pair}, {})
        if syntax == "ntriples":
            assert set(pairs_of(parsed)) == {(names[parent], names[child]) for parent, child in wanted}
        assert len(set(pairs_of(parsed))) == len(wanted)
        if label.strip():
            # A parser of XML hands on every line break as a line feed.
            assert {text.split() == label.split() for text in parsed.labels.values()} == {True}


def test_turtle_is_read_with_all_its_abbreviations():
    parsed = parse(
        "turtle",
        """# a comment with "quotes" and <brackets>
        BASE <http://example.org/>
        PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
        @prefix : <zoo#> . @prefix z.oo: <zoo/> .
        :dog rdfs:subClassOf :animal;;rdfs:label "d\\u00f6g"@en-GB , 'hund'@de.:cat rdfs:subClassOf :animal.
        <#owl> rdfs:subClassOf <zoo#bird> ; z.oo:weighs 1.5, -2e3, .5, true ;
            z.oo:note '''it's "so"''', \"\"\"a "" b\"\"\" .
        [ rdfs:subClassOf :animal ] rdfs:label "nobody" .
        z.oo:a.b rdfs:subClassOf z.oo:c\\,d ; z.oo:list ( 1 "two" :three [ :four ( ) ] ) .
        _:x.1 rdfs:subClassOf :animal .
        """,
    )
    assert set(pairs_of(parsed)) == {
        ("animal", "dog"),
        ("animal", "cat"),
        ("bird", "http://example.org/#owl"),
        ("z.oo:c,d", "z.oo:a.b"),
    }
    assert parsed.labels == {"dog": "dög"}
    assert "2 statements about unnamed classes skipped" in parsed.notes
    assert parsed.lines == [5, 5, 6, 9]


def test_a_broken_line_of_ntriples_is_named():
    good = b"<http://a/#b> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://a/#c> .\n# a remark\n\n"
    with pytest.raises(InputError, match=r"zoo\.file:4: is not an N-Triples statement: '<http://a/#b> <oops'; fix or"):
        parse("ntriples", good + b"<http://a/#b> <oops\n" + good)
    assert parse("ntriples", good.replace(b"\n", b"\r\n")).lines == [1]


def test_names_are_short_unless_two_would_be_equal():
    prefixes = {"": "http://a/#", "b": "http://b/", "c": "http://a/#"}
    found = names_of(["http://a/#dog", "http://b/dog", "http://b/x/dog"], prefixes)
    assert list(found.values()) == ["dog", "b:dog", "http://b/x/dog"]
    twins = ["http://purl.obolibrary.org/obo/HP_1", "http://hp/1"]
    assert list(names_of(twins, {"HP": "http://hp/"}).values()) == twins
    assert list(names_of(["b:dog", "http://b/dog"], prefixes).values()) == ["b:dog", "http://b/dog"]


def test_every_way_to_write_a_statement_in_rdfxml():
    parsed = parse(
        "rdfxml",
        RDF_OPENING
        + """
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
        </owl:Class></rdf:RDF>
        """,
    )
    assert set(pairs_of(parsed)) == {("zoo:b", "zoo:a"), ("zoo:b", "zoo:y"), ("zoo:a", "zoo:c"), ("zoo:a", "zoo:e")}
    assert parsed.labels == {"zoo:a": "by attribute", "zoo:c": "c&t", "zoo:e": "e"}
    assert parsed.notes == (
        "1 statement about unnamed classes skipped",
        "1 class without an edge left out",
        "1 node named but not described here, kept (zoo:y)",
    )


def test_a_dot_may_follow_a_blank_node_or_the_digits_before_an_exponent():
    statements = b"<http://a/x> <http://a/p> _:b.\n_:b.c <http://a/p> _:b.c.#end\n"
    edge = b"<http://a/x> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://a/y>."
    assert len(parse("ntriples", statements + edge).parents) == 1
    assert len(parse("turtle", PREFIXES + "zoo:x zoo:p 123.E+1 ; rdfs:subClassOf zoo:y .").parents) == 1
