"""The long run, benchmarks/fuzz.py: what it counts, and that an input which kills the process is found."""

from __future__ import annotations

import importlib.util
import json
import time

import pytest
from fuzzing import session
from fuzzing.promise import Broken, Outcome


@pytest.fixture
def long_run():
    path = session.ROOM.parents[1] / "benchmarks" / "fuzz.py"
    spec = importlib.util.spec_from_file_location("fuzz_benchmark", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Fragile:
    """A target that breaks its promise for some inputs."""

    name = words = "tsv"

    def check(self, data, *, twice):
        if b"bad" in data:
            raise Broken(f"ValueError: {data!r}")
        return Outcome("read", "", len(data) / 1000)


def test_of_inputs_that_break_the_promise_alike_the_smallest_is_kept(tmp_path):
    running = session.Session(Fragile(), Broken, 60, tmp_path / "report.json")
    for data in (b"fine", b"a bad one", b"bad", b"another bad one"):
        running.one(data)
    running.tell()
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["executions"], report["read"], report["slowest_bytes"]) == (4, 1, 4)
    assert [found["input"] for found in report["found"].values()] == [b"bad".hex()]


def test_the_input_at_work_can_be_read_by_others_while_it_is(tmp_path, long_run):
    seen = []

    class Deadly(Fragile):
        def check(self, data, *, twice):
            # What the parent would find if this were the end.
            seen.append(long_run._last_input(tmp_path / "report.json"))
            return super().check(data, twice=twice)

    running = session.Session(Deadly(), Broken, 60, tmp_path / "report.json")
    running.one(b"the first, which is longer")
    running.one(b"the last words")
    assert seen == [b"the first, which is longer", b"the last words"]


def test_the_table_counts_what_was_found_now_and_what_was_mended(long_run):
    row = {"executions": 1_000, "seconds": 2.0, "read": 7, "slowest_seconds": 0.01, "slowest_bytes": 5}
    row |= {"slowest_grown_seconds": 0.1}
    mended = [{"what": "a crash", "by": "fuzzer", "where": "a.py", "test": "t.py::t", "targets": "tsv csv"}]
    rows = [row | {"target": "tsv", "found": {}}, row | {"target": "obo", "found": {"x": {}}}]
    table = long_run.table(rows, mended).splitlines()
    assert table[2] == "| tsv | 1,000 | 2 | 7 | 0 | 1 | 10 ms (5 bytes) | 0.10 s |"
    assert table[4] == "| **all** | **2,000** | 4 | 14 | 1 | 1 | | |"
    assert table[-1] == "| a crash | fuzzer | `a.py` | `t.py::t` |"


def test_a_process_that_hangs_is_ended_and_told(long_run, monkeypatch, tmp_path):
    monkeypatch.setattr(long_run, "HANGS_AFTER", 0.3)
    script = tmp_path / "hangs.py"
    script.write_text("import pathlib, sys, time\npathlib.Path(sys.argv[-1]).write_text('{}')\ntime.sleep(60)\n")
    monkeypatch.setattr(long_run, "__file__", str(script))
    began = time.monotonic()
    assert long_run._watched("tsv", "by chance", 5.0, 1, tmp_path / "report.json").startswith("hang")
    assert time.monotonic() - began < 30
