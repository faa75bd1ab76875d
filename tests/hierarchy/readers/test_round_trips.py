"""Any small hierarchy, written in a format, is read back as it was: nodes, edges, labels."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone.formats import read

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


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_what_is_written_is_read_back(format, samples, data):
    sample = samples.SAMPLES[format]
    edges, labels = data.draw(hierarchies(sample.is_tree))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in sample.neighbours(edges, labels).items():
            Path(folder, name).write_text(text, encoding="utf-8")
        path = Path(folder, sample.file)
        path.write_bytes(sample.content(edges, labels))
        found = read(path, **sample.options)
    named = sample.named(edges)
    assert set(found.names) == set(named.values())
    assert {(found.names[parent], found.names[child]) for parent, child in found.edges} == {
        (named[parent], named[child]) for parent, child in edges
    }
    if sample.has_labels:
        assert {name: found.called(found.row(named[name])) for name in labels} == labels


def test_lines_may_end_as_on_windows_and_begin_with_a_mark(format, sample, tmp_path):
    if "utf-16" not in sample.encodings:
        pytest.skip("no text")
    path = tmp_path / sample.file
    path.write_bytes(b"\xef\xbb\xbf" + sample.content().replace(b"\n", b"\r\n"))
    assert len(read(path)) == 4
