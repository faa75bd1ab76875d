"""Recipes: every cell of the table has one, every setting has a reason, and the strict one uses training edges only."""

from __future__ import annotations

import re

import pytest

from hypercone.errors import UnknownNameError
from hypercone.reproduce.table1 import DIMS, PERCENTS, RECIPES, TABLE1, TITLES, Plan, paper_f1, recipe_config
from hypercone.reproduce.trials import Trial, run_trials
from hypercone.training import FitConfig
from hypercone.training.recipe import EXCEPTIONS, read_recipes, recipe_text

CONES, STRICT = "hyperbolic-cones", "strict"
each_method = pytest.mark.parametrize("method", TABLE1)


def test_the_paper_has_forty_cells_with_the_printed_values():
    printed = [paper_f1(method, dim, percent) for method in TABLE1 for dim in DIMS for percent in PERCENTS]
    assert len(printed) == 40
    assert None not in printed
    # The sum of the forty printed values, as a checksum against typing errors.
    assert sum(printed) == pytest.approx(2694.5)
    assert TITLES.keys() == TABLE1.keys()


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("percent", PERCENTS)
def test_every_cell_has_a_valid_configuration_and_the_strict_one_uses_training_edges_only(dim, percent):
    for method, recipe in [*((method, recipe) for method in TABLE1 for recipe in RECIPES), (CONES, STRICT)]:
        config = recipe_config(method, recipe, dim, percent, seed=7)
        assert (config.method, config.dim, config.seed) == (method, dim, 7)
    assert (config.known, config.init) == ("training", "caps")
    assert config.relatives > 0


@each_method
def test_every_setting_of_a_recipe_has_its_reason(method):
    for number, line in enumerate(recipe_text(method).splitlines(), 1):
        # The cells of an exception are not settings.
        if re.match(r"(?!dim|percent)\w+ = ", line):
            assert re.search(r"#\s+\S+", line), f"{method}.toml:{number} gives no reason: {line}"


@each_method
def test_exceptions_are_for_existing_cells_and_change_something(method):
    for recipe in RECIPES:
        settings = read_recipes(method)[recipe]
        for exception in settings.get(EXCEPTIONS, []):
            assert set(exception.get("dim", DIMS)) <= set(DIMS)
            assert set(exception.get("percent", PERCENTS)) <= set(PERCENTS)
            changed = {name: value for name, value in exception.items() if name not in ("dim", "percent")}
            assert changed
            assert all(settings.get(name) != value for name, value in changed.items())


def test_the_published_recipes_are_those_that_the_authors_released():
    cones, order, poincare = (
        recipe_config(method, "as published", 5, 50, 0) for method in (CONES, "order", "poincare")
    )
    assert (cones.rate, cones.epochs, cones.margin, cones.K) == (3e-4, 300, 0.01, 0.1)
    assert (cones.corrupt, cones.init_corrupt, cones.relatives, cones.rescale) == ("child", "child", 0, 0.7)
    assert (order.rate, order.epochs, order.margin, order.corrupt) == (0.1, 500, 1.0, "child")
    assert (poincare.rate, poincare.epochs, poincare.burn_in, poincare.corrupt) == (0.03, 100, 20, "parent")


def test_an_unknown_recipe_is_refused_with_a_suggestion():
    with pytest.raises(UnknownNameError, match="did you mean tuned"):
        recipe_config("order", "tunde", 5, 50, 0)


def test_the_strict_recipe_differs_between_columns_in_the_length_of_the_start_and_is_not_in_the_table():
    (exception,) = read_recipes(CONES)[STRICT][EXCEPTIONS]
    assert exception.keys() == {"percent", "init_epochs"}
    assert STRICT not in RECIPES
    assert all(trial.recipe != STRICT for trial in Plan(seeds=1).trials())


def test_a_trial_of_the_strict_recipe_computes_its_own_start():
    strict = recipe_config(CONES, STRICT, 5, 50, 0).as_dict() | {"dim": 5, "init_epochs": 20}
    trial, other = (Trial(STRICT, 50, FitConfig(**strict | {"epochs": n}), source="tree-3-4") for n in (5, 6))
    (row,) = run_trials([trial])
    assert row["config"]["init"] == "caps"
    assert row["pretraining_seconds"] == 0
    assert trial.identifies(row)
    assert trial.shares != other.shares


def test_a_row_without_a_newer_setting_counts_as_run_with_its_default():
    trial = Trial("tuned", 50, recipe_config(CONES, "tuned", 5, 50, 0))
    config = trial.config.for_edges(1000).as_dict()
    del config["positive_weight"]
    row = {"source": trial.source, "percent": 50, "method": CONES, "dim": 5, "seed": 0, "training_edges": 1000}
    assert trial.identifies({**row, "config": config})
    assert not trial.identifies({**row, "config": {**config, "positive_weight": 2.0}})
