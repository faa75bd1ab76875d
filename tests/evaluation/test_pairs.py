"""Metrics of models and of baselines, by group or not, equal a plain count; the record tells how a model was made."""

from __future__ import annotations

import dataclasses
import json

import networkx as nx
import numpy as np
import pytest
from tests.support.hierarchies import random_dag

import hypercone
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.evaluation import (
    Kind,
    all_pairs,
    baselines,
    hard_negatives,
    hard_pairs,
    kind_of,
    link_prediction,
    measures,
    reconstruction,
)
from hypercone.evaluation.measures import node_groups
from hypercone.hierarchy import Hierarchy, LabeledPairs, Split
from hypercone.methods import METHODS, Settings


@pytest.fixture(scope="module")
def line() -> Embedding:
    """Order embeddings on a line, where the energy of (parent, child) is max(0, parent - child) squared."""
    return Embedding(list("abcd"), np.array([[0.0], [1.0], [2.0], [-3.0]]), "order", Settings(), threshold=0.5)


# The energies of the positives are 0, 0 and (0 + 3)² = 9, those of the negatives 0, 1 and 25.
PAIRS = LabeledPairs(np.array([[0, 1], [1, 2], [0, 3]], np.int32), np.array([[3, 0], [1, 0], [2, 3]], np.int32))


@pytest.mark.parametrize(
    ("threshold", "hits", "false"),
    [(None, 2, 1), (-1.0, 0, 0), (0.0, 2, 1), (1.0, 2, 2), (9.0, 3, 2), (25.0, 3, 3)],
)
def test_the_metrics_equal_a_count_by_hand_with_pairs_at_the_threshold_predicted_true(line, threshold, hits, false):
    found = link_prediction(line, PAIRS, threshold)
    assert (found.true_positives, found.false_positives, found.positives, found.negatives) == (hits, false, 3, 3)
    assert found.precision == pytest.approx(hits / max(1, hits + false))
    assert found.recall == pytest.approx(hits / 3)
    assert found.f1 == pytest.approx(2 * hits / (hits + false + 3))
    assert found.threshold == (0.5 if threshold is None else threshold)
    assert json.loads(json.dumps(found.as_dict()))["true_positives"] == hits


@pytest.mark.parametrize(
    ("change", "threshold", "message"),
    [
        ({"positives": PAIRS.positives[:0]}, None, "no positive pairs"),
        *[({}, threshold, "must be a finite number") for threshold in (np.nan, np.inf)],
        *[
            ({side: np.array([[0, 1], [0, row]], np.int32)}, None, "outside 0 … 3")
            for side in ("positives", "negatives")
            for row in (4, -1, 2**31 - 1)
        ],
    ],
)
def test_no_positive_pairs_another_hierarchy_and_a_threshold_that_is_not_finite_are_refused(
    line, change, threshold, message
):
    with pytest.raises(InputError, match=message):
        link_prediction(line, dataclasses.replace(PAIRS, **change), threshold)


@pytest.mark.parametrize("method", METHODS)
def test_the_counts_equal_is_a_pair_by_pair(method):
    tree = hypercone.load_dataset("tree-2-3")
    settings = Settings(alpha=3.0 if METHODS[method].uses_alpha else 0.0)
    points = METHODS[method].project(METHODS[method].start(np.random.default_rng(0), len(tree), 2, 0.7), settings)
    embedding = Embedding(tree.names, points, method, settings, threshold=0.4)
    split = tree.split(50, holdout=0.25)
    found = link_prediction(embedding, split.test)
    hits, false = (
        sum(embedding.is_a(tree.names[child], tree.names[parent]) for parent, child in rows.tolist())
        for rows in (split.test.positives, split.test.negatives)
    )
    assert (found.true_positives, found.false_positives) == (hits, false)
    assert found.positives == len(split.test.positives) > 0


def test_the_papers_protocol_from_end_to_end():
    tree = hypercone.load_dataset("tree-3-4")
    split = tree.split(50)
    embedding = hypercone.fit(tree, split=split, dim=2, epochs=100, init_epochs=100)
    on_validation = link_prediction(embedding, split.validation)
    # The threshold was chosen on these pairs, so their F1 is the one in the record.
    assert on_validation.f1 == embedding.record["calibration_f1"]
    assert embedding.record["calibrated_on"] == "validation pairs"
    on_test = link_prediction(embedding, split.test)
    assert on_test.threshold == embedding.threshold
    assert on_test.f1 > 0.5
    better = max(link_prediction(embedding, split.validation, t).f1 for t in np.linspace(0, 1, 101))
    assert better <= on_validation.f1


