"""The loop around the epochs: rates, burn-in, validation, patience, pre-training, and what it says when it fails."""

from dataclasses import replace

import numpy as np
import pytest

from hypercone.errors import ConfigError, InputError
from hypercone.hierarchy import Hierarchy, LabeledPairs
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.methods import METHODS
from hypercone.methods.scoring import Calibration, Scorer, calibrate
from hypercone.training import FitConfig, fit
from hypercone.training.loop import BURN_IN_FACTOR, Trainer, rate_at
from hypercone.training.monitor import LossMeter, softmax_loss
from hypercone.training.sampling import make_negatives, training_edges
from hypercone.training.start import pretraining_config, random_points, starting_points

# Rates at which one epoch on the small tree must help.
GENTLE = {"hyperbolic-cones": 0.003, "euclidean-cones": 0.003, "order": 0.05, "poincare": 0.03, "euclidean": 0.03}
# What two dimensions allow; the cones have room for the whole tree.
LEARNED = {"hyperbolic-cones": 0.9, "euclidean-cones": 0.9, "order": 0.8, "poincare": 0.6, "euclidean": 0.4}


@pytest.fixture
def rates(monkeypatch):
    """The (epoch, rate, sampling plan) of every epoch run, and no epoch run."""
    seen = []

    def run(self, epoch, rate, negatives):
        seen.append((epoch, rate, negatives))
        return 0, 0

    monkeypatch.setattr(Trainer, "run", run)
    return seen


@pytest.fixture
def pairs(tree):
    closure = tree.closure()
    return LabeledPairs(closure[::3].copy(), closure[:, ::-1].copy())


def test_an_epoch_lowers_the_loss(method, tree, make_stage):
    stage = make_stage(tree, method=method.name, optimizer="sgd", rate=GENTLE[method.name])
    config = stage.config
    # Away from the inner shell, where the gradient of the aperture is infinite.
    rng = np.random.default_rng(0)
    rays = rng.normal(size=(len(tree), 2))
    points = rays / np.linalg.norm(rays, axis=1, keepdims=True) * rng.uniform(0.3, 0.8, (len(tree), 1))
    plan = make_negatives(len(tree), stage.edges, config)
    meter = LossMeter(stage.edges, stage.known, plan, 0)
    trainer = Trainer(
        method, config.settings, points, np.zeros(len(tree)), stage.edges, stage.known, 0, config.optimizer
    )
    before = meter.measure(method, config.settings, points)
    trainer.run(0, config.rate, plan)
    assert meter.measure(method, config.settings, points) < before


def test_every_method_learns_a_small_tree(method, tree):
    embedding = fit(tree, method=method.name, dim=2, init_epochs=100)
    assert embedding.record["calibration_f1"] > LEARNED[method.name]


def test_the_loss_of_the_meter_is_the_loss_of_the_paper(method, tree, make_stage):
    stage = make_stage(tree, method=method.name, start_spread=0.5)
    config = stage.config
    points = method.project(random_points(len(tree), config), config.settings)
    meter = LossMeter(stage.edges, stage.known, make_negatives(len(tree), stage.edges, config), 0)
    true = {(int(u), int(v)) for u, v in stage.edges}
    losses = []
    for (u, v), wrongs in zip(meter.positives, meter.negatives, strict=True):
        energy = float(method.signed_energy(points[u], points[v], config.settings))
        used = [(a, b) for a, b in wrongs if a != b and (a, b) not in true]
        wrong = np.array([float(method.signed_energy(points[a], points[b], config.settings)) for a, b in used])
        if method.loss == "margin":
            losses.append(max(0.0, energy) + np.maximum(0.0, config.margin - np.maximum(wrong, 0.0)).sum())
        else:
            losses.append(energy + np.log(np.exp(-energy) + np.exp(-wrong).sum()))
    assert meter.measure(method, config.settings, points) == pytest.approx(np.mean(losses), rel=1e-9)


def test_the_softmax_loss_survives_great_distances():
    assert softmax_loss(np.array([2_000.0]), np.array([[1_000.0, np.inf]])) == pytest.approx(1_000.0)
    assert softmax_loss(np.array([5.0]), np.array([[np.inf]])) == 0.0


