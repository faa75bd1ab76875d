"""The tables: every cell in its place, the paper beside it, and the better recipe chosen without the test pairs."""

from __future__ import annotations

import pytest

from hypercone.reproduce import Plan, markdown
from hypercone.reproduce.table1 import DIMS, PERCENTS, RECIPES, TABLE1, best_of_recipes, headline


def row(test, validation=50.0, recipe="tuned", seed=0, method="order", dim=5, percent=50, source="wordnet-nouns"):
    figures = {"test_f1": test, "validation_f1": validation}
    return {
        "method": method,
        "recipe": recipe,
        "dim": dim,
        "percent": percent,
        "seed": seed,
        "source": source,
        **figures,
    }


def test_the_whole_table_is_forty_cells_with_two_recipes_and_three_seeds():
    trials = Plan().trials()
    assert len(trials) == 40 * 2 * 3
    cells = {(t.config.method, t.config.dim, t.percent, t.recipe, t.config.seed) for t in trials}
    assert len(cells) == len(trials)
    assert {cell[:3] for cell in cells} == {(m, d, p) for m in TABLE1 for d in DIMS for p in PERCENTS}
    assert {cell[3] for cell in cells} == set(RECIPES)


def test_a_cell_shows_mean_spread_and_the_difference_from_the_paper():
    text = markdown(Plan(), [row(80.0), row(82.0, seed=1), row(84.0, seed=2)])
    assert "|  | tuned | … | … | … | 82.0 ± 2.0 (+0.3) |" in text
    assert "| Order embeddings | paper | 34.4 | 70.2 | 75.9 | 81.7 |" in text


def test_cells_the_paper_does_not_have_are_shown_without_a_difference():
    text = markdown(Plan(dims=(7,), percents=(90,), methods=("order",)), [row(80.0, dim=7, percent=90)])
    assert "| Order embeddings | paper | – |" in text
    assert "|  | tuned | 80.0 |" in text


def test_other_data_and_other_seeds_stay_out_of_the_table():
    text = markdown(Plan(seeds=1), [row(10.0, source="elsewhere"), row(99.0, seed=1), row(80.0)])
    assert "80.0 (-1.7)" in text
    assert "±" not in text


def test_the_better_recipe_is_the_one_that_validates_better_whatever_the_test_says():
    rows = [row(90.0, validation=60.0, recipe="as published"), row(70.0, validation=80.0)]
    assert best_of_recipes(rows, RECIPES, "order", 5, 50).mean == 70.0
    assert best_of_recipes(rows, RECIPES, "order", 10, 50) is None


@pytest.mark.parametrize(("f1", "shown"), [(81.7, "**81.7**"), (81.6, "81.6")])
def test_the_headline_marks_cells_that_reach_the_paper(f1, shown):
    assert f"| {shown} |" in headline(Plan(), [row(f1)])
