"""hypercone fit --run: a stopped fit says how to resume, and resuming gives the same model."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
import time

import pytest

from hypercone.cli import fit, stopping
from hypercone.errors import InputError, Interrupted

LONG = ("--method", "hyperbolic-cones", "--dim", "5", "--epochs", "200000", "--init", "random", "--quiet")


SHORT = ("--dim", "5", "--epochs", "3", "--init", "random", "--quiet")


def _model(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (("--resume",), "--resume needs --run FOLDER, where the checkpoints are"),
        (("--checkpoint-epochs", "5"), "--checkpoint-epochs needs --run FOLDER"),
        (("--checkpoint-seconds", "5"), "--checkpoint-seconds needs --run FOLDER"),
        (("--run", "model"), "--run model is -o model or inside it; give the checkpoints a folder of their own"),
        (("--run", "model/inside"), "--run model/inside is -o model or inside it"),
        (("--run", "link"), "--run link is -o model or inside it"),
        (
            ("--run", "r", "--checkpoint-epochs", "0"),
            "--checkpoint-epochs is 0, but must be at least 1 from a checkpoint",
        ),
        (("--run", "r", "--checkpoint-seconds", "nan"), "--checkpoint-seconds is nan, but must be a number above 0"),
        (("--run", "file"), "file: is a file; give a folder for the run"),
        (("--run", "notes"), "notes/lock: is not a run's; give another folder for the run"),
        (("--run", "file/run"), "file/run: cannot be written (Not a directory)"),
        (("--run", "folder"), "folder: is a folder with other things in it; give a new one for the run"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_options_of_a_run_that_make_no_sense_are_one_sentence(run, fault_row, tmp_path, monkeypatch, extra, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.tex").write_text("years of work")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "lock").write_text("the code of my bicycle's lock")
    (tmp_path / "link").symlink_to("model")
    done = run("fit", "tree-2-3", "-o", "model", "--method", "hyperbolic-cones", "--epochs", "3", "--quiet", *extra)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert words in done.err
    assert not (tmp_path / "model").exists()
    assert (tmp_path / "notes" / "lock").read_text() == "the code of my bicycle's lock"
    fault_row("bad input", shlex.join(["hypercone", "fit", "tree-2-3", "-o", "model", *extra]), done)


def _stopped(program, arguments, folder, number: int):
    """Start a long fit, send the signal once it trains; return exit code, standard error and the seconds it took."""
    run = folder / "run"
    # Background jobs, as tests may be, ignore some signals from the start; --default-signal undoes that.
    command = ["env", "--default-signal", *program, *arguments, "--checkpoint-epochs", "50"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not (run / "manifest.json").exists():
            time.sleep(0.02)
        sent = time.monotonic()
        process.send_signal(number)
        err = process.communicate(timeout=60)[1]
    return process.returncode, err, time.monotonic() - sent


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_a_signal_ends_a_fit_within_ten_seconds_with_the_command_to_go_on(program, tmp_path, number, code):
    fit = ("fit", "tree-3-4", "-o", "my model", "--run", "run", *LONG)
    found, err, seconds = _stopped(program, fit, tmp_path, number)
    assert (found, err.count("\n")) == (code, 1)
    assert seconds < 10
    command = err.strip().partition("go on with: ")[2]
    again = ["fit", "--resume", *fit[1:], "--checkpoint-epochs", "50"]
    assert shlex.split(command) == ["hypercone", *again]
    assert "; the checkpoint of training epoch " in err
    assert not (tmp_path / "my model").exists()


def test_a_resumed_fit_gives_the_same_model(run, program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fit = ("fit", "tree-3-4", "--dim", "5", "--epochs", "3000", "--init", "random", "--quiet", "--percent", "50")
    code, err, _ = _stopped(program, (*fit, "-o", "model", "--run", "run"), tmp_path, signal.SIGTERM)
    assert code == 143, err
    assert run(*fit, "-o", "model", "--run", "run", "--resume", "--checkpoint-epochs", "50").code == 0
    assert run(*fit, "-o", "plain").code == 0
    assert _model(tmp_path / "model") == _model(tmp_path / "plain")


@pytest.mark.parametrize("stderr", ["readable", "full"])
def test_the_watchdog_ends_an_epoch_that_does_not_end_even_if_it_cannot_print(stderr):
    script = "import signal, time\nfrom hypercone.cli import stopping\nstopping.PATIENCE = 0.2\n"
    script += "with stopping.stop_requests(lambda: 'the rest is kept'):\n    signal.raise_signal(15)\n"
    script += "    end = time.monotonic() + 60\n    while time.monotonic() < end: pass\n"
    target = subprocess.PIPE if stderr == "readable" else os.open("/dev/full", os.O_WRONLY)
    done = subprocess.run([sys.executable, "-c", script], stderr=target, text=True, timeout=30, check=False)
    assert done.returncode == 143
    assert stderr == "full" or done.stderr.strip() == "hypercone: interrupted; the rest is kept"


def test_a_second_signal_stops_at_once():
    before = signal.getsignal(signal.SIGTERM)
    with stopping.stop_requests(lambda: "the last checkpoint is kept") as stop:
        assert not stop()
        signal.raise_signal(signal.SIGTERM)
        assert stop()
        with pytest.raises(KeyboardInterrupt, match="the last checkpoint is kept") as twice:
            signal.raise_signal(signal.SIGTERM)
    assert twice.value.exit_code == 143
    assert signal.getsignal(signal.SIGTERM) is before
    assert threading.active_count() < 50


def test_the_default_exit_code_of_an_interrupted_fit_is_130():
    assert Interrupted("x").exit_code == 130


def test_a_signal_that_was_ignored_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stopping.stop_requests(lambda: "") as stop:
            signal.raise_signal(signal.SIGHUP)
            assert not stop()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


BROKEN = {
    "nobody reads it": "2>&1 >out | head -c 1 >head; exit ${PIPESTATUS[0]}",
    "its disk is full": "2>/dev/full >out",
    "it is closed": "2>&- >out",
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_fit_does_not_end_because_its_progress_cannot_be_written(program, tmp_path, how):
    method = "--method hyperbolic-cones --init random --dim 5 --epochs 2000"
    fit = f"fit tree-3-4 {method} -o model --run run --checkpoint-epochs 50"
    script = f"{shlex.quote(program[0])} {fit} {BROKEN[how]}"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, timeout=120, check=False)
    assert done.returncode == 0
    assert (tmp_path / "model" / "config.json").exists()


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (".", ".: is a folder with other things in it"),
        ("/proc", "/proc: is a folder with other things in it"),
        ("file/model", "file/model: cannot be written (Not a directory)"),
        ("n" * 250, "cannot be written (File name too long)"),
    ],
    ids=["here", "mounted", "under a file", "long"],
)
def test_a_folder_that_cannot_hold_a_model_is_refused_before_the_fit(run, tmp_path, monkeypatch, target, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    monkeypatch.setattr(fit, "fit", lambda *_, **__: pytest.fail("it was fitted"))
    done = run("fit", "tree-2-3", "-o", target)
    assert done.code == 2
    assert words in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_the_current_folder_and_a_mount_point_are_refused_even_if_empty(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="is the folder you are in; give a new one"):
        fit.refuse_unwritable_folder(".")
    monkeypatch.setattr(os.path, "ismount", lambda path: True)
    with pytest.raises(InputError, match="is where a file system is mounted; give a folder inside it"):
        fit.refuse_unwritable_folder("volume")


def test_a_fit_that_cannot_be_saved_stays_in_its_run_folder(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ("fit", "tree-2-3", "--method", "hyperbolic-cones", *SHORT, "--run", "r")
    refuse = fit.refuse_unwritable_folder

    def then_taken(folder):
        refuse(folder)
        (tmp_path / "model").mkdir()
        (tmp_path / "model" / "thesis.tex").write_text("years of work")

    monkeypatch.setattr(fit, "refuse_unwritable_folder", then_taken)
    done = run(*command, "-o", "model")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.endswith("; the fit is saved in r: give another -o, with --resume\n")
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert run(*command, "-o", "other", "--resume").code == 0


def test_an_interrupt_during_the_test_says_that_the_model_is_saved(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(fit, "link_prediction", interrupt)
    done = run("fit", "tree-3-4", "-o", "model", *SHORT, "--percent", "50")
    assert done.code == 130
    assert done.err == "hypercone: interrupted; the model is saved in model; only its test was not finished\n"
    assert (tmp_path / "model" / "config.json").exists()
