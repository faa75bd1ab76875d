"""Facts first: a model with a graph answers from the graph, and from the geometry what the graph cannot know."""

from __future__ import annotations

import json
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.embeddings import make_embedding

import hypercone
from hypercone._files import with_checksum
from hypercone.errors import InputError, ModelFileError
from hypercone.queries import answer

LISTS = ("ancestors", "descendants", "parents", "children", "siblings")


@st.composite
def dags(draw):
    """A graph with redundant edges, several roots and isolated nodes, in rows of any order."""
    count = draw(st.integers(1, 20))
    places = draw(st.permutations(range(count)))
    pairs = draw(st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=45))
    edges = sorted({(places[min(pair)], places[max(pair)]) for pair in pairs if pair[0] != pair[1]})
    return hypercone.Hierarchy([f"n{row}" for row in range(count)], np.array(edges).reshape(-1, 2))


def scattered(hierarchy, seed=0, **fields):
    """A model whose geometry has nothing to do with its graph."""
    return replace(make_embedding(count=len(hierarchy), seed=seed), edges=hierarchy.edges, **fields)


def expected_lists(graph, name):
    direct = nx.transitive_reduction(graph)
    parents = set(direct.predecessors(name))
    return {
        "ancestors": nx.ancestors(graph, name),
        "descendants": nx.descendants(graph, name),
        "parents": parents,
        "children": set(direct.successors(name)),
        "siblings": {child for parent in parents for child in direct.successors(parent)} - {name},
    }


def as_networkx(hierarchy):
    graph = nx.DiGraph()
    graph.add_nodes_from(hierarchy.names)
    graph.add_edges_from((hierarchy.names[parent], hierarchy.names[child]) for parent, child in hierarchy.edges)
    return graph


@settings(deadline=None, max_examples=60)
@given(dags(), st.integers(0, 5))
def test_every_list_and_verdict_is_that_of_networkx_whatever_the_points(hierarchy, seed):
    embedding, graph = scattered(hierarchy, seed), as_networkx(hierarchy)
    names, depths = list(hierarchy.names), hierarchy.depths.tolist()
    for name in names:
        for question, expected in expected_lists(graph, name).items():
            found = getattr(embedding, question)(name)
            assert set(found) == expected
            assert found == sorted(expected, key=lambda other: (depths[hierarchy.row(other)], hierarchy.row(other)))
            assert getattr(embedding, question)([name, name]) == [found, found]
        expected = [name == other or nx.has_path(graph, other, name) for other in names]
        assert embedding.is_a(name, names).tolist() == expected
        assert [embedding.is_a(name, other) for other in names] == expected
    matrix = embedding.to_sparse().toarray()
    assert matrix.tolist() == [[a != b and nx.has_path(graph, b, a) for b in names] for a in names]
    some = names[::-2]
    chosen = [hierarchy.row(name) for name in some]
    assert (embedding.to_sparse(some).toarray() == matrix[np.ix_(chosen, chosen)]).all()


@settings(deadline=None, max_examples=40)
@given(dags(), st.data())
def test_lowest_common_ancestors_are_those_of_the_graph(hierarchy, data):
    names = data.draw(st.lists(st.sampled_from(hierarchy.names), min_size=1, max_size=3))
    graph = as_networkx(hierarchy)
    common = set.intersection(*({name, *nx.ancestors(graph, name)} for name in names))
    lowest = {name for name in common if not common & nx.descendants(graph, name)}
    assert set(scattered(hierarchy).lowest_common_ancestors(names)) == lowest


@settings(deadline=None, max_examples=30)
@given(dags())
def test_by_geometry_the_graph_has_no_say(hierarchy):
    embedding = scattered(hierarchy)
    alone = replace(embedding, edges=None)
    assert (embedding.default_by, alone.default_by) == ("graph", "geometry")
    names = list(embedding.names)
    for question in LISTS:
        assert getattr(embedding, question)(names, by="geometry") == getattr(alone, question)(names)
    assert embedding.is_a(names[0], names, by="geometry").tolist() == alone.is_a(names[0], names).tolist()
    assert embedding.lowest_common_ancestors(names, by="geometry") == alone.lowest_common_ancestors(names)
    assert (embedding.to_sparse(by="geometry") != alone.to_sparse()).nnz == 0


def test_redundant_edges_are_reported_and_not_direct():
    pets = hypercone.Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle"), ("animal", "poodle")])
    assert pets.redundant_edges().tolist() == [[0, 2]]
    assert pets.parents("poodle") == ["dog"]
    assert pets.children("animal") == ["dog"]
    embedding = hypercone.fit(pets, dim=2)
    assert (embedding.parents("poodle"), embedding.children("animal")) == (["dog"], ["dog"])


def test_only_graph_and_geometry_can_answer(fitted):
    with pytest.raises(InputError, match="by is 'cones', but must be graph or geometry"):
        fitted.parents("r.0", by="cones")
    with pytest.raises(InputError, match="has no edges, so only its geometry can answer"):
        replace(fitted, edges=None).is_a("r.0", "r", by="graph")
    with pytest.raises(InputError, match="nearest is always answered by the geometry; leave out by"):
        answer(fitted, "nearest", ["r.0"], by="graph")
    assert answer(fitted, "nearest", ["r.0"], by="geometry").by == "geometry"


@pytest.mark.parametrize("method", ["order", "nested-caps"])
def test_a_model_fitted_to_a_split_keeps_the_training_edges_and_answers_by_geometry_unless_asked(method):
    tree = hypercone.load_dataset("tree-3-4")
    split = tree.split(20)
    settings = {"epochs": 5} if method == "order" else {}
    embedding = hypercone.fit(tree, method, dim=2, split=split, **settings)
    assert {tuple(edge) for edge in embedding.edges.tolist()} == {tuple(edge) for edge in split.train.tolist()}
    assert embedding.default_by == "geometry"
    name = tree.names[-1]
    assert embedding.ancestors(name) == embedding.ancestors(name, by="geometry")
    assert answer(embedding, "ancestors", [name]).by == "geometry"
    assert embedding.parents(name, by="graph") == tree.parents(name)


