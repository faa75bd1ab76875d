"""The rows of the page "What goes wrong": bad inputs, hostile files and faults, and what the user sees of them.

A test passes to ``fault_row`` what was done and what the user saw. The row must equal the committed one in
tests/faults/rows, from which the page is built. After a change of wording, or for a new case::

    HYPERCONE_RECORD_ROWS=1 pytest tests/cli/test_bad_input.py
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

ROWS = Path(__file__).parents[1] / "faults" / "rows"
KINDS = ("bad input", "hostile file", "fault")
RECORDS = bool(os.environ.get("HYPERCONE_RECORD_ROWS"))
REMEDY = "if this is intended, run the test again with HYPERCONE_RECORD_ROWS=1"


class FaultRows:
    """The rows of one test, compared with the committed ones."""

    def __init__(self, test: str, temporary: Path) -> None:
        self.test, self.temporary = test, temporary
        self.path = ROWS / f"{test.partition('.py::')[0].removeprefix('tests/').replace('/', '.')}.json"
        self.rows: list[dict[str, Any]] = []

    def __call__(self, kind: str, case: str, done: Any, code: int | None = None, *, about: str = "") -> None:
        """A row: the input or the event, and the text on standard error with the exit code.

        A case that begins with ``hypercone `` is a command line. ``done`` is the result of a process or its text.
        ``about`` is the heading; without it a command line is listed under its command.
        """
        assert kind in KINDS, f"{kind} is none of {KINDS}"
        text, found = _seen(done)
        code = found if code is None else code
        assert code is not None, "say which exit code it was"
        row = {"test": self.test, "kind": kind, "about": about, "case": self._plain(case), "seen": self._plain(text)}
        row["code"] = code
        assert not any(other["case"] == row["case"] for other in self.rows), f"{case}: two rows in one test"
        self.rows.append(row)
        if not RECORDS:
            committed = [other for other in rows_of(self.path) if _place(other) == _place(row)]
            assert [row] == committed, REMEDY

    def finish(self) -> None:
        """Record all rows, or check that every committed row of this test was produced."""
        if RECORDS:
            _replace(self.path, self.test, self.rows)
        else:
            cases = {row["case"] for row in self.rows}
            left = [row["case"] for row in rows_of(self.path) if row["test"] == self.test and row["case"] not in cases]
            assert not left, f"{left} are in {self.path.name}, but the test no longer produces them; {REMEDY}"

    def _plain(self, text: str) -> str:
        """The text without what differs between machines and versions of Python."""
        for folder in (self.temporary, Path(tempfile.gettempdir())):
            # Each test has its own folder below it, which is the working directory of its user.
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
    """The committed rows of a test file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def _replace(path: Path, test: str, rows: list[dict[str, Any]]) -> None:
    ROWS.mkdir(exist_ok=True)
    folder = os.open(ROWS, os.O_RDONLY)
    # The folder itself is locked, because several workers of pytest-xdist may write to one file.
    fcntl.flock(folder, fcntl.LOCK_EX)
    before = rows_of(path)
    others = [row for row in before if row["test"] != test]
    # The order of the tests stays; a new one comes last.
    at = next((i for i, row in enumerate(before) if row["test"] == test), len(others))
    others[at:at] = rows
    path.write_text(json.dumps(others, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.close(folder)


@pytest.fixture
def fault_row(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultRows]:
    """``fault_row(kind, case, done, code=None)`` is a row of the table of what goes wrong."""
    rows = FaultRows(request.node.nodeid, tmp_path_factory.getbasetemp())
    yield rows
    if rows.rows:
        rows.finish()
