"""The record keeps how a training went, and keeping it changes nothing."""

import numpy as np
import pytest

from hypercone.construction import CONSTRUCTIONS
from hypercone.data import load_dataset
from hypercone.training import fit
from hypercone.training.monitor import MOST_LOSSES, MOST_VALIDATIONS, History

STARTS = ["random", "poincare", "euclidean", "caps", *CONSTRUCTIONS]
QUICK = {"dim": 2, "init_epochs": 5}


def test_the_losses_of_the_record_are_those_that_are_reported(tree):
    told = []
    record = fit(tree, method="hyperbolic-cones", **QUICK, epochs=12, callback=told.append).record
    reported = {report.epoch: report.loss for report in told if report.stage == "training"}
    assert [epoch for epoch, _ in record["history"]["loss"]] == list(range(13))
    for epoch, loss in record["history"]["loss"][1:]:
        assert abs(loss - reported[epoch]) <= 1e-5 * max(1, abs(loss))


def test_a_long_training_keeps_a_few_dozen_and_its_first_and_last(tree):
    history = fit(tree, **QUICK, epochs=333, method="order", init="random").record["history"]
    epochs = [epoch for epoch, _ in history["loss"]]
    assert MOST_LOSSES / 2 < len(epochs) <= MOST_LOSSES + 2
    assert (*epochs[:2], epochs[-1]) == (0, 1, 333)
    assert epochs == sorted(set(epochs))


def test_the_first_loss_is_that_of_the_points_before_training(tree):
    start = np.random.default_rng(0).uniform(0.2, 0.4, (len(tree), 2))
    slow, fast = (fit(tree, **QUICK, epochs=2, rate=rate, start=start).record["history"]["loss"] for rate in (0.01, 10))
    assert slow[0] == fast[0]
    assert slow[1] != fast[1]


@pytest.mark.parametrize(("rate", "rises"), [(0.3, False), (1e3, True)])
def test_a_rate_that_makes_the_points_worse_is_noted(tree, rate, rises):
    record = fit(tree, method="hyperbolic-cones", dim=5, init="random", epochs=60, rate=rate).record
    losses = [loss for _, loss in record["history"]["loss"]]
    assert (losses[-1] > losses[0]) == rises
    sentence = (
        f"the loss was {losses[0]:.3g} before training and is {losses[-1]:.3g} after it; try a lower rate than {rate}"
    )
    assert record["notes"] == [sentence] * rises


def has(method, start):
    """Whether a method can start so; test_extremes promises that the others are refused."""
    is_pretrained = start in ("poincare", "euclidean") and start != method.name
    return start == "random" or is_pretrained or method.curvature is not None


@pytest.mark.parametrize("start", STARTS)
def test_no_fit_at_its_default_rate_is_told_to_lower_it(method, start):
    tree = load_dataset("tree-3-4")
    if has(method, start):
        fitted = fit(tree, method=method.name, dim=5, init=start, split=tree.split(25))
        assert fitted.record["notes"] == []


@pytest.mark.parametrize("start", STARTS)
def test_hyperbolic_cones_at_a_rate_of_a_thousand_are(start):
    tree = load_dataset("tree-3-4")
    # With edges held out: without, a construction is exact and leaves no loss to learn from.
    fitted = fit(tree, method="hyperbolic-cones", dim=5, rate=1e3, init=start, split=tree.split(25))
    (note,) = fitted.record["notes"]
    assert note.endswith("after it; try a lower rate than 1000.0")


def test_validations_are_kept_and_the_best_is_the_one_chosen(tree):
    record = fit(tree, split=tree.split(40, holdout=0.3), **QUICK, epochs=30, validate_every=5).record
    kept = dict(record["history"]["validation_f1"])
    assert list(kept) == [5, 10, 15, 20, 25, 30]
    assert np.isclose(kept[record["epoch"]], max(kept.values()))
    assert np.isclose(max(kept.values()), record["calibration_f1"], rtol=1e-5)


def test_burn_in_counts_from_below(tree):
    history = fit(tree, method="hyperbolic-cones", **QUICK, epochs=4, burn_in=3).record["history"]
    assert [epoch for epoch, _ in history["loss"]] == [-3, -2, -1, 0, 1, 2, 3, 4]


def test_the_record_of_very_many_validations_stays_small_enough_to_be_saved():
    history = History(None, 1_000_000)
    for epoch in range(1, 1_000_001):
        history.note_validation(epoch, 0.5)
    epochs = [epoch for epoch, _ in history.as_dict()["validation_f1"]]
    assert MOST_VALIDATIONS / 2 < len(epochs) <= MOST_VALIDATIONS + 2
    assert (epochs[0], epochs[-1]) == (1, 1_000_000)
