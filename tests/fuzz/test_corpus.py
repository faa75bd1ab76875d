"""Every committed input keeps the promise, and what a user sees of hostile files."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from typing import NamedTuple

import pytest
from tools.fuzz import session
from tools.fuzz import targets as fuzz_targets
from tools.fuzz.mutations import words_in

from hypercone.cli.main import main
from hypercone.formats.registry import NAMES

FILES = sorted(path for path in session.CORPUS.glob("*/*"))
REASONS = dict(line.split("\t") for line in (session.CORPUS / "why.tsv").read_text(encoding="utf-8").splitlines())


def _name(path):
    return f"{path.parent.name}/{path.name}"


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_committed_input_keeps_the_promise(targets, path):
    data = path.read_bytes()
    ways = fuzz_targets.in_every_way(path.parent.name) if path.parent.name in NAMES else [targets[path.parent.name]]
    for turn, target in enumerate(ways):
        target.check(data, twice=turn == 0)


def test_every_committed_input_has_a_reason_and_they_are_small_together():
    assert sorted(REASONS) == sorted(map(_name, FILES))
    assert all(REASONS.values())
    assert sum(path.stat().st_size for path in FILES) < 300_000


def test_every_target_has_seeds_that_are_read_and_a_dictionary(targets):
    assert {path.parent.name for path in FILES} == set(targets)
    for target in targets.values():
        assert words_in((session.DICTIONARIES / f"{target.words}.dict").read_text())
        seeds = [path for path in FILES if path.parent.name == target.name and path.name.startswith("seed-")]
        ways = fuzz_targets.in_every_way(target.name) if target.name in NAMES else [target]
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
            options = {"direction": "parent-child"} if name == "graphml" else {}
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


def test_hostile_files_are_refused_in_one_line_that_a_terminal_can_bear(info, fault_row):
    for path, name, options, case in SHOWN:
        done = info(name, (session.CORPUS / path).read_bytes(), *options)
        fault_row("hostile file", case, done, about="hierarchies")


def test_a_file_that_unpacks_or_is_nested_without_end_is_refused(info, fault_row):
    done = info("edges.tsv.gz", gzip.compress(bytes(70 << 20), 9, mtime=0))
    # How small it gets depends on the zlib of the machine.
    seen = re.sub("from [0-9,]+ bytes", "from … bytes", done.err)
    fault_row(
        "hostile file", "a .gz file of 70 kB that unpacks to 70 MB and more", seen, done.code, about="hierarchies"
    )
    done = info("zoo.json", b'{"a":' + b"[" * 200_000)
    fault_row("hostile file", "JSON of 200,000 opening brackets", done, about="hierarchies")
