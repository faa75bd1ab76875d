"""The check of the promise sees when it is broken; without this, a fuzzer that finds nothing says nothing."""

from __future__ import annotations

import io
import pickle
import subprocess
import sys
import time
from itertools import count

import pytest
from fuzzing.bundle import bundled, unbundled
from fuzzing.promise import LONGEST_MESSAGE, Broken, check_hierarchy, kept

from hypercone.errors import InputError, ModelFileError
from hypercone.formats import read
from hypercone.hierarchy import Hierarchy


def _raising(error):
    def call():
        raise error

    return call


def test_a_result_or_one_clear_error_is_fine():
    assert kept(lambda: 7, InputError, 1, twice=True)[:2] == ("read", "7")
    assert kept(_raising(InputError("a.tsv:1: is empty")), InputError, 1)[:2] == ("InputError", "a.tsv:1: is empty")


@pytest.mark.parametrize(
    "error",
    [
        ValueError("x"),
        RecursionError("x"),
        MemoryError("x"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"),
        ModelFileError("of another kind"),
        InputError(""),
        InputError("two\nlines"),
        InputError("clears the screen: \x1b[2J"),
        InputError("half a character: \ud800"),
        InputError("x" * (LONGEST_MESSAGE + 1)),
    ],
    ids=lambda error: type(error).__name__,
)
def test_any_other_error_is_seen(error):
    with pytest.raises(Broken):
        kept(_raising(error), InputError, 1)


def test_a_file_that_is_written_is_seen(tmp_path):
    with pytest.raises(Broken, match="touched"):
        kept(lambda: (tmp_path / "x").write_bytes(b"x"), InputError, 1)
    assert kept(lambda: (tmp_path / "x").write_bytes(b"x"), InputError, 1, may_write=tmp_path).kind == "read"


@pytest.mark.parametrize(
    "call",
    [
        lambda: subprocess.run([sys.executable, "-V"], capture_output=True, check=True),
        lambda: pickle.loads(pickle.dumps(io.BytesIO)),
    ],
    ids=["process", "pickle"],
)
def test_a_process_and_a_pickle_are_seen(call):
    with pytest.raises(Broken, match="touched"):
        kept(call, InputError, 1)


def test_an_input_that_takes_long_is_seen(monkeypatch):
    monkeypatch.setattr("fuzzing.promise.SECONDS", 0.02)

    def call():
        ends = time.process_time() + 0.03
        while time.process_time() < ends:
            pass

    with pytest.raises(Broken, match="slow"):
        kept(call, InputError, 1)


def test_a_reader_that_gives_another_result_the_second_time_is_seen():
    with pytest.raises(Broken, match="not the same twice"):
        kept(count().__next__, InputError, 1, twice=True)


def test_a_hierarchy_that_does_not_come_back_is_seen():
    fine = Hierarchy.from_pairs([("a", "b")])
    check_hierarchy(fine)
    # Longer than any name that is read.
    with pytest.raises(Broken, match="cannot be written as TSV and read back"):
        check_hierarchy(Hierarchy.from_pairs([("x" * 20_000, "b")]))
    with pytest.raises(Broken, match="the message has"):
        check_hierarchy(Hierarchy(fine.names, fine.edges, notes=["two\nlines"]))


def test_a_bundle_comes_back_as_it_was():
    files = {"a.json": b"{}\n", "b.gz": b"\x1f\x8b\n\n", "empty": b""}
    assert unbundled(bundled(files)) == files
    assert read(io.BytesIO(unbundled(bundled({"x": b"a > b"}))["x"]), format="paths").names == ("a", "b")
