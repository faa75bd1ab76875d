"""fit --run and reproduce: what is interrupted says how to resume, and resuming gives the same result."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.support.embeddings import all_files

from hypercone.cli import fit, stopping
from hypercone.data import load_dataset
from hypercone.errors import InputError, Interrupted
from hypercone.reproduce.released_split import write_released_split
from hypercone.reproduce.table1 import TABLE1
from hypercone.training.loop import DIGITS

SHORT = ("--dim", "5", "--epochs", "3", "--init", "random", "--quiet")
posix = pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
linux = pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")


@posix
def test_the_command_that_a_stopped_fit_prints_ends_with_the_same_model(run, program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = ("fit", "tree-3-4", "--dim", "5", "--epochs", "3000", "--init", "random", "--quiet", "--percent", "50")
    resumable = (*given, "-o", "my model", "--run", "run", "--checkpoint-epochs", "50")
    # Background jobs, as tests may be, ignore some signals from the start; --default-signal undoes that.
    command = ["env", "--default-signal", *program, *resumable]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not (tmp_path / "run" / "manifest.json").exists():
            time.sleep(0.02)
        sent = time.monotonic()
        process.send_signal(signal.SIGHUP)
        err = process.communicate(timeout=60)[1]
    assert (process.returncode, err.count("\n")) == (129, 1), err
    assert time.monotonic() - sent < 10
    assert "; the checkpoint of training epoch " in err
    assert not (tmp_path / "my model").exists()
    again = shlex.split(err.strip().partition("go on with: ")[2])
    assert again == ["hypercone", "fit", "--resume", *resumable[1:]]
    assert run(*again[1:]).code == run(*given, "-o", "plain").code == 0
    assert all_files(tmp_path / "my model") == all_files(tmp_path / "plain")


def test_the_watchdog_ends_an_epoch_that_does_not_end_even_if_it_cannot_print():
    script = "import signal, time\nfrom hypercone.cli import stopping\nstopping.PATIENCE = 0.2\n"
    script += "with stopping.stop_requests(lambda: 'the rest is kept'):\n    signal.raise_signal(15)\n"
    script += "    end = time.monotonic() + 60\n    while time.monotonic() < end: pass\n"
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-c", script], stderr=full, timeout=30, check=False)
    assert done.returncode == 143


def test_a_second_signal_stops_at_once_and_what_was_ignored_stays_ignored():
    before = signal.getsignal(signal.SIGTERM)
    usual = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stopping.stop_requests(lambda: "the last checkpoint is kept") as stop:
            signal.raise_signal(signal.SIGHUP)
            assert not stop()
            signal.raise_signal(signal.SIGTERM)
            assert stop()
            with pytest.raises(KeyboardInterrupt, match="the last checkpoint is kept") as twice:
                signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, usual)
    assert (twice.value.exit_code, Interrupted("x").exit_code) == (143, 130)
    assert signal.getsignal(signal.SIGTERM) is before
    assert threading.active_count() < 50


@pytest.mark.parametrize(
    "stderr",
    ["2>&1 >out | head -c 1 >head; exit ${PIPESTATUS[0]}", "2>/dev/full >out", "2>&- >out"],
    ids=["nobody reads it", "its disk is full", "it is closed"],
)
def test_a_fit_does_not_end_because_its_progress_cannot_be_written(program, tmp_path, stderr):
    method = "--method hyperbolic-cones --init random --dim 5 --epochs 2000"
    fit = f"fit tree-3-4 {method} -o model --run run --checkpoint-epochs 50"
    done = subprocess.run(
        ["bash", "-c", f"{shlex.quote(program[0])} {fit} {stderr}"], cwd=tmp_path, timeout=120, check=False
    )
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
    assert (done.code, words in done.err) == (2, True), done
    assert os.listdir(tmp_path) == ["file"]


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
    monkeypatch.setattr(fit, "refuse_unwritable_folder", refuse)
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


@pytest.fixture
def split(tmp_path):
    """The prefix of a small split in the authors' format, with two percentages."""
    tree = load_dataset("tree-3-4")
    write_released_split([tree.split(percent) for percent in (10, 50)], tree, tmp_path / "tree.tsv")
    return tmp_path / "tree.tsv"


