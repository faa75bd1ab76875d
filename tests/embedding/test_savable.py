"""What is saved can always be loaded: the rest is refused in one sentence, before anything is touched."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hypercone.embedding import Embedding, load
from hypercone.errors import InputError
from hypercone.hierarchy.names import Labels
from hypercone.methods import METHODS, Settings

NAN, INFINITY = float("nan"), float("inf")


def _deep(levels: int) -> dict:
    record: dict = {}
    for _ in range(levels):
        record = {"x": record}
    return record


REFUSED = {
    "a point that is NaN": ({"points": [[NAN, 0.5], [0.5, 0]]}, "the point of 'cat' is not finite; the fit diverged"),
    "an infinite point": ({"points": [[0.5, 0], [0.5, -INFINITY]]}, "the point of 'dog' is not finite"),
    "a point on the edge": ({"points": [[0.5, 0], [1.0, 0]]}, "the point of 'dog' is outside the domain"),
    "a point beyond the edge": ({"points": [[0.5, 0], [7.0, 0]]}, "the point of 'dog' is outside the domain"),
    "a point in the middle": ({"points": [[0.0, 0], [0.5, 0]]}, "the point of 'cat' is outside the domain"),
    "a point too far away": ({"method": "order", "points": [[0.5, 0], [0, -1e151]]}, "the point of 'dog' is outside"),
    "no dimensions": ({"points": np.empty((2, 0))}, r"an array of shape \(2, 0\) for 2 names"),
    "points in a row": ({"points": [0.5, 0.5]}, r"an array of shape \(2,\)"),
    "a threshold of NaN": ({"threshold": NAN}, r"its threshold is nan \(float\); give a finite number"),
    "an infinite threshold": ({"threshold": -INFINITY}, "its threshold is -inf"),
    "a threshold too large": ({"threshold": 10**400}, "its threshold is 1000"),
    "a threshold of letters": ({"threshold": "0.1"}, "its threshold is '0.1'"),
    "K is NaN": ({"settings": Settings(K=NAN)}, "K is nan, which is no finite number"),
    "K is negative": ({"settings": Settings(K=-1.0)}, "K is -1.0, outside 1e-300 … "),
    "an infinite margin": ({"settings": Settings(margin=INFINITY)}, "margin is inf, which is no finite number"),
    "no settings": ({"settings": None}, "its settings are None"),
    "a method nobody knows": ({"method": "ordre"}, "there is no method 'ordre'; did you mean order"),
    "no method": ({"method": None}, "its method is None"),
    "two nodes of one name": ({"names": ["cat", "cat"]}, "two rows are named 'cat'; every node needs its own name"),
    "an empty name": ({"names": ["cat", ""]}, "a node has an empty name"),
    "a name of two lines": ({"names": ["cat", "a\nb"]}, r"the name 'a\\nb' contains a line break"),
    "a name with a tab": ({"names": ["cat", "a\tb"]}, "contains a tab"),
    "a name with a carriage return": ({"names": ["cat", "a\rb"]}, "contains a carriage return"),
    "a name with a NUL": ({"names": ["cat", "a\0"]}, "contains a NUL character"),
    "half a character": ({"names": ["cat", "\ud800"]}, "contains half a character"),
    "a number for a name": ({"names": ["cat", 5]}, "5 is no name, it is int"),
    "labels for other nodes": ({"labels": Labels(["Cat"])}, "there are 1 labels for 2 nodes; give each one"),
    "labels in a list": ({"labels": ["Cat", "Dog"]}, "its labels are .* give hypercone.hierarchy.names.Labels"),
    "an edge to nowhere": ({"edges": np.array([[0, 2]])}, "an edge names a row outside 0 … 1"),
    "an edge that would wrap": ({"edges": np.array([[0, 2**32 + 1]])}, "an edge names a row outside 0 … 1"),
    "edges of fractions": ({"edges": np.array([[0.0, 1.5]])}, r"of float64; give \(parent, child\) rows"),
    "edges of three": ({"edges": np.array([[0, 1, 1]])}, r"an array of shape \(1, 3\)"),
    "NaN in the record": ({"record": {"history": {"loss": [[1, NAN]]}}}, "its record holds nan, which no JSON"),
    "infinity in the record": ({"record": {"f1": np.float64(INFINITY)}}, "its record holds inf, which no JSON"),
    "an array in the record": ({"record": {"f1": np.ones(3)}}, r"its record holds array.* \(ndarray\), which no JSON"),
    "a number as a key": ({"record": {1: 2}}, r"its record has the key 1 \(int\), which is no text"),
    "None as a key": ({"record": {"x": [{None: 2}]}}, "its record has the key None"),
    "half a character in the record": ({"record": {"x": "\ud800"}}, "its record cannot be kept as JSON"),
    "a number of 5,000 digits": ({"record": {"x": 10**5000}}, "its record cannot be kept as JSON"),
    "a number of 500 digits": ({"record": {"x": 10**500}}, "its record cannot be kept as JSON"),
    "a record of a megabyte": ({"record": {"x": "y" * (1 << 20)}}, "its record is too long: config.json would have"),
    "a record too deep": ({"record": _deep(60)}, "its record is nested more than 50 deep"),
    "no record": ({"record": None}, r"its record is None \(NoneType\); give a dict"),
    "labels that unpack to too much": ({"labels": Labels(["x" * (65 << 20), ""])}, "nearly all the same; shorten them"),
}


@pytest.fixture
def pair():
    def make(**changes) -> Embedding:
        points = np.array([[0.5, 0.0], [0.0, 0.5]])
        made = Embedding(["cat", "dog"], points, "hyperbolic-cones", Settings(), threshold=0.1)
        for name, value in changes.items():
            # An embedding looks at what it is given; an array that it was given can change afterwards.
            object.__setattr__(made, name, np.asarray(value) if name == "points" else value)
        return made

    return make


def _content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("case", REFUSED)
def test_what_could_not_be_loaded_is_not_saved_and_the_old_model_stays(pair, tmp_path, case):
    changes, words = REFUSED[case]
    wrong = pair(**changes)
    pair().save(tmp_path / "model")
    before = _content(tmp_path)
    with pytest.raises(InputError, match=words) as error:
        wrong.save(tmp_path / "model")
    assert str(error.value).startswith(f"{tmp_path / 'model'}: not written, for ")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400
    assert _content(tmp_path) == before


def test_a_record_that_holds_itself_is_refused(pair, tmp_path):
    record: dict = {}
    record["again"] = [record]
    with pytest.raises(InputError, match="nested more than 50 deep"):
        pair(record=record).save(tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_numbers_of_numpy_are_saved_as_the_numbers_they_are(pair, tmp_path):
    saved = pair(threshold=np.float32(0.1), settings=Settings(K=np.float64(0.2), margin=1), edges=[[0, 1]])
    loaded = load(saved.save(tmp_path / "model"))
    assert loaded.threshold == np.float32(0.1)
    assert loaded.settings == Settings(K=0.2, margin=1.0)
    assert loaded.edges.tolist() == [[0, 1]]


@pytest.mark.parametrize("threshold", [None, "0.1", [0.1], NAN, {}])
def test_an_embedding_has_a_threshold_that_is_a_number(threshold):
    with pytest.raises(InputError, match="the threshold is not a number"):
        Embedding(["cat"], [[0.5, 0.0]], "hyperbolic-cones", Settings(), threshold)


def test_an_array_that_is_spoilt_after_the_embedding_was_made_is_not_saved(tmp_path):
    points = np.array([[0.5, 0.0]])
    embedding = Embedding(["cat"], points, "hyperbolic-cones", Settings(), 0.1)
    points[0, 0] = NAN
    with pytest.raises(InputError, match="not written, for the point of 'cat' is not finite"):
        embedding.save(tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_a_model_of_no_nodes_comes_back(pair, tmp_path, is_same):
    saved = pair(names=[], points=np.empty((0, 2)), labels=Labels([]), edges=np.empty((0, 2), np.int32))
    assert is_same(load(saved.save(tmp_path / "model")), replace(saved, names=()))


@pytest.mark.parametrize("strange", [True, None, 10**300, 1e308, "", [], {}, ["a\n|b"], -1, 0.5])
@pytest.mark.parametrize("name", ["kind", "placed", "config", "notes", "calibration_f1", "training_edges", "epoch"])
def test_the_card_of_any_record_is_text_without_numbers_that_are_none(pair, name, strange):
    from hypercone.embedding.folder import model_card

    card = model_card(pair(record={name: strange, "reproducible": strange, "closure_aware": strange}))
    assert card.startswith("# 2 nodes as hyperbolic-cones in 2 dimensions\n")
    assert not {"nan", "inf"} & set(card.lower().replace(")", " ").split())


NUMBERS = st.one_of(st.floats(), st.floats(0.2, 0.7), st.integers(-5, 5))
TEXTS = st.one_of(st.sampled_from(["cat", "dog", "x y", "a\tb", "", "../x", "\ud800", "猫"]), st.text(max_size=3))
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), NUMBERS, TEXTS, st.binary(max_size=2))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner),
        st.dictionaries(st.one_of(TEXTS, st.integers(0, 2)), inner, max_size=3),
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(["kind", "config", "placed", "notes", "calibration_f1", "training_edges", "epoch", "x"])


@st.composite
def embeddings(draw) -> Embedding:
    """Of each thing mostly something usual, and now and then anything at all."""

    def usually(usual, other):
        return draw(usual) if draw(st.integers(0, 7)) else draw(other)

    count, dim = draw(st.integers(0, 4)), draw(st.integers(1, 3))
    usual_points = arrays(np.float64, (count, dim), elements=st.floats(0.2, 0.5))
    method = usually(st.sampled_from(sorted(METHODS)), st.sampled_from(["", "ordre", None, 5]))
    wild_settings = st.builds(Settings, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
    usual_settings = st.builds(Settings, st.floats(1e-3, 0.1), st.floats(0, 1), st.floats(0, 1e-2), st.floats(0, 10))
    usual_texts = st.lists(st.text("abc猫 ", min_size=1, max_size=4), min_size=count, max_size=count, unique=True)
    return Embedding(
        names=usually(usual_texts, st.lists(TEXTS, min_size=count, max_size=count)),
        points=usually(usual_points, arrays(np.float64, (count, dim), elements=st.floats())),
        method=method,
        settings=usually(usual_settings, wild_settings),
        threshold=usually(st.floats(-10, 10), LEAVES),
        record=usually(
            st.dictionaries(KEYS, st.one_of(st.integers(), st.text("abc"), st.floats(0, 1)), max_size=3),
            st.one_of(st.dictionaries(KEYS, VALUES, max_size=3), VALUES),
        ),
        labels=usually(st.none(), st.one_of(st.lists(TEXTS, min_size=count, max_size=count).map(Labels), st.just([]))),
        edges=usually(st.none(), arrays(np.int64, (2, 2), elements=st.integers(-1, 4))),
    )


def test_whatever_an_embedding_holds_it_is_refused_and_nothing_touched_or_it_comes_back_the_same(
    pair, tmp_path, is_same
):
    seen: Counter[str] = Counter()
    target = pair().save(tmp_path / "model")

    @given(st.data())
    @settings(max_examples=120)
    def law(data: st.DataObject) -> None:
        try:
            embedding = data.draw(embeddings())
        except InputError:
            seen["never made"] += 1
            return
        before = _content(tmp_path)
        try:
            embedding.save(target)
        except InputError as error:
            seen["refused"] += 1
            seen["of several lines"] += "\n" in str(error)
            assert _content(tmp_path) == before
            return
        seen["saved"] += 1
        plain = replace(embedding, record=json.loads(json.dumps(embedding.record)))
        assert is_same(load(target), plain)
        text = (target / "config.json").read_text(encoding="utf-8")
        assert json.loads(text, parse_constant=pytest.fail)["threshold"] == embedding.threshold

    law()
    assert not seen["of several lines"]
    assert min(seen["refused"], seen["saved"]) > 20, seen
