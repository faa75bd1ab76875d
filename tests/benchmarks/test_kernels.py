"""The benchmarks measure what they say; here on a tree, where that takes no time."""

from __future__ import annotations

import json
import os
import time

import pytest

import kernels
from hypercone._system import describe_machine
from hypercone.data import load_dataset
from hypercone.methods import METHODS
from kernels import bench_closure, bench_kernels
from timing import best_cpu_seconds, pin_to_one_core

FIGURES = {
    "method",
    "dim",
    "recipe",
    "negatives",
    "corrupt",
    "optimizer",
    "pairs_per_second",
    "cpu_seconds_per_epoch",
    "violated_share",
    "active_share",
}


@pytest.fixture
def on_a_tree(monkeypatch):
    monkeypatch.setattr(kernels, "load_dataset", lambda name: load_dataset("tree-3-4"))
    monkeypatch.setattr(kernels, "WARM_UP", {"epochs": 2, "init_epochs": 2})


def test_a_row_for_each_method_and_for_cones_one_more_with_the_defaults(on_a_tree):
    rows = list(bench_kernels(["order", "hyperbolic-cones"], [2], repeats=1))
    assert [(row["method"], row["dim"], row["recipe"]) for row in rows] == [
        ("order", 2, "paper"),
        ("hyperbolic-cones", 2, "paper"),
        ("hyperbolic-cones", 2, "default"),
    ]
    for row in rows:
        assert set(row) == FIGURES
        assert row["pairs_per_second"] > 0
        assert row["cpu_seconds_per_epoch"] > 0
        assert 0 <= row["violated_share"] <= 1
        assert 0 <= row["active_share"] <= 1
    # A pair is a positive or a wrong one: both figures are of the same epoch.
    assert rows[1]["pairs_per_second"] * rows[1]["cpu_seconds_per_epoch"] == pytest.approx(273 * 11)
    assert rows[2]["pairs_per_second"] * rows[2]["cpu_seconds_per_epoch"] == pytest.approx(273 * 21)
    assert (rows[1]["optimizer"], rows[2]["optimizer"]) == ("sgd", "adagrad")
    assert json.loads(json.dumps(rows)) == rows


def test_every_method_has_the_rate_of_its_papers_recipe():
    assert set(kernels.PAPER_RATES) == set(METHODS)


def test_closure_and_reduction_are_counted_and_timed():
    found = bench_closure("tree-3-4", repeats=2)
    assert set(found) == {"dataset", "closure_edges", "basic_edges", "seconds"}
    # 3 nodes with 1 ancestor, 9 with 2, 27 with 3, 81 with 4.
    assert (found["closure_edges"], found["basic_edges"]) == (426, 120)
    assert 0 < found["seconds"] < 1


def test_a_run_prints_a_table_or_json(capsys, monkeypatch):
    row = {
        "method": "order",
        "dim": 5,
        "recipe": "paper",
        "pairs_per_second": 12.34e6,
        "cpu_seconds_per_epoch": 0.5,
        "violated_share": 0.1,
        "active_share": 0.02,
    }
    asked = []

    def pretend(methods, dims, repeats):
        asked.append((methods, dims, repeats))
        yield row

    monkeypatch.setattr(kernels, "bench_kernels", pretend)
    monkeypatch.setattr(kernels, "pin_to_one_core", lambda: None)
    given = ["kernel", "--methods", "order", "poincare", "--dims", "5", "10", "--repeats", "2"]
    kernels.main([*given, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["results"] == [row]
    assert found["machine"]["cores"]
    kernels.main(given)
    header, line = capsys.readouterr().out.splitlines()
    assert "M pairs/s" in header
    assert line.split() == ["order", "5", "paper", "12.3", "0.500", "10.0%", "2.00%"]
    assert asked == [(["order", "poincare"], [5, 10], 2)] * 2


def test_the_closure_of_the_nouns_has_the_counts_of_the_paper(capsys):
    kernels.main(["closure", "--repeats", "1", "--json"])
    found = json.loads(capsys.readouterr().out)["results"]
    assert (found["closure_edges"], found["basic_edges"]) == (661_127, 84_363)
    assert found["seconds"] > 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["everything"], "invalid choice: 'everything'"),
        (["kernel", "--repeats", "0"], "--repeats is 0"),
        (["kernel", "--dims", "5,x"], "invalid int value: '5,x'"),
        (["kernel", "--methods", "order", "cones"], "invalid choice: 'cones'"),
    ],
)
def test_a_wrong_option_is_refused(given, said, capsys):
    with pytest.raises(SystemExit) as ended:
        kernels.main(given)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_the_machine_is_described_in_json():
    machine = describe_machine()
    assert json.loads(json.dumps(machine)) == machine
    assert set(machine) == {"processor", "cores", "python", "numpy", "numba", "hypercone", "date"}
    assert all(machine.values())


def test_the_least_of_several_times_counts():
    waits = iter([0.0, 0.03, 0.03])

    def work():
        until = time.process_time() + next(waits)
        while time.process_time() < until:
            pass

    assert best_cpu_seconds(work, 3) < 0.02


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot pin a process")
def test_pinning_keeps_one_of_the_cores_we_may_use():
    before = os.sched_getaffinity(0)
    try:
        pin_to_one_core()
        assert len(os.sched_getaffinity(0)) == 1
        assert os.sched_getaffinity(0) <= before
    finally:
        os.sched_setaffinity(0, before)
