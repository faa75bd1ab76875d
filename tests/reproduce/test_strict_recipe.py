"""The strict learner's recipe: the same in every column but for one setting, and blind to what is not given."""

from __future__ import annotations

import pytest

from hypercone.reproduce.table1 import DIMS, PERCENTS, RECIPES, Plan, recipe_config
from hypercone.reproduce.trials import Trial, run_trials
from hypercone.training import FitConfig
from hypercone.training.recipe import EXCEPTIONS, read_recipes

METHOD, STRICT = "hyperbolic-cones", "strict"


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("percent", PERCENTS)
def test_nothing_but_the_training_edges_is_looked_at_in_any_column(dim, percent):
    config = recipe_config(METHOD, STRICT, dim, percent, seed=7)
    assert (config.method, config.dim, config.seed) == (METHOD, dim, 7)
    assert (config.known, config.init) == ("training", "caps")
    assert config.relatives > 0


def test_all_columns_share_one_recipe_but_for_the_length_of_the_start():
    (exception,) = read_recipes(METHOD)[STRICT][EXCEPTIONS]
    assert exception.keys() == {"percent", "init_epochs"}


def test_it_is_no_part_of_the_papers_table():
    assert STRICT not in RECIPES
    assert all(trial.recipe != STRICT for trial in Plan(seeds=1).trials())


def _trial(**changes):
    config = recipe_config(METHOD, STRICT, 5, 50, 0)
    return Trial(STRICT, 50, FitConfig(**config.as_dict() | changes), source="tree-3-4")


def test_a_trial_runs_it_with_its_own_start():
    trial = _trial(dim=5, epochs=5, init_epochs=20)
    (row,) = run_trials([trial])
    assert row["config"]["init"] == "caps"
    assert row["pretraining_seconds"] == 0
    assert trial.identifies(row)
    assert trial.shares != _trial(dim=5, epochs=6, init_epochs=20).shares


def test_a_row_that_is_older_than_a_setting_was_run_as_its_default_does():
    trial = Trial("tuned", 50, recipe_config(METHOD, "tuned", 5, 50, 0))
    config = trial.config.for_edges(1000).as_dict()
    del config["positive_weight"]
    row = {"source": trial.source, "percent": 50, "method": METHOD, "dim": 5, "seed": 0, "training_edges": 1000}
    assert trial.identifies({**row, "config": config})
    assert not trial.identifies({**row, "config": {**config, "positive_weight": 2.0}})