# Usually a few, more on a busy machine; one pair at a time would take ten minutes.
SECONDS_FOR_NOUNS = 30


@pytest.fixture(scope="module", params=sorted(METHODS))
def fitted(request):
    return hypercone.fit(hypercone.load_dataset("tree-3-4"), method=request.param, dim=2, epochs=5, init_epochs=5)


def counted(embedding, hierarchy, threshold):
    """The counts by the energies of all pairs of names."""
    names = list(embedding.names)
    true = {(names[child], names[parent]) for parent, child in hierarchy.closure().tolist()}
    energies = [embedding.energy(names, [parent] * len(names)) for parent in names]
    called = {
        (child, parent)
        for parent, column in zip(names, energies, strict=True)
        for child, energy in zip(names, column, strict=True)
        if child != parent and energy <= threshold
    }
    return len(called & true), len(called - true), len(true)


@pytest.mark.parametrize("change", [0.0, -0.02, 0.1, 1e9])
def test_every_pair_is_counted_once(fitted, change, monkeypatch):
    monkeypatch.setattr(measures, "PARTS_PER_CORE", 3)
    found = all_pairs(fitted, threshold=fitted.threshold + change)
    assert (found.true_positives, found.false_positives, found.positives) == counted(
        fitted, fitted.hierarchy, fitted.threshold + change
    )
    assert found.positives + found.negatives == len(fitted) * (len(fitted) - 1)
    assert found.threshold == fitted.threshold + change


def test_a_model_that_does_not_know_its_edges_needs_them_given(fitted):
    bare = dataclasses.replace(fitted, edges=None)
    with pytest.raises(InputError, match="does not know its edges"):
        all_pairs(bare)
    assert all_pairs(bare, fitted.hierarchy) == all_pairs(fitted)
    other = Hierarchy(["somebody", "else"], np.array([[0, 1]]))
    with pytest.raises(InputError, match="not the embedding's"):
        all_pairs(fitted, other)
    with pytest.raises(InputError, match=r"^group_by is 'color', but must be depth or parents$"):
        all_pairs(fitted, group_by="color")


def nested(hierarchy):
    """Each node near its first parent and further out: cones that contain many descendants and some other nodes."""
    random, parents, depths = np.random.default_rng(0), hierarchy.parent_lists, hierarchy.depths
    spokes = random.normal(size=(len(hierarchy), 5))
    for row in np.argsort(depths, kind="stable").tolist():
        if depths[row]:
            spokes[row] = spokes[parents[row][0]] + 0.05 * 0.36 ** depths[row] * spokes[row]
        spokes[row] /= np.linalg.norm(spokes[row])
    points = spokes * (1 - 0.8 * 0.6 ** depths[:, None])
    return Embedding(hierarchy.names, points, "hyperbolic-cones", Settings(), 0.0, edges=hierarchy.edges)


def test_the_nouns_take_seconds(within):
    nouns, small = hypercone.load_dataset("wordnet-nouns"), hypercone.load_dataset("tree-3-4")
    embedding = nested(nouns)
    all_pairs(nested(small))
    nouns.closure()
    found = within(SECONDS_FOR_NOUNS, lambda: all_pairs(embedding, nouns))
    assert found.positives + found.negatives == 82_114 * 82_113
    # Some nodes are counted by all their energies.
    calls = measures.count_predictions(embedding, nouns, 0.0)
    names = list(nouns.names)
    for row in range(0, len(nouns), 4_001):
        called = np.flatnonzero(embedding.energy([names[row]] * len(names), names) <= 0.0).tolist()
        above, true = set(called) - {row}, set(nouns.ancestors_of(row).tolist())
        assert (calls.predicted[row], calls.correct[row]) == (len(above), len(above & true))
    assert 0 < found.false_positives < found.negatives
    assert 0 < found.true_positives < found.positives


COUNTS = ("positives", "negatives", "true_positives", "false_positives")


def scattered(hierarchy: Hierarchy, seed: int = 0, name: str = "hyperbolic-cones") -> Embedding:
    method, settings = METHODS[name], Settings()
    points = method.start(np.random.default_rng(seed), len(hierarchy), 2, 0.5)
    points *= 0.3 + 0.1 * hierarchy.depths[:, None]
    return Embedding(hierarchy.names, method.project(points, settings), name, settings, 0.4, edges=hierarchy.edges)


