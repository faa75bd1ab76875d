"""Whatever kills a fit or a save, nothing is lost; and without the protection something is, so that the count can fail.

A bounded part of benchmarks/faults.py, which kills 100 fits and 200 saves.
"""

from __future__ import annotations

import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the faults are made with Linux's means")

POINTS = [
    "run.json: half written",
    "checkpoint: half written",
    "checkpoint: renamed",
    "before the manifest",
    "manifest: half written",
    "after the manifest",
    "mid-epoch",
    "mid-epoch of pre-training",
    "mid-validation",
    "model: a part half written",
    "model: before the swap",
    "model: after the swap",
    "at a random time",
]


@pytest.mark.parametrize(("seed", "point"), list(enumerate(POINTS)), ids=POINTS)
def test_a_fit_that_was_killed_goes_on_to_the_same_bytes(trials, seed, point):
    trial = trials.killed_fit(seed, point)
    assert point in [kill["point"] for kill in trial.kills]
    assert trial.is_well, trial


def test_a_kill_in_an_epoch_lands_in_the_epoch(trials):
    trial = trials.killed_fit(0, "mid-epoch", "cones by adagrad, validated", most_kills=1)
    assert [kill["phase"] for kill in trial.kills] == ["training epoch"]


@pytest.fixture(scope="module")
def two_models(trials):
    first, second, *_ = (reference.model for reference in trials.references.values())
    return first, second


def test_a_save_that_was_killed_leaves_all_of_the_old_model_or_all_of_the_new(faults, trials, two_models, tmp_path):
    found = faults.killed_saves(trials.parent, tmp_path / "saves", two_models, 10)
    assert (found.kills, found.whole, found.torn, found.absent) == (10, 10, 0, 0)
    assert sum(found.landed.values()) == 10
    # Most kills leave a temporary behind, and the next save removes it.
    assert found.left_by_kills > 0
    assert found.left_after_next_save == 0


def test_a_save_without_the_protection_is_torn(faults, trials, two_models, tmp_path):
    fault, points = faults.SAVE_CONTROLS["models written straight into their folder"]
    arm = {"points": points, "faults": [{"kind": fault}]}
    found = faults.killed_saves(trials.parent, tmp_path / "saves", two_models, 6, **arm)
    assert found.torn > 0


def test_where_folders_cannot_be_exchanged_the_old_model_stands_aside_whole(faults, trials, two_models, tmp_path):
    fault, points = faults.SAVE_CONTROLS["folders cannot be exchanged (no renameat2)"]
    arm = {"points": points, "faults": [{"kind": fault}]}
    found = faults.killed_saves(trials.parent, tmp_path / "saves", two_models, 4, **arm)
    assert (found.torn, found.left_after_next_save) == (0, 0)
    assert found.absent == found.whole_aside > 0


@pytest.mark.parametrize(
    "name",
    [
        "resumed without the optimiser's memory",
        "resumed without the best validated points",
        "resumed without the history",
        "resumed with another seed",
        "resumed an epoch too late",
        "checkpoints written straight into their files",
        "the manifest written before the checkpoint",
    ],
)
def test_the_control_arm_fails(faults, trials, name):
    assert faults.control(trials, name, 1, seed=1)["failures"] == 1


def test_every_control_arm_is_tested_here(faults):
    marks = test_the_control_arm_fails.pytestmark
    assert set(next(mark for mark in marks if mark.name == "parametrize").args[1]) == set(faults.CONTROLS)


def test_clocks_that_jump_change_neither_the_model_nor_the_checkpoints(trials, tmp_path):
    learner = "cones by adagrad, validated"
    every = ("--checkpoint-seconds", "0.001")
    done = trials.fit(learner, tmp_path, *every, faults=[{"kind": "clock_jumps"}, {"kind": "count"}])
    assert (done.code, done.fired) == (0, "clock jumps")
    assert trials.same_model(learner, tmp_path)
    # At least as many as without the clock, which only ever adds to the count of epochs.
    assert done.facts["calls"]["after the manifest"] >= 6
