"""The table with the paper's values beside ours, the recipe of each cell, and the verdicts on the paper's claims."""

from __future__ import annotations

import re
from functools import partial
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypercone.errors import UnknownNameError
from hypercone.reproduce import Plan, Results, claims, markdown, missing, table1
from hypercone.reproduce.claims import EXPERIMENTS, TABLE_CLAIMS, TIMED
from hypercone.reproduce.comparisons import NOISE, compare, verdict_of
from hypercone.reproduce.table1 import DIMS, PERCENTS, RECIPES, TABLE1, recipe_config
from hypercone.reproduce.trials import Trial, run_trials
from hypercone.training import FitConfig
from hypercone.training.loop import DIGITS
from hypercone.training.recipe import EXCEPTIONS, read_recipes, recipe_text

f1_lists = st.lists(st.floats(0, 100), min_size=1, max_size=5)


def row(test, validation=50.0, recipe="tuned", seed=0, method="order", dim=5, percent=50, source="wordnet-nouns"):
    cell = {"method": method, "recipe": recipe, "dim": dim, "percent": percent, "seed": seed, "source": source}
    return cell | {"test_f1": test, "validation_f1": validation, "digits": DIGITS}


def table_rows(f1):
    """A table in which every cell is f1(method, dim, percent)."""
    cells = product(TABLE1, DIMS, PERCENTS, RECIPES, range(3))
    return [row(f1(m, d, p), recipe=r, seed=s, method=m, dim=d, percent=p) for m, d, p, r, s in cells]


