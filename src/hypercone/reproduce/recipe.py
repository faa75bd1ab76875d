"""The recipes of table 1: one TOML file a method, with the settings as published and as we tuned them."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import Any

from hypercone.errors import unknown_name
from hypercone.training import FitConfig

RECIPES = ("as published", "tuned")
# In a recipe, the list of exceptions: tables whose "dim" and "percent" say for which cells they hold.
EXCEPTIONS = "for"


@functools.cache
def read_recipes(method: str) -> dict[str, dict[str, Any]]:
    """All recipes of a method, as the file has them.

    >>> sorted(read_recipes("order"))
    ['as published', 'tuned']
    """
    return tomllib.loads(recipe_text(method))


def recipe_text(method: str) -> str:
    """The file itself, whose comments give the reason of each setting."""
    return (resources.files("hypercone.training") / "recipes" / f"{method}.toml").read_text(encoding="utf-8")


def recipe_config(method: str, recipe: str, dim: int, percent: float, seed: int) -> FitConfig:
    """The configuration of one cell.

    >>> recipe_config("order", "as published", 5, 50, 0).rate
    0.1
    """
    recipes = read_recipes(method)
    if recipe not in recipes:
        raise unknown_name(f"recipe of {method}", recipe, recipes)
    settings = {name: value for name, value in recipes[recipe].items() if name != EXCEPTIONS}
    for exception in recipes[recipe].get(EXCEPTIONS, []):
        if dim in exception.get("dim", [dim]) and percent in exception.get("percent", [percent]):
            settings |= {name: value for name, value in exception.items() if name not in ("dim", "percent")}
    return FitConfig.from_dict({"method": method, "dim": dim, "seed": seed, **settings})
