"""The table with the paper's values beside ours, and the verdicts on the claims that the paper makes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypercone.reproduce import Plan, Results, markdown
from hypercone.reproduce.claims import (
    CLAIMS,
    EXPERIMENTS,
    NOISE,
    TABLE_CLAIMS,
    claim_trials,
    compare,
    judge,
    report,
    table_comparisons,
    verdict_of,
)
from hypercone.reproduce.table1 import DIMS, PERCENTS, RECIPES, TABLE1, best_of_recipes, headline

f1_lists = st.lists(st.floats(0, 100), min_size=1, max_size=5)


def row(test, validation=50.0, recipe="tuned", seed=0, method="order", dim=5, percent=50, source="wordnet-nouns"):
    cell = {"method": method, "recipe": recipe, "dim": dim, "percent": percent, "seed": seed, "source": source}
    return cell | {"test_f1": test, "validation_f1": validation}


def table_rows(f1):
    """A table in which every cell is f1(method, dim, percent)."""
    cells = ((m, d, p, r, s) for m in TABLE1 for d in DIMS for p in PERCENTS for r in RECIPES for s in range(3))
    return [row(f1(m, d, p), recipe=r, seed=s, method=m, dim=d, percent=p) for m, d, p, r, s in cells]


class TestTable:
    def test_the_whole_table_is_forty_cells_with_two_recipes_and_three_seeds(self):
        trials = Plan().trials()
        assert len(trials) == 40 * 2 * 3
        cells = {(t.config.method, t.config.dim, t.percent, t.recipe, t.config.seed) for t in trials}
        assert len(cells) == len(trials)
        assert {cell[:3] for cell in cells} == {(m, d, p) for m in TABLE1 for d in DIMS for p in PERCENTS}
        assert {cell[3] for cell in cells} == set(RECIPES)

    def test_a_cell_shows_mean_deviation_and_the_difference_from_the_paper(self):
        text = markdown(Plan(), [row(80.0), row(82.0, seed=1), row(84.0, seed=2)])
        assert "|  | tuned | … | … | … | 82.0 ± 2.0 (+0.3) |" in text
        assert "| Order embeddings | paper | 34.4 | 70.2 | 75.9 | 81.7 |" in text

    def test_cells_that_the_paper_does_not_have_are_shown_without_a_difference(self):
        text = markdown(Plan(dims=(7,), percents=(90,), methods=("order",)), [row(80.0, dim=7, percent=90)])
        assert "| Order embeddings | paper | – |" in text
        assert "|  | tuned | 80.0 |" in text

    def test_other_data_and_other_seeds_are_not_in_the_table(self):
        text = markdown(Plan(seeds=1), [row(10.0, source="elsewhere"), row(99.0, seed=1), row(80.0)])
        assert "80.0 (-1.7)" in text
        assert "±" not in text

    def test_the_better_recipe_is_chosen_by_validation_and_not_by_test(self):
        rows = [row(90.0, validation=60.0, recipe="as published"), row(70.0, validation=80.0)]
        assert best_of_recipes(rows, RECIPES, "order", 5, 50).mean == 70.0
        assert best_of_recipes(rows, RECIPES, "order", 10, 50) is None

    @pytest.mark.parametrize(("f1", "text"), [(81.7, "**81.7**"), (81.6, "81.6")])
    def test_the_headline_marks_cells_that_reach_the_paper(self, f1, text):
        assert f"| {text} |" in headline(Plan(), [row(f1)])


class TestComparisons:
    @given(f1_lists)
    def test_nothing_is_better_than_itself_and_everything_is_as_good_as_itself(self, f1):
        assert compare("a", f1, "better than", "b", f1).outcome == "not confirmed"
        assert compare("a", f1, "as good as", "b", f1).outcome == "confirmed"

    @given(f1_lists, st.floats(NOISE + 0.01, 50))
    def test_a_gain_above_the_noise_on_every_seed_confirms_and_a_loss_refutes(self, f1, gain):
        more = [value + gain for value in f1]
        assert compare("a", more, "better than", "b", f1).outcome == "confirmed"
        assert compare("a", f1, "better than", "b", more).outcome == "refuted"
        assert compare("a", f1, "as good as", "b", more).outcome == "refuted"
        assert compare("a", more, "as good as", "b", f1).outcome == "confirmed"

    def test_a_gain_within_two_standard_errors_is_not_confirmed(self):
        assert compare("a", [80.0, 90.0, 85.0], "better than", "b", [84.0, 80.0, 84.0]).outcome == "not confirmed"

    def test_a_verdict_combines_comparisons(self):
        held, broken = compare("a", [9.0], "better than", "b", [1.0]), compare("a", [1.0], "better than", "b", [9.0])
        assert verdict_of([held, held]) == "confirmed"
        assert verdict_of([held, broken]) == "partly confirmed"
        assert verdict_of([broken]) == "refuted"
        none = compare("a", [], "better than", "b", [])
        assert str(none) == "a better than b: not run (no trials yet)"
        assert verdict_of([none]) == "not run"


class TestClaims:
    @pytest.mark.parametrize("claim", EXPERIMENTS)
    def test_every_experiment_compares_variants_that_it_runs(self, claim):
        experiment = EXPERIMENTS[claim]
        for one, relation, other in experiment.get("expect", []):
            assert {one, other} <= experiment["variants"].keys()
            assert relation in ("better than", "as good as")
        assert len(claim_trials([claim], seeds=2)) == 2 * len(experiment["cells"]) * len(experiment["variants"])

    def test_experiments_are_judged_by_their_own_trials_or_those_of_the_table(self, tmp_path):
        results, table = Results(tmp_path / "claims.json"), Results(tmp_path / "table1.json")
        for trial in claim_trials(["rescale"], seeds=2):
            config, is_published = trial.config, trial.config.rescale == 0.7
            found = row(90.0 if is_published else 80.0, seed=config.seed, method=config.method, dim=config.dim)
            found |= {"source": trial.source, "percent": trial.percent, "training_edges": 1_000_000}
            home = table if is_published else results
            home.cells.append(found | {"config": config.for_edges(1_000_000).as_dict()})
        (verdict,) = judge(["rescale"], 2, results, table)
        assert verdict.verdict == "confirmed"
        assert verdict.figures["0.7, d = 5, 25 %"].mean == 90.0
        assert "0.7 (d = 5, 25 %) better than 1.0: confirmed (+10.0 ± 0.0)" in report([verdict])

    def test_the_papers_own_table_confirms_the_papers_claims_about_it(self):
        rows = table_rows(lambda method, dim, percent: TABLE1[method][dim][PERCENTS.index(percent)])
        for claim in TABLE_CLAIMS:
            assert verdict_of(table_comparisons(claim, rows)) == "confirmed", claim

    def test_a_table_in_which_another_method_wins_refutes_them(self):
        rows = table_rows(lambda method, dim, percent: 20.0 + (percent if method == "euclidean" else 0))
        assert verdict_of(table_comparisons("best-above-zero", rows)) == "refuted"
        assert verdict_of(table_comparisons("growth", rows)) == "refuted"
        assert verdict_of(table_comparisons("order-at-zero", rows)) == "not confirmed"

    def test_claims_about_a_table_without_results_are_not_run(self, tmp_path):
        empty = Results(tmp_path / "none.json")
        assert {verdict.verdict for verdict in judge(TABLE_CLAIMS, 3, empty, empty)} == {"not run"}
        assert set(CLAIMS) == {*EXPERIMENTS, *TABLE_CLAIMS}
