"""Every recipe of every method runs in one way: by fit, and by reproduce, also on a split in the authors' format."""

from __future__ import annotations

import json

import pytest

from hypercone.data import load_dataset
from hypercone.methods import METHODS
from hypercone.reproduce.released_split import write_released_split
from hypercone.reproduce.table1 import OWN_RECIPES, RECIPES
from hypercone.training.recipe import read_recipes

CONES = "hyperbolic-cones"
EVERY = [(method, recipe) for method in METHODS for recipe in read_recipes(method)]


@pytest.fixture
def split(tmp_path):
    """The prefix of a small split in the authors' format, with two percentages."""
    tree = load_dataset("tree-3-3")
    write_released_split([tree.split(percent) for percent in (10, 25)], tree, tmp_path / "tree.tsv")
    return tmp_path / "tree.tsv"


@pytest.mark.parametrize(("method", "recipe"), EVERY)
def test_fit_takes_every_recipe_of_a_method_by_name(run, tmp_path, method, recipe):
    given = ("fit", "tree-3-3", "--method", method, "--recipe", recipe, "--percent", "25", "--dim", "3", "--seed", "3")
    done = run(*given, "-o", tmp_path / "model", "--quiet", "--json")
    assert done.code == 0, done.err
    config = json.loads((tmp_path / "model" / "config.json").read_text(encoding="utf-8"))["record"]["config"]
    plain = {name: value for name, value in read_recipes(method)[recipe].items() if name != "for"}
    assert {name: config[name] for name in plain} | {"seed": config["seed"]} == plain | {"seed": 3}
    assert 0 <= done.json["test"]["f1"] <= 1


def test_the_recipes_of_table_1_are_those_of_the_methods():
    assert {recipe for _, recipe in EVERY} == {*RECIPES, *OWN_RECIPES}


def test_one_cell_of_every_recipe_is_run_on_a_split_of_the_authors_format_with_one_seed(run, split, tmp_path):
    given = ("reproduce", "table1", "--split", split, "--method", CONES, "--dim", "3", "--percent", "25", "--seed", "3")
    named = ",".join([*RECIPES, *OWN_RECIPES])
    done = run(*given, "--recipe", named, "--jobs", "1", "-o", tmp_path / "out", "--quiet")
    assert done.code == 0, done.err
    cells = json.loads((tmp_path / "out" / "table1.json").read_text(encoding="utf-8"))["cells"]
    assert {cell["recipe"] for cell in cells} == {*RECIPES, *OWN_RECIPES}
    for cell in cells:
        assert (cell["method"], cell["dim"], cell["percent"], cell["seed"]) == (CONES, 3, 25, 3)
        assert {"processor", "python", "numpy", "numba", "hypercone", "date"} <= cell["versions"].keys()
    shown = next(cell for cell in cells if cell["recipe"] == "given-edges")
    assert f"| given-edges, learned in a forest of the given edges | {shown['test_f1']:.1f} |" in done.out
    # The plural names are the same options.
    plural = (
        "reproduce",
        "table1",
        "--split",
        split,
        "--methods",
        CONES,
        "--dims",
        "3",
        "--percent",
        "25",
        "--seed",
        "3",
    )
    again = run(*plural, "--recipes", named, "-o", tmp_path / "out", "--quiet")
    assert (again.code, again.out) == (0, done.out)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("--seed", "3", "--seeds", "2"), "--seed and --seeds both say which seeds; give one of them"),
        (("--seed", "-1"), "--seed is -1, but must be at least 0"),
    ],
)
def test_one_seed_is_given_alone_and_is_not_negative(run, given, sentence):
    done = run("reproduce", "table1", *given)
    assert (done.code, done.err) == (2, f"hypercone: {sentence}\n")
