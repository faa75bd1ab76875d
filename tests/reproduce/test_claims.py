"""Claims: what counts as a difference, and every claim of the files can be judged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from hypercone.reproduce.table1 import DIMS, PERCENTS, RECIPES, TABLE1
from hypercone.reproduce.trials import Results

f1_lists = st.lists(st.floats(0, 100), min_size=1, max_size=5)


@given(f1_lists)
def test_nothing_is_better_than_itself_and_everything_is_as_good(f1):
    assert compare("a", f1, "better than", "b", f1).outcome == "not confirmed"
    assert compare("a", f1, "as good as", "b", f1).outcome == "confirmed"


@given(f1_lists, st.floats(NOISE + 0.01, 50))
def test_more_than_noise_on_every_seed_is_better_and_less_refutes(f1, gain):
    more = [value + gain for value in f1]
    assert compare("a", more, "better than", "b", f1).outcome == "confirmed"
    assert compare("a", f1, "better than", "b", more).outcome == "refuted"
    assert compare("a", f1, "as good as", "b", more).outcome == "refuted"
    assert compare("a", more, "as good as", "b", f1).outcome == "confirmed"


def test_a_gain_within_two_standard_errors_is_not_confirmed():
    assert compare("a", [80.0, 90.0, 85.0], "better than", "b", [84.0, 80.0, 84.0]).outcome == "not confirmed"


def test_a_comparison_without_trials_says_so():
    comparison = compare("a", [], "better than", "b", [])
    assert str(comparison) == "a better than b: not run (no trials yet)"
    assert verdict_of([comparison]) == "not run"


def test_a_claim_that_holds_in_part_is_partly_confirmed():
    held, broken = compare("a", [9.0], "better than", "b", [1.0]), compare("a", [1.0], "better than", "b", [9.0])
    assert verdict_of([held, held]) == "confirmed"
    assert verdict_of([held, broken]) == "partly confirmed"
    assert verdict_of([broken]) == "refuted"


@pytest.mark.parametrize("claim", EXPERIMENTS)
def test_every_experiment_compares_variants_that_it_runs(claim):
    experiment = EXPERIMENTS[claim]
    for one, relation, other in experiment.get("expect", []):
        assert {one, other} <= experiment["variants"].keys()
        assert relation in ("better than", "as good as")
    assert len(claim_trials([claim], seeds=2)) == 2 * len(experiment["cells"]) * len(experiment["variants"])


def test_experiments_are_judged_by_their_own_trials_or_the_tables(tmp_path):
    results, table = Results(tmp_path / "claims.json"), Results(tmp_path / "table1.json")
    for trial in claim_trials(["rescale"], seeds=2):
        f1 = 90.0 if trial.config.rescale == 0.7 else 80.0
        home = table if trial.config.rescale == 0.7 else results
        edges = 1_000_000
        home.cells.append(
            {
                "source": trial.source,
                "percent": trial.percent,
                "method": trial.config.method,
                "dim": trial.config.dim,
                "seed": trial.config.seed,
                "training_edges": edges,
                "config": trial.config.for_edges(edges).as_dict(),
                "test_f1": f1,
            }
        )
    (verdict,) = judge(["rescale"], 2, results, table)
    assert verdict.verdict == "confirmed"
    assert verdict.figures["0.7, d = 5, 25 %"].mean == 90.0
    assert "0.7 (d = 5, 25 %) better than 1.0: confirmed (+10.0 ± 0.0)" in report([verdict])


def table_rows(f1):
    """A table whose every cell is f1(method, dim, percent)."""
    return [
        {"method": m, "recipe": r, "dim": d, "percent": p, "seed": s, "test_f1": f1(m, d, p)}
        for m in TABLE1 for r in RECIPES for d in DIMS for p in PERCENTS for s in range(3)
    ]  # fmt: skip


def test_the_papers_own_table_confirms_what_the_paper_says_of_it():
    rows = table_rows(lambda method, dim, percent: TABLE1[method][dim][PERCENTS.index(percent)])
    for claim in TABLE_CLAIMS:
        assert verdict_of(table_comparisons(claim, rows)) == "confirmed", claim


def test_a_table_where_another_method_wins_refutes_it():
    rows = table_rows(lambda method, dim, percent: 20.0 + (percent if method == "euclidean" else 0))
    assert verdict_of(table_comparisons("best-above-zero", rows)) == "refuted"
    assert verdict_of(table_comparisons("growth", rows)) == "refuted"
    assert verdict_of(table_comparisons("order-at-zero", rows)) == "not confirmed"


def test_claims_about_a_table_that_was_not_run_say_so(tmp_path):
    empty = Results(tmp_path / "none.json")
    assert {verdict.verdict for verdict in judge(TABLE_CLAIMS, 3, empty, empty)} == {"not run"}
    assert set(CLAIMS) == {*EXPERIMENTS, *TABLE_CLAIMS}
