"""hypercone fit --run: stopped from outside, it says how to go on, and going on gives the same model."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import threading
import time

import pytest

from hypercone.cli import stopping
from hypercone.errors import Interrupted

LONG = ("--dim", "5", "--epochs", "200000", "--init", "random", "--quiet")


def _model(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (("--resume",), "--resume needs --run FOLDER, where the checkpoints are"),
        (("--checkpoint-epochs", "5"), "--checkpoint-epochs needs --run FOLDER"),
        (("--checkpoint-seconds", "5"), "--checkpoint-seconds needs --run FOLDER"),
        (("--run", "model"), "--run and -o are both model; give the checkpoints a folder of their own"),
        (("--run", "r", "--checkpoint-epochs", "0"), "epochs between checkpoints is 0, but must be at least 1"),
        (("--run", "r", "--checkpoint-seconds", "nan"), "seconds between checkpoints is nan, but must be a number"),
        (("--run", "file"), "file: cannot be written (File exists)"),
        (("--run", "file/run"), "file/run: cannot be written (Not a directory)"),
        (("--run", "folder"), "folder: is a folder with other things in it; give a new one for the run"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_options_of_a_run_that_make_no_sense_are_one_sentence(run, told, tmp_path, monkeypatch, extra, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.tex").write_text("years of work")
    done = run("fit", "tree-2-3", "-o", "model", "--epochs", "3", "--quiet", *extra)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert words in done.err
    assert not (tmp_path / "model").exists()
    told("bad input", shlex.join(["hypercone", "fit", "tree-2-3", "-o", "model", *extra]), done)


def _stopped(program, arguments, folder, number: int):
    """Start a fit that would last long, send the signal once it trains, and return how and how soon it ended."""
    run = folder / "run"
    with subprocess.Popen(
        [*program, *arguments, "--checkpoint-epochs", "50"], cwd=folder, stderr=subprocess.PIPE, text=True
    ) as process:
        while process.poll() is None and not (run / "manifest.json").exists():
            time.sleep(0.02)
        sent = time.monotonic()
        process.send_signal(number)
        err = process.communicate(timeout=60)[1]
    return process.returncode, err, time.monotonic() - sent


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_a_fit_within_ten_seconds_with_the_command_to_go_on(program, tmp_path, number, code):
    fit = ("fit", "tree-3-4", "-o", "my model", "--run", "run", *LONG)
    found, err, seconds = _stopped(program, fit, tmp_path, number)
    assert (found, err.count("\n")) == (code, 1)
    assert seconds < 10
    command = err.strip().partition("go on with: ")[2]
    again = [*fit, "--checkpoint-epochs", "50", "--resume"]
    assert shlex.split(command) == ["hypercone", *again]
    assert "; the checkpoint of training epoch " in err
    assert not (tmp_path / "my model").exists()


def test_a_stopped_fit_goes_on_to_the_same_model(run, program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fit = ("fit", "tree-3-4", "--dim", "5", "--epochs", "3000", "--init", "random", "--quiet", "--percent", "50")
    code, err, _ = _stopped(program, (*fit, "-o", "model", "--run", "run"), tmp_path, signal.SIGTERM)
    assert code == 143, err
    assert run(*fit, "-o", "model", "--run", "run", "--resume", "--checkpoint-epochs", "50").code == 0
    assert run(*fit, "-o", "plain").code == 0
    assert _model(tmp_path / "model") == _model(tmp_path / "plain")


def test_an_epoch_that_will_not_end_is_given_up():
    script = "import time\nfrom hypercone.cli import stopping\nstopping.PATIENCE = 0.3\n"
    script += "import signal, threading\nwith stopping.stop_requests('the rest is kept'):\n"
    # A handler of Python's own runs only when this call is over; the watchdog does not wait for it.
    script += "    signal.pthread_kill(threading.main_thread().ident, 15)\n"
    script += "    end = time.monotonic() + 60\n    while time.monotonic() < end: pass\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 143
    assert done.stderr.strip() == "hypercone: interrupted; the rest is kept"


def test_asking_twice_means_at_once():
    before = signal.getsignal(signal.SIGINT)
    with stopping.stop_requests("the last checkpoint is kept") as stop:
        assert not stop()
        signal.raise_signal(signal.SIGINT)
        assert stop()
        with pytest.raises(KeyboardInterrupt, match="the last checkpoint is kept"):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    assert threading.active_count() < 50


def test_an_interrupted_fit_has_the_exit_code_of_ctrl_c_unless_told_otherwise():
    assert Interrupted("x").exit_code == 130
