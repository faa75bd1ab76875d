"""A fault gives one sentence and an exit code; the last checkpoint stays whole, and the run resumes to the same model.

Full disks are simulated; limits of memory and file sizes, permissions, locks and signals are real.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the faults need Linux")

RUNS = "Runs that are interrupted"


def _is_one_sentence(done, code: int) -> bool:
    return done.code == code and done.err.count("\n") == 1 and "Traceback" not in done.err


SYNC, MAKE, WRITE = "hypercone._files:_sync", "hypercone._files:make_file", "pathlib:Path.write_text"
FULL = {
    "the disk is full when the run begins": {"kind": "disk_full", "path": "run.json"},
    "the disk is full when a checkpoint is written": {"kind": "disk_full", "path": "checkpoint-", "after": 4_000},
    "the disk is full when the manifest is written": {"kind": "disk_full_at", "function": WRITE, "turn": 4},
    "the disk is full when the model is written": {"kind": "disk_full", "path": ".model.", "after": 2_000},
    "the disk is full, and fsync finds it first": {"kind": "disk_full_at", "function": SYNC, "turn": 9},
    "the disk has no space for another file": {"kind": "disk_full_at", "function": MAKE, "turn": 6},
}


@pytest.mark.parametrize("case", FULL)
def test_a_full_disk_ends_the_fit_and_the_last_checkpoint_stays(fits, fault_row, case):
    done = fits(faults=[FULL[case]])
    assert done.fired == "disk full"
    assert _is_one_sentence(done, 4)
    assert not fits.model.exists()
    assert fits.resumes_to_the_same_model()
    fault_row("fault", case, _masked(done), about=RUNS)


def test_a_limit_on_the_size_of_files(fits, fault_row):
    done = fits(faults=[{"kind": "small_files", "most": 500}])
    assert _is_one_sentence(done, 2)
    assert fits.resumes_to_the_same_model()
    fault_row("fault", "no file may grow beyond a limit (ulimit -f)", done, about=RUNS)


def test_memory_that_runs_out_ends_the_fit_and_the_last_checkpoint_stays(fits, fault_row):
    done = fits(faults=[{"kind": "little_memory", "turn": 2}])
    assert done.fired == "out of memory"
    assert _is_one_sentence(done, 4)
    assert len(fits.checkpoints) == 2
    assert not fits.model.exists()
    assert fits.resumes_to_the_same_model()
    fault_row("fault", "memory runs out during training", done, about=RUNS)


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


def test_a_file_system_that_becomes_read_only(fits, fault_row):
    done = fits(faults=[{"kind": "read_only", "turn": 6}])
    assert done.fired == "read-only"
    assert _is_one_sentence(done, 2)
    assert fits.resumes_to_the_same_model()
    fault_row("fault", "the file system becomes read-only in the middle", _masked(done), about=RUNS)


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


STOPS = {
    "SIGTERM, as from a scheduler": (signal.SIGTERM, 143),
    "Ctrl-C": (signal.SIGINT, 130),
}


@pytest.mark.parametrize("case", STOPS)
def test_a_request_to_stop_writes_a_checkpoint_and_says_how_to_resume(fits, fault_row, case):
    number, code = STOPS[case]
    child = fits.start(faults=[{"kind": "pause", "turn": 7, "until_signal": True}])
    fits.parent.wait_until(child, "paused")
    sent = time.monotonic()
    os.kill(child, number)
    done = fits.parent.wait(child)
    assert time.monotonic() - sent < 10
    assert _is_one_sentence(done, code)
    assert "; go on with: hypercone fit --resume " in done.err
    assert fits.checkpoints[0].stem == "checkpoint-training-7"
    assert fits.resumes_to_the_same_model()
    fault_row("fault", f"{case}, with --run", done, about=RUNS)


def test_an_epoch_that_does_not_end_after_a_request_to_stop_is_given_up(fits, fault_row):
    child = fits.start(faults=[{"kind": "pause", "turn": 7}, {"kind": "impatient", "seconds": 0.2}])
    fits.parent.wait_until(child, "paused")
    os.kill(child, signal.SIGTERM)
    done = fits.parent.wait(child)
    assert (done.code, done.err.strip().count("\n")) == (143, 0)
    assert fits.checkpoints[0].stem == "checkpoint-training-4"
    assert fits.resumes_to_the_same_model()
    fault_row("fault", "SIGTERM, and the epoch lasts another eight seconds", done, about=RUNS)


def test_ctrl_c_twice_ends_at_once(fits, fault_row):
    child = fits.start(faults=[{"kind": "pause", "turn": 7}])
    fits.parent.wait_until(child, "paused")
    os.kill(child, signal.SIGINT)
    time.sleep(0.1)
    os.kill(child, signal.SIGINT)
    done = fits.parent.wait(child)
    assert _is_one_sentence(done, 130)
    assert fits.resumes_to_the_same_model()
    fault_row("fault", "Ctrl-C twice, with --run", done, about=RUNS)


def test_ctrl_c_without_a_run_says_that_nothing_was_saved(fits, fault_row):
    pause = {"kind": "pause", "turn": 7}
    child = fits.parent.start(*fits.ARGUMENTS, "-o", fits.model, faults=[pause])
    fits.parent.wait_until(child, "paused")
    os.kill(child, signal.SIGINT)
    done = fits.parent.wait(child)
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


@pytest.mark.parametrize(
    ("case", "more"),
    [
        ("resumed with other settings", ("--rate", "0.5", "--seed", "3")),
        ("resumed with edges held out", ("--percent", "50")),
    ],
)
def test_a_run_is_not_resumed_with_other_settings(fits, fault_row, case, more):
    fits.begin()
    done = fits("--resume", *more)
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


def test_a_run_is_not_begun_in_the_place_of_another(fits, fault_row):
    fits.begin()
    done = fits()
    assert _is_one_sentence(done, 2)
    assert fits.resumes_to_the_same_model()
    fault_row("fault", "a folder that holds a run, without --resume", done, about=RUNS)


def test_resuming_a_run_that_does_not_exist_begins_one(fits, fault_row):
    done = fits("--resume")
    assert _is_one_sentence(done, 0)
    fault_row("fault", "--resume, and there is no run yet", done, about=RUNS)


def _edit(path) -> None:
    content = path.read_bytes()
    assert b"hypercone-run" in content
    path.write_bytes(content.replace(b"hypercone-run", b"hypercone-ran"))


def _flip(path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


DAMAGES = {
    "the newest checkpoint is damaged": (("checkpoint-training-12.safetensors",), _flip, 0),
    "the newest checkpoint is gone": (("checkpoint-training-12.safetensors",), os.remove, 0),
    "the newest checkpoint is cut off": (
        ("checkpoint-training-12.safetensors",),
        lambda path: os.truncate(path, 100),
        0,
    ),
    "both checkpoints are damaged": (
        ("checkpoint-training-12.safetensors", "checkpoint-training-8.safetensors"),
        _flip,
        3,
    ),
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
    if code == 0:
        assert {path.name: path.read_bytes() for path in fits.model.iterdir()} == fits.whole
    else:
        assert not fits.model.exists()
    fault_row("fault", case, done, about=RUNS)


def test_after_a_fall_back_there_are_two_whole_checkpoints_again(fits):
    fits.begin()
    _flip(fits.checkpoints[0])
    assert fits("--resume", faults=[{"kind": "kill", "point": "after the manifest", "turn": 1}]).was_killed
    _flip(fits.checkpoints[0])
    done = fits("--resume")
    assert done.code == 0, done.err
    assert {path.name: path.read_bytes() for path in fits.model.iterdir()} == fits.whole


def test_a_run_without_its_folder_begins_anew(fits):
    fits.begin()
    shutil.rmtree(fits.run)
    assert fits.resumes_to_the_same_model()


def _masked(done, pid: int = 0):
    """What was seen, without the number of a process and the letters of a temporary."""
    text = done.err.replace(str(pid), "4321") if pid else done.err
    return type(done)(done.code, done.out, re.sub(r"hypercone-\w{8}", "hypercone-…", text), done.seconds, done.facts)
