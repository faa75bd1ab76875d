"""A fault gives one sentence and an exit code; the last checkpoint stays whole, and the run resumes to the same model.

Full disks are simulated; limits of memory and file sizes, permissions, locks, signals and kills are real. Without the
protection a kill loses data, which shows that the trials can fail. tools/faults kills 100 fits and 200 saves.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time

import pytest
from tools.faults.__main__ import CONTROLS, SAVE_CONTROLS, control
from tools.faults.trials import killed_saves

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the faults need Linux")

RUNS = "Runs that are interrupted"


def _is_one_sentence(done, code: int) -> bool:
    return done.code == code and done.err.count("\n") == 1 and "Traceback" not in done.err


def _masked(done, pid: int = 0):
    """What was seen, without the number of a process and the letters of a temporary."""
    text = done.err.replace(str(pid), "4321") if pid else done.err
    return type(done)(done.code, done.out, re.sub(r"hypercone-\w{8}", "hypercone-…", text), done.seconds, done.facts)


SYNC, MAKE, WRITE = "hypercone._files:_sync", "hypercone._files:make_file", "pathlib:Path.write_text"
FAULTS = {
    "the disk is full when the run begins": {"kind": "disk_full", "path": "run.json"},
    "the disk is full when a checkpoint is written": {"kind": "disk_full", "path": "checkpoint-", "after": 4_000},
    "the disk is full when the manifest is written": {"kind": "disk_full_at", "function": WRITE, "turn": 4},
    "the disk is full when the model is written": {"kind": "disk_full", "path": ".model.", "after": 2_000},
    "the disk is full, and fsync finds it first": {"kind": "disk_full_at", "function": SYNC, "turn": 9},
    "the disk has no space for another file": {"kind": "disk_full_at", "function": MAKE, "turn": 6},
    "no file may grow beyond a limit (ulimit -f)": {"kind": "small_files", "most": 500},
    "memory runs out during training": {"kind": "little_memory", "turn": 2},
    "the file system becomes read-only in the middle": {"kind": "read_only", "turn": 6},
}
# What happened, and the exit code.
OUTCOMES = {
    "disk_full": ("disk full", 4),
    "disk_full_at": ("disk full", 4),
    "small_files": ("small files", 2),
    "little_memory": ("out of memory", 4),
    "read_only": ("read-only", 2),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_fault_ends_the_fit_and_the_last_checkpoint_stays(fits, fault_row, case):
    fired, code = OUTCOMES[FAULTS[case]["kind"]]
    done = fits(faults=[FAULTS[case]])
    assert done.fired == fired
    assert _is_one_sentence(done, code)
    assert len(fits.checkpoints) == 2 or fired != "out of memory"
    assert not fits.model.exists()
    assert fits.resumes_to_the_same_model()
    fault_row("fault", case, _masked(done), about=RUNS)


@pytest.mark.parametrize(
    ("case", "place"), [("the run's folder may not be written", "run"), ("the model's folder may not be written", ".")]
)
def test_a_folder_that_may_not_be_written(fits, fault_row, case, place):
    fits.begin()
    folder = fits.folder / place
    folder.chmod(0o555)
    done = fits("--resume", faults=[{"kind": "obey_permissions"}])
    folder.chmod(0o755)
    assert _is_one_sentence(done, 2)
    assert fits.resumes_to_the_same_model()
    fault_row("fault", case, done, about=RUNS)


def test_two_runs_in_one_folder(fits, fault_row):
    first = fits.start(faults=[{"kind": "pause", "turn": 6}])
    fits.parent.wait_until(first, "paused")
    second = fits("--resume")
    os.kill(first, signal.SIGKILL)
    assert fits.parent.wait(first).was_killed
    assert str(first) in second.err
    assert _is_one_sentence(second, 2)
    # The lock died with its holder.
    assert fits.resumes_to_the_same_model()
    fault_row("fault", "another process is at work in the run's folder", _masked(second, first), about=RUNS)


PAUSE = {"kind": "pause", "turn": 7}
STOPS = {"SIGTERM, as from a scheduler": (signal.SIGTERM, 143), "Ctrl-C": (signal.SIGINT, 130)}


def _interrupt(parent, child: int, number: int, times: int = 1):
    """Send the signal to a process once it has paused; the process ends long before the pause does."""
    parent.wait_until(child, "paused")
    sent = time.monotonic()
    for _ in range(times):
        os.kill(child, number)
        time.sleep(0.1)
    done = parent.wait(child)
    assert time.monotonic() - sent < 10
    return done


@pytest.mark.parametrize("case", STOPS)
def test_a_request_to_stop_writes_a_checkpoint_and_says_how_to_resume(fits, fault_row, case):
    number, code = STOPS[case]
    done = _interrupt(fits.parent, fits.start(faults=[PAUSE | {"until_signal": True}]), number)
    assert _is_one_sentence(done, code)
    assert fits.checkpoints[0].stem == "checkpoint-training-7"
    assert fits.resumes_to_the_same_model()
    fault_row("fault", f"{case}, with --run", done, about=RUNS)


def test_an_epoch_that_does_not_end_after_a_request_to_stop_is_given_up(fits, fault_row):
    child = fits.start(faults=[PAUSE, {"kind": "impatient", "seconds": 0.2}])
    done = _interrupt(fits.parent, child, signal.SIGTERM)
    assert (done.code, done.err.strip().count("\n")) == (143, 0)
    assert fits.checkpoints[0].stem == "checkpoint-training-4"
    assert fits.resumes_to_the_same_model()
    fault_row("fault", "SIGTERM, and the epoch lasts another eight seconds", done, about=RUNS)


def test_ctrl_c_twice_ends_at_once(fits, fault_row):
    done = _interrupt(fits.parent, fits.start(faults=[PAUSE]), signal.SIGINT, times=2)
    assert _is_one_sentence(done, 130)
    assert fits.resumes_to_the_same_model()
    fault_row("fault", "Ctrl-C twice, with --run", done, about=RUNS)


def test_ctrl_c_without_a_run_says_that_nothing_was_saved(fits, fault_row):
    child = fits.parent.start(*fits.ARGUMENTS, "-o", fits.model, faults=[PAUSE])
    done = _interrupt(fits.parent, child, signal.SIGINT)
    assert _is_one_sentence(done, 130)
    assert os.listdir(fits.folder) == []
    fault_row("fault", "Ctrl-C, without --run", done, about=RUNS)


def test_kill_9_leaves_a_run_that_can_be_resumed(fits, fault_row):
    fits.begin()
    done = fits("--resume", faults=[{"kind": "kill", "point": "mid-epoch", "turn": 3, "delay": 1e-5}])
    assert done.was_killed
    assert fits.resumes_to_the_same_model()
    assert done.err == ""
    fault_row("fault", "kill -9", "(nothing; the same command with --resume goes on)", 137, about=RUNS)


OTHERWISE = {
    "resumed with other settings": ("--resume", "--rate", "0.5", "--seed", "3"),
    "resumed with edges held out": ("--resume", "--percent", "50"),
    "a folder that holds a run, without --resume": (),
}


@pytest.mark.parametrize("case", OTHERWISE)
def test_a_run_is_neither_resumed_with_other_settings_nor_begun_again(fits, fault_row, case):
    fits.begin()
    done = fits(*OTHERWISE[case])
    assert _is_one_sentence(done, 2)
    assert fits.resumes_to_the_same_model()
    fault_row("fault", case, done, about=RUNS)


def test_a_run_is_not_resumed_with_other_data(parent, fault_row, tmp_path):
    edges = tmp_path / "edges.tsv"
    settings = ["--quiet", "--method", "hyperbolic-cones", "--dim", "2", "--epochs", "8"]
    fit = ("fit", edges, "-o", tmp_path / "model", "--run", tmp_path / "run", *settings)
    edges.write_text("parent\tchild\nanimal\tdog\nanimal\tcat\n")
    assert parent.run(*fit, "--init", "random").code == 0
    edges.write_text("parent\tchild\nanimal\tdog\nanimal\tcow\n")
    done = parent.run(*fit, "--init", "random", "--resume")
    assert _is_one_sentence(done, 2)
    fault_row("fault", "resumed with other data", done, about=RUNS)


def test_resuming_a_run_that_does_not_exist_begins_one(fits, fault_row):
    done = fits("--resume")
    assert _is_one_sentence(done, 0)
    assert fits.has_the_same_model()
    fault_row("fault", "--resume, and there is no run yet", done, about=RUNS)


def _edit(path) -> None:
    content = path.read_bytes()
    assert b"hypercone-run" in content
    path.write_bytes(content.replace(b"hypercone-run", b"hypercone-ran"))


def _flip(path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


NEWEST = "checkpoint-training-12.safetensors"
DAMAGES = {
    "the newest checkpoint is damaged": ((NEWEST,), _flip, 0),
    "the newest checkpoint is gone": ((NEWEST,), os.remove, 0),
    "the newest checkpoint is cut off": ((NEWEST,), lambda path: os.truncate(path, 100), 0),
    "both checkpoints are damaged": ((NEWEST, "checkpoint-training-8.safetensors"), _flip, 3),
    "the manifest is damaged": (("manifest.json",), _edit, 3),
    "the description of the run is damaged": (("run.json",), _edit, 3),
    "the description of the run is gone": (("run.json",), os.remove, 2),
}


@pytest.mark.parametrize("case", DAMAGES)
def test_a_damaged_run_falls_back_to_what_is_whole_or_says_that_nothing_is(fits, fault_row, case):
    files, damage, code = DAMAGES[case]
    fits.begin()
    for name in files:
        damage(fits.run / name)
    done = fits("--resume")
    assert done.code == code
    assert "Traceback" not in done.err
    assert fits.has_the_same_model() if code == 0 else not fits.model.exists()
    fault_row("fault", case, done, about=RUNS)


def test_after_a_fall_back_there_are_two_whole_checkpoints_again(fits):
    fits.begin()
    _flip(fits.checkpoints[0])
    assert fits("--resume", faults=[{"kind": "kill", "point": "after the manifest", "turn": 1}]).was_killed
    _flip(fits.checkpoints[0])
    assert fits.resumes_to_the_same_model()


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


def _killed_saves(trials, folder, count: int, arm: str = ""):
    """Saves of two models in turn that are killed, on request without one protection."""
    first, second, *_ = (reference.model for reference in trials.references.values())
    fault, points = SAVE_CONTROLS.get(arm, (None, None))
    without = {"points": points, "faults": [{"kind": fault}]} if arm else {}
    return killed_saves(trials.parent, folder / "saves", (first, second), count, **without)


def test_a_killed_save_leaves_all_of_the_old_model_or_all_of_the_new(trials, tmp_path):
    found = _killed_saves(trials, tmp_path, 10)
    assert (found.kills, found.whole, found.torn, found.absent) == (10, 10, 0, 0)
    assert sum(found.landed.values()) == 10
    # Most kills leave a temporary behind, and the next save removes it.
    assert found.left_by_kills > 0
    assert found.left_after_next_save == 0


def test_a_save_without_the_protection_is_torn(trials, tmp_path):
    assert _killed_saves(trials, tmp_path, 6, "models written straight into their folder").torn > 0


def test_where_folders_cannot_be_exchanged_the_old_model_stands_aside_whole(trials, tmp_path):
    found = _killed_saves(trials, tmp_path, 4, "folders cannot be exchanged (no renameat2)")
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