class TestTable:
    def test_the_whole_table_is_forty_cells_with_two_recipes_and_three_seeds(self):
        trials = Plan().trials()
        cells = [(t.config.method, t.config.dim, t.percent, t.recipe, t.config.seed) for t in trials]
        assert sorted(cells) == sorted(product(TABLE1, DIMS, PERCENTS, RECIPES, range(3)))
        assert len(cells) == 40 * 2 * 3

    def test_a_cell_shows_mean_deviation_and_the_difference_from_the_paper_if_it_has_that_cell(self):
        text = markdown(Plan(), [row(80.0), row(82.0, seed=1), row(84.0, seed=2)])
        assert "|  | tuned | … | … | … | 82.0 ± 2.0 (+0.3) |" in text
        assert "| Order embeddings | paper | 34.4 | 70.2 | 75.9 | 81.7 |" in text

        text = markdown(Plan(dims=(7,), percents=(90,), methods=("order",)), [row(80.0, dim=7, percent=90)])
        assert "| Order embeddings | paper | – |" in text
        assert "|  | tuned | 80.0 |" in text
        # Other data and other seeds are left out.
        text = markdown(Plan(seeds=[0]), [row(10.0, source="elsewhere"), row(99.0, seed=1), row(80.0)])
        assert "80.0 (-1.7)" in text
        assert "±" not in text

    def test_the_better_recipe_is_chosen_by_validation_and_not_by_test(self):
        rows = [row(90.0, validation=60.0, recipe="as published"), row(70.0, validation=80.0)]
        assert table1.best_of_recipes(rows, RECIPES, "order", 5, 50).mean == 70.0
        assert table1.best_of_recipes(rows, RECIPES, "order", 10, 50) is None

    def test_the_headline_marks_cells_that_reach_the_paper(self):
        for f1, text in ((81.7, "**81.7**"), (81.6, "81.6")):
            assert f"| {text} |" in table1.headline(Plan(), [row(f1)])


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

    def test_a_verdict_combines_comparisons(self):
        held, broken = compare("a", [9.0], "better than", "b", [1.0]), compare("a", [1.0], "better than", "b", [9.0])
        assert verdict_of([held, held]) == "confirmed"
        assert verdict_of([held, broken]) == "partly confirmed"
        assert verdict_of([broken]) == "refuted"
        # Within two standard errors.
        assert compare("a", [80.0, 90.0, 85.0], "better than", "b", [84.0, 80.0, 84.0]).outcome == "not confirmed"
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
        assert len(claims.claim_trials([claim], seeds=2)) == 2 * len(experiment["cells"]) * len(experiment["variants"])

    def test_experiments_are_judged_by_their_own_trials_or_those_of_the_table(self, tmp_path):
        results, table = Results(tmp_path / "claims.json"), Results(tmp_path / "table1.json")
        for trial in claims.claim_trials(["rescale"], seeds=2):
            config, is_published = trial.config, trial.config.rescale == 0.7
            found = row(90.0 if is_published else 80.0, seed=config.seed, method=config.method, dim=config.dim)
            found |= {"source": trial.source, "percent": trial.percent, "training_edges": 1_000_000}
            home = table if is_published else results
            home.cells.append(found | {"config": config.for_edges(1_000_000).as_dict()})
        (verdict,) = claims.judge(["rescale"], 2, results, table)
        assert verdict.verdict == "confirmed"
        assert verdict.figures["0.7, d = 5, 25 %"].mean == 90.0
        assert "0.7 (d = 5, 25 %) better than 1.0: confirmed (+10.0 ± 0.0, 2 seeds)" in claims.report([verdict])

    @pytest.mark.parametrize(
        ("f1", "other", "relation", "is_decided"),
        [
            ([90.0, 91.0, 92.0], [80.0, 82.0, 81.0], "better than", True),
            # The mean is 1.3 below, and the standard error 0.2: two of them reach the border, a point.
            ([85.3, 86.0, 85.9], [86.9, 87.0, 87.2], "as good as", False),
            ([90.0, 92.0, 91.0], [90.0, 91.9, 91.1], "as good as", True),
            ([90.0, 91.0, 92.0], [89.0, 91.0, 88.0], "better than", False),
            ([90.0], [80.0], "better than", False),
        ],
    )
    def test_a_comparison_is_decided_two_standard_errors_from_another_outcome(self, f1, other, relation, is_decided):
        assert compare("a", f1, relation, "b", other).is_decided == is_decided

    def test_more_seeds_are_run_only_for_the_cells_of_comparisons_that_are_not_decided(self, tmp_path):
        results, table = Results(tmp_path / "claims.json"), Results(tmp_path / "table1.json")
        close, far = {"cones, batches of 10": (0, 4, 0)}, {"Poincaré, batches of 10": (-9, -9, -9)}
        for trial in claims.claim_trials(["batches"], seeds=3):
            config, variant = trial.config, trial.recipe.removeprefix("batches: ")
            gain = (close | far).get(variant, (0, 0, 0))[config.seed]
            found = row(80.0 + gain, recipe=trial.recipe, seed=config.seed, method=config.method, percent=25)
            results.cells.append(found | {"training_edges": 10**6, "config": config.for_edges(10**6).as_dict()})
        verdicts = claims.judge(["batches"], claims.MOST_SEEDS, results, table)
        assert [comparison.outcome for comparison in verdicts[0].comparisons] == ["confirmed", "refuted", "confirmed"]
        more = claims.undecided_trials(verdicts)
        assert {trial.config.method for trial in more} == {CONES}
        assert {trial.config.batch_size for trial in more} == {1, 10}
        assert sorted({trial.config.seed for trial in more}) == list(range(10))
        assert len(missing(more, results)) == 14

    def test_table_cells_get_more_seeds_under_the_name_of_their_recipe(self, tmp_path):
        results, table = Results(tmp_path / "claims.json"), Results(tmp_path / "table1.json")
        table.cells = table_rows(lambda method, dim, percent: TABLE1[method][dim][PERCENTS.index(percent)])
        wobbling = [row for row in table.cells if (row["method"], row["dim"], row["percent"]) == (CONES, 10, 10)]
        for found in wobbling:
            found["test_f1"] += (-6, 0, 6)[found["seed"]]
        more = claims.undecided_trials(claims.judge(["best-above-zero"], 3, results, table))
        assert {(trial.recipe, trial.config.method, trial.config.dim, trial.percent) for trial in more} == {
            (recipe, method, 10, 10) for recipe in RECIPES for method in (CONES, "euclidean-cones")
        }

    def test_an_epoch_is_timed_with_each_optimizer_in_turn_and_not_again(self, tmp_path, monkeypatch):
        """On a small tree; the verdict follows from the ratio, whatever the machine says."""
        experiment = TIMED["faster-retraction"] | {"cells": [{"dim": 2, "percent": 50}]}
        monkeypatch.setitem(TIMED, "faster-retraction", experiment)
        monkeypatch.setattr(claims, "Trial", partial(Trial, source="tree-3-3"))
        results = Results(tmp_path / "claims.json")
        claims.measure_times(["faster-retraction"], 2, results)
        assert [(row["method"], row["seed"]) for row in results.times] == [
            (method, seed) for method in (CONES, "poincare") for seed in (0, 1)
        ]
        before = Results.read(results.path)
        claims.measure_times(["faster-retraction"], 2, before)
        assert before.times == results.times
        for found in results.times:
            retraction, exponential = found["seconds"]
            found["seconds"] = {retraction: 0.1 - found["seed"] * 0.002, exponential: 0.2}
        (verdict,) = claims.judge(["faster-retraction"], 2, results, results)
        assert verdict.verdict == "confirmed"
        assert (
            "cones, retraction faster than cones, exponential map: confirmed (+50.5 ± 0.5, 2 seeds)"
            in claims.report([verdict])
        )

    def test_the_papers_own_table_confirms_its_claims_and_another_refutes_them(self, tmp_path):
        rows = table_rows(lambda method, dim, percent: TABLE1[method][dim][PERCENTS.index(percent)])
        assert {claim: verdict_of(claims.table_comparisons(claim, rows)) for claim in TABLE_CLAIMS} == dict.fromkeys(
            TABLE_CLAIMS, "confirmed"
        )
        rows = table_rows(lambda method, dim, percent: 20.0 + (percent if method == "euclidean" else 0))
        expected = {"best-above-zero": "refuted", "growth": "refuted", "order-at-zero": "not confirmed"}
        expected["eight-points"] = "refuted"
        assert {claim: verdict_of(claims.table_comparisons(claim, rows)) for claim in expected} == expected
        empty = Results(tmp_path / "none.json")
        assert {verdict.verdict for verdict in claims.judge(TABLE_CLAIMS, 3, empty, empty)} == {"not run"}
        assert set(claims.CLAIMS) == {*EXPERIMENTS, *TIMED, *TABLE_CLAIMS}


