"""The training loop: losses, rates, burn-in, validation, patience, and the history that the record keeps."""

import numpy as np
import pytest

from hypercone.construction import CONSTRUCTIONS
from hypercone.data import load_dataset
from hypercone.hierarchy import LabeledPairs
from hypercone.methods import METHODS
from hypercone.methods.scoring import Calibration, Scorer, calibrate
from hypercone.training import fit
from hypercone.training.loop import BURN_IN_FACTOR, Trainer, rate_at
from hypercone.training.monitor import MOST_LOSSES, MOST_VALIDATIONS, History, LossMeter, softmax_loss
from hypercone.training.sampling import make_negatives
from hypercone.training.start import random_points

# The F1 that two dimensions allow; cones can embed the whole tree.
LEARNED = {"hyperbolic-cones": 0.9, "euclidean-cones": 0.9, "order": 0.8, "poincare": 0.6, "euclidean": 0.4}
STARTS = ["random", "poincare", "euclidean", "caps", *CONSTRUCTIONS]
QUICK = {"dim": 2, "init_epochs": 5}


@pytest.fixture
def pairs(tree):
    closure = tree.closure()
    return LabeledPairs(closure[::3].copy(), closure[:, ::-1].copy())


def test_every_method_learns_a_small_tree(method, tree):
    embedding = fit(tree, method=method.name, dim=2, init_epochs=100)
    assert embedding.record["calibration_f1"] > LEARNED[method.name]


def test_the_measured_loss_is_the_loss_of_the_paper(method, tree, make_stage):
    stage = make_stage(tree, method=method.name, start_spread=0.5)
    config = stage.config
    points = method.project(random_points(len(tree), config), config.settings)
    meter = LossMeter(stage.edges, stage.known, make_negatives(len(tree), stage.edges, config), 0)
    true = {(int(u), int(v)) for u, v in stage.edges}
    losses = []
    for (u, v), negatives in zip(meter.positives, meter.negatives, strict=True):
        energy = float(method.signed_energy(points[u], points[v], config.settings))
        used = [(a, b) for a, b in negatives if a != b and (a, b) not in true]
        others = np.array([float(method.signed_energy(points[a], points[b], config.settings)) for a, b in used])
        if method.loss == "margin":
            losses.append(max(0.0, energy) + np.maximum(0.0, config.margin - np.maximum(others, 0.0)).sum())
        else:
            losses.append(energy + np.log(np.exp(-energy) + np.exp(-others).sum()))
    assert meter.measure(method, config.settings, points) == pytest.approx(np.mean(losses), rel=1e-9)


def test_the_softmax_loss_is_stable_for_large_distances():
    assert softmax_loss(np.array([2_000.0]), np.array([[1_000.0, np.inf]])) == pytest.approx(1_000.0)
    assert softmax_loss(np.array([5.0]), np.array([[np.inf]])) == 0.0


class TestRates:
    def test_a_constant_rate_stays_and_a_linear_one_falls_evenly_but_not_to_zero(self):
        assert {rate_at(epoch, 10, 0.3, "constant") for epoch in range(10)} == {0.3}
        rates = [rate_at(epoch, 10, 0.3, "linear") for epoch in range(10)]
        assert rates[0] == 0.3
        np.testing.assert_allclose(np.diff(rates), -0.03)
        assert rates[-1] > 0

    def test_burn_in_comes_first_at_a_tenth_of_the_rate_with_degree_sampling(self, tree, make_stage, monkeypatch):
        seen = []
        monkeypatch.setattr(Trainer, "run", lambda _, *epoch: seen.append(epoch) or (0, 0))
        make_stage(tree, burn_in=2, epochs=4, rate=0.5, schedule="linear").train(np.ones((len(tree), 2)))
        epochs, rates, plans = zip(*seen, strict=True)
        assert epochs == tuple(range(6))
        assert rates == pytest.approx([0.5 * BURN_IN_FACTOR] * 2 + [0.5, 0.375, 0.25, 0.125])
        pools = [len(plan.child_pool) for plan in plans]
        assert pools[0] == pools[1] > len(tree)
        assert pools[2:] == [len(tree)] * 4

    def test_without_epochs_the_result_is_the_projected_start_which_is_not_changed(self, tree, make_stage):
        stage = make_stage(tree, epochs=0)
        start = random_points(len(tree), stage.config)
        copy, found = start.copy(), stage.train(start)
        assert np.array_equal(found.points, METHODS["hyperbolic-cones"].project(start, stage.config.settings))
        assert found.epoch == 0
        make_stage(tree).train(start)
        assert np.array_equal(start, copy)


