"""Every committed input and every made-up one keeps the promise, in time in proportion, and what a user sees."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import re
import subprocess
import sys

import pytest
from tools.fuzz import session
from tools.fuzz import targets as fuzz_targets
from tools.fuzz.folders import bundled
from tools.fuzz.growth import LARGE, SMALL, Pump, factor, pumps
from tools.fuzz.mutations import Mutator, words_in

from hypercone.cli.main import main
from hypercone.formats.registry import NAMES

FOLDERS = ("ncbi-names", "wordnet-index", "split", "released-split", "config", "model", "model-resealed", "run")
FUZZED = [*NAMES, "guessed", "packed", "xlsx-sheet", "ods-content", *FOLDERS, "run-resealed", "query", "body"]
FILES = sorted(path for path in session.CORPUS.glob("*/*"))
REASONS = dict(line.split("\t") for line in (session.CORPUS / "why.tsv").read_text(encoding="utf-8").splitlines())


def _name(path):
    return f"{path.parent.name}/{path.name}"


def _ways(target):
    return fuzz_targets.in_every_way(target.name) if target.name in NAMES else [target]


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_committed_input_keeps_the_promise(targets, path):
    data = path.read_bytes()
    for turn, target in enumerate(_ways(targets[path.parent.name])):
        target.check(data, twice=turn == 0)


def test_every_committed_input_has_a_reason_and_every_target_has_seeds_that_are_read_and_a_dictionary(targets):
    assert sorted(REASONS) == sorted(map(_name, FILES))
    assert all(REASONS.values())
    assert sum(path.stat().st_size for path in FILES) < 300_000
    assert {path.parent.name for path in FILES} == set(targets) == set(FUZZED)
    for target in targets.values():
        assert words_in((session.DICTIONARIES / f"{target.words}.dict").read_text())
        seeds = [path for path in FILES if path.parent.name == target.name and path.name.startswith("seed-")]
        ways = _ways(target)
        assert any(way.check(path.read_bytes()).kind == "read" for path in seeds for way in ways), target.name


def test_every_finding_names_a_test_that_exists(targets):
    root = session.ROOT
    for finding in json.loads((session.DATA / "findings.json").read_text(encoding="utf-8")):
        path, _, test = finding["test"].partition("::")
        assert (root / path).exists(), finding
        assert not test or f"def {test}(" in (root / path).read_text(encoding="utf-8"), finding
        assert set(finding["targets"].split()) <= set(targets), finding
        assert finding["by"] in ("fuzzer", "growth", "reading")


DIGEST = """
import sys
from pathlib import Path
from hypercone.errors import InputError
from hypercone import read
for name in sys.argv[2:]:
    for path in sorted((Path(sys.argv[1]) / name).iterdir()):
        try:
            options = {"direction": "parent-child"} if name in ("graphml", "dot", "mermaid") else {}
            found = read(path, format=name, on_cycle="condense", **options)
            print(name, path.name, found.digest, found.labels and found.labels.texts, found.notes)
        except InputError as error:
            print(name, path.name, error)
