"""A small cell of table 1 for each method has the recorded digits, to the last bit.

After a change that is meant to change digits, run ``HYPERCONE_RECORD_BITS=1 pytest tests/reproduce/test_digits.py``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tools.table_digits import digits_of

from hypercone.methods import METHODS
from hypercone.reproduce import Plan
from hypercone.training.recipe import read_recipes

RECORDED = Path(__file__).with_name("digits.json")
SOURCE = "wordnet-mammals"


def plan_of(method):
    """Every recipe of a method in one column."""
    recipes = tuple(read_recipes(method))
    return Plan(methods=[method], recipes=recipes, dims=[5], percents=[25], seeds=[0], source=SOURCE)


@pytest.fixture(scope="module")
def recorded():
    if os.environ.get("HYPERCONE_RECORD_BITS"):
        found = {cell: digits for method in METHODS for cell, digits in digits_of(plan_of(method)).items()}
        RECORDED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return json.loads(RECORDED.read_text(encoding="utf-8"))


@pytest.mark.parametrize("method", METHODS)
def test_a_cell_of_every_method_and_recipe_has_the_recorded_digits(recorded, method):
    found = digits_of(plan_of(method))
    assert len(found) == len(read_recipes(method))
    assert found == {cell: recorded[cell] for cell in found}
