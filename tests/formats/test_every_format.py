"""Every format: read back as written; broken in any way, one sentence and exit code 2 of the command line."""

from __future__ import annotations

import gzip
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.formats import LONG, SAMPLES
from tests.support.hierarchies import edges_of

from hypercone.errors import InputError
from hypercone.formats import read
from hypercone.formats.registry import NAMES, READERS, format_of
from hypercone.formats.source import Content


def test_every_format_has_a_sample():
    assert set(SAMPLES) == set(NAMES) >= set(READERS)


def test_the_sample_is_read_by_its_extension_packed_or_not(format, sample, run, tmp_path):
    for packing, pack in (("", bytes), (".gz", gzip.compress)):
        path = tmp_path / (sample.file + packing)
        path.write_bytes(pack(sample.content()))
        assert format_of(Content(path.name, Path(sample.file).suffix, b"")) == format
        done = run("info", path, *sample.flags)
        assert done.code == 0, done.err
        assert done.err.startswith("Read 4 nodes and 3 edges, for example:\n  "), done.err


def test_standard_input_is_read_if_the_format_is_named(format, sample, run, monkeypatch, tmp_path):
    path = tmp_path / "stdin"
    path.write_bytes(sample.content())
    with open(path) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert run("info", "-", "--format", format, *sample.flags).code == 0


def test_an_empty_file_is_refused(sample, refused):
    for data in (b"", b"\n \n"):
        sentence = refused(sample.file, data, *sample.flags)
        assert data or "is empty; it should hold" in sentence


def test_a_file_that_was_cut_short_is_refused(sample, refused):
    if sample.cut is not None:
        assert refused(sample.file, sample.content()[: -sample.cut], *sample.flags)


def test_a_packed_file_that_was_cut_short_is_refused(sample, refused):
    assert "compression is damaged (it ends too early)" in refused(
        sample.file + ".gz", gzip.compress(sample.content())[:-12]
    )


def test_another_encoding_is_refused(sample, refused):
    for encoding in sample.encodings:
        sentence = refused(sample.file, sample.content().decode().encode(encoding))
        assert "UTF-8" in sentence, (encoding, sentence)


def test_a_cycle_is_refused_and_can_be_condensed_or_dropped(sample, refused, run):
    if not sample.may_be_cyclic:
        return
    edges = [("animal", "dog"), ("dog", "poodle"), ("poodle", "dog")]
    data = sample.content(edges)
    sentence = refused(sample.file, data, *sample.flags)
    assert "the edges form a cycle, parent → child: " in sentence
    assert "--on-cycle condense or drop" in sentence
    condensed = run("info", sample.file, "--on-cycle", "condense", *sample.flags)
    assert condensed.code == 0
    assert "Read 2 nodes and 1 edge" in condensed.err
    assert "(1 cycle condensed: " in condensed.err
    dropped = run("info", sample.file, "--on-cycle", "drop", *sample.flags)
    assert dropped.code == 0
    assert "Read 3 nodes and 2 edges" in dropped.err
    assert "(1 edge that closes a cycle left out: " in dropped.err


def test_an_undefined_id_is_noted(sample, run, tmp_path):
    if sample.undefined is None:
        return
    data = sample.undefined if isinstance(sample.undefined, bytes) else sample.undefined.encode()
    path = tmp_path / sample.file
    path.write_bytes(data)
    done = run("info", path, *sample.flags)
    assert done.code == 0, done.err
    assert "Read 2 nodes and 1 edge, for example:" in done.err
    assert f"({sample.note})" in done.err


def test_a_line_of_ten_million_letters_is_refused_at_once(format, sample, refused, within):
    if format == "ncbi":
        data = sample.content() + LONG.encode()
    else:
        data = sample.content([("animal", LONG), ("animal", "dog")])
    sentence = within(5, lambda: refused(sample.file, data, *sample.flags))
    assert "x" * 61 not in sentence


@pytest.mark.parametrize("letter", [b"x", b"(", b"[", b"\t", b"{", b"<"])
def test_one_line_of_300_000_equal_letters_is_refused_at_once(sample, refused, letter, within):
    assert within(5, lambda: refused(sample.file, letter * 300_000, *sample.flags))


def test_a_decompression_bomb_is_refused(sample, bomb, refused):
    sentence = refused(sample.file + ".gz", bomb)
    assert f"unpacks to more than 64 MiB from {len(bomb):,} bytes" in sentence


def test_a_file_of_another_format_is_refused_and_never_a_traceback(sample, refused):
    for other in SAMPLES.values():
        if other.file == sample.file or {other.file, sample.file} == {"animals.paths", "animals.outline"}:
            continue
        if (sample.file, other.file) == ("animals.ttl", "animals.nt"):
            # Every file of N-Triples is one of Turtle as well.
            continue
        if sample.file == "animals.outline":
            # Any text is an outline of names, if mostly one without children.
            continue
        assert refused(sample.file, other.content(), *sample.flags)


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


def test_windows_line_ends_and_a_byte_order_mark_are_accepted(format, sample, tmp_path):
    if "utf-16" not in sample.encodings:
        pytest.skip("not a text format")
    path = tmp_path / sample.file
    path.write_bytes(b"\xef\xbb\xbf" + sample.content().replace(b"\n", b"\r\n"))
    assert len(read(path)) == 4


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
    name_of = sample.name_of(edges)
    assert set(found.names) == set(name_of.values())
    assert set(edges_of(found)) == {(name_of[parent], name_of[child]) for parent, child in edges}
    if sample.has_labels:
        assert {name: found.display_name(found.row(name_of[name])) for name in labels} == labels


@given(data=st.binary(max_size=300))
@pytest.mark.parametrize("structured", ["rdfxml", "turtle", "ntriples", "graphml", "parquet", "arrow"])
def test_random_bytes_are_refused(structured, data):
    with pytest.raises(InputError, match=r"^the stream:"):
        read(io.BytesIO(data), format=structured, **SAMPLES[structured].options)
