"""Malformed files, sources and options are refused: one sentence with file, line, value and remedy."""

from __future__ import annotations

import gzip
import io

import pytest
from tests.support.errors import raises_exactly
from tests.support.formats import DOWN, NCBI_NODES, WORDNET_DATA, read_text

from hypercone.errors import InputError
from hypercone.formats import read
from hypercone.formats.registry import NAMES

WHICH = (
    'add a header line with the columns parent and child, or say direction="parent-child" or "child-parent", '
    "or name the columns with parent and child"
)
EMPTY = ": is empty; it should hold one edge per line, a parent and a child"
CHECK = 'check the separator, or say format="tsv" or "csv"'
# What follows the header, and what follows the line's number in the message.
BAD_LINES = [
    ("a\tb\na\tb\tc\n", "3: expected 2 columns as in line 1, found 3; fix or remove this line"),
    ("a\n", "2: expected 2 columns as in line 1, found 1; fix or remove this line"),
    ("a\tb\n\nb\tc\n", "3: expected 2 columns as in line 1, an empty line; fix or remove this line"),
    ("a\tb\n\tc\n", '3: the parent is empty; give it a name or remove the line, or say id="child" if it is a root'),
    ("a\t\n", "2: the child is empty; give it a name or remove the line"),
    ("a\tb\nc\0\td\n", "3: contains a NUL byte; save the file as UTF-8 text"),
    ("a\tb\rc\td\n", "2: expected 2 columns as in line 1, found 3; fix or remove this line"),
    ("a\tb\rc\n", "2: contains a carriage return inside the line; end lines with a line feed"),
    ("", " has a header but no edges; add one per line, a parent and a child"),
]
TABLES = [(f"parent\tchild\n{lines}", f":{problem}") for lines, problem in BAD_LINES] + [
    (b"parent\tchild\na\tb\xff\n", ":2: byte 0xff is not UTF-8; save the file as UTF-8"),
    ("", EMPTY),
    ("\ufeff\r\n\n", EMPTY),
    ("\nparent\tchild\na\tb\n", ":1: the first line is empty; remove it"),
    ("a\tb\n", f":1: which column is the parent? The first line is a, b; {WHICH}"),
    ("parent\tparent\tchild\n", f":1: which column is the parent? The first line is parent, parent, child; {WHICH}"),
    (
        "a\tb\tc\n",
        ":1: direction needs 2 columns, found 3: a, b, c; name the columns with parent and child instead",
        DOWN,
    ),
    (
        "child\tparent\na\tb\n",
        ":1: the header says child-parent, but direction is parent-child; change one of them",
        DOWN,
    ),
    (
        "id\tbroader\na\tb\n",
        ":1: there is no column 'braoder' among id, broader; did you mean broader?",
        {"parent": "braoder", "child": "id"},
    ),
    (
        "id\tbroader\na\tb\n",
        ":1: there is no column '3' among id, broader; name one of these, or give its number",
        {"parent": "3", "child": "id"},
    ),
    ("id\tID\tx\na\tb\tc\n", ":1: there are 2 columns named 'Id'; rename all but one", {"parent": "Id", "child": "x"}),
    ("parent,child\na,b\n", f":1: expected columns separated by tabs, found one column: 'parent,child'; {CHECK}"),
]
# The base of a graph with two nodes.
GRAPH = '<graphml><graph edgedefault="directed"><node id="a"/><node id="b"/>'
NOT_A_LEAF = "a leaf has no name; give it one"
OTHER_JSON = ": is JSON of another kind; it should hold the graphs of OBO Graphs, or terms by id with their…"
TOO_DEEP = ":1: is not valid JSON (a number is too long or the nesting too deep)…"
# For each format: a file, what follows its name in the message, and the options to read it with.
REFUSED = {
    "tsv": TABLES,
    "csv": [
        (
            '"parent child"\n"a b"\n',
            f":1: expected columns separated by commas, found one column: '\"parent child\"'; {CHECK}",
        ),
        ('parent,child\n"a,b\n', ":2: the quotes are broken (unexpected end of data); fix this line"),
        (
            'note,parent,child\n"x\ny",a,b\n"",c\n',
            ":4: expected 3 columns as in line 1, found 2; fix or remove this line",
        ),
        ('note,parent,child\n"x\ny",a,b\n"",c,c\n', ":4: 'c' is given as its own parent; remove this edge"),
        ('parent,child\n"a\tz",b\n', ":2: the name 'a\\tz' contains a tab, which an edge file cannot hold; replace it"),
    ],
    "obo": [
        ("[Term]\nname: x\n", ":2: the id of the term must come before this line; move it up"),
        ("[Term]\n\n[Term]\nid: A:1\n", ":1: this [Term] has no id; give it one"),
        ("[Term]\nid: A:1\nis_a\n", ":3: expected 'tag: value', found 'is_a'; fix the line"),
        ("[Term]\nid: A:1\nis_a:\n", ":3: the is_a is cut short; fix the line"),
        ("[Term]\nid: A:1\nrelationship: part_of\n", ":3: the relationship is cut short; fix the line"),
        ("format-version: 1.4\n", ": has no [Term]; is it an OBO ontology?"),
        ("[Term]\nid: A:1\n", ": no term has the relation 'is_a'; it relates no terms at all"),
        ("[Term]\nid: A:1\nis_a: B:1\n", ": holds no edges; a hierarchy needs at least one parent with a child"),
        ("[Term]\nid: A:1\nis_a: A:1\n", ":3: 'A:1' is given as its own parent; remove this edge"),
        (
            "[Term]\nid: A:1\nis_a: A:2\n[Term]\nid: A:2\nis_a: A:1\n",
            ":6: the edges form a cycle, parent → child: A:2 → A:1 → A:2; …",
        ),
    ],
    "obographs": [
        ("[1]", OTHER_JSON),
        ('{"a": 1}', OTHER_JSON),
        ('{"a": 1,\n}', ":2: is not valid JSON (expected a key in quotes); fetch the file again"),
        ('{"a"\n\n', ":3: is not valid JSON (it ends too early); fetch the file again"),
        ('{"a": 1 "b"}', ":1: is not valid JSON (expected a }); fetch the file again"),
        ('{"a": {"b": nul}}', ":1: is not valid JSON (Expecting value); fetch the file again"),
        ('{"A": {"ancestors": {}}} x', ":1: is not valid JSON (there is more after the end); fetch the file again"),
        ('{"a": ' + "[" * 100_000, TOO_DEEP),
        ('{"a": ' + "9" * 100_000 + "}", TOO_DEEP),
        ('{"graphs": [{"nodes": [7]}]}', ":1: is not valid JSON (7 is not one of the nodes of OBO Graphs)…"),
        ('{"graphs": [{"edges": [{"sub": 1}]}]}', ":1: is not valid JSON ({'sub': 1} is not one of the edges of OBO…"),
        ('{"graphs": [7]}', ":1: is not valid JSON (expected a {); fetch the file again"),
    ],
    "newick": [
        ("(a,b)c", ":1: at character 6: the file ends before the tree does; a tree ends in a semicolon"),
        ("((a,b)c;", ":1: at character 8: the tree ends before all of its parentheses are closed; add the )"),
        ("(a,b))c;", ":1: at character 6: a ) is outside all parentheses; add the ( or remove it"),
        ("a,b;", ":1: at character 2: a , is outside all parentheses; add the ( or remove it"),
        ("(a,\n(b,a)c)d;", ":2: at character 4: there is a node 'a' already, in line 1; give each node its own name"),
        ("(a,(b,c)a)d;", ":1: at character 9: there is a node 'a' already, in line 1; give each node its own name"),
        ("(a,)b;", f":1: at character 4: {NOT_A_LEAF}"),
        ("(a,:1)b;", f":1: at character 4: {NOT_A_LEAF}"),
        ("('',b)c;", f":1: at character 4: {NOT_A_LEAF}"),
        (";", f":1: at character 1: {NOT_A_LEAF}"),
        ("(a b)c;", ":1: at character 4: 'b' follows its label; a comma or a quote is missing"),
        ("(a:1:2)c;", ":1: at character 5: a node has a second colon; remove it"),
        ("(a:x)c;", ":1: at character 4: the length of a branch is 'x'; it should be a number"),
        ("(a:)c;", ":1: at character 4: a branch has no length after its colon; write it or remove the colon"),
        ("(a)(b);", ":1: at character 4: a ( follows a node; put a comma between them"),
        ("('a,b)c;", ":1: at character 2: a ' is never matched by another; add it or remove this one"),
        ("(a,b)c[oh;", ":1: at character 7: a [ is never matched by another; add it or remove this one"),
        ("<phyloxml><phylogeny/></phyloxml>", ":1: is XML, not Newick; write the tree as (poodle,beagle)dog; instead"),
    ],
    "paths": [
        (f"x > y\n{line}\n", f":2: a name is missing beside a > in {line.strip()!r}; write it or remove…")
        for line in ("a > > b", "a >  > b", "> a", "a > b >", "a > ")
    ],
    "indented": [
        ("a\n    b\n  c\n", ":3: 'c' goes back to an indentation that no line above it has; indent it like…"),
        ("a\n  b\n\t\t\tc\n", ":3: 'c' mixes tabs and spaces, so that its level is ambiguous; indent it like…"),
        ("a\nb\n", ": holds no edges; a hierarchy needs at least one parent with a child"),
    ],
    "ncbi": [
        (
            NCBI_NODES.replace("9606\t|\t9605\t|\tspecies\t|\tHS\t|", line),
            ":2: expected a taxon's id, its parent's id and more, separated…",
        )
        for line in ("7\t|\t8", "7,8", "x\t|\t1\t|\n", "", "7\t|\t1\t|\tspec")
    ],
    "wordnet": [
        (WORDNET_DATA + line, f":8: is not a synset, or is cut short: {line!r}; give WordNet's data…")
        for line in ("00000500 03 n 01 x", "x 03 n 01 x 0 000", "00000500 03 n 01 x 0 001 @ 1", "5 3 n 0")
    ],
    "turtle": [
        (":a :b :c .", ":1: the prefix : is not declared; add @prefix…"),
        ("<a> <b> .", ":1: expected an object, found '.'…"),
        ("<a> <b> <c>\n<d> <e> <f> .", ":2: expected one of . ; ,, found '<d> <e> <f> .'…"),
        ("<a> <b> [ <c> <d> .", ":1: expected one of . ; ,, found '.'…"),
        ("<a> <b> ( <c> ] .", ":1: expected an item of the list, found '] .'…"),
        ('<a> <b> "never closed .', ":1: expected an object, found '\"never closed .'…"),
        ("<a> <b> <c>", ": ends in the middle of a statement; fetch the file again"),
        ("{ <a> <b> <c> }", ":1: expected a subject, found '{ <a>…"),
    ],
    "rdfxml": [
        (
            '<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>',
            ":1: is OWL in an XML of its own, not in RDF; convert it: robot convert -i ontology.owl -o…",
        ),
        ("@prefix a: <b> .", ': is not XML; if it is Turtle or OBO, say format="turtle" or "obo"'),
    ],
    "graphml": [
        (data, problem, DOWN)
        for data, problem in (
            (GRAPH.replace("directed", "undirected") + '<edge source="a" target="b"/>', ":1: the edge is undirected…"),
            (f'{GRAPH}<edge directed="false" source="a" target="b"/>', ":1: the edge is undirected…"),
            (f'{GRAPH}\n<edge source="a" target="c"/></graph></graphml>', ":2: the edge names a node 'c'…"),
            (f'{GRAPH}<edge source="a"/>', ":1: the edge has no target; give it one"),
            (f"{GRAPH}<node/>", ":1: the node has no id; give it one"),
            (f'{GRAPH}\n<node id="a"/>', ":2: there are two nodes with the id 'a'…"),
            ("", ": is empty; it should hold XML…"),
            ("parent\tchild\n", ":1: the XML is broken…"),
            ("<svg/>", ":1: begins with <svg>, not with <graphml>…"),
            ("<graphml><graph>", ":1: the XML is broken…"),
            (b"<graphml>\xff</graphml>", ":1: the XML is broken…"),
            ("<?xml version='1.0' encoding='no-such'?><a/>", ": cannot be read as text (unknown encoding: no-such)…"),
        )
    ],
}