@pytest.mark.parametrize("seed", range(4))
def test_the_groups_are_what_their_names_say(seed):
    hierarchy = random_dag(60, seed)
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
    hierarchy = random_dag(60, 1)
    embedding = scattered(hierarchy, name=name)
    groups, names = node_groups(hierarchy, by), hierarchy.names
    true = set(map(tuple, hierarchy.closure().tolist()))
    expected = {group: [0, 0, 0, 0] for group in groups.names}
    for child in range(len(hierarchy)):
        for parent in set(range(len(hierarchy))) - {child}:
            is_true, is_called = (parent, child) in true, embedding.is_a(names[child], names[parent], by="geometry")
            counts = expected[groups.names[groups.of_row[child]]]
            counts[0 if is_true else 1] += 1
            counts[2 if is_true else 3] += is_called
    found = all_pairs(embedding, group_by=by)
    assert {group: [getattr(one, count) for count in COUNTS] for group, one in found.groups.items()} == expected
    assert sum(counts[3] for counts in expected.values()) > 0
    groups = json.loads(json.dumps(found.as_dict()))["groups"]
    assert groups == {name: part.as_dict() for name, part in found.groups.items()}
    assert not any("groups" in part for part in (*groups.values(), all_pairs(embedding).as_dict()))


@pytest.mark.parametrize("by", ["depth", "parents"])
def test_the_groups_add_up_to_the_whole(by):
    hierarchy = random_dag(60, 2)
    embedding, split = scattered(hierarchy), hierarchy.split(20, holdout=0.4)
    for on in ("all-pairs", "hard-pairs", "test-pairs"):
        of_baselines = baselines(hierarchy, split, on=on, group_by=by).values()
        assert all(adds_up(found) for found in of_baselines)
    for threshold in (None, 0.1, -1.0, 4.0):
        given = {"threshold": threshold, "group_by": by}
        assert adds_up(link_prediction(embedding, split.test, **given))
        assert adds_up(all_pairs(embedding, **given))
        assert adds_up(hard_pairs(embedding, **given))


def adds_up(found):
    parts = found.groups.values()
    is_sum = all(sum(getattr(part, count) for part in parts) == getattr(found, count) for count in COUNTS)
    return is_sum and {part.threshold for part in parts} == {found.threshold}


@pytest.mark.parametrize("by", ["depth", "parents"])
def test_the_ranks_of_groups_add_up_to_those_of_the_whole(by):
    found = reconstruction(scattered(random_dag(60, 3)), group_by=by)
    groups = found.groups.values()
    assert (sum(one.nodes for one in groups), sum(one.pairs for one in groups)) == (found.nodes, found.pairs)
    assert sum(one.mean_rank * one.pairs for one in groups) == pytest.approx(found.mean_rank * found.pairs)
    assert sum(one.map * one.nodes for one in groups) == pytest.approx(found.map * found.nodes)
    assert len(found.groups) > 1


def test_a_negative_pair_counts_in_the_group_of_its_true_pair():
    # "c" is the only node of depth 2; in reversed pairs it is the parent.
    chain = Hierarchy.from_pairs([("a", "b"), ("b", "c")])
    embedding = Embedding(chain.names, np.ones((3, 2)), "order", Settings(), 0.0, edges=chain.edges)
    found = hard_pairs(embedding, group_by="depth").groups
    assert [(one.positives, one.negatives) for one in found.values()] == [(0, 0), (1, 1), (2, 2)]


def recorded(**record) -> Embedding:
    return Embedding(["dog"], np.array([[0.5, 0.0]]), "hyperbolic-cones", Settings(), 0.0, record=record)


@pytest.mark.parametrize(
    ("record", "kind", "closure_aware"),
    [
        ({}, "learned", False),
        ({"config": {"edges": "closure", "known": "training"}, "split": None}, "learned", True),
        ({"config": {"edges": "closure", "known": "training"}, "split": {"percent": 0}}, "learned", False),
        ({"config": {"edges": "as-given", "known": "training"}, "split": None}, "learned", False),
        ({"config": {"edges": "as-given", "known": "closure"}, "split": {"percent": 0}}, "learned", True),
        ({"kind": "constructed", "closure_aware": True}, "constructed", True),
        ({"kind": "constructed", "config": {"edges": "closure"}, "closure_aware": False}, "constructed", False),
        ({"kind": "learned from a construction"}, "learned from a construction", False),
    ],
)
def test_the_origin_is_read_from_the_record(record, kind, closure_aware):
    found = kind_of(recorded(**record))
    assert (found.kind, found.closure_aware) == (Kind(kind), closure_aware)
    assert found.as_dict() == {"kind": kind, "closure_aware": closure_aware}
    assert str(found) == kind + (", closure-aware" if closure_aware else "")


