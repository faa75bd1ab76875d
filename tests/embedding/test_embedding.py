"""The answers of an embedding follow one rule, however they are asked for."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pandas
import pytest
from tests.support.embeddings import make_embedding
from tests.support.errors import raises_exactly

from hypercone import Embedding, Labels
from hypercone.errors import InputError, UnknownNameError
from hypercone.geometry import poincare
from hypercone.methods import METHODS, Settings

ALL = pytest.mark.parametrize("method", METHODS)


def test_it_is_a_read_only_mapping_of_names_to_points():
    embedding = make_embedding()
    assert (len(embedding), embedding.dim) == (12, 2)
    assert "n3" in embedding
    assert "n12" not in embedding
    assert list(embedding) == list(embedding.names)
    assert repr(embedding) == "Embedding(12 nodes, 2-D, hyperbolic-cones)"
    assert np.array_equal(embedding["n3"], embedding.points[3])
    for array in (embedding["n3"], embedding.points[0]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


@pytest.fixture
def heart():
    points = np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.5], [0.0, 0.7]])
    labels = Labels(["Abnormal heart", "Murmur", "Murmur", "Fever"])
    return Embedding(["HP:1", "HP:2", "HP:3", "HP:4"], points, "hyperbolic-cones", Settings(), 0.0, labels=labels)


def test_what_is_in_an_embedding_is_what_it_finds(heart):
    for name in ("HP:1", "HP:2", "Fever", "fever"):
        assert name in heart
        assert heart[name].shape == (2,)
    # The label of two nodes, an unknown name, and what is not a name.
    for name in ("Murmur", "HP:9", "", 0, None, ["HP:1"], ("HP:1", "HP:2")):
        assert name not in heart
    for name in ("Murmur", "HP:9", ""):
        with pytest.raises(InputError):
            heart[name]
    # A new node may be called what another one is labeled.
    assert "Fever" in list(heart.add("Fever", "HP:1"))


def test_points_of_several_names_are_the_rows_of_a_copy(heart):
    for names in (["HP:4", "HP:1"], ("HP:4", "HP:1"), np.array(["HP:4", "HP:1"]), pandas.Series(["fever", "HP:1"])):
        found = heart[names]
        assert found.tolist() == [[0.0, 0.7], [0.5, 0.0]]
        found[:] = 0
    assert heart["HP:4", "HP:1"].tolist() == [[0.0, 0.7], [0.5, 0.0]]
    assert heart[[]].shape == (0, 2)


@pytest.mark.parametrize("name", [0, np.int64(1), None, {"HP:1"}, {"HP:1": 2}, b"HP:1", slice(1)])
def test_what_is_not_a_name_or_a_list_of_names_has_no_point(heart, name):
    with raises_exactly(
        f"{name!r} ({type(name).__name__}) is not a name or a list of names; points by row are in embedding.points"
    ):
        heart[name]


def test_points_are_a_read_only_view_and_vectors_and_arrays_are_copies(heart):
    views = (heart.points, heart["HP:1"], np.asarray(heart), heart.__array__())
    copies = (heart.vectors, np.array(heart), heart.__array__(copy=True), np.asarray(heart, np.float32))
    assert all(np.shares_memory(view, heart.points) and not view.flags.writeable for view in views)
    before = heart.points.copy()
    for copy in copies:
        assert np.array_equal(copy, before.astype(copy.dtype))
        copy[:] = 0
    assert (heart.points == before).all()
    assert heart.vectors.dtype == np.float64
    assert heart.vectors.flags.c_contiguous
    assert np.asarray(heart, np.float32).dtype == np.float32
    assert np.mean(heart, axis=0).tolist() == before.mean(axis=0).tolist()


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 1 copies if it must")
def test_an_array_of_another_type_is_refused_if_it_must_not_be_copied(heart):
    assert np.shares_memory(np.array(heart, copy=False), heart.points)
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.array(heart, dtype=np.float32, copy=False)


@pytest.mark.parametrize(
    "ask", ["__getitem__", "row", "ancestors", "descendants", "nearest", "parents", "children", "siblings"]
)
def test_an_unknown_name_is_refused_with_a_suggestion(ask):
    embedding = make_embedding(count=4, names=["poodle", "cat", "dog.n.01", "dog.n.03"])
    for name, suggestion in (("podle", "poodle"), ("dog", "dog.n.01 or dog.n.03")):
        with pytest.raises(UnknownNameError) as error:
            getattr(embedding, ask)(name)
        assert str(error.value) == f"there is no node '{name}'; did you mean {suggestion}?"
    with pytest.raises(KeyError):
        embedding.is_a("cat", "no such node")


@ALL
def test_the_energy_is_that_of_the_method(method):
    embedding = make_embedding(method)
    found = embedding.energy("n1", "n2")
    formula = METHODS[method].energy if METHODS[method].loss == "margin" else METHODS[method].signed_energy
    expected = formula(embedding["n2"], embedding["n1"], embedding.settings)
    assert isinstance(found, float)
    assert found == pytest.approx(float(expected), rel=1e-12, abs=1e-12)


@ALL
def test_lists_are_answered_elementwise_and_single_names_are_broadcast(method):
    embedding = make_embedding(method)
    some = ["n1", "n2", "n3"]
    for children, parents in ((some, "n4"), ("n4", some), (some, ["n4", "n5", "n6"])):
        each_child = [children] * 3 if isinstance(children, str) else children
        each_parent = [parents] * 3 if isinstance(parents, str) else parents
        energies = embedding.energy(children, parents)
        answers = embedding.is_a(children, parents)
        assert answers.dtype == np.bool_
        pairs = list(zip(each_child, each_parent, strict=True))
        assert energies.tolist() == [embedding.energy(*pair) for pair in pairs]
        assert answers.tolist() == [embedding.is_a(*pair) for pair in pairs]
    assert embedding.is_a([], "n1").tolist() == []


@ALL
def test_all_ways_to_ask_agree_if_the_threshold_is_the_energy_of_a_pair(method):
    # Where a threshold always is: calibration takes it from a pair.
    for seed in range(5):
        threshold = make_embedding(method, seed=seed).energy("n3", "n7")
        embedding = make_embedding(method, seed=seed, threshold=threshold)
        assert embedding.is_a("n3", "n7")
        below = {name: set(embedding.descendants(name)) for name in embedding.names}
        above = {name: set(embedding.ancestors(name)) for name in embedding.names}
        for x, y in itertools.permutations(embedding.names, 2):
            assert (x in below[y]) == (y in above[x]) == embedding.is_a(x, y)
        assert all(name not in below[name] | above[name] for name in embedding.names)


def test_a_fitted_tree_is_reproduced_most_general_first_and_the_child_is_named_first(fitted, tree):
    found = {(above, name) for name in tree.names for above in fitted.ancestors(name)}
    assert found == {(tree.names[parent], tree.names[child]) for parent, child in tree.closure()}
    assert fitted.ancestors("r.0.1.0") == ["r", "r.0", "r.0.1"]
    assert fitted.descendants("r")[0] in {"r.0", "r.1"}
    assert fitted.is_a("r.0.1.0", "r.0") is True
    assert fitted.is_a("r.0", "r.0.1.0") is False
    assert fitted.is_a("r.1.0", "r.0") is False
    assert fitted.energy("r.0.1.0", "r.0") <= fitted.threshold < fitted.energy("r.0", "r.0.1.0")


@ALL
def test_lists_go_from_general_to_specific(method):
    embedding = make_embedding(method, threshold=1e300)
    generality = dict(zip(embedding.names, METHODS[method].generality(embedding.points), strict=True))
    for found in (embedding.descendants("n0"), embedding.ancestors("n0")):
        assert len(found) == len(embedding) - 1
        assert found == sorted(found, key=lambda name: (generality[name], embedding.row(name)))


@ALL
@pytest.mark.parametrize("count", [0, 1, 4, 11, 100])
def test_the_nearest_are_those_at_the_smallest_distance(method, count):
    embedding = make_embedding(method)
    point = embedding["n5"]
    if METHODS[method].is_hyperbolic:
        distances = poincare.distance(point, embedding.points)
    else:
        distances = np.linalg.norm(embedding.points - point, axis=1)
    expected = sorted((d, i) for i, d in enumerate(distances) if i != 5)[:count]
    found = embedding.nearest("n5", count)
    assert [name for name, _ in found] == [f"n{i}" for _, i in expected]
    assert [distance for _, distance in found] == pytest.approx([d for d, _ in expected], rel=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda e: e.nearest("n5", -1), "k is -1, but must be at least 0"),
        (lambda e: e.nearest("n5", "3"), "k is '3' (str), but must be a whole number"),
        (lambda e: e.suggest(2.5), "k is 2.5 (float), but must be a whole number"),
        (lambda e: e.suggest(3, "edges.tsv"), "hierarchy is 'edges.tsv' (str), but must be a Hierarchy"),
        (lambda e: e.compare("other"), "other is 'other' (str), but must be an Embedding; load it"),
        (lambda e: e.search(["n"]), "text is ['n'] (list), but must be a string"),
        (lambda e: e.is_a(["n1", "n2"], ["n1", "n2", "n3"]), "lists of 2 and 3 names"),
        (lambda e: e.nearest(["n5", "n6"]), "['n5', 'n6'] is a list of names; ask about one at a time"),
    ],
)
def test_invalid_arguments_are_refused_in_one_sentence(call, words):
    with pytest.raises(InputError, match=re.escape(words)):
        call(make_embedding())


def test_a_single_node_has_no_neighbors_and_no_relatives():
    alone = make_embedding(count=1)
    assert alone.nearest("n0") == alone.ancestors("n0") == alone.descendants("n0") == []