@pytest.mark.parametrize(
    ("kind", "case"),
    [pytest.param(kind, case, id=f"{kind}{case[1][:40]}") for kind, cases in REFUSED.items() for case in cases],
)
def test_a_malformed_file_is_refused_in_one_sentence(kind, case):
    data, problem, *options = case
    with raises_exactly(f"the stream{problem}"):
        read_text(data, format=kind, **dict(*options))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"direction": "up"}, "direction is 'up', but must be parent-child or child-parent"),
        ({"parent": "a", "child": "1"}, "parent and child are both the column 'a'; name two columns"),
        ({"parent": "a"}, "one column is named; name both, with parent and child"),
        (
            {"parent": "1", "child": "2"} | DOWN,
            "both the columns (parent and child) and direction are given; give one of them",
        ),
        ({"format": "graphml", "direction": "down"}, "direction is 'down', but must be parent-child or child-parent"),
        (
            {"format": "graphml"},
            "the stream: GraphML does not say whether an edge points to the child or to the parent; "
            'say direction="parent-child" or "child-parent"',
        ),
        ({"format": "xls"}, f"format is 'xls', but must be one of {', '.join(NAMES)}"),
        ({"on_cycle": "ignore"}, "on_cycle is 'ignore', but must be one of error, condense, drop"),
        *(
            (
                {"format": "obo", "relations": relations},
                f'relations is {shown!r}, which names none; give some, such as relations=["is_a", "part_of"]',
            )
            for relations, shown in (("", ""), ([], ""), (["is_a", " "], "is_a,  "))
        ),
        *(
            ({"format": kind} | options, f"the stream: {option} does not apply to the format {kind}; leave it out")
            for kind, option, options in (
                ("tsv", "relations", {"relations": ["part_of"]}),
                ("newick", "relations", {"relations": ["part_of"]}),
                ("tsv", "relations", {"relations": ["is_a"]}),
                ("paths", "relations", {"relations": "is_a"}),
                ("obo", "direction", DOWN),
                ("paths", "parent", {"parent": "a", "child": "b"}),
                ("graphml", "child", {"child": "b"}),
            )
        ),
    ],
)
def test_options_that_are_invalid_contradictory_or_without_effect_are_refused(options, sentence):
    with raises_exactly(sentence):
        read_text("a\tb\n", **options)


