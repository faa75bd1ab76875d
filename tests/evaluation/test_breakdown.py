"""Groups of children add up to the whole, and each is what a person would count in it."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pytest

import hypercone
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.evaluation import all_pairs, hard_pairs, link_prediction, reconstruction
from hypercone.evaluation.measures import node_groups
from hypercone.hierarchy import Hierarchy
from hypercone.methods import METHODS, Settings

COUNTS = ("positives", "negatives", "true_positives", "false_positives")


def random_hierarchy(seed: int, size: int = 60) -> Hierarchy:
    random = np.random.default_rng(seed)
    pairs = np.sort(random.integers(0, size, (2 * size, 2)), axis=1)
    return Hierarchy([str(i) for i in range(size)], pairs[pairs[:, 0] != pairs[:, 1]])


def scattered(hierarchy: Hierarchy, seed: int = 0, name: str = "hyperbolic-cones") -> Embedding:
    method, settings = METHODS[name], Settings()
    points = method.start(np.random.default_rng(seed), len(hierarchy), 2, 0.5)
    points *= 0.3 + 0.1 * hierarchy.depths[:, None]
    return Embedding(hierarchy.names, method.project(points, settings), name, settings, 0.4, edges=hierarchy.edges)


@pytest.mark.parametrize("seed", range(4))
def test_the_groups_are_what_their_names_say(seed):
    hierarchy = random_hierarchy(seed)
    graph = nx.DiGraph(hierarchy.edges.tolist())
    graph.add_nodes_from(range(len(hierarchy)))
    basic = nx.transitive_reduction(graph)
    by_parents, by_depth = node_groups(hierarchy, "parents"), node_groups(hierarchy, "depth")
    for row in range(len(hierarchy)):
        above = any(basic.in_degree(one) > 1 for one in nx.ancestors(graph, row))
        expected = "several_parents" if basic.in_degree(row) > 1 else "several_above" if above else "one_parent"
        assert by_parents.names[by_parents.of_row[row]] == expected
        longest = nx.dag_longest_path_length(graph.subgraph(nx.ancestors(graph, row) | {row}))
        assert by_depth.names[by_depth.of_row[row]] == str(longest)
    assert len(set(by_parents.of_row.tolist())) == 3


@pytest.mark.parametrize("by", ["depth", "parents"])
@pytest.mark.parametrize("name", ["hyperbolic-cones", "order"])
def test_every_pair_counts_in_the_group_of_its_child(by, name):
    hierarchy = random_hierarchy(1)
    embedding = scattered(hierarchy, name=name)
    groups, names = node_groups(hierarchy, by), hierarchy.names
    true = set(map(tuple, hierarchy.closure().tolist()))
    expected = {group: [0, 0, 0, 0] for group in groups.names}
    for child in range(len(hierarchy)):
        for parent in set(range(len(hierarchy))) - {child}:
            is_true, is_called = (parent, child) in true, embedding.is_a(names[child], names[parent])
            counts = expected[groups.names[groups.of_row[child]]]
            counts[0 if is_true else 1] += 1
            counts[2 if is_true else 3] += is_called
    found = all_pairs(embedding, group_by=by)
    assert {group: [getattr(one, count) for count in COUNTS] for group, one in found.groups.items()} == expected
    assert sum(counts[3] for counts in expected.values()) > 0
    groups = json.loads(json.dumps(found.as_dict()))["groups"]
    assert groups == {name: part.as_dict() for name, part in found.groups.items()}
    assert not any("groups" in part for part in groups.values())


@pytest.mark.parametrize("by", ["depth", "parents"])
@pytest.mark.parametrize("judge", ["all pairs", "hard pairs", "labeled pairs"])
def test_the_groups_add_up_to_the_whole(by, judge):
    hierarchy = random_hierarchy(2)
    embedding, pairs = scattered(hierarchy), hierarchy.split(0, holdout=0.4).test
    for threshold in (None, 0.1, -1.0, 4.0):
        given = {"threshold": threshold, "group_by": by}
        if judge == "labeled pairs":
            found = link_prediction(embedding, pairs, **given)
        else:
            found = (all_pairs if judge == "all pairs" else hard_pairs)(embedding, **given)
        for count in COUNTS:
            assert sum(getattr(one, count) for one in found.groups.values()) == getattr(found, count)
        assert {one.threshold for one in found.groups.values()} == {found.threshold}


@pytest.mark.parametrize("by", ["depth", "parents"])
def test_the_ranks_of_groups_add_up_to_those_of_the_whole(by):
    found = reconstruction(scattered(random_hierarchy(3)), group_by=by)
    groups = found.groups.values()
    assert (sum(one.nodes for one in groups), sum(one.pairs for one in groups)) == (found.nodes, found.pairs)
    assert sum(one.mean_rank * one.pairs for one in groups) == pytest.approx(found.mean_rank * found.pairs)
    assert sum(one.map * one.nodes for one in groups) == pytest.approx(found.map * found.nodes)
    assert len(found.groups) > 1


def test_without_groups_there_are_none_in_the_json():
    assert "groups" not in all_pairs(scattered(random_hierarchy(0))).as_dict()


def test_a_wrong_pair_counts_where_the_true_one_it_was_made_from_does():
    # "c" is the only node of depth 2; turned pairs have it for a parent.
    chain = Hierarchy.from_pairs([("a", "b"), ("b", "c")])
    embedding = Embedding(chain.names, np.ones((3, 2)), "order", Settings(), 0.0, edges=chain.edges)
    found = hard_pairs(embedding, group_by="depth").groups
    assert [(one.positives, one.negatives) for one in found.values()] == [(0, 0), (1, 1), (2, 2)]


def test_another_breakdown_is_refused():
    with pytest.raises(InputError, match=r"^group_by is 'color', but must be depth or parents$"):
        all_pairs(scattered(random_hierarchy(0)), group_by="color")


def test_a_model_that_calls_everything_true_is_counted_without_storing_it():
    tree = hypercone.load_dataset("tree-3-6")
    collapsed = np.tile([[0.5, 0.0]], (len(tree), 1))
    embedding = Embedding(tree.names, collapsed, "hyperbolic-cones", Settings(), 4.0, edges=tree.edges)
    found = all_pairs(embedding)
    assert (found.recall, found.false_positives) == (1.0, found.negatives)
    assert found.positives + found.negatives == len(tree) * (len(tree) - 1)
