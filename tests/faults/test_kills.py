"""Killing a fit or a save loses nothing; without the protection it does, which shows that the trials can fail.

A bounded part of tools/faults, which kills 100 fits and 200 saves.
"""

from __future__ import annotations

import sys

import pytest
from tools.faults.__main__ import CONTROLS, SAVE_CONTROLS, control
from tools.faults.trials import killed_saves

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the faults need Linux")

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
def test_a_killed_fit_resumes_to_the_same_bytes(trials, seed, point):
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


def test_a_killed_save_leaves_all_of_the_old_model_or_all_of_the_new(trials, two_models, tmp_path):
    found = killed_saves(trials.parent, tmp_path / "saves", two_models, 10)
    assert (found.kills, found.whole, found.torn, found.absent) == (10, 10, 0, 0)
    assert sum(found.landed.values()) == 10
    # Most kills leave a temporary behind, and the next save removes it.
    assert found.left_by_kills > 0
    assert found.left_after_next_save == 0


def test_a_save_without_the_protection_is_torn(trials, two_models, tmp_path):
    fault, points = SAVE_CONTROLS["models written straight into their folder"]
    arm = {"points": points, "faults": [{"kind": fault}]}
    found = killed_saves(trials.parent, tmp_path / "saves", two_models, 6, **arm)
    assert found.torn > 0


def test_where_folders_cannot_be_exchanged_the_old_model_stands_aside_whole(trials, two_models, tmp_path):
    fault, points = SAVE_CONTROLS["folders cannot be exchanged (no renameat2)"]
    arm = {"points": points, "faults": [{"kind": fault}]}
    found = killed_saves(trials.parent, tmp_path / "saves", two_models, 4, **arm)
    assert (found.torn, found.left_after_next_save) == (0, 0)
    assert found.absent == found.whole_aside > 0


@pytest.mark.parametrize("name", CONTROLS)
def test_the_control_arm_fails(trials, name):
    assert control(trials, name, 1, seed=1)["failures"] == 1


def test_clocks_that_jump_change_neither_the_model_nor_the_checkpoints(trials, tmp_path):
    learner = "cones by adagrad, validated"
    every = ("--checkpoint-seconds", "0.001")
    done = trials.fit(learner, tmp_path, *every, faults=[{"kind": "clock_jumps"}, {"kind": "count"}])
    assert (done.code, done.fired) == (0, "clock jumps")
    assert trials.same_model(learner, tmp_path)
    # At least as many as without the clock, which only ever adds to the count of epochs.
    assert done.facts["calls"]["after the manifest"] >= 6
