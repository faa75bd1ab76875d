"""Files made to do harm, found by fuzzing: to the terminal, to the memory, to the result."""

from __future__ import annotations

import io
import json
import lzma
import struct
import tracemalloc
import zlib

import pyarrow
import pytest
from pyarrow import ipc, parquet
from tests.support.errors import raises_exactly
from tests.support.formats import DOWN, RDF_OPENING, read_text

from hypercone.errors import InputError, visible

SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
RESTRICTION = f"""<a> {SUBCLASS} _:x .
_:x <http://www.w3.org/2002/07/owl#onProperty> <p> .
_:x <http://www.w3.org/2002/07/owl#someValuesFrom> <b> .
<p> <http://www.w3.org/2000/01/rdf-schema#label> "part\\nof\\u001b[2J" .
"""


def obographs(nodes=(), edges=()):
    return json.dumps({"graphs": [{"nodes": list(nodes), "edges": list(edges)}]})


@pytest.mark.parametrize(
    ("format_", "data", "words"),
    [
        ("csv", '"pa\nrent",child\na,b\n', "The first line is pa\\nrent, child"),
        ("tsv", "pa\x1b[2Jrent\tchild\na\tb\n", "The first line is pa\\x1b[2Jrent, child"),
        ("tsv", "parent\tchild\na\x1b[2J\tb\nb\ta\x1b[2J\n", "a\\x1b[2J → b → a\\x1b[2J"),
        ("rdfxml", '<a:b xmlns:a="http://a&#10;b#"/>', "begins with <http://a\\nb#b>"),
        ("obographs", obographs(["a\nb"]), "(a\\nb is not one of the nodes"),
        ("obographs", obographs([{"id": "a"}], [{"sub": "a", "pred": "x\ny", "obj": "a"}]), "its relations are x\\ny"),
        ("ntriples", RESTRICTION, "it has part\\nof\\x1b[2J, which"),
        ("turtle", f"\u202ea:x {SUBCLASS} <y> .", "the prefix \\u202ea: is not declared"),
    ],
)
def test_what_a_file_says_cannot_break_the_line_or_command_the_terminal(format_, data, words):
    with pytest.raises(InputError) as error:
        read_text(data, format=format_)
    assert words in str(error.value)
    assert str(error.value).isprintable()


def test_a_note_can_be_printed_whatever_the_file_says():
    half = {"sub": "a", "pred": "x\ud800\ny", "obj": "b"}
    found = read_text(
        obographs([{"id": "a"}, {"id": "b"}], [{"sub": "a", "pred": "is_a", "obj": "b"}, half]), format="obographs"
    )
    assert found.notes == ("1 other relation skipped (x\\ud800\\ny 1)",)
    assert [visible(text) for text in ("white pelican", "Löwe 🐩", "a\\b")] == ["white pelican", "Löwe 🐩", "a\\b"]


@pytest.mark.parametrize("letter", "àÅ\u0905…")
def test_a_prefix_and_a_base_in_turtle_may_have_any_letter(letter):
    # The second byte of à is a no-break space in Latin-1, that of Å a line break.
    edge = f"{letter}x:b {SUBCLASS} {letter}x:c"
    prefixed = read_text(f"@prefix {letter}x: <http://a/{letter}#> . {edge} .", format="turtle")
    assert prefixed.names == (f"{letter}x:c", f"{letter}x:b")
    based = read_text(f"@base <http://{letter}/{letter}/> . <b> {SUBCLASS} <c> .", format="turtle")
    assert based.names == (f"http://{letter}/{letter}/c", f"http://{letter}/{letter}/b")


def test_of_two_labels_among_the_attributes_the_first_counts():
    for first, second in (("rdfs:label", "k:prefLabel"), ("k:prefLabel", "rdfs:label")):
        node = f'<rdfs:Class xmlns:k="http://www.w3.org/2004/02/skos/core#" rdf:about="a" {first}="one" {second}="two">'
        edge = f'{node}<rdfs:subClassOf rdf:resource="b"/></rdfs:Class>'
        found = read_text(f"{RDF_OPENING}{edge}</rdf:RDF>", format="rdfxml")
        assert found.labels.texts == ("", "one")


def test_an_empty_first_line_is_refused_with_and_without_quotes():
    for data in ('\r"parent",child\na,b\n', "\nparent,child\na,b\n"):
        with pytest.raises(InputError, match=r":1: the first line is empty; remove it"):
            read_text(data, format="csv")


def test_a_cycle_that_would_make_a_name_too_long_to_read_again_is_not_condensed():
    ring = [f"{i:0200d}" for i in range(60)]
    lines = [f"{parent}\t{child}\n" for parent, child in zip(ring, ring[1:] + ring[:1], strict=True)]
    data = "parent\tchild\n" + "".join(lines)
    with pytest.raises(InputError, match=r"a name of 12,177 characters, the most is 10,000; read it with"):
        read_text(data, on_cycle="condense")
    assert len(read_text(data, on_cycle="drop")) == 60