@pytest.mark.parametrize("said", ["dreamed", 7, None, ["learned"]])
def test_an_unknown_kind_is_refused(said):
    with pytest.raises(
        InputError, match="must say one of: learned, learned in a forest of the given edges, constructed, "
    ):
        kind_of(recorded(kind=said))


@pytest.fixture(scope="module")
def mammals() -> Hierarchy:
    return hypercone.load_dataset("wordnet-mammals")


def best_by_trying(children, positives, negatives):
    """The best F1 of "u has at least k children", over every k."""
    found = []
    for least in sorted(set(children)):
        hits = sum(children[parent] >= least for parent, _ in positives)
        false = sum(children[parent] >= least for parent, _ in negatives)
        found.append((2 * hits / (hits + false + len(positives)), -least))
    return max(found)


@pytest.mark.parametrize("percent", [0, 50])
def test_with_every_direct_edge_the_symbolic_baseline_is_perfect(mammals, percent):
    split = mammals.split(percent)
    found = baselines(mammals, split, on="test-pairs")
    assert (found["symbolic"].f1, baselines(mammals, split)["symbolic"].f1) == (1.0, 1.0)
    assert baselines(mammals, split, on="hard-pairs", sample=500)["symbolic"].f1 == 1.0
    # Half of the negative pairs have the true parent, so the parent alone is not enough.
    assert 0.1 < found["trivial"].f1 < 0.4


def test_without_some_edges_the_symbolic_baseline_misses_what_they_imply():
    chain = Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("c", "d")])
    pairs = LabeledPairs(chain.closure(), np.array([[3, 0], [2, 0]], np.int32))
    part = Split(np.array([[0, 1], [2, 3]], np.int32), pairs, pairs, 0, 0)
    wrong = Split(np.array([[0, 1], [3, 0]], np.int32), pairs, pairs, 0, 0)
    for split, on, counts in [
        (part, "all-pairs", (2, 0, 6)),
        (wrong, "all-pairs", (1, 2, 6)),
        (wrong, "test-pairs", (1, 1, 6)),
    ]:
        found = baselines(chain, split, on=on)["symbolic"]
        assert (found.true_positives, found.false_positives, found.positives) == counts
    assert found.negatives == 2


@pytest.mark.parametrize("seed", range(5))
def test_the_trivial_baseline_has_the_best_number_of_children_over_all_and_hard_pairs(seed):
    hierarchy = random_dag(25, seed)
    children = hierarchy.child_lists.counts.tolist()
    true = set(map(tuple, hierarchy.closure().tolist()))
    every = [(a, b) for a in range(len(hierarchy)) for b in range(len(hierarchy)) if a != b]
    found = baselines(hierarchy)["trivial"]
    f1, _ = best_by_trying(children, true, set(every) - true)
    assert found.f1 == pytest.approx(f1)
    called = [pair for pair in every if children[pair[0]] >= -found.threshold]
    assert found.true_positives == len(true & set(called))
    assert found.false_positives == len(set(called) - true)
    assert found.positives + found.negatives == len(every)
    wrong = [pair for kind in hard_negatives(hierarchy, hierarchy.closure(), seed).values() for pair in kind.pairs]
    f1, _ = best_by_trying(children, hierarchy.closure(), wrong)
    assert baselines(hierarchy, on="hard-pairs", seed=seed)["trivial"].f1 == pytest.approx(f1)


def test_the_threshold_of_the_trivial_baseline_is_chosen_on_validation_pairs(mammals):
    split = mammals.split(0)
    children = np.bincount(split.train[:, 0], minlength=len(mammals)).tolist()
    found = baselines(mammals, split, on="test-pairs")["trivial"]
    _, threshold = best_by_trying(children, split.validation.positives.tolist(), split.validation.negatives.tolist())
    assert found.threshold == threshold
    hits = sum(children[parent] >= -threshold for parent, _ in split.test.positives.tolist())
    assert found.true_positives == hits


def test_baselines_refuse_missing_pairs_and_unknown_kinds(mammals):
    split = mammals.split(0)
    none = LabeledPairs(split.test.positives[:0], split.test.negatives)
    for given, message in [
        ({"split": dataclasses.replace(split, validation=none), "on": "test-pairs"}, "no positive validation pairs"),
        ({"split": dataclasses.replace(split, test=none), "on": "test-pairs"}, "no positive test pairs"),
        ({"on": "test-pairs"}, "test pairs are those of a split; give one"),
        ({"on": "all"}, "on is 'all', but must be one of all-pairs, hard-pairs, test-pairs"),
    ]:
        with pytest.raises(InputError, match=message):
            baselines(mammals, **given)
