"""Every format: read back as written; broken in any way, one sentence and exit code 2 of the command line."""

from __future__ import annotations

import gzip
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.formats import SAMPLES, as_turtle, numbers_of
from tests.support.hierarchies import edges_of

from hypercone.formats import read
from hypercone.formats.registry import NAMES, READERS, format_of
from hypercone.formats.source import Content


def test_every_format_has_a_sample():
    assert set(SAMPLES) == set(NAMES) >= set(READERS)


def test_the_sample_is_read_by_its_extension_and_from_standard_input(format, sample, run, monkeypatch, tmp_path):
    for packing, pack in (("", bytes), (".gz", gzip.compress)):
        path = tmp_path / (sample.file + packing)
        path.write_bytes(pack(sample.content()))
        assert format_of(Content(path.name, Path(sample.file).suffix, sample.content())) == format
        done = run("info", path, *sample.flags)
        assert done.code == 0, done.err
        assert re.match(r"Read as .+: 1 root, 4 nodes, 3 edges, for example:\n  ", done.err), done.err
    with open(tmp_path / sample.file) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert run("info", "-", "--format", format, *sample.flags).code == 0


def test_an_empty_file_and_one_that_was_cut_short_are_refused(sample, refused):
    assert "is empty; it should hold" in refused(sample.file, b"", *sample.flags)
    assert refused(sample.file, b"\n \n", *sample.flags)
    if sample.cut is not None:
        assert refused(sample.file, sample.content()[: -sample.cut], *sample.flags)


def test_another_encoding_is_refused_but_windows_line_ends_and_a_byte_order_mark_are_accepted(sample, refused):
    for encoding in sample.encodings:
        sentence = refused(sample.file, sample.content().decode().encode(encoding), *sample.flags)
        assert "UTF-8" in sentence, (encoding, sentence)
    if sample.encodings:
        Path(sample.file).write_bytes(b"\xef\xbb\xbf" + sample.content().replace(b"\n", b"\r\n"))
        assert len(read(sample.file, **sample.options)) == 4


def test_a_cycle_is_refused_and_can_be_condensed_or_dropped(sample, refused, run):
    if not sample.may_be_cyclic:
        return
    data = sample.content([("animal", "dog"), ("dog", "poodle"), ("poodle", "dog")])
    sentence = refused(sample.file, data, *sample.flags)
    assert "the edges form a cycle, parent → child: " in sentence
    assert "--on-cycle condense or drop" in sentence
    for on_cycle, counts, note in (
        ("condense", "1 root, 2 nodes, 1 edge,", "1 cycle condensed"),
        ("drop", "1 root, 3 nodes, 2 edges,", "1 edge that closes a cycle left out"),
    ):
        done = run("info", sample.file, "--on-cycle", on_cycle, *sample.flags)
        assert done.code == 0
        assert f": {counts}" in done.err
        assert f"({note}: " in done.err


UNKNOWN = "1 target that is not in the file left out: Z:9"
# A file that mentions an undefined id, and the note about it.
UNDEFINED = {
    "obo": ("[Term]\nid: A:1\nis_a: Z:9\nis_a: A:2\n[Term]\nid: A:2\n", UNKNOWN),
    "obographs": ('{"A:1": {"ancestors": {"Z:9": 1, "A:2": 1}}, "A:2": {"ancestors": {}}}', UNKNOWN),
    "ncbi": ("1\t|\t99\t|\n2\t|\t1\t|\n", "1 parent that is not in the file left out: 99"),
    "wordnet": (
        "00000001 03 n 01 dog 0 002 @ 00000099 n 0000 @ 00000002 n 0000\n00000002 03 n 01 pet 0 000\n",
        "1 hypernym that is not in the file left out: 00000099",
    ),
    "turtle": (
        as_turtle([("b", "a")], {}).replace(":b a rdfs:Class ; rdfs:label", ":c rdfs:comment"),
        "1 node named but not described here, kept (b)",
    ),
}


@pytest.mark.parametrize("kind", UNDEFINED)
def test_an_undefined_id_is_noted(kind, run, tmp_path):
    path, (data, note) = tmp_path / SAMPLES[kind].file, UNDEFINED[kind]
    path.write_text(data, encoding="utf-8")
    done = run("info", path)
    assert done.code == 0, done.err
    assert ": 1 root, 2 nodes, 1 edge, for example:" in done.err
    assert f"({note})" in done.err


def test_a_line_of_ten_million_letters_is_refused_at_once(format, sample, refused, within):
    long = "x" * 10_000_000
    data = (
        sample.content() + long.encode() if format == "ncbi" else sample.content([("animal", long), ("animal", "dog")])
    )
    sentence = within(5, lambda: refused(sample.file, data, *sample.flags))
    assert "x" * 61 not in sentence


@pytest.mark.parametrize("letter", [b"x", b"(", b"[", b"\t", b"{", b"<"])
def test_one_line_of_300_000_equal_letters_is_refused_at_once(sample, refused, letter, within):
    assert within(5, lambda: refused(sample.file, letter * 300_000, *sample.flags))


def test_a_file_of_another_format_is_refused_and_never_a_traceback(format, sample, refused):
    # Any text is an outline of names, if mostly one without children; every file of N-Triples is one of Turtle.
    also_read = {
        "indented": set(SAMPLES),
        "paths": {"indented"},
        "turtle": {"ntriples"},
        "csv": {"tsv"},
        "yaml": {"json"},
        "obographs": {"json"},
    }
    also_read = also_read.get(format, set())
    for other in SAMPLES.keys() - also_read - {format}:
        assert refused(sample.file, SAMPLES[other].content(), *sample.flags)


# Letters that no format gives a meaning; the samples themselves have others.
words = st.text("abcdeößж0123456789_", min_size=1, max_size=6).filter(lambda word: not word.isdigit())


@st.composite
def hierarchies(draw, is_tree):
    names = draw(st.lists(words, min_size=2, max_size=9, unique_by=str.lower))
    edges = []
    for row in range(1, len(names)):
        above = draw(st.lists(st.sampled_from(names[:row]), min_size=1, max_size=1 if is_tree else 3, unique=True))
        edges += [(parent, names[row]) for parent in above]
    return edges, {name: draw(words) for name in names}


@settings(max_examples=25)
@given(data=st.data())
def test_any_small_hierarchy_is_read_back_as_written(format, data):
    sample = SAMPLES[format]
    edges, labels = data.draw(hierarchies(sample.is_tree))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in sample.sibling_files(edges, labels).items():
            Path(folder, name).write_text(text, encoding="utf-8")
        path = Path(folder, sample.file)
        path.write_bytes(sample.content(edges, labels))
        found = read(path, **sample.options)
    name_of = {name: sample.name_of(name, number) for name, number in numbers_of(edges).items()}
    assert set(found.names) == set(name_of.values())
    assert set(edges_of(found)) == {(name_of[parent], name_of[child]) for parent, child in edges}
    if sample.has_labels:
        assert {name: found.display_name(found.row(name_of[name])) for name in labels} == labels
