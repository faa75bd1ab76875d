"""The numbers that describe a hierarchy."""

import json

import numpy as np

from hypercone.hierarchy import Hierarchy


def test_a_small_hierarchy_is_counted():
    hierarchy = Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("a", "c"), ("b", "d"), ("x", "d")])
    told = hierarchy.summary().as_dict()
    assert told.pop("seconds") >= 0
    assert told == {
        "nodes": 5,
        "edges": 5,
        "basic_edges": 4,
        "closure_edges": 6,
        "nonbasic_edges": 2,
        "roots": 2,
        "leaves": 2,
        "depth": 2,
        "branching": 5 / 3,
        "max_branching": 2,
        "multi_parent_nodes": 2,
    }
    json.dumps(hierarchy.summary().as_dict())


def test_an_empty_hierarchy_is_counted():
    assert Hierarchy.from_pairs([]).summary().branching == 0.0


def test_a_closure_too_large_to_store_is_counted_all_the_same():
    rows = np.arange(1_000_000)
    chain = Hierarchy(map(str, rows), np.stack([rows[:-1], rows[1:]], axis=1))
    assert chain.summary().closure_edges == 499_999_500_000


def test_counting_stays_true_after_the_closure_is_stored():
    hierarchy = Hierarchy.from_pairs([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    before = hierarchy.summary().closure_edges
    assert before == len(hierarchy.closure()) == hierarchy.summary().closure_edges