"""


def test_what_is_read_does_not_depend_on_the_hash_seed_of_the_interpreter():
    # Columns come in their order, and the library that reads them takes long to load.
    names = [name for name in NAMES if name not in ("parquet", "arrow")]
    read = set()
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8:backslashreplace"}
        command = [sys.executable, "-c", DIGEST, str(session.CORPUS), *names]
        read.add(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
    assert len(read) == 1
    assert b"two-labels-in-attributes" in read.pop()


# The input, the name to give it, options, and what is in the file.
SHOWN = [
    ("tsv/control-characters-in-the-header", "edges.tsv", (), "a header with escapes that would clear the screen"),
    ("csv/line-break-in-the-header", "edges.csv", (), "a header with a line break inside quotes"),
    ("rdfxml/entity-without-end", "zoo.owl", (), "XML entities that stand for more and more (a billion laughs)"),
    ("rdfxml/another-file", "zoo.owl", (), "an XML entity that asks for /etc/passwd"),
    ("graphml/another-file", "zoo.graphml", ("--direction", "parent-child"), "a document type from the network"),
    ("newick/number-of-many-digits", "zoo.nwk", (), "a branch length of 200 digits and a letter"),
    ("ntriples/half-a-character", "zoo.nt", (), "an escape that is half a character"),
    ("packed/xz-that-asks-for-4-gib", "edges.tsv.xz", (), "an .xz file whose header asks for 4 GiB of memory"),
    ("arrow/millions-of-rows-in-a-few-bytes", "edges.arrow", (), "an Arrow table of 3 kB that holds 4,300,000 rows"),
    ("wordnet/negative-count", "data.noun", (), "a synset with a count of words below zero"),
]


@pytest.fixture
def info(capsys, tmp_path, monkeypatch):
    """What ``hypercone info`` says of a file with these bytes."""
    monkeypatch.chdir(tmp_path)

    def call(name, data, *options):
        (tmp_path / name).write_bytes(data)
        capsys.readouterr()
        done = subprocess.CompletedProcess((), main(["info", name, *options]), *capsys.readouterr())
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"hypercone: {name}")
        assert done.stderr.rstrip("\n").isprintable()
        return done

    return call


def test_hostile_files_are_refused_in_one_line_that_a_terminal_can_bear(info, fault_row):
    for path, name, options, case in SHOWN:
        done = info(name, (session.CORPUS / path).read_bytes(), *options)
        fault_row("hostile file", case, done, about="hierarchies")


def test_a_file_that_unpacks_or_is_nested_without_end_is_refused(info, fault_row):
    done = info("edges.tsv.gz", gzip.compress(bytes(70 << 20), 9, mtime=0))
    # How small it gets depends on the zlib of the machine.
    seen = re.sub("from [0-9,]+ bytes", "from … bytes", done.stderr)
    fault_row(
        "hostile file", "a .gz file of 70 kB that unpacks to 70 MB and more", seen, done.returncode, about="hierarchies"
    )
    done = info("zoo.json", b'{"a":' + b"[" * 200_000)
    fault_row("hostile file", "JSON of 200,000 opening brackets", done, about="hierarchies")


INPUTS = 150


@pytest.mark.parametrize("name", FUZZED)
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
    "csv: levels": ("csv", Pump(b"Level 1,Level 2\na,b\n", b"%d\n", b"")),
    "csv: many columns": ("csv", Pump(b"id,parent,", b"parent%d,", b"\n")),
    "csv: parents in a cell": ("csv", Pump(b"id,parent\na,\nb,a\nc,", b"a|", b"b\n")),
    "json: brackets": ("json", Pump(b"", b"[", b"")),
    "json: children in children": ("json", Pump(b"", b'{"name":"a","children":[', b"")),
    "json: records": ("json", Pump(b"[", b'{"k%d":1},', b'{"id":1,"parent":2}]')),
    "yaml: brackets": ("yaml", Pump(b"a: ", b"[", b"")),
    "yaml: brackets side by side": ("yaml", Pump(b"a: [", b"[b],", b"]")),
    "yaml: anchors": ("yaml", Pump(b"a:\n", b"- &x b\n", b"")),
    "yaml: quotes": ("yaml", Pump(b"a: [", b'"', b"")),
    "yaml: question marks": ("yaml", Pump(b"", b"? ", b"")),
    "yaml: dashes": ("yaml", Pump(b"", b"- ", b"a")),
    "dot: braces": ("dot", Pump(b"digraph ", b"{", b"")),
    "dot: groups": ("dot", Pump(b"digraph { a", b"->{b%d c}", b"}")),
    "dot: angles": ("dot", Pump(b"digraph { a [label=", b"<", b"")),
    "dot: comments": ("dot", Pump(b"digraph { ", b"/*", b"")),
    "dot: quotes": ("dot", Pump(b"digraph { a ", b'"\\', b"")),
    "dot: one long chain": ("dot", Pump(b"digraph { a", b" -> %d", b"}")),
    "mermaid: brackets": ("mermaid", Pump(b"graph TD\n a", b"[", b"")),
    "mermaid: arrows": ("mermaid", Pump(b"graph TD\n a", b" -- b", b"")),
    "mermaid: one long chain": ("mermaid", Pump(b"graph TD\n a", b" --> %d", b"")),
    "mermaid: dashes": ("mermaid", Pump(b"graph TD\n a ", b"-", b"")),
    "mermaid: quotes": ("mermaid", Pump(b"graph TD\n a", b'"', b"")),
    "xlsx: rows": ("xlsx-sheet", Pump(b"<worksheet>", b"<row>", b"")),
    "ods: cells": ("ods-content", Pump(b"<table>", b"<table-cell>", b"")),
}


@pytest.mark.parametrize("name", PUMPS)
def test_256_kilobytes_are_read_in_proportion_to_their_size(targets, name, within):
    target, pump = PUMPS[name]
    data = pump.of_size(LARGE)
    assert len(data) >= LARGE - 100
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


def test_the_same_seed_makes_the_same_inputs_and_words_are_repeated_alone_and_in_the_middle_of_seeds():
    mutated = [Mutator(5, [b"word"]).mutate(b"parent\tchild\na\tb\n", b"other") for _ in range(2)]
    assert mutated[0] == mutated[1] != b"parent\tchild\na\tb\n"
    made = set(pumps([b"one\ntwo\n"], [b"x"]))
    assert {Pump(b"", b"x", b""), Pump(b"one\n", b"two\n", b"two\n")} <= made
    assert all(len(pump.of_size(SMALL)) >= SMALL // 2 for pump in made)