class TestRates:
    def test_a_constant_rate_stays(self):
        assert {rate_at(epoch, 10, 0.3, "constant") for epoch in range(10)} == {0.3}

    def test_a_linear_rate_falls_evenly_and_never_to_zero(self):
        rates = [rate_at(epoch, 10, 0.3, "linear") for epoch in range(10)]
        assert rates[0] == 0.3
        np.testing.assert_allclose(np.diff(rates), -0.03)
        assert rates[-1] > 0

    def test_burn_in_comes_first_at_a_tenth_of_the_rate_by_degree(self, rates, tree, make_stage):
        stage = make_stage(tree, burn_in=2, epochs=4, rate=0.5, schedule="linear")
        stage.train(np.ones((len(tree), 2)))
        assert [epoch for epoch, _, _ in rates] == list(range(6))
        assert [rate for _, rate, _ in rates] == pytest.approx([0.5 * BURN_IN_FACTOR] * 2 + [0.5, 0.375, 0.25, 0.125])
        pools = [len(plan.child_pool) for _, _, plan in rates]
        assert pools[0] == pools[1] > len(tree)
        assert pools[2:] == [len(tree)] * 4

    def test_no_epochs_is_the_projected_start(self, tree, make_stage):
        stage = make_stage(tree, epochs=0)
        start = random_points(len(tree), stage.config)
        found = stage.train(start)
        assert np.array_equal(found.points, METHODS["hyperbolic-cones"].project(start, stage.config.settings))
        assert found.epoch == 0


class TestValidation:
    def test_it_comes_every_so_many_epochs_and_after_the_last(self, tree, pairs, make_stage):
        seen = []
        make_stage(tree, seen.append, pairs, epochs=7, validate_every=3, burn_in=2).train(np.ones((15, 2)))
        first = next(report.epoch for report in seen if report.validation_f1 is not None)
        assert first == 2 + 3
        assert seen[-1].epoch == seen[-1].epochs == 9

    def test_the_points_of_the_best_epoch_are_kept(self, tree, pairs, make_stage):
        """Each epoch's points and F1 from outside; the result is the first of the highest F1."""
        stage = make_stage(tree, None, pairs, epochs=40, validate_every=5, start_spread=0.5)
        start = random_points(len(tree), stage.config)
        kept = []
        for epochs in range(5, 41, 5):
            shorter = make_stage(tree, epochs=epochs, schedule="constant", start_spread=0.5)
            points = shorter.train(start).points
            found = calibrate(Scorer(points, METHODS[shorter.config.method], shorter.config.settings), pairs)
            kept.append((found.f1, -epochs, points))
        best = max(kept, key=lambda entry: entry[:2])
        stage = make_stage(tree, None, pairs, epochs=40, validate_every=5, schedule="constant", start_spread=0.5)
        result = stage.train(start)
        assert (result.calibration.f1, result.epoch) == (best[0], -best[1])
        assert np.array_equal(result.points, best[2])

    @pytest.mark.parametrize(
        ("scores", "patience", "kept", "run"),
        [
            ([0.5, 0.4, 0.3], 0, 1, 3),
            ([0.1, 0.2, 0.3], 1, 3, 3),
            ([0.5, 0.5, 0.5], 0, 1, 3),
            ([0.5, 0.4, 0.6, 0.6, 0.5, 0.9], 2, 3, 5),
            ([0.5, 0.4, 0.9], 1, 1, 2),
        ],
    )
    def test_the_best_is_kept_as_it_was_until_patience_runs_out(
        self, scores, patience, kept, run, tree, pairs, make_stage, monkeypatch
    ):
        """Epoch k leaves all points at k; a later one of equal F1 is not better."""
        epochs_run, found = [], iter(scores)

        def run_epoch(trainer, epoch, rate, negatives):
            epochs_run.append(epoch)
            trainer.points[:] = epoch + 1
            return 0, 0

        monkeypatch.setattr(Trainer, "run", run_epoch)
        monkeypatch.setattr("hypercone.training.loop.calibrate", lambda *_: Calibration(next(found), 0.0, 0.0))
        stage = make_stage(tree, None, pairs, epochs=len(scores), validate_every=1, patience=patience, method="order")
        result = stage.train(np.zeros((len(tree), 2)))
        assert len(epochs_run) == run
        assert (result.epoch, result.calibration.f1) == (kept, scores[kept - 1])
        assert (result.points == kept).all()

    def test_training_stops_when_patience_runs_out(self, rates, tree, pairs, make_stage):
        """No epoch changes anything here, so the first validation stays the best."""
        stage = make_stage(tree, None, pairs, epochs=100, validate_every=5, patience=3)
        result = stage.train(random_points(len(tree), stage.config))
        assert len(rates) == 5 + 3 * 5
        assert result.epoch == 5

    def test_without_patience_every_epoch_is_run(self, rates, tree, pairs, make_stage):
        make_stage(tree, None, pairs, epochs=50, validate_every=5, patience=0).train(np.ones((15, 2)))
        assert len(rates) == 50