class TestValidation:
    def test_the_points_of_the_best_epoch_are_returned(self, tree, pairs, make_stage):
        """Compared with separate trainings up to each validation; the first with the highest F1 wins."""
        stage = make_stage(tree, None, pairs, epochs=40, validate_every=5, schedule="constant", start_spread=0.5)
        start = random_points(len(tree), stage.config)
        candidates = []
        for epochs in range(5, 41, 5):
            shorter = make_stage(tree, epochs=epochs, schedule="constant", start_spread=0.5)
            points = shorter.train(start).points
            found = calibrate(Scorer(points, METHODS[shorter.config.method], shorter.config.settings), pairs)
            candidates.append((found.f1, -epochs, points))
        best = max(candidates, key=lambda entry: entry[:2])
        result = stage.train(start)
        assert (result.calibration.f1, result.epoch) == (best[0], -best[1])
        assert np.array_equal(result.points, best[2])

    @pytest.mark.parametrize(
        ("scores", "every", "patience", "best", "run"),
        [
            ([0.5, 0.4, 0.3], 1, 0, 1, 3),
            ([0.1, 0.2, 0.3], 1, 1, 3, 3),
            ([0.5, 0.5, 0.5], 1, 0, 1, 3),
            ([0.5, 0.4, 0.6, 0.6, 0.5, 0.9], 1, 2, 3, 5),
            ([0.5, 0.4, 0.9], 1, 1, 1, 2),
            ([0.5] * 10, 5, 3, 5, 5 + 3 * 5),
            ([0.5] * 10, 5, 0, 5, 50),
        ],
    )
    def test_the_first_best_epoch_is_returned_and_patience_in_validations_ends_training(
        self, scores, every, patience, best, run, tree, pairs, make_stage, monkeypatch
    ):
        """Epoch k sets all points to k; a later epoch with an equal F1 is not better; zero patience never ends it."""
        epochs_run, found = [], iter(scores)

        def run_epoch(trainer, epoch, rate, negatives):
            epochs_run.append(epoch)
            trainer.points[:] = epoch + 1
            return 0, 0

        monkeypatch.setattr(Trainer, "run", run_epoch)
        monkeypatch.setattr("hypercone.training.loop.calibrate", lambda *_: Calibration(next(found), 0.0, 0.0))
        given = {"epochs": every * len(scores), "validate_every": every, "patience": patience, "method": "order"}
        result = make_stage(tree, None, pairs, **given).train(np.zeros((len(tree), 2)))
        assert len(epochs_run) == run
        assert (result.epoch, result.calibration.f1) == (best, scores[best // every - 1])
        assert (result.points == best).all()


def test_the_losses_of_the_record_are_the_reported_ones(tree):
    seen = []
    record = fit(tree, method="hyperbolic-cones", **QUICK, epochs=12, callback=seen.append).record
    reported = {report.epoch: report.loss for report in seen if report.stage == "training"}
    assert [epoch for epoch, _ in record["history"]["loss"]] == list(range(13))
    for epoch, loss in record["history"]["loss"][1:]:
        assert abs(loss - reported[epoch]) <= 1e-5 * max(1, abs(loss))


def test_a_long_training_records_some_dozens_of_losses_with_the_first_and_the_last(tree):
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


# With held-out edges, because otherwise a construction is exact and its loss is zero.
RATED = load_dataset("tree-3-4")


@pytest.mark.parametrize("start", STARTS)
def test_no_fit_at_its_default_rate_gets_a_note_about_the_rate(method, start):
    # Each method without cones accepts a random start, or the other method of distances.
    if method.curvature is not None or start == "random" or start in {"poincare", "euclidean"} - {method.name}:
        fitted = fit(RATED, method=method.name, dim=5, init=start, split=RATED.split(25))
        assert fitted.record["notes"] == []


@pytest.mark.parametrize("start", STARTS)
def test_hyperbolic_cones_at_a_rate_of_a_thousand_get_one_with_both_losses(start):
    record = fit(RATED, method="hyperbolic-cones", dim=5, rate=1e3, init=start, split=RATED.split(25)).record
    before, *_, after = (loss for _, loss in record["history"]["loss"])
    note = f"the loss was {before:.3g} before training and is {after:.3g} after it; try a lower rate than 1000.0"
    assert record["notes"] == [note]


def test_validations_are_recorded_with_the_last_epoch_and_the_best_one_is_chosen(tree):
    """The epochs of a burn-in are negative and end at zero."""
    seen = []
    given = {"split": tree.split(40, holdout=0.3), "epochs": 32, "burn_in": 3, "validate_every": 5}
    record = fit(tree, **QUICK, **given, callback=seen.append).record
    recorded = dict(record["history"]["validation_f1"])
    assert list(recorded) == [5, 10, 15, 20, 25, 30, 32]
    reports = [report for report in seen if report.stage == "training"]
    assert next(report.epoch for report in reports if report.validation_f1 is not None) == 3 + 5
    assert reports[-1].epoch == reports[-1].epochs == 35
    assert [epoch for epoch, _ in record["history"]["loss"]] == list(range(-3, 33))
    assert recorded[record["epoch"]] == max(recorded.values())
    assert np.isclose(max(recorded.values()), record["calibration_f1"], rtol=1e-5)


def test_the_number_of_recorded_validations_is_limited():
    history = History(None, 100_000)
    for epoch in range(1, 100_001):
        history.note_validation(epoch, 0.5)
    epochs = [epoch for epoch, _ in history.as_dict()["validation_f1"]]
    assert MOST_VALIDATIONS / 2 < len(epochs) <= MOST_VALIDATIONS + 2
    assert (epochs[0], epochs[-1]) == (1, 100_000)