CONES, STRICT = "hyperbolic-cones", "strict"


def test_the_paper_has_forty_cells_with_the_printed_values():
    printed = [table1.paper_f1(method, dim, percent) for method in TABLE1 for dim in DIMS for percent in PERCENTS]
    assert len(printed) == 40
    assert None not in printed
    # The sum of the forty printed values, as a checksum against typing errors.
    assert sum(printed) == pytest.approx(2694.5)
    assert table1.TITLES.keys() == TABLE1.keys()


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("percent", PERCENTS)
def test_every_cell_has_valid_configurations_and_the_strict_one_uses_training_edges_only(dim, percent):
    for method, recipe in [*((method, recipe) for method in TABLE1 for recipe in RECIPES), (CONES, STRICT)]:
        config = recipe_config(method, recipe, dim, percent, seed=7)
        assert (config.method, config.dim, config.seed) == (method, dim, 7)
    assert (config.known, config.init, config.epochs) == ("training", "exact-caps", 0)
    in_forest = recipe_config(CONES, "given-edges", dim, percent, seed=7)
    assert (in_forest.known, in_forest.init, in_forest.epochs) == ("training", "given-edges", 0)
    with pytest.raises(UnknownNameError, match="did you mean tuned"):
        recipe_config("order", "tunde", dim, percent, 0)


@pytest.mark.parametrize("method", TABLE1)
def test_every_setting_of_a_recipe_has_its_reason_and_exceptions_change_existing_cells(method):
    for number, line in enumerate(recipe_text(method).splitlines(), 1):
        # The cells of an exception are not settings.
        if re.match(r"(?!dim|percent)\w+ = ", line):
            assert re.search(r"#\s+\S+", line), f"{method}.toml:{number} gives no reason: {line}"
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


def test_the_strict_recipe_is_not_in_the_table_and_computes_its_own_start_whose_length_depends_on_the_column():
    (exception,) = read_recipes(CONES)[STRICT][EXCEPTIONS]
    assert exception.keys() == {"percent", "init_epochs"}
    assert STRICT not in RECIPES
    assert all(trial.recipe != STRICT for trial in Plan(seeds=[0]).trials())
    strict = recipe_config(CONES, STRICT, 5, 50, 0).as_dict() | {"dim": 5, "init_epochs": 20}
    trial, other = (Trial(STRICT, 50, FitConfig(**strict | {"epochs": n}), source="tree-3-4") for n in (5, 6))
    (row,) = run_trials([trial])
    assert row["config"]["init"] == "exact-caps"
    assert row["pretraining_seconds"] == 0
    assert trial.identifies(row)
    assert trial.shares != other.shares


def test_a_row_without_a_newer_setting_counts_as_run_with_its_default():
    trial = Trial("tuned", 50, recipe_config(CONES, "tuned", 5, 50, 0))
    config = trial.config.for_edges(1000).as_dict()
    del config["positive_weight"]
    row = {"source": trial.source, "percent": 50, "method": CONES, "dim": 5, "seed": 0, "training_edges": 1000}
    row["digits"] = DIGITS
    assert trial.identifies({**row, "config": config})
    # A row from before a change of digits does not count, with any settings.
    assert not trial.identifies({**row, "config": config, "digits": DIGITS - 1})
    assert not trial.identifies({**row, "config": {**config, "positive_weight": 2.0}})