class TestStart:
    def test_pretrained_points_are_drawn_inwards(self, tree):
        config = FitConfig(method="hyperbolic-cones", dim=2, init_epochs=3, rescale=0.5)
        edges = training_edges(tree, config, None)
        known = parent_lists(edges, len(tree))
        whole, half = (
            starting_points(len(tree), edges, known, replace(config.for_edges(len(edges)), rescale=rescale))
            for rescale in (1.0, 0.5)
        )
        assert np.array_equal(0.5 * whole, half)
        assert np.ptp(whole) > 0

    def test_a_random_start_lies_in_its_cube(self, tree):
        config = FitConfig(method="order", start_spread=0.25).for_edges(1)
        points = starting_points(len(tree), None, None, config)
        assert 0.2 < np.abs(points).max() <= 0.25

    def test_pretraining_takes_its_own_methods_defaults_and_what_the_fit_says_of_it(self):
        config = FitConfig(
            method="hyperbolic-cones", dim=3, seed=9, init_epochs=17, init_corrupt="both", known="closure", rate=7.0
        )
        before = pretraining_config(config.for_edges(1))
        assert (before.method, before.dim, before.seed, before.epochs) == ("poincare", 3, 9, 17)
        assert (before.corrupt, before.known) == ("both", "closure")
        assert before.rate == METHODS["poincare"].defaults["rate"]
        assert before.burn_in == METHODS["poincare"].defaults["burn_in"]
        assert pretraining_config(FitConfig(method="euclidean-cones").for_edges(1)).method == "euclidean"

    def test_training_leaves_the_points_it_was_given(self, tree, make_stage):
        stage = make_stage(tree)
        start = random_points(len(tree), stage.config)
        copy = start.copy()
        stage.train(start)
        assert np.array_equal(start, copy)


class TestFit:
    def test_watchers_see_every_epoch_of_every_stage(self, tree):
        seen = []
        fit(tree, method="hyperbolic-cones", dim=2, epochs=3, init_epochs=4, callback=seen.append)
        stages = [report.stage for report in seen]
        burn_in = METHODS["poincare"].defaults["burn_in"]
        assert stages.count("training") == 3
        assert stages.count("pre-training (poincare)") == 4 + burn_in
        assert seen[-1].epoch == seen[-1].epochs == 3
        assert all(np.isfinite(report.loss) for report in seen)

    def test_the_record_tells_how_it_came_about(self, tree):
        record = fit(tree, method="hyperbolic-cones", dim=2, epochs=3, init_epochs=4, seed=5).record
        assert record["config"]["seed"] == 5
        assert record["config"]["epochs"] == 3
        assert record["hierarchy_digest"] == tree.digest
        assert record["training_edges"] == 34
        assert record["calibrated_on"] == "training pairs"
        assert record["epoch"] == 3

    def test_a_split_that_holds_nothing_out_is_calibrated_on_training_pairs(self):
        from hypercone.data import load_dataset

        tree = load_dataset("tree-2-2")
        split = tree.split(50)
        assert len(split.validation.positives) == 0
        record = fit(tree, split=split, method="order", dim=2, epochs=1).record
        assert record["calibrated_on"] == "training pairs"

    def test_what_is_given_beside_a_recipe_wins(self, tree):
        assert fit(tree, recipe=FitConfig(dim=5), dim=3).dim == 3
        assert fit(tree, recipe={"method": "order", "epochs": 5, "dim": 5}, dim=3, epochs=2).record["epoch"] <= 2

    def test_no_edges_are_refused(self):
        with pytest.raises(InputError, match=r"^there are no edges to learn from; "):
            fit(Hierarchy(["a", "b"], []), method="hyperbolic-cones", dim=2)

    def test_one_edge_is_enough(self):
        assert len(fit(Hierarchy.from_pairs([("a", "b")]), method="order", dim=2, epochs=2)) == 2

    def test_divergence_is_one_sentence(self, tree):
        said = r"^training diverged at epoch 1: a point is not finite; try a lower rate than 1e\+300$"
        with pytest.raises(ConfigError, match=said):
            fit(tree, method="order", dim=2, epochs=5, rate=1e300)

    def test_points_far_beyond_any_use_are_a_divergence_too(self, tree):
        """They are finite, but the squares of their distances are not."""
        said = r"^training diverged at epoch 1: a point is beyond all bounds; try a lower rate than 2e\+150$"
        with pytest.raises(ConfigError, match=said):
            fit(tree, method="order", dim=2, epochs=5, rate=2e150, optimizer="adagrad")

    def test_an_epoch_is_compiled_once_whatever_the_edges_come_from(self, tree):
        from hypercone.data import load_dataset
        from hypercone.training.epoch_kernels import margin_epoch

        larger = load_dataset("tree-2-4")
        fit(larger, method="order", dim=2, epochs=1)
        before = len(margin_epoch.signatures)
        fit(larger, method="order", dim=2, epochs=1, edges="as-given")
        fit(larger, method="order", dim=2, epochs=1, split=larger.split(50))
        fit(larger, method="order", dim=2, epochs=1, known="closure")
        assert len(margin_epoch.signatures) == before
