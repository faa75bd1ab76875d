"""An embedding is validated completely when it is created, and everything that is saved can be loaded."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from safetensors.numpy import save as safetensors_bytes
from tests.support.embeddings import all_files, forge, is_refused, is_same

from hypercone.embedding import Embedding, load
from hypercone.errors import InputError
from hypercone.hierarchy import Glossary
from hypercone.hierarchy.names import Labels
from hypercone.methods import FARTHEST, METHODS, Settings

NAN, INFINITY = float("nan"), float("inf")
ENDLESS: dict = {}
ENDLESS["again"] = [ENDLESS]
DEEP: dict = {}
for _ in range(60):
    DEEP = {"x": DEEP}


REFUSED = {
    "a point that is NaN": ({"points": [[NAN, 0.5], [0.5, 0]]}, "'cat' is not finite; give points without NaN"),
    "an infinite point": ({"points": [[0.5, 0], [0.5, -INFINITY]]}, "the point of 'dog' is not finite"),
    "a point on the edge": ({"points": [[0.5, 0], [1.0, 0]]}, "the point of 'dog' is outside the domain"),
    "a point beyond the edge": ({"points": [[0.5, 0], [7.0, 0]]}, "the point of 'dog' is outside the domain"),
    "a point in the middle": ({"points": [[0.0, 0], [0.5, 0]]}, "the point of 'cat' is outside the domain"),
    "a point too far away": ({"method": "order", "points": [[0.5, 0], [0, -1e151]]}, "the point of 'dog' is outside"),
    "a point on the border": ({"points": [[0.5, 0], [1 - 1e-6, 0]]}, "the point of 'dog' is outside the domain"),
    "no border": ({"points": [[0.5, 0], [1 + 5e-10, 0]], "settings": Settings(border=0.0)}, "of 'dog' is outside"),
    "a point beyond the ball": ({"method": "poincare", "points": [[0.5, 0], [0.8, 0.8]]}, "of 'dog' is outside"),
    "a point inside the shell": ({"method": "euclidean-cones", "points": [[0.5, 0], [1e-6, 0]]}, "'dog' is outside"),
    "a length that overflows": ({"method": "euclidean-cones", "points": [[0.5, 0], [1e200] * 2]}, "'dog' is outside"),
    "a little too far away": ({"method": "order", "points": [[0.5, 0], [0, -1.01 * FARTHEST]]}, "'dog' is outside"),
    "no dimensions": ({"points": np.empty((2, 0))}, r"an array of shape \(2, 0\) for 2 names"),
    "points in a row": ({"points": [0.5, 0.5]}, r"an array of shape \(2,\)"),
    "a number for points": ({"points": 0.5}, r"an array of shape \(\)"),
    "points of letters": ({"points": [["a", "b"], ["c", "d"]]}, "its points are .* give rows of numbers"),
    "points of several lengths": ({"points": [[0.5, 0.5], [0.5]]}, "its points are .* give rows of numbers"),
    "a point too many": ({"points": [[0.5, 0], [0, 0.5], [0.1, 0.5]]}, "there are 2 names for 3 points"),
    "a name too many": ({"names": ["cat", "dog", "owl"]}, "there are 3 names for 2 points; each node needs both"),
    "a threshold of NaN": ({"threshold": NAN}, "the threshold is not a number; give the energy up to which"),
    "an infinite threshold": ({"threshold": -INFINITY}, "its threshold is -inf"),
    "a threshold too large": ({"threshold": 10**400}, "its threshold is 1000"),
    "a threshold of letters": ({"threshold": "0.1"}, "the threshold is not a number"),
    "no threshold": ({"threshold": None}, "the threshold is not a number"),
    "a list of thresholds": ({"threshold": [0.1]}, "the threshold is not a number"),
    "a truth for a threshold": ({"threshold": True}, "the threshold is not a number"),
    "K is NaN": ({"settings": Settings(K=NAN)}, "K is nan, which is not a finite number"),
    "an infinite alpha": ({"settings": Settings(alpha=INFINITY)}, "alpha is inf, which is not a finite number"),
    "K is negative": ({"settings": Settings(K=-1.0)}, "K is -1.0, outside 1e-300 … "),
    "an infinite margin": ({"settings": Settings(margin=INFINITY)}, "margin is inf, which is not a finite number"),
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
    "a number for a name": ({"names": ["cat", 5]}, "5 is not a name but int"),
    "labels for other nodes": ({"labels": Labels(["Cat"])}, "there are 1 labels for 2 nodes; give each one"),
    "labels in a list": ({"labels": ["Cat", "Dog"]}, "its labels are .* give hypercone.Labels"),
    "a glossary of other nodes": ({"glossary": Glossary.of_rows(1)}, "the glossary has 1 row for 2 nodes; give each"),
    "a glossary in a dict": ({"glossary": {"cat": "A pet."}}, "its glossary is .* give hypercone.Glossary"),
    "an edge to nowhere": ({"edges": np.array([[0, 2]])}, "an edge names a row outside 0 … 1"),
    "an edge from nowhere": ({"edges": np.array([[-1, 0]])}, "a row outside 0 … 1; give rows of its points"),
    "an edge that would wrap": ({"edges": np.array([[0, 2**32 + 1]])}, "an edge names a row outside 0 … 1"),
    "edges of fractions": ({"edges": np.array([[0.0, 1.5]])}, r"of float64; give \(parent, child\) rows"),
    "edges of three": ({"edges": np.array([[0, 1, 1]])}, r"an array of shape \(1, 3\)"),
    "NaN in the record": ({"record": {"history": {"loss": [[1, NAN]]}}}, "its record holds nan, which JSON cannot"),
    "infinity in the record": ({"record": {"f1": np.float64(INFINITY)}}, "its record holds inf, which JSON cannot"),
    "an array in the record": ({"record": {"x": np.ones(3)}}, r"its record holds array.* \(ndarray\), which JSON"),
    "a number as a key": ({"record": {1: 2}}, r"its record has the key 1 \(int\), which is not a string"),
    "None as a key": ({"record": {"x": [{None: 2}]}}, "its record has the key None"),
    "a record too deep": ({"record": DEEP}, "its record is nested more than 50 deep"),
    "a record that contains itself": ({"record": ENDLESS}, "its record is nested more than 50 deep"),
    "no record": ({"record": None}, r"its record is None \(NoneType\); give a dict"),
}

# Valid in an embedding, but not in a folder.
UNSAVABLE = {
    "half a character in the record": ({"record": {"x": "\ud800"}}, "its record cannot be stored as JSON"),
    "a number of 5,000 digits": ({"record": {"x": 10**5000}}, "its record cannot be stored as JSON"),
    "a number of 500 digits": ({"record": {"x": 10**500}}, "its record cannot be stored as JSON"),
    "a record of a megabyte": ({"record": {"x": "y" * (1 << 20)}}, "its record is too long: config.json would have"),
    "labels that unpack to too much": ({"labels": Labels(["x" * (65 << 20), ""])}, "nearly all the same; shorten them"),
}


def pair(**changes) -> Embedding:
    fields = {
        "names": ["cat", "dog"],
        "points": np.array([[0.5, 0.0], [0.0, 0.5]]),
        "method": "hyperbolic-cones",
        "settings": Settings(),
        "threshold": 0.1,
    }
    return Embedding(**(fields | changes))


@pytest.mark.parametrize("case", REFUSED)
def test_invalid_fields_are_refused(case):
    changes, words = REFUSED[case]
    for make in (lambda: pair(**changes), lambda: replace(pair(), **changes)):
        with pytest.raises(InputError, match=words) as error:
            make()
        assert "\n" not in str(error.value)
        assert len(str(error.value)) < 400


@pytest.mark.parametrize("case", UNSAVABLE)
def test_what_could_not_be_loaded_is_not_saved_and_the_old_model_is_kept(tmp_path, case):
    changes, words = UNSAVABLE[case]
    wrong = pair(**changes)
    pair().save(tmp_path / "model")
    before = all_files(tmp_path)
    with pytest.raises(InputError, match=words) as error:
        wrong.save(tmp_path / "model")
    assert str(error.value).startswith(f"{tmp_path / 'model'}: not written: ")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400
    assert all_files(tmp_path) == before


@pytest.mark.parametrize("case", [case for case in REFUSED if "record" in REFUSED[case][0] and case != "no record"])
def test_a_record_made_invalid_later_is_not_saved(tmp_path, case):
    changes, words = REFUSED[case]
    embedding = pair()
    embedding.record.update(changes["record"])
    with pytest.raises(InputError, match=f"model: not written: {words}"):
        embedding.save(tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_numpy_numbers_are_saved_unchanged(tmp_path):
    points = np.asfortranarray(np.array([[0.1, 0.2], [0.3, 0.4]], np.float32))
    given = {"threshold": np.float32(0.1), "settings": Settings(K=np.float64(0.1), margin=1), "edges": [[0, 1]]}
    loaded = load(pair(points=points, **given).save(tmp_path / "model"))
    assert loaded.points.dtype == np.float64
    assert np.array_equal(loaded.points, points)
    assert loaded.threshold == np.float32(0.1)
    assert loaded.settings == Settings(K=0.1, margin=1.0)
    assert loaded.edges.tolist() == [[0, 1]]
    assert [type(pair(threshold=kind(1)).threshold) for kind in (np.float32, np.float64, np.int64, int)] == [float] * 4


def test_later_changes_to_the_arguments_do_no_harm(tmp_path):
    names, points, edges = ["cat", "dog"], np.array([[0.5, 0.0], [0.0, 0.5]]), np.array([[0, 1]], np.int32)
    embedding = pair(names=names, points=points, edges=edges)
    names[0], points[0, 0], edges[0, 0] = "a\tb", NAN, 7
    assert is_same(embedding, pair(edges=[[0, 1]]))
    assert is_same(load(embedding.save(tmp_path / "model")), embedding)


def test_read_only_points_and_edges_are_not_copied():
    first = pair(edges=[[0, 1]])
    again = replace(first, threshold=0.2)
    assert again.names is first.names
    assert np.shares_memory(again.points, first.points)
    assert np.shares_memory(again.edges, first.edges)
    assert replace(first, edges=[]).hierarchy.root_rows.tolist() == [0, 1]


# Invalid values with matching checksums, and the file that the refusal names.
DAMAGED = {
    "a point beyond the edge": ({"points": [[0.5, 0], [7.0, 0]]}, "model.safetensors: the point of 'dog' is outside"),
    "a point that is NaN": ({"points": [[0.5, 0], [NAN, 0]]}, "model.safetensors: the point of 'dog' is not finite"),
    "an edge to nowhere": ({"edges": [[0, 2]]}, "edges.safetensors: an edge names a row outside 0 … 1"),
    "K is negative": ({"settings": vars(Settings(K=-1.0))}, "config.json: K is -1.0, outside 1e-300 … "),
    "a record too deep": ({"record": DEEP}, "config.json: its record is nested more than 50 deep"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_invalid_fields_in_a_folder_are_reported_as_a_damaged_file(tmp_path, case):
    changes, words = DAMAGED[case]
    folder = pair(edges=[[0, 1]]).save(tmp_path / "model")
    parts = {"points": ("model.safetensors", np.float64), "edges": ("edges.safetensors", np.int32)}
    name, value = next(iter(changes.items()))
    if name in parts:
        part, kind = parts[name]
        forge(folder, {part: safetensors_bytes({name: np.array(value, kind)})})
    else:
        forge(folder, **changes)
    sentence = is_refused(folder, f"model/{words}")
    assert sentence.endswith("; the file is damaged")


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
    """Mostly usual values, and now and then anything at all."""

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


def test_any_embedding_is_either_refused_or_loaded_unchanged(tmp_path):
    seen: Counter[str] = Counter()
    target = pair().save(tmp_path / "model")

    @given(st.data())
    @settings(max_examples=120)
    def law(data: st.DataObject) -> None:
        try:
            embedding = data.draw(embeddings())
        except InputError as error:
            seen["never made"] += 1
            seen["of several lines"] += "\n" in str(error)
            return
        before = all_files(tmp_path)
        try:
            embedding.save(target)
        except InputError as error:
            seen["of several lines"] += "\n" in str(error)
            assert all_files(tmp_path) == before
            return
        seen["saved"] += 1
        plain = replace(embedding, record=json.loads(json.dumps(embedding.record)))
        assert is_same(load(target), plain)
        text = (target / "config.json").read_text(encoding="utf-8")
        assert json.loads(text, parse_constant=pytest.fail)["threshold"] == embedding.threshold

    law()
    assert not seen["of several lines"]
    assert min(seen["never made"], seen["saved"]) > 20, seen
