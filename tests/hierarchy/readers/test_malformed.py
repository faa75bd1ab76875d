"""Every format, broken in every way: one sentence and exit code 2, through the command line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from hypercone.formats.registry import NAMES, READERS, format_of
from hypercone.formats.source import Content


def test_every_format_has_a_sample(samples):
    assert set(samples.SAMPLES) == set(NAMES) >= set(READERS)


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
        assert refused(sample.file, data, *sample.flags).startswith(sample.file)


def test_a_file_that_was_cut_short_is_refused(sample, refused):
    if sample.cut is not None:
        assert refused(sample.file, sample.content()[: -sample.cut], *sample.flags)


def test_a_packed_file_that_was_cut_short_is_refused(sample, refused):
    assert "compression is damaged (it ends too early)" in refused(
        sample.file + ".gz", gzip.compress(sample.content())[:-12]
    )


def test_another_encoding_is_refused(sample, refused):
    for encoding in sample.encodings:
        told = refused(sample.file, sample.content().decode().encode(encoding))
        assert "UTF-8" in told, (encoding, told)


def test_a_cycle_is_refused_in_words_and_can_be_condensed_or_dropped(sample, samples, refused, run):
    if not sample.may_be_cyclic:
        return
    edges = [("animal", "dog"), ("dog", "poodle"), ("poodle", "dog")]
    data = sample.content(edges)
    told = refused(sample.file, data, *sample.flags)
    assert "the edges form a cycle, parent → child: " in told
    assert "--on-cycle condense or drop" in told
    condensed = run("info", sample.file, "--on-cycle", "condense", *sample.flags)
    assert condensed.code == 0
    assert "Read 2 nodes and 1 edge" in condensed.err
    assert "(1 cycle condensed: " in condensed.err
    dropped = run("info", sample.file, "--on-cycle", "drop", *sample.flags)
    assert dropped.code == 0
    assert "Read 3 nodes and 2 edges" in dropped.err
    assert "(1 edge that closes a cycle left out: " in dropped.err


def test_an_id_that_is_nowhere_defined_is_told(sample, run, tmp_path):
    if sample.strange is None:
        return
    data = sample.strange if isinstance(sample.strange, bytes) else sample.strange.encode()
    path = tmp_path / sample.file
    path.write_bytes(data)
    done = run("info", path, *sample.flags)
    assert done.code == 0, done.err
    assert "Read 2 nodes and 1 edge, for example:" in done.err
    assert f"({sample.note})" in done.err


def test_a_line_of_ten_million_letters_is_refused_at_once(format, sample, samples, refused, within):
    if format == "ncbi":
        data = sample.content() + samples.LONG.encode()
    else:
        data = sample.content([("animal", samples.LONG), ("animal", "dog")])
    told = within(5, lambda: refused(sample.file, data, *sample.flags))
    assert "x" * 61 not in told


@pytest.mark.parametrize("letter", [b"x", b"(", b"[", b"\t", b"{", b"<"])
def test_nothing_but_one_line_of_300_000_equal_letters_is_refused_at_once(sample, refused, letter, within):
    assert within(5, lambda: refused(sample.file, letter * 300_000, *sample.flags))


def test_a_bomb_is_refused_before_it_is_unpacked(sample, bomb, refused):
    told = refused(sample.file + ".gz", bomb)
    assert f"unpacks to more than 64 MiB from {len(bomb):,} bytes" in told


def test_a_file_of_another_format_is_refused_and_never_a_traceback(sample, samples, refused):
    for other in samples.SAMPLES.values():
        if other.file == sample.file or {other.file, sample.file} == {"animals.paths", "animals.outline"}:
            continue
        if (sample.file, other.file) == ("animals.ttl", "animals.nt"):
            # Every file of N-Triples is one of Turtle as well.
            continue
        if sample.file == "animals.outline":
            # Any text is an outline of names, if mostly one without children.
            continue
        assert refused(sample.file, other.content(), *sample.flags)
