"""Relations by geometry: parents, siblings, common ancestors, the sparse matrix, and explanations."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.embeddings import make_embedding

import hypercone
from hypercone.embedding import Embedding
from hypercone.embedding.explanation import shortest_path
from hypercone.embedding.relations import margins
from hypercone.errors import InputError, UnknownNameError
from hypercone.geometry import cones, euclidean_cones
from hypercone.methods import METHODS

ALL = pytest.mark.parametrize("method", METHODS)


@st.composite
def trees(draw):
    parents = [draw(st.integers(-1 if row == 0 else 0, row - 1)) for row in range(1, draw(st.integers(2, 25)))]
    edges = [(parent, row) for row, parent in enumerate(parents, 1) if parent >= 0]
    return hypercone.Hierarchy([f"n{row}" for row in range(len(parents) + 1)], np.array(edges).reshape(-1, 2))


def relatives_agree_with_the_graph(embedding: Embedding, tree: hypercone.Hierarchy) -> None:
    for row, name in enumerate(tree.names):
        parents = {tree.names[parent] for parent in tree.parent_lists[row]}
        assert set(embedding.parents(name, by="geometry")) == parents
        assert set(embedding.children(name, by="geometry")) == {tree.names[child] for child in tree.child_lists[row]}
        others = {tree.names[c] for parent in tree.parent_lists[row] for c in tree.child_lists[parent]} - {name}
        assert set(embedding.siblings(name, by="geometry")) == others


@settings(deadline=None, max_examples=40)
@given(tree=trees(), data=st.data())
def test_a_perfect_embedding_has_the_relatives_and_the_lowest_common_ancestor_of_its_tree(perfect, tree, data):
    embedding = perfect(tree)
    relatives_agree_with_the_graph(embedding, tree)
    rows = data.draw(st.lists(st.integers(0, len(tree) - 1), min_size=1, max_size=4))
    found = embedding.lowest_common_ancestors([tree.names[row] for row in rows], by="geometry")
    lines = [{row, *tree.ancestors_of(row).tolist()} for row in rows]
    expected = max(set.intersection(*lines), key=lambda row: tree.depths[row], default=None)
    assert found == ([] if expected is None else [tree.names[expected]])
    assert embedding.lowest_common_ancestors([tree.names[row] for row in rows], by="graph") == found


def test_a_fitted_tree_has_the_relatives_of_its_tree(fitted, tree):
    relatives_agree_with_the_graph(fitted, tree)
    for names, lowest in ((["r.0.1.0", "r.0.0.1"], "r.0"), (["r.0.1.0", "r.0"], "r.0"), ("r.0", "r.0")):
        for by in ("graph", "geometry"):
            assert fitted.lowest_common_ancestors(names, by=by) == [lowest]
    with pytest.raises(InputError, match="at least one node"):
        fitted.lowest_common_ancestors([])


def immediate(embedding: Embedding) -> tuple[dict, dict]:
    """Parents and children by definition, over all triples."""
    names = embedding.names
    order = sorted(names, key=lambda name: (METHODS[embedding.method].generality(embedding[name]), embedding.row(name)))
    rank = {name: place for place, name in enumerate(order)}
    is_a = {(x, y): embedding.is_a(x, y) for x in names for y in names}
    parents, children = {}, {}
    for x in names:
        above = [a for a in order if a != x and is_a[x, a]]
        above = [a for a in above if rank[a] < rank[x]] or above
        parents[x] = [a for a in above if not any(is_a[b, a] and rank[b] > rank[a] for b in above)]
        below = [d for d in order if d != x and is_a[d, x]]
        below = [d for d in below if rank[d] > rank[x]] or below
        children[x] = [d for d in below if not any(is_a[d, b] and rank[b] < rank[d] for b in below)]
    return parents, children


@ALL
@pytest.mark.parametrize("seed", range(2))
def test_parents_and_children_follow_the_definition(method, seed):
    embedding = make_embedding(method, count=20, seed=seed)
    # A calibrated threshold is always the energy of a pair.
    energies = embedding.energy(list(embedding.names[1:]), list(embedding.names[:-1]))
    for threshold in [*np.quantile(energies, [0.1, 0.5, 0.9], method="nearest"), 1e300]:
        embedding = make_embedding(method, count=20, seed=seed, threshold=float(threshold))
        parents, children = immediate(embedding)
        for name in embedding.names:
            assert embedding.parents(name) == parents[name]
            assert embedding.children(name) == children[name]


def test_parents_and_children_are_inverse_and_siblings_are_the_other_children_of_the_parents():
    embedding = make_embedding(count=60, dim=2, threshold=0.0)
    pairs = {(parent, name) for name in embedding.names for parent in embedding.parents(name)}
    assert pairs
    assert pairs == {(name, child) for name in embedding.names for child in embedding.children(name)}
    embedding = replace(embedding, threshold=0.2)
    for name in embedding.names:
        found = embedding.relatives().siblings(embedding.row(name))
        expected = {child for parent in embedding.parents(name) for child in embedding.children(parent)} - {name}
        assert {embedding.names[row] for row in found} == expected
        assert embedding.siblings(name) == [embedding.names[row] for row in found]
        for sibling, parents in found.items():
            for parent in parents:
                assert embedding.names[sibling] in embedding.children(embedding.names[parent])


@ALL
def test_lowest_common_ancestors_are_common_ancestors(method):
    embedding = make_embedding(method, count=30, threshold=0.5)
    for names in combinations(embedding.names[:8], 2):
        shared = set.intersection(*({name, *embedding.ancestors(name)} for name in names))
        found = embedding.lowest_common_ancestors(names)
        assert set(found) <= shared
        assert bool(found) == bool(shared)
        assert len(set(found)) == len(found)


def test_a_graph_can_have_two_lowest_common_ancestors():
    pairs = [("top", "a"), ("top", "b"), ("a", "x"), ("b", "x"), ("a", "y"), ("b", "y")]
    graph = hypercone.Hierarchy.from_pairs(pairs)
    found = graph.lineage.lowest_common(graph.rows(["x", "y"]).tolist())
    assert [graph.names[row] for row in found] == ["a", "b"]


@ALL
def test_a_margin_is_not_negative_exactly_if_the_child_is_a_kind_of_the_parent(method):
    embedding = make_embedding(method, count=20)
    rows = np.arange(20)
    for parent in embedding.names:
        found = margins(embedding, embedding.row(parent), rows)
        assert (found >= 0).tolist() == embedding.is_a(list(embedding.names), parent).tolist()
        outside = found < 0
        energies = embedding.energy(list(embedding.names), parent)
        assert found[outside].tolist() == (embedding.threshold - energies)[outside].tolist()


@pytest.mark.slow
def test_the_children_of_a_root_with_eighty_thousand_descendants_take_less_than_five_seconds(within):
    nouns = hypercone.load_dataset("wordnet-nouns")
    # A single root, and only the first of several parents, so that it is a tree.
    first = nouns.parent_lists.rows[nouns.parent_lists.offsets[:-1][nouns.parent_lists.counts > 0]]
    edges = [[len(nouns), row] for row in nouns.root_rows]
    edges += np.stack([first, np.flatnonzero(nouns.parent_lists.counts)], axis=1).tolist()
    tree = hypercone.Hierarchy([*nouns.names, "top"], edges)
    embedding = hypercone.fit(tree, method="nested-caps", dim=2)
    embedding.children("dog.n.01", by="geometry")
    found = within(5, lambda: embedding.children("top", by="geometry"))
    assert set(found) >= {nouns.names[row] for row in nouns.root_rows}
    assert len(embedding.descendants("top", by="geometry")) > 80_000


@ALL
def test_an_entry_of_the_sparse_matrix_equals_is_a(method):
    embedding = make_embedding(method, count=30, threshold=0.2)
    found = embedding.to_sparse()
    assert isinstance(found, scipy.sparse.csr_array)
    assert found.shape == (30, 30)
    assert found.dtype == bool
    assert found.has_canonical_format
    expected = embedding.is_a([a for a in embedding.names for _ in range(30)], list(embedding.names) * 30)
    expected = expected.reshape(30, 30) & ~np.eye(30, dtype=bool)
    assert 0 < found.nnz == expected.sum()
    assert (found.toarray() == expected).all()
    found = embedding.to_sparse(embedding.names[:4:-1]).toarray()
    assert found.any()
    assert (found == expected[:4:-1, :4:-1]).all()
    assert embedding.to_sparse([]).shape == (0, 0)


def test_a_sparse_matrix_needs_a_list_of_known_names(fitted):
    with pytest.raises(InputError, match="give a list of names"):
        fitted.to_sparse("root")
    with pytest.raises(UnknownNameError, match="no node 'nobody'"):
        fitted.to_sparse(["nobody"])


PAIRS = [("animal", "bird"), ("animal", "mammal"), ("mammal", "dog"), ("mammal", "cat"), ("dog", "poodle")]


@pytest.fixture(scope="module")
def animals(perfect):
    return perfect(hypercone.Hierarchy.from_pairs(PAIRS))


@ALL
@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.4, 1e300])
def test_every_verdict_of_every_method_is_explained_and_the_angle_of_a_cone_gives_its_margin(method, threshold):
    embedding = make_embedding(method, count=9, threshold=threshold)
    for child in embedding.names:
        for parent in embedding.names:
            found = embedding.explain(child, parent)
            assert (found.child, found.parent) == (child, parent)
            assert found.is_a is embedding.is_a(child, parent)
            assert found.energy == embedding.energy(child, parent)
            assert (found.margin >= 0) is found.is_a
            assert (found.graph, found.agrees, found.path, found.lost, found.stray) == (None, None, (), (), None)
            if METHODS[method].curvature is not None:
                formulas = cones if METHODS[method].is_hyperbolic else euclidean_cones
                apex, point = embedding[parent], embedding[child]
                assert found.angle == pytest.approx(float(formulas.cone_angle(apex, point)), abs=1e-12)
                aperture = float(formulas.half_aperture(apex, embedding.settings.K))
                assert found.aperture == pytest.approx(aperture, abs=1e-12)
                assert found.margin == pytest.approx(found.aperture + found.threshold - found.angle, abs=1e-12)
            else:
                assert (found.angle, found.aperture) == (None, None)
                assert found.margin == pytest.approx(found.threshold - found.energy, abs=1e-12)


@ALL
@pytest.mark.parametrize("threshold", [0.4, 1e300])
def test_a_chain_leads_from_the_child_to_the_parent_by_steps_that_hold(method, threshold):
    embedding = make_embedding(method, count=20, threshold=threshold)
    generality = METHODS[method].generality(embedding.points)
    lengths = set()
    for child in embedding.names:
        for parent in embedding.ancestors(child):
            chain = embedding.explain(child, parent).chain
            lengths.add(len(chain))
            assert chain[-1].name == parent
            assert all(step.margin >= 0 for step in chain)
            way = [child, *(step.name for step in chain)]
            assert [embedding.is_a(*step) for step in pairwise(way)] == [True] * len(chain)
            rows = [embedding.row(name) for name in way]
            if len(way) > 2:
                assert all(generality[upper] <= generality[lower] for lower, upper in pairwise(rows))
    assert 1 in lengths


def _with_point_of(embedding, name, other):
    points = embedding.points.copy()
    points[embedding.row(name)] = embedding[other]
    return replace(embedding, points=points)


# A node is lost at the first step of the graph that it does not reach; a step that is not in the graph is a stray.
@pytest.mark.parametrize(
    ("at", "child", "parent", "geometry", "graph", "agrees", "path", "lost", "stray"),
    [
        ("poodle", "poodle", "animal", True, "closure", True, ["dog", "mammal", "animal"], (), None),
        ("poodle", "poodle", "dog", True, "edge", True, ["dog"], (), None),
        ("poodle", "poodle", "poodle", True, "same", True, [], (), None),
        ("poodle", "poodle", "cat", False, "no", True, [], (), None),
        ("poodle", "animal", "dog", False, "no", True, [], (), None),
        ("cat", "poodle", "animal", True, "closure", True, ["dog", "mammal", "animal"], ("dog",), "cat"),
        ("cat", "poodle", "dog", False, "edge", False, ["dog"], ("dog",), None),
        ("bird", "poodle", "bird", True, "no", False, [], (), "bird"),
    ],
)
def test_geometry_and_graph_are_compared(animals, at, child, parent, geometry, graph, agrees, path, lost, stray):
    found = _with_point_of(animals, "poodle", at).explain(child, parent)
    assert (found.is_a, found.by) == (graph != "no", "graph")
    verdicts = (found.geometry, found.graph, found.agrees, found.lost, found.stray)
    assert verdicts == (geometry, graph, agrees, lost, stray)
    assert [step.name for step in found.path] == path
    assert bool(found.chain) == (geometry and child != parent)
    if at == "poodle":
        assert [step.name for step in found.chain] == path
    assert [step.child_margin < 0 for step in found.path] == [step.name in lost for step in found.path]


def test_the_path_in_the_graph_is_a_shortest_one():
    rng = np.random.default_rng(5)
    edges = [(i, j) for j in range(1, 40) for i in sorted(set(rng.integers(0, j, 2).tolist()))]
    hierarchy = hypercone.Hierarchy([f"n{i}" for i in range(40)], edges)
    graph = nx.DiGraph([(child, parent) for parent, child in edges])
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    for child in range(40):
        for parent in range(40):
            way = shortest_path(hierarchy, child, parent)
            if parent not in lengths[child]:
                assert way == [child]
                continue
            assert (way[0], way[-1], len(way)) == (child, parent, lengths[child][parent] + 1)
            assert all(graph.has_edge(*step) for step in pairwise(way))
