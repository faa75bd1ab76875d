"""Every committed input keeps the promise: the seeds, what was found once, and what others were surprised by."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from fuzzing import session
from fuzzing import targets as of_fuzzing
from fuzzing.mutations import words_in

from hypercone.formats.registry import NAMES

FILES = sorted(path for path in session.CORPUS.glob("*/*"))
REASONS = dict(line.split("\t") for line in (session.CORPUS / "why.tsv").read_text(encoding="utf-8").splitlines())


def _name(path):
    return f"{path.parent.name}/{path.name}"


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_committed_input_keeps_the_promise(targets, path):
    data = path.read_bytes()
    ways = of_fuzzing.in_every_way(path.parent.name) if path.parent.name in NAMES else [targets[path.parent.name]]
    for turn, target in enumerate(ways):
        target.check(data, twice=turn == 0)


def test_every_committed_input_has_a_reason_and_they_are_small_together():
    assert sorted(REASONS) == sorted(map(_name, FILES))
    assert all(REASONS.values())
    assert sum(path.stat().st_size for path in FILES) < 300_000


def test_every_target_has_seeds_that_are_read_and_a_dictionary(targets):
    assert {path.parent.name for path in FILES} == set(targets)
    for target in targets.values():
        assert words_in((session.DICTIONARIES / f"{target.words}.dict").read_text())
        seeds = [path for path in FILES if path.parent.name == target.name and path.name.startswith("seed-")]
        ways = of_fuzzing.in_every_way(target.name) if target.name in NAMES else [target]
        assert any(way.check(path.read_bytes()).kind == "read" for path in seeds for way in ways), target.name


def test_every_finding_that_was_mended_names_a_test_that_is_there(targets):
    root = session.ROOM.parents[1]
    for finding in json.loads((session.ROOM / "findings.json").read_text(encoding="utf-8")):
        path, _, test = finding["test"].partition("::")
        assert (root / path).exists(), finding
        assert not test or f"def {test}(" in (root / path).read_text(encoding="utf-8"), finding
        assert set(finding["targets"].split()) <= set(targets), finding
        assert finding["by"] in ("fuzzer", "growth", "reading")


DIGEST = """
import sys
from pathlib import Path
from hypercone.errors import InputError
from hypercone import read
for name in sys.argv[2:]:
    for path in sorted((Path(sys.argv[1]) / name).iterdir()):
        try:
            options = {"direction": "parent-child"} if name == "graphml" else {}
            found = read(path, format=name, on_cycle="condense", **options)
            print(name, path.name, found.digest, found.labels and found.labels.texts, found.notes)
        except InputError as error:
            print(name, path.name, error)
"""


def test_what_is_read_does_not_depend_on_the_hash_seed_of_the_interpreter():
    # Columns come in their order, and the library that reads them takes long to load.
    names = [name for name in NAMES if name not in ("parquet", "arrow")]
    read = set()
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8:backslashreplace"}
        command = [sys.executable, "-c", DIGEST, str(session.CORPUS), *names]
        read.add(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
    assert len(read) == 1
    assert b"two-labels-in-attributes" in read.pop()
