"""hypercone reproduce on a small tree in the format of the authors: files, resuming, interrupts, claims and figures."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time

import pytest

from hypercone.data import load_dataset
from hypercone.reproduce.released_split import write_released_split
from hypercone.reproduce.table1 import TABLE1


@pytest.fixture
def split(tmp_path):
    """The prefix of a small split in the authors' format, with two percentages."""
    tree = load_dataset("tree-3-4")
    write_released_split([tree.split(percent) for percent in (10, 50)], tree, tmp_path / "tree.tsv")
    return tmp_path / "tree.tsv"


ONE_MORE = ("--percent", "50", "--methods", "order,euclidean")
SMALL = ("--dims", "2", "--seeds", "1", "--methods", "order,poincare", "--recipes", "as published", "--jobs", "2")


def test_the_table_is_written_as_json_and_markdown_and_only_missing_cells_are_run(run, split, tmp_path):
    done = run("reproduce", "table1", "--split", split, *SMALL, "-o", tmp_path / "out")
    assert done.code == 0, done.err
    cells = json.loads((tmp_path / "out/table1.json").read_text())["cells"]
    assert {(cell["method"], cell["percent"]) for cell in cells} == {
        (method, percent) for method in ("order", "poincare") for percent in (10, 50)
    }
    text = (tmp_path / "out/table1.md").read_text()
    assert done.out == text + "\n"
    (order,) = [cell for cell in cells if cell["method"] == "order" and cell["percent"] == 10]
    assert f"| as published | {order['test_f1']:.1f} |" in text
    assert done.err.count("test F1") == 4
    assert re.match(r"- 4 trials in \d+\.\d minutes with 2 workers on ", (tmp_path / "out/time.md").read_text())
    # A finished table is not run again, and only what is missing is run.
    again = run("reproduce", "table1", "--split", split, *SMALL, "-o", tmp_path / "out")
    assert (again.out, again.err) == (done.out, "")
    more = run("reproduce", "table1", "--split", split, *SMALL, *ONE_MORE, "-o", tmp_path / "out", "--json")
    assert "1 of 1: euclidean" in more.err
    assert "order" not in more.err
    assert len(more.json["cells"]) == 5


def test_all_methods_of_the_paper_run_with_both_recipes(run, split, tmp_path):
    given = ("--split", split, "--dims", "2", "--seeds", "1", "--percent", "50", "-o", tmp_path, "--json")
    done = run("reproduce", "table1", *given)
    cells = done.json["cells"]
    assert {(cell["method"], cell["recipe"]) for cell in cells} == {
        (method, recipe) for method in TABLE1 for recipe in ("as published", "tuned")
    }
    assert all(0 <= cell["test_f1"] <= 100 for cell in cells)


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


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_an_interrupt_keeps_what_has_finished_and_says_so(long_run, tmp_path):
    running, first = long_run
    os.killpg(running.pid, signal.SIGINT)
    rest = running.stderr.read()
    assert running.wait(30) == 130
    assert "1 of 160: order" in first
    assert "Traceback" not in rest
    assert "trials are saved in" in rest.splitlines()[-1]
    assert len(json.loads((tmp_path / "table1.json").read_text())["cells"]) >= 1


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
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
    (tmp_path / "table1.json").write_text(json.dumps({"runs": [], "cells": rows}))
    done = run("reproduce", "claims", "--claims", "order-at-zero", "-o", tmp_path)
    assert "Order embeddings (tuned, d = 5, 0 %) better than Poincaré: confirmed (+10.0 ± 0.0)" in done.out
    assert done.out == (tmp_path / "claims.md").read_text() + "\n"


def test_figure_2_is_written_to_the_output_folder(run, tmp_path):
    done = run("reproduce", "figure2", "-o", tmp_path / "pictures", "--json")
    assert [os.path.basename(path) for path in done.json["files"]] == ["figure2.svg", "figure2.png"]
    assert all(os.path.getsize(path) > 1000 for path in done.json["files"])