def test_a_node_added_under_parents_joins_the_graph(fitted):
    larger = fitted.add("new", ["r.0", "r.1"])
    assert larger.parents("new") == ["r.0", "r.1"]
    assert set(larger.ancestors("new")) == {"r", "r.0", "r.1"}
    assert "new" in larger.descendants("r")
    assert answer(larger, "ancestors", ["new"]).by == "graph"


def test_a_node_added_at_a_point_is_judged_by_the_geometry_also_after_a_round_trip(fitted, tmp_path):
    larger = fitted.add("here", point=fitted.centroid(["r.0.0", "r.0.1"]), label="a place")
    assert larger.ancestors("here") == larger.ancestors("here", by="geometry") != []
    assert larger.parents("here") == larger.parents("here", by="geometry")
    for name in fitted.names:
        assert set(larger.ancestors(name)) - {"here"} == set(fitted.ancestors(name))
        assert larger.is_a("here", name) is larger.is_a("here", name, by="geometry")
        assert larger.is_a(name, "here") is larger.is_a(name, "here", by="geometry")
        assert ("here" in larger.descendants(name)) is larger.is_a("here", name)
        assert ("here" in larger.ancestors(name)) is larger.is_a(name, "here")
        assert ("here" in larger.children(name)) is (name in larger.parents("here"))
    mixed = answer(larger, "descendants", ["r"])
    assert mixed.by == "mixed"
    assert {item.name for item in mixed.descendants if item.by == "geometry"} == {"here"}
    assert answer(larger, "ancestors", ["here"]).by == "geometry"
    assert answer(larger, "is-a", ["here", "r"]).by == "geometry"
    assert answer(larger, "is-a", ["r.0", "r"]).by == "graph"
    why = larger.explain("here", "r")
    assert (why.by, why.graph, why.agrees, why.stray) == ("geometry", None, None, None)
    assert (larger.children("here"), answer(larger, "children", ["here"]).by) == ([], "geometry")
    assert larger.add("there", None, point=fitted["r.1"]).by_point.tolist() == [len(fitted), len(fitted) + 1]
    saved = hypercone.load(larger.save(tmp_path / "model"))
    assert saved.by_point.tolist() == larger.by_point.tolist() == [len(fitted)]
    assert answer(saved, "descendants", ["r"]) == mixed
    below = saved.add("under", ["here"])
    assert {"here", *larger.ancestors("here")} >= set(below.ancestors("under")) >= {"here"}
    assert answer(below, "is-a", ["under", "here"]).by == "graph"


@pytest.mark.parametrize("rows", [[99], [-1], [0.5], "0", [True], [[0]], [2**70]])
def test_a_damaged_list_of_nodes_placed_by_a_point_is_refused(fitted, rows, tmp_path):
    larger = fitted.add("here", point=fitted["r.0"])
    config = larger.save(tmp_path / "model") / "config.json"
    values = json.loads(config.read_text())
    assert values.pop("seal")
    config.write_text(with_checksum(values | {"by_point": rows}))
    with pytest.raises(ModelFileError, match=r"config\.json: .*damaged"):
        hypercone.load(tmp_path / "model")


def test_a_node_placed_by_a_point_changes_no_fact_of_the_graph():
    pets = hypercone.fit([("animal", "dog"), ("animal", "cat"), ("dog", "puppy"), ("dog", "hound")])
    copy = pets.add("copy", point=pets["dog"])
    assert copy.lowest_common_ancestors(["puppy", "hound"]) == ["dog"]
    assert answer(copy, "lca", ["puppy", "hound"]).by == "graph"
    found = answer(copy, "lca", ["puppy", "copy"])
    assert (found.by, found.graph, found.agree) == ("geometry", None, None)
    assert copy.lowest_common_ancestors(["puppy", "copy"]) == copy.lowest_common_ancestors(
        ["puppy", "copy"], by="geometry"
    )
    near = pets.add("near", point=pets["dog"] * 1.02).add("under", ["near"])
    names = list(near.names)
    assert {(parent, name) for name in names for parent in near.parents(name)} == {
        (name, child) for name in names for child in near.children(name)
    }
    for name in names:
        assert not {*near.siblings(name)} & {*near.ancestors(name), *near.descendants(name)}
        assert {*near.parents(name)} <= {*near.ancestors(name)}
    assert [item.depth for item in answer(near, "descendants", ["animal"]).descendants if item.name == "near"] == [None]


def test_a_node_is_added_at_a_point_or_under_parents_but_not_both(fitted):
    with pytest.raises(InputError, match="'x' is given a point as well as parents or not_under"):
        fitted.add("x", ["r"], point=[0.5, 0.0])
    with pytest.raises(InputError, match="a point here is 2 numbers"):
        fitted.add("x", point=[0.5])
    with pytest.raises(InputError, match="already in the model"):
        fitted.add("r", point=fitted["r"])


def test_graph_answers_of_many_threads_are_those_of_one():
    from concurrent.futures import ThreadPoolExecutor

    hierarchy = hypercone.load_dataset("wordnet-mammals")
    embedding = scattered(hierarchy)
    rows = list(range(len(hierarchy))) * 3
    relatives = embedding.relatives("graph")
    expected = [relatives.descendants(row).tolist() for row in rows]
    with ThreadPoolExecutor(4) as pool:
        assert [found.tolist() for found in pool.map(relatives.descendants, rows)] == expected
