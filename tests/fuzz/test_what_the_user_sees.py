"""Some of the committed inputs as files on the command line: what a person sees of them."""

from __future__ import annotations

import gzip
import re
from typing import NamedTuple

import pytest
from fuzzing import session

from hypercone.cli.main import main

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


class Done(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def info(capsys, tmp_path, monkeypatch):
    """What ``hypercone info`` says of a file with these bytes."""
    monkeypatch.chdir(tmp_path)

    def call(name, data, *options):
        (tmp_path / name).write_bytes(data)
        capsys.readouterr()
        done = Done(main(["info", name, *options]), *capsys.readouterr())
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"hypercone: {name}")
        assert done.err.rstrip("\n").isprintable()
        return done

    return call


def test_hostile_files_are_refused_in_one_line_that_a_terminal_can_bear(info, told):
    for path, name, options, case in SHOWN:
        done = info(name, (session.CORPUS / path).read_bytes(), *options)
        told("hostile file", case, done, about="hierarchies")


def test_a_file_that_unpacks_or_is_nested_without_end_is_refused(info, told):
    done = info("edges.tsv.gz", gzip.compress(bytes(70 << 20), 9, mtime=0))
    # How small it gets depends on the zlib of the machine.
    seen = re.sub("from [0-9,]+ bytes", "from … bytes", done.err)
    told("hostile file", "a .gz file of 70 kB that unpacks to 70 MB and more", seen, done.code, about="hierarchies")
    done = info("zoo.json", b'{"a":' + b"[" * 200_000)
    told("hostile file", "JSON of 200,000 opening brackets", done, about="hierarchies")
