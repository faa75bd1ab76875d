"""word2vec text: every node keeps its own word, and gensim reads the same numbers."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hypercone.embedding.export import words_of
from hypercone.errors import InputError
from hypercone.hierarchy.names import is_usable

NAMES = st.lists(st.text(min_size=1, max_size=6).filter(is_usable), min_size=1, max_size=5, unique=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("words")


def _lines(path) -> list[str]:
    return path.read_bytes().decode("utf-8").split("\n")[:-1]


@given(names=NAMES, data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_header_then_a_word_and_its_numbers_on_each_line(make_embedding, folder, names, data):
    points = data.draw(arrays(np.float64, (len(names), 2), elements=st.floats(-1e150, 1e150)))
    embedding = make_embedding("order", names=names, points=points)
    if len({"".join("_" if letter.isspace() else letter for letter in name) for name in names}) < len(names):
        with pytest.raises(InputError, match="would both be written"):
            embedding.export(folder / "points.vec")
        return
    header, *rows = _lines(embedding.export(folder / "points.vec"))
    assert header == f"{len(names)} 2"
    for row, name, point in zip(rows, names, points, strict=True):
        word, *numbers = row.split(" ")
        assert row.split() == [word, *numbers]
        assert len(word) == len(name)
        assert np.array([float(number) for number in numbers]).tobytes() == point.tobytes()


def test_white_space_in_a_word_becomes_underscores(strange, tmp_path):
    words = [line.split(" ")[0] for line in _lines(strange.export(tmp_path / "v", "word2vec"))[1:]]
    assert words[:4] == ["animal", 'the_"dog"', "white_pelican", "Löwe"]
    assert words[6] == "_"


def test_two_names_that_would_become_one_word_are_named_and_nothing_is_written(make_embedding, tmp_path):
    embedding = make_embedding(names=["owl", "a_b", "b", "a\u00a0b"], count=4)
    with pytest.raises(InputError, match=r"^'a_b' and 'a\\xa0b' would both be written a_b .*rename one of them"):
        embedding.export(tmp_path / "points.vec")
    assert os.listdir(tmp_path) == []


def test_gensim_reads_every_name_and_every_digit(strange, tmp_path):
    gensim = pytest.importorskip("gensim.models", reason="gensim is a large package that only this test needs")
    path = strange.export(tmp_path / "points.vec")
    vectors = gensim.KeyedVectors.load_word2vec_format(str(path), datatype=np.float64)
    assert vectors.index_to_key == words_of(strange.names)
    assert vectors.vectors.tobytes() == strange.points.tobytes()
    assert vectors["猫"].tolist() == strange["猫"].tolist()
