"""Parents, children, siblings and lowest common ancestors by geometry."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hypercone
from hypercone.embedding import Embedding
from hypercone.embedding.relations import lowest_common_in_graph, margins, siblings_of
from hypercone.errors import InputError, UnknownNameError
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
        assert set(embedding.parents(name)) == parents
        assert set(embedding.children(name)) == {tree.names[child] for child in tree.child_lists[row]}
        others = {tree.names[c] for parent in tree.parent_lists[row] for c in tree.child_lists[parent]} - {name}
        assert set(embedding.siblings(name)) == others


@settings(deadline=None, max_examples=40)
@given(tree=trees())
def test_a_perfect_embedding_has_the_relatives_of_its_tree(perfect, tree):
    relatives_agree_with_the_graph(perfect(tree), tree)


@settings(deadline=None, max_examples=40)
@given(tree=trees(), data=st.data())
def test_a_perfect_embedding_has_the_lowest_common_ancestor_of_its_tree(perfect, tree, data):
    rows = data.draw(st.lists(st.integers(0, len(tree) - 1), min_size=1, max_size=4))
    found = perfect(tree).lowest_common_ancestors([tree.names[row] for row in rows])
    lines = [{row, *tree.ancestors_of(row).tolist()} for row in rows]
    expected = max(set.intersection(*lines), key=lambda row: tree.depths[row], default=None)
    assert found == ([] if expected is None else [tree.names[expected]])
    assert [tree.names[row] for row in lowest_common_in_graph(tree, rows)] == found


def test_a_fitted_tree_has_the_relatives_of_its_tree(fitted, tree):
    relatives_agree_with_the_graph(fitted, tree)
    assert fitted.lowest_common_ancestors(["r.0.1.0", "r.0.0.1"]) == ["r.0"]
    assert fitted.lowest_common_ancestors(["r.0.1.0", "r.0"]) == ["r.0"]
    assert fitted.lowest_common_ancestors("r.0") == ["r.0"]


def immediate(embedding: Embedding) -> tuple[dict, dict]:
    """Parents and children by the words of the definition, asking about every triple."""
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
def test_parents_and_children_are_those_with_none_between(make_embedding, method, seed):
    embedding = make_embedding(method, count=20, seed=seed)
    # Where a threshold always is: calibration takes it from a pair.
    energies = embedding.energy(list(embedding.names[1:]), list(embedding.names[:-1]))
    for threshold in [*np.quantile(energies, [0.1, 0.5, 0.9], method="nearest"), 1e300]:
        embedding = make_embedding(method, count=20, seed=seed, threshold=float(threshold))
        parents, children = immediate(embedding)
        for name in embedding.names:
            assert embedding.parents(name) == parents[name]
            assert embedding.children(name) == children[name]


@ALL
@pytest.mark.parametrize("threshold", [0.3, 3.0, 1e300])
def test_nobody_who_has_ancestors_loses_all_parents_even_where_nodes_are_kinds_of_each_other(
    make_embedding, method, threshold
):
    embedding = make_embedding(method, threshold=threshold)
    for name in embedding.names:
        ancestors, descendants = embedding.ancestors(name), embedding.descendants(name)
        assert bool(embedding.parents(name)) == bool(ancestors)
        assert bool(embedding.children(name)) == bool(descendants)
        assert set(embedding.parents(name)) <= set(ancestors)
        assert set(embedding.children(name)) <= set(descendants)
    if threshold == 1e300:
        assert set(embedding.ancestors("n3")) & set(embedding.descendants("n3"))


def test_a_parent_has_its_child_among_its_children_where_the_relation_is_an_order(make_embedding):
    embedding = make_embedding(count=60, dim=2, threshold=0.0)
    pairs = {(parent, name) for name in embedding.names for parent in embedding.parents(name)}
    assert pairs
    assert pairs == {(name, child) for name in embedding.names for child in embedding.children(name)}


def test_siblings_are_the_other_children_of_the_parents(make_embedding):
    embedding = make_embedding(count=60, dim=2, threshold=0.2)
    for name in embedding.names:
        found = siblings_of(embedding, embedding.row(name))
        expected = {child for parent in embedding.parents(name) for child in embedding.children(parent)} - {name}
        assert {embedding.names[row] for row in found} == expected
        assert embedding.siblings(name) == [embedding.names[row] for row in found]
        for sibling, parents in found.items():
            for parent in parents:
                assert embedding.names[sibling] in embedding.children(embedding.names[parent])


@ALL
def test_common_ancestors_are_common_and_the_lowest(make_embedding, method):
    embedding = make_embedding(method, count=30, threshold=0.5)
    for names in combinations(embedding.names[:8], 2):
        shared = set.intersection(*({name, *embedding.ancestors(name)} for name in names))
        found = embedding.lowest_common_ancestors(names)
        assert set(found) <= shared
        assert bool(found) == bool(shared)
        assert len(set(found)) == len(found)


def test_in_a_graph_with_two_parents_there_are_two_lowest_common_ancestors():
    pairs = [("top", "a"), ("top", "b"), ("a", "x"), ("b", "x"), ("a", "y"), ("b", "y")]
    graph = hypercone.Hierarchy.from_pairs(pairs)
    found = lowest_common_in_graph(graph, graph.rows(["x", "y"]).tolist())
    assert [graph.names[row] for row in found] == ["a", "b"]


@ALL
def test_a_margin_is_not_negative_exactly_where_the_child_is_a_kind_of_the_parent(make_embedding, method):
    embedding = make_embedding(method, count=20)
    rows = np.arange(20)
    for parent in embedding.names:
        found = margins(embedding, embedding.row(parent), rows)
        assert (found >= 0).tolist() == embedding.is_a(list(embedding.names), parent).tolist()
        outside = found < 0
        energies = embedding.energy(list(embedding.names), parent)
        assert found[outside].tolist() == (embedding.threshold - energies)[outside].tolist()


@pytest.mark.parametrize("ask", ["parents", "children", "siblings", "lowest_common_ancestors"])
def test_an_unknown_name_is_refused(make_embedding, ask):
    with pytest.raises(UnknownNameError, match="there is no node 'm3'"):
        getattr(make_embedding(), ask)("m3")


def test_no_names_have_no_common_ancestors(make_embedding):
    with pytest.raises(InputError, match="at least one node"):
        make_embedding().lowest_common_ancestors([])


@pytest.mark.slow
def test_the_children_of_a_root_with_eighty_thousand_descendants_take_less_than_five_seconds(within):
    nouns = hypercone.load_dataset("wordnet-nouns")
    # One root over all, and of several parents only the first, so that there is a tree to build.
    first = nouns.parent_lists.rows[nouns.parent_lists.offsets[:-1][nouns.parent_lists.counts > 0]]
    edges = [[len(nouns), row] for row in nouns.root_rows]
    edges += np.stack([first, np.flatnonzero(nouns.parent_lists.counts)], axis=1).tolist()
    tree = hypercone.Hierarchy([*nouns.names, "top"], edges)
    embedding = hypercone.fit(tree, method="nested-caps", dim=2)
    embedding.children("dog.n.01")
    found = within(5, lambda: embedding.children("top"))
    assert set(found) >= {nouns.names[row] for row in nouns.root_rows}
    assert len(embedding.descendants("top")) > 80_000
