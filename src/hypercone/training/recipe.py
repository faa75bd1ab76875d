"""Recipes: named settings in ``recipes/METHOD.toml``, each with its reason; or settings in a user's file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from hypercone.errors import ConfigError, option, unknown_name
from hypercone.methods import METHODS
from hypercone.training.config import (
    USUAL_DIM,
    ConstructionConfig,
    FitConfig,
    TrainingConfig,
    with_new_names,
)
from hypercone.training.option import format_value

Recipe = str | os.PathLike[str] | Mapping[str, Any] | TrainingConfig | ConstructionConfig | FitConfig
# The key of a recipe's exceptions: tables whose "dim" and "percent" select the cells they apply to.
EXCEPTIONS = "for"


def read_recipes(method: str) -> dict[str, dict[str, Any]]:
    """All recipes of a method, as in its file.

    >>> sorted(read_recipes("order"))
    ['as published', 'tuned']
    """
    return tomllib.loads(recipe_text(method))


def recipe_text(method: str) -> str:
    """The text of a method's recipe file, with the reason for every setting."""
    return (resources.files("hypercone.training") / "recipes" / f"{method}.toml").read_text(encoding="utf-8")


def named_recipe(name: str, method: str, dim: int, percent: float | None) -> dict[str, Any]:
    """The settings of a recipe for a dimension and a percentage of implied edges, None without a split.

    >>> named_recipe("as published", "order", 5, 50)["rate"]
    0.1
    """
    if method not in METHODS:
        raise ConfigError(
            f"the recipe is {name!r}, but {method} is constructed and has none; "
            f"choose {option('method', 'hyperbolic-cones')}"
        )
    recipes = read_recipes(method)
    if name not in recipes:
        raise unknown_name(f"recipe of {method}", name, recipes)
    settings = {key: value for key, value in recipes[name].items() if key != EXCEPTIONS}
    for exception in recipes[name].get(EXCEPTIONS, []):
        cell = {"dim": dim, "percent": percent}
        if all(cell[key] in exception[key] for key in cell if key in exception):
            settings |= {key: value for key, value in exception.items() if key not in cell}
    return settings


def has_method(recipe: Recipe | None) -> bool:
    """Whether a recipe includes the method.

    >>> has_method({"method": "order"}), has_method("tuned"), has_method(None)
    (True, False, False)
    """
    if isinstance(recipe, FitConfig):
        return "method" in recipe.given
    return isinstance(recipe, TrainingConfig | ConstructionConfig) or (
        isinstance(recipe, Mapping) and "method" in recipe
    )


def settings_of(recipe: Recipe, beside: Mapping[str, Any], method: str, percent: float | None) -> dict[str, Any]:
    """The settings of a recipe: a name, a TOML file, settings by name, or the configuration of another fit.

    The settings ``beside`` it take precedence.

    >>> settings_of({"epochs": 5, "dim": 3}, {"dim": 2}, "order", None)
    {'epochs': 5, 'dim': 2}
    """
    return {**_settings_of(recipe, beside, method, percent), **beside}


def _settings_of(recipe: Recipe, beside: Mapping[str, Any], method: str, percent: float | None) -> dict[str, Any]:
    if isinstance(recipe, TrainingConfig | ConstructionConfig):
        return recipe.as_dict()
    if isinstance(recipe, FitConfig):
        return dict(recipe.given)
    if isinstance(recipe, Mapping):
        return with_new_names(recipe, warn=False)
    if not isinstance(recipe, str | os.PathLike):
        raise ConfigError(f"recipe is {format_value(recipe)}, but must be a name, a TOML file, or settings by name")
    if isinstance(recipe, str) and not recipe.endswith(".toml"):
        return named_recipe(recipe, method, beside.get("dim", USUAL_DIM), percent)
    return dict(FitConfig.from_toml(Path(recipe), **beside).given)
