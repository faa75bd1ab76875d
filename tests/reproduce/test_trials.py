"""Trials: each is a fit on its own split, shared pre-training changes nothing, and nothing runs twice."""

from __future__ import annotations

import json

import pytest

from hypercone.data import load_dataset
from hypercone.errors import InputError
from hypercone.evaluation import link_prediction
from hypercone.reproduce import Results, Trial, missing, run_side_by_side
from hypercone.reproduce.released_split import write_released_split
from hypercone.reproduce.trials import run_trials, sharing_groups
from hypercone.training import FitConfig, fit

TREE = "tree-3-4"
SMALL = FitConfig(method="hyperbolic-cones", dim=5, epochs=10, init_epochs=5, validate_every=5)


def trial(recipe="tuned", percent=50, source=TREE, is_released=False, **settings):
    return Trial(recipe, percent, FitConfig(**SMALL.as_dict() | settings), source, is_released)


@pytest.fixture
def results(tmp_path):
    return Results(tmp_path / "results.json")


def test_a_trial_is_the_fit_of_its_configuration_evaluated_on_the_test_pairs_and_can_be_repeated():
    (row,) = run_trials([trial(seed=3)])
    tree = load_dataset(TREE)
    split = tree.split(50, 3)
    embedding = fit(tree, recipe=trial(seed=3).config, split=split)
    for name, pairs in (("test", split.test), ("validation", split.validation)):
        found = link_prediction(embedding, pairs)
        for figure in ("f1", "precision", "recall"):
            assert row[f"{name}_{figure}"] == pytest.approx(100 * getattr(found, figure), abs=1e-3)
    assert row["config"] == embedding.record["config"]
    assert row["training_edges"] == len(split.train)
    assert row["pairs_per_second"] > 0
    # A row has everything to run it again.
    again = Trial(row["recipe"], row["percent"], FitConfig.from_dict(row["config"]), row["source"])
    assert run_trials([again])[0]["test_f1"] == row["test_f1"]


def test_a_shared_pretraining_changes_no_result():
    flat = {"method": "euclidean-cones", "init": "poincare"}
    trials = [trial(recipe="a"), trial(recipe="b", rescale=0.4), trial(recipe="c", **flat)]
    assert len(sharing_groups(trials)) == 1
    together = [row["test_f1"] for row in run_trials(trials)]
    alone = [run_trials([one])[0]["test_f1"] for one in trials]
    assert together == alone


def test_trials_with_different_starts_are_not_grouped_and_long_ones_come_first():
    trials = [trial(), trial(seed=1), trial(percent=25), trial(init_corrupt="parent"), trial(init="euclidean")]
    assert [len(group) for group in sharing_groups(trials)] == [1] * 5
    # Long trials come first, so that no core is idle at the end.
    ordered = sharing_groups([trial(percent=0), trial(percent=50, dim=9), trial(percent=50)])
    assert [(group[0].percent, group[0].config.dim) for group in ordered] == [(50, 9), (50, 5), (0, 5)]


def test_a_finished_trial_is_in_a_file_of_plain_json_and_does_not_run_again_and_distinct_ones_run_once(results):
    results.add(run_trials([trial()]))
    content = json.loads(results.path.read_text())
    assert content.keys() == {"runs", "cells"}
    (cell,) = content["cells"]
    expected = {"method", "dim", "percent", "recipe", "seed", "test_f1", "config", "epochs", "seconds", "versions"}
    assert expected <= cell.keys()
    assert cell["versions"]["numba"]
    again = Results.read(results.path)
    assert missing([trial()], again) == []
    assert missing([trial(), trial("one", seed=1), trial("two", seed=1)], again) == [trial("one", seed=1)]


def test_a_trial_with_changed_settings_runs_again_and_replaces_the_old_row(results):
    for rate in (0.2, 0.1):
        assert missing([trial(rate=rate)], results) == [trial(rate=rate)]
        results.add(run_trials([trial(rate=rate)]))
    assert [row["config"]["rate"] for row in results.cells] == [0.1]


def test_equal_recipes_run_once_and_are_in_the_table_under_both_names(results):
    results.add(run_trials([trial("as published")]))
    results.name_all([trial("as published"), trial("tuned")])
    assert [row["recipe"] for row in results.cells] == ["as published", "tuned"]
    assert results.cells[1]["same_as"] == "as published"
    assert results.cells[0]["test_f1"] == results.cells[1]["test_f1"]
    results.name_all([trial("as published"), trial("tuned")])
    assert len(results.cells) == 2


def test_two_processes_give_the_results_of_one(results):
    trials, seen = [trial(), trial(seed=1), trial("another start", init="euclidean")], []
    run_side_by_side(trials, results, 2, seen.extend)
    found = Results.read(results.path)
    assert len(found.cells) == len(seen) == 3
    for one in trials:
        assert found.find(one)["test_f1"] == run_trials([one])[0]["test_f1"]
    assert found.runs[0]["trials"] == 3


def test_a_file_without_results_and_two_trials_of_one_name_are_refused(results):
    results.path.write_text("[1, 2]")
    with pytest.raises(InputError, match=r"results\.json: is not a file of results"):
        Results.read(results.path)
    with pytest.raises(ValueError, match=r"2 trials are named .*'tuned', 0\).*own"):
        run_side_by_side([trial(), trial(init="euclidean")], results, jobs=1)
    assert results.path.read_text() == "[1, 2]"


def test_results_from_before_a_failure_are_saved(results):
    """The longer trial runs first, and the one worker fails in the second."""
    good, bad = trial(percent=50, epochs=1, dim=2), trial(source="no-such-dataset", epochs=1, dim=2, percent=0)
    with pytest.raises(InputError, match="no-such-dataset"):
        run_side_by_side([bad, good], results, jobs=1)
    assert Results.read(results.path).find(good)


def test_the_authors_files_give_the_same_results_as_the_split_in_them(tmp_path):
    tree = load_dataset(TREE)
    write_released_split(tree.split(50, 0), tree, tmp_path / "tree.tsv")
    (ours,), (theirs,) = (
        run_trials([one]) for one in (trial(), trial(source=str(tmp_path / "tree.tsv"), is_released=True))
    )
    assert theirs["test_f1"] == ours["test_f1"]
    assert theirs["training_edges"] == ours["training_edges"]
