"""What the tests told of bad inputs, hostile files and faults: the rows of docs/reference/what-goes-wrong.md.

A test hands ``told`` what was done and what the user saw of it. The row must be the one that is committed here in
``rows``, so the page cannot say what the program does not. After a change of wording, or for a new case::

    HYPERCONE_RECORD_ROWS=1 pytest tests/cli/test_bad_input.py
    python scripts/make_fault_table.py
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROWS = Path(__file__).parent / "rows"
KINDS = ("bad input", "hostile file", "fault")
RECORDS = bool(os.environ.get("HYPERCONE_RECORD_ROWS"))
REMEDY = "if this is meant, run the test again with HYPERCONE_RECORD_ROWS=1, and then scripts/make_fault_table.py"


class Teller:
    """What one test tells, beside what is committed of it."""

    def __init__(self, test: str, temporary: Path) -> None:
        """A teller for the test of that id, whose files are below that folder."""
        self.test, self.temporary = test, temporary
        self.path = ROWS / f"{test.partition('.py::')[0].removeprefix('tests/').replace('/', '.')}.json"
        self.rows: list[dict[str, Any]] = []

    def __call__(self, kind: str, case: str, done: Any, code: int | None = None, *, about: str = "") -> None:
        """A row: what was given or what happened, and the text on standard error with the exit code.

        A case that begins with ``hypercone `` is a command line. ``done`` is what a process left behind, with its code,
        or the text alone. ``about`` is a heading to stand under; without it a command line stands under its command.
        """
        assert kind in KINDS, f"{kind} is none of {KINDS}"
        text, found = _seen(done)
        code = found if code is None else code
        assert code is not None, "say which exit code it was"
        row = {"test": self.test, "kind": kind, "about": about, "case": self._plain(case), "seen": self._plain(text)}
        row["code"] = code
        assert not any(other["case"] == row["case"] for other in self.rows), f"{case}: told twice in one test"
        self.rows.append(row)
        if not RECORDS:
            committed = [other for other in rows_of(self.path) if _place(other) == _place(row)]
            assert [row] == committed, REMEDY

    def finish(self) -> None:
        """Record all that was told; or find that all that is committed of this test was told."""
        if RECORDS:
            _replace(self.path, self.test, self.rows)
        else:
            told = {row["case"] for row in self.rows}
            left = [row["case"] for row in rows_of(self.path) if row["test"] == self.test and row["case"] not in told]
            assert not left, f"{left} stand in {self.path.name}, but the test no longer tells them; {REMEDY}"

    def _plain(self, text: str) -> str:
        """The text without what differs from machine to machine and from one Python to the next."""
        for folder in (self.temporary, Path(tempfile.gettempdir())):
            # Below it, each test has a folder of its own, which is where its user is at work.
            text = re.sub(rf"{re.escape(str(folder))}/[^/\s'\"]+(/|(?=[\s:;,'\"]|$))", "", text)
        text = re.sub(r"\(choose from ([^)]*)\)", lambda found: found[0].replace("'", ""), text)
        text = re.sub(r"(.)\1{39,}", lambda found: f"{found[1] * 3}…", text)
        return text.removeprefix("hypercone: ").strip()


def _seen(done: Any) -> tuple[str, int | None]:
    if isinstance(done, str):
        return done, None
    text = done.stderr if hasattr(done, "stderr") else done.err
    code: int = done.returncode if hasattr(done, "returncode") else done.code
    return text.decode() if isinstance(text, bytes) else text, code


def _place(row: dict[str, Any]) -> tuple[str, str]:
    return row["test"], row["case"]


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows that a file of tests told."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def _replace(path: Path, test: str, rows: list[dict[str, Any]]) -> None:
    ROWS.mkdir(exist_ok=True)
    folder = os.open(ROWS, os.O_RDONLY)
    # The folder itself is locked, for the workers of pytest-xdist may write to one file.
    fcntl.flock(folder, fcntl.LOCK_EX)
    before = rows_of(path)
    kept = [row for row in before if row["test"] != test]
    # A test that was here before keeps its place; a new one comes last.
    at = next((i for i, row in enumerate(before) if row["test"] == test), len(kept))
    kept[at:at] = rows
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.close(folder)


@pytest.fixture
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Teller]:
    """``told(kind, case, done, code=None)`` puts a row into the table of what goes wrong."""
    teller = Teller(request.node.nodeid, tmp_path_factory.getbasetemp())
    yield teller
    if teller.rows:
        teller.finish()
