"""The benchmarks measure what they say; here on a tree, where that takes no time."""

from __future__ import annotations

import json
import os
import time

import pytest

from hypercone._system import best_cpu_seconds, describe_machine, pin_to_one_core
from hypercone.bench import kernel
from hypercone.bench.closure import bench_closure
from hypercone.bench.kernel import bench_kernels
from hypercone.data import load_dataset
from hypercone.methods import METHODS

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
    monkeypatch.setattr(kernel, "load_dataset", lambda name: load_dataset("tree-3-4"))
    monkeypatch.setattr(kernel, "WARM_UP", {"epochs": 2, "init_epochs": 2})


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
    assert set(kernel.PAPER_RATES) == set(METHODS)


def test_closure_and_reduction_are_counted_and_timed():
    found = bench_closure("tree-3-4", repeats=2)
    assert set(found) == {"dataset", "closure_edges", "basic_edges", "seconds"}
    # 3 nodes with 1 ancestor, 9 with 2, 27 with 3, 81 with 4.
    assert (found["closure_edges"], found["basic_edges"]) == (426, 120)
    assert 0 < found["seconds"] < 1


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
