"""Recipes are data: every cell has one, every setting has a reason, and none repeats what nobody asked for."""

from __future__ import annotations

import re

import pytest

from hypercone.errors import UnknownNameError
from hypercone.reproduce.table1 import (
    DIMS,
    PERCENTS,
    RECIPES,
    TABLE1,
    TITLES,
    paper_f1,
    recipe_config,
)
from hypercone.training.recipe import EXCEPTIONS, read_recipes, recipe_text


def test_the_paper_has_forty_cells_and_they_are_the_printed_ones():
    printed = [paper_f1(method, dim, percent) for method in TABLE1 for dim in DIMS for percent in PERCENTS]
    assert len(printed) == 40
    assert None not in printed
    # A checksum against slips of the pen: the sum of the forty printed figures.
    assert sum(printed) == pytest.approx(2694.5)
    assert TITLES.keys() == TABLE1.keys()


@pytest.mark.parametrize("method", TABLE1)
@pytest.mark.parametrize("recipe", RECIPES)
def test_every_cell_has_a_valid_configuration(method, recipe):
    for dim in DIMS:
        for percent in PERCENTS:
            config = recipe_config(method, recipe, dim, percent, seed=7)
            assert (config.method, config.dim, config.seed) == (method, dim, 7)


@pytest.mark.parametrize("method", TABLE1)
def test_every_setting_of_a_recipe_has_its_reason(method):
    for number, line in enumerate(recipe_text(method).splitlines(), 1):
        # What an exception is for is no setting.
        if re.match(r"(?!dim|percent)\w+ = ", line):
            assert re.search(r"#\s+\S+", line), f"{method}.toml:{number} gives no reason: {line}"


@pytest.mark.parametrize("method", TABLE1)
def test_exceptions_are_for_cells_that_exist_and_change_something(method):
    for recipe in RECIPES:
        settings = read_recipes(method)[recipe]
        for exception in settings.get(EXCEPTIONS, []):
            assert set(exception.get("dim", DIMS)) <= set(DIMS)
            assert set(exception.get("percent", PERCENTS)) <= set(PERCENTS)
            changed = {name: value for name, value in exception.items() if name not in ("dim", "percent")}
            assert changed
            assert all(settings.get(name) != value for name, value in changed.items())


def test_the_published_recipes_say_what_the_authors_released():
    cones = recipe_config("hyperbolic-cones", "as published", 5, 50, 0)
    assert (cones.rate, cones.epochs, cones.margin, cones.K) == (3e-4, 300, 0.01, 0.1)
    assert (cones.corrupt, cones.init_corrupt, cones.relatives, cones.rescale) == ("child", "child", 0, 0.7)
    order = recipe_config("order", "as published", 5, 50, 0)
    assert (order.rate, order.epochs, order.margin, order.corrupt) == (0.1, 500, 1.0, "child")
    poincare = recipe_config("poincare", "as published", 5, 50, 0)
    assert (poincare.rate, poincare.epochs, poincare.burn_in, poincare.corrupt) == (0.03, 100, 20, "parent")


def test_an_unknown_recipe_is_refused_with_the_nearest_one():
    with pytest.raises(UnknownNameError, match="did you mean tuned"):
        recipe_config("order", "tunde", 5, 50, 0)
