"""Inputs that are made up keep the promise: some for every target, and long ones that take time in proportion."""

from __future__ import annotations

import gzip
import lzma

import pytest
from tools.fuzz import session
from tools.fuzz.folders import bundled
from tools.fuzz.growth import LARGE, SMALL, Pump, factor, pumps
from tools.fuzz.mutations import Mutator

from hypercone.formats.registry import NAMES

FOLDERS = ("ncbi-names", "wordnet-index", "split", "released-split", "config", "model", "model-resealed", "run")
INPUTS = 150


@pytest.mark.parametrize("name", [*NAMES, "guessed", "packed", *FOLDERS, "run-resealed", "query", "body"])
def test_made_up_inputs_keep_the_promise(targets, name):
    target, seeds = targets[name], session.seeds_of(name)
    mutator = Mutator(name, session.words_of(target.words))
    read = 0
    for turn in range(INPUTS):
        data = mutator.mutate(mutator.random.choice(seeds), mutator.random.choice(seeds))
        try:
            read += target.check(data, twice=turn % 10 == 0).kind == "read"
        except AssertionError as broken:
            pytest.fail(f"{name}: {broken}; the input, as hexadecimal digits: {data.hex()}")
    # If all of them were refused, most of the reader would not be tested.
    assert read or name == "model"


def test_the_same_seed_makes_the_same_inputs():
    made = [Mutator(5, [b"word"]).mutate(b"parent\tchild\na\tb\n", b"other") for _ in range(2)]
    assert made[0] == made[1] != b"parent\tchild\na\tb\n"


def test_every_target_is_fuzzed_here(targets):
    assert set(targets) == {*NAMES, "guessed", "packed", *FOLDERS, "run-resealed", "query", "body"}


EMPTY = gzip.compress(b"", mtime=0)
TABLE = b"parent\tchild\na\tb\n"
GRAPH = b'<graphml><key id="k" attr.name="label"/><graph><node id="a"/><node id="b">'
RDF = b'<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
LINE = b"%08d 03 n 01 a 0 000\n"
SENSES = 20_000
# Some of these took minutes before they were found.
PUMPS = {
    "newick: digits": ("newick", Pump(b"(a:", b"1", b"x,b)c;")),
    "newick: support": ("newick", Pump(b"(a,b)", b"1", b"x;")),
    "newick: open quotes": ("newick", Pump(b"(a,", b"''", b"'")),
    "graphml: data in data": ("graphml", Pump(GRAPH, b'<data key="k">', b"")),
    "graphml: graphs in graphs": ("graphml", Pump(GRAPH, b"<graph>", b"")),
    "graphml: declared attributes": ("graphml", Pump(b"<!DOCTYPE a [<!ATTLIST a", b' a%d CDATA "x"', b">]><a/>")),
    "rdfxml: elements in elements": ("rdfxml", Pump(b"<a>", b"<b>", b"")),
    "gzip: empty members": ("packed", Pump(b"", EMPTY, gzip.compress(TABLE))),
    "gzip: zeros between members": ("packed", Pump(b"", EMPTY + b"\0", gzip.compress(TABLE))),
    "xz: empty streams": ("packed", Pump(b"", lzma.compress(b""), lzma.compress(TABLE))),
    "obo: braces": ("obo", Pump(b"[Term]\nid: a\nname: ", b' {a="', b"\n")),
    "obo: marks": ("obo", Pump(b"[Term]\nid: a\nname: ", b" !", b"\n")),
    "obographs: brackets": ("obographs", Pump(b'{"a":', b"[", b"")),
    "obographs: quotes": ("obographs", Pump(b'{"a":', b'"\\', b"")),
    "turtle: quotes": ("turtle", Pump(b"<a> <b> (", b"'''\\", b"")),
    "turtle: brackets": ("turtle", Pump(b"<a> <b> ", b"[ <a> ", b"")),
    "turtle: prefixes": ("turtle", Pump(b"", b"@prefix a: <b> .\n", b"")),
    "turtle: bases": ("turtle", Pump(b"", b"@base <x/> .\n", b"")),
    "rdfxml: bases": ("rdfxml", Pump(RDF, b'<a xml:base="x/">', b"")),
    "ntriples: backslashes": ("ntriples", Pump(b'<a> <b> "', b"\\", b"")),
    "paths: one long path": ("paths", Pump(b"a", b" > %d", b"")),
    "indented: one long line": ("indented", Pump(b"a\n", b" ", b"b\n")),
    "ncbi: one long line": ("ncbi", Pump(b"1", b"\t|\t1", b"")),
    "tsv: one long cycle": ("tsv", Pump(b"parent\tchild\n", b"%d\tx%d\nx%d\t%d\n", b"")),
    "config: a dotted key": ("config", Pump(b"", b"a.", b"a = 1\n")),
    "config: brackets": ("config", Pump(b"a = ", b"[", b"")),
    "csv: quotes": ("csv", Pump(b'parent,child\n"', b'""', b"")),
}


@pytest.mark.parametrize("name", PUMPS)
def test_256_kilobytes_are_read_in_proportion_to_their_size(targets, name, within):
    target, pump = PUMPS[name]
    assert len(pump.of_size(LARGE)) >= LARGE - 100

    data = pump.of_size(LARGE)
    within(1.5, lambda: targets[target].check(data))


def test_a_word_with_thousands_of_senses_is_numbered_at_once(targets, within):
    lines = b"".join(LINE % number for number in range(SENSES))
    index = b"a n %d 1 @ 2 0 %s\n" % (SENSES, b" ".join(b"%08d" % number for number in range(SENSES)))
    bundle = bundled({"data.noun": lines, "index.noun": index})
    within(1.5, lambda: targets["wordnet-index"].check(bundle))


def test_a_time_that_grows_with_the_square_is_seen():
    def call(data):
        return [data.count(b"a", place) for place in range(0, len(data), 96)]

    assert factor(call, Pump(b"", b"a", b""))[0] > 6.5
    assert factor(lambda data: data.count(b"a"), Pump(b"", b"a", b""))[0] == 0


def test_words_are_repeated_alone_and_in_the_middle_of_seeds():
    made = set(pumps([b"one\ntwo\n"], [b"x"]))
    assert {Pump(b"", b"x", b""), Pump(b"one\n", b"two\n", b"two\n")} <= made
    assert all(len(pump.of_size(SMALL)) >= SMALL // 2 for pump in made)
