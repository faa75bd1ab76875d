"""The headline of a model: exact for every method, the same in the card, in info and in the record."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.embeddings import all_files, forge
from tests.support.hierarchies import closure_matrix, dags, random_dag

import hypercone
from hypercone.construction import CONSTRUCTIONS
from hypercone.embedding import Embedding
from hypercone.embedding.folder import model_card
from hypercone.embedding.headline import headline_sentences, percent, stored_headline
from hypercone.errors import InputError
from hypercone.evaluation import all_pairs, headline, measures
from hypercone.evaluation.measures import known_headline
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.names import Labels
from hypercone.methods import METHODS, Settings


def random_model(hierarchy: Hierarchy, method: str, seed: int, threshold: float) -> Embedding:
    """Points as they are before training."""
    chosen, constants = METHODS[method], Settings(alpha=3.0 if METHODS[method].uses_alpha else 0.0)
    points = chosen.project(chosen.start(np.random.default_rng(seed), len(hierarchy), 2, 0.7), constants)
    return Embedding(hierarchy.names, points, method, constants, threshold, edges=hierarchy.edges)


def wrong_sets(embedding: Embedding, hierarchy: Hierarchy) -> list[tuple[set[str], set[str]]]:
    """The missing and the extra ancestors of each node, by sets of names and one pair at a time."""
    names, true = list(hierarchy.names), closure_matrix(hierarchy)
    found = []
    for row, name in enumerate(names):
        graph = {other for place, other in enumerate(names) if true[place, row]}
        held = embedding.energy([name] * len(names), names) <= embedding.threshold
        geometry = {other for other, holds in zip(names, held, strict=True) if holds and other != name}
        found.append((graph - geometry, geometry - graph))
    return found


def assert_exact(found: hypercone.evaluation.Headline, embedding: Embedding, hierarchy: Hierarchy) -> None:
    """Every figure, list and example equals the comparison of sets."""
    wrong, names = wrong_sets(embedding, hierarchy), list(hierarchy.names)
    direct = [(names[parent], names[child]) for parent, child in hierarchy.reduction().tolist()]
    held = [embedding.energy(child, parent) <= embedding.threshold for parent, child in direct]
    assert found.direct_edges == (sum(held) / len(held) if held else None)
    assert found.exact_ancestor_lists == sum(not (missing or extra) for missing, extra in wrong) / len(names)
    assert found.errors.missing.tolist() == [len(missing) for missing, _ in wrong]
    assert found.errors.extra.tolist() == [len(extra) for _, extra in wrong]
    pairs = [(names[row], kind, names[other]) for row, kind, other in found.wrong_pairs()]
    expected = [
        (name, kind, other)
        for name, sets in zip(names, wrong, strict=True)
        for kind, others in zip(("missing", "extra"), sets, strict=True)
        for other in sorted(others, key=names.index)
    ]
    assert pairs == expected
    ranked = sorted((-len(missing | extra), row) for row, (missing, extra) in enumerate(wrong) if missing or extra)
    assert [each.name for each in found.worst(3)] == [names[row] for _, row in ranked[:3]]
    for each in found.worst(3):
        missing, extra = wrong[names.index(each.name)]
        assert (each.missing, each.extra) == (len(missing), len(extra))
        for example, others in ((each.missing_example, missing), (each.extra_example, extra)):
            deepest = max(hierarchy.depths[[names.index(other) for other in others]]) if others else None
            assert (example in others and hierarchy.depths[names.index(example)] == deepest) if others else not example


@pytest.mark.parametrize("method", METHODS)
@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(hierarchy=dags(most_nodes=12, most_edges=25), seed=st.integers(0, 99), threshold=st.floats(-0.1, 1.5))
def test_the_headline_equals_a_comparison_of_sets_for_every_method(method, hierarchy, seed, threshold):
    embedding = random_model(hierarchy, method, seed, threshold)
    found = headline(embedding)
    assert_exact(found, embedding, hierarchy)
    whole = all_pairs(embedding)
    assert (found.precision, found.recall, found.f1) == (whole.precision, whole.recall, whole.f1)


@pytest.mark.parametrize("method", CONSTRUCTIONS)
@pytest.mark.parametrize("dim", [2, 4])
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(hierarchy=dags(most_nodes=12, most_edges=25).filter(lambda hierarchy: len(hierarchy.edges)))
def test_what_a_construction_counts_is_what_its_points_say(method, dim, hierarchy):
    embedding = hypercone.fit(hierarchy, method, dim=dim)
    found = headline(embedding)
    assert embedding.record["headline"] == found.as_dict()
    assert_exact(found, embedding, hierarchy)


def test_a_large_forest_that_is_rearranged_or_not_is_counted_exactly():
    dag = random_dag(400, seed=3)
    for method in CONSTRUCTIONS:
        embedding = hypercone.fit(dag, method, dim=2)
        assert embedding.record["headline"] == headline(embedding).as_dict()
        assert 0 < embedding.record["headline"]["wrong_nodes"] < 400


# A line: every node is under all nodes to its left, which have smaller coordinates.
LINE = {"a": 0.0, "b": 1.0, "c": 2.0, "d": 3.0, "e": 4.0}


def line_model(edges, **more) -> Embedding:
    points = np.array([[place] for place in LINE.values()])
    rows = [[list(LINE).index(name) for name in edge] for edge in edges]
    return Embedding(list(LINE), points, "order", Settings(), 0.0, edges=np.array(rows, np.int32), **more)


def test_the_worst_nodes_have_the_most_wrong_ancestors_and_ties_are_by_row():
    model = line_model(["ab", "ca", "cd"], labels=Labels(["A", "", "", "D", ""]))
    found = headline(model)
    # By the graph, c is above a, b and d, and a above b; by geometry, every node is under all before it.
    figures = [(each.name, each.label, each.missing, each.extra) for each in found.worst()]
    expected = [("e", None, 0, 4), ("c", None, 0, 2), ("d", "D", 0, 2), ("a", "A", 1, 0), ("b", None, 1, 0)]
    assert figures == expected
    assert [(each.missing_example, each.extra_example) for each in found.worst()] == [
        # b is the deepest of those above it by geometry.
        (None, "b"),
        (None, "b"),
        (None, "b"),
        ("c", None),
        ("c", None),
    ]
    assert (found.direct_edges, found.exact_ancestor_lists) == (2 / 3, 0.0)
    assert len(found.worst(2)) == 2


def test_a_root_is_right_exactly_if_the_geometry_finds_nothing_above_it():
    assert headline(line_model(["ab"])).errors.extra.tolist() == [0, 0, 2, 3, 4]
    chain = headline(line_model(["ab", "bc", "cd", "de"]))
    assert (chain.exact_ancestor_lists, chain.worst(), list(chain.wrong_pairs())) == (1.0, [], [])


def test_another_hierarchy_of_the_same_nodes_and_models_without_edges():
    model = line_model(["ab"])
    chain = Hierarchy(list(LINE), [[row, row + 1] for row in range(4)])
    assert headline(replace(model, edges=None), chain).f1 == 1.0
    with pytest.raises(InputError, match="does not know its edges"):
        headline(replace(model, edges=None))
    with pytest.raises(InputError, match="nodes are not the embedding's"):
        headline(model, Hierarchy(["a", "b"], [[0, 1]]))
    assert known_headline(replace(model, edges=None)) is None
    none = headline(replace(model, edges=np.empty((0, 2), np.int32)))
    assert (none.direct_edges, none.exact_ancestor_lists) == (None, 0.2)
    assert headline_sentences(none.as_dict())["direct edges"] == "there are none"


def test_nodes_that_the_graph_says_nothing_about_are_left_out():
    tree = hypercone.fit("tree-2-3", dim=2)
    placed = tree.add("here", point=tree.centroid(["r.0.0", "r.0.1"]))
    below = placed.add("under", ["here"])
    for model in (placed, below):
        found = headline(model)
        assert (found.direct_edges, found.exact_ancestor_lists, found.f1) == (1.0, 1.0, 1.0)
        assert found.as_dict()["nodes"] == len(tree)
        assert all_pairs(model).f1 == 1.0
    assert headline(tree.add("under a leaf", ["r.0.0.0"])).as_dict()["nodes"] == len(tree) + 1


def test_shares_are_rounded_but_never_up_to_100():
    assert [percent(share) for share in (0.0, 1 / 3, 0.99996, 1.0)] == ["0.00 %", "33.33 %", "99.99 %", "100.00 %"]


def test_a_stored_headline_counts_only_for_the_same_nodes_edges_and_threshold():
    model = hypercone.fit("tree-2-3", dim=2)
    assert stored_headline(model) == model.record["headline"] == known_headline(model)
    for other in (model.add("new", "r"), replace(model, threshold=0.1), replace(model, edges=model.edges[1:])):
        assert stored_headline(other) is None
        assert known_headline(other) == headline(other).as_dict()
    assert stored_headline(replace(model, edges=None)) is None


@pytest.mark.parametrize(
    "change",
    [
        {"direct_edges": 1.5},
        {"direct_edges": "all"},
        {"f1": None},
        {"direct_edges_held": -1},
        {"direct_edges_given": True},
        {"wrong_nodes": 0.5},
        {"worst": None},
        {"worst": [{"name": 5}]},
        {"worst": [{"name": "r", "missing": 1, "extra": 0, "label": 7}]},
    ],
)
def test_a_stored_headline_of_the_wrong_form_is_counted_again(change):
    model = hypercone.fit("tree-2-3", dim=2)
    damaged = replace(model, record=model.record | {"headline": model.record["headline"] | change})
    assert stored_headline(damaged) is None
    assert known_headline(damaged) == model.record["headline"]


def test_what_would_take_minutes_is_left_out_of_a_saved_model_and_said(tmp_path, monkeypatch):
    monkeypatch.setattr(measures, "MOST_SCANNED", 24)
    model = line_model(["ab", "bc", "cd", "de"])
    found = known_headline(model)
    assert (found["direct_edges"], found["exact_ancestor_lists"], found["f1"], found["worst"]) == (1.0, None, None, [])
    card = (model.save(tmp_path / "m") / "README.md").read_text()
    assert card.count("not counted, as it would take long") == 2
    monkeypatch.setattr(measures, "MOST_SCANNED", 25)
    assert known_headline(model)["exact_ancestor_lists"] == 1.0


def test_a_model_cannot_have_edges_in_a_circle():
    with pytest.raises(InputError, match="its edges form a cycle"):
        line_model(["ab", "ba"])


@pytest.fixture(scope="module")
def learned():
    """A model that is learned from a split."""
    tree = hypercone.load_dataset("tree-3-4")
    return hypercone.fit(tree, split=tree.split(50), dim=2, epochs=20, init_epochs=20)


def test_every_saved_model_with_a_graph_has_its_headline_on_its_card(learned, tmp_path):
    for number, model in enumerate([learned, hypercone.fit("tree-2-3", "order", epochs=5), hypercone.fit("tree-2-3")]):
        card = (model.save(tmp_path / str(number)) / "README.md").read_text()
        for title, line in headline_sentences(headline(model).as_dict()).items():
            assert f"| {title} | {line} |" in card
        # Saving again gives the same bytes, also after loading.
        again = hypercone.load(tmp_path / str(number)).save(tmp_path / f"{number} again")
        assert all_files(again) == all_files(tmp_path / str(number))
    assert "how much of the hierarchy" not in model_card(replace(learned, edges=None))


def test_a_model_learned_from_a_split_says_that_held_out_pairs_are_included(learned):
    found = headline(learned).as_dict()
    assert found["held_out_pairs_included"]
    assert headline_sentences(found)["all pairs f1"].endswith(", held-out pairs included")
    whole = hypercone.fit("tree-3-4", "hyperbolic-cones", dim=2, epochs=2, init_epochs=2)
    assert "held-out" not in headline_sentences(headline(whole).as_dict())["all pairs f1"]


def test_a_record_from_a_file_may_hold_any_headline(tmp_path):
    folder = hypercone.fit("tree-2-3", dim=2).save(tmp_path / "m")
    for headline_value in (None, 5, [], {"nodes": []}, {"worst": [[]]}, {"direct_edges": {"x": 1}}):
        record = hypercone.load(folder).record | {"headline": headline_value}
        forge(folder, record=record)
        assert known_headline(hypercone.load(folder))["f1"] == 1.0
