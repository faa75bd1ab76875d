"""A new node gets a place without training, and no other point moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import hypercone
from hypercone import Embedding
from hypercone.errors import HierarchyError, InputError, UnknownNameError
from hypercone.methods import METHODS, Settings

CONES = ("hyperbolic-cones", "euclidean-cones")


@pytest.mark.parametrize("method", METHODS)
def test_a_new_node_is_under_its_parent_by_every_method(fitted, method):
    larger = fitted(method).add("husky", ["dog"])
    assert larger.is_a("husky", "dog")
    assert larger.record["placed"] == {"nodes": 1, "violated_constraints": 0, "violated": []}


@pytest.mark.parametrize("method", METHODS)
def test_old_points_stay_byte_for_byte_and_the_new_one_is_in_the_domain(fitted, method):
    model = fitted(method)
    larger = model.add("husky", ["dog"])
    assert larger.points[:-1].tobytes() == model.points.tobytes()
    assert len(model) == 11 == len(larger) - 1
    inner, outer = METHODS[method].shell(model.settings)
    assert inner - 1e-9 <= np.linalg.norm(larger["husky"]) <= outer + 1e-9


@pytest.mark.parametrize("method", CONES)
def test_it_is_under_exactly_what_is_above_its_parent(fitted, method):
    larger = fitted(method).add("husky", ["dog"])
    assert larger.ancestors("husky") == ["animal", "mammal", "dog"]
    assert larger.descendants("husky") == []


@pytest.mark.parametrize("method", METHODS)
def test_the_same_node_gets_the_same_place_every_time(fitted, method):
    places = [fitted(method).add("husky", ["dog"])["husky"].tobytes() for _ in range(2)]
    assert places[0] == places[1]


def test_a_place_does_not_depend_on_nodes_added_far_away(model):
    alone = model.add("husky", ["dog"])["husky"]
    among = model.add_many({"barn owl": ["owl"], "moray": ["eel"], "husky": ["dog"]})["husky"]
    assert alone.tobytes() == among.tobytes()


def test_a_chain_of_new_nodes_is_placed_from_the_top_whatever_the_order(model):
    chain = [("sled dog", "lead dog"), ("husky", "sled dog"), ("dog", "husky")]
    larger = model.add_many(chain)
    assert larger.ancestors("lead dog") == ["animal", "mammal", "dog", "husky", "sled dog"]
    assert larger.names[-3:] == ("husky", "sled dog", "lead dog")
    assert larger.record["placed"]["nodes"] == 3


def test_one_after_the_other_and_counted_together(model):
    larger = model.add("husky", "dog").add("sled dog", "husky")
    assert larger.ancestors("sled dog") == ["animal", "mammal", "dog", "husky"]
    assert larger.record["placed"]["nodes"] == 2
    assert "placed" not in model.record


def test_new_siblings_are_not_under_each_other(model):
    names = [f"dog {i}" for i in range(30)]
    larger = model.add_many(dict.fromkeys(names, "dog"))
    assert all(larger.ancestors(name) == ["animal", "mammal", "dog"] for name in names)


def test_edges_and_labels_grow_with_the_names(model):
    larger = model.add("HUS", ["dog", "mammal"], label="Siberian husky")
    assert larger.hierarchy is not None
    assert larger.edges[-2:].tolist() == [[model.row("dog"), 11], [model.row("mammal"), 11]]
    assert larger.row("siberian husky") == 11
    assert larger.called(11) == "Siberian husky"
    assert larger.called(0) == "animal"
    more = larger.add("MAL", ["siberian husky"])
    assert more.labels[12] == ""
    assert more.is_a("MAL", "HUS")


def test_without_edges_the_ancestors_are_those_that_the_parents_have_by_geometry(model):
    bare = replace(model, edges=None)
    larger = bare.add("husky", ["dog"])
    assert larger.edges is None
    assert larger.ancestors("husky") == [*model.ancestors("dog"), "dog"]
    assert larger.descendants("husky") == []


def test_not_under_decides_where_both_sides_are_open():
    # The first point is within the threshold of the cone of the second, but only just: half of its own cone is not.
    points = np.zeros((2, 5))
    points[0, :2] = 0.6 * np.cos(0.3), 0.6 * np.sin(0.3)
    points[1, 0] = 0.3
    model = Embedding(["inner", "other"], points, "hyperbolic-cones", Settings(K=0.1), threshold=0.0)
    model = replace(model, threshold=model.energy("inner", "other") + 0.02)
    freely = model.add("x", ["inner"])
    assert freely.ancestors("x") == ["other", "inner"]
    apart = model.add("x", ["inner"], not_under=["other"])
    assert apart.ancestors("x") == ["inner"]
    assert apart.record["placed"]["violated"] == []


def test_not_under_a_sibling_or_a_new_one_is_met(model):
    larger = model.add("husky", ["dog"], not_under=["poodle", "fish"])
    assert not larger.is_a("husky", "poodle")
    assert larger.record["placed"]["violated_constraints"] == 0
    two = model.add_many({"husky": "dog", "spitz": "dog"}, not_under={"spitz": ["husky"], "husky": ["spitz"]})
    assert not two.is_a("spitz", "husky")
    assert not two.is_a("husky", "spitz")


def test_what_cannot_be_met_is_said(model):
    # By the graph nothing hinders it; by the geometry all that is under dog is under mammal.
    edges = np.array([edge for edge in model.edges.tolist() if edge[1] != model.row("dog")], np.int32)
    larger = replace(model, edges=edges).add("husky", ["dog"], not_under=["mammal"])
    placed = larger.record["placed"]
    assert placed["violated_constraints"] == 1
    assert placed["violated"][0] in {"husky is under mammal", "husky is not under dog"}


def test_a_larger_model_is_saved_and_loaded_again(model, tmp_path):
    larger = model.add("husky", ["dog"], label="Husky")
    again = hypercone.load(larger.save(tmp_path / "larger"))
    assert again.points.tobytes() == larger.points.tobytes()
    assert again.record == larger.record
    assert again.edges.tolist() == larger.edges.tolist()
    assert again.ancestors("husky") == ["animal", "mammal", "dog"]
    assert again.add("sled dog", ["Husky"]).is_a("sled dog", "husky")
    assert "1 node was placed" in (tmp_path / "larger" / "README.md").read_text()


@pytest.mark.parametrize(
    ("name", "parents", "kind", "message"),
    [
        ("dog", ["mammal"], InputError, "'dog' is already in the model; give the new node another name"),
        ("husky", ["dgo"], UnknownNameError, "there is no node 'dgo'; did you mean dog?"),
        ("husky", [], InputError, "'husky' has no parents; give at least one, to say where it belongs"),
        ("husky", ["husky"], InputError, "'husky' is given as its own parent; give another one"),
        ("", ["dog"], HierarchyError, "a node has an empty name; every node needs a name of at least one character"),
    ],
)
def test_bad_input_is_one_sentence(model, name, parents, kind, message):
    with pytest.raises(kind) as caught:
        model.add(name, parents)
    assert str(caught.value) == message


def test_contradictions_are_refused(model):
    with pytest.raises(InputError, match="'husky' cannot be kept out of 'animal', which is or is above one of its"):
        model.add("husky", ["dog"], not_under=["animal"])
    with pytest.raises(HierarchyError, match=r"form a cycle, parent → child: (a → b → a|b → a → b); remove one edge"):
        model.add_many([("a", "b"), ("b", "a"), ("dog", "a")])
    with pytest.raises(UnknownNameError, match="no new node for labels called 'hsky'; did you mean husky"):
        model.add_many({"husky": "dog"}, labels={"hsky": "Husky"})
    with pytest.raises(HierarchyError, match="is not an edge; each edge is two names"):
        model.add_many(["husky"])


def test_one_name_to_keep_out_of_is_a_name_and_not_its_letters(model):
    larger = model.add_many({"husky": ["dog"]}, not_under={"husky": "cat"})
    assert not larger.is_a("husky", "cat")


def test_being_kept_out_of_a_node_that_is_placed_later_is_judged_too(model):
    larger = model.add_many({"first": ["dog"], "second": ["dog"]}, not_under={"first": ["second"]})
    unmet = larger.record["placed"]["violated"]
    assert unmet == (["first is under second"] if larger.is_a("first", "second") else [])


@pytest.mark.parametrize("parents", [None, 5])
def test_parents_that_are_no_names_are_refused(model, parents):
    with pytest.raises(InputError, match=r"the parents of 'husky' are .*; give a list of names"):
        model.add("husky", parents)