def _table_of(rows, write):
    zeros, file = pyarrow.nulls(rows, pyarrow.int32()).fill_null(0), io.BytesIO()
    texts = {"parent": ["a" * 1000], "child": ["b"]}
    columns = {name: pyarrow.DictionaryArray.from_arrays(zeros, text) for name, text in texts.items()}
    write(pyarrow.table(columns), file)
    return file.getvalue()


def _as_arrow(table, file):
    with ipc.new_file(file, table.schema, options=ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)


def _as_parquet(table, file):
    parquet.write_table(table, file, compression="zstd", row_group_size=2**30, write_statistics=False)


@pytest.mark.parametrize(("format_", "write"), [("arrow", _as_arrow), ("parquet", _as_parquet)])
def test_a_table_with_implausibly_many_rows_is_refused(format_, write):
    small = _table_of(6_000_000, write)
    assert len(small) < 100_000
    with pytest.raises(InputError, match="it unpacks to more than 64 MiB from"):
        read_text(small, format=format_)
    data = _table_of(100_000, write)
    tracemalloc.start()
    try:
        assert len(read_text(data, format=format_)) == 2
        # A repeated text is in memory once.
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_attributes_that_every_element_would_get_are_refused_if_they_are_many():
    declared = " ".join(f'a{i} CDATA "x"' for i in range(400))
    graph = f"<!DOCTYPE graphml [<!ATTLIST data {declared}>]><graphml/>"
    with pytest.raises(InputError, match="attributes of more than 1,000 characters are declared"):
        read_text(graph, format="graphml", **DOWN)
    few = '<!DOCTYPE graphml [<!ATTLIST graph edgedefault CDATA "directed">]><graphml><graph><node id="a"/>'
    few += '<node id="b"/><edge source="a" target="b"/></graph></graphml>'
    assert len(read_text(few, format="graphml", **DOWN)) == 2


@pytest.mark.parametrize(
    "kind", [pyarrow.timestamp("us"), pyarrow.timestamp("us", tz="Nowhere/X"), pyarrow.binary()], ids=str
)
def test_a_column_that_cannot_hold_names_is_refused_before_its_values_are_made(kind):
    # The year 146,138 is one that Python has no date for.
    values = pyarrow.array([b"a"]) if kind == pyarrow.binary() else pyarrow.array([2**62]).cast(kind)
    file = io.BytesIO()
    _as_arrow(pyarrow.table({"parent": values, "child": ["b"]}), file)
    with raises_exactly(f"the stream: the column 'parent' holds {kind}; names are text or whole numbers"):
        read_text(file.getvalue(), format="arrow")


LONG = "x" * 1_001
RDF = RDF_OPENING.replace(' xml:base="http://zoo/"', "")


@pytest.mark.parametrize(
    ("format_", "data"),
    [
        ("turtle", f"@prefix a: <{LONG}> .\n"),
        ("turtle", f"@base <{LONG}> .\n"),
        ("turtle", "@base <x/> .\n" * 501),
        ("rdfxml", f'<a xmlns="{LONG}"/>'),
        ("rdfxml", f'{RDF}<a xml:base="{LONG}"/></rdf:RDF>'),
        ("rdfxml", RDF + '<a xml:base="x/">' * 501),
    ],
    ids=["prefix", "base", "growing base", "namespace", "base in XML", "growing base in XML"],
)
def test_a_base_that_would_make_every_name_long_is_refused(format_, data):
    with pytest.raises(InputError, match=r"a base or namespace has 1,00[12] characters, the most is 1,000"):
        read_text(data, format=format_)


def test_a_stream_of_xz_that_asks_for_gigabytes_is_refused():
    packed = bytearray(lzma.compress(b"parent\tchild\na\tb\n"))
    size = (packed[12] + 1) * 4
    header = packed[12 : 12 + size - 4]
    header[header.index(b"\x21\x01") + 2] = 40
    packed[12 : 12 + size] = header + struct.pack("<I", zlib.crc32(bytes(header)))
    with pytest.raises(InputError, match=r"the .xz compression is damaged \(Memory usage limit exceeded\)"):
        read_text(bytes(packed))


@pytest.mark.parametrize("member", ["hyperedge", "edge"])
def test_a_label_on_an_edge_is_not_that_of_a_node(member):
    graph = (
        '<graphml><key id="k" for="all" attr.name="label"/><graph edgedefault="directed"><node id="a"/>'
        f'<node id="b"><{member} source="a" target="b"><data key="k">x</data></{member}></node>'
        '<edge source="a" target="b"/></graph></graphml>'
    )
    assert read_text(graph, format="graphml", **DOWN).labels is None