def test_the_table_is_written_as_json_and_markdown_and_only_missing_cells_are_run(run, split, tmp_path):
    out = tmp_path / "out"
    given = ("reproduce", "table1", "--split", split, "--dims", "2", "--seeds", "1", "--jobs", "2", "-o", out)
    some = (*given, "--methods", "order,poincare", "--recipes", "as published")
    done = run(*some)
    assert done.code == 0, done.err
    cells = json.loads((out / "table1.json").read_text())["cells"]
    assert {(cell["method"], cell["percent"]) for cell in cells} == {
        (method, percent) for method in ("order", "poincare") for percent in (10, 50)
    }
    text = (out / "table1.md").read_text()
    assert done.out == text + "\n"
    (order,) = [cell for cell in cells if cell["method"] == "order" and cell["percent"] == 10]
    assert f"| as published | {order['test_f1']:.1f} |" in text
    assert done.err.count("test F1") == 4
    assert re.match(r"- 4 trials in \d+\.\d minutes with 2 workers on ", (out / "time.md").read_text())
    # A finished table is not run again, and only what is missing is run: here all methods with both recipes.
    again = run(*some)
    assert (again.out, again.err) == (done.out, "")
    more = run(*given, "--percent", "50", "--json")
    assert not re.search(r"(order|poincare) \(as published\)", more.err)
    found = [(cell["method"], cell["recipe"]) for cell in more.json["cells"] if cell["percent"] == 50]
    assert sorted(found) == sorted((method, recipe) for method in TABLE1 for recipe in ("as published", "tuned"))
    assert all(0 <= cell["test_f1"] <= 100 for cell in more.json["cells"])


@pytest.fixture
def long_run(program, split, tmp_path):
    """A run of 160 trials in its own process group after its first trial, and the line of that trial."""
    given = ["reproduce", "table1", "--split", str(split), "--seeds", "40", "--dims", "2", "-o", str(tmp_path)]
    with subprocess.Popen(
        [*program, *given, "--methods", "order", "--jobs", "2"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as running:
        yield running, running.stderr.readline()


def group_ends(leader, seconds):
    """Whether all processes of the group end within so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.killpg(leader, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@posix
def test_an_interrupt_keeps_what_has_finished_and_says_so(long_run, tmp_path):
    running, first = long_run
    os.killpg(running.pid, signal.SIGINT)
    rest = running.stderr.read()
    assert running.wait(30) == 130, rest
    assert "1 of 160: order" in first
    assert "Traceback" not in rest
    assert "trials are saved in" in rest.splitlines()[-1]
    assert len(json.loads((tmp_path / "table1.json").read_text())["cells"]) >= 1


@linux
def test_an_interrupt_while_the_workers_start_is_no_traceback(program, split, tmp_path):
    given = ["reproduce", "table1", "--split", str(split), "--dims", "2", "-o", str(tmp_path), "--jobs", "2"]
    with subprocess.Popen(
        [*program, *given, "--methods", "order"], stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        while len(workers_of(running.pid)) < 2:
            time.sleep(0.001)
        os.killpg(running.pid, signal.SIGINT)
        said = running.stderr.read()
        assert running.wait(30) == 130, said
    assert "Traceback" not in said
    assert "0 of 12 trials are saved in" in said


@linux
def test_a_run_with_a_killed_worker_says_so_and_keeps_what_has_finished(long_run, tmp_path):
    running, _ = long_run
    os.kill(workers_of(running.pid)[0], signal.SIGKILL)
    rest = running.stderr.read()
    assert running.wait(30) == 4, rest
    assert "Traceback" not in rest
    assert "ended from outside, perhaps for lack of memory" in rest.splitlines()[-1]
    assert len(json.loads((tmp_path / "table1.json").read_text())["cells"]) >= 1


def workers_of(parent):
    """The identifiers of the processes that a process has started for its trials."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            ppid = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if int(ppid) == parent and b"spawn_main" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


@posix
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_a_run_that_is_killed(long_run, how):
    running, _ = long_run
    running.send_signal(how)
    running.wait(30)
    assert group_ends(running.pid, seconds=20)


def test_claims_about_the_table_are_judged_from_its_file(run, tmp_path):
    rows = [
        {"method": "order", "recipe": "tuned", "dim": 5, "percent": 0, "seed": 0, "test_f1": 40.0, "source": "x"},
        {"method": "poincare", "recipe": "tuned", "dim": 5, "percent": 0, "seed": 0, "test_f1": 30.0, "source": "x"},
    ]
    rows = [row | {"digits": DIGITS} for row in rows]
    (tmp_path / "table1.json").write_text(json.dumps({"runs": [], "cells": rows}))
    done = run("reproduce", "claims", "--claims", "order-at-zero", "-o", tmp_path)
    assert "Order embeddings (tuned, d = 5, 0 %) better than Poincaré: confirmed (+10.0 ± 0.0, 1 seed)" in done.out
    assert done.out == (tmp_path / "claims.md").read_text() + "\n"


def test_figures_1_and_2_are_written_to_the_output_folder(run, tmp_path):
    for name in ("figure1", "figure2"):
        done = run("reproduce", name, "-o", tmp_path / "pictures", "--json")
        assert [os.path.basename(path) for path in done.json["files"]] == [f"{name}.svg", f"{name}.png"]
    assert all(os.path.getsize(path) > 1000 for path in done.json["files"])
