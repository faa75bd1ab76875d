"""The check of the promise, and the long run of the fuzzer: they notice whatever breaks the promise."""

from __future__ import annotations

import io
import json
import pickle
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import pytest
from tools.fuzz import __main__ as long_run
from tools.fuzz import session
from tools.fuzz.promise import LONGEST_MESSAGE, Broken, Outcome, check_hierarchy, check_promise

from hypercone.errors import InputError, ModelFileError
from hypercone.hierarchy import Hierarchy


def raise_error(error):
    raise error


def test_a_result_or_one_clear_error_is_fine(tmp_path):
    clear = InputError("a.tsv:1: is empty")
    assert check_promise(lambda: 7, InputError, 1, twice=True)[:2] == ("read", "7")
    assert check_promise(lambda: raise_error(clear), InputError, 1)[:2] == ("InputError", str(clear))
    assert check_promise(lambda: (tmp_path / "x").write_bytes(b"x"), InputError, 1, may_write=tmp_path).kind == "read"


@pytest.mark.parametrize(
    "error",
    [
        *[ValueError("x"), RecursionError("x"), MemoryError("x"), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x")],
        ModelFileError("of another kind"),
        *[InputError(""), InputError("two\nlines"), InputError("clears the screen: \x1b[2J")],
        *[InputError("half a character: \ud800"), InputError("x" * (LONGEST_MESSAGE + 1))],
    ],
    ids=lambda error: type(error).__name__,
)
def test_any_other_error_breaks_the_promise(error):
    with pytest.raises(Broken):
        check_promise(lambda: raise_error(error), InputError, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Path("x").write_bytes(b"x"), "did what it must not"),
        (lambda: subprocess.run([sys.executable, "-V"], capture_output=True, check=True), "did what it must not"),
        (lambda: pickle.loads(pickle.dumps(io.BytesIO)), "did what it must not"),
        (count().__next__, "not the same twice"),
    ],
    ids=["write", "process", "pickle", "another result"],
)
def test_writing_a_file_starting_a_process_loading_a_pickle_or_changing_breaks_it(call, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Broken, match=message):
        check_promise(call, InputError, 1, twice=message == "not the same twice")


def test_an_input_that_takes_long_breaks_the_promise(monkeypatch):
    monkeypatch.setattr("tools.fuzz.promise.SECONDS", 0.02)

    def call():
        ends = time.process_time() + 0.03
        while time.process_time() < ends:
            pass

    with pytest.raises(Broken, match="slow"):
        check_promise(call, InputError, 1)


def test_a_hierarchy_that_cannot_be_written_and_read_back_breaks_the_promise():
    fine = Hierarchy.from_pairs([("a", "b")])
    check_hierarchy(fine)
    # Longer than any name that is read.
    with pytest.raises(Broken, match="cannot be written as TSV and read back"):
        check_hierarchy(Hierarchy.from_pairs([("x" * 20_000, "b")]))
    with pytest.raises(Broken, match="the message has"):
        check_hierarchy(Hierarchy(fine.names, fine.edges, notes=["two\nlines"]))


def test_the_smallest_of_inputs_that_break_the_promise_alike_is_reported_and_the_current_one_can_be_read(tmp_path):
    seen, inputs = [], [b"fine", b"a bad one", b"bad", b"another bad one"]

    class Fragile:
        """A target that breaks its promise for some inputs."""

        name = words = "tsv"

        def check(self, data, *, twice):
            # What the parent would find if the process ended here.
            seen.append(long_run._last_input(tmp_path / "report.json"))
            if b"bad" in data:
                raise Broken(f"ValueError: {data!r}")
            return Outcome("read", "", len(data) / 1000)

    running = session.Session(Fragile(), Broken, 60, tmp_path / "report.json")
    for data in inputs:
        running.one(data)
    running.write_report()
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["executions"], report["read"], report["slowest_bytes"]) == (4, 1, 4)
    assert [found["input"] for found in report["found"].values()] == [b"bad".hex()]
    assert seen == inputs


def test_the_table_counts_what_was_found_now_and_what_was_fixed():
    row = {"executions": 1_000, "seconds": 2.0, "read": 7, "slowest_seconds": 0.01, "slowest_bytes": 5}
    row |= {"slowest_grown_seconds": 0.1}
    fixed = [{"what": "a crash", "by": "fuzzer", "where": "a.py", "test": "t.py::t", "targets": "tsv csv"}]
    rows = [row | {"target": "tsv", "found": {}}, row | {"target": "obo", "found": {"x": {}}}]
    table = long_run.table(rows, fixed).splitlines()
    assert table[2] == "| tsv | 1,000 | 2 | 7 | 0 | 1 | 10 ms (5 bytes) | 0.10 s |"
    assert table[4] == "| **all** | **2,000** | 4 | 14 | 1 | 1 | | |"
    assert table[-1] == "| a crash | fuzzer | `a.py` | `t.py::t` |"


def test_a_process_that_hangs_is_ended_and_reported(monkeypatch, tmp_path):
    monkeypatch.setattr(long_run, "HANGS_AFTER", 0.3)
    script = tmp_path / "hangs.py"
    script.write_text("import pathlib, sys, time\npathlib.Path(sys.argv[-1]).write_text('{}')\ntime.sleep(60)\n")
    monkeypatch.setattr(long_run, "CHILD", [sys.executable, str(script)])
    began = time.monotonic()
    assert long_run._run_child("tsv", "by chance", 5.0, 1, tmp_path / "report.json").startswith("hang")
    assert time.monotonic() - began < 30