UNCLEAR = "the format cannot be inferred from its name or first line; say which it is with format: " + ", ".join(NAMES)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("nowhere.tsv", "nowhere.tsv: there is no such file; check the path"),
        (".", ".: is a folder; give the edge file inside it"),
        (io.StringIO("parent\tchild\n"), "the stream gives text, not bytes; open it in binary mode ('rb')"),
        (io.BytesIO(b"[Term]\nid: A\n"), f"the stream: {UNCLEAR}"),
        ("-", f"standard input: {UNCLEAR}"),
    ],
)
def test_a_source_that_cannot_be_read_is_refused(tmp_path, monkeypatch, source, sentence):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"parent child\n")))
    with raises_exactly(sentence):
        read(source)
    with pytest.raises(InputError, match="cannot be read"):
        read("a\0b.tsv")


FUNCTIONAL = b"# comment\nPrefix(:=<http://zoo#>)\nOntology(<http://zoo>\nSubClassOf(:Dog :Animal))\n"
MANCHESTER = b"Prefix: : <http://zoo#>\nOntology: <http://zoo>\nClass: Dog\n  SubClassOf: Animal\n"
OWL_XML = b'<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>'


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("zoo.ofn", FUNCTIONAL, "is OWL in functional syntax; convert it: robot convert -i zoo.ofn -o zoo.owl"),
        ("zoo.owl", FUNCTIONAL, "is OWL in functional syntax; convert it: robot convert -i zoo.owl -o zoo-rdf.owl"),
        ("zoo", FUNCTIONAL, "is OWL in functional syntax; convert it: robot convert -i zoo -o zoo.owl"),
        (
            "my zoo.omn",
            MANCHESTER,
            "is OWL in Manchester syntax; convert it: robot convert -i 'my zoo.omn' -o 'my zoo.owl'",
        ),
        ("zoo.ttl.gz", MANCHESTER, "is OWL in Manchester syntax; convert it: robot convert -i zoo.ttl.gz -o zoo.owl"),
        (
            "zoo.owx",
            OWL_XML,
            "is OWL in an XML of its own, not in RDF; convert it: robot convert -i zoo.owx -o zoo.owl",
        ),
        (
            "zoo.jsonld",
            b"{}",
            "is RDF in JSON-LD; convert it: pip install rdflib && rdfpipe -i json-ld -o turtle zoo.jsonld > zoo.ttl",
        ),
        (
            "zoo.trig",
            b"{}",
            "is RDF in TriG; convert it: pip install rdflib && rdfpipe -i trig -o turtle zoo.trig > zoo.ttl",
        ),
        ("zoo.xls", b"\xd0\xcf\x11\xe0", "is a workbook of an old Excel; save it as .xlsx"),
    ],
)
def test_a_format_that_is_not_read_is_refused_with_the_command_that_converts_it(
    tmp_path, monkeypatch, name, data, sentence
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    with raises_exactly(f"{name}: {sentence}"):
        read(name)
