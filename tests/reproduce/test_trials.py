"""Trials: each is an honest fit on its own split, sharing a pre-training changes nothing, and nothing is run twice."""

from __future__ import annotations

import json

import numpy as np
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


def test_a_trial_is_the_fit_of_its_configuration_judged_on_the_test_pairs():
    (row,) = run_trials([trial(seed=3)])
    tree = load_dataset(TREE)
    split = tree.split(50, 3)
    embedding = fit(tree, recipe=trial(seed=3).config, split=split)
    for name, pairs in (("test", split.test), ("validation", split.validation)):
        counted = link_prediction(embedding, pairs)
        assert row[f"{name}_f1"] == pytest.approx(100 * counted.f1, abs=1e-3)
        assert row[f"{name}_precision"] == pytest.approx(100 * counted.precision, abs=1e-3)
        assert row[f"{name}_recall"] == pytest.approx(100 * counted.recall, abs=1e-3)
    assert row["config"] == embedding.record["config"]
    assert row["training_edges"] == len(split.train)
    assert row["pairs_per_second"] > 0


def test_a_row_tells_everything_that_is_needed_to_run_it_again():
    (row,) = run_trials([trial()])
    again = Trial(row["recipe"], row["percent"], FitConfig.from_dict(row["config"]), row["source"])
    assert run_trials([again])[0]["test_f1"] == row["test_f1"]


def test_sharing_a_pretraining_changes_no_figure():
    trials = [
        trial(recipe="a"),
        trial(recipe="b", rescale=0.4),
        trial(recipe="c", method="euclidean-cones", init="poincare"),
    ]
    assert len(sharing_groups(trials)) == 1
    together = [row["test_f1"] for row in run_trials(trials)]
    alone = [run_trials([one])[0]["test_f1"] for one in trials]
    assert together == alone


def test_what_does_not_share_a_start_is_not_grouped():
    trials = [trial(), trial(seed=1), trial(percent=25), trial(init_corrupt="parent"), trial(init="euclidean")]
    assert [len(group) for group in sharing_groups(trials)] == [1] * 5


def test_long_trials_come_first_so_that_no_core_idles_at_the_end():
    ordered = sharing_groups([trial(percent=0), trial(percent=50, dim=9), trial(percent=50)])
    assert [(group[0].percent, group[0].config.dim) for group in ordered] == [(50, 9), (50, 5), (0, 5)]


def test_a_finished_trial_is_not_run_again(results):
    run_side_by_side([trial()], results, jobs=1)
    kept = Results.read(results.path)
    assert missing([trial()], kept) == []
    assert missing([trial(), trial(seed=1)], kept) == [trial(seed=1)]
    assert kept.runs[0]["trials"] == 1
    assert kept.cells[0]["versions"]["numba"]


def test_a_trial_whose_settings_changed_is_run_again_and_takes_the_old_ones_place(results):
    results.add(run_trials([trial()]))
    assert missing([trial(rate=0.1)], results) == [trial(rate=0.1)]
    results.add(run_trials([trial(rate=0.1)]))
    assert [row["config"]["rate"] for row in results.cells] == [0.1]


def test_a_trial_asked_for_twice_runs_once(results):
    assert len(missing([trial("one"), trial("two")], results)) == 1


def test_equal_recipes_are_run_once_and_stand_in_the_table_under_both_names(results):
    results.add(run_trials([trial("as published")]))
    results.name_all([trial("as published"), trial("tuned")])
    assert [row["recipe"] for row in results.cells] == ["as published", "tuned"]
    assert results.cells[1]["same_as"] == "as published"
    assert results.cells[0]["test_f1"] == results.cells[1]["test_f1"]
    results.name_all([trial("as published"), trial("tuned")])
    assert len(results.cells) == 2


def test_two_processes_find_what_one_finds(tmp_path):
    trials = [trial(), trial(seed=1), trial("started otherwise", init="euclidean")]
    figures = []
    for jobs in (1, 2):
        results = Results(tmp_path / f"{jobs}.json")
        seen = []
        run_side_by_side(trials, results, jobs, seen.extend)
        assert len(seen) == 3
        figures.append([row["test_f1"] for row in Results.read(results.path).cells])
    assert len(figures[0]) == 3
    assert figures[0] == figures[1]


def test_two_trials_of_one_name_are_refused_for_the_last_to_finish_would_replace_the_other(results):
    with pytest.raises(ValueError, match=r"2 trials are named .*'tuned', 0\).*own"):
        run_side_by_side([trial(), trial(init="euclidean")], results, jobs=1)
    assert not results.path.exists()


def test_what_finished_before_a_failure_is_kept(results):
    good, bad = trial(percent=0, epochs=1, dim=2), trial(source="no-such-dataset", epochs=1, dim=2, percent=50)
    with pytest.raises(InputError, match="no-such-dataset"):
        run_side_by_side([good, bad], results, jobs=2)
    run_side_by_side(missing([good], results), results, jobs=1)
    assert Results.read(results.path).find(good)


def test_the_authors_files_give_the_same_figures_as_the_split_they_hold(tmp_path):
    tree = load_dataset(TREE)
    write_released_split(tree.split(50, 0), tree, tmp_path / "tree.tsv")
    (ours,) = run_trials([trial()])
    (theirs,) = run_trials([trial(source=str(tmp_path / "tree.tsv"), is_released=True)])
    assert theirs["test_f1"] == ours["test_f1"]
    assert theirs["training_edges"] == ours["training_edges"]


def test_a_file_that_holds_no_results_is_refused(tmp_path):
    (tmp_path / "table1.json").write_text("[1, 2]")
    with pytest.raises(InputError, match=r"table1\.json: is not a file of results"):
        Results.read(tmp_path / "table1.json")


def test_the_file_is_plain_json_with_a_row_a_cell(results):
    results.add(run_trials([trial()]))
    content = json.loads(results.path.read_text())
    assert content.keys() == {"runs", "cells"}
    expected = {"method", "dim", "percent", "recipe", "seed", "test_f1", "config", "epochs", "seconds", "versions"}
    assert expected <= content["cells"][0].keys()
    assert np.isfinite(content["cells"][0]["test_f1"])
